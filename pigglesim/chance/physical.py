"""Chance by physics: Piggles and dice are thrown, read, set down, tossed and filmed."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.bodies.body import Body, StablePose
from pigglesim.bodies.livery import split_livery
from pigglesim.bodies.load import load_models
from pigglesim.chance.fair import fair_draw
from pigglesim.chance_types import (
    ChanceOutcome,
    ChanceRequest,
    CockedDice,
    DiceRequest,
    DiceResult,
    ShuffleRequest,
)
from pigglesim.errors import SpecError
from pigglesim.films.film import Film, FilmActor
from pigglesim.films.recorder import Recorder
from pigglesim.games.game import JSON
from pigglesim.landing import (
    Cocked,
    Landing,
    LineRule,
    ReadingRules,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    SetDown,
    Zone,
)
from pigglesim.physics.engine import Engine
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import Moment, PourOutcome, Watch, nudge, simulate
from pigglesim.reading import (
    HOME_ANGLE,
    face_up,
    ground_contact,
    hull_in_world,
    read_knocks,
    read_landing,
    tilt,
)
from pigglesim.rng import generator
from pigglesim.rotations import Array, axis_angle, from_matrix, length, multiply
from pigglesim.scene.scene import Board, Scene
from pigglesim.throws.pour import Pour
from pigglesim.version import __version__

_TOUCH = 0.0005
"""How near the board a corner counts as touching [m], as for Piggles (P10)."""
_MOST_THROWS = 50
"""How often dice are thrown until none is cocked; then they are read by the nearest face. About one
throw of two dice in twenty has a cocked one: no such run will be seen."""


def throw_dice(
    request: DiceRequest,
    *,
    die: Body,
    scene: Scene,
    engine: Engine,
    rng: np.random.Generator,
    watch: Watch | None = None,
) -> DiceResult:
    """Return dice as they lie, drawn from `rng` and nothing else.

    Args:
        request: How many, and what is done with cocked ones.
        die: The body of each.
        scene: The table.
        engine: What steps it.
        rng: Where every throw of this answer comes from, one after the other.
        watch: Shown every throw as it happens.

    Raises:
        SpecError: If the die has other faces, or the cup cannot hold so many.
    """
    if request.sides != len(die.poses):
        raise SpecError(
            f"dice of {len(die.poses)} faces at this table",
            got=f"{request.sides}",
            remedy="--chance fair",
        )
    bodies = (die,) * request.count
    throws = 0
    while True:
        throw = Pour(scene=scene, seat=request.thrower).sample(bodies, rng=rng)
        places = simulate(scene, throw, bodies, engine=engine, watch=watch).rolled
        throws += 1
        cocked = any(is_cocked(die, place, scene.board) for place in places)
        if not cocked or request.cocked is CockedDice.NEAREST or throws == _MOST_THROWS:
            faces = tuple(face_up(die, place) for place in places)
            return DiceResult(faces=faces, places=places, throws=throws)


def is_cocked(die: Body, place: RestPlace, board: Board) -> bool:
    """Return whether a die does not lie flat on the board: aslant, on another die, or beside it."""
    ground = ground_contact(die, place, board, tolerance=_TOUCH)
    beside = ground.table or place.position[2] < 0.0
    return beside or not len(ground.board) or tilt(die, place) > HOME_ANGLE


_STEP = 0.003
"""Distance between spots that are tried [m]: an eighth of a Piggle."""
_HEADINGS = 8
"""Headings tried on each spot."""
_CLEARANCE = 0.001
"""Least distance to other bodies, seen from above [m]: nothing is pushed when it is thrown at."""
_REACH = 0.03
"""No point of a Piggle is further than this from its centre of mass, seen from above [m]."""
_TOGETHER = 256
"""Spots looked at together."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Way:
    """A way to lie, with the centre of mass over the middle of the board."""

    place: RestPlace
    outline: Array
    """Corners of what it covers, seen from above [m], shape [corner_count, 2]."""
    footprint: Array
    """Points on the board [m], shape [contact_count, 2]."""

    def at(self, x: float, y: float) -> RestPlace:
        """Return the place with the centre of mass over a spot [m]."""
        return RestPlace(position=(x, y, self.place.position[2]), rotation=self.place.rotation)


def free_landing(
    body: Body,
    asked: SetDown,
    *,
    others: Sequence[tuple[Body, RestPlace]],
    board: Board,
    reading: ReadingRules,
) -> Landing | None:
    """Return how a Piggle lies in the free spot nearest to what is asked, or None without room.

    Args:
        body: The Piggle's body.
        asked: Pose and zone, and what it is to lie near.
        others: Everything else on the board.
        board: The board.
        reading: The house rules of reading, by which the landing is read.
    """
    taken = _shadow([hull_in_world(other, place)[:, :2] for other, place in others])
    ways = tuple(_ways(body, asked, board, reading))
    spots = _spots(asked, board)
    for start in range(0, len(spots), _TOGETHER):
        some = spots[start : start + _TOGETHER]
        free = np.stack([_free(way, some, taken, asked.zone, board, reading) for way in ways], 1)
        # By spot, and on each by heading.
        for spot, number in np.argwhere(free):
            place = ways[number].at(float(some[spot, 0]), float(some[spot, 1]))
            landing = read_landing(body, place, (), board=board, rules=reading)
            if (landing.orientation, landing.zone) == (asked.orientation, asked.zone):
                return landing
    return None


def _shadow(outlines: Sequence[Array]) -> Any:  # noqa: ANN401 (shapely carries no types)
    """Return what bodies cover, seen from above, as one geometry."""
    from shapely import MultiPoint, union_all  # noqa: PLC0415 (slow to import)

    return union_all([MultiPoint(outline).convex_hull for outline in outlines])


def _spots(asked: SetDown, board: Board) -> Array:
    """Return spots on a grid for the centre of mass, the nearest first [m], shape [count, 2].

    A body that rests alone has its centre over its footprint: for a region the spots lie in it,
    for a line as near to it as a body reaches.
    """
    from shapely import contains_xy, distance, points  # noqa: PLC0415 (slow to import)

    region = board.regions.get(asked.zone)
    if asked.near is not None and asked.near.place is not None:
        target = np.array(asked.near.place.position[:2])
    else:
        middle = board.regions[asked.zone].centroid
        target = np.array([middle.x, middle.y])
    count = int(board.size / _STEP)
    steps = np.arange(-count, count + 1) * _STEP
    apart = np.stack([grid.ravel() for grid in np.meshgrid(steps, steps)], axis=1)
    # Of spots that are as far the first by angle, so that the order is one and the same.
    angle = np.arctan2(apart[:, 1], apart[:, 0])
    order = np.lexsort((angle, np.round(np.hypot(apart[:, 0], apart[:, 1]), 9)))
    spots: Array = target + apart[order]
    if region is not None:
        inside: Array = spots[contains_xy(region, spots[:, 0], spots[:, 1])]
        return inside
    border = board.woods_border if asked.zone is Zone.LINE_PATH_WOODS else board.field_borders
    near: Array = spots[distance(points(spots), border) <= _REACH]
    return near


def _ways(body: Body, asked: SetDown, board: Board, reading: ReadingRules) -> Iterator[_Way]:
    """Give the headings of the pose that is hardest to tip over of those asked for."""
    from shapely import MultiPoint  # noqa: PLC0415 (slow to import)

    poses = [pose for pose in body.poses if pose.orientation is asked.orientation]
    if not poses:
        return
    pose = max(poses, key=lambda each: each.escape)
    upright = _upright(pose)
    for k in range(_HEADINGS):
        turn = axis_angle(np.array([0.0, 0.0, 1.0]), 2.0 * pi * k / _HEADINGS)
        qx, qy, qz, qw = (float(q) for q in multiply(turn, upright))
        place = RestPlace(position=(0.0, 0.0, pose.height), rotation=(qx, qy, qz, qw))
        hull = MultiPoint(hull_in_world(body, place)[:, :2]).convex_hull
        tolerance = reading.contact_tolerance_mm / 1000.0
        yield _Way(
            place=place,
            outline=np.asarray(hull.exterior.coords, dtype=float),
            footprint=ground_contact(body, place, board, tolerance=tolerance).board,
        )


def _free(
    way: _Way,
    spots: Array,
    taken: Any,  # noqa: ANN401 (shapely carries no types)
    zone: Zone,
    board: Board,
    reading: ReadingRules,
) -> NDArray[np.bool_]:
    """Return on which spots a body touches no other and, as far as is easily told, lies right."""
    from shapely import distance, points, polygons  # noqa: PLC0415 (slow to import)

    free = np.ones(len(spots), dtype=bool)
    region = board.regions.get(zone)
    if region is not None and reading.line_rule is LineRule.FOOTPRINT:
        free &= _inside(region.buffer(-board.line / 2.0), way.footprint, spots)
    if taken.is_empty:
        return free
    gap = distance(points(spots), taken)
    near = np.flatnonzero(free & (gap < _REACH + _CLEARANCE))
    covered = polygons(spots[near, None, :] + way.outline)
    free[near] = distance(covered, taken) >= _CLEARANCE
    return free


def _inside(
    region: Any,  # noqa: ANN401 (shapely carries no types)
    footprint: Array,
    spots: Array,
) -> NDArray[np.bool_]:
    """Return on which spots the whole footprint lies in a region.

    In one without a hole or a bay the corners tell; in the others reading has the last word.
    """
    from shapely import contains_xy  # noqa: PLC0415 (slow to import)

    corners = spots[:, None, :] + footprint
    told: NDArray[np.bool_] = contains_xy(region, corners[..., 0], corners[..., 1]).all(axis=1)
    return told


def _upright(pose: StablePose) -> Array:
    """Return an orientation, shape [4], in which the pose's own down points down."""
    down = pose.down
    # Any axis that is not along it will do; the one it has least of is the safest.
    across = np.cross(down, np.eye(3)[int(np.argmin(np.abs(down)))])
    across /= length(across)
    return from_matrix(np.array([across, np.cross(-down, across), -down]))


_NUDGE_TRIES = 3
"""How often Piggles that lean on others are nudged before they are read as they lie."""
_NUDGE_SPEED = 0.25
"""Speed of a nudge [m/s]: about what a fingertip gives, a hop of 3 mm."""
_TOSS_SPEED = 1.0
"""Upward speed of a toss in place [m/s]: 2 inches, the least height of a throw (R9)."""
_TOSS_SPREAD = 0.05
"""Standard deviation of each other component of its velocity [m/s]."""
_TOSS_SPIN = 25.0
"""Standard deviation of each component of its spin [rad/s]: about a turn in the air."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalChance:
    """Answers a roll request by simulation; the same request and index give the same bits."""

    scene: Scene
    models: dict[str, Body]
    """Body of each Piggle, by id."""
    engine: Engine
    seed: int
    watch: Watch | None = None
    """Shown every roll as it happens, what is rolled first; a nudge begins again at time 0."""
    die: Body | None = None
    """The body of each numbered die; None at a table without any."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Simulate a roll, throw dice or shuffle cards well, as answer `index` of this seed.

        Raises:
            SpecError: As `roll` and `dice`.
        """
        match request:
            case RollRequest():
                return self.roll(request, index=index)
            case ShuffleRequest():
                return fair_draw(request, rng=generator(self.seed, "shuffle", index))
            case DiceRequest():
                return self.dice(request, index=index)

    def dice(self, request: DiceRequest, *, index: int) -> DiceResult:
        """Simulate a throw of dice as answer number `index` of this seed.

        Raises:
            SpecError: If this table has no such dice.
        """
        if self.die is None:
            raise SpecError("Piggles or cards at this table", got="dice", remedy="--chance fair")
        return throw_dice(
            request,
            die=self.die,
            scene=self.scene,
            engine=self.engine,
            rng=generator(self.seed, "dice", index),
            watch=self.watch,
        )

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Simulate the request as roll number `index` of this seed.

        Raises:
            SpecError: If the cup is held against the rules, or a Piggle has no body or no place.
        """
        if request.set_down is not None:
            return self._set_down(request, request.set_down)
        if request.toss is not None:
            return self._tossed(request, request.toss, generator(self.seed, "roll", index))
        rng = generator(self.seed, "roll", index)
        bodies = tuple(self._body(name) for name in request.piggles)
        standing = tuple((self._body(name), _place(name, at)) for name, at in request.standing)
        throw = Pour(scene=self.scene, seat=request.thrower, hold=request.hold).sample(
            bodies, rng=rng
        )
        outcome = simulate(
            self.scene, throw, bodies, standing=standing, engine=self.engine, watch=self.watch
        )
        result = self._read(request, outcome)
        if request.reading.cocked is Cocked.NUDGE:
            for _ in range(_NUDGE_TRIES):
                leaning = [name for name, at in result.landings if at.leaning or at.stacked]
                if not leaning:
                    break
                result = self._nudged(request, result, leaning, rng)
        return result

    def provenance(self) -> dict[str, Any]:
        """Return what the bits depend on: engine, scene and model hashes."""
        bodies = (*self.models.values(), *((self.die,) if self.die else ()))
        return {
            "source": "physical",
            "engine": self.engine.name,
            "engine_version": self.engine.version,
            "numpy_version": np.__version__,
            "scene": self.scene.id,
            "scene_sha256": self.scene.sha256,
            "models": {body.model: body.sha256 for body in bodies},
        }

    def _body(self, name: str) -> Body:
        if name not in self.models:
            raise SpecError(
                "a Piggle of this table",
                got=repr(name),
                remedy=f"one of {', '.join(sorted(self.models))}",
            )
        return self.models[name]

    def _set_down(self, request: RollRequest, asked: SetDown) -> RollResult:
        """Return how a Piggle lies in a free spot, off the board where there is none."""
        (name,) = request.piggles
        if asked.near is not None:
            _place(name, asked.near)
        landing = free_landing(
            self._body(name),
            asked,
            others=[(self._body(other), _place(other, at)) for other, at in request.standing],
            board=self.scene.board,
            reading=request.reading,
        )
        none = Landing(orientation=None, zone=Zone.OFF)
        return RollResult(landings=((name, landing or none),))

    def _tossed(self, request: RollRequest, lies: Landing, rng: np.random.Generator) -> RollResult:
        """Return the result of a toss of one Piggle straight up from where it lies (M10)."""
        (name,) = request.piggles
        around = (*request.standing, (name, lies))
        lying = tuple((self._body(other), _place(other, at)) for other, at in around)
        push = rng.standard_normal(3) * _TOSS_SPREAD
        push[2] = _TOSS_SPEED
        spin = rng.standard_normal(3) * _TOSS_SPIN
        number = len(request.standing)
        outcome = nudge(
            self.scene,
            lying,
            {number: (push, spin)},
            engine=self.engine,
            watch=_rolled_first(self.watch) if self.watch is not None else None,
        )
        # The one tossed comes first, as one rolled does.
        order = (number, *range(number))
        tossed = replace(
            outcome,
            rolled=(outcome.standing[number],),
            standing=outcome.standing[:number],
            touches=tuple(outcome.touches[k] for k in order),
            strikers=_by_the_tossed(outcome.strikers),
        )
        return self._read(request, tossed)

    def _read(self, request: RollRequest, outcome: PourOutcome) -> RollResult:
        names = (*request.piggles, *(name for name, _ in request.standing))
        places = (*outcome.rolled, *outcome.standing)
        landings = {
            name: read_landing(
                self._body(name), place, touches, board=self.scene.board, rules=request.reading
            )
            for name, place, touches in zip(names, places, outcome.touches, strict=True)
        }
        strikers = {}
        for (name, before), striker in zip(request.standing, outcome.strikers, strict=True):
            if striker is None:
                # Nothing struck it: it lies, and is read, as it was.
                landings[name] = before
            else:
                strikers[name] = request.piggles[striker]
        return RollResult(
            landings=tuple(landings.items()),
            knocks=read_knocks(request.standing, landings, strikers, request.reading),
            settle=outcome.settle,
        )

    def _nudged(
        self,
        request: RollRequest,
        result: RollResult,
        leaning: list[str],
        rng: np.random.Generator,
    ) -> RollResult:
        """Return the result after a push to each Piggle that leans (house rule `cocked`, P12)."""
        names = [name for name, _ in result.landings]
        kicks = {}
        for name in leaning:
            push = rng.standard_normal(3)
            push[2] = abs(push[2])
            spin = rng.standard_normal(3) * 5.0
            kicks[names.index(name)] = (push / length(push) * _NUDGE_SPEED, spin)
        lying = tuple((self._body(name), _place(name, at)) for name, at in result.landings)
        outcome = nudge(self.scene, lying, kicks, engine=self.engine, watch=self.watch)
        landings = dict(result.landings)
        for index, name in enumerate(names):
            if outcome.strikers[index] is not None:
                landings[name] = read_landing(
                    self._body(name),
                    outcome.standing[index],
                    outcome.touches[index],
                    board=self.scene.board,
                    rules=request.reading,
                )
        by_roll = {knock.struck: knock.by for knock in result.knocks}
        # What only the nudge has moved is put down to the roll that made the nudge needed.
        strikers = {
            name: by_roll.get(name, request.piggles[0])
            for name, before in request.standing
            if landings[name] is not before
        }
        return replace(
            result,
            landings=tuple(landings.items()),
            knocks=read_knocks(request.standing, landings, strikers, request.reading),
            settle=outcome.settle,
        )


def _by_the_tossed(strikers: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Return who was struck in a toss, now that the last body is called the first one rolled."""
    return tuple(None if by is None else 0 for by in strikers[:-1])


def _rolled_first(watch: Watch) -> Watch:
    """Return what shows a toss, whose last body is the one that is rolled, to a watcher."""

    def show(moment: Moment) -> None:
        *standing, tossed = moment.places
        watch(replace(moment, places=(tossed, *standing), strikers=_by_the_tossed(moment.strikers)))

    return show


def _place(name: str, landing: Landing) -> RestPlace:
    if landing.place is None:
        raise SpecError(
            "standing Piggles with a place on the board",
            got=f"{name} with a pose and zone alone",
            remedy="start from a record of physical rolls",
        )
    return landing.place


def _nobody(index: int, film: Film) -> None:
    """Show a film to nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedChance:
    """Answers every request with the same bits as the physics it films."""

    source: PhysicalChance
    show: Callable[[int, Film], None] = _nobody
    """Given the number of each roll and its film, once it is read."""
    command: str | None = None
    """What a person can type to have such a roll again, for the film."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer number `index`; of a roll or a throw the film is shown.

        Raises:
            SpecError: If the cup is held against the rules, a Piggle has no body or no place, or
                this table has no such dice.
        """
        answer: ChanceOutcome
        match request:
            case RollRequest():
                answer, film = self.filmed(request, index=index)
            case DiceRequest():
                answer, film = self.filmed_dice(request, index=index)
            case ShuffleRequest():
                return self.source.answer(request, index=index)
        self.show(index, film)
        return answer

    def filmed(self, request: RollRequest, *, index: int) -> tuple[RollResult, Film]:
        """Simulate the request as roll number `index`, and return its film too.

        Raises:
            SpecError: If the cup is held against the rules, or a Piggle has no body or no place.
        """
        recorder = Recorder()
        result = self._watched(recorder).roll(request, index=index)
        # A Piggle set down by hand is answered for alone: the others lie as they lay.
        readings = dict(result.landings)
        readings |= {name: at for name, at in request.standing if name not in readings}
        there = {name: at.place for name, at in readings.items() if at.place is not None}
        return result, recorder.film(
            [self._actor(name, request) for name in there],
            list(there.values()),
            scene=self.source.scene.id,
            readings=tuple(readings.items()),
            knocks=result.knocks,
            origin=self._origin(index),
        )

    def filmed_dice(self, request: DiceRequest, *, index: int) -> tuple[DiceResult, Film]:
        """Simulate a throw of dice as answer number `index`, and return its film too.

        Dice that were thrown again follow in the same film; its origin tells the faces.

        Raises:
            SpecError: If this table has no such dice.
        """
        recorder = Recorder()
        result = self._watched(recorder).dice(request, index=index)
        assert self.source.die is not None
        model = self.source.die.model
        numbers = range(1, request.count + 1)
        return result, recorder.film(
            [FilmActor(name=f"die {n}", model=model, owner=request.thrower) for n in numbers],
            result.places,
            scene=self.source.scene.id,
            origin={**self._origin(index), "faces": list(result.faces)},
        )

    def provenance(self) -> dict[str, Any]:
        """Return what the bits depend on; the film changes none."""
        return self.source.provenance()

    def _watched(self, recorder: Recorder) -> PhysicalChance:
        """Return the physics, seen by a recorder and by whoever looks on already."""
        onlooker = self.source.watch

        def watch(moment: Moment) -> None:
            recorder.keep(moment)
            if onlooker is not None:
                onlooker(moment)

        return replace(self.source, watch=watch)

    def _actor(self, name: str, request: RollRequest) -> FilmActor:
        model, worn = split_livery(self.source.models[name].model)
        return FilmActor(
            name=name,
            model=model,
            owner=next((seat for seat in Seat if name.startswith(seat)), None),
            color=str(worn.colour) if worn else None,
            rune=str(worn.rune) if worn and worn.rune else None,
            standing=name not in request.piggles,
        )

    def _origin(self, index: int) -> dict[str, JSON]:
        origin: dict[str, JSON] = {
            "pigglesim": __version__,
            "seed": self.source.seed,
            "roll": index,
            **self.source.provenance(),
        }
        return origin if self.command is None else {**origin, "command": self.command}


def physical_chance(
    scene: Scene, models: Mapping[str, str], *, engine: str | None, seed: int
) -> PhysicalChance:
    """Return physics as a source of chance.

    Args:
        scene: The table.
        models: The model of each Piggle, by id.
        engine: Name of the engine; None for the default one.
        seed: Root seed.

    Raises:
        SpecError: If a name is unknown or a file is at fault.
    """
    dice = scene.dice
    bodies = load_models(sorted({*models.values(), *([dice.model] if dice else [])}))
    return PhysicalChance(
        scene=scene,
        models={piggle: bodies[name] for piggle, name in models.items()},
        engine=make_engine(engine),
        seed=seed,
        die=bodies[dice.model] if dice else None,
    )


def expect_pigs(models: Iterable[str]) -> None:
    """Raise `SpecError` if a model is not a pig: the rules need the orientation of each (R14)."""
    for name, body in load_models(dict.fromkeys(models)).items():
        if not body.pig:
            classes = ", ".join(dict.fromkeys(pose.label for pose in body.poses))
            raise SpecError(
                "pigs, whose landings the rules name",
                got=f"{name}, whose classes are {classes}",
                remedy=f"pigglesim roll 2 --model {name}, or pigglesim study --kind pour "
                f"--model {name}",
            )
