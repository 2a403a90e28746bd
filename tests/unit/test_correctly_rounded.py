"""Correctly rounded functions, against decimal arithmetic by other formulas."""

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from random import Random

import pytest

from pigglesim.correctly_rounded import cos, exp, tan


def _exp(value: float) -> float:
    return float(Decimal(value).exp())


def _halved(angle: float) -> Decimal:
    """Return 1 - cos by doubling a small angle: 1 - cos 2x = 4 (1 - cos x) - 2 (1 - cos x)**2."""
    small = Decimal(angle) / 2**40
    rest = small**2 / 2 - small**4 / 24 + small**6 / 720
    for _ in range(40):
        rest = 4 * rest - 2 * rest**2
    return rest


def _cos(angle: float) -> float:
    return float(1 - _halved(angle))


def _tan(angle: float) -> float:
    cosine = 1 - _halved(angle)
    return math.copysign(float((1 / cosine**2 - 1).sqrt()), angle)


@pytest.mark.parametrize(
    ("ours", "theirs", "most"), [(exp, _exp, 3.0), (cos, _cos, 3.1), (tan, _tan, 1.5)]
)
def test_every_value_is_correctly_rounded(
    ours: Callable[[float], float], theirs: Callable[[float], float], most: float
) -> None:
    random = Random(1)
    with localcontext() as context:
        context.prec = 90
        for _ in range(2000):
            value = random.uniform(-most, most) * 10.0 ** random.randrange(-6, 1)
            assert ours(value) == theirs(value), value


def test_zero_has_whole_values() -> None:
    assert [ours(0.0) for ours in (exp, cos, tan)] == [1.0, 1.0, 0.0]
