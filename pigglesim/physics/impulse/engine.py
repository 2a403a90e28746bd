"""Interface of engine `impulse`: worlds, and floors for single dice.

This is ordinary Python apart from the compiled modules, so a change here recompiles nothing.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import cache, lru_cache
from itertools import chain, permutations
from math import ceil, cos, pi, sin, sqrt
from types import SimpleNamespace
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, cells_of, read_body
from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.support import cells_as_arrays
from pigglesim.cup_motion import WALLS, CupMotion, Pose
from pigglesim.descent import Cells
from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace
from pigglesim.physics.early_stop import StopCriteria
from pigglesim.physics.engine import DropResults, FloorWorld, Mode, Motion, ThrowEnd, World
from pigglesim.physics.frames import principal_frame, thin_hull
from pigglesim.physics.impulse.drops import run_drops
from pigglesim.physics.impulse.flight import advance_body, read_motion, record_motion
from pigglesim.physics.impulse.looks import find_looks, throw_copies
from pigglesim.physics.impulse.plates import run_throws
from pigglesim.physics.impulse.pour import ThrowParams, run_throw
from pigglesim.physics.impulse.state import (
    BOARD,
    CELLS_PER_SIDE,
    FREE,
    FROZEN,
    IN_CUP,
    LX,
    MAX_BODIES,
    QX,
    STATE_SIZE,
    STILL_TIME,
    VX,
    BodyTables,
    ConvexShapes,
    DropParams,
    HullBody,
    PlateParams,
    SceneParams,
    Scratch,
    SurfaceParams,
    WorldBuffers,
    WorldState,
    X,
    Z,
    make_scratch,
    make_world_buffers,
)
from pigglesim.physics.impulse.step import advance_world, load_body_of
from pigglesim.physics.looks import LOOK_SIZE, MAX_LOOKS, HandError, LookParams
from pigglesim.physics.settling import (
    CONTACT_DISTANCE,
    FADE_DAMPING,
    ThrowState,
    Trajectory,
)
from pigglesim.physics.stepping import (
    RESTITUTION_THRESHOLD,
    SLOW_SPEED,
    energy_margin,
    sleep_energy_height,
)
from pigglesim.rotations import Array, Indices, multiply, to_matrix, transform
from pigglesim.scene.scene import GRAVITY, Board, Cup, Scene, Stepping, Surface
from pigglesim.throws import Drop, Drops, Plate, reach, unmoved
from pigglesim.trig import sin_cos

_OVERLAP_TIME = 2e-4
"""Time of motion below the floor that bounds a vertex' depth [s]: impacts are solved on the plane.
"""
_BATCH = 200
"""Drops per call of compiled code: some twentieth of a second, after which Ctrl-C takes effect."""
_MAX_TOUCHES = 600
"""Maximum points where bodies touch."""
_CHUNK = 5000
"""Steps of a throw per call of compiled code, some tenth of a second, after which Ctrl-C takes
effect."""
_NO_CUP = np.zeros((0, 7))
_MODES = {Mode.IN_CUP: IN_CUP, Mode.FREE: FREE, Mode.FROZEN: FROZEN}
_VELOCITY, _ROTATION = slice(VX, VX + 3), slice(QX, QX + 4)
_ANGULAR_MOMENTUM = slice(LX, LX + 3)


class ImpulseFloor(FloorWorld):
    """A plane and one die."""

    def __init__(self, body: Body, surface: Surface, stepping: Stepping) -> None:
        self._frame = principal_frame(body)
        vertices = np.ascontiguousarray(self._frame.to_principal(body.hull.vertices))
        neighbours = _hull_neighbours(body)
        self._moments = np.ascontiguousarray(self._frame.moments)
        self.body = HullBody(
            vertices=vertices,
            neighbours=np.array(list(chain.from_iterable(neighbours))),
            neighbour_start=np.cumsum([0, *map(len, neighbours)]),
            visit_stamp=np.zeros(len(vertices), np.int64),
            inv_mass=1.0 / body.mass.mass,
            inv_inertia=(1.0 / self._moments[0], 1.0 / self._moments[1], 1.0 / self._moments[2]),
            bounding_radius=float(np.sqrt((vertices**2).sum(axis=1).max())),
            rounding=body.rounding,
        )
        self.surface = _surface_params(surface, stepping, energy_margin(_OVERLAP_TIME))
        self._max_step = stepping.time_step
        self.scratch = make_scratch()
        self.state = np.zeros(STATE_SIZE)
        """State of the die now, shape [STATE_SIZE]."""

    @property
    def overlap_time(self) -> float:
        return _OVERLAP_TIME

    def release(self, drop: Drop) -> None:
        only = Drops(
            height=drop.height,
            rotations=drop.rotation[None],
            velocities=drop.velocity[None],
            angular_velocities=drop.angular_velocity[None],
        )
        self.state = self._states(only)[0]
        # The end of hill climbing may depend on its start.
        self.scratch.lowest_now = self.scratch.lowest_later = 0

    def _states(self, drops: Drops) -> Array:
        """Return the initial state of each drop, shape [count, STATE_SIZE]."""
        states = np.zeros((len(drops), STATE_SIZE))
        states[:, Z] = drops.height - self.body.rounding
        states[:, _VELOCITY] = drops.velocities
        states[:, _ROTATION] = multiply(drops.rotations, self._frame.rotation)
        matrices, spins = to_matrix(states[:, _ROTATION]), drops.angular_velocities
        # Term by term: a matrix product may round differently for one drop than for many.
        principal = spins[:, 0, None] * matrices[:, 0] + spins[:, 1, None] * matrices[:, 1]
        states[:, _ANGULAR_MOMENTUM] = (
            principal + spins[:, 2, None] * matrices[:, 2]
        ) * self._moments
        return states

    def drop_all(self, drops: Drops, criteria: StopCriteria) -> DropResults:
        states, count = self._states(drops), len(drops)
        poses, endings = np.zeros(count, np.int64), np.zeros(count, np.int64)
        times = np.zeros(count)
        params, scratch = self.compiled_arguments(criteria)
        around = PlateParams(plates=_plate_rows(drops.plates), turn_rate=drops.turn_rate)
        never = np.full(count, np.inf)
        catch_times = never if drops.catch_times is None else drops.catch_times
        for start in range(0, count, _BATCH):
            part = slice(start, start + _BATCH)
            results = poses[part], endings[part], times[part]
            if drops.on_floor_alone:
                run_drops(states[part], params, scratch, *results)
            else:
                local, caught_at = np.zeros(STATE_SIZE), catch_times[part]
                run_throws(states[part], local, params, scratch, around, caught_at, *results)
        downs = transform(self._frame.axes, -to_matrix(states[:, _ROTATION])[:, 2])
        return DropResults(poses=poses, endings=endings, times=times, downs=downs)

    def compiled_arguments(self, criteria: StopCriteria) -> tuple[DropParams, Scratch]:
        params = DropParams(self.body, self.surface, criteria, self._frame.axes, self._max_step)
        return params, self.scratch

    def looks(
        self,
        places: Array,
        cup: Array,
        has_cup: Indices,
        times: Array,
        number: int,
        params: LookParams,
    ) -> Array:
        looks, counts = np.zeros((MAX_LOOKS, LOOK_SIZE)), np.zeros(places.shape[1], np.int64)
        find_looks(places, cup, has_cup, times, number, params, looks, counts)
        return looks[: int(counts[number])]

    def throw_copies(
        self, look: Array, displacements: Array, error: HandError, criteria: StopCriteria
    ) -> Indices:
        count = len(displacements)
        poses, endings, times = (
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count),
        )
        throw_copies(
            look, displacements, error, *self.compiled_arguments(criteria),
            np.zeros((count, STATE_SIZE)), poses, endings, times,
        )  # fmt: skip
        return poses

    def step(self, count: int) -> None:
        self.advance(count * self._max_step, stop_below=0.0)

    def advance(self, time: float, *, stop_below: float) -> float:
        return advance_body(
            self.state,
            self.body,
            self.surface,
            self.scratch,
            self._max_step,
            time,
            stop_below,
        )

    def trajectory(self, drop: Drop, frame_time: float, count: int) -> Array:
        self.release(drop)
        motion: Array = self.trajectories(self.state[None], frame_time, count)[0]
        return motion

    def trajectories(self, states: Array, frame_time: float, count: int) -> Array:
        """Return the motion of many dice, each alone, shape [state_count, count, 7].

        `states` has shape [state_count, STATE_SIZE]; the rest is as for `trajectory`.
        """
        frames = np.empty((len(states), count, 7))
        record_motion(
            states.copy(),
            self.body,
            self.surface,
            self.scratch,
            self._max_step,
            frame_time,
            frames,
        )
        frames[..., 2] += self.body.rounding
        frames[..., 3:] = multiply(frames[..., 3:], self._frame.inverse_rotation)
        return frames

    def motion(self) -> Motion:
        height, energy_height, x, y, z = read_motion(self.state, self.body, GRAVITY)
        return Motion(
            height=height + self.body.rounding,
            energy_height=energy_height,
            down=-transform(self._frame.axes, np.array([x, y, z])),
            still_time=float(self.state[STILL_TIME]),
        )


class ImpulseWorld(World):
    """A board on a table, bodies, and optionally a cup."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._bodies: list[Body] = []
        self._kinds: list[str] = []
        self._shapes: ConvexShapes | None = None
        self.buffers = make_world_buffers()
        # Attributes of a record are slow in ordinary Python, and scalars of it are copies.
        world = self.buffers.world
        self._views = SimpleNamespace(**{name: world[name][0] for name in world.dtype.names or ()})
        self._views.contact_count = world["contact_count"]
        self._places = self.buffers.throw["place"][0]
        self._next_cup: Pose | None = None
        self._cup_pose: Pose | None = None
        self.params = _scene_params(scene)
        self._views.rotation_matrix[BOARD] = np.eye(3)
        self._views.position[BOARD, 2] = -scene.board.thickness / 2.0

    def add_body(self, body: Body, place: RestPlace, mode: Mode) -> int:
        number = len(self._bodies)
        if number == MAX_BODIES:
            raise SpecError(f"more than {MAX_BODIES} bodies in a scene", fix="use --engine bullet")
        self._bodies.append(body)
        self._places[number] = (*place.position, *place.rotation)
        frame = principal_frame(body)
        if body.sha256 not in self._kinds:
            self._kinds.append(body.sha256)
        self._shapes = None
        self.params = self.params._replace(body_count=number + 1)
        views = self._views
        views.body_kind[number] = self._kinds.index(body.sha256)
        views.inv_inertia[number] = 1.0 / frame.moments
        views.bounding_radius[number] = _bounding_radius(body)
        self._put(number, mode)
        return number

    def _put(self, number: int, mode: Mode) -> None:
        """Set a body at rest at its position and rotation, in a mode."""
        place, state = self._places[number], self._views.states[number]
        state[:] = 0.0
        state[X : Z + 1] = place[:3]
        state[_ROTATION] = multiply(place[3:], principal_frame(self._bodies[number]).rotation)
        self._give_mode(number, mode)

    def _give_mode(self, number: int, mode: Mode) -> None:
        """Change a body's mode without its state."""
        views, frozen = self._views, mode is Mode.FROZEN
        views.mode[number] = _MODES[mode]
        views.inv_mass[number] = 0.0 if frozen else 1.0 / self._bodies[number].mass.mass
        load_body_of(self.buffers, number)

    def set_mode(self, number: int, mode: Mode) -> None:
        if self._views.mode[number] == FROZEN:
            self._put(number, mode)
        else:
            self._give_mode(number, mode)

    def freeze(self, number: int, place: RestPlace) -> bool:
        self._places[number] = (*place.position, *place.rotation)
        self._put(number, Mode.FROZEN)
        return True

    def add_cup(self, pose: Pose) -> None:
        self._cup_pose = pose

    def move_cup(self, pose: Pose) -> None:
        self._next_cup = pose

    def advance_with_cup(self, poses: Sequence[Pose]) -> None:
        assert self._cup_pose is not None
        path = np.array([(*place, *turn) for place, turn in (self._cup_pose, *poses)])
        self._cup_pose, self._next_cup = poses[-1], None
        self._advance(len(poses), path)

    def remove_cup(self) -> None:
        self._cup_pose = None

    def cup_released(self) -> None:
        """Do nothing: the end of the cup's motion makes no difference to this engine."""

    def step(self) -> None:
        self.advance(1)

    def advance(self, count: int) -> None:
        if self._cup_pose is None:
            self._advance(count, _NO_CUP)
        else:
            self.advance_with_cup([self._next_cup or self._cup_pose] * count)

    @property
    def shapes(self) -> ConvexShapes:
        """All convex shapes of the world."""
        if self._shapes is None:
            shapes = build_shapes(self._kind_bodies(), self._scene.board, self._scene.cup, WALLS)
            # Visit stamps belong to one world: those of another could match by accident.
            self._shapes = shapes._replace(visit_stamp=np.zeros_like(shapes.visit_stamp))
        return self._shapes

    @property
    def state(self) -> WorldState:
        """Record of all bodies and contacts, which compiled code changes."""
        record: WorldState = self.buffers.world.view(np.recarray)[0]
        return record

    @property
    def scratch(self) -> Scratch:
        """Working memory for one body."""
        record: Scratch = self.buffers.scratch.view(np.recarray)[0]
        return record

    def _advance(self, count: int, cup_path: Array) -> None:
        advance_world(
            self.shapes,
            self.buffers,
            self.params,
            cup_path,
            count,
            self._scene.stepping.time_step,
        )

    def run_throw(
        self, throw: ThrowState, motion: CupMotion | None, *, time_limit: float, record: bool
    ) -> ThrowEnd:
        arguments = self.throw_arguments(throw, motion, time_limit=time_limit, record=record)
        while not run_throw(*arguments, _CHUNK):
            pass
        count, end = len(self._bodies), self.buffers.throw[0]
        throw.steps, throw.time = int(end["steps"]), float(end["time"])
        throw.timed_out, throw.emptied_at = int(end["timed_out"]), float(end["emptied_at"])
        throw.striker, throw.gap = end["striker"][:count].tolist(), end["gap"][:count, :count]
        return ThrowEnd(
            trajectory=Trajectory._make(array[: throw.steps + 1] for array in arguments[-1]),
            places=[
                RestPlace(position=tuple(row[:3]), rotation=tuple(row[3:]))
                for row in end["place"][:count].tolist()
            ],
            readings=[tuple(row) for row in end["landed"][:count].tolist()],
        )

    def throw_arguments(
        self, throw: ThrowState, motion: CupMotion | None, *, time_limit: float, record: bool
    ) -> tuple[ConvexShapes, WorldBuffers, SceneParams, BodyTables, ThrowParams, Trajectory]:
        """Return the arguments with which the compiled throw begins, without its steps."""
        stepping, count, start = self._scene.stepping, len(self._bodies), self.buffers.throw[0]
        for field in fields(throw):
            name, value = field.name, getattr(throw, field.name)
            if name == "gap":
                start[name][:count, :count] = value
            elif isinstance(value, list):
                start[name][:count] = value
            else:
                start[name] = value
        start["has_cup"] = motion is not None
        params = ThrowParams(
            motion=motion or unmoved(),
            rolled=sum(throw.in_cup),
            time_step=stepping.time_step,
            time_limit=time_limit,
            slow_speed=SLOW_SPEED,
            rest_speed=stepping.rest_speed,
            rest_spin=stepping.rest_spin,
            rest_time=stepping.rest_time,
            ease_time=stepping.ease_time,
            board=self._scene.board.lengths(),
        )
        rows = ceil(time_limit / stepping.time_step) + 2 if record else 0
        trajectory = Trajectory(
            places=np.zeros((rows, count, 7)),
            cup=np.zeros((rows, 7)),
            has_cup=np.zeros(rows, np.int64),
            strikers=np.zeros((rows, count), np.int64),
        )
        tables = _body_tables(self._kind_bodies())
        return self.shapes, self.buffers, self.params, tables, params, trajectory

    def _kind_bodies(self) -> tuple[Body, ...]:
        """Return the first body of each kind."""
        first = {body.sha256: body for body in reversed(self._bodies)}
        return tuple(first[kind] for kind in self._kinds)

    def positions(self) -> Array:
        return np.array(self._views.position[: len(self._bodies)])

    def place(self, number: int) -> RestPlace:
        if self._views.mode[number] == FROZEN:
            x, y, z, qx, qy, qz, qw = self._places[number].tolist()
        else:
            state = self._views.states[number]
            frame = principal_frame(self._bodies[number])
            x, y, z = state[X : Z + 1].tolist()
            qx, qy, qz, qw = multiply(state[_ROTATION], frame.inverse_rotation).tolist()
        return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))

    def speeds(self, number: int) -> tuple[float, float]:
        views = self._views
        return (
            _length(views.velocity[number]),
            _length(views.angular_velocity[number]),
        )

    def contacts(self, first: int, second: int) -> tuple[Array, ...]:
        views, pair = self._views, {first, second}
        columns = views.body_a, views.body_b, views.separation, views.normal_impulse
        rows = zip(*(each[: views.contact_count[0]].tolist() for each in columns), strict=True)
        touching = [
            number
            for number, (one, other, gap, push) in enumerate(rows)
            if {one, other} == pair and (push > 0.0 or gap < CONTACT_DISTANCE)
        ]
        if not touching:
            # The impact is over: they have separated again.
            met = (first, second) if views.touched[first, second] else (second, first)
            return (views.touch_point[met].copy(),) if views.touched[met] else ()
        return tuple(views.contact_point[touching])

    def supported(self, number: int) -> bool:
        return bool(self._views.supported[number])

    def set_velocity(self, number: int, velocity: Array, angular_velocity: Array) -> None:
        views = self._views
        state, matrix = views.states[number], views.rotation_matrix[number]
        state[_VELOCITY] = velocity
        state[_ANGULAR_MOMENTUM] = transform(matrix.T, angular_velocity) / views.inv_inertia[number]
        state[STILL_TIME] = 0.0
        load_body_of(self.buffers, number)

    def fade_resistance(self, share: float) -> None:
        surface, contacts = self.params.surface, self._scene.contacts
        surface = surface._replace(
            rolling_lever=contacts.rolling_lever * share,
            spinning_lever=contacts.spinning_lever * share,
        )
        self.params = self.params._replace(surface=surface, damping=FADE_DAMPING)
        # A body held by the resistance may move on without it.
        self._views.states[:, STILL_TIME] = 0.0


def _length(vector: Array) -> float:
    """Return the length of a vector, shape [3], with the bits of compiled code."""
    x, y, z = vector.tolist()
    return sqrt(x * x + y * y + z * z)


def _plate_rows(plates: Sequence[Plate]) -> Array:
    """Return plates as compiled code has them, shape [plate_count, 7]."""
    rows = [
        (p.x, p.z, cos(p.angle), sin(p.angle), p.length, sin(p.angle / 2.0), cos(p.angle / 2.0))
        for p in plates
    ]
    return np.array(rows, float).reshape(-1, 7)


def _surface_params(surface: Surface, stepping: Stepping, margin: float) -> SurfaceParams:
    return SurfaceParams(
        friction=surface.contact.friction,
        sliding_friction=surface.sliding_friction or surface.contact.friction,
        impact_stages=surface.impact_stages,
        restitution=surface.contact.restitution,
        rolling_lever=surface.rolling_lever,
        spinning_lever=surface.spinning_lever,
        gravity=GRAVITY,
        restitution_threshold=RESTITUTION_THRESHOLD,
        energy_margin=margin,
        sleep_energy_height=sleep_energy_height(stepping),
        time_to_sleep=stepping.rest_time,
    )


def _scene_params(scene: Scene) -> SceneParams:
    """Return the parameters of a world without bodies."""
    contacts, stepping = scene.contacts, scene.stepping
    board = Surface(
        contact=contacts.board,
        rolling_lever=contacts.rolling_lever,
        spinning_lever=contacts.spinning_lever,
    )
    return SceneParams(
        surface=_surface_params(board, stepping, 0.0),
        board_half_side=scene.board.half,
        board_thickness=scene.board.thickness,
        body_friction=contacts.piggle.friction,
        body_restitution=contacts.piggle.restitution,
        cup_friction=contacts.cup.friction,
        cup_restitution=contacts.cup.restitution,
        cup_radius=scene.cup.inner_radius,
        cup_half_depth=scene.cup.depth / 2.0,
        cup_facet_angle=2.0 * pi / WALLS,
        max_sweeps=stepping.iterations,
        damping=0.0,
        body_count=0,
    )


@cache
def _bounding_radius(body: Body) -> float:
    """Return the largest distance of a vertex from the centre of mass [m]."""
    vertices = body.hull.vertices - body.mass.centre
    return float(np.sqrt((vertices**2).sum(axis=1).max()))


@lru_cache(maxsize=16)
def _body_tables(bodies: tuple[Body, ...]) -> BodyTables:
    """Return the tables of every kind of body, for the compiled throw."""
    frames = [principal_frame(body) for body in bodies]
    cells = [cells_as_arrays(cells_of(body)) for body in bodies]
    read = [read_body(body) for body in bodies]
    corner_part = np.concatenate([np.array(each.parts, np.int64) for each in read])

    def starts(field: str) -> Indices:
        return np.cumsum([0, *(len(getattr(each, field)) for each in cells)])

    names = [name for name in Cells._fields if name != "grazing"]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(each, name) for each in cells]) for name in names
    }
    return BodyTables(
        inv_mass=np.array([1.0 / body.mass.mass for body in bodies]),
        rotation=np.array([frame.rotation for frame in frames]),
        inverse_rotation=np.array([frame.inverse_rotation for frame in frames]),
        radius=np.array([reach(body) for body in bodies]),
        cells=Cells(**joined, grazing=0.0),
        grazing=np.array([each.grazing for each in cells]),
        corner_start=starts("corners"),
        spoke_start=starts("spokes"),
        edge_start=starts("edges"),
        facet_start=starts("normals"),
        pose_start=starts("pose_down"),
        corner_part=corner_part,
        pose_orientation=np.concatenate([np.array(each.orientations, np.int64) for each in read]),
        classed=np.array([body.classed for body in bodies], np.int64),
        footprint=np.zeros((len(corner_part) + _MAX_TOUCHES, 2)),
        touches=np.zeros((_MAX_TOUCHES, 3)),
    )


@lru_cache(maxsize=16)
def build_shapes(bodies: tuple[Body, ...], board: Board, cup: Cup, walls: int) -> ConvexShapes:
    """Return the shapes of every kind of body, of the board and of the cup's rim."""
    shapes: list[tuple[Array, list[list[int]]]] = []
    hull_shape, thin_shape, part_range = [], [], []
    for body in bodies:
        frame = principal_frame(body)
        hull_shape.append(len(shapes))
        vertices = frame.to_principal(body.hull.vertices)
        shapes.append((vertices, _vertex_neighbours(body.hull.faces, len(vertices))))
        thin_shape.append(len(shapes))
        shapes.append(_hull_shape(frame.to_principal(thin_hull(body))))
        first_part = len(shapes)
        shapes += [_hull_shape(frame.to_principal(part.vertices)) for part in body.parts]
        part_range.append((first_part, len(shapes)))
    board_shape = len(shapes)
    extents = [board.half, board.half, board.thickness / 2.0]
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    shapes.append(_hull_shape(signs * extents))
    first_rim_shape = len(shapes)
    shapes += _rim_shapes(cup, walls)
    spheres = []
    for vertices, _ in shapes:
        centre = (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
        spheres.append([*centre, np.sqrt(((vertices - centre) ** 2).sum(axis=1).max())])
    facets = [sin_cos(2.0 * pi / walls * k)[::-1] for k in range(-walls, walls + 1)]
    neighbours = list(chain.from_iterable(lists for _, lists in shapes))
    vertices = np.ascontiguousarray(np.concatenate([vertices for vertices, _ in shapes]))
    near = [vertices[list(chain.from_iterable(lists))] for vertices, lists in shapes]
    return ConvexShapes(
        vertices=vertices,
        neighbours=np.array(list(chain.from_iterable(neighbours)), np.int64),
        neighbour_positions=np.concatenate(near),
        neighbour_start=np.cumsum([0, *map(len, neighbours)]),
        visit_stamp=np.zeros(len(vertices), np.int64),
        first_vertex=np.cumsum([0, *(len(vertices) for vertices, _ in shapes)]),
        near_support=np.stack([_near_support(vertices) for vertices, _ in shapes]),
        bounding_sphere=np.array(spheres),
        hull_shape=np.array(hull_shape, np.int64),
        thin_shape=np.array(thin_shape, np.int64),
        part_range=np.array(part_range, np.int64).reshape(-1, 2),
        wall_directions=np.array(facets),
        board_shape=board_shape,
        first_rim_shape=first_rim_shape,
    )


@lru_cache(maxsize=16)
def _hull_neighbours(body: Body) -> list[list[int]]:
    """Return the neighbours of every vertex of a body's hull, found once for all floors."""
    return _vertex_neighbours(body.hull.faces, len(body.hull.vertices))


def _vertex_neighbours(faces: Indices, count: int) -> list[list[int]]:
    """Return the neighbours of every vertex along the edges of triangles, shape [face_count, 3]."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for face in faces.tolist():
        for first, second in permutations(face, 2):
            neighbours[first].add(second)
    return [sorted(each) for each in neighbours]


def _near_support(vertices: Array) -> Indices:
    """Return the support vertex against the middle of each cell of a cube of directions.

    Args:
        vertices: Vertices of a convex shape [m], shape [vertex_count, 3].

    Returns:
        Vertices, shape [6, CELLS_PER_SIDE, CELLS_PER_SIDE]: faces +x, -x, +y, -y, +z, -z of the
        cube, with rows along the next axis and columns along the one after it.
    """
    middles = (np.arange(CELLS_PER_SIDE) + 0.5) / (0.5 * CELLS_PER_SIDE) - 1.0
    rows, columns = np.meshgrid(middles, middles, indexing="ij")
    ones = np.ones_like(rows)
    faces = [
        np.roll(np.stack([sign * ones, rows, columns], axis=-1), axis, axis=-1)
        for axis in range(3)
        for sign in (1.0, -1.0)
    ]
    found: Indices = np.argmin(transform(vertices, np.stack(faces)), axis=-1)
    return found


def _hull_shape(points: Array) -> tuple[Array, list[list[int]]]:
    """Return vertices and neighbours of the convex hull of points [m], shape [count, 3]."""
    mesh = convex_hull(points)
    return mesh.vertices, _vertex_neighbours(mesh.faces, len(mesh.vertices))


def _rim_shapes(cup: Cup, walls: int) -> list[tuple[Array, list[list[int]]]]:
    """Return the rim of the cup, as wide as its wall, as flat quadrilaterals in the cup's frame."""
    angles = 2.0 * np.pi * (np.arange(walls + 1) - 0.5) / walls
    # Flush with the facets of the wall: a piece that protruded would stop bodies that slide along.
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))])
    ring /= np.cos(np.pi / walls)
    height = np.array([0.0, 0.0, cup.depth / 2.0])
    inner, outer = (radius * ring + height for radius in (cup.inner_radius, cup.outer_radius))
    neighbours = [[1, 3], [0, 2], [1, 3], [0, 2]]
    return [
        (np.array([inner[k], inner[k + 1], outer[k + 1], outer[k]]), neighbours)
        for k in range(walls)
    ]
