"""How a tournament is shown: the standings while it runs, and as tables or JSON at the end."""

import math
import re
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from pigglesim.api.result import plain
from pigglesim.api.tournament import player_settings, save_chart, team_settings
from pigglesim.cli.completions import AGENTS, CHANCE, SCENE, TEAM
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import (
    EngineOption,
    GameOption,
    JsonOption,
    PlayersOption,
    RuleFlags,
    SeedOption,
    WorkersOption,
    chosen_seed,
    chosen_workers,
)
from pigglesim.cli.study import rounded
from pigglesim.errors import SpecError
from pigglesim.games.registry import find
from pigglesim.studies.folder import StoreError
from pigglesim.studies.worker_pool import WorkersError
from pigglesim.tournaments.standings import standings
from pigglesim.tournaments.tournament import (
    Tournament,
    TournamentFolder,
    TournamentSettings,
    run,
    stored_tournament,
)

_EVERY = 1.0
"""Seconds between two looks at the standings."""
_SHOWN = 4
"""Agents that are shown below the bar."""


class TournamentProgress:
    """Tells on standard error how far a tournament is, and how agents stand by then.

    Args:
        folder: Of the tournament.
        pairs: Wanted of every two agents.
        level: Of the intervals.
        quiet: Whether to tell nothing.
    """

    def __init__(self, folder: Any, *, pairs: int, level: float, quiet: bool) -> None:  # noqa: ANN401 (late imports)
        self._kept = len(folder.pairs)
        self._level = level
        self._quiet = quiet
        self._bar = progress_bar("pairs", quiet=quiet)
        # What was there before is no work of this run: neither its rate nor its time left.
        total = max(0, pairs * len(folder.tournament.matchups) - self._kept)
        name = f"playing, {self._kept:,} kept" if self._kept else "playing"
        self._task = self._bar.add_task(name, total=total)
        self._looked = -math.inf

    def __enter__(self) -> "TournamentProgress":
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(self, *fault: object) -> None:
        """Leave the bar as it is."""
        self._bar.stop()

    def __call__(self, folder: Any) -> None:  # noqa: ANN401 (late imports)
        """Take in how far it is."""
        changes: dict[str, Any] = {"completed": len(folder.pairs) - self._kept}
        now = time.monotonic()
        if not self._quiet and now - self._looked >= _EVERY:
            changes["told"] = self._told(folder)
            self._looked = time.monotonic()
        self._bar.update(self._task, **changes)

    def _told(self, folder: Any) -> str:  # noqa: ANN401 (late imports)
        found = standings(folder.tournament, folder.pairs, level=self._level)
        words = [f"{each.name} {rounded(each.elo, signed=True)}" for each in found.agents]
        more = f", and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
        return f"Elo: {', '.join(words[:_SHOWN])}{more}"


def show(console: Console, folder: Any, *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Print how agents stand, how every two met, and why matches ended."""
    found = standings(folder.tournament, folder.pairs, level=level)
    table = word_table("agent", ">Elo", ">points", ">won", ">drawn", ">lost", ">score")
    for each in found.agents:
        table.add_row(
            each.name,
            rounded(each.elo, signed=True),
            _share(each.share),
            *_counts(each.outcomes),
            rounded(each.score_difference, signed=True),
        )
    console.print(table)
    if len(found.agents) > 2:
        console.print()
        console.print(_meetings(found))
    matches = 2 * found.pairs
    ends = ", ".join(f"{name} {count / matches:.1%}" for name, count in found.reasons.items())
    console.print(
        f"{found.pairs:,} pairs, {matches:,} matches; {level:.0%} intervals. Seat A made "
        f"{_share(found.seat_a)} of the points. Ended by {ends}.",
        style="dim",
    )
    for lost in found.forfeits:
        console.print(
            f"{lost.name} forfeited {lost.matches:,} of them: {lost.rule}, {lost.cause}",
            style="dim",
        )


def draw(folder: Any, file: Path, *, level: float) -> None:  # noqa: ANN401 (late imports)
    """Draw ratings and shares into a PNG or SVG file."""
    found = standings(folder.tournament, folder.pairs, level=level)
    save_chart(folder.tournament, found, file, level=level)


def _meetings(found: Any) -> Table:  # noqa: ANN401 (Standings)
    numbers = (">points", ">won", ">drawn", ">lost", ">Elo apart", ">score")
    table = word_table("against each other", *numbers)
    for each in found.matchups:
        table.add_row(
            f"{each.first} - {each.second}",
            _share(each.share),
            *_counts(each.outcomes),
            rounded(each.elo_difference, signed=True),
            rounded(each.score_difference, signed=True),
        )
    return table


def _counts(outcomes: Any) -> tuple[str, str, str]:  # noqa: ANN401 (Outcomes)
    return f"{outcomes.wins:,}", f"{outcomes.draws:,}", f"{outcomes.losses:,}"


def _share(share: Any) -> str:  # noqa: ANN401 (Share)
    if not math.isfinite(share.value):
        return "-"
    return f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def document(folder: Any, *, level: float, kept: int, stopped: bool) -> dict[str, Any]:  # noqa: ANN401 (late imports)
    """Return all of it as plain values; what is not known is None."""
    found = standings(folder.tournament, folder.pairs, level=level) if folder.pairs else None
    return {
        "folder": str(folder.path),
        "digest": folder.digest,
        "tournament": folder.tournament.definition(),
        "stopped": stopped,
        "pairs": len(folder.pairs),
        "pairs_kept": kept,
        "pairs_made": len(folder.pairs) - kept,
        "standings": plain(asdict(found)) if found else None,
    }


_PAIRS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFlags:
    """The flags that tell who plays what."""

    agents: Annotated[
        str | None, AGENTS, "Agents, separated by commas. Default: uniform,greedy."
    ] = None
    game: GameOption = None
    players: PlayersOption = None
    team: Annotated[
        str | None, TEAM, "Markings of both teams in Modern: a team or its TOML file."
    ] = None
    chance: Annotated[
        str | None,
        CHANCE,
        "Source of rolls: tabular (measured odds), physical or fair (dice and cards). "
        "Default: the game's quickest.",
    ] = None
    odds: Annotated[
        str | None,
        "Odds of --chance tabular and of the agents: a file written by `study odds`. "
        "Default: those of the model.",
    ] = None
    scene: Annotated[
        str | None, SCENE, "Scene of --chance physical: a name or a TOML file. Default: the game's."
    ] = None
    engine: EngineOption = None
    seed: SeedOption = None
    records: Annotated[bool, "Save a record of each match."] = False
    time_limit: Annotated[
        float | None, "Time limit of a decision; a slower agent forfeits. Default: none. [s]"
    ] = None

    def given(self, rules: RuleFlags) -> dict[str, Any]:
        """Return what was told, by the names that a tournament has for it."""
        agents = [name.strip() for name in self.agents.split(",")] if self.agents else None
        switches = (
            rules.table()
            | team_settings(self.team)
            | player_settings(self.game or "piggles_classic", self.players)
        )
        told = {
            "agents": agents,
            "game": self.game,
            "house_rules": switches or None,
            "chance": self.chance,
            "odds": self.odds,
            "scene": self.scene,
            "engine": self.engine,
            "seed": None if self.seed is None else chosen_seed(self.seed),
            "records": self.records or None,
            "time_limit": self.time_limit,
        }
        return {name: value for name, value in told.items() if value is not None}


def tournament(
    *,
    flags: TournamentFlags,
    rules: RuleFlags,
    pairs: Annotated[
        int | None, Flag(low=1, high=10_000_000), "Pairs of matches per pairing. Default: 100."
    ] = None,
    workers: WorkersOption = None,
    out: Annotated[
        Path | None,
        Flag(metavar="DIR"),
        "Folder of the tournament. Default: a new one in ./tournaments.",
    ] = None,
    plot: Annotated[Path | None, "Plot of ratings and shares, a .png or .svg file."] = None,
    level: Annotated[float, "Confidence level of the intervals."] = 0.95,
    quiet: Annotated[bool, "Show no progress."] = False,
    as_json: JsonOption = False,
) -> None:
    """Let agents play in pairs of matches and rate them, with intervals.

    Every two agents meet in pairs: two matches with the same dice, seats swapped. Elo ratings are
    by Bradley and Terry; all intervals treat each pair as one observation. If interrupted (Ctrl-C,
    kill, full disk), repeat the command, or give --out DIR alone, to resume; a larger --pairs
    extends the tournament. The number of workers changes no bit. An agent that raises, returns an
    illegal action or exceeds --time-limit forfeits its match. --time-limit is wall clock time, so
    results under it need not repeat.

    Agents: uniform; greedy; threshold:3 (greedy that loads only for more than that many points);
    expectimax:depth=1:samples=100:playouts=N; mcts:nodes=400, with :time=0.2 (seconds per
    decision), :explore=1, :playouts=N; the last two also with :rollout=uniform.

    Examples:
        pigglesim tournament --agents uniform,greedy --pairs 200 --seed 5
        pigglesim tournament --agents greedy,threshold:3,mcts:nodes=200 --workers 2 --out cup
        pigglesim tournament --out cup --json
        pigglesim tournament --out cup --plot cup.png
        pigglesim tournament --game piggles_modern --team rare --agents greedy,mcts --pairs 20
        pigglesim tournament --agents greedy,mcts --chance physical --pairs 20 --records --out felt
        pigglesim tournament --game pig_pile --players 4 --agents greedy,uniform
    """
    if plot is not None and plot.suffix.lower() not in {".png", ".svg"}:
        raise SpecError("a picture file: .png or .svg", got=repr(plot.name), remedy="elo.png")
    if not 0.5 <= level < 1.0:
        raise SpecError("a level from 0.5 to below 1", got=str(level), remedy="--level 0.95")
    given = flags.given(rules)
    asked, count = _asked(given, out, pairs)
    try:
        code = _run(asked, count, out, workers or 0, level, plot, quiet=quiet, as_json=as_json)
    except (StoreError, WorkersError) as fault:
        print(f"pigglesim: {fault}", file=sys.stderr)
        code = 1
    if code:
        raise typer.Exit(code)


def _asked(given: dict[str, Any], out: Path | None, pairs: int | None) -> tuple[Any, int]:
    """Return the tournament asked for, and the pairs; what only the folder knows is taken there."""
    there = stored_tournament(out) if out and (out / "tournament.json").is_file() else None
    if there is not None:
        stored, before = there
        # A flag that says otherwise than the folder is refused when that is opened.
        return replace(stored, **given), pairs or before
    if "agents" not in given:
        raise SpecError(
            "agents, or a folder of a tournament",
            got="neither" if out is None else f"no tournament in {out}",
            remedy="--agents uniform,greedy",
        )
    name = str(given.get("game", "piggles_classic"))
    table: dict[str, Any] = {"seed": chosen_seed(None), "chance": find(name).chances[-1]} | given
    return Tournament(**table), pairs or _PAIRS


def _run(
    asked: Any,  # noqa: ANN401 (a Tournament)
    pairs: int,
    out: Path | None,
    workers: int,
    level: float,
    plot: Path | None,
    *,
    quiet: bool,
    as_json: bool,
) -> int:
    """Play what is missing, show how agents stand, and return the exit status."""
    made_of = TournamentSettings(asked).made_of()
    path = out or Path("tournaments") / _folder_name(asked)
    stopped = False
    with TournamentFolder(path, asked, made_of, pairs=pairs) as folder:
        for note in folder.notes:
            print(f"pigglesim: {note}", file=sys.stderr)
        if not quiet:
            print(f"pigglesim: {path}, seed {asked.seed}", file=sys.stderr)
        kept = len(folder.pairs)
        try:
            with TournamentProgress(folder, pairs=pairs, level=level, quiet=quiet) as watch:
                run(folder, pairs=pairs, workers=chosen_workers(workers), watch=watch)
        except KeyboardInterrupt:
            finish_undisturbed()
            stopped = True
        if stopped:
            print(
                f"pigglesim: stopped; {len(folder.pairs):,} pairs are kept; "
                f"to go on: pigglesim tournament --out {path}",
                file=sys.stderr,
            )
        if as_json:
            print_json(document(folder, level=level, kept=kept, stopped=stopped))
        elif folder.pairs:
            show(result_console(), folder, level=level)
        if plot is not None and folder.pairs:
            draw(folder, plot, level=level)
    return 130 if stopped else 0


def _folder_name(asked: Any) -> str:  # noqa: ANN401 (a Tournament)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", "-".join(asked.agents))[:60]
    return f"{name}-{asked.seed}"
