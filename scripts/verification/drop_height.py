"""How the height moves the poses: `python -m scripts.verification.drop_height [THROWS]`.

Counted throws of pig dice (Kern 2006, 11,954 from 5 and from 8 inches) gain on the back, the pose
of the lowest centre, and lose on the feet and the snout, which stand high and tip easily.
"""

import sys
from dataclasses import replace

import numpy as np
from scipy.stats import chi2_contingency

from pigglesim.bodies.body import support_of
from pigglesim.bodies.load import load_model
from pigglesim.experiments.counted_dice import DropTask
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import INCH

LOW, HIGH = 5 * INCH, 8 * INCH


def shares_at(height: float, *, model: str, throws: int, seed: int) -> np.ndarray:
    """Return how often each pose came in drops from a height [m], in the order of the poses."""
    body, floor = load_model(model), load_floor("tabletop")
    task = DropTask(
        name=f"{model} from {height:.4f}",
        body=body,
        support=support_of(body.hull, body.mass.centre),
        classes=tuple(range(len(body.poses))),
        class_count=len(body.poses),
        fall=replace(floor.fall, height=height),
        surface=floor.surface("plastic"),
        stepping=floor.stepping,
        engine="impulse",
        seed=seed,
    )
    return np.array(task.drop(range(throws)).counts[:-1])


def main() -> None:
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    for model in ("piggle", "premium"):
        poses = load_model(model).poses
        low, high = (shares_at(h, model=model, throws=throws, seed=1) for h in (LOW, HIGH))
        table = np.stack([low, high])
        print(f"{model}: {throws} drops each, p {chi2_contingency(table).pvalue:.2g}")
        for pose, first, second in zip(poses, low / throws, high / throws, strict=True):
            half = 1.96 * np.sqrt((first * (1 - first) + second * (1 - second)) / throws)
            print(
                f"  {pose.name:14} centre {pose.height * 1e3:5.2f} mm  5 in {first:.4f}  "
                f"8 in {second:.4f}  {second - first:+.4f} +- {half:.4f}"
            )


if __name__ == "__main__":
    main()
