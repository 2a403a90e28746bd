"""`pigglesim puzzle`: a position with one best action, one a day."""

import sys
from typing import Annotated, Any

from rich.text import Text

from pigglesim.api.puzzle import puzzle_session
from pigglesim.cli import options
from pigglesim.cli.consoles import print_json, result_console, word_table
from pigglesim.cli.flags import Flag, command_here
from pigglesim.json_codec import to_plain
from pigglesim.table.puzzles import PuzzleSession
from pigglesim.tui.plain import PlainTable


def puzzle(
    number: Annotated[
        int | None, Flag(low=1), "Number of the puzzle. Default: that of today."
    ] = None,
    game: Annotated[str | None, options.GAME, "Only puzzles of a game."] = None,
    theme: Annotated[
        str | None, Flag(metavar="THEME"), 'Only puzzles of a theme, such as "stop here".'
    ] = None,
    answer: Annotated[bool, "Show the answer without asking."] = False,
    as_json: options.Json = False,
) -> None:
    """Find the best action at a position, one puzzle a day.

    The positions are from matches of agents. Games that were played on from every action, or exact
    values, show that one action is best (p < 1e-6). Choose by its number; then all values and the
    reason are shown. The page of `serve` has the same puzzle each day.

    Examples:
        pigglesim puzzle
        pigglesim puzzle --number 7 --answer
        pigglesim puzzle --game piggy_six --theme "stop here"
        pigglesim puzzle --json
    """
    session = puzzle_session(number, game=game, theme=theme)
    if as_json:
        print_json({"number": session.number, **to_plain(session.puzzle, defaults=True)})
        return
    console = result_console()
    PlainTable(session, lines=sys.stdin, console=console).show_state()
    console.print(session.question, style="bold")
    for place in range(len(session.puzzle.options)):
        console.print(f"{place + 1:>3}) {session.option_text(place)}", soft_wrap=True)
    chosen = None if answer else _chosen(len(session.puzzle.options))
    if chosen is None and not answer:
        command = command_here("puzzle", "--number", str(session.number), "--answer")
        console.print(f"the answer: {command}")
        return
    _show_answer(session, chosen)


def _chosen(count: int) -> int | None:
    """Return the option that a person chooses, from 0; None at the end of the input."""
    numbers = {str(number + 1): number for number in range(count)}
    while True:
        print(f"1 to {count}> ", end="", flush=True)
        line = sys.stdin.readline()
        if not line.strip():
            print()
            return None
        if line.strip() in numbers:
            return numbers[line.strip()]
        print(f"write a number from 1 to {count}")


def _show_answer(session: PuzzleSession, chosen: int | None) -> None:
    console, found = result_console(), session.answer(chosen)
    console.print()
    console.print(Text(found.verdict, "bold"), soft_wrap=True)
    if why := session.why:
        console.print(f"{why[0].upper()}{why[1:]}.", soft_wrap=True)
    rows: list[tuple[Any, ...]] = found.rows
    console.print(word_table("action", ">wins", "", rows=rows))
    console.print(found.source, style="dim", soft_wrap=True)
