"""Estimates of a study: throws counted by SQL, and every number with its interval."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, nan, sqrt
from types import MappingProxyType
from typing import Annotated, Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.folder import EXACT
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import (
    Budget,
    Independence,
    Method,
    Moments,
    Posterior,
    Share,
    binomial,
    budget_on,
    components,
    difference,
    independence_of,
    mean_from,
    mean_within,
    posterior_of,
    share_from,
    share_within,
)
from pigglesim.landing import READ_ZONES, Orientation, Zone, ordered_classes
from pigglesim.notebook_display import displayed
from pigglesim.units import DASH

_MAX_SUM = 10**15
"""Largest sum of a shard."""
_Sum = Annotated[int, Field(ge=0, le=_MAX_SUM)]
_Sums = tuple[_Sum, _Sum, _Sum]
"""Over throws: hits, their squares, and hits times trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Sums over some throws of one cell, exact in any order.

    Dice count that were thrown and show an orientation.
    """

    __pydantic_config__ = EXACT

    throws: _Sum = 0
    throws_shown: _Sum = 0
    """Number of throws with a die that counts."""
    shown: _Sum = 0
    """Number of dice that count."""
    shown_squares: _Sum = 0
    """Sum of the squares of their number in each throw."""
    hits: dict[str, _Sums] = field(default_factory=dict)
    """Sums by orientation."""

    def __add__(self, other: "Counts") -> "Counts":
        """Return the sums of both."""
        hits = dict(self.hits)
        for name, (a, b, c) in other.hits.items():
            x, y, z = hits.get(name, (0, 0, 0))
            hits[name] = (x + a, y + b, z + c)
        return Counts(
            throws=self.throws + other.throws,
            throws_shown=self.throws_shown + other.throws_shown,
            shown=self.shown + other.shown,
            shown_squares=self.shown_squares + other.shown_squares,
            hits=hits,
        )

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> "Counts":
        """Return the counts of the rows of one shard."""
        first = int(columns["throw"][0])
        throw = np.asarray(columns["throw"]) - first
        count = int(throw[-1]) + 1
        rolled = ~np.asarray(columns["standing"], dtype=bool)
        orientations = np.asarray(columns["orientation"])
        names = sorted({name for name in orientations[rolled].tolist() if name is not None})
        shown = {name: rolled & (orientations == name) for name in names}
        by_name = {name: np.bincount(throw[at], minlength=count) for name, at in shown.items()}
        trials = sum(by_name.values(), np.bincount([], minlength=count))
        return cls(
            throws=count,
            throws_shown=int(np.count_nonzero(trials)),
            shown=int(trials.sum()),
            shown_squares=int(trials @ trials),
            hits={
                name: (int(hits.sum()), int(hits @ hits), int(hits @ trials))
                for name, hits in by_name.items()
            },
        )

    def moments(self, orientation: str) -> Moments:
        """Return the sums that the share of an orientation needs."""
        hits, squares, with_trials = self.hits.get(orientation, (0, 0, 0))
        return Moments(
            clusters=self.throws,
            tried=self.throws_shown,
            hits=hits,
            trials=self.shown,
            hits_hits=squares,
            hits_trials=with_trials,
            trials_trials=self.shown_squares,
        )

    def share(self, orientation: str, *, level: float = 0.95) -> Share:
        """Return the share of an orientation with a cluster-robust interval."""
        return share_from(self.moments(orientation), level=level)


NO_ORIENTATION = "none"
"""Row of the joint table for dice that show no orientation: off the board, or not at rest."""
POINTS, THROWS = "points", "throws"
"""Columns of the points of a throw, and of ones; all others count dice."""

DRAWN_FLOOR = "drawn_floor"
"""Column of the floor of each throw, where a study draws one of a fit."""

_Table = NDArray[np.int64]
Ratio = tuple[str, str]
"""Columns of hits and of trials."""


def showing(orientation: str) -> str:
    """Return the column of the dice of a throw that show an orientation."""
    return f"shows {orientation}"


def lying(zone: str, orientation: str = "any") -> str:
    """Return the column of the dice of a throw that lie in a zone, and show an orientation."""
    return f"{orientation} in {zone}"


def _plan(names: Sequence[str], zones: Sequence[str]) -> tuple[dict[str, str], list[Ratio]]:
    """Return the columns to count per throw, as SQL conditions on a die, and the ratios."""
    shows = {name: f"rolled AND o = {at}" for at, name in enumerate(names, start=1)}
    columns = {
        THROWS: "TRUE",
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
        ratios += [(POINTS, "rolled"), (POINTS, THROWS), ("knocked", THROWS)]
        shows[NO_ORIENTATION] = "rolled AND o IS NULL"
        for at, zone in enumerate(zones, start=1):
            in_zone = {lying(zone): "rolled"} | {
                lying(zone, name): sql for name, sql in shows.items()
            }
            columns |= {name: f"{sql} AND z = {at}" for name, sql in in_zone.items()}
            ratios += [(name, "rolled") for name in in_zone]
    return columns, ratios


def _stretch_sql(
    names: Sequence[str], zones: Sequence[str], columns: Mapping[str, str], *, single: bool
) -> str:
    """Return SQL of the throws of a stretch of trials, a row for each; `{}` is their floor."""
    dice = (
        "SELECT cell, trial, {} AS floor, standing IS NOT TRUE AS rolled, "
        f"list_position({_list(names)}, orientation)::TINYINT AS o, "
        f"list_position({_list(zones)}, zone)::TINYINT AS z, "
        "zone <> 'off' AS on_board, leaning OR stacked AS leans, knocked, points, "
        "zone IS DISTINCT FROM 'off' AND ending IN ('timed out', 'timed-out') AS late FROM throws "
        "WHERE trial >= ? AND trial < ?"
    )
    if single:
        sums = {name: f"coalesce({sql}, FALSE)::TINYINT" for name, sql in columns.items()}
        sums[POINTS] = "0::TINYINT"
    else:
        sums = {name: f"count(*) FILTER (WHERE {sql})::SMALLINT" for name, sql in columns.items()}
        sums[THROWS] = "1::SMALLINT"
        sums[POINTS] = "coalesce(sum(points) FILTER (WHERE rolled), 0)::SMALLINT"
    # Names that differ in capitals alone are one name to DuckDB.
    selected = ", ".join(f"{sql} AS c{number}" for number, sql in enumerate(sums.values()))
    group = "" if single else "GROUP BY ALL"
    return f"SELECT cell, floor, trial, {selected} FROM ({dice}) {group} ORDER BY 1, 2, 3"


def sql_text(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _list(texts: Sequence[str]) -> str:
    """Return words as an SQL list of texts."""
    return f"[{', '.join(map(sql_text, texts))}]::VARCHAR[]"


_ROWS = 2_000_000
"""Rows of the store in one stretch of trials: some 100 MB while they are summed."""
_BLOCK = 1 << 16
"""Throws whose products are summed at a time."""

Level = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class CellCounts:
    """The sums of one combination of factor levels."""

    cell: int
    factors: Mapping[str, Level]
    throws: int
    sums: Mapping[str, int]
    """Sum of each column."""
    ratios: Mapping[Ratio, Moments]
    patterns: Mapping[tuple[int, ...], int]
    """Throws by how many dice show each orientation; empty for single dice."""
    on_floors: Mapping[Ratio, Sequence[Moments]]
    """The ratios on each floor that was drawn; one entry for a study on one floor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The sums of a study."""

    orientations: tuple[str, ...]
    zones: tuple[str, ...]
    """None for single dice on a floor."""
    cells: tuple[CellCounts, ...]
    covariances: Mapping[tuple[int, int], Mapping[Ratio, float | None]]
    """Covariances of ratios of two cells, by their numbers, over the trials that both have; None
    where they are unknown. That of a study on floors of a fit includes their differences."""


def count_throws(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str,
    factors: Sequence[str],
    compared: Sequence[Ratio] = (),
) -> Counted:
    """Return the sums of the view `throws`.

    Args:
        connection: Holds the view, of the columns of `COLUMNS` and one of each factor.
        kind: Kind of throw, a `ThrowKind`.
        factors: Columns that distinguish cells.
        compared: Ratios to compare between cells, besides the share of each orientation: each
            cell with the first level of a factor and those with its other levels.

    Raises:
        SpecError: If a factor is not a column, or there is no throw.
    """
    known = [row[0] for row in connection.execute("DESCRIBE throws").fetchall()]
    for factor in factors:
        if factor not in known:
            raise unknown_name("factor of the study", factor, known)
    levels, stretches = _cells(connection, factors)
    names, single = _orientations(connection), ThrowKind(kind).single
    zones = () if single else tuple(map(str, READ_ZONES))
    columns, ratios = _plan(names, zones)
    contrasts = [(showing(name), "shown") for name in names]
    contrasts += [ratio for ratio in compared if ratio in ratios]
    pairs = tuple(_neighbours(levels))
    floor = DRAWN_FLOOR if DRAWN_FLOOR in known else "0"
    query = _stretch_sql(names, zones, columns, single=single).format(floor)
    tally = _Tally((*columns, POINTS), ratios, () if single else names)
    for bounds in stretches:
        tally.add(connection.execute(query, bounds).fetchnumpy(), pairs)
    cells = {cell: tally.counts(cell, own_levels) for cell, own_levels in levels.items()}

    def covariance(base: int, other: int, ratio: Ratio) -> float | None:
        own, others = (cells[cell].ratios[ratio] for cell in (base, other))
        return _covariance(own, others, tally.of(base, other), ratio)

    return Counted(
        orientations=names,
        zones=zones,
        cells=tuple(cells.values()),
        covariances={
            pair: {ratio: covariance(*pair, ratio) for ratio in contrasts} for pair in pairs
        },
    )


@dataclass(frozen=True, slots=True)
class _Products:
    """Sums of the products of a column of some throws and a column of the same, or of others."""

    numbers: Mapping[str, int]
    """Number of each column."""
    sums: _Table

    def __getitem__(self, columns: Ratio) -> int:
        first, second = columns
        return int(self.sums[self.numbers[first], self.numbers[second]])

    def moments(self, hits: str, trials: str) -> Moments:
        """Return the sums that a ratio needs."""
        return Moments(
            clusters=self[THROWS, THROWS],
            tried=self[f"any {trials}", THROWS],
            hits=self[hits, THROWS],
            trials=self[trials, THROWS],
            hits_hits=self[hits, hits],
            hits_trials=self[hits, trials],
            trials_trials=self[trials, trials],
        )


class _Tally:
    """Sums over throws by cell and floor, and over the trials that two cells have in common.

    Args:
        columns: Columns that are counted for each throw.
        ratios: Ratios of them.
        shown: Orientations of which the numbers in a throw are counted together.
    """

    def __init__(
        self, columns: Sequence[str], ratios: Sequence[Ratio], shown: Sequence[str]
    ) -> None:
        trials = dict.fromkeys(trials for _, trials in ratios)
        names = [*columns, *(f"any {name}" for name in trials)]
        self._numbers = {name: number for number, name in enumerate(names)}
        self._ratios = ratios
        self._columns = columns
        self._trials = [self._numbers[name] for name in trials]
        self._shows = [self._numbers[showing(name)] for name in shown]
        self._sums: dict[tuple[int, ...], dict[int, _Table]] = defaultdict(dict)
        self._patterns: dict[int, Counter[tuple[int, ...]]] = defaultdict(Counter)
        """Throws of each cell by how many dice show each orientation."""

    def of(self, *cells: int) -> list[_Products]:
        """Return the sums of a cell, or of two, on each floor."""
        return [_Products(self._numbers, sums) for _, sums in sorted(self._sums[cells].items())]

    def counts(self, cell: int, levels: Mapping[str, Level]) -> CellCounts:
        """Return the counts of a cell."""
        floors = self.of(cell)
        total = _Products(self._numbers, np.sum([each.sums for each in floors], axis=0))
        return CellCounts(
            cell=cell,
            factors=levels,
            throws=total[THROWS, THROWS],
            sums={name: total[name, THROWS] for name in self._columns},
            ratios={ratio: total.moments(*ratio) for ratio in self._ratios},
            patterns=dict(sorted(self._patterns[cell].items())),
            on_floors={ratio: [each.moments(*ratio) for each in floors] for ratio in self._ratios},
        )

    def add(self, throws: Mapping[str, Any], pairs: Sequence[tuple[int, int]]) -> None:
        """Count throws, sorted by cell, floor and trial; compare pairs of cells."""
        table = np.stack([throws[f"c{number}"] for number in range(len(self._columns))], axis=1)
        table = np.column_stack([table, table[:, self._trials] > 0])
        cell, floor, trial = (np.asarray(throws[name]) for name in ("cell", "floor", "trial"))
        starts = np.flatnonzero(np.diff(cell) | np.diff(floor)) + 1
        groups = {
            (int(cell[rows[0]]), int(floor[rows[0]])): rows
            for rows in np.split(np.arange(len(cell)), starts)
            if len(rows)
        }
        for (number, drawn), rows in groups.items():
            self._add((number,), drawn, table[rows], table[rows])
            if self._shows:
                seen, often = np.unique(table[rows][:, self._shows], axis=0, return_counts=True)
                for *shown, many in np.column_stack([seen, often]).tolist():
                    self._patterns[number][tuple(shown)] += many
        for base, other in pairs:
            for drawn in (drawn for number, drawn in groups if number == base):
                one, two = groups[base, drawn], groups.get((other, drawn), starts[:0])
                _, left, right = np.intersect1d(trial[one], trial[two], return_indices=True)
                if len(left):
                    self._add((base, other), drawn, table[one[left]], table[two[right]])

    def _add(self, cells: tuple[int, ...], floor: int, first: _Table, second: _Table) -> None:
        size = len(self._numbers)
        sums = self._sums[cells].setdefault(floor, np.zeros((size, size), dtype=np.int64))
        for start in range(0, len(first), _BLOCK):
            # Floats hold these whole numbers exactly, and are multiplied many times as fast.
            one, two = (side[start : start + _BLOCK].astype(float) for side in (first, second))
            sums += (one.T @ two).astype(np.int64)


def _covariance(
    first: Moments, second: Moments, products: Sequence[_Products], ratio: Ratio
) -> float | None:
    """Return the covariance of a ratio of two cells; None where it is unknown.

    `products` are of the trials that both have, on each floor.
    """
    hits, trials = ratio
    common = sum(each[THROWS, THROWS] for each in products)
    if common < 2 or not (first.trials and second.trials):
        return None
    # In whole numbers, as residuals of each throw about the ratio of its cell.
    residuals = sum(
        first.trials * second.trials * each[hits, hits]
        - first.trials * second.hits * each[hits, trials]
        - first.hits * second.trials * each[trials, hits]
        + first.hits * second.hits * each[trials, trials]
        for each in products
    )
    scale = first.trials**2 * second.trials**2
    if len(products) == 1:
        return common * residuals / ((common - 1) * scale)
    one, two = (
        np.array(
            [(own.trials * each[pair(hits)] - own.hits * each[pair(trials)])
             * common / own.trials**2 for each in products]
        )
        for own, pair in (
            (first, lambda name: (name, THROWS)), (second, lambda name: (THROWS, name)),
        )
    )  # fmt: skip
    throws = np.array([each[THROWS, THROWS] for each in products])
    return sum(components(throws, one, two, residuals * common**2 / scale))


def _cells(
    connection: duckdb.DuckDBPyConnection, factors: Sequence[str]
) -> tuple[dict[int, dict[str, Level]], list[tuple[int, int]]]:
    """Return the factor levels of each cell, and stretches of trials of a good size."""
    # Standing dice may be of another model: only the cup's dice show the level.
    levels = "".join(
        f", any_value({_quoted(factor)}) FILTER (WHERE standing IS NOT TRUE)" for factor in factors
    )
    rows_of_cells = connection.execute(
        f"SELECT cell, min(trial), max(trial), count(*){levels} FROM throws GROUP BY 1 ORDER BY 1"
    ).fetchall()
    if not rows_of_cells:
        raise SpecError("the study has no throws yet", fix="run the study first")
    first, end = min(row[1] for row in rows_of_cells), max(row[2] for row in rows_of_cells) + 1
    rows = sum(row[3] for row in rows_of_cells)
    span = max(1, (end - first) * _ROWS // rows)
    stretches = [(start, min(start + span, end)) for start in range(first, end, span)]
    return {row[0]: dict(zip(factors, row[4:], strict=True)) for row in rows_of_cells}, stretches


def _orientations(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Return the orientations, in the order of the rules, of numbers, or of the alphabet.

    Orientations of the rules that never came are included.
    """
    rows = connection.execute(
        "SELECT DISTINCT orientation FROM throws WHERE orientation IS NOT NULL"
    ).fetchall()
    names = {str(row[0]) for row in rows}
    rules = {pose.label for pose in Orientation}
    return ordered_classes(names | rules if names & rules else names)


def _neighbours(levels: Mapping[int, Mapping[str, Level]]) -> Iterator[tuple[int, int]]:
    """Yield each cell that has the first level of a factor, with those of its other levels."""
    for factor in next(iter(levels.values())):
        first = next(iter(levels.values()))[factor]
        for base, cell_levels in levels.items():
            if cell_levels[factor] == first:
                for other, other_levels in levels.items():
                    same_others = {**other_levels, factor: first} == cell_levels
                    if other_levels[factor] != first and same_others:
                        yield base, other


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_POINTS: Ratio = (POINTS, "rolled")
_OFF: Ratio = (lying(Zone.OFF), "rolled")
_KNOCKED: Ratio = ("knocked", "stood")
_QUANTITIES: Mapping[Ratio, str] = {
    _POINTS: "points per die",
    _OFF: "off the board",
    _KNOCKED: "knocked",
}
"""Quantities that are compared between cells, besides orientations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JointTable:
    """Shares of all rolled dice by orientation and zone; in all they are 1."""

    orientations: tuple[str, ...]
    """The last is `none`: of dice off the board, and of those not at rest in time."""
    zones: tuple[str, ...]
    shares: tuple[tuple[Share, ...], ...]
    """Shares by orientation, then zone."""


ALIKE = "pairs alike beyond chance"
"""Pairs of dice of one throw with the same orientation, beyond those of independent dice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswers:
    """Estimates for one combination of factor levels."""

    cell: int
    factors: Mapping[str, Level]
    """Level of each factor that the study varies; empty if none is."""
    throws: int
    dice: int
    """Rolled, over all throws."""
    unsettled: int
    """Dice that still moved when time was up."""
    orientations: tuple[str, ...]
    """Orientations in the order of the rules or of numbers, then all others."""
    shares: tuple[Share, ...]
    """Share of each orientation among the dice that show one; a throw is a cluster."""
    posterior: Posterior
    budgets: tuple[Budget, ...] | None = None
    """Variances of the shares by their sources, where each throw drew a floor of a fit."""
    joint: JointTable | None = None
    """This and all below: None for single dice on a floor."""
    zones: Mapping[str, Share] | None = None
    points_per_die: Interval | None = None
    points_per_throw: Interval | None = None
    leaning: Share | None = None
    """Among the dice on the board: that lean on another or lie on it."""
    off_board: Share | None = None
    independence: Independence | None = None
    """None for throws of one die."""
    knocked: Share | None = None
    """Among the dice that stood; None where none did."""
    knocks_per_throw: Interval | None = None

    @property
    def on_board(self) -> dict[str, Share | Interval]:
        """Estimates of landings and knocks on the board, by name."""
        found = {
            "points per die": self.points_per_die,
            "points per throw": self.points_per_throw,
            "off the board": self.off_board,
            "lean on another": self.leaning,
            "knocked of standing": self.knocked,
            "knocks per throw": self.knocks_per_throw,
            ALIKE: self.independence.agreement if self.independence else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    @property
    def p_of_alike(self) -> str:
        """Probability of the pairs alike, or as many fewer, if dice are independent; or a dash."""
        p = self.independence.p_value if self.independence else nan
        if not isfinite(p):
            return DASH
        return "< 0.0001" if p < 1e-4 else f"{p:.2g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Effect of changing one factor from one level to another, all other levels the same."""

    factor: str
    low: Level
    high: Level
    """Level that is compared with `low`."""
    others: Mapping[str, Level]
    quantity: str
    """An orientation, `points per die`, `off the board` or `knocked`."""
    difference: Interval
    """Value at `high` minus value at `low`."""
    width_ratio: float | None
    """Width of this interval over that of as many unpaired throws: 1 if pairing cancelled nothing;
    None where the correlation is unknown, and the interval is that of unpaired throws."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyAnswers:
    """Estimates of a study."""

    cells: tuple[CellAnswers, ...]
    contrasts: tuple[Contrast, ...]
    level: float
    """Confidence level of all intervals."""

    def _repr_html_(self) -> str | None:
        return displayed("study_html", self)


def answer(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str,
    factors: Sequence[str],
    level: float = 0.95,
    method: Method = Method.WILSON,
    model_throws: float | None = None,
    mesh: Mapping[int, Mapping[str, float]] = MappingProxyType({}),
) -> StudyAnswers:
    """Return the estimates of a study.

    Single dice are independent, and their shares binomial. Dice of one pour are a cluster:
    intervals of shares, means and correlation come from the spread of pours. Throws of the same
    trial number in two cells start from the same random numbers: differences account for the
    correlation that is measured, and state what it changed.

    Args:
        connection: Holds the view `throws`, of the columns of `COLUMNS` and one of each factor.
        kind: Kind of throw, a `ThrowKind`.
        factors: Columns of the factors that the study varies.
        level: Confidence level of all intervals.
        method: Form of the intervals of shares.
        model_throws: Throws that the law is worth, where each throw drew a floor of a fit. The
            truth is one floor: intervals then include how the floors differ, and shares the error
            of the law. None for throws on one floor.
        mesh: Error of the share of each orientation from the mesh, by cell; where it is known.

    Raises:
        SpecError: If a factor is unknown, or there is no throw.
    """
    counted = count_throws(connection, kind=kind, factors=factors, compared=tuple(_QUANTITIES))
    estimate = _Estimator(
        single=ThrowKind(kind).single,
        level=level,
        method=method,
        model_throws=model_throws,
        mesh=mesh,
    )
    return StudyAnswers(
        cells=tuple(estimate.cell(counted, cell) for cell in counted.cells),
        contrasts=tuple(estimate.contrasts(counted, factors)),
        level=level,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Estimator:
    """Conditions of all estimates: kind of throws, confidence level and method."""

    single: bool
    level: float
    method: Method
    model_throws: float | None
    mesh: Mapping[int, Mapping[str, float]]

    def cell(self, counted: Counted, counts: CellCounts) -> CellAnswers:
        """Return the estimates of one cell."""
        shown: list[Ratio] = [(showing(name), "shown") for name in counted.orientations]
        sums = counts.sums
        budgets = None if self.model_throws is None else [self._budget(counts, r) for r in shown]
        plain = CellAnswers(
            cell=counts.cell,
            factors=counts.factors,
            throws=counts.throws,
            dice=sums["rolled"],
            unsettled=sums["unsettled"],
            orientations=counted.orientations,
            shares=tuple(self.share(counts, ratio) for ratio in shown),
            budgets=None if budgets is None else tuple(budgets),
            posterior=posterior_of(
                [counts.ratios[ratio] for ratio in shown],
                single=self.single,
                level=self.level,
                budgets=budgets,
            ),
        )
        if self.single:
            return plain
        stood = sums["stood"] > 0
        rows = (*counted.orientations, NO_ORIENTATION)
        joint = tuple(
            tuple(self.share(counts, (lying(zone, name), "rolled")) for zone in counted.zones)
            for name in rows
        )
        return replace(
            plain,
            joint=JointTable(orientations=rows, zones=counted.zones, shares=joint),
            zones={zone: self.share(counts, (lying(zone), "rolled")) for zone in counted.zones},
            points_per_die=self._mean(counts, _POINTS),
            points_per_throw=self._mean(counts, (POINTS, THROWS)),
            leaning=self.share(counts, ("leaning", "on board")),
            off_board=self.share(counts, _OFF),
            # Dice of a throw share a floor that was drawn: they are alike for that alone.
            independence=independence_of(counts.patterns, level=self.level)
            if self.model_throws is None
            else None,
            knocked=self.share(counts, _KNOCKED) if stood else None,
            knocks_per_throw=self._mean(counts, ("knocked", THROWS)) if stood else None,
        )

    def share(self, counts: CellCounts, ratio: Ratio) -> Share:
        """Return a share with its interval."""
        sums = counts.ratios[ratio]
        if self.model_throws is not None:
            budget = self._budget(counts, ratio)
            return share_within(sums, budget, model_throws=self.model_throws, level=self.level)
        if self.single:
            return binomial(sums.hits, sums.trials, level=self.level, method=self.method)
        return share_from(sums, level=self.level, method=self.method)

    def _budget(self, counts: CellCounts, ratio: Ratio) -> Budget:
        """Return the variances of a share, or of a mean, over floors of a fit."""
        hits, trials = ratio
        budget, value = budget_on(counts.on_floors[ratio]), counts.ratios[ratio].value
        if POINTS in ratio or trials == THROWS or self.model_throws is None:
            # The error of the law was estimated for shares alone.
            return budget
        error = self.mesh.get(counts.cell, {}).get(hits.removeprefix(showing("")), 0.0)
        return budget.of_share(value, model_throws=self.model_throws, mesh=error)

    def contrasts(self, counted: Counted, factors: Sequence[str]) -> Iterator[Contrast]:
        """Yield the effect of each factor, for every quantity of both cells."""
        cells = {counts.cell: counts for counts in counted.cells}
        for factor in factors:
            for (base, other), covariances in counted.covariances.items():
                low, high = cells[base], cells[other]
                if low.factors[factor] == high.factors[factor]:
                    continue
                for ratio, covariance in covariances.items():
                    if not (low.ratios[ratio].trials and high.ratios[ratio].trials):
                        continue
                    estimate = self._mean if ratio == _POINTS else self.share
                    sides = estimate(low, ratio), estimate(high, ratio)
                    found = unpaired = difference(*sides)
                    scale = sqrt(self._variance(low, ratio) * self._variance(high, ratio))
                    correlation = None
                    if covariance is not None and scale > 0.0:
                        correlation = max(-1.0, min(1.0, covariance / scale))
                        found = difference(*sides, correlation=correlation)
                    yield Contrast(
                        factor=factor,
                        low=low.factors[factor],
                        high=high.factors[factor],
                        others={key: level for key, level in low.factors.items() if key != factor},
                        quantity=_QUANTITIES.get(ratio) or ratio[0].removeprefix(showing("")),
                        difference=found,
                        width_ratio=None if correlation is None else _widths(found, unpaired),
                    )

    def _variance(self, counts: CellCounts, ratio: Ratio) -> float:
        if self.model_throws is None:
            return counts.ratios[ratio].variance
        return self._budget(counts, ratio).variance

    def _mean(self, counts: CellCounts, ratio: Ratio) -> Interval:
        sums = counts.ratios[ratio]
        if self.model_throws is None:
            return mean_from(sums, level=self.level)
        return mean_within(sums.value, self._budget(counts, ratio), level=self.level)


def _widths(one: Interval, other: Interval) -> float | None:
    """Return the width of one interval over that of another; None if it is not a number."""
    width, of = one.high - one.low, other.high - other.low
    return width / of if 0.0 < of < inf else None
