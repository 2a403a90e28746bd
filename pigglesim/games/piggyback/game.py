"""Piggyback: the rules of play as one `Game` (seed R1-R9)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from pigglesim.chance_types import ChanceOutcome, DiceRequest, answering_dice
from pigglesim.errors import IllegalActionError
from pigglesim.games.base import BaseGame
from pigglesim.games.change import changed
from pigglesim.games.game import (
    JSON,
    Concede,
    Invariant,
    NonPlayer,
    Result,
    Turn,
    require_player,
)
from pigglesim.games.notation import ActionForms, Words
from pigglesim.games.piggyback.house_rules import PiggybackRules, Start
from pigglesim.games.piggyback.notation import forms, invariants, words
from pigglesim.games.piggyback.state import (
    BANKED,
    OTHER,
    TEAM,
    Ability,
    Keep,
    Layout,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackReason,
    PiggybackState,
    Respawn,
    Stack,
    Stand,
    Take,
    Warp,
    Word,
    read_layout,
)
from pigglesim.games.piggyback.turns import (
    after_combat,
    combat_actions,
    end_turn,
    keep,
    keeps,
    move,
    respawn,
    respawns,
    roll_again,
    rolled,
    stand,
    take,
    turn_actions,
    warp,
    warps,
)
from pigglesim.landing import BOARD_SEATS, Seat

_LAYOUT = "layout"
_CONCEDE = Concede()
_ROLLS = frozenset(
    {PiggybackPhase.OPENING, PiggybackPhase.ATTACK_ROLL, PiggybackPhase.DEFENCE_ROLL}
)
_MOVES = frozenset({PiggybackPhase.MOVE, PiggybackPhase.ROAM})
_RULES: Mapping[object, str] = {
    Warp: "R6, PB5",
    Take: "PB6",
    Stand: "R6",
    Keep: "R8",
    Respawn: "R8",
    Word.ROLL: "R4, R6",
    Word.PASS: "PB2",
}
"""Rule that forbids an illegal action, unless it is R2."""
_MOST_ROLLS = 5
"""Maximum rolls of a side in a combat: three units and two Lucks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackObservation:
    """Observation of a player: the whole state, because nothing in Piggyback is hidden."""

    seat: Seat
    state: PiggybackState
    rules: PiggybackRules
    layout: Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Piggyback(BaseGame[PiggybackState, PiggybackAction, DiceRequest]):
    """Piggyback under the house rules of one table, on one layout."""

    rules: PiggybackRules = field(default_factory=PiggybackRules)
    layout: Layout = field(default_factory=Layout)
    name: ClassVar[str] = "piggyback"
    _blank: ClassVar[PiggybackState] = PiggybackState()

    @property
    def _forms(self) -> ActionForms[PiggybackAction]:
        return forms(self.layout.size)

    @property
    def _words(self) -> Words:
        return words(self.layout.size)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "Piggyback":
        """Return the game that `settings` describes; missing settings are default.

        Args:
            settings: House rules by name; `layout` is `standard` or a table of spaces.

        Raises:
            SpecError: If a house rule is unknown, or the layout is invalid.
        """
        rules = {name: value for name, value in settings.items() if name != _LAYOUT}
        layout = read_layout(settings[_LAYOUT]) if _LAYOUT in settings else Layout()
        return cls(rules=PiggybackRules.from_mapping(rules), layout=layout)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Red, then blue."""
        return BOARD_SEATS

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes.

        Before the first turn there are two rolls for each attempt. A turn has at most four steps,
        with a word after the last one. A combat costs a unit, so there are fewer than units: each
        has a Warp, the rolls of both with a word after each, and what winner and loser choose.
        """
        combats = 2 * TEAM - 1
        return 2 * (self.rules.start_cap + 1) + 5 * self.rules.cap + combats * (4 * _MOST_ROLLS + 3)

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force and the layout, by name."""
        return {_LAYOUT: self.layout.setting(), **self.rules.to_mapping()}

    def initial_state(self) -> PiggybackState:
        """Return the state before the first turn, or before the roll for it (R1, R2)."""
        layout = self.layout
        sides = {
            seat: tuple((space, Stack()) for space in sorted(layout.army(seat)))
            for seat in BOARD_SEATS
        }
        rolls = self.rules.start is Start.ROLL
        return PiggybackState(
            phase=PiggybackPhase.OPENING if rolls else PiggybackPhase.MOVE,
            active=Seat.B if self.rules.start is Start.BLUE else Seat.A,
            a=sides[Seat.A],
            b=sides[Seat.B],
            pieces=tuple(layout.colours.items()),
            bank=tuple(ability for ability in Ability for _ in range(BANKED)),
        )

    def turn(self, state: PiggybackState) -> Turn:
        """Return the player to move, chance or the end."""
        match state.phase:
            case PiggybackPhase.MOVE | PiggybackPhase.ROAM | PiggybackPhase.ATTACK:
                return state.active
            case PiggybackPhase.OVER:
                return NonPlayer.OVER
            case PiggybackPhase.WARP | PiggybackPhase.DEFENCE:
                return OTHER[state.active]
            case PiggybackPhase.KEEP | PiggybackPhase.RESPAWN:
                won = state.fight.winner
                assert won is not None
                return won if state.phase is PiggybackPhase.KEEP else OTHER[won]
            case _:
                return NonPlayer.CHANCE

    def legal_actions(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        """Return the legal actions: moves by space and target, and conceding last."""
        if self.turn(state) is NonPlayer.OVER or state.phase in _ROLLS:
            return ()
        return (*self._choices(state), _CONCEDE)

    def _choices(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        match state.phase:
            case PiggybackPhase.WARP:
                return (*warps(state, OTHER[state.active], self.rules), Word.FIGHT)
            case PiggybackPhase.ATTACK | PiggybackPhase.DEFENCE:
                return combat_actions(state)
            case PiggybackPhase.KEEP:
                return keeps(state)
            case PiggybackPhase.RESPAWN:
                return (*respawns(state, self.layout), Word.LEAVE)
            case _:
                return turn_actions(state, self.layout.size, self.rules)

    def apply_action(self, state: PiggybackState, action: PiggybackAction) -> PiggybackState:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        turn = require_player(self.turn(state), action, self.format_action, rule="R2")
        if isinstance(action, Concede):
            result = Result(winner=OTHER[turn], reason=PiggybackReason.CONCESSION)
            left = state if state.combat is None else state.discarding(state.combat.loot)
            return changed(left, phase=PiggybackPhase.OVER, result=result, roam=None, combat=None)
        return self._applied(state, action, turn)

    def _applied(
        self, state: PiggybackState, action: PiggybackAction, turn: Seat
    ) -> PiggybackState:
        rules, layout = self.rules, self.layout
        # Checking one move takes less time than listing all of them.
        moves = isinstance(action, Move) and state.phase in _MOVES
        if not moves and action not in self._choices(state):
            raise self._refused(state, action)
        match action:
            case Move():
                return move(state, action, layout.size, rules)
            case Warp():
                return warp(state, action, turn, rules)
            case Take(space=space):
                return take(state, space, rules)
            case Stand():
                return stand(state, action, layout, rules)
            case Keep():
                return keep(state, action, layout, rules)
            case Respawn():
                return respawn(state, action, layout, rules)
            case Word.ROLL:
                return roll_again(state)
            case Word.LEAVE:
                return after_combat(state, rules)
            case Word.FIGHT:
                return changed(state, phase=PiggybackPhase.ATTACK_ROLL)
            case _:
                return end_turn(state, rules)

    def _refused(self, state: PiggybackState, action: PiggybackAction) -> IllegalActionError:
        legal = [self.format_action(each) for each in self._choices(state)]
        rule = _RULES.get(action) if isinstance(action, Word) else _RULES.get(type(action))
        return IllegalActionError(
            repr(self.format_action(action)),
            expected=f"one of the legal actions of the phase {state.phase}",
            fix=", ".join(legal[:4]) + (", ..." if len(legal) > 4 else ""),
            rule=rule or "R2",
        )

    def _request(self, state: PiggybackState) -> DiceRequest:
        """Return the request of one die, for the start or a combat (R2, R7)."""
        match state.phase:
            case PiggybackPhase.OPENING:
                thrower = Seat.B if state.opening else Seat.A
            case PiggybackPhase.DEFENCE_ROLL:
                thrower = OTHER[state.active]
            case _:
                thrower = state.active
        return DiceRequest(thrower=thrower, count=1)

    def apply_outcome(self, state: PiggybackState, outcome: ChanceOutcome) -> PiggybackState:
        """Return the state after the die has been rolled.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        (face,) = answering_dice(outcome, self.chance_request(state)).faces
        if state.phase is PiggybackPhase.OPENING:
            return self._opened(state, face)
        return rolled(state, face, self.layout, self.rules)

    def _opened(self, state: PiggybackState, face: int) -> PiggybackState:
        """Return the state after a roll for the start: equal ones are rolled again (PB11)."""
        if not state.opening:
            return changed(state, opening=face)
        if face == state.opening and state.ties < self.rules.start_cap:
            return changed(state, opening=0, ties=state.ties + 1)
        first = Seat.B if face > state.opening else Seat.A
        return changed(state, phase=PiggybackPhase.MOVE, active=first, opening=0, ties=0)

    def observe(self, state: PiggybackState, seat: Seat) -> PiggybackObservation:
        """Return the observation of the player at `seat`."""
        return PiggybackObservation(seat=seat, state=state, rules=self.rules, layout=self.layout)

    def scores(self, state: PiggybackState) -> Mapping[Seat, int]:
        """Return the number of units left of each player."""
        return {seat: state.units(seat) for seat in BOARD_SEATS}

    def _invariants(self, state: PiggybackState) -> Iterator[Invariant]:
        return invariants(state, self.layout.size, self.rules)
