"""Random legal play of Piggyback under any house rules, and positions with the seats exchanged."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum

import numpy as np
from hypothesis import strategies as st

from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.house_rules import PiggybackRules
from pigglesim.games.piggyback.state import (
    OTHER,
    Ability,
    Move,
    PiggybackAction,
    PiggybackState,
    Respawn,
    Stack,
    Take,
    Warp,
    in_order,
)

CAPS = {"start_cap": (0, 2), "quiet_cap": (5, 120), "cap": (20, 300)}


def house_rules() -> st.SearchStrategy[PiggybackRules]:
    switches = {}
    for spec in fields(PiggybackRules):
        if isinstance(spec.default, StrEnum):
            switches[spec.name] = st.sampled_from(type(spec.default))
        elif isinstance(spec.default, bool):
            switches[spec.name] = st.booleans()
        else:
            switches[spec.name] = st.integers(*CAPS[spec.name])
    return st.builds(PiggybackRules, **switches)


games = st.builds(Piggyback, rules=house_rules())


@dataclass(frozen=True)
class Step:
    """A position, what was done in it and what followed."""

    before: PiggybackState
    move: PiggybackAction | DiceResult
    after: PiggybackState


def walk(game: Piggyback, seed: int) -> Iterator[Step]:
    """Play a random game in which nobody gives up; fights and abilities are sought."""
    rng = np.random.default_rng(seed)
    state = game.initial_state()
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            move = DiceResult(faces=(int(rng.integers(1, 7)),))
            after = game.apply_outcome(state, move)
        else:
            legal = [a for a in game.legal_actions(state) if not isinstance(a, Concede)]
            enemy = {space for space, _ in state.side(OTHER[state.active])}
            bold = [a for a in legal if isinstance(a, Move) and (a.take or a.target in enemy)]
            choices = bold if bold and rng.random() < 0.5 else legal
            move = choices[int(rng.integers(len(choices)))]
            after = game.apply_action(state, move)
        yield Step(state, move, after)
        state = after


def abilities(position: PiggybackState) -> list[Ability]:
    """Everything there is of each colour, wherever it is."""
    held = [of for _, stack in (*position.a, *position.b) for of in stack.held]
    loot = position.combat.loot if position.combat else ()
    lying = [of for _, of in position.pieces]
    return list(in_order([*held, *loot, *lying, *position.bank, *position.discarded]))


def turned(space: int) -> int:
    """The space on the other side of the centre of a board of eight rows."""
    return 63 - space


def turn_side(side: tuple[tuple[int, Stack], ...]) -> tuple[tuple[int, Stack], ...]:
    return tuple(sorted(((turned(at), stack) for at, stack in side), key=lambda entry: entry[0]))


def turn_position(position: PiggybackState) -> PiggybackState:
    """Give each player the other's units and turn the board by half a turn."""
    roam, combat, result = position.roam, position.combat, position.result
    winner = combat.winner if combat else None
    return replace(
        position,
        active=OTHER[position.active],
        a=turn_side(position.b),
        b=turn_side(position.a),
        pieces=tuple(sorted((turned(at), of) for at, of in position.pieces)),
        roam=roam and replace(roam, space=turned(roam.space)),
        combat=combat
        and replace(
            combat,
            source=turned(combat.source),
            target=turned(combat.target),
            winner=winner and OTHER[winner],
        ),
        result=result
        and Result(winner=result.winner and OTHER[result.winner], reason=result.reason),
    )


def turn_move(move: PiggybackAction | DiceResult) -> PiggybackAction | DiceResult:
    match move:
        case Move(source=source, target=target, take=take):
            return Move(turned(source), turned(target), take=take)
        case Warp(holder=holder, partner=partner):
            return Warp(turned(holder), turned(partner))
        case Take(space=space):
            return Take(turned(space))
        case Respawn(space=space):
            return Respawn(turned(space))
        case _:
            return move
