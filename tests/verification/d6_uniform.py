"""Whether a fair die falls fairly: `python -m tests.verification.d6_uniform [THROWS]`."""

import sys

import numpy as np
from scipy.stats import chi2, ncx2

from pigglesim.physics.engine import Engine
from pigglesim.physics.engines import make_engine
from pigglesim.physics.simulate import nudge
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.seeding import generator
from pigglesim.shapes.body import Body
from pigglesim.shapes.load import load_model
from pigglesim.shapes.poses import pose_at
from pigglesim.spatial import random_quaternion, to_matrix
from tests.tracking import place_at

DROP = 0.10
"""Height of the centre at the start [m]."""
SPIN = 15.0
"""Standard deviation of each coordinate of the spin [rad/s]."""


def throw_one(body: Body, scene: Scene, *, engine: Engine, rng: np.random.Generator) -> str:
    """Return the name of the pose in which a die thrown on its own comes to rest."""
    start = place_at((0, 0, DROP), random_quaternion(rng=rng))
    kick = (rng.normal(0, 0.3, 3), rng.normal(0, SPIN, 3))
    place = nudge(scene, ((body, start),), {0: kick}, engine=engine).standing[0]
    return pose_at(body, -to_matrix(np.array(place.orientation))[2]).name


def count_faces(throws: int, *, engine: Engine, seed: int) -> np.ndarray:
    """Return how often each number was shown, shape [6]."""
    body, scene = load_model("d6"), load_scene("piggles_classic")
    names = sorted(pose.name for pose in body.poses)
    counts = np.zeros(len(names), int)
    for throw in range(throws):
        rng = generator(seed, "d6", throw)
        counts[names.index(throw_one(body, scene, engine=engine, rng=rng))] += 1
    return counts


def uniformity(counts: np.ndarray) -> tuple[float, float]:
    """Return Pearson's chi-square against equal shares, and its p-value."""
    expected = counts.sum() / len(counts)
    value = float(np.sum((counts - expected) ** 2) / expected)
    return value, float(chi2.sf(value, len(counts) - 1))


def power(throws: int, shift: float, *, alpha: float) -> float:
    """Return how likely the test is to find two faces `shift` above and below a sixth."""
    return float(ncx2.sf(chi2.isf(alpha, 5), 5, throws * 2 * shift**2 * 6))


def main() -> None:
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    counts = count_faces(throws, engine=make_engine("bullet"), seed=1)
    value, p = uniformity(counts)
    print(f"{throws} throws, faces {counts.tolist()}: chi-square {value:.2f} of 5, p {p:.3f}")
    sys.exit(1 if p < 0.001 else 0)


if __name__ == "__main__":
    main()
