"""When is a throw decided? The bits of information about its outcome that are still missing.

X(t) is the state of a body at time t of its throw: height, rotation, velocity, angular velocity.
Y is its outcome, the class of the pose at rest. The laws are deterministic: Y = f_t(X(t)). A look
Z(t) shows the state as exactly as a hand can set it, with independent normal errors e:

    Z(t)   = X(t) + e
    p_c(z) = P(f_t(z - e) = c)             the share of copies of z, displaced by e, that end in c
    H(t)   = -sum_c p_c log2 p_c           the bits left at time t

Throws differ by much more than e, so the states that are possible after a look z are the copies
z - e. Hence the mean of H(t) over throws is the conditional entropy H(Y | Z(t)), and H(Y) minus it
is the mutual information of look and outcome. `docs/physics/decided.md` compares this with the
entropy of the start and of all looks so far.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil, pi
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, support_for
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import Share, binomial, entropy_of
from pigglesim.films.film import Frames
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engine import Engine
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices, multiply, rotate, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops, reach

LEVELS = (0.5, 0.9, 0.99)
"""Certainties whose times are reported."""
COPIES = 400
"""Default copies per look: fewer that all agree would not prove 99 %, by Wilson's interval."""
_INTERVAL = 0.03
"""Time between two looks where no bounce is [s]."""
_MIN_FLIGHT = 0.01
"""Shortest flight between two bounces [s]: shorter ones are rattling."""
_INVERSE = np.array([-1.0, -1.0, -1.0, 1.0])
"""Factors that turn a unit quaternion into its inverse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandError:
    """How exactly a hand sets a body: standard deviations of each component. Assumed."""

    position: float = 0.001
    """Error of the height [m]."""
    angle: float = 2.0 * pi / 180.0
    """Error of the rotation about each axis [rad]."""
    speed: float = 0.02
    """Error of the velocity, as a share of the speed: a faster hand is less exact."""
    spin: float = 0.05
    """Error of the angular velocity, as a share of its length."""

    def times(self, factor: float) -> "HandError":
        """Return all errors multiplied by a factor."""
        return HandError(**{name: value * factor for name, value in asdict(self).items()})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThrownBody:
    """A recorded throw of one body on a floor, and where it ended."""

    body: Body
    labels: Sequence[str]
    """Class of each pose of the body's support function."""
    frames: Frames
    """Its motion; the first body of the frames."""
    surface: Surface
    stepping: Stepping
    engine: Engine
    start: Drop | None = None
    """Exact state in the first frame. Default: from the motion after it."""

    @property
    def outcome(self) -> str:
        """Class of the pose in the last frame."""
        down = -to_matrix(self.frames.rotations[-1, 0])[2]
        return self.labels[support_for(self.body).descend(down)]


def thrown(
    drop: Drop,
    body: Body,
    labels: Sequence[str],
    *,
    surface: Surface,
    stepping: Stepping,
    engine: Engine,
) -> ThrownBody:
    """Return one drop on an endless floor, until its energy reaches no other class."""
    dropper = Dropper(
        body, support_for(body), labels, surface=surface, stepping=stepping, engine=engine
    )
    only = Drops(
        height=drop.height,
        rotations=drop.rotation[None],
        velocities=drop.velocity[None],
        angular_velocities=drop.angular_velocity[None],
    )
    count = ceil(float(dropper.drop_all(only).times[0]) / stepping.time_step) + 1
    motion = engine.floor(body, surface, stepping).trajectory(drop, stepping.time_step, count)
    return ThrownBody(
        body=body,
        labels=labels,
        frames=_alone(
            stepping.time_step * np.arange(count, dtype=np.float64), motion[:, :3], motion[:, 3:]
        ),
        surface=surface,
        stepping=stepping,
        engine=engine,
        start=drop,
    )


def on_board(frames: Frames, number: int, body: Body, scene: Scene, engine: Engine) -> ThrownBody:
    """Return a body of a pour from where it has left the cup, as if alone on an endless board."""
    places, turns = frames.cup_poses()
    centre = frames.positions[:, number]
    offset = np.array(
        [rotate(_INVERSE * q, p) for q, p in zip(turns, centre - places, strict=True)]
    )
    inside = frames.has_cup & (np.abs(offset[:, 2]) < scene.cup.depth / 2.0 + reach(body))
    inside &= np.hypot(offset[:, 0], offset[:, 1]) < scene.cup.inner_radius
    first = min(int(np.flatnonzero(inside)[-1]) + 1 if inside.any() else 0, frames.count - 3)
    return ThrownBody(
        body=body,
        labels=[pose.label for pose in body.poses],
        frames=_alone(frames.times[first:], centre[first:], frames.rotations[first:, number]),
        surface=Surface(
            contact=scene.contacts.board,
            rolling_lever=scene.contacts.rolling_lever,
            spinning_lever=scene.contacts.spinning_lever,
        ),
        stepping=scene.stepping,
        engine=engine,
    )


def _alone(times: Array, positions: Array, rotations: Array) -> Frames:
    none = np.full((len(times), 7), np.nan)
    return Frames(
        times=times,
        positions=positions[:, None],
        rotations=rotations[:, None],
        cup_positions=none[:, :3],
        cup_rotations=none[:, 3:],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LookEntropy:
    """Outcomes that are still open at one look at a throw."""

    time: float
    """Time in the throw [s]."""
    bounces: int
    """Bounces so far."""
    after_bounce: bool
    """Whether it is the first look after a bounce."""
    counts: tuple[int, ...]
    """Copies by outcome; the last entry: none."""
    bits: Interval
    """Bits left."""
    certainty: Share
    """Share of the copies that end as the throw did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertainFrom:
    """Time from which an outcome was certain to a level."""

    level: float
    time: float
    """First look from which all have that certainty; the last look if none [s]."""
    earliest: float
    """The same for the upper ends of the intervals [s]."""
    latest: float
    """The same for their lower ends [s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecidedThrow:
    """How the outcome of one throw was decided."""

    outcomes: tuple[str, ...]
    outcome: str
    end: float
    """Time of the last look: its energy reaches no other class, or it visibly rests [s]."""
    looks: tuple[LookEntropy, ...]

    def certain_from(self, level: float) -> CertainFrom:
        """Return the time from which the outcome was certain to a level."""

        def since(values: list[float]) -> float:
            below = [k for k, value in enumerate(values) if value < level]
            first = below[-1] + 1 if below else 0
            return self.looks[first].time if first < len(values) else self.end

        shares = [look.certainty for look in self.looks]
        return CertainFrom(
            level=level,
            time=since([share.value for share in shares]),
            earliest=since([share.high for share in shares]),
            latest=since([share.low for share in shares]),
        )

    def after_bounces(self) -> list[LookEntropy]:
        """Return the first look, and that after each bounce."""
        return [look for k, look in enumerate(self.looks) if look.after_bounce or not k]

    def document(self) -> dict[str, Any]:
        """Return it as JSON values; SI units are in the names."""
        return {
            "outcomes": list(self.outcomes),
            "outcome": self.outcome,
            "end_s": self.end,
            "looks": [_in_seconds(asdict(look)) for look in self.looks],
            "certain_from": [_in_seconds(asdict(self.certain_from(each))) for each in LEVELS],
        }


def _in_seconds(fields: dict[str, Any]) -> dict[str, Any]:
    times = {"time", "earliest", "latest"}
    return {f"{key}_s" if key in times else key: value for key, value in fields.items()}


def decide(
    throw: ThrownBody,
    *,
    error: HandError,
    seed: int,
    copies: int = COPIES,
) -> DecidedThrow:
    """Return how the outcome of a throw was decided, with a number of copies per look.

    Looks are after each bounce, and every 30 ms between bounces.
    """
    outcomes, outcome = tuple(dict.fromkeys(throw.labels)), throw.outcome
    classes = [outcomes.index(label) for label in throw.labels]
    dropper = Dropper(
        throw.body,
        support_for(throw.body),
        classes,
        surface=throw.surface,
        stepping=throw.stepping,
        engine=throw.engine,
    )
    frames, looks = throw.frames, []
    numbers, after = looks_of(frames, _INTERVAL)
    for number in numbers.tolist():
        state = throw.start if throw.start and not number else state_at(frames, number)
        rng = generator(seed, "decided", number)
        ends = dropper.drop_all(copies_of(state, throw.body, error, copies, rng))
        counts = np.bincount(np.array([*classes, -1])[ends.poses] + 1, minlength=len(outcomes) + 1)
        ended = counts[1:].tolist()
        looks.append(
            LookEntropy(
                time=float(frames.times[number]),
                bounces=int(np.searchsorted(after, number, side="right")),
                after_bounce=number in after,
                counts=(*ended, int(counts[0])),
                bits=entropy_of(ended, rng=rng),
                certainty=binomial(ended[outcomes.index(outcome)], copies),
            )
        )
    return DecidedThrow(outcomes=outcomes, outcome=outcome, end=looks[-1].time, looks=tuple(looks))


def decide_all(
    frames: Frames,
    bodies: Mapping[str, Body],
    scene: Scene,
    engine: Engine,
    *,
    error: HandError,
    seed: int,
    copies: int = COPIES,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, DecidedThrow]:
    """Return how the outcome of each rolled body of a pour was decided, by its name.

    Args:
        frames: Motion of the pour; the rolled bodies come first.
        bodies: The rolled bodies by name, in the order of the frames.
        scene: Table of the pour.
        engine: Engine that throws the copies.
        error: Errors of a hand.
        seed: Seed of the copies.
        copies: Copies per look.
        progress: Function called with the numbers of bodies done and wanted.
    """
    found = {}
    for number, (name, body) in enumerate(bodies.items()):
        thrown_alone = on_board(frames, number, body, scene, engine)
        found[name] = decide(thrown_alone, error=error, seed=seed, copies=copies)
        if progress is not None:
            progress(number + 1, len(bodies))
    return found


def looks_of(frames: Frames, interval: float) -> tuple[Indices, Indices]:
    """Return the numbers of the frames to look at, and of those that begin a flight.

    In flight the upward velocity falls by gravity; the floor makes it fall less. A bounce ends
    where a flight of some length begins.
    """
    end = int(np.searchsorted(frames.times, frames.rest_times()[0]))
    steps = np.diff(frames.times)
    rising = np.diff(frames.positions[:, 0, 2]) / np.maximum(steps, 1e-9)
    jumps = np.diff(rising)
    flight = np.concatenate([[True], jumps < -0.5 * GRAVITY * steps[1:], [False]])
    # Frames until the end of the flight that a frame is in.
    grounded = np.append(np.flatnonzero(~flight), len(flight))
    until = grounded[np.searchsorted(grounded, np.arange(len(flight)))]
    lasting = frames.times[np.minimum(until, len(flight) - 1)] - frames.times >= _MIN_FLIGHT
    after = np.flatnonzero(flight[1:] & ~flight[:-1] & lasting[1:]) + 1
    after = after[after <= end]
    fixed = np.array([0, *after.tolist(), end])
    looks = set(fixed.tolist())
    for time in np.arange(frames.times[0], frames.times[end], interval).tolist():
        near = int(np.searchsorted(frames.times, time))
        # A look takes the velocity from the next frame: not across an impact.
        near += int(np.argmin(np.abs([*jumps[near : near + 4], np.inf])))
        if np.abs(frames.times[fixed] - frames.times[min(near, end)]).min() > interval / 2.0:
            looks.add(near)
    return np.array(sorted(looks)), after


def state_at(frames: Frames, number: int) -> Drop:
    """Return the state of the body in a frame, its velocities from there to the next frame."""
    here, there = number, min(number + 1, frames.count - 1)
    time = max(float(frames.times[there] - frames.times[here]), 1e-9)
    x, y, z, w = multiply(
        frames.rotations[there, 0],
        frames.rotations[here, 0] * _INVERSE,
    ).tolist()
    sine = float(np.linalg.norm([x, y, z]))
    angle = 2.0 * np.arctan2(sine, abs(w)) * np.sign(w)
    turn = np.array([x, y, z]) * (angle / sine if sine else 0.0)
    return Drop(
        height=float(frames.positions[here, 0, 2]),
        rotation=frames.rotations[here, 0],
        velocity=(frames.positions[there, 0] - frames.positions[here, 0]) / time,
        angular_velocity=turn / time,
    )


def copies_of(
    state: Drop, body: Body, error: HandError, count: int, rng: np.random.Generator
) -> Drops:
    """Return copies of a state, displaced by the errors of a hand.

    A copy that would be in the floor is lifted until it touches it.
    """
    normals = rng.standard_normal((count, 10))
    half = 0.5 * error.angle * normals[:, 1:4]
    turns = np.column_stack([half, np.ones(count)])
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    rotations = multiply(turns, state.rotation)
    up = to_matrix(rotations)[:, 2]
    lowest = transform(body.hull.vertices - body.mass.centre, up).min(axis=1)
    speed, spin = (
        share * float(np.linalg.norm(vector))
        for share, vector in ((error.speed, state.velocity), (error.spin, state.angular_velocity))
    )
    return Drops(
        height=np.maximum(state.height + error.position * normals[:, 0], body.rounding - lowest),
        rotations=rotations,
        velocities=state.velocity + speed * normals[:, 4:7],
        angular_velocities=state.angular_velocity + spin * normals[:, 7:],
    )
