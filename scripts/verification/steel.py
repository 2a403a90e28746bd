"""Steel prisms, predicted by others: `python -m scripts.verification.steel DICE [POINTS]`.

DICE holds folders with a die.toml, of which those of steel are taken (Budden 1980). Surface and
throw are fitted to every second prism by height, and the others are dropped on all floors that
these support; then the other way round. Prints both fits and one Markdown table.
"""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from pigglesim.experiments.counted_dice import CountedDie, counted_dice, drop_task, judge
from pigglesim.experiments.fit import PARAMETERS, Fit, posterior
from pigglesim.experiments.floor_posterior import model_throws_of
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor

FLOOR = load_floor("tabletop")
DROPS, CHECK = 1000, 20_000
WIDER = {
    "restitution": (0.2, 0.9),
    "rolling lever": (0.01, 2.0),
    "height": (50.0, 600.0),
    "spin": (2.0, 60.0),
}
"""Ranges where steel is outside those of printed bodies."""
STEEL = tuple(
    replace(one, low=WIDER[one.name][0], high=WIDER[one.name][1]) if one.name in WIDER else one
    for one in PARAMETERS
)


def predicted(dice: list[CountedDie], others: list[CountedDie], points: int) -> list[str]:
    """Return the rows of some dice, dropped where the others fit best; print that fit."""
    fit = Fit(
        dice=tuple(others), ground=FLOOR, engine="impulse", drops=DROPS, seed=1, parameters=STEEL
    )
    floors = list(map_in_order(partial(partial, fit.drop_floor), range(points), workers=2))
    found = posterior(fit.emulators(floors), others, rng=generator(1, "fit"))
    print("Fitted to", ", ".join(die.name for die in others))
    for k, parameter in enumerate(STEEL):
        print(
            f"  {parameter.name} {parameter.unit}: {found.mean[k]:.3g} "
            f"({found.low[k]:.3g} to {found.high[k]:.3g})"
        )
    rows = []
    for die in dice:
        own = judge(die, drop_task(die, FLOOR, engine="impulse", seed=1).drop(range(CHECK)), seed=1)
        over = fit.predict(found, die, throws=CHECK, workers=2)
        there = over.judged(model_throws=model_throws_of([])[0], seed=1)
        counted = np.array(die.counts) / sum(die.counts)
        rows.append(
            f"| {die.name} | {counted[0]:.3f} | {there.predicted[0]} | {own.predicted[0]} "
            f"| {there.quasi_static[0]:.3f} | {there.score.tv:.3f} ({there.score.noise_tv:.3f}) "
            f"| {own.score.tv:.3f} |"
        )
    return rows


def main() -> None:
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 128
    steel = [die for die in counted_dice(Path(sys.argv[1])) if die.material == "steel"]
    rows = predicted(steel[1::2], steel[::2], points) + predicted(steel[::2], steel[1::2], points)
    print(
        "\n| prism | counted | predicted by the other half | on the tabletop | without momentum "
        "| TV (noise) | TV on the tabletop |\n|---|---|---|---|---|---|---|"
    )
    print("\n".join(sorted(rows)))


if __name__ == "__main__":
    main()
