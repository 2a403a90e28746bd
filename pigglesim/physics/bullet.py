"""Engine `bullet`: PyBullet, set so that a body of 2 cm moves as it should.

Bullet's tolerances suit bodies of about a metre; a die breaks many of them. So worlds are built in
centimetres, and every setting that matters is given, none left at its default:

* collision margin: a hull otherwise floats 1 mm high. Child hulls of a compound keep a margin of
  0.001 length units that nothing changes, which is 0.01 mm in centimetres;
* `maxJointVelocity` lifts the clamp of 100 units/s on every velocity coordinate, which is 1 m/s in
  centimetres;
* inertia, which Bullet takes from the bounding box, is given from the mesh on its principal axes;
* `erp`, which adds to the rebound, is small while bodies fly, and larger while they settle;
* `contactBreakingThreshold`, which is global to the process and at its default of 20 mm scatters
  the bounce, is set in every world;
* friction and restitution, which combine by product, are split so that each pair has its own value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from math import atan2, hypot

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.landing import RestPlace
from pigglesim.physics.bullet_bodies import BodyMaker
from pigglesim.physics.bullet_client import client
from pigglesim.physics.bullet_ground import AMONG, EDGE, Ground, give_surface
from pigglesim.physics.bullet_settings import (
    ERP_CUP,
    ERP_EASE,
    ERP_FLIGHT,
    FORGET,
    MARGIN,
    PROCESSING,
    REMEMBER,
    UNIT,
)
from pigglesim.physics.bullet_shapes import cup_compound
from pigglesim.physics.cup_shape import CupBox, cup_boxes
from pigglesim.physics.engine import Mode, Motion
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.laws import CONTACT_DISTANCE, FADE_DAMPING, RESTITUTION_THRESHOLD
from pigglesim.physics.stepping import FloorSteps, WorldSteps
from pigglesim.rotations import Array, multiply
from pigglesim.scene.scene import GRAVITY, Scene, Stepping, Surface
from pigglesim.throws.drop import Drop
from pigglesim.throws.pour import Pose

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

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> "BulletFloor":
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

    def _make(self, member: _Member, mode: Mode, position: Array, rotation: Array) -> None:
        """Create a member's body at a pose of its principal frame [units]."""
        member.mode = mode
        member.ground = self._ground_for(mode, position)
        member.handle = self._maker.make(
            member.body,
            mode,
            position,
            rotation,
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
        rotation = multiply(np.array(member.place.rotation), frame.rotation)
        self._make(member, mode, position, rotation)

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
        position, rotation = self._p.getBasePositionAndOrientation(member.handle)
        velocity, spin = self._p.getBaseVelocity(member.handle)
        self._remove(member)
        self._make(member, mode, np.array(position), np.array(rotation))
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
        position, rotation = _in_units(pose)
        self._cup = int(
            self._p.createMultiBody(0.0, shape, basePosition=position, baseOrientation=rotation)
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
        (x, y, z), rotation = self._p.getBasePositionAndOrientation(member.handle)
        qx, qy, qz, qw = multiply(
            np.array(rotation), principal_frame(member.body).inverse_rotation
        ).tolist()
        return RestPlace(position=(x / UNIT, y / UNIT, z / UNIT), rotation=(qx, qy, qz, qw))

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
    (x, y, z), rotation = pose
    return (x * UNIT, y * UNIT, z * UNIT), rotation


def _spin(before: tuple[float, ...], after: tuple[float, ...], step: float) -> list[float]:
    """Return the angular velocity [rad/s], world axes, of one rotation becoming the next."""
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


class BulletFloor(FloorSteps):
    """A plane and one die; it is valid until the next world is made in this process.

    Settings are those of worlds, but for two that change no result, as tests show. The floor is a
    plane, which a hull of a thousand vertices touches as cheaply as one of ten. The world is kept
    from one drop to the next, with the die removed and made again, which leaves nothing of the last
    one behind: each drop has the bits of a fresh world.

    Args:
        body: The die; only its convex hull touches the floor.
        surface: Contact of die and floor.
        stepping: Time step, and what counts as rest.
    """

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._p = client()
        self._frame = principal_frame(body)
        super().__init__(stepping)
        self._mass = body.mass.mass
        self._die: int | None = None
        p = self._p
        p.resetSimulation()
        p.setGravity(0.0, 0.0, -GRAVITY * UNIT)
        p.setPhysicsEngineParameter(
            fixedTimeStep=stepping.time_step,
            numSubSteps=0,
            numSolverIterations=stepping.iterations,
            erp=ERP_FLIGHT,
            contactERP=ERP_FLIGHT,
            contactBreakingThreshold=REMEMBER,
            restitutionVelocityThreshold=RESTITUTION_THRESHOLD * UNIT,
            deterministicOverlappingPairs=1,
            enableFileCaching=0,
        )
        plane = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE, planeNormal=[0, 0, 1]))
        # Bullet combines by product, and the die has 1 of each: the pair has the floor's values.
        p.changeDynamics(
            plane,
            -1,
            lateralFriction=surface.contact.friction,
            restitution=surface.contact.restitution,
            rollingFriction=surface.rolling_lever * UNIT,
            spinningFriction=surface.spinning_lever * UNIT,
            collisionMargin=MARGIN,
        )
        hull = self._frame.to_principal(body.hull.vertices) * UNIT
        self._shape = p.createCollisionShape(p.GEOM_MESH, vertices=hull.tolist())
        # World axes of a row vector in the principal frame come back in body axes by these rows.
        self._axes = [tuple(row) for row in self._frame.axes.tolist()]
        self._arms = [float(m) / (2.0 * self._mass * GRAVITY) for m in self._frame.moments]

    def release(self, drop: Drop) -> None:
        """Remove the last die and release the next one."""
        self.still_time = 0.0
        p = self._p
        if self._die is not None:
            p.removeBody(self._die)
        self._die = p.createMultiBody(
            self._mass,
            self._shape,
            basePosition=[0.0, 0.0, drop.height * UNIT],
            baseOrientation=multiply(drop.rotation, self._frame.rotation).tolist(),
        )
        p.changeDynamics(
            self._die,
            -1,
            lateralFriction=1.0,
            restitution=1.0,
            rollingFriction=0.0,
            spinningFriction=0.0,
            collisionMargin=MARGIN,
            contactProcessingThreshold=PROCESSING,
            localInertiaDiagonal=(self._frame.moments * UNIT**2).tolist(),
            linearDamping=0.0,
            angularDamping=0.0,
            maxJointVelocity=1e6,
        )
        p.resetBaseVelocity(self._die, (drop.velocity * UNIT).tolist(), drop.spin.tolist())

    def step(self, count: int) -> None:
        """Advance by some time steps."""
        for _ in range(count):
            self._p.stepSimulation()

    def motion(self) -> Motion:
        """Return height, energy and direction of the die."""
        (_, _, z), (qx, qy, qz, qw) = self._p.getBasePositionAndOrientation(self._die)
        (vx, vy, vz), (wx, wy, wz) = self._p.getBaseVelocity(self._die)
        # Rows of the rotation from principal to world axes.
        r00, r01, r02 = (
            1 - 2 * (qy * qy + qz * qz),
            2 * (qx * qy - qz * qw),
            2 * (qx * qz + qy * qw),
        )
        r10, r11, r12 = (
            2 * (qx * qy + qz * qw),
            1 - 2 * (qx * qx + qz * qz),
            2 * (qy * qz - qx * qw),
        )
        r20, r21, r22 = (
            2 * (qx * qz - qy * qw),
            2 * (qy * qz + qx * qw),
            1 - 2 * (qx * qx + qy * qy),
        )
        a, b, c = self._arms
        turning = (
            a * (r00 * wx + r10 * wy + r20 * wz) ** 2
            + b * (r01 * wx + r11 * wy + r21 * wz) ** 2
            + c * (r02 * wx + r12 * wy + r22 * wz) ** 2
        )
        moving = (vx * vx + vy * vy + vz * vz) / (2.0 * GRAVITY * UNIT * UNIT)
        down = tuple(-(x * r20 + y * r21 + z_ * r22) for x, y, z_ in self._axes)
        return Motion(
            height=z / UNIT,
            energy_height=moving + turning,
            down=np.array(down),
            still_time=self.still_time,
        )
