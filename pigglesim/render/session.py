"""A person's turn at the table: which Piggles go into the cup, and where it is held and shaken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import hull_planes
from pigglesim.films.film import FilmActor, Still
from pigglesim.films.playback import FilmPlayback
from pigglesim.landing import CupHold, ReadingRules, Seat
from pigglesim.render.camera import VIEWS, Camera
from pigglesim.render.lines import ColouredLine, arrow_lines, ring_line
from pigglesim.render.palette import SIDES
from pigglesim.render.playlist import Clip, Offer, Show
from pigglesim.render.stage import Stage, bodies_of
from pigglesim.rotations import Array, rotate
from pigglesim.scene.scene import Scene
from pigglesim.throws.pour import LEAST_HEIGHT, CupPath, Pose, free_hold, held, reach

_HIGHEST = 0.25
"""Lowest height of the lip that a person can ask for at most [m]: about a forearm."""
_BEYOND = 0.05
"""Distance beyond the own half at which a press still grabs the cup [m]."""
_FOR_EVER = 1e6
"""A shake that goes on until the hand ends it [s]."""
_AHEAD = 0.05
"""Length of the arrow that shows which way the cup will tip [m]."""


class Aim:
    """The state of one decision while it is being taken."""

    def __init__(self, offer: Offer, scene: Scene) -> None:
        self.offer = offer
        self.chosen: list[str] = []
        """Piggles in the cup, in the order in which they were put there."""
        self.marked = 0
        """Number of the marked entry of the list."""
        self.hold = offer.hold
        self.shaken: float | None = None
        """Time for which the cup has been shaken [s]; None while it is held still."""
        self.decided = False
        """Whether it has been taken: what follows is being worked out."""
        self.clip = Clip(
            film=offer.board,
            title=offer.title or f"The turn of {SIDES[offer.seat]}",
            score=offer.score,
            effects=offer.effects,
        )
        """State of the board in which it is taken."""
        self._scene = scene

    def pick(self, name: str) -> bool:
        """Put a Piggle into the cup or take it out; mark an entry about it; say whether either."""
        if name in self.offer.loadable:
            if name in self.chosen:
                self.chosen.remove(name)
            elif len(self.chosen) < self._scene.capacity:
                self.chosen.append(name)
            return True
        count = len(self.offer.choices)
        # One that is about it again: the next after the marked one.
        after = [(self.marked + step) % count for step in range(1, count + 1)]
        found = (k for k in after if name in self.offer.choices[k].about)
        number = next(found, None)
        if number is not None:
            self.marked = number
        return number is not None

    def pick_number(self, number: int) -> bool:
        """Do so for the Piggle, or mark the entry, of that number from 1; say whether it is."""
        if number <= len(self.offer.piggles):
            return self.pick(self.offer.piggles[number - 1])
        if number <= len(self.offer.choices):
            self.marked = number - 1
            return True
        return False

    def pick_all(self) -> None:
        """Put everything in, or out again if it is in."""
        most = self._scene.capacity
        full = len(self.chosen) == min(len(self.offer.loadable), most)
        self.chosen = [] if full else list(self.offer.loadable[:most])

    @property
    def pours(self) -> bool:
        """Whether there is a cup to be held."""
        return self.hold is not None

    def point_at(self, eye: Array, direction: Array) -> bool:
        """Hold the cup over the point of the board that is seen, as near as the rules allow.

        Args:
            eye: Where the line begins [m], shape [3].
            direction: Unit vector, shape [3].

        Returns:
            Whether the line goes to the own half or near it.
        """
        if self.hold is None or direction[2] >= 0.0 or self.shaken is not None:
            return False
        asked = eye - direction * (eye[2] / direction[2])
        side = 1.0 if self.offer.seat is Seat.A else -1.0
        hand = self._scene.hand
        # The cup is seen where it is shaken; the rules speak of where the tip ends.
        travel = hand.start_back - hand.end_back
        wish = replace(
            self.hold, across=float(side * asked[0]), back=float(-side * asked[1]) - travel
        )
        self.hold = free_hold(self._scene, wish)
        x, y, _ = self.pose(0.0)[0]
        return bool(np.hypot(asked[0] - x, asked[1] - y) < _BEYOND)

    def move(self, across: float, back: float) -> None:
        """Move the cup by so much to the thrower's right and backwards [m]."""
        if self.hold is not None and self.shaken is None:
            wish = replace(self.hold, across=self.hold.across + across, back=self.hold.back + back)
            self.hold = free_hold(self._scene, wish)

    def lift(self, by: float) -> None:
        """Hold the cup so much higher [m], within what the rules and an arm allow."""
        if self.hold is not None and self.shaken is None:
            height = min(max(self.hold.height + by, LEAST_HEIGHT), _HIGHEST)
            self.hold = replace(self.hold, height=height)

    def pose(self, time: float) -> Pose:
        """Return where the cup is after it was shaken for a time [s]; it must be held."""
        hand = held(self._scene.hand, self.hold)
        path = CupPath(
            cup=self._scene.cup,
            hand=replace(hand, shake_time=_FOR_EVER),
            seat=self.offer.seat,
            across=hand.across,
            heading=0.0,
            tempo=1.0,
            phase=0.0,
        )
        return path.pose(time)

    @property
    def cup(self) -> Pose | None:
        """Pose in which the cup is seen now."""
        return None if self.hold is None else self.pose(self.shaken or 0.0)

    def lines(self, colour: str) -> tuple[ColouredLine, ...]:
        """Return the place of the cup on the board, and which way it will tip."""
        if self.hold is None:
            return ()
        (x, y, _), _ = self.pose(0.0)
        below = np.array([x, y, 0.001])
        ahead = np.array([0.0, 1.0 if self.offer.seat is Seat.A else -1.0, 0.0])
        radius = self._scene.cup.outer_radius
        start = below + radius * ahead
        return (
            ring_line(below, radius, colour),
            *arrow_lines(start, start + _AHEAD * ahead, colour),
        )

    @property
    def poured(self) -> CupHold | None:
        """The hold to roll from: None where it is the scene's own, so that nothing is recorded."""
        return None if self.hold == self.offer.hold else self.hold


_PARALLEL = 1e-12


def picked(eye: Array, direction: Array, bodies: Sequence[Body], still: Still) -> int | None:
    """Return the number of the first body that a line of sight meets, or None.

    Args:
        eye: Where it begins [m], shape [3].
        direction: Unit vector, shape [3].
        bodies: What could be met, in the order of the still.
        still: Where everything is.
    """
    met = [
        (distance, number)
        for number, body in enumerate(bodies)
        if (distance := _distance(eye, direction, body, still, number)) is not None
    ]
    return min(met)[1] if met else None


def _distance(eye: Array, direction: Array, body: Body, still: Still, number: int) -> float | None:
    """Return how far off a body is met [m]."""
    position, rotation = still.positions[number], still.rotations[number]
    # Far from most bodies nothing more need be asked.
    if np.linalg.norm(np.cross(position - eye, direction)) > _reach(body):
        return None
    back = rotation * np.array([-1.0, -1.0, -1.0, 1.0])
    start, way = rotate(back, np.array([eye - position, direction]))
    # A line enters a hull where it is inside all of its planes.
    normals, offsets = _planes(body)
    above, climb = normals @ start - offsets, normals @ way
    level = np.abs(climb) <= _PARALLEL
    if np.any(level & (above > 0.0)):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -above / climb
    enter = float(np.max(crossing[(climb < 0.0) & ~level], initial=0.0))
    leave = float(np.min(crossing[(climb > 0.0) & ~level], initial=np.inf))
    return enter if enter <= leave else None


_reach = lru_cache(maxsize=64)(reach)


@lru_cache(maxsize=64)
def _planes(body: Body) -> tuple[Array, Array]:
    """Return the planes of a hull about its centre of mass: outward normals, and offsets [m]."""
    return hull_planes(body.hull.vertices - body.mass.centre)


Bodies = Callable[[Sequence[FilmActor]], tuple[Body, ...]]
"""Function that returns the body of each actor, in its livery."""

VIEW_COUNT = 8
"""Number of saved views."""
_SHOWN_AT_FIRST = frozenset({"labels", "trails", "board"})
_READ = 4.0
"""Time for which a notice is shown [s]."""
_LINGER = 2.0
"""Time for which the end of a roll is shown before the next begins [s]."""
EMPTY_CUP = "Nothing is in the cup: click Piggles of your Pen, or press a for all."
_FOLLOWED = 8.0
"""Rate at which the camera approaches the Piggle that it follows [1/s]."""


@dataclass(kw_only=True)
class Watching:
    """State of a viewer between events."""

    show: Show
    scene: Scene
    size: tuple[int, int]
    """Width and height of the picture in pixels."""
    bodies_of: Bodies = bodies_of
    reading: ReadingRules = field(default_factory=ReadingRules)
    camera: Camera = VIEWS["table"]
    views: list[Camera] = field(default_factory=lambda: _views())
    layers: set[str] = field(default_factory=lambda: set(_SHOWN_AT_FIRST))
    help: bool = False
    mouse: tuple[float, float] | None = None
    """Position of the mouse [pixels from the upper left]."""
    selected: str | None = None
    """The Piggle whose reading is shown."""
    followed: str | None = None
    aim: Aim | None = None
    """The decision that is being taken; None while rolls are shown."""
    said: str = ""
    """Notice of the viewer itself."""
    conceding: bool = False
    """Whether one more press gives the match up."""
    closed: bool = False
    wants_picture: bool = False
    """Whether what is seen shall be saved."""
    full_screen: bool = False
    now: float = 0.0
    """Time that has gone by at the wall [s]."""
    clock: FilmPlayback | None = None
    speed: float = 1.0
    """Speed of the rolls to come, until another is chosen."""
    looping: bool = False
    index: int = 0
    """Number of the roll that is shown, from 0."""
    _stage: Stage | None = None
    _takes: Sequence[Clip] = ()
    _seen: int = -1
    """The throw of one's own from which somebody has gone on."""
    _waited: float = 0.0
    _read: str = ""
    """Notice at the last tick, and the time since which it is shown [s]."""
    _read_since: float = 0.0
    _prepared: Aim | None = None
    """The decision that was due when it was last looked at."""
    _back: Camera | None = None
    """The camera before the view from above."""

    # What is there.

    @property
    def count(self) -> int:
        """Number of rolls so far."""
        return len(self._takes)

    @property
    def clip(self) -> Clip | None:
        """Roll on the table now, or the state in which a decision is due."""
        if self.aim is not None:
            return self.aim.clip
        return self._takes[self.index] if self.index < len(self._takes) else None

    @property
    def stage(self) -> Stage | None:
        """The table with all that stands on it; None for an empty one."""
        if self.clip is None:
            return None
        film = self.clip.film
        if self._stage is None or self._stage.film is not film:
            self._stage = Stage(
                film=film,
                board=self.scene.board,
                cup=self.scene.cup,
                bodies=self.bodies_of(film.actors),
                reading=self.reading,
            )
        return self._stage

    @property
    def names(self) -> list[str]:
        """The name of each body on the table."""
        return [actor.name for actor in self.clip.film.actors] if self.clip else []

    @property
    def still(self) -> Still | None:
        """Poses of everything now, the cup in a person's hand included."""
        if self.clip is None:
            return None
        film = self.clip.film
        if self.aim is not None:
            still = film.at(film.start)
            return replace(still, cup=self.aim.cup, positions=self._lifted(still))
        return film.at(self.time)

    def _lifted(self, still: Still) -> Array:
        """Return where everything is, what is in the cup in it."""
        assert self.aim is not None
        positions = np.array(still.positions)
        cup = self.aim.cup
        if cup is not None:
            (x, y, z), _ = cup
            for number, name in enumerate(self.aim.chosen):
                turn = number * np.pi + number // 2
                off = 0.014 if len(self.aim.chosen) > 1 else 0.0
                depth = self.scene.cup.depth
                positions[self.names.index(name)] = (
                    x + off * np.cos(turn),
                    y + off * np.sin(turn),
                    z - depth / 2.0 + 0.014 + 0.024 * (number // 2),
                )
        return positions

    @property
    def time(self) -> float:
        """Time in the roll that is shown [s]."""
        return self.clock.time(self.now) if self.clock else 0.0

    @property
    def waits(self) -> bool:
        """Whether a throw of one's own has landed and is shown until somebody goes on."""
        if self.aim is not None or self.clock is None or self.index >= len(self._takes):
            return False
        if self.index == self._seen:
            return False
        return self._takes[self.index].waits and self.clock.over(self.now)

    @property
    def running(self) -> bool:
        """Whether the roll goes on by itself."""
        return self.clock is not None and self.clock.playing and not self.clock.over(self.now)

    def number_of(self, name: str | None) -> int | None:
        """Return which body of what is shown has a name."""
        return self.names.index(name) if name in self.names else None

    @property
    def hovered(self) -> str | None:
        """The Piggle under the mouse."""
        stage, still = self.stage, self.still
        if self.mouse is None or stage is None or still is None:
            return None
        number = picked(*self.camera.ray(*self.mouse, self.size), stage.bodies, still)
        return None if number is None else self.names[number]

    @property
    def finished(self) -> bool:
        """Whether all has been shown and nothing more will come."""
        if self.aim is not None or (self.clock is not None and not self.clock.over(self.now)):
            return False
        # To ask for more may begin the work at it.
        self._takes = self.show.takes(self.index + 2)
        more = self.index + 1 < len(self._takes) or self.show.busy() or self.show.offer()
        return not more

    # Time.

    def play(self, change: Callable[[FilmPlayback, float], FilmPlayback]) -> None:
        """Change how the roll is played, if one is."""
        if self.clock is not None:
            self.clock = change(self.clock, self.now)

    def tick(self, passed: float) -> None:
        """Let some time of the wall clock go by [s]."""
        self.now += passed
        self._takes = self.show.takes(self.index + (2 if self._waited or self.waits else 1))
        if self.aim is not None:
            self._tick_turn(passed)
        elif self.index < len(self._takes):
            self._tick_roll(passed)
        else:
            self._begin_turn()
        self._follow(passed)
        if self.said != self._read:
            self._read, self._read_since = self.said, self.now
        elif self.now - self._read_since > _READ and not self.conceding:
            self.said = ""

    def _tick_roll(self, passed: float) -> None:
        if self.clock is None:
            self.go_to(self.index)
        assert self.clock is not None
        if self.running or not self.clock.playing or self.waits:
            self._waited = 0.0
        else:
            # It has come to its end by itself: what follows comes by itself, too.
            self._waited += max(passed, 1e-9)
            if self._waited > _LINGER:
                self.go_on()

    def _tick_turn(self, passed: float) -> None:
        aim = self.aim
        assert aim is not None
        if aim.shaken is not None:
            aim.shaken += passed
        if self.index < len(self._takes):
            self.go_to(self.index)
        elif self.show.offer() is not aim.offer:
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Offer the decision that is due, as far as it was prepared before; if none is, wait."""
        offer = self.show.offer()
        if offer is None:
            return
        if self._prepared is None or self._prepared.offer is not offer:
            self._prepared = Aim(offer, self.scene)
        self.aim, self.index = self._prepared, len(self._takes)
        self.clock, self.conceding = None, False

    def _follow(self, passed: float) -> None:
        number, still = self.number_of(self.followed), self.still
        if number is not None and still is not None:
            x, y, z = still.positions[number].tolist()
            share = 1.0 - float(np.exp(-_FOLLOWED * passed))
            self.camera = self.camera.follow((x, y, z), share=share)

    def go_to(self, index: int, *, play: bool = True) -> None:
        """Show a roll from its start, if there is one of that number."""
        if not 0 <= index < len(self._takes):
            return
        if self.clock is not None:
            self.speed, self.looping = self.clock.speed, self.clock.loop
        film = self._takes[index].film
        clock = FilmPlayback.begin(film, now=self.now, speed=self.speed, loop=self.looping)
        self.clock = clock if play else clock.pause(self.now)
        self.index, self.aim, self._waited, self.said = index, None, 0.0, ""

    def go_on(self) -> None:
        """Show what follows the roll: the next one, or the decision that is due."""
        if self.waits:
            # What follows may still be worked out: it comes by itself then.
            self._seen, self._waited = self.index, _LINGER
        self._takes = self.show.takes(self.index + 2)
        if self.index + 1 < len(self._takes):
            self.go_to(self.index + 1)
        elif self.aim is None and self.clock is not None:
            self._begin_turn()

    # The camera.

    def look(self, camera: Camera) -> None:
        """Look from there."""
        self.camera, self._back = camera, None

    def look_from_above(self) -> None:
        """Look straight down, or from where one looked before."""
        if self._back is not None:
            self.look(self._back)
        else:
            before = self.camera
            self.look(VIEWS["top"])
            self._back = before

    def follow_next(self) -> None:
        """Follow the Piggle that was clicked, or the next one; after the last, none."""
        names = self.names
        if self.followed is None and self.selected in names:
            self.followed = self.selected
        elif self.followed in names:
            after = names.index(self.followed) + 1
            self.followed = names[after] if after < len(names) else None
        else:
            self.followed = names[0] if names else None

    def pan(self, right: float, upward: float) -> None:
        """Move the camera in the plane of the picture, in heights of the picture."""
        self.followed = None
        self.look(self.camera.pan(right, upward))

    def view(self, number: int) -> None:
        """Look from a saved view, by its number from 1."""
        self.followed = None
        self.look(self.views[number - 1])

    def save_view(self, number: int) -> None:
        """Save where one looks from, by its number from 1."""
        self.views[number - 1] = self.camera
        self.said = f"This view is kept at F{number + 1}."

    # What is shown.

    def show_layer(self, layer: str) -> None:
        """Lay one of labels, footprints, arrows, contacts, trails and board over it, or not."""
        self.layers ^= {layer}

    def show_help(self) -> None:
        """Show the page of keys, or close it."""
        self.help = not self.help

    def clear(self) -> None:
        """Close the page of keys; else let go of what was clicked."""
        if self.help:
            self.help = False
        else:
            self.selected = self.followed = None
            self.said = ""

    def ask_for_picture(self) -> None:
        """Save what is seen as soon as it is drawn."""
        self.wants_picture = True

    def fill_screen(self) -> None:
        """Take the full screen, or give it back."""
        self.full_screen = not self.full_screen

    # A person's turn.

    @property
    def deciding(self) -> Aim | None:
        """The decision that is still to be taken."""
        return self.aim if self.aim is not None and not self.aim.decided else None

    def pick_number(self, number: int) -> None:
        """Put a Piggle into the cup or take it out, or mark an entry, by its number from 1."""
        if self.deciding and not self.deciding.pick_number(number):
            self.said = f"There is no {number} to choose."

    def pick_all(self) -> None:
        """Put everything into the cup, or out again."""
        if self.deciding:
            self.deciding.pick_all()

    def roll(self) -> None:
        """Do what is to be decided; where a roll is shown, go on."""
        if self.deciding:
            self.pour()
        else:
            self.go_on()

    def pour(self) -> None:
        """Roll what is in the cup, or do what is marked in the list."""
        aim = self.deciding
        if aim is None:
            return
        self.said = ""
        if aim.offer.choices:
            aim.decided = True
            self.show.choose(aim.marked)
        elif aim.chosen:
            aim.decided = True
            # Until the roll is there, the hand goes on.
            aim.shaken = aim.shaken or 0.0
            self.show.pour(tuple(aim.chosen), aim.poured)
        else:
            self.said = EMPTY_CUP

    def ask(self, word: str) -> None:
        """Ask the show for something that belongs to a turn; giving up takes two presses."""
        due = self.deciding
        allowed = {"skip": due and due.offer.skip, "done": due and due.offer.done, "undo": True}
        if not allowed.get(word, due):
            return
        if word == "concede" and not self.conceding:
            self.conceding = True
            self.said = "Give the match up? The same key once more does it; any other does not."
            return
        self.conceding, self.said = False, ""
        self.show.ask(word)

    def close(self) -> None:
        """End it; what was played is kept."""
        if not self.closed:
            self.closed = True
            self.show.close()


def _views() -> list[Camera]:
    """Return a view for each key: those that have a name, then the first one again."""
    named = list(VIEWS.values())
    return [named[k] if k < len(named) else named[0] for k in range(VIEW_COUNT)]
