"""The register of predictions: sealed before anybody counted, scored after. `scripts/register`.

An entry is a folder of `pigglesim print`. Its prediction.json is never replaced; counts come into
its die.toml.
"""

import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from scipy.spatial import ConvexHull

from pigglesim.bodies.load import ModelSpec, PoseClassSpec, toml_text
from pigglesim.bodies.mesh import convex_hull, icosphere
from pigglesim.bodies.mesh_files import write_obj
from pigglesim.errors import PigglesimError, SpecError, unknown_name
from pigglesim.experiments.counted_dice import count_law, read_die
from pigglesim.experiments.printing import (
    PREDICTION_FILE,
    SealedPrediction,
    SealedScore,
    read_prediction,
    sealed_score,
)
from pigglesim.experiments.statistics import share_of
from scripts.documentation.pages import ROOT
from scripts.measured_page import markdown_table, write_between
from tests.support.front_door import run

PAGE = ROOT / "docs" / "physics" / "register.md"
ENTRIES = PAGE.with_suffix("")
KEPT = {PREDICTION_FILE, "die.toml", "model.toml", "model.obj", "body.stl"}
"""Files of an entry; the tally sheet is made again from the model."""
LEVELS = (0.5, 0.8, 0.9, 0.95)
PHI = (1.0 + 5.0**0.5) / 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A convex body to print."""

    title: str
    size: float
    """Longest side [mm]."""
    points: np.ndarray
    names: dict[str, str] | None = None
    """Outcome of the faces across z and of all others; None for a number on each face."""

    def files(self, name: str) -> dict[str, str]:
        """Return the model file and its mesh, by name."""
        mesh = convex_hull(self.points * self.size / np.ptp(self.points, axis=0).max())
        normals = np.unique(ConvexHull(mesh.vertices).equations[:, :3].round(6), axis=0) + 0.0
        classes = []
        for number, (x, y, z) in enumerate(normals.tolist(), 1):
            named = self.names and self.names["ends" if abs(z) > 0.99 else "sides"]
            classes.append(PoseClassSpec(down=(x, y, z), name=named or str(number)))
        spec = ModelSpec(
            id=name, name=self.title, mesh="model.obj", density_kg_m3=1100.0,
            pose_class=tuple(classes),
        )  # fmt: skip
        obj = write_obj(self.title, [("body", "", mesh.vertices, mesh.faces)])
        return {"model.toml": toml_text(spec), "model.obj": obj}


def ring(sides: int, height: float, turn: float = 0.0) -> np.ndarray:
    """Return the corners of a regular polygon of radius 1 at a height."""
    angles = 2.0 * np.pi * (np.arange(sides) + turn) / sides
    return np.column_stack([np.cos(angles), np.sin(angles), np.full(sides, height)])


def shapes() -> dict[str, Shape]:
    """Return the first bodies of the register, with sharp edges, by name."""
    cube = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    corners = icosphere(0).vertices
    # The height of a trapezohedron's belt at which its kites are flat.
    belt = np.tan(np.pi / 10.0) ** 2
    pentagon = np.vstack([ring(5, belt), ring(5, -belt, 0.5)])
    golden = [
        np.roll([0.0, a / PHI, b * PHI], k) for k in range(3) for a in (-1, 1) for b in (-1, 1)
    ]
    return {
        "d4": Shape(title="Tetrahedron", size=25.0, points=cube[[0, 3, 5, 6]]),
        "d8": Shape(title="Octahedron", size=30.0, points=np.vstack([np.eye(3), -np.eye(3)])),
        "d10": Shape(title="Trapezohedron of ten kites", size=30.0,
                     points=np.vstack([pentagon, [[0, 0, 1.0], [0, 0, -1.0]]])),
        "d12": Shape(title="Dodecahedron", size=30.0, points=np.vstack([cube, golden])),
        "d20": Shape(title="Icosahedron", size=30.0, points=corners),
        "d6-short": Shape(title="Cube, 15 % shorter along one axis", size=20.0,
                          points=cube * [1.0, 1.0, 0.85], names={"ends": "short", "sides": "long"}),
        "coin": Shape(title="Coin, half as thick as wide", size=24.0,
                      points=np.vstack([ring(48, 0.5), ring(48, -0.5)]),
                      names={"ends": "face", "sides": "edge"}),
    }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A sealed prediction, and its score if somebody has counted."""

    name: str
    prediction: SealedPrediction
    counts: tuple[int, ...] = ()
    sealed: SealedScore | None = None

    def ranks(self) -> list[tuple[float, float]]:
        """Return the levels of the intervals between which each count is."""
        assert self.sealed is not None
        found = []
        for count, outcome in zip(self.counts, self.sealed.predicted, strict=True):
            law = count_law(sum(self.counts), outcome.value, self.sealed.worth)
            found.append((float(law.cdf(count - 1)), float(law.cdf(count))))
        return found

    def inside(self, level: float) -> list[bool]:
        """Return whether each count is in its central interval."""
        outside = (1.0 - level) / 2.0
        return [high >= outside and low <= 1.0 - outside for low, high in self.ranks()]

    def log_score(self) -> float:
        """Return the mean of minus the logarithm of the predicted share of what came up."""
        assert self.sealed is not None
        counts, worth = np.array(self.counts), self.sealed.worth
        shares = np.array([outcome.value for outcome in self.sealed.predicted])
        shares = (shares * worth + 0.5) / (worth + 0.5 * len(shares))
        return float(-(counts / counts.sum()) @ np.log(shares))


def entries_in(folder: Path) -> list[Entry]:
    """Return the entries of a folder by the date of their seals.

    Raises:
        PigglesimError: If one was changed after it was sealed, or its tally is faulty.
    """
    entries = []
    for file in sorted(folder.glob(f"*/{PREDICTION_FILE}")):
        prediction, tally = read_prediction(file), file.with_name("die.toml")
        entry = Entry(name=file.parent.name, prediction=prediction)
        if re.search(r"\bcounts?\s*=[\s\[0-9,]*[1-9]", tally.read_text(encoding="utf-8")):
            die = read_die(tally)
            scored = sealed_score(die, prediction.floors[0].floor, seed=1)
            entry = Entry(name=entry.name, prediction=prediction, counts=die.counts, sealed=scored)
        entries.append(entry)
    return sorted(entries, key=lambda entry: (entry.prediction.date, entry.name))


def _shares(prediction: SealedPrediction) -> str:
    outcomes = prediction.floors[0].outcomes
    if len(outcomes) < 4:
        return ", ".join(f"{x.label} {x.value:.3f} [{x.low:.3f}, {x.high:.3f}]" for x in outcomes)
    values = [x.value for x in outcomes]
    return (
        f"{len(outcomes)} faces, {min(values):.3f} to {max(values):.3f} each "
        f"[{min(x.low for x in outcomes):.3f}, {max(x.high for x in outcomes):.3f}]"
    )


def text_of(entries: Sequence[Entry]) -> str:
    """Return the tables of the page."""
    rows = []
    for entry in entries:
        sealed, score = entry.prediction, ("not yet", "", "", "")
        if entry.sealed:
            hits = entry.inside(0.9)
            score = (f"{sum(entry.counts):,} throws", f"{entry.log_score():.3f}",
                     f"{entry.sealed.score.p:.3f}", f"{sum(hits)} of {len(hits)}")  # fmt: skip
        rows.append((f"[{entry.name}](register/{entry.name}/die.toml)", sealed.date,
                     sealed.pigglesim, f"`{sealed.seal[:16]}`", sealed.floors[0].floor,
                     _shares(sealed), *score))  # fmt: skip
    heads = ("body", "sealed", "version", "SHA-256", "floor", "predicted, 95 %", "counted",
             "log score", "p", "inside 90 %")  # fmt: skip
    parts = [markdown_table(heads, rows, align="---")]
    if counted := [entry for entry in entries if entry.sealed]:
        curve = []
        for level in LEVELS:
            hits = [entry.inside(level) for entry in counted]
            # Outcomes of one body are alike.
            share = share_of(np.array([*map(sum, hits)]), np.array([*map(len, hits)]))
            held = f"{share.value:.0%} [{share.low:.0%}, {share.high:.0%}]"
            curve.append((f"{level:.0%}".replace("%", " %"), held.replace("%", " %")))
        parts.append(markdown_table(("interval", "counts inside"), curve, align="---"))
    return "\n\n".join(parts)


def seal(name: str, *, floor: str, drops: int, folder: Path) -> None:
    """Predict a body and add its entry."""
    shape = shapes()[name]
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        model, made = Path(work, name), Path(work, "made")
        model.mkdir()
        for file, text in shape.files(name).items():
            (model / file).write_text(text, encoding="utf-8")
        words = [
            "print",
            str(model),
            "--size",
            f"{shape.size:g}mm",
            "--floor",
            floor,
            "--workers",
            "1",
        ]
        done = run(*words, "--drops", str(drops), "--out", str(made), cwd=work, patience=None)
        if done.returncode:
            problem, _, fix = done.stderr.strip().rpartition("; ")
            raise SpecError(problem.removeprefix("pigglesim: "), fix=fix)
        for file in made.iterdir():
            if file.name not in KEPT:
                file.unlink()
        made.rename(folder / name)


APP = typer.Typer(add_completion=False)


@APP.command()
def main(
    new: Annotated[list[str] | None, typer.Argument(help="Bodies to seal, or `all`.")] = None,
    floor: Annotated[str, typer.Option(help="Floor or fit on which they are thrown.")] = "printed",
    drops: Annotated[int, typer.Option(min=1000, help="Drops of each body.")] = 100_000,
    folder: Annotated[Path, typer.Option(help="Folder of the entries.")] = ENTRIES,
    page: Annotated[Path, typer.Option(help="Page whose table is replaced.")] = PAGE,
) -> None:
    """Score the register and write its page, after sealing predictions of new bodies.

    A body that is in the register is not sealed again.
    """
    try:
        known = shapes()
        for name in known if new == ["all"] else new or ():
            if name not in known:
                raise unknown_name("body", name, known)
            if not (folder / name).exists():
                seal(name, floor=floor, drops=drops, folder=folder)
        write_between(page, "scripts/register", text_of(entries_in(folder)))
    except PigglesimError as fault:
        print(f"register: {fault}", file=sys.stderr)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    APP()
