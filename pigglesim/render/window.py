"""What keys and the mouse do to a viewer."""

import ctypes
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import SpecError
from pigglesim.films.playback import FilmPlayback
from pigglesim.render.bindings import Command, command_of
from pigglesim.render.hud import Sight, sight_of
from pigglesim.render.labels import reading_plates
from pigglesim.render.lettering import Plate
from pigglesim.render.offscreen import GL_PACKAGES
from pigglesim.render.overlay import Sheet, bar_share, sheet_plates
from pigglesim.render.session import LAYERS, Aim, Watching

if TYPE_CHECKING:
    from pigglesim.render.gpu import GpuTarget


_TURN = 0.12
"""How far a key takes the camera round [rad]."""
_SHIFT = 0.05
"""How far a key moves the camera, in heights of the picture."""
_NEARER = 1.12
"""How much nearer a key or a notch of the wheel takes the camera."""
_ROUND = 0.006
"""How far the camera goes round for a pixel of a drag [rad]."""
_CUP_STEP = 0.005
"""How far a key or a notch of the wheel moves the cup [m]."""
_CLICK = 4.0
"""A press that moves no further than this before it ends is a click [pixels]."""

_SIMPLE = {
    Command.ORBIT_LEFT: (-_TURN, 0.0),
    Command.ORBIT_RIGHT: (_TURN, 0.0),
    Command.ORBIT_UP: (0.0, _TURN),
    Command.ORBIT_DOWN: (0.0, -_TURN),
}
_PANS = {
    Command.PAN_LEFT: (-_SHIFT, 0.0),
    Command.PAN_RIGHT: (_SHIFT, 0.0),
    Command.PAN_UP: (0.0, _SHIFT),
    Command.PAN_DOWN: (0.0, -_SHIFT),
}
_WORDS = {
    Command.SKIP: "skip",
    Command.DONE: "done",
    Command.HINT: "hint",
    Command.UNDO: "undo",
    Command.CONCEDE: "concede",
}
_MOVES = {"left": (-1.0, 0.0), "right": (1.0, 0.0), "up": (0.0, -1.0), "down": (0.0, 1.0)}


@dataclass(slots=True)
class _Press:
    """A button of the mouse that is down."""

    button: str
    x: float
    y: float
    holds: str
    """What it has hold of: `orbit`, `pan`, `bar`, `cup`, or the name of an area."""
    moved: float = 0.0


class Events:
    """Takes what a window hears and changes what a viewer shows.

    Args:
        watching: The viewer's state.
    """

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self.sheet = Sheet(size=watching.size)
        """What was last written over the picture: there the buttons are."""
        self._press: _Press | None = None

    def frame(self, passed: float) -> Sight:
        """Let some time of the wall clock go by [s] and return what is to be seen then."""
        self.watching.tick(passed)
        sight = sight_of(self.watching)
        self.sheet = sight.sheet
        return sight

    # Keys.

    def key_down(self, key: str) -> None:
        """Take a key, such as `"space"` or `"shift+left"`; one that nothing is bound to is none."""
        watching = self.watching
        aim = watching.aim
        if aim is not None and not aim.decided and self._aim_key(aim, key):
            return
        found = command_of(key)
        if found is None:
            return
        command, number = found
        if watching.help and command in {Command.CLEAR, Command.HELP}:
            watching.help = False
            return
        if command is not Command.CONCEDE:
            watching.conceding = False
        self._do(command, number)

    def key_up(self, key: str) -> None:
        """Take a key that was let go: the space bar rolls what was shaken."""
        aim = self.watching.aim
        if key == "space" and aim is not None and aim.shaken is not None:
            self.watching.pour()

    def _aim_key(self, aim: Aim, key: str) -> bool:
        """Take what a key does in a turn and not elsewhere; return whether it does."""
        if aim.offer.choices and key in {"up", "down"}:
            step = 1 if key == "down" else -1
            aim.marked = (aim.marked + step) % len(aim.offer.choices)
        elif aim.pours and key in _MOVES:
            across, back = _MOVES[key]
            aim.move(across * _CUP_STEP, back * _CUP_STEP)
        elif key == "space":
            self._shake(aim)
        else:
            return False
        return True

    def _shake(self, aim: Aim) -> None:
        if aim.pours and aim.chosen:
            aim.shaken = 0.0
        else:
            self.watching.pour()

    def _do(self, command: Command, number: int) -> None:
        watching = self.watching
        if command in _SIMPLE:
            watching.look(watching.camera.orbit(*_SIMPLE[command]))
        elif command in _PANS:
            watching.followed = None
            watching.look(watching.camera.pan(*_PANS[command]))
        elif command.value in LAYERS:
            watching.layers ^= {command.value}
        elif command in _WORDS:
            self._ask(_WORDS[command])
        else:
            self._view(command, number)

    def _ask(self, word: str) -> None:
        aim = self.watching.aim
        if word == "undo" or (
            aim is not None
            and not aim.decided
            and (word != "skip" or aim.offer.skip)
            and (word != "done" or aim.offer.done)
        ):
            self.watching.ask(word)

    def _view(self, command: Command, number: int) -> None:
        """Do what a key is for that belongs to the camera, the window or a turn."""
        watching = self.watching
        match command:
            case Command.ZOOM_IN:
                watching.look(watching.camera.zoom(_NEARER))
            case Command.ZOOM_OUT:
                watching.look(watching.camera.zoom(1.0 / _NEARER))
            case Command.TOP:
                watching.look_from_above()
            case Command.FOLLOW:
                watching.follow_next()
            case Command.VIEW:
                watching.followed = None
                watching.look(watching.views[number - 1])
            case Command.SAVE_VIEW:
                watching.views[number - 1] = watching.camera
                watching.said = f"This view is kept at F{number + 1}."
            case Command.HELP:
                watching.help = True
            case Command.CLEAR:
                watching.selected = watching.followed = None
                watching.said = ""
            case Command.PICTURE:
                watching.wants_picture = True
            case Command.FULL_SCREEN:
                watching.full_screen = not watching.full_screen
            case Command.CLOSE:
                watching.close()
            case Command.PICK | Command.PICK_ALL | Command.ROLL:
                self._turn(command, number)
            case _:
                self._clock(command)

    def _turn(self, command: Command, number: int) -> None:
        """Do what a key is for in a turn; Enter goes on where a roll is shown."""
        watching = self.watching
        aim = watching.aim
        if aim is None or aim.decided:
            if command is Command.ROLL:
                watching.go_on()
        elif command is Command.PICK:
            if not aim.pick_number(number):
                watching.said = f"There is no {number} to choose."
        elif command is Command.PICK_ALL:
            aim.pick_all()
        else:
            watching.pour()

    def _clock(self, command: Command) -> None:
        """Do what a key is for that belongs to time."""
        watching = self.watching
        if command is Command.ROLL_ON:
            watching.go_on()
        elif command is Command.ROLL_BACK:
            watching.go_to(watching.index - 1)
        elif watching.clock is not None:
            watching.clock = _after(command, watching.clock, watching.now)

    # The mouse.

    def move(self, x: float, y: float) -> None:
        """Take where the mouse is, in pixels from the upper left."""
        watching = self.watching
        watching.mouse = (x, y)
        if watching.aim is not None and self._press is None and self.sheet.area_at(x, y) is None:
            watching.aim.point_at(*watching.camera.ray(x, y, watching.size))

    def leave(self) -> None:
        """Take that the mouse has left the window."""
        self.watching.mouse = None

    def press(self, x: float, y: float, button: str) -> None:
        """Take a button, `left`, `middle` or `right`, that went down."""
        self.move(x, y)
        area = self.sheet.area_at(x, y)
        holds = "orbit" if button == "left" else "pan"
        if area is not None:
            holds = area
            if area == "bar":
                self._scrub(x)
        elif button == "left" and self._grabs(x, y):
            holds = "cup"
        self._press = _Press(button, x, y, holds)

    def _grabs(self, x: float, y: float) -> bool:
        """Return whether a press takes the cup, and shake it if so."""
        watching = self.watching
        aim = watching.aim
        if aim is None or aim.decided or not aim.pours:
            return False
        # A Piggle of the Pen that is clicked goes into the cup.
        if watching.hovered in aim.offer.loadable:
            return False
        if not aim.point_at(*watching.camera.ray(x, y, watching.size)):
            return False
        if not aim.chosen:
            watching.said = "Nothing is in the cup: click Piggles of your Pen, or press a for all."
            return False
        aim.shaken = 0.0
        return True

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        """Take a movement with a button down, down and to the right being positive [pixels]."""
        watching, press = self.watching, self._press
        watching.mouse = (x, y)
        if press is None:
            return
        press.moved += abs(dx) + abs(dy)
        if press.holds == "bar":
            self._scrub(x)
        elif press.holds == "orbit" and press.moved > _CLICK:
            watching.look(watching.camera.orbit(-dx * _ROUND, dy * _ROUND))
        elif press.holds == "pan":
            watching.followed = None
            height = watching.size[1]
            watching.look(watching.camera.pan(-dx / height, dy / height))

    def release(self, x: float, y: float) -> None:
        """Take a button that was let go: a click if the mouse has hardly moved."""
        press, self._press = self._press, None
        if press is None:
            return
        if press.holds == "cup":
            self.watching.pour()
        elif press.moved <= _CLICK and press.button == "left":
            if press.holds == "orbit":
                self._click()
            else:
                self._click_area(press.holds)
        self.watching.mouse = (x, y)

    def _click(self) -> None:
        """Choose the Piggle under the mouse, or let go of what was chosen."""
        watching = self.watching
        hovered = watching.hovered
        if watching.aim is None or hovered is None or not watching.aim.pick(hovered):
            watching.selected = hovered

    def _click_area(self, name: str) -> None:
        """Do what a button is for."""
        watching = self.watching
        word, _, number = name.partition(" ")
        aim = watching.aim
        if word == "play" and watching.clock is not None:
            watching.clock = watching.clock.toggle(watching.now)
        elif word == "clear":
            watching.help = False
        elif word in _WORDS.values():
            self._ask(word)
        elif aim is not None and word == "pick":
            aim.pick(number)
        elif aim is not None and word == "choose":
            aim.marked = int(number)
            watching.pour()
        elif aim is not None and word == "all":
            aim.pick_all()
        elif word == "roll":
            watching.pour()
        elif word == "on":
            watching.go_on()

    def wheel(self, x: float, y: float, notches: float) -> None:
        """Take the wheel, upwards being positive: nearer, or the cup higher while it is pointed.

        Over the cup's own half the wheel lifts the cup only with a button down.
        """
        watching = self.watching
        aim = watching.aim
        if aim is not None and aim.pours and self._press is None and self._near_cup(x, y):
            aim.lift(_CUP_STEP * notches)
        else:
            watching.look(watching.camera.zoom(_NEARER**notches))

    def _near_cup(self, x: float, y: float) -> bool:
        """Return whether a pixel shows the cup in hand."""
        watching = self.watching
        aim = watching.aim
        if aim is None or aim.cup is None:
            return False
        return aim.point_at(*watching.camera.ray(x, y, watching.size))

    def resize(self, width: int, height: int) -> None:
        """Take a new size of the window."""
        self.watching.size = (max(width, 1), max(height, 1))

    def _scrub(self, x: float) -> None:
        watching, clock = self.watching, self.watching.clock
        if clock is not None:
            share, film = bar_share(x, watching.size), clock.film
            time = film.start + share * (film.end - film.start)
            # One who looks for a moment wants it to stand still.
            watching.clock = clock.scrub(time, watching.now).pause(watching.now)


def _after(command: Command, clock: FilmPlayback, now: float) -> FilmPlayback:
    """Return how a film goes on after a key; one of no meaning here changes nothing."""
    match command:
        case Command.PLAY:
            return clock.toggle(now)
        case Command.FRAME_ON:
            return clock.step(1, now)
        case Command.FRAME_BACK:
            return clock.step(-1, now)
        case Command.FASTER:
            return clock.faster(now)
        case Command.SLOWER:
            return clock.slower(now)
        case Command.REAL_TIME:
            return clock.at_speed(1.0, now)
        case Command.TOUCH_ON:
            return clock.next_mark(now).pause(now)
        case Command.TOUCH_BACK:
            return clock.pause(now).previous_mark(now)
        case Command.START:
            return clock.to_start(now).pause(now)
        case Command.END:
            return clock.to_end(now)
        case Command.LOOP:
            return clock.looped(now, loop=not clock.loop)
        case _:
            return clock


_RATE = 60.0
"""Pictures a second at most."""
_LONGEST_STEP = 0.1
"""A picture that took longer holds the clock back, so that nothing is skipped [s]."""
_LEAST_SIZE = (320, 240)
_MOVING = 5
"""How much of what a picture shows is where things are, and from where one looks."""
_BUTTONS = {1: "left", 2: "middle", 4: "right"}


def expect_window(*, instead: str) -> None:
    """Raise unless a window can be opened here, before the work that it is to show.

    Args:
        instead: What to do without one.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3.
    """
    _opened(_LEAST_SIZE, title="", instead=instead, visible=False).close()


def open_window(watching: Watching, *, title: str, instead: str) -> None:
    """Show it all in a window until it is closed.

    Args:
        watching: The viewer's state; its size is that of the window at first.
        title: Of the window.
        instead: What to do without a window.

    Raises:
        SpecError: If there is no display or no OpenGL 3.3, or the context was lost.
    """
    window = _opened(watching.size, title=title, instead=instead, visible=True)
    try:
        _Screen(window, watching).run()
    finally:
        watching.close()
        window.close()


def _opened(size: tuple[int, int], *, title: str, instead: str, visible: bool) -> Any:  # noqa: ANN401 (pyglet carries no types)
    """Return a window."""
    if os.name == "posix" and os.uname().sysname == "Linux" and not os.environ.get("DISPLAY"):
        raise SpecError("a display to open a window on", got="DISPLAY is not set", remedy=instead)
    import pyglet  # noqa: PLC0415 (slow to import)

    pyglet.options["shadow_window"] = False
    pyglet.options["debug_gl"] = False
    try:
        # These look for a library of OpenGL and for a display.
        from pyglet import gl  # noqa: PLC0415
        from pyglet.window import Window  # noqa: PLC0415
    except Exception as fault:
        raise _no_window(fault, instead) from None
    width, height = size
    # Edges are smoothed off the screen: whether they are is decided picture by picture.
    config = gl.Config(  # type: ignore[abstract]  # as pyglet's own manual has it
        double_buffer=True, depth_size=24, red_size=8, green_size=8, blue_size=8,
        major_version=3, minor_version=3, forward_compatible=True,
    )  # fmt: skip
    try:
        return Window(
            width, height, caption=title, resizable=True, config=config, vsync=True, visible=visible
        )
    except Exception as fault:
        # Drivers and pyglet fail in a dozen ways here: whatever it is, there is no window.
        raise _no_window(fault, instead) from None


def _no_window(fault: Exception, instead: str) -> SpecError:
    """Return why no window opens, as one line with a remedy."""
    if "Display" in type(fault).__name__:
        return SpecError(
            "a display to open a window on",
            got=f"none at {os.environ.get('DISPLAY', '')!r}",
            remedy=instead,
        )
    if isinstance(fault, ImportError):
        return SpecError(
            "OpenGL to draw with", got=_one_line(fault), remedy=f"apt-get install {GL_PACKAGES}"
        )
    return SpecError(
        "a display with OpenGL 3.3",
        got=_one_line(fault),
        remedy=f"apt-get install {GL_PACKAGES} and LIBGL_ALWAYS_SOFTWARE=1; or {instead}",
    )


def _one_line(fault: Exception) -> str:
    return " ".join(str(fault).split()) or type(fault).__name__


def _seen(size: tuple[int, int]) -> NDArray[np.uint8]:
    """Return what was drawn into the window, the top row first, shape [height, width, 3]."""
    from pyglet import gl  # noqa: PLC0415 (needs a context)

    width, height = size
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
    gl.glReadBuffer(gl.GL_BACK)
    pointer = pixels.ctypes.data_as(ctypes.c_void_p)
    gl.glReadPixels(0, 0, width, height, gl.GL_RGBA, gl.GL_UNSIGNED_BYTE, pointer)
    return np.ascontiguousarray(pixels[::-1, :, :3])


class _Screen:
    """A window and the renderer in it."""

    def __init__(self, window: Any, watching: Watching) -> None:  # noqa: ANN401
        # All of these need a context.
        from pigglesim.render import gpu  # noqa: PLC0415
        from pigglesim.render.lines import LinePainter  # noqa: PLC0415
        from pigglesim.render.renderer import Renderer  # noqa: PLC0415

        self._window = window
        self._watching = watching
        self._events = Events(watching)
        self._renderer = Renderer(watching.scene, (), ())
        self._lines = LinePainter()
        self._cast: object = None
        self._drawn: tuple[Any, ...] | None = None
        self._in_software = gpu.draws_in_software()
        self._make_target = gpu.GpuTarget
        self._target: GpuTarget | None = None
        self._rough = False
        """Whether the picture that is seen has jagged edges."""
        window.set_minimum_size(*_LEAST_SIZE)
        self._listen()

    def run(self) -> None:
        """Show one picture after another until the window is closed."""
        window, watching = self._window, self._watching
        before = time.perf_counter()
        while not watching.closed:
            window.switch_to()
            window.dispatch_events()
            if watching.full_screen is not window.fullscreen:
                window.set_fullscreen(watching.full_screen)
            now = time.perf_counter()
            sight = self._events.frame(min(now - before, _LONGEST_STEP))
            before = now
            self._draw(sight)
            left = 1.0 / _RATE - (time.perf_counter() - now)
            if left > 0.0:
                time.sleep(left)

    def _draw(self, sight: Sight) -> None:
        """Draw a picture, unless it is just the one that is seen."""
        size = self._window.get_framebuffer_size()
        same = (
            size,
            sight.camera,
            sight.still.positions.tobytes(),
            sight.still.rotations.tobytes(),
            sight.still.cup,
            tuple(map(tuple, sight.sheet.groups)),
            tuple(sight.labels),
            [line.points.tobytes() for line in sight.lines],
        )
        again = self._rough or self._watching.wants_picture
        if same == self._drawn and not again:
            return
        # Without a graphics card edges are smooth as soon as nothing moves any more.
        moves = self._drawn is None or same[:_MOVING] != self._drawn[:_MOVING]
        self._rough = self._in_software and moves and not self._watching.wants_picture
        if sight.screening is not self._cast and sight.screening is not None:
            actors = sight.screening.film.actors
            self._renderer.recast(sight.screening.bodies, [actor.owner for actor in actors])
            self._cast = sight.screening
        target = None if self._rough else self._smooth(size)
        self._renderer.draw(target.frame if target else 0, size, sight.camera, sight.still)
        self._lines.draw(size, sight.camera, sight.lines)
        self._renderer.draw_plates(size, [*self._labels(sight, size), *sheet_plates(sight.sheet)])
        if target is not None:
            target.show()
        if self._watching.wants_picture:
            self._watching.wants_picture = False
            self._save()
        self._window.flip()
        self._drawn = same

    def _smooth(self, size: tuple[int, int]) -> "GpuTarget | None":
        """Return where a picture with smooth edges is drawn; None if there is no memory for it."""
        if self._target is None or self._target.size != size:
            if self._target is not None:
                self._target.drop()
            try:
                self._target = self._make_target(*size)
            except SpecError:
                self._target = None
        return self._target

    @staticmethod
    def _labels(sight: Sight, size: tuple[int, int]) -> list[Plate]:
        if sight.screening is None:
            return []
        actors = sight.screening.film.actors
        panels = [
            (box.x, box.y, box.width, box.height) for name, box in sight.sheet.areas if not name
        ]
        return reading_plates(
            actors, sight.labels, sight.still, sight.camera, size, keep_out=panels
        )

    def _save(self) -> None:
        """Save what was drawn under a name that is free."""
        from PIL import Image  # noqa: PLC0415 (needed here alone)

        names = (Path(f"pigglesim-{number}.png") for number in range(1, 10_000))
        file = next(name for name in names if not name.exists())
        try:
            Image.fromarray(_seen(self._window.get_framebuffer_size())).save(file)
        except OSError as fault:
            self._watching.said = f"Not saved: {_one_line(fault)}"
        else:
            self._watching.said = f"Saved as {file}."

    # What the window hears.

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

        def on_key_release(symbol: int, modifiers: int) -> None:
            events.key_up(name_of(symbol, 0))

        def on_mouse_motion(x: float, y: float, dx: float, dy: float) -> None:
            events.move(*place(x, y))

        def on_mouse_press(x: float, y: float, button: int, modifiers: int) -> None:
            events.press(*place(x, y), _BUTTONS.get(button, "left"))

        def on_mouse_release(x: float, y: float, button: int, modifiers: int) -> None:
            events.release(*place(x, y))

        def on_mouse_drag(
            x: float, y: float, dx: float, dy: float, buttons: int, modifiers: int
        ) -> None:
            ratio = window.get_pixel_ratio()
            events.drag(*place(x, y), dx * ratio, -dy * ratio)

        def on_mouse_scroll(x: float, y: float, scroll_x: float, scroll_y: float) -> None:
            events.wheel(*place(x, y), scroll_y)

        def on_mouse_leave(x: float, y: float) -> None:
            events.leave()

        def on_resize(width: int, height: int) -> bool:
            events.resize(*window.get_framebuffer_size())
            return True

        def on_close() -> bool:
            self._watching.close()
            return True

        window.push_handlers(
            on_key_press, on_key_release, on_mouse_motion, on_mouse_press, on_mouse_release,
            on_mouse_drag, on_mouse_scroll, on_mouse_leave, on_resize, on_close,
        )  # fmt: skip
        events.resize(*window.get_framebuffer_size())


_FRAME = 1.0 / 25.0
"""Time between two pictures [s], of a clock that runs as fast as it can."""
_LONGEST = 24.0 * 3600.0
"""A show that has not ended after so long never will [s of its own clock]."""


class NullWindow:
    """Shows to nobody what a window would show.

    Args:
        watching: The viewer's state.
    """

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self.events = Events(watching)
        self.seen: list[str] = []
        """What was written over the pictures, each line once for each roll."""
        self.pictures = 0

    def frame(self, passed: float = _FRAME) -> Sight:
        """Let some time go by and return the picture then."""
        sight = self.events.frame(passed)
        self.pictures += 1
        return sight

    def run(self) -> None:
        """Watch to the end of the show.

        Raises:
            SpecError: If a person has to decide something, for there is none.
        """
        watching, clock = self.watching, 0.0
        last: int | None = None
        while not watching.closed and clock < _LONGEST:
            sight = self.frame()
            clock += _FRAME
            landed = sight.screening is not None and sight.screening.landed(watching.time)
            if landed and last != watching.index:
                last = watching.index
                if watching.clock is not None:
                    watching.clock = watching.clock.to_end(watching.now)
                self.seen += self.frame(0.0).texts
            if watching.aim is not None:
                watching.close()
                raise SpecError(
                    "a window in which a person can decide", got="none", remedy="leave out --viewer"
                )
            if watching.finished:
                watching.close()
