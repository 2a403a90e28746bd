"""Models of one's own: mesh files with a class for each pose."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import numpy as np

from pigglesim.api.names import poses_document
from pigglesim.arguments import JsonResult, checked
from pigglesim.bodies import scan
from pigglesim.bodies.body import Body
from pigglesim.bodies.load import CLASS_NAME, DENSEST, LIGHTEST, check_poses, load_model
from pigglesim.data_files import model_id, model_names
from pigglesim.durable_io import expect_new, make_folder
from pigglesim.errors import SpecError
from pigglesim.landing import Orientation
from pigglesim.limits import Limits
from pigglesim.rotations import Array

Classes = Sequence[Orientation | str]
"""Class of each pose, in order: all orientations, or all names."""
PLASTIC_DENSITY = 1100.0
"""Density of solid plastic [kg/m3]."""
DENSITY = Limits(LIGHTEST, DENSEST)
_CLASSES = ", ".join(Orientation)
_LETTERS = "abcdefgh"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImportedModel(JsonResult):
    """Model made of a mesh file."""

    body: Body
    files: tuple[Path, ...]
    """Files that were written."""
    notes: tuple[str, ...]
    """Repairs of the mesh."""
    reference: str
    """Name by which the model is found, or the path of its file."""

    def document(self) -> dict[str, Any]:
        """Return the poses of the model and its files as JSON values."""
        files = {"files": [*map(str, self.files)], "notes": [*self.notes]}
        return files | poses_document(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewModel:
    """Mesh file that was read and checked, to become a model."""

    mesh: scan.Scan = field(repr=False)
    body: Body
    """Body of the mesh, whose poses have no classes."""
    model: str
    """Name of the model."""
    density: float
    out: Path
    cut: bool
    """Whether its collision shape is several convex pieces."""

    @classmethod
    def of(
        cls,
        file: str | PathLike[str],
        *,
        unit: str | None,
        name: str | None,
        density: float,
        out: str | PathLike[str],
        parts: str,
        join: bool,
        overwrite: bool,
    ) -> Self:
        """Read and check a file; the arguments are those of `import_model`."""
        source, folder = Path(file), Path(out)
        scale, cut = scan.length_unit(unit, source), parts == "coacd"
        if cut:
            scan.expect_coacd()
        model = _model_id(name, source)
        if folder.exists() and not folder.is_dir():
            raise SpecError(f"{folder} is a file, not a folder", fix="use --out models")
        expect_new(folder / f"{model}.toml", overwrite=overwrite)
        mesh = scan.read_scan(source, scale, join=join)
        body = scan.bare_body(mesh, density=density)
        check_poses(body.poses, name=source.name)
        return cls(mesh=mesh, body=body, model=model, density=density, out=folder, cut=cut)

    def classes_of(
        self, classes: str | None, *, face: str | None, crown: str | None
    ) -> Classes | None:
        """Return the class of each pose as it was given; None if it was not."""
        if classes is not None:
            return _parse_classes(classes, len(self.body.distinct_poses))
        if (face is None) != (crown is None):
            raise SpecError(
                "the direction of the snout or of the crown alone",
                fix="use --face +z --crown +y (in Python face and crown)",
            )
        if face is None or crown is None:
            return None
        along, up = _axis(face, "--face"), _axis(crown, "--crown")
        return [scan.class_by_axes(pose, face=along, crown=up) for pose in self.body.distinct_poses]

    def written(self, classes: Classes | None) -> ImportedModel:
        """Write the model with a class for each pose."""
        if classes is None:
            raise SpecError(
                f"{len(self.body.distinct_poses)} poses without a class",
                fix="use --face +z --crown +y (where the snout and the top of the head of a pig "
                f"point), or --classes with your own names, as in --classes {_sample(self.body)}",
            )
        mesh, pieces = self.mesh, dict[str, Array]()
        if self.cut:
            kept = scan.resting_corners(self.body) * 1e3
            pieces = scan.convex_parts(mesh.vertices, mesh.faces[: mesh.outer_count], keep=kept)
        texts = scan.model_files(
            mesh, self.body, model=self.model, density=self.density, classes=classes, parts=pieces
        )
        make_folder(self.out)
        # Write the model file last, so that no incomplete model is ever found.
        for name in sorted(texts, key=lambda name: (name.endswith(".toml"), name)):
            (self.out / name).write_text(texts[name], encoding="utf-8", newline="\n")
        target = self.out / f"{self.model}.toml"
        return ImportedModel(
            body=load_model(str(target)),
            files=tuple(self.out / name for name in sorted(texts)),
            notes=tuple(mesh.notes),
            reference=self.model if self.out == Path("models") else str(target),
        )


@checked
def import_model(
    file: str | PathLike[str],
    *,
    unit: str | None = None,
    name: str | None = None,
    density: Annotated[float, DENSITY] = PLASTIC_DENSITY,
    out: str | PathLike[str] = "models",
    classes: str | None = None,
    face: str | None = None,
    crown: str | None = None,
    parts: Literal["hull", "coacd"] = "hull",
    join: bool = False,
    overwrite: bool = False,
) -> ImportedModel:
    """Make a model of a mesh file: STL, OBJ, PLY or GLB.

    A pig has three classes of poses: `up`, `down` and `head`. `face` and `crown` give them by the
    directions of its snout and of the top of its head in the mesh.

    Args:
        file: Mesh file.
        unit: Unit of the mesh file: `mm`, `cm`, `m` or `in`. Default: `m` for GLB, whose unit is
            the metre; other formats have none.
        name: Name of the model: small letters, digits, _ and -. Default: the file's.
        density: Density of the material. [kg/m3]
        out: Folder for the files of the model.
        classes: Classes of the poses, in the order that `pigglesim poses` shows, separated by
            commas: `up`, `down`, `head`, or your names: `side*4,end*2`.
        face: Direction of the snout: `+z`, or `x,y,z`.
        crown: Direction of the crown: `+y`, or `x,y,z`.
        parts: Collision shape: `hull` (one convex piece) or `coacd` (several).
        join: Whether to unite shells that overlap or touch, such as eyes on a head.
        overwrite: Whether to replace a model that exists.

    Returns:
        The model, its files, and the repairs of the mesh.

    Raises:
        PigglesimError: If the mesh is no closed surface, a pose has no class, a name is invalid,
            or the folder cannot be written.

    Examples:
        >>> import pigglesim
        >>> brick = pigglesim.import_model("brick.stl", unit="mm", face="+z", crown="+y")
        >>> brick.body.model
    """
    found = NewModel.of(
        file, unit=unit, name=name, density=density, out=out, parts=parts, join=join,
        overwrite=overwrite,
    )  # fmt: skip
    return found.written(found.classes_of(classes, face=face, crown=crown))


def _model_id(name: str | None, file: Path) -> str:
    """Return the given id, or one made from the file's name."""
    plain = model_id(file.stem if name is None else name) or "model"
    if name is not None and unicodedata.normalize("NFC", name) != plain:
        raise SpecError(
            f"invalid name {name!r}",
            expected="up to 40 small letters, digits, _ and -",
            fix=f"use --name {plain}",
        )
    if plain in model_names():
        raise SpecError(
            f"{plain!r} is the name of a model of the program", fix=f"use --name my_{plain}"
        )
    return plain


def _sample(body: Body) -> str:
    """Return a sample value of --classes, with one name per run of poses of equal height."""
    poses = body.distinct_poses
    runs = [len([*run]) for _, run in groupby(poses, lambda pose: round(pose.height, 5))]
    runs = runs if len(runs) <= len(_LETTERS) else [len(poses)]
    return ",".join(
        f"{letter}*{run}" if run > 1 else letter
        for letter, run in zip(_LETTERS, runs, strict=False)
    )


def _parse_classes(text: str, count: int) -> list[Orientation] | list[str]:
    """Return the classes in a flag; `side*4` stands for four of one name."""
    names: list[str] = []
    for word in text.split(","):
        name, star, times = word.strip().rpartition("*")
        repeats = int(times) if star and times.isdecimal() and len(times) < 4 else 0
        names += [name.strip()] * repeats if repeats else [word.strip()]
    if len(names) != count:
        raise SpecError(
            f"{len(names)} classes for {count} poses",
            fix="run `pigglesim poses FILE` and give them in its order",
        )
    if set(names) & set(Orientation):
        return [*map(orientation_class, names)]
    return [*map(class_name, names)]


def orientation_class(word: str) -> Orientation:
    """Return the orientation of a pig that a word names."""
    if word not in set(Orientation):
        raise SpecError(
            f"unknown class {word!r}", expected=_CLASSES, fix="use --classes up,down,head"
        )
    return Orientation(word)


def class_name(name: str) -> str:
    """Return the name of a class, which a model file may have."""
    if name.casefold() in {each.label.casefold() for each in Orientation}:
        raise SpecError(
            f"class {name!r} has another name here",
            expected=_CLASSES,
            fix="use --classes up,down,head",
        )
    if not re.fullmatch(CLASS_NAME, name):
        raise SpecError(
            f"invalid class name {name!r}",
            expected="up to 40 letters, digits, spaces, _, ., + and -",
            fix="use --classes top,bottom,side",
        )
    return name


def _axis(text: str, flag: str) -> Array:
    """Return the direction, shape [3], of a text such as `+z`, `-x` or `x,y,z`."""
    if named := re.fullmatch("([+-]?)([xyz])", text):
        along: Array = np.eye(3)["xyz".index(named[2])]
        return -along if named[1] == "-" else along
    try:
        direction = np.array([float(word) for word in text.split(",")])
    except ValueError:
        direction = np.zeros(0)
    if direction.shape != (3,) or not np.all(np.isfinite(direction)) or not np.any(direction):
        raise SpecError(
            f"invalid {flag} {text!r}",
            expected="a direction such as +z or 0,0.5,1",
            fix=f"use {flag} +z",
        )
    return direction
