"""How games of Piggles show themselves: board, areas, choices and what each phase means."""

from collections.abc import Mapping, Sequence
from typing import Any

from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load, may_return
from pigglesim.games.piggles.game import Piggles, PigglesAction
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.state import (
    FIRST_RECOUP_ROUND,
    Act,
    Done,
    MudEntry,
    Phase,
    Position,
    in_order,
    team,
)
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import SIDES
from pigglesim.rolls import BOARD_SEATS, Landing, Seat
from pigglesim.screen.family import Area, Line, Mark, Toggles
from pigglesim.screen.piggles_effects import LEGEND, Effects
from pigglesim.screen.piggles_rules import rules_page
from pigglesim.screen.piggles_story import steps_of, told

__all__ = ["PigglesFamily"]

_PHASES = {
    Phase.LOAD: "Load",
    Phase.ROLL: "Roll",
    Phase.TALLY: "Tally",
    Phase.RESOLVE: "Resolve",
    Phase.SUDDEN: "Sudden Snout-Up",
    Phase.RECOUP: "Recoup",
    Phase.ACTION_REACTION: "Action & Reaction",
}


class PigglesFamily:
    """Piggles on the screen.

    Args:
        game: A game of Piggles, under house rules of its own.
    """

    def __init__(self, game: Piggles) -> None:
        self._game = game
        self._house = game.rules
        self._effects = Effects.of(game)

    @property
    def names(self) -> Mapping[Seat, str]:
        """The two sides of the board."""
        return SIDES

    def table(self, state: Position, viewer: Seat | None) -> None:
        """Return None: there is a board, and everybody sees it."""
        del state, viewer

    def heading(self, state: Position) -> str:
        """Return the round and the phase."""
        if state.result is not None:
            return f"Round {state.round} of {self._house.rounds} · the match is over"
        phase = _PHASES[state.phase]
        return f"Round {state.round} of {self._house.rounds} · {phase} · {SIDES[state.active]}"

    def guide(self, state: Position, seat: Seat | None) -> str:
        """Return what the phase means, and what the player at `seat` can do."""
        if state.result is not None:
            return "The match is over. Nothing more can be rolled."
        match state.phase:
            case Phase.LOAD if seat is None:
                return f"{SIDES[state.active]} decides which Piggles to put into the cup."
            case Phase.LOAD:
                return self._load_guide(state, state.active)
            case Phase.ROLL:
                return "Roll: the cup is shaken and tipped. What lands may knock what lies there."
            case Phase.SUDDEN:
                return (
                    "Sudden Snout-Up: a tie. Each rolls one Piggle: Up beats Down beats "
                    "On-Their-Head; equal ones roll again."
                )
            case Phase.ACTION_REACTION if state.pending is not None:
                return self._effects.reaction(state)
            case Phase.ACTION_REACTION if seat is None:
                return (
                    f"Action & Reaction: {SIDES[state.active]} decides whose Piggle acts on whom."
                )
            case Phase.ACTION_REACTION:
                return self._action_guide()
            case _:
                return ""

    def _action_guide(self) -> str:
        mandatory = isinstance(self._house, ModernRules) and self._house.effects_mandatory
        end = "All that have a target must." if mandatory else "Or be done."
        return (
            "Action & Reaction: your Piggles that landed ▲ may act, one at a time, each once. "
            f"Choose who acts on whom. {end}"
        )

    def _load_guide(self, state: Position, seat: Seat) -> str:
        left = self._house.rounds - state.round
        if not state.side(seat).pen:
            return "Load: your Pen is empty, so there is nothing to roll. Your Tally is next."
        worth = f"now and in {left} more {'round' if left == 1 else 'rounds'}" if left else "now"
        return (
            f"Load: choose which Piggles of your Pen to roll. One that lies ▲ pays its zone {worth}"
            f"; ▼ sits in the Mud; ◆ is lost and costs 1 a turn."
        )

    def lying(self, state: Position) -> tuple[tuple[str, Landing], ...]:
        """Return every Piggle on the board."""
        return state.board

    def player_of(self, state: Position, piggle: str) -> Seat:
        """Return who controls a Piggle: its owner, unless it was captured."""
        return state.controller(piggle)

    def marks(self, state: Position) -> Mapping[str, Mark]:
        """Return colour, rune and shield of each Piggle that has any."""
        shielded = {shield.piggle for shield in state.shields}
        return {
            piggle: Mark(
                worn=self._effects.mark(piggle),
                words=self._effects.worn(piggle),
                shielded=piggle in shielded,
            )
            for piggle in (*team(Seat.A), *team(Seat.B))
            if self._effects.mark(piggle) or piggle in shielded
        }

    def areas(self, state: Position) -> Sequence[Area]:
        """Return Pen, Cup, Mud with the round of return, Kitchen, and whom each player shields."""

        def row(name: str, held: Mapping[Seat, str]) -> Area:
            return Area(name=name, held={seat: text or "-" for seat, text in held.items()})

        sides = {seat: state.side(seat) for seat in BOARD_SEATS}
        rows = [row("Pen", {seat: " ".join(side.pen) for seat, side in sides.items()})]
        if any(side.cup for side in sides.values()):
            rows.append(row("Cup", {seat: " ".join(side.cup) for seat, side in sides.items()}))
        mud = {seat: self._mud(state, seat) for seat in BOARD_SEATS}
        kitchen = {seat: " ".join(side.kitchen) for seat, side in sides.items()}
        rows += [row("Mud", mud), row("Kitchen", kitchen)]
        if state.shields:
            rows.append(row("Shields", {seat: _shields(state, seat) for seat in BOARD_SEATS}))
        return rows

    def _mud(self, state: Position, seat: Seat) -> str:
        """Return the Piggles in a Mud by the round in which they come back."""
        rounds: dict[int | None, list[str]] = {}
        for entry in state.side(seat).mud:
            rounds.setdefault(self._back_in(state, seat, entry), []).append(entry.piggle)
        known = sorted(number for number in rounds if number is not None)
        words = [f"{' '.join(rounds[number])} →r{number}" for number in known]
        lost = rounds.get(None, [])
        return "  ".join([*words, *([f"{' '.join(lost)} (for good)"] if lost else [])])

    def _back_in(self, state: Position, seat: Seat, entry: MudEntry) -> int | None:
        """Return the round in whose Recoup a Piggle leaves the Mud; None if play ends before."""
        if state.phase is Phase.SUDDEN:
            return None
        second = seat is not self._house.first_in(state.round)
        waits = second and state.active is not seat and state.phase is not Phase.RESOLVE
        first = max(state.round + (0 if waits else 1), FIRST_RECOUP_ROUND)
        rounds = range(first, self._house.rounds + 1)
        return next((r for r in rounds if may_return(entry, r, self._house)), None)

    def columns(self, state: Position) -> Sequence[str]:
        """Return the numbers of the rounds; of a very long match, the last ones."""
        last = self._house.rounds
        first = max(1, min(state.round - 4, last - 7))
        return [str(number) for number in range(first, min(last, first + 7) + 1)]

    def sets_down(self, state: Position) -> bool:
        """Return whether an effect waits for a Piggle to be set down."""
        return self._effects.sets_down(state)

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return the points after each Tally, and after the Resolve of each round."""
        found: dict[tuple[str, Seat], int] = {}
        for event in events:
            for step in steps_of(self._game, event):
                if step.phase not in {Phase.TALLY, Phase.RESOLVE}:
                    continue
                number = str(step.position.round)
                for seat in [step.seat] if step.seat else Seat:
                    found[number, seat] = step.position.side(seat).score
        return found

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return in plain words what a decision or a roll has led to."""
        return told(self._game, event, self._effects)

    def toggles(self, state: Position, legal: Sequence[Any]) -> Toggles | None:
        """Return the load as a choice among the player's six Piggles."""
        if not legal or not all(isinstance(action, Load | Concede) for action in legal):
            return None
        own, pen = team(state.active), state.side(state.active).pen
        return Toggles(
            # What was captured comes after the own team.
            items=(*own, *(piggle for piggle in pen if piggle not in own)),
            free=frozenset(pen),
            marks={piggle: self._effects.mark(piggle) for piggle in (*own, *pen)},
            action=lambda chosen: Load(in_order(chosen)),
        )

    def say(self, state: Position, action: PigglesAction) -> str:
        """Return an action as a person would say it."""
        match action:
            case Load(piggles=()):
                return "skip the roll"
            case Load(piggles=piggles):
                return f"load {' '.join(piggles)}"
            case Act():
                return self._effects.choice(state, action)
            case Done():
                return "done: go on to the Tally"
            case Concede():
                return "concede"

    def about(self, action: object) -> tuple[str, ...]:
        """Return who acts, and on whom."""
        return (action.piggle, action.target) if isinstance(action, Act) else ()

    @property
    def effects(self) -> Mapping[str, str]:
        """What each Piggle does in Action & Reaction, by id; in Classic nothing."""
        return self._effects.explained

    @property
    def legend(self) -> str:
        """What colours and runes mean in Modern; in Classic they mean nothing."""
        return LEGEND if self.effects else ""

    @property
    def in_window(self) -> bool:
        """True: everything is on the board or beside it."""
        return True

    @property
    def skip(self) -> Load:
        """The load of nothing."""
        return Load()

    @property
    def done(self) -> Done:
        """The end of one's Action phase."""
        return Done()

    @property
    def rules(self) -> str:
        """The rules in brief, in Markdown, and what this table has changed in them."""
        return rules_page(self._game)


def _shields(state: Position, seat: Seat) -> str:
    """Return whom a player has shielded."""
    return " ".join(shield.piggle for shield in state.shields if shield.by is seat)
