"""Exact shares against a million random descents: `python -m scripts.verification.descents`.

Some minutes a body; the tests run the same with fewer.
"""

import math
import sys

import numpy as np

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.support import SupportFunction


def counted_shares(support, count, *, rng):
    """The share of `count` random directions that descend into each pose."""
    counts = [0] * len(support.poses)
    for direction in rng.standard_normal((count, 3)):
        counts[support.descend(direction)] += 1
    return [found / count for found in counts]


def farthest_off(shares, counted, count):
    """The largest difference, in standard deviations of a count."""
    return max(
        abs(found - share) / math.sqrt(max(share * (1 - share), 1e-12) / count)
        for share, found in zip(shares, counted, strict=True)
    )


def main(count):
    points = np.random.default_rng(5).standard_normal((60, 3))
    hull = convex_hull(points)
    bodies = {"random hull": SupportFunction(hull.vertices, hull.faces, points.mean(axis=0))}
    for name in ("piggle", "premium"):
        body = load_model(name)
        bodies[name] = support_of(body.hull, body.mass.centre)
    for name, support in bodies.items():
        shares = support.shares()
        counted = counted_shares(support, count, rng=np.random.default_rng(7))
        off = farthest_off(shares, counted, count)
        print(f"{name}: {count} descents, at most {off:.2f} standard deviations off")
        for share, found in zip(shares, counted, strict=True):
            print(f"  exact {share:.6f}   counted {found:.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
