"""A table of odds for matches, measured on the throws of a study, and how far it departs from them.

What a study keeps is pooled by the number of Piggles thrown; who stood there matters for knocks
alone. A table takes the Piggles of a pour as independent: what that costs is told by throws of its
own against the study's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb
import numpy as np
from numpy.typing import NDArray

from pigglesim.chance.odds import Departure, KnockOdds, Odds, Place, ThrowOdds
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.games.piggles.scoring import ZONE_POINTS
from pigglesim.rolls import Landing, Orientation, RollRequest, Seat, Zone
from pigglesim.seeding import MAX_SEED, generator
from pigglesim.studies.counted_columns import lying
from pigglesim.studies.counts import CellCounts, count_throws
from pigglesim.studies.estimate import Counts, distance

__all__ = ["departure", "odds_of_study"]

_POSES = {pose.label: pose for pose in Orientation}
_PLACES: tuple[Place, ...] = (
    *((pose, zone) for pose in Orientation for zone in Zone if zone is not Zone.OFF),
    (None, Zone.OFF),
)
_JOINT_THROWS = 4_000
"""Throws for the distance of pose and zone: nearly each is a pattern of its own."""
_THROWS = 20_000
"""Throws for the distances of points and knocks."""
_SURE = 0.99
"""Share of the Piggles not knocked that must lie alike, for a layout to be one and the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cup:
    """A cell of the study: how many were thrown onto how many."""

    cell: int
    thrown: int
    standing: int
    counts: CellCounts


def odds_of_study(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str,
    model: str,
    source: Mapping[str, JSON],
    seed: int = 1,
) -> Odds:
    """Return the odds of a model, with how far rolls by them depart from the throws.

    A Piggle that is knocked keeps its pose and zone as often as in the study, where that had one
    layout in each cell; else, and for the others, it lies as the knocked ones there did. That is
    near where they stood: many layouts tell more of that than one.

    Args:
        connection: Holds the view `throws` of a study of one cup, or of one for each number.
        kind: `pour` or `knock`; only the second tells of knocks.
        model: Of the Piggles thrown.
        source: What the odds shall tell of where they come from.
        seed: Of the throws by the table behind the departures.

    Raises:
        SpecError: If there is no such throw, or two cells throw as many onto as many.
    """
    cups = _cups(connection, kind, model)
    leaning = _leaning(connection)
    thrown = {
        number: _throw_odds([cup for cup in cups if cup.thrown == number], leaning)
        for number in sorted({cup.thrown for cup in cups})
    }
    stays, after = _after_a_knock(connection, cups)
    rates = {
        (cup.thrown, cup.standing): cup.counts.sums["knocked"] / cup.counts.sums["stood"]
        for cup in cups
        if cup.standing
    }
    odds = Odds(
        model=model,
        thrown=thrown,
        knocks=KnockOdds(rates=rates, stays=stays, after=after),
        source=source,
    )
    return replace(odds, departures=departure(connection, odds, kind=kind, seed=seed))


def departure(
    connection: duckdb.DuckDBPyConnection, odds: Odds, *, kind: str, seed: int = 1
) -> tuple[Departure, ...]:
    """Return how far rolls by odds are from the throws of a study, cup by cup.

    Total variation of pose and zone over Piggles, and of the points and the knocks of a pour, each
    with what noise alone makes of it and bounds of 95 % (`distance`); pours are clusters.

    Args:
        connection: Holds the view `throws`: the one that was measured, or another.
        odds: The table.
        kind: `pour` or `knock`.
        seed: Of the throws by the table, and of what is drawn again.
    """
    found = []
    for cup in _cups(connection, kind, odds.model):
        rolled = _roll(odds, cup, seed)
        for of, counts, own in (
            ("pose and zone", _joint(connection, cup), rolled.joint),
            ("points a pour", _totals(connection, cup, "points"), rolled.points),
            ("knocks a pour", _totals(connection, cup, "knocked"), rolled.knocks),
        ):
            if of == "knocks a pour" and not cup.standing:
                continue
            throws = len(counts)
            rng = generator(seed, "departure", of, cup.thrown, cup.standing)
            apart = distance(*_as_wide(counts, own[:throws]), rng=rng)
            found.append(
                Departure(
                    of=of,
                    thrown=cup.thrown,
                    standing=cup.standing,
                    throws=throws,
                    value=apart.value,
                    floor=apart.floor,
                    low=apart.low,
                    high=apart.high,
                )
            )
    return tuple(each for each in found if np.isfinite(each.value))


def _cups(connection: duckdb.DuckDBPyConnection, kind: str, model: str) -> list[_Cup]:
    if kind not in {"pour", "knock"}:
        raise SpecError("throws of a cup, pour or knock", got=kind, remedy="a study of pours")
    counted = count_throws(connection, kind=kind, factors=["model"])
    mixed = connection.execute(
        "SELECT cell FROM throws WHERE standing IS NOT TRUE "
        "GROUP BY cell HAVING min(model) <> max(model)"
    ).fetchall()
    cups: dict[tuple[int, int], _Cup] = {}
    for counts in counted.cells:
        # A mixed cup tells of none of its models alone.
        if counts.factors["model"] != model or (counts.cell,) in mixed:
            continue
        thrown, left = divmod(counts.sums["rolled"], counts.throws)
        standing, more = divmod(counts.sums["stood"], counts.throws)
        if left or more or (thrown, standing) in cups:
            raise SpecError(
                "a study that varies the model and the number thrown, and nothing else",
                got=f"two kinds of throws of {thrown} {model}",
                remedy="measure odds on another study",
            )
        cups[thrown, standing] = _Cup(
            cell=counts.cell, thrown=thrown, standing=standing, counts=counts
        )
    if not cups:
        known = sorted({str(counts.factors["model"]) for counts in counted.cells})
        raise SpecError(f"throws of {model}", got="none", remedy=" or ".join(known))
    return [cup for _, cup in sorted(cups.items())]


def _throw_odds(
    cups: Sequence[_Cup], leaning: Mapping[tuple[int, Orientation], tuple[int, int]]
) -> ThrowOdds:
    """Return the odds of one number thrown."""
    shares: dict[Place, float] = {}
    for pose, zone in _PLACES:
        name = lying(zone, pose.label) if pose else lying(zone)
        shares[pose, zone] = float(sum(cup.counts.sums.get(name, 0) for cup in cups))
    whole = sum(shares.values())
    rates = {}
    for pose in Orientation:
        found = [leaning.get((cup.cell, pose), (0, 0)) for cup in cups]
        rates[pose] = sum(some for some, _ in found) / max(1, sum(of for _, of in found))
    return ThrowOdds(
        shares={place: count / whole for place, count in shares.items() if count},
        leaning=rates,
        throws=sum(cup.counts.throws for cup in cups),
    )


def _leaning(
    connection: duckdb.DuckDBPyConnection,
) -> dict[tuple[int, Orientation], tuple[int, int]]:
    """Return of each cell and pose how many lean, and how many there are."""
    rows = connection.execute(
        "SELECT cell, orientation, count(*) FILTER (WHERE leaning OR stacked), count(*) "
        "FROM throws WHERE standing IS NOT TRUE AND orientation IS NOT NULL GROUP BY 1, 2"
    ).fetchall()
    return {(cell, _POSES[name]): (some, of) for cell, name, some, of in rows if name in _POSES}


def _after_a_knock(
    connection: duckdb.DuckDBPyConnection, cups: Sequence[_Cup]
) -> tuple[float, dict[Place, float]]:
    """Return the share of the knocked that keep pose and zone, and how the others lie."""
    cells = ", ".join(str(cup.cell) for cup in cups)
    lay = (
        "WITH lay AS (SELECT cell, die, orientation, zone, count(*) AS n FROM throws "
        f"WHERE standing AND NOT knocked AND cell IN ({cells}) GROUP BY ALL), "
        "best AS (SELECT cell, die, arg_max(orientation, n) AS o, arg_max(zone, n) AS z, "
        "max(n) / sum(n) AS sure FROM lay GROUP BY cell, die) "
    )
    ((sure,),) = connection.execute(f"{lay} SELECT coalesce(min(sure), 0) FROM best").fetchall()
    rows = connection.execute(
        f"{lay} SELECT orientation, zone, coalesce(orientation = o AND zone = z, FALSE), count(*) "
        f"FROM throws LEFT JOIN best USING (cell, die) WHERE standing AND knocked "
        f"AND cell IN ({cells}) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    ).fetchall()
    stayed, moved = 0, dict.fromkeys(_PLACES, 0)
    for name, zone, same, count in rows:
        place = (_POSES.get(name), Zone(zone))
        if same and sure >= _SURE:
            stayed += count
        elif place in moved:
            moved[place] += count
    whole = sum(moved.values())
    after = {place: count / whole for place, count in moved.items() if count}
    return (stayed / (stayed + whole) if stayed else 0.0), after


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rolled:
    """Throws by a table, as counts of each class in each throw."""

    joint: Counts
    points: Counts
    knocks: Counts


def _roll(odds: Odds, cup: _Cup, seed: int) -> _Rolled:
    """Throw a cup by the table."""
    chance = TabularChance(
        seed=int(generator(seed, "departure", "table").integers(MAX_SEED)), odds=odds
    )
    before = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.PATH_INNER)
    request = RollRequest(
        thrower=Seat.A,
        piggles=tuple(f"A{number}" for number in range(cup.thrown)),
        standing=tuple((f"B{number}", before) for number in range(cup.standing)),
    )
    number_of = {place: number for number, place in enumerate(_PLACES)}
    throws = min(_THROWS, cup.counts.throws)
    joint = np.zeros((min(throws, _JOINT_THROWS), len(_PLACES)), dtype=np.int64)
    points, knocks = np.zeros(throws, dtype=np.int64), np.zeros(throws, dtype=np.int64)
    for index in range(throws):
        result = chance.roll(request, index=index)
        knocks[index] = len(result.knocks)
        for _, landing in result.landings[: cup.thrown]:
            if index < len(joint):
                joint[index, number_of[landing.orientation, landing.zone]] += 1
            if landing.orientation is Orientation.SNOUT_UP:
                points[index] += ZONE_POINTS[landing.zone]
    return _Rolled(joint=joint, points=_one_of_each(points), knocks=_one_of_each(knocks))


def _joint(connection: duckdb.DuckDBPyConnection, cup: _Cup) -> Counts:
    """Return how many of each throw lie how and where, of the first throws of the study."""
    number_of = {
        (pose.label if pose else None, str(zone)): number
        for number, (pose, zone) in enumerate(_PLACES)
    }
    rows = connection.execute(
        "SELECT dense_rank() OVER (ORDER BY trial) - 1, orientation, zone FROM throws "
        f"WHERE cell = {cup.cell} AND standing IS NOT TRUE "
        f"AND trial < ({_last(cup, _JOINT_THROWS)})"
    ).fetchall()
    counts = np.zeros((1 + max(row[0] for row in rows), len(_PLACES)), dtype=np.int64)
    for throw, name, zone in rows:
        if (name, zone) in number_of:
            counts[throw, number_of[name, zone]] += 1
    return counts


def _totals(connection: duckdb.DuckDBPyConnection, cup: _Cup, column: str) -> Counts:
    """Return the sum of a column in each of the first throws, a one in its place."""
    dice = "standing" if column == "knocked" else "standing IS NOT TRUE"
    rows = connection.execute(
        "SELECT total, count(*) FROM ("
        f"SELECT coalesce(sum({column}::INTEGER) FILTER (WHERE {dice}), 0) AS total FROM throws "
        f"WHERE cell = {cup.cell} AND trial < ({_last(cup, _THROWS)}) GROUP BY trial) GROUP BY 1"
    ).fetchall()
    totals = np.repeat([int(row[0]) for row in rows], [row[1] for row in rows])
    return _one_of_each(totals)


def _last(cup: _Cup, throws: int) -> str:
    """Return SQL of the trial after the first throws of a cell."""
    return f"SELECT min(trial) + {throws} FROM throws WHERE cell = {cup.cell}"


def _one_of_each(totals: NDArray[np.int64]) -> Counts:
    rows: Counts = (totals[:, None] == np.arange(totals.max(initial=0) + 1)).astype(np.int64)
    return rows


def _as_wide(first: Counts, second: Counts) -> tuple[Counts, Counts]:
    """Return both with as many classes, those that one lacks being empty."""
    classes = max(first.shape[1], second.shape[1])
    wide = [np.pad(each, ((0, 0), (0, classes - each.shape[1]))) for each in (first, second)]
    return wide[0], wide[1]
