"""The board on its table, as Bullet meets it."""

from collections.abc import Sequence

from pigglesim.physics.bullet_client import Client
from pigglesim.physics.bullet_settings import ERP_FLIGHT, MARGIN, UNIT
from pigglesim.rotations import Array
from pigglesim.scene.board import Board
from pigglesim.scene.scene import Contact, Contacts, Scene

EDGE, _MIDDLE, AMONG = 1, 2, 16
"""Bits of collision: board and table as boxes, the middle of the board as a plane, and what meets
other bodies and the cup."""
_FAR = 10.0 * UNIT
_STIFF = 1e9
"""Scale of a contact's stiffness and damping [units]: a Piggle's own inverse mass is 1e-6 of it."""
_NO_EDGE = 0.05
"""So far from the edges of the board and farther only its top can be met [m]: half a Piggle, and
what one moves between two looks."""


def on_ground(ground: int) -> int:
    """Return the bit of what meets that ground.

    Each ground has one of its own: Bullet lets two bodies meet if either asks for the other.
    """
    return 4 * ground


class Ground:
    """A board and a table: boxes near the board's edges, a plane where no edge is near.

    A plane meets a hull at two fifths of the cost of a box, and with the same corners.

    Args:
        p: Where to.
        scene: The table.
        friction: Friction of a die's own, by which Bullet multiplies the ground's.
        restitution: The same of restitution.
    """

    def __init__(self, p: Client, scene: Scene, *, friction: float, restitution: float) -> None:
        self._p = p
        self._time_step = scene.stepping.time_step
        self._contacts, self._friction, self._restitution = scene.contacts, friction, restitution
        self._inside = (scene.board.half - _NO_EDGE) * UNIT
        self._erp = ERP_FLIGHT
        self._handles = [*self._boxes(scene.board), self._plane()]
        self.resist(1.0)

    def _boxes(self, board: Board) -> list[int]:
        p, half, deep = self._p, board.half * UNIT, board.thickness * UNIT / 2.0
        handles = []
        for size, height in (([half, half, deep], -deep), ([_FAR, _FAR, deep], -3.0 * deep)):
            shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=size)
            handle = int(p.createMultiBody(0.0, shape, basePosition=[0.0, 0.0, height]))
            p.setCollisionFilterGroupMask(handle, -1, EDGE, on_ground(EDGE))
            handles.append(handle)
        return handles

    def _plane(self) -> int:
        p = self._p
        shape = p.createCollisionShape(p.GEOM_PLANE, planeNormal=[0.0, 0.0, 1.0])
        handle = int(p.createMultiBody(0.0, shape))
        p.setCollisionFilterGroupMask(handle, -1, _MIDDLE, on_ground(_MIDDLE))
        return handle

    def met_at(self, position: Sequence[float] | Array) -> int:
        """Return by its bit which of the two a body meets whose centre is there [units]."""
        return _MIDDLE if max(abs(position[0]), abs(position[1])) < self._inside else EDGE

    def soften(self, erp: float) -> None:
        """Have overlaps with the ground closed by this share a step."""
        self._erp = erp

    def resist(self, share: float) -> None:
        """Scale rolling and spinning resistance.

        The ground closes overlaps at its own rate, whatever the cup does meanwhile: a contact's
        stiffness k and damping d make its error reduction k dt / (k dt + d), and its softness
        1 / (k dt + d), here none to speak of.
        """
        damping = (1.0 - self._erp) * _STIFF
        stiffness = self._erp * _STIFF / self._time_step
        for handle in self._handles:
            give_surface(
                self._p,
                handle,
                self._contacts.board,
                self._contacts,
                friction=self._friction,
                restitution=self._restitution,
                resists=share,
            )
            self._p.changeDynamics(handle, -1, contactStiffness=stiffness, contactDamping=damping)


def give_surface(
    p: Client,
    handle: int,
    contact: Contact,
    contacts: Contacts,
    *,
    friction: float,
    restitution: float,
    resists: float = 0.0,
) -> None:
    """Give a fixed body the friction and bounce that its pair with a die should have.

    Args:
        p: Where it is.
        handle: The body.
        contact: What the pair should have.
        contacts: Whose levers it has.
        friction: The die's own, by which Bullet multiplies.
        restitution: The same of restitution.
        resists: Share of the levers; the board alone has them.
    """
    p.changeDynamics(
        handle,
        -1,
        lateralFriction=contact.friction / friction,
        restitution=contact.restitution / restitution,
        # Combined as lever * friction of the die, and the die itself has no lever.
        rollingFriction=resists * contacts.rolling_lever * UNIT / friction,
        spinningFriction=resists * contacts.spinning_lever * UNIT / friction,
        collisionMargin=MARGIN,
    )
