"""Window of the viewer: its keys and mouse, and its pictures, with or without a screen.

Keys are plain words, such as `"space"`, `"f2"` or `"shift+left"`, independent of the windowing
library.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from pigglesim.durable_io import replacing
from pigglesim.errors import SpecError
from pigglesim.films.film import FilmPlayback
from pigglesim.render.camera import Camera
from pigglesim.render.hud import Sheet, ViewerPicture, add_help, bar_share, viewer_picture
from pigglesim.render.labels import LabelPlate, reading_plates
from pigglesim.render.offscreen import gl_window
from pigglesim.render.viewer import VIEW_COUNT, ViewerState

if TYPE_CHECKING:
    from pigglesim.render.renderer import RenderTarget

_NEARER = 1.12
"""Factor by which a key or a notch of the wheel brings the camera nearer."""
_TURN = 0.12
"""Angle by which a key orbits the camera [rad]."""
_STEER = 0.0872665
"""Angle by which a key turns a throw [rad]: 5 degrees."""
_HURRY = 0.1
"""Speed by which a key changes the swing of the cup [m/s]."""
_SHIFT = 0.05
"""Distance by which a key pans the camera, in heights of the picture."""

TIME, CAMERA, LAYERS, HAND, WINDOW = "Time", "Camera", "What is shown", "Your hand", "Window"
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


def _aim(**by: float) -> Action:
    return lambda viewer: viewer.aim.steer(**by) if viewer.aim else None


def _layer(name: str) -> Action:
    return lambda viewer: viewer.layers.symmetric_difference_update({name})


def _toggle(name: str) -> Action:
    return lambda viewer: setattr(viewer, name, not getattr(viewer, name))


def _keys(prefix: str) -> str:
    return " ".join(f"{prefix}f{number}" for number in range(2, VIEW_COUNT + 2))


BINDINGS = (
    Binding(TIME, "", "bar below", "click or drag: any moment of the roll"),
    Binding(TIME, "space", "Space", "play or pause; at the end, again", _play(FilmPlayback.toggle)),
    Binding(TIME, "right", "→", "one frame forward", _play(lambda film, now: film.step(1, now))),
    Binding(TIME, "left", "←", "one frame back", _play(lambda film, now: film.step(-1, now))),
    Binding(TIME, "equal plus shift+equal", "+", "twice as fast, up to 8 times",
            _play(FilmPlayback.faster)),
    Binding(TIME, "minus", "-", "half as fast, down to a sixteenth", _play(FilmPlayback.slower)),
    Binding(TIME, "backspace", "Backspace", "in real time",
            _play(lambda film, now: film.at_speed(1.0, now))),
    Binding(TIME, "k", "k", "to the next touch or knock",
            _play(lambda film, now: film.next_mark(now).pause(now))),
    Binding(TIME, "shift+k", "Shift k", "to the previous touch or knock",
            _play(lambda film, now: film.pause(now).previous_mark(now))),
    Binding(TIME, "home", "Home", "to the start of the roll",
            _play(lambda film, now: film.scrub(film.film.start, now).pause(now))),
    Binding(TIME, "end", "End", "to its end",
            _play(lambda film, now: film.scrub(film.film.end, now))),
    Binding(TIME, "pagedown", "PgDn", "the next roll", ViewerState.go_on),
    Binding(TIME, "pageup", "PgUp", "the previous roll",
            lambda viewer: viewer.go_to(viewer.index - 1)),
    Binding(TIME, "l", "l", "repeat, or play once", _play(FilmPlayback.toggle_loop)),
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
    Binding(CAMERA, "z", "z", "nearer", _look(lambda camera: camera.zoom(_NEARER))),
    Binding(CAMERA, "x", "x", "farther", _look(lambda camera: camera.zoom(1.0 / _NEARER))),
    Binding(CAMERA, "t", "t", "from straight above, and back", ViewerState.look_from_above),
    Binding(CAMERA, "f", "f", "follow the next Piggle, or none", ViewerState.follow_next),
    Binding(CAMERA, _keys(""), "F2 to F9", "saved views", numbered=ViewerState.view),
    Binding(CAMERA, _keys("shift+"), "Shift F2 to F9", "save this view there",
            numbered=ViewerState.save_view),
    Binding(LAYERS, "", "hover", "footprint and zone of a Piggle"),
    Binding(LAYERS, "", "click", "its whole reading; f follows it"),
    Binding(LAYERS, "n", "n", "orientations and zones at rest", _layer("labels")),
    Binding(LAYERS, "o", "o", "footprint of each Piggle at rest", _layer("footprints")),
    Binding(LAYERS, "v", "v", "velocities, as arrows", _layer("arrows")),
    Binding(LAYERS, "c", "c", "contacts with the board, as arrows", _layer("contacts")),
    Binding(LAYERS, "m", "m", "trails of knocked Piggles", _layer("trails")),
    Binding(LAYERS, "b", "b", "score and story", _layer("board")),
    Binding(LAYERS, "d", "d", "when each orientation was decided", ViewerState.find_decided),
    Binding(HAND, "", "over your half", "the cup follows the mouse"),
    Binding(HAND, "", "hold the button", "shake; release it to pour"),
    Binding(HAND, "", "wheel, held cup", "hold it higher or lower"),
    Binding(HAND, "bracketleft", "[", "throw further to the left", _aim(turn=-_STEER)),
    Binding(HAND, "bracketright", "]", "throw further to the right", _aim(turn=_STEER)),
    Binding(HAND, "comma", ",", "swing the cup less hard", _aim(harder=-_HURRY)),
    Binding(HAND, "period", ".", "swing it harder", _aim(harder=_HURRY)),
    Binding(HAND, "return enter", "Enter", "take the cup after the last roll; pour it",
            ViewerState.pour),
    Binding(WINDOW, "f1 question shift+slash", "F1, ?", "this page", _toggle("help")),
    Binding(WINDOW, "escape", "Esc", "close a page; put the cup down; let go", ViewerState.clear),
    Binding(WINDOW, "p", "p", "save the picture as a PNG", _toggle("wants_picture")),
    Binding(WINDOW, "f11", "F11", "full screen, and back", _toggle("full_screen")),
    Binding(WINDOW, "q ctrl+q ctrl+w", "q", "close the window",
            ViewerState.close),
)  # fmt: skip

_BINDING_OF = {
    key: (binding, number)
    for binding in BINDINGS
    for number, key in enumerate(binding.keys.split(), start=1)
}


def press_key(viewer: ViewerState, key: str) -> None:
    """Run the action of a key; ignore unbound keys."""
    if key not in _BINDING_OF:
        return
    binding, number = _BINDING_OF[key]
    if binding.action is not None:
        binding.action(viewer)
    if binding.numbered is not None:
        binding.numbered(viewer, number)


_HELP_COLUMNS = ((TIME, WINDOW), (CAMERA,), (LAYERS, HAND))


def _help_rows(groups: Sequence[str]) -> list[tuple[str, str]]:
    """Return parts of the help page as rows of keys and action; a heading has no action."""
    rows: list[tuple[str, str]] = []
    for group in groups:
        rows.append((group, ""))
        rows += [(row.label, row.description) for row in BINDINGS if row.group == group]
    return rows


_ROUND = 0.006
"""Angle that the camera orbits per pixel of a drag [rad]."""
_CUP_STEP = 0.005
"""Distance that a key or a wheel notch moves the cup [m]."""
_CLICK = 4.0
"""Maximum movement of a press that still counts as a click [pixels]."""

_MOVES = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, 1.0), "down": (0.0, -1.0)}


@dataclass(slots=True)
class _Press:
    """A mouse button that is down."""

    button: str
    x: float
    y: float
    target: str
    """Target of the drag: `orbit`, `pan`, `bar`, `cup`, or the name of an area."""
    moved: float = 0.0


_BUTTONS: dict[str, Callable[[ViewerState], object]] = {
    "play": lambda viewer: viewer.play(FilmPlayback.toggle),
    "clear": ViewerState.clear,
    "pour": ViewerState.pour,
}
"""Actions of the buttons."""


class WindowEvents:
    """Handlers of window events, which change a viewer's state."""

    def __init__(self, viewer: ViewerState) -> None:
        self.viewer = viewer
        self.sheet = Sheet(size=viewer.size)
        """Sheet last drawn over the picture, with the areas of its buttons."""
        self._press: _Press | None = None

    def frame(self, elapsed: float) -> ViewerPicture:
        """Advance the wall clock [s] and return the contents of the next picture."""
        self.viewer.tick(elapsed)
        picture = viewer_picture(self.viewer)
        if self.viewer.help:
            add_help(picture.sheet, [_help_rows(groups) for groups in _HELP_COLUMNS])
        self.sheet = picture.sheet
        return picture

    # Keys.

    def key_down(self, key: str) -> None:
        """Handle a key press, such as `"space"` or `"shift+left"`; ignore unbound keys."""
        viewer, aim = self.viewer, self.viewer.aim
        if aim is not None and key in _MOVES:
            across, ahead = _MOVES[key]
            aim.shift(across * _CUP_STEP, ahead * _CUP_STEP)
        elif aim is not None and key == "space":
            aim.begin(sways=True)
        else:
            press_key(viewer, key)

    def key_up(self, key: str) -> None:
        """Handle a key release: the space bar pours after shaking."""
        aim = self.viewer.aim
        if key == "space" and aim is not None and aim.sways:
            self.viewer.pour()

    # The mouse.

    def move(self, x: float, y: float) -> None:
        """Handle a mouse move to a position in pixels from the upper left."""
        viewer = self.viewer
        viewer.mouse = (x, y)
        if viewer.aim is not None and self._press is None and self.sheet.area_at(x, y) is None:
            viewer.aim.point_at(*viewer.camera.ray(x, y, viewer.size))

    def leave(self) -> None:
        """Handle the mouse leaving the window."""
        self.viewer.mouse = None

    def press(self, x: float, y: float, button: str) -> None:
        """Handle a press of a button, `left`, `middle` or `right`."""
        self.move(x, y)
        area = self.sheet.area_at(x, y)
        target = "orbit" if button == "left" else "pan"
        if area is not None:
            target = area
            if area == "bar":
                self._scrub(x)
        elif button == "left" and self._grabs(x, y):
            target = "cup"
        self._press = _Press(button, x, y, target)

    def _grabs(self, x: float, y: float) -> bool:
        """Return whether a press grabs the cup, and start shaking if so."""
        viewer, aim = self.viewer, self.viewer.aim
        if aim is None or not aim.point_at(*viewer.camera.ray(x, y, viewer.size)):
            return False
        aim.begin()
        return True

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        """Handle a drag with a button down, positive to the right and down [pixels]."""
        viewer, press = self.viewer, self._press
        viewer.mouse = (x, y)
        if press is None:
            return
        press.moved += abs(dx) + abs(dy)
        if press.target == "bar":
            self._scrub(x)
        elif press.target == "cup" and viewer.aim is not None:
            viewer.aim.point_at(*viewer.camera.ray(x, y, viewer.size))
        elif press.target == "orbit" and press.moved > _CLICK:
            viewer.look(viewer.camera.orbit(-dx * _ROUND, dy * _ROUND))
        elif press.target == "pan":
            viewer.pan(-dx / viewer.size[1], dy / viewer.size[1])

    def release(self, x: float, y: float) -> None:
        """Handle a button release: a click if the mouse has hardly moved."""
        press, self._press = self._press, None
        if press is None:
            return
        if press.target == "cup":
            self.viewer.pour()
        elif press.moved <= _CLICK and press.button == "left":
            if press.target == "orbit":
                # Nothing under the mouse clears the selection.
                self.viewer.selected = self.viewer.hovered
            elif press.target in _BUTTONS:
                _BUTTONS[press.target](self.viewer)
        self.viewer.mouse = (x, y)

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Handle the wheel, positive upwards: zoom in, or raise the cup while it is aimed.

        Over the cup's own half the wheel lifts the cup only with a button down.
        """
        viewer, aim = self.viewer, self.viewer.aim
        aimed = aim is not None and self._press is None
        if aim and aimed and aim.point_at(*viewer.camera.ray(x, y, viewer.size)):
            aim.lift(_CUP_STEP * notches)
        else:
            viewer.look(viewer.camera.zoom(_NEARER**notches))

    def resize(self, width: int, height: int) -> None:
        """Handle a new size of the window."""
        self.viewer.size = (max(width, 1), max(height, 1))

    def _scrub(self, x: float) -> None:
        viewer, clock = self.viewer, self.viewer.clock
        if clock is not None:
            share, film = bar_share(x, viewer.size), clock.film
            time = film.start + share * (film.end - film.start)
            # A person who searches for a moment wants the film paused.
            viewer.clock = clock.scrub(time, viewer.now).pause(viewer.now)


_RATE = 60.0
"""Maximum pictures per second."""
_LONGEST_STEP = 0.1
"""Maximum time that one picture advances the clock, so that nothing is skipped [s]."""
_LEAST_SIZE = (320, 240)
_MOVING = 5
"""Number of leading entries that describe transforms and camera."""
_MOUSE = {1: "left", 2: "middle", 4: "right"}


def expect_window(*, instead: str) -> None:
    """Raise unless a window can be opened here, before the work to be shown starts.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3.
    """
    gl_window(_LEAST_SIZE, on_screen=instead, visible=False).close()


def open_window(viewer: ViewerState, *, title: str, instead: str) -> None:
    """Show the viewer in a window until it is closed; `instead` is advice without a display.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3, or the context was lost.
    """
    window = gl_window(viewer.size, on_screen=instead, caption=title, resizable=True, vsync=True)
    try:
        _Screen(window, viewer).run()
    finally:
        viewer.close()
        window.close()


class _Screen:
    """A window and the renderer in it."""

    def __init__(self, window: Any, viewer: ViewerState) -> None:  # noqa: ANN401
        from pigglesim.render import renderer  # noqa: PLC0415 (needs a context)

        self._window = window
        self._viewer = viewer
        self._events = WindowEvents(viewer)
        self._renderer = renderer.Renderer(viewer.scene)
        self._stage: object = None
        self._drawn: tuple[Any, ...] | None = None
        self._gpu = renderer
        self._in_software = renderer.draws_in_software()
        self._target: RenderTarget | None = None
        self._rough = False
        """True if the current picture has jagged edges."""
        window.set_minimum_size(*_LEAST_SIZE)
        self._listen()

    def run(self) -> None:
        """Show one picture after another until the window is closed."""
        window, viewer = self._window, self._viewer
        before = time.perf_counter()
        while not viewer.closed:
            window.switch_to()
            window.dispatch_events()
            if viewer.full_screen is not window.fullscreen:
                window.set_fullscreen(viewer.full_screen)
            now = time.perf_counter()
            picture = self._events.frame(min(now - before, _LONGEST_STEP))
            before = now
            self._draw(picture)
            left = 1.0 / _RATE - (time.perf_counter() - now)
            if left > 0.0:
                time.sleep(left)

    def _draw(self, picture: ViewerPicture) -> None:
        """Draw a picture, unless it equals the current one."""
        size = self._window.get_framebuffer_size()
        contents = (
            size,
            picture.camera,
            picture.still.positions.tobytes(),
            picture.still.rotations.tobytes(),
            picture.still.cup,
            tuple(map(tuple, picture.sheet.groups)),
            tuple(picture.labels),
            [line.points.tobytes() for line in picture.lines],
        )
        redraw = self._rough or self._viewer.wants_picture
        if contents == self._drawn and not redraw:
            return
        # Without a graphics card edges are smoothed as soon as nothing moves.
        moves = self._drawn is None or contents[:_MOVING] != self._drawn[:_MOVING]
        self._rough = self._in_software and moves and not self._viewer.wants_picture
        if picture.stage is not self._stage and picture.stage is not None:
            self._renderer.set_stage(picture.stage)
            self._stage = picture.stage
        target = None if self._rough else self._smooth(size)
        plates = [*self._labels(picture, size), *picture.sheet.plates]
        frame = target.frame if target else 0
        self._renderer.draw(
            frame, size, picture.camera, picture.still, lines=picture.lines, plates=plates
        )
        if target is not None:
            target.show()
        if self._viewer.wants_picture:
            self._viewer.wants_picture = False
            self._save()
        self._window.flip()
        self._drawn = contents

    def _smooth(self, size: tuple[int, int]) -> "RenderTarget | None":
        """Return the target for a picture with smooth edges; None if memory does not suffice."""
        if self._target is None or self._target.size != size:
            if self._target is not None:
                self._target.free()
            try:
                self._target = self._gpu.RenderTarget(*size)
            except SpecError:
                self._target = None
        return self._target

    @staticmethod
    def _labels(picture: ViewerPicture, size: tuple[int, int]) -> list[LabelPlate]:
        if picture.stage is None:
            return []
        actors = picture.stage.film.actors
        panels = [
            (box.x, box.y, box.width, box.height) for name, box in picture.sheet.areas if not name
        ]
        return reading_plates(
            actors, picture.labels, picture.still, picture.camera, size, keep_out=panels
        )

    def _save(self) -> None:
        """Save the last picture under an unused name."""
        names = (Path(f"pigglesim-{number}.png") for number in range(1, 10_000))
        file = next(name for name in names if not name.exists())
        pixels = self._gpu.read_pixels(0, self._window.get_framebuffer_size())[..., :3]
        try:
            with replacing(file) as part:
                Image.fromarray(np.ascontiguousarray(pixels)).save(part, format="PNG")
        except OSError as fault:
            self._viewer.notice = f"Not saved: {fault.strerror}"
        else:
            self._viewer.notice = f"Saved as {file}."

    # Window events.

    def _listen(self) -> None:
        from pyglet.window import key  # noqa: PLC0415 (needs a display)

        events, window = self._events, self._window

        def name_of(symbol: int, modifiers: int) -> str:
            word = key.symbol_string(symbol).lower().removeprefix("num_").lstrip("_")
            ctrl = modifiers & (key.MOD_CTRL | key.MOD_COMMAND)
            shift = modifiers & key.MOD_SHIFT
            return f"{'ctrl+' if ctrl else ''}{'shift+' if shift else ''}{word}"

        def place(x: float, y: float) -> tuple[float, float]:
            ratio = window.get_pixel_ratio()
            return x * ratio, (window.height - y) * ratio

        def on_key_press(symbol: int, modifiers: int) -> bool:
            events.key_down(name_of(symbol, modifiers))
            return True

        def on_mouse_drag(x: float, y: float, dx: float, dy: float, *_: int) -> None:
            ratio = window.get_pixel_ratio()
            events.drag(*place(x, y), dx * ratio, -dy * ratio)

        def on_resize(*_: int) -> bool:
            events.resize(*window.get_framebuffer_size())
            return True

        def on_close() -> bool:
            self._viewer.close()
            return True

        window.push_handlers(
            on_key_press=on_key_press,
            on_key_release=lambda symbol, _: events.key_up(name_of(symbol, 0)),
            on_mouse_motion=lambda x, y, *_: events.move(*place(x, y)),
            on_mouse_press=lambda x, y, button, _: events.press(
                *place(x, y), _MOUSE.get(button, "left")
            ),
            on_mouse_release=lambda x, y, *_: events.release(*place(x, y)),
            on_mouse_drag=on_mouse_drag,
            on_mouse_scroll=lambda x, y, _, notches: events.wheel(*place(x, y), notches),
            on_mouse_leave=lambda *_: events.leave(),
            on_resize=on_resize,
            on_close=on_close,
        )
        events.resize(*window.get_framebuffer_size())


_FRAME = 1.0 / 25.0
"""Time between two pictures [s], on a clock that runs as fast as possible."""
_LONGEST = 24.0 * 3600.0
"""Maximum duration of a show [s of its own clock]; a longer one never ends."""


class NullWindow:
    """Replacement for a window without any display."""

    def __init__(self, viewer: ViewerState) -> None:
        self.viewer = viewer
        self.events = WindowEvents(viewer)
        self.seen: list[str] = []
        """Texts over the pictures, each line once per roll."""

    def frame(self, passed: float = _FRAME) -> ViewerPicture:
        """Advance the clock and return the next picture."""
        return self.events.frame(passed)

    def run(self) -> None:
        """Play to the end of the show."""
        viewer, clock = self.viewer, 0.0
        last: int | None = None
        while not viewer.closed and clock < _LONGEST:
            picture = self.frame()
            clock += _FRAME
            landed = picture.stage is not None and picture.stage.landed(viewer.time)
            if landed and last != viewer.index:
                last = viewer.index
                if viewer.clock is not None:
                    viewer.clock = viewer.clock.scrub(viewer.clock.film.end, viewer.now)
                self.seen += self.frame(0.0).texts
            if viewer.finished:
                viewer.close()
