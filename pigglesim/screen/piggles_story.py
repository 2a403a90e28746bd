"""What happened in a match of Piggles, told in plain words, phase by phase."""

from collections.abc import Iterator, Sequence

from pigglesim.games.game import Concede, Result
from pigglesim.games.piggles.areas import ZONE_POINTS, Load, Tally
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import Act, Done, Phase, Position
from pigglesim.games.piggles.turns import Step
from pigglesim.match.entries import FORFEIT, Comment, Decision, Forfeit, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import POSE_MARKS, SIDES, ZONE_NAMES
from pigglesim.rolls import BOARD_SEATS, Landing, Orientation, Seat, SettleStatus, Zone
from pigglesim.screen.family import Line, Tone
from pigglesim.screen.piggles_effects import Effects
from pigglesim.screen.sentences import knock_sentence, result_sentence, tally_sentence

__all__ = ["steps_of", "told"]


def steps_of(game: Piggles, event: MatchEvent[Position]) -> Sequence[Step]:
    """Return the phases that an event has led through."""
    match event.entry:
        case Decision(action=action):
            return game.action_steps(event.before, game.parse_action(action))
        case Outcome(result=result):
            return game.outcome_steps(event.before, result)
        case _:
            return ()


def told(game: Piggles, event: MatchEvent[Position], effects: Effects) -> list[Line]:
    """Return what a decision or a roll has led to, a sentence a line.

    Args:
        game: The rules.
        event: What happened.
        effects: How effects of Modern are said.
    """
    before = event.before
    lines: list[Line] = []
    match event.entry:
        case Decision(seat=seat, action=text):
            lines += _decision(game, before, seat, text, effects)
        case Outcome():
            lines += _roll(before, event.entry, effects)
        case Comment(text=text):
            lines.append(Line(text=text))
        case Forfeit(seat=seat, cause=cause, detail=detail):
            why = f"{SIDES[seat]} forfeits ({cause.rule}): {cause.sentence}: {detail}"
            lines.append(Line(text=why, tone=Tone.TURN, seat=seat))
            won = result_sentence(Result(winner=seat.other, reason=FORFEIT))
            return [*lines, _end(won, before)]
    for step in steps_of(game, event):
        lines += _step(before, step, rolled=isinstance(event.entry, Outcome))
        before = step.position
    if event.after.result is not None:
        lines.append(_end(result_sentence(event.after.result), event.after))
    return lines


def _end(sentence: str, position: Position) -> Line:
    points = f"{position.a.score} : {position.b.score}"
    return Line(text=f"{sentence}, {points}", tone=Tone.END)


def _decision(
    game: Piggles, before: Position, seat: Seat, text: str, effects: Effects
) -> Iterator[Line]:
    match game.parse_action(text):
        case Act() as act:
            sentence = effects.sentence(before, act)
            yield Line(text=sentence, tone=Tone.TURN, seat=seat)
            return
        case Done():
            does = "is done with acting"
        case Load(piggles=()):
            does = "skips the roll" if before.side(seat).pen else "has an empty Pen: no roll"
        case Load(piggles=piggles):
            does = f"loads {' '.join(piggles)}"
        case Concede():
            does = "concedes"
    yield Line(text=f"Round {before.round}: {SIDES[seat]} {does}", tone=Tone.TURN, seat=seat)


def _roll(before: Position, outcome: Outcome, effects: Effects) -> Iterator[Line]:
    seat, piggles, result = outcome.thrower, outcome.piggles, outcome.roll
    landings = dict(result.landings)
    if before.phase is Phase.SUDDEN:
        yield Line(text=f"Sudden Snout-Up: {' and '.join(piggles)} rolled", tone=Tone.TURN)
    rolled = [f"{piggle} {_lands(landings[piggle])}" for piggle in piggles]
    if effects.sets_down(before) and landings[piggles[0]].zone is Zone.OFF:
        rolled = [f"there is no room for {piggles[0]}"]
    word = "Landed" if before.pending is None else "Reaction"
    yield Line(text=f"{word}: {', '.join(rolled)}", tone=Tone.ROLL, seat=seat)
    was = dict(before.board)
    for knock in result.knocks:
        yield Line(text=knock_sentence(knock, was, landings), tone=Tone.ROLL, seat=seat)
    if result.settle is not None and result.settle.status is not SettleStatus.SETTLED:
        yield Line(text=f"Time was up: {result.settle.status.sentence}", tone=Tone.ROLL)


def _lands(landing: Landing) -> str:
    if landing.orientation is None:
        return "off the board"
    leans = " (leaning)" if landing.leaning or landing.stacked else ""
    return f"{POSE_MARKS[landing.orientation]} {ZONE_NAMES[landing.zone]}{leans}"


def _step(before: Position, step: Step, *, rolled: bool) -> Iterator[Line]:
    after = step.position
    match step.phase:
        case Phase.ROLL | Phase.ACTION_REACTION if rolled:
            yield from _gone(before, after)
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


def _gone(before: Position, after: Position) -> Iterator[Line]:
    """Tell of what a roll took off the board, and of what has to be rolled again."""
    for seat in BOARD_SEATS:
        was, now = before.side(seat), after.side(seat)
        caught = sorted(set(now.pen) - set(was.pen))
        if caught:
            text = f"Knocked under a shield, now {seat}'s, in the Pen: {' '.join(caught)}"
            yield Line(text=text, tone=Tone.MOVE, seat=seat)
        mud = set(now.mud_piggles) - set(was.mud_piggles)
        kitchen = set(now.kitchen) - set(was.kitchen)
        for where, gone in (("Mud", mud), ("Kitchen", kitchen)):
            if gone:
                text = f"Off the board, into the {where} of {seat}: {' '.join(sorted(gone))}"
                yield Line(text=text, tone=Tone.MOVE, seat=seat)
    again = (*after.a.cup, *after.b.cup)
    if again:
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
    for seat in BOARD_SEATS:
        mud = sorted(set(after.side(seat).mud_piggles) - set(before.side(seat).mud_piggles))
        kitchen = sorted(set(after.side(seat).kitchen) - set(before.side(seat).kitchen))
        parts += [f"{' '.join(mud)} ▼ to the Mud"] if mud else []
        parts += [f"{' '.join(kitchen)} ◆ to the Kitchen"] if kitchen else []
    stays = " ".join(piggle for piggle, _ in after.board)
    parts += [f"{stays} ▲ to stay and pay again"] if stays else []
    yield Line(text=f"Resolve: {'; '.join(parts) or 'the board is empty'}", tone=Tone.MOVE)
    for seat in BOARD_SEATS:
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
