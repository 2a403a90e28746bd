"""Names of games, agents, models, tables, teams and engines; and agents by name."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import agent_names
from pigglesim.agents.registry import make_agent as agent_of_name
from pigglesim.api.sources import believed_chance
from pigglesim.arguments import checked
from pigglesim.data_files import floor_names, model_names, own_model_names, scene_names, team_names
from pigglesim.errors import SpecError, cut
from pigglesim.games.game import Game
from pigglesim.games.registry import game_names
from pigglesim.physics.engine import engine_names

Player: TypeAlias = str | Agent
"""Player: the name of an agent, such as `"mcts:nodes=400"`, or your own object."""
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """All known names, by kind."""

    games: tuple[str, ...]
    agents: tuple[str, ...]
    """Kinds of agents; `mcts:nodes=400` is a kind with a parameter."""
    models: tuple[str, ...]
    """Models; your own come last."""
    scenes: tuple[str, ...]
    """Tables for pours and matches."""
    floors: tuple[str, ...]
    """Floors for drops."""
    teams: tuple[str, ...]
    """Teams of Modern."""
    engines: tuple[str, ...]
    """Physics engines that are installed here."""


def known() -> Known:
    """Return all names that the other functions accept.

    Returns:
        Names by kind; agents without parameters, and models without liveries.

    Examples:
        >>> import pigglesim
        >>> pigglesim.known().games
    """
    return Known(
        games=game_names(),
        agents=agent_names(),
        models=(*model_names(), *own_model_names()),
        scenes=scene_names(),
        floors=floor_names(),
        teams=team_names(),
        engines=engine_names(),
    )


@checked
def make_agent(name: str, *, game: Game[Any, Any] | None = None, odds: str | None = None) -> Agent:
    """Return an agent by name, to request decisions or to play with others.

    Args:
        name: Kind with its parameters, such as `greedy`, `threshold:4` or `mcts:nodes=400`.
        game: Game from `make_game`, for an agent that searches.
        odds: Chance model of such an agent: a file of odds, or a model that has odds.

    Returns:
        The agent; its `choose` decides from an observation and its own random stream.

    Raises:
        PigglesimError: If the kind or a parameter is unknown, or the agent needs the game.

    Examples:
        >>> import pigglesim
        >>> game = pigglesim.make_game("piggles_classic", {"rounds": 2})
        >>> pigglesim.make_agent("mcts:nodes=50", game=game).name
        'mcts:nodes=50'
    """
    return agent_of_name(name, game=game, chance=believed_chance(odds))


def expect_player(player: Player) -> None:
    """Raise SpecError unless `player` is a text or an object that can play.

    Raises:
        SpecError: If it is neither; the name itself is checked elsewhere.
    """
    if isinstance(player, str):
        return
    if isinstance(player, type):
        name = player.__name__
        raise SpecError(f"the class {name} is not an agent", fix=f"use an object of it: {name}()")
    if not callable(getattr(player, "choose", None)):
        raise SpecError(
            f"{cut(repr(player))} is not an agent",
            expected="a name, or an object with `name` and `choose`",
            fix="use 'greedy'",
        )
    own: object = getattr(player, "name", None)
    if not (isinstance(own, str) and own.isprintable() and 0 < len(own) <= _LONGEST_NAME):
        raise SpecError(
            f"invalid name of an agent: {cut(repr(own))}",
            expected=f"1 to {_LONGEST_NAME} printable letters",
            fix=f"set name = 'mine' in the class {type(player).__name__}",
        )
