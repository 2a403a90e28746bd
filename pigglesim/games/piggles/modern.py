"""Piggles Modern: the rules of play as one `Game` (seed R1-R24)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import JSON, Concede, NonPlayer, Turn
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
from pigglesim.games.piggles.game import Piggles, PigglesAction
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    Lineup,
    Piece,
    PigglesPhase,
    PigglesState,
    format_piece,
    in_order,
    lineup,
    parse_piece,
    team,
)
from pigglesim.games.piggles.turns import (
    Step,
    after_sudden,
    check_outcome,
    end_turn,
    land,
    roll_request,
)
from pigglesim.landing import BOARD_SEATS, RollRequest, RollResult, Seat

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
                return after_load(state, action, self.table)
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


def after_load(state: PigglesState, action: Load, table: EffectOptions) -> list[Step]:
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
