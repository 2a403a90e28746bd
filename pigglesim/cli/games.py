"""`pigglesim games`, `scenario`, and `pigglesim` without a verb: a Classic match and its files."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import PlayedMatch, play_match
from pigglesim.cli import options
from pigglesim.cli.consoles import (
    note,
    print_json,
    progress_console,
    result_console,
    say,
    word_table,
)
from pigglesim.cli.flags import ARGUMENT, command_here
from pigglesim.durable_io import write_target
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.games.piggles.game import Piggles, is_piggles
from pigglesim.games.piggles.state import PigglesState
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, MatchOutcome, MatchRecord
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import POSE_MARKS
from pigglesim.render.svg import state_svg
from pigglesim.scenarios import ScenarioReport, read_scenarios, run_scenario
from pigglesim.scene.scene import Board
from pigglesim.table.piggles import steps_of
from pigglesim.table.view import result_sentence
from pigglesim.tui.board_text import board_view


def games(as_json: options.Json = False) -> None:
    """List the games, their players and their sources of rolls.

    Examples:
        pigglesim games
        pigglesim games --json
    """
    names = game_names()
    if as_json:
        print_json(
            [
                {
                    "game": name,
                    "title": find(name).title,
                    "brief": find(name).brief,
                    "players": find(name).players,
                    "chances": list(find(name).chances),
                    "adviser": find(name).adviser,
                    "house_rules": dict(make_game(name).settings()),
                }
                for name in names
            ]
        )
        return
    rows = (
        (name, entry.players, ", ".join(entry.chances), entry.brief)
        for name, entry in zip(names, map(find, names), strict=True)
    )
    result_console().print(word_table("game", "players", "chance", "what it is", rows=rows))
    result_console().print(
        f"play one: {command_here('play', 'GAME')}; watch one: {command_here('match', 'GAME')}; "
        f"its house rules: {command_here('games', '--json')}",
        style="dim",
    )


def scenario(
    files: Annotated[list[Path], ARGUMENT, "Scenario files (JSON)."],
    game: options.OwnGame = None,
    as_json: options.Json = False,
) -> None:
    """Check rule scenarios without physics.

    Each failed scenario is printed in one line; the counts come last. The exit status is 1 if any
    scenario failed, 2 if a file cannot be read.

    Examples:
        pigglesim scenario tests/scenarios/*.json
        pigglesim scenario my_ruling.json --json
        pigglesim scenario my_scenarios.json --game my_game.py:Pig
    """
    options.load_own_game(game)
    reports: list[ScenarioReport] = []
    unreadable = 0
    for path in files:
        try:
            reports += map(run_scenario, read_scenarios(path))
        except PigglesimError as error:
            note(str(error))
            unreadable += 1
    failed = sum(not report.passed for report in reports)
    passed = len(reports) - failed
    if as_json:
        shown = [report.to_json() for report in reports]
        print_json({"passed": passed, "failed": failed, "scenarios": shown})
    else:
        for report in reports:
            if not report.passed:
                say(report.line)
        print(f"{passed} passed, {failed} failed")
    raise typer.Exit(2 if unreadable else int(failed > 0))


_FOLDER = "pigglesim-output"
_AGENT = "greedy"
_NEXT = {
    ("serve",): "throw and play in a browser",
    ("play",): "play against the computer",
    ("study", "--throws", "20000", "--out", "shares"): "how often is it Snout-Up?",
    ("--help",): "all verbs",
}
_LEGEND = """\
A: South    ▲ Snout-Up: scores
B: North    ▼ Snout-Down: to Mud
♣: woods    ◆ On-Their-Head: Kitchen
·: path
blank: field; list: zones, points"""


def play_first_match() -> None:
    """Play a match in a new numbered folder, and print it in less than two screens.

    Match N is played with seed N, so the first match is the one in the README.

    Raises:
        SpecError: If no folder can be made in the current folder.
    """
    number, folder = _new_folder()
    try:
        _play(number, folder)
    finally:
        # Remove the folder of an interrupted match.
        with suppress(OSError):
            folder.rmdir()
            folder.parent.rmdir()


def _new_folder() -> tuple[int, Path]:
    """Make the next folder for a match; return its number and path."""
    try:
        for number in count(1):
            folder = Path(_FOLDER) / f"match-{number}"
            with suppress(FileExistsError):
                folder.mkdir(parents=True)
                break
        return number, folder
    except OSError as fault:
        raise SpecError(
            f"{_FOLDER} cannot be made in {Path.cwd()}: {fault.strerror}",
            fix="run it in a folder of yours",
        ) from None


def _play(seed: int, folder: Path) -> None:
    setup, console = set_up_game(None, None, rules={}), result_console(piped=80)
    game, scene = setup.game, setup.scene
    assert is_piggles(game) and scene is not None, "Classic is played on a board"
    turns = _Turns(game, console)
    console.print(f"Piggles Classic on real physics: South against North, seed {seed}.")
    console.print("A Snout-Up Piggle (▲) stays on the board and pays again in each round.\n")
    console.print(f"{'points':>61}   {'South : North'}")
    played = play_match(agents=_AGENT, seed=seed, films=True, on_event=turns.on_event)
    if played.reason is None:
        raise KeyboardInterrupt
    console.print()
    assert turns.state is not None, "no match ends without a turn"
    console.print(
        board_view(
            scene.board,
            turns.state.board,
            width=console.width,
            below=Text(_LEGEND, "dim"),
            brief=True,
        )
    )
    console.print(Text(f"\n{_result_text(played.record)}\n", "bold"))
    with progress_console().status("writing the page and the picture ..."):
        written = list(_write(played, scene.board, turns.state, folder))
    for name, path, about in written:
        console.print(f"{name:<8} {path}{f'   {about}' if about else ''}", soft_wrap=True)
    console.print("\nTry next:")
    commands = {command_here(*words): purpose for words, purpose in _NEXT.items()}
    width = max(map(len, commands))
    for command, purpose in commands.items():
        console.print(f"  {command:<{width}}  {purpose}", soft_wrap=True)


class _Turns:
    """Printer of one line per turn."""

    def __init__(self, game: Piggles, console: Console) -> None:
        self._game = game
        self._console = console
        self._round = 0
        self.state: PigglesState | None = None
        """State after the last Tally."""

    def on_event(self, event: MatchEvent[Any]) -> None:
        """Print a turn once its points are counted."""
        entry, before = event.entry, event.before
        steps = [step for step in steps_of(self._game, event) if step.tally is not None]
        self.state = steps[-1].state if steps else self.state or before
        match entry:
            case MatchOutcome():
                self._show(before, entry.thrower, _roll_text(entry), counted=bool(steps))
            case Decision(seat=seat, action="skip"):
                text = "skips" if before.side(seat).pen else "has no Piggle to roll"
                self._show(before, seat, text, counted=bool(steps))
            case _:
                pass

    def _show(self, before: PigglesState, seat: Seat, text: str, *, counted: bool) -> None:
        assert self.state is not None
        after = self.state if counted else before
        number = f"round {before.round}" if before.round != self._round else ""
        self._round = before.round
        gained = f"{after.side(seat).score - before.side(seat).score:+}" if counted else ""
        score = f"{after.a.score:3} : {after.b.score:<3}"
        name = "South" if seat is Seat.A else "North"
        self._console.print(f"{number:<9} {name}  {text:<36} {gained:>6}   {score}".rstrip())


def _roll_text(outcome: MatchOutcome) -> str:
    """Return the landings of a roll in words, and the knocks."""
    orientations = (dict(outcome.landings)[piggle].orientation for piggle in outcome.piggles)
    marks = " ".join(POSE_MARKS[each] if each else "-" for each in orientations)
    knocks = len(outcome.roll.knocks)
    struck = f"{knocks} knock{'s' if knocks > 1 else ''}" if knocks else ""
    return f"rolls {len(outcome.piggles)}  {marks:<17}  {struck}"


def _result_text(record: MatchRecord) -> str:
    """Return the result in words, with the winner's points first."""
    result, scores = record.footer.result, record.footer.scores
    first = result.winner if result and result.winner else Seat.A
    points = f"{scores[first]} : {scores[first.other]}"
    return f"{result_sentence(result)}, {points}"


def _write(
    played: PlayedMatch, board: Board, state: PigglesState, folder: Path
) -> Iterator[tuple[str, Path, str]]:
    """Write record, page and picture; yield each one's title, path and next command."""
    yield "page", played.save(folder / "match.html"), "each roll in 3D, in a browser"
    try:
        yield "picture", played.save(folder / "match.png"), ""
    except SpecError as fault:
        # Without OpenGL the board is drawn from above.
        title = _result_text(played.record)
        subtitle = f"after the last roll \u00b7 seed {played.seed}"
        drawing = state_svg(board, state, title=title, subtitle=subtitle)
        write_target(folder / "match.svg", drawing)
        yield "picture", folder / "match.svg", f"from above; in 3D: {fault.fix}"
    yield "record", played.save(folder / "match.jsonl"), ""
