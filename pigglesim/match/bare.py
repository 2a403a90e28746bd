"""Records without the places of bodies, which no rule asks for."""

from dataclasses import replace

from pigglesim.asking import DiceResult, ShuffleResult
from pigglesim.match.entries import Entry, MatchRecord, Outcome
from pigglesim.match.replay import so_far
from pigglesim.rolls import RollResult

__all__ = ["without_places"]


def without_places(record: MatchRecord) -> MatchRecord:
    """Return a record that replays by the rules alone; its last position has no places either.

    Raises:
        LocatedError: If the rules refuse an entry.
    """
    return so_far(record.header, [_bare(entry) for entry in record.entries])


def _bare(entry: Entry) -> Entry:
    if not isinstance(entry, Outcome):
        return entry
    result = entry.result
    match result:
        case RollResult(landings=landings):
            bare = tuple((piggle, replace(landing, place=None)) for piggle, landing in landings)
            return replace(entry, result=replace(result, landings=bare))
        case DiceResult():
            return replace(entry, result=replace(result, places=()))
        case ShuffleResult():
            return entry
