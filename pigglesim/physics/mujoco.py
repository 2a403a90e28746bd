"""Engine `mujoco`: MuJoCo, with another solver and other collision finders than Bullet.

It is a check on Bullet: a result that both share is less likely to be a fault of either. Hulls have
no margin and rest within 0.1 micrometres of the height of the mesh. The solver is Newton's, run to
convergence, on round friction cones; inertia is the body's own. Contacts are hard, in place of
MuJoCo's springs: a spring that lets go after half a millisecond needs steps of some 50
microseconds, and a softer one changes the rare poses (`mujoco_impact`).

Single drops of the Piggle end as Bullet's do, and so do most pours; docs/physics has the shares
side by side. One difference has a known cause: one ellipsoid bounds sliding, rolling and spinning
resistance together, where Bullet bounds each alone. A ball of 1 cm that rolls against a lever of
2.5 mm on friction 0.4 slows by 0.91 of 5/7 g lever/r, and a sliding body hardly resists spinning: a
slender prism drops on its rare face in 0.196 of throws with or without the spinning lever; by
Bullet in 0.214 without it and in 0.237 with it. Without any lever both give 0.15.
"""

from dataclasses import dataclass
from math import atan2, ceil, exp, hypot
from typing import Any

import mujoco
import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.landing import RestPlace
from pigglesim.physics.engine import Mode, Motion
from pigglesim.physics.frames import PrincipalFrame, principal_frame
from pigglesim.physics.laws import CONTACT_DISTANCE, FADE_DAMPING
from pigglesim.physics.mujoco_impact import IN_CUP, ON_BOARD, advance
from pigglesim.physics.mujoco_model import (
    GROUND,
    INNER_STEP,
    BodyItem,
    Compiled,
    Touch,
    add_geom,
    compile_world,
    set_levers,
    set_options,
)
from pigglesim.physics.stepping import FloorSteps, WorldSteps
from pigglesim.rotations import Array, dot, length, multiply, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Scene, Stepping, Surface
from pigglesim.throws.drop import Drop
from pigglesim.throws.pour import Pose


@dataclass(slots=True)
class _MujocoBody:
    """One body of a world; how it moves is kept by the world, in rows by number."""

    body: Body
    frame: PrincipalFrame
    mode: Mode
    place: RestPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meetings:
    """Who met whom in one inner step."""

    pairs: Array
    """Numbers of the two bodies, -1 for what is fixed or driven, shape [count, 2]."""
    points: Array
    """[m], shape [count, 3]."""
    touching: Array
    """Whether they pushed or were near enough to count, shape [count]."""


class MujocoEngine:
    """Makes worlds of MuJoCo."""

    name = "mujoco"

    @property
    def version(self) -> str:
        """Version of the MuJoCo library."""
        return str(mujoco.__version__)

    def world(self, scene: Scene) -> "MujocoWorld":
        """Return a fresh world."""
        return MujocoWorld(scene)

    def floor(self, body: Body, surface: Surface, stepping: Stepping) -> "MujocoFloor":
        """Return an endless floor for one kind of die."""
        return MujocoFloor(body, surface, stepping)


class MujocoWorld(WorldSteps):
    """A world of MuJoCo."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._members: list[_MujocoBody] = []
        # Where everything is, by number: positions and quaternions (w, x, y, z) of the principal
        # frames, velocities in the world's axes and spins in the body's, as MuJoCo keeps them.
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
        """Add a body at rest and return its number."""
        frame = principal_frame(body)
        self._members.append(_MujocoBody(body=body, frame=frame, mode=mode, place=place))
        self._places = np.vstack([self._places, np.zeros(7)])
        self._motions = np.vstack([self._motions, np.zeros(6)])
        number = len(self._members) - 1
        self._put(number, place)
        return number

    def _put(self, number: int, place: RestPlace) -> None:
        """Have a body at rest at a place."""
        member = self._members[number]
        member.place = place
        x, y, z, w = multiply(np.array(place.rotation), member.frame.rotation)
        self._places[number] = (*place.position, w, x, y, z)
        self._motions[number] = 0.0
        self._compiled = None

    def set_mode(self, number: int, mode: Mode) -> None:
        """Change a body's mode; its motion goes on (a frozen one starts at rest)."""
        self._members[number].mode = mode
        self._compiled = None

    def freeze(self, number: int, place: RestPlace) -> bool:
        """Have a body stand still at a place."""
        self._members[number].mode = Mode.FROZEN
        self._put(number, place)
        return True

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""
        self._cup, self._compiled = pose, None

    def move_cup(self, pose: Pose) -> None:
        """Let the cup reach this pose at the end of the next step, pushing what it holds."""
        self._cup_next = pose

    def remove_cup(self) -> None:
        """Take the cup out of the world."""
        self._cup, self._cup_next, self._compiled = None, None, None

    def cup_released(self) -> None:
        """Close overlaps gently from now on: no wall squeezes what lies on the board."""
        self._care = ON_BOARD

    def step(self) -> None:
        """Advance by one time step."""
        compiled = self._compiled or self._compile()
        model, data = compiled.model, compiled.data
        loose = [n for n, member in enumerate(self._members) if member.mode is not Mode.FROZEN]
        count = len(loose)
        data.qpos[: 7 * count] = self._places[loose].ravel()
        data.qvel[: 6 * count] = self._motions[loose].ravel()
        driven = self._drive(data, count)
        keep = exp(-self._damping * self._step)
        self._meetings.clear()
        for _ in range(self._parts):
            data.qvel[6 * count :] = driven
            advance(
                model,
                data,
                compiled.restitutions,
                piggle=self._scene.contacts.piggle.restitution,
                care=self._care,
            )
            if data.ncon:
                self._note(compiled)
            data.qvel[: 6 * count] *= keep
        self._places[loose] = data.qpos[: 7 * count].reshape(count, 7)
        self._motions[loose] = data.qvel[: 6 * count].reshape(count, 6)
        self._cup, self._cup_next = self._cup_next or self._cup, None

    def _compile(self) -> Compiled:
        items = [
            BodyItem(body=member.body, mode=member.mode, position=row[:3], rotation=row[3:])
            for member, row in zip(self._members, self._places, strict=True)
        ]
        compiled = compile_world(
            self._scene,
            items,
            cup=self._cup is not None,
            resists=self._share,
            step=self._step,
        )
        self._compiled = compiled
        return compiled

    def _drive(self, data: Any, count: int) -> Array:  # noqa: ANN401 (mujoco carries no types)
        """Put the cup where it is and return the motion that takes it to where it should be."""
        if self._cup is None:
            return np.zeros(0)
        position, (x, y, z, w) = self._cup
        data.qpos[7 * count :] = (*position, w, x, y, z)
        return _motion(self._cup, self._cup_next or self._cup, self._scene.stepping.time_step)

    def _note(self, compiled: Compiled) -> None:
        """Keep who met whom in this part of the step."""
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
        """Return the centres of mass [m], shape [body_count, 3]."""
        return self._places[:, :3].copy()

    def place(self, number: int) -> RestPlace:
        """Return where and how a body is; one that stands still, as it was put, to the bit."""
        member = self._members[number]
        if member.mode is Mode.FROZEN:
            return member.place
        px, py, pz, w, x, y, z = self._places[number].tolist()
        qx, qy, qz, qw = multiply(np.array([x, y, z, w]), member.frame.inverse_rotation).tolist()
        return RestPlace(position=(px, py, pz), rotation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and rate of turning [rad/s]."""
        vx, vy, vz, wx, wy, wz = self._motions[number].tolist()
        return hypot(vx, vy, vz), hypot(wx, wy, wz)

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return the points where two bodies met in the last step [m], shape [3] each."""
        wanted = (min(first, second), max(first, second))
        # A glancing blow may end within the step: the latest part that has one tells where.
        for met in reversed(self._meetings):
            pairs = np.sort(met.pairs, axis=1)
            points = met.points[(pairs == wanted).all(axis=1) & met.touching]
            if len(points):
                return tuple(points)
        return ()

    def supported(self, number: int) -> bool:
        """Whether anything touched the body in the last step."""
        return any(bool((met.pairs == number).any()) for met in self._meetings)

    def set_velocity(self, number: int, velocity: Array, spin: Array) -> None:
        """Set a body's velocity [m/s] and spin [rad/s], shape [3] each."""
        w, x, y, z = self._places[number, 3:]
        self._motions[number, :3] = velocity
        self._motions[number, 3:] = transform(to_matrix(np.array([x, y, z, w])).T, spin)

    def fade_resistance(self, share: float) -> None:
        """Scale rolling and spinning resistance by `share`, and damp motion."""
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
    """Return velocity [m/s] and spin in the body's own axes [rad/s] of one pose becoming the next.

    Spin in a body's own axes is how MuJoCo keeps it; turning at a steady rate, it stays the same.
    """
    x, y, z, w = before[1]
    turn = multiply(np.array([-x, -y, -z, w]), np.array(after[1]))
    turn = -turn if turn[3] < 0.0 else turn
    sine = length(turn[:3])
    # Below this the angle is the doubled sine to the last bit.
    rate = 2.0 * atan2(sine, float(turn[3])) / sine if sine > 1e-9 else 2.0
    way = np.array(after[0]) - before[0]
    return np.concatenate([way, turn[:3] * rate]) / step


class MujocoFloor(FloorSteps):
    """A plane and one die.

    Args:
        body: The die; only its convex hull touches the floor.
        surface: Contact of die and floor.
        stepping: Time step, and what counts as rest.
    """

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._frame = principal_frame(body)
        super().__init__(stepping)
        self._arms = self._frame.moments / (2.0 * body.mass.mass * GRAVITY)
        self._parts = ceil(stepping.time_step / INNER_STEP - 1e-9)
        spec = mujoco.MjSpec()
        set_options(spec, stepping.time_step / self._parts)
        friction = surface.contact.friction
        add_geom(
            spec.worldbody,
            mujoco.mjtGeom.mjGEOM_PLANE,
            touch=Touch.GROUND,
            friction=friction,
            size=[0.0, 0.0, 1.0],
        )
        hull = self._frame.to_principal(body.hull.vertices)
        spec.add_mesh(name="hull", uservert=hull.ravel())
        die = spec.worldbody.add_body(
            ipos=[0.0, 0.0, 0.0],
            iquat=[1.0, 0.0, 0.0, 0.0],
            mass=body.mass.mass,
            inertia=self._frame.moments,
            explicitinertial=True,
        )
        die.add_freejoint()
        mesh = mujoco.mjtGeom.mjGEOM_MESH
        add_geom(die, mesh, touch=Touch.ALL, friction=friction, meshname="hull")
        self._model = spec.compile()
        set_levers(self._model, [0], rolling=surface.rolling_lever, spinning=surface.spinning_lever)
        self._data = mujoco.MjData(self._model)
        self._restitutions = np.array([surface.contact.restitution, -1.0])

    def release(self, drop: Drop) -> None:
        """Remove the last die and release the next one."""
        self.still_time = 0.0
        mujoco.mj_resetData(self._model, self._data)
        turned = multiply(drop.rotation, self._frame.rotation)
        x, y, z, w = turned
        self._data.qpos[:] = (0.0, 0.0, drop.height, w, x, y, z)
        self._data.qvel[:3] = drop.velocity
        self._data.qvel[3:] = transform(to_matrix(turned).T, drop.spin)

    def step(self, count: int) -> None:
        """Advance by some time steps."""
        for _ in range(count * self._parts):
            advance(self._model, self._data, self._restitutions, piggle=0.0, care=ON_BOARD)

    def motion(self) -> Motion:
        """Return height, energy and direction of the die."""
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
