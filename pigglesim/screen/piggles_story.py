"""What happened in a match of Piggles, told in plain words, phase by phase."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import degrees
from typing import Any, Protocol, runtime_checkable

from pigglesim.games.game import Concede, Game, Result
from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.scoring import ZONE_POINTS, Tally
from pigglesim.games.piggles.state import Position
from pigglesim.games.piggles.turns import Step
from pigglesim.match.entries import Comment, Decision, Forfeit, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Knock, Landing, Orientation, RollResult, Seat, SettleStatus, Zone
from pigglesim.screen.family import SIDES, Line, Tone

__all__ = ["POSE_MARKS", "ZONE_NAMES", "result_sentence", "steps_of", "tally_sentence", "told"]

POSE_MARKS = {
    Orientation.SNOUT_UP: "▲",
    Orientation.SNOUT_DOWN: "▼",
    Orientation.ON_THEIR_HEAD: "◆",
}
"""A mark for each pose, so that no colour is needed to tell them apart."""

ZONE_NAMES = {
    Zone.FIELD_NORTH: "field N",
    Zone.FIELD_EAST: "field E",
    Zone.FIELD_SOUTH: "field S",
    Zone.FIELD_WEST: "field W",
    Zone.PATH_INNER: "inner path",
    Zone.PATH_OUTER: "outer path",
    Zone.WOODS: "woods",
    Zone.LINE_FIELD_PATH: "field/path",
    Zone.LINE_PATH_WOODS: "path/woods",
    Zone.OFF: "off",
}
"""Zones in a few letters; a line is named by its two sides."""

_REASONS = {
    "score": "on points",
    "sudden_snout_up": "by Sudden Snout-Up",
    "none_available": "because the other has no Piggle left for Sudden Snout-Up",
    "exhaustion": "by exhaustion: the other's Piggles are all in Mud and Kitchen",
    "concession": "by concession",
}


@runtime_checkable
class _Stepwise(Protocol):
    """A game of Piggles that tells each phase that follows from an action or a roll."""

    def action_steps(self, state: Position, action: Any) -> Sequence[Step]:  # noqa: ANN401
        """Return every phase that follows from an action."""

    def outcome_steps(self, state: Position, outcome: RollResult) -> Sequence[Step]:
        """Return every phase that follows from a roll."""


def steps_of(game: Game[Any, Any], event: MatchEvent[Any]) -> Sequence[Step]:
    """Return the phases that an event has led through; none of a game that does not tell them."""
    if not isinstance(game, _Stepwise):
        return ()
    match event.entry:
        case Decision(action=action):
            return game.action_steps(event.before, game.parse_action(action))
        case Outcome(result=result):
            return game.outcome_steps(event.before, result)
        case _:
            return ()


def result_sentence(result: Result | None) -> str:
    """Return how a match ended, as a sentence without its full stop."""
    if result is None:
        return "The match was stopped before its end"
    if result.winner is None:
        return "The match is drawn"
    return f"{SIDES[result.winner]} wins {_REASONS.get(result.reason, result.reason)}"


def tally_sentence(tally: Tally, paid: Iterable[str] = ()) -> str:
    """Return a Tally as the sum a player would say aloud (R11).

    Args:
        tally: The Tally.
        paid: What each Piggle paid for, in words.
    """
    what = ", ".join(paid) or "on the board"
    parts = [f"{tally.before} + {tally.zones} {f'({what})' if paid else what}"]
    if tally.mud_bonus:
        parts.append(f"+ {tally.mud_bonus} knocked into the Mud")
    if tally.kitchen_bonus:
        parts.append(f"+ {tally.kitchen_bonus} sent to the Kitchen")
    if tally.penalty:
        parts.append(f"- {tally.penalty} for the Kitchen")
    return f"Tally of {tally.seat}: {' '.join(parts)} = {tally.after}"


def told(game: Game[Any, Any], event: MatchEvent[Any]) -> list[Line]:
    """Return what a decision or a roll has led to, a sentence a line."""
    before: Position = event.before
    lines: list[Line] = []
    match event.entry:
        case Decision(seat=seat, action=text):
            lines.append(_decision(game, before, seat, text))
        case Outcome(thrower=seat, piggles=piggles, result=result):
            lines += _roll(before, seat, piggles, result)
        case Comment(text=text):
            lines.append(Line(text=text))
        case Forfeit(seat=seat, detail=detail):
            text = f"{SIDES[seat]} forfeits: {detail}"
            lines.append(Line(text=text, tone=Tone.TURN, seat=seat))
    for step in steps_of(game, event):
        lines += _step(before, step)
        before = step.position
    after: Position = event.after
    if after.result is not None:
        points = f"{after.a.score} : {after.b.score}"
        lines.append(Line(text=f"{result_sentence(after.result)}, {points}", tone=Tone.END))
    return lines


def _decision(game: Game[Any, Any], before: Position, seat: Seat, text: str) -> Line:
    match game.parse_action(text):
        case Load(piggles=()):
            does = "skips the roll"
        case Load(piggles=piggles):
            does = f"loads {' '.join(piggles)}"
        case Concede():
            does = "concedes"
        case _:
            does = text
    words = f"Round {before.round}: {SIDES[seat]} {does}"
    return Line(text=words, tone=Tone.TURN, seat=seat)


def _roll(
    before: Position, seat: Seat, piggles: Sequence[str], result: RollResult
) -> Iterator[Line]:
    landings = dict(result.landings)
    if before.phase is Phase.SUDDEN:
        yield Line(text=f"Sudden Snout-Up: {' and '.join(piggles)} rolled", tone=Tone.TURN)
    rolled = [f"{piggle} {_lands(landings[piggle])}" for piggle in piggles]
    yield Line(text=f"Landed: {', '.join(rolled)}", tone=Tone.ROLL, seat=seat)
    was = dict(before.board)
    for knock in result.knocks:
        yield Line(text=_knock(knock, was, landings), tone=Tone.ROLL, seat=seat)
    if result.settle is not None and result.settle.status is not SettleStatus.SETTLED:
        yield Line(text=f"Time was up: {result.settle.status.sentence}", tone=Tone.ROLL)


def _lands(landing: Landing) -> str:
    if landing.orientation is None:
        return "off the board"
    leans = " (leaning)" if landing.leaning or landing.stacked else ""
    return f"{POSE_MARKS[landing.orientation]} {ZONE_NAMES[landing.zone]}{leans}"


def _knock(knock: Knock, was: Mapping[str, Landing], now: Mapping[str, Landing]) -> str:
    """Return who struck whom, how far, and what it changed."""
    effects = []
    before, after = was[knock.struck], now[knock.struck]
    if knock.off_board:
        effects.append("off the board")
    else:
        if knock.flipped and before.orientation and after.orientation:
            marks = f"{POSE_MARKS[before.orientation]} to {POSE_MARKS[after.orientation]}"
            effects.append(f"turned from {marks} {after.orientation.label}")
        if knock.zone_changed:
            effects.append(f"now {ZONE_NAMES[after.zone]}")
    what = ", ".join(effects) or "as before, only moved"
    far = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
    return f"{knock.by} knocked {knock.struck} ({far}): {what}"


def _step(before: Position, step: Step) -> Iterator[Line]:
    after = step.position
    match step.phase:
        case Phase.ROLL:
            yield from _gone(before, step)
        case Phase.TALLY if step.tally is not None:
            yield _tally(before, step.tally)
        case Phase.RESOLVE:
            yield from _resolve(before, after)
        case Phase.RECOUP if step.seat is not None and after.result is None:
            yield from _recoup(before, after, step.seat)
        case Phase.SUDDEN if after.result is None and after.sudden.rerolls > before.sudden.rerolls:
            yield Line(text="Nobody is ahead: rolled again", tone=Tone.MOVE)
        case _:
            pass


def _gone(before: Position, step: Step) -> Iterator[Line]:
    """Tell of what a roll took off the board, and of what has to be rolled again."""
    after = step.position
    for seat in Seat:
        mud = set(after.side(seat).mud_piggles) - set(before.side(seat).mud_piggles)
        kitchen = set(after.side(seat).kitchen) - set(before.side(seat).kitchen)
        for where, gone in (("Mud", mud), ("Kitchen", kitchen)):
            if gone:
                text = f"Off the board, into the {where} of {seat}: {' '.join(sorted(gone))}"
                yield Line(text=text, tone=Tone.MOVE, seat=seat)
    again = (*after.a.cup, *after.b.cup)
    if again and after.phase is Phase.ROLL:
        yield Line(text=f"By the house rules rolled again: {' '.join(again)}", tone=Tone.MOVE)


def _tally(before: Position, tally: Tally) -> Line:
    paid = [
        f"{piggle} {ZONE_POINTS[landing.zone]}"
        for piggle, landing in before.on_board(tally.seat)
        if landing.orientation is Orientation.SNOUT_UP
    ]
    plain = tally.before + tally.zones + tally.mud_bonus + tally.kitchen_bonus - tally.penalty
    floor = " (never below 0)" if plain < 0 else ""
    return Line(text=tally_sentence(tally, paid) + floor, tone=Tone.SCORE, seat=tally.seat)


def _resolve(before: Position, after: Position) -> Iterator[Line]:
    parts = []
    for seat in Seat:
        mud = sorted(set(after.side(seat).mud_piggles) - set(before.side(seat).mud_piggles))
        kitchen = sorted(set(after.side(seat).kitchen) - set(before.side(seat).kitchen))
        parts += [f"{' '.join(mud)} ▼ to the Mud"] if mud else []
        parts += [f"{' '.join(kitchen)} ◆ to the Kitchen"] if kitchen else []
    stays = " ".join(piggle for piggle, _ in after.board)
    parts += [f"{stays} ▲ to stay and pay again"] if stays else []
    yield Line(text=f"Resolve: {'; '.join(parts) or 'the board is empty'}", tone=Tone.MOVE)
    for seat in Seat:
        change = after.side(seat).score - before.side(seat).score
        if change:
            why = "Piggles knocked onto their heads" if change > 0 else "the Kitchen"
            yield Line(text=f"{seat} {change:+d} for {why}", tone=Tone.SCORE, seat=seat)
    if after.phase is Phase.SUDDEN:
        yield Line(text="A tie: Sudden Snout-Up decides", tone=Tone.TURN)


def _recoup(before: Position, after: Position, seat: Seat) -> Iterator[Line]:
    back = sorted(set(after.side(seat).pen) - set(before.side(seat).pen))
    if back:
        text = f"Recoup: {' '.join(back)} from the Mud back to the Pen of {seat}"
        yield Line(text=text, tone=Tone.MOVE, seat=seat)
