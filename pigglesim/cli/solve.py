"""`pigglesim solve`: exact solution of Piggy Six, for two players or for one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import log10
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag, documented_by
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.durable_io import FIGURES
from pigglesim.errors import SpecError, cut
from pigglesim.solvers.dice_game import (
    ENDINGS,
    HOLD,
    TARGET,
    DuelResult,
    DuelState,
    Solitaire,
    SolitaireSolution,
    Solution,
    find_dice_game,
    find_ending,
    solve_match,
    solve_solitaire,
)
from pigglesim.solvers.dice_game import solve as solve_game
from pigglesim.units import whole

_DIGITS = 9
"""Decimal digits to which the bounds must agree."""


@documented_by(solve_game)
def solve(
    *,
    game: Annotated[
        str, ARGUMENT, Flag(metavar="GAME", choices=("piggy_six",)), "Game: piggy_six."
    ] = "piggy_six",
    target: Annotated[int, TARGET] = 100,
    ending: Annotated[str, Flag(metavar="ENDING", choices=tuple(ENDINGS))] = "equal-turns",
    variant: Annotated[str, Flag(metavar="VARIANT")] = "two-dice",
    hold: Annotated[int | None, HOLD] = None,
    solitaire: Annotated[
        str | None, Flag(metavar="N,N"), "Turn totals of two imaginary players, such as 8,14."
    ] = None,
    position: Annotated[
        str | None,
        Flag(metavar="N,N,N"),
        "Position to advise on: own score, other's score and turn total, such as 40,60,12.",
    ] = None,
    second: Annotated[bool, Flag(needs=("position",)), "The second player moves."] = False,
    plot: Annotated[
        Path | None, Flag(suffixes=FIGURES), "Plot of when to stop, by scores, a .png or .svg file."
    ] = None,
    recompute: bool = False,
    as_json: options.Json = False,
) -> None:
    """Solve Piggy Six exactly: winning chances and when to stop.

    Values are bounded to less than a billionth. Solutions are cached in the user's cache folder; a
    cached one is used if one more sweep confirms its bounds. Ctrl-C shows the bounds reached so
    far, which hold too.

    Examples:
        pigglesim solve piggy_six
        pigglesim solve piggy_six --target 50 --ending race --json
        pigglesim solve piggy_six --target 50 --position 40,30,12 --second
        pigglesim solve piggy_six --target 50 --plot stops.png
        pigglesim solve piggy_six --variant pig --ending race --target 30 --hold 20
        pigglesim solve piggy_six --solitaire 8,14 --target 20
    """
    rule = find_ending(ending)
    if solitaire is not None:
        unrelated = variant != "two-dice" or hold is not None or plot is not None
        if unrelated or second or recompute:
            raise SpecError(
                "--solitaire with other options",
                expected="--target, --ending and --position alone",
                fix="leave the others out",
            )
        stops = _whole_numbers("--solitaire", solitaire, "8,14", 2)
        problem = Solitaire(stops=(stops[0], stops[1]), target=target, ending=rule)
        _solve_solitaire(problem, position, as_json=as_json)
        return
    match = DuelResult(dice=find_dice_game(variant), target=target, ending=rule, hold=hold)
    state = None
    if position is not None:
        own, other, total = _whole_numbers("--position", position, "40,60,12", 3)
        # Check before the work, not after it.
        state = DuelState(own=own, other=other, total=total, first=not second)
        state.check(match)
    with _bounds_progress(f"{match.dice.name} to {match.target}", quiet=as_json) as on_progress:
        solution = solve_match(match, on_progress=on_progress, recompute=recompute)
    document = solution.document(state)
    if plot is not None:
        from pigglesim.render.charts import draw_stops
        from pigglesim.render.figure import save_figure

        save_figure(draw_stops(solution), plot)
    if as_json:
        consoles.print_json(document)
    else:
        _show(consoles.result_console(), document, plot)
    _exit_if_unsolved(solution)


def _whole_numbers(flag: str, text: str, example: str, count: int) -> tuple[int, ...]:
    """Parse whole numbers separated by commas."""
    parts = [whole(word.strip()) for word in text.split(",")]
    numbers = tuple(number for number in parts if number is not None)
    if not len(numbers) == len(parts) == count:
        raise SpecError(
            f"invalid {flag} {cut(repr(text))}",
            expected=f"{count} whole numbers with commas",
            fix=f"use {flag} {example}",
        )
    return numbers


@contextmanager
def _bounds_progress(name: str, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """Show the progress of the bounds: the number of decimal digits that agree."""
    with Work("digits", name, total=_DIGITS, quiet=quiet) as work:

        def on_progress(gap: float) -> None:
            digits = min(_DIGITS, int(-log10(gap))) if gap > 0.0 else _DIGITS
            work.update(digits, results=lambda: f"bounds {gap:.1e} apart")

        yield on_progress


def _exit_if_unsolved(solution: Solution | SolitaireSolution) -> None:
    """Exit with the status of an interrupted program unless everything was solved."""
    if not solution.solved:
        ignore_interrupts()
        consoles.note("stopped; the bounds hold")
    consoles.exit_if_stopped(not solution.solved)


def _effort_text(document: dict[str, Any]) -> str:
    duration = "cached" if document["from_cache"] else f"{document['seconds']:.1f} s"
    return f"{document['sweeps']} sweeps, {duration}"


def _show(console: Console, document: dict[str, Any], plot: Path | None) -> None:
    turn, hold = document["one_turn"], document["hold"]
    play = f"both hold at {hold}" if hold else "best play of both"
    console.print(
        f"Piggy Six, {document['variant']} to {document['target']}, {document['ending']}: {play}"
    )
    console.print(
        f"the first player wins   {document['first_player_win']:.9f} "
        f"(± {document['bound']:.0e}; a tie is half a win)"
    )
    console.print(f"the second player wins  {document['second_player_win']:.9f}")
    if not hold:
        console.print(f"at 0 : 0 the first turn stops at {document['opening_stop']}")
    console.print(
        f"most points in one turn: stop at {turn['stop_at']}, {turn['expected']:.6f} on average"
    )
    if "position" in document:
        _show_position(console, document["position"])
    console.print(f"{document['states']:,} decisions, {_effort_text(document)}", style="dim")
    if plot is not None:
        console.print(f"drawn in {plot}", style="dim")


def _show_position(console: Console, position: dict[str, Any]) -> None:
    rolls = ", ".join(
        f"roll {dice}: {value:.6f}" if len(position["rolls"]) > 1 else f"roll: {value:.6f}"
        for dice, value in position["rolls"].items()
    )
    stop = "" if position["stop"] is None else f", stop: {position['stop']:.6f}"
    console.print(
        f"the {position['to_move']} player at {position['own']} : {position['other']} with "
        f"{position['total']} in the turn wins by {rolls}{stop}; best: {position['best']}"
    )


def _solve_solitaire(game: Solitaire, position: str | None, *, as_json: bool) -> None:
    """Solve the game of one person against two imaginary players, and print the result."""
    flag = "--position of the solitaire game"
    at = _whole_numbers(flag, position, "40,30,50,12", 4) if position else ()
    if at:
        game.check(*at)
    with _bounds_progress(f"solitaire to {game.target}", quiet=as_json) as on_progress:
        solution = solve_solitaire(game, on_progress=on_progress)
    document = solution.document(at)
    if as_json:
        consoles.print_json(document)
    else:
        _show_solitaire(document)
    _exit_if_unsolved(solution)


def _show_solitaire(document: dict[str, Any]) -> None:
    console = consoles.result_console()
    first, second = document["stops"]
    console.print(
        f"Piggy Six alone, to {document['target']}, {document['ending']}, against imaginary "
        f"players who stop at {first} and {second}"
    )
    console.print(
        f"best play wins {document['win']:.9f} (± {document['bound']:.0e}; ties shared), and stops "
        f"its first turn at {document['opening_stop']}"
    )
    if position := document.get("position"):
        stop = "" if position["stop"] is None else f", stop: {position['stop']:.6f}"
        roll = f"{position['roll']:.6f}"
        console.print(f"the position wins by roll: {roll}{stop}; best: {position['best']}")
    console.print(_effort_text(document), style="dim")
