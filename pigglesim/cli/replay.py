"""`pigglesim replay`: a recorded match, from its record alone or simulated again."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.options import JsonOption, print_json, progress_console, result_console

__all__ = ["register"]

_HELP = """Play a recorded match again: from the record alone, or on physics, bit for bit.

Examples:

  pigglesim replay match.jsonl

  pigglesim replay match.jsonl --resimulate

  pigglesim replay match.jsonl --no-boards --json
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(replay)


def replay(
    file: Annotated[Path, typer.Argument(help="A record that `match --record` wrote.")],
    resimulate: Annotated[
        bool, typer.Option("--resimulate", help="Roll every roll again and compare every bit.")
    ] = False,
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Replay one record."""
    from pigglesim.cli.match_view import MatchView, match_document
    from pigglesim.cli.table import board_of_record, chance_of_record, make_piggles
    from pigglesim.match.record import read_record
    from pigglesim.match.replay import replay as play_again

    record = read_record(file)
    source = chance_of_record(record.header) if resimulate else None
    board = board_of_record(record.header)
    game = make_piggles(record.header.game, dict(record.header.house_rules))
    view = MatchView(game, board, console=None if as_json or not boards else result_console())
    with view:
        played = play_again(record, resimulate=source, on_event=view.on_event)
    if as_json:
        print_json(match_document(played) | {"resimulated": resimulate})
        return
    view.show_end(played, result_console(), file)
    if resimulate:
        rolls = len(record.outcomes)
        progress_console().print(f"{rolls} rolls simulated again: every bit is the same")
