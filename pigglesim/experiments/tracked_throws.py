"""Tracked throws of a real body, and how well simulated throws follow them.

A set of throws is a folder with a `toss.toml` and a Parquet file of positions and rotations. Each
throw is simulated from its state two frames before its first contact, which is measured from the
frames of the flight before.
"""

import hashlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, degrees, log, sqrt
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pigglesim.bodies.body import Body, MassProperties, Skin
from pigglesim.bodies.mesh import convex_hull, hull_of
from pigglesim.errors import SpecError, cut
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.files import FileKind, beside, decoded, parse_toml, read_file, read_text, validated
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices
from pigglesim.scene.scene import GRAVITY, Contact, Stepping, Surface
from pigglesim.throws import Drop

_TOSS_FILE = FileKind(name="toss", values=2_000)
_TRACK_FILE = FileKind(name="track", max_bytes=256 * 1024**2)
PARAMETER_FILE = FileKind(name="parameter", values=2_000)
COLUMNS = ("toss", "frame", "time_s", "x_m", "y_m", "z_m", "qx", "qy", "qz", "qw")
"""Columns of a file of tracks."""

_TOUCHING = 2e-4
"""Height of the lowest point at or below which a body touches the floor [m]."""
_NEAR = 0.015
"""Height of the lowest point within a frame of which a body may touch the floor [m]."""
_LEAD = 2
"""Frames between the start and the first contact: tracking is filtered beside an impact."""
FLIGHT = 13
"""Maximum frames of flight from which the start is measured."""
SHORTEST_FLIGHT = 4
"""Minimum frames of flight before the first contact."""
_UNIT = 1e-2
"""Largest distance of the length of a quaternion from one."""
_FARTHEST = 10.0
"""Largest coordinate of a throw [m]: beyond it the unit is not the metre."""
_MAX_STEP = 0.002
DRAWS = 200
"""Starts and surfaces of each throw from which the face is predicted."""
_UNIFORM = 0.03
"""Share of the uniform distribution that is mixed into predicted faces."""

Positive = Annotated[float, Field(gt=0, le=1e4, allow_inf_nan=False)]
Coefficient = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)]
Word = Annotated[str, Field(min_length=1, max_length=80)]


class _TossFile(BaseModel):
    # Other keys are notes of whoever tracked.
    model_config = ConfigDict(extra="ignore", frozen=True)
    name: Word
    shape: Literal["box"]
    side_mm: Positive
    mass_kg: Positive
    rate_hz: Positive
    tracks: Word = "tosses.parquet"


class _BodyTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    side_mm: Positive
    mass_kg: Positive
    centre_mm: tuple[Number, Number, Number] = (0.0, 0.0, 0.0)
    inertia_kg_m2: tuple[Positive, Positive, Positive] | None = None
    rounding_mm: Annotated[float, Field(ge=0, le=1e3, allow_inf_nan=False)] = 0.0

    @model_validator(mode="after")
    def _possible(self) -> "_BodyTable":
        if self.inertia_kg_m2 and max(self.inertia_kg_m2) > sum(self.inertia_kg_m2) / 2.0:
            raise ValueError("a moment of inertia above the sum of the others")
        if not 2.0 * self.rounding_mm < self.side_mm:
            raise ValueError("a rounding of half the side or more")
        return self


class _ThrowSurface(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    friction: Coefficient = 0.3
    sliding_friction: Annotated[float, Field(gt=0, le=10, allow_inf_nan=False)] | None = None
    restitution: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.3
    rolling_lever_mm: Coefficient = 0.0
    spinning_lever_mm: Coefficient = 0.0
    impact_stages: Annotated[int, Field(ge=1, le=64)] = 1
    scatter: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0


class _ParameterFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    engine: Word
    throws: Word
    body: _BodyTable
    surface: _ThrowSurface
    interval: dict[str, tuple[Number, Number]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrowParameters:
    """A tracked body and the surface that it is thrown on."""

    side: float
    """Side of the cube [m]."""
    mass: float
    """Mass [kg]."""
    centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Centre of mass from the middle of the cube [m], body axes."""
    inertia: tuple[float, float, float] | None = None
    """Moments of inertia about it [kg m2], body axes; None for those of a solid cube."""
    rounding: float = 0.0
    """Radius of corners and edges [m]."""
    friction: float = 0.3
    """Coulomb coefficient of friction in impacts."""
    sliding_friction: float | None = None
    """The same while sliding; None for that of impacts."""
    restitution: float = 0.3
    """Newton's coefficient of restitution."""
    rolling_lever: float = 0.0
    """As `Surface.rolling_lever` [m]."""
    spinning_lever: float = 0.0
    """As `Surface.spinning_lever` [m]."""
    impact_stages: int = 1
    """As `Surface.impact_stages`."""
    scatter: float = 0.0
    """Standard deviation of the logarithms of friction and restitution from throw to throw."""

    def drawn(self, rng: np.random.Generator) -> "ThrowParameters":
        """Return the parameters of one throw."""
        impacts, slides, bounce = np.exp(rng.normal(0.0, self.scatter, 3)).tolist()
        return replace(
            self,
            friction=self.friction * impacts,
            sliding_friction=self.sliding_friction and self.sliding_friction * slides,
            restitution=min(self.restitution * bounce, 1.0),
        )

    @property
    def moments(self) -> Array:
        """Moments of inertia [kg m2], shape [3]."""
        return np.array(self.inertia or (self.mass * self.side**2 / 6.0,) * 3)

    @property
    def surface(self) -> Surface:
        """The contact of the body with the floor."""
        return Surface(
            contact=Contact(friction=self.friction, restitution=self.restitution),
            rolling_lever=self.rolling_lever,
            spinning_lever=self.spinning_lever,
            sliding_friction=self.sliding_friction,
            impact_stages=self.impact_stages,
        )

    def body(self) -> Body:
        """Return the cube as a body whose frame has its origin in the middle."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        mesh = convex_hull(signs * (self.side / 2.0 - self.rounding))
        skin = Skin(
            vertices=mesh.vertices, faces=mesh.faces, face_parts=("cube",) * len(mesh.faces)
        )
        mass = MassProperties(
            mass=self.mass, centre=np.array(self.centre), inertia=np.diag(self.moments)
        )
        return Body(
            model="cube",
            skin=skin,
            hull=hull_of(skin)[0],
            parts=(),
            mass=mass,
            poses=(),
            sha256=hashlib.sha256(repr(self).encode()).hexdigest(),
            rounding=self.rounding,
        )

    def lowest(self, positions: Array, rotations: Array) -> Array:
        """Return the height of the lowest point [m], shape [count].

        Args:
            positions: Middle of the cube [m], shape [count, 3].
            rotations: Rotation matrices, shape [count, 3, 3].
        """
        inner = self.side / 2.0 - self.rounding
        drop = inner * np.abs(rotations[:, 2]).sum(axis=1) + self.rounding
        lowest: Array = positions[:, 2] - drop
        return lowest


def read_parameters(path: Path) -> tuple[ThrowParameters, str]:
    """Return the parameters of a file that `pigglesim fit` wrote, and their engine.

    Raises:
        SpecError: If the file is faulty.
    """
    text = read_text(path, PARAMETER_FILE)
    table = validated(
        _ParameterFile.model_validate_json,
        parse_toml(text, PARAMETER_FILE, where=path.name),
        expected=f"parameters of tracked throws in {path.name}",
        fix="write it by pigglesim fit DIR --out PARAMS.toml",
    )
    body, surface = table.body, table.surface
    x, y, z = body.centre_mm
    parameters = ThrowParameters(
        side=body.side_mm * 1e-3,
        mass=body.mass_kg,
        centre=(x * 1e-3, y * 1e-3, z * 1e-3),
        inertia=body.inertia_kg_m2,
        rounding=body.rounding_mm * 1e-3,
        friction=surface.friction,
        sliding_friction=surface.sliding_friction,
        restitution=surface.restitution,
        rolling_lever=surface.rolling_lever_mm * 1e-3,
        spinning_lever=surface.spinning_lever_mm * 1e-3,
        impact_stages=surface.impact_stages,
        scatter=surface.scatter,
    )
    return parameters, table.engine


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Track:
    """One tracked throw."""

    number: int
    positions: Array
    """Middle of the body in each frame [m], shape [frame_count, 3]; the floor is at z = 0."""
    rotations: Array
    """Rotation in each frame, unit quaternions, shape [frame_count, 4]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackedThrows:
    """Tracked throws of one body."""

    name: str
    side: float
    """Side of the cube [m]."""
    mass: float
    """Mass [kg]."""
    frame_time: float
    """Time between two frames [s]."""
    tracks: tuple[Track, ...]

    @property
    def unfitted(self) -> ThrowParameters:
        """A solid cube on the default surface."""
        return ThrowParameters(side=self.side, mass=self.mass)


def find_tracked_throws(folder: Path) -> list[Path]:
    """Return every `toss.toml` in a folder or below it, by the order of their paths."""
    if folder.is_file():
        return [folder] if folder.name == "toss.toml" else []
    return sorted(folder.rglob("toss.toml"))


def read_tracked_throws(path: Path) -> TrackedThrows:
    """Return the tracked throws that a `toss.toml` describes.

    Raises:
        SpecError: If the file or its tracks are faulty.
    """
    where = f"{path.parent.name}/{path.name}"
    table = validated(
        _TossFile.model_validate_json,
        parse_toml(decoded(read_file(path, _TOSS_FILE), where=where), _TOSS_FILE, where=where),
        expected=f"a valid toss file {where}",
        fix='give name, shape = "box", side_mm, mass_kg and rate_hz',
    )
    rows = _read_rows(beside(path, table.tracks, _TRACK_FILE))
    return TrackedThrows(
        name=table.name,
        side=table.side_mm * 1e-3,
        mass=table.mass_kg,
        frame_time=1.0 / table.rate_hz,
        tracks=tuple(_tracks(rows, f"{path.parent.name}/{table.tracks}", 1.0 / table.rate_hz)),
    )


def _read_rows(path: Path) -> dict[str, Array]:
    """Return the columns of a file of tracks, by throw and frame."""
    import duckdb  # noqa: PLC0415 (slow to import)

    read_file(path, _TRACK_FILE)  # raises if it is no regular file, or too large
    try:
        with duckdb.connect(config={"autoinstall_known_extensions": False}) as connection:
            rows = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM read_parquet(?) ORDER BY toss, frame",
                [str(path)],
            ).fetchnumpy()
    except duckdb.Error as fault:
        raise SpecError(
            cut(f"{path.name}: {str(fault).splitlines()[0]}"),
            expected=f"Parquet with the columns {', '.join(COLUMNS)}",
            fix="write it again",
        ) from None
    return {
        name: np.ma.filled(np.ma.asarray(values).astype(float), np.nan)
        for name, values in rows.items()
    }


def _tracks(rows: dict[str, Array], where: str, frame_time: float) -> Generator[Track]:
    """Yield the throws of a file's rows.

    Raises:
        SpecError: If a throw has gaps, is not finite, or is in other units.
    """
    throw = rows["toss"]
    if not len(throw):
        raise SpecError(f"no throws in {where}", fix="write it again")
    for number in np.unique(throw):
        track = {name: values[throw == number] for name, values in rows.items()}
        name = f"throw {number:g} of {where}"
        values = np.stack([track[column] for column in COLUMNS], axis=1)
        if not np.isfinite(values).all():
            raise SpecError(f"{name} has values that are not finite", fix="leave that throw out")
        if (np.diff(track["frame"]) != 1).any():
            at = track["frame"][np.argmax(np.diff(track["frame"]) != 1)]
            raise SpecError(
                f"{name} has a gap or a repeated frame after frame {at:g}",
                expected="frames one after another",
                fix="leave that throw out, or give the part before the gap",
            )
        times = np.diff(track["time_s"])
        if len(times) and not np.allclose(times, frame_time, rtol=0.02, atol=0.0):
            raise SpecError(
                f"{name} has {np.median(times) * 1e3:.3g} ms between frames",
                expected=f"{frame_time * 1e3:.3g} ms, as rate_hz says",
                fix="correct rate_hz or time_s",
            )
        positions, rotations = values[:, 3:6], values[:, 6:]
        if np.abs(positions).max() > _FARTHEST:
            raise SpecError(
                f"{name} is up to {np.abs(positions).max():.3g} m from the origin",
                expected=f"at most {_FARTHEST:g} m",
                fix="give positions in metres",
            )
        lengths = np.linalg.norm(rotations, axis=1)
        if np.abs(lengths - 1.0).max() > _UNIT:
            raise SpecError(
                f"{name} has a quaternion of length {lengths[np.argmax(np.abs(lengths - 1))]:.3g}",
                expected="unit quaternions qx, qy, qz, qw",
                fix="write them again",
            )
        yield Track(number=int(number), positions=positions, rotations=rotations / lengths[:, None])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackStart:
    """State of a tracked throw two frames before its first contact, as measured in its flight."""

    first_frame: int
    """First of the frames from which it was measured."""
    frame: int
    """Number of its own frame."""
    position: Array
    """Centre of mass [m], shape [3]."""
    velocity: Array
    """Its velocity [m/s], shape [3]."""
    rotation: Array
    """Unit quaternion, shape [4]."""
    angular_velocity: Array
    """Angular velocity [rad/s], world axes, shape [3]."""
    covariance: Array
    """Covariance of offset and rate, per unit of the variance of a frame, shape [2, 2]."""
    position_noise: float
    """Standard error of a coordinate in one frame [m]."""
    rotation_noise: float
    """Standard error of an angle in one frame [rad]."""

    def drawn(self, rng: np.random.Generator) -> "TrackStart":
        """Return a start drawn from its errors."""
        root = np.linalg.cholesky(self.covariance)
        place, rate = root @ rng.normal(0.0, self.position_noise, (2, 3))
        angle, spin = root @ rng.normal(0.0, self.rotation_noise, (2, 3))
        turned = _rotation().from_rotvec(angle) * _rotation().from_quat(self.rotation)
        return replace(
            self,
            position=self.position + place,
            velocity=self.velocity + rate,
            rotation=turned.as_quat(),
            angular_velocity=self.angular_velocity + spin,
        )


def _rotation() -> Any:  # noqa: ANN401 (a class of scipy)
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 (slow to import)

    return Rotation


def first_contact(track: Track, parameters: ThrowParameters, frame_time: float) -> int:
    """Return the first frame at or after the first contact with the floor; -1 if there is none.

    A short contact between two frames shows in the acceleration of a body near the floor.
    """
    matrices = _rotation().from_quat(track.rotations).as_matrix()
    lowest = parameters.lowest(track.positions, matrices)
    upward = np.diff(track.positions[:, 2], 2) > GRAVITY * frame_time**2
    struck = np.zeros(len(lowest), bool)
    struck[2:] = upward & (lowest[1:-1] < _NEAR)
    touching = (lowest <= _TOUCHING) | struck
    return int(np.argmax(touching)) if touching.any() else -1


def measure_start(
    track: Track, parameters: ThrowParameters, frame_time: float
) -> TrackStart | None:
    """Return the start of a throw; None if too little of its flight was tracked.

    It is measured by `state_in_flight` over the last frames of the flight.
    """
    last = first_contact(track, parameters, frame_time) - _LEAD
    if last < SHORTEST_FLIGHT - 1:
        return None
    first = max(0, last + 1 - FLIGHT)
    while True:
        start = state_in_flight(track, parameters, frame_time, slice(first, last + 1), last)
        # The first frames may still be in the hand.
        if last - first < SHORTEST_FLIGHT or start.position_noise < _IN_FLIGHT:
            return start
        first += 1


def flight_frames(track: Track, throws: TrackedThrows) -> slice | None:
    """Return the frames of a throw's first flight; None if too few were tracked."""
    start = measure_start(track, throws.unfitted, throws.frame_time)
    return None if start is None else slice(start.first_frame, start.frame + 1)


_IN_FLIGHT = 1e-4
"""Scatter of positions about a parabola above which the body is not yet in flight [m]."""


def state_in_flight(
    track: Track, parameters: ThrowParameters, frame_time: float, frames: slice, at: int
) -> TrackStart:
    """Return the state at a frame, by least squares over some frames of one flight.

    The centre of mass moves on a parabola, and the body turns freely. To second order in time, the
    angular velocity changes as Euler's equations say.
    """
    times = (np.arange(frames.start, frames.stop) - at) * frame_time
    turns = _rotation().from_quat(track.rotations[frames])
    centres = track.positions[frames] + turns.apply(np.array(parameters.centre))
    centres[:, 2] += GRAVITY / 2.0 * times**2
    basis = np.stack([np.ones_like(times), times], axis=1)
    covariance: Array = np.asarray(np.linalg.inv(basis.T @ basis), float)
    solved = covariance @ basis.T
    position, velocity = solved @ centres
    spare = max(len(times) - 2, 1) * 3
    position_noise = sqrt(float(((centres - basis @ np.array([position, velocity])) ** 2).sum()))
    # Rotations from that frame, body axes: constant angular velocity, and its change.
    base = turns[at - frames.start]
    angles = (base.inv() * turns).as_rotvec()
    moments, spin = parameters.moments, np.zeros(3)
    for _ in range(3):
        change = -np.cross(spin, moments * spin) / moments
        offset, spin = solved @ (angles - times[:, None] ** 2 / 2.0 * change)
    model = basis @ np.array([offset, spin]) + times[:, None] ** 2 / 2.0 * change
    rotation_noise = sqrt(float(((angles - model) ** 2).sum()))
    turn = base * _rotation().from_rotvec(offset)
    return TrackStart(
        first_frame=frames.start,
        frame=at,
        position=position,
        velocity=velocity,
        rotation=turn.as_quat(),
        angular_velocity=turn.apply(spin),
        covariance=covariance,
        position_noise=position_noise / sqrt(spare),
        rotation_noise=rotation_noise / sqrt(spare),
    )


class TrackThrower:
    """Throws the body of some parameters from measured starts."""

    def __init__(self, parameters: ThrowParameters, engine: str, frame_time: float) -> None:
        self._centre = np.array(parameters.centre)
        self._frame_time = frame_time
        step = frame_time / ceil(frame_time / _MAX_STEP)
        self._stepping = Stepping(time_step=step, rest_time=0.06)
        self._engine, self._body = make_engine(engine), parameters.body()
        self.change_surface(parameters.surface)

    def change_surface(self, surface: Surface) -> None:
        """Throw onto another surface from now on."""
        self._floor = self._engine.floor(self._body, surface, self._stepping)

    def throw(self, start: TrackStart, count: int) -> tuple[Array, Array]:
        """Return positions of the body's middle [m] and rotations of `count` frames."""
        drop = Drop(
            height=float(start.position[2]),
            rotation=start.rotation,
            velocity=start.velocity,
            angular_velocity=start.angular_velocity,
        )
        frames = self._floor.trajectory(drop, self._frame_time, count)
        rotations = frames[:, 3:]
        middles = frames[:, :3] - _rotation().from_quat(rotations).apply(self._centre)
        middles[:, :2] += start.position[:2]
        return middles, rotations


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedThrow:
    """How well one throw was followed."""

    number: int
    position_error: float
    """Mean distance from the track over its frames, as a share of the side."""
    rotation_error: float
    """Mean angle to the track over its frames [rad]."""
    face: int
    """Face that was up at the end: 0 to 5 for -x, +x, -y, +y, -z, +z."""
    first_face: int
    """Face that was up at first contact."""
    faces: tuple[int, ...]
    """Draws by the face up at the end, shape [6]; empty without draws."""

    @property
    def shares(self) -> Array:
        """Predicted share of each face, with a little of the uniform mixed in, shape [6]."""
        counts = np.array(self.faces, float)
        shares: Array = (1.0 - _UNIFORM) * counts / counts.sum() + _UNIFORM / 6.0
        return shares


def errors_of(
    track: Track, start: TrackStart, motion: tuple[Array, Array], side: float
) -> tuple[float, float]:
    """Return the mean distance [sides] and angle [rad] of a simulated throw from its track."""
    positions, rotations = motion
    seen = slice(start.frame, start.frame + len(positions))
    away = np.linalg.norm(positions - track.positions[seen], axis=1)
    cosines = np.abs((rotations * track.rotations[seen]).sum(axis=1))
    angles = 2.0 * np.arccos(np.minimum(cosines, 1.0))
    return float(away.mean()) / side, float(angles.mean())


def face_up(rotation: Array) -> int:
    """Return the number of the face that is up, as in `FollowedThrow.face`."""
    up = _rotation().from_quat(rotation).as_matrix()[2]
    axis = int(np.argmax(np.abs(up)))
    return 2 * axis + int(up[axis] > 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowTask:
    """Conditions under which throws are followed; each is a pure function of them."""

    throws: TrackedThrows
    parameters: ThrowParameters
    engine: str
    draws: int
    seed: int

    def follow(self, index: int) -> FollowedThrow | None:
        """Follow one throw; None if too little of its flight was tracked."""
        throws = self.throws
        track = throws.tracks[index]
        start = measure_start(track, self.parameters, throws.frame_time)
        if start is None:
            return None
        thrower = TrackThrower(self.parameters, self.engine, throws.frame_time)
        count = len(track.positions) - start.frame
        place, angle = errors_of(track, start, thrower.throw(start, count), throws.side)
        rng = generator(self.seed, "follow", throws.name, track.number)
        faces = [0] * 6
        for _ in range(self.draws):
            drawn = start.drawn(rng)
            if self.parameters.scatter:
                thrower.change_surface(self.parameters.drawn(rng).surface)
            faces[face_up(thrower.throw(drawn, count)[1][-1])] += 1
        return FollowedThrow(
            number=track.number,
            position_error=place,
            rotation_error=angle,
            face=face_up(track.rotations[-1]),
            first_face=face_up(track.rotations[start.frame + _LEAD]),
            faces=tuple(faces) if self.draws else (),
        )


def follow_all(task: FollowTask, *, workers: int) -> Generator[FollowedThrow | None, None, None]:
    """Yield the result of each throw, in their order."""
    prepare = partial(partial, task.follow)
    yield from map_in_order(prepare, range(len(task.throws.tracks)), workers=workers)


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over throws."""

    value: float
    se: float
    """Standard error."""


def _mean(values: Sequence[float]) -> Measured:
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return Measured(float(np.mean(values)), spread / sqrt(len(values)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowScore:
    """How well the throws of one body were followed."""

    name: str
    count: int
    """Throws that were followed."""
    left_out: tuple[int, ...]
    """Numbers of the throws of whose flight too little was tracked."""
    position_error_percent: Measured
    """Mean distance from the track, in percent of the side."""
    rotation_error_degrees: Measured
    """Mean angle to the track [degree]."""
    face_right: Measured
    """Share of throws whose most frequent predicted face came up."""
    log_score: Measured
    """Mean of minus the logarithm of the predicted share of the face that came up."""
    brier: Measured
    """Mean squared distance of the predicted shares from the face that came up."""


def score_throws(
    name: str, followed: Sequence[FollowedThrow], left_out: Sequence[int]
) -> FollowScore:
    """Return the score of some followed throws."""
    shares = np.array([one.shares for one in followed])
    faces = np.array([one.face for one in followed])
    return FollowScore(
        name=name,
        count=len(followed),
        left_out=tuple(left_out),
        position_error_percent=_mean([100.0 * one.position_error for one in followed]),
        rotation_error_degrees=_mean([degrees(one.rotation_error) for one in followed]),
        **_face_scores(shares, faces),
    )


def _face_scores(shares: Array, faces: Indices) -> dict[str, Measured]:
    """Return right faces, log score and Brier score of predicted shares, shape [count, 6]."""
    came = np.eye(6)[faces]
    return {
        "face_right": _mean((shares.argmax(axis=1) == faces).astype(float).tolist()),
        "log_score": _mean([-log(share) for share in shares[came > 0].tolist()]),
        "brier": _mean(((shares - came) ** 2).sum(axis=1).tolist()),
    }


def first_face_scores(followed: Sequence[FollowedThrow]) -> dict[str, Measured]:
    """Return the scores of a baseline: the face that is up at first contact stays up.

    Its probability is the share of these throws in which it did.
    """
    first = np.array([one.first_face for one in followed])
    faces = np.array([one.face for one in followed])
    kept = float((first == faces).mean())
    shares = np.full((len(followed), 6), (1.0 - kept) / 5.0)
    shares[np.arange(len(first)), first] = kept
    return _face_scores((1.0 - _UNIFORM) * shares + _UNIFORM / 6.0, faces)
