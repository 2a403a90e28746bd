"""Quantiles of Student's t without scipy, held to those of scipy."""

import pytest
from scipy.special import stdtrit

from pigglesim.student_t import student_quantile


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99, 0.9999])
@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 19, 40, 99, 998, 999, 1000, 1001, 10**6])
def test_quantiles_are_those_of_scipy(freedom: int, level: float) -> None:
    # Of few degrees of freedom the ends are far, where scipy has eleven digits.
    expected = float(stdtrit(freedom, (1.0 + level) / 2.0))
    assert student_quantile(freedom, level) == pytest.approx(expected, rel=1e-11, abs=0.0)
