"""What the folder of a study says: its answers, and the chances of events in SQL."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Literal

import duckdb
import numpy as np

from pigglesim.arguments import checked
from pigglesim.displays import displayed
from pigglesim.errors import RecordError, SpecError, unknown_name
from pigglesim.studies.answers import CellAnswers, Contrast, StudyAnswers, answer
from pigglesim.studies.estimate import Interval, Method, Share, binomial, mean_of
from pigglesim.studies.query import ask, open_throws
from pigglesim.studies.run import target_of
from pigglesim.studies.shard import read_counts
from pigglesim.studies.stopping import Counts
from pigglesim.studies.store import stored_study, whole_shards
from pigglesim.studies.study import Study
from pigglesim.verbs.plain import plain

__all__ = [
    "StudyResult",
    "ask_folder",
    "chosen_level",
    "chosen_method",
    "read_study",
    "torn_fault",
]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class StudyResult:
    """What a study says as far as it has come; every number has its interval."""

    folder: Path
    """Where every throw is kept."""
    study: Study
    """What is thrown, how often and how."""
    throws: int
    """That are there."""
    finished: bool
    """Whether they are all that the study wants."""
    answers: StudyAnswers | None = field(repr=False)
    """None where no throw is there."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Shards that were given up in this run, with what went wrong."""

    @property
    def cells(self) -> tuple[CellAnswers, ...]:
        """What each combination of factor levels says."""
        return self.answers.cells if self.answers else ()

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """What changing one factor does, for every two of its levels."""
        return self.answers.contrasts if self.answers else ()

    @property
    def shares(self) -> dict[str, Share]:
        """How often each orientation came; of a study of many cells, of the first.

        Raises:
            SpecError: If no throw is there.
        """
        if not self.cells:
            raise _nothing(self.folder)
        first = self.cells[0]
        return dict(zip(first.orientations, first.shares, strict=True))

    @property
    def how_far(self) -> str:
        """How much of the study is there."""
        if self.finished:
            return f"{self.throws:,} throws, finished"
        most = f"{self.study.most_throws * self.study.cell_count:,}"
        most = f"at most {most}" if self.study.precision else most
        return f"{self.throws:,} of {most} throws, unfinished"

    @checked
    def probability(
        self,
        event: str,
        *,
        cell: int = 0,
        level: float = 0.95,
        interval: Literal["wilson", "jeffreys"] = "wilson",
    ) -> Share:
        """Return how often something came of a throw.

        Args:
            event: A condition in SQL on all dice of one throw together, over the columns that
                `query("DESCRIBE throws")` tells: `"sum(points) >= 10"`, or
                `"count(*) FILTER (orientation = 'Snout-Up') = 6"`.
            cell: Of which combination of factor levels.
            level: Share of intervals that shall hold the truth.
            interval: Form of the interval.

        Raises:
            SpecError: If it is no such condition, or no throw is there.

        Examples:
            >>> import pigglesim
            >>> pours = pigglesim.study("pour", throws=20, seed=1)
            >>> six_up = pours.probability("count(*) FILTER (orientation = 'Snout-Up') = 6")
        """
        rows = self._of_each_throw(f"coalesce(({event})::BOOLEAN, false)", cell)
        method = chosen_method(interval)
        checked = chosen_level(level, self.study)
        return binomial(int(sum(rows)), len(rows), level=checked, method=method)

    @checked
    def mean(self, quantity: str, *, cell: int = 0, level: float = 0.95) -> Interval:
        """Return the mean of something over all throws, with Student's interval.

        Args:
            quantity: A number in SQL of all dice of one throw together, such as `"sum(points)"`.
            cell: Of which combination of factor levels.
            level: Share of intervals that shall hold the truth.

        Raises:
            SpecError: If it is no such number, or no throw is there.
        """
        rows = self._of_each_throw(f"({quantity})::DOUBLE", cell)
        if any(row is None for row in rows):
            raise SpecError(
                "a number of every throw", got=f"none of some by {quantity}", remedy="coalesce(...)"
            )
        return mean_of(np.array(rows, float), level=chosen_level(level, self.study))

    def query(self, question: str) -> list[dict[str, Any]]:
        """Return the answer to one SELECT from the view `throws`, a mapping a row.

        Raises:
            SpecError: If it is none, or wrong, or asks for more than it may.
        """
        with open_throws(self.folder) as connection:
            found = ask(connection, question)
            return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    def report(self) -> Path:
        """Write the report of the study into its folder, with pictures, and return the page.

        Raises:
            RecordError: If a shard is torn.
            SpecError: If the folder cannot be written, or there is nothing to tell of.
        """
        from pigglesim.verbs.study_report import make_report  # noqa: PLC0415 (draws)

        return make_report(self)[0][0]

    def document(self) -> dict[str, Any]:
        """Return what it says as plain values; what is not known is None."""
        return {
            "folder": str(self.folder),
            "study": self.study.definition(),
            "throws": self.throws,
            "finished": self.finished,
            "answers": plain(asdict(self.answers)) if self.answers else None,
        }

    def to_json(self) -> str:
        """Return the document as JSON."""
        return json.dumps(self.document(), ensure_ascii=False, allow_nan=False, indent=1)

    def __repr__(self) -> str:
        shares = [f"{name} {share}" for name, share in (self.shares if self.cells else {}).items()]
        more = [f"and {len(self.cells) - 1} cells more"] if len(self.cells) > 1 else []
        of = f"{self.study.kind}s of {', '.join(self.study.models)}"
        told = [of, *shares, *more, self.how_far, f"seed {self.study.seed}"]
        return f"StudyResult({'; '.join(told)})"

    def _repr_html_(self) -> str | None:
        return displayed("study_html", self.answers) if self.answers else None

    def _of_each_throw(self, value: str, cell: int) -> list[Any]:
        """Return a value of SQL of the dice of each throw of a cell."""
        if not 0 <= cell < self.study.cell_count:
            raise SpecError(
                f"a cell from 0 to {self.study.cell_count - 1}", got=str(cell), remedy="cell=0"
            )
        rows = self.query(
            f"SELECT {value} AS found FROM throws WHERE cell = {cell} "
            f'AND NOT standing GROUP BY "throw" ORDER BY "throw"'
        )
        if not rows:
            raise _nothing(self.folder)
        return [row["found"] for row in rows]


def _nothing(folder: Path) -> SpecError:
    return SpecError("throws to tell of", got=f"none in {folder}", remedy="run the study first")


def chosen_level(level: float | None, study: Study) -> float:
    """Return the level of the intervals: the one given, or that of the study's precision.

    Raises:
        SpecError: If it is none.
    """
    if level is None:
        return study.precision.level if study.precision else 0.95
    if not 0.5 <= level < 1.0:
        raise SpecError("a level of 0.5 to less than 1", got=f"{level:g}", remedy="--level .95")
    return level


def chosen_method(interval: str) -> Method:
    """Return the form of interval of that name.

    Raises:
        SpecError: If there is none.
    """
    if interval not in set(Method):
        raise unknown_name("interval", interval, map(str, Method))
    return Method(interval)


def ask_folder(
    folder: Path,
    *,
    level: float | None = None,
    interval: str = "wilson",
    failed: Mapping[int, str] | None = None,
) -> StudyResult:
    """Return what the folder of a study says, as far as it has come.

    Args:
        folder: Of the study.
        level: Of all intervals; None for that of its precision, or .95.
        interval: Form of the intervals of shares.
        failed: Shards that were given up.

    Raises:
        RecordError: If it is no folder of a study, or a shard of it is torn.
        SpecError: If the level or the form is none.
    """
    study = stored_study(folder)
    method, level = chosen_method(interval), chosen_level(level, study)
    throws, finished = _how_far(folder, study)
    answers = None
    if throws:
        factors = [found.column for found in study.varied()]
        try:
            with open_throws(folder) as connection:
                answers = answer(
                    connection, kind=str(study.kind), factors=factors, level=level, method=method
                )
        except duckdb.Error as fault:
            raise torn_fault(folder, fault) from None
    return StudyResult(
        folder=folder,
        study=study,
        answers=answers,
        throws=throws,
        finished=finished,
        failed=dict(failed or {}),
    )


@checked
def read_study(
    folder: str | PathLike[str],
    *,
    level: float | None = None,
    interval: Literal["wilson", "jeffreys"] = "wilson",
) -> StudyResult:
    """Return what a study says that was run into a folder, here or by the command line.

    Args:
        folder: That `study(..., out=folder)` or `pigglesim study --out` has written.
        level: Of all intervals; that of the study's precision, or .95, if None.
        interval: Form of the intervals of shares.

    Returns:
        What it says as far as it has come.

    Raises:
        PigglesimError: If it is no folder of a study, or was changed since.

    Examples:
        >>> import pigglesim
        >>> pigglesim.read_study("pours").shares["Snout-Up"]
    """
    return ask_folder(Path(folder), level=level, interval=interval)


def _how_far(folder: Path, study: Study) -> tuple[int, bool]:
    """Return how many throws are there, and whether they are all that the study wants."""
    shards = whole_shards(folder)
    try:
        found = read_counts(list(shards.values()))
    except (KeyError, ValueError, duckdb.Error) as fault:
        raise torn_fault(folder, fault) from None
    cells: dict[int, Counts] = defaultdict(Counts)
    for number, counts in zip(shards, found, strict=True):
        cells[number % study.cell_count] += counts
    throws = sum(counts.throws for counts in cells.values())
    if throws == study.most_throws * study.cell_count:
        return throws, True
    target = target_of(study)
    even = len({counts.throws for counts in cells.values()}) == 1
    whole = even and len(cells) == study.cell_count
    return throws, bool(target and whole and target.reached(list(cells.values())))


def torn_fault(folder: Path, fault: object) -> RecordError:
    """Return the error for a shard of a folder that is not what was written."""
    return RecordError(
        f"whole shards in {folder}",
        got=" ".join(str(fault).split())[:200] or type(fault).__name__,
        remedy="run the study again: it makes torn shards anew",
    )
