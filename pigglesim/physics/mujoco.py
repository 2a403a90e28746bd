"""Engine `mujoco`: MuJoCo, with Newton's law of restitution and Coulomb's law of friction.

MuJoCo has a reference acceleration for every contact (`efc_aref`) and finds the closest forces in
the friction cones. Its default is that of a soft spring and damper. Here it is set directly,
between finding the contacts and solving them: in one step the normal speed becomes `restitution`
times its former value, and the sliding speed zero.

MuJoCo's problem is convex, and its contacts are not quite Coulomb's: one that slides at a speed s
also lifts off at friction * s (Anitescu 2006). With soft contacts that is slow; with contacts this
hard a sliding body would fly. So the lift is measured and subtracted from the reference, and the
problem is solved again until it no longer changes. Once it has converged, Coulomb's law holds
exactly (De Saxce and Feng 1998; the iteration of Cadoux 2009).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from math import atan2, ceil, exp, hypot
from typing import Any, TypeAlias

import mujoco
import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.cup_motion import Pose
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Mode, Motion, World
from pigglesim.physics.frames import (
    PrincipalFrame,
    principal_frame,
    rounded_vertices,
    thin_hull,
)
from pigglesim.physics.settling import CONTACT_DISTANCE, FADE_DAMPING
from pigglesim.physics.stepping import RESTITUTION_THRESHOLD, FloorSteps, cup_boxes
from pigglesim.rotations import Array, Indices, dot, length, multiply, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Scene, Stepping, Surface
from pigglesim.throws import Drop

Untyped: TypeAlias = Any
"""An object of mujoco, which carries no types: a model, its data or a specification."""

_TRIES = 8
"""Maximum number of times that a step's contacts are solved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """Numerical parameters of contacts, apart from their physical laws."""

    closing: float
    """Share of an overlap that a step closes."""
    fastest: float
    """Maximum speed at which overlaps close [m/s]."""
    settled: float
    """Change of the lift below which it has converged [m/s]."""


IN_CUP = Care(closing=0.2, fastest=1.0, settled=1e-2)
"""Parameters in the cup, where contacts should be rigid but precision matters little."""
ON_BOARD = Care(closing=0.1, fastest=0.01, settled=1e-3)
"""Parameters on the board, where a closing overlap must not throw: 1 cm/s lifts by 5 micrometres.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A model, and the owners of its geoms."""

    model: Untyped
    """Model, a `mujoco.MjModel`; moving bodies are in the order of the items, then the cup."""
    data: Untyped
    """State, a `mujoco.MjData`."""
    owners: Indices
    """Number of the item that each geom belongs to; -1 for board, table and cup."""
    restitutions: Array
    """Restitution of each geom against a body; negative for a body's own geoms."""
    piggle: float
    """Restitution of two bodies."""


def advance(compiled: Compiled, care: Care) -> None:
    """Advance by one of the model's steps; contacts and their forces can be read afterwards."""
    model, data = compiled.model, compiled.data
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)
    _solve_contacts(compiled, care)
    mujoco.mj_Euler(model, data)


def _solve_contacts(compiled: Compiled, care: Care) -> None:
    """Set the reference accelerations of a step, after its contacts are found."""
    model, data = compiled.model, compiled.data
    if data.ncon == 0:
        mujoco.mj_fwdConstraint(model, data)
        return
    step = model.opt.timestep
    contact = data.contact
    rows = contact.efc_address
    distance = contact.dist
    bounce = compiled.restitutions[contact.geom].max(axis=1)
    bounce[bounce < 0.0] = compiled.piggle
    before = data.efc_vel[rows]
    # A gap may close within the step; an overlap opens at a bounded speed.
    after = np.where(
        distance > 0.0,
        -distance / step,
        np.minimum(-distance * care.closing / step, care.fastest),
    )
    struck = (before < -RESTITUTION_THRESHOLD) & (before < after)
    after[struck] = np.maximum(after, -bounce * before)[struck]
    data.efc_aref[:] = data.efc_vel / -step
    asked = (after - before) / step
    data.efc_aref[rows] = asked
    mujoco.mj_fwdConstraint(model, data)
    weights = _row_weights(contact, len(data.efc_vel))
    residual = np.zeros(len(weights))
    lift = np.zeros(len(rows))
    for _ in range(_TRIES - 1):
        mujoco.mj_mulJacVec(model, data, residual, data.qacc)
        residual -= data.efc_aref
        residual *= weights
        residual *= residual
        found = np.sqrt(np.add.reduceat(residual, rows))
        pushes = data.efc_force[rows] > 0.0
        if np.abs((found - lift)[pushes]).max(initial=0.0) * step < care.settled:
            return
        lift = found
        data.efc_aref[rows] = asked - lift
        data.qacc_warmstart[:] = data.qacc
        mujoco.mj_fwdConstraint(model, data)


def _row_weights(contact: Untyped, count: int) -> Array:
    """Return the friction coefficient of each row of the problem; none for normals."""
    table = np.zeros((len(contact.dim), 6))
    table[:, 1:] = contact.friction
    weights: Array = table[np.arange(6) < contact.dim[:, None]]
    assert len(weights) == count
    return weights


GROUND = (0, 1)
"""Ids of the geoms of board and table."""
INNER_STEP = 1e-3
"""Maximum length of the equal parts of the scene's step [s]. An impact is found late by up to one.
A restitution of 0.4 comes out as 0.383 +- 0.013 at 2 ms, 0.395 +- 0.004 at 1 ms, 0.397 +- 0.003 at
0.5 ms (Bullet at 2 ms: 0.395 +- 0.010), for 0.46, 0.65 and 1.0 s of work per pour."""
_MARGIN = 1e-4
"""Distance within which contacts are found [m]: all corners of a resting face are in the solver."""
_CUP_MASS = 1e3
"""Mass of the cup [kg]: its contents have 1e-5 of it, so they do not disturb its motion."""
_GROUND_BIT, _CUP_BIT, _BODY_BIT = 1, 2, 4


@unique
class Touch(Enum):
    """Collision filter of a geom: MuJoCo's pair of bit masks (contype, conaffinity)."""

    GROUND = (_GROUND_BIT, 0)
    CUP = (_CUP_BIT, 0)
    ALL = (_BODY_BIT, _GROUND_BIT | _CUP_BIT | _BODY_BIT)
    """A body of one geom."""
    HULL = (0, _GROUND_BIT)
    """The hull of a body of several parts, which is all that a flat ground can touch."""
    PART = (_BODY_BIT, _CUP_BIT | _BODY_BIT)
    """One of its parts, which collide with everything else."""


_HARD = (0.999, 0.999, 1e-3, 0.5, 1.0)
"""Impedance of every contact, the same at any depth: speeds are reached to a thousandth."""


_Mesh = tuple[str, Touch]
"""Name of a mesh, and its collision filter."""


@dataclass(slots=True)
class Member:
    """One body of a world; the world stores its motion, in rows by number."""

    body: Body
    frame: PrincipalFrame
    mode: Mode
    place: RestPlace


def compile_world(
    scene: Scene,
    members: Sequence[Member],
    places: Array,
    *,
    cup: bool,
    resists: float,
    step: float,
) -> Compiled:
    """Return a model, stepped by `step` [s], in which the cup and all but frozen bodies move.

    Each row of `places`, shape [body_count, 7], has a body's position [m] and the quaternion
    (w, x, y, z) of its principal frame.
    """
    spec = new_spec(step)
    contacts = scene.contacts
    half, deep = scene.board.half, scene.board.thickness / 2.0
    # A small body sinks into a box that is a thousand times as large, which stands for the table.
    for shape, size, height in (
        (mujoco.mjtGeom.mjGEOM_BOX, [half, half, deep], -deep),
        (mujoco.mjtGeom.mjGEOM_PLANE, [0.0, 0.0, 1.0], -2.0 * deep),
    ):
        add_geom(
            spec.worldbody,
            shape,
            touch=Touch.GROUND,
            friction=contacts.board.friction,
            size=size,
            pos=[0.0, 0.0, height],
        )
    owners, restitutions = [-1, -1], [contacts.board.restitution] * 2
    meshes: dict[tuple[str, Mode], list[_Mesh]] = {}
    # MuJoCo numbers geoms by body, and bodies as they are added.
    for number, (member, place) in enumerate(zip(members, places, strict=True)):
        names = _meshes(spec, member, meshes)
        _add_body(spec, member, place, names, friction=contacts.piggle.friction)
        owners += [number] * len(names)
        restitutions += [-1.0] * len(names)
    if cup:
        count = _add_cup(spec, scene)
        owners += [-1] * count
        restitutions += [contacts.cup.restitution] * count
    model = spec.compile()
    assert model.ngeom == len(owners)
    set_levers(
        model,
        GROUND,
        rolling=contacts.rolling_lever * resists,
        spinning=contacts.spinning_lever * resists,
    )
    return Compiled(
        model=model,
        data=mujoco.MjData(model),
        owners=np.array(owners),
        restitutions=np.array(restitutions),
        piggle=contacts.piggle.restitution,
    )


def set_levers(
    model: Untyped,
    geoms: Sequence[int],
    *,
    rolling: float,
    spinning: float,
) -> None:
    """Set the levers [m] of fixed geoms against rolling and spinning."""
    for geom in geoms:
        model.geom_friction[geom, 1:] = spinning, rolling
        # MuJoCo rejects a coefficient of zero: a contact has only the directions that resist.
        model.geom_condim[geom] = 6 if rolling > 0.0 else 4 if spinning > 0.0 else 3


def new_spec(step: float) -> Untyped:
    """Return an empty specification with gravity, solver and time step [s]."""
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.iterations = 50
    spec.option.tolerance = 1e-10
    return spec


def add_geom(
    owner: Untyped, kind: Untyped, *, touch: Touch, friction: float, **how: Untyped
) -> None:
    """Add a geom with the contact settings of this module; a fixed one sets its pair's friction."""
    contype, conaffinity = touch.value
    owner.add_geom(
        type=kind,
        # A fixed geom has the values of its pair with a body; those of higher priority apply.
        priority=1 if touch in {Touch.GROUND, Touch.CUP} else 0,
        friction=[friction, 0.0, 0.0],
        condim=3,
        contype=contype,
        conaffinity=conaffinity,
        solimp=_HARD,
        margin=_MARGIN / 2.0,
        density=0.0,
        **how,
    )


def _meshes(
    spec: Untyped, member: Member, known: dict[tuple[str, Mode], list[_Mesh]]
) -> list[_Mesh]:
    """Return the convex meshes of a body in its mode, each with its collision filter."""
    body, mode = member.body, member.mode
    key = (body.sha256, mode)
    if key not in known:
        hull, parts = body.hull.vertices, [part.vertices for part in body.parts]
        if mode is Mode.IN_CUP:
            clouds = [(Touch.ALL, thin_hull(body))]
        elif mode is Mode.FREE and parts:
            clouds = [(Touch.HULL, hull), *((Touch.PART, part) for part in parts)]
        else:
            clouds = [(Touch.ALL, cloud) for cloud in parts or [hull]]
        known[key] = []
        for index, (touch, points) in enumerate(clouds):
            name = f"{len(known)}-{index}"
            spec.add_mesh(name=name, uservert=member.frame.to_principal(points).ravel())
            known[key].append((name, touch))
    return known[key]


def _add_body(
    spec: Untyped, member: Member, place: Array, meshes: list[_Mesh], *, friction: float
) -> None:
    owner = _add_inertia(spec, member.body, member.frame, pos=place[:3], quat=place[3:])
    if member.mode is not Mode.FROZEN:
        owner.add_freejoint()
    for name, touch in meshes:
        add_geom(owner, mujoco.mjtGeom.mjGEOM_MESH, touch=touch, friction=friction, meshname=name)


def _add_inertia(spec: Untyped, body: Body, frame: PrincipalFrame, **how: Untyped) -> Untyped:
    """Add a body without geoms, in its principal frame."""
    return spec.worldbody.add_body(
        # If left out, the centre of mass is put at `pos` again.
        ipos=[0.0, 0.0, 0.0],
        iquat=[1.0, 0.0, 0.0, 0.0],
        mass=body.mass.mass,
        inertia=frame.moments,
        explicitinertial=True,
        **how,
    )


def _add_cup(spec: Untyped, scene: Scene) -> int:
    """Add the cup as a body so heavy that nothing moves it; return how many boxes it has."""
    cup = scene.cup
    inertia = _CUP_MASS * cup.inner_radius**2
    owner = spec.worldbody.add_body(
        ipos=[0.0, 0.0, 0.0],
        mass=_CUP_MASS,
        inertia=[inertia] * 3,
        explicitinertial=True,
        # The hand carries it.
        gravcomp=1.0,
    )
    owner.add_freejoint()
    boxes = cup_boxes(cup)
    for box in boxes:
        x, y, z, w = box.rotation
        add_geom(
            owner,
            mujoco.mjtGeom.mjGEOM_BOX,
            touch=Touch.CUP,
            friction=scene.contacts.cup.friction,
            size=box.half_extents,
            pos=box.centre,
            quat=[w, x, y, z],
        )
    return len(boxes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meetings:
    """Contacts of one inner step."""

    pairs: Array
    """Numbers of the two bodies, -1 for a fixed or driven one, shape [count, 2]."""
    points: Array
    """Contact points [m], shape [count, 3]."""
    touching: Array
    """True for pairs that pushed or were near enough to count, shape [count]."""


class MujocoWorld(World):
    """A MuJoCo world."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._members: list[Member] = []
        # State of each body by number: position and quaternion (w, x, y, z) of the principal
        # frame, velocity in world axes and angular velocity in body axes, as MuJoCo stores them.
        self._places = np.zeros((0, 7))
        self._motions = np.zeros((0, 6))
        self._compiled: Compiled | None = None
        self._cup: Pose | None = None
        self._cup_next: Pose | None = None
        self._care = IN_CUP
        self._share, self._damping = 1.0, 0.0
        self._meetings: list[_Meetings] = []
        parts = ceil(scene.stepping.time_step / INNER_STEP - 1e-9)
        self._parts, self._step = parts, scene.stepping.time_step / parts

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        frame = principal_frame(body)
        self._members.append(Member(body=body, frame=frame, mode=mode, place=place))
        self._places = np.vstack([self._places, np.zeros(7)])
        self._motions = np.vstack([self._motions, np.zeros(6)])
        number = len(self._members) - 1
        self._put(number, place)
        return number

    def _put(self, number: int, place: RestPlace) -> None:
        """Set a body at rest at a position and rotation."""
        member = self._members[number]
        member.place = place
        x, y, z, w = multiply(np.array(place.rotation), member.frame.rotation)
        self._places[number] = (*place.position, w, x, y, z)
        self._motions[number] = 0.0
        self._compiled = None

    def set_mode(self, number: int, mode: Mode) -> None:
        self._members[number].mode = mode
        self._compiled = None

    def freeze(self, number: int, place: RestPlace) -> bool:
        self._members[number].mode = Mode.FROZEN
        self._put(number, place)
        return True

    def add_cup(self, pose: Pose) -> None:
        self._cup, self._compiled = pose, None

    def move_cup(self, pose: Pose) -> None:
        self._cup_next = pose

    def remove_cup(self) -> None:
        self._cup, self._cup_next, self._compiled = None, None, None

    def cup_released(self) -> None:
        """Close overlaps gently from now on: no wall squeezes bodies on the board."""
        self._care = ON_BOARD

    def step(self) -> None:
        compiled = self._compiled or self._compile()
        data = compiled.data
        loose = [n for n, member in enumerate(self._members) if member.mode is not Mode.FROZEN]
        count = len(loose)
        data.qpos[: 7 * count] = self._places[loose].ravel()
        data.qvel[: 6 * count] = self._motions[loose].ravel()
        driven = self._drive(data, count)
        keep = exp(-self._damping * self._step)
        self._meetings.clear()
        for _ in range(self._parts):
            data.qvel[6 * count :] = driven
            advance(compiled, self._care)
            if data.ncon:
                self._note(compiled)
            data.qvel[: 6 * count] *= keep
        self._places[loose] = data.qpos[: 7 * count].reshape(count, 7)
        self._motions[loose] = data.qvel[: 6 * count].reshape(count, 6)
        self._cup, self._cup_next = self._cup_next or self._cup, None

    def _compile(self) -> Compiled:
        compiled = compile_world(
            self._scene,
            self._members,
            self._places,
            cup=self._cup is not None,
            resists=self._share,
            step=self._step,
        )
        self._compiled = compiled
        return compiled

    def _drive(self, data: Untyped, count: int) -> Array:
        """Set the cup to its present pose and return the motion that takes it to its target."""
        if self._cup is None:
            return np.zeros(0)
        position, (x, y, z, w) = self._cup
        data.qpos[7 * count :] = (*position, w, x, y, z)
        return _motion(self._cup, self._cup_next or self._cup, self._scene.stepping.time_step)

    def _note(self, compiled: Compiled) -> None:
        """Record the contacts of this part of the step."""
        contact = compiled.data.contact
        force = compiled.data.efc_force[contact.efc_address]
        self._meetings.append(
            _Meetings(
                pairs=compiled.owners[contact.geom],
                points=contact.pos.copy(),
                touching=(force > 0.0) | (contact.dist < CONTACT_DISTANCE),
            )
        )

    def positions(self) -> Array:
        return self._places[:, :3].copy()

    def place(self, number: int) -> RestPlace:
        member = self._members[number]
        if member.mode is Mode.FROZEN:
            return member.place
        px, py, pz, w, x, y, z = self._places[number].tolist()
        qx, qy, qz, qw = multiply(np.array([x, y, z, w]), member.frame.inverse_rotation).tolist()
        return RestPlace(position=(px, py, pz), rotation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        vx, vy, vz, wx, wy, wz = self._motions[number].tolist()
        return hypot(vx, vy, vz), hypot(wx, wy, wz)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        wanted = (min(first, second), max(first, second))
        # A glancing impact may end within the step: take the latest part that has a contact.
        for met in reversed(self._meetings):
            pairs = np.sort(met.pairs, axis=1)
            points = met.points[(pairs == wanted).all(axis=1) & met.touching]
            if len(points):
                return tuple(points)
        return ()

    def supported(self, number: int) -> bool:
        return any(bool((met.pairs == number).any()) for met in self._meetings)

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        w, x, y, z = self._places[number, 3:]
        self._motions[number, :3] = velocity
        self._motions[number, 3:] = transform(to_matrix(np.array([x, y, z, w])).T, angular_velocity)

    def fade_resistance(self, share: float) -> None:
        self._share, self._damping = share, FADE_DAMPING
        if self._compiled is not None:
            contacts = self._scene.contacts
            set_levers(
                self._compiled.model,
                GROUND,
                rolling=contacts.rolling_lever * share,
                spinning=contacts.spinning_lever * share,
            )


def _motion(before: Pose, after: Pose, step: float) -> Array:
    """Return velocity [m/s] and angular velocity in body axes [rad/s] from one pose to the next."""
    x, y, z, w = before[1]
    turn = multiply(np.array([-x, -y, -z, w]), np.array(after[1]))
    turn = -turn if turn[3] < 0.0 else turn
    sine = length(turn[:3])
    # Below this the angle is the doubled sine to the last bit.
    rate = 2.0 * atan2(sine, float(turn[3])) / sine if sine > 1e-9 else 2.0
    way = np.array(after[0]) - before[0]
    return np.concatenate([way, turn[:3] * rate]) / step


class MujocoFloor(FloorSteps):
    """A plane and one die."""

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._frame = principal_frame(body)
        super().__init__(stepping)
        self._arms = self._frame.moments / (2.0 * body.mass.mass * GRAVITY)
        self._parts = ceil(stepping.time_step / INNER_STEP - 1e-9)
        spec = new_spec(stepping.time_step / self._parts)
        friction = surface.contact.friction
        add_geom(
            spec.worldbody,
            mujoco.mjtGeom.mjGEOM_PLANE,
            touch=Touch.GROUND,
            friction=friction,
            size=[0.0, 0.0, 1.0],
        )
        spec.add_mesh(name="hull", uservert=rounded_vertices(body).ravel())
        die = _add_inertia(spec, body, self._frame)
        die.add_freejoint()
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        add_geom(die, mesh, touch=Touch.ALL, friction=friction, meshname="hull")
        self._model = spec.compile()
        rolling = surface.rolling_lever
        set_levers(self._model, [0], rolling=rolling, spinning=surface.spinning_lever)
        self._data = mujoco.MjData(self._model)
        self._compiled = Compiled(
            model=self._model,
            data=self._data,
            owners=np.array([-1, 0]),
            restitutions=np.array([surface.contact.restitution, -1.0]),
            piggle=0.0,
        )

    def release(self, drop: Drop) -> None:
        self.still_time = 0.0
        mujoco.mj_resetData(self._model, self._data)
        turned = multiply(drop.rotation, self._frame.rotation)
        x, y, z, w = turned
        self._data.qpos[:] = (0.0, 0.0, drop.height, w, x, y, z)
        self._data.qvel[:3] = drop.velocity
        self._data.qvel[3:] = transform(to_matrix(turned).T, drop.angular_velocity)

    def step(self, count: int) -> None:
        for _ in range(count * self._parts):
            advance(self._compiled, ON_BOARD)

    def run_plain(self, time_step: float, count: int) -> None:
        """Advance by MuJoCo's own stepping [s], without restitution, as a baseline."""
        self._model.opt.timestep = time_step
        mujoco.mj_step(self._model, self._data, nstep=count)

    def transform(self) -> tuple[Array, Array]:
        w, x, y, z = self._data.qpos[3:]
        turned = multiply(np.array([x, y, z, w]), self._frame.inverse_rotation)
        return self._data.qpos[:3].copy(), turned

    def motion(self) -> Motion:
        w, x, y, z = self._data.qpos[3:]
        velocity, spin = self._data.qvel[:3], self._data.qvel[3:]
        energy_height = dot(velocity, velocity) / (2.0 * GRAVITY) + dot(self._arms, spin**2)
        down = -transform(self._frame.axes, to_matrix(np.array([x, y, z, w]))[2])
        return Motion(
            height=float(self._data.qpos[2]),
            energy_height=energy_height,
            down=down,
            still_time=self.still_time,
        )
