"""What each number of an observation of Piggles tells.

Everything is seen from the player's own side: the own team comes first, fields go by where they
lie from there, and places turn with the board. The same position seen from the other seat is the
same numbers.
"""

from pigglesim.adapters.layout import Block, Column, Layout
from pigglesim.adapters.piggles_actions import PIGGLES
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.rulebook import Piggles
from pigglesim.games.piggles.state import PEN_SIZE
from pigglesim.markings import Colour, Rune
from pigglesim.rolls import Orientation, Seat, Zone
from pigglesim.scene.board import Board

__all__ = ["FULL_TALLY", "PHASES", "PLACE_LIMIT", "PLACE_UNIT", "ZONES", "piggles_layout"]

FULL_TALLY = 3 * PEN_SIZE
"""What six Piggles in fields pay in one Tally (R3): the unit of points."""
PLACE_UNIT = Board().half
"""Half the side of the common board [m]: the unit of places."""
PLACE_LIMIT = 2.0
"""Places farther out, on larger boards, are told as this far."""
PHASES = (Phase.LOAD, Phase.ROLL, Phase.ACTION_REACTION, Phase.SUDDEN)
"""The phases that wait for a player or for chance."""

_SHARED = (
    Zone.PATH_INNER,
    Zone.PATH_OUTER,
    Zone.WOODS,
    Zone.LINE_FIELD_PATH,
    Zone.LINE_PATH_WOODS,
)
ZONES = {
    Seat.A: (Zone.FIELD_SOUTH, Zone.FIELD_NORTH, Zone.FIELD_WEST, Zone.FIELD_EAST, *_SHARED),
    Seat.B: (Zone.FIELD_NORTH, Zone.FIELD_SOUTH, Zone.FIELD_EAST, Zone.FIELD_WEST, *_SHARED),
}
"""Zones in the order of their columns, for each seat."""

_FIELDS = ("near", "far", "left", "right")


def _flags(pairs: dict[str, str]) -> tuple[Column, ...]:
    return tuple(Column(name=name, meaning=meaning) for name, meaning in pairs.items())


def _piggle_columns() -> tuple[Column, ...]:
    zones = {f"field_{side}": f"wholly in the {side} field" for side in _FIELDS}
    zones |= {zone.value.replace(":", "_").replace("/", "_"): f"at {zone}" for zone in _SHARED}
    limit = PLACE_LIMIT
    return (
        *_flags(
            {
                "pen": "in a Pen",
                "cup": "in a cup",
                "board": "on the board",
                "mud": "in a Mud",
                "kitchen": "in a Kitchen",
            }
        ),
        *_flags({pose.value: f"lies {pose.label}" for pose in Orientation}),
        *_flags(zones),
        *_flags({"leaning": "leans on another", "stacked": "lies on others alone"}),
        *_flags({"placed": "physics tells its place"}),
        Column(
            name="right",
            meaning="right of the middle of the board [0.1651 m]",
            low=-limit,
            high=limit,
        ),
        Column(
            name="ahead",
            meaning="ahead of the middle of the board [0.1651 m]",
            low=-limit,
            high=limit,
        ),
        Column(name="mud_rounds", meaning="how long it has been there [rounds of the game]"),
        *_flags(
            {
                "mud_early": "went in before its owner's turn of that round",
                "charged": "has cost its point in the Kitchen",
                "late": "in the Kitchen since its player's last Tally",
                "credit_own": "on its head, and pays me if it goes to the Kitchen",
                "credit_other": "on its head, and pays the other if it goes to the Kitchen",
            }
        ),
    )


def _modern_columns() -> tuple[Column, ...]:
    return _flags(
        {
            "mine": "I control it",
            "shield_own": "I shield it",
            "shield_other": "the other shields it",
            "shield_fresh": "the turn of that shield goes on",
            "shield_rolled": "the roll of that shield has begun",
            "may_act": "may still act in this phase",
            "acted": "has acted in this turn",
            **{colour.value: f"wears {colour.label}" for colour in Colour},
            **{f"rune_{rune.value}": f"bears {rune.label}" for rune in Rune},
        }
    )


def _table_columns(game: Piggles) -> tuple[Column, ...]:
    rules = game.rules
    # A Piggle is knocked off at most once a roll, and comes back at most once an effect.
    knocks = float(PIGGLES * (rules.reroll_cap + 3))
    most = rules.rounds * (3 * PIGGLES + 3 * knocks) / FULL_TALLY
    return (
        Column(name="round", meaning="this round, from 1 [rounds of the game]"),
        *_flags({"first": "I go first in this round", "to_move": "I am the active player"}),
        *_flags({phase.value: f"waits in the phase {phase}" for phase in PHASES}),
        *_flags({"over": "the game is over"}),
        Column(name="score_own", meaning="my points [18 points]", high=most),
        Column(name="score_other", meaning="the other's points [18 points]", high=most),
        Column(
            name="mud_own",
            meaning="Piggles I knocked into the Mud since my last Tally",
            high=knocks,
        ),
        Column(name="mud_other", meaning="the same of the other", high=knocks),
        Column(
            name="kitchen_own",
            meaning="Piggles I sent to the Kitchen since my last Tally",
            high=knocks,
        ),
        Column(name="kitchen_other", meaning="the same of the other", high=knocks),
        Column(name="rerolls", meaning="rerolls in this turn", high=max(1.0, rules.reroll_cap)),
    )


def piggles_layout(game: Piggles) -> Layout:
    """Return what stands where in an observation of a game of Piggles."""
    rows = tuple(f"{side} {k}" for side in ("own", "other") for k in range(1, PEN_SIZE + 1))
    modern = _modern_columns() if game.lineup else ()
    return Layout(
        blocks=(
            Block(name="piggles", rows=rows, columns=(*_piggle_columns(), *modern)),
            Block(name="table", rows=("table",), columns=_table_columns(game)),
        )
    )
