"""Variants of a model: scaled along its axes, or with other ballast."""

from dataclasses import dataclass, replace

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import (
    COLOURS_FILE,
    MESH_FILE,
    MODEL_FILE,
    BallastSpec,
    InfillSpec,
    ModelSpec,
    ballast_of,
    body_of_files,
    derived_text,
    load_model,
    poses_of,
    read_spec,
    title_of,
)
from pigglesim.bodies.mesh import mass_of
from pigglesim.bodies.mesh_files import DECIMALS
from pigglesim.data_files import MODEL_IN_FOLDER, model_file
from pigglesim.files import read_beside, read_text
from pigglesim.markings import split_livery
from pigglesim.rotations import Array

_FILES = {"mesh": "model.obj", "parts": "model_parts.obj", "materials": "model.mtl"}
"""Names of the files of every variant, by the key that names them."""
_KINDS = {"mesh": MESH_FILE, "parts": MESH_FILE, "materials": COLOURS_FILE}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelSource:
    """A model with the texts of its files."""

    spec: ModelSpec
    texts: dict[str, str]
    """Texts of the mesh, and of parts and materials if there are any, by their keys."""
    body: Body


def read_source(name: str) -> ModelSource:
    """Return a model by name, file or folder.

    Raises:
        SpecError: If there is none, or it cannot be a die.
    """
    plain, _ = split_livery(name)
    path = model_file(plain)
    spec = read_spec(read_text(path, MODEL_FILE), name=path.name)
    files = {"mesh": spec.mesh, "parts": spec.parts, "materials": spec.materials}
    texts = {
        key: read_beside(path, file, _KINDS[key]).decode(errors="replace")
        for key, file in files.items()
        if file
    }
    return ModelSource(spec=spec, texts=texts, body=load_model(plain))


def variant_files(
    source: ModelSource,
    *,
    name: str,
    scale: Array,
    ballast: BallastSpec | None,
    infill: InfillSpec | None = None,
) -> dict[str, str]:
    """Return the texts of the files of a variant, by file name; `model.toml` is the last.

    The scale is a factor along each axis of the mesh, shape [3].

    Raises:
        SpecError: If the ballast pokes out, or the body cannot be a die.
    """
    files = {_FILES[key]: _scaled_text(text, scale) for key, text in source.texts.items()}
    changed = _with_directions(source.spec, scale).model_copy(
        update={
            "id": name,
            "name": source.spec.name if name == source.spec.id else title_of(name),
            "ballast": ballast,
            "infill": infill,
            # The numbers of a parametric shape no longer make this mesh.
            "shape": {},
            "derived": None,
            **{key: file for key, file in _FILES.items() if key in source.texts},
        }
    )
    mesh, parts = files[_FILES["mesh"]], files.get(_FILES["parts"], "")
    files[MODEL_IN_FOLDER] = derived_text(changed, mesh, parts, name=MODEL_IN_FOLDER)
    return files


def body_of_variant(files: dict[str, str]) -> Body:
    """Return the body of the files of a variant."""
    mesh, parts, colours = (files.get(file, "").encode() for file in _FILES.values())
    return body_of_files(files[MODEL_IN_FOLDER], MODEL_IN_FOLDER, mesh, parts, colours, None)


def variant_body(source: ModelSource, *, scale: Array, ballast: BallastSpec | None) -> Body:
    """Return the body of a variant without its files: quickly, and to drop it only."""
    body, spec = source.body, _with_directions(source.spec, scale)
    whole = bool(np.all(scale == 1.0))
    skin = body.skin if whole else replace(body.skin, vertices=body.skin.vertices * scale)
    hull = body.hull if whole else replace(body.hull, vertices=body.hull.vertices * scale)
    mass = mass_of(
        skin.vertices,
        skin.faces,
        density=spec.density_kg_m3,
        ballast=ballast_of(ballast) if ballast else None,
    )
    poses = poses_of(spec, hull, mass.centre)
    return replace(body, skin=skin, hull=hull, parts=(), mass=mass, poses=poses, sha256="")


def _scaled_text(text: str, scale: Array) -> str:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("v ") and not np.all(scale == 1.0):
            scaled = (float(word) * by for word, by in zip(line.split()[1:4], scale, strict=True))
            lines[number] = "v " + " ".join(
                f"{round(x, DECIMALS) + 0.0:.{DECIMALS}f}" for x in scaled
            )
        elif line.startswith("mtllib "):
            lines[number] = f"mtllib {_FILES['materials']}"
    return "\n".join(lines) + "\n"


def _with_directions(spec: ModelSpec, scale: Array) -> ModelSpec:
    """Return a model whose directions fit the scaled faces: normals scale by the inverse."""
    if np.all(scale == 1.0):
        return spec

    def turned(direction: tuple[float, float, float]) -> tuple[float, float, float]:
        normal = np.array(direction) / scale
        x, y, z = (np.round(normal / np.linalg.norm(normal), 9) + 0.0).tolist()
        return x, y, z

    return spec.model_copy(
        update={
            "numbers": tuple(
                face.model_copy(update={"up": turned(face.up)}) for face in spec.numbers
            ),
            "pose_class": tuple(
                entry.model_copy(update={"down": turned(entry.down)}) for entry in spec.pose_class
            ),
        }
    )
