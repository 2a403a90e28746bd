"""Piggles as a `Game`: what both rule books have in common, Classic, and Modern (R1-R24)."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from pigglesim.chance_types import ChanceOutcome, answering_roll
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import (
    JSON,
    Concede,
    NonPlayer,
    Result,
    Turn,
    Violation,
    require_chance,
    require_player,
)
from pigglesim.games.piggles.areas import Load, load, loads
from pigglesim.games.piggles.effects import (
    EffectOptions,
    acts,
    begin,
    capture,
    carry_out,
    declare,
    effect_request,
    shields_after_roll,
    shields_after_turn,
)
from pigglesim.games.piggles.house_rules import ModernRules, PigglesRules
from pigglesim.games.piggles.notation import (
    check_waiting,
    format_action,
    format_roll,
    format_state,
    parse_action,
    parse_roll,
    parse_state,
    violations,
)
from pigglesim.games.piggles.state import (
    NEUTRAL,
    PEN_SIZE,
    Act,
    Done,
    Lineup,
    Piece,
    PigglesPhase,
    PigglesSide,
    PigglesState,
    format_piece,
    in_order,
    lineup,
    parse_piece,
    team,
)
from pigglesim.games.piggles.turns import (
    Step,
    after_load,
    after_roll,
    after_sudden,
    check_outcome,
    concede,
    end_turn,
    land,
    roll_request,
    start_turn,
    sudden_request,
)
from pigglesim.landing import BOARD_SEATS, RollRequest, RollResult, Seat

PigglesAction = Load | Act | Done | Concede
"""What a player can do: load Piggles, none of which is a skip; in Modern act or be done with
acting; or give up."""
_ACTIONS = {Load, Act, Done, Concede}


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesObservation:
    """What a player sees: everything, for nothing in Piggles is hidden."""

    seat: Seat
    state: PigglesState
    rules: PigglesRules
    lineup: Lineup = ()
    """The markings of the Piggles; none in Classic."""


class Piggles(ABC):
    """One of the two rule books under the house rules of one table."""

    __slots__ = ()

    @property
    @abstractmethod
    def rules(self) -> PigglesRules:
        """The house rules in force."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name under which the registry knows this game."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The two sides of the board."""
        return BOARD_SEATS

    @property
    @abstractmethod
    def max_length(self) -> int:
        """The most actions and outcomes together that a game can take."""

    @property
    def lineup(self) -> Lineup:
        """The markings of the Piggles; none in Classic."""
        return ()

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force, every one of them, by name."""
        return self.rules.to_mapping()

    def initial_state(self) -> PigglesState:
        """Return the state before the first turn: six Piggles in each Pen (R1)."""
        state = PigglesState(a=PigglesSide(pen=team(Seat.A)), b=PigglesSide(pen=team(Seat.B)))
        return start_turn(state, self.rules.first_in(1), 1, self.rules)

    @abstractmethod
    def turn(self, state: PigglesState) -> Turn:
        """Return whose turn it is."""

    @abstractmethod
    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return what the player to move may do, in a fixed order; last to concede (R18)."""

    def distinct(self, actions: Sequence[PigglesAction]) -> list[PigglesAction]:
        """Return the first action of each kind: loads of the same markings are alike."""
        worn, kinds = dict(self.lineup), dict[object, PigglesAction]()
        for action in actions:
            key: object = action
            if isinstance(action, Load):
                # Counted, not listed: in any order they are the same load.
                key = frozenset(Counter(worn.get(each, NEUTRAL) for each in action.piggles).items())
            kinds.setdefault(key, action)
        return list(kinds.values())

    def apply_action(self, state: PigglesState, action: PigglesAction) -> PigglesState:
        """Return the state after a decision of the player to move.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        return self.action_steps(state, action)[-1].state

    def action_steps(self, state: PigglesState, action: PigglesAction) -> list[Step]:
        """Return every phase that follows from an action, for those who draw the board.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        turn = require_player(self.turn(state), action, format_action, rule="R5")
        if type(action) not in _ACTIONS:
            raise IllegalActionError(
                "an action of Piggles", got=repr(action), remedy="legal_actions(state)", rule="R5"
            )
        if isinstance(action, Concede):
            return [Step(phase=state.phase, seat=turn, state=concede(state, turn))]
        return self._play(state, action)

    @abstractmethod
    def _play(self, state: PigglesState, action: Load | Act | Done) -> list[Step]:
        """Return the steps after an action on its player's turn."""

    def chance_request(self, state: PigglesState) -> RollRequest:
        """Return what is due: a roll, an effect, a roll of Sudden Snout-Up (R9, R16, R20).

        Raises:
            SpecError: If it is not chance's turn.
        """
        self._expect_chance(state)
        return self._request(state)

    def _request(self, state: PigglesState) -> RollRequest:
        if state.phase is PigglesPhase.SUDDEN:
            return sudden_request(state, self.rules)
        return roll_request(state, self.rules)

    def apply_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> PigglesState:
        """Return the state after chance has answered, with all that follows from it.

        Raises:
            SpecError: If it is not chance's turn, or the outcome does not answer the request.
        """
        return self.outcome_steps(state, outcome)[-1].state

    def outcome_steps(self, state: PigglesState, outcome: ChanceOutcome) -> list[Step]:
        """Return every phase that follows from an outcome, for those who draw the board."""
        self._expect_chance(state)
        return self._land(state, answering_roll(outcome))

    @abstractmethod
    def _land(self, state: PigglesState, outcome: RollResult) -> list[Step]:
        """Return the steps after an outcome on chance's turn."""

    def _expect_chance(self, state: PigglesState) -> None:
        require_chance(self.turn(state))
        # A step on the way to another state can be read and drawn, but not rolled from.
        check_waiting(state, self.rules)

    def observe(self, state: PigglesState, seat: Seat) -> PigglesObservation:
        """Return what the player at `seat` sees."""
        return PigglesObservation(seat=seat, state=state, rules=self.rules, lineup=self.lineup)

    def result(self, state: PigglesState) -> Result | None:
        """Return how the game ended, or None while play goes on."""
        return state.result

    def scores(self, state: PigglesState) -> Mapping[Seat, int]:
        """Return the points of each player."""
        return {seat: state.side(seat).score for seat in BOARD_SEATS}

    def round_of(self, state: PigglesState) -> int:
        """Return the number of the round, from 1."""
        return state.round

    def validate(self, state: PigglesState) -> tuple[Violation, ...]:
        """Return everything that no state of this game can be, each with its rule."""
        return violations(state, self.rules)

    def format_action(self, action: PigglesAction) -> str:
        """Return an action as text."""
        return format_action(action)

    def parse_action(self, text: str) -> PigglesAction:
        """Return the action that a text names."""
        return parse_action(text)

    def format_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> str:
        """Return a roll as one line of text; Piggles that lie as they lay are left out."""
        return format_roll(answering_roll(outcome), self.chance_request(state))

    def parse_outcome(self, state: PigglesState, text: str) -> RollResult:
        """Return the roll that `format_outcome` wrote for this state."""
        return parse_roll(text, self.chance_request(state))

    def format_state(self, state: PigglesState) -> str:
        """Return a state as one line of text."""
        return format_state(state)

    def parse_state(self, text: str) -> PigglesState:
        """Return the state that `format_state` wrote."""
        return parse_state(text)


def is_piggles(game: object) -> TypeGuard[Piggles]:
    """Return whether a game is Piggles, Classic or Modern, which is played on a board."""
    return isinstance(game, Piggles)


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesClassic(Piggles):
    """Piggles Classic under the house rules of one table."""

    rules: PigglesRules = field(default_factory=PigglesRules)

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""
        return "piggles_classic"

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together: each turn a load, a roll and its rerolls."""
        turns = 2 * self.rules.rounds
        # Every two sudden rolls that count, or one that does not, cost a reroll or end the game.
        return turns * (2 + self.rules.reroll_cap) + 2 * (self.rules.sudden_cap + 1)

    def turn(self, state: PigglesState) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        return state.active if state.phase is PigglesPhase.LOAD else NonPlayer.CHANCE

    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return every load, fewest Piggles first, and last to concede (R8, R18)."""
        turn = self.turn(state)
        return (*loads(state, turn), Concede()) if isinstance(turn, Seat) else ()

    def _play(self, state: PigglesState, action: Load | Act | Done) -> list[Step]:
        if not isinstance(action, Load):
            raise IllegalActionError(
                "a load, for Classic knows no effects",
                got=self.format_action(action),
                remedy="load A1 A3, skip or concede",
                rule="R6",
            )
        return after_load(state, action, self.rules)

    def _land(self, state: PigglesState, outcome: RollResult) -> list[Step]:
        return after_roll(state, outcome, self.rules)


_TEAM_KEYS = {Seat.A: "team_a", Seat.B: "team_b"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesModern(Piggles):
    """Piggles Modern under the house rules of one table, played with two teams."""

    table: EffectOptions = field(
        default_factory=lambda: EffectOptions(rules=ModernRules(), lineup=lineup({}))
    )

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "PigglesModern":
        """Return the game that `settings` describes; what is left out is default.

        Args:
            settings: House rules by name; `team_a` and `team_b` list the markings of six Piggles
                each, such as `"blue+left"`.

        Raises:
            SpecError: If a house rule, a colour or a rune is unknown, or a team is not of six.
        """
        rules = {name: value for name, value in settings.items() if name not in _TEAM_KEYS.values()}
        teams = {
            seat: _read_team(key, settings[key])
            for seat, key in _TEAM_KEYS.items()
            if key in settings
        }
        return cls(table=EffectOptions(rules=ModernRules.from_mapping(rules), lineup=lineup(teams)))

    @property
    def rules(self) -> ModernRules:
        """The house rules."""
        return self.table.rules

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""
        return "piggles_modern"

    @property
    def lineup(self) -> Lineup:
        """The markings of the Piggles."""
        return self.table.lineup

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together.

        Each turn has a load, a roll, all rerolls together, and of every Piggle at most one effect
        with an answer of chance; then the player is done.
        """
        turns = 2 * self.rules.rounds
        effects = 2 * len(BOARD_SEATS) * PEN_SIZE + 1
        return turns * (2 + self.rules.reroll_cap + effects) + 2 * (self.rules.sudden_cap + 1)

    def settings(self) -> Mapping[str, JSON]:
        """Return the house rules in force and both teams, by name."""
        teams: dict[str, JSON] = {
            key: [format_piece(self.table.piece(piggle)) for piggle in team(seat)]
            for seat, key in _TEAM_KEYS.items()
        }
        return {**self.rules.to_mapping(), **teams}

    def turn(self, state: PigglesState) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        if state.phase is PigglesPhase.LOAD:
            return state.active
        acting = state.phase is PigglesPhase.ACTION_REACTION and state.pending is None
        return state.active if acting else NonPlayer.CHANCE

    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return every load or every effect with its target, and last to concede.

        Loads go by size and then by id, effects by Piggle and then by target; to be done follows
        them unless `effects_mandatory` (M2).
        """
        turn = self.turn(state)
        if not isinstance(turn, Seat):
            return ()
        if state.phase is PigglesPhase.LOAD:
            return (*loads(state, turn), Concede())
        done = () if self.rules.effects_mandatory else (Done(),)
        return (*acts(state, self.table), *done, Concede())

    def _play(self, state: PigglesState, action: Load | Act | Done) -> list[Step]:
        acting = state.phase is PigglesPhase.ACTION_REACTION
        if acting is isinstance(action, Load):
            raise IllegalActionError(
                "an effect, or to be done" if acting else "a load",
                got=self.format_action(action),
                remedy="act A1 B2 or done" if acting else "load A1 A3 or skip",
                rule="R20" if acting else "R19",
            )
        match action:
            case Load():
                return _after_modern_load(state, action, self.table)
            case Done():
                return self._done(state)
            case Act():
                return self._act(state, action)

    def _done(self, state: PigglesState) -> list[Step]:
        if self.rules.effects_mandatory:
            raise IllegalActionError(
                "every Piggle that has a target to act",
                got="done",
                remedy="act as the legal actions list",
                rule="M2",
            )
        return after_done(state, self.table)

    def _act(self, state: PigglesState, act: Act) -> list[Step]:
        legal = acts(state, self.table)
        if act not in legal:
            own = [each.target for each in legal if each.piggle == act.piggle]
            reason = "M1" if act.piggle not in state.actors else "M7"
            raise IllegalActionError(
                f"{act.piggle} to act on {' or '.join(own)}"
                if own
                else f"a Piggle that may act, one of {' '.join(sorted({a.piggle for a in legal}))}",
                got=self.format_action(act),
                remedy="take one of the legal actions",
                rule=reason,
            )
        return after_act(state, act, self.table)

    def _request(self, state: PigglesState) -> RollRequest:
        if state.pending is not None:
            return effect_request(state, self.table)
        return Piggles._request(self, state)

    def _land(self, state: PigglesState, outcome: RollResult) -> list[Step]:
        return after_outcome(state, outcome, self.table)


def _read_team(key: str, value: object) -> tuple[Piece, ...]:
    """Return the markings that a list of texts names."""
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise SpecError(
            f"a list of markings for {key}", got=repr(value), remedy='["blue+left", "red", ...]'
        )
    return tuple(parse_piece(text) for text in value)


def _after_modern_load(state: PigglesState, action: Load, table: EffectOptions) -> list[Step]:
    """Return the steps after the active player's load; nothing loaded skips the roll (R9)."""
    seat = state.active
    loaded = load(state, seat, action)
    if action.piggles:
        rolling = changed(loaded, phase=PigglesPhase.ROLL)
        return [Step(phase=PigglesPhase.LOAD, seat=seat, state=rolling)]
    return _go_on(PigglesPhase.LOAD, begin(loaded, (), table), table)


def after_outcome(state: PigglesState, outcome: RollResult, table: EffectOptions) -> list[Step]:
    """Return the steps after an answer of chance: to a roll, an effect or the tie-break."""
    match state.phase:
        case PigglesPhase.SUDDEN:
            return after_sudden(state, outcome, table.rules)
        case PigglesPhase.ROLL:
            return _after_roll(state, outcome, table)
        case _:
            check_outcome(effect_request(state, table), outcome)
            return _go_on(PigglesPhase.ACTION_REACTION, carry_out(state, outcome, table), table)


def _after_roll(state: PigglesState, outcome: RollResult, table: EffectOptions) -> list[Step]:
    rules = table.rules
    request = roll_request(state, rules)
    check_outcome(request, outcome)
    # Until the phase begins, its list holds what was rolled, through all rerolls.
    rolled = in_order({*state.actors, *request.piggles})
    state, outcome = capture(state, outcome)
    landed = land(state, outcome, rules)
    if landed.phase is PigglesPhase.ROLL:
        again = changed(landed, actors=rolled)
        return [Step(phase=PigglesPhase.ROLL, seat=state.active, state=again)]
    landed = shields_after_roll(landed, rules)
    return _go_on(PigglesPhase.ROLL, begin(landed, rolled, table), table)


def after_act(state: PigglesState, act: Act, table: EffectOptions) -> list[Step]:
    """Return the steps after a legal effect was declared."""
    return _go_on(PigglesPhase.ACTION_REACTION, declare(state, act, table), table)


def after_done(state: PigglesState, table: EffectOptions) -> list[Step]:
    """Return the steps after the active player has let the rest of the phase go by."""
    return _go_on(PigglesPhase.ACTION_REACTION, changed(state, actors=()), table)


def _go_on(phase: PigglesPhase, state: PigglesState, table: EffectOptions) -> list[Step]:
    """Return the step just taken, and the Tally and what follows if nobody acts any more."""
    seat = state.active
    if state.pending is not None or acts(state, table):
        waiting = changed(state, phase=PigglesPhase.ACTION_REACTION)
        return [Step(phase=phase, seat=seat, state=waiting)]
    over = changed(state, phase=PigglesPhase.TALLY, actors=(), acted=())
    over = shields_after_turn(over, seat, table.rules)
    return [Step(phase=phase, seat=seat, state=over), *end_turn(over, table.rules)]
