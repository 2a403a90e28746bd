"""The plain way to drop a die in MuJoCo, to be compared with."""

from dataclasses import replace

import mujoco

from pigglesim.bodies.body import Body
from pigglesim.physics.engine import Motion
from pigglesim.physics.mujoco import MujocoFloor
from pigglesim.physics.plain import PLAIN_RATE, PLAIN_TIME
from pigglesim.scene.scene import Stepping, Surface
from pigglesim.throws.drop import Drop


class PlainMujocoFloor(MujocoFloor):
    """The same floor in one call of MuJoCo's own loop, at whole steps and without restitution.

    That is the fastest that one can write; what it leaves out costs more.
    """

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        super().__init__(body, surface, replace(stepping, time_step=1.0 / PLAIN_RATE))
        self._model.opt.timestep = 1.0 / PLAIN_RATE

    def fall(self, drop: Drop) -> Motion:
        """Drop a die and return how it stands at the end."""
        self.release(drop)
        mujoco.mj_step(self._model, self._data, nstep=round(PLAIN_TIME * PLAIN_RATE))
        return self.motion()
