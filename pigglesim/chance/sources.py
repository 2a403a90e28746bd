"""Sources of chance made from names: physics at a table, or odds that were measured there."""

from collections.abc import Iterable, Mapping

from pigglesim.bodies.livery import split_livery
from pigglesim.bodies.load import load_models
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import PhysicalChance
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.physics.engines import make_engine
from pigglesim.scene.scene import Scene


def physical_chance(
    scene: Scene, models: Mapping[str, str], *, engine: str | None, seed: int
) -> PhysicalChance:
    """Return physics as a source of chance.

    Args:
        scene: The table.
        models: The model of each Piggle, by id.
        engine: Name of the engine; None for the default one.
        seed: Root seed.

    Raises:
        SpecError: If a name is unknown or a file is at fault.
    """
    dice = scene.dice
    bodies = load_models(sorted({*models.values(), *([dice.model] if dice else [])}))
    return PhysicalChance(
        scene=scene,
        models={piggle: bodies[name] for piggle, name in models.items()},
        engine=make_engine(engine),
        seed=seed,
        die=bodies[dice.model] if dice else None,
    )


def expect_pigs(models: Iterable[str]) -> None:
    """Raise `SpecError` if a model is not a pig: the rules need the orientation of each (R14)."""
    for name, body in load_models(dict.fromkeys(models)).items():
        if not body.pig:
            classes = ", ".join(dict.fromkeys(pose.label for pose in body.poses))
            raise SpecError(
                "pigs, whose landings the rules name",
                got=f"{name}, whose classes are {classes}",
                remedy=f"pigglesim roll 2 --model {name}, or pigglesim study --kind pour "
                f"--model {name}",
            )


def tabular_chance(
    models: Mapping[str, str], *, odds: str, seed: int, remedy: str
) -> TabularChance:
    """Return measured odds as a source of chance.

    Args:
        models: The model of each Piggle, by id.
        odds: The file of the odds, or the model they come with.
        seed: Root seed.
        remedy: What to do where the odds are not of these models.

    Raises:
        SpecError: If there are no such odds, the file is at fault, or they are of another model.
    """
    table = load_odds(odds)
    strange = {split_livery(name)[0] for name in models.values()} - {table.model}
    if strange:
        raise SpecError(
            f"teams of {table.model} alone, as the odds are of",
            got=", ".join(sorted(strange)),
            remedy=remedy,
        )
    return TabularChance(seed=seed, odds=table)
