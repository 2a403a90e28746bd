"""How Piggyback shows itself: a drawn board with stacks and pieces, and what each phase means."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pigglesim.games.piggyback.actions import PiggybackAction, Word
from pigglesim.games.piggyback.combat import arms_of, attack_odds, rolling
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import OTHER, Ability, Held, Phase, Position, Stack, space_name
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import OWNER_COLOURS
from pigglesim.rolls import BOARD_SEATS, Seat
from pigglesim.screen.family import Area, Line
from pigglesim.screen.piggyback_rules import rules_page
from pigglesim.screen.piggyback_story import NAMES, Wording, told
from pigglesim.screen.without_piggles import WithoutPiggles

__all__ = ["PiggybackFamily"]

_COLOURS = {
    Ability.GREEN: "#7aa65a",
    Ability.ORANGE: "#d98032",
    Ability.YELLOW: "#d9b520",
    Ability.MAUVE: "#a07cc5",
}
_WIDTH = 5
"""Characters of a space."""
_DUE = {
    Phase.OPENING: "the roll for who begins",
    Phase.MOVE: "to move",
    Phase.ROAM: "may move on by Boost",
    Phase.WARP: "is attacked and may Warp",
    Phase.ATTACK_ROLL: "rolls to attack",
    Phase.ATTACK: "attacks: roll again or stand",
    Phase.DEFENCE_ROLL: "rolls to defend",
    Phase.DEFENCE: "defends: roll again or stand",
    Phase.KEEP: "has won and chooses abilities",
    Phase.RESPAWN: "has lost and may put a piece on the board",
}


class PiggybackFamily(WithoutPiggles):
    """Piggyback on the screen.

    Args:
        game: The rules, under house rules of their own.
    """

    def __init__(self, game: Piggyback) -> None:
        self._game = game
        self._size = game.layout.size
        self._wording = Wording(self._size)

    @property
    def names(self) -> Mapping[Seat, str]:
        """The colours of the units."""
        return NAMES

    def table(self, state: Position, viewer: Seat | None) -> Text:
        """Return the board, the viewer's side below, and what is in the bank."""
        rows = range(self._size)
        turned = viewer is Seat.B
        text = Text()
        for row in rows if turned else reversed(rows):
            text.append(f"{row + 1:>3} ", style="dim")
            for column in reversed(rows) if turned else rows:
                text.append_text(self._cell(state, row * self._size + column))
            text.append("\n")
        letters = [space_name(column, self._size)[0] for column in rows]
        ordered = reversed(letters) if turned else letters
        text.append("    " + "".join(letter.center(_WIDTH) for letter in ordered) + "\n", "dim")
        return text

    def _cell(self, state: Position, space: int) -> Text:
        """Return a space: a stack in its colours, a piece, or a dot, in brackets in a combat."""
        combat, roam = state.combat, state.roam
        fought = combat is not None and space in {combat.source, combat.target}
        moving = roam is not None and roam.space == space
        lying = dict(state.pieces).get(space)
        for seat in BOARD_SEATS:
            stack = dict(state.side(seat)).get(space)
            if stack is not None:
                under = "," if lying is not None else ""
                name = f"{seat}{stack.units}{_letters(stack.held)}{under}".center(_WIDTH)
                cell = Text(name, style=f"bold #ffffff on {OWNER_COLOURS[seat]}")
                cell.stylize("underline" if fought or moving else "")
                return cell
        if lying is not None:
            return Text(f"({lying.value[0]})".center(_WIDTH), style=f"bold {_COLOURS[lying]}")
        return Text(("x" if fought else "·").center(_WIDTH), style="dim")

    def heading(self, state: Position) -> str:
        """Return the turn, and what is due."""
        turn = f"Turn {state.ply + 1}"
        if state.result is not None:
            return f"{turn} · the match is over"
        if state.phase is Phase.OPENING:
            return f"{turn} · {_DUE[state.phase]}"
        return f"{turn} · {NAMES[self._due(state)]} {_DUE[state.phase]}"

    def _due(self, state: Position) -> Seat:
        """Return who is to decide or to roll."""
        turn = self._game.turn(state)
        return turn if isinstance(turn, Seat) else self._game.chance_request(state).thrower

    def guide(self, state: Position, seat: Seat | None) -> str:
        """Return what can be done, and in a combat how it stands."""
        if state.result is not None:
            return "The match is over."
        combat = state.combat
        if combat is not None and combat.winner is None:
            return self._combat_guide(state)
        if seat is None:
            return ""
        quiet = state.ply - state.lively
        if quiet * 2 > self._game.rules.quiet_cap:
            left = self._game.rules.quiet_cap - quiet
            return f"Without combat or acquisition the game is drawn in {left} turns."
        match state.phase:
            case Phase.MOVE:
                return "Move a unit or stack one space; two that meet stack, enemies fight."
            case Phase.ROAM:
                return "This unit may go on: a second step uses a Boost, a third another one."
            case Phase.KEEP:
                return "Keep at most two of all unused abilities; the others leave the game."
            case _:
                return "Put a piece from the bank on a free space of its colour, or leave it."

    def _combat_guide(self, state: Position) -> str:
        """Return who fights whom, and the odds before the first roll."""
        combat = state.combat
        assert combat is not None
        attacker = dict(state.side(state.active))[combat.source]
        defender = dict(state.side(OTHER[state.active]))[combat.target]
        who = f"{self._wording.stack(attacker)} attacks {self._wording.stack(defender)}"
        if state.phase in {Phase.DEFENCE_ROLL, Phase.DEFENCE}:
            return f"{who}. To beat: {combat.attack}; an equal result is the attacker's."
        if state.phase is Phase.ATTACK:
            left = _rolls_left(state)
            return f"{who}. The last roll is {combat.face}; {left} more can be made."
        odds = attack_odds(arms_of(attacker), arms_of(defender))
        return f"{who}: it wins {odds} of the time, about {float(odds):.0%}."

    def areas(self, state: Position) -> Sequence[Area]:
        """Return units and abilities of both sides, and what is in the bank."""
        held = {
            seat: tuple(of for _, stack in state.side(seat) for of in stack.held)
            for seat in BOARD_SEATS
        }
        return [
            Area(name="units", held={seat: str(state.units(seat)) for seat in BOARD_SEATS}),
            Area(name="abilities", held={seat: _counted(held[seat]) for seat in BOARD_SEATS}),
            Area(name="bank", held=dict.fromkeys(BOARD_SEATS, _counted(state.bank))),
        ]

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return in plain words what a decision or a roll has led to."""
        return told(self._game, event)

    def say(self, state: Position, action: PiggybackAction) -> str:
        """Return an action that is legal in a position as a person would say it."""
        return self._wording.say(state, action)

    @property
    def skip(self) -> Word:
        """To pass."""
        return Word.PASS

    @property
    def done(self) -> Word:
        """To move no further with a unit that could."""
        return Word.END

    @property
    def rules(self) -> str:
        """The rules in brief."""
        return rules_page(self._game.rules)


def _letters(held: Held) -> str:
    return "".join(ability.value[0] for ability in held)


def _counted(held: Held) -> str:
    counts = (f"{held.count(of)} {of.label}" for of in Ability if of in held)
    return ", ".join(counts) or "-"


def _rolls_left(state: Position) -> int:
    combat = state.combat
    assert combat is not None
    stack: Stack = rolling(state)[1]
    return max(0, stack.units - combat.rolls) + stack.held.count(Ability.YELLOW)
