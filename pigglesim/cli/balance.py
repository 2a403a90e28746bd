"""How a balance study is shown: how far it is, and its findings as tables or JSON."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.api.result import plain
from pigglesim.balance.findings import findings
from pigglesim.balance.study import BalanceStudy
from pigglesim.balance.trial import BALANCE, open_folder, run
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.completions import AGENTS, CHANCE, GAME, SCENE
from pigglesim.cli.consoles import finish_undisturbed, print_json, progress_bar, result_console
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import (
    EngineOption,
    JsonOption,
    RuleFlags,
    SeedOption,
    WorkersOption,
    chosen_seed,
    chosen_workers,
)
from pigglesim.errors import SpecError
from pigglesim.render.balance_report import tables_of
from pigglesim.studies.folder import StoreError


class BalanceProgress:
    """Tells on standard error how far a study is.

    Args:
        study: What is played.
        kept: Trials that were there before.
        trials: Wanted.
        quiet: Whether to tell nothing.
    """

    def __init__(self, study: Any, *, kept: int, trials: int, quiet: bool) -> None:  # noqa: ANN401 (late imports)
        self._study = study
        self._before = study.matches_of(kept)
        self._bar = progress_bar("matches", quiet=quiet)
        # What was there before is no work of this run: neither its rate nor its time left.
        total = max(0, study.matches_of(trials) - self._before)
        name = f"playing, {self._before:,} kept" if kept else "playing"
        self._task = self._bar.add_task(name, total=total)

    def __enter__(self) -> "BalanceProgress":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, folder: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        done = self._study.matches_of(len(folder.items)) - self._before
        self._bar.update(self._task, completed=done)


def show(console: Console, study: Any, trials: Sequence[Any], *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Print what a study has found, table by table."""
    found = findings(study, trials, level=level)
    for _, tables in tables_of(found):
        for each in tables:
            if each.rows:
                console.print(_table(each))
                console.print()
    console.print(
        f"{found.trials:,} trials, {found.matches:,} matches; {level:.0%} intervals, pairs of "
        "matches being one draw.",
        style="dim",
    )


def _table(told: Any) -> Table:  # noqa: ANN401 (a table of words)
    """Return a table of words; headings that are the same in all rows go to the title."""
    table = Table(
        box=None, pad_edge=False, header_style="bold", title_justify="left", title_style="bold"
    )
    same = [
        place
        for place in range(told.headings)
        if len(told.rows) > 1 and len({row[place] for row in told.rows}) == 1
    ]
    table.title = Text(", ".join([told.caption, *(told.rows[0][place] for place in same)]))
    for place, name in enumerate(told.columns):
        if place not in same:
            table.add_column(Text(name), justify="left" if place < told.headings else "right")
    for row in told.rows:
        table.add_row(*(Text(word) for place, word in enumerate(row) if place not in same))
    return table


def document(
    path: Path,
    study: Any,  # noqa: ANN401 (a BalanceStudy)
    trials: Sequence[Any],
    *,
    level: float,
    stopped: bool,
) -> dict[str, Any]:
    """Return all of it as plain values; what is not known is None."""
    found = findings(study, trials, level=level) if trials else None
    return {
        "folder": str(path),
        "balance": study.definition(),
        "stopped": stopped,
        "trials": len(trials),
        "findings": plain(asdict(found)) if found else None,
    }


_MATCHES = 200


balance = CommandLine()


@balance.callback(invoke_without_command=True)
def study(
    context: typer.Context,
    *,
    game: Annotated[
        str | None, GAME, "Game: piggles_classic or piggles_modern. Default: both."
    ] = None,
    matches: Annotated[
        int | None, Flag(low=2, high=10_000_000), "Matches per comparison. Default: 200."
    ] = None,
    agents: Annotated[
        str | None, AGENTS, "Agents that play themselves, separated by commas. Default: greedy."
    ] = None,
    parts: Annotated[
        str | None,
        Flag(metavar="PARTS"),
        "Parts of the study, separated by commas: seats, teams, colour, rune, premium. "
        "Default: all.",
    ] = None,
    chance: Annotated[
        str | None,
        CHANCE,
        "Source of rolls: tabular (measured odds) or physical. Default: tabular.",
    ] = None,
    scene: Annotated[
        str | None, SCENE, "Scene of --chance physical: a name or a TOML file. Default: the game's."
    ] = None,
    engine: EngineOption = None,
    rules: RuleFlags,
    seed: SeedOption = None,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        Flag(metavar="DIR"),
        "Folder of the balance study. Default: a new one in ./balance.",
    ] = None,
    level: Annotated[float, "Confidence level of the intervals."] = 0.95,
    quiet: Annotated[bool, "Show no progress."] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure what each part of the game is worth.

    It measures the value of going first, of colours, runes and Premium Piggles; how long matches
    are, how they end, how often the lead changes and where points come from. An agent plays itself;
    different teams swap seats under the same dice, so equal teams differ by exactly zero. If
    interrupted, repeat the command, or give --out DIR alone, to resume; more --matches extend the
    study. The number of workers changes no bit.

    Parts: seats (equal teams: who begins, how matches go), teams (random teams: what each kind of
    Piggle is worth in them), colour and rune (six of one against six without runes), premium (one
    or six in the place of plain ones); or one of them, such as colour:red, rune:left, premium:6.
    Classic has seats and premium alone. Of each comparison --matches are played, of seats four
    times and of teams eight times as many.

    Examples:
        pigglesim balance --matches 200 --seed 5
        pigglesim balance --agents greedy,uniform --matches 3000 --out large --workers 2
        pigglesim balance --game piggles_modern --parts colour,rune:across --matches 1000
        pigglesim balance --agents mcts:nodes=20 --parts seats --matches 100 --json
        pigglesim balance report large
    """
    if context.invoked_subcommand is not None:
        return
    given = {
        "games": [game] if game else None,
        "agents": _words(agents),
        "parts": _words(parts),
        "house_rules": rules.table() or None,
        "chance": chance,
        "scene": scene,
        "engine": engine,
        "seed": None if seed is None else chosen_seed(seed),
    }
    given = {name: value for name, value in given.items() if value is not None}
    study, trials = _asked(given, out, matches)
    path = out or Path("balance") / f"{'-'.join(study.agents)[:40].replace(':', '-')}-{study.seed}"
    try:
        code = _run(
            study, trials, path, workers or 0, _checked(level), quiet=quiet, as_json=as_json
        )
    except StoreError as fault:
        print(f"pigglesim: {fault}", file=sys.stderr)
        code = 1
    if code:
        raise typer.Exit(code)


def _words(text: str | None) -> list[str] | None:
    return [word.strip() for word in text.split(",") if word.strip()] if text else None


def _checked(level: float) -> float:
    if not 0.5 <= level < 1.0:
        raise SpecError("a level from 0.5 to below 1", got=str(level), remedy="--level 0.95")
    return level


def _asked(given: dict[str, Any], out: Path | None, matches: int | None) -> tuple[Any, int]:
    """Return the study asked for, and its trials; what only the folder knows is taken there."""
    if out and (out / "balance.json").is_file():
        stored, before = BALANCE.stored(out)
        # A flag that says otherwise than the folder is refused when that is opened.
        study = replace(stored, **given)
        return study, study.trials(matches) if matches else before
    table = BalanceStudy(seed=0).definition() | {"seed": chosen_seed(None)} | given
    study = BalanceStudy(**table)
    return study, study.trials(matches or _MATCHES)


def _run(
    study: Any,  # noqa: ANN401 (a BalanceStudy)
    trials: int,
    path: Path,
    workers: int,
    level: float,
    *,
    quiet: bool,
    as_json: bool,
) -> int:
    """Play what is missing, show what was found, and return the exit status."""
    stopped = False
    with open_folder(path, study, trials=trials) as folder:
        for note in folder.notes:
            print(f"pigglesim: {note}", file=sys.stderr)
        if not quiet:
            print(f"pigglesim: {path}, seed {study.seed}", file=sys.stderr)
        kept = len(folder.items)
        try:
            with BalanceProgress(study, kept=kept, trials=trials, quiet=quiet) as watch:
                run(folder, study, trials=trials, workers=chosen_workers(workers), watch=watch)
        except KeyboardInterrupt:
            finish_undisturbed()
            stopped = True
        if stopped:
            print(
                f"pigglesim: stopped; {len(folder.items):,} trials are kept; "
                f"to go on: pigglesim balance --out {path}",
                file=sys.stderr,
            )
        if as_json:
            print_json(document(path, study, folder.items, level=level, stopped=stopped))
        elif folder.items:
            show(result_console(), study, folder.items, level=level)
            print(f"report, pictures: pigglesim balance report {path}")
    return 130 if stopped else 0


@balance.command()
def report(
    folder: Annotated[Path, WORD, Flag(metavar="DIR"), "Folder of a balance study."],
    level: Annotated[float, "Confidence level of the intervals."] = 0.95,
    as_json: JsonOption = False,
) -> None:
    """Write the report of a balance study: a page and pictures.

    Examples:
        pigglesim balance report large
        pigglesim balance report large --level 0.99 --json
    """
    from pigglesim.render.balance_report import write_balance_report

    study, wanted = BALANCE.stored(folder)
    trials = BALANCE.stored_items(folder)
    if not trials:
        raise SpecError("trials to report", got=f"none in {folder}", remedy="run the study first")
    games = " and ".join(name.replace("piggles_", "").capitalize() for name in study.games)
    unfinished = " (unfinished)" if len(trials) < wanted else ""
    files = write_balance_report(
        folder,
        findings=findings(study, trials, level=_checked(level)),
        metadata={
            "title": f"The balance of {games}{unfinished}",
            "trials": f"{len(trials):,} of {wanted:,}",
            "balance": study.definition(),
        },
    )
    if as_json:
        print_json({"files": [str(file) for file in files]})
        return
    print(f"report: {files[0]}")
    print(f"pictures: {(len(files) - 1) // 2}, as PNG and SVG in {files[0].parent / 'pictures'}")
