"""Records without the places of bodies, which no rule asks for."""

from dataclasses import replace

from pigglesim.match.entries import Entry, MatchRecord, Outcome
from pigglesim.match.replay import so_far

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
    landings = tuple(
        (piggle, replace(landing, place=None)) for piggle, landing in entry.result.landings
    )
    return replace(entry, result=replace(entry.result, landings=landings))
