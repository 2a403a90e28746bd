"""Whether a fair die falls fairly: `python -m scripts.verification.d6_uniform [THROWS]`."""

import sys

import numpy as np
from scipy.stats import chi2, ncx2

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engine import Engine
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_floor
from pigglesim.throws import sample_drops


def count_faces(throws: int, *, engine: Engine, seed: int) -> np.ndarray:
    """Return how often each number was shown, shape [6]."""
    body, floor = load_model("d6"), load_floor("tabletop")
    dropper = Dropper(
        body,
        support_of(body.hull, body.mass.centre),
        [pose.name for pose in body.poses],
        surface=floor.surface("plastic"),
        stepping=floor.stepping,
        engine=engine,
    )
    drops = sample_drops(floor.fall, body, trials=range(throws), seed=seed, purpose=("d6",))
    poses = dropper.drop_all(drops).poses
    assert poses.min() >= 0
    faces = [int(body.poses[pose].name) - 1 for pose in poses]
    return np.bincount(faces, minlength=len(body.poses))


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
    counts = count_faces(throws, engine=make_engine("impulse"), seed=1)
    value, p = uniformity(counts)
    print(f"{throws} throws, faces {counts.tolist()}: chi-square {value:.2f} of 5, p {p:.3f}")
    sys.exit(1 if p < 0.001 else 0)


if __name__ == "__main__":
    main()
