"""Turns of Piggles: rolls, Resolve, exhaustion and Sudden Snout-Up (R6-R18)."""

from dataclasses import dataclass

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Result, changed
from pigglesim.games.piggles.areas import (
    KITCHEN_BONUS,
    MUD_BONUS,
    Tally,
    book,
    into_kitchen,
    into_mud,
    leave_board,
    recoup,
    tally_of,
    without_date,
)
from pigglesim.games.piggles.state import (
    BonusScope,
    Exhaustion,
    KitchenBonus,
    MudBonus,
    OffBoard,
    PigglesPhase,
    PigglesReason,
    PigglesRules,
    PigglesState,
    Sudden,
    SuddenAvailable,
    SuddenBoard,
    SuddenChoice,
    SuddenOffBoard,
    SuddenRolls,
    in_order,
    owner,
)
from pigglesim.landing import (
    BOARD_SEATS,
    Cocked,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SetDown,
    Zone,
)


def resolve(state: PigglesState, rules: PigglesRules) -> PigglesState:
    """Return the state after a Resolve, which can end the game in the last round.

    Snout-Down goes to the Mud and On-Their-Head to the Kitchen, those of the Piggle's controller
    (M13). Snout-Up stays.
    The round's number does not change, because the next turn begins the next round.
    """
    lying = state.board
    stay = tuple(entry for entry in lying if entry[1].orientation is Orientation.SNOUT_UP)
    payments = knock_payments(state, rules)
    state = changed(state, board=stay, knock_credits=(), phase=PigglesPhase.RESOLVE)
    for piggle, landing in lying:
        if landing.orientation is Orientation.SNOUT_DOWN:
            state = into_mud(state, piggle, rules)
        elif landing.orientation is Orientation.ON_THEIR_HEAD:
            state = into_kitchen(state, piggle, rules)
    for _, seat, points in payments:
        state = state.with_side(seat, score=state.side(seat).score + points)
    if state.round < rules.rounds:
        return state
    if rules.final_penalty:
        state = _last_penalty(state)
    return after_last_round(state, rules)


def knock_payments(state: PigglesState, rules: PigglesRules) -> tuple[tuple[str, Seat, int], ...]:
    """Return what a Resolve pays for Piggles knocked over: Piggle, player, points (P6, P7)."""
    at_resolve: dict[Orientation | None, int] = {
        Orientation.SNOUT_DOWN: MUD_BONUS * (rules.mud_bonus is MudBonus.AT_RESOLVE),
        Orientation.ON_THEIR_HEAD: KITCHEN_BONUS
        * (rules.kitchen_bonus_classic is KitchenBonus.AT_RESOLVE),
    }
    board = dict(state.board)
    owed = (
        (piggle, seat, at_resolve.get(board[piggle].orientation, 0))
        for piggle, seat in state.knock_credits
        if piggle in board
    )
    return tuple(payment for payment in owed if payment[2])


def _last_penalty(state: PigglesState) -> PigglesState:
    """Return the state with the penalty for entries to a Kitchen since the last Tally (P8)."""
    for seat in BOARD_SEATS:
        side = state.side(seat)
        score = max(0, side.score - len(side.late))
        charged = in_order((*side.charged, *side.late))
        state = state.with_side(seat, score=score, charged=charged, late=())
    return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Finished phase, with the state after it."""

    phase: PigglesPhase
    seat: Seat | None
    """Player of the phase; None for Resolve."""
    state: PigglesState
    tally: Tally | None = None
    """Details of the points, after a Tally."""


def start_turn(
    state: PigglesState, seat: Seat, round_number: int, rules: PigglesRules
) -> PigglesState:
    """Return the state in which `seat` may load: exhaustion tested, Mud recouped (R6, R17)."""
    state = changed(state, round=round_number, active=seat, phase=PigglesPhase.LOAD, rerolls=0)
    # Every setting of the switch tests before the Recoup is done, so that a player who has lost
    # leaves the state as it was.
    if round_number == EXHAUSTION_ROUND:
        state = check_exhaustion(state, rules)
        if state.result is not None:
            return state
    return recoup(state, seat, rules)


def end_turn(state: PigglesState, rules: PigglesRules) -> list[Step]:
    """Return the active player's Tally and what follows it."""
    seat = state.active
    counted = tally_of(state, seat, rules)
    state = book(state, counted)
    steps = [Step(phase=PigglesPhase.TALLY, seat=seat, state=state, tally=counted)]
    if seat is rules.first_in(state.round):
        return [*steps, _begin(state, seat.other, state.round, rules)]
    resolved = resolve(state, rules)
    steps.append(Step(phase=PigglesPhase.RESOLVE, seat=None, state=resolved))
    if resolved.round < rules.rounds:
        following = resolved.round + 1
        steps.append(_begin(resolved, rules.first_in(following), following, rules))
    return steps


def _begin(state: PigglesState, seat: Seat, round_number: int, rules: PigglesRules) -> Step:
    started = start_turn(state, seat, round_number, rules)
    return Step(phase=PigglesPhase.RECOUP, seat=seat, state=started)


EXHAUSTION_ROUND = 5
"""Round at whose start a player without usable Piggles loses (R17, P4)."""


def _on_points(state: PigglesState) -> Result:
    """Return the result by score: the higher wins, a tie is a draw."""
    a, b = state.a.score, state.b.score
    if a == b:
        return Result(winner=None, reason=PigglesReason.DRAW)
    return Result(winner=Seat.A if a > b else Seat.B, reason=PigglesReason.SCORE)


def after_last_round(state: PigglesState, rules: PigglesRules) -> PigglesState:
    """Return the state after the last Resolve: a win on points, or a due tie-break.

    A player with no Piggle for the tie-break has lost it (R16); two such players draw (P15).
    """
    if state.result is not None:
        return state
    if state.a.score != state.b.score:
        return changed(state, result=_on_points(state))
    ready = [seat for seat in BOARD_SEATS if available(state, seat, rules)]
    if len(ready) == 1:
        return changed(state, result=Result(winner=ready[0], reason=PigglesReason.NONE_AVAILABLE))
    if not ready:
        return changed(state, result=Result(winner=None, reason=PigglesReason.DRAW))
    first = rules.first_in(state.round)
    return changed(state, phase=PigglesPhase.SUDDEN, active=first, sudden=Sudden())


def exhausted(state: PigglesState, seat: Seat) -> bool:
    """Return whether the Pen of `seat` is empty and every Piggle is in Mud or Kitchen (R17).

    A side without any Piggle, which only constructed states have, is not exhausted.
    """
    side = state.side(seat)
    elsewhere = side.pen or side.cup or state.on_board(seat)
    return not elsewhere and bool(side.mud or side.kitchen)


def check_exhaustion(state: PigglesState, rules: PigglesRules) -> PigglesState:
    """Return the state after the test at the start of a turn of round 5 (P4).

    If both players would fail, neither loses by it: the score decides, and a tie is a draw.
    """
    seat, tested = state.active, state
    due: tuple[Seat, ...] = (seat,)
    match rules.exhaustion:
        case Exhaustion.ROUND_START:
            due = BOARD_SEATS if seat is rules.first_in(state.round) else ()
        case Exhaustion.BEFORE_RECOUP:
            pass
        case Exhaustion.AFTER_RECOUP:
            tested = recoup(recoup(state, seat, rules), seat.other, rules)
        case Exhaustion.OFF:
            due = ()
    out = [each for each in due if exhausted(tested, each)]
    if state.result is not None or not out:
        return state
    loser = out[0]
    if exhausted(tested, loser.other):
        return changed(state, result=_on_points(state))
    return changed(state, result=Result(winner=loser.other, reason=PigglesReason.EXHAUSTION))


def concede(state: PigglesState, seat: Seat) -> PigglesState:
    """Return the state after `seat` has conceded (R18)."""
    if state.result is not None:
        return state
    return changed(state, result=Result(winner=seat.other, reason=PigglesReason.CONCESSION))


_RANK = {
    Orientation.SNOUT_UP: 3,
    Orientation.SNOUT_DOWN: 2,
    Orientation.ON_THEIR_HEAD: 1,
    None: 0,
}
"""Rank of orientations: Up, Down, Head (R16); off the board is below all if it counts (P15)."""


def available(state: PigglesState, seat: Seat, rules: PigglesRules) -> tuple[str, ...]:
    """Return the Piggles that `seat` may roll: the Pen's, or the Mud's if the Pen is empty.

    Those of the seat's own team come first, captured ones after them.
    """
    side = state.side(seat)
    areas = [side.pen, side.mud_piggles]
    if rules.sudden_available is SuddenAvailable.PEN_MUD_OR_BOARD:
        areas.append(tuple(piggle for piggle, _ in state.on_board(seat)))
    area = next((area for area in areas if area), ())
    return tuple(sorted(area, key=lambda piggle: (owner(piggle) is not seat, piggle)))


def _due(state: PigglesState, rules: PigglesRules) -> tuple[Seat, ...]:
    """Return the players of the next roll of the tie-break."""
    due = [seat for seat in (state.active, state.active.other) if state.sudden.of(seat) is None]
    return tuple(due if rules.sudden_rolls is SuddenRolls.TOGETHER else due[:1])


def _sudden_piggle(state: PigglesState, seat: Seat, rules: PigglesRules) -> str:
    """Return the Piggle that a player rolls in the tie-break."""
    chosen = (name for name in state.sudden.chosen if state.controller(name) is seat)
    return next(chosen, available(state, seat, rules)[0])


def chooser(state: PigglesState, rules: PigglesRules) -> Seat | None:
    """Return the player who chooses a Piggle for the next roll of the tie-break, if any (P15)."""
    if rules.sudden_choice is SuddenChoice.FIRST:
        return None
    chosen = {state.controller(name) for name in state.sudden.chosen}
    undecided = (seat for seat in _due(state, rules) if seat not in chosen)
    return next((seat for seat in undecided if len(available(state, seat, rules)) > 1), None)


def choose(
    state: PigglesState, seat: Seat, piggles: tuple[str, ...], rules: PigglesRules
) -> PigglesState:
    """Return the state after a player's choice of a Piggle for the tie-break.

    Raises:
        IllegalActionError: Unless it is one Piggle, which is available.
    """
    ready = available(state, seat, rules)
    if len(piggles) != 1 or piggles[0] not in ready:
        raise IllegalActionError(
            f"{seat} cannot roll {' '.join(piggles) or 'nothing'} in the tie-break",
            expected=f"one of {' '.join(ready)}",
            fix=f"use load {ready[0]}",
            rule="R16",
        )
    sudden = changed(state.sudden, chosen=in_order((*state.sudden.chosen, *piggles)))
    return changed(state, sudden=sudden)


def sudden_request(state: PigglesState, rules: PigglesRules) -> RollRequest:
    """Return the next roll of the tie-break."""
    seats = _due(state, rules)
    piggles = tuple(_sudden_piggle(state, seat, rules) for seat in seats)
    lying = () if rules.sudden_board is SuddenBoard.CLEARED else state.board
    return RollRequest(
        thrower=seats[0],
        piggles=piggles,
        standing=tuple(entry for entry in lying if entry[0] not in piggles),
        reading=rules.reading(),
    )


def _counts(landing: Landing, rules: PigglesRules) -> bool:
    """Return whether a landing counts; otherwise it is rolled again (P12, P15)."""
    if landing.orientation is None:
        return rules.sudden_off_board is SuddenOffBoard.WORST
    leans = landing.leaning or landing.stacked
    return not (leans and rules.cocked is Cocked.REROLL)


def throw_sudden(
    state: PigglesState, landings: tuple[tuple[Seat, Landing], ...], rules: PigglesRules
) -> PigglesState:
    """Return the state after one or both players have rolled in the tie-break.

    Equal orientations and rolls that do not count are rolled again, each costing one of the
    `sudden_cap` rerolls; when those are used up the game is drawn (P15).
    """
    sudden = state.sudden
    for seat, landing in landings:
        bare = Landing(orientation=landing.orientation, zone=landing.zone)
        counted = bare if _counts(landing, rules) else None
        sudden = changed(sudden, a=counted) if seat is Seat.A else changed(sudden, b=counted)
        if counted is None:
            sudden = changed(sudden, rerolls=sudden.rerolls + 1)
    if sudden.a is not None and sudden.b is not None:
        a, b = _RANK[sudden.a.orientation], _RANK[sudden.b.orientation]
        if a != b:
            won = Result(winner=Seat.A if a > b else Seat.B, reason=PigglesReason.SUDDEN_SNOUT_UP)
            return changed(state, sudden=sudden, result=won)
        sudden = Sudden(rerolls=sudden.rerolls + 1)
    if sudden.rerolls > rules.sudden_cap:
        draw = Result(winner=None, reason=PigglesReason.DRAW)
        return changed(state, sudden=sudden, result=draw)
    return changed(state, sudden=sudden)


def land_sudden(state: PigglesState, outcome: RollResult, rules: PigglesRules) -> PigglesState:
    """Return the state after an outcome, already checked, of `sudden_request`.

    Its effects on other Piggles are discarded: the board is restored for each roll.
    """
    rolled = sudden_request(state, rules).piggles
    landings = tuple(
        (state.controller(piggle), landing)
        for piggle, landing in outcome.landings
        if piggle in rolled
    )
    return throw_sudden(state, landings, rules)


def roll_request(state: PigglesState, rules: PigglesRules) -> RollRequest:
    """Return the due roll, of every Piggle in a cup."""
    # Only a Piggle that the opponent rolls again is in the other cup (P11).
    cups = (*state.side(state.active).cup, *state.side(state.active.other).cup)
    return RollRequest(
        thrower=state.active,
        piggles=cups,
        standing=state.board,
        reading=rules.reading(),
        hold=state.hold,
    )


def check_outcome(request: RollRequest, outcome: RollResult) -> None:
    """Raise `SpecError` unless an outcome answers the request exactly.

    Only requested Piggles and those on the board have a landing, and each has one. The orientation
    is missing only off the board, and only Piggles on the board are knocked.
    """
    if request.set_down is not None:
        _check_set_down(request, request.set_down, outcome)
        return
    standing = {piggle for piggle, _ in request.standing}
    expected = sorted({*request.piggles, *standing})
    landed = [piggle for piggle, _ in outcome.landings]
    if sorted(landed) != expected:
        raise SpecError(
            f"landings of {' '.join(landed) or 'no Piggle'}",
            expected=" ".join(expected),
            fix="give one landing of each Piggle of the request",
        )
    for piggle, landing in outcome.landings:
        if (landing.orientation is None) != (landing.zone is Zone.OFF):
            raise SpecError(
                f"orientation {landing.orientation} of {piggle} in zone {landing.zone}",
                fix="give an orientation in every zone except off",
            )
    for knock in outcome.knocks:
        if knock.struck not in standing or knock.by not in request.piggles:
            raise SpecError(
                f"a knock of {knock.struck} by {knock.by}, which cannot meet in this roll",
                fix="leave it out",
            )


def _check_set_down(request: RollRequest, spot: SetDown, outcome: RollResult) -> None:
    """Raise `SpecError` unless the Piggle is placed as requested, or had no room."""
    match outcome:
        case RollResult(landings=((piggle, landing),), knocks=()) if (piggle,) == request.piggles:
            placed = (landing.orientation, landing.zone)
            valid = placed in {(spot.orientation, spot.zone), (None, Zone.OFF)}
        case _:
            valid = False
    if not valid:
        placements = [f"{name} {at.orientation} at {at.zone}" for name, at in outcome.landings]
        raise SpecError(
            f"{', '.join(placements) or 'nothing'} set down",
            expected=f"only {request.piggles[0]}, {spot.orientation} at {spot.zone}, or off",
            fix="set it down as requested",
        )


def pays(state: PigglesState, piggle: str, rules: PigglesRules) -> bool:
    """Return whether knocking this Piggle earns the active player a bonus (P6)."""
    opposing = state.controller(piggle) is not state.active
    return opposing or rules.bonus_scope is BonusScope.ANY


def _off_board(
    state: PigglesState, piggle: str, rules: PigglesRules, *, knocked: bool
) -> PigglesState:
    """Return the state with a Piggle that left the board moved to its destination (P11)."""
    roller = state.active
    if rules.off_board is OffBoard.REROLL and state.rerolls < rules.reroll_cap:
        # It has left the board, even if it returns immediately.
        return into_cup(leave_board(state, piggle), piggle)
    bonus = int(knocked and pays(state, piggle, rules))
    if rules.off_board is OffBoard.KITCHEN:
        state = into_kitchen(state, piggle, rules)
        side = state.side(roller)
        return state.with_side(roller, kitchen_bonuses=side.kitchen_bonuses + bonus)
    state = into_mud(state, piggle, rules, roller=roller)
    side = state.side(roller)
    return state.with_side(roller, mud_bonuses=side.mud_bonuses + bonus)


def into_cup(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state with a Piggle moved into the cup."""
    seat = state.controller(piggle)
    return state.with_side(seat, cup=in_order((*state.side(seat).cup, piggle)))


def _credits(
    state: PigglesState, outcome: RollResult, rules: PigglesRules
) -> tuple[tuple[str, Seat], ...]:
    """Return the credits for Piggles knocked Snout-Down or onto their heads (P6, P7).

    The roller gets the credit for one that this roll turned so. A Piggle that is turned again
    loses it.
    """
    after = {piggle: landing.orientation for piggle, landing in outcome.landings}
    before = {piggle: landing.orientation for piggle, landing in state.board}
    credits = {
        piggle: seat
        for piggle, seat in state.knock_credits
        if after.get(piggle) is before.get(piggle)
    }
    for piggle in (knock.struck for knock in outcome.knocks):
        over = after[piggle] in {Orientation.SNOUT_DOWN, Orientation.ON_THEIR_HEAD}
        if over and after[piggle] is not before[piggle] and pays(state, piggle, rules):
            credits[piggle] = state.active
    return tuple(sorted(credits.items()))


def land(state: PigglesState, outcome: RollResult, rules: PigglesRules) -> PigglesState:
    """Return the state after a roll of the active player, whose outcome passed `check_outcome`.

    The phase is Roll while Piggles must be rolled again (P11, P12), otherwise Tally.
    """
    rolled = {*state.a.cup, *state.b.cup}
    knocked = {knock.struck for knock in outcome.knocks}
    board: list[tuple[str, Landing]] = []
    off: list[str] = []
    again: list[str] = []
    for piggle, landing in sorted(outcome.landings, key=lambda entry: entry[0]):
        leans = landing.leaning or landing.stacked
        if landing.zone is Zone.OFF:
            off.append(piggle)
        elif (
            leans
            and piggle in rolled
            and rules.cocked is Cocked.REROLL
            and state.rerolls < rules.reroll_cap
        ):
            again.append(piggle)
        else:
            board.append((piggle, landing))
    credits = _credits(state, outcome, rules)
    state = changed(
        state,
        board=tuple(board),
        knock_credits=credits,
        a=changed(state.a, cup=()),
        b=changed(state.b, cup=()),
    )
    for piggle, landing in board:
        if landing.orientation is Orientation.SNOUT_UP:
            state = without_date(state, piggle)
    for piggle in again:
        state = into_cup(state, piggle)
    for piggle in off:
        state = _off_board(state, piggle, rules, knocked=piggle in knocked)
    if state.a.cup or state.b.cup:
        return changed(state, phase=PigglesPhase.ROLL, rerolls=state.rerolls + 1)
    return changed(state, phase=PigglesPhase.TALLY, hold=None)
