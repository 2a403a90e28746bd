"""Scenarios of Piggles, Classic and Modern: events applied one by one to the state at hand.

Each event follows the rules regardless of earlier events, so the events need not form whole turns.
The round changes only by `start_turn`, which names it. A setup holds no earlier rolls: in Modern,
every Snout-Up Piggle may act before the first roll of a turn, and only rolled ones after it (M1).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import require
from pigglesim.games.piggles import areas, effects, turns
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.notation import readable
from pigglesim.games.piggles.state import (
    Act,
    Lineup,
    Markings,
    ModernRules,
    MudEntry,
    PhaseMode,
    PigglesPhase,
    PigglesReason,
    PigglesRules,
    PigglesSide,
    PigglesState,
    Shield,
    Sudden,
    in_order,
    owner,
    team,
    turn_phases,
)
from pigglesim.landing import BOARD_SEATS, Knock, Landing, Orientation, RollResult, Seat, Zone
from pigglesim.markings import read_colour, read_rune
from pigglesim.scenarios.reader import (
    Events,
    Fields,
    GameScenarios,
    Mismatch,
    Scenario,
    Whole,
    as_list,
    differing,
    member,
    whole,
)

_AREAS = ("pen", "cup", "mud", "kitchen")
_SETUP = ("round", "active", "board", *_AREAS, "scores", "pieces")
_MODERN_SETUP = ("shields", "captured", "credits")
_OFF = Landing(orientation=None, zone=Zone.OFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """State at hand under the house rules of a scenario."""

    state: PigglesState
    rules: PigglesRules
    options: effects.EffectOptions | None
    """House rules and markings of Modern; None in Classic."""

    def at(self, state: PigglesState) -> "_Scene":
        """Return the scene with another state."""
        return replace(self, state=state)

    def player(self, event: Fields) -> Seat:
        """Return the player that an event names. Default: the active player."""
        return _seat("player", event.get("player", self.state.active))

    def round(self, event: Fields) -> int:
        """Return the round that an event names. Default: the current round."""
        return event.whole("round", self.state.round, 1, self.rules.rounds)


Step = _Scene | Mismatch
_CLASSIC = Events[_Scene]()


def _start(scenario: Scenario) -> _Scene:
    modern = scenario.game == "piggles_modern"
    setup = Fields("the setup", scenario.setup, (*_SETUP, *(_MODERN_SETUP if modern else ())))
    rules = (ModernRules if modern else PigglesRules).from_mapping(scenario.config)
    # Colours and runes mean nothing in Classic; a setup may still give them.
    pieces, options = _read_pieces(setup), None
    state = _read_state(setup, rules)
    if isinstance(rules, ModernRules):
        options = effects.EffectOptions(rules=rules, lineup=pieces)
        state = _with_modern(setup, state)
    require(readable(state))
    return _Scene(state=state, rules=rules, options=options)


def _seat(role: str, value: object) -> Seat:
    return member(f"seat for {role}", value, Seat, BOARD_SEATS)


def _ids(name: str, value: object) -> tuple[str, ...]:
    """Return the ids that a file lists, as they stand there."""
    ids = as_list(name, value)
    for piggle in ids:
        if not isinstance(piggle, str):
            raise SpecError(f"id {piggle!r} of {name} is not text", fix='use "A1"')
    return tuple(map(str, ids))


def _landing(piggle: str, value: object) -> Landing:
    """Return the landing that a file writes as `[zone, pose]`."""
    match as_list(f"the landing of {piggle}", value):
        case [Zone.OFF, None]:
            return _OFF
        case [zone, pose] if member("zone", zone, Zone) is not Zone.OFF:
            return Landing(orientation=member("pose", pose, Orientation), zone=Zone(str(zone)))
        case [_, pose]:
            raise SpecError(f"{piggle} off the board has pose {pose!r}", fix="use null")
        case pair:
            raise SpecError(f"landing {pair!r} of {piggle}", fix='use ["woods", "up"]')


def _mud(value: object) -> tuple[MudEntry, ...]:
    """Return the Mud that a file gives by round of entry, or as a list entered in round 1."""
    if not isinstance(value, Mapping):
        value = dict.fromkeys(_ids("mud", value), 1)
    return tuple(
        MudEntry(piggle=piggle, round=whole(f"the round of {piggle}", entered, 0))
        for piggle, entered in sorted(Fields("mud", value).items())
    )


def _read_state(setup: Fields, rules: PigglesRules) -> PigglesState:
    """Return the state of a setup. Missing parts are empty, zero or round 1."""
    number, active = setup.whole("round", 1, 1, rules.rounds), setup.get("active")
    tables = {key: setup.table(key, BOARD_SEATS) for key in (*_AREAS, "scores")}

    def side(seat: Seat) -> PigglesSide:
        pen, cup, kitchen = (
            in_order(_ids(key, tables[key].get(seat, []))) for key in ("pen", "cup", "kitchen")
        )
        mud, score = _mud(tables["mud"].get(seat, [])), tables["scores"].whole(seat, 0, 0)
        return PigglesSide(pen=pen, cup=cup, mud=mud, kitchen=kitchen, score=score)

    board = setup.table("board")
    return PigglesState(
        round=number,
        active=_seat("active", rules.first_in(number) if active is None else active),
        a=side(Seat.A),
        b=side(Seat.B),
        board=tuple((name, _landing(name, at)) for name, at in sorted(board.items())),
    )


def _with_modern(setup: Fields, state: PigglesState) -> PigglesState:
    """Return the state of a setup with its captures, shields and credits."""
    lying = dict(state.board)

    def on_board(key: str, piggles: Iterable[str]) -> None:
        for piggle in piggles:
            if piggle not in lying:
                raise SpecError(f"{key} of {piggle}, not on the board", fix="leave it out")

    def by_piggle(key: str) -> dict[str, Seat]:
        table = setup.table(key, (*team(Seat.A), *team(Seat.B)))
        return {piggle: _seat(f"{key}.{piggle}", seat) for piggle, seat in sorted(table.items())}

    captured, shields = by_piggle("captured"), by_piggle("shields")
    for piggle, seat in captured.items():
        if owner(piggle) is seat:
            raise SpecError(f"{piggle} captured by its owner {seat}", fix="leave it out")
    on_board("shields", shields)
    credits = []
    for name, ids in setup.table("credits", BOARD_SEATS).items():
        seat = Seat(name)
        for piggle in _ids("credits", ids):
            if piggle not in lying:
                state = _unpaid(state, piggle, seat)
            elif lying[piggle].orientation is not Orientation.SNOUT_UP:
                # Only a Piggle that is not Snout-Up earns a credit on the board (P6, P7).
                credits.append((piggle, seat))
    # Only a capture puts a Piggle into the other player's areas.
    captured_by_place = {
        piggle
        for seat in BOARD_SEATS
        for side in (state.side(seat),)
        for piggle in (*side.pen, *side.cup, *side.mud_piggles, *side.kitchen)
        if piggle.startswith(BOARD_SEATS) and owner(piggle) is not seat
    }
    return replace(
        state,
        captured=in_order({*captured, *captured_by_place}),
        knock_credits=tuple(sorted(credits)),
        # Shields of the player to move are of this very turn.
        shields=tuple(
            Shield(piggle=piggle, by=seat, fresh=seat is state.active)
            for piggle, seat in shields.items()
        ),
    )


def _unpaid(state: PigglesState, piggle: str, seat: Seat) -> PigglesState:
    """Return the state in which the next Tally of `seat` pays for a Piggle off the board (R11)."""
    paid = state.side(seat)
    for side in (state.a, state.b):
        if piggle in side.mud_piggles:
            return state.with_side(seat, mud_bonuses=paid.mud_bonuses + 1)
        if piggle in side.kitchen:
            return state.with_side(seat, kitchen_bonuses=paid.kitchen_bonuses + 1)
    raise SpecError(
        f"credits of {piggle}, not on the board, in a Mud or Kitchen", fix="leave it out"
    )


def _read_pieces(setup: Fields) -> Lineup:
    """Return the markings in a setup; a Piggle that it does not name has none."""
    pieces = []
    for piggle, value in sorted(setup.table("pieces").items()):
        table = Fields(f"the piece {piggle}", value, ("color", "rune", "premium"))
        # A weighted Piggle rolls differently in physics, but the rules treat it alike.
        table.flag("premium", default=False)
        colour, rune = table.get("color"), table.get("rune")
        piece = Markings(
            colour=None if colour is None else read_colour(str(colour)),
            rune=None if rune is None else read_rune(str(rune)),
        )
        pieces.append((piggle, piece))
    return tuple(pieces)


@_CLASSIC.event("player", "round")
def _start_turn(scene: _Scene, event: Fields) -> Step:
    # Everything that a Tally ends has ended, even if the scenario omits the Tally.
    waiting = tuple(replace(each, fresh=False) for each in scene.state.shields if not each.rolled)
    fresh = replace(scene.state, actors=(), acted=(), shields=waiting)
    seat, number = scene.player(event), scene.round(event)
    return scene.at(turns.start_turn(fresh, seat, number, scene.rules))


@_CLASSIC.event("player", "pieces")
def _load(scene: _Scene, event: Fields) -> Step:
    seat, piggles = scene.player(event), _ids("pieces", event.need("pieces"))
    if scene.state.phase is PigglesPhase.SUDDEN:
        return scene.at(turns.choose(scene.state, seat, piggles, scene.rules))
    loaded = areas.load(scene.state, seat, Load(piggles))
    return scene.at(replace(loaded, active=seat, phase=PigglesPhase.ROLL, rerolls=0))


@_CLASSIC.event("player", "outcome", "knocked")
def _roll(scene: _Scene, event: Fields) -> Step:
    state, result = _rolled(scene, event)
    rolled = (*state.a.cup, *state.b.cup)
    if scene.options is None:
        return scene.at(turns.land(state, result, scene.rules))
    state, result = effects.capture(state, result)
    landed = effects.shields_after_roll(turns.land(state, result, scene.rules), scene.options.rules)
    if landed.phase is PigglesPhase.ROLL:
        return scene.at(landed)
    acting = effects.begin(landed, rolled, scene.options)
    return scene.at(replace(acting, phase=PigglesPhase.ACTION_REACTION))


def _rolled(scene: _Scene, event: Fields) -> tuple[PigglesState, RollResult]:
    """Return the state with loaded cups, and the result of the roll that an event gives.

    A roll without a load before it takes its Piggles from the Pen; R8 still applies.
    """
    state, seat = scene.state, scene.player(event)
    event.need("outcome")
    outcome = {name: _landing(name, at) for name, at in event.table("outcome").items()}
    standing = dict(state.board)
    placed = {*state.a.cup, *state.b.cup, *standing}
    unloaded = tuple(piggle for piggle in outcome if piggle not in placed)
    loaded = areas.load(state, seat, Load(unloaded))
    state = replace(loaded, active=seat, phase=PigglesPhase.ROLL)
    request = turns.roll_request(state, scene.rules)
    landings = {**dict.fromkeys(request.piggles), **standing, **outcome}
    pairs = tuple((piggle, landing) for piggle, landing in landings.items() if landing is not None)
    # A roll that omits its own Piggles still changes the others that it gives.
    by = request.piggles[0] if request.piggles else f"{seat}1"
    knocked = _ids("knocked", event.get("knocked")) if "knocked" in event else None
    result = RollResult(landings=pairs, knocks=_knocks(knocked, standing, outcome, by=by))
    if request.piggles:
        turns.check_outcome(request, result)
    return state, result


def _knocks(
    struck: tuple[str, ...] | None,
    standing: Mapping[str, Landing],
    outcome: Mapping[str, Landing],
    *,
    by: str,
) -> tuple[Knock, ...]:
    """Return the knocks of a roll; `struck` None means every Piggle whose landing changed.

    `standing` holds the board before the roll, `outcome` the Piggles rolled or changed.
    """
    if struck is None:
        struck = tuple(p for p, landing in standing.items() if outcome.get(p, landing) != landing)
    knocks = []
    for piggle in struck:
        if piggle not in standing:
            raise SpecError(f"knocked {piggle} was not on the board", fix="leave it out")
        before, after = standing[piggle], outcome.get(piggle, standing[piggle])
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


@_CLASSIC.event("player")
def _skip_roll(scene: _Scene, event: Fields) -> Step:
    return scene.at(replace(scene.state, active=scene.player(event), phase=PigglesPhase.TALLY))


@_CLASSIC.event("player")
def _tally(scene: _Scene, event: Fields) -> Step:
    state, seat = scene.state, scene.player(event)
    if scene.options is not None:
        over = replace(state, phase=PigglesPhase.TALLY, actors=(), acted=())
        state = effects.shields_after_turn(over, seat, scene.options.rules)
    return scene.at(areas.book(state, areas.tally_of(state, seat, scene.rules)))


@_CLASSIC.event()
def _resolve(scene: _Scene, _: Fields) -> Step:
    return scene.at(turns.resolve(scene.state, scene.rules))


@_CLASSIC.event("player")
def _concede(scene: _Scene, event: Fields) -> Step:
    return scene.at(turns.concede(scene.state, scene.player(event)))


@_CLASSIC.event("A", "B")
def _sudden(scene: _Scene, event: Fields) -> Step:
    state, rules = scene.state, scene.rules
    # Null is a roll off the board, but of a player without a Piggle it is no roll at all.
    thrown = tuple(
        (seat, _sudden_landing(event.get(seat)))
        for seat in BOARD_SEATS
        if seat in event and (event.get(seat) is not None or turns.available(state, seat, rules))
    )
    if len(thrown) < len(BOARD_SEATS) and state.phase is not PigglesPhase.SUDDEN:
        state = turns.after_last_round(state, rules)
    lacking = state.result is not None and state.result.reason in {
        PigglesReason.NONE_AVAILABLE,
        PigglesReason.DRAW,
    }
    if state.result is not None and not (lacking and len(thrown) == len(BOARD_SEATS)):
        return scene.at(state)
    if not thrown:
        raise SpecError("no pose in the event sudden", fix="add A and B")
    # Poses given for both are rolls that took place: somebody had a Piggle to roll after all.
    old = state.sudden
    fresh = Sudden(
        a=None if Seat.A in event else old.a,
        b=None if Seat.B in event else old.b,
        rerolls=old.rerolls,
    )
    due = replace(state, phase=PigglesPhase.SUDDEN, sudden=fresh, result=None)
    return scene.at(turns.throw_sudden(due, thrown, rules))


def _sudden_landing(value: object) -> Landing:
    """Return a tie-break roll: a pose, or null or `off` for off the board."""
    if value is None or value == Zone.OFF:
        return _OFF
    return Landing(orientation=member("pose", value, Orientation), zone=Zone.WOODS)


@_CLASSIC.event("state")
def _expect(scene: _Scene, event: Fields) -> Step:
    return differing(event.need("state"), _found(scene), "state") or scene


@_CLASSIC.event("player", "cases")
def _expect_loadable(scene: _Scene, event: Fields) -> Step:
    for case in event.list("cases"):
        match case:
            case [list() as pieces, bool() as expected]:
                ids = _ids("a case", pieces)
            case _:
                raise SpecError(f"invalid case {case!r}", fix='use [["A1"], true]')
        legal = areas.loadable(scene.state, scene.player(event), ids)
        if legal is not expected:
            return Mismatch(key=f"[{' '.join(ids)}]", expected=expected, got=legal)
    return scene


@_CLASSIC.event("round", "mode", "phases")
def _expect_phases(scene: _Scene, event: Fields) -> Step:
    usual = PhaseMode.CLASSIC if scene.options is None else PhaseMode.MODERN
    mode, number = member("mode", event.get("mode", usual), PhaseMode), scene.round(event)
    expected, phases = event.list("phases"), list(map(str, turn_phases(number, mode=mode)))
    return differing(expected, phases, f"round {number} {mode}") or scene


_MODERN = Events(_CLASSIC)


def _acting(scene: _Scene, event: Fields) -> tuple[PigglesState, str, tuple[str, ...]]:
    """Return the state in the Action phase of a Piggle's player, the Piggle, and its targets.

    If a scenario omits the roll of that turn, the other player's shields protect as after that
    roll (M12).
    """
    piggle, state, options = event.need("piece"), scene.state, scene.options
    if not isinstance(piggle, str) or not piggle.startswith(("A", "B")):
        raise SpecError(f"unknown piece {piggle!r}", fix='use "A1"')
    assert options is not None
    if state.phase is PigglesPhase.ACTION_REACTION:
        may_act = piggle in state.actors
    else:
        may_act, seat = piggle not in state.acted, state.controller(piggle)
        shields = (replace(s, rolled=s.rolled or s.by is not seat) for s in state.shields)
        state = replace(state, shields=tuple(shields))
    return state, piggle, effects.targets(state, piggle, options) if may_act else ()


@_MODERN.event("piece", "targets")
def _expect_targets(scene: _Scene, event: Fields) -> Step:
    _, piggle, actual = _acting(scene, event)
    expected = _ids("targets", event.need("targets"))
    return differing(list(expected), actual, piggle) or scene


@_MODERN.event("piece", "target", "reroll", "knocked")
def _action(scene: _Scene, event: Fields) -> Step:
    options, target = scene.options, event.get("target")
    assert options is not None
    state, piggle, reachable = _acting(scene, event)
    state = replace(state, active=state.controller(piggle))
    declined = target is None and not (reachable and options.rules.effects_mandatory)
    if declined or (
        target not in reachable
        and isinstance(target, str)
        and effects.shielded_from(state, piggle, target, options)
    ):
        # Lapsed for want of a target, where it was not declined (M2, M8).
        return scene.at(replace(state, acted=in_order((*state.acted, piggle))))
    if not isinstance(target, str) or target not in reachable:
        raise IllegalActionError(
            f"{piggle} cannot act on {target}",
            fix=f"use {' or '.join(reachable)}" if reachable else "leave target out",
            rule="M7",
        )
    return scene.at(_answered(effects.declare(state, Act(piggle, target), options), event, options))


def _answered(state: PigglesState, event: Fields, options: effects.EffectOptions) -> PigglesState:
    """Return the state after a declared effect with the chance outcome of the event."""
    act = state.pending
    rolls = act is not None and options.verb(act.piggle) is effects.EffectVerb.CRIT
    if "knocked" in event and not rolls:
        raise SpecError("knocked Piggles in an action that rolls none", fix="leave knocked out")
    if act is None:
        return state
    request = effects.effect_request(state, options)
    if rolls:
        landing = _landing(act.target, event.need("reroll"))
        moved = {name: _landing(name, at) for name, at in event.table("knocked").items()}
        standing = dict(request.standing)
        knocks = _knocks(tuple(moved), standing, moved, by=act.target)
        landings = {act.target: landing, **standing, **moved}
        result = RollResult(landings=tuple(landings.items()), knocks=knocks)
    else:
        spot = request.set_down
        assert spot is not None
        landing = Landing(orientation=spot.orientation, zone=spot.zone)
        result = RollResult(landings=((act.target, landing),))
    turns.check_outcome(request, result)
    return effects.carry_out(state, result, options)


def _found(scene: _Scene) -> dict[str, object]:
    state = scene.state
    sides = {str(seat): state.side(seat) for seat in BOARD_SEATS}
    return {
        **{
            area: {name: getattr(side, part) for name, side in sides.items()}
            for area, part in zip(_AREAS, ("pen", "cup", "mud_piggles", "kitchen"), strict=True)
        },
        "scores": {name: side.score for name, side in sides.items()},
        "board": Whole({piggle: [str(at.zone), str(at.orientation)] for piggle, at in state.board}),
        "result": _result(state),
    }


def _result(state: PigglesState) -> dict[str, str | None] | None:
    blank: dict[str, str | None] = dict.fromkeys(("winner", "reason", "next"))
    if state.result is not None:
        return {**blank, "winner": state.result.winner, "reason": state.result.reason}
    if state.phase is PigglesPhase.SUDDEN:
        return {**blank, "next": "reroll" if state.sudden.rerolls else "sudden_snout_up"}
    return None


CLASSIC = GameScenarios(_start, _CLASSIC, _found)
MODERN = GameScenarios(_start, _MODERN, _found)
