"""Piggles as a `Game`: the common part of both rule books, Classic, and Modern (R1-R24)."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, TypeGuard

from pigglesim.chance_types import ChanceOutcome, answering_roll
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    JSON,
    Concede,
    Invariant,
    NonPlayer,
    Turn,
    changed,
    require,
    require_player,
)
from pigglesim.games.notation import ActionForms, Words
from pigglesim.games.piggles.areas import Load, is_legal_load, load, loads
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
from pigglesim.games.piggles.notation import (
    FORMS,
    WORDS,
    format_roll,
    invariants,
    parse_roll,
    readable,
    waiting,
)
from pigglesim.games.piggles.state import (
    NEUTRAL,
    PEN_SIZE,
    Act,
    Done,
    Lineup,
    Markings,
    ModernRules,
    PigglesPhase,
    PigglesRules,
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
    available,
    check_outcome,
    choose,
    chooser,
    concede,
    end_turn,
    land,
    land_sudden,
    roll_request,
    start_turn,
    sudden_request,
)
from pigglesim.landing import BOARD_SEATS, Landing, RollRequest, RollResult, Seat

PigglesAction = Load | Act | Done | Concede
"""Actions of a player: load Piggles, where an empty load is a skip; in Modern act or be done;
concede."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesObservation:
    """Observation of a player: the whole state, because nothing in Piggles is hidden."""

    seat: Seat
    state: PigglesState
    rules: PigglesRules
    lineup: Lineup = ()
    """Markings of the Piggles; empty in Classic."""


class Piggles(BaseGame[PigglesState, PigglesAction, RollRequest]):
    """Common part of the two rule books under the house rules of one table."""

    __slots__ = ()
    name: ClassVar[str]
    seats: ClassVar[tuple[Seat, ...]] = BOARD_SEATS
    _blank: ClassVar[PigglesState] = PigglesState()
    _words: ClassVar[Words] = WORDS
    _forms: ClassVar[ActionForms[PigglesAction]] = FORMS

    @property
    @abstractmethod
    def rules(self) -> PigglesRules:
        """The house rules in force."""

    @property
    @abstractmethod
    def effects(self) -> EffectOptions | None:
        """The house rules and markings of Modern; None in Classic."""

    @property
    def lineup(self) -> Lineup:
        """Markings of the Piggles; empty in Classic."""
        return self.effects.lineup if self.effects is not None else ()

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes.

        Each turn has a load, a roll and all rerolls. In Modern it also has at most one effect per
        Piggle, each with an outcome of chance, and the action of being done. Every two sudden rolls
        that count, or one that does not, cost a reroll or end the game.
        """
        effects = 0 if self.effects is None else 2 * len(BOARD_SEATS) * PEN_SIZE + 1
        turns = 2 * self.rules.rounds * (2 + self.rules.reroll_cap + effects)
        # Each of those rolls may follow a choice.
        return turns + 4 * (self.rules.sudden_cap + 1)

    def landings(self, state: PigglesState) -> tuple[tuple[str, Landing], ...]:
        """Return every Piggle on the board, by id."""
        return state.board

    def initial_state(self) -> PigglesState:
        state = PigglesState(a=PigglesSide(pen=team(Seat.A)), b=PigglesSide(pen=team(Seat.B)))
        return start_turn(state, self.rules.first_in(1), 1, self.rules)

    def turn(self, state: PigglesState) -> Turn:
        if state.result is not None:
            return NonPlayer.OVER
        if state.phase is PigglesPhase.LOAD or self._acting(state):
            return state.active
        if state.phase is PigglesPhase.SUDDEN and (seat := chooser(state, self.rules)) is not None:
            return seat
        return NonPlayer.CHANCE

    def _acting(self, state: PigglesState) -> bool:
        """Return whether the active player may declare effects."""
        acting = state.phase is PigglesPhase.ACTION_REACTION and state.pending is None
        return acting and self.effects is not None

    @property
    def _mandatory(self) -> bool:
        """Return whether effects continue as long as any Piggle has a target (M2)."""
        return self.effects is not None and self.effects.rules.effects_mandatory

    def legal_actions(self, state: PigglesState) -> tuple[PigglesAction, ...]:
        """Return every load or every effect with its target, and then conceding (R8, R18).

        In Sudden Snout-Up a load of one Piggle chooses the one to roll (P15).

        Loads are ordered by size and then by id, effects by Piggle and then by target. Being done
        follows effects unless `effects_mandatory` (M2). Holds of the cup are not listed: each load
        may be held in any way that `is_legal` allows.
        """
        turn = self.turn(state)
        if not isinstance(turn, Seat):
            return ()
        if state.phase is PigglesPhase.LOAD:
            return (*loads(state, turn), Concede())
        if state.phase is PigglesPhase.SUDDEN:
            ready = available(state, turn, self.rules)
            return (*(Load((piggle,)) for piggle in ready), Concede())
        assert self.effects is not None
        done = () if self._mandatory else (Done(),)
        return (*acts(state, self.effects), *done, Concede())

    def is_legal(self, state: PigglesState, action: PigglesAction) -> bool:
        if isinstance(action, Load) and state.phase is PigglesPhase.LOAD and state.result is None:
            return is_legal_load(state, state.active, action)
        return action in self.legal_actions(state)

    def distinct(
        self, actions: Sequence[PigglesAction], kinds: Mapping[str, object] = MappingProxyType({})
    ) -> list[PigglesAction]:
        """Return the first of equivalent actions.

        Loads of Piggles with the same markings and of the same kinds are equivalent.
        """
        markings, found = dict(self.lineup), dict[object, PigglesAction]()
        for action in actions:
            key: object = action
            if isinstance(action, Load):
                # Piggles are counted, because the order of a load has no effect.
                alike = ((markings.get(p, NEUTRAL), kinds.get(p)) for p in action.piggles)
                key = frozenset(Counter(alike).items())
            found.setdefault(key, action)
        return list(found.values())

    def apply_action(self, state: PigglesState, action: PigglesAction) -> PigglesState:
        return self.action_steps(state, action)[-1].state

    def action_steps(self, state: PigglesState, action: PigglesAction) -> list[Step]:
        """Return every phase that follows from an action, for displays of the board.

        Raises:
            IllegalActionError: If the rules forbid it, with the number of the rule.
        """
        turn = require_player(self.turn(state), action, self.format_action, rule="R5")
        match action:
            case Concede():
                return [Step(phase=state.phase, seat=turn, state=concede(state, turn))]
            case Load() if state.phase is PigglesPhase.LOAD:
                return self._after_load(state, action)
            case Load(hold=None) if state.phase is PigglesPhase.SUDDEN:
                chosen = choose(state, turn, action.piggles, self.rules)
                return [Step(phase=PigglesPhase.SUDDEN, seat=turn, state=chosen)]
            case Act() if self._acting(state):
                self._check_act(state, action)
                assert self.effects is not None
                declared = declare(state, action, self.effects)
                return self._go_on(PigglesPhase.ACTION_REACTION, declared)
            case Done() if self._acting(state) and not self._mandatory:
                return self._go_on(PigglesPhase.ACTION_REACTION, changed(state, actors=()))
            case _:
                raise self._misplaced(state, action)

    def _misplaced(self, state: PigglesState, action: PigglesAction) -> IllegalActionError:
        if not isinstance(action, Load | Act | Done):
            fix, rule = "use one of legal_actions(state)", "R5"
        elif state.phase is PigglesPhase.SUDDEN:
            fix, rule = "use load A1, with one Piggle that is available", "R16"
        elif self.effects is None:
            fix, rule = "use load A1 A3, because Classic has no effects", "R6"
        elif state.phase is PigglesPhase.LOAD:
            fix, rule = "use load A1 A3 or skip", "R19"
        elif isinstance(action, Load):
            fix, rule = "use act A1 B2 or done", "R20"
        else:
            fix, rule = "let every Piggle that has a target act", "M2"
        problem = f"{self.format_action(action)!r} in phase {state.phase}"
        return IllegalActionError(problem, fix=fix, rule=rule)

    def _check_act(self, state: PigglesState, act: Act) -> None:
        assert self.effects is not None
        legal = acts(state, self.effects)
        if act in legal:
            return
        goals = [option.target for option in legal if option.piggle == act.piggle]
        actors = " ".join(sorted({option.piggle for option in legal}))
        raise IllegalActionError(
            f"illegal action {self.format_action(act)!r}",
            expected=f"a target of {' or '.join(goals)}" if goals else f"an action of {actors}",
            fix="take one of the legal actions",
            rule="M1" if act.piggle not in state.actors else "M7",
        )

    def _after_load(self, state: PigglesState, action: Load) -> list[Step]:
        """Return the steps after the active player's load; an empty load skips the roll (R9)."""
        loaded = load(state, state.active, action)
        if action.piggles:
            rolling = changed(loaded, phase=PigglesPhase.ROLL)
            return [Step(phase=PigglesPhase.LOAD, seat=state.active, state=rolling)]
        if self.effects is not None:
            loaded = begin(loaded, (), self.effects)
        return self._go_on(PigglesPhase.LOAD, loaded)

    def _go_on(self, phase: PigglesPhase, state: PigglesState) -> list[Step]:
        """Return the last step, and the Tally and later steps if no Piggle can act."""
        seat, effects = state.active, self.effects
        if effects is None:
            over = changed(state, phase=PigglesPhase.TALLY)
        elif state.pending is not None or acts(state, effects):
            acting = changed(state, phase=PigglesPhase.ACTION_REACTION)
            return [Step(phase=phase, seat=seat, state=acting)]
        else:
            over = changed(state, phase=PigglesPhase.TALLY, actors=(), acted=())
            over = shields_after_turn(over, seat, effects.rules)
        return [Step(phase=phase, seat=seat, state=over), *end_turn(over, self.rules)]

    def _request(self, state: PigglesState) -> RollRequest:
        """Return the due request: a roll, an effect, a roll of Sudden Snout-Up (R9, R16, R20)."""
        # An intermediate step can be read and drawn, but has no roll.
        require(waiting(state, self.rules))
        if state.pending is not None and self.effects is not None:
            return effect_request(state, self.effects)
        if state.phase is PigglesPhase.SUDDEN:
            return sudden_request(state, self.rules)
        return roll_request(state, self.rules)

    def apply_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> PigglesState:
        return self.outcome_steps(state, outcome)[-1].state

    def outcome_steps(self, state: PigglesState, outcome: ChanceOutcome) -> list[Step]:
        """Return every phase that follows from an outcome, for displays of the board."""
        request, result = self.chance_request(state), answering_roll(outcome)
        check_outcome(request, result)
        if state.phase is PigglesPhase.SUDDEN:
            landed = land_sudden(state, result, self.rules)
            return [Step(phase=PigglesPhase.SUDDEN, seat=None, state=landed)]
        effects = self.effects
        if effects is None:
            landed = land(state, result, self.rules)
        elif state.phase is PigglesPhase.ACTION_REACTION:
            return self._go_on(state.phase, carry_out(state, result, effects))
        else:
            # Until Action & Reaction begins, its list contains all Piggles rolled in this turn.
            rolled = in_order({*state.actors, *request.piggles})
            landed = land(*capture(state, result), self.rules)
            if landed.phase is PigglesPhase.ROLL:
                landed = changed(landed, actors=rolled)
            else:
                landed = begin(shields_after_roll(landed, effects.rules), rolled, effects)
        if landed.phase is PigglesPhase.ROLL:
            return [Step(phase=PigglesPhase.ROLL, seat=state.active, state=landed)]
        return self._go_on(PigglesPhase.ROLL, landed)

    def observe(self, state: PigglesState, seat: Seat) -> PigglesObservation:
        return PigglesObservation(seat=seat, state=state, rules=self.rules, lineup=self.lineup)

    def scores(self, state: PigglesState) -> Mapping[Seat, int]:
        """Return the points of each player."""
        return {seat: state.side(seat).score for seat in BOARD_SEATS}

    def format_outcome(self, state: PigglesState, outcome: ChanceOutcome) -> str:
        """Return a roll as one line of text, without Piggles that did not change."""
        return format_roll(answering_roll(outcome), self.chance_request(state))

    def parse_outcome(self, state: PigglesState, text: str) -> RollResult:
        return parse_roll(text, self.chance_request(state))

    def _invariants(self, state: PigglesState) -> Iterator[Invariant]:
        return invariants(state, self.rules)

    def _readable(self, state: PigglesState) -> Iterator[Invariant]:
        return readable(state)


def is_piggles(game: object) -> TypeGuard[Piggles]:
    """Return whether a game is Piggles, Classic or Modern, which is played on a board."""
    return isinstance(game, Piggles)


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesClassic(Piggles):
    """Piggles Classic under the house rules of one table."""

    rules: PigglesRules = field(default_factory=PigglesRules)
    name: ClassVar[str] = "piggles_classic"
    effects: ClassVar[None] = None


_TEAM_KEYS = {Seat.A: "team_a", Seat.B: "team_b"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesModern(Piggles):
    """Piggles Modern under the house rules of one table, played with two teams."""

    effects: EffectOptions = field(
        default_factory=lambda: EffectOptions(rules=ModernRules(), lineup=lineup({}))
    )
    """House rules and markings of the Piggles."""
    name: ClassVar[str] = "piggles_modern"

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "PigglesModern":
        """Return the game that `settings` describes; missing settings are default.

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
        return cls(
            effects=EffectOptions(rules=ModernRules.from_mapping(rules), lineup=lineup(teams))
        )

    @property
    def rules(self) -> ModernRules:
        """The house rules."""
        return self.effects.rules

    def settings(self) -> Mapping[str, JSON]:
        teams: dict[str, JSON] = {
            key: [format_piece(self.effects.piece(piggle)) for piggle in team(seat)]
            for seat, key in _TEAM_KEYS.items()
        }
        return {**self.rules.to_mapping(), **teams}


def _read_team(key: str, value: object) -> tuple[Markings, ...]:
    """Return the markings that a list of texts names."""
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise SpecError(
            f"{key} {value!r} is not a list of markings", fix='use ["blue+left", "red", ...]'
        )
    return tuple(parse_piece(text) for text in value)
