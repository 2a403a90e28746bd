"""Actions and observations of Piggles as numbers.

Actions have a fixed order, the same for both seats.

Piggles have numbers: 0 to 5 are the mover's own team A1 to A6 (or B1 to B6), 6 to 11 the other's.

| numbers | action |
|---|---|
| 0 to 63 | load: bit k of the number is Piggle k of the own team; 0 skips the roll |
| 64 to 2509 | Modern: loads with captured Piggles among them, by size and then by number |
| 2510 to 2653 | Modern: Piggle p acts on Piggle t, 2510 + 12 p + t |
| 2654 | Modern: done |
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Row, columns
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import Piggles, PigglesObservation
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    Markings,
    PigglesPhase,
    PigglesRules,
    PigglesState,
    in_order,
    team,
)
from pigglesim.landing import (
    BOARD_HALF,
    COMMON_CUP_HEIGHT,
    FIELD_LINES,
    FIELDS,
    MAX_HEADING,
    MAX_SWING,
    MIN_CUP_HEIGHT,
    CupHold,
    Landing,
    Orientation,
    Seat,
    Zone,
)
from pigglesim.markings import Colour, Rune
from pigglesim.scene.scene import Board

PIGGLES = 2 * PEN_SIZE
"""Number of Piggles of both teams."""
CLASSIC_COUNT = 1 << PEN_SIZE
"""Number of actions of Classic, the loads of the own team."""


@cache
def piggles_of(seat: Seat) -> tuple[str, ...]:
    """Return the ids of all Piggles in the order of their numbers for `seat`."""
    return (*team(seat), *team(seat.other))


def _actions_of(seat: Seat) -> tuple[Load | Act | Done, ...]:
    """Return every action of a seat in Modern; those of Classic come first."""
    ids = piggles_of(seat)
    return (
        *(
            Load(tuple(ids[k] for k in range(PEN_SIZE) if number >> k & 1))
            for number in range(CLASSIC_COUNT)
        ),
        *(
            Load(in_order(ids[k] for k in members))
            for size in range(1, PEN_SIZE + 1)
            for members in combinations(range(PIGGLES), size)
            if members[-1] >= PEN_SIZE
        ),
        *(Act(piggle, target) for piggle in ids for target in ids),
        Done(),
    )


@cache
def _action_list(seat: Seat, *, modern: bool) -> ActionList[Load | Act | Done]:
    actions = _actions_of(seat)
    return ActionList(actions if modern else actions[:CLASSIC_COUNT])


FULL_TALLY = 3 * PEN_SIZE
"""Points of six Piggles in fields in one Tally (R3), the unit of points."""
PLACE_UNIT = Board().half
"""Unit of positions [m]: half the side of the common board."""
PLACE_LIMIT = 2.0
"""Bound of positions [unit], which are clipped on larger boards."""
PHASES = (PigglesPhase.LOAD, PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.SUDDEN)
"""Phases that wait for a player or for chance."""
_FIELDS = ("field_near", "field_far", "field_left", "field_right")
_LINES = tuple(name.replace("field", "line") for name in _FIELDS)
_SHARED = {
    zone: zone.value.replace(":", "_").replace("/", "_")
    for zone in Zone
    if zone not in {*FIELDS, *FIELD_LINES.values(), Zone.OFF}
}


def _zones(points: str) -> dict[Zone, str]:
    """Return the column names of zones, given the letters of the fields in the order of columns."""
    fields = [Zone(f"field:{point}") for point in points]
    lines = [FIELD_LINES[field] for field in fields]
    return dict(zip((*fields, *lines), (*_FIELDS, *_LINES), strict=True)) | _SHARED


ZONE_COLUMNS = {Seat.A: _zones("SNWE"), Seat.B: _zones("NSEW")}
"""Column names of zones, for each seat."""
_PIGGLE = (
    *columns({"pen": "in a Pen", "cup": "in a cup", "board": "on the board"}),
    *columns({"mud": "in a Mud", "kitchen": "in a Kitchen"}),
    *columns({pose.value: f"lies {pose.label}" for pose in Orientation}),
    *columns({name: f"wholly in the {name.removeprefix('field_')} field" for name in _FIELDS}),
    *columns({name: f"on the line of the {name.removeprefix('line_')} field" for name in _LINES}),
    *columns({name: f"at {zone}" for zone, name in _SHARED.items()}),
    Column("leaning", "leans on another"),
    Column("stacked", "lies on others alone"),
    Column("placed", "physics measured its place"),
    Column("right", "right of the middle of the board [0.1651 m]", -PLACE_LIMIT, PLACE_LIMIT),
    Column("ahead", "ahead of the middle of the board [0.1651 m]", -PLACE_LIMIT, PLACE_LIMIT),
    Column("mud_rounds", "time in the Mud [rounds of the game]"),
    Column("mud_early", "went in before its owner's turn of that round"),
    Column("charged", "has cost its point in the Kitchen"),
    Column("late", "in the Kitchen since its player's last Tally"),
    Column("chosen", "will be rolled in Sudden Snout-Up"),
    Column("credit_own", "knocked over by me, and pays me at Resolve"),
    Column("credit_other", "knocked over by the other, and pays the other at Resolve"),
)
_MODERN = (
    Column("mine", "I control it"),
    Column("mud_demoted", "came into the Mud from the Kitchen"),
    Column("returned", "returned by Green, and still has its time in the Mud"),
    Column("shield_own", "I shield it"),
    Column("shield_other", "the other shields it"),
    Column("shield_fresh", "the turn of that shield goes on"),
    Column("shield_rolled", "the roll of that shield has begun"),
    Column("may_act", "may still act in this phase"),
    Column("acted", "has acted in this turn"),
    *columns({colour.value: f"wears {colour.label}" for colour in Colour}),
    *columns({f"rune_{rune.value}": f"bears {rune.label}" for rune in Rune}),
)


def _table_columns(rules: PigglesRules) -> tuple[Column, ...]:
    # A Piggle is knocked off at most once per roll, and returns at most once per effect.
    knocks = float(PIGGLES * (rules.reroll_cap + 3))
    max_points = rules.rounds * (3 * PIGGLES + 3 * knocks) / FULL_TALLY
    return (
        Column("round", "this round, from 1 [rounds of the game]"),
        Column("first", "I go first in this round"),
        Column("to_move", "I am the active player"),
        *columns({phase.value: f"waits in the phase {phase}" for phase in PHASES}),
        Column("over", "the game is over"),
        Column("score_own", "my points [18 points]", high=max_points),
        Column("score_other", "the other's points [18 points]", high=max_points),
        Column("mud_own", "Piggles I knocked into the Mud since my last Tally", high=knocks),
        Column("mud_other", "the same of the other", high=knocks),
        Column("kitchen_own", "Piggles I sent to the Kitchen since my last Tally", high=knocks),
        Column("kitchen_other", "the same of the other", high=knocks),
        Column("rerolls", "rerolls in this turn", high=max(1.0, rules.reroll_cap)),
    )


@dataclass(frozen=True, kw_only=True)
class PigglesEncoder(Encoder[Load | Act | Done]):
    """Encoder of one game of Piggles.

    `layout` describes every number. The headings of Piggles are left out, and so is the progress of
    Sudden Snout-Up, which has no decisions.
    """

    game: Piggles

    hold_bounds: ClassVar = (
        (-BOARD_HALF, 0.0, MIN_CUP_HEIGHT, -MAX_HEADING, 0.0),
        (BOARD_HALF, BOARD_HALF, COMMON_CUP_HEIGHT, MAX_HEADING, MAX_SWING),
    )
    """Least and greatest value of each field of `CupHold`, in order [m, m, m, rad, m/s]."""

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        rows = tuple(f"{side} {k}" for side in ("own", "other") for k in range(1, PEN_SIZE + 1))
        piggle = (*_PIGGLE, *_MODERN) if self.game.lineup else _PIGGLE
        return FeatureLayout(
            blocks=(
                Block(name="piggles", rows=rows, columns=piggle),
                Block(name="table", rows=("table",), columns=_table_columns(self.game.rules)),
            )
        )

    @property
    def full_score(self) -> int:
        """Points of six Piggles in fields in every round."""
        return FULL_TALLY * self.game.rules.rounds

    def rows(self, observation: PigglesObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the Piggles, by their numbers for `seat`, and of the table."""
        return _piggle_rows(observation, seat), (_table_row(observation, seat),)

    def actions(self, seat: Seat) -> ActionList[Load | Act | Done]:
        """Return all actions of `seat`."""
        return _action_list(seat, modern=bool(self.game.lineup))

    def held(self, action: Load | Act | Done, hold: Sequence[float]) -> Load | Act | Done:
        """Return a load with a hold; another action, or a load of nothing, as it is."""
        if not isinstance(action, Load) or not action.piggles:
            return action
        numbers = np.clip(np.asarray(hold, dtype=float), *self.hold_bounds).tolist()
        names = (part.name for part in fields(CupHold))
        return replace(action, hold=CupHold(**dict(zip(names, numbers, strict=True))))

    def action_number(self, action: Load | Act | Done, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0, for any position of the cup."""
        if isinstance(action, Load):
            action = Load(in_order(action.piggles))
        return super().action_number(action, seat)


def _piggle_rows(observation: PigglesObservation, seat: Seat) -> Iterable[Row]:
    state, rounds = observation.state, observation.rules.rounds
    rows: dict[str, dict[str, float]] = {piggle: {} for piggle in piggles_of(seat)}
    muds = (*state.a.mud, *state.b.mud, *state.returned)
    for entry in muds:
        rows[entry.piggle]["mud_rounds"] = (state.round - entry.round) / rounds
        rows[entry.piggle]["mud_early"] = entry.early
    for piggle, landing in state.board:
        rows[piggle] |= _landing_row(landing, seat)
    for shield in state.shields:
        rows[shield.piggle] |= {"shield_fresh": shield.fresh, "shield_rolled": shield.rolled}
    flags = _flags(state, seat)
    if observation.lineup:
        flags["mine"] = [piggle for piggle in rows if state.controller(piggle) is seat]
        flags["mud_demoted"] = [entry.piggle for entry in muds if entry.demoted]
        flags["returned"] = [entry.piggle for entry in state.returned]
        flags |= {"may_act": state.actors, "acted": state.acted}
    for name, piggles in flags.items():
        for piggle in piggles:
            rows[piggle][name] = 1.0
    for piggle, piece in observation.lineup:
        rows[piggle] |= marking_row(piece)
    return rows.values()


def marking_row(piece: Markings) -> dict[str, float]:
    """Return the numbers of a Piggle's markings."""
    # Names of no column, those of a Piggle without colour or rune, are left out.
    return {str(piece.colour): 1.0, f"rune_{piece.rune}": 1.0}


def _flags(state: PigglesState, seat: Seat) -> dict[str, Iterable[str]]:
    """Return the Piggles for which each flag is set, in Classic and Modern."""
    a, b, other = state.a, state.b, seat.other
    return {
        "pen": (*a.pen, *b.pen),
        "cup": (*a.cup, *b.cup),
        "mud": (*a.mud_piggles, *b.mud_piggles),
        "kitchen": (*a.kitchen, *b.kitchen),
        "charged": (*a.charged, *b.charged),
        "late": (*a.late, *b.late),
        "chosen": state.sudden.chosen,
        "credit_own": [piggle for piggle, payee in state.knock_credits if payee is seat],
        "credit_other": [piggle for piggle, payee in state.knock_credits if payee is other],
        "shield_own": [shield.piggle for shield in state.shields if shield.by is seat],
        "shield_other": [shield.piggle for shield in state.shields if shield.by is other],
    }


def _landing_row(landing: Landing, seat: Seat) -> dict[str, float]:
    row = {"board": 1.0, ZONE_COLUMNS[seat][landing.zone]: 1.0}
    row |= {"leaning": landing.leaning, "stacked": landing.stacked}
    if landing.orientation:
        row[landing.orientation] = 1.0
    if landing.place is not None:
        half_turn = 1.0 if seat is Seat.A else -1.0
        row["placed"] = 1.0
        row["right"], row["ahead"] = (
            min(max(half_turn * metres / PLACE_UNIT, -PLACE_LIMIT), PLACE_LIMIT)
            for metres in landing.place.position[:2]
        )
    return row


def _table_row(observation: PigglesObservation, seat: Seat) -> Row:
    state, rules = observation.state, observation.rules
    own, other = state.side(seat), state.side(seat.other)
    return {
        "round": state.round / rules.rounds,
        "first": rules.first_in(state.round) is seat,
        "to_move": state.active is seat,
        state.phase if state.result is None else "over": 1.0,
        "score_own": own.score / FULL_TALLY,
        "score_other": other.score / FULL_TALLY,
        "mud_own": own.mud_bonuses,
        "mud_other": other.mud_bonuses,
        "kitchen_own": own.kitchen_bonuses,
        "kitchen_other": other.kitchen_bonuses,
        "rerolls": state.rerolls,
    }
