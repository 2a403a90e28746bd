"""Counts of many pours of a full cup, and settings compared by them.

A pour is a pure function of its setting and its number, and results come in the order of the
numbers: the number of processes changes nothing but the time.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from functools import partial

import numpy as np

from pigglesim.bodies.load import ContactShare, MeasuredModel, load_model
from pigglesim.chance.physical import PhysicalChance, expect_pigs, physical_chance
from pigglesim.errors import SpecError
from pigglesim.experiments.statistics import (
    Counts,
    Interval,
    Share,
    TotalVariation,
    difference,
    mean_of,
    share_of,
    total_variation,
)
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.landing import (
    READ_ZONES,
    ZONE_POINTS,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.rng import generator, sub_seed
from pigglesim.scene.load import team_models
from pigglesim.scene.scene import Scene

_LAYOUT_TRIES = 50
"""Maximum pours for a layout with no Piggle off the board; about one in nine has one off."""

Layout = tuple[tuple[str, Landing], ...]
"""Piggles on the board before a pour, by id."""


@unique
class Group(StrEnum):
    """Population and classes of some counts."""

    POSE = "pose"
    """Piggles on the board, by orientation."""
    ZONE = "zone"
    """Piggles poured, by zone."""
    LEANING = "leaning"
    """Piggles on the board: those that lean or lie on another, and all others."""
    KNOCK = "knock"
    """Piggles that stood on the board before the pour: those knocked (P18), and all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsSetting:
    """Setting of the pours of one side of a comparison."""

    label: str
    """Name of this side in a table."""
    scene: Scene
    engine: str
    seed: int
    model: str | None = None
    """Model of all Piggles; None for the scene's teams."""

    def chance(self) -> PhysicalChance:
        """Return the physics of this setting."""
        models = team_models(self.scene)
        if self.model:
            models = dict.fromkeys(models, self.model)
        expect_pigs(models.values())
        return physical_chance(self.scene, models, engine=self.engine, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PourTally:
    """Counts of one pour."""

    counts: Mapping[Group, tuple[int, ...]]
    """Piggles by class: `KNOCK` of a pour onto a layout, the others of one onto a cleared board."""
    points: int = 0
    """Points of the Snout-Up Piggles (R3)."""
    settled: bool = True
    """True if every Piggle came to rest in time."""


def standing_layout(setting: OddsSetting) -> Layout:
    """Return the layout of seat B's whole team after its first pour with none off the board.

    Raises:
        SpecError: If many pours in a row leave one off.
    """
    return standing_team(setting.chance(), sub_seed(setting.seed, "tally", "layout"))


def standing_team(chance: PhysicalChance, seed: int) -> Layout:
    """Return the layout as `standing_layout` does, from a chance and a seed."""
    chance = chance.with_seed(seed)
    request = RollRequest(thrower=Seat.B, piggles=_team(chance, Seat.B))
    best_count = 0
    for index in range(_LAYOUT_TRIES):
        landings = chance.roll(request, index=index).landings
        layout = tuple((name, at) for name, at in landings if at.zone is not Zone.OFF)
        if len(layout) == len(landings):
            return layout
        best_count = max(best_count, len(layout))
    raise SpecError(
        f"at most {best_count} of {len(request.piggles)} Piggles stayed on the board "
        f"in {_LAYOUT_TRIES} pours",
        fix="use a smaller lip_height_in or heading_spread_deg in [hand], or a larger board",
    )


def pour_all(
    settings: Sequence[OddsSetting],
    *,
    pours: int,
    knock_pours: int = 0,
    layout: Layout = (),
    workers: int = 1,
) -> Generator[tuple[int, PourTally], None, None]:
    """Pour for every setting in turn, and yield each result with the number of its setting.

    All settings advance together: after a stop each has the same number of pours.

    Args:
        settings: Sides of a comparison.
        pours: Pours of each setting onto a cleared board.
        knock_pours: Pours of each setting onto the layout, at most `pours`.
        layout: Piggles on the board before these.
        workers: Number of processes; 1 does all the work in this process.
    """
    jobs = _jobs(len(settings), pours, knock_pours)
    prepare = partial(_Pourer, tuple(settings), layout)
    return map_in_order(prepare, jobs, workers=workers)


_Job = tuple[int, bool, int]
"""Number of the setting, True for a pour onto the layout, and number of the pour."""


def _jobs(sides: int, pours: int, knock_pours: int) -> Iterator[_Job]:
    """Yield each pour, those onto the layout spread evenly over the others."""
    for index in range(pours):
        yield from ((side, False, index) for side in range(sides))
        knock = index * knock_pours // pours
        if (index + 1) * knock_pours // pours > knock:
            yield from ((side, True, knock) for side in range(sides))


class _Pourer:
    """Settings made ready to pour, in one process."""

    def __init__(self, settings: tuple[OddsSetting, ...], layout: Layout) -> None:
        self._chances = [setting.chance() for setting in settings]
        self._layout = layout

    def __call__(self, job: _Job) -> tuple[int, PourTally]:
        """Return the number of the setting, and the counts of its pour."""
        number, knocks, index = job
        chance = self._chances[number]
        request = RollRequest(thrower=Seat.A, piggles=_team(chance, Seat.A))
        if not knocks:
            return number, count_pour(chance.roll(request, index=index))
        # A seed of its own: a knock must not repeat a pour that is already counted.
        chance = chance.with_seed(sub_seed(chance.seed, "tally", "knocks"))
        result = chance.roll(replace(request, standing=self._layout), index=index)
        knocked = len(result.knocks)
        return number, PourTally(counts={Group.KNOCK: (knocked, len(self._layout) - knocked)})


def count_pour(result: RollResult) -> PourTally:
    """Return the counts of one roll onto a cleared board."""
    landings = [at for _, at in result.landings]
    poses = tuple(sum(at.orientation is pose for at in landings) for pose in Orientation)
    leaning = sum(at.leaning or at.stacked for at in landings if at.zone is not Zone.OFF)
    return PourTally(
        counts={
            Group.POSE: poses,
            Group.ZONE: tuple(sum(at.zone is zone for at in landings) for zone in READ_ZONES),
            Group.LEANING: (leaning, sum(poses) - leaning),
        },
        points=sum(
            ZONE_POINTS[at.zone] for at in landings if at.orientation is Orientation.SNOUT_UP
        ),
        settled=result.settle is None or result.settle.status is SettleStatus.SETTLED,
    )


def _team(chance: PhysicalChance, seat: Seat) -> tuple[str, ...]:
    return tuple(name for name in chance.models if name.startswith(seat.value))


def model_settings(
    models: Sequence[str], *, scene: Scene, engine: str, seed: int
) -> tuple[OddsSetting, ...]:
    """Return one setting per model, which fills the cup alone; pour i of all has one stream.

    Raises:
        SpecError: If a model is unknown or not a pig, or the engine is unknown.
    """
    settings = tuple(
        OddsSetting(label=model, scene=scene, engine=engine, seed=seed, model=model)
        for model in models
    )
    for setting in settings:
        setting.chance()
    return settings


def measured_model(
    setting: OddsSetting, tallies: Sequence[PourTally], *, date: str
) -> MeasuredModel:
    """Return the shares from the pours of one of `model_settings`, measured on a day `date`."""
    assert setting.model is not None
    provenance = setting.chance().provenance()
    poses = np.array([tally.counts[Group.POSE] for tally in tallies])
    on_board = poses.sum(axis=1)
    throws = sum(sum(tally.counts[Group.ZONE]) for tally in tallies)
    return MeasuredModel(
        model=setting.model,
        model_sha256=provenance["models"][load_model(setting.model).model],
        date=date,
        pours=len(tallies),
        throws=throws,
        off=throws - int(on_board.sum()),
        seed=setting.seed,
        scene=provenance["scene"],
        scene_sha256=provenance["scene_sha256"],
        engine=provenance["engine"],
        engine_version=provenance["engine_version"],
        shares={
            # JSON has no NaN; the interval from 0 to 1 shows that nothing is known.
            orientation: ContactShare(
                value=share.value if share.trials else 0.0, low=share.low, high=share.high
            )
            for orientation, hits in zip(Orientation, poses.T, strict=True)
            for share in [share_of(hits, on_board)]
        },
    )


_CLASSES = {
    Group.POSE: tuple(pose.label for pose in Orientation),
    Group.ZONE: tuple(zone.value for zone in READ_ZONES),
    Group.LEANING: ("leans on another",),
    Group.KNOCK: ("knocked",),
}
"""Names of the shares of each group."""


@unique
class ComparisonVerdict(StrEnum):
    """Verdict on two sides: at most a target apart, further apart, or undecided."""

    WITHIN = "within"
    BEYOND = "beyond"
    OPEN = "open"

    @property
    def sentence(self) -> str:
        """Verdict as a phrase of a table."""
        return {"within": "met", "beyond": "not met", "open": "open: more pours"}[self.value]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One share at every setting."""

    group: Group
    name: str
    shares: tuple[Share, ...]
    differences: tuple[Interval, ...]
    """Difference of each setting but the first from the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """Distance of a setting from the first in all classes of a group."""

    group: Group
    label: str
    distance: TotalVariation

    def verdict(self, target: float) -> ComparisonVerdict:
        """Return whether the two are at most `target` apart, as far as the bounds show."""
        if self.distance.high <= target:
            return ComparisonVerdict.WITHIN
        return ComparisonVerdict.BEYOND if self.distance.low > target else ComparisonVerdict.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Settings side by side."""

    labels: tuple[str, ...]
    pours: tuple[int, ...]
    knock_pours: tuple[int, ...]
    unsettled: tuple[int, ...]
    """Pours in which time was up before all lay still."""
    rows: tuple[ComparisonRow, ...]
    points: tuple[Interval, ...]
    """Mean points of a pour."""
    point_differences: tuple[Interval, ...]
    apart: tuple[Apart, ...]


def compare(
    labels: Sequence[str], tallies: Sequence[Sequence[PourTally]], *, seed: int
) -> Comparison:
    """Return the pours of each label side by side, each but the first against the first.

    The root seed is that of the draws behind the distances.
    """
    counts = {
        group: group_counts
        for group in Group
        if any(map(len, group_counts := [_counts(side, group) for side in tallies]))
    }
    cleared = [[pour for pour in side if Group.POSE in pour.counts] for side in tallies]
    points = tuple(mean_of(pour.points for pour in side) for side in cleared)
    return Comparison(
        labels=tuple(labels),
        pours=tuple(map(len, cleared)),
        knock_pours=tuple(len(side) - len(on) for side, on in zip(tallies, cleared, strict=True)),
        unsettled=tuple(sum(not pour.settled for pour in side) for side in cleared),
        rows=tuple(row for group, sides in counts.items() for row in _rows(group, sides)),
        points=points,
        point_differences=tuple(difference(points[0], interval) for interval in points[1:]),
        apart=tuple(
            Apart(
                group=group,
                label=label,
                distance=total_variation(
                    first, other, rng=generator(seed, "distance", group.value, label)
                ),
            )
            for group, (first, *others) in counts.items()
            for label, other in zip(labels[1:], others, strict=True)
        ),
    )


def _counts(tallies: Sequence[PourTally], group: Group) -> Counts:
    """Return the counts of a group's classes in each pour, shape [pour_count, class_count]."""
    rows = [pour.counts[group] for pour in tallies if group in pour.counts]
    return np.array(rows, dtype=np.int64).reshape(len(rows), max(2, len(_CLASSES[group])))


def _rows(group: Group, counts: Sequence[Counts]) -> Iterator[ComparisonRow]:
    for column, name in enumerate(_CLASSES[group]):
        shares = tuple(share_of(count[:, column], count.sum(axis=1)) for count in counts)
        yield ComparisonRow(
            group=group,
            name=name,
            shares=shares,
            differences=tuple(difference(shares[0], other) for other in shares[1:]),
        )
