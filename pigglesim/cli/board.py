"""`pigglesim board`: how the board lay at some point of a recorded match, as text and as SVG."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.cli.completions import SEAT
from pigglesim.cli.consoles import print_json, result_console
from pigglesim.cli.drawing import ShareTargets, tell_written
from pigglesim.cli.flags import WORD, Flag
from pigglesim.cli.options import JsonOption
from pigglesim.cli.records import chosen_record, tell_fault
from pigglesim.durable_io import write_target
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PigglesPhase, PigglesState
from pigglesim.landing import Landing, Seat
from pigglesim.match.entries import MatchRecord
from pigglesim.match.replay import replay
from pigglesim.match.runner import MatchEvent
from pigglesim.render.board import areas_view, board_view
from pigglesim.render.palette import SIDES, landing_points
from pigglesim.render.positions import bodies_of, piggles_of, position_svg, scene_of
from pigglesim.scene.scene import Board
from pigglesim.tui.piggles import PigglesView, steps_of


def board(
    file: Annotated[Path, WORD, "Record written by `match --out` or `replay --write`."],
    record: Annotated[int, Flag(low=1), "Record of a file that holds several, from 1."] = 1,
    round_: Annotated[int | None, Flag(low=1), "Round to show. Default: the last."] = None,
    seat: Annotated[
        str | None,
        SEAT,
        "Seat after whose turn the board is shown: A or B. Default: the last to move.",
    ] = None,
    resolved: Annotated[bool, "Show the board after the Resolve of the round."] = False,
    svg: Annotated[Path | None, "Drawing from above, a .svg file."] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the board of a recorded match after a turn.

    --seat A shows it after A's turn, --resolved after the Resolve of the round. No physics is
    needed; rolls by odds tell no places, so that their Piggles stand anywhere in their zones.

    Examples:
        pigglesim board match.jsonl
        pigglesim board match.jsonl --round 2 --svg board.svg
        pigglesim board match.jsonl --round 2 --seat A
        pigglesim board many.jsonl --record 17 --round 6 --resolved --json
    """
    if seat not in {None, "A", "B"}:
        raise SpecError("seat A or B", got=repr(seat), remedy="--seat A")
    if seat is not None and resolved:
        raise SpecError(
            "--seat or --resolved", got="both", remedy="--resolved alone: it is after both turns"
        )
    ShareTargets(svg=svg).check()
    found = chosen_record(file, record)
    assert found is not None, "a record was asked for by number"
    whole = found.record or found.so_far
    if whole is None:
        assert found.fault is not None
        tell_fault(found.fault, many=False)
        raise typer.Exit(2)
    game = piggles_of(whole)
    position, words = _position(game, whole, round_, seat, resolved=resolved)
    if svg is not None:
        _write(svg, whole, game, position, words)
    if as_json:
        print_json(_document(game, position, words))
        return
    console, view = result_console(), PigglesView(game)
    console.print(words, style="bold")
    console.print(
        board_view(
            _board_of(whole),
            position.board,
            width=console.width,
            below=areas_view(position),
            worn={name: view.mark(name) for name, _ in game.lineup},
        )
    )


def _position(
    game: Piggles, record: MatchRecord, number: int | None, seat: str | None, *, resolved: bool
) -> tuple[PigglesState, str]:
    """Return the position asked for, and in words which it is."""
    # By round, and whose turn it was (None after the Resolve), the last position of each.
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
            f"a round from 1 to {rounds[-1]} that came to {after}" if rounds else "a turn played",
            got=f"round {chosen}" if chosen is not None else "none",
            remedy=f"--round {rounds[-1]}" if rounds else "a record of a match with a turn",
        )
    key = keys[-1]
    after = "the Resolve" if key[1] is None else f"the turn of {_side(key[1])}"
    return reached[key], f"round {key[0]}, after {after}"


def _side(seat: str) -> str:
    return SIDES[Seat(seat)]


def _board_of(record: MatchRecord) -> Board:
    scene = scene_of(record.header)
    return scene.board if scene else Board()


def _write(
    target: Path, record: MatchRecord, game: Piggles, position: PigglesState, words: str
) -> None:
    header = record.header
    drawing = position_svg(
        _board_of(record),
        position,
        reading=game.rules.reading(),
        bodies=bodies_of(header.teams),
        title=" against ".join(header.agents.values()) or header.game,
        subtitle=f"{words} \u00b7 seed {header.seed}",
    )
    write_target(target, drawing)
    tell_written([target])


def _document(game: Piggles, position: PigglesState, words: str) -> dict[str, Any]:
    return {
        "after": words,
        "round": position.round,
        "position": game.format_state(position),
        "board": {name: _lies(at) for name, at in position.board},
    }


def _lies(landing: Landing) -> dict[str, Any]:
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
