"""Many pours of a full cup, counted: who lies how and where, and who is knocked.

A pour is a pure function of its setting and its number, and results come in the order of the
numbers: how many processes share the work changes nothing but the time.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto, unique
from functools import partial

import numpy as np

from pigglesim.bodies.load import load_model, load_models
from pigglesim.bodies.measured import ContactShare, MeasuredModel
from pigglesim.chance.physical import PhysicalChance, expect_pigs
from pigglesim.errors import SpecError
from pigglesim.games.piggles.areas import ZONE_POINTS
from pigglesim.landing import (
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.physics.engines import make_engine
from pigglesim.rng import MAX_SEED, generator
from pigglesim.scene.scene import Scene
from pigglesim.studies.statistics import Counts, share_of
from pigglesim.studies.worker_pool import map_in_order

_LAYOUT_TRIES = 50
"""Pours looked at for a layout with no Piggle off the board: about one in nine has one off."""

Layout = tuple[tuple[str, Landing], ...]
"""Piggles on the board before a pour, by id."""


@unique
class Kind(Enum):
    """The board that a cup is poured onto."""

    CLEARED = auto()
    """An empty board."""
    STANDING = auto()
    """The other seat's Piggles, as a layout has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsSetting:
    """Everything that pours of one side of a comparison have in common."""

    label: str
    """Name of this side in a table."""
    scene: Scene
    engine: str
    seed: int
    model: str | None = None
    """The model of every Piggle; None for the scene's own teams."""

    def chance(self) -> PhysicalChance:
        """Return the physics of this setting."""
        teams = {
            seat: [self.model] * len(own) if self.model else list(own)
            for seat, own in self.scene.teams.items()
        }
        names = [name for own in teams.values() for name in own]
        expect_pigs(names)
        bodies = load_models(names)
        return PhysicalChance(
            scene=self.scene,
            models={
                f"{seat}{number}": bodies[name]
                for seat, own in teams.items()
                for number, name in enumerate(own, start=1)
            },
            engine=make_engine(self.engine),
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PourTally:
    """Counts of one pour onto a cleared board."""

    poses: tuple[int, ...]
    """Piggles on the board by pose, in the order of `Orientation`."""
    zones: tuple[int, ...]
    """Piggles poured by zone, in the order of `Zone`."""
    leaning: int
    """Piggles on the board that lean or lie on another."""
    points: int
    """Points of the Snout-Up Piggles (R3)."""
    settled: bool
    """Whether every Piggle came to rest in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockTally:
    """Counts of one pour onto a layout."""

    standing: int
    """Piggles that stood there."""
    knocked: int
    """Those of them that were knocked (P18)."""


def standing_layout(setting: OddsSetting) -> Layout:
    """Return how seat B's whole team lies after its first pour that leaves none off the board.

    Raises:
        SpecError: As `standing_team`.
    """
    return standing_team(setting.chance(), _sub_seed(setting.seed, "layout"))


def standing_team(chance: PhysicalChance, seed: int) -> Layout:
    """Return how seat B's whole team lies after its first pour of this seed that leaves none off.

    Args:
        chance: The physics of the table and of the team.
        seed: Of the pours.

    Raises:
        SpecError: If many pours in a row leave one off.
    """
    chance = replace(chance, seed=seed)
    request = RollRequest(thrower=Seat.B, piggles=_team(chance, Seat.B))
    most = 0
    for index in range(_LAYOUT_TRIES):
        landings = chance.roll(request, index=index).landings
        layout = tuple((name, at) for name, at in landings if at.zone is not Zone.OFF)
        if len(layout) == len(landings):
            return layout
        most = max(most, len(layout))
    raise SpecError(
        f"a pour that leaves all {len(request.piggles)} Piggles on the board",
        got=f"none among {_LAYOUT_TRIES} pours; {most} at most stayed on it",
        remedy="in [hand] of the scene a smaller lip_height_in, heading_spread_deg or "
        "across_spread_in, or a larger board",
    )


def pour_all(
    settings: Sequence[OddsSetting],
    *,
    pours: int,
    knock_pours: int = 0,
    layout: Layout = (),
    workers: int = 1,
) -> Generator[tuple[int, PourTally | KnockTally], None, None]:
    """Pour for every setting in turn, and yield each result with the number of its setting.

    All settings advance together: stop at any time, and each has the same first pours done.

    Args:
        settings: The sides of a comparison.
        pours: Of each setting onto a cleared board.
        knock_pours: Of each setting onto the layout, at most `pours`.
        layout: What stands there then.
        workers: Processes; with one all is done in this process.
    """
    jobs = _jobs(len(settings), pours, knock_pours)
    prepare = partial(_PosesTable, tuple(settings), layout)
    return map_in_order(prepare, jobs, workers=workers)


_Job = tuple[int, Kind, int]
"""Number of the setting, kind of pour, and number of the pour."""


def _jobs(sides: int, pours: int, knock_pours: int) -> Iterator[_Job]:
    """Yield each pour to do, those that knock spread evenly over the rest."""
    for index in range(pours):
        for side in range(sides):
            yield side, Kind.CLEARED, index
        knock = index * knock_pours // pours
        if (index + 1) * knock_pours // pours > knock:
            for side in range(sides):
                yield side, Kind.STANDING, knock


class _PosesTable:
    """Settings made ready to pour, in one process.

    Args:
        settings: The sides of a comparison.
        layout: What stands on the board for the pours that knock.
    """

    def __init__(self, settings: tuple[OddsSetting, ...], layout: Layout) -> None:
        self._chances = [setting.chance() for setting in settings]
        self._layout = layout

    def __call__(self, job: _Job) -> tuple[int, PourTally | KnockTally]:
        """Return the number of the setting, and what its pour came to."""
        number, kind, index = job
        return number, self._pour(number, kind, index)

    def _pour(self, number: int, kind: Kind, index: int) -> PourTally | KnockTally:
        chance = self._chances[number]
        team = _team(chance, Seat.A)
        if kind is Kind.CLEARED:
            return count_pour(chance.roll(RollRequest(thrower=Seat.A, piggles=team), index=index))
        # Numbers of their own: a knock shall not be the same throw as a pour already counted.
        chance = replace(chance, seed=_sub_seed(chance.seed, "knocks"))
        request = RollRequest(thrower=Seat.A, piggles=team, standing=self._layout)
        knocks = chance.roll(request, index=index).knocks
        return KnockTally(standing=len(self._layout), knocked=len(knocks))


def count_pour(result: RollResult) -> PourTally:
    """Return the counts of one roll onto a cleared board."""
    landings = [at for _, at in result.landings]
    return PourTally(
        poses=tuple(sum(at.orientation is pose for at in landings) for pose in Orientation),
        zones=tuple(sum(at.zone is zone for at in landings) for zone in Zone),
        leaning=sum(at.leaning or at.stacked for at in landings if at.zone is not Zone.OFF),
        points=sum(
            ZONE_POINTS[at.zone] for at in landings if at.orientation is Orientation.SNOUT_UP
        ),
        settled=result.settle is None or result.settle.status is SettleStatus.SETTLED,
    )


def _team(chance: PhysicalChance, seat: Seat) -> tuple[str, ...]:
    return tuple(name for name in chance.models if name.startswith(seat.value))


def _sub_seed(seed: int, purpose: str) -> int:
    return int(generator(seed, "tally", purpose).integers(MAX_SEED))


def model_settings(
    models: Sequence[str], *, scene: Scene, engine: str, seed: int
) -> tuple[OddsSetting, ...]:
    """Return what is poured to measure each model: pour i of all is drawn from the same stream.

    Args:
        models: Each fills the cup alone.
        scene: The table.
        engine: Name of what steps the physics.
        seed: Root of all throws.

    Raises:
        SpecError: If a model is not a pig, or there is no such model or engine.
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
    """Return what the pours of a model say.

    Args:
        setting: What was poured: one of `model_settings`.
        tallies: Its pours, one at least.
        date: Day of the measurement.
    """
    assert setting.model is not None
    made = setting.chance().provenance()
    on_board = np.array([sum(tally.poses) for tally in tallies])
    throws = sum(sum(tally.zones) for tally in tallies)
    return MeasuredModel(
        model=setting.model,
        model_sha256=made["models"][load_model(setting.model).model],
        date=date,
        pours=len(tallies),
        throws=throws,
        off=throws - int(on_board.sum()),
        seed=setting.seed,
        scene=made["scene"],
        scene_sha256=made["scene_sha256"],
        engine=made["engine"],
        engine_version=made["engine_version"],
        shares={
            orientation: _share(np.array([tally.poses[k] for tally in tallies]), on_board)
            for k, orientation in enumerate(Orientation)
        },
    )


def _share(hits: Counts, trials: Counts) -> ContactShare:
    found = share_of(hits, trials)
    # JSON has no word for a share of nothing; its interval says that nothing is known.
    return ContactShare(value=found.value if found.trials else 0.0, low=found.low, high=found.high)
