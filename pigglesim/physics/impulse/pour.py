"""A whole throw, from the first shake to rest; compiled.

It takes the same decisions as `physics.pour`, which throws with any engine, to the bit: when a body
leaves the cup, wakes, falls asleep, descends into its pose or is pushed out of a shallow stand.
"""

from math import ceil, inf, sqrt

from pigglesim.cup_motion import cup_pose, smooth
from pigglesim.descent import (
    Cells,
    Placed,
    direction_down,
    fall,
    final_place,
    height,
    is_settled,
    lowest_corner,
    nearest_facet,
    plane_below,
    pose_below,
    rolled,
    rolled_down,
    rotated,
    unstick_axis,
    will_settle,
)
from pigglesim.jit import compiled_as_numpy, usable_when_compiled
from pigglesim.physics.impulse.cup import set_cup_motion
from pigglesim.physics.impulse.reading import read_body
from pigglesim.physics.impulse.state import (
    EMPTYING,
    FADING,
    FREE,
    FROZEN,
    IN_CUP,
    LX,
    OVER,
    QX,
    ROLLING,
    SETTLING,
    STATE_SIZE,
    STILL_TIME,
    VX,
    BodyTables,
    ConvexShapes,
    SceneParams,
    SurfaceParams,
    ThrowParams,
    ThrowState,
    Trajectory,
    WorldBuffers,
    WorldState,
    X,
)
from pigglesim.physics.impulse.step import load_body, step
from pigglesim.physics.settling import (
    CONTACT_DISTANCE,
    FADE_DAMPING,
    FADE_STAGES,
    MAX_BLIND_STEPS,
    MAX_PUSHES,
    MAX_SPEED,
    NEAR,
    ROUNDING,
    SLOW_ENERGY_HEIGHT,
    SLOW_SPIN,
    STEPS_PER_CUP_CHECK,
    STEPS_PER_SETTLE_CHECK,
    UNSTICK_SPIN,
    WITHDRAW_TIME,
    withdrawn_pose,
)
from pigglesim.trig import sin_cos

for _function in (
    sin_cos,
    smooth,
    cup_pose,
    withdrawn_pose,
    fall,
    lowest_corner,
    nearest_facet,
    height,
    pose_below,
    direction_down,
    rotated,
    rolled,
    rolled_down,
    is_settled,
    plane_below,
    will_settle,
    final_place,
    unstick_axis,
):
    usable_when_compiled(_function)


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
def _place(world: WorldState, throw: ThrowState, tables: BodyTables, body: int) -> Placed:
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
    if mode == FROZEN:
        for i in range(3):
            for j in range(3):
                world.inv_inertia_world[body, i, j] = 0.0


@compiled_as_numpy
def _touching(world: WorldState, body: int, other: int) -> bool:
    """Return whether two bodies touched in the last step."""
    for i in range(world.contact_count):
        a, b = world.body_a[i], world.body_b[i]
        both = (a == body and b == other) or (a == other and b == body)
        if both and (world.normal_impulse[i] > 0.0 or world.separation[i] < CONTACT_DISTANCE):
            return True
    return bool(world.touched[body, other] or world.touched[other, body])


@compiled_as_numpy
def _measure_gaps(world: WorldState, throw: ThrowState, tables: BodyTables, count: int) -> None:
    """Measure the distances between the bounding spheres of all bodies."""
    for body in range(count):
        for other in range(body):
            x = world.position[body, 0] - world.position[other, 0]
            y = world.position[body, 1] - world.position[other, 1]
            z = world.position[body, 2] - world.position[other, 2]
            radius = tables.radius[world.body_kind[body]] + tables.radius[world.body_kind[other]]
            gap = sqrt(x * x + y * y + z * z) - radius
            throw.gap[body, other] = throw.gap[other, body] = gap


@compiled_as_numpy
def _gap_to_sleepers(throw: ThrowState, count: int) -> float:
    """Return the distance by which the closest sleeping and restless bodies are not near [m]."""
    least = inf
    for body in range(count):
        for other in range(count):
            if throw.asleep[body] and throw.restless[other]:
                least = min(least, throw.gap[body, other])
    return least - NEAR


@compiled_as_numpy
def _wake(buffers: WorldBuffers, tables: BodyTables, count: int) -> None:
    """Wake sleeping bodies that a moving one has come near."""
    throw = buffers.throw[0]
    if _gap_to_sleepers(throw, count) > 0.0:
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
def _pass_on_striker(world: WorldState, throw: ThrowState, rolled_count: int, count: int) -> None:
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
def _blind_steps_ahead(throw: ThrowState, params: ThrowParams, count: int) -> int:
    """Return the number of steps before any sleeping body could be touched."""
    woken, unstruck = False, False
    for body in range(params.rolled, count):
        woken = woken or not throw.asleep[body]
        unstruck = unstruck or throw.striker[body] < 0
    if woken and unstruck:
        # The chain of contact may continue in any step.
        return 1
    way = MAX_SPEED * params.time_step
    return int(min(_gap_to_sleepers(throw, count) / way, float(MAX_BLIND_STEPS)))


@compiled_as_numpy
def _move_cup(world: WorldState, throw: ThrowState, params: ThrowParams) -> None:
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
def _record(
    world: WorldState,
    throw: ThrowState,
    tables: BodyTables,
    trajectory: Trajectory,
    count: int,
) -> None:
    """Store the present state in the trajectory, if it has rows."""
    row = throw.steps
    if row >= len(trajectory.has_cup):
        return
    for body in range(count):
        place = _place(world, throw, tables, body)
        for k in range(7):
            trajectory.places[row, body, k] = place[k]
        trajectory.strikers[row, body] = throw.striker[body]
    trajectory.has_cup[row] = throw.has_cup
    for k in range(7):
        trajectory.cup[row, k] = throw.cup_path[1, k]


@compiled_as_numpy
def _advance(
    shapes: ConvexShapes,
    buffers: WorldBuffers,
    scene: SceneParams,
    tables: BodyTables,
    params: ThrowParams,
    trajectory: Trajectory,
    steps: int,
) -> None:
    """Advance by some steps, and between them wake bodies and pass strikers on."""
    world, scratch, throw = buffers.world[0], buffers.scratch[0], buffers.throw[0]
    count = scene.body_count
    for _ in range(steps):
        _move_cup(world, throw, params)
        step(shapes, world, scratch, scene, params.time_step)
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
            throw.blind_steps = _blind_steps_ahead(throw, params, count)
        _record(world, throw, tables, trajectory, count)


@compiled_as_numpy
def _empty_cup(
    shapes: ConvexShapes,
    buffers: WorldBuffers,
    scene: SceneParams,
    tables: BodyTables,
    params: ThrowParams,
    trajectory: Trajectory,
) -> None:
    """Advance until a body could be clear of the mouth, and free those that are."""
    world, throw, dt = buffers.world[0], buffers.throw[0], params.time_step
    # No body leaves a cup that has not begun to tip.
    unseen = max((params.motion.tip_start - throw.time) / dt, throw.steps_to_mouth, 1.0)
    until = STEPS_PER_CUP_CHECK * ceil((throw.steps + unseen) / STEPS_PER_CUP_CHECK - 1e-6)
    last = ceil((params.time_limit - throw.time) / dt - 1e-6)
    _advance(
        shapes, buffers, scene, tables, params, trajectory, min(int(until) - throw.steps, int(last))
    )
    if throw.time >= params.motion.tip_start:
        px, py, pz, qx, qy, qz, qw = cup_pose(params.motion, throw.time)
        mx, my, mz = rotated((px, py, pz, qx, qy, qz, qw), 0.0, 0.0, 1.0)
        least = inf
        for body in range(params.rolled):
            x, y = world.position[body, 0] - px, world.position[body, 1] - py
            beyond = x * mx + y * my + (world.position[body, 2] - pz) * mz
            left = scene.cup_half_depth + tables.radius[world.body_kind[body]] - beyond
            if throw.in_cup[body] and left < 0.0:
                world.mode[body] = FREE
                throw.in_cup[body] = 0
            if throw.in_cup[body]:
                least = min(least, left)
        throw.steps_to_mouth = least / (MAX_SPEED * dt) if least < inf else 0.0
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
    return SceneParams(
        surface=SurfaceParams(
            friction=surface.friction,
            sliding_friction=surface.sliding_friction,
            impact_stages=surface.impact_stages,
            restitution=surface.restitution,
            rolling_lever=surface.rolling_lever * share,
            spinning_lever=surface.spinning_lever * share,
            gravity=surface.gravity,
            restitution_threshold=surface.restitution_threshold,
            energy_margin=surface.energy_margin,
            sleep_energy_height=surface.sleep_energy_height,
            time_to_sleep=surface.time_to_sleep,
        ),
        board_half_side=scene.board_half_side,
        board_thickness=scene.board_thickness,
        body_friction=scene.body_friction,
        body_restitution=scene.body_restitution,
        cup_friction=scene.cup_friction,
        cup_restitution=scene.cup_restitution,
        cup_radius=scene.cup_radius,
        cup_half_depth=scene.cup_half_depth,
        cup_facet_angle=scene.cup_facet_angle,
        max_sweeps=scene.max_sweeps,
        damping=FADE_DAMPING,
        body_count=scene.body_count,
    )


@compiled_as_numpy
def _watch_motion(world: WorldState, throw: ThrowState, params: ThrowParams, count: int) -> None:
    """Mark the bodies that are still and those that are slow, and go on to the next phase."""
    awake = 0
    for body in range(count):
        throw.quiet[body] = throw.slow[body] = 0
        awake += not throw.asleep[body]
    if throw.time >= params.time_limit:
        throw.timed_out, throw.phase = 1, OVER
        return
    if awake == 0:
        throw.phase = OVER
        return
    if throw.phase == FADING:
        share = (throw.time - throw.fade_start) / params.ease_time
        stage = min(int(share * FADE_STAGES) + 1, FADE_STAGES)
        if stage != throw.fade_stage:
            throw.fade_stage = stage
            # A body held by the resistance may move on without it.
            for body in range(count):
                world.states[body, STILL_TIME] = 0.0
        if share >= 1.0:
            throw.phase, throw.since = SETTLING, throw.time
    quiet = 0
    for body in range(count):
        if throw.asleep[body]:
            continue
        v, w = world.velocity[body], world.angular_velocity[body]
        speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        spin = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
        if speed < params.slow_speed and spin < SLOW_SPIN and world.supported[body]:
            throw.slow[body] = 1
        if not (throw.slow[body] and speed < params.rest_speed and spin < params.rest_spin):
            throw.moved_at[body] = throw.time
        if throw.time - max(throw.moved_at[body], throw.since) >= params.rest_time - ROUNDING:
            throw.quiet[body], throw.slow[body] = 1, 0
            quiet += 1
    if quiet == awake and throw.phase != FADING:
        if throw.phase == ROLLING and params.ease_time > 0.0:
            throw.phase, throw.fade_start = FADING, throw.time
        else:
            throw.phase = OVER


@compiled_as_numpy
def _freeze_settled(
    buffers: WorldBuffers, scene: SceneParams, tables: BodyTables, body: int
) -> None:
    """Freeze a body that came to rest alone, once it has descended into its pose."""
    world, throw = buffers.world[0], buffers.throw[0]
    room = inf
    for other in range(scene.body_count):
        if other != body:
            gap = throw.gap[body, other]
            room = min(room, gap)
            if gap < NEAR and (throw.restless[other] or _touching(world, body, other)):
                return
    room = max(room, 0.0)
    kind = world.body_kind[body]
    cells, was = _cells(tables, kind), _place(world, throw, tables, body)
    x, y, z = direction_down(was)
    lowest = height(cells, x, y, z)
    if throw.slow[body] and not will_settle(
        cells, was, lowest_corner(cells, x, y, z), lowest, SLOW_ENERGY_HEIGHT, scene.board_thickness
    ):
        return
    # Without room to descend, only a body that has settled may sleep.
    if room == 0.0 and not is_settled(cells, was):
        return
    found, place = final_place(
        cells, was, lowest, tables.radius[kind], scene.board_half_side, scene.board_thickness
    )
    x, y = was[0] - place[0], was[1] - place[1]
    if found and sqrt(x * x + y * y) <= room:
        for k in range(7):
            throw.place[body, k] = place[k]
        _put(buffers, tables, body, FROZEN)
        throw.asleep[body], throw.restless[body] = 1, 0
        throw.blind_steps = 0


@compiled_as_numpy
def _unstick(buffers: WorldBuffers, scene: SceneParams, tables: BodyTables, body: int) -> bool:
    """Push a body that stopped alone between two poses; return whether it was pushed.

    A mesh has vertices where a real body is round. On some of the small faces between them a body
    can rest in an equilibrium micrometres deep, far from any pose. A push towards the pose of its
    basin is just large enough to leave it.
    """
    world, scratch, throw = buffers.world[0], buffers.scratch[0], buffers.throw[0]
    if throw.pushes[body] >= MAX_PUSHES:
        return False
    for other in range(scene.body_count):
        if other != body and throw.gap[body, other] < 0.0 and _touching(world, body, other):
            return False
    cells, place = _cells(tables, world.body_kind[body]), _place(world, throw, tables, body)
    x, y, z = direction_down(place)
    ax, ay, az = unstick_axis(cells, place, lowest_corner(cells, x, y, z))
    if ax == 0.0 and ay == 0.0:
        return False
    wx, wy, wz = UNSTICK_SPIN * ax, UNSTICK_SPIN * ay, UNSTICK_SPIN * az
    # It rolls about the vertex on which it rests, so its centre moves too.
    up = place[2] if place[2] > 0.0 else place[2] + scene.board_thickness
    state, r, inv_inertia = (
        world.states[body],
        world.rotation_matrix[body],
        world.inv_inertia[body],
    )
    state[VX], state[VX + 1], state[VX + 2] = wy * up, -wx * up, 0.0
    for k in range(3):
        state[LX + k] = (wx * r[0, k] + wy * r[1, k] + wz * r[2, k]) / inv_inertia[k]
    state[STILL_TIME] = 0.0
    load_body(world, scratch, body)
    throw.pushes[body] += 1
    return True


@compiled_as_numpy
def _settle(
    shapes: ConvexShapes,
    buffers: WorldBuffers,
    scene: SceneParams,
    tables: BodyTables,
    params: ThrowParams,
    trajectory: Trajectory,
) -> None:
    """Advance to the next check, and freeze or push bodies that are still."""
    world, throw, count = buffers.world[0], buffers.throw[0], scene.body_count
    left = ceil((params.time_limit - throw.time) / params.time_step - 1e-6)
    steps = max(1, min(STEPS_PER_SETTLE_CHECK, int(left)))
    faded = _faded(scene, throw.fade_stage)
    _advance(shapes, buffers, faded, tables, params, trajectory, steps)
    _watch_motion(world, throw, params, count)
    for body in range(count):
        throw.restless[body] = not throw.asleep[body] and not throw.quiet[body]
    looked = False
    for body in range(count):
        looked = looked or throw.quiet[body] or throw.slow[body]
    if looked:
        _measure_gaps(world, throw, tables, count)
        for body in range(count):
            if throw.quiet[body]:
                _freeze_settled(buffers, scene, tables, body)
        for body in range(count):
            if throw.slow[body]:
                _freeze_settled(buffers, scene, tables, body)
    if throw.phase == OVER:
        pushed = False
        for body in range(count):
            if throw.quiet[body] and not throw.asleep[body]:
                pushed = _unstick(buffers, scene, tables, body) or pushed
        if pushed and not throw.timed_out and params.ease_time > 0.0:
            throw.phase, throw.since = SETTLING, throw.time


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
    if throw.steps == 0:
        if throw.phase == EMPTYING:
            for body in range(params.rolled):
                _put(buffers, tables, body, IN_CUP)
            pose = cup_pose(params.motion, 0.0)
            for k in range(7):
                throw.cup_path[1, k] = pose[k]
        _record(world, throw, tables, trajectory, count)
    until = throw.steps + steps
    while throw.phase != OVER and throw.steps < until:
        if throw.phase == EMPTYING:
            _empty_cup(shapes, buffers, scene, tables, params, trajectory)
        else:
            _settle(shapes, buffers, scene, tables, params, trajectory)
    if throw.phase == OVER:
        _measure_gaps(world, throw, tables, count)
        for body in range(count):
            cells, place = _cells(tables, world.body_kind[body]), _place(world, throw, tables, body)
            for k in range(7):
                throw.place[body, k] = place[k]
            read_body(world, throw, tables, params.board, cells, place, body, count)
    return bool(throw.phase == OVER)
