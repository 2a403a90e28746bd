"""Engine `bullet`: PyBullet, with tolerances that suit bodies of 2 cm."""

import atexit
import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import atan2, hypot
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.durable_io import make_folder, write_atomically
from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Mode, Motion, World
from pigglesim.physics.frames import (
    PrincipalFrame,
    principal_frame,
    rounded_vertices,
    thin_hull,
)
from pigglesim.physics.settling import CONTACT_DISTANCE, FADE_DAMPING
from pigglesim.physics.stepping import (
    BULLET_REMEDY,
    RESTITUTION_THRESHOLD,
    CupBox,
    FloorSteps,
    cup_boxes,
)
from pigglesim.rotations import Array, multiply, to_matrix
from pigglesim.scene.scene import GRAVITY, Board, Contact, Scene, Stepping, Surface
from pigglesim.throws import Drop

UNIT = 100.0
"""Bullet length units per metre: worlds are built in centimetres."""
MARGIN = 1e-5 * UNIT
"""Collision margin: 10 micrometres, below every tolerance of the reading."""
REMEMBER = 5e-4 * UNIT
"""Breaking threshold of contacts, half a millimetre. A face rests on many corners, and each step
finds one; with too few cached contacts a cube sinks into the board."""
FORGET = 5e-6 * UNIT
"""The same in the moving cup, where contacts are dropped at once. A contact's normal is fixed, so
one found before the cup turned over would hold a Piggle up in it."""
PROCESSING = 5e-6 * UNIT
"""Largest gap across which a contact pushes, 5 micrometres. A contact that acts across a gap lets
the body keep the speed that closes it: half a millimetre costs a fifth of a bounce, and a quarter
of the step all of it. At zero, a body at rest rattles on the last bit of a contact."""
ERP_FLIGHT = 0.005
"""Share of an overlap that each step turns into speed during flight: it adds to the bounce."""
ERP_CUP = 0.2
"""The same in the cup, where contacts should be rigid: at less, walls and other Piggles squeeze a
Piggle through the wall (7 of 10,200 at 0.005)."""
ERP_EASE = 0.2
"""The same while resistance fades: it closes the overlap that is left from the flight."""
SMALL = 4e-3
"""Radius of gyration about its easiest axis, below which a body is small [m]. Bodies of the project
have 5 mm or more. In a step a small one enters the cup's wall by half of itself, and is then pushed
out at the other side: at 9 Hz a body of 9 mm and 0.1 g was outside in 37 of 40 shakings."""
SMALL_PARTS = 4
"""Parts of a step in the cup if a small body is in it."""


def _import_quietly() -> ModuleType:
    """Return pybullet, without the greeting that it prints to standard error on import."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("w") as nowhere:
            os.dup2(nowhere.fileno(), 2)
            import pybullet as module  # noqa: PLC0415 (slow to import, and absent on some systems)
    except ImportError:
        raise SpecError("pybullet is not installed", fix=BULLET_REMEDY) from None
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    pybullet: ModuleType = module
    return pybullet


@cache
def client() -> SimpleNamespace:
    """Return this process's one connection to Bullet, with every call bound to it.

    It is made on first use: another per throw would cost 10 ms each.
    """
    pybullet = _import_quietly()
    number = pybullet.connect(pybullet.DIRECT)
    values = {name: getattr(pybullet, name) for name in dir(pybullet)}
    return SimpleNamespace(
        **{
            name: partial(value, physicsClientId=number) if callable(value) else value
            for name, value in values.items()
        }
    )


@cache
def _scratch() -> Path:
    """Return a folder for shape files, removed when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="pigglesim-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def compound_file(body: Body) -> str:
    """Write a body's convex parts as one OBJ of many objects and return its path.

    A file is needed, because shapes given by arrays silently drop all but 16 children. There is
    one per digest, for all liveries. Bullet accepts a truncated file as a smaller shape, so a
    file is compared with its text each time, and written again if it differs.

    Raises:
        OSError: If it cannot be written, or differs from the bytes that were written.
    """
    path = _scratch() / f"{body.sha256}.obj"
    data = _compound_text(body)
    if not _holds(path, data):
        make_folder(path.parent)
        write_atomically(path, data)
        if not _holds(path, data):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
    return str(path)


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data


@cache
def _compound_text(body: Body) -> bytes:
    frame = principal_frame(body)
    lines: list[str] = []
    offset = 1
    for part in body.parts:
        points = frame.to_principal(part.vertices) * UNIT
        lines.append(f"o {part.name}")
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in points]
        # Bullet takes the hull of the points; the faces need only mention each of them.
        lines += [
            f"f {offset + i} {offset + i + 1} {offset + i + 2}" for i in range(len(points) - 2)
        ]
        offset += len(points)
    return ("\n".join(lines) + "\n").encode()


EDGE, _MIDDLE, AMONG = 1, 2, 16
"""Collision bits: board and table as boxes, the middle of the board as a plane, and shapes that
collide with other bodies and the cup."""
_FAR, _DEEP = 10.0 * UNIT, 0.5 * UNIT
_STIFF = 1e9
"""Scale of a contact's stiffness and damping [units]: a Piggle's own inverse mass is 1e-6 of it."""
_NO_EDGE = 0.05
"""Distance from the board's edges beyond which only its top can be touched [m]: half a Piggle,
plus the motion between two checks."""
_LOOK_TIME = 0.01
"""Interval between two checks of which bodies are near the board's edge [s]."""


_Shape = tuple[str, str]
"""Digest of a body, and name of one of its shapes."""


def _on_ground(ground: int) -> int:
    """Return the bit of bodies that collide with that ground.

    Each ground has its own bit: Bullet collides two bodies if either's mask includes the other.
    """
    return 4 * ground


@dataclass(slots=True)
class _Member:
    """One body of a world and its handle in Bullet."""

    body: Body
    mode: Mode
    place: RestPlace
    handle: int | None = None
    """Handle in Bullet; None while the body is frozen without one."""
    ground: int = EDGE
    """Bit of the ground that it collides with."""


def _set_parameters(stepping: Stepping, *, erp: float, breaking: float, parts: int = 0) -> None:
    """Set gravity and solver.

    `erp` is a share, `breaking` the threshold of contacts [units], `parts` those of a step.
    """
    p = client()
    p.setGravity(0.0, 0.0, -GRAVITY * UNIT)
    p.setPhysicsEngineParameter(
        fixedTimeStep=stepping.time_step,
        numSubSteps=parts,
        numSolverIterations=stepping.iterations,
        erp=erp,
        contactERP=erp,
        contactBreakingThreshold=breaking,
        restitutionVelocityThreshold=RESTITUTION_THRESHOLD * UNIT,
        deterministicOverlappingPairs=1,
        # A file of parts is named by its digest, so its contents never change.
        enableFileCaching=1,
    )


def _set_die(die: int, link: int = -1, *, friction: float = 1.0, restitution: float = 1.0) -> None:
    """Set the contact of a die: its ground has the resistance to rolling and spinning."""
    client().changeDynamics(
        die,
        link,
        lateralFriction=friction,
        restitution=restitution,
        rollingFriction=0.0,
        spinningFriction=0.0,
        contactProcessingThreshold=PROCESSING,
    )


def _set_moving(die: int, frame: PrincipalFrame, *, damping: float = 0.0) -> None:
    client().changeDynamics(
        die,
        -1,
        localInertiaDiagonal=(frame.moments * UNIT**2).tolist(),
        linearDamping=damping,
        angularDamping=damping,
        maxJointVelocity=1e6,
    )


class BulletWorld(World):
    """A PyBullet world; it is valid until the next one is made in this process."""

    _cup_reduction = ERP_CUP
    """Share of an overlap that each step turns into speed while the cup is in the world."""

    def __init__(self, scene: Scene) -> None:
        self._p = client()
        self._scene = scene
        self._members: list[_Member] = []
        self._damping = 0.0
        self._erp = self._cup_reduction
        self._breaking = FORGET
        self._parts = 0
        self._cup: int | None = None
        self._cup_pose: Pose | None = None
        contacts = scene.contacts
        # The product of a die's value and its partner's gives each pair its own value.
        self._friction = contacts.piggle.friction**0.5
        self._restitution = max(contacts.piggle.restitution, 1e-4) ** 0.5
        self._p.resetSimulation()
        self._set_parameters()
        self._ground_erp = ERP_FLIGHT
        self._inside = (scene.board.half - _NO_EDGE) * UNIT
        self._grounds = self._add_grounds(scene.board)
        self._resist(1.0)
        self._shapes: dict[_Shape, int] = {}
        self._look_steps = max(1, round(_LOOK_TIME / scene.stepping.time_step))
        self._steps = 0

    def _set_parameters(self) -> None:
        _set_parameters(
            self._scene.stepping, erp=self._erp, breaking=self._breaking, parts=self._parts
        )

    def _add_grounds(self, board: Board) -> list[int]:
        """Add board and table: boxes near the board's edges, a plane where no edge is near.

        Colliding a hull with a plane costs two fifths of a box, and finds the same corners. The
        table is so deep that no body comes out below it, as it would of one as thin as the board.
        """
        p, half, deep = self._p, board.half * UNIT, board.thickness * UNIT / 2.0
        handles = []
        for size, top in (([half, half, deep], 0.0), ([_FAR, _FAR, _DEEP], -2.0 * deep)):
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=size)
            handle = int(p.createMultiBody(0.0, shape, basePosition=[0.0, 0.0, top - size[2]]))
            p.setCollisionFilterGroupMask(handle, -1, EDGE, _on_ground(EDGE))
            handles.append(handle)
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=[0.0, 0.0, 1.0])
        handle = int(p.createMultiBody(0.0, shape))
        p.setCollisionFilterGroupMask(handle, -1, _MIDDLE, _on_ground(_MIDDLE))
        return [*handles, handle]

    def _resist(self, share: float) -> None:
        """Scale rolling and spinning resistance of the ground.

        The ground closes overlaps at its own rate, independent of the cup. A contact's stiffness k
        and damping d make its error reduction k dt / (k dt + d), and its softness
        1 / (k dt + d), which is negligible here.
        """
        damping = (1.0 - self._ground_erp) * _STIFF
        stiffness = self._ground_erp * _STIFF / self._scene.stepping.time_step
        for handle in self._grounds:
            self._give_surface(handle, self._scene.contacts.board, resists=share)
            self._p.changeDynamics(handle, -1, contactStiffness=stiffness, contactDamping=damping)

    def _give_surface(self, handle: int, contact: Contact, *, resists: float = 0.0) -> None:
        """Set a fixed body's friction and restitution to those of its pair with a die."""
        contacts = self._scene.contacts
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

    def _make(self, member: _Member, mode: Mode, position: Array, rotation: Array) -> None:
        """Create a member's body at a pose of its principal frame [units].

        A free body of several parts collides with the ground by its hull, which is all that a flat
        ground can touch. It collides with other bodies by its parts, on a massless link.
        """
        member.mode = mode
        member.ground = self._ground_for(mode, position)
        p, body, standing = self._p, member.body, mode is Mode.FROZEN
        link: dict[str, list[Any]] = {}
        if mode is Mode.FREE and body.parts:
            link = {
                "linkMasses": [0.0],
                "linkCollisionShapeIndices": [self._shape(body, "parts")],
                "linkVisualShapeIndices": [-1],
                "linkPositions": [[0.0, 0.0, 0.0]],
                "linkOrientations": [[0.0, 0.0, 0.0, 1.0]],
                "linkInertialFramePositions": [[0.0, 0.0, 0.0]],
                "linkInertialFrameOrientations": [[0.0, 0.0, 0.0, 1.0]],
                "linkParentIndices": [0],
                "linkJointTypes": [p.JOINT_FIXED],
                "linkJointAxis": [[0.0, 0.0, 1.0]],
            }
        whole = "parts" if standing and body.parts else "hull"
        handle = int(
            p.createMultiBody(
                0.0 if standing else body.mass.mass,
                self._shape(body, "thin" if mode is Mode.IN_CUP else whole),
                basePosition=position.tolist(),
                baseOrientation=rotation.tolist(),
                **link,
            )
        )
        for number in (-1, 0) if link else (-1,):
            _set_die(handle, number, friction=self._friction, restitution=self._restitution)
        # In a call of its own: a margin set on a link silently voids other settings of that call.
        p.changeDynamics(handle, -1, collisionMargin=MARGIN)
        if not standing:
            _set_moving(handle, principal_frame(body), damping=self._damping)
        member.handle = handle
        self._meet(member)
        if mode is Mode.IN_CUP and is_small(body) and not self._parts:
            self._parts = SMALL_PARTS
            self._set_parameters()

    def _meet(self, member: _Member) -> None:
        """Set a body's collision filter: one bit of the ground, and other bodies."""
        mask, ground = self._p.setCollisionFilterGroupMask, member.ground
        if member.mode is Mode.FREE and member.body.parts:
            mask(member.handle, -1, _on_ground(ground), ground)
            mask(member.handle, 0, AMONG, AMONG)
        else:
            mask(member.handle, -1, _on_ground(ground) | AMONG, ground | AMONG)

    def _shape(self, body: Body, sort: str) -> int:
        """Return the handle of a body's `"hull"`, of its `"thin"` one or of its `"parts"`."""
        # By digest: all liveries of a model are of one shape.
        key = (body.sha256, sort)
        if key not in self._shapes:
            create, mesh = self._p.createCollisionShape, self._p.GEOM_MESH
            if sort == "parts":
                self._shapes[key] = int(create(mesh, fileName=compound_file(body)))
            else:
                points = thin_hull(body) if sort == "thin" else body.hull.vertices
                vertices = principal_frame(body).to_principal(points) * UNIT
                self._shapes[key] = int(create(mesh, vertices=vertices.tolist()))
        return self._shapes[key]

    def _ground_for(self, mode: Mode, position: Sequence[float] | Array) -> int:
        """Return the bit of the ground for a body with its centre there [units]."""
        # In the cup nothing is near the ground, whose boxes then cost nothing.
        inside = max(abs(position[0]), abs(position[1])) < self._inside
        return _MIDDLE if mode is Mode.FREE and inside else EDGE

    def _put(self, member: _Member, mode: Mode) -> None:
        """Create a member's body at its position and rotation."""
        frame = principal_frame(member.body)
        position = np.array(member.place.position) * UNIT
        rotation = multiply(np.array(member.place.rotation), frame.rotation)
        self._make(member, mode, position, rotation)

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        member = _Member(body=body, mode=mode, place=place)
        self._put(member, mode)
        self._members.append(member)
        return len(self._members) - 1

    def set_mode(self, number: int, mode: Mode) -> None:
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
        boxes = self._cup_boxes()
        shape = self._p.createCollisionShapeArray(
            shapeTypes=[self._p.GEOM_BOX] * len(boxes),
            halfExtents=[[half * UNIT for half in box.half_extents] for box in boxes],
            collisionFramePositions=[[at * UNIT for at in box.centre] for box in boxes],
            collisionFrameOrientations=[list(box.rotation) for box in boxes],
        )
        position, rotation = _in_units(pose)
        self._cup = int(
            self._p.createMultiBody(0.0, shape, basePosition=position, baseOrientation=rotation)
        )
        # A wall that Bullet dropped would leak.
        children = len(self._p.getCollisionShapeData(self._cup, -1))
        assert children == len(boxes), f"Bullet kept {children} parts of the cup"
        self._p.setCollisionFilterGroupMask(self._cup, -1, AMONG, AMONG)
        self._give_surface(self._cup, self._scene.contacts.cup)
        self._cup_pose = pose

    def _cup_boxes(self) -> tuple[CupBox, ...]:
        return cup_boxes(self._scene.cup)

    def move_cup(self, pose: Pose) -> None:
        """Move the cup to this pose by the end of the next step, pushing its contents.

        A body without mass moves only by its own velocity. It starts the step at its present pose,
        so that contacts are found at the wall, and its velocity takes it to the new one.
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
        if self._cup is not None:
            self._p.removeBody(self._cup)
            self._cup = None

    def cup_released(self) -> None:
        """Cache contacts from now on: the cup is empty, and no longer rotates their normals."""
        self._breaking = REMEMBER
        self._erp = ERP_FLIGHT
        self._parts = 0
        self._set_parameters()
        # A pair keeps the threshold of its first contact, so all pairs are made again.
        for member in self._members:
            if member.handle is not None and member.mode is Mode.FREE:
                self._meet(member)

    def _see_to_ground(self) -> None:
        """Set each body to collide with the part of the ground near it."""
        for member in self._members:
            if member.handle is not None and member.mode is Mode.FREE:
                position, _ = self._p.getBasePositionAndOrientation(member.handle)
                ground = self._ground_for(member.mode, position)
                if ground != member.ground:
                    member.ground = ground
                    self._meet(member)

    def step(self) -> None:
        if self._steps % self._look_steps == 0:
            self._see_to_ground()
        self._steps += 1
        self._p.stepSimulation()

    def positions(self) -> Array:
        rows = [
            tuple(v * UNIT for v in member.place.position)
            if member.mode is Mode.FROZEN or member.handle is None
            else self._p.getBasePositionAndOrientation(member.handle)[0]
            for member in self._members
        ]
        return np.array(rows) / UNIT

    def place(self, number: int) -> RestPlace:
        member = self._members[number]
        if member.handle is None or member.mode is Mode.FROZEN:
            return member.place
        (x, y, z), rotation = self._p.getBasePositionAndOrientation(member.handle)
        qx, qy, qz, qw = multiply(
            np.array(rotation), principal_frame(member.body).inverse_rotation
        ).tolist()
        return RestPlace(position=(x / UNIT, y / UNIT, z / UNIT), rotation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        velocity, spin = self._p.getBaseVelocity(self._members[number].handle)
        return hypot(*velocity) / UNIT, hypot(*spin)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        one, other = self._members[first].handle, self._members[second].handle
        if one is None or other is None:
            return ()
        points = self._p.getContactPoints(one, other)
        # A contact has its point on the first body at index 5, its gap at 8 and its force at 9.
        # At rest a force comes and goes from step to step; the gap stays.
        return tuple(
            np.array(point[5]) / UNIT
            for point in points
            if point[9] > 0.0 or point[8] < CONTACT_DISTANCE * UNIT
        )

    def supported(self, number: int) -> bool:
        return len(self._p.getContactPoints(self._members[number].handle)) > 0

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        self._p.resetBaseVelocity(
            self._members[number].handle, (velocity * UNIT).tolist(), angular_velocity.tolist()
        )

    def fade_resistance(self, share: float) -> None:
        """Scale rolling and spinning resistance, damp motion, close overlaps from the flight."""
        self._erp = ERP_EASE
        self._set_parameters()
        self._damping = FADE_DAMPING
        self._ground_erp = ERP_EASE
        self._resist(share)
        for member in self._members:
            if member.handle is not None and member.mode is not Mode.FROZEN:
                self._p.changeDynamics(
                    member.handle, -1, linearDamping=self._damping, angularDamping=self._damping
                )


def is_small(body: Body) -> bool:
    """Return whether the cup needs finer steps to hold a body."""
    return bool(principal_frame(body).moments[0] < body.mass.mass * SMALL**2)


def _in_units(pose: Pose) -> Pose:
    (x, y, z), rotation = pose
    return (x * UNIT, y * UNIT, z * UNIT), rotation


def _spin(before: tuple[float, ...], after: tuple[float, ...], step: float) -> list[float]:
    """Return the angular velocity [rad/s], world axes, from one rotation to the next."""
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

    Settings are those of worlds, except two that change no result, as tests show. The floor is a
    plane, for which a hull of a thousand vertices costs no more than one of ten. The world is
    reused for the next drop, with the die removed and made again. That leaves no trace of the last
    drop: each one has the same bits as in a fresh world.
    """

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._p = client()
        self._frame = principal_frame(body)
        super().__init__(stepping)
        self._mass = body.mass.mass
        self._die: int | None = None
        p = self._p
        p.resetSimulation()
        _set_parameters(stepping, erp=ERP_FLIGHT, breaking=REMEMBER)
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
        hull = rounded_vertices(body) * UNIT
        self._shape = p.createCollisionShape(p.GEOM_MESH, vertices=hull.tolist())
        # These rows map world axes, as row vectors in the principal frame, to body axes.
        self._axes = [tuple(row) for row in self._frame.axes.tolist()]
        self._arms = [float(m) / (2.0 * self._mass * GRAVITY) for m in self._frame.moments]

    def release(self, drop: Drop) -> None:
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
        _set_die(self._die)
        p.changeDynamics(self._die, -1, collisionMargin=MARGIN)
        _set_moving(self._die, self._frame)
        p.resetBaseVelocity(
            self._die, (drop.velocity * UNIT).tolist(), drop.angular_velocity.tolist()
        )

    def step(self, count: int) -> None:
        for _ in range(count):
            self._p.stepSimulation()

    def transform(self) -> tuple[Array, Array]:
        position, rotation = self._p.getBasePositionAndOrientation(self._die)
        return np.array(position) / UNIT, multiply(np.array(rotation), self._frame.inverse_rotation)

    def motion(self) -> Motion:
        (_, _, z), rotation = self._p.getBasePositionAndOrientation(self._die)
        (vx, vy, vz), (wx, wy, wz) = self._p.getBaseVelocity(self._die)
        # Rows of the rotation from principal to world axes.
        rows = to_matrix(np.array(rotation)).tolist()
        (r00, r01, r02), (r10, r11, r12), (r20, r21, r22) = rows
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


_PLAIN_ITERATIONS = 50
_PLAIN_WALLS = 15


def plain_world(scene: Scene) -> "_PlainWorld":
    """Return a fresh world with a straightforward setup, as a baseline."""
    stepping = replace(scene.stepping, iterations=_PLAIN_ITERATIONS, ease_time=0.0)
    return _PlainWorld(replace(scene, stepping=stepping))


class _PlainWorld(BulletWorld):
    """A world without thinned hulls, exchanged grounds or frozen bodies."""

    _cup_reduction = ERP_FLIGHT

    def _cup_boxes(self) -> tuple[CupBox, ...]:
        return cup_boxes(self._scene.cup, walls=_PLAIN_WALLS)

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        """Add a body at rest, free to move, and return its number."""
        return super().add_body(replace(body, parts=()), place, Mode.FREE)

    def set_mode(self, number: int, mode: Mode) -> None:
        """Leave the body unchanged."""

    def freeze(self, number: int, place: RestPlace) -> bool:
        """Return False: the body is stepped further."""
        return False

    def _ground_for(self, mode: Mode, position: Sequence[float] | Array) -> int:
        return EDGE
