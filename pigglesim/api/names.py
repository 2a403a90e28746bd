"""Names of games, agents, models, scenes and engines; agents and stable poses by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import agent_names
from pigglesim.agents.registry import make_agent as agent_of_name
from pigglesim.arguments import JsonResult, checked, plain
from pigglesim.bodies.body import Body, class_shares, support_for
from pigglesim.bodies.load import load_model
from pigglesim.chance.tabular import believed_chance
from pigglesim.data_files import floor_names, model_names, scene_names, team_names, user_model_names
from pigglesim.errors import SpecError, cut
from pigglesim.games.game import Game
from pigglesim.games.registry import game_names
from pigglesim.physics.engines import installed_engine_names
from pigglesim.units import percent

_GRAVITY = 9.80665
"""Standard gravity [m/s2]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosesResult(JsonResult):
    """Stable poses of a body alone on a flat floor; the shares are exact areas, not samples."""

    body: Body
    shares: dict[str, float]
    """Share of the directions that roll into each pose without momentum, by pose."""
    classes: dict[str, float]
    """Shares by class: of the rules, of the model file, or a number; the largest first."""

    def document(self) -> dict[str, Any]:
        """Return all properties of the poses as JSON values; units are in the names."""
        return poses_document(self.body)

    def __repr__(self) -> str:
        shares = (f"{name} {percent(share, places=2)}" for name, share in self.shares.items())
        return f"PosesResult({self.body.model}: {', '.join(shares)}; exact, without momentum)"


@checked
def poses(model: str) -> PosesResult:
    """Return the stable poses of a model with their exact shares without momentum.

    The shares of drops differ, above all for rare poses; a `study` of drops measures by how much.

    Args:
        model: Name in `known().models`, or a path to a TOML file.

    Returns:
        The shares by pose and by class, with the body.

    Raises:
        PigglesimError: If the model is unknown, or its file is invalid.

    Examples:
        >>> import pigglesim
        >>> pigglesim.poses("d6")
    """
    body = load_model(model)
    return PosesResult(body=body, shares=pose_shares(body), classes=class_shares(body))


def pose_shares(body: Body) -> dict[str, float]:
    """Return the exact share of directions that roll without momentum into each pose, by name."""
    shares = {pose.name: 0.0 for pose in body.distinct_poses}
    for pose, share in zip(body.poses, support_for(body).shares(), strict=True):
        shares[pose.name] += share
    return shares


def poses_document(body: Body) -> dict[str, Any]:
    """Return all properties of the stable poses of a body as a JSON document."""
    support = support_for(body)
    shares = pose_shares(body)
    names = [pose.name for pose in body.poses]
    levels = dict(zip(names, support.decided_below(names), strict=True))
    class_levels = support.decided_below([pose.label for pose in body.poses])
    weight = body.mass.mass * _GRAVITY
    low, high = body.hull.vertices.min(axis=0), body.hull.vertices.max(axis=0)
    document: dict[str, Any] = {
        "model": body.model,
        "sha256": body.sha256 or None,
        "mass_g": body.mass.mass * 1e3,
        "size_mm": ((high - low) * 1e3).tolist(),
        "centre_mm": (body.mass.centre * 1e3).tolist(),
        "method": "exact areas of the basins of the height of the centre of mass (quasi-static)",
        "poses": [
            {
                "name": pose.name,
                "class": pose.orientation.value if pose.orientation else pose.face,
                "facets": names.count(pose.name),
                "share": shares[pose.name],
                "height_mm": pose.height * 1e3,
                "escape_mm": (levels[pose.name] - pose.height) * 1e3,
                "escape_uj": (levels[pose.name] - pose.height) * weight * 1e6,
                "other_class_mm": (class_levels[names.index(pose.name)] - pose.height) * 1e3,
                "down": pose.down.tolist(),
                "parts": list(pose.parts),
            }
            for pose in body.distinct_poses
        ],
        "classes": class_shares(body),
    }
    return {key: plain(value) for key, value in document.items()}


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
        models=(*model_names(), *user_model_names()),
        scenes=scene_names(),
        floors=floor_names(),
        teams=team_names(),
        engines=installed_engine_names(),
    )


@checked
def make_agent(
    name: str,
    *,
    game: Game[Any, Any] | None = None,
    odds: str | None = None,
    models: Mapping[str, str] | None = None,
) -> Agent:
    """Return an agent by name, to request decisions or to play with others.

    Args:
        name: Kind with its parameters, such as `greedy`, `threshold:4` or `mcts:nodes=400`.
        game: Game from `make_game`, for an agent that searches.
        odds: Chance model of such an agent: a file of odds, or a model that has odds.
        models: Model of each Piggle by id, such as `{"A1": "premium"}`, which the agent believes to
            roll by the supplied odds of its model. Default, and for models without supplied odds:
            by `odds`. `play_match` gives the models of a match to agents that it makes.

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
    return agent_of_name(name, game=game, chance=believed_chance(odds, models or {}))


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
    label: object = getattr(player, "name", None)
    if not (isinstance(label, str) and label.isprintable() and 0 < len(label) <= _LONGEST_NAME):
        raise SpecError(
            f"invalid name of an agent: {cut(repr(label))}",
            expected=f"1 to {_LONGEST_NAME} printable letters",
            fix=f"set name = 'mine' in the class {type(player).__name__}",
        )
