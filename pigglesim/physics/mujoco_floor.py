"""One die at a time on an endless plane in MuJoCo; settings and reasons are those of `mujoco`."""

from math import ceil

import mujoco
import numpy as np

from pigglesim.physics.engine import Motion
from pigglesim.physics.floor_steps import FloorSteps
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.mujoco_impact import ON_BOARD, advance
from pigglesim.physics.mujoco_model import INNER_STEP, Touch, add_geom, set_levers, set_options
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import GRAVITY, Stepping
from pigglesim.shapes.body import Body
from pigglesim.spatial import dot, multiply, to_matrix, transform
from pigglesim.throws.drop import Drop

__all__ = ["MujocoFloor"]


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
        turned = multiply(drop.orientation, self._frame.orientation)
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
