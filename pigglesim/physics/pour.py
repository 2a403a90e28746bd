"""One throw from the first shake to rest: motion of the cup, chains of contact, sleep, waking."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol, runtime_checkable

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace, SettleReport, SettleStatus
from pigglesim.physics.engine import CompiledWorld, Engine, LostMotionError, Mode, ThrowEnd
from pigglesim.physics.quasistatic import descend, unstick_push
from pigglesim.physics.settling import (
    FADE_STAGES,
    MAX_PUSHES,
    MAX_SPEED,
    NEAR,
    OVER,
    ROLLING,
    SLOW_SPIN,
    WITHDRAW_TIME,
    Trajectory,
    begin_check,
    blind_steps_ahead,
    end_check,
    gap_to_sleepers,
    note_motion,
    settle_again,
    steps_to_cup_check,
    steps_to_settle_check,
    throw_start,
    withdrawn_pose,
)
from pigglesim.physics.stepping import SLOW_SPEED
from pigglesim.rotations import Array, rotate, transform
from pigglesim.scene.scene import Scene
from pigglesim.throws import CompiledCupPath, CompiledHandPath, Throw, reach


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


AnyPath = CompiledCupPath | CompiledHandPath
Watch = Callable[[Moment], None]
"""Callback for every moment of a throw; it does not change the throw."""


@runtime_checkable
class TrajectoryWatch(Protocol):
    """Watcher that also takes all moments of a throw at once, as arrays."""

    def __call__(self, moment: Moment) -> None:
        """Take one moment."""

    def trajectory(self, trajectory: Trajectory, *, time_step: float) -> None:
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
    readings: Sequence[tuple[int, int, int] | None]
    """Orientation, zone and support of each body where the engine read them, as `read_pose` does,
    by the usual rules; the thrown ones first. None for standing ones that nothing struck."""


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

    Raises:
        LostMotionError: If the motion diverged, which PyBullet and MuJoCo do at hundreds of rad/s.
    """
    return _Pouring(scene, throw, bodies, standing, {}, engine, watch).run()


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
    return _Pouring(scene, None, (), lying, velocities, engine, watch).run()


_LOST = 1000.0
"""Distance from the board at which a body is nowhere [m]."""


class _Pouring:
    """One throw while it is stepped."""

    def __init__(
        self,
        scene: Scene,
        throw: Throw | None,
        bodies: tuple[Body, ...],
        standing: tuple[tuple[Body, RestPlace], ...],
        velocities: dict[int, tuple[Array, Array]],
        engine: Engine,
        watch: Watch | None,
    ) -> None:
        self.scene = scene
        self.stepping = scene.stepping
        if throw is not None and throw.path.time_limit:
            limit = scene.stepping.time_limit + throw.path.time_limit
            self.stepping = replace(scene.stepping, time_limit=limit)
        self.watch = watch
        self.path = throw.path if throw else None
        self.cup = throw.path.pose(0.0) if throw else None
        self.bodies = (*bodies, *(body for body, _ in standing))
        self.rolled, self.count = len(bodies), len(self.bodies)
        self.was = tuple(place for _, place in standing)
        self.engine = engine.name
        self.world = engine.world(scene)
        self.radii: Array = np.array([reach(body) for body in self.bodies])
        self.throw = throw_start(self.count, self.rolled, pushed=velocities)
        if throw is not None and self.cup is not None:
            places = np.hstack([throw.positions, throw.rotations]).tolist()
            for body, place in zip(bodies, map(_rest_place, places), strict=True):
                self.world.add_body(body, place, Mode.IN_CUP)
            self.world.add_cup(self.cup)
        for body, place in standing:
            self.world.add_body(body, place, Mode.FROZEN)
        for number, push in velocities.items():
            self.world.set_mode(number, Mode.FREE)
            self.world.set_velocity(number, *push)

    def _free(self, number: int) -> None:
        self.world.set_mode(number, Mode.FREE)
        self.throw.asleep[number], self.throw.restless[number] = 0, 1

    def run(self) -> PourOutcome:
        """Step until the throw is over."""
        throw = self.throw
        if isinstance(self.world, CompiledWorld):
            end = self._run_compiled(self.world)
            return self._outcome(end.places, end.readings)
        self._show()
        if self.path is not None:
            self._empty_cup(self.path)
        self.world.cup_released()
        throw.phase, throw.since = ROLLING, throw.time
        while throw.phase != OVER:
            self._advance(steps_to_settle_check(throw, self.stepping), self._withdrawn)
            self._settle()
        self._measure_gaps()
        places = [self.world.place(body) for body in range(self.count)]
        for body, place in enumerate(places):
            # False for NaN too.
            if not all(abs(x) < _LOST for x in place.position):
                raise LostMotionError(self.engine, f"body {body + 1} of {self.count}")
        return self._outcome(places, [None] * self.count)

    def _run_compiled(self, world: CompiledWorld) -> ThrowEnd:
        """Let the world step the throw, then call the watcher with every moment of it."""
        motion, step = self.path.motion if self.path is not None else None, self.stepping.time_step
        end = world.run_throw(
            self.throw, motion, time_limit=self.stepping.time_limit, record=self.watch is not None
        )
        if self.watch is None:
            return end
        if isinstance(self.watch, TrajectoryWatch):
            strikers = end.trajectory.strikers[:, self.rolled :]
            self.watch.trajectory(end.trajectory._replace(strikers=strikers), time_step=step)
        else:
            lists = [array.tolist() for array in end.trajectory]
            for row, (places, cup, has_cup, by) in enumerate(zip(*lists, strict=True)):
                self.watch(
                    Moment(
                        time=row * step,
                        places=tuple(_rest_place(place) for place in places),
                        cup=(tuple(cup[:3]), tuple(cup[3:])) if has_cup else None,
                        strikers=self._strikers(by),
                    )
                )
        return end

    def _awake(self) -> list[int]:
        return [body for body in range(self.count) if not self.throw.asleep[body]]

    def _within(self, body: int, gap: float) -> list[int]:
        """Return the bodies whose bounding spheres are closer to this one's than a gap [m]."""
        gaps = self.throw.gap[body].tolist()
        return [other for other in range(self.count) if gaps[other] < gap and other != body]

    def _measure_gaps(self) -> None:
        positions = self.world.positions()
        x, y, z = (positions[:, None, :] - positions[None, :, :]).transpose(2, 0, 1)
        sums = self.radii[:, None] + self.radii[None, :]
        self.throw.gap = np.sqrt(x * x + y * y + z * z) - sums

    def _advance(self, count: int, cup: Callable[[AnyPath, float], Pose | None]) -> None:
        """Advance by `count` steps."""
        throw = self.throw
        while count > 0:
            # Without bodies to wake or to strike there is nothing to check.
            nobody = not any(throw.asleep) and not self.was
            few = count if nobody else min(count, max(1, throw.blind_steps))
            if self.watch is not None:
                # A bounce is over in a step or two: in between nothing could be guessed.
                few = 1
            self._move(few, cup)
            count -= few
            throw.blind_steps -= few
            if throw.blind_steps <= 0 and not nobody:
                self._measure_gaps()
                self._wake()
                self._pass_on_striker()
                throw.blind_steps = blind_steps_ahead(
                    throw, self.rolled, self.count, self.stepping.time_step
                )
            self._show()

    def _move(self, count: int, cup: Callable[[AnyPath, float], Pose | None]) -> None:
        """Advance the world by `count` steps at once, with the cup until it is gone."""
        step, first, poses = self.stepping.time_step, self.throw.steps, []
        for k in range(first, first + count):
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
        self.throw.steps += count
        self.throw.time = self.throw.steps * step

    def _show(self) -> None:
        """Call the watcher with the present moment."""
        if self.watch is not None:
            places = tuple(self.world.place(number) for number in range(self.count))
            strikers = self._strikers(self.throw.striker)
            self.watch(Moment(time=self.throw.time, places=places, cup=self.cup, strikers=strikers))

    def _strikers(self, strikers: Sequence[int]) -> tuple[int | None, ...]:
        return tuple(by if by >= 0 else None for by in strikers[self.rolled :])

    def _wake(self) -> None:
        """Wake sleeping bodies that a moving one has come near."""
        throw = self.throw
        if gap_to_sleepers(throw, self.count) > 0.0:
            return
        for body in range(self.count):
            if throw.asleep[body] and any(throw.restless[at] for at in self._within(body, NEAR)):
                self._free(body)

    def _pass_on_striker(self) -> None:
        """Pass the striker along new contacts, from the thrown bodies outwards."""
        striker = self.throw.striker
        for body in range(self.rolled, self.count):
            if striker[body] >= 0 or self.throw.asleep[body]:
                continue
            for other in self._within(body, 0.0):
                reached = other < self.rolled or striker[other] >= 0
                if reached and self.world.contacts(other, body):
                    striker[body] = striker[other] if striker[other] >= 0 else other
                    break

    def _empty_cup(self, path: AnyPath) -> None:
        """Shake and tip until the last body is clear of the mouth, or until the time limit."""
        throw, stepping, radii = self.throw, self.stepping, self.radii[: self.rolled]
        while any(throw.in_cup) and throw.time < stepping.time_limit:
            self._advance(steps_to_cup_check(throw, stepping, path.motion), _pose)
            if throw.time < path.motion.tip_start:
                continue
            position, rotation = path.pose(throw.time)
            mouth = rotate(np.array(rotation), np.array([0.0, 0.0, 1.0]))
            apart = self.world.positions()[: self.rolled] - position
            left = path.cup.depth / 2.0 + radii - transform(mouth[None, :], apart)[:, 0]
            for body in range(self.rolled):
                if throw.in_cup[body] and left[body] < 0.0:
                    self.world.set_mode(body, Mode.FREE)
                    throw.in_cup[body] = 0
            least = min(
                (left[body] for body in range(self.rolled) if throw.in_cup[body]), default=0
            )
            throw.steps_to_mouth = least / (MAX_SPEED * stepping.time_step)
        throw.emptied_at = throw.time

    def _withdrawn(self, path: AnyPath, time: float) -> Pose | None:
        """Return the pose of the empty cup, on its way up and back over the thrower's half."""
        if time - self.throw.emptied_at > WITHDRAW_TIME:
            return None
        x, y, z, qx, qy, qz, qw = withdrawn_pose(path.motion, self.throw.emptied_at, time)
        return (x, y, z), (qx, qy, qz, qw)

    def _settle(self) -> None:
        """Freeze or push bodies that are still."""
        throw, stepping, bodies = self.throw, self.stepping, range(self.count)
        if begin_check(throw, stepping, self.count):
            self.world.fade_resistance(1.0 - throw.fade_stage / FADE_STAGES)
        if throw.phase != OVER:
            self._note_motions()
            end_check(throw, stepping, self.count)
        throw.restless = [not throw.asleep[body] and not throw.quiet[body] for body in bodies]
        if any(throw.quiet) or any(throw.slow):
            self._measure_gaps()
        for kind in (throw.quiet, throw.slow):
            for body in bodies:
                if kind[body]:
                    self._freeze_settled(body)
        if throw.phase == OVER:
            self._unstick_all()

    def _note_motions(self) -> None:
        """Note the motion of each body that is awake."""
        for body in self._awake():
            speed, spin = self.world.speeds(body)
            slow = speed < SLOW_SPEED and spin < SLOW_SPIN and self.world.supported(body)
            note_motion(self.throw, self.scene.stepping, body, speed, spin, slow)

    def _freeze_settled(self, body: int) -> None:
        """Freeze a body that came to rest alone, once it has descended into its pose."""
        throw, world = self.throw, self.world
        if any(throw.restless[at] or world.contacts(body, at) for at in self._within(body, NEAR)):
            return
        room = min((throw.gap[body, at] for at in range(self.count) if at != body), default=inf)
        slow = bool(throw.slow[body])
        was = world.place(body)
        place = descend(self.bodies[body], was, self.scene.board, slow=slow, room=room)
        if place is not None and world.freeze(body, place):
            throw.asleep[body], throw.restless[body] = 1, 0
            throw.blind_steps = 0

    def _unstick_all(self) -> None:
        """Push each body that stopped between two poses, and let the pushed ones settle."""
        throw = self.throw
        stuck = [at for at in range(self.count) if throw.quiet[at] and not throw.asleep[at]]
        pushed = [self._unstick(body) for body in stuck]
        if any(pushed):
            settle_again(throw, self.scene.stepping)

    def _unstick(self, body: int) -> bool:
        """Push a body that stopped alone between two poses; return whether it was pushed."""
        others = self._within(body, 0.0)
        if self.throw.pushes[body] >= MAX_PUSHES or any(
            self.world.contacts(body, other) for other in others
        ):
            return False
        push = unstick_push(self.bodies[body], self.world.place(body), self.scene.board)
        if push is not None:
            self.world.set_velocity(body, *push)
            self.throw.pushes[body] += 1
        return push is not None

    def _outcome(
        self, places: Sequence[RestPlace], readings: Sequence[tuple[int, int, int] | None]
    ) -> PourOutcome:
        status = SettleStatus.TIMED_OUT if self.throw.timed_out else SettleStatus.SETTLED
        places, readings = list(places), list(readings)
        for body, place in enumerate(self.was, start=self.rolled):
            # Woken but never struck: its slight settling does not count as motion.
            if self.throw.striker[body] < 0:
                places[body], readings[body] = place, None
        touches = tuple(
            tuple(
                point
                for other in self._within(body, 0.0)
                for point in self.world.contacts(body, other)
            )
            for body in range(self.count)
        )
        return PourOutcome(
            rolled=tuple(places[: self.rolled]),
            standing=tuple(places[self.rolled :]),
            strikers=self._strikers(self.throw.striker),
            touches=touches,
            settle=SettleReport(status=status, time=self.throw.time),
            emptied_at=self.throw.emptied_at,
            readings=readings,
        )


def _pose(path: AnyPath, time: float) -> Pose:
    """Return the pose of the cup on its path."""
    return path.pose(time)


def _rest_place(numbers: Sequence[float]) -> RestPlace:
    x, y, z, qx, qy, qz, qw = numbers
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))
