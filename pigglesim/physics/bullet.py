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

from dataclasses import dataclass
from importlib.metadata import version
from math import atan2, hypot
from typing import Any

import numpy as np

from pigglesim.physics.bullet_client import client
from pigglesim.physics.bullet_floor import BulletFloor
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
from pigglesim.physics.bullet_shapes import compound_file, cup_compound
from pigglesim.physics.engine import Form
from pigglesim.physics.frames import PrincipalFrame, principal_frame, thin_hull
from pigglesim.physics.laws import EASE_DAMPING, NO_BOUNCE, TOUCH
from pigglesim.rolls import RestPlace
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import GRAVITY, Scene, Stepping
from pigglesim.shapes.body import Body
from pigglesim.spatial import Array, multiply
from pigglesim.throws.cup_path import Pose

__all__ = ["BulletEngine"]

_FAR = 10.0 * UNIT
_GROUND, _ON_GROUND, _AMONG = 1, 2, 4
"""Bits of collision: the ground, what meets it, and what meets other bodies and the cup."""
_STIFF = 1e9
"""Scale of a contact's stiffness and damping [units]: a Piggle's own inverse mass is 1e-6 of it."""


@dataclass(slots=True)
class _Member:
    """One body of a world and its handle in Bullet."""

    body: Body
    frame: PrincipalFrame
    handle: int
    form: Form
    place: RestPlace


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


class BulletWorld:
    """A world of PyBullet; it is valid until the next one is made in this process."""

    def __init__(self, scene: Scene) -> None:
        self._p = client()
        self._scene = scene
        self._members: list[_Member] = []
        self._shapes: dict[tuple[str, str], int] = {}
        self._damping = 0.0
        self._erp = ERP_CUP
        self._ground_erp = ERP_FLIGHT
        self._breaking = FORGET
        self._cup: int | None = None
        self._cup_pose: Pose | None = None
        contacts = scene.contacts
        # Products of a die's own value with its partner's give each pair its own.
        self._friction = contacts.piggle.friction**0.5
        self._restitution = max(contacts.piggle.restitution, 1e-4) ** 0.5
        self._p.resetSimulation()
        self._p.setGravity(0.0, 0.0, -GRAVITY * UNIT)
        self._set_parameters()
        self._add_ground()

    def _set_parameters(self) -> None:
        stepping = self._scene.stepping
        self._p.setPhysicsEngineParameter(
            fixedTimeStep=stepping.time_step,
            numSubSteps=0,
            numSolverIterations=stepping.iterations,
            erp=self._erp,
            contactERP=self._erp,
            contactBreakingThreshold=self._breaking,
            restitutionVelocityThreshold=NO_BOUNCE * UNIT,
            deterministicOverlappingPairs=1,
            enableFileCaching=0,
        )

    def _add_ground(self) -> None:
        board = self._scene.board
        half = board.half * UNIT
        deep = board.thickness * UNIT / 2.0
        self._ground = [
            self._add_fixed_box([half, half, deep], -deep),
            self._add_fixed_box([_FAR, _FAR, deep], -3.0 * deep),
        ]
        for handle in self._ground:
            self._p.setCollisionFilterGroupMask(handle, -1, _GROUND, _ON_GROUND)
            self._surface(handle, "board", resists=1.0)

    def _add_fixed_box(self, half_extents: list[float], height: float) -> int:
        shape = self._p.createCollisionShape(self._p.GEOM_BOX, halfExtents=half_extents)
        return int(self._p.createMultiBody(0.0, shape, basePosition=[0.0, 0.0, height]))

    def _surface(self, handle: int, pair: str, *, resists: float = 0.0) -> None:
        """Give a fixed body the friction and bounce that its pair with a die should have."""
        contacts = self._scene.contacts
        contact = contacts.board if pair == "board" else contacts.cup
        self._p.changeDynamics(
            handle,
            -1,
            lateralFriction=contact.friction / self._friction,
            restitution=contact.restitution / self._restitution,
            # Combined as lever * friction of the die, and the die itself has no lever.
            rollingFriction=resists * contacts.rolling_lever * UNIT / self._friction,
            spinningFriction=resists * contacts.spinning_lever * UNIT / self._friction,
            collisionMargin=MARGIN,
        )
        if pair == "board":
            self._gentle(handle)

    def _gentle(self, handle: int) -> None:
        """Have the ground close overlaps at its own rate, whatever the cup does meanwhile.

        A contact's stiffness k and damping d make its error reduction k dt / (k dt + d), and its
        softness 1 / (k dt + d), here none to speak of.
        """
        damping = (1.0 - self._ground_erp) * _STIFF
        stiffness = self._ground_erp * _STIFF / self._scene.stepping.time_step
        self._p.changeDynamics(handle, -1, contactStiffness=stiffness, contactDamping=damping)

    def _hull(self, body: Body, *, thin: bool = False) -> int:
        # By digest: all liveries of a model are of one shape.
        key = (body.sha256, "thin" if thin else "hull")
        if key not in self._shapes:
            points = thin_hull(body) if thin else body.hull.vertices
            vertices = principal_frame(body).to_principal(points) * UNIT
            shape = self._p.createCollisionShape(self._p.GEOM_MESH, vertices=vertices.tolist())
            self._shapes[key] = int(shape)
        return self._shapes[key]

    def _compound(self, body: Body) -> int:
        key = (body.sha256, "parts")
        if key not in self._shapes:
            file = compound_file(body)
            self._shapes[key] = int(self._p.createCollisionShape(self._p.GEOM_MESH, fileName=file))
        return self._shapes[key]

    def _make(self, body: Body, form: Form, position: Array, orientation: Array) -> int:
        """Create a body in Bullet at a pose of its principal frame [units].

        A loose body of several parts meets the ground with its hull, which is all that a flat
        ground can touch, and other bodies with its parts, which hang on it as a link of no weight.
        """
        frame = principal_frame(body)
        pose = {"basePosition": position.tolist(), "baseOrientation": orientation.tolist()}
        if form is Form.LOOSE and body.parts:
            link = self._link(body)
            handle = self._p.createMultiBody(body.mass.mass, self._hull(body), **pose, **link)
            links = {-1: (_ON_GROUND, _GROUND), 0: (_AMONG, _AMONG)}
        else:
            mass = 0.0 if form is Form.STANDING else body.mass.mass
            whole = form is Form.STANDING and body.parts
            shape = self._compound(body) if whole else self._hull(body, thin=form is Form.IN_CUP)
            handle = self._p.createMultiBody(mass, shape, **pose)
            links = {-1: (_ON_GROUND | _AMONG, _GROUND | _AMONG)}
        for link_number, (group, mask) in links.items():
            self._p.setCollisionFilterGroupMask(handle, link_number, group, mask)
            self._p.changeDynamics(
                handle,
                link_number,
                lateralFriction=self._friction,
                restitution=self._restitution,
                rollingFriction=0.0,
                spinningFriction=0.0,
                contactProcessingThreshold=PROCESSING,
            )
        # Alone: asked for on a link, a margin silently voids whatever else is asked with it.
        self._p.changeDynamics(handle, -1, collisionMargin=MARGIN)
        if form is not Form.STANDING:
            self._p.changeDynamics(
                handle,
                -1,
                localInertiaDiagonal=(frame.moments * UNIT**2).tolist(),
                linearDamping=self._damping,
                angularDamping=self._damping,
                maxJointVelocity=1e6,
            )
        return int(handle)

    def _link(self, body: Body) -> dict[str, list[Any]]:
        """Return the arguments of a fixed link that carries the parts and weighs nothing."""
        return {
            "linkMasses": [0.0],
            "linkCollisionShapeIndices": [self._compound(body)],
            "linkVisualShapeIndices": [-1],
            "linkPositions": [[0.0, 0.0, 0.0]],
            "linkOrientations": [[0.0, 0.0, 0.0, 1.0]],
            "linkInertialFramePositions": [[0.0, 0.0, 0.0]],
            "linkInertialFrameOrientations": [[0.0, 0.0, 0.0, 1.0]],
            "linkParentIndices": [0],
            "linkJointTypes": [self._p.JOINT_FIXED],
            "linkJointAxis": [[0.0, 0.0, 1.0]],
        }

    def _put(self, body: Body, frame: PrincipalFrame, place: RestPlace, form: Form) -> int:
        position = np.array(place.position) * UNIT
        orientation = multiply(np.array(place.orientation), frame.orientation)
        return self._make(body, form, position, orientation)

    def add_body(self, body: Body, place: RestPlace, form: Form) -> int:
        """Add a body at rest and return its number."""
        frame = principal_frame(body)
        handle = self._put(body, frame, place, form)
        self._members.append(_Member(body=body, frame=frame, handle=handle, form=form, place=place))
        return len(self._members) - 1

    def reform(self, number: int, form: Form) -> None:
        """Let a body move in another form; its motion goes on (a standing one starts at rest)."""
        member = self._members[number]
        position, orientation = self._p.getBasePositionAndOrientation(member.handle)
        velocity, spin = self._p.getBaseVelocity(member.handle)
        self._p.removeBody(member.handle)
        member.handle = self._make(member.body, form, np.array(position), np.array(orientation))
        if member.form is not Form.STANDING:
            self._p.resetBaseVelocity(member.handle, velocity, spin)
        member.form = form

    def hold(self, number: int, place: RestPlace) -> None:
        """Have a body stand still at a place."""
        member = self._members[number]
        self._p.removeBody(member.handle)
        member.handle = self._put(member.body, member.frame, place, Form.STANDING)
        member.place, member.form = place, Form.STANDING

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""
        parts = cup_compound(self._p, self._scene.cup)
        shape = self._p.createCollisionShapeArray(**parts)
        position, orientation = _in_units(pose)
        self._cup = int(
            self._p.createMultiBody(0.0, shape, basePosition=position, baseOrientation=orientation)
        )
        # A wall that Bullet dropped would leak.
        children = len(self._p.getCollisionShapeData(self._cup, -1))
        assert children == len(parts["shapeTypes"]), f"Bullet kept {children} parts of the cup"
        self._p.setCollisionFilterGroupMask(self._cup, -1, _AMONG, _AMONG)
        self._surface(self._cup, "cup")
        self._cup_pose = pose

    def move_cup(self, pose: Pose) -> None:
        """Have the cup reach this pose at the end of the next step, pushing what it holds.

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

    def land(self) -> None:
        """Have contacts last from now on: the cup is empty, and nothing turns them any more."""
        self._breaking = REMEMBER
        self._erp = ERP_FLIGHT
        self._set_parameters()
        # The threshold belongs to a pair from its first meeting: made anew, all meet anew.
        for number, member in enumerate(self._members):
            if member.form is Form.LOOSE:
                self.reform(number, Form.LOOSE)

    def step(self) -> None:
        """Advance by one time step."""
        self._p.stepSimulation()

    def positions(self) -> Array:
        """Return the centres of mass [m], shape [body_count, 3]."""
        rows = [
            tuple(v * UNIT for v in member.place.position)
            if member.form is Form.STANDING
            else self._p.getBasePositionAndOrientation(member.handle)[0]
            for member in self._members
        ]
        return np.array(rows) / UNIT

    def place(self, number: int) -> RestPlace:
        """Return where and how a body is; one that stands still, as it was put, to the bit."""
        member = self._members[number]
        if member.form is Form.STANDING:
            return member.place
        (x, y, z), orientation = self._p.getBasePositionAndOrientation(member.handle)
        qx, qy, qz, qw = multiply(np.array(orientation), member.frame.inverse).tolist()
        return RestPlace(position=(x / UNIT, y / UNIT, z / UNIT), orientation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and rate of turning [rad/s]."""
        velocity, spin = self._p.getBaseVelocity(self._members[number].handle)
        return hypot(*velocity) / UNIT, hypot(*spin)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return the points where two bodies met in the last step [m], shape [3] each."""
        points = self._p.getContactPoints(self._members[first].handle, self._members[second].handle)
        # A point carries its place on the first body at index 5, its gap at 8 and its force at 9.
        # At rest a force comes and goes from step to step; the gap stays.
        return tuple(
            np.array(point[5]) / UNIT
            for point in points
            if point[9] > 0.0 or point[8] < TOUCH * UNIT
        )

    def supported(self, number: int) -> bool:
        """Whether anything touched the body in the last step."""
        return len(self._p.getContactPoints(self._members[number].handle)) > 0

    def kick(self, number: int, velocity: Array, spin: Array) -> None:
        """Set a body's velocity [m/s] and spin [rad/s]."""
        self._p.resetBaseVelocity(
            self._members[number].handle, (velocity * UNIT).tolist(), spin.tolist()
        )

    def ease(self, share: float) -> None:
        """Scale rolling and spinning resistance, damp motion, close the overlap the flight left."""
        self._erp = self._ground_erp = ERP_EASE
        self._set_parameters()
        self._damping = EASE_DAMPING
        for handle in self._ground:
            self._surface(handle, "board", resists=share)
        for member in self._members:
            if member.form is not Form.STANDING:
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
