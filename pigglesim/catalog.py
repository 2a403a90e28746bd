"""Where the models and scenes that come with pigglesim lie; no other module knows."""

from functools import cache
from pathlib import Path

from pigglesim.errors import SpecError, unknown_name

__all__ = ["floor_file", "floor_names", "model_file", "model_names", "scene_file", "scene_names"]


@cache
def _folder(kind: str) -> Path:
    """Return the folder of `kind`: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "data" / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise SpecError(
        f"a folder of {kind} with the program",
        got="none",
        remedy="install pigglesim again: this copy is not whole",
    )


def _names(kind: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _folder(kind).glob("*.toml")))


def _noun(kind: str) -> str:
    return kind.rpartition("/")[2].removesuffix("s")


def _file(kind: str, name: str) -> Path:
    """Return the file of a name that comes with pigglesim, or of a path to a user's own."""
    if name.endswith(".toml") or "/" in name:
        path = Path(name)
        if not path.is_file():
            raise SpecError(
                f"a {_noun(kind)} file", got=f"no file {name!r}", remedy="check the path"
            )
        return path
    if name not in _names(kind):
        raise unknown_name(_noun(kind), name, _names(kind))
    return _folder(kind) / f"{name}.toml"


def model_names() -> tuple[str, ...]:
    """Return the ids of the models that come with pigglesim."""
    return _names("models")


def scene_names() -> tuple[str, ...]:
    """Return the ids of the scenes that come with pigglesim."""
    return _names("scenes")


def floor_names() -> tuple[str, ...]:
    """Return the ids of the floors that come with pigglesim."""
    return _names("scenes/floors")


def model_file(name: str) -> Path:
    """Return the file of a model: an id that comes with pigglesim, or a path to a TOML file.

    Raises:
        SpecError: If there is no such model; the nearest names are given.
    """
    return _file("models", name)


def scene_file(name: str) -> Path:
    """Return the file of a scene: an id that comes with pigglesim, or a path to a TOML file.

    Raises:
        SpecError: If there is no such scene; the nearest names are given.
    """
    return _file("scenes", name)


def floor_file(name: str) -> Path:
    """Return the file of a floor: an id that comes with pigglesim, or a path to a TOML file.

    Raises:
        SpecError: If there is no such floor; the nearest names are given.
    """
    return _file("scenes/floors", name)
