"""Every agent by its name, with its parameters: `mcts:nodes=400:explore=0.7`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pigglesim.agents.agent import Agent, Uniform
from pigglesim.agents.greedy import Greedy
from pigglesim.agents.lord_greedy import LordGreedy
from pigglesim.agents.pig_pile_greedy import PileGreedy
from pigglesim.agents.piggyback_greedy import PiggybackGreedy
from pigglesim.agents.playouts import AgentPlayouts, ChanceModel, Playouts
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Game

Values = Mapping[str, float | str | None]
"""Parameters by name."""


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
_NODES = 400
"""Nodes of a search that is given neither nodes nor time."""


def parse_name(text: str) -> tuple[str, Values]:
    """Return the kind of agent that a name means and all its parameters, the default ones too.

    A name is `kind`, `kind:name=value:name=value`, or `kind:value` for the first parameter.

    Raises:
        SpecError: If the kind or a parameter is unknown, given twice or out of bounds.
    """
    kind, *words = text.split(":")
    if kind not in _KNOWN:
        raise unknown_name("agent", kind, _KNOWN)
    parameters = _KNOWN[kind]
    given: dict[str, float | str | None] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and len(words) == 1 and parameters:
            name, value = next(iter(parameters)), word
        if not parameters:
            raise SpecError(f"no parameter of {kind}", got=repr(name), remedy=kind)
        if name not in parameters:
            raise unknown_name(f"parameter of {kind}", name, parameters)
        if name in given:
            raise SpecError(f"{name} of {kind} once", got="it twice", remedy="leave one out")
        given[name] = parameters[name].read(f"{name} of {kind}", value)
    return kind, {name: given.get(name, at.default) for name, at in parameters.items()}


def _format_name(kind: str, values: Values) -> str:
    """Return the shortest name that `parse_name` reads back to the same values."""
    words = [
        f"{name}={value if isinstance(value, str) else f'{value:.12g}'}"
        for name, value in values.items()
        if value is not None and value != _KNOWN[kind][name].default
    ]
    return ":".join((kind, *words))


def agent_names() -> tuple[str, ...]:
    """Return the names of all kinds of agents, without parameters."""
    return tuple(_KNOWN)


def canonical_name(name: str) -> str:
    """Return the shortest name of the same agent.

    Raises:
        SpecError: As `make_agent`.
    """
    return _format_name(*parse_name(name))


def make_agent(
    name: str, *, game: Game[Any, Any] | None = None, chance: ChanceModel | None = None
) -> Agent:
    """Return the agent of that name.

    Args:
        name: A kind with its parameters, such as `greedy`, `threshold:4` or
            `mcts:nodes=400:explore=0.7`; in Piggy Six also `hold:20`, `optimal` and `best`.
        game: The rules, for an agent that thinks ahead.
        chance: The agent's belief about chance.

    Raises:
        SpecError: If the kind or a parameter is unknown, or an agent that thinks ahead lacks the
            game or chance.
    """
    kind, values = parse_name(name)
    shown = _format_name(kind, values)
    if kind == "uniform":
        return Uniform()
    if kind == "greedy":
        return _greedy(game)
    if kind in _OF_SIX:
        if game is None or game.name != "piggy_six":
            raise SpecError(
                f"a game of piggy_six for the agent {kind}",
                got="none" if game is None else game.name,
                remedy="greedy",
            )
        return _OF_SIX[kind](game, shown, values)
    if kind == "threshold":
        if game is not None and _GREEDY.get(game.name, Greedy) is not Greedy:
            raise SpecError("an agent of " + game.name, got=kind, remedy="greedy")
        return Greedy(threshold=_number(values["points"], 0.0), name=shown)
    if game is None or chance is None:
        raise SpecError(
            f"a game and a model of chance for the agent {kind}",
            got="none",
            remedy="make_agent(name, game=..., chance=...), or the agent greedy",
        )
    return _searching(kind, game, chance, shown, values)


def _greedy(game: Game[Any, Any] | None) -> Agent:
    """Return the agent greedy of a game; without a game that of Piggles."""
    return _GREEDY.get(game.name if game is not None else "", Greedy)()


def _six_greedy() -> Agent:
    from pigglesim.agents.piggy_six import SixGreedy  # noqa: PLC0415 (compiles)

    return SixGreedy()


def _hold(game: Any, name: str, values: Values) -> Agent:  # noqa: ANN401 (PiggySix)
    from pigglesim.agents.piggy_six import Hold  # noqa: PLC0415 (compiles)

    del game
    return Hold(name=name, total=int(_number(values["total"], 20)))


def _optimal(game: Any, name: str, values: Values) -> Agent:  # noqa: ANN401 (PiggySix)
    from pigglesim.agents.piggy_six import Optimal  # noqa: PLC0415 (compiles)

    del name, values
    solved = Optimal(rules=game.rules)
    solved.solve()
    return solved


def _best(game: Any, name: str, values: Values) -> Agent:  # noqa: ANN401 (PiggySix)
    """Return the solution where there is one, solved when first asked; else greedy."""
    from pigglesim.agents.piggy_six import (  # noqa: PLC0415 (compiles)
        Optimal,
        SixGreedy,
        why_unsolved,
    )

    del values
    if why_unsolved(game.rules) is None:
        return Optimal(rules=game.rules, name=name)
    return SixGreedy(name=name)


_GREEDY: Mapping[str, Callable[[], Agent]] = {
    "piggles_classic": Greedy,
    "piggles_modern": Greedy,
    "lord_of_the_pigs": LordGreedy,
    "pig_pile": PileGreedy,
    "piggyback": PiggybackGreedy,
    "piggy_six": _six_greedy,
}
"""The agent greedy of each game that has one."""
_OF_SIX: Mapping[str, Callable[[Any, str, Values], Agent]] = {
    "hold": _hold,
    "optimal": _optimal,
    "best": _best,
}
"""Agents of Piggy Six alone."""


def _searching(
    kind: str, game: Game[Any, Any], chance: ChanceModel, name: str, values: Values
) -> Agent:
    """Return an agent that thinks ahead; greedy is its guide where it knows the game."""
    from pigglesim.agents.search import Expectimax, TreeSearch  # noqa: PLC0415 (slow to import)

    rollout = values["rollout"]
    guided = rollout == "greedy" or (rollout == "auto" and game.name in _GREEDY)
    guide = _greedy(game) if guided else Uniform()
    playouts = _compiled_playouts(game, chance, guided=guided)
    if playouts is None:
        playouts = AgentPlayouts(game=game, chance=chance, agent=guide)
    batch = int(_number(values["playouts"], playouts.batch))
    if kind == "expectimax":
        return Expectimax(
            name=name,
            game=game,
            chance=chance,
            playouts=playouts,
            depth=int(_number(values["depth"], 1)),
            samples=int(_number(values["samples"], 1)),
            batch=batch,
        )
    nodes, seconds = values["nodes"], values["time"]
    if nodes is None and seconds is None:
        nodes = _NODES
    return TreeSearch(
        name=name,
        game=game,
        chance=chance,
        playouts=playouts,
        guide=guide if guided else None,
        nodes=None if nodes is None else int(nodes),
        seconds=None if seconds is None else float(seconds),
        explore=_number(values["explore"], 0.0),
        batch=batch,
    )


def _compiled_playouts(
    game: Game[Any, Any], chance: ChanceModel, *, guided: bool
) -> Playouts | None:
    """Return compiled playouts, ready; None where there are none under these rules.

    They are compiled here: a decision that had to compile first would be a slow one, and to stop
    it in the midst of that for its time limit would leave the compiler in pieces.
    """
    if game.name not in _COMPILED:
        return None
    playouts = _COMPILED[game.name](game, chance, guided=guided)
    if playouts is not None:
        playouts.value(game.initial_state(), 1, rng=np.random.default_rng(0))
    return playouts


def _of_piggles(game: Any, chance: ChanceModel, *, guided: bool) -> Playouts | None:  # noqa: ANN401
    from pigglesim.agents.piggles_playouts import piggles_playouts  # noqa: PLC0415 (compiles)

    return piggles_playouts(game, chance, guided=guided)


def _of_pig_pile(game: Any, chance: ChanceModel, *, guided: bool) -> Playouts:  # noqa: ANN401
    from pigglesim.agents.pig_pile_playouts import PilePlayouts  # noqa: PLC0415 (compiles)

    del chance
    return PilePlayouts(rules=game.rules, by_worth=guided)


def _of_piggyback(game: Any, chance: ChanceModel, *, guided: bool) -> Playouts | None:  # noqa: ANN401
    from pigglesim.agents.piggyback_playouts import piggyback_playouts  # noqa: PLC0415 (compiles)

    del chance
    return piggyback_playouts(game, greedy=guided)


_COMPILED: Mapping[str, Callable[..., Playouts | None]] = {
    "piggles_classic": _of_piggles,
    "piggles_modern": _of_piggles,
    "pig_pile": _of_pig_pile,
    "piggyback": _of_piggyback,
}
"""Compiled playouts of each game that has any."""


def _number(value: float | str | None, default: float) -> float:
    return default if value is None else float(value)
