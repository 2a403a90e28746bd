"""Balance studies: what seats, colours, runes, models and house rules are worth."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from pigglesim.arguments import StoppableResult, checked, given, plain
from pigglesim.errors import SpecError
from pigglesim.experiments.balance import BALANCE, BalanceStudy, ScoreTable, Trial
from pigglesim.experiments.balance_findings import Findings, findings
from pigglesim.experiments.folder import SeriesFolder
from pigglesim.experiments.tournament import not_compared
from pigglesim.limits import LEVEL, Limits
from pigglesim.rng import Seed, root_seed

MATCHES = Limits(2, 10**7)
"""Matches per comparison."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BalanceResult(StoppableResult):
    """Findings of a balance study so far; every number has its interval."""

    study: BalanceStudy
    """Its games, agents, parts, rules and seed."""
    findings: Findings = field(repr=False)
    wanted: int
    """Number of trials that were requested."""
    not_compared: tuple[str, ...] = ()
    """Agents whose code is not known, so that no digest shows whether it has changed."""
    folder: Path | None = None
    """Folder of the trials, if they are stored."""

    @property
    def _progress(self) -> tuple[int, int, str]:
        played, wanted = map(self.study.matches_of, (self.findings.trials, self.wanted))
        return played, wanted, "matches"

    def document(self) -> dict[str, Any]:
        """Return the findings as JSON values; unknown values are None."""
        return {
            "balance": self.study.definition(),
            "unfinished": self.unfinished or None,
            "not_compared": list(self.not_compared),
            "trials": self.findings.trials,
            "findings": plain(asdict(self.findings)),
        }

    def write_report(self) -> list[Path]:
        """Write a page and its pictures into the folder; return them, the page first.

        Raises:
            SpecError: If the study has no folder, or it cannot be written.
        """
        from pigglesim.render.balance_report import write_balance_report  # noqa: PLC0415 (draws)

        if self.folder is None:
            raise SpecError("no folder for the report", fix="use balance(out='fair')")
        names = (name.replace("piggles_", "").capitalize() for name in self.study.games)
        return write_balance_report(
            self.folder,
            findings=self.findings,
            metadata={
                "title": f"The balance of {' and '.join(names)}",
                "trials": f"{self.findings.trials:,} of {self.wanted:,}",
                "balance": self.study.definition(),
            },
            unfinished=self.unfinished,
        )

    def __repr__(self) -> str:
        matches = f"{self.findings.matches:,} matches{'' if self.finished else ', unfinished'}"
        parts = [*self.study.games, *self.study.agents, matches, f"seed {self.study.seed}"]
        return f"BalanceResult({'; '.join(parts)})"


@checked
def balance(
    games: Sequence[str] = ("piggles_classic", "piggles_modern"),
    *,
    agents: Sequence[str] = ("greedy",),
    parts: Sequence[str] = (),
    factors: Mapping[str, Sequence[Any] | Mapping[str, Any]] | None = None,
    house_rules: Mapping[str, Any] | None = None,
    matches: Annotated[int, MATCHES] = 200,
    chance: Literal["physical", "tabular"] = "tabular",
    scene: str | None = None,
    engine: str | None = None,
    seed: Seed = None,
    out: str | PathLike[str] | None = None,
    workers: int = 1,
    level: Annotated[float, LEVEL] = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> BalanceResult:
    """Measure what each part of a game of Piggles is worth, by matches of an agent with itself.

    An interruption (Ctrl-C) ends the run early: the trials played so far are reported and saved.
    The number of workers changes no bit.

    Args:
        games: `piggles_classic`, `piggles_modern` or both.
        agents: Names of agents, each against itself.
        parts: Parts of the study: `seats`, `teams`, `colour`, `rune`, `premium`, or one level of
            them, such as `rune:left`. Default: all.
        factors: House rules to compare, such as `{"rounds": [6, 4]}`; levels of several rules are
            mappings by name: `{"ours": {"short": {"rounds": 4, "mud_delay": "none"}, ...}}`.
        house_rules: House rules of all matches.
        matches: Matches per comparison; seats play four times and teams eight times as many.
            Default: 200.
        chance: Source of rolls.
        scene: Table of `physical` chance.
        engine: Engine of `physical` chance.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        out: Folder to store trials in; an existing study there is resumed.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        level: Confidence level of the intervals.
        progress: Function called after each trial with the numbers of matches played and wanted.

    Returns:
        The findings.

    Raises:
        PigglesimError: If a name or a value is invalid, or the folder holds another study, is in
            use or cannot be written.

    Examples:
        >>> import pigglesim
        >>> pigglesim.balance(["piggles_classic"], parts=["seats"], matches=4, seed=1).finished
        True
    """
    study = BalanceStudy(
        games=tuple(games),
        agents=tuple(agents),
        parts=tuple(parts),
        factors={name: _levels(name, levels) for name, levels in (factors or {}).items()},
        house_rules=dict(house_rules or {}),
        chance=chance,  # type: ignore[arg-type]  # the study converts it
        seed=root_seed(seed),
        **given(scene=scene, engine=engine),
    )
    trials = study.trials(matches)

    def on_progress(folder: BalanceFolder) -> None:
        if progress is not None:
            progress(study.matches_of(len(folder.items)), study.matches_of(trials))

    temporary = TemporaryDirectory(prefix="pigglesim-") if out is None else nullcontext(out)
    with temporary as folder:
        result = run_balance(
            study,
            Path(folder),
            trials=trials,
            workers=workers,
            level=level,
            watching=lambda _: nullcontext(on_progress),
        )
    return result if out is not None else replace(result, folder=None)


def _levels(rule: str, levels: Sequence[Any] | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the house rules of each level of a factor, by the name of the level."""
    if isinstance(levels, Mapping):
        return levels
    return {str(level): {rule: level} for level in levels}


BalanceFolder = SeriesFolder[BalanceStudy, Trial]
Watching = Callable[[BalanceFolder], AbstractContextManager[Callable[[BalanceFolder], None]]]
"""Function called with the folder; its context is that of the work, and gives what watches it."""


def run_balance(
    study: BalanceStudy,
    folder: Path,
    *,
    trials: int,
    workers: int = 1,
    level: float,
    watching: Watching,
) -> BalanceResult:
    """Play every trial that is missing from a folder, and return the findings so far.

    Raises:
        KeyboardInterrupt: If it is stopped before the first trial.
    """
    made_of = ScoreTable(study).made_of()
    with SeriesFolder(folder, BALANCE, study, made_of, wanted=trials) as opened:
        with suppress(KeyboardInterrupt), watching(opened) as watch:
            opened.play(partial(ScoreTable, study), wanted=trials, workers=workers, watch=watch)
        if not opened.items:
            raise KeyboardInterrupt
        return BalanceResult(
            study=study,
            findings=findings(study, opened.items, level=level),
            wanted=trials,
            not_compared=not_compared(opened.made_of),
            folder=folder,
        )


def read_balance(folder: Path, *, level: float = 0.95) -> BalanceResult:
    """Return the findings of the trials in a folder.

    Raises:
        PigglesimError: If it is not the folder of a balance study, or has no trials.
    """
    study, wanted = BALANCE.stored(folder)
    trials = BALANCE.stored_items(folder)
    if not trials:
        raise SpecError(f"no trials in {folder}", fix="run the study first")
    found = findings(study, trials, level=level)
    return BalanceResult(study=study, findings=found, wanted=wanted, folder=folder)
