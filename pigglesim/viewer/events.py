"""What keys and the mouse do to a viewer."""

from dataclasses import dataclass

from pigglesim.films.playback import Playback
from pigglesim.viewer.aim import Aim
from pigglesim.viewer.bindings import Command, command_of
from pigglesim.viewer.overlay import Sheet, bar_share
from pigglesim.viewer.session import LAYERS, Watching
from pigglesim.viewer.sight import Sight, sight_of

__all__ = ["Events"]

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


def _after(command: Command, clock: Playback, now: float) -> Playback:
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
