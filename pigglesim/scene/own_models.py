"""Models that a scene or a team names: by the id, or by a file of its own folder."""

from pathlib import Path

from pigglesim.errors import SpecError
from pigglesim.files.reading import beside
from pigglesim.shapes.livery import split_livery
from pigglesim.shapes.spec import MODEL_FILE

__all__ = ["model_of_file"]


def model_of_file(path: Path, name: str) -> str:
    """Return the name of a model as it is loaded, livery and all.

    Args:
        path: The scene or team that names it.
        name: An id, or the bare name of a TOML file beside it.

    Raises:
        SpecError: If it names a file that is elsewhere, or a link, or what follows is no livery.
    """
    model, _ = split_livery(name)
    if "/" not in model and not model.endswith(".toml"):
        return name
    own = beside(path, model, MODEL_FILE)
    if own.is_symlink():
        raise SpecError(
            f"a model in the folder of {path.name}",
            got=f"the link {model}",
            remedy="put the file itself beside it",
        )
    return f"{own}{name[len(model) :]}"
