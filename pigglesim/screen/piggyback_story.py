"""What happened in a match of Piggyback, in plain words, decision by decision and roll by roll."""

from collections.abc import Iterator, Mapping

from pigglesim.asking import DiceResult
from pigglesim.games.game import Concede
from pigglesim.games.piggyback.actions import Keep, Move, Respawn, Stand, Take, Warp, Word
from pigglesim.games.piggyback.combat import rolling
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import OTHER, Ability, Held, Phase, Position, Stack, space_name
from pigglesim.match.entries import Comment, Decision, Forfeit, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Seat
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.sentences import result_sentence

__all__ = ["NAMES", "Wording", "told"]

NAMES: Mapping[Seat, str] = {Seat.A: "Red", Seat.B: "Blue"}
"""What the players are called: by the colours of their units."""


class Wording:
    """How spaces, stacks and decisions of one table are said.

    Args:
        size: Rows of the board.
    """

    def __init__(self, size: int) -> None:
        self._size = size

    def space(self, space: int) -> str:
        """Return the name of a space."""
        return space_name(space, self._size)

    def held(self, held: Held) -> str:
        """Return abilities by name, such as `Boost and Luck`."""
        return " and ".join(ability.label for ability in held) or "nothing"

    def stack(self, stack: Stack) -> str:
        """Return a stack, such as `a stack of 2 with Boost`."""
        what = "a unit" if stack.units == 1 else f"a stack of {stack.units}"
        return f"{what} with {self.held(stack.held)}" if stack.held else what

    def move(self, position: Position, action: Move) -> str:
        """Return a move as a person would say it."""
        own = dict(position.side(position.active))
        enemy = dict(position.side(OTHER[position.active]))
        step = f"{self.space(action.source)} to {self.space(action.target)}"
        lying = dict(position.pieces).get(action.target)
        if action.target in enemy:
            return f"{step}, attacking {self.stack(enemy[action.target])}"
        if action.target in own:
            units = own[action.source].units + own[action.target].units
            return f"{step}, stacking {units} units"
        if action.take and lying is not None:
            return f"{step}, acquiring {lying.label}"
        return f"{step}, leaving {lying.label} there" if lying is not None else step

    def say(self, position: Position, action: object) -> str:
        """Return an action that is legal in a position as a person would say it."""
        match action:
            case Move():
                return self.move(position, action)
            case Warp(holder=holder, partner=partner):
                return f"Warp: swap {self.space(holder)} with {self.space(partner)}"
            case Take(space=space):
                return f"acquire what lies under {self.space(space)}"
            case Stand(force=force):
                return self._stand(position, force)
            case Keep(held=held):
                return f"keep {self.held(held)}"
            case Respawn(space=space):
                return f"put a piece from the bank on {self.space(space)}"
            case Concede():
                return "concede"
            case _:
                return self._word(position, action)

    def _stand(self, position: Position, force: int) -> str:
        combat = position.combat
        assert combat is not None
        if not force:
            return f"stand on {combat.face}"
        return f"stand on {combat.face} + {force} by Firepower = {combat.face + force}"

    def _word(self, position: Position, action: object) -> str:
        if action is Word.ROLL:
            combat = position.combat
            assert combat is not None
            stack = rolling(position)[1]
            return "roll again" if combat.rolls < stack.units else "roll again by Luck"
        return {
            Word.PASS: "pass",
            Word.END: "move no further",
            Word.FIGHT: "fight without a Warp",
            Word.LEAVE: "take nothing from the bank",
        }.get(Word(str(action)), str(action))


def told(game: Piggyback, event: MatchEvent[Position]) -> list[Line]:
    """Return what a decision or a roll has led to, a sentence a line.

    Args:
        game: The rules.
        event: What happened.
    """
    lines: list[Line] = []
    wording = Wording(game.layout.size)
    match event.entry:
        case Decision(seat=seat, action=text):
            did = wording.say(event.before, game.parse_action(text))
            lines.append(Line(text=f"{NAMES[seat]}: {did}", tone=Tone.TURN, seat=seat))
            lines += _after(event, wording)
        case Outcome(thrower=seat, result=result):
            faces = result.faces if isinstance(result, DiceResult) else ()
            rolled = " ".join(str(face) for face in faces)
            lines.append(Line(text=f"{NAMES[seat]} rolls {rolled}", tone=Tone.ROLL, seat=seat))
            lines += _after(event, wording)
        case Comment(text=text):
            lines.append(Line(text=text))
        case Forfeit(seat=seat, cause=cause, detail=detail):
            why = f"{NAMES[seat]} forfeits ({cause.rule}): {cause.sentence}: {detail}"
            lines.append(Line(text=why, tone=Tone.TURN, seat=seat))
    if (ended := game.result(event.after)) is not None:
        units = ", ".join(
            f"{NAMES[seat]} {left}" for seat, left in game.scores(event.after).items()
        )
        why = _ENDS.get(ended.reason, "")
        lines.append(
            Line(text=f"{result_sentence(ended, NAMES)}{why}; units: {units}", tone=Tone.END)
        )
    return lines


_ENDS = {
    "quiet": ": too many turns without combat or acquisition",
    "cap": ": too many turns",
}


def _after(event: MatchEvent[Position], wording: Wording) -> Iterator[Line]:
    """Yield what the rules did by themselves."""
    before, after = event.before, event.after
    if before.phase is Phase.OPENING and after.phase is Phase.MOVE:
        yield Line(text=f"{NAMES[after.active]} begins", tone=Tone.MOVE)
    if before.phase is Phase.OPENING and after.ties > before.ties:
        yield Line(text="Equal: both roll again", tone=Tone.MOVE)
    lost = {seat: before.units(seat) - after.units(seat) for seat in NAMES}
    for seat, units in lost.items():
        if units:
            yield from _fallen(seat, units, before)
    fresh = dict(after.pieces).keys() - dict(before.pieces).keys()
    for space in sorted(fresh):
        ability = dict(after.pieces)[space]
        text = f"{ability.label} comes back on {wording.space(space)}"
        yield Line(text=text, tone=Tone.MOVE)
    spent = _used(before.discarded, after.discarded)
    if spent and not any(lost.values()):
        yield Line(text=f"Out of the game: {wording.held(spent)}", tone=Tone.MOVE)


def _fallen(seat: Seat, units: int, before: Position) -> Iterator[Line]:
    winner = NAMES[OTHER[seat]]
    what = "unit" if units == 1 else "units"
    how = "attack" if OTHER[seat] is before.active else "defence"
    text = f"{winner} wins the combat in {how}: {NAMES[seat]} loses {units} {what}"
    yield Line(text=text, tone=Tone.SCORE, seat=OTHER[seat])


def _used(before: Held, after: Held) -> Held:
    left = list(after)
    for ability in before:
        left.remove(ability)
    return tuple(ability for ability in Ability for _ in range(left.count(ability)))
