"""One step of a world: each body alone on its plane, or together where they may collide; compiled.

A body that touches nothing but the board's top, or the table, is stepped by `flight.advance_body`,
with every impact at its own time. The others are stepped together by Moreau's midpoint rule (1988):
half a step of motion, impulses at the geometry there, the other half.
"""

from math import ceil

from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.broad_phase import find_pairs, set_point_speed
from pigglesim.physics.impulse.cup import advance_cup, set_cup_motion
from pigglesim.physics.impulse.flight import (
    advance_body,
    damp,
    integrate_rotation,
    lowest_vertex,
    write_state_rotation,
)
from pigglesim.physics.impulse.manifold import find_contacts, hull_body
from pigglesim.physics.impulse.solver import correct_positions, solve_contacts
from pigglesim.physics.impulse.state import (
    FROZEN,
    LX,
    MAX_BODIES,
    STILL_TIME,
    VX,
    VY,
    VZ,
    ConvexShapes,
    SceneParams,
    Scratch,
    WorldBuffers,
    WorldState,
    X,
    Y,
    Z,
)
from pigglesim.rotations import Array

_MAX_TRAVEL = 1e-3
"""Largest distance that a point of a body outside the cup moves in a substep [m]."""
_MAX_SUBSTEPS = 8
"""Maximum substeps of a step."""
_SUPPORTED_GAP = 1e-4
"""Height of a body's lowest vertex below which its plane supports it [m]."""


@compiled_as_numpy
def load_body(world: WorldState, scratch: Scratch, body: int) -> None:
    """Write a body's transform, velocities and inverse inertia in world axes, from its state."""
    state, inv_inertia = world.states[body], world.inv_inertia[body]
    moves = world.inv_mass[body] > 0.0
    world.position[body, 0], world.position[body, 1] = state[X], state[Y]
    world.position[body, 2] = state[Z]
    write_state_rotation(state, scratch)
    axes, inv_inertia_world = scratch.rotation_matrix, world.inv_inertia_world[body]
    for i in range(3):
        world.velocity[body, i] = state[VX + i]
        world.angular_velocity[body, i] = 0.0
        for k in range(3):
            world.rotation_matrix[body, i, k] = axes[i, k]
            world.angular_velocity[body, i] += axes[i, k] * state[LX + k] * inv_inertia[k]
        for j in range(3):
            inv_inertia_world[i, j] = moves * (
                axes[i, 0] * axes[j, 0] * inv_inertia[0]
                + axes[i, 1] * axes[j, 1] * inv_inertia[1]
                + axes[i, 2] * axes[j, 2] * inv_inertia[2]
            )


@compiled_as_numpy
def load_body_of(buffers: WorldBuffers, body: int) -> None:
    """Load a body likewise, for ordinary Python: arrays are arguments at no cost, records not."""
    load_body(buffers.world[0], buffers.scratch[0], body)


@compiled_as_numpy
def _store_body(world: WorldState, body: int) -> None:
    """Write a body's velocity and angular momentum back into its state."""
    state = world.states[body]
    for k in range(3):
        state[VX + k] = world.velocity[body, k]
        principal = 0.0
        for i in range(3):
            principal += world.rotation_matrix[body, i, k] * world.angular_velocity[body, i]
        state[LX + k] = principal / world.inv_inertia[body, k]
    state[STILL_TIME] = 0.0


@compiled_as_numpy
def _drift(world: WorldState, body: int, dt: float) -> None:
    """Move a body by its velocities for a time [s]."""
    state, inv_inertia = world.states[body], world.inv_inertia[body]
    state[Z] += state[VZ] * dt
    state[X] += state[VX] * dt
    state[Y] += state[VY] * dt
    integrate_rotation(state, (inv_inertia[0], inv_inertia[1], inv_inertia[2]), dt)


@inlined
def _substep(
    shapes: ConvexShapes, world: WorldState, scratch: Scratch, scene: SceneParams, dt: float
) -> None:
    """Advance all bodies that are stepped together by one Moreau midpoint step of `dt` [s]."""
    half_dt = 0.5 * dt
    for body in range(scene.body_count):
        if world.step_mode[body]:
            _drift(world, body, half_dt)
    for body in range(scene.body_count):
        if world.step_mode[body]:
            world.states[body, VZ] -= scene.surface.gravity * dt
            damp(world.states[body], scene.damping, dt)
            set_point_speed(world, body)
            load_body(world, scratch, body)
    if world.has_cup:
        advance_cup(world, half_dt)
    find_contacts(shapes, world, scratch, scene, half_dt)
    for row in range(len(world.inv_mass)):
        for k in range(3):
            world.split_impulse[row, k] = 0.0
    solve_contacts(world, scene)
    _record_touches(world)
    correct_positions(world)
    for body in range(scene.body_count):
        if world.step_mode[body]:
            _store_body(world, body)
            _drift(world, body, half_dt)
            world.states[body, X] += world.split_impulse[body, 0]
            world.states[body, Y] += world.split_impulse[body, 1]
            world.states[body, Z] += world.split_impulse[body, 2]
    if world.has_cup:
        advance_cup(world, half_dt)


@compiled_as_numpy
def _record_touches(world: WorldState) -> None:
    """Record which bodies have pushed each other, as an impact may be over before it is read."""
    for i in range(world.contact_count):
        a, b = world.body_a[i], world.body_b[i]
        if b < MAX_BODIES and world.normal_impulse[i] > 0.0:
            world.touched[a, b] = 1
            for k in range(3):
                world.touch_point[a, b, k] = world.contact_point[i, k]


@inlined
def _step_isolated(
    shapes: ConvexShapes,
    world: WorldState,
    scratch: Scratch,
    scene: SceneParams,
    body: int,
    dt: float,
) -> None:
    """Advance a body that touches nothing but a plane by a step [s]."""
    state = world.states[body]
    beside = max(abs(state[X]), abs(state[Y])) > scene.board_half_side
    plane = -scene.board_thickness if beside else 0.0
    hull = hull_body(shapes, world, body)
    state[Z] -= plane
    scratch.lowest_now = scratch.lowest_later = world.lowest_vertex[body]
    if scene.damping > 0.0:
        damp(state, scene.damping, dt)
    advance_body(state, hull, scene.surface, scratch, dt, dt, 0.0)
    up = scratch.up
    write_state_rotation(state, scratch)
    for k in range(3):
        up[k] = scratch.rotation_matrix[2, k]
    low = world.lowest_vertex[body] = lowest_vertex(hull, up, world.lowest_vertex[body])
    offset = (
        hull.vertices[low, 0] * up[0]
        + hull.vertices[low, 1] * up[1]
        + hull.vertices[low, 2] * up[2]
    )
    world.supported[body] = state[Z] + offset < _SUPPORTED_GAP
    state[Z] += plane


@compiled_as_numpy
def step(
    shapes: ConvexShapes, world: WorldState, scratch: Scratch, scene: SceneParams, dt: float
) -> None:
    """Advance all bodies of a world by a step [s]."""
    for body in range(scene.body_count):
        for other in range(scene.body_count):
            world.touched[body, other] = 0
    fastest = find_pairs(shapes, world, scene, dt)
    any_together = False
    for body in range(scene.body_count):
        if world.step_mode[body]:
            any_together = True
        elif world.mode[body] != FROZEN:
            _step_isolated(shapes, world, scratch, scene, body, dt)
            load_body(world, scratch, body)
    world.contact_count = 0
    if not any_together:
        return
    substeps = min(_MAX_SUBSTEPS, max(1, ceil(fastest * dt / _MAX_TRAVEL)))
    for _ in range(substeps):
        _substep(shapes, world, scratch, scene, dt / substeps)
    for body in range(scene.body_count):
        if world.step_mode[body]:
            world.supported[body] = 0
            load_body(world, scratch, body)
    for i in range(world.contact_count):
        world.supported[world.body_a[i]] = 1
        if world.body_b[i] < scene.body_count:
            world.supported[world.body_b[i]] = 1


@compiled_as_numpy
def advance_world(
    shapes: ConvexShapes,
    buffers: WorldBuffers,
    scene: SceneParams,
    cup_path: Array,
    steps: int,
    dt: float,
) -> None:
    """Advance all bodies of a world by `steps` steps.

    Args:
        shapes: All shapes.
        buffers: The bodies, changed in place.
        scene: Board, cup and contact parameters, as they are now.
        cup_path: Position [m] and rotation of the cup before the first step and after each, shape
            [steps + 1, 7]; without a cup [0, 7].
        steps: Number of steps.
        dt: Time of a step [s].
    """
    world, scratch = buffers.world[0], buffers.scratch[0]
    for k in range(steps):
        world.has_cup = len(cup_path)
        if len(cup_path):
            set_cup_motion(world, cup_path, k, 1.0 / dt)
        step(shapes, world, scratch, scene, dt)
