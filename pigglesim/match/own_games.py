"""Games that are not part of pigglesim: a class by its import path, or an object of Python.

`my_game.py:Pig` and `package.module:Pig` name classes. Such a game is a program: it runs only if a
user names it, never because a file does. `load_named_game` gets what a user named; readers of
files find only the games that it has loaded. `docs/extend/game.md` describes how to write one.
"""

import json
import pickle
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pigglesim.agents.outside import failed_to_load, load_module
from pigglesim.errors import PigglesimError, SpecError, cut
from pigglesim.games.game import Game
from pigglesim.games.registry import GameEntry, admit, game_names, is_own_game, make_game

_LOADED: dict[str, Game[Any, Any] | None] = {}
"""Own games of this process by name: None for a class, which its name loads again."""


def load_named_game(game: str | Game[Any, Any]) -> tuple[str, Mapping[str, object]]:
    """Return the name of a game that the user named, and its house rules if it is an object.

    A class of the user's own is loaded. An own object is found by its `name` from now on.

    Raises:
        SpecError: If there is no such module, file or class, it is not a game, or an object has the
            name of another game.
    """
    if not isinstance(game, str):
        return _name_of(game), dict(game.settings())
    name = game.strip()
    if is_own_game(name) and name not in _LOADED:
        admit(name, _class_entry(name))
        _LOADED[name] = None
    return name, {}


def _name_of(game: Game[Any, Any]) -> str:
    name = game.name
    if name in game_names():
        if type(make_game(name)) is type(game):
            return name
        raise SpecError(f"an own game with the name {name!r}", fix="give it another `name`")
    if _LOADED.get(name, game) is None:
        # It was made of a class that was named.
        return name
    admit(name, _entry(game, partial(_same, game)))
    _LOADED[name] = game
    return name


def _same(game: Game[Any, Any], settings: Mapping[str, object]) -> Game[Any, Any]:
    """Return an object if these are its house rules, or none are given."""
    plain = partial(json.dumps, sort_keys=True, default=str)
    if settings and plain(dict(settings)) != plain(dict(game.settings())):
        raise SpecError(
            f"house rules {cut(plain(dict(settings)))} of the object {game.name}",
            expected=cut(plain(dict(game.settings()))),
            fix="make the object with them",
        )
    return game


def _entry(
    game: Game[Any, Any], make: Callable[[Mapping[str, object]], Game[Any, Any]]
) -> GameEntry:
    brief = (type(game).__doc__ or "").strip().partition("\n")[0]
    title = type(game).__name__
    count = len(game.seats)
    return GameEntry(make=make, title=title, brief=brief, min_players=count, max_players=count)


def _class_entry(name: str) -> GameEntry:
    """Return the registry entry of the class that a name `my_game.py:Pig` names."""
    path, _, class_name = name.partition(":")
    subject = f"game {cut(name)}"
    base = getattr(load_module(path, subject), class_name, None)
    if not isinstance(base, type):
        raise SpecError(f"no class {class_name} in {path}", fix="check the name of the class")
    # Records name the game as the user does, whatever the class calls itself.
    own_name = property(lambda _: name, lambda _, value: None)
    members = {"name": own_name, "__slots__": (), "__module__": base.__module__}
    make = partial(_made, type(class_name, (base,), members), subject)
    return _entry(make({}), make)


def _made(made_by: type[Any], subject: str, settings: Mapping[str, object]) -> Game[Any, Any]:
    try:
        from_settings = getattr(made_by, "from_settings", None)
        game: Any = from_settings(settings) if from_settings else made_by(**settings)
        missing = [name for name in _parts() if not hasattr(game, name)]
    except PigglesimError:
        raise
    except Exception as error:
        raise failed_to_load(subject, error) from error
    if missing:
        raise SpecError(
            f"{subject} has no {missing[0]}",
            expected="the protocol pigglesim.games.game.Game",
            fix="write it, as docs/extend/game.md does",
        )
    own: Game[Any, Any] = game
    return own


def _parts() -> list[str]:
    return sorted(name for name in vars(Game) if not name.startswith("_"))


def own_games() -> tuple[str | Game[Any, Any], ...]:
    """Return the own games of this process that another process of it can load."""
    return tuple(game or name for name, game in _LOADED.items() if game is None or _pickles(game))


def _pickles(game: Game[Any, Any]) -> bool:
    try:
        pickle.loads(pickle.dumps(game))
    except Exception:
        return False
    return True
