"""Writes the files of the models that come with pigglesim; the same bytes every time."""

import itertools
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, ConvexPart
from pigglesim.bodies.load import (
    MODEL_FILE,
    BallastSpec,
    FaceSpec,
    ModelSpec,
    body_from,
    derive,
    read_spec,
    skin_from,
    toml_text,
)
from pigglesim.bodies.measured import MEASURED_FILE, MeasuredModel, measured_lines, read_measured
from pigglesim.bodies.mesh import convex_hull, icosphere, thinned
from pigglesim.bodies.mesh_files import DECIMALS, read_obj, write_mtl, write_obj
from pigglesim.bodies.piggle import (
    COLOURS,
    Labelled,
    PiggleShape,
    combine,
    convex_pieces,
    pieces,
    weld,
)
from pigglesim.bodies.poses import support_for
from pigglesim.bodies.support import merge_facets
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.files import read_text
from pigglesim.markings import Colour, Rune
from pigglesim.rotations import Array

PLASTIC = 1100.0
"""Rigid resin [kg/m3], between polystyrene (1,050) and acrylic (1,190)."""

TUNGSTEN_DISC = BallastSpec(
    form="cylinder",
    material="tungsten",
    density_kg_m3=19_300,
    centre_mm=(0.0, 0.0, -3.9),
    radius_mm=5.0,
    length_mm=2.0,
    axis=(0.0, 0.0, 1.0),
)
"""What makes a Piggle premium: Snout-Down is rarer by more than a third."""

BRASS_DISC = TUNGSTEN_DISC.model_copy(update={"material": "brass", "density_kg_m3": 8_500.0})
"""A premium for less: free-cutting brass in the same pocket; Snout-Down is rarer by a quarter."""

CUBE_SIDE, CUBE_ROUNDING = 16.0, 1.5
"""Side and rounding [mm] of the common toy-shop die."""

_PART_LIMIT = 140
_PART_TOLERANCE = 0.2
"""How far [mm] a collision part may fall short of the part it stands for."""


def shape_numbers(shape: PiggleShape) -> dict[str, Any]:
    """Return the numbers of a shape under the keys of a model file."""
    return {_key(name): value for name, value in asdict(shape).items()}


def shape_from(numbers: Mapping[str, Any]) -> PiggleShape:
    """Return the shape that the numbers of a model file describe.

    Raises:
        SpecError: If a key is unknown or a size is not positive.
    """
    names = {_key(field.name): field for field in fields(PiggleShape)}
    values: dict[str, Any] = {}
    for key, value in numbers.items():
        if key not in names:
            raise unknown_name("key in [shape]", key, names)
        default = names[key].default
        wanted = len(default) if isinstance(default, tuple) else 0
        if wanted != (len(value) or -1 if isinstance(value, tuple | list) else 0):
            raise SpecError(
                f"{wanted or 'one'} number(s) for {key} in [shape]",
                got=cut(repr(value)),
                remedy=f"write it like {default}",
            )
        kind = int if isinstance(default, int) else float
        values[names[key].name] = tuple(value) if wanted else kind(value)
    return PiggleShape(**values)


def _key(field: str) -> str:
    return field if field.endswith(("_deg", "_sides", "_taper", "_turns")) else f"{field}_mm"


def build(shape: PiggleShape | None = None, *, ballast: BallastSpec | None = None) -> Body:
    """Return the body of a shape without writing any file."""
    spec = _spec("piggle", "Piggle", shape or PiggleShape(), ballast)
    return _body(spec, _skin_text(shape or PiggleShape()), _parts_text(shape or PiggleShape()))


def _body(spec: ModelSpec, mesh: str, parts: str) -> Body:
    skin = skin_from(read_obj(mesh, name=spec.mesh), COLOURS)
    derived = derive(spec, skin, mesh.encode(), parts.encode()).derived
    assert derived is not None
    obj = read_obj(parts, name="parts")
    groups = np.array(obj.groups)
    convex = tuple(
        ConvexPart(name=name, vertices=obj.vertices[np.unique(obj.faces[groups == name])] * 1e-3)
        for name in dict.fromkeys(obj.groups)
    )
    return body_from(spec, derived, skin, convex)


def _spec(
    model: str, name: str, shape: PiggleShape, ballast: BallastSpec | None = None
) -> ModelSpec:
    return ModelSpec(
        id=model,
        name=name,
        mesh="piggle.obj",
        materials="piggle.mtl",
        parts="piggle_parts.obj",
        density_kg_m3=PLASTIC,
        ballast=ballast,
        shape=shape_numbers(shape),
    )


def surface(shape: PiggleShape) -> Labelled:
    """Return the joined and painted skin [mm] on the grid of the mesh file."""
    return weld(combine(pieces(shape)), decimals=DECIMALS)


def _skin_text(shape: PiggleShape) -> str:
    skin = surface(shape)
    objects: list[tuple[str, str, Array, Any]] = []
    labels = np.array([f"{part} {material}" for part, material in skin.labels])
    for label in dict.fromkeys(skin.labels):
        faces = skin.faces[labels == f"{label[0]} {label[1]}"]
        objects.append((*label, skin.vertices if not objects else np.zeros((0, 3)), faces))
    return write_obj("Piggle, millimetres", objects, materials_file="piggle.mtl")


def _parts_text(shape: PiggleShape) -> str:
    skin = surface(shape)
    hull = convex_hull(skin.vertices).vertices
    facets = merge_facets(hull - hull.mean(axis=0), convex_hull(skin.vertices).faces)
    corners = {
        tuple(point) for point, spokes in zip(hull.tolist(), facets.spokes, strict=True) if spokes
    }
    objects = []
    for name, points in convex_pieces(shape).items():
        rounded = np.round(points, DECIMALS) + 0.0
        on_hull = [k for k, point in enumerate(rounded.tolist()) if tuple(point) in corners]
        few = thinned(
            rounded,
            keep=np.array(on_hull, dtype=np.int64),
            tolerance=_PART_TOLERANCE,
            limit=_PART_LIMIT,
        )
        objects.append((name, "", few, convex_hull(few).faces))
    return write_obj("Convex parts of the Piggle for collisions, millimetres", objects, keyword="o")


def build_files(folder: Path) -> None:
    """Write every model into `folder`, from the [shape] of its piggle.toml if it has one."""
    shape = PiggleShape()
    source = folder / "piggle.toml"
    if source.is_file():
        text = read_text(source, MODEL_FILE)
        shape = shape_from(read_spec(text, name=source.name).shape)
    mesh, parts = _skin_text(shape), _parts_text(shape)
    files = {
        "piggle.obj": mesh,
        "piggle_parts.obj": parts,
        "piggle.mtl": write_mtl("Colours of the Piggle, sRGB", COLOURS),
    }
    skin = skin_from(read_obj(mesh, name="piggle.obj"), COLOURS)
    bodies: dict[str, Body] = {}
    for spec in (
        _spec("piggle", "Piggle", shape),
        _spec("premium", "Premium Piggle", shape, TUNGSTEN_DISC),
        _spec("premium_brass", "Premium Piggle, brass", shape, BRASS_DISC),
    ):
        whole = derive(spec, skin, mesh.encode(), parts.encode())
        files[f"{spec.id}.toml"] = toml_text(whole)
        assert whole.derived is not None
        bodies[spec.id] = body_from(whole, whole.derived, skin, ())
    files |= _cube_files(bodies)
    files["README.md"] = _readme(bodies, read_measured(folder / MEASURED_FILE))
    for name, text in sorted(files.items()):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _cube_files(bodies: dict[str, Body]) -> dict[str, str]:
    """Return the files of a plain die with round corners, whose shares everybody knows."""
    corners = itertools.product((-1.0, 1.0), repeat=3)
    ball = icosphere(2).vertices * CUBE_ROUNDING
    inner = CUBE_SIDE / 2 - CUBE_ROUNDING
    # Rounded first: what is one plane must be one plane in the file.
    points: Array = np.vstack([ball + np.multiply(corner, inner) for corner in corners])
    points = np.round(points, DECIMALS) + 0.0
    cube = convex_hull(points)
    mesh = write_obj(
        "Six-sided die, millimetres",
        [("body", "ivory", cube.vertices, cube.faces)],
        materials_file="d6.mtl",
    )
    ups = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, -1, 0), (-1, 0, 0), (0, 0, -1))
    numbers = tuple(FaceSpec(name=str(k + 1), up=up) for k, up in enumerate(ups))
    colours = {"ivory": (0.86, 0.80, 0.66)}
    spec = ModelSpec(
        id="d6",
        name="Six-sided die",
        mesh="d6.obj",
        materials="d6.mtl",
        density_kg_m3=PLASTIC,
        numbers=numbers,
    )
    skin = skin_from(read_obj(mesh, name=spec.mesh), colours)
    whole = derive(spec, skin, mesh.encode(), b"")
    assert whole.derived is not None
    bodies[spec.id] = body_from(whole, whole.derived, skin, ())
    return {
        "d6.obj": mesh,
        "d6.mtl": write_mtl("Colours of the die, sRGB", colours),
        "d6.toml": toml_text(whole),
    }


def _readme(bodies: Mapping[str, Body], measured: Mapping[str, MeasuredModel]) -> str:
    """Return what people want to know of the models."""
    lines = [
        "# Models",
        "",
        "Written by `scripts/build_models` from the `[shape]` in `piggle.toml`; meshes are in",
        "millimetres. `piggle` is plastic throughout; `premium` has a tungsten disc in its back,",
        "`premium_brass` one of brass in the same pocket; `d6` is a common die.",
        "",
        "## How they land",
        "",
        "Measured by `scripts/measure_models`: cups of six poured onto an empty board. Shares of",
        "those on the board, with 95 % intervals that allow for Piggles of one pour being alike.",
        "",
        *measured_lines(measured, {name: body.sha256 for name, body in bodies.items()}),
        "",
        "## How they can rest",
        "",
        "Escape: how far the centre of mass must rise to tip out of the pose. Quasi-static: the",
        "share of all directions that roll there without momentum; drops differ, above all in",
        "the rare poses.",
        "",
        "| model | pose | class | rests on | height [mm] | escape [mm] | quasi-static |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, body in bodies.items():
        shares = support_for(body).shares()
        lines += [
            f"| {name} | {pose.name} | {pose.orientation.label if pose.orientation else 'a number'}"
            f" | {', '.join(pose.parts)} | {pose.height * 1e3:.2f} | {pose.escape * 1e3:.2f}"
            f" | {share:.3f} |"
            for pose, share in zip(body.poses, shares, strict=True)
        ]
    return "\n".join([*lines, *_livery_lines()]) + "\n"


def _livery_lines() -> list[str]:
    """Return how to ask for a colour and a rune."""
    runes = ", ".join(f"{rune.number} `{rune}` ({rune.label})" for rune in Rune)
    return [
        "",
        "## What they wear",
        "",
        "One mesh, many skins: any Piggle takes a colour and, if wanted, a rune, after plus signs",
        "in its name: `piggle+blue`, `premium+red+left`, `my/own.toml+green`. A livery is for eyes",
        "only: a throw in it ends, to the bit, as a throw of the plain model.",
        "`pigglesim models --plot lineup.png` draws them all.",
        "",
        f"- Colours: {', '.join(f'`{colour}` ({colour.effect})' for colour in Colour)}.",
        f"- Runes: {runes}.",
    ]


if __name__ == "__main__":
    import sys

    build_files(Path(sys.argv[1]))
