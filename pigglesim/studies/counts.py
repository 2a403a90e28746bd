"""Count what throws came to: sums of a shard as it is made, and of a whole study by SQL."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import nan, sqrt
from typing import Any

import duckdb
import numpy as np

from pigglesim.errors import SpecError, unknown_name
from pigglesim.landing import Orientation, Zone
from pigglesim.studies.statistics import Moments, Share, share_from

_MOST = 10**15
"""Largest sum of a shard."""
_Sums = tuple[int, int, int]
"""Over throws: hits, their squares, and hits times trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Sums over some throws of one cell, exact in any order.

    Dice count that were thrown and show an orientation.
    """

    throws: int = 0
    throws_shown: int = 0
    """Those with a die that counts."""
    shown: int = 0
    """Dice that count."""
    shown_squares: int = 0
    """Sum of the squares of their number in each throw."""
    hits: Mapping[str, _Sums] = field(default_factory=dict)
    """Sums by orientation."""

    def __add__(self, other: "Counts") -> "Counts":
        """Return both together."""
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
        seen = np.asarray(columns["orientation"], dtype=object)
        names = sorted({name for name in seen[rolled].tolist() if name is not None})
        by_name = [np.bincount(throw[rolled & (seen == name)], minlength=count) for name in names]
        trials = sum(by_name, np.zeros(count, dtype=np.int64))
        return cls(
            throws=count,
            throws_shown=int(np.count_nonzero(trials)),
            shown=int(trials.sum()),
            shown_squares=int(trials @ trials),
            hits={
                name: (int(own.sum()), int(own @ own), int(own @ trials))
                for name, own in zip(names, by_name, strict=True)
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

    def to_json(self) -> str:
        """Return the counts as one line."""
        sums = [self.throws, self.throws_shown, self.shown, self.shown_squares]
        return json.dumps([*sums, dict(sorted(self.hits.items()))])

    @classmethod
    def from_json(cls, text: str) -> "Counts":
        """Return the counts of such a line.

        Raises:
            ValueError: If it is none.
        """
        try:
            throws, throws_shown, shown, squares, hits = json.loads(text)
            sums = {str(name): (a, b, c) for name, (a, b, c) in hits.items()}
        except (TypeError, AttributeError, RecursionError) as fault:
            raise ValueError(f"no counts: {fault}") from None
        numbers = [throws, throws_shown, shown, squares, *(n for own in sums.values() for n in own)]
        if not all(type(number) is int and 0 <= number <= _MOST for number in numbers):
            raise ValueError("counts that are no whole numbers, or beyond any study")
        return cls(
            throws=throws,
            throws_shown=throws_shown,
            shown=shown,
            shown_squares=squares,
            hits=sums,
        )


NO_ORIENTATION = "none"
"""Row of the joint table for dice that show no orientation: off the board, or not at rest."""
POINTS = "points"
"""The one column that no condition counts: what the dice of a throw score."""

Ratio = tuple[str, str]
"""Columns of hits and of trials."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountPlan:
    """Columns, ratios and contrasts to count for each throw."""

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
) -> CountPlan:
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
    return CountPlan(
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


KINDS = ("drop", "pour", "knock")

_ROWS = 2_000_000
"""Rows of the store in one stretch of trials: some 100 MB while they are summed."""
_TABLE = "pigglesim_throws_of_a_stretch"

Level = str | int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSums:
    """Products of two cells' hits and trials over the trial numbers that both have."""

    common: int
    hits_hits: int
    hits_trials: int
    trials_hits: int
    trials_trials: int

    def correlation(self, first: Moments, second: Moments) -> float:
        """Return the correlation of the two ratios; 0 where it cannot be told."""
        scale = sqrt(first.variance * second.variance) if self.common > 1 else nan
        if not scale > 0.0:
            return 0.0
        # In whole numbers, as residuals of each throw about the ratio of its cell.
        residuals = (
            first.trials * second.trials * self.hits_hits
            - first.trials * second.hits * self.hits_trials
            - first.hits * second.trials * self.trials_hits
            + first.hits * second.hits * self.trials_trials
        )
        covariance = (
            self.common * residuals / ((self.common - 1) * first.trials**2 * second.trials**2)
        )
        return max(-1.0, min(1.0, covariance / scale))


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
    """Throws by how many dice show each orientation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The sums of a study."""

    orientations: tuple[str, ...]
    zones: tuple[str, ...]
    """None for single dice on a floor."""
    cells: tuple[CellCounts, ...]
    pairs: Mapping[tuple[int, int], Mapping[Ratio, PairSums]]
    """Products of two cells, by their numbers."""


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
        kind: `drop`, `pour` or `knock`.
        factors: Columns that tell cells apart.
        compared: Ratios whose products over two cells are wanted, beside each orientation's: of
            each cell with the first level of a factor and those of its other levels.

    Raises:
        SpecError: If a factor is no column, or there is no throw.
    """
    if kind not in KINDS:
        raise unknown_name("kind of throw", kind, KINDS)
    _check_factors(connection, factors)
    levels, stretches = _cells(connection, factors)
    names = _orientations(connection)
    zones = () if kind == "drop" else tuple(str(zone) for zone in Zone)
    plan = make_plan(names, zones, single=kind == "drop", compared=compared)
    pairs = tuple(_neighbours(levels)) if plan.contrasts else ()
    return _Adder(connection, plan, pairs).count(levels, stretches, names, zones)


def _check_factors(connection: duckdb.DuckDBPyConnection, factors: Sequence[str]) -> None:
    found = connection.execute("SELECT * FROM throws LIMIT 0").description or []
    known = [column[0] for column in found]
    for factor in factors:
        if factor not in known:
            raise unknown_name("factor of the study", factor, known)


def _cells(
    connection: duckdb.DuckDBPyConnection, factors: Sequence[str]
) -> tuple[dict[int, dict[str, Level]], list[tuple[int, int]]]:
    """Return the factor levels of each cell, and stretches of trials of a good size."""
    # Dice that stood there may be of another model: the cup's own dice tell the level.
    levels = "".join(
        f", any_value({_quoted(each)}) FILTER (WHERE standing IS NOT TRUE)" for each in factors
    )
    found = connection.execute(
        f"SELECT cell, min(trial), max(trial), count(*){levels} FROM throws GROUP BY 1 ORDER BY 1"
    ).fetchall()
    if not found:
        raise SpecError("throws to tell of", got="none yet", remedy="run the study first")
    first, end = min(row[1] for row in found), max(row[2] for row in found) + 1
    rows = sum(row[3] for row in found)
    span = max(1, (end - first) * _ROWS // rows)
    stretches = [(start, min(start + span, end)) for start in range(first, end, span)]
    return {row[0]: dict(zip(factors, row[4:], strict=True)) for row in found}, stretches


def _orientations(connection: duckdb.DuckDBPyConnection) -> tuple[str, ...]:
    """Return the orientations, in the order of the rules, of numbers, or of the alphabet.

    A class of the rules that never came is one of them: that it is rare is an answer too.
    """
    found = connection.execute(
        "SELECT DISTINCT orientation FROM throws WHERE orientation IS NOT NULL"
    ).fetchall()
    seen = {str(row[0]) for row in found}
    rules = [pose.label for pose in Orientation]
    ordered = rules if seen & set(rules) else []
    numbers = sorted((name for name in seen if name.isdecimal()), key=int)
    return (*ordered, *numbers, *sorted(seen - {*ordered, *numbers}))


def _neighbours(levels: Mapping[int, Mapping[str, Level]]) -> Iterator[tuple[int, int]]:
    """Yield each cell that has the first level of a factor, with those of its other levels."""
    for factor in next(iter(levels.values())):
        first = next(iter(levels.values()))[factor]
        for base, own in levels.items():
            if own[factor] == first:
                for other, its in levels.items():
                    if its[factor] != first and {**its, factor: first} == own:
                        yield base, other


class _Adder:
    """Adds up stretches of trials."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        plan: CountPlan,
        pairs: tuple[tuple[int, int], ...],
    ) -> None:
        self._connection = connection
        self._plan = plan
        self._pairs = pairs
        self._column = {name: f"c{number}" for number, name in enumerate((*plan.columns, POINTS))}
        self._sums: dict[int, Counter[object]] = {}
        self._patterns: dict[int, Counter[tuple[int, ...]]] = {}
        self._products: dict[tuple[int, int], Counter[object]] = {}

    def count(
        self,
        levels: Mapping[int, Mapping[str, Level]],
        stretches: Sequence[tuple[int, int]],
        names: tuple[str, ...],
        zones: tuple[str, ...],
    ) -> Counted:
        """Return the sums over all stretches."""
        for first, end in stretches:
            self._connection.execute(self._throws_sql(), [first, end])
            self._add_sums()
            self._add_patterns()
            self._add_pairs()
        self._connection.execute(f"DROP TABLE IF EXISTS {_TABLE}")
        return Counted(
            orientations=names,
            zones=zones,
            cells=tuple(self._cell(cell, own) for cell, own in levels.items()),
            pairs={pair: self._pair(pair) for pair in self._pairs},
        )

    def _throws_sql(self) -> str:
        """Return SQL that makes a table of the throws of one stretch."""
        if self._plan.single:
            columns = [
                f"coalesce({sql}, FALSE)::TINYINT AS {self._column[name]}"
                for name, sql in self._plan.columns.items()
            ]
            group = ""
        else:
            columns = [
                f"count(*) FILTER (WHERE {sql})::SMALLINT AS {self._column[name]}"
                for name, sql in self._plan.columns.items()
                if name != "throws"
            ]
            columns.append(f"1::SMALLINT AS {self._column['throws']}")
            points = "coalesce(sum(points) FILTER (WHERE rolled), 0)"
            columns.append(f"{points}::SMALLINT AS {self._column['points']}")
            group = "GROUP BY cell, trial"
        return (
            f"CREATE OR REPLACE TEMP TABLE {_TABLE} AS SELECT cell, trial, {', '.join(columns)} "
            f"FROM ({self._plan.source} WHERE trial >= ? AND trial < ?) {group}"
        )

    def _add_sums(self) -> None:
        columns = [name for name in self._column if name != POINTS or not self._plan.single]
        tried = dict.fromkeys(trials for _, trials in self._plan.ratios)
        keys: list[object] = [*columns, *self._plan.products(), *((name,) for name in tried)]
        words = [f"sum({self._column[name]})" for name in columns]
        words += [
            f"sum({self._column[a]}::INTEGER * {self._column[b]})" for a, b in self._plan.products()
        ]
        words += [f"count(*) FILTER (WHERE {self._column[name]} > 0)" for name in tried]
        for cell, *found in self._rows(f"SELECT cell, {', '.join(words)} FROM {_TABLE} GROUP BY 1"):
            self._sums.setdefault(cell, Counter()).update(dict(zip(keys, found, strict=True)))

    def _add_patterns(self) -> None:
        if not self._plan.shown:
            return
        words = ", ".join(self._column[name] for name in self._plan.shown)
        sql = f"SELECT cell, count(*), {words} FROM {_TABLE} GROUP BY cell, {words}"
        for cell, throws, *pattern in self._rows(sql):
            self._patterns.setdefault(cell, Counter())[tuple(pattern)] += throws

    def _add_pairs(self) -> None:
        if not self._pairs:
            return
        keys: list[object] = ["common"]
        words = ["count(*)"]
        for ratio in self._plan.contrasts:
            for a in ratio:
                for b in ratio:
                    keys.append((ratio, a, b))
                    words.append(f"sum(a.{self._column[a]}::INTEGER * b.{self._column[b]})")
        # A join of its own for each pair: the planner then sees two small sides.
        for base, other in self._pairs:
            sql = (
                f"SELECT {', '.join(words)} "
                f"FROM (SELECT * FROM {_TABLE} WHERE cell = {base}) AS a "
                f"JOIN (SELECT * FROM {_TABLE} WHERE cell = {other}) AS b USING (trial)"
            )
            (found,) = self._rows(sql)
            sums = dict(zip(keys, (each or 0 for each in found), strict=True))
            self._products.setdefault((base, other), Counter()).update(sums)

    def _rows(self, sql: str) -> list[tuple[int, ...]]:
        return self._connection.execute(sql).fetchall()

    def _cell(self, cell: int, levels: Mapping[str, Level]) -> CellCounts:
        sums = self._sums[cell]
        return CellCounts(
            cell=cell,
            factors=levels,
            throws=sums["throws"],
            sums={name: sums[name] for name in self._column},
            ratios={
                (hits, trials): Moments(
                    clusters=sums["throws"],
                    tried=sums[(trials,)],
                    hits=sums[hits],
                    trials=sums[trials],
                    hits_hits=sums[hits, hits],
                    hits_trials=sums[hits, trials],
                    trials_trials=sums[trials, trials],
                )
                for hits, trials in self._plan.ratios
            },
            patterns=dict(sorted(self._patterns.get(cell, Counter()).items())),
        )

    def _pair(self, pair: tuple[int, int]) -> dict[Ratio, PairSums]:
        sums = self._products.get(pair, Counter())
        return {
            ratio: PairSums(
                common=sums["common"],
                hits_hits=sums[ratio, ratio[0], ratio[0]],
                hits_trials=sums[ratio, ratio[0], ratio[1]],
                trials_hits=sums[ratio, ratio[1], ratio[0]],
                trials_trials=sums[ratio, ratio[1], ratio[1]],
            )
            for ratio in self._plan.contrasts
        }


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
