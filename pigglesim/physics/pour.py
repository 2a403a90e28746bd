"""One throw from the first shake to rest: motion of the cup, chains of contact, sleep, waking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto, unique
from math import ceil, sqrt
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace, SettleReport, SettleStatus
from pigglesim.physics.engine import SLOW_SPEED, CompiledWorld, Engine, Mode, World
from pigglesim.physics.quasistatic import descend, is_settled, unstick_axis, will_settle
from pigglesim.physics.settling import (
    FADE_STAGES,
    MAX_BLIND_STEPS,
    MAX_PUSHES,
    MAX_SPEED,
    NEAR,
    ROUNDING,
    SLOW_ENERGY_HEIGHT,
    SLOW_SPIN,
    STEPS_PER_CUP_CHECK,
    STEPS_PER_SETTLE_CHECK,
    UNSTICK_SPIN,
    WITHDRAW_TIME,
    withdrawn_pose,
)
from pigglesim.rotations import Array, rotate, transform
from pigglesim.scene.scene import Scene, Stepping
from pigglesim.throws import CupPath, Throw, reach

if TYPE_CHECKING:
    from pigglesim.physics.impulse.state import Trajectory


@unique
class _Phase(Enum):
    ROLLING = auto()
    FADING = auto()
    SETTLING = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Numbers of the bodies that move little."""

    quiet: list[int]
    """Bodies that have been still for long enough."""
    slow: list[int]
    """Other bodies that move too slowly to go far."""


class Settling:
    """Detection of the end of a throw, after the cup is empty.

    A body is still when its speed and angular speed have stayed below their bounds, with something
    touching it, for `rest_time`. Once all are, rolling resistance fades out over `ease_time`: a
    body that resistance holds halfway over an edge (a lever is a crude model of it at rest)
    descends into the pose of its basin. Then all must be still again. Sleeping bodies do not
    count.
    """

    def __init__(self, stepping: Stepping, start: float) -> None:
        self._stepping = stepping
        self._phase = _Phase.ROLLING
        self._since = start
        self._moved_at: dict[int, float] = {}
        self._fade_start = start
        self._stage = 0
        self._status = SettleStatus.SETTLED
        self._time = start

    def ended(self) -> bool:
        """Return whether the throw has ended, at rest or by the time limit."""
        return self._phase is _Phase.OVER

    def watch(self, world: World, awake: list[int], time: float) -> Watched:
        """Inspect the world; return the bodies that are still, and those that are slow."""
        self._time = time
        if time >= self._stepping.time_limit:
            self._status, self._phase = SettleStatus.TIMED_OUT, _Phase.OVER
            return Watched(quiet=[], slow=[])
        if not awake:
            self._phase = _Phase.OVER
            return Watched(quiet=[], slow=[])
        if self._phase is _Phase.FADING:
            self._fade(world, time)
        slow = []
        for number in awake:
            speed, spin = world.speeds(number)
            if speed < SLOW_SPEED and spin < SLOW_SPIN and world.supported(number):
                slow.append(number)
                if speed < self._stepping.rest_speed and spin < self._stepping.rest_spin:
                    continue
            self._moved_at[number] = time
        quiet = [
            number
            for number in awake
            if time - max(self._moved_at.get(number, self._since), self._since)
            >= self._stepping.rest_time - ROUNDING
        ]
        if len(quiet) == len(awake) and self._phase is not _Phase.FADING:
            self._next(time)
        return Watched(quiet=quiet, slow=[number for number in slow if number not in quiet])

    def settle_again(self) -> None:
        """Wait until all are still again, because a body was pushed."""
        if self._status is SettleStatus.SETTLED and self._stepping.ease_time > 0.0:
            self._phase, self._since = _Phase.SETTLING, self._time

    def report(self) -> SettleReport:
        """Return the status and time of the end."""
        return SettleReport(status=self._status, time=self._time)

    def _next(self, time: float) -> None:
        if self._phase is _Phase.ROLLING and self._stepping.ease_time > 0.0:
            self._phase, self._fade_start = _Phase.FADING, time
        else:
            self._phase = _Phase.OVER

    def _fade(self, world: World, time: float) -> None:
        share = (time - self._fade_start) / self._stepping.ease_time
        stage = min(int(share * FADE_STAGES) + 1, FADE_STAGES)
        if stage != self._stage:
            self._stage = stage
            world.fade_resistance(1.0 - stage / FADE_STAGES)
        if share >= 1.0:
            self._phase, self._since = _Phase.SETTLING, time


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The world at one moment of a throw, for a watcher."""

    time: float
    """Time since the first motion of the cup [s]."""
    places: tuple[RestPlace, ...]
    """Position and rotation of each body: thrown ones in the order of the throw, then standing."""
    cup: Pose | None
    """Pose of the cup; None without a cup."""
    strikers: tuple[int | None, ...] = ()
    """Number of the thrown body whose chain of contact has reached each standing body, or None."""


Watch = Callable[[Moment], None]
"""Callback for every moment of a throw; it does not change the throw."""


@runtime_checkable
class TrajectoryWatch(Protocol):
    """Watcher that also takes all moments of a throw at once, as arrays."""

    def __call__(self, moment: Moment) -> None:
        """Take one moment."""

    def trajectory(self, trajectory: "Trajectory", *, time_step: float) -> None:
        """Take the moments of a throw from its start, `time_step` [s] apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PourOutcome:
    """Transform of every body at rest."""

    rolled: tuple[RestPlace, ...]
    """Thrown bodies, in the order of the throw."""
    standing: tuple[RestPlace, ...]
    """Standing bodies, in the order given; one that nothing struck has the same bits as before."""
    strikers: tuple[int | None, ...]
    """Thrown body whose chain of contact reached each standing body first, or None."""
    touches: tuple[tuple[Array, ...], ...]
    """Points where each body touches others at rest [m]: the thrown ones first, then the
    standing ones."""
    settle: SettleReport
    emptied_at: float
    """Time at which the last body had left the cup [s]."""


def simulate(
    scene: Scene,
    throw: Throw,
    bodies: tuple[Body, ...],
    *,
    standing: tuple[tuple[Body, RestPlace], ...] = (),
    engine: Engine,
    watch: Watch | None = None,
) -> PourOutcome:
    """Step one throw in a fresh world until all bodies are at rest or the time limit is reached.

    `bodies` are in the order of the throw, and `standing` are on the board. The watcher is called
    before the first step and after every step; it does not change the result.
    """
    return _Pouring(scene, throw, bodies, standing, engine, watch).run()


def nudge(
    scene: Scene,
    lying: tuple[tuple[Body, RestPlace], ...],
    velocities: dict[int, tuple[Array, Array]],
    *,
    engine: Engine,
    watch: Watch | None = None,
) -> PourOutcome:
    """Push some of the bodies on the board, and step until all bodies are at rest.

    `velocities` has the velocity [m/s] and angular velocity [rad/s] of each body that is pushed,
    by its number in `lying`.
    """
    settling = _Pouring(scene, None, (), lying, engine, watch)
    for number, (velocity, angular_velocity) in velocities.items():
        settling.push(number, velocity, angular_velocity)
    return settling.run()


class _Pouring:
    """The state of one throw while it is stepped."""

    def __init__(
        self,
        scene: Scene,
        throw: Throw | None,
        bodies: tuple[Body, ...],
        standing: tuple[tuple[Body, RestPlace], ...],
        engine: Engine,
        watch: Watch | None,
    ) -> None:
        self.scene = scene
        self.watch = watch
        self.path = throw.path if throw else None
        self.cup = throw.path.pose(0.0) if throw else None
        self.bodies = (*bodies, *(body for body, _ in standing))
        self.count = len(bodies)
        self.was = tuple(place for _, place in standing)
        self.world = engine.world(scene)
        self.time = 0.0
        self.steps = 0
        self.emptied_at = 0.0
        self.in_cup = set(range(self.count))
        self.asleep = set(range(self.count, len(self.bodies)))
        self.restless = set(self.in_cup)
        self.neighbours = _Neighbours(self.bodies)
        self.blind_steps = 0
        self.origin: dict[int, int] = {}
        self.pushes: dict[int, int] = {}
        if throw is not None:
            for body, position, rotation in zip(
                bodies, throw.positions, throw.rotations, strict=True
            ):
                self.world.add_body(body, _rest_place([*position, *rotation]), Mode.IN_CUP)
            self.world.add_cup(throw.path.pose(0.0))
        for body, place in standing:
            self.world.add_body(body, place, Mode.FROZEN)

    def push(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        """Free a standing body with a velocity, as the start of its own chain of contact."""
        self.world.set_mode(number, Mode.FREE)
        self.world.set_velocity(number, velocity, angular_velocity)
        self.asleep.discard(number)
        self.restless.add(number)
        self.origin[number] = number

    def run(self) -> PourOutcome:
        """Step until the throw is over."""
        if isinstance(self.world, CompiledWorld):
            return self._run_compiled(self.world)
        self._show()
        if self.path is not None:
            self._empty_the_cup(self.path)
        self.world.cup_released()
        settling = Settling(self.scene.stepping, self.time)
        while not settling.ended():
            left = (self.scene.stepping.time_limit - self.time) / self.scene.stepping.time_step
            self._advance(max(1, min(STEPS_PER_SETTLE_CHECK, ceil(left - 1e-6))), self._withdrawn)
            seen = settling.watch(self.world, self._awake(), self.time)
            self.restless = set(self._awake()) - set(seen.quiet)
            self._freeze_settled(seen)
            if settling.ended() and self._unstick(seen.quiet):
                settling.settle_again()
        return self._outcome(settling.report())

    def _run_compiled(self, world: CompiledWorld) -> PourOutcome:
        """Let the world step the throw, then call the watcher with every moment of it."""
        motion = self.path.motion if self.path is not None else None
        end = world.run_throw(motion, self.count, set(self.origin), record=self.watch is not None)
        if isinstance(self.watch, TrajectoryWatch):
            strikers = end.trajectory.strikers[:, self.count :]
            self.watch.trajectory(
                end.trajectory._replace(strikers=strikers),
                time_step=self.scene.stepping.time_step,
            )
        elif self.watch is not None:
            step, standing = self.scene.stepping.time_step, slice(self.count, None)
            lists = [array.tolist() for array in end.trajectory]
            for row, (places, cup, has_cup, strikers) in enumerate(zip(*lists, strict=True)):
                self.watch(
                    Moment(
                        time=row * step,
                        places=tuple(_rest_place(place) for place in places),
                        cup=(tuple(cup[:3]), tuple(cup[3:])) if has_cup else None,
                        strikers=tuple(by if by >= 0 else None for by in strikers[standing]),
                    )
                )
        self.origin, self.emptied_at = end.strikers, end.emptied_at
        return self._outcome(end.settle)

    def _awake(self) -> list[int]:
        return [n for n in range(len(self.bodies)) if n not in self.asleep]

    def _advance(self, count: int, cup: Callable[[CupPath, float], Pose | None]) -> None:
        """Advance by `count` steps."""
        while count > 0:
            # Without bodies to wake or to strike there is nothing to check.
            nobody = not self.asleep and not self.was
            few = count if nobody else min(count, max(1, self.blind_steps))
            if self.watch is not None:
                # A bounce is over in a step or two: in between nothing could be guessed.
                few = 1
            self._move(few, cup)
            count -= few
            self.blind_steps -= few
            if self.blind_steps <= 0 and not nobody:
                self.neighbours.look(self.world.positions())
                self._wake()
                self._pass_on()
                self.blind_steps = self._blind_steps_ahead()
            self._show()

    def _move(self, count: int, cup: Callable[[CupPath, float], Pose | None]) -> None:
        """Advance the world by `count` steps at once, with the cup until it is gone."""
        step, poses = self.scene.stepping.time_step, []
        for k in range(self.steps, self.steps + count):
            pose = cup(self.path, k * step + step) if self.path is not None else None
            if pose is None:
                break
            poses.append(pose)
        if poses:
            self.world.advance_with_cup(poses)
            self.cup = poses[-1]
        if len(poses) < count:
            if self.path is not None:
                self.world.remove_cup()
                self.path = self.cup = None
            self.world.advance(count - len(poses))
        self.steps += count
        self.time = self.steps * step

    def _show(self) -> None:
        """Call the watcher with the present moment."""
        if self.watch is not None:
            places = tuple(self.world.place(number) for number in range(len(self.bodies)))
            self.watch(
                Moment(time=self.time, places=places, cup=self.cup, strikers=self._strikers())
            )

    def _strikers(self) -> tuple[int | None, ...]:
        return tuple(self.origin.get(self.count + index) for index in range(len(self.was)))

    def _blind_steps_ahead(self) -> int:
        """Return the number of steps before any sleeping body could be touched."""
        struck = any(n >= self.count and n not in self.asleep for n in range(len(self.bodies)))
        if struck and len(self.origin) < len(self.was):
            # The chain of contact may continue in any step.
            return 1
        way = MAX_SPEED * self.scene.stepping.time_step
        return int(min(self.neighbours.gap(self.asleep, self.restless) / way, MAX_BLIND_STEPS))

    def _wake(self) -> None:
        """Wake sleeping bodies that a moving one has come near."""
        if self.neighbours.gap(self.asleep, self.restless) > 0.0:
            return
        for number in sorted(self.asleep):
            if self.restless.intersection(self.neighbours.near(number)):
                self.world.set_mode(number, Mode.FREE)
                self.asleep.discard(number)
                self.restless.add(number)

    def _pass_on(self) -> None:
        """Pass the striker along new contacts, from the thrown bodies outwards."""
        for number in range(self.count, len(self.bodies)):
            if number in self.origin or number in self.asleep:
                continue
            for other in self.neighbours.within_reach(number):
                reached = other < self.count or other in self.origin
                if reached and self.world.contacts(other, number):
                    self.origin[number] = self.origin.get(other, other)
                    break

    def _freeze_settled(self, seen: Watched) -> None:
        """Freeze bodies that came to rest alone, once they have descended into their poses."""
        if seen.quiet or seen.slow:
            self.neighbours.look(self.world.positions())
        for number in (*seen.quiet, *seen.slow):
            near = self.neighbours.near(number)
            if self.restless.intersection(near) or any(
                self.world.contacts(number, other) for other in near
            ):
                continue
            body, was, board = self.bodies[number], self.world.place(number), self.scene.board
            if number in seen.slow and not will_settle(body, was, SLOW_ENERGY_HEIGHT, board):
                continue
            room = max(self.neighbours.room(number), 0.0)
            # Without room to descend, only a body that has settled may sleep.
            if room == 0.0 and not is_settled(body, was):
                continue
            place = descend(body, was, board)
            if (
                place is not None
                and _apart(was, place) <= room
                and self.world.freeze(number, place)
            ):
                self.asleep.add(number)
                self.restless.discard(number)
                self.blind_steps = 0

    def _unstick(self, quiet: list[int]) -> bool:
        """Push bodies that stopped alone between two poses; return whether any was pushed.

        A mesh has vertices where a real body is round. On some of the small faces between them a
        body can rest in an equilibrium micrometres deep, far from any pose. A push towards the pose
        of its basin is just large enough to leave it.
        """
        pushed = False
        for number in sorted(set(quiet) - self.asleep):
            others = self.neighbours.within_reach(number)
            pushes = self.pushes.get(number, 0)
            if pushes >= MAX_PUSHES or any(self.world.contacts(number, n) for n in others):
                continue
            spin = unstick_axis(self.bodies[number], self.world.place(number))
            if spin is not None:
                # It rolls about the vertex on which it rests, so its centre moves too.
                z = self.world.place(number).position[2]
                height = z if z > 0.0 else z + self.scene.board.thickness
                spin = UNSTICK_SPIN * spin
                velocity = np.array([spin[1] * height, -spin[0] * height, 0.0])
                self.world.set_velocity(number, velocity, spin)
                self.pushes[number] = pushes + 1
                pushed = True
        return pushed

    def _empty_the_cup(self, path: CupPath) -> None:
        """Shake and tip until the last body is clear of the mouth, or until the time limit."""
        step, limit = self.scene.stepping.time_step, self.scene.stepping.time_limit
        alone = 0.0
        while self.in_cup and self.time < limit:
            # No body leaves a cup that has not begun to tip.
            unseen = max((path.motion.tip_start - self.time) / step, alone, 1.0)
            until = STEPS_PER_CUP_CHECK * ceil((self.steps + unseen) / STEPS_PER_CUP_CHECK - 1e-6)
            last = ceil((limit - self.time) / step - 1e-6)
            self._advance(min(until - self.steps, last), CupPath.pose)
            if self.time < path.motion.tip_start:
                continue
            position, rotation = path.pose(self.time)
            mouth = rotate(np.array(rotation), np.array([0.0, 0.0, 1.0]))
            apart = self.world.positions()[: self.count] - position
            beyond = transform(mouth[None, :], apart)[:, 0]
            left = path.cup.depth / 2.0 + self.neighbours.radii[: self.count] - beyond
            for number in sorted(self.in_cup):
                if left[number] < 0.0:
                    self.world.set_mode(number, Mode.FREE)
                    self.in_cup.discard(number)
            alone = min((left[number] for number in self.in_cup), default=0.0) / (MAX_SPEED * step)
        self.emptied_at = self.time

    def _withdrawn(self, path: CupPath, time: float) -> Pose | None:
        """Return the pose of the empty cup, on its way up and back over the thrower's half."""
        if time - self.emptied_at > WITHDRAW_TIME:
            return None
        x, y, z, qx, qy, qz, qw = withdrawn_pose(path.motion, self.emptied_at, time)
        return (x, y, z), (qx, qy, qz, qw)

    def _outcome(self, settle: SettleReport) -> PourOutcome:
        places = [self.world.place(n) for n in range(len(self.bodies))]
        for index, place in enumerate(self.was):
            # Woken but never struck: its slight settling does not count as motion.
            if self.count + index not in self.origin:
                places[self.count + index] = place
        return PourOutcome(
            rolled=tuple(places[: self.count]),
            standing=tuple(places[self.count :]),
            strikers=self._strikers(),
            touches=self._touches(),
            settle=settle,
            emptied_at=self.emptied_at,
        )

    def _touches(self) -> tuple[tuple[Array, ...], ...]:
        self.neighbours.look(self.world.positions())
        return tuple(
            tuple(
                point
                for other in self.neighbours.within_reach(number)
                for point in self.world.contacts(number, other)
            )
            for number in range(len(self.bodies))
        )


class _Neighbours:
    """Distances between bounding spheres at the last measurement."""

    def __init__(self, bodies: tuple[Body, ...]) -> None:
        self.radii: Array = np.array([reach(body) for body in bodies])
        self._sums = self.radii[:, None] + self.radii[None, :]
        np.fill_diagonal(self._sums, -1.0)
        # Lists: with so few numbers they are faster than arrays.
        self._gaps = np.full_like(self._sums, np.inf).tolist()

    def look(self, positions: Array) -> None:
        """Measure distances from centres of mass [m], shape [body_count, 3]."""
        x, y, z = (positions[:, None, :] - positions[None, :, :]).transpose(2, 0, 1)
        self._gaps = (np.sqrt(x * x + y * y + z * z) - self._sums).tolist()

    def near(self, number: int) -> list[int]:
        """Return the bodies that could touch this one within a step."""
        return [n for n, gap in enumerate(self._gaps[number]) if gap < NEAR and n != number]

    def gap(self, some: set[int], others: set[int]) -> float:
        """Return the distance by which the closest of `some` and `others` are not near [m]."""
        gaps = self._gaps
        return min((gaps[n][m] for n in some for m in others), default=float("inf")) - NEAR

    def within_reach(self, number: int) -> list[int]:
        """Return the bodies whose bounding spheres overlap this one's."""
        return [n for n, gap in enumerate(self._gaps[number]) if gap < 0.0 and n != number]

    def room(self, number: int) -> float:
        """Return the distance that this one may move before it could touch another [m]."""
        others = (gap for n, gap in enumerate(self._gaps[number]) if n != number)
        return min(others, default=float("inf"))


def _apart(first: RestPlace, second: RestPlace) -> float:
    """Return the distance of two positions along the board [m]."""
    x, y = first.position[0] - second.position[0], first.position[1] - second.position[1]
    return sqrt(x * x + y * y)


def _rest_place(numbers: Sequence[float]) -> RestPlace:
    x, y, z, qx, qy, qz, qw = numbers
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))
