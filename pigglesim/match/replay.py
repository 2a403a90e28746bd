"""A recorded match played again: from the record alone, or against a chance source."""

import json
from collections.abc import Callable
from typing import Any

from pigglesim.errors import PigglesimError, RecordError
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.match.codec import landing_to_json, result_to_json
from pigglesim.match.entries import Decision, Entry, MatchRecord, Outcome, Status
from pigglesim.match.runner import ChanceSource, Match, MatchEvent, footer
from pigglesim.rolls import RollResult

__all__ = ["replay"]


def replay(
    record: MatchRecord,
    *,
    resimulate: ChanceSource | None = None,
    on_event: Callable[[MatchEvent[Any]], None] | None = None,
) -> Match[Any]:
    """Return the match of a record, played again through the rules.

    Args:
        record: The record.
        resimulate: A source that rolls every recorded roll once more; each must come out the
            same bit for bit. None to believe the record, without physics.
        on_event: Called after each decision and each outcome.

    Raises:
        RecordError: If the record does not fit the rules or its own footer, or a roll comes out
            otherwise; the first such decision or roll is named.
        SpecError: If the game or one of its house rules is unknown.
    """
    game = make_game(record.header.game, dict(record.header.house_rules))
    state = game.initial_state()
    for entry in record.entries:
        before = state
        try:
            state = _step(game, before, entry, resimulate)
        except RecordError:
            raise
        except PigglesimError as error:
            raise RecordError(
                f"{_name(entry)} within the rules",
                got=str(error),
                remedy="replay it with the pigglesim that wrote it",
            ) from error
        if on_event is not None:
            on_event(MatchEvent(entry=entry, before=before, after=state))
    over = game.turn(state) is NonPlayer.OVER
    ended = footer(game, state, Status.FINISHED if over else Status.INTERRUPTED)
    if ended != record.footer:
        raise RecordError(
            f"the end that the record tells, {record.footer}",
            got=str(ended),
            remedy="replay it with the pigglesim that wrote it",
        )
    return Match(state=state, record=record)


def _name(entry: Entry) -> str:
    kind = "decision" if isinstance(entry, Decision) else "roll"
    return f"{kind} {entry.index}"


def _step(
    game: Game[Any, Any], state: object, entry: Entry, resimulate: ChanceSource | None
) -> object:
    """Return the position after one entry of a record."""
    match entry:
        case Decision(seat=seat, action=action):
            turn = game.turn(state)
            if turn is not seat:
                raise _out_of_turn(entry, str(turn))
            return game.apply_action(state, game.parse_action(action))
        case Outcome(index=index, thrower=thrower, piggles=piggles, result=result):
            request = game.chance_request(state)
            if (request.thrower, request.piggles) != (thrower, piggles):
                raise _out_of_turn(entry, f"{' '.join(request.piggles)} by {request.thrower}")
            if resimulate is not None:
                _compare(index, recorded=result, rolled=resimulate.roll(request, index=index))
            return game.apply_outcome(state, result)


def _out_of_turn(entry: Entry, due: str) -> RecordError:
    return RecordError(
        f"{_name(entry)} to be due",
        got=f"the turn of {due}",
        remedy="replay it with the pigglesim that wrote it",
    )


def _compare(index: int, *, recorded: RollResult, rolled: RollResult) -> None:
    """Raise `RecordError` unless two results of a roll are the same to the last bit."""
    # Written out, every float is itself and nothing else: even 0.0 and -0.0 differ.
    old, new = _parts(recorded), _parts(rolled)
    for part in [*old, *(part for part in new if part not in old)]:
        was, now = old.get(part, "nothing"), new.get(part, "nothing")
        if was != now:
            raise RecordError(
                f"roll {index} to come out as recorded, {part} {was}",
                got=now,
                remedy="resimulate with the program, scene and machine of the record",
            )
    if list(old) != list(new):
        raise RecordError(
            f"roll {index} with its parts in the order {', '.join(old)}",
            got=", ".join(new),
            remedy="resimulate with the program that wrote the record",
        )


def _parts(result: RollResult) -> dict[str, str]:
    """Return every landing, the knocks and the settling of a roll as text, by name."""
    landings = {piggle: landing_to_json(landing) for piggle, landing in result.landings}
    whole = result_to_json(result)
    rest = {part: whole[part] for part in ("knocks", "settle") if part in whole}
    return {part: json.dumps(value) for part, value in (*landings.items(), *rest.items())}
