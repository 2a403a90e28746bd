"""Scenarios of Piggles Classic: events applied one by one to the state at hand.

Each event does what the rules say it does, whatever came before it; the events need not make up
whole turns. The number of the round changes only with `start_turn`, which names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggles.areas import Load, load, loadable, tally
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.setup import (
    compare,
    read_ids,
    read_landing,
    read_round,
    read_seat,
    read_setup,
)
from pigglesim.games.piggles.state import (
    PhaseMode,
    PigglesPhase,
    PigglesReason,
    PigglesState,
    Sudden,
    turn_phases,
)
from pigglesim.games.piggles.turns import (
    after_last_round,
    available,
    check_outcome,
    concede,
    land,
    resolve,
    roll_request,
    start_turn,
    throw_sudden,
)
from pigglesim.games.scenario import (
    Mismatch,
    Scenario,
    as_list,
    as_mapping,
    follow_events,
)
from pigglesim.landing import BOARD_SEATS, Knock, Landing, Orientation, RollResult, Seat, Zone

Event = Mapping[str, object]
EventOutcome = PigglesState | Mismatch
Events = Mapping[
    str, tuple[Callable[[PigglesState, Event, PigglesRules], EventOutcome], frozenset[str]]
]
"""What each event does, and the keys it may have besides `do`."""


def play_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    rules = PigglesRules.from_mapping(scenario.config)
    return play_events(scenario, rules, CLASSIC_EVENTS)


def play_events(scenario: Scenario, rules: PigglesRules, events: Events) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what its events give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    state = follow_events(
        scenario,
        read_setup(scenario.setup, rules),
        events,
        lambda act, now, event: act(now, event, rules),
    )
    return state if isinstance(state, Mismatch) else compare(scenario.expected, state)


def need(event: Event, key: str) -> object:
    """Return what an event must have."""
    if key not in event:
        raise SpecError(f"{key} in the event {event['do']}", got="none", remedy=f"add {key!r}")
    return event[key]


def player(event: Event, state: PigglesState) -> Seat:
    """Return whom an event is about: the player it names, or else the one whose turn it is."""
    return read_seat("player", event["player"]) if "player" in event else state.active


def _start_turn(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    number = read_round(event.get("round", state.round), rules)
    return start_turn(state, player(event, state), number, rules)


def _load(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del rules
    seat = player(event, state)
    loaded = load(state, seat, Load(read_ids("pieces", need(event, "pieces"))))
    return replace(loaded, active=seat, phase=PigglesPhase.ROLL, rerolls=0)


def told_roll(
    state: PigglesState, event: Event, rules: PigglesRules
) -> tuple[PigglesState, RollResult]:
    """Return the state with everything in the cups, and how an event says that it came to lie.

    A roll without a load before it takes its Piggles out of the Pen; R8 still holds.
    """
    seat = player(event, state)
    written = as_mapping("outcome", need(event, "outcome"))
    outcome = {piggle: read_landing(piggle, value) for piggle, value in written.items()}
    standing = dict(state.board)
    cups = {*state.a.cup, *state.b.cup}
    unloaded = [piggle for piggle in outcome if piggle not in standing and piggle not in cups]
    state = replace(load(state, seat, Load(tuple(unloaded))), active=seat, phase=PigglesPhase.ROLL)
    request = roll_request(state, rules)
    landings = {**dict.fromkeys(request.piggles), **standing, **outcome}
    given = tuple((piggle, landing) for piggle, landing in landings.items() if landing is not None)
    # A roll whose own Piggles are not told still does to the others what is told of them.
    by = request.piggles[0] if request.piggles else f"{seat}1"
    knocked = read_ids("knocked", event["knocked"]) if "knocked" in event else None
    result = RollResult(landings=given, knocks=told_knocks(knocked, standing, outcome, by=by))
    if request.piggles:
        check_outcome(request, result)
    return state, result


def _roll(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    state, result = told_roll(state, event, rules)
    return land(state, result, rules)


def told_knocks(
    struck: tuple[str, ...] | None,
    standing: Mapping[str, Landing],
    outcome: Mapping[str, Landing],
    *,
    by: str,
) -> tuple[Knock, ...]:
    """Return the knocks of a roll that an event describes.

    Args:
        struck: The Piggles that were knocked; None for every one that has changed.
        standing: The Piggles that were on the board before.
        outcome: The Piggles that were rolled, and those that have changed.
        by: The Piggle that knocked them.

    Raises:
        SpecError: If a knocked Piggle was not on the board.
    """
    if struck is None:
        struck = tuple(p for p, landing in standing.items() if outcome.get(p, landing) != landing)
    knocks = []
    for piggle in struck:
        before = standing.get(piggle)
        after = outcome.get(piggle, before)
        if before is None or after is None:
            raise SpecError(
                "knocked Piggles that lay on the board", got=piggle, remedy="leave it out"
            )
        knocks.append(
            Knock(
                struck=piggle,
                by=by,
                distance=0.0,
                angle=0.0,
                flipped=after.orientation is not before.orientation,
                zone_changed=after.zone is not before.zone,
                off_board=after.zone is Zone.OFF,
            )
        )
    return tuple(knocks)


def _skip_roll(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del rules
    return replace(state, active=player(event, state), phase=PigglesPhase.TALLY)


def _tally(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    return tally(state, player(event, state), rules)


def _resolve(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del event
    return resolve(state, rules)


def _concede(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del rules
    return concede(state, player(event, state))


def _sudden(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    # Null is a roll off the board, but of a player without a Piggle it is no roll at all.
    thrown = tuple(
        (seat, _sudden_landing(event[seat]))
        for seat in BOARD_SEATS
        if seat in event and (event[seat] is not None or available(state, seat, rules))
    )
    if len(thrown) < len(BOARD_SEATS) and state.phase is not PigglesPhase.SUDDEN:
        state = after_last_round(state, rules)
    lacking = state.result is not None and state.result.reason in {
        PigglesReason.NONE_AVAILABLE,
        PigglesReason.DRAW,
    }
    if state.result is not None and not (lacking and len(thrown) == len(BOARD_SEATS)):
        return state
    if not thrown:
        raise SpecError("a pose of A or B in the event sudden", got="none", remedy="add A and B")
    # Poses given for both are rolls that took place: somebody had a Piggle to roll after all.
    old = state.sudden
    fresh = Sudden(
        a=None if Seat.A in event else old.a,
        b=None if Seat.B in event else old.b,
        rerolls=old.rerolls,
    )
    due = replace(state, phase=PigglesPhase.SUDDEN, sudden=fresh, result=None)
    return throw_sudden(due, thrown, rules)


def _sudden_landing(value: object) -> Landing:
    """Return a tie-break roll: a pose, or null or `off` for off the board."""
    if value is None or value == Zone.OFF:
        return Landing(orientation=None, zone=Zone.OFF)
    if not isinstance(value, str) or value not in set(Orientation):
        raise unknown_name("pose", str(value), Orientation)
    return Landing(orientation=Orientation(value), zone=Zone.WOODS)


def _expect(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del rules
    return compare(as_mapping("state", need(event, "state")), state) or state


def _expect_loadable(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    del rules
    seat = player(event, state)
    for case in as_list("cases", need(event, "cases")):
        match case:
            case [list() as pieces, bool() as wanted]:
                ids = read_ids("a case", pieces)
            case _:
                raise SpecError(
                    "a case [[ids], true or false]", got=repr(case), remedy='[["A1"], true]'
                )
        legal = loadable(state, seat, ids)
        if legal is not wanted:
            return Mismatch(key=f"[{' '.join(ids)}]", expected=wanted, got=legal)
    return state


def _expect_phases(state: PigglesState, event: Event, rules: PigglesRules) -> EventOutcome:
    mode = event.get("mode", PhaseMode.CLASSIC)
    if not isinstance(mode, str) or mode not in set(PhaseMode):
        raise unknown_name("mode", str(mode), PhaseMode)
    number = read_round(event.get("round", state.round), rules)
    wanted = as_list("phases", need(event, "phases"))
    phases = [str(phase) for phase in turn_phases(number, mode=PhaseMode(mode))]
    if phases != wanted:
        return Mismatch(key=f"round {number} {mode}", expected=wanted, got=phases)
    return state


CLASSIC_EVENTS: Events = {
    "start_turn": (_start_turn, frozenset({"player", "round"})),
    "load": (_load, frozenset({"player", "pieces"})),
    "roll": (_roll, frozenset({"player", "outcome", "knocked"})),
    "skip_roll": (_skip_roll, frozenset({"player"})),
    "tally": (_tally, frozenset({"player"})),
    "resolve": (_resolve, frozenset()),
    "concede": (_concede, frozenset({"player"})),
    "sudden": (_sudden, frozenset({"A", "B"})),
    "expect": (_expect, frozenset({"state"})),
    "expect_loadable": (_expect_loadable, frozenset({"player", "cases"})),
    "expect_phases": (_expect_phases, frozenset({"round", "mode", "phases"})),
}
"""What scenarios of Classic can do."""
