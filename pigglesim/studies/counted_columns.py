"""What is counted of each throw: columns of dice, and the ratios of two of them that are shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

__all__ = ["NO_ORIENTATION", "POINTS", "Plan", "Ratio", "lying", "make_plan", "showing"]

NO_ORIENTATION = "none"
"""Row of the joint table for dice that show no orientation: off the board, or not at rest."""
POINTS = "points"
"""The one column that no condition counts: what the dice of a throw score."""

Ratio = tuple[str, str]
"""Columns of hits and of trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is counted of each throw."""

    source: str
    """SQL of the dice, with numbers in the place of words."""
    columns: Mapping[str, str]
    """SQL condition on a die of `source`, by column."""
    ratios: tuple[Ratio, ...]
    contrasts: tuple[Ratio, ...]
    shown: tuple[str, ...]
    """Columns of the orientations."""
    single: bool
    """Whether each throw is one row."""

    def products(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of columns whose product is summed."""
        each = chain.from_iterable(((h, h), (h, t), (t, t)) for h, t in self.ratios)
        return tuple(dict.fromkeys(each))


def showing(orientation: str) -> str:
    """Return the column of the dice of a throw that show an orientation."""
    return f"shows {orientation}"


def lying(zone: str, orientation: str = "any") -> str:
    """Return the column of the dice of a throw that lie in a zone, and show an orientation."""
    return f"{orientation} in {zone}"


def make_plan(
    names: Sequence[str], zones: Sequence[str], *, single: bool, compared: Sequence[Ratio]
) -> Plan:
    """Return what to count of each throw."""
    shows = {name: f"rolled AND o = {at}" for at, name in enumerate(names, start=1)}
    columns = {
        "throws": "TRUE",
        "shown": "rolled AND o IS NOT NULL",
        **{showing(name): sql for name, sql in shows.items()},
        "unsettled": "rolled AND o IS NULL AND late",
        "rolled": "rolled",
    }
    ratios: list[Ratio] = [(showing(name), "shown") for name in names]
    if zones:
        columns |= {
            "on board": "rolled AND on_board",
            "leaning": "rolled AND on_board AND leans",
            "stood": "NOT rolled",
            "knocked": "NOT rolled AND knocked",
        }
        ratios += [("leaning", "on board"), ("knocked", "stood")]
        ratios += [(POINTS, "rolled"), (POINTS, "throws"), ("knocked", "throws")]
        shows[NO_ORIENTATION] = "rolled AND o IS NULL"
        for at, zone in enumerate(zones, start=1):
            there = {lying(zone): "rolled"} | {
                lying(zone, name): sql for name, sql in shows.items()
            }
            columns |= {name: f"{sql} AND z = {at}" for name, sql in there.items()}
            ratios += [(name, "rolled") for name in there]
    return Plan(
        source=_source(names, zones),
        columns=columns,
        ratios=tuple(ratios),
        contrasts=(
            *((showing(name), "shown") for name in names),
            *(ratio for ratio in compared if ratio in ratios),
        ),
        shown=tuple(showing(name) for name in names),
        single=single,
    )


def _source(names: Sequence[str], zones: Sequence[str]) -> str:
    return (
        "SELECT cell, trial, standing IS NOT TRUE AS rolled, "
        f"list_position({_list(names)}, orientation)::TINYINT AS o, "
        f"list_position({_list(zones)}, zone)::TINYINT AS z, "
        "zone <> 'off' AS on_board, leaning OR stacked AS leans, knocked, points, "
        "zone IS DISTINCT FROM 'off' AND ending IN ('timed out', 'timed-out') AS late FROM throws"
    )


def _list(words: Sequence[str]) -> str:
    """Return words as an SQL list of texts."""
    quoted = ("'" + word.replace("'", "''") + "'" for word in words)
    return f"[{', '.join(quoted)}]::VARCHAR[]"
