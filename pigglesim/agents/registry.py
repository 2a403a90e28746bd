"""Every agent by its name, with its parameters: `mcts:nodes=400:explore=0.7`."""

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum, unique
from importlib import import_module
from math import radians
from typing import Any

from pigglesim.agents.agent import Agent, Uniform
from pigglesim.agents.greedy import Greedy, RollShares, roll_shares
from pigglesim.agents.outside import COMMAND, outside_agent, outside_name
from pigglesim.agents.playouts import AgentPlayouts, ChanceModel, Playouts, odds_of_piggles
from pigglesim.errors import SpecError, cut, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.registry import is_own_game
from pigglesim.landing import MAX_SWING, CupHold
from pigglesim.units import INCHES

Values = Mapping[str, Any]
"""Parameters by name: a number, a word, or None for one without effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentParameter:
    """A parameter of an agent: a number within bounds, or one of some words."""

    default: float | str | None
    """Value if not given; None if the parameter then has no effect."""
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    words: tuple[str, ...] = ()

    def read(self, kind: str, name: str, text: str) -> float | str:
        """Return the value of a text.

        Raises:
            SpecError: If it is not a number within bounds, or none of the words.
        """
        if text in self.words:
            return text
        if self.words:
            expected = " or ".join(self.words)
        else:
            with suppress(ValueError):
                value = float(text)
                if self.low <= value <= self.high and not (self.whole and value % 1.0):
                    return int(value) if self.whole else value
            number = "a whole number" if self.whole else "a number"
            expected = f"{number} from {self.low:g} to {self.high:g}"
        example = self.low if self.default is None else self.default
        raise SpecError(
            f"invalid {name} {cut(repr(text))} of {kind}",
            expected=expected,
            fix=f"use {kind}:{name}={_value_text(example)}",
        )


_ROLLOUT = AgentParameter(default="auto", words=("auto", "greedy", "uniform"))
_PLAYOUTS = AgentParameter(default=None, low=1, high=100_000, whole=True)
_CODE = AgentParameter(default="auto", words=("auto", "rules"))
"""Code of the playouts: compiled where there is any, or the rules themselves as in a page."""
_PARAMETERS: Mapping[str, Mapping[str, AgentParameter]] = {
    "uniform": {},
    "greedy": {},
    "threshold": {"points": AgentParameter(default=3.0, high=1000.0)},
    "aim": {
        "back": AgentParameter(default=4.7, high=6.5),
        "height": AgentParameter(default=2.0, low=2.0, high=20.0),
        "across": AgentParameter(default=0.0, low=-6.5, high=6.5),
        "heading": AgentParameter(default=0.0, low=-60.0, high=60.0),
        "swing": AgentParameter(default=None, high=MAX_SWING),
    },
    "expectimax": {
        "depth": AgentParameter(default=1, low=1, high=10, whole=True),
        "samples": AgentParameter(default=100, low=1, high=100_000, whole=True),
        "playouts": _PLAYOUTS,
        "rollout": _ROLLOUT,
        "code": _CODE,
    },
    "mcts": {
        "nodes": AgentParameter(default=None, low=1, high=10_000_000, whole=True),
        "time": AgentParameter(default=None, low=0.001, high=3600.0),
        "explore": AgentParameter(default=1.0, high=100.0),
        "playouts": _PLAYOUTS,
        "rollout": _ROLLOUT,
        "code": _CODE,
    },
    "hold": {"total": AgentParameter(default=20, low=1, high=10_000, whole=True)},
    "optimal": {},
    "best": {},
}
"""Parameters of each kind of agent; the first may be given without its name."""
_PIGGLES = ("greedy", "Greedy")
"""Module and class of the agent greedy of Piggles."""
_PIGGY_SIX_AGENTS = ("hold", "optimal", "best")
"""Kinds of agents that play only Piggy Six."""
_NODES = 400
"""Nodes of a search without a limit on nodes or time."""
_COMPILED = ("piggles_classic", "piggles_modern", "pig_pile", "piggyback")
"""Games with playouts in compiled code."""


@unique
class Level(StrEnum):
    """Strength of an opponent in words, the weakest first."""

    FIRST = "first match"
    EASY = "easy"
    HARD = "hard"
    PERFECT = "perfect"
    """The exact solution of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """An agent as an opponent of people."""

    level: Level
    agent: str
    elo: tuple[int, int, int]
    """Measured rating among agents of the game, whose mean is 0 (docs/results/tournaments.md).

    Lower end of its 95 % interval, rating, upper end.
    """

    @property
    def rating(self) -> str:
        """Rating and interval as text."""
        low, elo, high = self.elo
        return f"Elo {elo:+d} [{low:+d}, {high:+d}]"


OPPONENTS: Mapping[str, tuple[Opponent, ...]] = {
    "piggles_classic": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-145, -130, -114)),
        Opponent(level=Level.EASY, agent="greedy", elo=(19, 34, 49)),
        Opponent(level=Level.HARD, agent="aim:back=5.5", elo=(80, 96, 111)),
    ),
    "piggles_modern": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-181, -159, -137)),
        Opponent(level=Level.EASY, agent="greedy", elo=(56, 71, 86)),
        Opponent(level=Level.HARD, agent="mcts:nodes=50", elo=(73, 88, 103)),
    ),
    "lord_of_the_pigs": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-214, -193, -172)),
        Opponent(level=Level.HARD, agent="greedy", elo=(172, 193, 214)),
    ),
    "pig_pile": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-410, -360, -311)),
        Opponent(level=Level.HARD, agent="greedy", elo=(311, 360, 410)),
    ),
    "piggyback": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-390, -329, -267)),
        Opponent(level=Level.EASY, agent="greedy", elo=(112, 152, 192)),
        Opponent(level=Level.HARD, agent="mcts:nodes=50", elo=(141, 177, 213)),
    ),
    "piggy_six": (
        Opponent(level=Level.FIRST, agent="uniform", elo=(-88, -78, -67)),
        Opponent(level=Level.EASY, agent="hold", elo=(-3, 8, 18)),
        Opponent(level=Level.HARD, agent="greedy", elo=(7, 18, 28)),
        Opponent(level=Level.PERFECT, agent="optimal", elo=(42, 52, 62)),
    ),
}
"""Opponents of people in each game, the weakest first."""


def parse_name(text: str) -> tuple[str, Values]:
    """Return the kind of agent of a name and all its parameters, defaults included.

    A name is `kind`, `kind:name=value:name=value`, or `kind:value` for the first parameter.

    Raises:
        SpecError: If the kind or a parameter is unknown, given twice or out of bounds.
    """
    kind, *words = text.split(":")
    if kind not in _PARAMETERS:
        raise unknown_name("agent", kind, _PARAMETERS, programs=True)
    parameters = _PARAMETERS[kind]
    values: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and len(words) == 1 and parameters:
            name, value = next(iter(parameters)), word
        if not parameters:
            raise SpecError(f"{kind} has no parameter {cut(repr(name))}", fix=f"use {kind}")
        if name not in parameters:
            raise unknown_name(f"parameter of {kind}", name, parameters)
        if name in values:
            raise SpecError(f"{name} of {kind} is given twice", fix="leave one out")
        values[name] = parameters[name].read(kind, name, value)
    return kind, {name: values.get(name, each.default) for name, each in parameters.items()}


def _value_text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.12g}"


def _format_name(kind: str, values: Values) -> str:
    """Return the shortest name that `parse_name` reads as the same values."""
    words = [
        f"{name}={_value_text(value)}"
        for name, value in values.items()
        if value is not None and value != _PARAMETERS[kind][name].default
    ]
    return ":".join((kind, *words))


def level_of(game: str, agent: str) -> Opponent | None:
    """Return an agent as an opponent in a game; None if it has no measured level there."""
    return next((each for each in OPPONENTS.get(game, ()) if each.agent == agent), None)


def agent_names() -> tuple[str, ...]:
    """Return the names of all kinds of agents, without parameters."""
    return tuple(_PARAMETERS)


def plays(kind: str, game: str) -> bool:
    """Return whether a kind of agent plays a game."""
    if kind in _PIGGY_SIX_AGENTS:
        return game == "piggy_six"
    if kind in {"threshold", "aim"}:
        return _GREEDY.get(game, _PIGGLES) == _PIGGLES
    return kind != "greedy" or game in _GREEDY


def is_outside(name: str) -> bool:
    """Return whether a name is that of a program of the user: a Python class or a command."""
    first, *words = name.strip().split(":")
    if first in _PARAMETERS:
        return False
    return first == COMMAND or (bool(words) and words[0].isidentifier())


def any_outside(players: Iterable[object]) -> bool:
    """Return whether a player is a program: its root seed must not be found by search."""
    return any(isinstance(player, str) and is_outside(player) for player in players)


def expect_named(name: str, *, flag: str, value: str = "") -> None:
    """Raise `SpecError` for a program that a file names: only a user may name what runs.

    `flag` and its `value` (by default the name) are those that would name it.
    """
    if is_outside(name):
        raise SpecError(
            f"the file names a program as agent, {cut(repr(name))}, which runs only if you name it",
            fix=f"read it, then add {flag} {shlex.quote(value or name)}",
        )


def own_flags(game: str, agents: Collection[str] = ()) -> list[str]:
    """Return the flags of a game and agents of the user's own: they run only if they are named."""
    flags = ["--game", game] if is_own_game(game) else []
    return [*flags, "--agents", ",".join(agents)] if any_outside(agents) else flags


def canonical_name(name: str) -> str:
    """Return the shortest name of the same agent; nothing is imported or started.

    Raises:
        SpecError: As `make_agent`.
    """
    if is_outside(name):
        return outside_name(name)
    return _format_name(*parse_name(name))


def make_agent(
    name: str, *, game: Game[Any, Any] | None = None, chance: ChanceModel | None = None
) -> Agent:
    """Return the agent of a name.

    Args:
        name: A kind with its parameters, such as `greedy`, `threshold:4` or
            `mcts:nodes=400:explore=0.7`; in Piggy Six also `hold:20`, `optimal` and `best`. Or a
            program: `module:Class:depth=2`, `my_agent.py:Class` or `cmd:python3 my_agent.py`.
        game: The rules, for an agent that thinks ahead.
        chance: The agent's belief about chance; greedy of Piggles uses only the tables of Piggles
            of other models than the common one.

    Raises:
        SpecError: If the kind or a parameter is unknown, or an agent that thinks ahead lacks the
            game or chance, or a program cannot be found or made.
    """
    if is_outside(name):
        return outside_agent(name, game)
    kind, values = parse_name(name)
    canonical = _format_name(kind, values)
    if kind == "uniform":
        return Uniform()
    if kind == "greedy":
        return _greedy(game, chance)
    if kind in _PIGGY_SIX_AGENTS:
        return _six_agent(kind, game, canonical, values)
    if kind in {"threshold", "aim"}:
        if game is not None and not plays(kind, game.name):
            raise SpecError(f"{kind} does not play {game.name}", fix="use the agent greedy")
        beliefs = _believed_shares(chance)
        if kind == "aim":
            return Greedy(hold=_hold(**values), name=canonical, of_piggles=beliefs)
        return Greedy(threshold=values["points"], name=canonical, of_piggles=beliefs)
    if game is None or chance is None:
        missing = "game" if game is None else "chance"
        raise SpecError(
            f"agent {kind} has no {missing}",
            fix=f"use make_agent(name, {missing}=...), or the agent greedy",
        )
    return _search_agent(kind, game, chance, canonical, values)


def _six_agent(
    kind: str, game: Game[Any, Any] | None, name: str, values: Mapping[str, Any]
) -> Agent:
    """Return an agent that plays Piggy Six alone."""
    if game is None or not plays(kind, game.name):
        game_name = "no game" if game is None else game.name
        raise SpecError(
            f"agent {kind} got {game_name}", expected="piggy_six", fix="use the agent greedy"
        )
    if kind == "hold":
        from pigglesim.agents.hold import Hold  # noqa: PLC0415 (imports the rules)

        return Hold(name=name, total=int(values["total"] or 0))
    from pigglesim.agents.piggy_six import six_agent  # noqa: PLC0415 (compiles)

    six: Any = game
    return six_agent(kind, six.rules, name=name, **values)


def _hold(
    *, back: float, height: float, across: float, heading: float, swing: float | None
) -> CupHold:
    """Return a hold of the cup from inches, degrees and m/s."""
    back, height, across = (length * INCHES.size for length in (back, height, across))
    return CupHold(across=across, back=back, height=height, heading=radians(heading), swing=swing)


def _greedy(game: Game[Any, Any] | None, chance: ChanceModel | None) -> Agent:
    """Return the agent greedy of a game; without a game, that of Piggles."""
    if game is not None and not plays("greedy", game.name):
        raise SpecError(
            f"no agent greedy for {cut(game.name)}", fix="use the agent uniform or mcts"
        )
    module, name = _PIGGLES if game is None else _GREEDY[game.name]
    made: Callable[..., Agent] = getattr(import_module(f"pigglesim.agents.{module}"), name)
    return made(of_piggles=_believed_shares(chance)) if made is Greedy else made()


def _believed_shares(chance: ChanceModel | None) -> Mapping[str, RollShares]:
    """Return the shares of Piggles of other models than the common one, by id."""
    return {piggle: roll_shares(odds) for piggle, odds in odds_of_piggles(chance).items()}


_GREEDY = {
    "piggles_classic": _PIGGLES,
    "piggles_modern": _PIGGLES,
    "lord_of_the_pigs": ("lord_greedy", "LordGreedy"),
    "pig_pile": ("pile_greedy", "PileGreedy"),
    "piggyback": ("piggyback_greedy", "PiggybackGreedy"),
    "piggy_six": ("six_greedy", "SixGreedy"),
}
"""Module and class of the agent greedy of each game that has one, imported when it is needed."""


def _search_agent(
    kind: str, game: Game[Any, Any], chance: ChanceModel, name: str, values: Values
) -> Agent:
    """Return an agent that thinks ahead, guided by greedy if the game has that agent."""
    from pigglesim.agents.search import Expectimax, TreeSearch  # noqa: PLC0415 (slow to import)

    rollout = values["rollout"]
    guided = rollout == "greedy" or (rollout == "auto" and game.name in _GREEDY)
    guide = _greedy(game, chance) if guided else Uniform()
    playouts: Playouts | None = None
    if game.name in _COMPILED and values["code"] == "auto":
        from pigglesim.agents.compiled_playouts import compiled_playouts  # noqa: PLC0415 (compiles)

        playouts = compiled_playouts(game, chance, guided=guided)
    if playouts is None:
        playouts = AgentPlayouts(game=game, chance=chance, agent=guide)
    search: dict[str, Any] = {"name": name, "game": game, "chance": chance, "playouts": playouts}
    search["batch"] = values["playouts"] or playouts.batch
    if kind == "expectimax":
        return Expectimax(**search, depth=values["depth"], samples=values["samples"])
    nodes, seconds = values["nodes"], values["time"]
    return TreeSearch(
        **search,
        guide=guide if guided else None,
        nodes=_NODES if nodes is None and seconds is None else nodes,
        seconds=seconds,
        explore=values["explore"],
    )
