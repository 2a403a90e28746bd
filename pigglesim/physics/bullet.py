"""PyBullet behind the seam, set so that a body of 2 cm behaves as it should.

Bullet's tolerances suit bodies of about a metre; a die breaks many of them. Worlds here are
built in centimetres, and every setting that matters is given, none left at its default. What
each guards against:

* collision margin: a hull otherwise floats 1 mm high; child hulls of a compound keep a margin of
  .001 length units that nothing changes, which is .01 mm in centimetres;
* the clamp of 100 units/s on every velocity coordinate, which is 1 m/s in centimetres: lifted by
  `maxJointVelocity`;
* inertia, which Bullet takes from the bounding box: given here from the mesh on its principal axes;
* `erp`, which adds to the rebound: small while bodies fly, larger while they sink into place;
* `contactBreakingThreshold`, which is global to the process, and at its default of 20 mm scatters
  the bounce: set anew for every world;
* friction and restitution, which combine by product: split so that each pair has its own value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import atan2, hypot

import numpy as np

from pigglesim.physics.bullet_bodies import BodyMaker
from pigglesim.physics.bullet_client import client
from pigglesim.physics.bullet_floor import BulletFloor
from pigglesim.physics.bullet_ground import AMONG, EDGE, Ground, give_surface
from pigglesim.physics.bullet_settings import (
    ERP_CUP,
    ERP_EASE,
    ERP_FLIGHT,
    FORGET,
    REMEMBER,
    UNIT,
)
from pigglesim.physics.bullet_shapes import cup_compound
from pigglesim.physics.cup_shape import CupBox, cup_boxes
from pigglesim.physics.engine import Mode
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.laws import CONTACT_DISTANCE, FADE_DAMPING, RESTITUTION_THRESHOLD
from pigglesim.physics.world_steps import WorldSteps
from pigglesim.rolls import RestPlace
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import GRAVITY, Scene, Stepping
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, multiply
from pigglesim.throws.cup_path import Pose

__all__ = ["BulletEngine"]

_LOOK_TIME = 0.01
"""How often it is looked who has come near the board's edge [s]."""


@dataclass(slots=True)
class _Member:
    """One body of a world and its handle in Bullet."""

    body: Body
    mode: Mode
    place: RestPlace
    handle: int | None = None
    """None while it is held."""
    ground: int = EDGE
    """What of the ground it meets."""


class BulletEngine:
    """Makes worlds of PyBullet."""

    name = "bullet"

    @property
    def version(self) -> str:
        """Version of the pybullet package."""
        return version("pybullet")

    def world(self, scene: Scene) -> "BulletWorld":
        """Return a fresh world."""
        return BulletWorld(scene)

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> BulletFloor:
        """Return an endless floor for one kind of die."""
        return BulletFloor(body, surface, stepping)


class BulletWorld(WorldSteps):
    """A world of PyBullet; it is valid until the next one is made in this process."""

    _cup_reduction = ERP_CUP
    """Share of an overlap that each step turns into speed while the cup is in the world."""

    def __init__(self, scene: Scene) -> None:
        self._p = client()
        self._scene = scene
        self._members: list[_Member] = []
        self._damping = 0.0
        self._erp = self._cup_reduction
        self._breaking = FORGET
        self._cup: int | None = None
        self._cup_pose: Pose | None = None
        contacts = scene.contacts
        # Products of a die's own value with its partner's give each pair its own.
        self._friction = contacts.piggle.friction**0.5
        self._restitution = max(contacts.piggle.restitution, 1e-4) ** 0.5
        own = {"friction": self._friction, "restitution": self._restitution}
        self._p.resetSimulation()
        self._p.setGravity(0.0, 0.0, -GRAVITY * UNIT)
        self._set_parameters()
        self._ground = Ground(self._p, scene, **own)
        self._maker = BodyMaker(self._p, **own)
        self._look_steps = max(1, round(_LOOK_TIME / scene.stepping.time_step))
        self._steps = 0

    def _set_parameters(self) -> None:
        stepping = self._scene.stepping
        self._p.setPhysicsEngineParameter(
            fixedTimeStep=stepping.time_step,
            numSubSteps=0,
            numSolverIterations=stepping.iterations,
            erp=self._erp,
            contactERP=self._erp,
            contactBreakingThreshold=self._breaking,
            restitutionVelocityThreshold=RESTITUTION_THRESHOLD * UNIT,
            deterministicOverlappingPairs=1,
            # A file of parts is named by its digest: what it was once it is always.
            enableFileCaching=1,
        )

    def _make(self, member: _Member, mode: Mode, position: Array, orientation: Array) -> None:
        """Create a member's body at a pose of its principal frame [units]."""
        member.mode = mode
        member.ground = self._ground_for(mode, position)
        member.handle = self._maker.make(
            member.body,
            mode,
            position,
            orientation,
            ground=member.ground,
            damping=self._damping,
        )

    def _ground_for(self, mode: Mode, position: Sequence[float] | Array) -> int:
        """Return what of the ground a body meets whose centre is there [units]."""
        # In the cup nothing is near the ground, whose boxes then cost nothing.
        return self._ground.met_at(position) if mode is Mode.FREE else EDGE

    def _put(self, member: _Member, mode: Mode) -> None:
        """Create a member's body at its place."""
        frame = principal_frame(member.body)
        position = np.array(member.place.position) * UNIT
        orientation = multiply(np.array(member.place.orientation), frame.orientation)
        self._make(member, mode, position, orientation)

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        """Add a body at rest and return its number."""
        member = _Member(body=body, mode=mode, place=place)
        self._put(member, mode)
        self._members.append(member)
        return len(self._members) - 1

    def set_mode(self, number: int, mode: Mode) -> None:
        """Change a body's mode; its motion goes on (a frozen one starts at rest)."""
        member = self._members[number]
        if member.handle is None or member.mode is Mode.FROZEN:
            self._remove(member)
            self._put(member, mode)
            return
        position, orientation = self._p.getBasePositionAndOrientation(member.handle)
        velocity, spin = self._p.getBaseVelocity(member.handle)
        self._remove(member)
        self._make(member, mode, np.array(position), np.array(orientation))
        self._p.resetBaseVelocity(member.handle, velocity, spin)

    def freeze(self, number: int, place: RestPlace) -> bool:
        """Fix a body at a place; it is set free again before anything is near it."""
        member = self._members[number]
        # So it needs no body in Bullet, and making one takes as long as five steps.
        self._remove(member)
        member.place, member.mode = place, Mode.FROZEN
        return True

    def _remove(self, member: _Member) -> None:
        if member.handle is not None:
            self._p.removeBody(member.handle)
            member.handle = None

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""
        parts = cup_compound(self._p, self._cup_boxes())
        shape = self._p.createCollisionShapeArray(**parts)
        position, orientation = _in_units(pose)
        self._cup = int(
            self._p.createMultiBody(0.0, shape, basePosition=position, baseOrientation=orientation)
        )
        # A wall that Bullet dropped would leak.
        children = len(self._p.getCollisionShapeData(self._cup, -1))
        assert children == len(parts["shapeTypes"]), f"Bullet kept {children} parts of the cup"
        self._p.setCollisionFilterGroupMask(self._cup, -1, AMONG, AMONG)
        give_surface(
            self._p,
            self._cup,
            self._scene.contacts.cup,
            self._scene.contacts,
            friction=self._friction,
            restitution=self._restitution,
        )
        self._cup_pose = pose

    def _cup_boxes(self) -> tuple[CupBox, ...]:
        return cup_boxes(self._scene.cup)

    def move_cup(self, pose: Pose) -> None:
        """Let the cup reach this pose at the end of the next step, pushing what it holds.

        A body without mass is moved by nothing but its own velocity. It starts the step where it
        is, so that contacts are found where the wall is, and its velocity takes it to the pose.
        """
        assert self._cup is not None
        assert self._cup_pose is not None
        step = self._scene.stepping.time_step
        (x0, y0, z0), before = self._cup_pose
        (x1, y1, z1), after = pose
        rate = UNIT / step
        velocity = [(x1 - x0) * rate, (y1 - y0) * rate, (z1 - z0) * rate]
        self._p.resetBasePositionAndOrientation(self._cup, *_in_units(self._cup_pose))
        self._p.resetBaseVelocity(self._cup, velocity, _spin(before, after, step))
        self._cup_pose = pose

    def remove_cup(self) -> None:
        """Take the cup out of the world."""
        if self._cup is not None:
            self._p.removeBody(self._cup)
            self._cup = None

    def cup_released(self) -> None:
        """Have contacts last from now on: the cup is empty, and nothing turns them any more."""
        self._breaking = REMEMBER
        self._erp = ERP_FLIGHT
        self._set_parameters()
        # The threshold belongs to a pair from its first meeting: all shall meet anew.
        for member in self._members:
            if member.handle is not None and member.mode is Mode.FREE:
                self._maker.meet(member.handle, member.body, member.mode, ground=member.ground)

    def _see_to_ground(self) -> None:
        """Have each body meet what of the ground is near it."""
        for member in self._members:
            if member.handle is not None and member.mode is Mode.FREE:
                position, _ = self._p.getBasePositionAndOrientation(member.handle)
                ground = self._ground_for(member.mode, position)
                if ground != member.ground:
                    member.ground = ground
                    self._maker.meet(member.handle, member.body, member.mode, ground=ground)

    def step(self) -> None:
        """Advance by one time step."""
        if self._steps % self._look_steps == 0:
            self._see_to_ground()
        self._steps += 1
        self._p.stepSimulation()

    def positions(self) -> Array:
        """Return the centres of mass [m], shape [body_count, 3]."""
        rows = [
            tuple(v * UNIT for v in member.place.position)
            if member.mode is Mode.FROZEN or member.handle is None
            else self._p.getBasePositionAndOrientation(member.handle)[0]
            for member in self._members
        ]
        return np.array(rows) / UNIT

    def place(self, number: int) -> RestPlace:
        """Return where and how a body is; one that stands still, as it was put, to the bit."""
        member = self._members[number]
        if member.handle is None or member.mode is Mode.FROZEN:
            return member.place
        (x, y, z), orientation = self._p.getBasePositionAndOrientation(member.handle)
        qx, qy, qz, qw = multiply(
            np.array(orientation), principal_frame(member.body).inverse
        ).tolist()
        return RestPlace(position=(x / UNIT, y / UNIT, z / UNIT), orientation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and rate of turning [rad/s]."""
        velocity, spin = self._p.getBaseVelocity(self._members[number].handle)
        return hypot(*velocity) / UNIT, hypot(*spin)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return the points where two bodies met in the last step [m], shape [3] each."""
        one, other = self._members[first].handle, self._members[second].handle
        if one is None or other is None:
            return ()
        points = self._p.getContactPoints(one, other)
        # A point carries its place on the first body at index 5, its gap at 8 and its force at 9.
        # At rest a force comes and goes from step to step; the gap stays.
        return tuple(
            np.array(point[5]) / UNIT
            for point in points
            if point[9] > 0.0 or point[8] < CONTACT_DISTANCE * UNIT
        )

    def supported(self, number: int) -> bool:
        """Whether anything touched the body in the last step."""
        return len(self._p.getContactPoints(self._members[number].handle)) > 0

    def set_velocity(self, number: int, velocity: Array, spin: Array) -> None:
        """Set a body's velocity [m/s] and angular velocity [rad/s], world axes."""
        self._p.resetBaseVelocity(
            self._members[number].handle, (velocity * UNIT).tolist(), spin.tolist()
        )

    def fade_resistance(self, share: float) -> None:
        """Scale rolling and spinning resistance, damp motion, close the overlap the flight left."""
        self._erp = ERP_EASE
        self._set_parameters()
        self._damping = FADE_DAMPING
        self._ground.soften(ERP_EASE)
        self._ground.resist(share)
        for member in self._members:
            if member.handle is not None and member.mode is not Mode.FROZEN:
                self._p.changeDynamics(
                    member.handle, -1, linearDamping=self._damping, angularDamping=self._damping
                )


def _in_units(pose: Pose) -> Pose:
    (x, y, z), orientation = pose
    return (x * UNIT, y * UNIT, z * UNIT), orientation


def _spin(before: tuple[float, ...], after: tuple[float, ...], step: float) -> list[float]:
    """Return the angular velocity [rad/s], world axes, of one orientation becoming the next."""
    bx, by, bz, bw = before
    ax, ay, az, aw = after
    x = -aw * bx + ax * bw - ay * bz + az * by
    y = -aw * by + ax * bz + ay * bw - az * bx
    z = -aw * bz - ax * by + ay * bx + az * bw
    w = aw * bw + ax * bx + ay * by + az * bz
    sine = hypot(x, y, z)
    # Below this the angle is the doubled sine to the last bit.
    angle = 2.0 * atan2(sine, abs(w)) / sine if sine > 1e-9 else 2.0
    rate = (angle if w >= 0.0 else -angle) / step
    return [x * rate, y * rate, z * rate]
