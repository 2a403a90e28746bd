"""A match of any game as people see it: the table after each turn, and what happened, in words."""

import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from rich.console import Console
from rich.rule import Rule
from rich.status import Status
from rich.text import Text

from pigglesim.cli.consoles import progress_console
from pigglesim.cli.flags import command_here
from pigglesim.games.game import Game, NonPlayer
from pigglesim.games.piggles.game import Piggles, is_piggles
from pigglesim.games.piggles.state import Act, PigglesPhase, PigglesState
from pigglesim.games.piggles.turns import Step
from pigglesim.landing import BOARD_SEATS, Zone
from pigglesim.match.entries import Comment, Decision, Forfeit, MatchOutcome
from pigglesim.match.runner import Match, MatchEvent
from pigglesim.render.board import areas_view, board_view
from pigglesim.render.palette import SIDES
from pigglesim.scene.scene import Board
from pigglesim.tui.game_view import Tone, knock_sentence, result_sentence, tally_sentence
from pigglesim.tui.game_views import make_view
from pigglesim.tui.piggles import PigglesView
from pigglesim.tui.side_panel import log_text


class StoryView:
    """Prints a match while it is played or replayed, as its family of games tells it.

    Whoever looks on sees everything, hidden or not.

    Args:
        game: The rules under which it is played.
        console: Where to print; None to print nothing.
    """

    def __init__(self, game: Game[Any, Any], *, console: Console | None) -> None:
        self._game = game
        self._family = make_view(game)
        self._console = console
        self._turn: object = None

    def __enter__(self) -> "StoryView":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave everything as it is."""

    def on_event(self, event: MatchEvent[Any]) -> None:
        """Show what a decision or an answer of chance has changed, and the table at each turn."""
        if self._console is None:
            return
        turn = self._game.turn(event.before)
        if turn is not NonPlayer.CHANCE and turn != self._turn:
            self._turn = turn
            self._console.print(Rule(self._family.heading(event.before)))
            if (table := self._family.table(event.before, None)) is not None:
                self._console.print(table)
        if isinstance(event.entry, Comment):
            self._console.print(Text(event.entry.text, "italic"))
            return
        # How it ended is told once, by whoever shows the end.
        lines = [line for line in self._family.story(event) if line.tone is not Tone.END]
        if lines:
            self._console.print(log_text(lines))


class ViewOfMatch(Protocol):
    """Whatever shows a match while it goes on; everything that happens is shown inside `with`."""

    def __enter__(self) -> Any: ...  # noqa: ANN401 (itself)
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def on_event(self, event: MatchEvent[Any]) -> None:
        """Show what a decision or an answer of chance has changed."""


def view_of(game: Game[Any, Any], board: Board | None, *, console: Console | None) -> ViewOfMatch:
    """Return what shows a match of a game.

    Args:
        game: The rules under which it is played.
        board: The board to draw; None for a game without one.
        console: Where to print; None to show progress alone.
    """
    if is_piggles(game) and board is not None:
        return MatchView(game, board, console=console)
    return StoryView(game, console=console)


class MatchView:
    """Prints a match of Piggles while it is played or replayed.

    Args:
        game: The rules under which it is played.
        board: The board to draw.
        console: Where to print; None to show progress alone.
    """

    def __init__(self, game: Piggles, board: Board, *, console: Console | None) -> None:
        self._game = game
        self._board = board
        self._console = console
        self._status: Status | None = None
        self._view = PigglesView(game)
        self._worn = {name: self._view.mark(name) for name, _ in game.lineup}

    def __enter__(self) -> "MatchView":
        progress = progress_console()
        if progress.is_terminal:
            self._status = progress.status("shaking the cup ...")
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def _show_steps(self, steps: list[Step], console: Console) -> None:
        """Print what followed: the Tally as a sum, and that the round was resolved."""
        for step in steps:
            if step.tally is not None:
                console.print(tally_sentence(step.tally))
            if step.phase is PigglesPhase.RESOLVE:
                console.print(Text("Resolve: Snout-Down to the Mud, heads to the Kitchen", "dim"))

    def on_event(self, event: MatchEvent[PigglesState]) -> None:
        """Show what a decision or a roll has changed."""
        if self._status is not None:
            # One screen: the progress line steps aside while a result is printed.
            self._status.stop()
        if self._console is not None:
            self._show(event, self._console)
        if self._status is not None:
            after = event.after
            score = f"A {after.a.score} : {after.b.score} B"
            self._status.update(f"round {after.round} · {score} · {after.active} to roll")
            self._status.start()

    def _show(self, event: MatchEvent[PigglesState], console: Console) -> None:
        match event.entry:
            case Decision(seat=seat, action=action):
                played = self._game.parse_action(action)
                if action in {"skip", "concede"}:
                    console.print(Rule(f"round {event.before.round} · {SIDES[seat]}: {action}"))
                    self._show_steps(self._game.action_steps(event.before, played), console)
                elif isinstance(played, Act):
                    console.print(self._view.act_sentence(event.before, played))
                    self._show_steps(self._game.action_steps(event.before, played), console)
                elif action == "done":
                    self._show_steps(self._game.action_steps(event.before, played), console)
            case MatchOutcome():
                self._show_roll(event.entry, event, console)
            case Forfeit(seat=seat, cause=cause, detail=detail):
                console.print(Rule(f"round {event.before.round} · {SIDES[seat]} forfeits"))
                console.print(Text(f"{cause.rule}: {cause.sentence}: {detail}"))
            case Comment(text=text):
                console.print(Text(text, "italic"))

    def _show_roll(
        self, outcome: MatchOutcome, event: MatchEvent[PigglesState], console: Console
    ) -> None:
        before = event.before
        loaded = " ".join(outcome.piggles)
        steps = self._game.outcome_steps(before, outcome.result)
        if self._game.chance_request(before).set_down is not None:
            self._show_set_down(outcome, steps, console)
            return
        console.print(Rule(f"round {before.round} · {SIDES[outcome.thrower]} rolls {loaded}"))
        lying = [(name, at) for name, at in outcome.landings if at.zone is not Zone.OFF]
        off = [name for name, at in outcome.landings if at.zone is Zone.OFF]
        console.print(
            board_view(
                self._board,
                lying,
                width=console.width,
                marked=outcome.piggles,
                below=areas_view(steps[-1].state),
                worn=self._worn,
            )
        )
        was, now = dict(before.board), dict(outcome.landings)
        for knock in outcome.roll.knocks:
            console.print(knock_sentence(knock, was, now))
        if off:
            console.print(f"off the board: {', '.join(off)}")
        self._show_steps(steps, console)

    def _show_set_down(self, outcome: MatchOutcome, steps: list[Step], console: Console) -> None:
        """Print where an effect has put its target."""
        ((name, at),) = outcome.landings
        pose = at.orientation
        console.print(f"{name} lies {pose.label} at {at.zone}" if pose else f"no room for {name}")
        self._show_steps(steps, console)


def _same_command(seed: int) -> str:
    """Return the command that plays this match again: what was typed, with the seed."""
    words = sys.argv[1:]
    return command_here(*words, *([] if "--seed" in words else ["--seed", str(seed)]))


def show_end(
    game: Game[Any, Any], played: Match[Any], console: Console, record: Path | None
) -> None:
    """Show how a match ended, and how to see it again."""
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
    """Return a match as plain values."""
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
