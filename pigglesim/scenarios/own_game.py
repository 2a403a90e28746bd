"""Scenarios in the notation of their game."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.games.game import Game
from pigglesim.games.registry import make_game
from pigglesim.scenarios.reader import Events, Fields, GameScenarios, Mismatch, Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class _OwnScene:
    """Current state under the house rules of a scenario."""

    game: Game[Any, Any]
    state: Any


_EVENTS = Events[_OwnScene]()


def _start(scenario: Scenario) -> _OwnScene:
    setup = Fields("the setup", scenario.setup, ("state",))
    game = make_game(scenario.game, dict(scenario.config))
    state = game.parse_state(str(setup["state"])) if "state" in setup else game.initial_state()
    return _OwnScene(game=game, state=state)


@_EVENTS.event("action")
def _action(scene: _OwnScene, event: Fields) -> _OwnScene:
    action = scene.game.parse_action(str(event.need("action")))
    return replace(scene, state=scene.game.apply_action(scene.state, action))


@_EVENTS.event("outcome")
def _outcome(scene: _OwnScene, event: Fields) -> _OwnScene:
    outcome = scene.game.parse_outcome(scene.state, str(event.need("outcome")))
    return replace(scene, state=scene.game.apply_outcome(scene.state, outcome))


@_EVENTS.event("actions")
def _expect_legal(scene: _OwnScene, event: Fields) -> _OwnScene | Mismatch:
    legal = tuple(map(scene.game.format_action, scene.game.legal_actions(scene.state)))
    return event.differing(actions=legal) or scene


def _found(scene: _OwnScene) -> Mapping[str, object]:
    game, state = scene.game, scene.state
    result = game.result(state)
    return {
        "state": game.format_state(state),
        "turn": str(game.turn(state)),
        "scores": {str(seat): points for seat, points in game.scores(state).items()},
        "winner": None if result is None or result.winner is None else str(result.winner),
        "reason": None if result is None else str(result.reason),
    }


OWN = GameScenarios(_start, _EVENTS, _found)
"""Scenarios of any game."""
