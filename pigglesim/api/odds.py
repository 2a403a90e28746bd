"""Odds of a model: measured on studies, and checked against physics."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from pigglesim.api.study import StudyResult, results_of
from pigglesim.arguments import StoppableResult, checked, plain
from pigglesim.bodies.load import load_model
from pigglesim.chance.odds import Odds, load_odds, odds_text
from pigglesim.durable_io import check_target, expect_new, write_target
from pigglesim.errors import SpecError
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.sql_sandbox import open_throws
from pigglesim.experiments.store import read_definition, stored_study, whole_shards
from pigglesim.experiments.study import Study
from pigglesim.limits import Limits
from pigglesim.physics.engines import fastest_engine_name, make_engine
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, root_seed

if TYPE_CHECKING:
    from pigglesim.experiments.odds import CheckResult, OddsCheck

CHECKS = Limits(2, 10**7)
"""Matches, or throws of each number, on physics."""


@checked
def measure_odds(
    studies: Sequence[StudyResult | str | PathLike[str]],
    *,
    model: str | None = None,
    seed: Seed = 1,
    partial: bool = False,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
) -> Odds:
    """Measure the odds of a model on the throws of studies, and the error of rolls by them.

    Studies of pours give the landings by the number thrown; studies of knocks also give the
    knocks. They vary only `number`, models and, for knocks, `standing`.

    Args:
        studies: Results of `study`, or the folders of studies.
        model: Model whose odds are measured. Default: the only one thrown.
        seed: Root seed of the rolls by the odds that are compared with the throws.
        partial: Whether to use studies that are unfinished; the odds say so in their `source`.
        out: File to write, which ends in `.json`, for `play_match(odds=...)`.
        overwrite: Whether to replace an existing file.

    Returns:
        The odds; each of their `departures` is a total variation with its bounds.

    Raises:
        PigglesimError: If a folder is not a study or is unfinished, the studies do not fit
            together, or the file cannot be written.

    Examples:
        >>> import pigglesim
        >>> pours = pigglesim.study("pour", factors={"number": [1, 6]}, throws=12, seed=1)
        >>> pigglesim.measure_odds([pours], out="mine.json").departures
    """
    from pigglesim.experiments.odds import odds_of_study  # noqa: PLC0415 (imports games and agents)

    if out is not None:
        check_target(Path(out), ".json")
        expect_new(Path(out), overwrite=overwrite)
    folders = [each.folder if isinstance(each, StudyResult) else Path(each) for each in studies]
    if not folders:
        raise SpecError("no study to measure odds on", fix="use study('pour', ...)")
    definitions = [stored_study(folder) for folder in folders]
    shards = [*map(whole_shards, folders, definitions)]
    found = [
        results_of(*each, answers=False) for each in zip(folders, definitions, shards, strict=True)
    ]
    sources = [_odds_source(result, partial=partial) for result in found]
    kinds = {study.kind for study in definitions}
    single = any(kind.single for kind in kinds)
    with open_throws(*folders, shards=shards) as connection:
        odds = odds_of_study(
            connection,
            kind="drop" if single else "knock" if ThrowKind.KNOCK in kinds else "pour",
            model=model or _only_model(definitions),
            seed=root_seed(seed),
            source={"studies": [*sources]},
        )
    if out is not None:
        write_target(Path(out), odds_text(odds))
    return odds


def _odds_source(result: StudyResult, *, partial: bool) -> dict[str, Any]:
    """Return what identifies a study in its odds; it is finished unless `partial`."""
    folder, unfinished = result.folder, result.unfinished
    if unfinished and not partial:
        raise SpecError(
            f"the study in {folder} is {unfinished}",
            fix=f"finish it with pigglesim study --out {quote(str(folder))}, or add --partial",
        )
    definition = read_definition(folder)
    source = {key: definition[key] for key in ("digest", "study", "made_of")}
    return source | ({"unfinished": unfinished} if unfinished else {})


def _only_model(studies: Sequence[Study]) -> str:
    thrown = sorted(
        {word for study in studies for name in study.models for word in name.split(",")}
    )
    if len(thrown) > 1:
        raise SpecError(
            f"throws of several models: {' and '.join(thrown)}",
            fix=f"choose one with --model {thrown[0]}",
        )
    return load_model(thrown[0]).model


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CheckedOdds(StoppableResult):
    """Matches and throws on physics next to those by odds."""

    odds: Odds = field(repr=False)
    found: "OddsCheck" = field(repr=False)
    """Numbers on both sides, with 95 % intervals."""
    engine: str
    seed: int
    wanted: int
    """Matches and throws on physics that were requested."""

    @property
    def _progress(self) -> tuple[int, int, str]:
        return self.found.matches + self.found.throws, self.wanted, "matches and throws"

    def document(self) -> dict[str, Any]:
        """Return the numbers as JSON values; unknown values are None."""
        found: dict[str, Any] = plain(asdict(self.found))
        return found | {"unfinished": self.unfinished or None}


@checked
def check_odds(
    model: str = "piggle",
    *,
    odds: str | PathLike[str] | None = None,
    matches: Annotated[int, CHECKS] = 100,
    throws: Annotated[int | None, CHECKS] = None,
    seed: Seed = None,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> CheckedOdds:
    """Play and throw on physics and by odds.

    Matches are Classic, greedy against greedy; throws are of 1, 3 and 6 onto six that stand. By
    odds, each match and each throw is done ten times. No odds were measured on these throws. An
    interruption (Ctrl-C) ends the work early: what was done is compared.

    Args:
        model: Model: `piggle` or `premium`.
        odds: File of measured odds. Default: the model's.
        matches: Matches on physics.
        throws: Throws of each number on physics. Default: as many as matches.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called with the numbers of matches and throws done and wanted.

    Returns:
        Each number on both sides, with its interval.

    Raises:
        PigglesimError: If a name is unknown, or the file of odds is invalid.

    Examples:
        >>> import pigglesim
        >>> pigglesim.check_odds(matches=2, throws=3, seed=1).found.match["mean_score"]
    """
    from pigglesim.experiments.odds import (  # noqa: PLC0415 (imports games and agents)
        Check,
        OddsCheck,
        check_one_by_one,
    )

    name, root = engine or fastest_engine_name(), root_seed(seed)
    table = load_odds(str(odds or model))
    make_engine(name)  # raises if it is not installed
    compile_for("pours", engine=name)
    plan = Check(odds=table, matches=matches, throws=throws or matches, engine=name, seed=root)
    results, wanted = list["CheckResult"](), sum(1 for _ in plan.jobs())
    with suppress(KeyboardInterrupt), closing(check_one_by_one(plan, workers=workers)) as stream:
        for result in stream:
            results.append(result)
            if progress is not None:
                progress(len(results), wanted)
    found = OddsCheck.of(results)
    return CheckedOdds(odds=table, found=found, engine=name, seed=root, wanted=wanted)
