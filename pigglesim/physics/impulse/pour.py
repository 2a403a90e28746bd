"""A whole throw, from the first shake to rest; compiled.

It takes the same decisions as `physics.pour`, which throws with any engine, to the bit: when a body
leaves the cup, wakes, falls asleep, descends into its pose, or is pushed because it stopped between
two poses.
"""

from math import inf, sqrt
from typing import Any, NamedTuple

from pigglesim import cup_motion, descent, pose_reading, trig
from pigglesim.cup_motion import CupMotion, cup_pose
from pigglesim.descent import Cells, Placed, direction_down, height, lowest_corner, rotated
from pigglesim.jit import compiled_as_numpy, usable_when_compiled
from pigglesim.physics import settling
from pigglesim.physics.impulse.cup import set_cup_motion
from pigglesim.physics.impulse.state import (
    FREE,
    FROZEN,
    IN_CUP,
    LX,
    QX,
    STATE_SIZE,
    STILL_TIME,
    VX,
    BodyTables,
    ConvexShapes,
    SceneParams,
    SurfaceParams,
    ThrowRecord,
    WorldBuffers,
    WorldState,
    X,
)
from pigglesim.physics.impulse.step import load_body, step
from pigglesim.physics.settling import (
    CONTACT_DISTANCE,
    EMPTYING,
    FADE_DAMPING,
    FADE_STAGES,
    MAX_PUSHES,
    MAX_SPEED,
    NEAR,
    OVER,
    ROLLING,
    SLOW_SPIN,
    WITHDRAW_TIME,
    Trajectory,
    begin_check,
    blind_steps_ahead,
    end_check,
    gap_to_sleepers,
    note_motion,
    rest_place,
    settle_again,
    steps_to_cup_check,
    steps_to_settle_check,
    unstick_motion,
    withdrawn_pose,
)
from pigglesim.pose_reading import BoardPrint, ReadBody, read_pose

usable_when_compiled(trig)
usable_when_compiled(descent)
usable_when_compiled(cup_motion)
usable_when_compiled(settling)
usable_when_compiled(pose_reading)

_LEVERS = SurfaceParams._fields.index("rolling_lever")
_PAST_LEVERS = SurfaceParams._fields.index("spinning_lever") + 1
_DAMPING = SceneParams._fields.index("damping")
_PAST_DAMPING = _DAMPING + 1


class ThrowParams(NamedTuple):
    """Motion of the cup, and criteria of rest."""

    motion: CupMotion
    """Motion of the cup; of no meaning without one."""
    rolled: int
    """Number of bodies thrown from the cup; they come first."""
    time_step: float
    """Time of a step [s]."""
    time_limit: float
    """Time at which the throw ends at the latest [s]."""
    slow_speed: float
    """Speed below which a body is slow [m/s]."""
    rest_speed: float
    """Speed below which a body is still [m/s]."""
    rest_spin: float
    """Angular speed below which it is [rad/s]."""
    rest_time: float
    """Time for which it must be still before it rests [s]."""
    ease_time: float
    """Time in which rolling resistance fades [s]."""
    board: BoardPrint
    """Board on which the bodies at rest are read."""


class _Run(NamedTuple):
    """All that a throw is stepped with."""

    shapes: ConvexShapes
    buffers: WorldBuffers
    scene: SceneParams
    tables: BodyTables
    params: ThrowParams
    trajectory: Trajectory


@compiled_as_numpy
def _cells(tables: BodyTables, kind: int) -> Cells:
    """Return the cells of a kind of body."""
    cells = tables.cells
    a, b = tables.corner_start[kind], tables.corner_start[kind + 1]
    c, d = tables.spoke_start[kind], tables.spoke_start[kind + 1]
    e, f = tables.edge_start[kind], tables.edge_start[kind + 1]
    g, h = tables.facet_start[kind], tables.facet_start[kind + 1]
    i, j = tables.pose_start[kind], tables.pose_start[kind + 1]
    return Cells(
        corners=cells.corners[a:b],
        first=cells.first[a + kind : b + kind + 1],
        spokes=cells.spokes[c:d],
        sides=cells.sides[c:d],
        edges=cells.edges[e:f],
        held=cells.held[e:f],
        feet=cells.feet[e:f],
        normals=cells.normals[g:h],
        grazing=tables.grazing[kind],
        exits=cells.exits[g:h],
        exit_to=cells.exit_to[g:h],
        pose_of_facet=cells.pose_of_facet[g:h],
        pose_down=cells.pose_down[i:j],
        pose_height=cells.pose_height[i:j],
        pose_escape=cells.pose_escape[i:j],
    )


@compiled_as_numpy
def _place(world: WorldState, throw: ThrowRecord, tables: BodyTables, body: int) -> Placed:
    """Return position [m] and rotation of a body, body axes; of a frozen one, as it was given."""
    if world.mode[body] == FROZEN:
        p = throw.place[body]
        return p[0], p[1], p[2], p[3], p[4], p[5], p[6]
    state, q = world.states[body], tables.inverse_rotation[world.body_kind[body]]
    x, y, z, w = _product(
        state[QX], state[QX + 1], state[QX + 2], state[QX + 3], q[0], q[1], q[2], q[3]
    )
    return state[X], state[X + 1], state[X + 2], x, y, z, w


@compiled_as_numpy
def _product(
    ax: float, ay: float, az: float, aw: float, bx: float, by: float, bz: float, bw: float
) -> tuple[float, float, float, float]:
    """Return the product of quaternions a and b."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@compiled_as_numpy
def _put(buffers: WorldBuffers, tables: BodyTables, body: int, mode: int) -> None:
    """Set a body at rest at its stored place, in a mode."""
    world, scratch, throw = buffers.world[0], buffers.scratch[0], buffers.throw[0]
    kind = world.body_kind[body]
    state, p, q = world.states[body], throw.place[body], tables.rotation[kind]
    for k in range(STATE_SIZE):
        state[k] = 0.0
    for k in range(3):
        state[X + k] = p[k]
    x, y, z, w = _product(p[3], p[4], p[5], p[6], q[0], q[1], q[2], q[3])
    state[QX], state[QX + 1], state[QX + 2], state[QX + 3] = x, y, z, w
    world.mode[body] = mode
    world.inv_mass[body] = 0.0 if mode == FROZEN else tables.inv_mass[kind]
    load_body(world, scratch, body)


@compiled_as_numpy
def _is_contact(world: WorldState, contact: int, body: int, other: int) -> bool:
    """Return whether a contact is one of two bodies that touch."""
    a, b = world.body_a[contact], world.body_b[contact]
    if not ((a == body and b == other) or (a == other and b == body)):
        return False
    near = world.separation[contact] < CONTACT_DISTANCE
    return bool(near or world.normal_impulse[contact] > 0.0)


@compiled_as_numpy
def _touching(world: WorldState, body: int, other: int) -> bool:
    """Return whether two bodies touched in the last step."""
    for i in range(world.contact_count):
        if _is_contact(world, i, body, other):
            return True
    return bool(world.touched[body, other] or world.touched[other, body])


@compiled_as_numpy
def _measure_gaps(world: WorldState, throw: ThrowRecord, tables: BodyTables, count: int) -> None:
    """Measure the distances between the bounding spheres of all bodies [m]."""
    for body in range(count):
        for other in range(body):
            x = world.position[body, 0] - world.position[other, 0]
            y = world.position[body, 1] - world.position[other, 1]
            z = world.position[body, 2] - world.position[other, 2]
            radius = tables.radius[world.body_kind[body]] + tables.radius[world.body_kind[other]]
            gap = sqrt(x * x + y * y + z * z) - radius
            throw.gap[body, other] = throw.gap[other, body] = gap


@compiled_as_numpy
def _wake(buffers: WorldBuffers, tables: BodyTables, count: int) -> None:
    """Wake sleeping bodies that a moving one has come near."""
    throw = buffers.throw[0]
    if gap_to_sleepers(throw, count) > 0.0:
        return
    for body in range(count):
        near = False
        for other in range(count):
            near = near or (
                other != body and throw.restless[other] and throw.gap[body, other] < NEAR
            )
        if throw.asleep[body] and near:
            _put(buffers, tables, body, FREE)
            throw.asleep[body], throw.restless[body] = 0, 1


@compiled_as_numpy
def _pass_on_striker(world: WorldState, throw: ThrowRecord, rolled_count: int, count: int) -> None:
    """Pass the striker along new contacts, from the thrown bodies outwards."""
    for body in range(rolled_count, count):
        if throw.striker[body] >= 0 or throw.asleep[body]:
            continue
        for other in range(count):
            if other == body or throw.gap[body, other] >= 0.0:
                continue
            reached = other < rolled_count or throw.striker[other] >= 0
            if reached and _touching(world, other, body):
                struck = throw.striker[other] >= 0
                throw.striker[body] = throw.striker[other] if struck else other
                break


@compiled_as_numpy
def _move_cup(world: WorldState, throw: ThrowRecord, params: ThrowParams) -> None:
    """Set the motion of the cup in the next step, and remove it when it has been withdrawn."""
    after = throw.steps * params.time_step + params.time_step
    if throw.phase != EMPTYING and after - throw.emptied_at > WITHDRAW_TIME:
        throw.has_cup = 0
    if throw.has_cup:
        if throw.phase == EMPTYING:
            pose = cup_pose(params.motion, after)
        else:
            pose = withdrawn_pose(params.motion, throw.emptied_at, after)
        for k in range(7):
            throw.cup_path[0, k] = throw.cup_path[1, k]
            throw.cup_path[1, k] = pose[k]
        set_cup_motion(world, throw.cup_path, 0, 1.0 / params.time_step)
    world.has_cup = throw.has_cup


@compiled_as_numpy
def _record(run: _Run) -> None:
    """Store the current state in the trajectory, if it has rows."""
    world, throw, trajectory = run.buffers.world[0], run.buffers.throw[0], run.trajectory
    row = throw.steps
    if row >= len(trajectory.has_cup):
        return
    for body in range(run.scene.body_count):
        place = _place(world, throw, run.tables, body)
        for k in range(7):
            trajectory.places[row, body, k] = place[k]
        trajectory.strikers[row, body] = throw.striker[body]
    trajectory.has_cup[row] = throw.has_cup
    for k in range(7):
        trajectory.cup[row, k] = throw.cup_path[1, k]


@compiled_as_numpy
def _advance(run: _Run, scene: SceneParams, steps: int) -> None:
    """Advance by some steps, and between them wake bodies and pass strikers on."""
    buffers, tables, params = run.buffers, run.tables, run.params
    world, scratch, throw = buffers.world[0], buffers.scratch[0], buffers.throw[0]
    count = scene.body_count
    for _ in range(steps):
        _move_cup(world, throw, params)
        step(run.shapes, world, scratch, scene, params.time_step)
        throw.steps += 1
        throw.time = throw.steps * params.time_step
        throw.blind_steps -= 1
        # Without bodies to wake or to strike there is nothing to check.
        nobody = count == params.rolled
        for body in range(count):
            nobody = nobody and not throw.asleep[body]
        if throw.blind_steps <= 0 and not nobody:
            _measure_gaps(world, throw, tables, count)
            _wake(buffers, tables, count)
            _pass_on_striker(world, throw, params.rolled, count)
            throw.blind_steps = blind_steps_ahead(throw, params.rolled, count, params.time_step)
        _record(run)


@compiled_as_numpy
def _empty_cup(run: _Run) -> None:
    """Advance until a body could be clear of the mouth, and free those that are."""
    world, throw, params = run.buffers.world[0], run.buffers.throw[0], run.params
    _advance(run, run.scene, steps_to_cup_check(throw, params, params.motion))
    if throw.time >= params.motion.tip_start:
        px, py, pz, qx, qy, qz, qw = cup_pose(params.motion, throw.time)
        mx, my, mz = rotated((px, py, pz, qx, qy, qz, qw), 0.0, 0.0, 1.0)
        least = inf
        for body in range(params.rolled):
            x, y = world.position[body, 0] - px, world.position[body, 1] - py
            beyond = x * mx + y * my + (world.position[body, 2] - pz) * mz
            left = run.scene.cup_half_depth + run.tables.radius[world.body_kind[body]] - beyond
            if throw.in_cup[body] and left < 0.0:
                world.mode[body] = FREE
                throw.in_cup[body] = 0
            if throw.in_cup[body]:
                least = min(least, left)
        throw.steps_to_mouth = least / (MAX_SPEED * params.time_step) if least < inf else 0.0
    full = False
    for body in range(params.rolled):
        full = full or throw.in_cup[body] != 0
    if not full or throw.time >= params.time_limit:
        throw.emptied_at = throw.since = throw.time
        throw.phase = ROLLING


@compiled_as_numpy
def _faded(scene: SceneParams, stage: int) -> SceneParams:
    """Return the parameters of a scene whose rolling resistance has faded by some stages."""
    if stage == 0:
        return scene
    surface, share = scene.surface, 1.0 - stage / FADE_STAGES
    levers = surface.rolling_lever * share, surface.spinning_lever * share
    # Compiled code has no `_replace`, and the checker knows no types of slices.
    surface = SurfaceParams(*surface[:_LEVERS], *levers, *surface[_PAST_LEVERS:])  # type: ignore[arg-type, call-arg]
    return SceneParams(surface, *scene[1:_DAMPING], FADE_DAMPING, *scene[_PAST_DAMPING:])  # type: ignore[arg-type, call-arg]


@compiled_as_numpy
def _watch_motion(world: WorldState, throw: ThrowRecord, params: ThrowParams, count: int) -> None:
    """Mark the bodies that are still and those that are slow, and go on to the next phase."""
    if begin_check(throw, params, count):
        # A body held by the resistance may move on without it.
        for body in range(count):
            world.states[body, STILL_TIME] = 0.0
    if throw.phase == OVER:
        return
    for body in range(count):
        if throw.asleep[body]:
            continue
        v, w = world.velocity[body], world.angular_velocity[body]
        speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        slow = bool(speed < params.slow_speed and spin < SLOW_SPIN and world.supported[body])
        note_motion(throw, params, body, speed, spin, slow)
    end_check(throw, params, count)


@compiled_as_numpy
def _freeze_settled(run: _Run, body: int) -> None:
    """Freeze a body that came to rest alone, once it has descended into its pose."""
    world, throw, tables, scene = run.buffers.world[0], run.buffers.throw[0], run.tables, run.scene
    room = inf
    for other in range(scene.body_count):
        if other != body:
            gap = throw.gap[body, other]
            room = min(room, gap)
            if gap < NEAR and (throw.restless[other] or _touching(world, body, other)):
                return
    kind = world.body_kind[body]
    cells, was = _cells(tables, kind), _place(world, throw, tables, body)
    x, y, z = direction_down(was)
    found, place = rest_place(
        cells,
        was,
        lowest_corner(cells, x, y, z),
        height(cells, x, y, z),
        bool(throw.slow[body]),
        room,
        tables.radius[kind],
        scene.board_half_side,
        scene.board_thickness,
    )
    if found:
        for k in range(7):
            throw.place[body, k] = place[k]
        _put(run.buffers, tables, body, FROZEN)
        throw.asleep[body], throw.restless[body] = 1, 0
        throw.blind_steps = 0


@compiled_as_numpy
def _unstick(run: _Run, body: int) -> bool:
    """Push a body that stopped alone between two poses; return whether it was pushed."""
    world, scratch, throw = run.buffers.world[0], run.buffers.scratch[0], run.buffers.throw[0]
    if throw.pushes[body] >= MAX_PUSHES:
        return False
    for other in range(run.scene.body_count):
        if other != body and throw.gap[body, other] < 0.0 and _touching(world, body, other):
            return False
    cells = _cells(run.tables, world.body_kind[body])
    place = _place(world, throw, run.tables, body)
    x, y, z = direction_down(place)
    corner = lowest_corner(cells, x, y, z)
    vx, vy, wx, wy = unstick_motion(cells, place, corner, run.scene.board_thickness)
    if wx == 0.0 and wy == 0.0:
        return False
    state, r = world.states[body], world.rotation_matrix[body]
    state[VX], state[VX + 1], state[VX + 2] = vx, vy, 0.0
    for k in range(3):
        state[LX + k] = (wx * r[0, k] + wy * r[1, k]) / world.inv_inertia[body, k]
    state[STILL_TIME] = 0.0
    load_body(world, scratch, body)
    throw.pushes[body] += 1
    return True


@compiled_as_numpy
def _settle(run: _Run) -> None:
    """Advance to the next check, and freeze or push bodies that are still."""
    world, throw, params = run.buffers.world[0], run.buffers.throw[0], run.params
    count = run.scene.body_count
    _advance(run, _faded(run.scene, throw.fade_stage), steps_to_settle_check(throw, params))
    _watch_motion(world, throw, params, count)
    for body in range(count):
        throw.restless[body] = not throw.asleep[body] and not throw.quiet[body]
    looked = False
    for body in range(count):
        looked = looked or throw.quiet[body] or throw.slow[body]
    if looked:
        _measure_gaps(world, throw, run.tables, count)
        for body in range(count):
            if throw.quiet[body]:
                _freeze_settled(run, body)
        for body in range(count):
            if throw.slow[body]:
                _freeze_settled(run, body)
    if throw.phase == OVER:
        pushed = False
        for body in range(count):
            if throw.quiet[body] and not throw.asleep[body]:
                pushed = _unstick(run, body) or pushed
        if pushed:
            settle_again(throw, params)


@compiled_as_numpy
def _collect_touches(run: _Run, body: int) -> int:
    """Write the points where others touch a body into `tables.touches`; return their number."""
    world, throw, points = run.buffers.world[0], run.buffers.throw[0], run.tables.touches
    count = 0
    for other in range(run.scene.body_count):
        if other == body or throw.gap[body, other] >= 0.0:
            continue
        first = count
        for i in range(world.contact_count):
            if _is_contact(world, i, body, other):
                for k in range(3):
                    points[count, k] = world.contact_point[i, k]
                count += 1
        for one, two in ((body, other), (other, body)):
            if count == first and world.touched[one, two]:
                # The impact is over: they have separated again.
                for k in range(3):
                    points[count, k] = world.touch_point[one, two, k]
                count += 1
    return count


@compiled_as_numpy
def _read(run: _Run, body: int) -> None:
    """Store the place of a body at the end, and its reading in `throw.landed`."""
    world, throw, tables = run.buffers.world[0], run.buffers.throw[0], run.tables
    kind, place = world.body_kind[body], _place(world, throw, tables, body)
    for k in range(7):
        throw.place[body, k] = place[k]
    a, b = tables.corner_start[kind], tables.corner_start[kind + 1]
    c, d = tables.pose_start[kind], tables.pose_start[kind + 1]
    # Arrays in place of the lists of ordinary Python.
    parts: Any = tables.corner_part[a:b]
    orientations: Any = tables.pose_orientation[c:d]
    touches: Any = tables.touches
    points: Any = tables.footprint
    read = ReadBody(_cells(tables, kind), parts, orientations, tables.classed[kind])
    count = _collect_touches(run, body)
    orientation, zone, support, _ = read_pose(read, run.params.board, place, touches, count, points)
    landed = throw.landed[body]
    landed[0], landed[1], landed[2] = orientation, zone, support


@compiled_as_numpy
def run_throw(
    shapes: ConvexShapes,
    buffers: WorldBuffers,
    scene: SceneParams,
    tables: BodyTables,
    params: ThrowParams,
    trajectory: Trajectory,
    steps: int,
) -> bool:
    """Continue a throw for about `steps` steps; return whether it is over.

    It begins with the bodies in the cup at their stored places, and ends with all of them read.

    Args:
        shapes: All shapes.
        buffers: The bodies and the progress of the throw, changed in place.
        scene: Board, cup and contact parameters.
        tables: Every kind of body.
        params: Motion of the cup, and criteria of rest.
        trajectory: Memory for the state after each step; its first row is that before the first.
        steps: Number of steps, after which the caller can answer an interrupt.
    """
    world, throw, count = buffers.world[0], buffers.throw[0], scene.body_count
    run = _Run(shapes, buffers, scene, tables, params, trajectory)
    if throw.steps == 0:
        if throw.phase == EMPTYING:
            for body in range(params.rolled):
                _put(buffers, tables, body, IN_CUP)
            pose = cup_pose(params.motion, 0.0)
            for k in range(7):
                throw.cup_path[1, k] = pose[k]
        _record(run)
    until = throw.steps + steps
    while throw.phase != OVER and throw.steps < until:
        if throw.phase == EMPTYING:
            _empty_cup(run)
        else:
            _settle(run)
    if throw.phase == OVER:
        _measure_gaps(world, throw, tables, count)
        for body in range(count):
            _read(run, body)
    return bool(throw.phase == OVER)
