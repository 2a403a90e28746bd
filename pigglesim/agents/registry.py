"""Every agent by its name, with its parameters: `mcts:nodes=400:explore=0.7`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np

from pigglesim.agents.agent import Agent, Uniform
from pigglesim.agents.chance_model import ChanceModel
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.lord_greedy import LordGreedy
from pigglesim.agents.pig_pile_greedy import PileGreedy
from pigglesim.agents.piggyback_greedy import PiggybackGreedy
from pigglesim.agents.playouts import AgentPlayouts, Playouts
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Game
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggy_six.game import PiggySix


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A parameter that is a number within bounds."""

    low: float
    high: float
    default: float | None
    """None where it is not in force unless it is given."""
    whole: bool = False

    def read(self, name: str, text: str) -> float:
        """Return the value of a text.

        Raises:
            SpecError: If it is no number, or out of bounds.
        """
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "a whole number" if self.whole else "a number"
            fitting = self.default if self.default is not None else self.low
            raise SpecError(
                f"{name} to be {kind} from {self.low:g} to {self.high:g}",
                got=repr(text),
                remedy=f"{name}={fitting:g}",
            )
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterWord:
    """A parameter that is one of some words."""

    choices: Sequence[str]
    default: str

    def read(self, name: str, text: str) -> str:
        """Return the text.

        Raises:
            SpecError: If it is none of the words.
        """
        if text not in self.choices:
            raise SpecError(
                f"{name} to be {' or '.join(self.choices)}",
                got=repr(text),
                remedy=f"{name}={self.default}",
            )
        return text


Parameters = Mapping[str, Number | ParameterWord]


def parse_name(
    text: str, known: Mapping[str, Parameters]
) -> tuple[str, dict[str, float | str | None]]:
    """Return the kind of agent that a name means and all its parameters, the default ones too.

    A name is `kind`, `kind:name=value:name=value`, or `kind:value` for the first parameter.

    Args:
        text: The name.
        known: The parameters of each kind, by name.

    Raises:
        SpecError: If the kind or a parameter is unknown, given twice or out of bounds.
    """
    kind, *words = text.split(":")
    if kind not in known:
        raise unknown_name("agent", kind, known)
    parameters = known[kind]
    given: dict[str, float | str | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and len(words) == 1 and parameters:
            name, value = next(iter(parameters)), word
        if name not in parameters:
            raise _unknown_parameter(kind, name, parameters)
        if name in given:
            raise SpecError(f"{name} of {kind} once", got="it twice", remedy="leave one out")
        given[name] = parameters[name].read(f"{name} of {kind}", value)
    return kind, {name: given.get(name, at.default) for name, at in parameters.items()}


def _unknown_parameter(kind: str, name: str, parameters: Parameters) -> SpecError:
    if not parameters:
        return SpecError(f"no parameter of {kind}", got=repr(name), remedy=kind)
    return unknown_name(f"parameter of {kind}", name, parameters)


def format_name(
    kind: str, values: Mapping[str, float | str | None], known: Mapping[str, Parameters]
) -> str:
    """Return the shortest name that `parse_name` reads back to the same values."""
    words = [
        f"{name}={value if isinstance(value, str) else f'{value:.12g}'}"
        for name, value in values.items()
        if value is not None and value != known[kind][name].default
    ]
    return ":".join((kind, *words))


_ROLLOUT = ParameterWord(choices=("auto", "greedy", "uniform"), default="auto")
_PLAYOUTS = Number(low=1, high=100_000, default=None, whole=True)
_KNOWN: Mapping[str, Mapping[str, Number | ParameterWord]] = {
    "uniform": {},
    "greedy": {},
    "threshold": {"points": Number(low=0.0, high=1000.0, default=3.0)},
    "expectimax": {
        "depth": Number(low=1, high=10, default=1, whole=True),
        "samples": Number(low=1, high=100_000, default=100, whole=True),
        "playouts": _PLAYOUTS,
        "rollout": _ROLLOUT,
    },
    "mcts": {
        "nodes": Number(low=1, high=10_000_000, default=None, whole=True),
        "time": Number(low=0.001, high=3600.0, default=None),
        "explore": Number(low=0.0, high=100.0, default=1.0),
        "playouts": _PLAYOUTS,
        "rollout": _ROLLOUT,
    },
    "hold": {"total": Number(low=1, high=10_000, default=20, whole=True)},
    "optimal": {},
    "best": {},
}
"""The parameters of each kind of agent; the first can be given without its name."""
_GREEDY: Mapping[str, Callable[[], Agent]] = {
    "piggles_classic": Greedy,
    "piggles_modern": Greedy,
    "lord_of_the_pigs": LordGreedy,
    "pig_pile": PileGreedy,
    "piggyback": PiggybackGreedy,
}
"""The agent greedy of each game that has one."""
_OF_SIX = frozenset({"greedy", "hold", "optimal", "best"})
"""What Piggy Six has of its own."""
_NODES = 400
"""Nodes of a search that is given neither nodes nor time."""


def agent_names() -> tuple[str, ...]:
    """Return the names of all kinds of agents, without parameters."""
    return tuple(_KNOWN)


def canonical_name(name: str) -> str:
    """Return the shortest name of the same agent.

    Raises:
        SpecError: As `make_agent`.
    """
    kind, values = parse_name(name, _KNOWN)
    return format_name(kind, values, _KNOWN)


def make_agent(
    name: str, *, game: Game[Any, Any] | None = None, chance: ChanceModel | None = None
) -> Agent:
    """Return the agent of that name.

    Args:
        name: A kind with its parameters, such as `greedy`, `threshold:4` or
            `mcts:nodes=400:explore=0.7`; in Piggy Six also `hold:20`, `optimal` and `best`.
        game: The rules, for an agent that thinks ahead.
        chance: What it believes of chance.

    Raises:
        SpecError: If the kind or a parameter is unknown, or an agent that thinks ahead is told
            neither the game nor of chance.
    """
    kind, values = parse_name(name, _KNOWN)
    shown = format_name(kind, values, _KNOWN)
    if kind == "uniform":
        return Uniform()
    if isinstance(game, PiggySix) and kind in _OF_SIX:
        return _of_six(kind, game, shown, values)
    if kind in _OF_SIX - {"greedy"}:
        raise SpecError(
            f"a game of piggy_six for the agent {kind}",
            got="none" if game is None else game.name,
            remedy="greedy",
        )
    if kind == "greedy":
        return _greedy(game)
    if kind == "threshold":
        if game is not None and game.name in _GREEDY and not isinstance(game, Piggles):
            raise SpecError("an agent of " + game.name, got=kind, remedy="greedy")
        return Greedy(threshold=_number(values["points"], 0.0), name=shown)
    if game is None or chance is None:
        raise SpecError(
            f"a game and a model of chance for the agent {kind}",
            got="none",
            remedy="make_agent(name, game=..., chance=...), or the agent greedy",
        )
    return _Thinking(game=game, chance=chance, name=shown, values=values).agent(kind)


def _greedy(game: Game[Any, Any] | None) -> Agent:
    """Return the agent greedy of a game; where it is not told, that of Piggles."""
    if isinstance(game, PiggySix):
        return _of_six("greedy", game, "greedy", {})
    return _GREEDY.get(game.name if game is not None else "", Greedy)()


def _of_six(
    kind: str, game: PiggySix, name: str, values: Mapping[str, float | str | None]
) -> Agent:
    """Return an agent of Piggy Six; `best` is the solution where there is one, when asked."""
    from pigglesim.agents.piggy_six import (  # noqa: PLC0415 (compiles)  # noqa: PLC0415 (compiles)
        Hold,
        Optimal,
        SixGreedy,
        why_unsolved,
    )

    match kind:
        case "hold":
            return Hold(name=name, total=int(_number(values["total"], 20)))
        case "optimal":
            solved = Optimal(rules=game.rules)
            solved.solve()
            return solved
        case "best" if why_unsolved(game.rules) is None:
            return Optimal(rules=game.rules, name=name)
        case _:
            return SixGreedy(name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thinking:
    """What agents that think ahead are made of."""

    game: Game[Any, Any]
    chance: ChanceModel
    name: str
    values: Mapping[str, float | str | None]

    def agent(self, kind: str) -> Agent:
        """Return an agent of that kind."""
        guide = self._guide()
        playouts = self._playouts(guide)
        values, batch = self.values, int(_number(self.values["playouts"], playouts.batch))
        if kind == "expectimax":
            from pigglesim.agents.expectimax import Expectimax  # noqa: PLC0415 (slow to import)

            return Expectimax(
                name=self.name,
                game=self.game,
                chance=self.chance,
                playouts=playouts,
                depth=int(_number(values["depth"], 1)),
                samples=int(_number(values["samples"], 1)),
                batch=batch,
            )
        from pigglesim.agents.mcts import TreeSearch  # noqa: PLC0415 (slow to import)

        nodes, seconds = values["nodes"], values["time"]
        if nodes is None and seconds is None:
            nodes = _NODES
        return TreeSearch(
            name=self.name,
            game=self.game,
            chance=self.chance,
            playouts=playouts,
            guide=None if isinstance(guide, Uniform) else guide,
            nodes=None if nodes is None else int(nodes),
            seconds=None if seconds is None else float(seconds),
            explore=_number(values["explore"], 0.0),
            batch=batch,
        )

    def _guide(self) -> Agent:
        """Return who decides in playouts: greedy where it knows the game, if not told otherwise."""
        wanted = self.values["rollout"]
        known = self.game.name in _GREEDY or isinstance(self.game, PiggySix)
        if wanted == "greedy" or (wanted == "auto" and known):
            return _greedy(self.game)
        return Uniform()

    def _playouts(self, guide: Agent) -> Playouts:
        """Return the fastest way to play on, ready: what is compiled is compiled here.

        A decision that had to compile first would be a slow one, and to stop it in the midst of
        that for its time limit would leave the compiler in pieces.
        """
        from pigglesim.agents.classic_playouts import classic_playouts  # noqa: PLC0415 (compiles)
        from pigglesim.agents.modern_playouts import modern_playouts  # noqa: PLC0415 (compiles)
        from pigglesim.agents.piggyback_playouts import (  # noqa: PLC0415 (compiles)
            piggyback_playouts,
        )

        knows = not isinstance(guide, Uniform)
        quick: Playouts | None = classic_playouts(
            self.game, self.chance, threshold=0.0 if knows else nan
        )
        if knows and quick is None:
            quick = modern_playouts(self.game, self.chance)
        if quick is None and isinstance(self.game, PigPile):
            from pigglesim.agents.pig_pile_playouts import PilePlayouts  # noqa: PLC0415 (compiles)

            quick = PilePlayouts(rules=self.game.rules, by_worth=knows)
        if quick is None:
            quick = piggyback_playouts(self.game, greedy=knows)
        if quick is None:
            return AgentPlayouts(game=self.game, chance=self.chance, agent=guide)
        quick.value(self.game.initial_state(), 1, rng=np.random.default_rng(0))
        return quick


def _number(value: float | str | None, default: float) -> float:
    return default if value is None else float(value)
