"""Throws models by the cupful and counts how they land."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from pigglesim.chance.physical import PhysicalChance
from pigglesim.errors import SpecError
from pigglesim.physics.engines import make_engine
from pigglesim.rolls import Orientation, RollRequest, Seat
from pigglesim.scene.load import load_scene
from pigglesim.shapes.load import load_model
from pigglesim.shapes.measured import MeasuredModel, Share
from pigglesim.studies.estimate import Counts, share_of
from pigglesim.studies.workers import map_in_order

__all__ = ["PourTally", "Pours", "Study", "measured_model", "pours_of"]

PourTally = tuple[int, int, int, int]
"""Of one pour: Piggles Snout-Up, Snout-Down, On-Their-Head, and off the board."""

_CHUNK = 5
"""Pours a task: about a second, so that a stop loses little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What is thrown, and how."""

    models: tuple[str, ...]
    scene: str = "piggles_classic"
    engine: str = "bullet"
    seed: int = 1
    """Pour i of every model is drawn from the same stream, so that models compare closely."""
    pours: int = 1000
    """Of each model; each of a whole cup."""
    workers: int = 1

    def __post_init__(self) -> None:
        for name in ("pours", "workers"):
            if getattr(self, name) < 1:
                raise SpecError(
                    f"{name} of 1 or more", got=str(getattr(self, name)), remedy=f"--{name} 1"
                )
        for model in self.models:
            if any(pose.orientation is None for pose in load_model(model).poses):
                raise SpecError(
                    "models that land in the classes of the rules",
                    got=f"{model}, which shows numbers",
                    remedy="leave it out",
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pours:
    """Some pours of one model."""

    model: str
    tallies: tuple[PourTally, ...]


_Task = tuple[str, str, str, int, int, int]
"""Model, scene, engine, seed, and the first pour and the one after the last."""


def pours_of(study: Study) -> Iterator[Pours]:
    """Yield the pours of a study in a fixed order, each model a few at a time.

    However many workers there are, and wherever the reader stops, the pours of a model come in
    the order of their numbers, and no model is far ahead of another.
    """
    tasks: list[_Task] = [
        (model, study.scene, study.engine, study.seed, at, min(at + _CHUNK, study.pours))
        for at in range(0, study.pours, _CHUNK)
        for model in study.models
    ]
    return map_in_order(_pourer, tasks, workers=study.workers)


def _pourer() -> Callable[[_Task], Pours]:
    return _pour


@cache
def _chance(model: str, scene: str, engine: str, seed: int) -> PhysicalChance:
    table, body = load_scene(scene), load_model(model)
    names = [f"{Seat.A}{number}" for number in range(1, table.capacity + 1)]
    return PhysicalChance(
        scene=table, models=dict.fromkeys(names, body), engine=make_engine(engine), seed=seed
    )


def _pour(task: _Task) -> Pours:
    model, scene, engine, seed, first, end = task
    chance = _chance(model, scene, engine, seed)
    request = RollRequest(thrower=Seat.A, piggles=tuple(chance.models))
    tallies: list[PourTally] = []
    for index in range(first, end):
        seen = [at.orientation for _, at in chance.roll(request, index=index).landings]
        tallies.append(
            (
                seen.count(Orientation.SNOUT_UP),
                seen.count(Orientation.SNOUT_DOWN),
                seen.count(Orientation.ON_THEIR_HEAD),
                seen.count(None),
            )
        )
    return Pours(model=model, tallies=tuple(tallies))


def measured_model(
    study: Study, model: str, tallies: Sequence[PourTally], *, date: str
) -> MeasuredModel:
    """Return what the pours of a model say.

    Args:
        study: What was thrown.
        model: One of its models.
        tallies: Its pours, one at least.
        date: Day of the measurement.
    """
    made = _chance(model, study.scene, study.engine, study.seed).provenance()
    on_board = np.array([sum(tally[:3]) for tally in tallies])
    return MeasuredModel(
        model=model,
        model_sha256=made["models"][load_model(model).model],
        date=date,
        pours=len(tallies),
        throws=sum(sum(tally) for tally in tallies),
        off=sum(tally[3] for tally in tallies),
        seed=study.seed,
        scene=made["scene"],
        scene_sha256=made["scene_sha256"],
        engine=made["engine"],
        engine_version=made["engine_version"],
        shares={
            orientation: _share(np.array([tally[k] for tally in tallies]), on_board)
            for k, orientation in enumerate(Orientation)
        },
    )


def _share(hits: Counts, trials: Counts) -> Share:
    found = share_of(hits, trials)
    # JSON has no word for a share of nothing; its interval says that nothing is known.
    return Share(value=found.value if found.trials else 0.0, low=found.low, high=found.high)
