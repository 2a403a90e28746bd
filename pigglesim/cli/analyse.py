"""`pigglesim analyse`: the win probability of a recorded match, and its worst decisions.

With `--position`, the win probability after each action at a position.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.api.analyse import analyse as analyse_match
from pigglesim.api.analyse import analyse_actions, analyse_position
from pigglesim.api.analysis_report import AnalysisResult, DecisionAnalysis
from pigglesim.api.holds import HoldValue, hold_values
from pigglesim.api.sources import is_physical
from pigglesim.cli import consoles, options, records
from pigglesim.cli.drawing import report_written
from pigglesim.cli.flags import ARGUMENT, Flag, command_here, documented_by, refuse_idle
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.durable_io import check_target, expect_new
from pigglesim.errors import SpecError
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.values import EXACT
from pigglesim.games.registry import is_own_game
from pigglesim.match.entries import MatchRecord
from pigglesim.match.record import LocatedRecord, expect_record_name
from pigglesim.units import MINUS

_MAX_ROWS = 40
"""Maximum decisions of a match whose table lists all of them."""
_ROWS = 11
"""Height of the curve [lines]: a line is a tenth of the win."""
_AXIS = 6
"""Width of the scale left of the curve [columns]."""
_BARS = " ▁▂▃▄▅▆▇█"
"""Bars of a line of text: an eighth of the win each."""


_AT_POSITION = Flag(needs=("position",))
_RECORD_FLAGS = {"file", "record", "svg", "html", "out", "holds"}
"""Flags for a record, which have no effect on a position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionFlags:
    """Flags for a position to analyse instead of a record."""

    position: Annotated[
        str | None,
        Flag(metavar="POSITION"),
        "State to analyse instead of a record, as for `match`: text, @FILE, or @RECORD:N.",
    ] = None
    game: Annotated[
        str | None,
        options.GAME,
        "Game of --position, as for `match`; or your own that the record names. Default: "
        "piggles_classic.",
    ] = None
    players: Annotated[int | None, _AT_POSITION, "Number of players."] = None
    team_a: Annotated[
        str | None, options.TEAM_OR_MODEL, _AT_POSITION, "Team of A, as for `match`."
    ] = None
    team_b: Annotated[
        str | None, options.TEAM_OR_MODEL, _AT_POSITION, "Team of B, as for `match`."
    ] = None
    rule: Annotated[
        list[str] | None,
        Flag("--rule", "--house-rule", metavar="NAME=VALUE", needs=("position",)),
        "House rule, such as mud_delay=none; repeatable.",
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisFlags:
    """Flags for the values of matches and positions alike."""

    agent: Annotated[str | None, options.AGENT] = None
    playouts: Annotated[int | None, Flag(low=1, high=10**7)] = None
    chance: options.Chance = None
    odds: options.Odds = None
    workers: options.Workers = None
    seed: options.Seed = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the functions of Python."""
        seed, workers = options.chosen_seed(self.seed), options.chosen_workers(self.workers)
        return asdict(self) | {"seed": seed, "workers": workers}


@documented_by(analyse_match)
def analyse(
    context: typer.Context,
    file: Annotated[
        Path | None, ARGUMENT, "Record written by `match --out` or `replay --write`."
    ] = None,
    record: options.Record = None,
    *,
    position: PositionFlags,
    flags: AnalysisFlags,
    worst: Annotated[int, Flag(low=0, high=1000), "Number of worst decisions to mark."] = 3,
    svg: Annotated[Path | None, Flag(suffixes=(".svg",)), "Win-probability curve, a .svg."] = None,
    holds: Annotated[
        int | None,
        Flag(low=5, high=10_000),
        "Throws of each own hold of the cup, to split its luck into hold and fall; for physics.",
    ] = None,
    html: Annotated[
        Path | None, Flag(suffixes=(".html",)), "Page with curve, worst decisions and boards."
    ] = None,
    out: Annotated[
        Path | None, "File to write the record to with the findings as comments; text if .txt."
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Find where a recorded match was lost, decision by decision.

    With --position, every action at that position is valued.

    At each decision an agent finds the best action. Fresh playouts then value that action and the
    one played: the win probability of the player to move, with 95 % intervals. The difference is
    the loss; it counts if it exceeds twice its noise. Losses and luck add up to the result. Solved
    games (Piggy Six) and listed dice have exact values.

    Values are as the player to move saw the game: hidden information is sampled.

    Piggles by odds take seconds, other games minutes. --chance physical simulates every roll of the
    playouts, which takes minutes on all --workers. Ctrl-C shows the decisions analysed so far.

    Examples:
        pigglesim analyse match.jsonl
        pigglesim analyse match.jsonl --html analysis.html --svg curve.svg
        pigglesim analyse match.jsonl --out analysed.txt
        pigglesim analyse match.jsonl --agent mcts:nodes=2000 --playouts 1e5
        pigglesim analyse many.jsonl --record 17 --json
        pigglesim analyse match.jsonl --chance physical --workers 4
        pigglesim analyse match.jsonl --holds 100
        pigglesim analyse --game piggy_six --position "bank=60,95 active=A round=9"
        pigglesim analyse --position @match.jsonl:9
    """
    options.load_own_game(position.game)
    if position.position is not None:
        refuse_idle(context, _RECORD_FLAGS, why="--position is no record")
        _show_position(position, flags, as_json=as_json)
        return
    if position.game is not None and not is_own_game(position.game):
        raise SpecError("--game has no effect with a record", fix="leave it out")
    if file is None:
        raise SpecError("no record to analyse", fix="name its file, or use --position")
    targets = _writable(svg, html, out, overwrite=force)
    located, match = _readable(file, record, holds=holds is not None)
    with Work("decisions", "analysing", quiet=as_json) as work:
        result = analyse_match(match, progress=work.update, **flags.arguments())
    if holds is not None and result.finished:
        result = replace(result, holds=_split_holds(match, holds, result.seed, quiet=as_json))
    whole = result.finished and (holds is None or result.holds is not None)
    if not whole:
        ignore_interrupts()
    if as_json:
        consoles.print_json(result.document())
    else:
        _show(result, file, located.number, worst)
    report_written(result.save(path, worst=worst, overwrite=True) for path in targets)
    if located.error is not None:
        records.report_fault(located, several=False)
        raise typer.Exit(records.FAULTY)
    consoles.exit_if_stopped(not whole)


def _writable(
    svg: Path | None, html: Path | None, out: Path | None, *, overwrite: bool
) -> list[Path]:
    """Return the requested files, all of which can be written; `out` is a record."""
    targets = [path for path in (svg, html, out) if path is not None]
    for path in targets:
        check_target(path, path.suffix.lower())
    if out is not None:
        expect_record_name(out)
        expect_new(out, overwrite=overwrite)
    return targets


def _readable(file: Path, number: int | None, *, holds: bool) -> tuple[LocatedRecord, MatchRecord]:
    """Return the chosen record of a file, whose throws are on physics if they are to be split."""
    located = records.chosen_record(file, number)
    if located is None:
        raise SpecError(f"{file} holds several records", fix="choose one with --record 1")
    match = records.readable(located)
    if holds and not is_physical(match.header):
        raise SpecError(
            "--holds splits throws on physics, and this match has none", fix="leave it out"
        )
    return located, match


def _split_holds(
    match: MatchRecord, throws: int, seed: int, *, quiet: bool
) -> tuple[HoldValue, ...] | None:
    """Return what each hold and each fall gave; None if Ctrl-C ended it."""
    held = None
    with suppress(KeyboardInterrupt), Work("throws", "throwing again", quiet=quiet) as work:
        held = hold_values(match, throws=throws, seed=seed, progress=work.update)
    return held


def _show_position(at: PositionFlags, flags: AnalysisFlags, *, as_json: bool) -> None:
    """Print the value of each action at a position."""
    with Work("actions", "analysing", quiet=as_json) as work:
        text, header = str(at.position), None
        given = (at.game, at.players, at.team_a, at.team_b, at.rule)
        if all(flag is None for flag in given):
            # A record knows what was played.
            header = records.header_at(text)
        if header is not None:
            found = analyse_actions(header, progress=work.update, **flags.arguments())
        else:
            found = analyse_position(
                str(records.read_position(text)),
                at.game,
                house_rules=options.RuleFlags(rule=at.rule).table(),
                players=at.players,
                teams=(at.team_a, at.team_b),
                progress=work.update,
                **flags.arguments(),
            )
    if not found.finished:
        ignore_interrupts()
    if as_json:
        consoles.print_json(found.document())
    else:
        console = consoles.result_console()
        first = found.actions[0]
        console.print(f"{first.when}, {first.player} to move")
        table = consoles.word_table("action", ">win %", ">loss %", "")
        for each in found.actions:
            best = each.action == found.best
            table.add_row(
                each.action,
                _percent(each.after[each.seat]),
                _percent(each.loss) if each.clear else "",
                "best" if best else "" if each.clear else "no clear difference",
                style="bold" if best else "",
            )
        console.print(table)
        console.print(
            f"Win probability of {found.seat} ± 95 % interval; loss against the best action.",
            style="dim", soft_wrap=True,
        )  # fmt: skip
        console.print(found.source, style="dim", soft_wrap=True)
    consoles.exit_if_stopped(not found.finished)


def _show(result: AnalysisResult, file: Path, number: int, count: int) -> None:
    """Print the table, the curve and the worst decisions."""
    console, worst = consoles.result_console(), result.worst(count)
    _show_decisions(console, result, worst)
    console.print()
    marks = [(result.decisions.index(each), str(k)) for k, each in enumerate(worst, start=1)]
    width = console.width - _AXIS
    for text in curve_lines(result.curve, marks=marks, width=width):
        console.print(Text(text), no_wrap=True)
    if not worst and count:
        console.print("No decision lost more than its noise; more --playouts have less noise.")
    for rank, each in enumerate(worst, start=1):
        console.print(Text(f"{rank}. {each.name}", "bold"), soft_wrap=True)
        console.print(f"   {each.advice}", soft_wrap=True)
    for text in (*result.sentences, *result.verdicts):
        console.print(text, soft_wrap=True)
    if not result.finished:
        console.print("Stopped early: later decisions were not analysed.")
    lines = ["Win probability ± 95 % interval, as the player to move saw the game.", result.source]
    if worst and number == 1:
        words = ["--position", f"@{file}:{worst[0].decision}", "--seed", str(result.seed)]
        lines.append(f"every action: {command_here('analyse', *words)}")
    for line in lines:
        console.print(line, style="dim", soft_wrap=True)
    if result.holds == ():
        console.print("No throw had an own hold of the cup.")
    for split in result.holds or ():
        console.print(Text(f"{split.name}: {split.sentence} of a win"), soft_wrap=True)


def _show_decisions(
    console: Console, result: AnalysisResult, worst: Sequence[DecisionAnalysis]
) -> None:
    """Print the decisions as a table; of a long match only the worst and those with a loss."""
    decisions = result.decisions
    every = len(decisions) <= _MAX_ROWS
    shown = [each for each in decisions if every or each in worst or each.clear]
    ranks = {each.decision: f"<{rank}" for rank, each in enumerate(worst, start=1)}
    if shown:
        luck = {each.decision: luck for each, luck in zip(decisions, result.luck, strict=True)}
        console.print(_table(shown, luck, ranks))
    if (more := len(decisions) - len(shown)) > 0:
        line = f"{more} more decisions without a clear loss; --html and --json list all"
        console.print(line, style="dim")


def _table(
    decisions: Sequence[DecisionAnalysis],
    luck: Mapping[int, Mapping[str, Interval]],
    ranks: Mapping[int, str],
) -> Table:
    count = decisions[0].when.partition(" ")[0].lower()
    table = consoles.word_table(
        ">no.", f">{count}", "", "played", "best", ">wins %", ">loss %", ">luck %", ""
    )
    for each in decisions:
        table.add_row(
            str(each.decision),
            each.when.partition(" ")[2],
            each.seat,
            each.action,
            each.best if each.clear else "",
            _percent(each.after[each.seat]),
            _percent(each.loss) if each.clear else "",
            _percent(luck[each.decision][each.seat]) if each.seat in luck[each.decision] else "",
            ranks.get(each.decision, ""),
            style="bold" if each.decision in ranks else "",
        )
    return table


def _percent(value: Interval) -> str:
    """Return a win probability in percent: `51.2±0.9`, or `51.20` if it is exact."""
    if value.method == EXACT:
        return f"{100 * value.value:.2f}"
    half = max(value.high - value.value, value.value - value.low)
    return f"{100 * value.value:.1f}±{100 * half:.1f}".replace("-", MINUS)


def curve_lines(
    curve: Mapping[str, Sequence[float]], *, marks: Sequence[tuple[int, str]], width: int
) -> list[str]:
    """Return the win probability of each seat as lines of text.

    Of two seats the first is a curve, ten per cent to a line; more have a line of bars each.

    Args:
        curve: Win probabilities by seat, shape [point_count] each.
        marks: Number of a point and the character below it.
        width: Width of the curve [columns].
    """
    seats = list(curve)[:1] if len(curve) == 2 else list(curve)
    if not seats:
        return []
    points = len(curve[seats[0]])
    wide = min(width - 2, points * max(1, min(6, (width - 2) // points)))
    columns = {seat: [curve[seat][at * points // wide] for at in range(wide)] for seat in seats}
    lines = [f"win probability of {', '.join(seats)} after each decision [%]"]
    if len(seats) == 1:
        lines += _drawn_curve(columns[seats[0]], seats[0])
    for seat in seats if len(seats) > 1 else ():
        bars = "".join(
            _BARS[min(len(_BARS) - 1, int(share * len(_BARS)))] for share in columns[seat]
        )
        lines.append(f"{seat:>{_AXIS - 1}} {bars}")
    below = [" "] * wide
    for point, character in marks:
        below[min(wide - 1, -(-point * wide // points))] = character
    lines.append(f"{' ' * _AXIS}{''.join(below)}".rstrip())
    return lines


def _drawn_curve(values: Sequence[float], name: str) -> list[str]:
    """Return a curve, one value per column, with its name at the end."""
    levels = [round((1.0 - value) * (_ROWS - 1)) for value in values]
    rows = [[" "] * len(levels) for _ in range(_ROWS)]
    for column, level in enumerate(levels):
        before = levels[column - 1] if column else level
        for between in range(min(before, level) + 1, max(before, level)):
            rows[between][column] = "│"
        if before == level:
            rows[level][column] = "─"
        else:
            rows[before][column] = "╮" if level > before else "╯"
            rows[level][column] = "╰" if level > before else "╭"
    scale = [f"{100 - 10 * row:>4}" if row % 5 == 0 else " " * 4 for row in range(_ROWS)]
    drawn = ["".join(row) + (f" {name}" if at == levels[-1] else "") for at, row in enumerate(rows)]
    return [f"{label} ┤{row}".rstrip() for label, row in zip(scale, drawn, strict=True)]
