"""Engine `rapier`: Rapier in its simplest correct use, a peer of `scripts/bench.py` alone.

Shapes, masses, time step, friction and restitution are those of the other engines. Rapier has no
rolling and no spinning resistance. Everything else has Rapier's defaults, with a length unit that
suits bodies of 2 cm, and one thread. It computes in single precision.
"""

from functools import cache
from importlib.metadata import version
from math import hypot
from typing import Any, TypeAlias

import numpy as np
import rapier3d

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Engine, Mode, Motion, World
from pigglesim.physics.frames import principal_frame, rounded_vertices, thin_hull
from pigglesim.physics.settling import CONTACT_DISTANCE, FADE_DAMPING
from pigglesim.physics.stepping import FloorSteps, cup_boxes
from pigglesim.rotations import Array, dot, multiply, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Contact, Scene, Stepping, Surface
from pigglesim.throws import Drop

Untyped: TypeAlias = Any
"""An object of rapier3d: a handle or a shape."""

_LENGTH_UNIT = 0.02
"""Size of a typical body [m], which scales Rapier's tolerances."""
_FAR = 10.0
_ALL = rapier3d.Group.ALL
_GROUND, _CUP, _BODY, _HULL = (rapier3d.Group(1 << bit) for bit in range(4))
"""Collision groups: as for `mujoco`, the hull of a body of several parts meets the ground alone."""
_LEAST_RESTITUTION = 1e-4


def _world(time_step: float) -> rapier3d.PhysicsWorld:
    """Return an empty world on one thread."""
    world = rapier3d.PhysicsWorld(gravity=(0.0, 0.0, -GRAVITY))
    world.set_num_threads(1)
    world.integration_parameters.dt = time_step
    world.integration_parameters.length_unit = _LENGTH_UNIT
    return world


@cache
def _shapes(body: Body, mode: Mode) -> list[tuple[Untyped, Untyped, Untyped]]:
    """Return the convex shapes of a body in its mode, with their groups and their partners."""
    hull, parts = body.hull.vertices, [part.vertices for part in body.parts]
    if mode is Mode.IN_CUP:
        clouds = [(thin_hull(body), _BODY, _ALL)]
    elif mode is Mode.FREE and parts:
        clouds = [(hull, _HULL, _GROUND), *((part, _BODY, _BODY | _CUP) for part in parts)]
    else:
        clouds = [(points, _BODY, _ALL) for points in parts or [hull]]
    return [(_hull(body, points), group, met) for points, group, met in clouds]


def _hull(body: Body, points: Array) -> Untyped:
    """Return the hull of some points of a body [m], in its principal frame."""
    return rapier3d.SharedShape.convex_hull(principal_frame(body).to_principal(points))


def _collider(
    shape: Untyped, friction: float, restitution: float, *, group: Untyped, met: Untyped
) -> rapier3d.ColliderBuilder:
    """Return a massless collider; the values of a pair are the products of both sides'."""
    product = rapier3d.CoefficientCombineRule.MULTIPLY
    return (
        rapier3d.Collider.new(shape)
        .density(0.0)
        .friction(friction)
        .restitution(restitution)
        .friction_combine_rule(product)
        .restitution_combine_rule(product)
        .collision_groups(rapier3d.InteractionGroups(group, met))
    )


def _builder(body: Body, position: Array, rotation: Array) -> rapier3d.RigidBodyBuilder:
    """Return a moving body whose frame is the principal one, at a pose of that frame."""
    moments = tuple(principal_frame(body).moments.tolist())
    mass = rapier3d.MassProperties(mass=body.mass.mass, principal_inertia=moments)
    return (
        rapier3d.RigidBody.dynamic()
        .position((tuple(position), tuple(rotation)))
        .additional_mass_properties(mass)
        .gyroscopic_forces(True)
    )


class RapierWorld(World):
    """A Rapier world."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._world = scene, _world(scene.stepping.time_step)
        self._bodies: list[Body] = []
        self._handles: list[Untyped] = []
        self._frozen: dict[int, RestPlace] = {}
        self._cup: Untyped = None
        contacts = scene.contacts
        # The product of a body's value and its partner's gives each pair its own value.
        self._friction = contacts.piggle.friction**0.5
        self._restitution = max(contacts.piggle.restitution, _LEAST_RESTITUTION) ** 0.5
        half, deep = scene.board.half, scene.board.thickness / 2.0
        for extent, height in ((half, -deep), (_FAR, -3.0 * deep)):
            box = rapier3d.SharedShape.cuboid(extent, extent, deep)
            ground = self._fixed(box, contacts.board, group=_GROUND)
            self._world.add_collider(ground.translation((0.0, 0.0, height)))

    def _fixed(
        self, shape: Untyped, contact: Contact, *, group: Untyped
    ) -> rapier3d.ColliderBuilder:
        """Return a collider of the ground or the cup."""
        return _collider(
            shape,
            contact.friction / self._friction,
            contact.restitution / self._restitution,
            group=group,
            met=_ALL,
        )

    def _body(self, number: int) -> rapier3d.RigidBody:
        return self._world.rigid_bodies[self._handles[number]]

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        number = len(self._bodies)
        rotation = multiply(np.array(place.rotation), principal_frame(body).rotation)
        builder = _builder(body, np.array(place.position), rotation)
        self._bodies.append(body)
        self._handles.append(self._world.add_body(builder))
        if mode is Mode.FROZEN:
            self._frozen[number] = place
        self.set_mode(number, mode)
        return number

    def set_mode(self, number: int, mode: Mode) -> None:
        found, frozen = self._body(number), mode is Mode.FROZEN
        for old in found.colliders:
            self._world.remove_collider(old)
        kinds = rapier3d.RigidBodyType
        found.body_type = kinds.FIXED if frozen else kinds.DYNAMIC
        if not frozen:
            self._frozen.pop(number, None)
        for shape, group, met in _shapes(self._bodies[number], mode):
            own = _collider(shape, self._friction, self._restitution, group=group, met=met)
            self._world.add_collider(own, self._handles[number])

    def freeze(self, number: int, place: RestPlace) -> bool:
        frame = principal_frame(self._bodies[number])
        rotation = multiply(np.array(place.rotation), frame.rotation)
        self._body(number).position = (place.position, tuple(rotation))
        self._frozen[number] = place
        self.set_mode(number, Mode.FROZEN)
        return True

    def add_cup(self, pose: Pose) -> None:
        builder = rapier3d.RigidBody.kinematic_position_based().position(pose)
        walls = []
        for box in cup_boxes(self._scene.cup):
            shape = rapier3d.SharedShape.cuboid(*box.half_extents)
            wall = self._fixed(shape, self._scene.contacts.cup, group=_CUP)
            walls.append(wall.position((box.centre, box.rotation)))
        self._cup = self._world.add_body(builder, walls)

    def move_cup(self, pose: Pose) -> None:
        self._world.rigid_bodies[self._cup].set_next_kinematic_position(pose)

    def remove_cup(self) -> None:
        self._world.remove_body(self._cup)

    def cup_released(self) -> None:
        """Do nothing: Rapier has one way to close overlaps."""

    def step(self) -> None:
        self._world.step()

    def positions(self) -> Array:
        found = (self._body(number).translation for number in range(len(self._bodies)))
        return np.array([(at.x, at.y, at.z) for at in found])

    def place(self, number: int) -> RestPlace:
        if number in self._frozen:
            return self._frozen[number]
        found, frame = self._body(number), principal_frame(self._bodies[number])
        at, turned = found.translation, np.array(found.rotation.quaternion)
        x, y, z, w = multiply(turned, frame.inverse_rotation).tolist()
        size = hypot(x, y, z, w)  # not 1 in single precision
        return RestPlace(
            position=(at.x, at.y, at.z), rotation=(x / size, y / size, z / size, w / size)
        )

    def speeds(self, number: int) -> tuple[float, float]:
        found = self._body(number)
        v, w = found.linvel, found.angvel
        return hypot(v.x, v.y, v.z), hypot(w.x, w.y, w.z)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        others = set(self._body(second).colliders)
        points = []
        for own in self._body(first).colliders:
            for pair in self._world.narrow_phase.contact_pairs_with(own):
                if not others.intersection((pair.collider1, pair.collider2)):
                    continue
                at = self._world.colliders[pair.collider1].position
                for manifold in pair.manifolds:
                    for point in manifold.points:
                        if point.impulse > 0.0 or point.dist < CONTACT_DISTANCE:
                            found = at.transform_point(point.local_p1)
                            points.append(np.array([found.x, found.y, found.z]))
        return tuple(points)

    def supported(self, number: int) -> bool:
        met = self._world.narrow_phase.contact_pairs_with
        own = self._body(number).colliders
        return any(pair.has_any_active_contact for each in own for pair in met(each))

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        found = self._body(number)
        found.linvel, found.angvel = tuple(velocity), tuple(angular_velocity)

    def fade_resistance(self, share: float) -> None:
        """Damp motion: there is no resistance that could fade."""
        for number in range(len(self._bodies)):
            found = self._body(number)
            found.linear_damping = found.angular_damping = FADE_DAMPING


class RapierFloor(FloorSteps):
    """A plane and one die."""

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        super().__init__(stepping)
        self._body, self._frame = body, principal_frame(body)
        self._arms = self._frame.moments / (2.0 * body.mass.mass * GRAVITY)
        self._world = _world(stepping.time_step)
        self._hull = rapier3d.SharedShape.convex_hull(rounded_vertices(body))
        self._die: Untyped = None
        plane = rapier3d.SharedShape.halfspace((0.0, 0.0, 1.0))
        contact = surface.contact
        self._world.add_collider(
            _collider(plane, contact.friction, contact.restitution, group=_GROUND, met=_BODY)
        )

    def release(self, drop: Drop) -> None:
        self.still_time = 0.0
        if self._die is not None:
            self._world.remove_body(self._die)
        turned = multiply(drop.rotation, self._frame.rotation)
        builder = (
            _builder(self._body, np.array([0.0, 0.0, drop.height]), turned)
            .linvel(tuple(drop.velocity))
            .angvel(tuple(drop.angular_velocity))
        )
        hull = _collider(self._hull, 1.0, 1.0, group=_BODY, met=_GROUND)
        self._die = self._world.add_body(builder, [hull])

    def step(self, count: int) -> None:
        for _ in range(count):
            self._world.step()

    def transform(self) -> tuple[Array, Array]:
        found = self._world.rigid_bodies[self._die]
        at, turned = found.translation, np.array(found.rotation.quaternion)
        return np.array([at.x, at.y, at.z]), multiply(turned, self._frame.inverse_rotation)

    def motion(self) -> Motion:
        found = self._world.rigid_bodies[self._die]
        v, w = found.linvel, found.angvel
        matrix = to_matrix(np.array(found.rotation.quaternion))
        spin = transform(matrix.T, np.array([w.x, w.y, w.z]))
        moving = (v.x**2 + v.y**2 + v.z**2) / (2.0 * GRAVITY)
        return Motion(
            height=found.translation.z,
            energy_height=moving + dot(self._arms, spin**2),
            down=-transform(self._frame.axes, matrix[2]),
            still_time=self.still_time,
        )


def engine() -> Engine:
    """Return the engine."""
    return Engine(name="rapier", version=version("rapier3d"), world=RapierWorld, floor=RapierFloor)
