"""Bodies whose shares meet a target when they are dropped.

The search starts from the design that meets the target without momentum. All candidates are
dropped with the same random numbers. A smooth surface is fitted to their counts in a trust region
that halves each round, and leads to the next candidates. At the end, the design and the first
guess are dropped again, with other random numbers.

For several floors the design is the one whose largest total variation over them is least. At the
end the design and the model as it is are dropped, also on floors that the search did not see.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from itertools import product
from operator import add
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pigglesim.bodies.body import Body, support_for
from pigglesim.bodies.load import BallastSpec
from pigglesim.bodies.mesh import mass_of, mesh_errors
from pigglesim.bodies.variant import (
    ModelSource,
    body_of_variant,
    variant_body,
    variant_files,
)
from pigglesim.data_files import MODEL_IN_FOLDER
from pigglesim.errors import PigglesimError, SpecError, cut, unknown_name
from pigglesim.experiments.counted_dice import DropTask, total_variation
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.folder import EXACT, SeriesFolder, SeriesKind
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.quadratics import spread_evenly, terms
from pigglesim.experiments.statistics import (
    Budget,
    Counts,
    Moments,
    Share,
    binomial,
    budget_on,
    share_within,
)
from pigglesim.landing import class_names, ordered_classes
from pigglesim.physics.engines import make_engine
from pigglesim.rotations import Array
from pigglesim.units import INCHES, Unit, quantity
from pigglesim.version import __version__

MATERIALS = {"steel": 7850.0, "brass": 8500.0, "lead": 11_340.0, "tungsten": 19_300.0}
"""Density of each material of ballast [kg/m3], lightest first."""
FREE = ("ballast", "shape")
"""Kinds of free parameters."""
OTHERS = "others"
"""Label of all classes that the target leaves out."""
_MILLIMETRES = Unit("mm", INCHES.dimension)
_HIGHEST = 10_000.0
"""Greatest height of a drop [mm]."""
_WALL = 0.04
"""Thickness of the skin around the ballast, as a share of the body's longest side."""
_GRAIN = 0.02
"""Edge of the triangles to which distances are measured, as a share of the longest side."""
_STRETCH = math.log(1.5)
"""Logarithm of the largest factor of two of the axes. The third keeps the volume."""
_STARTS, _STEPS = 24, 10
"""Points and steps of the search without momentum, per material."""
_MOMENTUM = 0.1
"""Total variation by which momentum may move shares: twice the most of the measured designs, on
the page "Design a body with given shares"."""
_NEAR = 0.005
"""Total variation without momentum at which no denser material is tried."""
_REGIONS = (0.2, 0.1, 0.05, 0.025)
"""Half-widths of the trust region in each round, as shares of the whole range."""
_RIDGE = 1e-3
"""Weight that holds slopes at zero which the candidates do not determine."""
_PULL = 0.03
"""Miss in share that a step over the whole range away from the first guess counts as."""
_LEVELLING = 10
"""Drops of the centre of a round, as a multiple of those of other candidates."""
_CHUNK = 5_000
"""Drops per saved item of the final drops."""


def parse_target(text: str, body: Body) -> dict[str, float]:
    """Return the target share of each label, in the order typed; classes left out are `others`.

    Args:
        text: Labels and shares, such as `up=.5,down=.4,head=.1`, or `fair` for equal shares.
        body: Body whose classes the labels name.

    Raises:
        SpecError: If a label is unknown, a share is invalid, or they do not add up.
    """
    labels = ordered_classes(pose.label for pose in body.poses)
    known, target = class_names(labels), dict[str, float]()
    short = {label: name for name, label in known.items()}
    even = ",".join(f"{short[label]}={1 / len(labels):.4g}" for label in labels)
    if text.strip() == "fair":
        text = ",".join(f"{label}={1.0 / len(labels)!r}" for label in labels)
    for word in text.split(","):
        name, share = _share_in(word, even)
        if name.casefold() not in known:
            raise unknown_name(f"class of {body.model}", name, known)
        label = known[name.casefold()]
        if label in target:
            raise SpecError(f"two shares of {label} in --target", fix="leave one out")
        target[label] = share
    target |= _rest(target, [label for label in labels if label not in target], even)
    if len(target) < 2:
        raise SpecError(f"{body.model} has one class, {labels[0]}", fix="use another model")
    return target


def _rest(target: Mapping[str, float], left_out: Sequence[str], even: str) -> dict[str, float]:
    """Return the share of the classes left out, if any; `even` is an example of a target."""
    total = sum(target.values())
    least = 0.0 if left_out else 1.0 - 1e-6
    if not least <= total <= 1.0 + 1e-6:
        raise SpecError(
            f"the shares of --target add up to {total:.6g}",
            expected="1" if not left_out else f"at most 1, the rest for {', '.join(left_out)}",
            fix=f"divide them by {total:.6g}" if total else f"use --target {even}",
        )
    return {OTHERS: max(0.0, 1.0 - total)} if left_out else {}


def _share_in(word: str, even: str) -> tuple[str, float]:
    """Return the name and the share of a word such as `up=.5`; `even` is an example."""
    name, _, value = (part.strip() for part in word.partition("="))
    try:
        share = float(value)
    except ValueError:
        share = math.nan
    if not 0.0 <= share <= 1.0:
        raise SpecError(
            f"invalid share {cut(repr(word))} in --target",
            expected="label=share, with a share from 0 to 1",
            fix=f"use --target {even}",
        )
    return name, share


def parse_free(text: str, source: ModelSource) -> tuple[str, ...]:
    """Return the kinds of free parameters, from a text such as `ballast,shape`.

    Raises:
        SpecError: If one is unknown, or the shape alone is free around ballast.
    """
    words = {word.strip() for word in text.split(",")}
    for word in words - {*FREE}:
        raise unknown_name("kind of free parameter", word, FREE)
    if words == {"shape"} and source.spec.ballast:
        raise SpecError(
            f"{source.spec.id} has ballast, which another shape would deform",
            fix="use --free ballast,shape, which replaces the ballast",
        )
    return tuple(word for word in FREE if word in words)


Drawn = tuple[tuple[Annotated[int, Field(ge=0)], ...], ...]
"""Drops on a floor, or on each floor of a fit, by class of the target; the last: none of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A design that was dropped, and its counts."""

    __pydantic_config__ = EXACT

    index: Annotated[int, Field(ge=0)]
    point: tuple[float, ...]
    """Free parameters, each from 0 to 1."""
    material: str
    """Material of the ballast; empty if it is not free."""
    counts: tuple[Drawn, ...]
    """For each floor, or each fit, its counts."""

    @property
    def shares(self) -> Array:
        """Shares of the classes on each floor, shape [floor_count, class_count]."""
        counts = np.array([np.sum(drawn, axis=0) for drawn in self.counts], dtype=float)[:, :-1]
        shares: Array = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
        return shares


def largest_variation(shares: Array, wanted: Array) -> float:
    """Return the largest total variation from the target over floors.

    Args:
        shares: On each floor, shape [floor_count, class_count].
        wanted: Target, shape [class_count].
    """
    return max(total_variation(row, wanted) for row in shares)


def variation_of(
    counts: Counts, wanted: Array, *, model_throws: float = math.inf, mesh: float = 0.0
) -> Interval:
    """Return the total variation of counted shares from a target, with its 95 % interval.

    It is half a sum of shares, each with the sign of its difference, and has their error budget.
    Noise alone makes it positive.

    Args:
        counts: On each floor of a fit, or on one floor, by class, shape [floor_count, class_count].
        wanted: Target, shape [class_count].
        model_throws: Counted throws that the law is worth.
        mesh: Sum of the errors of the shares from the mesh.

    Returns:
        The total variation; NaN if nothing was counted.
    """
    if not counts.any():
        return Interval(value=math.nan, low=math.nan, high=math.nan, level=0.95, method="Student")
    values = counts.sum(axis=0) / counts.sum()
    signs = np.sign(values - wanted)
    budget = budget_on(
        [
            replace(
                Moments.independent(int(signs @ row), int(row.sum())), hits_hits=int(signs**2 @ row)
            )
            for row in counts
            if row.any()
        ]
    )
    law = float(signs**2 @ values - (signs @ values) ** 2) / model_throws
    half = replace(budget, law=law, mesh=mesh**2).arm(0.95) / 2.0
    value = total_variation(values, wanted)
    return Interval(
        value=value, low=max(0.0, value - half), high=value + half, level=0.95, method="Student"
    )


def parse_floors(text: str, heights: str | None) -> tuple[Floors, ...]:
    """Return every floor of a list at every height of another; at its own height without one.

    Args:
        text: Floors, such as `tabletop,felt`.
        heights: Heights of the drop, such as `50mm,250mm`.

    Raises:
        SpecError: If a list is empty, names something twice, or something unknown.
    """
    floors = [Floors.of(name) for name in _listed(text, "floor", "tabletop,felt")]
    for floor in floors:
        floor.expect_kind(ThrowKind.DROP)
    if heights is None:
        return tuple(floors)
    if any(floor.known for floor in floors):
        raise SpecError("a fit has its own heights of the drop", fix="leave --heights out")
    falls = []
    for word in _listed(heights, "height", "100mm,250mm"):
        height = quantity(word, _MILLIMETRES)
        if height is None or not 0.0 < height <= _HIGHEST or height in falls:
            raise SpecError(
                f"invalid height {cut(repr(word))}",
                expected="different lengths above 0, up to 10 m",
                fix="use --heights 100mm,250mm",
            )
        falls.append(height)
    return tuple(at_height(floor, height) for floor in floors for height in falls)


def at_height(floor: Floors, height: float) -> Floors:
    """Return a floor with another height of the drop [mm], which its id then has."""
    ground = replace(floor.ground, fall=replace(floor.ground.drop, height=height * 1e-3))
    return replace(floor, id=f"{floor.id.split(', ')[0]}, {height:g} mm", ground=ground)


def unseen_floors(floors: Sequence[Floors]) -> tuple[Floors, ...]:
    """Return each floor at half its lowest and twice its highest height, to judge a design.

    A fit has its own heights, and is left out.
    """
    found = []
    for digest in dict.fromkeys(floor.sha256 for floor in floors if floor.known is None):
        alike = [floor for floor in floors if floor.sha256 == digest]
        heights = [floor.ground.drop.height * 1e3 for floor in alike]
        for height in (min(heights) / 2.0, min(max(heights) * 2.0, _HIGHEST)):
            found.append(at_height(alike[0], round(height, 6)))
    return tuple(found)


def _listed(text: str, noun: str, example: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    twice = next((word for word in words if words.count(word) > 1), None)
    if twice or not words:
        problem = f"{noun} {cut(repr(twice))} is named twice" if twice else f"no {noun} is named"
        raise SpecError(problem, expected=f"a list such as {example}", fix="name each once")
    return words


class Room:
    """The places for ballast inside a body, by how far they move its centre of mass.

    Args:
        source: Model, of which the ballast is left out.
        scale: Factor along each axis, shape [3].
    """

    def __init__(self, source: ModelSource, scale: Array) -> None:
        from scipy.spatial import cKDTree  # noqa: PLC0415 (slow to import)
        from trimesh.remesh import subdivide_to_size  # noqa: PLC0415 (slow to import)

        if source.spec.infill:
            raise SpecError(f"{source.spec.id} has infill", fix="design the solid model")
        skin = source.body.skin
        vertices = skin.vertices * scale
        self._size = float(np.ptp(vertices, axis=0).max())
        self._density = source.spec.density_kg_m3
        self._plain = mass_of(vertices, skin.faces, density=self._density)
        edge = self._size * _GRAIN
        fine, faces = subdivide_to_size(  # type: ignore[no-untyped-call]
            vertices, skin.faces, max_edge=edge, max_iter=30
        )
        self._tree = cKDTree(fine[faces].mean(axis=1))
        self._corners = vertices[skin.faces]

    def ballast(self, offset: Array, material: str) -> BallastSpec | None:
        """Return the lightest ball that moves the centre of mass by an offset [m], shape [3].

        Where no ball reaches so far, the ball reaches as far as possible. None for no offset.
        """
        length = float(np.linalg.norm(offset))
        if length < 1e-3 * self._size * _GRAIN:
            return None
        way = offset / length
        arms, room = self._along(way)
        length = min(length, self._reach(arms, room, material))
        radii = self._radii(arms, length, material)
        arm = arms[np.flatnonzero(radii <= room)[-1]]
        radius = float(self._radii(np.array([arm]), length, material)[0]) * 1e3
        x, y, z = np.round((self._plain.centre + arm * way) * 1e3, 4).tolist()
        return BallastSpec(
            form="ball",
            material=material,
            density_kg_m3=MATERIALS[material],
            centre_mm=(x, y, z),
            radius_mm=max(round(radius, 4), 1e-3),
        )

    def reach(self, way: Array, material: str) -> float:
        """Return how far ballast can move the centre of mass in a direction, shape [3] [m]."""
        return self._reach(*self._along(way), material)

    def _reach(self, arms: Array, room: Array, material: str) -> float:
        added = 4.0 / 3.0 * np.pi * room**3 * (MATERIALS[material] - self._density)
        return float(np.max(added * arms / (added + self._plain.mass)))

    def _along(self, way: Array) -> tuple[Array, Array]:
        """Return distances from the centre of mass [m], and the largest radius of a ball there."""
        arms = np.linspace(0.0, self._size, 161)[1:]
        points = self._plain.centre + arms[:, None] * way
        # Inside, a ray leaves the surface once more than it enters it.
        beyond = (self._crossings(way)[None, :] > arms[:, None]).sum(axis=1)
        inside = beyond % 2 == 1
        room = np.zeros(len(arms))
        room[inside] = self._tree.query(points[inside])[0]
        return arms, np.maximum(room - _WALL * self._size, 0.0)

    def _crossings(self, way: Array) -> Array:
        """Return the distances [m] at which a ray from the centre of mass crosses the surface."""
        # A little aside, as a ray along an axis may pass through edges.
        ray = way + 1e-6 * np.array([0.53, -0.31, 0.79])
        a, b, c = np.moveaxis(self._corners - self._plain.centre, 1, 0)
        volumes = np.stack([np.cross(p, q) @ ray for p, q in ((a, b), (b, c), (c, a))])
        hit = np.all(volumes > 0.0, axis=0) | np.all(volumes < 0.0, axis=0)
        normals = np.cross(b - a, c - a)[hit]
        return np.asarray(np.einsum("ij,ij->i", a[hit], normals) / (normals @ ray))

    def _radii(self, arms: Array, length: float, material: str) -> Array:
        """Return the radius of the ball at each distance that moves the centre by `length` [m]."""
        heavier = MATERIALS[material] - self._density
        gain = np.where(arms > length, arms - length, np.nan)
        volumes = self._plain.mass * length / (heavier * gain)
        radii: Array = np.cbrt(0.75 / np.pi * volumes) * (1.0 - 1e-12)
        return np.nan_to_num(radii, nan=np.inf)


@dataclass(frozen=True, kw_only=True, eq=False)
class Design:
    """A search for a body with given shares."""

    source: ModelSource
    target: Mapping[str, float]
    free: tuple[str, ...]
    materials: tuple[str, ...]
    """Materials that the ballast may have, lightest first."""
    floors: tuple[Floors, ...]
    """Floors on which the design has to meet the target."""
    surface: str
    """Material of the body, which selects the surface of the floor."""
    engine: str
    drops: int
    """Drops per candidate."""
    check: int
    """Drops of the final design, and of what it is compared with, on each floor."""
    seed: int
    unseen: tuple[Floors, ...] = ()
    """Floors on which the final design is judged, too."""

    @cached_property
    def dimensions(self) -> int:
        """Number of free parameters."""
        return 3 * ("ballast" in self.free) + 2 * ("shape" in self.free)

    @property
    def rounds(self) -> list[int]:
        """Number of candidates after each round of the search."""
        return [6 * self.dimensions + 1 + 4 * self.dimensions * k for k in range(1 + len(_REGIONS))]

    @property
    def stages(self) -> list[int]:
        """Number of saved items after each round, and after the final drops.

        These are of the design and of the first guess, a chunk for each item.
        """
        return [*self.rounds, self.rounds[-1] + 2 * math.ceil(self.check / _CHUNK)]

    @property
    def total_drops(self) -> int:
        """Number of drops in all."""
        return self.drops_in(self.stages[-1])

    def drops_in(self, items: int) -> int:
        """Return the number of drops in the first `items` items."""
        searched, checked = len(self.floors), len(self.floors + self.unseen)
        return sum(
            len(self.numbers(index)) * (searched if index < self.rounds[-1] else checked)
            for index in range(items)
        )

    def numbers(self, index: int) -> range:
        """Return the numbers of the drops of an item.

        Common random numbers give slopes, but all candidates share their error. The centre of each
        round therefore has many more drops of its own, and levels the surface.
        """
        if index >= self.rounds[-1]:
            return self._check_chunk(index)[1]
        if index not in self._heads:
            return range(self.drops)
        count, number = self.drops * _LEVELLING, self._heads.index(index)
        return range(number * count, (number + 1) * count)

    @property
    def _heads(self) -> list[int]:
        """Indices of the first guess and of the centre of each later round."""
        return [0, *self.rounds[:-1]]

    def shape_at(
        self, point: Sequence[float] | Array, material: str
    ) -> tuple[Array, BallastSpec | None]:
        """Return the factor of each axis, shape [3], and the ballast at a point."""
        stretch = (2.0 * np.array(point[-2:]) - 1.0) * _STRETCH * ("shape" in self.free)
        scale = np.asarray(np.round(np.exp([*stretch, -stretch.sum()]), 6), dtype=float)
        if "ballast" not in self.free:
            return scale, self.source.spec.ballast
        offset = (2.0 * np.array(point[:3]) - 1.0) * self._reaches[material]
        room = self._room if np.all(scale == 1.0) else Room(self.source, scale)
        return scale, room.ballast(offset, material)

    @cached_property
    def _room(self) -> Room:
        return Room(self.source, np.ones(3))

    @cached_property
    def _reaches(self) -> dict[str, float]:
        """How far ballast can move the centre of mass in any direction [m], by material."""
        signs = [np.array(way, dtype=float) for way in product((-1, 0, 1), repeat=3)]
        ways = [way / np.linalg.norm(way) for way in signs if way.any()]
        return {name: max(self._room.reach(way, name) for way in ways) for name in self.materials}

    def body_at(self, point: Sequence[float] | Array, material: str) -> Body:
        """Return the body at a point, to drop it only."""
        scale, ballast = self.shape_at(point, material)
        return variant_body(self.source, scale=scale, ballast=ballast)

    def files_at(self, candidate: Candidate, name: str) -> dict[str, str]:
        """Return the files of a candidate, as a model of its own."""
        scale, ballast = self.shape_at(candidate.point, candidate.material)
        return variant_files(self.source, name=name, scale=scale, ballast=ballast)

    def classes(self, body: Body) -> list[int]:
        """Return the index in the target of each pose of a body; -1 for a pose of none."""
        index = {label: number for number, label in enumerate(self.target)}
        rest = index.get(OTHERS, -1)
        return [index.get(pose.label, rest) for pose in body.poses]

    def rolled(self, body: Body) -> Array:
        """Return the shares without momentum, shape [class_count]."""
        classes = np.array(self.classes(body))
        shares = np.asarray(support_for(body).shares())
        listed = classes >= 0
        rolled = np.bincount(classes[listed], shares[listed], minlength=len(self.target))
        return np.asarray(rolled, dtype=float)

    @property
    def wanted(self) -> Array:
        """Target shares, shape [class_count]."""
        return np.array([*self.target.values()])

    def guess(self) -> tuple[tuple[float, ...], str]:
        """Return the point and the material that meet the target best without momentum."""
        best: tuple[float, tuple[float, ...], str] | None = None
        for material in self.materials:
            distance, point = self._nearest(material)
            if best is None or distance < best[0] - _NEAR:
                best = distance, point, material
            if best[0] < _NEAR:
                break
        assert best is not None
        return best[1:]

    def out_of_reach(self, within: float) -> tuple[float, ...] | None:
        """Return the closest shares without momentum if no drops can meet the target; else None.

        The densest ballast reaches farthest: what it cannot do, no other can.

        Args:
            within: Total variation up to which the target counts as met.
        """
        material = self.materials[-1]
        distance, point = self._nearest(material)
        if distance <= within + _MOMENTUM:
            return None
        return tuple(self.rolled(self.body_at(point, material)).tolist())

    def _nearest(self, material: str) -> tuple[float, tuple[float, ...]]:
        """Return the least total variation without momentum, and its point; cached."""
        if material in self._nearest_points:
            return self._nearest_points[material]

        def misses(shifted: Array) -> Array:
            try:
                return self.rolled(self.body_at(shifted - 1.0, material)) - self.wanted
            except PigglesimError:
                # No die: a stretched shape without stable poses, or a centre on its rim.
                return np.ones(len(self.target))

        middle = np.full(self.dimensions, 0.5)
        # From the model as it is, so that a symmetry of target and body remains.
        found = self._descended(misses, middle)
        if np.abs(found.fun).sum() / 2.0 > _NEAR:
            others = self._spread(_STARTS, middle, 0.5)
            start = min(others, key=lambda point: float(np.abs(misses(1.0 + point)).sum()))
            found = min(found, self._descended(misses, start), key=lambda each: float(each.cost))
        distance = float(np.abs(found.fun).sum()) / 2.0
        point = tuple(np.round(found.x - 1.0, 6).tolist())
        self._nearest_points[material] = distance, point
        return distance, point

    @cached_property
    def _nearest_points(self) -> dict[str, tuple[float, tuple[float, ...]]]:
        return {}

    @staticmethod
    def _descended(misses: Callable[[Array], Array], start: Array) -> Any:  # noqa: ANN401 (scipy's)
        from scipy.optimize import least_squares  # noqa: PLC0415 (slow to import)

        # Shifted by 1, so that the relative steps of differences are alike everywhere.
        return least_squares(
            misses, 1.0 + start, bounds=(1.0, 2.0), diff_step=[0.01], max_nfev=_STEPS, x_scale=0.3
        )

    def _spread(self, count: int, centre: Array, half: float) -> Array:
        """Return points spread evenly over a box within the range, shape [count, dimensions]."""
        unit = spread_evenly(count, self.dimensions, seed=self.seed)
        low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
        points: Array = np.round(low + (high - low) * unit, 6)
        return points

    def stage(self, done: Sequence[Candidate]) -> Callable[[int], Candidate]:
        """Return the function that drops an item of the next stage, after all stages before it."""
        if len(done) == self.rounds[-1]:
            return partial(self._drop_check, self._final(done), done[0])
        if not done:
            guess, material = self.guess()
            middle = np.full(self.dimensions, 0.5)
            points = [guess, *map(tuple, self._spread(self.rounds[0] - 1, middle, 0.5).tolist())]
        else:
            material, number = done[0].material, self.rounds.index(len(done))
            centre = self._centre(done)
            count = self.rounds[number + 1] - self.rounds[number]
            others = self._spread(count - 1, centre, _REGIONS[number])
            points = [tuple(centre.tolist()), *map(tuple, others.tolist())]
        return partial(self._drop_candidate, points, material, len(done))

    def _drop_candidate(
        self, points: Sequence[tuple[float, ...]], material: str, first: int, index: int
    ) -> Candidate:
        """Return the counts of a candidate of the round whose points begin with item `first`."""
        point, numbers = points[index - first], self.numbers(index)
        try:
            counts = self._drop(self.body_at(point, material), "design", self.floors, numbers)
        except PigglesimError:
            # No die: it never shows any class.
            none = (0,) * len(self.target)
            counts = tuple(((*none, len(numbers)),) for _ in self.floors)
        return Candidate(index=index, point=point, material=material, counts=counts)

    def _drop(
        self, body: Body, name: str, floors: Sequence[Floors], numbers: range
    ) -> tuple[Drawn, ...]:
        """Return the counts of some drops of a body on each of some floors."""
        return tuple(self._dropped(body, floor, name, numbers) for floor in floors)

    def _drop_check(self, found: Candidate, guess: Candidate, index: int) -> Candidate:
        """Return the counts of a chunk, with random numbers that the search did not see."""
        of_found, numbers = self._check_chunk(index)
        candidate, body = found if of_found else guess, self.source.body
        if of_found or len(self.floors) == 1:
            # The body of the files, to the bit.
            body = body_of_variant(self.files_at(candidate, "design"))
        counts = self._drop(body, "design, check", self.floors + self.unseen, numbers)
        return replace(candidate, index=index, counts=counts)

    def _centre(self, done: Sequence[Candidate]) -> Array:
        """Return where the surface through all counts so far meets the target best.

        The region is around the best of the first guess and all such points so far.
        """
        number = self.rounds.index(len(done))
        heads = [done[start] for start in self._heads if start < len(done)]
        nearest = min(heads, key=lambda each: largest_variation(each.shares, self.wanted))
        return self._lowest(done, np.array(nearest.point), (0.5, *_REGIONS)[number])

    def _lowest(self, done: Sequence[Candidate], centre: Array, half: float) -> Array:
        """Return the point of a region at which the smoothed shares meet the target best.

        The surface is a quadratic of the arcsines of the roots of the shares, whose noise is the
        same everywhere. Candidates count by their distance to the centre. Of several floors, the
        one that misses most counts.
        """
        from scipy.optimize import least_squares, minimize  # noqa: PLC0415 (slow to import)

        points = (np.array([each.point for each in done]) - centre) / half
        near = np.exp(-0.5 * (points**2).mean(axis=1))[:, None]
        features = terms(points)
        values = np.arcsin(np.sqrt(np.array([each.shares.ravel() for each in done])))
        ridge = np.eye(features.shape[1]) * _RIDGE
        ridge[0, 0] = 0.0
        slopes = np.linalg.solve(
            (features * near**2).T @ features + ridge, (features * near**2).T @ values
        )
        # The centres of rounds were dropped most often: the surface passes through them on average.
        heads = [start for start in self._heads if start < len(done)]
        level = np.average((values - features @ slopes)[heads], axis=0, weights=near[heads, 0])
        wanted = np.tile(np.arcsin(np.sqrt(self.wanted)), len(self.floors)) - level

        def misses(point: Array) -> Array:
            # A weak pull to the first guess decides among points that are equally good.
            pull = _PULL * (centre + half * point - np.array(done[0].point))
            return np.concatenate([(terms(point[None, :]) @ slopes)[0] - wanted, pull])

        low = np.maximum(-1.0, -centre / half)
        high = np.minimum(1.0, (1.0 - centre) / half)
        start = np.clip(np.zeros_like(centre), low + 1e-9, high - 1e-9)
        high = np.maximum(high, low + 1e-6)
        best = least_squares(misses, start, bounds=(low, high)).x
        if len(self.floors) > 1:

            def largest(point: Array) -> float:
                roots = np.clip((terms(point[None, :]) @ slopes)[0] + level, 0.0, np.pi / 2)
                shares = (np.sin(roots) ** 2).reshape(len(self.floors), -1)
                pull = float((misses(point)[-len(point) :] ** 2).sum())
                return largest_variation(shares, self.wanted) + pull

            bounds = list(zip(low, high, strict=True))
            best = minimize(largest, best, method="Nelder-Mead", bounds=bounds).x
        return np.asarray(np.round(np.clip(centre + half * best, 0.0, 1.0), 6), dtype=float)

    def _final(self, done: Sequence[Candidate]) -> Candidate:
        """Return the design that the search found."""
        search = done[: self.rounds[-1]]
        return replace(search[0], point=tuple(self._centre(search).tolist()))

    def _check_chunk(self, index: int) -> tuple[bool, range]:
        """Return whether an item is of the design, not the first guess, and its drop numbers."""
        chunks = math.ceil(self.check / _CHUNK)
        number = index - self.rounds[-1]
        start = number % chunks * _CHUNK
        return number < chunks, range(start, min(start + _CHUNK, self.check))

    def _dropped(self, body: Body, floor: Floors, name: str, numbers: range) -> Drawn:
        """Drop a body; each drop draws its own floor of a fit."""
        task = self.task(body, floor, name=name)
        drawn, places = floor.drawn(numbers, seed=self.seed), floor.places(floor.ground)
        counts = np.zeros((len(places), len(self.target) + 1), dtype=np.int64)
        for k in np.unique(drawn).tolist():
            own = replace(task, fall=places[k].fall, surface=places[k].surface(self.surface))
            counts[k] = own.drop(numbers, np.flatnonzero(drawn == k)).counts
        return tuple(tuple(row) for row in counts.tolist())

    def task(self, body: Body, floor: Floors, *, name: str) -> DropTask:
        """Return the drops of a body; drops of one name have the same random numbers."""
        return DropTask(
            name=name,
            body=body,
            support=support_for(body),
            classes=tuple(self.classes(body)),
            class_count=len(self.target),
            fall=floor.ground.fall,
            surface=floor.ground.surface(self.surface),
            stepping=floor.ground.stepping,
            engine=self.engine,
            seed=self.seed,
        )

    def _judged(
        self, checks: Sequence[Candidate], mesh: Sequence[float]
    ) -> tuple["FloorShares", ...]:
        """Return the shares of a body in its final drops, on each floor."""
        return tuple(
            FloorShares.of(
                np.sum([each.counts[number] for each in checks], axis=0)[:, :-1],
                floor,
                self.wanted,
                mesh,
            )
            for number, floor in enumerate(self.floors + self.unseen)
        )

    def _mesh_errors(self, found: Candidate) -> list[float]:
        """Return the error of each share of a design from its mesh; 0 if no floor is of a fit."""
        errors = dict.fromkeys(self.target, 0.0)
        if any(floor.known for floor in self.floors + self.unseen):
            for label, error in mesh_errors(self.body_at(found.point, found.material)).items():
                errors[label if label in errors else OTHERS] += error
        return list(errors.values())

    def result(self, done: Sequence[Candidate]) -> "DesignResult":
        """Return the result of a finished search."""
        search, checks = done[: self.rounds[-1]], done[self.rounds[-1] :]
        sides = [
            [each for each in checks if self._check_chunk(each.index)[0] is of_found]
            for of_found in (True, False)
        ]
        # A body that is no die shows nothing.
        dice = [each for each in search if each.shares.any()]
        tried = np.array([each.shares for each in dice or search])
        found = self._final(done)
        # The first guess, or the model as it is, has nearly the same mesh.
        mesh = self._mesh_errors(found)
        return DesignResult(
            target=self.target,
            found=found,
            guess=search[0],
            floors=len(self.floors),
            judged=self._judged(sides[0], mesh),
            other=self._judged(sides[1], mesh),
            rolled=tuple(self.rolled(self.body_at(search[0].point, search[0].material)).tolist()),
            low=tuple(tried.min(axis=(0, 1)).tolist()),
            high=tuple(tried.max(axis=(0, 1)).tolist()),
            worst=max(largest_variation(shares, self.wanted) for shares in tried),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorShares:
    """Shares of a body on one floor, or over the floors of a fit."""

    shares: tuple[Share, ...]
    """In the order of the target."""
    tv: Interval
    """Total variation between the shares and the target."""
    budgets: tuple[Budget, ...] | None
    """Variances of the shares by their sources. None for one floor: of counting alone."""

    @classmethod
    def of(
        cls, counts: Counts, floor: Floors, wanted: Array, mesh: Sequence[float]
    ) -> "FloorShares":
        """Return the shares of counts.

        Args:
            counts: On the floor, or each floor of its fit, by class, shape [floor_count,
                class_count].
            floor: The floor, or the fit.
            wanted: Target, shape [class_count].
            mesh: Error of each share from the mesh.
        """
        if floor.known is None:
            hits = counts.sum(axis=0).tolist()
            shares = [binomial(hit, sum(hits)) for hit in hits]
            return cls(shares=tuple(shares), tv=variation_of(counts, wanted), budgets=None)
        law, budgets, shares = floor.model_throws, [], []
        for own, error in zip(counts.T.tolist(), mesh, strict=True):
            landed = zip(own, counts.sum(axis=1).tolist(), strict=True)
            groups = [Moments.independent(hits, trials) for hits, trials in landed if trials]
            # Where no drop showed any class, the share is unknown.
            groups = groups or [Moments.independent(0, 0)]
            sums = reduce(add, groups)
            budgets.append(budget_on(groups).of_share(sums.value, model_throws=law, mesh=error))
            shares.append(share_within(sums, budgets[-1], model_throws=law))
        tv = variation_of(counts, wanted, model_throws=law, mesh=sum(mesh))
        return cls(shares=tuple(shares), tv=tv, budgets=tuple(budgets))


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignResult:
    """A finished search."""

    target: Mapping[str, float]
    found: Candidate
    guess: Candidate
    """First guess: the design that meets the target without momentum."""
    floors: int
    """Number of floors that the search saw; they come first, then those that it did not see."""
    judged: tuple[FloorShares, ...]
    """Shares of the design under dynamics on each floor."""
    other: tuple[FloorShares, ...]
    """The same of the first guess; for several floors, of the model as it is."""
    rolled: tuple[float, ...]
    """Shares of the first guess without momentum."""
    low: tuple[float, ...]
    """Smallest share of each class among all candidates and floors."""
    high: tuple[float, ...]
    """Largest share of each class among all candidates and floors."""
    worst: float
    """Largest total variation of any candidate on any floor."""

    @property
    def worst_floor(self) -> int:
        """Number of the floor, among those that the search saw, on which the design misses most."""
        return int(np.argmax([each.tv.value for each in self.judged[: self.floors]]))

    @property
    def tv(self) -> float:
        """Largest total variation of the design on floors that the search saw."""
        return self.judged[self.worst_floor].tv.value

    @property
    def other_tv(self) -> float:
        """The same of the first guess; for several floors, of the model as it is."""
        return max(each.tv.value for each in self.other[: self.floors])

    @property
    def rolled_tv(self) -> float:
        """Total variation between the first guess's shares without momentum and the target."""
        return total_variation(np.array(self.rolled), np.array([*self.target.values()]))


RESULT_FILES = frozenset(
    {MODEL_IN_FOLDER, "model.obj", "model_parts.obj", "model.mtl", "result.json", "shares.svg"}
)
"""Files of a finished search, beside the saved candidates."""
_SERIES: SeriesKind[dict[str, Any], Candidate] = SeriesKind(
    series="design",
    items="candidates",
    definition=dict,
    item=Candidate,
    made=RESULT_FILES | {f"{name}.tmp" for name in RESULT_FILES},
)


def design_folder(path: Path, design: Design) -> SeriesFolder[dict[str, Any], Candidate]:
    """Open the folder of a search, made if there is none, to add candidates to it.

    Raises:
        RecordError: If the folder is of another search or in use.
        StoreError: If it cannot be written.
    """
    definition = {
        "target": dict(design.target),
        "free": list(design.free),
        "materials": list(design.materials),
        "drops": design.drops,
        "check": design.check,
        "seed": design.seed,
    }
    engine = make_engine(design.engine)
    made_of = {
        "pigglesim": __version__,
        "engine": engine.name,
        "engine_version": engine.version,
        "model": design.source.spec.id,
        "model_sha256": design.source.body.sha256,
        "floors": [[floor.id, floor.sha256] for floor in design.floors],
        "unseen": [[floor.id, floor.sha256] for floor in design.unseen],
        "surface": design.surface,
    }
    return SeriesFolder(path, _SERIES, definition, made_of, wanted=design.stages[-1])
