"""Registry of all games by name."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from pigglesim.arguments import checked
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.games.game import Game


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry:
    """Registry entry of a game."""

    make: Callable[[Mapping[str, object]], Game[Any, Any]]
    """Function that makes the game from house rules of a JSON or TOML file."""
    title: str
    brief: str
    """Description in one line."""
    chances: tuple[str, ...] = ("fair",)
    """Sources of chance, the default of a match first and the fastest last: `physical` simulation,
    `tabular` odds of Piggles, `fair` dice and cards."""
    min_players: int = 2
    max_players: int = 2
    alone: bool = False
    """True if a house rule lets one person play alone."""
    scene: str | None = None
    """Scene of its physical rolls; None for dice without physics and for cards."""
    players_rule: str | None = None
    """House rule of the number of players, if it varies."""
    adviser: str = "mcts:nodes=200"
    """Agent that gives hints."""

    @property
    def players(self) -> str:
        """Number of players in words, such as `2 to 8`."""
        least, most = self.min_players, self.max_players
        many = f"{least} to {most}" if least < most else str(least)
        return f"{many}, or alone" if self.alone else many


def _make(module: str, name: str, house_rules: Mapping[str, object]) -> Game[Any, Any]:
    """Return a game, whose module is imported here."""
    rules: type[Any] = getattr(import_module(f"pigglesim.games.{module}"), name)
    game: Game[Any, Any] = rules.from_settings(house_rules)
    return game


_GAMES: Mapping[str, GameEntry] = {
    "piggles_classic": GameEntry(
        make=partial(_make, "piggles.game", "PigglesClassic"),
        title="Piggles Classic",
        brief="six Piggles each, from a cup onto the board: orientations, zones, knocks",
        chances=("physical", "tabular"),
        scene="piggles_classic",
    ),
    "piggles_modern": GameEntry(
        make=partial(_make, "piggles.game", "PigglesModern"),
        title="Piggles Modern",
        brief="Classic with colours, runes, Action and Reaction",
        chances=("physical", "tabular"),
        scene="piggles_modern",
    ),
    "lord_of_the_pigs": GameEntry(
        make=partial(_make, "lord_of_the_pigs.game", "LordOfThePigs"),
        title="Lord of the P.I.G.S.",
        brief="four actors rule an economy: Actions submitted, voted and activated; Events",
        min_players=4,
        max_players=4,
        adviser="greedy",
    ),
    "pig_pile": GameEntry(
        make=partial(_make, "pig_pile", "PigPile"),
        title="Pig Pile",
        brief="play equal or higher cards onto a pile: be the first without any, hidden ones too",
        max_players=8,
        players_rule="players",
    ),
    "piggyback": GameEntry(
        make=partial(_make, "piggyback.game", "Piggyback"),
        title="Piggyback",
        brief="stacks of units with abilities on a board: eliminate the other side by combat",
        chances=("physical", "fair"),
        scene="piggyback",
    ),
    "piggy_six": GameEntry(
        make=partial(_make, "piggy_six", "PiggySix"),
        title="Piggy Six",
        brief="two dice, as many rolls as you dare: a six ends the turn, two take all you have",
        chances=("physical", "fair"),
        max_players=8,
        alone=True,
        scene="piggy_six",
        players_rule="players",
        adviser="best",
    ),
}


_OWN: dict[str, GameEntry] = {}
"""Games of the user's own; `pigglesim.match.own_games` adds those that the user named."""


def admit(name: str, entry: GameEntry) -> None:
    """Add a game that is not part of pigglesim, because the user named it."""
    _OWN[name] = entry


def is_own_game(name: str) -> bool:
    """Return whether a name is that of a class of the user, such as `my_game.py:Pig`."""
    path, _, class_name = name.strip().partition(":")
    return bool(path) and class_name.isidentifier()


def game_names() -> tuple[str, ...]:
    """Return the names of all games that come with pigglesim."""
    return tuple(_GAMES)


def playable_names() -> tuple[str, ...]:
    """Return the names of all games that can be played here, those that the user named last."""
    return (*_GAMES, *_OWN)


def find(name: str) -> GameEntry:
    """Return the game of a name; raise `SpecError` if it is unknown, or the user did not name it.

    It loads no program: records and messages name games too.
    """
    if name in _OWN:
        return _OWN[name]
    if is_own_game(name):
        raise SpecError(
            f"the game {cut(repr(name))} is a program, which runs only if you name it",
            fix=f"read it, then add --game {shlex.quote(name)}, or game= in Python",
        )
    if name not in _GAMES:
        raise unknown_name("game", name, _GAMES, programs=True)
    return _GAMES[name]


@checked
def make_game(name: str, house_rules: Mapping[str, object] | None = None) -> Game[Any, Any]:
    """Return a game under house rules given by name; missing ones are default.

    Args:
        name: Name in `known().games`.
        house_rules: Settings by name, as in a JSON or TOML file.

    Returns:
        Rules of the game: pure functions over frozen states.

    Raises:
        SpecError: If the game, or one of its house rules, is unknown.

    Examples:
        >>> import pigglesim
        >>> game = pigglesim.make_game("piggles_classic", {"rounds": 2})
        >>> game.legal_actions(game.initial_state())
    """
    return find(name).make(house_rules or {})
