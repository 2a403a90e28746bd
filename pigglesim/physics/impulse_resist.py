"""What resists sliding, rolling and spinning, as impulses within their limits; compiled."""

from math import sqrt

from pigglesim.compiling import compiled_as_numpy
from pigglesim.spatial import Array

__all__ = ["resist_rolling", "resist_spinning", "within"]


@compiled_as_numpy
def within(x: float, y: float, most: float) -> tuple[float, float]:
    """Return a vector along a plane, made as short as `most` where it is longer."""
    size = x * x + y * y
    if size > most * most:
        size = most / sqrt(size)
        x *= size
        y *= size
    return x, y


@compiled_as_numpy
def resist_rolling(most: float, radius: float, inverse: Array, spin: Array, resist: Array) -> float:
    """Resist rolling, both axes at once; return the change of velocity [m/s].

    Args:
        most: Size of the impulse, at most [N m s].
        radius: Of the body [m].
        inverse: Its inverse inertia along the world's axes [1/(kg m2)], shape [3, 3].
        spin: [rad/s], shape [3]; changed.
        resist: Impulses so far in this step [N m s], shape [3]; the first two are changed.
    """
    a, b, d = inverse[0, 0], inverse[1, 1], inverse[0, 1]
    largest = 0.5 * (a + b) + sqrt(0.25 * (a - b) ** 2 + d * d)
    px, py = within(resist[0] - spin[0] / largest, resist[1] - spin[1] / largest, most)
    dx, dy = px - resist[0], py - resist[1]
    resist[0], resist[1] = px, py
    for k in range(3):
        spin[k] += inverse[k, 0] * dx + inverse[k, 1] * dy
    return float(radius * largest * max(abs(dx), abs(dy)))


@compiled_as_numpy
def resist_spinning(
    most: float, radius: float, inverse: Array, spin: Array, resist: Array
) -> float:
    """Resist spinning about the upright; return the change of velocity [m/s].

    Args:
        most: Size of the impulse, at most [N m s].
        radius: Of the body [m].
        inverse: Its inverse inertia along the world's axes [1/(kg m2)], shape [3, 3].
        spin: [rad/s], shape [3]; changed.
        resist: Impulses so far in this step [N m s], shape [3]; the last is changed.
    """
    p = min(most, max(-most, resist[2] - spin[2] / inverse[2, 2]))
    change = p - resist[2]
    resist[2] = p
    for k in range(3):
        spin[k] += inverse[k, 2] * change
    return float(radius * inverse[2, 2] * abs(change))
