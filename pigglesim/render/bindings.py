"""Every key and every movement of the mouse in one table: what they do, and the help page.

Keys are plain words, such as `"space"`, `"f2"` or `"shift+left"`; no windowing library is needed
to know them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum, unique


@unique
class BindingGroup(StrEnum):
    """What a key is for; the help page has a part for each."""

    TIME = "Time"
    CAMERA = "Camera"
    LAYERS = "What is shown"
    TURN = "Your turn"
    WINDOW = "Window"


@unique
class Command(StrEnum):
    """What a key does, in one word for the program."""

    PLAY = "play"
    FRAME_ON = "frame-on"
    FRAME_BACK = "frame-back"
    FASTER = "faster"
    SLOWER = "slower"
    REAL_TIME = "real-time"
    TOUCH_ON = "touch-on"
    TOUCH_BACK = "touch-back"
    ROLL_ON = "roll-on"
    ROLL_BACK = "roll-back"
    START = "start"
    END = "end"
    LOOP = "loop"
    ORBIT_LEFT = "orbit-left"
    ORBIT_RIGHT = "orbit-right"
    ORBIT_UP = "orbit-up"
    ORBIT_DOWN = "orbit-down"
    PAN_LEFT = "pan-left"
    PAN_RIGHT = "pan-right"
    PAN_UP = "pan-up"
    PAN_DOWN = "pan-down"
    ZOOM_IN = "zoom-in"
    ZOOM_OUT = "zoom-out"
    TOP = "top"
    FOLLOW = "follow"
    VIEW = "view"
    SAVE_VIEW = "save-view"
    LABELS = "labels"
    FOOTPRINTS = "footprints"
    ARROWS = "arrows"
    CONTACTS = "contacts"
    TRAILS = "trails"
    BOARD = "board"
    HELP = "help"
    CLEAR = "clear"
    PICK = "pick"
    PICK_ALL = "pick-all"
    ROLL = "roll"
    SKIP = "skip"
    DONE = "done"
    HINT = "hint"
    UNDO = "undo"
    CONCEDE = "concede"
    PICTURE = "picture"
    FULL_SCREEN = "full-screen"
    CLOSE = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Some keys and what they do."""

    keys: tuple[str, ...]
    command: Command
    group: BindingGroup
    shown: str
    """The keys, as people call them."""
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHand:
    """What the mouse does."""

    group: BindingGroup
    shown: str
    does: str


def _row(group: BindingGroup, keys: str, command: Command, shown: str, does: str) -> Binding:
    return Binding(keys=tuple(keys.split()), command=command, group=group, shown=shown, does=does)


def _time(keys: str, command: Command, shown: str, does: str) -> Binding:
    return _row(BindingGroup.TIME, keys, command, shown, does)


def _camera(keys: str, command: Command, shown: str, does: str) -> Binding:
    return _row(BindingGroup.CAMERA, keys, command, shown, does)


def _layer(keys: str, command: Command, shown: str, does: str) -> Binding:
    return _row(BindingGroup.LAYERS, keys, command, shown, does)


def _turn(keys: str, command: Command, shown: str, does: str) -> Binding:
    return _row(BindingGroup.TURN, keys, command, shown, does)


def _window(keys: str, command: Command, shown: str, does: str) -> Binding:
    return _row(BindingGroup.WINDOW, keys, command, shown, does)


VIEW_COUNT = 8
"""How many views there are keys for."""
_VIEW_KEYS = " ".join(f"f{number}" for number in range(2, VIEW_COUNT + 2))
_SAVE_KEYS = " ".join(f"shift+f{number}" for number in range(2, VIEW_COUNT + 2))

BINDINGS: tuple[Binding, ...] = (
    _time("space", Command.PLAY, "Space", "play or pause; at the end, again"),
    _time("right", Command.FRAME_ON, "→", "one frame on"),
    _time("left", Command.FRAME_BACK, "←", "one frame back"),
    _time("equal plus shift+equal", Command.FASTER, "+", "twice as fast, up to 8 times"),
    _time("minus", Command.SLOWER, "-", "half as fast, down to a sixteenth"),
    _time("backspace", Command.REAL_TIME, "Backspace", "as fast as in life"),
    _time("k", Command.TOUCH_ON, "k", "to the next touch or knock"),
    _time("shift+k", Command.TOUCH_BACK, "Shift k", "to the touch or knock before"),
    _time("home", Command.START, "Home", "to the start of the roll"),
    _time("end", Command.END, "End", "to its end"),
    _time("pagedown", Command.ROLL_ON, "PgDn", "the next roll"),
    _time("pageup", Command.ROLL_BACK, "PgUp", "the roll before"),
    _time("l", Command.LOOP, "l", "over and over, or once"),
    _camera("shift+left", Command.ORBIT_LEFT, "Shift ←", "go round to the left"),
    _camera("shift+right", Command.ORBIT_RIGHT, "Shift →", "go round to the right"),
    _camera("shift+up", Command.ORBIT_UP, "Shift ↑", "rise"),
    _camera("shift+down", Command.ORBIT_DOWN, "Shift ↓", "sink"),
    _camera("ctrl+left", Command.PAN_LEFT, "Ctrl ←", "move left"),
    _camera("ctrl+right", Command.PAN_RIGHT, "Ctrl →", "move right"),
    _camera("ctrl+up", Command.PAN_UP, "Ctrl ↑", "move up"),
    _camera("ctrl+down", Command.PAN_DOWN, "Ctrl ↓", "move down"),
    _camera("z", Command.ZOOM_IN, "z", "nearer"),
    _camera("x", Command.ZOOM_OUT, "x", "farther"),
    _camera("t", Command.TOP, "t", "from straight above, and back"),
    _camera("f", Command.FOLLOW, "f", "follow the next Piggle, or none"),
    _camera(_VIEW_KEYS, Command.VIEW, "F2 to F9", "saved views"),
    _camera(_SAVE_KEYS, Command.SAVE_VIEW, "Shift F2 to F9", "save this view there"),
    _layer("n", Command.LABELS, "n", "pose and zone of each Piggle at rest"),
    _layer("o", Command.FOOTPRINTS, "o", "footprint of each Piggle at rest"),
    _layer("v", Command.ARROWS, "v", "velocities, as arrows"),
    _layer("c", Command.CONTACTS, "c", "what touches the board, by arrows"),
    _layer("m", Command.TRAILS, "m", "trails of what was knocked"),
    _layer("b", Command.BOARD, "b", "score and story"),
    _turn("1 2 3 4 5 6 7 8 9", Command.PICK, "1 to 9", "into the cup, or out; of a list, it"),
    _turn("a", Command.PICK_ALL, "a", "all into the cup, or all out"),
    _turn("return enter", Command.ROLL, "Enter", "roll from there; of a list, do it"),
    _turn("s", Command.SKIP, "s", "roll nothing in this turn"),
    _turn("d", Command.DONE, "d", "be done with acting (Modern)"),
    _turn("h", Command.HINT, "h", "what an agent would do, and why"),
    _turn("u", Command.UNDO, "u", "take back a decision (--practice)"),
    _turn("ctrl+g", Command.CONCEDE, "Ctrl g", "give the match up: press it twice"),
    _window("f1 question shift+slash", Command.HELP, "F1, ?", "this page"),
    _window("escape", Command.CLEAR, "Esc", "close a page; let go of what was clicked"),
    _window("p", Command.PICTURE, "p", "save what is seen as a PNG"),
    _window("f11", Command.FULL_SCREEN, "F11", "the full screen, and back"),
    _window("q ctrl+q ctrl+w", Command.CLOSE, "q", "close; nothing that was played is lost"),
)  # fmt: skip

HAND: tuple[KeyHand, ...] = (
    KeyHand(
        group=BindingGroup.TIME, shown="bar below", does="click or drag: any moment of the roll"
    ),
    KeyHand(group=BindingGroup.CAMERA, shown="left drag", does="go round, rise and sink"),
    KeyHand(group=BindingGroup.CAMERA, shown="right drag", does="move sideways, up and down"),
    KeyHand(group=BindingGroup.CAMERA, shown="wheel", does="nearer and farther"),
    KeyHand(group=BindingGroup.LAYERS, shown="hover", does="footprint and zone of a Piggle"),
    KeyHand(
        group=BindingGroup.LAYERS, shown="click", does="its whole reading; it is followed by f"
    ),
    KeyHand(
        group=BindingGroup.TURN, shown="click a Piggle", does="into the cup; who acts, on whom"
    ),
    KeyHand(
        group=BindingGroup.TURN, shown="over your half", does="the cup goes where the mouse goes"
    ),
    KeyHand(group=BindingGroup.TURN, shown="hold the button", does="shake; let it go to roll"),
    KeyHand(group=BindingGroup.TURN, shown="wheel, held cup", does="hold it higher or lower"),
)

_COMMANDS = {
    key: (binding.command, number)
    for binding in BINDINGS
    for number, key in enumerate(binding.keys, start=1)
}


def command_of(key: str) -> tuple[Command, int] | None:
    """Return what a key does, and which of its binding's keys it is, from 1; None for nothing."""
    return _COMMANDS.get(key)


def help_rows(groups: Sequence[BindingGroup]) -> tuple[tuple[str, str], ...]:
    """Return the help page as rows of key and meaning; the head of a group has no meaning.

    Args:
        groups: What it is about, in this order.
    """
    rows: list[tuple[str, str]] = []
    for group in groups:
        rows.append((group.value, ""))
        rows += [(hand.shown, hand.does) for hand in HAND if hand.group is group]
        rows += [(each.shown, each.does) for each in BINDINGS if each.group is group]
    return tuple(rows)
