"""`pigglesim board`: the board at one point of a recorded match, as text and as SVG."""

from pathlib import Path
from typing import Annotated, Any

from pigglesim.cli import options
from pigglesim.cli.consoles import print_json, result_console
from pigglesim.cli.drawing import tell_written
from pigglesim.cli.flags import Flag
from pigglesim.cli.records import chosen_record, readable
from pigglesim.durable_io import check_target, write_target
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PigglesPhase, PigglesState
from pigglesim.landing import Landing, Seat
from pigglesim.match.entries import MatchRecord
from pigglesim.match.replay import replay
from pigglesim.match.runner import MatchEvent
from pigglesim.render.board import areas_view, board_view
from pigglesim.render.palette import SIDES, landing_points
from pigglesim.render.svg import piggles_of, scene_of, state_svg, team_bodies
from pigglesim.scene.scene import Board
from pigglesim.tui.piggles import PigglesView, steps_of


def board(
    file: options.RecordFile,
    record: options.Record = 1,
    round_: Annotated[int | None, Flag(low=1), "Round to show. Default: the last."] = None,
    seat: Annotated[
        str | None,
        options.SEAT,
        Flag(choices=("A", "B")),
        "Seat after whose turn the board is shown: A or B. Default: the last to move.",
    ] = None,
    resolved: Annotated[bool, "Show the board after the Resolve of the round."] = False,
    svg: Annotated[Path | None, "Drawing from above, a .svg file."] = None,
    as_json: options.Json = False,
) -> None:
    """Show the board of a recorded match after a turn.

    --seat A shows it after A's turn, --resolved after the Resolve of the round. No physics is
    needed. Rolls by odds have no positions, so their Piggles are placed anywhere in their zones.

    Examples:
        pigglesim board match.jsonl
        pigglesim board match.jsonl --round 2 --svg board.svg
        pigglesim board match.jsonl --round 2 --seat A
        pigglesim board many.jsonl --record 17 --round 6 --resolved --json
    """
    if seat is not None and resolved:
        raise SpecError(
            "--seat beside --resolved, which is after both turns", fix="leave --seat out"
        )
    if svg is not None:
        check_target(svg, ".svg")
    found = chosen_record(file, record)
    assert found is not None, "a record was asked for by number"
    whole = readable(found)
    game = piggles_of(whole)
    state, words = _state(game, whole, round_, seat, resolved=resolved)
    scene = scene_of(whole.header)
    board = scene.board if scene else Board()
    if svg is not None:
        drawing = state_svg(
            board,
            state,
            reading=game.rules.reading(),
            bodies=team_bodies(whole.header.teams),
            title=" against ".join(whole.header.agents.values()) or whole.header.game,
            subtitle=f"{words} \u00b7 seed {whole.header.seed}",
        )
        write_target(svg, drawing)
        tell_written([svg])
    if as_json:
        document = {
            "after": words,
            "round": state.round,
            "state": game.format_state(state),
            "board": {name: _landing(at) for name, at in state.board},
        }
        print_json(document)
        return
    console, view = result_console(), PigglesView(game)
    console.print(words, style="bold")
    console.print(
        board_view(
            board,
            state.board,
            width=console.width,
            below=areas_view(state),
            worn={name: view.mark(name) for name, _ in game.lineup},
        )
    )


def _state(
    game: Piggles, record: MatchRecord, number: int | None, seat: str | None, *, resolved: bool
) -> tuple[PigglesState, str]:
    """Return the requested state, and its point in the match in words."""
    # Last state by round and seat to move (None after the Resolve).
    reached: dict[tuple[int, str | None], PigglesState] = {}

    def on_event(event: MatchEvent[PigglesState]) -> None:
        before = event.before
        for step in steps_of(game, event):
            if step.phase is PigglesPhase.RESOLVE:
                reached[before.round, None] = step.state
            elif step.phase is not PigglesPhase.RECOUP:
                reached[before.round, before.active.value] = step.state

    replay(record, on_event=on_event)
    rounds = sorted({key[0] for key in reached})
    chosen = rounds[-1] if number is None and rounds else number
    keys = [key for key in reached if key[0] == chosen and (key[1] is None) == resolved]
    keys = [key for key in keys if seat in {None, key[1]}]
    if not keys:
        after = "the Resolve" if resolved else f"a turn of {seat}" if seat else "a turn"
        raise RecordError(
            f"round {chosen} has not come to {after}" if rounds else "no turn was played",
            fix=f"use --round {rounds[-1]}" if rounds else "use the record of another match",
        )
    key = keys[-1]
    after = "the Resolve" if key[1] is None else f"the turn of {SIDES[Seat(key[1])]}"
    return reached[key], f"round {key[0]}, after {after}"


def _landing(landing: Landing) -> dict[str, Any]:
    place = landing.place
    return {
        "orientation": landing.orientation.value if landing.orientation else None,
        "zone": landing.zone.value,
        "points": landing_points(landing),
        "leaning": landing.leaning,
        "stacked": landing.stacked,
        "position_m": list(place.position) if place else None,
        "rotation_xyzw": list(place.rotation) if place else None,
    }
