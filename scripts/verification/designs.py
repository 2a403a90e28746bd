"""Designs made with and without momentum: `python -m scripts.verification.designs [DROPS [CHECK]]`.

Designs of "Putting Rigid Bodies to Rest" (Baktash, Sharp, Zhou, Crane and Jacobson 2025) give a
body shares that hold if it rolls without momentum. On tasks of that kind, each line drops the
design made so, and ours, with the same random numbers, and prints the total variation from the
target.
"""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from pigglesim.bodies.mesh import convex_hull
from pigglesim.bodies.mesh_files import write_obj
from pigglesim.bodies.variant import read_source
from pigglesim.experiments.design import Candidate, Design, parse_free, parse_target
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.worker_pool import map_in_order

TASKS = (
    ("d6", "6=.24", "ballast", "tabletop"),
    ("d6", "1=.13,2=.14,3=.155,4=.175,5=.19,6=.21", "ballast", "tabletop"),
    ("d6", "1=.08,6=.08,2=.15,5=.15", "shape", "tabletop"),
    ("prism", "end=.2", "shape", "tabletop"),
    ("piggle", "up=.5,down=.4,head=.1", "ballast", "tabletop"),
    ("piggle", "up=.5,down=.4,head=.1", "ballast", "felt"),
)
"""Model, target, free parameters and floor."""
PRISM = """id = "prism"
name = "Prism"
mesh = "model.obj"
density_kg_m3 = 1100.0
pose_class = [
  { down = [0.0, 0.0, 1.0], name = "end" }, { down = [0.0, 0.0, -1.0], name = "end" },
  { down = [0.0, -1.0, 0.0], name = "side" },
  { down = [0.866, 0.5, 0.0], name = "side" }, { down = [-0.866, 0.5, 0.0], name = "side" },
]
"""


def write_prism(folder: Path) -> str:
    """Write a regular prism of three sides of 16 mm by 16 mm; return its folder."""
    corners = [[-8.0, -4.6188], [8.0, -4.6188], [0.0, 9.2376]]
    mesh = convex_hull(np.array([[x, y, z] for x, y in corners for z in (-8.0, 8.0)]))
    text = write_obj("prism, millimetres", [("body", "", mesh.vertices, mesh.faces)])
    (folder / "model.obj").write_text(text)
    (folder / "model.toml").write_text(PRISM)
    return str(folder)


def line_of(task: tuple[str, str, str, str], *, prism: str, drops: int, check: int) -> str:
    """Return the line of a task, as a row of a Markdown table."""
    model, target, free, floor = task
    source = read_source(prism if model == "prism" else model)
    search = Design(
        source=source,
        target=parse_target(target, source.body),
        free=parse_free(free, source),
        materials=("steel", "lead", "tungsten") if free == "ballast" else ("",),
        floors=(Floors.of(floor),),
        surface="plastic",
        engine="impulse",
        drops=drops,
        check=check,
        seed=1,
    )
    done: list[Candidate] = []
    for end in search.stages:
        drop = search.stage(done)
        done += [drop(index) for index in range(len(done), end)]
    result = search.result(done)
    # What noise alone gives at the end: the mean of half the sum of absolute normal errors.
    wanted = search.wanted
    noise = np.sqrt(wanted * (1 - wanted) / check * 2 / np.pi).sum() / 2
    return (
        f"| {model}, {free}, {floor} | `{target}` | {result.rolled_tv:.4f} | {result.other_tv:.4f} "
        f"| {result.tv:.4f} | {noise:.4f} |"
    )


def main() -> None:
    typed = [int(word) for word in sys.argv[1:]]
    drops, check = [*typed, *(1500, 30_000)[len(typed) :]]
    print(
        "| body, free, floor | target | without momentum, rolled | without momentum, dropped "
        "| ours, dropped | noise alone |\n|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        prism = write_prism(Path(folder))
        work = partial(partial, line_of, prism=prism, drops=drops, check=check)
        for line in map_in_order(work, TASKS, workers=min(os.cpu_count() or 1, 2)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
