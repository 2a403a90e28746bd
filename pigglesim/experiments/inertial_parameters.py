"""Centre of mass, moments of inertia and rounding of a tracked cube, without a law of contact.

A corner that strikes the floor between two flights gives an impulse P. The flights measure it, and
the change dw of the angular velocity. With any friction and restitution, momentum and angular
momentum balance, in body axes:

    P = m (v_after - v_before),    I dw = r x P,    r = corner - rounding (sign + n) - centre

with the corner and the sign of its coordinates, and n, the upward direction. Least squares over all
impacts of single corners give the moments of inertia I, the centre and the rounding, with weak
priors from the flights and the solid cube. The errors are larger than those of the tracking: during
an impact of some milliseconds a body turns, and its contact moves.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from pigglesim.experiments.tracked_throws import (
    FLIGHT,
    SHORTEST_FLIGHT,
    ThrowParameters,
    Track,
    TrackedThrows,
    TrackStart,
    flight_frames,
    state_in_flight,
)
from pigglesim.rotations import Array, multiply, to_matrix
from pigglesim.scene.scene import GRAVITY

_ROUNDS = 4
"""Times that flights are measured with the centre found so far."""
_CLEAR = 1e-3
"""Height of the lowest point above which a body flies [m]."""
_GAP = 6
"""Maximum frames between two flights around one impact."""
_SCATTER = 1.2e-4
"""Scatter of positions about a parabola above which it is no flight [m]."""
_TURN = np.radians(0.6)
"""Largest turn between both flights at the time of the impact: beyond it there were two."""
_CORNER = 0.15
"""Least coordinate of the upward direction, body axes: below it an edge strikes."""
_ROBUST = 0.02
"""Error of an impact, in parts of P side / 2, beyond which it counts less."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InertialParameters:
    """Measured rounding, centre and moments of inertia of a cube."""

    values: Array
    """Rounding [m], centre [m], moments of inertia [kg m2], shape [7]."""
    errors: Array
    """Standard errors of the values, shape [7]."""
    prior_errors: Array
    """Those before any impact, shape [7]."""
    impacts: int
    """Impacts of single corners from which they were measured."""

    def body(self, throws: TrackedThrows) -> ThrowParameters:
        """Return the cube of some throws as measured, on the default surface."""
        return _with(self.values, throws)


@dataclass(frozen=True, slots=True, eq=False)
class _Impact:
    """An impact of one corner, body axes."""

    impulse: Array
    spin_change: Array
    up: Array


def measure_inertial_parameters(throws: TrackedThrows) -> InertialParameters:
    """Measure what the impacts of single corners say about the body of some throws.

    The prior is normal: the centre by the flights alone, with four times its error, moments of
    inertia (1.25 ± 0.25) of a solid cube, a rounding of 3 ± 3 percent of the side.
    """
    from scipy.optimize import least_squares  # noqa: PLC0415 (slow to import)

    solid = throws.mass * throws.side**2 / 6.0
    centre, error = flight_centre(throws)
    prior = np.array([0.03 * throws.side, *centre, *(1.25 * solid,) * 3])
    widths = np.array([0.03 * throws.side, *(4.0 * error), *(0.25 * solid,) * 3])
    values = prior
    for _ in range(_ROUNDS):
        impacts = list(_corner_impacts(throws, _with(values, throws)))

        def misses(unit: Array, impacts: list[_Impact] = impacts) -> Array:
            """Return the errors of the balances and of the prior, in standard errors."""
            body = _with(prior + widths * unit, throws)
            balances = [_balance(impact, body) / _ROBUST for impact in impacts]
            return np.concatenate([*balances, unit])

        found = least_squares(misses, (values - prior) / widths, loss="soft_l1")
        values = prior + widths * found.x
    # The three errors of an impact go together, so each impact is one observation (Huber 1967). The
    # prior, whose errors are the units here, adds the identity.
    slopes = np.asarray(found.jac)
    inverse = np.linalg.inv(slopes.T @ slopes)
    count = len(impacts)
    scores = np.einsum(
        "nki,nk->ni", slopes[:-7].reshape(count, 3, 7), found.fun[:-7].reshape(count, 3)
    )
    spread = scores.T @ scores * count / max(count - 7.0 / 3.0, 1.0) + np.eye(7)
    errors = widths * np.sqrt(np.diag(inverse @ spread @ inverse))
    return InertialParameters(
        values=values, errors=errors, prior_errors=widths, impacts=len(impacts)
    )


def flight_centre(throws: TrackedThrows) -> tuple[Array, Array]:
    """Return the centre of mass by the flights alone, with standard errors [m], shape [3] each.

    In flight the centre of mass moves on a parabola, and the middle of the cube turns about it:
    linear least squares with one arm for all throws.
    """
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 (slow to import)

    normal, right = np.zeros((3, 3)), np.zeros(3)
    squares, count = 0.0, 0
    rows = []
    for track in throws.tracks:
        frames = flight_frames(track, throws)
        if frames is None:
            continue
        times = np.arange(frames.stop - frames.start) * throws.frame_time
        seen = track.positions[frames].copy()
        seen[:, 2] += GRAVITY / 2.0 * times**2
        basis = np.linalg.qr(np.stack([np.ones_like(times), times], axis=1))[0]
        turns = -Rotation.from_quat(track.rotations[frames]).as_matrix()
        seen -= basis @ (basis.T @ seen)
        turns -= np.einsum("na,aij->nij", basis, np.einsum("na,nij->aij", basis, turns))
        rows.append((turns.reshape(-1, 3), seen.reshape(-1)))
    for arms, seen in rows:
        normal += arms.T @ arms
        right += arms.T @ seen
    inverse = np.linalg.inv(normal)
    centre: Array = np.array([float(row @ right) for row in inverse])
    for arms, seen in rows:
        squares += float(((seen - arms @ centre) ** 2).sum())
        count += len(seen)
    error: Array = np.sqrt(np.diag(inverse) * squares / max(count - 3, 1))
    return centre, error


def _with(values: Array, throws: TrackedThrows) -> ThrowParameters:
    rounding, x, y, z, *moments = (float(value) for value in values)
    a, b, c = (max(moment, 1e-12) for moment in moments)
    return replace(
        throws.unfitted, rounding=max(rounding, 0.0), centre=(x, y, z), inertia=(a, b, c)
    )


def _balance(impact: _Impact, body: ThrowParameters) -> Array:
    """Return I dw - r x P, in parts of P side / 2, shape [3]."""
    sign = -np.sign(impact.up)
    corner = sign * (body.side / 2.0 - body.rounding) - body.rounding * impact.up
    torque = np.cross(corner - np.array(body.centre), impact.impulse)
    missing: Array = body.moments * impact.spin_change - torque
    return missing / (float(np.linalg.norm(impact.impulse)) * body.side / 2.0)


def _corner_impacts(throws: TrackedThrows, body: ThrowParameters) -> Generator[_Impact]:
    """Yield the impacts of single corners between two flights."""
    for track in throws.tracks:
        for before, after in pairwise(_flights(track, body)):
            if after.start - before.stop < _GAP and (
                impact := _impact(track, throws, body, before, after)
            ):
                yield impact


def _flights(track: Track, body: ThrowParameters) -> list[slice]:
    """Return the runs of frames in which the body is off the floor."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415 (slow to import)

    lowest = body.lowest(track.positions, Rotation.from_quat(track.rotations).as_matrix())
    flying = np.concatenate([[False], lowest > _CLEAR, [False]])
    edges = np.flatnonzero(np.diff(flying.astype(int)))
    return [slice(first, last) for first, last in edges.reshape(-1, 2).tolist()]


def _impact(
    track: Track, throws: TrackedThrows, body: ThrowParameters, before: slice, after: slice
) -> _Impact | None:
    """Return the impact between two flights; None if one is too short, or an edge struck."""
    time = throws.frame_time
    # The first frames may be in the hand; those beside an impact went through a median.
    last, first = before.stop - 2, after.start + 1
    start, end = max(before.start + 1, last + 1 - FLIGHT), min(after.stop - 2, first - 1 + FLIGHT)
    if last - start < SHORTEST_FLIGHT or end - first < SHORTEST_FLIGHT:
        return None
    old = state_in_flight(track, body, time, slice(start, last + 1), last)
    new = state_in_flight(track, body, time, slice(first, end + 1), first)
    if max(old.position_noise, new.position_noise) > _SCATTER:
        return None
    # Both parabolas have the same acceleration, so their distance is linear in time.
    span = (first - last) * time
    drift = old.velocity - new.velocity - np.array([0.0, 0.0, GRAVITY * span])
    apart = old.position - new.position + new.velocity * span
    apart[2] += GRAVITY / 2.0 * span**2
    elapsed = float(-(apart @ drift) / (drift @ drift))
    if not 0.0 < elapsed < span:
        return None
    turn_old, spin_old = _turned(old, elapsed, body)
    turn_new, spin_new = _turned(new, elapsed - span, body)
    angle = 2.0 * np.arccos(min(abs(float(turn_old @ turn_new)), 1.0))
    axes = to_matrix(turn_old)
    up = axes[2]
    if angle > _TURN or np.abs(up).min() < _CORNER:
        return None
    return _Impact(-body.mass * drift @ axes, (spin_new - spin_old) @ axes, up)


def _turned(state: TrackStart, elapsed: float, body: ThrowParameters) -> tuple[Array, Array]:
    """Return rotation and angular velocity of a free body some time after a state (midpoints)."""
    steps = 10
    turn, step = state.rotation, elapsed / steps
    spin = state.angular_velocity @ to_matrix(turn)
    for _ in range(steps):
        middle = spin + step / 2.0 * _euler(spin, body)
        angle = np.linalg.norm(middle) * step / 2.0
        axis = middle / max(float(np.linalg.norm(middle)), 1e-12)
        turn = multiply(turn, np.array([*(np.sin(angle) * axis), np.cos(angle)]))
        spin = spin + step * _euler(middle, body)
    return turn, spin @ to_matrix(turn).T


def _euler(spin: Array, body: ThrowParameters) -> Array:
    """Return the angular acceleration of a free body, body axes (Euler 1758)."""
    change: Array = -np.cross(spin, body.moments * spin) / body.moments
    return change
