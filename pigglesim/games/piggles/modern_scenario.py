"""Scenarios of Piggles Modern: those of Classic, with effects declared and their outcomes told.

A setup does not say what was rolled when, so that before any roll of a turn every Snout-Up Piggle
may act; after one, those that it rolled (M1).
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.piggles.effects import (
    EffectOptions,
    EffectVerb,
    begin,
    capture,
    carry_out,
    declare,
    effect_request,
    shielded_from,
    shields_after_roll,
    shields_after_turn,
    targets,
)
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.scenario import (
    CLASSIC_EVENTS,
    Event,
    EventOutcome,
    Events,
    need,
    play_events,
    player,
    told_knocks,
    told_roll,
)
from pigglesim.games.piggles.setup import read_ids, read_landing, read_pieces
from pigglesim.games.piggles.state import Act, PhaseMode, PigglesPhase, PigglesState, in_order
from pigglesim.games.piggles.turns import check_outcome, land
from pigglesim.games.scenario import Mismatch, Scenario, as_mapping
from pigglesim.landing import Landing, RollResult


def play_modern_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    rules = ModernRules.from_mapping(scenario.config)
    table = EffectOptions(rules=rules, lineup=read_pieces(scenario.setup))
    return play_events(scenario, rules, _events(table))


def _events(table: EffectOptions) -> Events:
    """Return what each event does at a table, and the keys it may have besides `do`."""
    return {
        **CLASSIC_EVENTS,
        "start_turn": (_start_turn, CLASSIC_EVENTS["start_turn"][1]),
        "roll": (partial(_roll, table), CLASSIC_EVENTS["roll"][1]),
        "tally": (partial(_tally, table), CLASSIC_EVENTS["tally"][1]),
        "action": (partial(_action, table), frozenset({"piece", "target", "reroll", "knocked"})),
        "expect_targets": (partial(_expect_targets, table), frozenset({"piece", "targets"})),
        "expect_phases": (_expect_phases, CLASSIC_EVENTS["expect_phases"][1]),
    }


def _start_turn(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    # What a Tally would have ended has ended, even where a scenario leaves it out.
    waiting = tuple(replace(each, fresh=False) for each in state.shields if not each.rolled)
    fresh = replace(state, actors=(), acted=(), shields=waiting)
    return CLASSIC_EVENTS["start_turn"][0](fresh, event, rules)


def _roll(
    table: EffectOptions, state: PigglesState, event: Event, rules: PigglesRules
) -> EventOutcome:
    state, result = told_roll(state, event, rules)
    rolled = (*state.a.cup, *state.b.cup)
    state, result = capture(state, result)
    landed = shields_after_roll(land(state, result, rules), table.rules)
    if landed.phase is PigglesPhase.ROLL:
        return landed
    return replace(begin(landed, rolled, table), phase=PigglesPhase.ACTION_REACTION)


def _tally(
    table: EffectOptions, state: PigglesState, event: Event, rules: PigglesRules
) -> EventOutcome:
    over = replace(state, phase=PigglesPhase.TALLY, actors=(), acted=())
    over = shields_after_turn(over, player(event, state), table.rules)
    return CLASSIC_EVENTS["tally"][0](over, event, rules)


def _expect_phases(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    told: Mapping[str, object] = {"mode": PhaseMode.MODERN, **event}
    return CLASSIC_EVENTS["expect_phases"][0](state, told, rules)


def _may_act(state: PigglesState, piggle: str) -> bool:
    """Return whether a Piggle may act in this turn, as far as the scenario tells (M1, M3)."""
    if state.phase is PigglesPhase.ACTION_REACTION:
        return piggle in state.actors
    return piggle not in state.acted


def _in_action(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state in the Action phase of who plays a Piggle.

    Where a scenario leaves the roll of that turn out, what the other player had shielded is
    protected as after that roll (M12).
    """
    if state.phase is PigglesPhase.ACTION_REACTION:
        return state
    seat = state.controller(piggle)
    shields = (replace(s, rolled=s.rolled or s.by is not seat) for s in state.shields)
    return replace(state, shields=tuple(shields))


def _expect_targets(
    table: EffectOptions, state: PigglesState, event: Event, rules: PigglesRules
) -> EventOutcome:
    del rules
    piggle = _piece(event)
    before, state = state, _in_action(state, piggle)
    wanted = in_order(read_ids("targets", need(event, "targets")))
    reached = targets(state, piggle, table) if _may_act(state, piggle) else ()
    if set(reached) != set(wanted):
        return Mismatch(key=piggle, expected=list(wanted), got=list(reached))
    return before


def _piece(event: Event) -> str:
    piggle = need(event, "piece")
    if not isinstance(piggle, str) or not piggle.startswith(("A", "B")):
        raise SpecError("the id of a Piggle for piece", got=repr(piggle), remedy='"A1"')
    return piggle


def _action(
    table: EffectOptions, state: PigglesState, event: Event, rules: PigglesRules
) -> EventOutcome:
    del rules
    piggle, target = _piece(event), event.get("target")
    state = replace(_in_action(state, piggle), active=state.controller(piggle))
    reached = targets(state, piggle, table) if _may_act(state, piggle) else ()
    if target is None and not (reached and table.rules.effects_mandatory):
        # Declined, or lapsed for want of a target (M2, M8).
        return replace(state, acted=in_order((*state.acted, piggle)))
    if target not in reached:
        if isinstance(target, str) and shielded_from(state, piggle, target, table):
            return replace(state, acted=in_order((*state.acted, piggle)))
        raise IllegalActionError(
            f"{piggle} to act on {' or '.join(reached)}" if reached else f"{piggle} not to act",
            got=str(target),
            remedy="expect_targets lists whom it reaches",
            rule="M7",
        )
    assert isinstance(target, str)
    declared = declare(state, Act(piggle, target), table)
    return _answered(declared, event, table)


def _answered(state: PigglesState, event: Event, table: EffectOptions) -> EventOutcome:
    """Return the state after chance has answered a declared effect as the event tells."""
    act, told = state.pending, event.get("reroll")
    rolls = act is not None and table.verb(act.piggle) is EffectVerb.CRIT
    if "knocked" in event and not rolls:
        raise SpecError(
            "knocked Piggles in an action of Blue", got=_piece(event), remedy="leave knocked out"
        )
    if act is None:
        return state
    request = effect_request(state, table)
    if rolls:
        landing = read_landing(act.target, need(event, "reroll") if told is None else told)
        written = as_mapping("knocked", event.get("knocked", {}))
        moved = {piggle: read_landing(piggle, value) for piggle, value in written.items()}
        standing = dict(request.standing)
        knocks = told_knocks(tuple(moved), standing, moved, by=act.target)
        landings = {act.target: landing, **standing, **moved}
        result = RollResult(landings=tuple(landings.items()), knocks=knocks)
    else:
        spot = request.set_down
        assert spot is not None
        landing = Landing(orientation=spot.orientation, zone=spot.zone)
        result = RollResult(landings=((act.target, landing),))
    check_outcome(request, result)
    return carry_out(state, result, table)
