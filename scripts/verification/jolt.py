"""Engine `jolt`: Jolt Physics in its simplest correct use, a peer of `scripts/bench.py` alone.

Masses, time step, friction and restitution are those of the other engines. The package `culverin`,
for Python 3.12 and newer, takes one convex shape for a moving body and computes its moments, so
each body is its hull of even density everywhere. Nothing resists rolling or spinning. Everything
else has Jolt's defaults, on one thread, in lengths that suit bodies of 2 cm: Jolt is made for
bodies of about 1 m. It computes in single precision.
"""

from functools import cache
from importlib.metadata import version
from math import hypot
from typing import Any, TypeAlias

import culverin
import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.mesh import convex_hull, mass_of
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Engine, Mode, Motion, World
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.settling import FADE_DAMPING
from pigglesim.physics.stepping import FloorSteps, cup_boxes
from pigglesim.rotations import Array, dot, multiply, rotate, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Contact, Scene, Stepping, Surface
from pigglesim.throws import Drop

Untyped: TypeAlias = Any
"""A handle or an event of Jolt."""

_SCALE = 50.0
"""Jolt's lengths per metre."""
_UPRIGHT = (0.0, 0.0, 0.0, 1.0)
_FAR = 2.0
_SETTINGS = {
    "gravity": (0.0, 0.0, -GRAVITY * _SCALE),
    "num_threads": 1,
    "max_bodies": 64,
    "max_pairs": 1024,
    "max_contact_constraints": 1024,
    "temp_allocator_size": 4 << 20,
}


def _world() -> culverin.PhysicsWorld:
    return culverin.PhysicsWorld(_SETTINGS)


@cache
def _hull(body: Body) -> tuple[bytes, Array]:
    """Return the corners of a body's hull about its centroid, and the centroid less the centre."""
    mesh = convex_hull(body.hull.vertices)
    centroid = mass_of(mesh.vertices, mesh.faces, density=1.0).centre
    corners = (_SCALE * (mesh.vertices - centroid)).astype(np.float32)
    return corners.tobytes(), centroid - body.mass.centre


def _scaled(pose: Pose) -> tuple[tuple[float, ...], tuple[float, ...]]:
    position, turned = pose
    return tuple(_SCALE * each for each in position), turned


def _to_jolt(body: Body, place: RestPlace) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the pose of a body's centroid in Jolt's lengths."""
    offset = rotate(np.array(place.rotation), _hull(body)[1])
    return _scaled((tuple((place.position + offset).tolist()), place.rotation))


def _from_jolt(world: culverin.PhysicsWorld, handle: Untyped, body: Body) -> RestPlace:
    """Return where a body is."""
    turned = np.array(world.get_rotation(handle))
    turned /= hypot(*turned)  # of single precision
    at = np.array(world.get_position(handle)) / _SCALE - rotate(turned, _hull(body)[1])
    return RestPlace(position=tuple(at.tolist()), rotation=tuple(turned.tolist()))


def _add(
    world: culverin.PhysicsWorld, body: Body, place: RestPlace, contact: tuple[float, float]
) -> Untyped:
    """Add a moving body at rest."""
    friction, restitution = contact
    position, turned = _to_jolt(body, place)
    handle = world.create_convex_hull(
        position,
        turned,
        _hull(body)[0],
        mass=body.mass.mass,
        friction=friction,
        restitution=restitution,
    )
    world.step(0.0)  # so that it has a pose
    return handle


def _box(
    world: culverin.PhysicsWorld,
    half_extents: tuple[float, float, float],
    height: float,
    contact: tuple[float, float],
) -> None:
    """Add a box that does not move, with its middle at a height [m]."""
    friction, restitution = contact
    world.create_body(
        *_scaled(((0.0, 0.0, height), _UPRIGHT)),
        tuple(_SCALE * each for each in half_extents),
        culverin.SHAPE_BOX,
        culverin.MOTION_STATIC,
        friction=friction,
        restitution=restitution,
    )


def _velocity(motion: Pose, target: Pose, time: float) -> tuple[Array, Array]:
    """Return the velocity [m/s] and angular velocity [rad/s] that reach a pose in a time [s]."""
    (start, turned), (end, turn) = motion, target
    x, y, z, w = turned
    step = multiply(np.array(turn), np.array([-x, -y, -z, w]))
    # A small turn by an angle a about an axis n has the quaternion (n sin(a / 2), cos(a / 2)).
    angular = 2.0 * np.copysign(1.0, step[3]) * step[:3] / time
    return (np.array(end) - np.array(start)) / time, angular


class JoltWorld(World):
    """A Jolt world."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._world = scene, _world()
        self._bodies: list[Body] = []
        self._handles: list[Untyped] = []
        self._frozen: dict[int, RestPlace] = {}
        self._fading = 1.0
        self._own = scene.contacts.piggle
        self._cup: Untyped = None
        self._cup_pose = self._cup_target = ((0.0, 0.0, 0.0), _UPRIGHT)
        half, deep = scene.board.half, scene.board.thickness / 2.0
        for extent, height in ((half, -deep), (_FAR, -3.0 * deep)):
            _box(self._world, (extent, extent, deep), height, self._against(scene.contacts.board))

    def _against(self, contact: Contact) -> tuple[float, float]:
        """Return friction and restitution of a surface whose pairs with bodies have a contact's.

        Jolt has the geometric mean of both frictions, and the greater restitution.
        """
        assert contact.restitution >= self._own.restitution, "Jolt uses the greater of a pair"
        return contact.friction**2 / self._own.friction, contact.restitution

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        number = len(self._bodies)
        contact = (self._own.friction, self._own.restitution)
        self._bodies.append(body)
        self._handles.append(_add(self._world, body, place, contact))
        self.set_mode(number, mode)
        if mode is Mode.FROZEN:
            self._frozen[number] = place
        return number

    def set_mode(self, number: int, mode: Mode) -> None:
        frozen = mode is Mode.FROZEN
        kind = culverin.MOTION_STATIC if frozen else culverin.MOTION_DYNAMIC
        self._world.set_motion_type(self._handles[number], kind)
        if not frozen:
            self._frozen.pop(number, None)
            self._world.activate(self._handles[number])

    def freeze(self, number: int, place: RestPlace) -> bool:
        self._world.set_transform(self._handles[number], *_to_jolt(self._bodies[number], place))
        self._frozen[number] = place
        self.set_mode(number, Mode.FROZEN)
        return True

    def add_cup(self, pose: Pose) -> None:
        boxes = cup_boxes(self._scene.cup)
        sizes = [np.prod(box.half_extents) for box in boxes]
        self._cup_centre = np.average([box.centre for box in boxes], axis=0, weights=sizes)
        parts = [
            (
                tuple(_SCALE * (np.array(box.centre) - self._cup_centre)),
                box.rotation,
                culverin.SHAPE_BOX,
                tuple(_SCALE * np.array(box.half_extents)),
            )
            for box in boxes
        ]
        friction, restitution = self._against(self._scene.contacts.cup)
        self._cup_pose = self._cup_target = self._centred(pose)
        self._cup = self._world.create_compound_body(
            *_scaled(self._cup_pose),
            parts,
            motion=culverin.MOTION_KINEMATIC,
            friction=friction,
            restitution=restitution,
        )

    def _centred(self, pose: Pose) -> Pose:
        """Return the pose of the cup's centroid, about which Jolt turns it."""
        position, turned = pose
        return tuple(position + rotate(np.array(turned), self._cup_centre)), turned

    def move_cup(self, pose: Pose) -> None:
        self._cup_pose, self._cup_target = self._cup_target, self._centred(pose)
        time = self._scene.stepping.time_step
        velocity, angular = _velocity(self._cup_pose, self._cup_target, time)
        self._world.set_transform(self._cup, *_scaled(self._cup_pose))
        self._world.set_linear_velocity(self._cup, *(_SCALE * velocity))
        self._world.set_angular_velocity(self._cup, *angular)

    def remove_cup(self) -> None:
        self._world.destroy_body(self._cup)

    def cup_released(self) -> None:
        """Do nothing: Jolt has one way to close overlaps."""

    def step(self) -> None:
        self._world.step(self._scene.stepping.time_step)
        if self._fading < 1.0:
            for handle in self._handles:
                velocity, angular = self._velocities(handle)
                self._world.set_linear_velocity(handle, *(self._fading * velocity))
                self._world.set_angular_velocity(handle, *(self._fading * angular))

    def _velocities(self, handle: Untyped) -> tuple[Array, Array]:
        """Return velocity and angular velocity in Jolt's lengths."""
        return (
            np.array(self._world.get_velocity(handle)),
            np.array(self._world.get_angular_velocity(handle)),
        )

    def positions(self) -> Array:
        return np.array([self.place(number).position for number in range(len(self._bodies))])

    def place(self, number: int) -> RestPlace:
        if number in self._frozen:
            return self._frozen[number]
        return _from_jolt(self._world, self._handles[number], self._bodies[number])

    def speeds(self, number: int) -> tuple[float, float]:
        velocity, angular = self._velocities(self._handles[number])
        return hypot(*velocity) / _SCALE, hypot(*angular)

    def _touched(self, number: int) -> list[Untyped]:
        own = self._handles[number]
        return [
            event
            for event in self._world.get_contact_events_ex()
            if own in event["bodies"] and event["type"] != culverin.EVENT_REMOVED
        ]

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        other = self._handles[second]
        return tuple(
            np.array(event["position"]) / _SCALE
            for event in self._touched(first)
            if other in event["bodies"]
        )

    def supported(self, number: int) -> bool:
        # A body asleep has no events.
        return not self._world.is_active(self._handles[number]) or bool(self._touched(number))

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        offset = rotate(np.array(self.place(number).rotation), _hull(self._bodies[number])[1])
        at_centroid = velocity + np.cross(angular_velocity, offset)
        self._world.set_linear_velocity(self._handles[number], *(_SCALE * at_centroid))
        self._world.set_angular_velocity(self._handles[number], *angular_velocity)

    def fade_resistance(self, share: float) -> None:
        """Damp motion: there is no resistance that could fade."""
        self._fading = 1.0 - FADE_DAMPING * self._scene.stepping.time_step


class JoltFloor(FloorSteps):
    """A wide box and one die."""

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        super().__init__(stepping)
        self._body, self._frame = body, principal_frame(body)
        self._arms = self._frame.moments / (2.0 * body.mass.mass * GRAVITY)
        self._contact = (surface.contact.friction, surface.contact.restitution)
        self._world, self._die = _world(), None
        _box(self._world, (_FAR, _FAR, _FAR / 2.0), -_FAR / 2.0, self._contact)

    def release(self, drop: Drop) -> None:
        self.still_time = 0.0
        if self._die is not None:
            self._world.destroy_body(self._die)
        x, y, z, w = drop.rotation.tolist()
        at = RestPlace(position=(0.0, 0.0, drop.height), rotation=(x, y, z, w))
        self._die = _add(self._world, self._body, at, self._contact)
        offset = rotate(drop.rotation, _hull(self._body)[1])
        at_centroid = drop.velocity + np.cross(drop.angular_velocity, offset)
        self._world.set_linear_velocity(self._die, *(_SCALE * at_centroid))
        self._world.set_angular_velocity(self._die, *drop.angular_velocity)

    def step(self, count: int) -> None:
        for _ in range(count):
            self._world.step(self._stepping.time_step)

    def transform(self) -> tuple[Array, Array]:
        at = _from_jolt(self._world, self._die, self._body)
        return np.array(at.position), np.array(at.rotation)

    def motion(self) -> Motion:
        position, turned = self.transform()
        w = np.array(self._world.get_angular_velocity(self._die))
        offset = rotate(turned, _hull(self._body)[1])
        v = np.array(self._world.get_velocity(self._die)) / _SCALE - np.cross(w, offset)
        matrix = to_matrix(multiply(turned, self._frame.rotation))
        spin = transform(matrix.T, w)
        return Motion(
            height=float(position[2]),
            energy_height=dot(v, v) / (2.0 * GRAVITY) + dot(self._arms, spin**2),
            down=-transform(self._frame.axes, matrix[2]),
            still_time=self.still_time,
        )


def engine() -> Engine:
    """Return the engine."""
    return Engine(name="jolt", version=version("culverin"), world=JoltWorld, floor=JoltFloor)
