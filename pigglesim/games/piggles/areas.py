"""Into the Mud and the Kitchen, and back out of the Mud (R4, R7, P3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isfinite

from pigglesim.errors import IllegalActionError
from pigglesim.games.change import changed
from pigglesim.games.piggles.house_rules import (
    Capture,
    KitchenPenalty,
    ModernRules,
    MudDelay,
    PigglesRules,
)
from pigglesim.games.piggles.state import (
    FIRST_RECOUP_ROUND,
    PEN_SIZE,
    MudEntry,
    PigglesState,
    in_order,
    owner,
)
from pigglesim.landing import CupHold, Orientation, Seat, Zone


def _off(state: PigglesState, piggle: str, rules: PigglesRules) -> PigglesState:
    """Return the state with what ends when a Piggle leaves the board: its shield (M12).

    A captured one is its owner's again where control lasts no longer (M13).
    """
    if state.shields:
        kept = tuple(shield for shield in state.shields if shield.piggle != piggle)
        state = changed(state, shields=kept)
    if (
        piggle in state.captured
        and isinstance(rules, ModernRules)
        and rules.capture is Capture.RETURN
    ):
        rest = tuple(name for name in state.captured if name != piggle)
        state = changed(state, captured=rest)
    return state


def into_mud(
    state: PigglesState, piggle: str, rules: PigglesRules, *, roller: Seat | None = None
) -> PigglesState:
    """Return the state with a Piggle added to the Mud of whoever controls it.

    Args:
        state: The state, from whose board the Piggle has been taken.
        piggle: The Piggle.
        rules: The house rules, which know who goes first in this round.
        roller: Whose roll or effect took it off the board, or None at Resolve.
    """
    state = _off(state, piggle, rules)
    seat = state.controller(piggle)
    early = roller is not None and roller is not seat and roller is rules.first_in(state.round)
    mud = (*state.side(seat).mud, MudEntry(piggle=piggle, round=state.round, early=early))
    return state.with_side(seat, mud=tuple(sorted(mud, key=lambda entry: entry.piggle)))


def into_kitchen(state: PigglesState, piggle: str, rules: PigglesRules) -> PigglesState:
    """Return the state with a Piggle added to the Kitchen of whoever controls it."""
    state = _off(state, piggle, rules)
    seat = state.controller(piggle)
    side = state.side(seat)
    kitchen, late = in_order((*side.kitchen, piggle)), in_order((*side.late, piggle))
    return state.with_side(seat, kitchen=kitchen, late=late)


def into_pen(state: PigglesState, piggle: str, seat: Seat) -> PigglesState:
    """Return the state with a Piggle added to the Pen of `seat`, who controls it from now on."""
    others = tuple(name for name in state.captured if name != piggle)
    captured = others if owner(piggle) is seat else in_order((*others, piggle))
    shields = tuple(shield for shield in state.shields if shield.piggle != piggle)
    side = state.side(seat)
    state = changed(state, captured=captured, shields=shields)
    return state.with_side(seat, pen=in_order((*side.pen, piggle)))


def out_of(state: PigglesState, piggle: str) -> PigglesState:
    """Return the state with a Piggle taken off the board, or out of any Pen, Mud or Kitchen."""
    if state.landing(piggle) is not None:
        board = tuple(entry for entry in state.board if entry[0] != piggle)
        owed = tuple(entry for entry in state.head_credits if entry[0] != piggle)
        return changed(state, board=board, head_credits=owed)
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


def may_return(entry: MudEntry, round_number: int, rules: PigglesRules) -> bool:
    """Return whether a Piggle may leave the Mud in a round's Recoup (P3)."""
    if round_number < FIRST_RECOUP_ROUND:
        return False
    match rules.mud_delay:
        case MudDelay.NONE:
            return True
        case MudDelay.ONE_FULL_TURN:
            return round_number >= entry.round + 2
        case MudDelay.OWNER_TURN:
            # One that went in before its owner's turn has sat that turn out already.
            return round_number >= entry.round + (1 if entry.early else 2)


def recoup(state: PigglesState, seat: Seat, rules: PigglesRules) -> PigglesState:
    """Return the state after the compulsory Recoup of `seat` (R7, P14)."""
    side = state.side(seat)
    back = [entry for entry in side.mud if may_return(entry, state.round, rules)]
    if not back:
        return state
    pen = in_order((*side.pen, *(entry.piggle for entry in back)))
    stay = tuple(entry for entry in side.mud if entry not in back)
    return state.with_side(seat, pen=pen, mud=stay)


@dataclass(frozen=True, slots=True)
class Load:
    """The action of putting Piggles from the Pen into the cup; none of them skips the roll."""

    piggles: tuple[str, ...] = ()
    hold: CupHold | None = None
    """Where the player holds the cup; None for the scene's own hold, and for a skip."""


_LEAST_HEIGHT = 0.0508
"""Least height of the cup above the board [m]: 2 inches (R9)."""
_SLACK = 1e-6
"""Lengths that were typed in inches must not fail by rounding [m]."""


def loadable(state: PigglesState, seat: Seat, piggles: Sequence[str]) -> bool:
    """Return whether `seat` may load just these: at most six, distinct, from the own Pen (R8)."""
    chosen = set(piggles)
    return len(chosen) == len(piggles) <= PEN_SIZE and chosen <= set(state.side(seat).pen)


def loads(state: PigglesState, seat: Seat) -> tuple[Load, ...]:
    """Return every load of `seat`, fewest Piggles first and then by id."""
    pen = state.side(seat).pen
    # A Pen holds more than a cup takes when Piggles were captured (M13).
    sizes = range(min(len(pen), PEN_SIZE) + 1)
    return tuple(Load(chosen) for size in sizes for chosen in combinations(pen, size))


def load(state: PigglesState, seat: Seat, action: Load) -> PigglesState:
    """Return the state with Piggles moved from the Pen of `seat` into the cup, held as asked.

    Raises:
        IllegalActionError: If one of them is not in the Pen, or named twice, or they are over six;
            or if the cup is held too low or beyond the centre line, or while nothing is in it.
    """
    piggles, hold = action.piggles, action.hold
    side = state.side(seat)
    if not loadable(state, seat, piggles):
        raise IllegalActionError(
            f"{seat} to load at most {PEN_SIZE} distinct Piggles from the own Pen",
            got=" ".join(piggles),
            remedy=f"load any of {' '.join(side.pen)}" if side.pen else "skip: the Pen is empty",
            rule="R8",
        )
    if hold is not None:
        _check_hold(hold, loaded=bool(piggles))
        state = changed(state, hold=hold)
    pen = tuple(piggle for piggle in side.pen if piggle not in piggles)
    cup = in_order((*side.cup, *piggles))
    return state.with_side(seat, pen=pen, cup=cup)


def _check_hold(hold: CupHold, *, loaded: bool) -> None:
    """Raise `IllegalActionError` if R9 forbids the hold; where the board ends it cannot know."""
    numbers = (hold.across, hold.back, hold.height)
    high = hold.height >= _LEAST_HEIGHT - _SLACK
    if not (loaded and all(map(isfinite, numbers)) and hold.back >= -_SLACK and high):
        raise IllegalActionError(
            "a loaded cup held at least 2 in above the board, over the own half",
            got=f"{hold.back:g} m behind the centre line, {hold.height:g} m high"
            if loaded
            else "an empty one",
            remedy="load A1 A3 at 0.0,0.12,0.1: across, back and height in metres",
            rule="R9",
        )


ZONE_POINTS = {
    Zone.FIELD_NORTH: 3,
    Zone.FIELD_EAST: 3,
    Zone.FIELD_SOUTH: 3,
    Zone.FIELD_WEST: 3,
    Zone.PATH_INNER: 2,
    Zone.PATH_OUTER: 2,
    Zone.WOODS: 1,
    # A line pays the lower of its two sides (R3).
    Zone.LINE_FIELD_PATH: 2,
    Zone.LINE_PATH_WOODS: 1,
    Zone.OFF: 0,
}
"""Points of a Snout-Up Piggle by zone (R3)."""

MUD_BONUS = 1
KITCHEN_BONUS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One player's Tally, step by step (R11)."""

    seat: Seat
    round: int
    zones: int
    """Points of own Snout-Up Piggles by zone."""
    mud_bonus: int
    kitchen_bonus: int
    penalty: int
    """Points lost to the own Kitchen, as a positive number."""
    before: int
    after: int


def tally_of(state: PigglesState, seat: Seat, rules: PigglesRules) -> Tally:
    """Return what a Tally of `seat` would book, without booking it.

    The owner's Piggles alone count (P5); the floor of zero comes last, once (P9).
    """
    side = state.side(seat)
    zones = sum(
        ZONE_POINTS[landing.zone]
        for _, landing in state.on_board(seat)
        if landing.orientation is Orientation.SNOUT_UP
    )
    mud_bonus = MUD_BONUS * side.mud_bonuses
    kitchen_bonus = KITCHEN_BONUS * side.kitchen_bonuses
    # P8: each Piggle costs a point in every own Tally, or in its first one only.
    free = set(side.charged) if rules.kitchen_penalty is KitchenPenalty.ONCE else set()
    penalty = sum(piggle not in free for piggle in side.kitchen)
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


def tally(state: PigglesState, seat: Seat, rules: PigglesRules) -> PigglesState:
    """Return the state after `seat` has scored; nobody else's score changes."""
    return book(state, tally_of(state, seat, rules))


def book(state: PigglesState, counted: Tally) -> PigglesState:
    """Return the state after a Tally that `tally_of` has counted in it."""
    return state.with_side(
        counted.seat,
        score=counted.after,
        mud_bonuses=0,
        kitchen_bonuses=0,
        charged=state.side(counted.seat).kitchen,
        late=(),
    )
