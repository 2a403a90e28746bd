"""State of a viewer: a playlist of rolls, the cup in a person's hand, and the display."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import hull_planes
from pigglesim.errors import PigglesimError, one_line
from pigglesim.films.film import Film, FilmPlayback, Still
from pigglesim.hand_throw import MAX_TIME, RATE, Sample
from pigglesim.landing import Seat
from pigglesim.physics.shaking import Shaken, Shaking
from pigglesim.render.aim import Aim
from pigglesim.render.camera import VIEWS, Camera
from pigglesim.render.stage import Stage
from pigglesim.rotations import Array, rotate
from pigglesim.scene.scene import Scene
from pigglesim.throws import reach


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
    effects: Mapping[str, str] = field(default_factory=dict)
    """Effect of each Piggle when it acts, by name; empty if none has one."""
    story: tuple[str, ...] = ()
    """Consequences of the roll, in sentences, shown once it has landed."""


CertainTimes = Mapping[str, Sequence[tuple[float, float]]]
"""Times from which the orientation of a body was certain, by name: levels, and times [s]."""


class Playlist:
    """Rolls in order, taken one by one from an iterator when they are needed.

    The iterator yields None while no roll is ready; then `busy_text` is shown. With `pour`, which
    returns a roll from the path of a cup, a person can take the cup after the last roll; `shake`
    simulates it while its path grows.
    """

    def __init__(
        self,
        clips: Iterator[Clip | None],
        *,
        busy_text: str = "",
        pour: Callable[[Sequence[Sample]], Clip] | None = None,
        shake: Callable[[Sequence[Sample]], Shaking] | None = None,
    ) -> None:
        self._source: Iterator[Clip | None] | None = clips
        self._busy_text = busy_text
        self._waits = False
        self._clips: list[Clip] = []
        self._pour, self._shake = pour, shake

    def clips(self, count: int) -> Sequence[Clip]:
        """Return the rolls so far; missing ones, up to a number of rolls, are computed now."""
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

    @property
    def has_cup(self) -> bool:
        """True if a person can pour now."""
        return self._pour is not None and self._source is None

    def pour(self, samples: Sequence[Sample]) -> None:
        """Add a roll from this path of the cup."""
        assert self._pour is not None
        self._clips.append(self._pour(samples))

    def shake(self, samples: Sequence[Sample]) -> Shaking | None:
        """Return what simulates a cup whose path begins so; None if nothing does."""
        return self._shake(samples) if self._shake is not None else None

    def busy(self) -> str:
        """Return a description of the awaited work; empty if there is none."""
        return self._busy_text if self._waits else ""

    def close(self) -> None:
        """Stop drawing rolls from the iterator."""
        self._source = self._pour = self._shake = None


def made_ahead(clips: Iterator[Clip]) -> Generator[Clip | None, None, None]:
    """Yield rolls that a thread makes one ahead; None while none is ready.

    Once it is closed, no thread works on the rolls any more.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        while True:
            task = pool.submit(next, clips, None)
            while not task.done():
                yield None
            if (clip := task.result()) is None:
                return
            yield clip


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
_FOLLOWED = 8.0
"""Rate at which the camera approaches the Piggle that it follows [1/s]."""


@dataclass(kw_only=True)
class ViewerState:
    """State of a viewer between events."""

    show: Playlist
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
    """Cup in a person's hand; None while rolls are shown."""
    shaken: Shaken | None = None
    """The cup and what is in it while it is shaken, if that is simulated."""
    notice: str = ""
    """Notice of the viewer itself."""
    closed: bool = False
    wants_picture: bool = False
    """True if the current picture is to be saved."""
    full_screen: bool = False
    now: float = 0.0
    """Elapsed wall-clock time [s]."""
    clock: FilmPlayback | None = None
    decide: Callable[[Stage, Callable[[], bool]], CertainTimes] | None = None
    """Function that finds when each rolled body of a film was decided; it takes a second or two.

    It stops once the function that it is given returns True.
    """
    speed: float = 1.0
    """Playback speed of later rolls, until another is chosen."""
    looping: bool = False
    index: int = 0
    """Number of the current roll, from 0."""
    _stage: Stage | None = None
    _clips: Sequence[Clip] = ()
    _found: tuple[Film, CertainTimes] | None = None
    """When the bodies of a film were decided."""
    _finding: tuple[Film, Future[CertainTimes]] | None = None
    _shaking: Shaking | None = None
    _shaken_from: Sample | None = None
    """Where the simulated path begins."""
    _waited: float = 0.0
    _read: str = ""
    """Notice at the last tick, and the start of its display [s]."""
    _read_since: float = 0.0
    _back: Camera | None = None
    """Camera before the view from above."""

    # Current contents.

    @property
    def count(self) -> int:
        """Number of rolls so far."""
        return len(self._clips)

    @property
    def clip(self) -> Clip | None:
        """Roll on the table now; with the cup in hand, the one whose bodies are in it."""
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
            if self.shaken is not None:
                return _in_cup(still, self.aim, self.shaken)
            return replace(still, cup=self.aim.cup, positions=self._lifted(still, self.aim))
        return film.at(self.time)

    def _lifted(self, still: Still, aim: Aim) -> Array:
        """Return the positions of all bodies, with those that are rolled inside the cup."""
        positions = np.array(still.positions)
        place, rotation = aim.cup
        rolled = [n for n, actor in enumerate(aim.film.actors) if not actor.standing]
        off = 0.014 if len(rolled) > 1 else 0.0
        for number, body in enumerate(rolled):
            turn = number * np.pi + number // 2
            height = 0.014 + 0.024 * (number // 2) - self.scene.cup.depth / 2.0
            within = np.array([off * np.cos(turn), off * np.sin(turn), height])
            positions[body] = np.array(place) + rotate(np.array(rotation), within)
        return positions

    @property
    def time(self) -> float:
        """Time in the current roll [s]."""
        return self.clock.time(self.now) if self.clock else 0.0

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
        return self.index + 1 >= len(self._clips) and not self.show.busy()

    @property
    def decided(self) -> CertainTimes:
        """When each rolled body of the current film was decided; empty until it is found."""
        if self.clip is None or self._found is None or self._found[0] is not self.clip.film:
            return {}
        return self._found[1]

    def find_decided(self) -> None:
        """Begin to find when each rolled body was decided; if that is known, forget it."""
        if self.decided:
            self._found = None
            return
        if self.decide is None or self.stage is None or self.aim is not None or self._finding:
            return
        with_one = ThreadPoolExecutor(max_workers=1)
        task = with_one.submit(self.decide, self.stage, lambda: self.closed)
        self._finding = self.stage.film, task
        with_one.shutdown(wait=False)
        self.notice = "Throwing copies of each moment ..."

    def _take_decided(self) -> None:
        if self._finding is None or not self._finding[1].done():
            return
        (film, task), self._finding = self._finding, None
        try:
            self._found = film, task.result()
        except Exception as error:
            self.notice = one_line(f"Not found: {error}")
            return
        shown = "Marks: there an orientation became 50, 90 and 99 % certain. Click a body for more."
        self.notice = shown if self.decided else ""

    # Time.

    def play(self, change: Callable[[FilmPlayback, float], FilmPlayback]) -> None:
        """Change the playback of the roll, if there is one."""
        if self.clock is not None:
            self.clock = change(self.clock, self.now)

    def tick(self, elapsed: float) -> None:
        """Advance the wall clock [s]."""
        self.now += elapsed
        self._clips = self.show.clips(self.index + (2 if self._waited else 1))
        self._take_decided()
        if self.aim is not None:
            self.aim.tick(elapsed)
            self._shake(self.aim)
            if self.aim.full:
                self.pour()
                self.notice = (
                    self.notice or f"After {MAX_TIME:g} seconds the cup lets go by itself."
                )
        elif self.index < len(self._clips):
            self._tick_roll(elapsed)
        self._follow(elapsed)
        if self.notice != self._read:
            self._read, self._read_since = self.notice, self.now
        elif self.now - self._read_since > _READ:
            self.notice = ""

    def _take_cup(self, film: Film) -> None:
        """Put the cup with the bodies of a film into the person's hand."""
        self.aim, self._shaken_from = Aim(film, self.scene), None
        self._shake(self.aim)

    def _shake(self, aim: Aim) -> None:
        """Simulate what is in the cup: at rest while it stands, then along its path."""
        path = aim.samples or aim.standing
        if self._shaken_from is None or (aim.samples and self._shaken_from != path[0]):
            self._shaking, self._shaken_from = self.show.shake(path), path[0]
        self.shaken = self._shaking.follow(path) if self._shaking else None

    def _tick_roll(self, elapsed: float) -> None:
        if self.clock is None:
            self.go_to(self.index)
        assert self.clock is not None
        if self.running or not self.clock.playing:
            self._waited = 0.0
        else:
            # The roll ended by itself, so the next item follows automatically.
            self._waited += max(elapsed, 1e-9)
            if self._waited > _LINGER and self.index + 1 < len(self._clips):
                self.go_to(self.index + 1)

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
        """Show the next roll; after the last one, put the cup into the person's hand, if any."""
        self._clips = self.show.clips(self.index + 2)
        if self.index + 1 < len(self._clips):
            self.go_to(self.index + 1)
        elif self.clip is not None and self.show.has_cup and self.aim is None:
            self._take_cup(self.clip.film)
            self.clock = None

    def pour(self) -> None:
        """Pour the cup in hand, and show the roll from the release; without a cup, go on."""
        if self.aim is None:
            self.go_on()
            return
        shaken = self.shaken.time if self.shaken else len(self.aim.samples) / RATE
        try:
            self.show.pour(self.aim.thrown())
        except PigglesimError as error:
            self._take_cup(self.aim.film)
            self.notice = str(error)
            return
        self._clips = self.show.clips(0)
        self.go_to(len(self._clips) - 1)
        self.play(lambda film, now: film.scrub(film.film.start + shaken, now))

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
        """Close the page of keys; else put the cup down; else clear the selection."""
        if self.help:
            self.help = False
        elif self.aim is not None:
            self.aim = None
        else:
            self.selected = self.followed = None
            self.notice = ""

    def close(self) -> None:
        """End the show; its results are saved."""
        if not self.closed:
            self.closed, self.aim = True, None
            self.show.close()


def _in_cup(still: Still, aim: Aim, shaken: Shaken) -> Still:
    """Return the transforms with the cup and what is in it as they are shaken.

    Before it is shaken, a cup may be moved; its contents move along.
    """
    positions, rotations = np.array(still.positions), np.array(still.rotations)
    cup = shaken.cup if aim.samples else aim.cup
    moved = np.subtract(cup[0], shaken.cup[0])
    rolled = [n for n, actor in enumerate(aim.film.actors) if not actor.standing]
    for number, place in zip(rolled, shaken.places, strict=True):
        positions[number], rotations[number] = place.position + moved, place.rotation
    return replace(still, cup=cup, positions=positions, rotations=rotations)
