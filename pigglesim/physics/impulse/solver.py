"""Projected Gauss-Seidel over contact impulses; compiled.

Each contact's normal impulse is changed so that the bodies separate at its target velocity, and
clamped to push only; then its friction impulse is clamped to Coulomb's cone. Sweeps over all
contacts repeat until one changes little (Catto 2005, "Iterative dynamics with temporal coherence").
Impulses are accumulated from zero in every step. There are two solvers: one body on a level plane
has a fixed contact frame and no second body. Drops need only that; with the general solver they
took 17 % longer. Both share clamping, rolling and spinning friction.
"""

from math import sqrt

from pigglesim.jit import compiled_as_numpy, inlined
from pigglesim.physics.impulse.state import (
    BOARD_CONTACT,
    BODY_CONTACT,
    HullBody,
    SceneParams,
    Scratch,
    SurfaceParams,
    WorldState,
)
from pigglesim.rotations import Array

_MAX_PLANE_SWEEPS = 50
"""Maximum sweeps over the contacts of one body with its plane."""
_SWEEPS_WITHOUT_CUP = 5
"""Factor on the maximum sweeps once the cup is gone."""
_CONVERGED = 3e-4
"""Change of velocity below which sweeps end, at every contact [m/s]."""
POSITION_CORRECTION = 0.2
"""Share of an overlap that a step removes, without giving bodies velocity."""


@compiled_as_numpy
def clamp_length(x: float, y: float, longest: float) -> tuple[float, float]:
    """Return a vector in a plane, clamped to a maximum length."""
    length = x * x + y * y
    if length > longest * longest:
        scale = longest / sqrt(length)
        x *= scale
        y *= scale
    return x, y


@compiled_as_numpy
def _rolling_inertia(inv_inertia: Array) -> float:
    """Return the least moment of inertia about a horizontal axis [kg m2].

    With it, sweeps converge to friction against the direction of rolling, as for sliding friction.
    """
    # The inverse of the larger eigenvalue of (a d, d b), the part of inv(I) along x and y.
    a, b, d = inv_inertia[0, 0], inv_inertia[1, 1], inv_inertia[0, 1]
    return float(1.0 / (0.5 * (a + b) + sqrt(0.25 * (a - b) ** 2 + d * d)))


@compiled_as_numpy
def _resist_turning(
    surface: SurfaceParams,
    normal_impulse: float,
    radius: float,
    rolling_inertia: float,
    inv_inertia: Array,
    angular_velocity: Array,
    impulse: Array,
) -> float:
    """Resist rolling and spinning on the board; return the largest change of velocity [m/s].

    Args:
        surface: Levers of both resistances.
        normal_impulse: Sum of the normal impulses from the board [N s].
        radius: Bounding radius of the body [m].
        rolling_inertia: Its `_rolling_inertia` [kg m2].
        inv_inertia: Its inverse inertia, world axes [1/(kg m2)], shape [3, 3].
        angular_velocity: Its angular velocity [rad/s], shape [3]; changed.
        impulse: Angular impulse of this step [N m s], shape [3]; changed.
    """
    change = 0.0
    if surface.rolling_lever > 0.0:
        x, y = clamp_length(
            impulse[0] - angular_velocity[0] * rolling_inertia,
            impulse[1] - angular_velocity[1] * rolling_inertia,
            surface.rolling_lever * normal_impulse,
        )
        dx, dy = x - impulse[0], y - impulse[1]
        impulse[0], impulse[1] = x, y
        for k in range(3):
            angular_velocity[k] += inv_inertia[k, 0] * dx + inv_inertia[k, 1] * dy
        change = radius / rolling_inertia * max(abs(dx), abs(dy))
    if surface.spinning_lever > 0.0:
        limit = surface.spinning_lever * normal_impulse
        spinning = impulse[2] - angular_velocity[2] / inv_inertia[2, 2]
        clamped = min(limit, max(-limit, spinning))
        dz = clamped - impulse[2]
        impulse[2] = clamped
        for k in range(3):
            angular_velocity[k] += inv_inertia[k, 2] * dz
        change = max(change, radius * inv_inertia[2, 2] * abs(dz))
    return float(change)


@compiled_as_numpy
def add_plane_contact(scratch: Scratch, rounding: float, count: int, target_velocity: float) -> int:
    """Add a contact below the vertex located last, and return the number of contacts.

    The contact is below the vertex by the `rounding` of the body [m]. If there is no room, it
    replaces the highest contact, if that is higher.
    """
    offset, vertex, slot = scratch.contact_offset, scratch.vertex_offset, count
    if count == offset.shape[0]:
        slot = 0
        for k in range(1, count):
            if offset[k, 2] > offset[slot, 2]:
                slot = k
        if offset[slot, 2] <= vertex[2] - rounding:
            return count
    offset[slot, 0], offset[slot, 1] = vertex[0], vertex[1]
    offset[slot, 2] = vertex[2] - rounding
    scratch.target_velocity[slot] = target_velocity
    return count + 1 if slot == count else count


@compiled_as_numpy
def solve_impact(body: HullBody, surface: SurfaceParams, scratch: Scratch, count: int) -> None:
    """Change a body's velocities by the impulses of an impact, in stages.

    Friction opposes the slip of each instant, and the slip may turn during an impact (Routh 1905;
    Keller 1986, "Impact with friction"). Solved at once, friction would oppose the slip at the end
    alone. So the normal velocity of each contact goes to its target in equal stages.
    """
    stages = surface.impact_stages
    if stages == 1:
        solve_plane_contacts(body, surface, surface.friction, scratch, count)
        return
    v, w, ends = scratch.velocity, scratch.angular_velocity, scratch.impact_velocity
    for i in range(count):
        offset = scratch.contact_offset[i]
        ends[i, 0] = min(0.0, v[2] + w[0] * offset[1] - w[1] * offset[0])
        ends[i, 1] = scratch.target_velocity[i]
    for stage in range(1, stages + 1):
        for i in range(count):
            scratch.target_velocity[i] = ends[i, 0] + (ends[i, 1] - ends[i, 0]) * stage / stages
        solve_plane_contacts(body, surface, surface.friction, scratch, count)


@compiled_as_numpy
def solve_plane_contacts(
    body: HullBody, surface: SurfaceParams, friction: float, scratch: Scratch, count: int
) -> None:
    """Change a body's velocities by impulses at its contacts with the plane.

    Afterwards each contact's normal velocity is at least its target, and none pulls. Friction is
    within its cone, and rolling and spinning friction are within their levers.
    """
    _prepare_plane_contacts(body.inv_mass, scratch, count)
    rolling_inertia = _rolling_inertia(scratch.inv_inertia_world)
    for _ in range(_MAX_PLANE_SWEEPS):
        change, total = _sweep_plane_contacts(body.inv_mass, friction, scratch, count)
        change = max(
            change,
            _resist_turning(
                surface,
                total,
                body.bounding_radius,
                rolling_inertia,
                scratch.inv_inertia_world,
                scratch.angular_velocity,
                scratch.rolling_impulse,
            ),
        )
        if change < _CONVERGED:
            break


@compiled_as_numpy
def _prepare_plane_contacts(inv_mass: float, scratch: Scratch, count: int) -> None:
    """Compute the effect of unit impulses along z, x and y at each contact; zero all impulses."""
    # With r = (x, y, z) from the centre of mass, inv(I) = (a d e, d b f, e f c), and the Jacobians
    # J = r x n = (y, -x, 0), (0, z, -y) and (-z, 0, x) of n along z, x and y: g = inv(I) J^T, and
    # an effective mass is 1 / (1/m + J inv(I) J^T).
    inv_inertia = scratch.inv_inertia_world
    a, b, c = inv_inertia[0, 0], inv_inertia[1, 1], inv_inertia[2, 2]
    d, e, f = inv_inertia[0, 1], inv_inertia[0, 2], inv_inertia[1, 2]
    scratch.rolling_impulse[:] = 0.0
    for i in range(count):
        scratch.normal_impulse[i] = 0.0
        scratch.friction_impulse[i, 0] = scratch.friction_impulse[i, 1] = 0.0
        offset = scratch.contact_offset[i]
        x, y, z = offset[0], offset[1], offset[2]
        g = scratch.inv_inertia_jacobian[i]
        g[0, 0], g[0, 1], g[0, 2] = a * y - d * x, d * y - b * x, e * y - f * x
        g[1, 0], g[1, 1], g[1, 2] = d * z - e * y, b * z - f * y, f * z - c * y
        g[2, 0], g[2, 1], g[2, 2] = e * x - a * z, f * x - d * z, c * x - e * z
        scratch.effective_mass[i, 0] = 1.0 / (inv_mass + y * g[0, 0] - x * g[0, 1])
        xx = inv_mass + z * g[1, 1] - y * g[1, 2]
        yy = inv_mass - z * g[2, 0] + x * g[2, 2]
        xy = z * g[2, 1] - y * g[2, 2]
        # The larger eigenvalue: sweeps then converge to friction against the sliding direction.
        largest = 0.5 * (xx + yy) + sqrt(0.25 * (xx - yy) ** 2 + xy * xy)
        scratch.effective_mass[i, 1] = 1.0 / largest


@compiled_as_numpy
def _sweep_plane_contacts(
    inv_mass: float, friction: float, scratch: Scratch, count: int
) -> tuple[float, float]:
    """Update every contact once.

    Returns:
        The largest change of velocity [m/s] and the sum of normal impulses [N s].
    """
    normal_impulse, friction_impulse = scratch.normal_impulse, scratch.friction_impulse
    v, w = scratch.velocity, scratch.angular_velocity
    vx, vy, vz = v[0], v[1], v[2]
    wx, wy, wz = w[0], w[1], w[2]
    change, total = 0.0, 0.0
    for i in range(count):
        offset = scratch.contact_offset[i]
        x, y, z = offset[0], offset[1], offset[2]
        g, mass = scratch.inv_inertia_jacobian[i], scratch.effective_mass[i]
        before = normal_impulse[i]
        target = scratch.target_velocity[i]
        after = max(0.0, before + (target - (vz + wx * y - wy * x)) * mass[0])
        if after == 0.0 and before == 0.0:
            continue
        dz = after - before
        normal_impulse[i] = after
        total += after
        # v += n dp / m and w += inv(I) (r x n) dp, for impulses dp along z, and then along x and y.
        vz += dz * inv_mass
        wx += g[0, 0] * dz
        wy += g[0, 1] * dz
        wz += g[0, 2] * dz
        px = friction_impulse[i, 0] - (vx + wy * z - wz * y) * mass[1]
        py = friction_impulse[i, 1] - (vy + wz * x - wx * z) * mass[1]
        px, py = clamp_length(px, py, friction * after)
        dx, dy = px - friction_impulse[i, 0], py - friction_impulse[i, 1]
        friction_impulse[i, 0], friction_impulse[i, 1] = px, py
        vx += dx * inv_mass
        vy += dy * inv_mass
        wx += g[1, 0] * dx + g[2, 0] * dy
        wy += g[1, 1] * dx + g[2, 1] * dy
        wz += g[1, 2] * dx + g[2, 2] * dy
        change = max(change, max(abs(dz), max(abs(dx), abs(dy))))
    v[0], v[1], v[2] = vx, vy, vz
    w[0], w[1], w[2] = wx, wy, wz
    return change * inv_mass, total


@compiled_as_numpy
def add_contact(
    world: WorldState, body: int, other: int, x: float, y: float, z: float, separation: float
) -> None:
    """Add a contact at a point [m], along `world.normal`, if there is room."""
    i = world.contact_count
    if i == len(world.separation):
        return
    world.contact_count = i + 1
    world.body_a[i], world.body_b[i] = body, other
    point = world.contact_point[i]
    point[0], point[1], point[2] = x, y, z
    world.separation[i] = separation
    n, frame = world.normal, world.contact_frame[i]
    if abs(n[0]) < 0.6:
        ux, uy, uz = 0.0, n[2], -n[1]
    else:
        ux, uy, uz = -n[2], 0.0, n[0]
    scale = 1.0 / sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux * scale, uy * scale, uz * scale
    frame[0, 0], frame[0, 1], frame[0, 2] = n[0], n[1], n[2]
    frame[1, 0], frame[1, 1], frame[1, 2] = ux, uy, uz
    frame[2, 0] = n[1] * uz - n[2] * uy
    frame[2, 1] = n[2] * ux - n[0] * uz
    frame[2, 2] = n[0] * uy - n[1] * ux


@compiled_as_numpy
def _prepare_contact(world: WorldState, i: int) -> None:
    """Compute a contact's Jacobians and effective masses, and set its impulses to zero."""
    world.normal_impulse[i] = 0.0
    world.friction_impulse[i, 0] = world.friction_impulse[i, 1] = 0.0
    inv_mass = world.inv_mass[world.body_a[i]] + world.inv_mass[world.body_b[i]]
    # Sums over both bodies of J inv(I) J^T: of the normal, of the tangents, and across those.
    knn = kuu = kvv = kuv = 0.0
    for side in range(2):
        body = world.body_a[i] if side == 0 else world.body_b[i]
        inv_inertia = world.inv_inertia_world[body]
        x = world.contact_point[i, 0] - world.position[body, 0]
        y = world.contact_point[i, 1] - world.position[body, 1]
        z = world.contact_point[i, 2] - world.position[body, 2]
        for axis in range(3):
            # J = r x n, the angular Jacobian along n = (a, b, c), and inv(I) J^T.
            direction = world.contact_frame[i, axis]
            a, b, c = direction[0], direction[1], direction[2]
            tx, ty, tz = y * c - z * b, z * a - x * c, x * b - y * a
            jacobian = world.angular_jacobian[i, side, axis]
            jacobian[0], jacobian[1], jacobian[2] = tx, ty, tz
            if side == 1 and world.inv_mass[body] == 0.0:
                continue
            spin = world.inv_inertia_jacobian[i, side, axis]
            for k in range(3):
                spin[k] = inv_inertia[k, 0] * tx + inv_inertia[k, 1] * ty + inv_inertia[k, 2] * tz
        if side == 1 and world.inv_mass[body] == 0.0:
            continue
        t, g = world.angular_jacobian[i, side], world.inv_inertia_jacobian[i, side]
        knn += t[0, 0] * g[0, 0] + t[0, 1] * g[0, 1] + t[0, 2] * g[0, 2]
        kuu += t[1, 0] * g[1, 0] + t[1, 1] * g[1, 1] + t[1, 2] * g[1, 2]
        kvv += t[2, 0] * g[2, 0] + t[2, 1] * g[2, 1] + t[2, 2] * g[2, 2]
        kuv += t[1, 0] * g[2, 0] + t[1, 1] * g[2, 1] + t[1, 2] * g[2, 2]
    world.effective_mass[i, 0] = 1.0 / (inv_mass + knn)
    uu, vv = inv_mass + kuu, inv_mass + kvv
    # The larger eigenvalue: sweeps then converge to friction against the sliding direction.
    largest = 0.5 * (uu + vv) + sqrt(0.25 * (uu - vv) ** 2 + kuv * kuv)
    world.effective_mass[i, 1] = 1.0 / largest


@compiled_as_numpy
def _relative_velocity(world: WorldState, i: int, axis: int) -> float:
    """Return the velocity of body a relative to body b at a contact, along an axis [m/s]."""
    a, b = world.body_a[i], world.body_b[i]
    va, vb = world.velocity[a], world.velocity[b]
    wa, wb = world.angular_velocity[a], world.angular_velocity[b]
    n = world.contact_frame[i, axis]
    ja, jb = world.angular_jacobian[i, 0, axis], world.angular_jacobian[i, 1, axis]
    return float(
        n[0] * (va[0] - vb[0])
        + n[1] * (va[1] - vb[1])
        + n[2] * (va[2] - vb[2])
        + ja[0] * wa[0]
        + ja[1] * wa[1]
        + ja[2] * wa[2]
        - jb[0] * wb[0]
        - jb[1] * wb[1]
        - jb[2] * wb[2]
    )


@inlined
def _apply_impulse(world: WorldState, i: int, axis: int, impulse: float) -> None:
    """Apply an impulse [N s] to both bodies of a contact, along an axis."""
    a, b = world.body_a[i], world.body_b[i]
    n = world.contact_frame[i, axis]
    dva, dvb = impulse * world.inv_mass[a], impulse * world.inv_mass[b]
    for k in range(3):
        world.velocity[a, k] += dva * n[k]
        world.angular_velocity[a, k] += impulse * world.inv_inertia_jacobian[i, 0, axis, k]
    if dvb != 0.0:
        for k in range(3):
            world.velocity[b, k] -= dvb * n[k]
            world.angular_velocity[b, k] -= impulse * world.inv_inertia_jacobian[i, 1, axis, k]


@compiled_as_numpy
def set_target_velocities(
    world: WorldState, restitution: float, restitution_threshold: float, half_dt: float, start: int
) -> None:
    """Set the minimum normal velocity after the step for every contact from `start` on.

    An impact rebounds by Newton's law. Any other contact may at most close its separation in the
    rest of the step (a speculative contact).
    """
    for i in range(start, world.contact_count):
        _prepare_contact(world, i)
        velocity = _relative_velocity(world, i, 0)
        separation = world.separation[i]
        if velocity < -restitution_threshold and separation + velocity * half_dt < 0.0:
            world.target_velocity[i] = -restitution * velocity
        else:
            world.target_velocity[i] = -max(separation, 0.0) / half_dt


@compiled_as_numpy
def _sweep_contacts(world: WorldState, scene: SceneParams) -> float:
    """Update every contact once; return the largest change of velocity [m/s]."""
    change = 0.0
    for i in range(world.contact_count):
        normal_mass, tangent_mass = world.effective_mass[i, 0], world.effective_mass[i, 1]
        before = world.normal_impulse[i]
        velocity = _relative_velocity(world, i, 0)
        after = max(0.0, before + (world.target_velocity[i] - velocity) * normal_mass)
        if after == 0.0 and before == 0.0:
            continue
        a, b = world.body_a[i], world.body_b[i]
        inv_mass = world.inv_mass[a] + world.inv_mass[b]
        if after != before:
            world.normal_impulse[i] = after
            _apply_impulse(world, i, 0, after - before)
            change = max(change, abs(after - before) * inv_mass)
        if world.contact_kind[i] == BOARD_CONTACT:
            friction = scene.surface.friction
            world.board_impulse[a] += after - before
        elif world.contact_kind[i] == BODY_CONTACT:
            friction = scene.body_friction
        else:
            friction = scene.cup_friction
        px = world.friction_impulse[i, 0] - _relative_velocity(world, i, 1) * tangent_mass
        py = world.friction_impulse[i, 1] - _relative_velocity(world, i, 2) * tangent_mass
        px, py = clamp_length(px, py, friction * after)
        dx, dy = px - world.friction_impulse[i, 0], py - world.friction_impulse[i, 1]
        world.friction_impulse[i, 0], world.friction_impulse[i, 1] = px, py
        _apply_impulse(world, i, 1, dx)
        _apply_impulse(world, i, 2, dy)
        change = max(change, max(abs(dx), abs(dy)) * inv_mass)
    return change


@compiled_as_numpy
def solve_contacts(world: WorldState, scene: SceneParams) -> None:
    """Change the velocities of all bodies by impulses at all contacts."""
    for body in range(scene.body_count):
        world.board_impulse[body] = 0.0
        if world.step_mode[body]:
            world.rolling_inertia[body] = _rolling_inertia(world.inv_inertia_world[body])
        for k in range(3):
            world.rolling_impulse[body, k] = 0.0
    # In the cup the next impact is soon; on the board bodies come to rest.
    sweeps = scene.max_sweeps if world.has_cup else _SWEEPS_WITHOUT_CUP * scene.max_sweeps
    for _ in range(sweeps):
        change = _sweep_contacts(world, scene)
        for body in range(scene.body_count):
            if world.board_impulse[body] > 0.0:
                change = max(
                    change,
                    _resist_turning(
                        scene.surface,
                        world.board_impulse[body],
                        world.bounding_radius[body],
                        world.rolling_inertia[body],
                        world.inv_inertia_world[body],
                        world.angular_velocity[body],
                        world.rolling_impulse[body],
                    ),
                )
        if change < _CONVERGED:
            break


@compiled_as_numpy
def correct_positions(world: WorldState) -> None:
    """Add to `split_impulse` the moves that reduce overlaps by `POSITION_CORRECTION` [m].

    Like the split impulses of Bullet, this corrects positions separately from velocities, contact
    by contact, so that an overlap adds no kinetic energy.
    """
    for i in range(world.contact_count):
        a, b = world.body_a[i], world.body_b[i]
        n = world.contact_frame[i, 0]
        separation = world.separation[i]
        for k in range(3):
            separation += n[k] * (world.split_impulse[a, k] - world.split_impulse[b, k])
        if separation < 0.0:
            inv_mass_a, inv_mass_b = world.inv_mass[a], world.inv_mass[b]
            impulse = -POSITION_CORRECTION * separation / (inv_mass_a + inv_mass_b)
            for k in range(3):
                world.split_impulse[a, k] += impulse * inv_mass_a * n[k]
                world.split_impulse[b, k] -= impulse * inv_mass_b * n[k]
