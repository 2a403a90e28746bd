"""Physics as a source of chance, compiled before the first throw."""

from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.precompile import compile_for
from pigglesim.scene.load import load_scene, team_models


def make_chance(
    scene_name: str, *, models: dict[str, str] | None, engine: str | None, seed: int
) -> PhysicalChance:
    """Return physics as a source of chance; None selects the scene's models or default engine."""
    scene = load_scene(scene_name)
    compile_for("pours", engine=engine or "")
    return physical_chance(scene, models or team_models(scene), engine=engine, seed=seed)
