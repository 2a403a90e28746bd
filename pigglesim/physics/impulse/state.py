"""Memory layout of engine `impulse`: bodies, convex shapes, contacts and parameters.

Compiled functions change records (`WorldState`, `Scratch`) and only read named tuples. All units
are SI units. Rotations are unit quaternions (x, y, z, w) or matrices from a body's principal axes
to world axes; z points up, and the top of the board is at z = 0.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from pigglesim.cup_motion import WALLS
from pigglesim.descent import Cells
from pigglesim.physics.early_stop import StopCriteria
from pigglesim.physics.settling import ThrowState
from pigglesim.rotations import Array, Indices

X, Y, Z = 0, 1, 2
"""Entries of a body's state: position of the centre of mass [m]; of one die, above its plane."""
VX, VY, VZ = 3, 4, 5
"""Entries of a body's state: velocity of the centre of mass [m/s], world axes."""
QX, QY, QZ, QW = 6, 7, 8, 9
"""Entries of a body's state: rotation from principal to world axes, a unit quaternion."""
LX = 10
"""First of the three entries of angular momentum [kg m2/s], principal axes."""
STILL_TIME = 13
"""Entry of a body's state: time for which its energy has been below that of sleep [s]."""
STATE_SIZE = 14
"""Number of entries of a body's state."""

MAX_BODIES = 24
"""Maximum bodies of a world."""
BOARD, CUP = MAX_BODIES, MAX_BODIES + 1
"""Rows of the board and of the cup, after those of the bodies."""

IN_CUP, FREE, FROZEN = 0, 1, 2
"""Modes of a body: moves with a thinned hull, moves in its full shape, does not move."""
STEP_ALONE, STEP_TOGETHER, STEP_IN_CUP = 0, 1, 2
"""Step modes of a body: alone on its plane; in substeps with others; with the cup, in whole steps.
"""
BOARD_CONTACT, BODY_CONTACT, CUP_CONTACT = 0, 1, 2
"""Kinds of contact, by the second body: the board or the table, another body, the cup."""

CELLS_PER_SIDE = 6
"""Cells along each side of the cube whose cells are directions, for support vertices."""

_ROWS = MAX_BODIES + 2
_MAX_PAIRS = MAX_BODIES * (MAX_BODIES - 1) // 2
_MAX_CONTACTS = 512
_MAX_FACE_VERTICES = 16
_MAX_DEEPEST = 8
_MAX_PLANE_CONTACTS = 24
"""Maximum contacts of one body with its plane; the deepest are kept."""
_MAX_CANDIDATES = 128
"""Maximum vertices considered as contacts with the plane."""

_Fields = list[tuple[str, type, tuple[int, ...]] | tuple[str, type]]


class HullBody(NamedTuple):
    """One body and its convex hull, in its principal frame."""

    vertices: Array
    """Vertices of the hull [m], shape [vertex_count, 3]."""
    neighbours: Indices
    """Vertices that share an edge with each vertex, one list after another."""
    neighbour_start: Indices
    """Start of each vertex's list in `neighbours`, shape [vertex_count + 1]."""
    visit_stamp: Indices
    """Number of the last search that visited each vertex, shape [vertex_count]; changed."""
    inv_mass: float
    """Inverse mass [1/kg]."""
    inv_inertia: tuple[float, float, float]
    """Inverse principal moments of inertia [1/(kg m2)]."""
    bounding_radius: float
    """Largest distance of a vertex from the centre of mass [m]."""
    rounding: float
    """Radius of the sphere around each vertex, whose hull is the body [m]; 0 for sharp edges. The
    plane of the vertices is above the floor by as much."""


class ConvexShapes(NamedTuple):
    """All convex shapes of a world, concatenated, each in the principal frame of its body."""

    vertices: Array
    """Vertices of all shapes [m], shape [vertex_count, 3]."""
    neighbours: Indices
    """Vertices that share an edge with each vertex, numbered within its shape."""
    neighbour_positions: Array
    """Their positions [m], side by side for hill climbing, shape [neighbour_count, 3]."""
    neighbour_start: Indices
    """Start of each vertex's list in `neighbours`, shape [vertex_count + 1]."""
    visit_stamp: Indices
    """Number of the last search that visited each vertex, shape [vertex_count]; changed."""
    first_vertex: Indices
    """Start of each shape in `vertices`, shape [shape_count + 1]."""
    near_support: Indices
    """Support vertex against the middle of each cell of a cube around each shape, where searches
    begin, shape [shape_count, 6, CELLS_PER_SIDE, CELLS_PER_SIDE]."""
    bounding_sphere: Array
    """Centre and radius of a sphere that holds each shape [m], shape [shape_count, 4]."""
    hull_shape: Indices
    """Shape that is the hull of each kind of body, shape [kind_count]."""
    thin_shape: Indices
    """Shape that is the thinned hull of each kind of body, shape [kind_count]."""
    part_range: Indices
    """First convex part of each kind of body, and one past the last, shape [kind_count, 2]."""
    wall_directions: Array
    """Cosine and sine of the angle of each facet of the cup's wall about its axis, from at least
    half a turn before the x axis to as much behind it, shape [any odd number, 2]."""
    board_shape: int
    """Shape of the board."""
    first_rim_shape: int
    """First facet of the cup's rim; the others follow, up to the last shape."""


class SurfaceParams(NamedTuple):
    """Contact of a body with its plane, and criteria of sleep."""

    friction: float
    """Coulomb's coefficient of friction in impacts."""
    sliding_friction: float
    """The same while a body slides or rests."""
    impact_stages: int
    """Stages of an impact; in each, friction opposes the slip at its end."""
    restitution: float
    """Newton's coefficient of restitution."""
    rolling_lever: float
    """Torque of rolling resistance over the normal force [m]."""
    spinning_lever: float
    """Torque of spinning resistance over the normal force [m]."""
    gravity: float
    """Acceleration of gravity [m/s2]."""
    restitution_threshold: float
    """Speed below which impacts do not rebound [m/s]."""
    energy_margin: float
    """Possible gain of energy height from overlaps, per root of energy height [m^0.5]."""
    sleep_energy_height: float
    """Kinetic energy as a height, below which a body counts as still [m]."""
    time_to_sleep: float
    """Time that a body must be still before it sleeps [s]."""


class SceneParams(NamedTuple):
    """Board, cup and contact parameters of a world."""

    surface: SurfaceParams
    """Contact with the board and with the table around it."""
    board_half_side: float
    """Half the side of the board [m]."""
    board_thickness: float
    """Height of the board's top above the table [m]."""
    body_friction: float
    """Coefficient of friction between two bodies."""
    body_restitution: float
    """Coefficient of restitution between two bodies."""
    cup_friction: float
    """Coefficient of friction between a body and the cup."""
    cup_restitution: float
    """Coefficient of restitution between a body and the cup."""
    cup_radius: float
    """Inner radius of the cup [m]."""
    cup_half_depth: float
    """Half the depth of the cup [m]."""
    cup_facet_angle: float
    """Angle of each flat facet of the cup's wall about its axis [rad]."""
    max_sweeps: int
    """Maximum sweeps of the solver while there is a cup."""
    damping: float
    """Rate at which velocities decay [1/s]."""
    body_count: int
    """Number of bodies."""


class DropParams(NamedTuple):
    """One kind of die on one floor."""

    body: HullBody
    """The die."""
    surface: SurfaceParams
    """Its contact with the floor."""
    criteria: StopCriteria
    """Conditions that end a drop."""
    body_axes: Array
    """Matrix from principal to body axes, shape [3, 3]."""
    max_step: float
    """Longest step [s]."""


class PlateParams(NamedTuple):
    """What is around one die, besides the floor."""

    plates: Array
    """Of each plate x and z where it begins [m], cosine and sine of its angle, length [m], and sine
    and cosine of half the angle to its frame, shape [plate_count, 7]."""
    turn_rate: float
    """Angular speed at which gravity turns from -x to -z [rad/s]; 0 if it points to -z."""


class BodyTables(NamedTuple):
    """Every kind of body of a world, for descent into poses; those of all kinds concatenated.

    A kind's part of each array begins at `..._start[kind]` and ends where the next one begins.
    """

    inv_mass: Array
    """Inverse mass [1/kg], shape [kind_count]."""
    rotation: Array
    """Rotation from principal to body axes, shape [kind_count, 4]."""
    inverse_rotation: Array
    """The inverse rotation, shape [kind_count, 4]."""
    radius: Array
    """Distance from the centre of mass to the farthest vertex [m], shape [kind_count]."""
    cells: Cells
    """Cells of the support functions, body axes; `first` has one entry more for each kind."""
    grazing: Array
    """The field of `cells` of that name, shape [kind_count]."""
    corner_start: Indices
    """Of `corners`, and of `first` without its extra entries, shape [kind_count + 1]."""
    spoke_start: Indices
    """Of `spokes` and `sides`, shape [kind_count + 1]."""
    edge_start: Indices
    """Of `edges`, `held` and `feet`, shape [kind_count + 1]."""
    facet_start: Indices
    """Of `normals`, `exits`, `exit_to` and `pose_of_facet`, shape [kind_count + 1]."""
    pose_start: Indices
    """Of `pose_down`, `pose_height` and `pose_escape`, shape [kind_count + 1]."""
    corner_part: Indices
    """Part of each corner as in `ReadBody`, shape [corner_count]."""
    pose_orientation: Indices
    """Orientation of each pose likewise, shape [pose_count]."""
    classed: Indices
    """Whether the model names the classes of its poses, shape [kind_count]."""
    footprint: Array
    """Memory for the points that a body stands on [m], shape [any number, 2]; changed."""
    touches: Array
    """Memory for the points where others touch it [m], shape [any number, 3]; changed."""


Scratch = np.record
"""Working memory for one body on a plane: a record, which is one argument instead of many."""
_SCRATCH: _Fields = [
    ("rotation_matrix", np.float64, (3, 3)),  # from principal to world axes
    ("inv_inertia_world", np.float64, (3, 3)),  # [1/(kg m2)], world axes
    ("velocity", np.float64, (3,)),  # [m/s], world axes
    ("angular_velocity", np.float64, (3,)),  # [rad/s], world axes
    ("candidates", np.int64, (_MAX_CANDIDATES,)),  # vertices that may touch the plane
    ("visit_stamp", np.int64),  # number of the last search over vertices
    ("lowest_now", np.int64),  # lowest vertex now
    ("lowest_later", np.int64),  # lowest vertex at the end of the step
    ("up", np.float64, (3,)),  # unit vector up, principal axes
    ("up_later", np.float64, (3,)),  # direction whose lowest vertex is lowest at the step's end
    ("down", np.float64, (3,)),  # unit vector down, body axes
    ("vertex_offset", np.float64, (3,)),  # a vertex from the centre of mass [m], world axes
    # Contacts with the plane.
    ("contact_offset", np.float64, (_MAX_PLANE_CONTACTS, 3)),  # from the centre of mass [m]
    ("target_velocity", np.float64, (_MAX_PLANE_CONTACTS,)),  # least normal velocity after [m/s]
    ("impact_velocity", np.float64, (_MAX_PLANE_CONTACTS, 2)),  # normal, before and after [m/s]
    ("normal_impulse", np.float64, (_MAX_PLANE_CONTACTS,)),  # [N s]
    ("friction_impulse", np.float64, (_MAX_PLANE_CONTACTS, 2)),  # along x and y [N s]
    ("inv_inertia_jacobian", np.float64, (_MAX_PLANE_CONTACTS, 3, 3)),  # rows z, x, y
    ("effective_mass", np.float64, (_MAX_PLANE_CONTACTS, 2)),  # normal, tangential [kg]
    ("rolling_impulse", np.float64, (3,)),  # angular: rolling about x and y, spinning [N m s]
]

WorldState = np.record
"""All bodies and contacts of a world, and the working memory of collision detection.

Arrays with one row per body that also hold the board and the cup have `_ROWS` rows.
"""
_WORLD: _Fields = [
    # Bodies.
    ("states", np.float64, (MAX_BODIES, STATE_SIZE)),  # entries X to STILL_TIME
    ("inv_mass", np.float64, (_ROWS,)),  # [1/kg], 0 for what does not move
    ("inv_inertia", np.float64, (MAX_BODIES, 3)),  # of the principal moments [1/(kg m2)]
    ("bounding_radius", np.float64, (MAX_BODIES,)),  # about the centre of mass [m]
    ("point_speed", np.float64, (MAX_BODIES,)),  # upper bound for any point [m/s]
    ("body_kind", np.int64, (MAX_BODIES,)),  # row of `ConvexShapes.hull_shape`
    ("mode", np.int64, (MAX_BODIES,)),  # IN_CUP, FREE or FROZEN
    ("step_mode", np.int64, (MAX_BODIES,)),  # STEP_ALONE, STEP_TOGETHER or STEP_IN_CUP
    ("supported", np.int64, (MAX_BODIES,)),  # whether anything touched it in the last step
    ("lowest_vertex", np.int64, (MAX_BODIES,)),  # where the next search for it starts
    ("position", np.float64, (_ROWS, 3)),  # centre of mass [m]
    ("rotation_matrix", np.float64, (_ROWS, 3, 3)),  # from principal to world axes
    ("velocity", np.float64, (_ROWS, 3)),  # [m/s]
    ("angular_velocity", np.float64, (_ROWS, 3)),  # [rad/s], world axes
    ("inv_inertia_world", np.float64, (_ROWS, 3, 3)),  # [1/(kg m2)], world axes
    ("split_impulse", np.float64, (_ROWS, 3)),  # positional correction in this substep [m]
    ("rolling_impulse", np.float64, (MAX_BODIES, 3)),  # angular: about x, y, and z [N m s]
    ("rolling_inertia", np.float64, (MAX_BODIES,)),  # least about a horizontal axis [kg m2]
    ("board_impulse", np.float64, (MAX_BODIES,)),  # sum of normal impulses from the board [N s]
    # Pairs of bodies.
    ("cached_normal", np.float64, (_ROWS, _ROWS, 3)),  # last separating axis, warm start of GJK
    ("cached_separation", np.float64, (_ROWS, _ROWS)),  # along it [m]
    ("rim_axis", np.float64, (MAX_BODIES, WALLS, 3)),  # last separating axis, per facet of the rim
    ("pairs", np.int64, (_MAX_PAIRS, 2)),  # bodies that may collide in this step
    ("pair_count", np.int64),
    ("touched", np.int64, (MAX_BODIES, MAX_BODIES)),  # whether a pair collided in this step
    ("touch_point", np.float64, (MAX_BODIES, MAX_BODIES, 3)),  # where it did last [m]
    # Contacts.
    ("contact_count", np.int64),
    ("body_a", np.int64, (_MAX_CONTACTS,)),
    ("body_b", np.int64, (_MAX_CONTACTS,)),
    ("contact_kind", np.int64, (_MAX_CONTACTS,)),
    ("contact_point", np.float64, (_MAX_CONTACTS, 3)),  # [m]
    ("contact_frame", np.float64, (_MAX_CONTACTS, 3, 3)),  # rows: normal towards a, two tangents
    ("separation", np.float64, (_MAX_CONTACTS,)),  # below 0 where bodies overlap [m]
    ("target_velocity", np.float64, (_MAX_CONTACTS,)),  # least normal velocity after [m/s]
    ("normal_impulse", np.float64, (_MAX_CONTACTS,)),  # [N s]
    ("friction_impulse", np.float64, (_MAX_CONTACTS, 2)),  # along the two tangents [N s]
    ("angular_jacobian", np.float64, (_MAX_CONTACTS, 2, 3, 3)),  # of a and b, per row of the frame
    ("inv_inertia_jacobian", np.float64, (_MAX_CONTACTS, 2, 3, 3)),  # inv_inertia_world times it
    ("effective_mass", np.float64, (_MAX_CONTACTS, 2)),  # normal, tangential [kg]
    # GJK.
    ("search_direction", np.float64, (3,)),  # from the closest point of b to that of a [m]
    ("shift", np.float64, (3,)),  # of shape a, to part shapes that overlap [m]
    ("normal", np.float64, (3,)),  # unit vector towards a
    ("closest_point", np.float64, (3,)),  # on b [m]
    ("support_hint", np.int64, (2,)),  # last support vertices of a and b
    # Manifolds.
    ("face_vertices", np.int64, (2, _MAX_FACE_VERTICES)),  # of the touching faces of a and b
    (
        "face_points",
        np.float64,
        (2, _MAX_FACE_VERTICES, 4),
    ),  # u, v, order by angle, height over the face
    ("face_size", np.int64, (2,)),
    ("deepest_on_plane", np.float64, (_MAX_DEEPEST, 4)),  # separation and position [m]
    ("deepest_on_wall", np.float64, (_MAX_DEEPEST, 4)),
    # Cup.
    ("has_cup", np.int64),
    ("cup_position", np.float64, (3,)),  # [m]
    ("cup_rotation", np.float64, (4,)),
    ("cup_velocity", np.float64, (3,)),  # [m/s]
    ("cup_angular_velocity", np.float64, (3,)),  # [rad/s], world axes
]


@dataclass(slots=True, kw_only=True)
class ThrowRecord(ThrowState):
    """Progress of a throw, and more that only compiled code needs; in memory it is a record."""

    has_cup: int
    cup_path: Array
    place: Array
    landed: Indices


_LAYOUTS: dict[object, tuple[Any, ...]] = {
    int: (np.int64,),
    float: (np.float64,),
    list[int]: (np.int64, (MAX_BODIES,)),
    list[float]: (np.float64, (MAX_BODIES,)),
    Array: (np.float64, (MAX_BODIES, MAX_BODIES)),
}
_THROW: _Fields = [
    *((name, *_LAYOUTS[kind]) for name, kind in get_type_hints(ThrowState).items()),
    ("has_cup", np.int64),
    ("cup_path", np.float64, (2, 7)),  # position [m] and rotation of the cup, before and after
    # At the start, while frozen and at the end, body axes: exactly as given or reported.
    ("place", np.float64, (MAX_BODIES, 7)),
    # At the end: orientation (-1 without), zone, and 1 if a body leans or 2 if it is stacked.
    ("landed", np.int64, (MAX_BODIES, 3)),
]


_RECORDS = [np.dtype(fields) for fields in (_WORLD, _SCRATCH, _THROW)]


class WorldBuffers(NamedTuple):
    """The records of a world, each in an array of one: compiled code takes those at no cost."""

    world: NDArray[np.void]
    scratch: NDArray[np.void]
    throw: NDArray[np.void]


def make_world_buffers() -> WorldBuffers:
    """Return the memory of a world without bodies."""
    return WorldBuffers._make(np.zeros(1, record) for record in _RECORDS)


def make_scratch() -> Scratch:
    """Return working memory for one body on a plane."""
    record: Scratch = np.zeros(1, _SCRATCH).view(np.recarray)[0]
    return record
