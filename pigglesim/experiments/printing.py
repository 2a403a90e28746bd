"""Bodies to print, with a pocket for ballast, and sealed predictions of the counts of the prints.

A seal is the SHA-256 of the rest of the file. The tally sheet shows it on paper, so that a later
change of both shows, too. Version, engine and seed repeat the drops to the bit.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from functools import reduce
from operator import add
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, TypeAdapter

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import BallastSpec, InfillSpec, ModelSpec, ballast_of, read_spec
from pigglesim.bodies.mesh import Ballast, BallastForm, Mesh, convex_hull, icosphere, signed_volume
from pigglesim.bodies.variant import ModelSource, body_of_variant, variant_files
from pigglesim.data_files import MODEL_IN_FOLDER
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import CountedDie, DropTally, Score, score
from pigglesim.experiments.floor_posterior import Floors, budget_of, mean_shares
from pigglesim.experiments.folder import EXACT
from pigglesim.experiments.statistics import SOURCES, plausible_share
from pigglesim.files import FileKind, read_json, validated
from pigglesim.rng import generator
from pigglesim.rotations import Array, Indices

SMALLEST, LARGEST = 15.0, 200.0
"""Sizes that a printer makes [mm]: below, 0.4 mm lines round all corners; above, few beds reach."""
MIN_WALL = 0.8
"""Thinnest wall [mm]: two lines of a 0.4 mm nozzle."""
CLEARANCE = 0.1
"""Gap around the ballast [mm]."""
_MAX_THIN = 0.05
"""Largest share of the skin that may be thinner than a wall: sharp rims and a pig's tail are."""
_SAMPLES = 400
_GRAIN = 0.5
"""Edge of the triangles to which the wall is measured [mm]."""
_SIDES = 48
"""Sides of a pocket for a cylinder."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PrintBody:
    """A body at the size of a print."""

    files: dict[str, str]
    """Files of its model, by name."""
    spec: ModelSpec
    body: Body
    surface: Mesh
    """Skin and pocket [mm]; the pocket's faces point into it."""
    ballast: Ballast | None
    wall: float | None
    """Thinnest plastic around the pocket [mm]; None without ballast."""

    @property
    def plastic_g(self) -> float:
        """Mass of the plastic, without the pocket [g]."""
        skin, density = self.body.skin, self.spec.density_kg_m3
        solid = density * signed_volume(skin.vertices, skin.faces) * 1e3
        if self.ballast:
            solid += (self.ballast.density - density) * self.ballast.volume * 1e3
        pocketed = signed_volume(self.surface.vertices, self.surface.faces) * 1e-6 * density
        return pocketed - (solid - self.body.mass.mass * 1e3)

    @property
    def ballast_g(self) -> float:
        """Mass of the ballast [g]."""
        return self.ballast.volume * self.ballast.density * 1e3 if self.ballast else 0.0


def print_body(
    source: ModelSource, *, size: float, name: str, infill: InfillSpec | None = None
) -> PrintBody:
    """Return a model whose longest side has the size of a print [mm].

    Raises:
        SpecError: If no printer makes it: the size, a wall or the skin is too small.
    """
    if not SMALLEST <= size <= LARGEST:
        raise SpecError(
            f"a print of {size:g} mm",
            expected=f"{SMALLEST:g} to {LARGEST:g} mm",
            fix="use --size 40mm",
        )
    factor = size / float(np.ptp(source.body.skin.vertices, axis=0).max() * 1e3)
    old = source.spec.ballast
    scaled = None if old is None else _scaled(old, factor)
    files = variant_files(
        source, name=name, scale=np.full(3, factor), ballast=scaled, infill=infill
    )
    body = body_of_variant(files)
    spec = read_spec(files[MODEL_IN_FOLDER], name=MODEL_IN_FOLDER)
    vertices, faces = body.skin.vertices * 1e3, body.skin.faces
    thin = _thin_share(vertices, faces)
    if thin > _MAX_THIN:
        raise SpecError(
            f"{thin:.0%} of the skin of {source.spec.id} is thinner than {MIN_WALL:g} mm at "
            f"{size:g} mm",
            expected=f"at most {_MAX_THIN:.0%}",
            fix=f"use --size {min(2 * size, LARGEST):g}mm",
        )
    surface, ballast, wall = Mesh(vertices=vertices, faces=faces), None, None
    if scaled is not None:
        ballast = ballast_of(scaled)
        pocket = _pocket(ballast)
        wall = _nearest(vertices, faces, pocket.vertices)
        if wall < MIN_WALL:
            needed = np.ceil(size * (MIN_WALL + CLEARANCE) / (wall + CLEARANCE) + 0.5)
            raise SpecError(
                f"the plastic around the ballast of {source.spec.id} is {wall:.2f} mm thick at "
                f"{size:g} mm",
                expected=f"at least {MIN_WALL:g} mm",
                fix=f"use --size {needed:g}mm" if needed <= LARGEST else "move the ballast inwards",
            )
        surface = Mesh(
            vertices=np.vstack([vertices, pocket.vertices]),
            # Turned inside out: the plastic is outside of the pocket.
            faces=np.vstack([faces, pocket.faces[:, ::-1] + len(vertices)]),
        )
    return PrintBody(files=files, spec=spec, body=body, surface=surface, ballast=ballast, wall=wall)


def _scaled(ballast: BallastSpec, factor: float) -> BallastSpec:
    x, y, z = (round(at * factor, 5) for at in ballast.centre_mm)
    return ballast.model_copy(
        update={
            "centre_mm": (x, y, z),
            "radius_mm": round(ballast.radius_mm * factor, 5),
            "length_mm": ballast.length_mm and round(ballast.length_mm * factor, 5),
        }
    )


def _pocket(ballast: Ballast) -> Mesh:
    """Return the surface of a pocket into which the ballast fits with its clearance [mm]."""
    radius, length = ballast.radius * 1e3, ballast.length * 1e3
    centre = np.array(ballast.centre) * 1e3
    if ballast.form is BallastForm.BALL:
        ball = icosphere(3)
        corners = ball.vertices[ball.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        heights = np.einsum("ij,ij->i", corners[:, 0], normals) / np.linalg.norm(normals, axis=1)
        # The middles of its faces are the closest to the ball inside.
        grown = ball.vertices * (radius + CLEARANCE) / heights.min()
        return Mesh(vertices=grown + centre, faces=ball.faces)
    axis = np.array(ballast.axis) / np.linalg.norm(ballast.axis)
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    turn = np.linspace(0.0, 2 * np.pi, _SIDES, endpoint=False)
    ring = np.outer(np.cos(turn), across) + np.outer(np.sin(turn), np.cross(axis, across))
    ring *= (radius + CLEARANCE) / np.cos(np.pi / _SIDES)
    end = axis * (length / 2 + CLEARANCE)
    return convex_hull(np.vstack([ring + centre + end, ring + centre - end]))


def _nearest(vertices: Array, faces: Indices, points: Array) -> float:
    """Return the smallest distance of points to a surface [mm]."""
    from scipy.spatial import cKDTree  # noqa: PLC0415 (slow to import)
    from trimesh.remesh import subdivide_to_size  # noqa: PLC0415 (slow to import)

    fine, _ = subdivide_to_size(  # type: ignore[no-untyped-call]
        vertices, faces, max_edge=_GRAIN, max_iter=30
    )
    distances, _ = cKDTree(fine).query(points)
    return float(np.min(distances))


def _thin_share(vertices: Array, faces: Indices) -> float:
    """Return the share of the skin [mm] behind which the plastic is thinner than a wall."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    # Spread evenly over the area, without chance.
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES * areas.sum()
    chosen = np.searchsorted(np.cumsum(areas), steps)
    thin = 0
    for index in chosen:
        way = -normals[index] / areas[index]
        a, b, c = np.moveaxis(corners - corners[index].mean(axis=0), 1, 0)
        volumes = np.stack([np.cross(p, q) @ way for p, q in ((a, b), (b, c), (c, a))])
        hit = np.all(volumes >= 0.0, axis=0) | np.all(volumes <= 0.0, axis=0)
        hit &= np.abs(normals @ way) > 1e-9 * areas
        hit[index] = False
        depths = np.einsum("ij,ij->i", a[hit], normals[hit]) / (normals[hit] @ way)
        thin += bool(np.any((depths > 1e-6) & (depths < MIN_WALL)))
    return thin / _SAMPLES


def stl_bytes(surface: Mesh) -> bytes:
    """Return a surface [mm] as a binary STL file."""
    from trimesh import Trimesh  # noqa: PLC0415 (slow to import)

    mesh = Trimesh(vertices=surface.vertices, faces=surface.faces, process=False)
    data = mesh.export(file_type="stl")
    assert isinstance(data, bytes)
    return data


_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="model" '
    'ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Target="/3D/3dmodel.model" Id="rel0" '
    'Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>'
)


def threemf_bytes(surface: Mesh) -> bytes:
    """Return a surface [mm] as a 3MF file (3MF Core Specification 1.3): a ZIP of three XML files.

    Trimesh writes 3MF only with lxml and networkx.
    """
    corners = "".join(
        f'<vertex x="{x:.5f}" y="{y:.5f}" z="{z:.5f}"/>' for x, y, z in surface.vertices.tolist()
    )
    triangles = "".join(
        f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in surface.faces.tolist()
    )
    model = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<model unit="millimeter" xml:lang="en-US" '
        'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>'
        f'<object id="1" type="model"><mesh><vertices>{corners}</vertices>'
        f"<triangles>{triangles}</triangles></mesh></object></resources>"
        '<build><item objectid="1"/></build></model>'
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (
            ("[Content_Types].xml", _TYPES),
            ("_rels/.rels", _RELATIONS),
            ("3D/3dmodel.model", model),
        ):
            # Without a date of its own, so that the same body gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return file.getvalue()


PREDICTION_FILE = "prediction.json"
"""Name of the file beside the `die.toml` of the same body."""
_KIND = FileKind(name="prediction")
_FORMAT: Literal[1] = 1

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Hits = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedOutcome:
    """Share of one outcome, with its 95 % interval."""

    label: str
    hits: Hits
    """Drops that ended in this outcome."""
    value: Fraction
    low: Fraction
    high: Fraction
    counting: Fraction
    """Standard deviation of the share from the counting of the drops."""
    floors: Fraction
    """That from the differences between the floors of a fit; 0 on one floor."""
    law: Fraction
    """That from the error of the laws; 0 on one floor, where it is not part of the interval."""
    mesh: Fraction
    """Error of the share from the facets of the mesh."""

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviation of the share from each source."""
        return {name: getattr(self, name) for name in SOURCES}


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedFloor:
    """Shares of all outcomes on one floor, or over the floors of a fit."""

    floor: str
    """Id of the floor or the fit."""
    floor_sha256: str
    fitted_to: tuple[str, ...]
    """Bodies to whose counts the floors were fitted; empty for one floor."""
    height_m: float
    """Height of the drop, as the spreads below; for a fit the mean over its floors."""
    drift_spread_m_s: float
    spin_spread_rad_s: float
    drops: Annotated[int, Field(ge=1)]
    """Number of simulated drops, with those that ended in no outcome."""
    worth: Annotated[float, Field(gt=0.0)]
    """Counted throws that would know the shares as well."""
    outcomes: tuple[PredictedOutcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedPrediction:
    """Shares predicted for one body, and everything that they depend on."""

    __pydantic_config__ = EXACT

    format: Literal[1] = _FORMAT
    pigglesim: str
    """Version of the program."""
    engine: str
    engine_version: str
    seed: int
    date: str
    model: str
    model_sha256: str
    mass_g: float
    size_mm: tuple[float, float, float]
    floors: Annotated[tuple[PredictedFloor, ...], Field(min_length=1)]

    @property
    def seal(self) -> str:
        """SHA-256 of the prediction."""
        return _seal(asdict(self))

    def text(self) -> str:
        """Return the sealed file."""
        return json.dumps(asdict(self) | {"sha256": self.seal}, indent=1) + "\n"


def _seal(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def predicted_floor(
    floors: Floors,
    labels: Sequence[str],
    tallies: Sequence[DropTally],
    *,
    mesh: Mapping[str, float] = MappingProxyType({}),
) -> PredictedFloor:
    """Return the shares that drops on each floor predict, among those that ended in an outcome.

    `mesh` is the error of the share of each label from the facets of the mesh.
    """
    weights, total = floors.weights, reduce(add, tallies)
    budget = budget_of(tallies, weights, model_throws=floors.model_throws)
    falls = [floor.drop for floor in floors.places(floors.ground)]
    height, drift, spin = (weights @ np.array([*map(astuple, falls)])).tolist()
    outcomes = []
    for label, hits, value in zip(
        labels, total.counts, mean_shares(tallies, weights).tolist(), strict=False
    ):
        parts, error = budget.deviations(value), mesh.get(label, 0.0)
        spread = value * (1.0 - value)
        worth = 1.0 / (1.0 / budget.throws + (error**2 / spread if spread else 0.0))
        share = plausible_share(value, worth)
        outcomes.append(
            PredictedOutcome(
                label=label, hits=hits, value=value, low=share.low, high=share.high,
                **parts, mesh=error,
            )
        )  # fmt: skip
    return PredictedFloor(
        floor=floors.id,
        floor_sha256=floors.sha256,
        fitted_to=floors.known.fitted_to if floors.known else (),
        height_m=height,
        drift_spread_m_s=drift,
        spin_spread_rad_s=spin,
        drops=total.drops,
        worth=budget.throws,
        outcomes=tuple(outcomes),
    )


def read_prediction(file: Path) -> SealedPrediction:
    """Return a sealed prediction.

    Raises:
        RecordError: If it was changed after it was sealed, or is not a prediction.
    """
    fix = f"restore the {file.name} that `pigglesim print` wrote"
    content = read_json(file, _KIND)
    if not isinstance(content, dict) or not isinstance(content.get("sha256"), str):
        raise RecordError(f"{file} has no seal", expected="a key sha256", fix=fix)
    sealed = content.pop("sha256")
    found = _seal(content)
    if found != sealed:
        raise RecordError(
            f"{file} was changed after it was sealed: its SHA-256 is {found[:12]}...",
            expected=f"{sealed[:12]}...",
            fix=fix,
        )
    try:
        return validated(
            TypeAdapter(SealedPrediction).validate_json,
            content,
            expected=f"a prediction of format {_FORMAT}",
            fix=fix,
        )
    except SpecError as fault:
        raise fault.converted(RecordError, where=file.name) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedScore:
    """Agreement of counts with the shares that were sealed before them."""

    sha256: str
    date: str
    pigglesim: str
    floor: str
    predicted: tuple[PredictedOutcome, ...]
    drops: int
    """Number of drops behind the prediction."""
    worth: float
    """Counted throws that would know the shares as well."""
    score: Score


def sealed_score(die: CountedDie, floor: str, *, seed: int) -> SealedScore | None:
    """Score the counts of a die against the prediction next to its file; None if there is none.

    The seed is that of samples where no closed form holds.

    Raises:
        RecordError: If the prediction was changed, or is of another body or other outcomes.
        SpecError: If it predicts nothing for that floor.
    """
    file = die.path.with_name(PREDICTION_FILE)
    if not file.exists():
        return None
    prediction = read_prediction(file)
    if prediction.model_sha256 != die.body.sha256:
        raise RecordError(
            f"{die.path.parent} holds another body than {file.name} was sealed for",
            expected=f"SHA-256 {prediction.model_sha256[:12]}...",
            fix="restore the model files that `pigglesim print` wrote",
        )
    at = {each.floor: each for each in prediction.floors}
    if floor not in at:
        raise SpecError(
            f"{file} predicts nothing for the floor {floor!r}",
            expected=", ".join(at),
            fix=f"use --floor {next(iter(at))}",
        )
    predicted, worth = at[floor].outcomes, at[floor].worth
    labels = [outcome.label for outcome in die.outcomes]
    if labels != [outcome.label for outcome in predicted]:
        raise RecordError(
            f"{die.path} has the outcomes {', '.join(labels)}",
            expected=", ".join(outcome.label for outcome in predicted),
            fix="restore the labels that `pigglesim print` wrote, in their order",
        )
    return SealedScore(
        sha256=prediction.seal,
        date=prediction.date,
        pigglesim=prediction.pigglesim,
        floor=floor,
        predicted=predicted,
        drops=sum(outcome.hits for outcome in predicted),
        worth=worth,
        score=score(
            die.counts,
            [outcome.value for outcome in predicted],
            throws=worth,
            rng=generator(seed, "sealed", die.name),
        ),
    )
