"""State of a viewer: a playlist of rolls, a person's turn with the cup in hand, and the display."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import cos, sin

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import hull_planes
from pigglesim.cup_motion import Pose
from pigglesim.films.film import Film, FilmPlayback, Still
from pigglesim.landing import MIN_CUP_HEIGHT, CupHold, Seat
from pigglesim.render.camera import VIEWS, Camera
from pigglesim.render.lines import ColouredLine, arrow_lines, ring_line
from pigglesim.render.palette import SIDES
from pigglesim.render.stage import Stage
from pigglesim.rotations import Array, rotate
from pigglesim.scene.scene import Scene
from pigglesim.throws import CupPath, legal_hold, reach, swing_of, with_hold


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One row of a scoreboard."""

    name: str
    cells: tuple[tuple[Seat | None, str], ...]
    """Values of each player, in the colour of the seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """Score of a match."""

    heading: str
    """Heading such as `Round 2 of 6 · Load`."""
    rows: tuple[ScoreRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Clip:
    """One roll, or one position as a film of one frame, with its texts."""

    film: Film
    title: str
    score: Scoreboard | None = None
    """Score before the roll has landed."""
    after: Scoreboard | None = None
    """Score after it has landed; None if unchanged."""
    waits: bool = False
    """True if it stays after landing until a person continues: the person's own roll."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """Effect of each Piggle when it acts, by name; empty if none has one."""
    story: tuple[str, ...] = ()
    """Consequences of the roll, in sentences, shown once it has landed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One entry of a list of possible actions."""

    text: str
    involved: tuple[str, ...] = ()
    """Piggles that it involves: the acting one, then the target."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Offer:
    """A decision for a person to take."""

    seat: Seat
    board: Film
    """Piggles on the board, and those next to it that can be loaded: one frame."""
    guide: str
    score: Scoreboard
    title: str = ""
    """Player to move, in words; empty for the side of the board."""
    effects: Mapping[str, str] = field(default_factory=dict)
    """Effect of each Piggle when it acts, by name; empty if none has one."""
    piggles: tuple[str, ...] = ()
    """Piggles that may form the load, in the order of their numbers."""
    loadable: tuple[str, ...] = ()
    """Piggles of these that can be put into the cup now."""
    hold: CupHold | None = None
    """Initial hold of the cup; None if nothing is poured."""
    choices: tuple[Choice, ...] = ()
    """Possible actions, if the decision is not a load."""
    marked: int | None = None
    """Number of the action that is marked at first."""
    skip: bool = False
    """True if the roll can be skipped."""
    done: bool = False
    """True if a turn of several actions can be ended."""


class Show(ABC):
    """Source of rolls and receiver of a person's decisions; no method may take long.

    By default there are no decisions.
    """

    @abstractmethod
    def clips(self, count: int) -> Sequence[Clip]:
        """Return all rolls so far, in order; more may come.

        Args:
            count: Number of rolls needed now; fewer may exist.
        """

    def offer(self) -> Offer | None:
        """Return the decision that a person must take now, if any; the same one until then."""
        return None

    def busy(self) -> str:
        """Return a description of the current work in a few words; empty if there is none."""
        return ""

    def notes(self) -> Sequence[str]:
        """Return the current messages, such as a hint; the newest last."""
        return ()

    def pour(self, piggles: tuple[str, ...], hold: CupHold | None) -> None:  # noqa: B027
        """Load these Piggles and roll them from that hold."""

    def choose(self, number: int) -> None:  # noqa: B027
        """Play the decision with this number in the list, from 0."""

    def ask(self, word: str) -> None:  # noqa: B027
        """Run one of `skip`, `done`, `hint`, `undo` and `concede`."""

    def close(self) -> None:  # noqa: B027
        """Save all unsaved results, as the viewer has closed."""


class Playlist(Show):
    """A show of rolls without decisions, taken one by one from an iterator when they are needed.

    The iterator yields None while no roll is ready; then `busy_text` is shown.
    """

    def __init__(self, clips: Iterator[Clip | None], *, busy_text: str = "") -> None:
        self._source: Iterator[Clip | None] | None = clips
        self._busy_text = busy_text
        self._waits = False
        self._clips: list[Clip] = []

    def clips(self, count: int) -> Sequence[Clip]:
        """Return the rolls so far; missing ones are computed now."""
        self._waits = False
        while self._source is not None and not self._waits and len(self._clips) < count:
            try:
                clip = next(self._source)
            except StopIteration:
                self._source = None
                break
            self._waits = clip is None
            if clip is not None:
                self._clips.append(clip)
        return self._clips

    def busy(self) -> str:
        """Return a description of the awaited work."""
        return self._busy_text if self._waits else ""

    def close(self) -> None:
        """Stop drawing rolls from the iterator."""
        self._source = None


_HIGHEST = 0.25
"""Maximum height of the lip at its lowest that a person can choose [m]: about a forearm."""
_BEYOND = 0.05
"""Distance beyond the own half at which a press still grabs the cup [m]."""
_FOR_EVER = 1e6
"""Duration of a shake that ends only when the person lets go [s]."""
_AHEAD = 0.05
"""Length of the arrow in the direction of the throw [m]."""
_FASTER = 0.1
"""Length that is added to it for each m/s of the swing above the scene's [s]."""


class Aim:
    """State of one pending decision."""

    def __init__(self, offer: Offer, scene: Scene) -> None:
        self.offer = offer
        self.chosen: list[str] = []
        """Piggles in the cup, in the order of selection."""
        self.marked = -1 if offer.marked is None else offer.marked
        """Number of the marked entry of the list; -1 for none, so that no late key takes one."""
        self.hold = offer.hold
        self.shaken: float | None = None
        """Time for which the cup has been shaken [s]; None while it is held still."""
        self.decided = False
        """True once the decision is taken, while its result is computed."""
        self.clip = Clip(
            film=offer.board,
            title=offer.title or f"The turn of {SIDES[offer.seat]}",
            score=offer.score,
            effects=offer.effects,
        )
        """State of the board before the decision."""
        self._scene = scene

    @property
    def involved(self) -> tuple[str, ...]:
        """Piggles that the marked entry involves, the acting one first."""
        return self.offer.choices[self.marked].involved if self.marked >= 0 else ()

    def step(self, step: int) -> None:
        """Mark the next entry of the list, or the previous one."""
        count = len(self.offer.choices)
        self.marked = (self.marked + step) % count if self.marked >= 0 else min(step, 0) % count

    def pick(self, name: str) -> bool:
        """Toggle a Piggle in the cup, or mark an entry that involves it; return True if either."""
        if name in self.offer.loadable:
            if name in self.chosen:
                self.chosen.remove(name)
            elif len(self.chosen) < self._scene.capacity:
                self.chosen.append(name)
            return True
        count = len(self.offer.choices)
        # Repeated clicks cycle through its entries: take the next after the marked one.
        after = [(self.marked + step) % count for step in range(1, count + 1)]
        matches = (k for k in after if name in self.offer.choices[k].involved)
        number = next(matches, None)
        if number is not None:
            self.marked = number
        return number is not None

    def pick_number(self, number: int) -> bool:
        """Toggle the Piggle or mark the entry of a number from 1; return True if it exists."""
        if number <= len(self.offer.piggles):
            return self.pick(self.offer.piggles[number - 1])
        if number <= len(self.offer.choices):
            self.marked = number - 1
            return True
        return False

    def pick_all(self) -> None:
        """Put all Piggles into the cup, or remove them if all are in it."""
        capacity = self._scene.capacity
        full = len(self.chosen) == min(len(self.offer.loadable), capacity)
        self.chosen = [] if full else list(self.offer.loadable[:capacity])

    @property
    def pours(self) -> bool:
        """Return True if there is a cup to be held."""
        return self.hold is not None

    def point_at(self, eye: Array, direction: Array) -> bool:
        """Hold the cup over the point of the board on a line of sight, as near as the rules allow.

        Returns:
            True if the line meets the own half or its surroundings.
        """
        if self.hold is None or direction[2] >= 0.0 or self.shaken is not None:
            return False
        point = eye - direction * (eye[2] / direction[2])
        side = 1.0 if self.offer.seat is Seat.A else -1.0
        hand = self._scene.hand
        # The cup is shown at the shake position; the rules define the end of the tip.
        travel = hand.start_back - hand.end_back
        wish = replace(
            self.hold, across=float(side * point[0]), back=float(-side * point[1]) - travel
        )
        self.hold = legal_hold(self._scene, wish)
        x, y, _ = self.pose(0.0)[0]
        return bool(np.hypot(point[0] - x, point[1] - y) < _BEYOND)

    def shift(self, **by: float) -> None:
        """Change the hold by some distances [m], angles [rad] and speeds [m/s], as far as legal."""
        if self.hold is not None and self.shaken is None:
            hold = replace(self.hold, swing=self._swing) if "swing" in by else self.hold
            wish = {name: getattr(hold, name) + change for name, change in by.items()}
            self.hold = legal_hold(self._scene, replace(hold, **wish))

    def lift(self, distance: float) -> None:
        """Raise the cup by a distance [m], within the limits of the rules and an arm."""
        if self.hold is not None and self.shaken is None:
            height = min(max(self.hold.height + distance, MIN_CUP_HEIGHT), _HIGHEST)
            self.hold = replace(self.hold, height=height)

    @property
    def _swing(self) -> float:
        """Greatest speed of the tipped cup [m/s]."""
        return swing_of(with_hold(self._scene.hand, self.hold))

    def pose(self, time: float) -> Pose:
        """Return the transform of the cup after some time of shaking [s]; it must be held."""
        hand = with_hold(self._scene.hand, self.hold)
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
        """Current transform of the cup on screen."""
        return None if self.hold is None else self.pose(self.shaken or 0.0)

    def lines(self, colour: str) -> tuple[ColouredLine, ...]:
        """Return lines for the cup's position on the board and its tip direction."""
        if self.hold is None:
            return ()
        (x, y, _), _ = self.pose(0.0)
        below = np.array([x, y, 0.001])
        sine, cosine = sin(self.hold.heading), cos(self.hold.heading)
        side = 1.0 if self.offer.seat is Seat.A else -1.0
        ahead = side * np.array([sine, cosine, 0.0])
        radius = self._scene.cup.outer_radius
        start = below + radius * ahead
        reach = _AHEAD + _FASTER * max(self._swing - swing_of(self._scene.hand), 0.0)
        return (
            ring_line(below, radius, colour),
            *arrow_lines(start, start + reach * ahead, colour),
        )

    @property
    def poured(self) -> CupHold | None:
        """The hold to roll from; None for the scene's default, so that nothing is recorded."""
        return None if self.hold == self.offer.hold else self.hold


_PARALLEL = 1e-12


def pick_body(eye: Array, direction: Array, bodies: Sequence[Body], still: Still) -> int | None:
    """Return the number of the first body on a line of sight from an eye [m], or None."""
    hits = [
        (distance, number)
        for number, body in enumerate(bodies)
        if (distance := _distance(eye, direction, body, still, number)) is not None
    ]
    return min(hits)[1] if hits else None


def _distance(eye: Array, direction: Array, body: Body, still: Still, number: int) -> float | None:
    """Return the distance to a body along a line [m]; None if they do not meet."""
    position, rotation = still.positions[number], still.rotations[number]
    # A bounding-sphere test rejects most bodies.
    if np.linalg.norm(np.cross(position - eye, direction)) > _reach(body):
        return None
    back = rotation * np.array([-1.0, -1.0, -1.0, 1.0])
    start, ray = rotate(back, np.array([eye - position, direction]))
    # A line enters a hull where it is inside all of its planes.
    normals, offsets = _planes(body)
    above, slope = normals @ start - offsets, normals @ ray
    level = np.abs(slope) <= _PARALLEL
    if np.any(level & (above > 0.0)):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -above / slope
    enter = float(np.max(crossing[(slope < 0.0) & ~level], initial=0.0))
    leave = float(np.min(crossing[(slope > 0.0) & ~level], initial=np.inf))
    return enter if enter <= leave else None


_reach = lru_cache(maxsize=64)(reach)


@lru_cache(maxsize=64)
def _planes(body: Body) -> tuple[Array, Array]:
    """Return the planes of a hull about its centre of mass: outward normals, and offsets [m]."""
    return hull_planes(body.hull.vertices - body.mass.centre)


VIEW_COUNT = 8
"""Number of saved views."""
_READ = 4.0
"""Time for which a notice is shown [s]."""
_LINGER = 2.0
"""Time for which the end of a roll is shown before the next begins [s]."""
UNMARKED = "Mark an entry first: by its number, an arrow key or a click."
EMPTY_CUP = "Nothing is in the cup: click Piggles of your Pen, or press a for all."
_FOLLOWED = 8.0
"""Rate at which the camera approaches the Piggle that it follows [1/s]."""


@dataclass(kw_only=True)
class ViewerState:
    """State of a viewer between events."""

    show: Show
    scene: Scene
    size: tuple[int, int]
    """Width and height of the picture in pixels."""
    camera: Camera = VIEWS["table"]
    views: list[Camera] = field(default_factory=lambda: [*VIEWS.values(), VIEWS["table"]])
    layers: set[str] = field(default_factory=lambda: {"labels", "trails", "board"})
    """Shown layers: labels, footprints, arrows, contacts, trails and board."""
    help: bool = False
    """True if the page of keys is shown."""
    mouse: tuple[float, float] | None = None
    """Position of the mouse [pixels from the upper left]."""
    selected: str | None = None
    """Piggle whose reading is shown."""
    followed: str | None = None
    aim: Aim | None = None
    """Pending decision; None while rolls are shown."""
    notice: str = ""
    """Notice of the viewer itself."""
    conceding: bool = False
    """True if one more press concedes the match."""
    closed: bool = False
    wants_picture: bool = False
    """True if the current picture is to be saved."""
    full_screen: bool = False
    now: float = 0.0
    """Elapsed wall-clock time [s]."""
    clock: FilmPlayback | None = None
    speed: float = 1.0
    """Playback speed of later rolls, until another is chosen."""
    looping: bool = False
    index: int = 0
    """Number of the current roll, from 0."""
    _stage: Stage | None = None
    _clips: Sequence[Clip] = ()
    _seen: int = -1
    """Number of the person's own roll that was last dismissed."""
    _waited: float = 0.0
    _read: str = ""
    """Notice at the last tick, and the start of its display [s]."""
    _read_since: float = 0.0
    _prepared: Aim | None = None
    """Decision that was pending at the last check."""
    _back: Camera | None = None
    """Camera before the view from above."""

    # Current contents.

    @property
    def count(self) -> int:
        """Number of rolls so far."""
        return len(self._clips)

    @property
    def clip(self) -> Clip | None:
        """Roll on the table now, or the state of a pending decision."""
        if self.aim is not None:
            return self.aim.clip
        return self._clips[self.index] if self.index < len(self._clips) else None

    @property
    def stage(self) -> Stage | None:
        """Table with everything on it; None for an empty one."""
        if self.clip is None:
            return None
        film = self.clip.film
        if self._stage is None or self._stage.film is not film:
            self._stage = Stage.of(film, scene=self.scene)
        return self._stage

    @property
    def names(self) -> list[str]:
        """Name of each body on the table."""
        return [actor.name for actor in self.clip.film.actors] if self.clip else []

    @property
    def still(self) -> Still | None:
        """Current transforms of everything, including the cup in a person's hand."""
        if self.clip is None:
            return None
        film = self.clip.film
        if self.aim is not None:
            still = film.at(film.start)
            return replace(still, cup=self.aim.cup, positions=self._lifted(still))
        return film.at(self.time)

    def _lifted(self, still: Still) -> Array:
        """Return the positions of all bodies, with selected Piggles inside the cup."""
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
        """Time in the current roll [s]."""
        return self.clock.time(self.now) if self.clock else 0.0

    @property
    def waits(self) -> bool:
        """True if the person's own roll has landed and stays until dismissed."""
        if self.aim is not None or self.clock is None or self.index >= len(self._clips):
            return False
        if self.index == self._seen:
            return False
        return self._clips[self.index].waits and self.clock.over(self.now)

    @property
    def running(self) -> bool:
        """True if the roll plays by itself."""
        return self.clock is not None and self.clock.playing and not self.clock.over(self.now)

    def number_of(self, name: str | None) -> int | None:
        """Return the number of the shown body with a name."""
        return self.names.index(name) if name in self.names else None

    @property
    def hovered(self) -> str | None:
        """Piggle under the mouse."""
        stage, still = self.stage, self.still
        if self.mouse is None or stage is None or still is None:
            return None
        number = pick_body(*self.camera.ray(*self.mouse, self.size), stage.bodies, still)
        return None if number is None else self.names[number]

    @property
    def finished(self) -> bool:
        """True if everything has been shown and nothing more will come."""
        if self.aim is not None or (self.clock is not None and not self.clock.over(self.now)):
            return False
        # Requesting more may start a computation.
        self._clips = self.show.clips(self.index + 2)
        remaining = self.index + 1 < len(self._clips) or self.show.busy() or self.show.offer()
        return not remaining

    # Time.

    def play(self, change: Callable[[FilmPlayback, float], FilmPlayback]) -> None:
        """Change the playback of the roll, if there is one."""
        if self.clock is not None:
            self.clock = change(self.clock, self.now)

    def tick(self, elapsed: float) -> None:
        """Advance the wall clock [s]."""
        self.now += elapsed
        self._clips = self.show.clips(self.index + (2 if self._waited or self.waits else 1))
        if self.aim is not None:
            self._tick_turn(elapsed)
        elif self.index < len(self._clips):
            self._tick_roll(elapsed)
        else:
            self._begin_turn()
        self._follow(elapsed)
        if self.notice != self._read:
            self._read, self._read_since = self.notice, self.now
        elif self.now - self._read_since > _READ and not self.conceding:
            self.notice = ""

    def _tick_roll(self, elapsed: float) -> None:
        if self.clock is None:
            self.go_to(self.index)
        assert self.clock is not None
        if self.running or not self.clock.playing or self.waits:
            self._waited = 0.0
        else:
            # The roll ended by itself, so the next item follows automatically.
            self._waited += max(elapsed, 1e-9)
            if self._waited > _LINGER:
                self.go_on()

    def _tick_turn(self, elapsed: float) -> None:
        aim = self.aim
        assert aim is not None
        if aim.shaken is not None:
            aim.shaken += elapsed
        if self.index < len(self._clips):
            self.go_to(self.index)
        elif self.show.offer() is not aim.offer:
            self._begin_turn()

    def _begin_turn(self) -> None:
        """Offer the pending decision, reusing a prepared one; wait if there is none."""
        offer = self.show.offer()
        if offer is None:
            return
        if self._prepared is None or self._prepared.offer is not offer:
            self._prepared = Aim(offer, self.scene)
        self.aim, self.index = self._prepared, len(self._clips)
        self.clock, self.conceding = None, False

    def _follow(self, elapsed: float) -> None:
        number, still = self.number_of(self.followed), self.still
        if number is not None and still is not None:
            x, y, z = still.positions[number].tolist()
            share = 1.0 - float(np.exp(-_FOLLOWED * elapsed))
            self.camera = self.camera.follow((x, y, z), share=share)

    def go_to(self, index: int) -> None:
        """Show a roll from its start, if there is one with that number."""
        if not 0 <= index < len(self._clips):
            return
        if self.clock is not None:
            self.speed, self.looping = self.clock.speed, self.clock.loop
        film = self._clips[index].film
        self.clock = FilmPlayback.begin(film, now=self.now, speed=self.speed, loop=self.looping)
        self.index, self.aim, self._waited, self.notice = index, None, 0.0, ""

    def go_on(self) -> None:
        """Show the next item: the next roll, or the pending decision."""
        if self.waits:
            # The next item may still be in computation; it then appears by itself.
            self._seen, self._waited = self.index, _LINGER
        self._clips = self.show.clips(self.index + 2)
        if self.index + 1 < len(self._clips):
            self.go_to(self.index + 1)
        elif self.aim is None and self.clock is not None:
            self._begin_turn()

    # The camera.

    def look(self, camera: Camera) -> None:
        """Use a camera."""
        self.camera, self._back = camera, None

    def look_from_above(self) -> None:
        """Look straight down, or return to the previous camera."""
        if self._back is not None:
            self.look(self._back)
        else:
            before = self.camera
            self.look(VIEWS["top"])
            self._back = before

    def follow_next(self) -> None:
        """Follow the clicked Piggle, or the next one; after the last, none."""
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
        """Use a saved view, by its number from 1."""
        self.followed = None
        self.look(self.views[number - 1])

    def save_view(self, number: int) -> None:
        """Save the current camera as a view, by its number from 1."""
        self.views[number - 1] = self.camera
        self.notice = f"This view is saved at F{number + 1}."

    # Display.

    def clear(self) -> None:
        """Close the page of keys; else clear the selection."""
        if self.help:
            self.help = False
        else:
            self.selected = self.followed = None
            self.notice = ""

    # A person's turn.

    @property
    def deciding(self) -> Aim | None:
        """Decision that is still to be taken."""
        return self.aim if self.aim is not None and not self.aim.decided else None

    def pick_number(self, number: int) -> None:
        """Toggle a Piggle in the cup, or mark an entry, by its number from 1."""
        if self.deciding and not self.deciding.pick_number(number):
            self.notice = f"There is no {number} to choose."

    def pick_all(self) -> None:
        """Put all Piggles into the cup, or remove them."""
        if self.deciding:
            self.deciding.pick_all()

    def roll(self) -> None:
        """Take the pending decision; if a roll is shown, continue."""
        if self.deciding:
            self.pour()
        else:
            self.go_on()

    def pour(self) -> None:
        """Roll the Piggles in the cup, or play the marked entry of the list."""
        aim = self.deciding
        if aim is None:
            return
        self.notice = ""
        if aim.offer.choices and aim.marked < 0:
            self.notice = UNMARKED
        elif aim.offer.choices:
            aim.decided = True
            self.show.choose(aim.marked)
        elif aim.chosen:
            aim.decided = True
            # The hand keeps shaking until the roll is available.
            aim.shaken = aim.shaken or 0.0
            self.show.pour(tuple(aim.chosen), aim.poured)
        else:
            self.notice = EMPTY_CUP

    def ask(self, command: str) -> None:
        """Send a command of a turn to the show; conceding takes two presses."""
        aim = self.deciding
        allowed = {"skip": aim and aim.offer.skip, "done": aim and aim.offer.done, "undo": True}
        if not allowed.get(command, aim):
            return
        if command == "concede" and not self.conceding:
            self.conceding = True
            self.notice = "Give the match up? The same key once more does it; any other does not."
            return
        self.conceding, self.notice = False, ""
        self.show.ask(command)

    def close(self) -> None:
        """End the show; its results are saved."""
        if not self.closed:
            self.closed = True
            self.show.close()
