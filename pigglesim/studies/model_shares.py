"""How models land, by pours of whole cups onto an empty board."""

from collections.abc import Sequence

import numpy as np

from pigglesim.rolls import Orientation
from pigglesim.scene.scene import Scene
from pigglesim.shapes.load import load_model
from pigglesim.shapes.measured import MeasuredModel, Share
from pigglesim.studies.estimate import Counts, share_of
from pigglesim.studies.tally import PourTally, Setting

__all__ = ["measured_model", "model_settings"]


def model_settings(
    models: Sequence[str], *, scene: Scene, engine: str, seed: int
) -> tuple[Setting, ...]:
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
        Setting(label=model, scene=scene, engine=engine, seed=seed, model=model) for model in models
    )
    for setting in settings:
        setting.chance()
    return settings


def measured_model(setting: Setting, tallies: Sequence[PourTally], *, date: str) -> MeasuredModel:
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


def _share(hits: Counts, trials: Counts) -> Share:
    found = share_of(hits, trials)
    # JSON has no word for a share of nothing; its interval says that nothing is known.
    return Share(value=found.value if found.trials else 0.0, low=found.low, high=found.high)
