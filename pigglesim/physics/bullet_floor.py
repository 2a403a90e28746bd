"""One die at a time on an endless plane in PyBullet: the fast way to the pose of a single die.

The settings are those of `bullet`, and their reasons stand there. Two things differ, and tests
show that neither changes a result: the floor is a plane, which a hull of a thousand corners meets
as cheaply as one of ten; and the world is kept from one drop to the next, with the die taken out
and made anew, which leaves nothing of the last one behind (the same bits as in a fresh world).
"""

import numpy as np

from pigglesim.physics.bullet_client import client
from pigglesim.physics.bullet_settings import (
    ERP_FLIGHT,
    MARGIN,
    PROCESSING,
    REMEMBER,
    UNIT,
)
from pigglesim.physics.engine import Motion
from pigglesim.physics.floor_steps import FloorSteps
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.laws import RESTITUTION_THRESHOLD
from pigglesim.scene.floor import Surface
from pigglesim.scene.scene import GRAVITY, Stepping
from pigglesim.shapes.body import Body
from pigglesim.spatial import multiply
from pigglesim.throws.drop import Drop

__all__ = ["BulletFloor"]


class BulletFloor(FloorSteps):
    """A plane and one die; it is valid until the next world is made in this process.

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
            baseOrientation=multiply(drop.orientation, self._frame.orientation).tolist(),
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
