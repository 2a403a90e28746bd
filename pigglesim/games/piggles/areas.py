"""Areas of Piggles (Pen, Mud, Kitchen), loads and Tallies (R3, R4, R7-R11, P3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pigglesim.errors import IllegalActionError
from pigglesim.games.game import changed
from pigglesim.games.piggles.state import (
    FIRST_RECOUP_ROUND,
    PEN_SIZE,
    Capture,
    KitchenPenalty,
    ModernRules,
    MudDelay,
    MudEntry,
    PigglesRules,
    PigglesState,
    in_order,
    owner,
)
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import (
    BOARD_HALF,
    MAX_CUP_HEIGHT,
    MAX_HEADING,
    MAX_SWING,
    MIN_CUP_HEIGHT,
    ZONE_POINTS,
    CupHold,
    Hold,
    Orientation,
    Seat,
)


def leave_board(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state without a Piggle's shield and old Mud date, which end there (M11, M12)."""
    if state.shields:
        shields = tuple(shield for shield in state.shields if shield.piggle != piggle)
        state = changed(state, shields=shields)
    return without_date(state, piggle)


def without_date(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state without the old Mud date of a Piggle that Green returned (M11)."""
    if not state.returned:
        return state
    return changed(state, returned=tuple(e for e in state.returned if e.piggle != piggle))


def _off(state: PigglesState, piggle: str, rules: PigglesRules) -> PigglesState:
    """Return the state after a Piggle leaves the board.

    It may also end the control of a captured Piggle (M13).
    """
    state = leave_board(state, piggle)
    if (
        piggle in state.captured
        and isinstance(rules, ModernRules)
        and rules.capture is Capture.RETURN
    ):
        captured = tuple(name for name in state.captured if name != piggle)
        state = changed(state, captured=captured)
    return state


def into_mud(
    state: PigglesState,
    piggle: str,
    rules: PigglesRules,
    *,
    roller: Seat | None = None,
    demoted: bool = False,
) -> PigglesState:
    """Return the state with a Piggle, taken from elsewhere, added to its controller's Mud.

    `roller` is the player whose roll or effect took it from its place; None at Resolve, to which a
    Piggle that Green returned keeps its old date (M11). A `demoted` one comes from the Kitchen.
    """
    before = next((e for e in state.returned if e.piggle == piggle and roller is None), None)
    state = _off(state, piggle, rules)
    seat = state.controller(piggle)
    early = roller is not None and roller is not seat and roller is rules.first_in(state.round)
    entry = before or MudEntry(piggle=piggle, round=state.round, early=early, demoted=demoted)
    mud = sorted((*state.side(seat).mud, entry), key=lambda each: each.piggle)
    return state.with_side(seat, mud=tuple(mud))


def into_kitchen(state: PigglesState, piggle: str, rules: PigglesRules) -> PigglesState:
    """Return the state with a Piggle added to its controller's Kitchen."""
    state = _off(state, piggle, rules)
    seat = state.controller(piggle)
    side = state.side(seat)
    kitchen, late = in_order((*side.kitchen, piggle)), in_order((*side.late, piggle))
    return state.with_side(seat, kitchen=kitchen, late=late)


def into_pen(state: PigglesState, piggle: str, seat: Seat) -> PigglesState:
    """Return the state with a Piggle added to the Pen of `seat`, which now controls it."""
    others = tuple(name for name in state.captured if name != piggle)
    captured = others if owner(piggle) is seat else in_order((*others, piggle))
    side = state.side(seat)
    state = changed(leave_board(state, piggle), captured=captured)
    return state.with_side(seat, pen=in_order((*side.pen, piggle)))


def out_of(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state with a Piggle taken off the board, or out of any Pen, Mud or Kitchen."""
    if state.landing(piggle) is not None:
        board = tuple(entry for entry in state.board if entry[0] != piggle)
        credits = tuple(entry for entry in state.knock_credits if entry[0] != piggle)
        return changed(state, board=board, knock_credits=credits)
    seat = state.controller(piggle)
    side = state.side(seat)

    def without(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if name != piggle)

    return state.with_side(
        seat,
        pen=without(side.pen),
        mud=tuple(entry for entry in side.mud if entry.piggle != piggle),
        kitchen=without(side.kitchen),
        charged=without(side.charged),
        late=without(side.late),
    )


MUD_DELAY = 2
"""Rounds from the Mud to the Recoup, by the default of `mud_delay` (P3)."""


def may_leave_mud(entry: MudEntry, round_number: int, rules: PigglesRules) -> bool:
    """Return whether a Piggle may leave the Mud in a round's Recoup (P3)."""
    if round_number < FIRST_RECOUP_ROUND:
        return False
    match rules.mud_delay:
        case MudDelay.NONE:
            return True
        case MudDelay.ONE_FULL_TURN:
            return round_number >= entry.round + MUD_DELAY
        case MudDelay.OWNER_TURN:
            # A Piggle that entered before its owner's turn has already missed that turn.
            return round_number >= entry.round + MUD_DELAY - entry.early


def recoup(state: PigglesState, seat: Seat, rules: PigglesRules) -> PigglesState:
    """Return the state after the compulsory Recoup of `seat` (R7, P14)."""
    side = state.side(seat)
    back = [entry for entry in side.mud if may_leave_mud(entry, state.round, rules)]
    if not back:
        return state
    pen = in_order((*side.pen, *(entry.piggle for entry in back)))
    stay = tuple(entry for entry in side.mud if entry not in back)
    return state.with_side(seat, pen=pen, mud=stay)


@dataclass(frozen=True, slots=True)
class Load:
    """Action of putting Piggles from the Pen into the cup; an empty load skips the roll."""

    piggles: tuple[str, ...] = ()
    hold: Hold | None = None
    """How the cup is held and thrown; None for the scene's default hold, and for a skip."""


_SLACK = 1e-7
"""Tolerance of lengths given in inches, for rounding [m]; throws have a larger one."""


def loadable(state: PigglesState, seat: Seat, piggles: Sequence[str]) -> bool:
    """Return whether `seat` may load these Piggles: at most six, distinct, from its Pen (R8)."""
    chosen = set(piggles)
    return len(chosen) == len(piggles) <= PEN_SIZE and chosen <= set(state.side(seat).pen)


def holdable(hold: Hold) -> bool:
    """Return whether a cup may be held so: 2 inches high, its centre over the own half (R9, P13).

    The own half is that of the board of the rule book. The path of a person's own hand is checked
    where its cup and board are known, before the throw.
    """
    return isinstance(hold, HandThrow) or (
        abs(hold.across) <= BOARD_HALF + _SLACK
        and -_SLACK <= hold.back <= BOARD_HALF + _SLACK
        and MIN_CUP_HEIGHT - _SLACK <= hold.height < MAX_CUP_HEIGHT
        and abs(hold.heading) <= MAX_HEADING
        and 0.0 <= (hold.swing or 0.0) <= MAX_SWING
    )


def is_legal_load(state: PigglesState, seat: Seat, action: Load) -> bool:
    """Return whether `seat` may load these Piggles, and hold the cup so unless it is empty."""
    held = action.hold is None or (bool(action.piggles) and holdable(action.hold))
    return held and loadable(state, seat, action.piggles)


def loads(state: PigglesState, seat: Seat) -> tuple[Load, ...]:
    """Return every load of `seat`, fewest Piggles first and then by id."""
    pen = state.side(seat).pen
    # With captured Piggles, a Pen can hold more than a cup takes (M13).
    sizes = range(min(len(pen), PEN_SIZE) + 1)
    return tuple(Load(chosen) for size in sizes for chosen in combinations(pen, size))


def load(state: PigglesState, seat: Seat, action: Load) -> PigglesState:
    """Return the state with Piggles moved from the Pen of `seat` into the cup, held as given.

    Raises:
        IllegalActionError: Unless `is_legal_load`.
    """
    piggles, hold = action.piggles, action.hold
    side = state.side(seat)
    if not loadable(state, seat, piggles):
        raise IllegalActionError(
            f"illegal load {' '.join(piggles)} of {seat}",
            expected=f"up to {PEN_SIZE} different Piggles of the own Pen",
            fix=f"load any of {' '.join(side.pen)}" if side.pen else "skip",
            rule="R8",
        )
    if hold is not None:
        _check_hold(hold, loaded=bool(piggles))
        state = changed(state, hold=hold)
    pen = tuple(piggle for piggle in side.pen if piggle not in piggles)
    cup = in_order((*side.cup, *piggles))
    return state.with_side(seat, pen=pen, cup=cup)


def _check_hold(hold: Hold, *, loaded: bool) -> None:
    """Raise `IllegalActionError` if R9 or P13 forbids the hold."""
    if loaded and holdable(hold):
        return
    where, rule = "a hold of an empty cup", "R9"
    if loaded and isinstance(hold, CupHold):
        where = (
            f"a cup {hold.across:g} m across, {hold.back:g} m behind the centre line, "
            f"{hold.height:g} m high"
        )
        rule = "P13" if abs(hold.across) > BOARD_HALF or hold.back > BOARD_HALF else "R9"
    raise IllegalActionError(
        where,
        expected=f"a loaded cup at least 2 in above the own half, up to {BOARD_HALF} m back",
        fix="use load A1 A3 at 0.0,0.12,0.1: across, back and height in metres; after them the "
        f"heading, up to {MAX_HEADING:.4f} rad, and the swing, up to {MAX_SWING:g} m/s",
        rule=rule,
    )


MUD_BONUS = 1
KITCHEN_BONUS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Tally of one player, step by step (R11)."""

    seat: Seat
    round: int
    zones: int
    """Points of own Snout-Up Piggles by zone."""
    mud_bonus: int
    kitchen_bonus: int
    penalty: int
    """Points lost by the own Kitchen, as a positive number."""
    before: int
    after: int


def tally_of(state: PigglesState, seat: Seat, rules: PigglesRules) -> Tally:
    """Return the Tally of `seat` without booking it.

    Only the owner's Piggles count (P5). The lower limit of zero applies once, at the end (P9).
    """
    side = state.side(seat)
    zones = sum(
        ZONE_POINTS[landing.zone]
        for _, landing in state.on_board(seat)
        if landing.orientation is Orientation.SNOUT_UP
    )
    mud_bonus = MUD_BONUS * side.mud_bonuses
    kitchen_bonus = KITCHEN_BONUS * side.kitchen_bonuses
    # P8: each Piggle costs a point in every Tally of its owner, or only in the first.
    charged_already = set(side.charged) if rules.kitchen_penalty is KitchenPenalty.ONCE else set()
    penalty = sum(piggle not in charged_already for piggle in side.kitchen)
    return Tally(
        seat=seat,
        round=state.round,
        zones=zones,
        mud_bonus=mud_bonus,
        kitchen_bonus=kitchen_bonus,
        penalty=penalty,
        before=side.score,
        after=max(0, side.score + zones + mud_bonus + kitchen_bonus - penalty),
    )


def book(state: PigglesState, counted: Tally) -> PigglesState:
    """Return the state after booking a Tally of `tally_of`."""
    return state.with_side(
        counted.seat,
        score=counted.after,
        mud_bonuses=0,
        kitchen_bonuses=0,
        charged=state.side(counted.seat).kitchen,
        late=(),
    )
