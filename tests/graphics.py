"""Whether pictures can be drawn here, and how alike two of them are."""

import os
from functools import cache

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from pigglesim.errors import SpecError
from pigglesim.viewer.offscreen import Offscreen


@cache
def missing():
    """Return why nothing can be drawn here, or nothing if all is well."""
    try:
        with Offscreen(16, 16):
            return ""
    except SpecError as fault:
        return str(fault)


def expect_graphics():
    """Fail where tests are run for all, skip on a machine of somebody's own."""
    if missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing())


def likeness(one, other):
    """Return the mean structural similarity (Wang et al. 2004) of two RGB pictures, 1 for equal."""
    one, other = (np.asarray(each, dtype=float) / 255.0 for each in (one, other))
    window = {"size": (7, 7, 1)}
    means = [uniform_filter(each, **window) for each in (one, other)]
    powers = [uniform_filter(each**2, **window) for each in (one, other)]
    spread = [power - mean**2 for power, mean in zip(powers, means, strict=True)]
    shared = uniform_filter(one * other, **window) - means[0] * means[1]
    c1, c2 = 0.01**2, 0.03**2
    top = (2 * means[0] * means[1] + c1) * (2 * shared + c2)
    return float(np.mean(top / ((means[0] ** 2 + means[1] ** 2 + c1) * (sum(spread) + c2))))
