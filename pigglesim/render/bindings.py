"""Table of all keys and mouse movements, for the viewer and its help page.

Keys are plain words, such as `"space"`, `"f2"` or `"shift+left"`, independent of the windowing
library.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pigglesim.films.film import FilmPlayback
from pigglesim.render.camera import Camera
from pigglesim.render.session import VIEW_COUNT, Aim, ViewerState

NEARER = 1.12
"""Factor by which a key or a notch of the wheel brings the camera nearer."""
_TURN = 0.12
"""Angle by which a key orbits the camera [rad]."""
_STEER = 0.0872665
"""Angle by which a key turns a throw [rad]: 5 degrees."""
_HURRY = 0.1
"""Speed by which a key changes the swing of the cup [m/s]."""
_SHIFT = 0.05
"""Distance by which a key pans the camera, in heights of the picture."""

TIME, CAMERA, LAYERS, TURN, WINDOW = "Time", "Camera", "What is shown", "Your turn", "Window"
"""Parts of the help page."""

Action = Callable[[ViewerState], object]


@dataclass(frozen=True, slots=True)
class Binding:
    """Keys, or a movement of the mouse, and their action."""

    group: str
    """Part of the help page."""
    keys: str
    """Keys separated by spaces; empty for the mouse."""
    label: str
    """Keys or movement, as the help page shows them."""
    description: str
    action: Action | None = None
    """Action; None for the mouse, and for numbered keys."""
    numbered: Callable[[ViewerState, int], object] | None = None
    """Action of numbered keys, called with the number of the key in the row, from 1."""


def _play(change: Callable[[FilmPlayback, float], FilmPlayback]) -> Action:
    return lambda viewer: viewer.play(change)


def _look(change: Callable[[Camera], Camera]) -> Action:
    return lambda viewer: viewer.look(change(viewer.camera))


def _pan(right: float, upward: float) -> Action:
    return lambda viewer: viewer.pan(right, upward)


def _aim(change: Callable[[Aim], None]) -> Action:
    return lambda viewer: change(viewer.deciding) if viewer.deciding else None


def _layer(name: str) -> Action:
    return lambda viewer: viewer.layers.symmetric_difference_update({name})


def _toggle(name: str) -> Action:
    return lambda viewer: setattr(viewer, name, not getattr(viewer, name))


def _ask(word: str) -> Action:
    return lambda viewer: viewer.ask(word)


def _keys(prefix: str) -> str:
    return " ".join(f"{prefix}f{number}" for number in range(2, VIEW_COUNT + 2))


BINDINGS = (
    Binding(TIME, "", "bar below", "click or drag: any moment of the roll"),
    Binding(TIME, "space", "Space", "play or pause; at the end, again", _play(FilmPlayback.toggle)),
    Binding(TIME, "right", "→", "one frame on", _play(lambda film, now: film.step(1, now))),
    Binding(TIME, "left", "←", "one frame back", _play(lambda film, now: film.step(-1, now))),
    Binding(TIME, "equal plus shift+equal", "+", "twice as fast, up to 8 times",
            _play(FilmPlayback.faster)),
    Binding(TIME, "minus", "-", "half as fast, down to a sixteenth", _play(FilmPlayback.slower)),
    Binding(TIME, "backspace", "Backspace", "as fast as in life",
            _play(lambda film, now: film.at_speed(1.0, now))),
    Binding(TIME, "k", "k", "to the next touch or knock",
            _play(lambda film, now: film.next_mark(now).pause(now))),
    Binding(TIME, "shift+k", "Shift k", "to the touch or knock before",
            _play(lambda film, now: film.pause(now).previous_mark(now))),
    Binding(TIME, "home", "Home", "to the start of the roll",
            _play(lambda film, now: film.scrub(film.film.start, now).pause(now))),
    Binding(TIME, "end", "End", "to its end",
            _play(lambda film, now: film.scrub(film.film.end, now))),
    Binding(TIME, "pagedown", "PgDn", "the next roll", ViewerState.go_on),
    Binding(TIME, "pageup", "PgUp", "the roll before",
            lambda viewer: viewer.go_to(viewer.index - 1)),
    Binding(TIME, "l", "l", "over and over, or once", _play(FilmPlayback.toggle_loop)),
    Binding(CAMERA, "", "left drag", "go round, rise and sink"),
    Binding(CAMERA, "", "right drag", "move sideways, up and down"),
    Binding(CAMERA, "", "wheel", "nearer and farther"),
    Binding(CAMERA, "shift+left", "Shift ←", "go round to the left",
            _look(lambda camera: camera.orbit(-_TURN, 0.0))),
    Binding(CAMERA, "shift+right", "Shift →", "go round to the right",
            _look(lambda camera: camera.orbit(_TURN, 0.0))),
    Binding(CAMERA, "shift+up", "Shift ↑", "rise", _look(lambda camera: camera.orbit(0.0, _TURN))),
    Binding(CAMERA, "shift+down", "Shift ↓", "sink",
            _look(lambda camera: camera.orbit(0.0, -_TURN))),
    Binding(CAMERA, "ctrl+left", "Ctrl ←", "move left", _pan(-_SHIFT, 0.0)),
    Binding(CAMERA, "ctrl+right", "Ctrl →", "move right", _pan(_SHIFT, 0.0)),
    Binding(CAMERA, "ctrl+up", "Ctrl ↑", "move up", _pan(0.0, _SHIFT)),
    Binding(CAMERA, "ctrl+down", "Ctrl ↓", "move down", _pan(0.0, -_SHIFT)),
    Binding(CAMERA, "z", "z", "nearer", _look(lambda camera: camera.zoom(NEARER))),
    Binding(CAMERA, "x", "x", "farther", _look(lambda camera: camera.zoom(1.0 / NEARER))),
    Binding(CAMERA, "t", "t", "from straight above, and back", ViewerState.look_from_above),
    Binding(CAMERA, "f", "f", "follow the next Piggle, or none", ViewerState.follow_next),
    Binding(CAMERA, _keys(""), "F2 to F9", "saved views", numbered=ViewerState.view),
    Binding(CAMERA, _keys("shift+"), "Shift F2 to F9", "save this view there",
            numbered=ViewerState.save_view),
    Binding(LAYERS, "", "hover", "footprint and zone of a Piggle"),
    Binding(LAYERS, "", "click", "its whole reading; it is followed by f"),
    Binding(LAYERS, "n", "n", "pose and zone of each Piggle at rest", _layer("labels")),
    Binding(LAYERS, "o", "o", "footprint of each Piggle at rest", _layer("footprints")),
    Binding(LAYERS, "v", "v", "velocities, as arrows", _layer("arrows")),
    Binding(LAYERS, "c", "c", "what touches the board, by arrows", _layer("contacts")),
    Binding(LAYERS, "m", "m", "trails of what was knocked", _layer("trails")),
    Binding(LAYERS, "b", "b", "score and story", _layer("board")),
    Binding(TURN, "", "click a Piggle", "into the cup; who acts, on whom"),
    Binding(TURN, "", "over your half", "the cup goes where the mouse goes"),
    Binding(TURN, "", "hold the button", "shake; let it go to roll"),
    Binding(TURN, "", "wheel, held cup", "hold it higher or lower"),
    Binding(TURN, "bracketleft", "[", "throw further to the left",
            _aim(lambda aim: aim.turn(-_STEER))),
    Binding(TURN, "bracketright", "]", "throw further to the right",
            _aim(lambda aim: aim.turn(_STEER))),
    Binding(TURN, "comma", ",", "swing the cup less hard", _aim(lambda aim: aim.hurry(-_HURRY))),
    Binding(TURN, "period", ".", "swing it harder", _aim(lambda aim: aim.hurry(_HURRY))),
    Binding(TURN, "1 2 3 4 5 6 7 8 9", "1 to 9", "into the cup, or out; of a list, it",
            numbered=ViewerState.pick_number),
    Binding(TURN, "a", "a", "all into the cup, or all out", ViewerState.pick_all),
    Binding(TURN, "return enter", "Enter", "roll from there; of a list, do it", ViewerState.roll),
    Binding(TURN, "s", "s", "roll nothing in this turn", _ask("skip")),
    Binding(TURN, "d", "d", "end your actions (Modern)", _ask("done")),
    Binding(TURN, "h", "h", "what an agent would do, and why", _ask("hint")),
    Binding(TURN, "u", "u", "take back a decision (--practice)", _ask("undo")),
    Binding(TURN, "ctrl+g", "Ctrl g", "give the match up: press it twice", _ask("concede")),
    Binding(WINDOW, "f1 question shift+slash", "F1, ?", "this page", _toggle("help")),
    Binding(WINDOW, "escape", "Esc", "close a page; let go of what was clicked", ViewerState.clear),
    Binding(WINDOW, "p", "p", "save what is seen as a PNG", _toggle("wants_picture")),
    Binding(WINDOW, "f11", "F11", "the full screen, and back", _toggle("full_screen")),
    Binding(WINDOW, "q ctrl+q ctrl+w", "q", "close; nothing that was played is lost",
            ViewerState.close),
)  # fmt: skip

_BINDING_OF = {
    key: (binding, number)
    for binding in BINDINGS
    for number, key in enumerate(binding.keys.split(), start=1)
}


def press(viewer: ViewerState, key: str) -> None:
    """Run the action of a key; ignore unbound keys."""
    if key not in _BINDING_OF:
        return
    binding, number = _BINDING_OF[key]
    conceding = viewer.conceding
    if binding.action is not None:
        binding.action(viewer)
    if binding.numbered is not None:
        binding.numbered(viewer, number)
    if conceding:
        # Only the very next key concedes the match.
        viewer.conceding = False


def help_rows(groups: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return parts of the help page as rows of keys and action; a heading has no action."""
    rows: list[tuple[str, str]] = []
    for group in groups:
        rows.append((group, ""))
        rows += [(row.label, row.description) for row in BINDINGS if row.group == group]
    return tuple(rows)
