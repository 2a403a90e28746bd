"""`pigglesim tournament` and `balance`: series of matches, stored in folders that can grow."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.agents.registry import expect_named, own_flags
from pigglesim.api.balance import MATCHES, read_balance, run_balance
from pigglesim.api.balance import balance as find_balance
from pigglesim.api.tournament import PAIRS, run_tournament, settled_rules
from pigglesim.api.tournament import tournament as hold_tournament
from pigglesim.cli import consoles, options
from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.flags import ARGUMENT, Flag, command_here, documented_by, typed_values
from pigglesim.cli.progress import Work
from pigglesim.cli.records import read_position
from pigglesim.errors import SpecError
from pigglesim.experiments import tournament as tournaments
from pigglesim.experiments.balance import BALANCE, BalanceStudy
from pigglesim.experiments.balance_findings import Findings
from pigglesim.experiments.folder import SeriesFolder
from pigglesim.experiments.tournament import (
    Outcomes,
    Standings,
    Tournament,
    TournamentFolder,
    not_compared,
    standings,
)
from pigglesim.games.registry import find
from pigglesim.table.view import reason_words
from pigglesim.units import DASH, percent, plus_minus

if TYPE_CHECKING:
    from pigglesim.render.page import TextTable

_PAIRS = 100
_MATCHES = 200
_SHOWN = 4
"""Maximum number of agents shown below the bar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesRunFlags:
    """Flags for running and showing a series, which do not affect its results."""

    workers: options.Workers = None
    out: Annotated[
        Path | None, Flag(metavar="DIR"), "Folder of the results. Default: a new one here."
    ] = None
    level: options.Level = 0.95
    quiet: options.Quiet = False
    as_json: options.Json = False

    @contextmanager
    def watching(
        self,
        folder: SeriesFolder[Any, Any],
        *,
        unit: str,
        wanted: int,
        count: Callable[[int], int] = int,
        results: Callable[[], str] = lambda: "",
    ) -> Iterator[Callable[[SeriesFolder[Any, Any]], None]]:
        """Show the progress of a series while it is played; Ctrl-C ends it early.

        `count` converts a number of items to units, and `results` returns the results so far.
        """
        series = folder.definition
        for line in folder.notes:
            consoles.note(line)
        consoles.note_commands(not_compared(folder.made_of))
        if not self.quiet:
            consoles.note(f"{folder.path}, seed {series.seed}")
        existing, total = count(len(folder.items)), count(wanted)
        with Work(
            unit, "playing", total=total, existing=existing, quiet=self.quiet, stoppable=True
        ) as work:
            yield lambda grown: work.update(count(len(grown.items)), results=results)
        if work.stopped:
            saved = f"{len(folder.items):,} {folder.kind.items} are saved"
            own = own_flags(getattr(series, "game", ""), series.agents)
            resume = command_here(folder.kind.series, "--out", str(folder.path), *own)
            consoles.note(f"stopped; {saved}; to resume: {resume}")


def _expect_typed(stored: Sequence[str], values: Mapping[str, object]) -> None:
    """Raise SpecError if a folder names programs as agents, and the user does not."""
    for agent in stored:
        if "agents" not in values:
            expect_named(agent, flag="--agents", value=",".join(stored))


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFlags:
    """Flags for the agents and the game of a tournament."""

    agents: Annotated[
        str | None, options.AGENTS, "Agents, separated by commas. Default: uniform,greedy."
    ] = None
    game: options.Game = None
    players: options.Players = None
    team: Annotated[str | None, options.TEAM] = None
    position: options.Position = None
    chance: options.Chance = None
    odds: options.Odds = None
    scene: options.PhysicalScene = None
    engine: options.Engine = None
    seed: options.Seed = None
    records: Annotated[bool, "Save a record of each match."] = False
    time_limit: options.TimeLimit = None

    def resolve(
        self, rules: options.RuleFlags, out: Path | None, pairs: int | None
    ) -> tuple[Tournament, int]:
        """Return the tournament and its pairs; flags not typed come from the folder."""
        options.load_own_game(self.game)
        stored = None
        if out is not None and (out / "tournament.json").is_file():
            stored, stored_pairs = tournaments.series_of().stored(out)
        game = self.game or (stored.game if stored else "piggles_classic")
        switches = settled_rules(game, rules.table(), team=self.team, players=self.players)
        values = typed_values(
            self,
            agents=options.list_of(self.agents),
            players=None,
            team=None,
            position=read_position(self.position),
        )
        if switches or rules.given:
            values["house_rules"] = switches
        if stored:
            _expect_typed(stored.agents, values)
            # A flag that contradicts the folder is refused when the folder is opened.
            return replace(stored, **values), pairs or stored_pairs
        if "agents" not in values:
            raise SpecError(
                "no agents given" if out is None else f"no tournament in {out}",
                fix="use --agents uniform,greedy",
            )
        values.setdefault("seed", options.chosen_seed(None, values["agents"]))
        values.setdefault("chance", find(game).chances[-1])
        return Tournament(**values), pairs or _PAIRS


@documented_by(hold_tournament)
def tournament(
    *,
    flags: TournamentFlags,
    rules: options.RuleFlags,
    pairs: Annotated[int | None, PAIRS] = None,
    plot: options.Plot = None,
    running: SeriesRunFlags,
) -> None:
    """Let agents play in pairs of matches and rate them, with intervals.

    Every two agents meet in pairs: two matches with the same dice, seats swapped. Elo ratings are
    by Bradley and Terry; all intervals treat each pair as one observation. Piggles by odds and
    Piggy Six also have results without the luck of their throws. If interrupted (Ctrl-C, kill, full
    disk), repeat the command, or give --out DIR alone, to resume; a larger --pairs
    extends the tournament. The number of workers changes no bit. An agent that raises, returns an
    illegal action or exceeds --time-limit forfeits its match. --time-limit is wall clock time, so
    results under it need not repeat.

    Agents: uniform; greedy; threshold:3 (greedy that loads only for more than that many points);
    aim:back=4.7:height=2 (greedy that holds the cup there, in inches);
    expectimax:depth=1:samples=100:playouts=N; mcts:nodes=400, with :time=0.2 (seconds per
    decision), :explore=1, :playouts=N; the last two also with :rollout=uniform and :code=rules
    (no compiled code); or a program: my_agent.py:Class, module:Class or
    "cmd:python3 my_agent.py".

    Examples:
        pigglesim tournament --agents uniform,greedy --pairs 200 --seed 5
        pigglesim tournament --agents greedy,threshold:3,mcts:nodes=200 --workers 2 --out cup
        pigglesim tournament --out cup --json
        pigglesim tournament --out cup --plot cup.png
        pigglesim tournament --game piggles_modern --team rare --agents greedy,mcts --pairs 20
        pigglesim tournament --agents greedy,mcts --chance physical --pairs 20 --records --out felt
        pigglesim tournament --game piggy_six --agents greedy,best --position @end.txt
        pigglesim tournament --game pig_pile --players 4 --agents greedy,uniform
    """
    level = running.level
    definition, pairs = flags.resolve(rules, running.out, pairs)
    path = running.out or options.new_folder("tournaments", *definition.agents, definition.seed)
    result = run_tournament(
        definition,
        path,
        pairs=pairs,
        workers=options.chosen_workers(running.workers),
        level=level,
        watching=lambda folder: running.watching(
            folder,
            unit="pairs",
            wanted=pairs * len(definition.matchups),
            results=lambda: _in_short(folder, level),
        ),
    )
    if running.as_json:
        stopped = {"stopped": not result.finished, "folder": str(path)}
        consoles.print_json(result.document() | stopped)
    else:
        consoles.show_unfinished(result.unfinished)
        _show_standings(consoles.result_console(), result.standings, level=level)
    if plot is not None:
        result.save(plot)
    consoles.exit_if_stopped(not result.finished)


def _in_short(folder: TournamentFolder, level: float) -> str:
    ratings = standings(folder.definition, folder.items, level=level).agents
    texts = [f"{agent.name} {plus_minus(agent.elo, signed=True)}" for agent in ratings[:_SHOWN]]
    others = f", and {len(ratings) - _SHOWN} more" if len(ratings) > _SHOWN else ""
    return f"Elo: {', '.join(texts)}{others}"


def _show_standings(console: Console, ratings: Standings, *, level: float) -> None:
    """Print the ratings, the results of every pairing, and the reasons why matches ended."""
    signed, results = partial(plus_minus, signed=True), (">won", ">drawn", ">lost")
    rows = (
        (each.name, signed(each.elo), str(each.share), *_counts(each.outcomes),
         signed(each.score_difference))
        for each in ratings.agents
    )  # fmt: skip
    columns = ("agent", ">Elo", ">points", *results, ">score")
    console.print(consoles.word_table(*columns, rows=rows))
    if len(ratings.agents) > 2:
        rows = (
            (f"{each.first} - {each.second}", str(each.share), *_counts(each.outcomes),
             signed(each.elo_difference), signed(each.score_difference))
            for each in ratings.matchups
        )  # fmt: skip
        columns = ("against each other", ">points", *results, ">Elo apart", ">score")
        console.print()
        console.print(consoles.word_table(*columns, rows=rows))
    without_luck = consoles.word_table(
        *("without luck", ">points", ">narrower", ">score", ">narrower"),
        rows=(
            (f"{each.first} - {each.second}", str(less.points), _times(less.points_narrower),
             signed(less.lead) if less.lead else DASH, _times(less.lead_narrower))
            for each in ratings.matchups
            if (less := each.without_luck) is not None
        ),
    )  # fmt: skip
    if without_luck.rows:
        console.print()
        console.print(without_luck)
    matches = 2 * ratings.pairs
    ends = ", ".join(
        f"{percent(count / matches, places=1)} {reason_words(reason)}"
        for reason, count in ratings.reasons.items()
    )
    console.print(
        f"{ratings.pairs:,} pairs, {matches:,} matches; {percent(level)} intervals. Seat A made "
        f"{ratings.seat_a} of the points.\nEndings: {ends}.",
        style="dim",
    )
    for forfeit in ratings.forfeits:
        console.print(
            f"{forfeit.name} forfeited {forfeit.matches:,} of them: {forfeit.rule}, "
            f"{forfeit.cause}" + (f" ({forfeit.detail})" if forfeit.detail else ""),
            style="dim",
        )


def _times(narrower: float | None) -> str:
    return DASH if narrower is None else f"{narrower:.1f} times"


def _counts(outcomes: Outcomes) -> tuple[str, str, str]:
    return f"{outcomes.wins:,}", f"{outcomes.draws:,}", f"{outcomes.losses:,}"


balance = CommandLine()


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceFlags:
    """Flags for the comparisons of a balance study, and their matches."""

    game: Annotated[
        str | None, options.GAME, "Game: piggles_classic or piggles_modern. Default: both."
    ] = None
    agents: Annotated[
        str | None,
        options.AGENTS,
        "Agents, each against itself, separated by commas. Default: greedy.",
    ] = None
    parts: Annotated[str | None, Flag(metavar="PARTS")] = None
    factor: Annotated[
        list[str] | None,
        Flag(metavar="RULE=LEVELS"),
        "House rule to compare, such as rounds=6,4, or house_rules=a.toml,b.toml; repeatable.",
    ] = None
    chance: options.Chance = None
    scene: options.PhysicalScene = None
    engine: options.Engine = None
    seed: options.Seed = None

    def resolve(
        self, rules: options.RuleFlags, out: Path | None, matches: int | None
    ) -> tuple[BalanceStudy, int]:
        """Return the study and its trials; flags not typed come from the folder."""
        values = typed_values(
            self,
            game=None,
            games=options.list_of(self.game),
            agents=options.list_of(self.agents),
            parts=options.list_of(self.parts),
            factor=None,
            factors=options.rule_factors(self.factor or []),
        )
        if rules.given:
            values["house_rules"] = rules.table()
        if out is not None and (out / "balance.json").is_file():
            stored, stored_trials = BALANCE.stored(out)
            _expect_typed(stored.agents, values)
            # A flag that contradicts the folder is refused when the folder is opened.
            study = replace(stored, **values)
            return study, study.trials(matches) if matches else stored_trials
        table = BalanceStudy(seed=0).definition() | {"seed": options.chosen_seed(None)} | values
        study = BalanceStudy(**table)
        return study, study.trials(matches or _MATCHES)


@balance.callback(invoke_without_command=True)
@documented_by(find_balance)
def measure_balance(
    context: typer.Context,
    *,
    flags: BalanceFlags,
    rules: options.RuleFlags,
    matches: Annotated[int | None, MATCHES] = None,
    running: SeriesRunFlags,
) -> None:
    """Measure what each part of the game is worth.

    It measures the value of going first, of colours, runes and Premium Piggles; how long matches
    are, how they end, how often the lead changes and where points come from. An agent plays itself;
    different teams swap seats under the same dice, so equal teams differ by exactly zero. If
    interrupted, repeat the command, or give --out DIR alone, to resume; more --matches extend the
    study. The number of workers changes no bit.

    Parts: seats (equal teams: who begins, how matches go), teams (random teams: the value of each
    kind of Piggle), colour and rune (six of one against six without runes), premium (one or six in
    place of plain ones); or one of them, such as colour:red, rune:left, premium:6. Classic has
    only seats and premium. Each comparison plays --matches matches; seats play four times and
    teams eight times as many.

    --factor compares house rules: every level is played with the same seeds, and the differences
    come first. The width in parentheses shows what the common seeds gain: 0.80 is an interval 0.80
    times as wide as without them. Sets of rules in files are levels of the factor house_rules.

    Examples:
        pigglesim balance --matches 200 --seed 5
        pigglesim balance --agents greedy,uniform --matches 3000 --out large --workers 2
        pigglesim balance --game piggles_modern --parts colour,rune:across --matches 1000
        pigglesim balance --agents mcts:nodes=20 --parts seats --matches 100 --json
        pigglesim balance --factor rounds=6,4 --parts seats --matches 400
        pigglesim balance --factor house_rules=ours.toml,theirs.toml --game piggles_classic
        pigglesim balance report large
    """
    if context.invoked_subcommand is not None:
        return
    study, trials = flags.resolve(rules, running.out, matches)
    path = running.out or options.new_folder("balance", *study.agents, study.seed)
    result = run_balance(
        study,
        path,
        trials=trials,
        workers=options.chosen_workers(running.workers),
        level=running.level,
        watching=lambda folder: running.watching(
            folder, unit="matches", wanted=trials, count=study.matches_of
        ),
    )
    if running.as_json:
        stopped = {"stopped": not result.finished, "folder": str(path)}
        consoles.print_json(result.document() | stopped)
    else:
        consoles.show_unfinished(result.unfinished)
        _show_findings(consoles.result_console(), result.findings)
        consoles.say(f"report, pictures: {command_here('balance', 'report', str(path))}")
    consoles.exit_if_stopped(not result.finished)


def _show_findings(console: Console, results: Findings) -> None:
    """Print the findings of a study, table by table."""
    from pigglesim.render.balance_report import tables_of

    for _, tables in tables_of(results):
        for table in tables:
            if table.rows:
                console.print(_table(table))
                console.print()
    console.print(
        f"{results.trials:,} trials, {results.matches:,} matches; {percent(results.level)} "
        "intervals, in which each pair of matches is one observation.",
        style="dim",
    )


def _table(source: "TextTable") -> Table:
    """Return a table of a page as a table for the console."""
    texts, numbers = source.columns[: source.headings], source.columns[source.headings :]
    table = consoles.word_table(*texts, *(f">{name}" for name in numbers))
    table.title, table.title_justify = Text(source.caption, "bold"), "left"
    for row in source.rows:
        table.add_row(*map(Text, row))
    return table


@balance.command("report")
def report_balance(
    folder: Annotated[Path, ARGUMENT, Flag(metavar="DIR"), "Folder of a balance study."],
    level: options.Level = 0.95,
    as_json: options.Json = False,
) -> None:
    """Write the report of a balance study: a page and pictures.

    Examples:
        pigglesim balance report large
        pigglesim balance report large --level 0.99 --json
    """
    result = read_balance(folder, level=level)
    files = result.write_report()
    if as_json:
        paths = [str(file) for file in files]
        consoles.print_json({"files": paths, "unfinished": result.unfinished or None})
        return
    consoles.show_unfinished(result.unfinished)
    consoles.say(f"report: {files[0]}")
    consoles.say(
        f"pictures: {(len(files) - 1) // 2}, as PNG and SVG in {files[0].parent / 'pictures'}"
    )
