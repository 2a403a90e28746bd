"""Text view of a match: the table, the decisions and rolls in words, and the end."""

import sys
from pathlib import Path
from typing import Any, Self

from rich.console import Console
from rich.rule import Rule
from rich.status import Status
from rich.text import Text

from pigglesim.cli.consoles import progress_console
from pigglesim.cli.flags import command_here
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.piggles.game import is_piggles
from pigglesim.landing import BOARD_SEATS, Zone
from pigglesim.match.entries import Comment, MatchOutcome
from pigglesim.match.runner import Match, MatchEvent
from pigglesim.render.board import areas_view, board_view
from pigglesim.scene.scene import Board
from pigglesim.tui.game_view import Tone, make_view, result_sentence
from pigglesim.tui.piggles import PigglesView
from pigglesim.tui.side_panel import log_text


class MatchView:
    """Printer of a match that is played or replayed, with hidden information.

    Inside `with`, a terminal shows a status line while the next roll is made.

    Args:
        game: Rules of the match.
        board: Board to draw after each roll; None for a game without one.
        console: Console to print on; None to print nothing.
    """

    def __init__(
        self, game: Game[Any, Any], board: Board | None, *, console: Console | None
    ) -> None:
        self._game, self._board, self._console = game, board, console
        self._view = make_view(game)
        self._turn: object = None
        self._status: Status | None = None
        self._worn: dict[str, str] = {}
        if is_piggles(game):
            view = PigglesView(game)
            self._worn = {name: view.mark(name) for name, _ in game.lineup}

    def __enter__(self) -> Self:
        if self._board is not None and (progress := progress_console()).is_terminal:
            self._status = progress.status("shaking the cup ...")
            self._status.start()
        return self

    def __exit__(self, *_fault: object) -> None:
        if self._status is not None:
            self._status.stop()

    def on_event(self, event: MatchEvent[Any]) -> None:
        """Print the effect of a decision or a roll, and the table at each turn."""
        if self._status is not None:
            # The progress line is hidden while a result is printed.
            self._status.stop()
        if self._console is not None:
            self._show(event, self._console)
        if self._status is not None:
            self._status.update(self._view.heading(event.after))
            self._status.start()

    def _show(self, event: MatchEvent[Any], console: Console) -> None:
        turn = self._game.turn(event.before)
        if turn is not NonPlayer.CHANCE and turn != self._turn:
            self._turn = turn
            console.print(Rule(self._view.heading(event.before)))
            if (table := self._view.table(event.before, None)) is not None:
                console.print(table)
        if isinstance(event.entry, Comment):
            console.print(Text(event.entry.text, "italic"))
            return
        if isinstance(event.entry, MatchOutcome) and self._board is not None:
            self._draw(event, event.entry, self._board, console)
        # The end is printed once, by `show_end`.
        lines = [line for line in self._view.story(event) if line.tone is not Tone.END]
        if lines:
            console.print(log_text(lines))

    def _draw(
        self, event: MatchEvent[Any], outcome: MatchOutcome, board: Board, console: Console
    ) -> None:
        if self._view.sets_down(event.before) or not outcome.landings:
            # The story shows Piggles set down, and dice by their faces.
            return
        lying = [(name, at) for name, at in outcome.landings if at.zone is not Zone.OFF]
        console.print(
            board_view(
                board,
                lying,
                width=console.width,
                marked=outcome.piggles,
                below=areas_view(event.after),
                worn=self._worn,
            )
        )


def _same_command(seed: int) -> str:
    """Return the command that plays this match again: the typed one, with the seed."""
    words = sys.argv[1:]
    return command_here(*words, *([] if "--seed" in words else ["--seed", str(seed)]))


def show_end(
    game: Game[Any, Any], played: Match[Any], console: Console, record: Path | None
) -> None:
    """Print the result of a match, and the command to see it again."""
    footer, header, names = played.record.footer, played.record.header, make_view(game).names
    console.print(Rule("end"))
    points = [f"{footer.scores.get(seat, 0)}" for seat in names]
    if len(names) > len(BOARD_SEATS):
        points = [f"{name} {own}" for name, own in zip(names.values(), points, strict=True)]
    told = (", " if len(names) > len(BOARD_SEATS) else " : ").join(points)
    console.print(Text(f"{result_sentence(footer.result, names)}, {told}", "bold"))
    again = command_here("replay", str(record)) if record else _same_command(header.seed)
    console.print(f"seed {header.seed} · again: {again}", style="dim", soft_wrap=True)


def match_document(game: Game[Any, Any], played: Match[Any]) -> dict[str, Any]:
    """Return a match as JSON values."""
    header, footer = played.record.header, played.record.footer
    result, forfeit = footer.result, played.record.forfeit
    document: dict[str, Any] = {
        "seed": header.seed,
        "rules": header.game,
        "house_rules": dict(header.house_rules),
        "winner": result.winner.value if result and result.winner else None,
        **({"shared": [str(seat) for seat in result.shared]} if result and result.shared else {}),
        "reason": str(result.reason) if result else footer.status.value,
        "scores": {seat.value: score for seat, score in footer.scores.items()},
        "rounds": game.round_of(played.state),
        "agents": {seat.value: name for seat, name in header.agents.items()},
        "teams": dict(header.teams),
        "rolls": len(played.record.outcomes),
        "decisions": [f"{entry.seat} {entry.action}" for entry in played.record.decisions],
        "final_state": footer.final_state,
        "provenance": dict(header.chance),
    }
    if forfeit is not None:
        document["forfeit"] = {
            "seat": str(forfeit.seat),
            "decision": forfeit.index,
            "rule": forfeit.cause.rule,
            "cause": str(forfeit.cause),
            "detail": forfeit.detail,
        }
    return document
