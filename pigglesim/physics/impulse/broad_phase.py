"""Broad phase: bodies that may collide within a step, and so how each is stepped; compiled.

Bounding spheres first, then the last separating axis of a pair, then GJK.
"""

from math import sqrt

from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.gjk import Pair, are_separated
from pigglesim.physics.impulse.state import (
    FROZEN,
    LX,
    STEP_ALONE,
    STEP_IN_CUP,
    STEP_TOGETHER,
    VX,
    ConvexShapes,
    SceneParams,
    WorldState,
    X,
    Y,
    Z,
)

_PAIR_MARGIN = 2e-4
"""Margin beyond which bodies within a step are not stepped together [m]."""


@compiled_as_numpy
def set_point_speed(world: WorldState, body: int) -> None:
    """Set the upper bound on the speed of any point of a body, from its state."""
    state, inv_inertia = world.states[body], world.inv_inertia[body]
    linear = angular = 0.0
    for k in range(3):
        linear += state[VX + k] ** 2
        angular += (state[LX + k] * inv_inertia[k]) ** 2
    world.point_speed[body] = sqrt(linear) + world.bounding_radius[body] * sqrt(angular)


@compiled_as_numpy
def may_touch_edge(world: WorldState, scene: SceneParams, body: int, distance: float) -> bool:
    """Return whether a body that moves by a distance [m] may touch or cross the board's edge."""
    state, reach = world.states[body], world.bounding_radius[body] + distance
    x, y = abs(state[X]) - scene.board_half_side, abs(state[Y]) - scene.board_half_side
    return bool(state[Z] < reach and max(x, y) > -reach and x < reach and y < reach)


@compiled_as_numpy
def may_touch_cup(world: WorldState, scene: SceneParams, body: int, distance: float) -> bool:
    """Return whether a body that moves by a distance [m] may be in the cup or touch its rim."""
    state, reach = world.states[body], world.bounding_radius[body] + distance
    centre = world.cup_position
    squared = (
        (state[X] - centre[0]) ** 2 + (state[Y] - centre[1]) ** 2 + (state[Z] - centre[2]) ** 2
    )
    farthest = reach + sqrt(scene.cup_radius**2 + scene.cup_half_depth**2)
    return bool(squared < farthest * farthest)


@inlined
def _may_collide(shapes: ConvexShapes, world: WorldState, body: int, other: int, dt: float) -> bool:
    """Return whether two bodies may collide within a step [s], by the cheapest test that decides.

    Bodies that are stepped with others anyway are checked exactly in every substep, and here by
    their bounding spheres alone.
    """
    moves, other_moves = world.mode[body] != FROZEN, world.mode[other] != FROZEN
    if not (moves or other_moves):
        return False
    distance = (world.point_speed[body] + world.point_speed[other]) * dt + _PAIR_MARGIN
    squared = 0.0
    for k in range(3):
        squared += (world.position[body, k] - world.position[other, k]) ** 2
    reach = world.bounding_radius[body] + world.bounding_radius[other] + distance
    if squared >= reach * reach:
        return False
    together = (world.step_mode[body] or not moves) and (world.step_mode[other] or not other_moves)
    return bool(together or _may_touch(shapes, world, body, other, distance))


@compiled_as_numpy
def _add_pair(world: WorldState, body: int, other: int) -> None:
    """Add a pair, and step those of the two that move together with others."""
    row = world.pair_count
    world.pair_count = row + 1
    world.pairs[row, 0], world.pairs[row, 1] = body, other
    for one in (body, other):
        if world.mode[one] != FROZEN and world.step_mode[one] == STEP_ALONE:
            world.step_mode[one] = STEP_TOGETHER


@inlined
def find_pairs(shapes: ConvexShapes, world: WorldState, scene: SceneParams, dt: float) -> float:
    """Find the pairs of bodies that may collide within a step [s]; set each body's step mode.

    Returns:
        An upper bound on the speed of any point of the bodies that are stepped together outside
        the cup [m/s].
    """
    world.pair_count = 0
    for body in range(scene.body_count):
        world.step_mode[body] = STEP_ALONE
        set_point_speed(world, body)
        if world.mode[body] != FROZEN:
            distance = world.point_speed[body] * dt
            if world.has_cup and may_touch_cup(world, scene, body, distance):
                world.step_mode[body] = STEP_IN_CUP
            elif may_touch_edge(world, scene, body, distance):
                world.step_mode[body] = STEP_TOGETHER
    for body in range(scene.body_count):
        for other in range(body):
            if _may_collide(shapes, world, body, other, dt):
                _add_pair(world, body, other)
    fastest = 0.0
    for body in range(scene.body_count):
        if world.step_mode[body] == STEP_TOGETHER:
            fastest = max(fastest, world.point_speed[body])
    return fastest


@compiled_as_numpy
def warm_start_normal(world: WorldState, body: int, other: int) -> None:
    """Set `world.normal` to a pair's last separating axis, or else along their centres."""
    squared = 0.0
    for k in range(3):
        world.normal[k] = world.cached_normal[body, other, k]
        squared += world.normal[k] ** 2
    if squared < 0.5:
        squared = 0.0
        for k in range(3):
            world.normal[k] = world.position[body, k] - world.position[other, k]
            squared += world.normal[k] ** 2
        for k in range(3):
            world.normal[k] /= sqrt(squared)


@compiled_as_numpy
def _may_touch(
    shapes: ConvexShapes, world: WorldState, body: int, other: int, distance: float
) -> bool:
    """Return whether the hulls of two bodies are closer than a distance [m]."""
    hull = shapes.hull_shape[world.body_kind[body]]
    other_hull = shapes.hull_shape[world.body_kind[other]]
    warm_start_normal(world, body, other)
    if are_separated(shapes, world, Pair(hull, body, other_hull, other), distance):
        store_normal(world, body, other, distance)
        return False
    return True


@compiled_as_numpy
def store_normal(world: WorldState, body: int, other: int, separation: float) -> None:
    """Store a pair's normal and separation [m], to warm-start the next search."""
    for k in range(3):
        world.cached_normal[body, other, k] = world.normal[k]
    world.cached_separation[body, other] = separation
