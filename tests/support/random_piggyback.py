"""States of Piggyback with the seats exchanged."""

from dataclasses import replace

from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Result
from pigglesim.games.piggyback.state import (
    OTHER,
    Move,
    PiggybackAction,
    PiggybackState,
    Respawn,
    Stack,
    Take,
    Warp,
)


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
