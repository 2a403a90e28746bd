"""Random initial conditions: of drops of a single die, and of a pour."""

from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from math import cos, log, pi, tan

import numpy as np

from pigglesim import cup_path
from pigglesim.bodies.body import Body
from pigglesim.cup_motion import CupMotion
from pigglesim.cup_path import (
    LENGTHS,
    TOLERANCE,
    drawn_path,
    expect_legal,
    expect_legal_hand,
    loaded,
    with_hold,
)
from pigglesim.errors import SpecError, cut
from pigglesim.hand_throw import LENGTH_UNIT, PREFIX, HandThrow, Sample
from pigglesim.landing import CupHold, Seat
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices, from_matrix, random_quaternion, rotate
from pigglesim.scene.scene import (
    GRAVITY,
    Direction,
    Fall,
    Flip,
    FloorRoll,
    Release,
    Scene,
    Tower,
    Tumbler,
)
from pigglesim.version import __version__

_NO_SAMPLES = np.zeros((0, 5))


def unmoved() -> CupMotion:
    """Return a motion all of whose numbers are 0, without samples, for compiled code."""
    return cup_path.unmoved()._replace(samples=_NO_SAMPLES)


@dataclass(frozen=True, kw_only=True)
class CompiledCupPath(cup_path.CupPath):
    """Path of a scene's hand, for compiled code."""

    @cached_property
    def motion(self) -> CupMotion:
        """The numbers of the path, in the world."""
        return super().motion._replace(samples=_NO_SAMPLES)


@dataclass(frozen=True, kw_only=True)
class CompiledHandPath(cup_path.HandPath):
    """Path of a person's own hand, for compiled code."""

    @cached_property
    def motion(self) -> CupMotion:
        """The samples of the path."""
        moved = super().motion
        return moved._replace(samples=np.array(moved.samples))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Throw:
    """Everything that one pour starts from; what follows is physics alone."""

    path: CompiledCupPath | CompiledHandPath
    positions: Array
    """Centres of mass at time 0 [m], shape [count, 3], world frame."""
    rotations: Array
    """Quaternions (x, y, z, w) at time 0, shape [count, 4]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pour:
    """A cup loaded at random, shaken and tipped from the thrower's own half (R8, R9, P13).

    Rotations in the cup are uniform and positions are shuffled, so that no Piggle and no landing
    is favoured before first contact.
    """

    scene: Scene
    seat: Seat
    hold: CupHold | None = None
    """Position of the cup; None for the scene's own."""

    def sample(self, bodies: tuple[Body, ...], *, rng: np.random.Generator) -> Throw:
        """Return one throw of `bodies`, drawn from `rng` alone.

        Raises:
            SpecError: If the cup is too small for them, or the hold violates R9.
        """
        if not 1 <= len(bodies) <= self.scene.capacity:
            raise SpecError(
                f"{len(bodies)} Piggles in the cup",
                expected=f"1 to {self.scene.capacity}",
                fix="load another number",
            )
        path = self._path(rng)
        expect_legal(path, half=self.scene.board.half)
        places = self._load(bodies, rng)
        position, rotation = path.pose(0.0)
        return Throw(
            path=path,
            positions=np.array(position) + rotate(np.array(rotation), places),
            rotations=np.array([random_quaternion(rng=rng) for _ in bodies]),
        )

    def started(self, bodies: tuple[Body, ...], start: str) -> Throw:
        """Return the throw of `bodies` that a page has drawn, as its address has it.

        `start` is the text of a `HandThrow`, or base64 for addresses, of little-endian floats of 4
        bytes: `across`, `heading`, `tempo` and `phase` of the path, then position and quaternion of
        each body in the world.

        Raises:
            SpecError: If it is not one of this many bodies, or this hand and cup cannot start so.
        """
        if start.startswith(PREFIX):
            return self.by_hand(bodies, HandThrow.read(start))
        values = _start_values(start, 4 + 7 * len(bodies))
        across, heading, tempo, phase = values[:4].tolist()
        scene, hand = self.scene, with_hold(self.scene.hand, self.hold)
        path = CompiledCupPath(
            cup=scene.cup,
            hand=hand,
            seat=self.seat,
            across=across,
            heading=heading,
            tempo=tempo,
            phase=phase,
        )
        expect_legal(path, half=scene.board.half)
        if not (
            abs(across - hand.across) <= 2.0 * hand.across_spread + TOLERANCE
            and abs(heading) <= 2.0 * hand.heading_spread + TOLERANCE
            and abs(log(tempo)) <= 2.0 * hand.tempo_spread + TOLERANCE
            and abs(phase - pi) <= pi + TOLERANCE
        ):
            raise _impossible_start()
        return self._from_places(path, bodies, values[4:].reshape(-1, 7))

    def by_hand(self, bodies: tuple[Body, ...], thrown: HandThrow) -> Throw:
        """Return the throw of `bodies` that a person's hand has made.

        Raises:
            SpecError: If it is one of another scene, engine or other bodies, or against R9 or P13.
        """
        if len(thrown.places) != len(bodies) or thrown.tag != hand_tag(self.scene, bodies):
            raise SpecError(
                f"the throw by hand is one of {len(thrown.places)} Piggles on another table, or of "
                "another version",
                fix="use the scene, models and version of the page that it is from",
            )
        expect_legal_hand(self.hand_path(thrown), board=self.scene.board)
        return self.begun(bodies, thrown)

    def hand_path(self, thrown: HandThrow) -> CompiledHandPath:
        """Return the path of a throw by hand."""
        return CompiledHandPath(
            cup=self.scene.cup, hand=self.scene.hand, seat=self.seat, throw=thrown
        )

    def begun(self, bodies: tuple[Body, ...], thrown: HandThrow) -> Throw:
        """Return a throw by hand whose path may still grow: only the places are checked.

        Raises:
            SpecError: If bodies overlap, or are not in the cup.
        """
        return self._from_places(self.hand_path(thrown), bodies, np.array(thrown.places))

    def held(
        self, bodies: tuple[Body, ...], samples: Sequence[Sample], *, rng: np.random.Generator
    ) -> HandThrow:
        """Return the throw of a person's hand along a path, with the places in the cup drawn."""
        cup = np.array(samples[0][:LENGTHS]) * LENGTH_UNIT
        rotations = [random_quaternion(rng=rng) for _ in bodies]
        rows = np.hstack([cup + self._load(bodies, rng), rotations]).astype("<f4").astype(float)
        return HandThrow(
            tag=hand_tag(self.scene, bodies),
            places=tuple(map(tuple, rows.tolist())),
            samples=tuple(samples),
        )

    def _from_places(
        self, path: CompiledCupPath | CompiledHandPath, bodies: tuple[Body, ...], places: Array
    ) -> Throw:
        """Return the throw along a path from places in the cup, shape [count, 7].

        Raises:
            SpecError: If bodies overlap, or are not in the cup.
        """
        cup, rotations = self.scene.cup, places[:, 3:]
        # Term by term: a page has the same bits.
        size = np.sqrt(sum(rotations[:, k] * rotations[:, k] for k in range(4)))
        radius = max(reach(body) for body in bodies)
        x, y, z = (places[:, :3] - path.pose(0.0)[0]).T
        layers = (z + cup.depth / 2.0) / radius
        gaps = np.linalg.norm(places[:, None, :3] - places[None, :, :3], axis=2)
        np.fill_diagonal(gaps, np.inf)
        possible = (
            np.all(np.abs(size - 1.0) <= TOLERANCE)
            and np.all(np.hypot(x, y) <= max(cup.inner_radius - radius, 0.0) + TOLERANCE)
            and np.all((layers >= 1.0 - 1e-4) & (layers <= 2.0 * len(bodies) - 1.0 + 1e-4))
            and np.all(gaps >= 2.0 * radius - TOLERANCE)
        )
        if not possible:
            raise _impossible_start()
        return Throw(path=path, positions=places[:, :3], rotations=rotations / size[:, None])

    def _path(self, rng: np.random.Generator) -> CompiledCupPath:
        hand = with_hold(self.scene.hand, self.hold)
        return CompiledCupPath(**vars(drawn_path(self.scene, hand, self.seat, rng)))

    def _load(self, bodies: tuple[Body, ...], rng: np.random.Generator) -> Array:
        """Return centres in the cup's frame [m], shape [count, 3]: layers that do not overlap."""
        cup = self.scene.cup
        radius = max(reach(body) for body in bodies)
        if radius >= cup.inner_radius:
            raise SpecError(
                f"a Piggle of radius {radius * 1000:.1f} mm does not fit the cup",
                expected=f"less than its inner radius, {cup.inner_radius * 1000:g} mm",
                fix="increase inner_radius_mm of the scene, or drop it with study --kind drop",
            )
        return np.array(loaded(cup, len(bodies), radius, rng))


def hand_tag(scene: Scene, bodies: tuple[Body, ...]) -> str:
    """Return what a `HandThrow` names its version, scene and bodies by."""
    parts = (__version__, scene.sha256, *(body.sha256 for body in bodies))
    return sha256("\n".join(parts).encode()).hexdigest()[:8]


def _impossible_start() -> SpecError:
    return SpecError(
        "the start is not one of this hand and these bodies in this cup",
        fix="use the scene, models and hold of the page that it is from",
    )


def _start_values(start: str, count: int) -> Array:
    """Return the numbers of a start, shape [count]."""
    try:
        data = urlsafe_b64decode(start + "=" * (-len(start) % 4))
        values = np.frombuffer(data, "<f4").astype(np.float64)
    except ValueError:
        values = np.zeros(0)
    if len(values) != count or not np.all(np.isfinite(values)) or values[2] <= 0.0:
        raise SpecError(
            f"invalid start {cut(repr(start))}",
            expected=f"{count} numbers in base64, as after #start= in the address of a page",
            fix="copy all of it, and throw as many Piggles",
        )
    return values


@cache
def reach(body: Body) -> float:
    """Return the distance [m] from the centre of mass to the farthest point of the body."""
    return float(np.linalg.norm(body.hull.vertices - body.mass.centre, axis=1).max())


DRAW_BLOCK = 250
"""Number of trials whose random numbers are drawn together."""
_NUMBERS = 9
"""Standard normal numbers per drop: 4 for the quaternion, 2 for the drift, 3 for the spin."""
_MOST = 2.0
"""Standard deviations at which the strength of a hand is cut off: none throws backwards."""
_BAFFLE = 0.6
"""Level length of a baffle, over the width of its tower."""
_WALL_HEIGHT = 10.0
"""Height of a wall that no die passes [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drop:
    """Transform and velocities of a die at its start, on the vertical through the origin."""

    height: float
    """Height of the centre of mass [m]."""
    rotation: Array
    """Rotation, a quaternion (x, y, z, w), shape [4]."""
    velocity: Array
    """Velocity [m/s], shape [3]."""
    angular_velocity: Array
    """Angular velocity [rad/s], world axes, shape [3]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plate:
    """A flat plate, endless along y, that a die strikes from its upper side.

    The upper side is the left one of its direction, seen with x to the right and z up.
    """

    x: float
    """Where it begins [m]."""
    z: float
    """Where it begins [m]."""
    angle: float
    """Angle of its direction from x towards z [rad]."""
    length: float
    """Length [m]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drops:
    """Many drops of one die, one row each."""

    height: float | Array
    """Height of the centre of mass [m], of all drops or of each, shape [count]."""
    rotations: Array
    """Rotations, quaternions (x, y, z, w), shape [count, 4]."""
    velocities: Array
    """Velocities [m/s], shape [count, 3]."""
    angular_velocities: Array
    """Angular velocities [rad/s], world axes, shape [count, 3]."""
    plates: tuple[Plate, ...] = ()
    """What stands on the floor."""
    turn_rate: float = 0.0
    """Angular speed at which gravity turns from -x to -z [rad/s]; 0 if it points to -z."""
    catch_times: Array | None = None
    """Time at which each is caught [s], shape [count]; None if they come to rest."""

    @property
    def on_floor_alone(self) -> bool:
        """Whether they meet an endless level floor and nothing else."""
        return not self.plates and not self.turn_rate and self.catch_times is None

    def __len__(self) -> int:
        """Return the number of drops."""
        return len(self.rotations)

    def at(self, rows: Indices) -> "Drops":
        """Return the drops of some rows."""
        return replace(
            self,
            rotations=self.rotations[rows],
            velocities=self.velocities[rows],
            angular_velocities=self.angular_velocities[rows],
        )

    def __iter__(self) -> Iterator[Drop]:
        """Yield each drop."""
        heights = np.broadcast_to(self.height, len(self)).tolist()
        rows = zip(heights, self.rotations, self.velocities, self.angular_velocities, strict=True)
        for height, rotation, velocity, angular_velocity in rows:
            yield Drop(
                height=height,
                rotation=rotation,
                velocity=velocity,
                angular_velocity=angular_velocity,
            )


def sample_drops(
    release: Release, body: Body, *, trials: range, seed: int, purpose: Sequence[str]
) -> Drops:
    """Return a throw of `body` per trial.

    It is a pure function of seed, purpose, trial, body and release. Trials are drawn in blocks,
    at a twentieth of the cost of one generator each.

    Args:
        release: Distribution of the die's motion at its start.
        body: The die.
        trials: Numbers of the throws, consecutive; at least one.
        seed: Root seed.
        purpose: Name of the stream of random numbers, with the seed.

    Raises:
        SpecError: If the die is too large for a box.
    """
    first, last = trials.start // DRAW_BLOCK, (trials.stop - 1) // DRAW_BLOCK
    normals = np.concatenate(
        [_normals(seed, tuple(purpose), block) for block in range(first, last + 1)]
    )
    numbers = normals[trials.start - first * DRAW_BLOCK :][: len(trials)]
    match release:
        case Fall():
            return _fallen(release.height, release.drift_spread, release.spin_spread, body, numbers)
        case Flip():
            return _flipped(release, body, numbers)
        case FloorRoll():
            return _rolled(release, body, numbers)
        case Tumbler():
            return _tumbled(release, body, numbers)
        case Tower():
            return _through_tower(release, body, numbers)


def _fallen(height: float, drift: float, spin: float, body: Body, numbers: Array) -> Drops:
    """Return drops through a height [m].

    Rotations are uniform, so that no pose is favoured before first contact. The flight until then
    is left out: a uniform distribution of rotations stays uniform in flight.
    """
    velocities = np.full((len(numbers), 3), -((2.0 * GRAVITY * height) ** 0.5))
    velocities[:, :2] = numbers[:, 4:6] * drift
    return Drops(
        height=reach(body),
        rotations=numbers[:, :4] / np.linalg.norm(numbers[:, :4], axis=1)[:, None],
        velocities=velocities,
        angular_velocities=numbers[:, 6:] * spin,
    )


@lru_cache(maxsize=128)
def _normals(seed: int, purpose: tuple[str, ...], block: int) -> Array:
    """Return the random numbers of a block of trials, drawn once for all floors."""
    return generator(seed, *purpose, block).standard_normal((DRAW_BLOCK, _NUMBERS))


def _flipped(flip: Flip, body: Body, numbers: Array) -> Drops:
    """Return flips from the hand on: what a die shows depends on its flight."""
    strengths = 1.0 + flip.spread * np.clip(numbers[:, 4:6], -_MOST, _MOST)
    speeds = (2.0 * GRAVITY * flip.rise) ** 0.5 * strengths[:, 0]
    if flip.start is None:
        rotations = numbers[:, :4] / np.linalg.norm(numbers[:, :4], axis=1)[:, None]
        axis = _unit(flip.axis, beside=None)
        axes = np.array([rotate(rotation, axis) for rotation in rotations])
        drift = numbers[:, 7:9]
        wobble = np.zeros_like(axes)
    else:
        # Rows: where world x, y and z are in the body. The spin is about x.
        axis, up = _unit(flip.axis, beside=flip.start), -_unit(flip.start, beside=None)
        rotations = np.tile(
            from_matrix(np.array([axis, np.cross(up, axis), up])), (len(numbers), 1)
        )
        axes = np.tile([1.0, 0.0, 0.0], (len(numbers), 1))
        drift = numbers[:, 2:4]
        wobble = numbers[:, 6:] * [0.0, flip.wobble_spread, flip.wobble_spread]
    velocities = np.column_stack([drift * flip.drift_spread, speeds])
    return Drops(
        height=max(flip.height, reach(body)),
        rotations=rotations,
        velocities=velocities,
        angular_velocities=axes * (flip.spin * strengths[:, 1, None]) + wobble,
        catch_times=2.0 * speeds / GRAVITY if flip.caught else None,
    )


def _unit(direction: Direction, *, beside: Direction | None) -> Array:
    """Return a direction of length 1, shape [3], across another one."""
    unit: Array = np.array(direction) / np.linalg.norm(direction)
    if beside is not None:
        other = _unit(beside, beside=None)
        unit = unit - other * float(unit @ other)
        if not np.linalg.norm(unit) > 1e-6:
            raise SpecError(
                "the axis of the flip is upright at its start", fix="use another axis or start"
            )
        unit /= np.linalg.norm(unit)
    return unit


def _rolled(roll: FloorRoll, body: Body, numbers: Array) -> Drops:
    """Return rolls along x."""
    drops = _fallen(roll.height, 0.0, roll.spin_spread, body, numbers)
    speeds = roll.speed * (1.0 + roll.spread * np.clip(numbers[:, 4], -_MOST, _MOST))
    drops.velocities[:, 0] = speeds
    drops.angular_velocities[:, 1] += roll.rolling * speeds / reach(body)
    if not roll.wall:
        return drops
    distance = max(roll.wall, reach(body))
    return replace(drops, plates=(Plate(x=distance, z=0.0, angle=pi / 2.0, length=_WALL_HEIGHT),))


def _tumbled(tumbler: Tumbler, body: Body, numbers: Array) -> Drops:
    """Return dice at the upper end of the side that is level at the start."""
    radius = reach(body)
    if tumbler.length <= 3.0 * radius:
        raise SpecError(
            f"a die of radius {radius * 1e3:.1f} mm is too large for a box of "
            f"{tumbler.length * 1e3:g} mm",
            fix="use a larger box: length",
        )
    drops = _fallen(0.0, 0.0, tumbler.spin_spread, body, numbers)
    sides = (
        Plate(x=-radius, z=_WALL_HEIGHT, angle=-pi / 2.0, length=_WALL_HEIGHT),
        Plate(x=tumbler.length - radius, z=0.0, angle=pi / 2.0, length=_WALL_HEIGHT),
    )
    return replace(drops, height=tumbler.length - radius, plates=sides, turn_rate=tumbler.rate)


def _through_tower(tower: Tower, body: Body, numbers: Array) -> Drops:
    """Return dice above the highest baffle of a tower."""
    radius = reach(body)
    width = tower.width * 2.0 * radius
    across, fall = _BAFFLE * width, _BAFFLE * width * tan(tower.slope)
    pitch = max(fall, width)
    top = radius + fall + (tower.baffles - 1) * pitch
    plates = [
        Plate(x=-width / 2.0, z=_WALL_HEIGHT, angle=-pi / 2.0, length=_WALL_HEIGHT),
        # The die leaves below the other wall.
        Plate(x=width / 2.0, z=3.0 * radius, angle=pi / 2.0, length=_WALL_HEIGHT),
    ]
    for number in range(tower.baffles):
        low = 0.5 * radius + number * pitch
        length = across / cos(tower.slope)
        # The lowest one slopes out of the tower.
        if number % 2 == 0:
            plates.append(Plate(x=-width / 2.0, z=low + fall, angle=-tower.slope, length=length))
        else:
            plates.append(Plate(x=width / 2.0 - across, z=low, angle=tower.slope, length=length))
    drops = _fallen(tower.height, 0.0, tower.spin_spread, body, numbers)
    return replace(drops, height=top + 2.0 * radius, plates=tuple(plates))
