"""Trends of dice that others threw: `python -m scripts.verification.trends [DROPS [D20.csv]]`.

* A plastic d6 that is shorter along one axis shows the two faces across it more often. Up to 36,000
  throws of each of several dice (dicephysics.info) give a slope of 2 +- 0.3: 3 % shorter, 6 % more.
* A d20 whose faces are not all as far apart shows the faces of short diameters more often. A
  machine that tips dice in a turning carton gave a slope of -0.98 +- 0.07 per mm for one maker's
  d20 (github.com/markfickett/dicehistogram). The file has a row for each die, with the diameter of
  each pair of faces and how often each face came up, relative to a fair die.
* A thick coin lands on its side more often, the thicker it is. Nothing counted is compared.

Prints one Markdown table for each, with 95 % intervals.
"""

import csv
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection

from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.mesh_files import write_obj
from pigglesim.experiments.counted_dice import CountedDie, drop_task, quasi_static_of, read_die
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Fall, Surface

TABLETOP = load_floor("tabletop")
BY_HAND = TABLETOP.fall, TABLETOP.surface("plastic")
CONDITIONS = {
    "by hand, 250 mm": BY_HAND,
    "by hand, 100 mm": (replace(BY_HAND[0], height=0.1), BY_HAND[1]),
    "rolled out of a carton": (
        Fall(height=0.02, drift_spread=0.6, spin_spread=30.0),
        replace(BY_HAND[1], rolling_lever=1e-4),
    ),
}
"""Fall and surface. In the last one, dice roll fast from the lifted side of a smooth carton."""


def die_of(name: str, points: np.ndarray, downs: list[list[np.ndarray]]) -> CountedDie:
    """Return the convex hull of points [mm] as a die whose outcomes have some directions down."""
    mesh = convex_hull(points)
    outcomes = "".join(
        f'[[outcome]]\nlabel = "{number}"\ncount = 1\ndown = {np.array(ways).tolist()}\n'
        for number, ways in enumerate(downs)
    )
    with tempfile.TemporaryDirectory() as folder:
        obj = write_obj(name, [("die", "", mesh.vertices, mesh.faces)])
        (Path(folder) / "die.obj").write_text(obj)
        path = Path(folder) / "die.toml"
        path.write_text(f'name = "{name}"\nmesh = "die.obj"\n{outcomes}')
        return read_die(path)


def counts_of(die: CountedDie, condition: tuple[Fall, Surface], drops: int) -> np.ndarray:
    """Return how often each outcome came up."""
    task = drop_task(die, TABLETOP, engine="impulse", seed=1)
    task = replace(task, fall=condition[0], surface=condition[1])
    return np.array(task.drop(range(drops)).counts[:-1])


def shortened_d6(drops: int) -> None:
    """Print how much more often the faces of a shortened axis come up, per share it is shorter."""
    corners = load_model("d6").hull.vertices * 1e3
    axes = [[sign * np.eye(3)[axis] for sign in (1, -1)] for axis in range(3)]
    print("| throw | axis | pair share, relative | slope |\n|---|---|---|---|")
    for name, condition in CONDITIONS.items():
        for shorter in (0.01, 0.03):
            die = die_of("d6", corners * [1.0, 1.0, 1.0 - shorter], axes)
            share = counts_of(die, condition, drops)[2] / drops
            half = 1.96 * np.sqrt(share * (1 - share) / drops)
            print(
                f"| {name} | {shorter:.0%} shorter | {3 * share:.3f} ± {3 * half:.3f} "
                f"| {(3 * share - 1) / shorter:.2f} ± {3 * half / shorter:.2f} |",
                flush=True,
            )


def icosahedron(diameters: np.ndarray) -> tuple[np.ndarray, list[list[np.ndarray]]]:
    """Return the corners [mm] of an icosahedron of given diameters, and each pair's directions.

    Which pairs are neighbours on the real die is not known; the slope hardly depends on it.
    """
    golden = (1 + 5**0.5) / 2
    corners = [np.roll([0, a, b * golden], k) for k in range(3) for a in (-1, 1) for b in (-1, 1)]
    normals = np.unique(ConvexHull(np.array(corners)).equations[:, :3].round(9), axis=0)
    pairs = [normal for normal in normals if tuple(normal) > tuple(-normal)]
    planes = [[*(s * n), -d / 2] for n, d in zip(pairs, diameters, strict=True) for s in (1, -1)]
    return (
        HalfspaceIntersection(np.array(planes), np.zeros(3)).intersections,
        [[pair, -pair] for pair in pairs],
    )


def slope(diameters: np.ndarray, relative: np.ndarray, drops: float) -> tuple[float, float]:
    """Return the slope of relative pair shares against diameters [1/mm], and half its interval."""
    away = diameters - diameters.mean()
    error = np.sqrt(10 * (1 - 0.1) / drops / (away**2).sum())
    return float(away @ relative / (away**2).sum()), float(1.96 * error)


def machine_d20(path: Path, drops: int) -> None:
    """Print the slope of pair shares against diameters of each d20 in a file."""
    print("| die | counted |", " | ".join(CONDITIONS), "| without momentum |")
    print("|---|---|" + "---|" * (len(CONDITIONS) + 1))
    for row in csv.DictReader(path.open(encoding="utf-8")):
        diameters = np.array(row["mm"].split(), float)
        if len(diameters) != 10:
            continue
        counted = (
            np.array(row["p_side_rel"].split(), float) + np.array(row["p_opp_rel"].split(), float)
        ) / 2
        die = die_of("d20", *icosahedron(diameters))
        found = [slope(diameters, counted, float(row["rolls"]))]
        for condition in CONDITIONS.values():
            found.append(slope(diameters, 10 * counts_of(die, condition, drops) / drops, drops))
        rolled = slope(diameters, 10 * np.array(quasi_static_of(die)), np.inf)[0]
        cells = " | ".join(f"{value:+.2f} ± {half:.2f}" for value, half in found)
        print(f"| {row['die']} | {cells} | {rolled:+.2f} |", flush=True)


def thick_coins(drops: int) -> None:
    """Print the share of the side of coins, by thickness over diameter."""
    print("| thickness over diameter |", " | ".join(CONDITIONS), "| without momentum |")
    print("|---|" + "---|" * (len(CONDITIONS) + 1))
    turns = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    rim = np.stack([np.cos(turns), np.sin(turns)], axis=1) * 10.0
    middles = np.stack([np.cos(turns + turns[1] / 2), np.sin(turns + turns[1] / 2)], axis=1)
    downs = [[[0, 0, 1], [0, 0, -1]], [[x, y, 0] for x, y in middles]]
    for thickness in (0.25, 0.354, 0.5, 0.577, 0.75):
        points = np.array([[x, y, z] for x, y in rim for z in (-10 * thickness, 10 * thickness)])
        die = die_of("coin", points, [list(map(np.array, ways)) for ways in downs])
        cells = []
        for condition in CONDITIONS.values():
            share = counts_of(die, condition, drops)[1] / drops
            cells.append(f"{share:.3f} ± {1.96 * np.sqrt(share * (1 - share) / drops):.3f}")
        rolled = quasi_static_of(die)[1]
        print(f"| {thickness} | {' | '.join(cells)} | {rolled:.3f} |", flush=True)


def main() -> None:
    drops = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
    shortened_d6(drops)
    print()
    if len(sys.argv) > 2:
        machine_d20(Path(sys.argv[2]), drops)
        print()
    thick_coins(drops)


if __name__ == "__main__":
    main()
