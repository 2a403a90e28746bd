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
from functools import cached_property
from math import ceil, cos, log2, sqrt
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, support_for
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import Share, binomial, entropy_of
from pigglesim.films.film import AT_REST, AT_REST_TURN, Frames
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engine import BatchFloor
from pigglesim.physics.engines import make_engine
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.looks import (
    AFTER_BOUNCE,
    BOUNCES,
    DISPLACEMENT_SIZE,
    STATE,
    TIME,
    HandError,
    LookParams,
)
from pigglesim.rng import generator
from pigglesim.rotations import Array, multiply
from pigglesim.scene.scene import GRAVITY, Cup, Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops, reach

LEVELS = (0.5, 0.9, 0.99)
"""Certainties whose times are reported."""
COPIES = 400
"""Default copies per look: fewer that all agree would not prove 99 %, by Wilson's interval."""
SEED = 0
"""Seed of the copies of a pour: the same for all, so that a page has them from the start."""

UNSETTLED = "unsettled"
"""Outcome of a throw that does not come to rest within the longest time of the scene."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Copier:
    """One kind of die on a floor, whose states are copied and thrown on by engine `impulse`."""

    body: Body
    labels: Sequence[str]
    """Class of each pose of the body's support function."""
    surface: Surface
    stepping: Stepping
    cup: Cup | None = None
    """Cup that it leaves before the first look."""

    @classmethod
    def on_board(cls, body: Body, scene: Scene) -> "Copier":
        """Return a body as if alone on an endless board of a scene."""
        return cls(
            body=body,
            labels=[pose.label for pose in body.poses],
            surface=Surface(
                contact=scene.contacts.board,
                rolling_lever=scene.contacts.rolling_lever,
                spinning_lever=scene.contacts.spinning_lever,
            ),
            stepping=scene.stepping,
            cup=scene.cup,
        )

    @cached_property
    def dropper(self) -> Dropper:
        """Drops of the die, which end as soon as its class is certain."""
        return Dropper(
            self.body,
            support_for(self.body),
            self.classes,
            surface=self.surface,
            stepping=self.stepping,
            engine=make_engine("impulse"),
        )

    @property
    def floor(self) -> BatchFloor:
        """The floor of `dropper`."""
        floor = self.dropper.floor
        assert isinstance(floor, BatchFloor)
        return floor

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The different classes."""
        return tuple(dict.fromkeys(self.labels))

    @property
    def classes(self) -> list[int]:
        """Number of the outcome of each pose."""
        return [self.outcomes.index(label) for label in self.labels]

    @property
    def look_params(self) -> LookParams:
        """Parameters of the die and the cup for a look."""
        x, y, z, w = principal_frame(self.body).rotation.tolist()
        return LookParams(
            turn=(x, y, z, w),
            reach=reach(self.body),
            cup_radius=self.cup.inner_radius if self.cup else 0.0,
            cup_half_depth=self.cup.depth / 2.0 if self.cup else 0.0,
            rest_distance=AT_REST,
            rest_cosine=cos(AT_REST_TURN / 2.0),
            gravity=GRAVITY,
        )

    def looks(self, frames: Frames, number: int = 0) -> Array:
        """Return the looks at a body of the frames, as `BatchFloor.looks` does."""
        cup = np.concatenate([frames.cup_positions, frames.cup_rotations], axis=1)
        return self.floor.looks(
            np.concatenate([frames.positions, frames.rotations], axis=2),
            cup,
            frames.has_cup.astype(np.int64),
            np.array(frames.times),
            number,
            self.look_params,
        )


def displacements(seed: int, copies: int) -> Array:
    """Return the normal numbers that displace copies, shape [copies + 1, DISPLACEMENT_SIZE].

    All looks have the same, so that chance changes less from one to the next. The first copy is not
    displaced: at the last look, it ends as the throw does.
    """
    drawn = generator(seed, "decided").standard_normal((copies, DISPLACEMENT_SIZE))
    return np.concatenate([np.zeros((1, DISPLACEMENT_SIZE)), drawn])


def bits_error(outcomes: int, copies: int) -> float:
    """Return what the bits left of a look are known to, whatever the shares of its outcomes.

    It is above half the 95 % interval, 1.96 sqrt(V / copies), for the largest variance V of log2 p
    that so many outcomes can have; a test compares them.
    """
    return (1.0 + log2(outcomes)) / sqrt(copies)


def thrown(drop: Drop, copier: Copier) -> Array:
    """Return the looks at one drop on an endless floor, until its energy reaches no other class."""
    only = Drops(
        height=drop.height,
        rotations=drop.rotation[None],
        velocities=drop.velocity[None],
        angular_velocities=drop.angular_velocity[None],
    )
    step = copier.stepping.time_step
    count = ceil(float(copier.dropper.drop_all(only).times[0]) / step) + 1
    motion = copier.dropper.floor.trajectory(drop, step, count)
    none = np.full((count, 7), np.nan)
    frames = Frames(
        times=step * np.arange(count, dtype=np.float64),
        positions=motion[:, None, :3],
        rotations=motion[:, None, 3:],
        cup_positions=none[:, :3],
        cup_rotations=none[:, 3:],
    )
    looks = copier.looks(frames)
    # The first impact may come before the second frame.
    turn = multiply(drop.rotation, principal_frame(copier.body).rotation)
    looks[0, STATE:-1] = (0.0, 0.0, drop.height, *drop.velocity, *turn, *drop.angular_velocity)
    return looks


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
    looks: Array, copier: Copier, *, error: HandError, seed: int, copies: int = COPIES
) -> DecidedThrow:
    """Return how the outcome of a throw was decided, from looks at it and copies of each."""
    outcomes, classes = copier.outcomes, np.array([*copier.classes, -1])
    floor, criteria = copier.floor, copier.dropper.batch_criteria
    drawn = displacements(seed, copies)
    ends = [classes[floor.throw_copies(look, drawn, error, criteria)] for look in looks]
    outcome = int(ends[-1][0])
    seen = []
    for number, (look, found) in enumerate(zip(looks, ends, strict=True)):
        counts = np.bincount(found[1:] + 1, minlength=len(outcomes) + 1).tolist()
        counts.append(counts.pop(0))
        seen.append(
            LookEntropy(
                time=float(look[TIME]),
                bounces=int(look[BOUNCES]),
                after_bounce=bool(look[AFTER_BOUNCE]),
                counts=tuple(counts),
                bits=entropy_of(counts[:-1], rng=generator(seed, "decided", number)),
                certainty=binomial(counts[outcome], copies),
            )
        )
    return DecidedThrow(
        outcomes=outcomes,
        outcome=outcomes[outcome] if outcome >= 0 else UNSETTLED,
        end=seen[-1].time,
        looks=tuple(seen),
    )


def decide_all(
    frames: Frames,
    bodies: Mapping[str, Body],
    scene: Scene,
    *,
    error: HandError,
    copies: int = COPIES,
    progress: Callable[[int, int], object] | None = None,
) -> dict[str, DecidedThrow]:
    """Return how the outcome of each rolled body of a pour was decided, by its name.

    Args:
        frames: Motion of the pour; the rolled bodies come first.
        bodies: The rolled bodies by name, in the order of the frames.
        scene: Table of the pour.
        error: Errors of a hand.
        copies: Copies per look.
        progress: Function called with the numbers of bodies done and wanted.
    """
    found = {}
    for number, (name, body) in enumerate(bodies.items()):
        copier = Copier.on_board(body, scene)
        looks = copier.looks(frames, number)
        found[name] = decide(looks, copier, error=error, seed=SEED, copies=copies)
        if progress is not None:
            progress(number + 1, len(bodies))
    return found
