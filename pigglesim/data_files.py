"""Files of models and scenes: those that come with pigglesim, and a user's own models.

A name is searched in the program first, then in the folders of the variable PIGGLESIM_MODELS
(separated as in PATH), then in `models` of the current folder.
"""

import os
import re
import unicodedata
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from pigglesim.errors import SpecError, unknown_name


@cache
def _folder(kind: str) -> Path:
    """Return the folder of `kind`: inside the installed package, or next to it in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "data" / kind, package.parent / kind):
        if folder.is_dir():
            return folder
    raise SpecError(f"pigglesim has no folder of {kind}", fix="install it again")


_NOUNS = {
    "models": "model",
    "scenes": "scene",
    "scenes/floors": "floor",
    "scenes/teams": "team",
    "models/odds": "table of odds",
}


def _names(kind: str, suffix: str = ".toml") -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _folder(kind).glob(f"*{suffix}")))


def _user_models() -> dict[str, Path]:
    """Return the files of the models in the user's folders, by name; the first folder wins."""
    folders = os.environ.get("PIGGLESIM_MODELS", "").split(os.pathsep)
    files: dict[str, Path] = {}
    for folder in (*(Path(name) for name in folders if name), Path("models")):
        for path in sorted(folder.glob("*.toml")):
            files.setdefault(path.stem, path)
    return files


MODEL_IN_FOLDER = "model.toml"
"""Model file by which a folder, such as one of `pigglesim design`, is a model itself."""


def _file(kind: str, name: str, *, suffix: str = ".toml") -> Path:
    """Return the file of a name that comes with pigglesim, or of a path to a user's own."""
    folder_file = Path(name) / MODEL_IN_FOLDER
    if kind == "models" and name not in _names(kind) and folder_file.is_file():
        return folder_file
    if name.endswith(suffix) or "/" in name:
        path = Path(name)
        if not path.is_file():
            raise SpecError(f"no file {name!r} of a {_NOUNS[kind]}", fix="check the path")
        return path
    names = _names(kind, suffix)
    if name not in names:
        user_files = _user_models() if kind == "models" else {}
        if name not in user_files:
            other = next((each for each in _NOUNS if name in _names(each)), None)
            if other is not None:
                drop = f", or drop dice on it: pigglesim study --kind drop --scene {name}"
                raise SpecError(
                    f"{name!r} is a {_NOUNS[other]}, not a {_NOUNS[kind]}",
                    expected=", ".join(sorted({*names, *user_files})),
                    fix=f"use one of these{drop if other == 'scenes/floors' else ''}",
                )
            raise unknown_name(_NOUNS[kind], name, {*names, *user_files})
        return user_files[name]
    return _folder(kind) / f"{name}{suffix}"


model_names = partial(_names, "models")
"""Return the ids of the models that come with pigglesim."""
scene_names = partial(_names, "scenes")
floor_names = partial(_names, "scenes/floors")
team_names = partial(_names, "scenes/teams")
"""Return the ids of the teams of Modern that come with pigglesim."""

model_file = partial(_file, "models")
"""Return the file of a model: an id, or a path to a TOML file or a folder with a `model.toml`.

A user's own models cannot hide ids that come with pigglesim. Raise `SpecError` if there is no such
model, with the closest names. The same applies to the functions below.
"""
scene_file = partial(_file, "scenes")
floor_file = partial(_file, "scenes/floors")
team_file = partial(_file, "scenes/teams")
fit_names = partial(_names, "scenes/floors", ".json")
"""Return the names of the fits that come with pigglesim."""
fit_file = partial(_file, "scenes/floors", suffix=".json")
"""Return the file of the floors of a fit: a JSON file, or that of a fit with pigglesim."""
odds_names = partial(_names, "models/odds", ".json")
"""Return the ids of the models that come with odds."""
odds_file = partial(_file, "models/odds", suffix=".json")
"""Return the file of a table of odds: a JSON file, or that of a model that comes with pigglesim."""


def user_model_names() -> tuple[str, ...]:
    """Return the ids of the user's own models, without those hidden by the program's ids.

    In a checkout, `models` of the current folder is the program's own.
    """
    return tuple(sorted(_user_models().keys() - set(model_names())))


def safe_name(text: str, *, gap: str = "_", marks: str = "_-") -> str:
    """Return a text as a file name: letters and digits of any script, and some marks.

    Args:
        text: Any text.
        gap: Text in place of all other characters.
        marks: Other characters that may stay; they start and end no name.
    """
    letters = "".join(
        letter if letter in marks or _is_word(letter) else "\0"
        for letter in unicodedata.normalize("NFC", text)
    )
    return re.sub("\0+", gap, letters).strip(marks + gap)


def _is_word(letter: str) -> bool:
    """Return whether a character is a letter, a mark of a letter, or a digit."""
    kind = unicodedata.category(letter)
    return kind[0] in "LM" or kind == "Nd"


def model_id(text: str) -> str:
    """Return a valid id of a model made from a text; empty if it has no letter or digit."""
    return safe_name(text.lower())[:40].rstrip("_-")


def user_cache() -> Path | None:
    """Return the user's cache folder; None for a user without a home."""
    from platformdirs import user_cache_path  # noqa: PLC0415 (a cold start does without)

    return _user_folder(user_cache_path)


def user_state() -> Path | None:
    """Return the user's folder of what programs remember; None for a user without a home."""
    from platformdirs import user_state_path  # noqa: PLC0415 (a cold start does without)

    return _user_folder(user_state_path)


def _user_folder(path: Callable[..., Path]) -> Path | None:
    try:
        return path("pigglesim", appauthor=False)
    except RuntimeError:
        # Neither HOME nor an entry among users: a container run with a foreign user id.
        return None
