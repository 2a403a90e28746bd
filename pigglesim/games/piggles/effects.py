"""Effects of Modern: directions, targets, declarations and shields (R20-R24, M1-M18)."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from pigglesim.games.game import changed
from pigglesim.games.piggles.areas import (
    into_kitchen,
    into_mud,
    into_pen,
    out_of,
    without_date,
)
from pigglesim.games.piggles.state import (
    NEUTRAL,
    Act,
    Actors,
    BlueMode,
    GreenClock,
    GreenOwner,
    GreenWindow,
    Left,
    Lineup,
    Markings,
    ModernRules,
    MudEntry,
    PigglesState,
    Rune9Pose,
    Rune78Scope,
    Shield,
    ShieldUntil,
    TargetScope,
    in_order,
)
from pigglesim.games.piggles.turns import into_cup, land, pays, roll_request
from pigglesim.landing import (
    BOARD_SEATS,
    FIELD_LINES,
    FIELDS,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SetDown,
    Zone,
)
from pigglesim.markings import Colour, Rune

_LEFT_HAND = {Seat.A: Zone.FIELD_WEST, Seat.B: Zone.FIELD_EAST}
_OF_LINE = {line: field for field, line in FIELD_LINES.items()}


def field_of(zone: Zone, rules: ModernRules) -> Zone | None:
    """Return the field of a Piggle, or None: paths and woods have no direction (M6)."""
    if zone in FIELDS:
        return zone
    return _OF_LINE.get(zone) if rules.line_counts_as_field else None


def field_towards(field: Zone, rune: Rune, seat: Seat, rules: ModernRules) -> Zone | None:
    """Return the field to which a rune 1 to 4 on a field points for the acting player, or None."""
    if rune is Rune.ADJACENT:
        return field
    if rune is Rune.ACROSS:
        return _along(field, 2)
    left = rune is Rune.LEFT
    match rules.left:
        case Left.CLOCKWISE:
            return _along(field, 1 if left else -1)
        case Left.COUNTERCLOCKWISE:
            return _along(field, -1 if left else 1)
        case Left.PLAYER_VIEW:
            side = _LEFT_HAND[seat if left else seat.other]
            return None if side is field else side


def _along(field: Zone, steps: int) -> Zone:
    return FIELDS[(FIELDS.index(field) + steps) % len(FIELDS)]


class EffectVerb(Enum):
    """Effects on a target."""

    BURN = auto()
    """Move to the Kitchen."""
    DAMAGE = auto()
    """Move to the Mud."""
    CRIT = auto()
    """Roll again."""
    HEALTH = auto()
    """Move from the Mud onto the board."""
    SHIELD = auto()
    """Protection in the next roll."""
    TURN_UP = auto()
    TURN_DOWN = auto()
    RESCUE = auto()
    """Move from the Mud into the Pen."""
    DEMOTE = auto()
    """Move from the Kitchen into the Mud."""
    SUMMON = auto()
    """Move from the Pen onto the board."""


HARMS = frozenset({EffectVerb.BURN, EffectVerb.DAMAGE, EffectVerb.CRIT})
"""Effects against which a shield protects in Action & Reaction (M12)."""

_OF_COLOUR = {
    Colour.ORANGE: EffectVerb.BURN,
    Colour.RED: EffectVerb.DAMAGE,
    Colour.BLUE: EffectVerb.CRIT,
    Colour.GREEN: EffectVerb.HEALTH,
    Colour.YELLOW: EffectVerb.SHIELD,
}
_OF_RUNE = {
    Rune.ARROW_CW: EffectVerb.TURN_UP,
    Rune.ARROW_CCW: EffectVerb.TURN_DOWN,
    Rune.SPIRAL_CW: EffectVerb.RESCUE,
    Rune.SPIRAL_CCW: EffectVerb.DEMOTE,
    Rune.SPLIT: EffectVerb.SUMMON,
}
_PREVIOUS_ROUND = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectOptions:
    """Constants of a game of Modern: house rules and markings."""

    rules: ModernRules
    lineup: Lineup
    _pieces: dict[str, Markings] = field(init=False, repr=False, compare=False)
    _verbs: dict[str, EffectVerb | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pieces = dict(self.lineup)
        verbs = {piggle: verb_of(piece, self.rules) for piggle, piece in pieces.items()}
        object.__setattr__(self, "_pieces", pieces)
        object.__setattr__(self, "_verbs", verbs)

    def piece(self, piggle: str) -> Markings:
        """Return the markings of a Piggle."""
        return self._pieces.get(piggle, NEUTRAL)

    def verb(self, piggle: str) -> EffectVerb | None:
        """Return the effect of a Piggle, or None for a neutral one."""
        return self._verbs.get(piggle)


def verb_of(piece: Markings, rules: ModernRules) -> EffectVerb | None:
    """Return the effect of a Piggle, or None for a neutral one (M4, R24).

    Runes 1 to 4 give the colour its direction. Runes 5 to 9 have their own effect, for which the
    colour is only a filter.
    """
    if piece.colour is None or piece.rune is None:
        return None
    if piece.directional:
        return _OF_COLOUR[piece.colour]
    return _OF_RUNE[piece.rune] if rules.rare_runes else None


def protected(state: PigglesState, piggle: str) -> bool:
    """Return whether a shield protects now, because its roll has begun (M12)."""
    return any(shield.piggle == piggle and shield.rolled for shield in state.shields)


def aim(state: PigglesState, piggle: str, options: EffectOptions) -> Zone | None:
    """Return the field of a Piggle's effect, or None (R22, M6, M17)."""
    landing = state.landing(piggle)
    rune = options.piece(piggle).rune
    field_own = field_of(landing.zone, options.rules) if landing else None
    if field_own is None or rune is None:
        return None
    if rune is Rune.SPLIT:
        return field_own
    return field_towards(field_own, rune, state.controller(piggle), options.rules)


def targets(state: PigglesState, piggle: str, options: EffectOptions) -> tuple[str, ...]:
    """Return the possible targets of a Piggle, in order; it acts on one of them (M7).

    The right of the Piggle to act in this phase is not tested.
    """
    landing = state.landing(piggle)
    verb = options.verb(piggle)
    if verb is None or landing is None or landing.orientation is not Orientation.SNOUT_UP:
        return ()
    return in_order(_reached(state, piggle, verb, options))


def _reached(
    state: PigglesState, piggle: str, verb: EffectVerb, options: EffectOptions
) -> Iterator[str]:
    seat = state.controller(piggle)
    match verb:
        case EffectVerb.BURN | EffectVerb.DAMAGE | EffectVerb.CRIT | EffectVerb.SHIELD:
            yield from _in_field(state, piggle, verb, options)
        case EffectVerb.HEALTH:
            if aim(state, piggle, options) is not None:
                yield from _muddy(state, seat, options.rules)
        case EffectVerb.TURN_UP:
            own_board = state.on_board(seat)
            yield from _flippable(own_board, piggle, options, Orientation.SNOUT_DOWN)
        case EffectVerb.TURN_DOWN:
            opposing_board = state.on_board(seat.other)
            yield from _flippable(opposing_board, piggle, options, Orientation.SNOUT_UP)
        case EffectVerb.RESCUE | EffectVerb.DEMOTE:
            any_side = options.rules.rune78_scope is Rune78Scope.ANY
            for owner in BOARD_SEATS if any_side else (seat,):
                side = state.side(owner)
                candidates = side.mud_piggles if verb is EffectVerb.RESCUE else side.kitchen
                yield from (name for name in candidates if _alike(name, piggle, options))
        case EffectVerb.SUMMON:
            if aim(state, piggle, options) is not None:
                yield from state.side(seat).pen


def shielded_from(state: PigglesState, piggle: str, target: str, options: EffectOptions) -> bool:
    """Return whether only a shield prevents a Piggle from targeting another (M12)."""
    bare = changed(state, shields=())
    return target in targets(bare, piggle, options) and target not in targets(
        state, piggle, options
    )


def _in_field(
    state: PigglesState, piggle: str, verb: EffectVerb, options: EffectOptions
) -> Iterator[str]:
    towards = aim(state, piggle, options)
    if towards is None:
        return
    seat, rules = state.controller(piggle), options.rules
    opposing_only = rules.target_scope is TargetScope.OPPONENT_ONLY and verb in HARMS
    for name, landing in state.board:
        if name == piggle or field_of(landing.zone, rules) is not towards:
            continue
        if opposing_only and state.controller(name) is seat:
            continue
        if verb in HARMS and protected(state, name):
            continue
        yield name


def _muddy(state: PigglesState, seat: Seat, rules: ModernRules) -> Iterator[str]:
    for side in BOARD_SEATS if rules.green_owner is GreenOwner.ANY else (seat,):
        for entry in state.side(side).mud:
            recent = entry.round >= state.round - _PREVIOUS_ROUND
            # What rune 8 took out of the Kitchen was not removed from the board.
            demoted = entry.demoted and entry.round == state.round
            if (recent or rules.green_window is GreenWindow.ANY) and not demoted:
                yield entry.piggle


def _flippable(
    lying: tuple[tuple[str, Landing], ...],
    piggle: str,
    options: EffectOptions,
    orientation: Orientation,
) -> Iterator[str]:
    for name, landing in lying:
        if landing.orientation is orientation and name != piggle and _alike(name, piggle, options):
            yield name


def _alike(piggle: str, other: str, options: EffectOptions) -> bool:
    return options.piece(piggle).colour is options.piece(other).colour


def put_shield(state: PigglesState, piggle: str, seat: Seat) -> PigglesState:
    """Return the state with a Piggle shielded by `seat`, which replaces an older shield."""
    rest = (shield for shield in state.shields if shield.piggle != piggle)
    shields = sorted((*rest, Shield(piggle=piggle, by=seat)), key=lambda shield: shield.piggle)
    return changed(state, shields=tuple(shields))


def _live_shields(state: PigglesState, *, reaction: bool) -> tuple[Shield, ...]:
    """Return the shields that a roll finds."""
    if reaction:
        return tuple(shield for shield in state.shields if shield.rolled)
    # A roll includes its rerolls, and a shield of an earlier roll has already ended.
    begun = state.rerolls > 0
    return tuple(
        changed(shield, rolled=True) for shield in state.shields if begun or not shield.rolled
    )


def capture(
    state: PigglesState, outcome: RollResult, *, reaction: bool = False
) -> tuple[PigglesState, RollResult]:
    """Return the state after captures of shielded Piggles by a roll, and the remaining outcome.

    A captured Piggle goes into the Pen of its shield's player, from any place. The other rules
    ignore it. In the Reaction, Blue's roll captures those whose shield covers it (M12).
    """
    if not state.shields:
        return state, outcome
    live = _live_shields(state, reaction=reaction)
    if not reaction:
        state = changed(state, shields=live)
    knocked = {knock.struck for knock in outcome.knocks}
    caught = {shield.piggle: shield.by for shield in live if shield.piggle in knocked}
    for piggle, seat in caught.items():
        state = into_pen(out_of(state, piggle), piggle, seat)
    landings = tuple(entry for entry in outcome.landings if entry[0] not in caught)
    knocks = tuple(knock for knock in outcome.knocks if knock.struck not in caught)
    return state, replace(outcome, landings=landings, knocks=knocks)


def shields_after_roll(state: PigglesState, rules: ModernRules) -> PigglesState:
    """Return the state after the Roll phase, without the shields that end with it (M12)."""
    if rules.shield_until is not ShieldUntil.ROLL or not state.shields:
        return state
    return changed(state, shields=tuple(s for s in state.shields if not s.rolled))


def shields_after_turn(state: PigglesState, seat: Seat, rules: ModernRules) -> PigglesState:
    """Return the state at the end of the turn of `seat`, without the shields that end with it.

    A shield of this turn remains, because its roll follows.
    """
    if not state.shields:
        return state
    until_turn = rules.shield_until is ShieldUntil.TURN
    remaining = (
        changed(shield, fresh=False)
        for shield in state.shields
        if not shield.rolled and not (until_turn and (not shield.fresh or shield.by is not seat))
    )
    return changed(state, shields=tuple(remaining))


_AT_ONCE = frozenset(
    {EffectVerb.BURN, EffectVerb.DAMAGE, EffectVerb.SHIELD, EffectVerb.RESCUE, EffectVerb.DEMOTE}
)
"""Effects without a roll or a free spot."""


def begin(state: PigglesState, rolled: tuple[str, ...], options: EffectOptions) -> PigglesState:
    """Return the state at the start of Action & Reaction, with its actors (M1, M3)."""
    every = options.rules.actors is Actors.ALL_OWN_UP
    actors = tuple(
        piggle
        for piggle, landing in state.on_board(state.active)
        if landing.orientation is Orientation.SNOUT_UP and (every or piggle in rolled)
    )
    return changed(state, actors=actors, acted=())


def acts(state: PigglesState, options: EffectOptions) -> tuple[Act, ...]:
    """Return every legal effect, by Piggle and target."""
    return tuple(
        Act(piggle, target) for piggle in state.actors for target in targets(state, piggle, options)
    )


def declare(state: PigglesState, act: Act, options: EffectOptions) -> PigglesState:
    """Return the state after a legal effect is declared, and carried out if without chance."""
    verb = options.verb(act.piggle)
    assert verb is not None
    state = changed(
        state,
        actors=tuple(piggle for piggle in state.actors if piggle != act.piggle),
        acted=in_order((*state.acted, act.piggle)),
    )
    if verb not in _AT_ONCE:
        return changed(state, pending=act)
    return _at_once(state, act, verb, options)


def _at_once(
    state: PigglesState, act: Act, verb: EffectVerb, options: EffectOptions
) -> PigglesState:
    seat, rules, target = state.active, options.rules, act.target
    paid = int(pays(state, target, rules))
    match verb:
        case EffectVerb.BURN:
            state = into_kitchen(out_of(state, target), target, rules)
            side = state.side(seat)
            return state.with_side(seat, kitchen_bonuses=side.kitchen_bonuses + paid)
        case EffectVerb.DAMAGE:
            state = into_mud(out_of(state, target), target, rules, roller=seat)
            side = state.side(seat)
            paid *= rules.red_counts_as_knock
            return state.with_side(seat, mud_bonuses=side.mud_bonuses + paid)
        case EffectVerb.SHIELD:
            return put_shield(state, target, state.controller(act.piggle))
        case EffectVerb.RESCUE:
            return into_pen(out_of(state, target), target, seat)
        case _:
            return into_mud(out_of(state, target), target, rules, roller=seat, demoted=True)


def effect_request(state: PigglesState, options: EffectOptions) -> RollRequest:
    """Return the request of the pending effect to chance."""
    act, rules = state.pending, options.rules
    assert act is not None
    target = act.target
    if options.verb(act.piggle) is EffectVerb.CRIT:
        if _rolling_again(state):
            return roll_request(state, rules)
        landing = state.landing(target)
        request = roll_request(into_cup(out_of(state, target), target), rules)
        in_place = rules.blue_mode is BlueMode.DROP_IN_PLACE
        return replace(request, toss=landing) if in_place else request
    return RollRequest(
        thrower=state.active,
        piggles=(target,),
        standing=tuple(entry for entry in state.board if entry[0] != target),
        reading=rules.reading(),
        set_down=_spot(state, act, options),
    )


def _spot(state: PigglesState, act: Act, options: EffectOptions) -> SetDown:
    """Return the place and orientation in which the pending effect sets its target down."""
    verb = options.verb(act.piggle)
    landing = state.landing(act.target)
    if landing is not None:
        # The arrows turn a Piggle over in place.
        turned = Orientation.SNOUT_UP if verb is EffectVerb.TURN_UP else Orientation.SNOUT_DOWN
        return SetDown(orientation=turned, zone=landing.zone, near=landing)
    field = aim(state, act.piggle, options)
    assert field is not None
    if verb is EffectVerb.HEALTH:
        return SetDown(orientation=Orientation.SNOUT_DOWN, zone=field)
    up = options.rules.rune9_pose is Rune9Pose.UP
    return SetDown(
        orientation=Orientation.SNOUT_UP if up else Orientation.SNOUT_DOWN,
        zone=field,
        near=state.landing(act.piggle),
    )


def carry_out(state: PigglesState, outcome: RollResult, options: EffectOptions) -> PigglesState:
    """Return the state after chance has answered the pending effect.

    An effect without room for its Piggle lapses (M8).
    """
    act = state.pending
    assert act is not None
    if options.verb(act.piggle) is EffectVerb.CRIT:
        return _reroll(state, act, outcome, options)
    ((target, landing),) = outcome.landings
    done = changed(state, pending=None)
    if landing.zone is Zone.OFF:
        return done
    entry = _mud_entry(state, target)
    # An arrow turns a Piggle Snout-Up, which ends its date.
    done = without_date(out_of(done, target), target)
    if entry is not None and options.rules.green_clock is GreenClock.KEEP:
        returned = sorted((*done.returned, entry), key=lambda each: each.piggle)
        done = changed(done, returned=tuple(returned))
    board = sorted((*done.board, (target, landing)), key=lambda entry: entry[0])
    return changed(done, board=tuple(board))


def _mud_entry(state: PigglesState, piggle: str) -> MudEntry | None:
    mud = state.side(state.controller(piggle)).mud
    return next((entry for entry in mud if entry.piggle == piggle), None)


def _rolling_again(state: PigglesState) -> bool:
    """Return whether Piggles of Blue's roll are in the cup for another roll (P11, P12)."""
    return bool(state.a.cup or state.b.cup)


def _reroll(
    state: PigglesState, act: Act, outcome: RollResult, options: EffectOptions
) -> PigglesState:
    """Return the state after Blue's roll; the effect stays pending if it needs another roll."""
    rules, target, phase = options.rules, act.target, state.phase
    landing = dict(outcome.landings)[target]
    if not _rolling_again(state):
        # It is lifted, so nobody is paid for it, whoever knocked it before (M10).
        state = into_cup(out_of(state, target), target)
    landed = changed(land(*capture(state, outcome, reaction=True), rules), phase=phase)
    if _rolling_again(landed):
        return landed
    landed = changed(landed, pending=None)
    is_own = landed.controller(target) is landed.active
    up = landing.orientation is Orientation.SNOUT_UP
    if is_own and up and target not in landed.acted:
        # A Piggle that Blue turns Snout-Up may act, if it has not acted yet (M3).
        return changed(landed, actors=in_order({*landed.actors, target}))
    return landed
