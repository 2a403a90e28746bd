"""Worlds of engine `impulse`: bodies, board, table and cup for the compiled `impulse_pile`."""

from collections.abc import Sequence
from math import hypot, pi

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.physics.cup_shape import WALLS
from pigglesim.physics.engine import Form
from pigglesim.physics.frames import principal_frame
from pigglesim.physics.impulse_pile import advance_all
from pigglesim.physics.impulse_pile_types import (
    BOARD,
    MOST_BODIES,
    Room,
    Shapes,
    Table,
    room_for_pile,
)
from pigglesim.physics.impulse_shapes import shapes_of
from pigglesim.physics.impulse_types import Ground
from pigglesim.physics.laws import EASE_DAMPING, NO_BOUNCE, TOUCH, still_climb
from pigglesim.rolls import RestPlace
from pigglesim.scene.scene import GRAVITY, Scene
from pigglesim.shapes.body import Body, Indices
from pigglesim.spatial import Array, multiply, transform
from pigglesim.throws.cup_path import Pose

__all__ = ["ImpulseWorld"]

_FORMS = {Form.IN_CUP: 0, Form.LOOSE: 1, Form.STANDING: 2}


_NO_CUP = np.zeros((0, 7))


class _Rows:
    """The fields of a pile as arrays."""

    def __init__(self, room: Room) -> None:
        pile = room.pile
        self.states: Array = pile["states"][0]
        self.lightness: Array = pile["lightness"][0]
        self.rates: Array = pile["rates"][0]
        self.radii: Array = pile["radii"][0]
        self.kinds: Indices = pile["kinds"][0]
        self.forms: Indices = pile["forms"][0]
        self.held: Indices = pile["held"][0]
        self.places: Array = pile["places"][0]
        self.turns: Array = pile["turns"][0]
        self.velocities: Array = pile["velocities"][0]
        self.spins: Array = pile["spins"][0]
        self.inverses: Array = pile["inverses"][0]
        self.axes: Array = pile["axes"][0]
        self.first: Indices = pile["first"][0]
        self.second: Indices = pile["second"][0]
        self.at: Array = pile["at"][0]
        self.gap: Array = pile["gap"][0]
        self.push: Array = pile["push"][0]
        self.met: Indices = pile["met"][0]
        self.met_at: Array = pile["met_at"][0]
        self.count: Indices = pile["count"][0]


class ImpulseWorld:
    """A board on a table, perhaps a cup, and bodies.

    Args:
        scene: The table.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._bodies: list[Body] = []
        self._places: list[RestPlace] = []
        self._kinds: list[str] = []
        self._shapes: Shapes | None = None
        self._room = room_for_pile()
        self._pile = _Rows(self._room)
        self._next_cup: Pose | None = None
        self._share, self._damping = 1.0, 0.0
        self._cup_pose: Pose | None = None
        contacts, stepping = scene.contacts, scene.stepping
        self._table = Table(
            half=scene.board.half,
            thickness=scene.board.thickness,
            piggle_friction=contacts.piggle.friction,
            piggle_restitution=contacts.piggle.restitution,
            cup_friction=contacts.cup.friction,
            cup_restitution=contacts.cup.restitution,
            cup_radius=scene.cup.inner_radius,
            cup_half=scene.cup.depth / 2.0,
            cup_wall=2.0 * pi / WALLS,
            iterations=stepping.iterations,
        )
        self._ground = self._ground_now()
        self._pile.turns[BOARD] = np.eye(3)
        self._pile.places[BOARD, 2] = -scene.board.thickness / 2.0

    def _ground_now(self) -> Ground:
        contacts, stepping = self._scene.contacts, self._scene.stepping
        return Ground(
            friction=contacts.board.friction,
            restitution=contacts.board.restitution,
            rolling=contacts.rolling_lever * self._share,
            spinning=contacts.spinning_lever * self._share,
            gravity=GRAVITY,
            no_bounce=NO_BOUNCE,
            creep=0.0,
            still=still_climb(stepping),
            rest=stepping.rest_time,
        )

    def add_body(self, body: Body, place: RestPlace, form: Form) -> int:
        """Add a body at rest and return its number."""
        number = len(self._bodies)
        if number == MOST_BODIES:
            raise SpecError(
                f"at most {MOST_BODIES} bodies at once",
                got=str(number + 1),
                remedy="--engine bullet",
            )
        self._bodies.append(body)
        self._places.append(place)
        frame = principal_frame(body)
        if body.sha256 not in self._kinds:
            self._kinds.append(body.sha256)
        self._shapes = None
        pile = self._pile
        pile.kinds[number] = self._kinds.index(body.sha256)
        pile.rates[number] = 1.0 / frame.moments
        corners = body.hull.vertices - frame.centre
        pile.radii[number] = np.sqrt((corners**2).sum(axis=1).max())
        pile.axes[number] = pile.axes[:, number] = 0.0
        self._put(number, form)
        return number

    def _put(self, number: int, form: Form) -> None:
        """Have a body rest at its place in a form."""
        body, place, pile = self._bodies[number], self._places[number], self._pile
        frame, state = principal_frame(body), pile.states[number]
        state[:] = 0.0
        state[12], state[13], state[0] = place.position
        state[4:8] = multiply(np.array(place.orientation), frame.orientation)
        self._give_form(number, form)

    def _give_form(self, number: int, form: Form) -> None:
        pile, standing = self._pile, form is Form.STANDING
        pile.forms[number] = _FORMS[form]
        pile.lightness[number] = 0.0 if standing else 1.0 / self._bodies[number].mass.mass
        self._look(number)

    def _look(self, number: int) -> None:
        """Write place, turn and motion in world axes, as the compiled code leaves them."""
        pile = self._pile
        state = pile.states[number]
        pile.places[number] = state[12], state[13], state[0]
        x, y, z, w = state[4:8]
        turn = _turn(x, y, z, w)
        pile.turns[number] = turn
        rates = pile.rates[number] if pile.lightness[number] > 0.0 else np.zeros(3)
        pile.velocities[number] = state[1:4]
        pile.spins[number] = transform(turn, state[8:11] * rates)
        pile.inverses[number] = transform(turn, turn * rates)

    def reform(self, number: int, form: Form) -> None:
        """Let a body move in another form; its motion goes on (a standing one starts at rest)."""
        if self._pile.forms[number] == _FORMS[Form.STANDING]:
            self._put(number, form)
        else:
            self._give_form(number, form)

    def hold(self, number: int, place: RestPlace) -> bool:
        """Have a body stand still at a place; it is let go again before anything is near it."""
        self._places[number] = place
        self._put(number, Form.STANDING)
        return True

    def add_cup(self, pose: Pose) -> None:
        """Add the scene's cup at a pose."""
        self._cup_pose = pose

    def move_cup(self, pose: Pose) -> None:
        """Have the cup reach this pose at the end of the next step, pushing what it holds."""
        self._next_cup = pose

    def carry_cup(self, poses: Sequence[Pose]) -> None:
        """Advance by a time step for each pose, which the cup reaches at its end."""
        assert self._cup_pose is not None
        way = np.array([(*place, *turn) for place, turn in (self._cup_pose, *poses)])
        self._cup_pose, self._next_cup = poses[-1], None
        self._advance(len(poses), way)

    def remove_cup(self) -> None:
        """Take the cup out of the world."""
        self._cup_pose = None

    def land(self) -> None:
        """Say that no cup will move any body from now on; nothing hangs on it here."""

    def step(self) -> None:
        """Advance by one time step."""
        self.advance(1)

    def advance(self, count: int) -> None:
        """Advance by some time steps; a cup that is not moved stands still."""
        if self._cup_pose is None:
            self._advance(count, _NO_CUP)
        else:
            self.carry_cup([self._next_cup or self._cup_pose] * count)

    def _advance(self, count: int, way: Array) -> None:
        if self._shapes is None:
            bodies = tuple(self._kind_bodies())
            shapes = shapes_of(bodies, self._scene.board, self._scene.cup, WALLS)
            # Marks of searches belong to a world: another's would be taken for its own.
            self._shapes = shapes._replace(seen=np.zeros_like(shapes.seen))
        advance_all(
            self._shapes,
            self._room,
            self._ground,
            self._table,
            self._damping,
            way,
            count,
            len(self._bodies),
            self._scene.stepping.time_step,
        )

    def _kind_bodies(self) -> list[Body]:
        first = {body.sha256: body for body in reversed(self._bodies)}
        return [first[kind] for kind in self._kinds]

    def positions(self) -> Array:
        """Return the centres of mass [m], shape [body_count, 3]."""
        return np.array(self._pile.places[: len(self._bodies)])

    def place(self, number: int) -> RestPlace:
        """Return where and how a body is; one that stands still, as it was put, to the bit."""
        if self._pile.forms[number] == _FORMS[Form.STANDING]:
            return self._places[number]
        state = self._pile.states[number]
        frame = principal_frame(self._bodies[number])
        qx, qy, qz, qw = multiply(state[4:8], frame.inverse).tolist()
        return RestPlace(
            position=(float(state[12]), float(state[13]), float(state[0])),
            orientation=(qx, qy, qz, qw),
        )

    def speeds(self, number: int) -> tuple[float, float]:
        """Return a body's speed [m/s] and rate of turning [rad/s]."""
        pile = self._pile
        return hypot(*pile.velocities[number].tolist()), hypot(*pile.spins[number].tolist())

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        """Return where two bodies met in the last steps taken at once [m], shape [3] each."""
        pile = self._pile
        count = int(pile.count[0])
        one, two = pile.first[:count], pile.second[:count]
        both = ((one == first) & (two == second)) | ((one == second) & (two == first))
        met = both & ((pile.push[:count] > 0.0) | (pile.gap[:count] < TOUCH))
        if not met.any():
            # A blow that is over: they have parted again.
            a, b = (first, second) if pile.met[first, second] else (second, first)
            return (pile.met_at[a, b].copy(),) if pile.met[a, b] else ()
        return tuple(pile.at[:count][met])

    def supported(self, number: int) -> bool:
        """Whether anything touched the body in the last step."""
        return bool(self._pile.held[number])

    def kick(self, number: int, velocity: Array, spin: Array) -> None:
        """Set a body's velocity [m/s] and spin [rad/s]."""
        state, turn = self._pile.states[number], self._pile.turns[number]
        state[1:4] = velocity
        state[8:11] = transform(turn.T, spin) / self._pile.rates[number]
        state[11] = 0.0
        self._look(number)

    def ease(self, share: float) -> None:
        """Scale rolling and spinning resistance by `share` and damp motion, to sink into place."""
        self._share, self._damping = share, EASE_DAMPING
        self._ground = self._ground_now()
        # What had come to rest under the resistance may sink on without it.
        self._pile.states[:, 11] = 0.0


def _turn(x: float, y: float, z: float, w: float) -> Array:
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
