"""Engine `box3d`: Box3D in its simplest correct use, a peer of `scripts/bench.py` alone.

Masses, moments, time step, friction and restitution are those of the other engines, and so are
shapes, but for thinned hulls everywhere: a hull has 44 corners at most. Box3D's rolling resistance
is for round shapes alone, so these have none. Everything else has Box3D's defaults, four substeps a
step among them, with a length unit that suits bodies of 2 cm, and one thread. It computes in single
precision. The package `robox3d` has its C interface.
"""

from collections.abc import Iterable
from functools import cache, partial
from importlib.metadata import version
from math import hypot
from typing import Any, TypeAlias

import numpy as np
from robox3d._ffi import ffi, lib, shim

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Engine, Mode, Motion, World
from pigglesim.physics.frames import principal_frame, thin_hull
from pigglesim.physics.settling import CONTACT_DISTANCE, FADE_DAMPING
from pigglesim.physics.stepping import RESTITUTION_THRESHOLD, FloorSteps, cup_boxes
from pigglesim.rotations import Array, dot, multiply, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Contact, Scene, Stepping, Surface
from pigglesim.throws import Drop

Untyped: TypeAlias = Any
"""A structure or handle of Box3D."""

_LENGTH_UNIT = 0.02
"""Size of a typical body [m], which scales Box3D's tolerances."""
_SUBSTEPS = 4
_FASTEST = 100.0
"""Limit of speeds [m/s]; Box3D's own limit scales with the unit of length."""
_FAR = 2.0
_ALL = 0xFF
_GROUND, _CUP, _BODY, _HULL = (1 << bit for bit in range(4))
"""Categories: as for `mujoco`, the hull of a body of several parts meets the ground alone."""
_MOST_VERTICES = 44
"""Corners of a hull of triangles that has at most 255 half-edges."""
_MOST_CONTACTS = 64

lib.b3SetLengthUnitsPerMeter(_LENGTH_UNIT)


def _vector(values: Iterable[float]) -> Untyped:
    x, y, z = values
    return ffi.new("b3Vec3*", {"x": x, "y": y, "z": z})[0]


def _rotation(values: Iterable[float]) -> Untyped:
    x, y, z, w = values
    return ffi.new("b3Quat*", {"v": {"x": x, "y": y, "z": z}, "s": w})[0]


def _transform(position: Iterable[float], rotation: Iterable[float]) -> Untyped:
    return ffi.new("b3Transform*", {"p": _vector(position), "q": _rotation(rotation)})[0]


def _world() -> Untyped:
    """Return an empty world on one thread; it ends with its handle."""
    defined = lib.b3DefaultWorldDef()
    defined.gravity = _vector((0.0, 0.0, -GRAVITY))
    defined.restitutionThreshold = RESTITUTION_THRESHOLD
    defined.maximumLinearSpeed = _FASTEST
    defined.enableSleep = False
    defined.workerCount = 1
    return ffi.gc(
        ffi.new("b3WorldId*", lib.b3CreateWorld(ffi.addressof(defined))),
        lambda world: lib.b3DestroyWorld(world[0]),
    )


@cache
def _hull(points: bytes) -> Untyped:
    """Return the hull of some points of single precision."""
    count = len(points) // ffi.sizeof("b3Vec3")
    hull = lib.b3CreateHull(ffi.from_buffer("b3Vec3[]", points), count, _MOST_VERTICES)
    return ffi.gc(hull, lib.b3DestroyHull)


def _hull_of(body: Body, points: Array) -> Untyped:
    """Return the hull of some points of a body [m], in its principal frame."""
    return _hull(principal_frame(body).to_principal(points).astype(np.float32).tobytes())


@cache
def _shapes(body: Body, mode: Mode) -> list[tuple[Untyped, int, int]]:
    """Return the convex shapes of a body in its mode, with their groups and their partners."""
    hull, parts = thin_hull(body), [part.vertices for part in body.parts]
    if mode is Mode.IN_CUP:
        clouds = [(thin_hull(body), _BODY, _ALL)]
    elif mode is Mode.FREE and parts:
        clouds = [(hull, _HULL, _GROUND), *((part, _BODY, _BODY | _CUP) for part in parts)]
    else:
        clouds = [(points, _BODY, _ALL) for points in parts or [hull]]
    return [(_hull_of(body, points), group, met) for points, group, met in clouds]


def _add_shape(
    body: Untyped, hull: Untyped, friction: float, restitution: float, *, group: int, met: int
) -> Untyped:
    """Add a massless shape: friction of a pair is the geometric mean, restitution the greater."""
    defined = lib.b3DefaultShapeDef()
    defined.density, defined.updateBodyMass = 0.0, False
    defined.baseMaterial.friction = friction
    defined.baseMaterial.restitution = restitution
    defined.filter.categoryBits, defined.filter.maskBits = group, met
    return lib.b3CreateHullShape(body, ffi.addressof(defined), hull)


def _add_body(world: Untyped, kind: int, position: Array, rotation: Array) -> Untyped:
    defined = lib.b3DefaultBodyDef()
    defined.type = kind
    defined.position, defined.rotation = _vector(position), _rotation(rotation)
    defined.allowFastRotation = True
    return lib.b3CreateBody(world[0], ffi.addressof(defined))


def _set_mass(handle: Untyped, body: Body) -> None:
    """Set the mass and the principal moments of a body."""
    data = ffi.new("b3MassData*")
    data.mass = body.mass.mass
    data.inertia.cx.x, data.inertia.cy.y, data.inertia.cz.z = principal_frame(body).moments
    lib.b3Body_SetMassData(handle, data[0])


def _xyz(vector: Untyped) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def _pose(handle: Untyped) -> tuple[tuple[float, float, float], Array]:
    """Return position and rotation of the principal frame."""
    q = lib.b3Body_GetRotation(handle)
    turned = np.array([*_xyz(q.v), q.s])
    return _xyz(lib.b3Body_GetPosition(handle)), turned / hypot(*turned)  # of single precision


class Box3dWorld(World):
    """A Box3D world."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._world = scene, _world()
        self._bodies: list[Body] = []
        self._handles: list[Untyped] = []
        self._shapes: list[list[Untyped]] = []
        self._frozen: dict[int, RestPlace] = {}
        self._cup: Untyped = None
        self._own = scene.contacts.piggle
        half, deep = scene.board.half, scene.board.thickness / 2.0
        for extent, height in ((half, -deep), (_FAR, -3.0 * deep)):
            at = np.array([0.0, 0.0, height])
            ground = _add_body(self._world, lib.b3_staticBody, at, np.array([0.0, 0.0, 0.0, 1.0]))
            box = lib.b3MakeBoxHull(extent, extent, deep)
            self._add_box(ground, box, scene.contacts.board, group=_GROUND)

    def _add_box(self, handle: Untyped, box: Untyped, contact: Contact, *, group: int) -> None:
        """Add a box of the ground or the cup, with its values against bodies."""
        assert contact.restitution >= self._own.restitution, "Box3D uses the greater of a pair"
        friction = contact.friction**2 / self._own.friction
        kept = ffi.new("b3BoxHull*", box)
        hull = ffi.addressof(kept.base)
        _add_shape(handle, hull, friction, contact.restitution, group=group, met=_ALL)

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        number = len(self._bodies)
        rotation = multiply(np.array(place.rotation), principal_frame(body).rotation)
        handle = _add_body(self._world, lib.b3_dynamicBody, np.array(place.position), rotation)
        self._bodies.append(body)
        self._handles.append(handle)
        self._shapes.append([])
        if mode is Mode.FROZEN:
            self._frozen[number] = place
        self.set_mode(number, mode)
        return number

    def set_mode(self, number: int, mode: Mode) -> None:
        handle, frozen = self._handles[number], mode is Mode.FROZEN
        for old in self._shapes[number]:
            lib.b3DestroyShape(old, False)
        lib.b3Body_SetType(handle, lib.b3_staticBody if frozen else lib.b3_dynamicBody)
        own = partial(_add_shape, handle)
        self._shapes[number] = [
            own(hull, self._own.friction, self._own.restitution, group=group, met=met)
            for hull, group, met in _shapes(self._bodies[number], mode)
        ]
        if not frozen:
            self._frozen.pop(number, None)
            _set_mass(handle, self._bodies[number])

    def freeze(self, number: int, place: RestPlace) -> bool:
        frame = principal_frame(self._bodies[number])
        rotation = multiply(np.array(place.rotation), frame.rotation)
        at = _vector(place.position)
        lib.b3Body_SetTransform(self._handles[number], at, _rotation(rotation))
        self._frozen[number] = place
        self.set_mode(number, Mode.FROZEN)
        return True

    def add_cup(self, pose: Pose) -> None:
        self._cup = _add_body(self._world, lib.b3_kinematicBody, *map(np.array, pose))
        for box in cup_boxes(self._scene.cup):
            at = _transform(box.centre, box.rotation)
            hull = lib.b3MakeTransformedBoxHull(*box.half_extents, at)
            self._add_box(self._cup, hull, self._scene.contacts.cup, group=_CUP)

    def move_cup(self, pose: Pose) -> None:
        step = self._scene.stepping.time_step
        lib.b3Body_SetTargetTransform(self._cup, _transform(*pose), step, True)

    def remove_cup(self) -> None:
        lib.b3DestroyBody(self._cup)

    def cup_released(self) -> None:
        """Do nothing: Box3D has one way to close overlaps."""

    def step(self) -> None:
        lib.b3World_Step(self._world[0], self._scene.stepping.time_step, _SUBSTEPS)

    def positions(self) -> Array:
        return np.array([_xyz(lib.b3Body_GetPosition(each)) for each in self._handles])

    def place(self, number: int) -> RestPlace:
        if number in self._frozen:
            return self._frozen[number]
        position, turned = _pose(self._handles[number])
        inverse = principal_frame(self._bodies[number]).inverse_rotation
        x, y, z, w = multiply(turned, inverse).tolist()
        return RestPlace(position=position, rotation=(x, y, z, w))

    def speeds(self, number: int) -> tuple[float, float]:
        handle = self._handles[number]
        v, w = lib.b3Body_GetLinearVelocity(handle), lib.b3Body_GetAngularVelocity(handle)
        return hypot(*_xyz(v)), hypot(*_xyz(w))

    def _contacts(self, number: int) -> list[Untyped]:
        """Return the contacts of a body, with an array that keeps them."""
        found = ffi.new("b3ContactData[]", _MOST_CONTACTS)
        count = lib.b3Body_GetContactData(self._handles[number], found, _MOST_CONTACTS)
        return [found[k] for k in range(count)]

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        points = []
        for contact in self._contacts(first):
            ends = [lib.b3Shape_GetBody(s) for s in (contact.shapeIdA, contact.shapeIdB)]
            if self._handles[second].index1 not in [end.index1 for end in ends]:
                continue
            origin = np.array(_xyz(lib.b3Body_GetPosition(ends[0])))
            for k in range(contact.manifoldCount):
                manifold = contact.manifolds[k]
                for point in manifold.points[0 : manifold.pointCount]:
                    if point.totalNormalImpulse > 0.0 or point.separation < CONTACT_DISTANCE:
                        points.append(origin + _xyz(point.anchorA))
        return tuple(points)

    def supported(self, number: int) -> bool:
        return any(
            contact.manifolds[k].pointCount > 0
            for contact in self._contacts(number)
            for k in range(contact.manifoldCount)
        )

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        lib.b3Body_SetLinearVelocity(self._handles[number], _vector(velocity))
        lib.b3Body_SetAngularVelocity(self._handles[number], _vector(angular_velocity))

    def fade_resistance(self, share: float) -> None:
        """Damp motion: there is no resistance that could fade."""
        for handle in self._handles:
            lib.b3Body_SetLinearDamping(handle, FADE_DAMPING)
            lib.b3Body_SetAngularDamping(handle, FADE_DAMPING)


class Box3dFloor(FloorSteps):
    """A wide box and one die."""

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        super().__init__(stepping)
        self._body, self._frame = body, principal_frame(body)
        self._arms = self._frame.moments / (2.0 * body.mass.mass * GRAVITY)
        self._world, self._contact = _world(), surface.contact
        self._die: Untyped = None
        at = np.array([0.0, 0.0, -_FAR / 2.0])
        ground = _add_body(self._world, lib.b3_staticBody, at, np.array([0.0, 0.0, 0.0, 1.0]))
        box = ffi.new("b3BoxHull*", lib.b3MakeBoxHull(_FAR, _FAR, _FAR / 2.0))
        self._add_shape(ground, ffi.addressof(box.base))

    def _add_shape(self, handle: Untyped, hull: Untyped) -> None:
        friction, restitution = self._contact.friction, self._contact.restitution
        _add_shape(handle, hull, friction, restitution, group=_BODY, met=_ALL)

    def release(self, drop: Drop) -> None:
        self.still_time = 0.0
        if self._die is not None:
            lib.b3DestroyBody(self._die)
        turned = multiply(drop.rotation, self._frame.rotation)
        at = np.array([0.0, 0.0, drop.height])
        self._die = _add_body(self._world, lib.b3_dynamicBody, at, turned)
        self._add_shape(self._die, _hull_of(self._body, thin_hull(self._body)))
        _set_mass(self._die, self._body)
        lib.b3Body_SetLinearVelocity(self._die, _vector(drop.velocity))
        lib.b3Body_SetAngularVelocity(self._die, _vector(drop.angular_velocity))

    def step(self, count: int) -> None:
        shim.rxWorldStepN(self._world[0], self._stepping.time_step, _SUBSTEPS, count)

    def transform(self) -> tuple[Array, Array]:
        position, turned = _pose(self._die)
        return np.array(position), multiply(turned, self._frame.inverse_rotation)

    def motion(self) -> Motion:
        position, turned = _pose(self._die)
        v = np.array(_xyz(lib.b3Body_GetLinearVelocity(self._die)))
        w = np.array(_xyz(lib.b3Body_GetAngularVelocity(self._die)))
        matrix = to_matrix(turned)
        spin = transform(matrix.T, w)
        return Motion(
            height=position[2],
            energy_height=dot(v, v) / (2.0 * GRAVITY) + dot(self._arms, spin**2),
            down=-transform(self._frame.axes, matrix[2]),
            still_time=self.still_time,
        )


def engine() -> Engine:
    """Return the engine."""
    return Engine(name="box3d", version=version("robox3d"), world=Box3dWorld, floor=Box3dFloor)
