"""Bodies as Bullet steps them: thinned in the cup, hull and parts outside it."""

from typing import Any

from pigglesim.bodies.body import Body
from pigglesim.physics.bullet_client import Client
from pigglesim.physics.bullet_ground import AMONG, on_ground
from pigglesim.physics.bullet_settings import MARGIN, PROCESSING, UNIT
from pigglesim.physics.bullet_shapes import compound_file
from pigglesim.physics.engine import Mode
from pigglesim.physics.frames import principal_frame, thin_hull
from pigglesim.rotations import Array


class BodyMaker:
    """Makes bodies, and says what each may meet.

    Args:
        p: Where to.
        friction: Of each body.
        restitution: Of each body.
    """

    def __init__(self, p: Client, *, friction: float, restitution: float) -> None:
        self._p = p
        self._friction, self._restitution = friction, restitution
        self._shapes: dict[tuple[str, str], int] = {}

    def make(
        self,
        body: Body,
        mode: Mode,
        position: Array,
        rotation: Array,
        *,
        ground: int,
        damping: float,
    ) -> int:
        """Create a body at a pose of its principal frame [units] and return its handle.

        A loose body of several parts meets the ground with its hull, which is all that a flat
        ground can touch, and other bodies with its parts, which hang on it as a link of no weight.

        Args:
            body: The body.
            mode: How it moves.
            position: Shape [3].
            rotation: Shape [4].
            ground: What of the ground it meets, by its bit.
            damping: Rate at which its motion dies [1/s].
        """
        standing = mode is Mode.FROZEN
        parts = self._parts(body) if mode is Mode.FREE and body.parts else {}
        whole = standing and body.parts
        handle = self._p.createMultiBody(
            0.0 if standing else body.mass.mass,
            self._compound(body) if whole else self._hull(body, thin=mode is Mode.IN_CUP),
            basePosition=position.tolist(),
            baseOrientation=rotation.tolist(),
            **parts,
        )
        for link in (-1, 0) if parts else (-1,):
            self._p.changeDynamics(
                handle,
                link,
                lateralFriction=self._friction,
                restitution=self._restitution,
                rollingFriction=0.0,
                spinningFriction=0.0,
                contactProcessingThreshold=PROCESSING,
            )
        # Alone: asked for on a link, a margin silently voids whatever else is asked with it.
        self._p.changeDynamics(handle, -1, collisionMargin=MARGIN)
        if not standing:
            self._p.changeDynamics(
                handle,
                -1,
                localInertiaDiagonal=(principal_frame(body).moments * UNIT**2).tolist(),
                linearDamping=damping,
                angularDamping=damping,
                maxJointVelocity=1e6,
            )
        self.meet(int(handle), body, mode, ground=ground)
        return int(handle)

    def meet(self, handle: int, body: Body, mode: Mode, *, ground: int) -> None:
        """Say what a body may meet: the ground by one of its bits, and other bodies.

        What it met before is forgotten, and met anew.
        """
        mask = self._p.setCollisionFilterGroupMask
        if mode is Mode.FREE and body.parts:
            mask(handle, -1, on_ground(ground), ground)
            mask(handle, 0, AMONG, AMONG)
        else:
            mask(handle, -1, on_ground(ground) | AMONG, ground | AMONG)

    def _hull(self, body: Body, *, thin: bool) -> int:
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

    def _parts(self, body: Body) -> dict[str, list[Any]]:
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
