"""Sudden Snout-Up, the tie-break (R16, P15)."""

from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggles.house_rules import (
    HouseRules,
    SuddenAvailable,
    SuddenBoard,
    SuddenOffBoard,
    SuddenRolls,
)
from pigglesim.games.piggles.state import Position, Reason, Sudden, owner
from pigglesim.rolls import Cocked, Landing, Orientation, RollRequest, RollResult, Seat

__all__ = ["available", "land_sudden", "sudden_request", "throw_sudden"]

_RANK = {
    Orientation.SNOUT_UP: 3,
    Orientation.SNOUT_DOWN: 2,
    Orientation.ON_THEIR_HEAD: 1,
    None: 0,
}
"""Up beats Down beats Head (R16); off the board is below all, where it counts at all (P15)."""


def available(position: Position, seat: Seat, rules: HouseRules) -> tuple[str, ...]:
    """Return the Piggles that `seat` may roll: the Pen's, or the Mud's if the Pen is empty.

    Those of the seat's own team come first, captured ones after them.
    """
    side = position.side(seat)
    areas = [side.pen, side.mud_piggles]
    if rules.sudden_available is SuddenAvailable.PEN_MUD_OR_BOARD:
        areas.append(tuple(piggle for piggle, _ in position.on_board(seat)))
    area = next((area for area in areas if area), ())
    return tuple(sorted(area, key=lambda piggle: (owner(piggle) is not seat, piggle)))


def sudden_request(position: Position, rules: HouseRules) -> RollRequest:
    """Return the next roll of the tie-break; each player rolls the first Piggle available."""
    together = rules.sudden_rolls is SuddenRolls.TOGETHER
    missing = [
        seat
        for seat in (position.active, position.active.other)
        if position.sudden.of(seat) is None
    ]
    seats = missing if together else missing[:1]
    piggles = tuple(available(position, seat, rules)[0] for seat in seats)
    lying = () if rules.sudden_board is SuddenBoard.CLEARED else position.board
    return RollRequest(
        thrower=seats[0],
        piggles=piggles,
        standing=tuple(entry for entry in lying if entry[0] not in piggles),
        reading=rules.reading(),
    )


def _counts(landing: Landing, rules: HouseRules) -> bool:
    """Return whether a landing decides anything, or is simply rolled again (P12, P15)."""
    if landing.orientation is None:
        return rules.sudden_off_board is SuddenOffBoard.WORST
    leans = landing.leaning or landing.stacked
    return not (leans and rules.cocked is Cocked.REROLL)


def throw_sudden(
    position: Position, landings: tuple[tuple[Seat, Landing], ...], rules: HouseRules
) -> Position:
    """Return the position after one or both players have rolled in the tie-break.

    Equal poses and rolls that do not count are rolled again, each costing one of the
    `sudden_cap` rerolls; when those are used up the game is drawn (P15).
    """
    sudden = position.sudden
    for seat, landing in landings:
        kept = Landing(orientation=landing.orientation, zone=landing.zone)
        counted = kept if _counts(landing, rules) else None
        sudden = changed(sudden, a=counted) if seat is Seat.A else changed(sudden, b=counted)
        if counted is None:
            sudden = changed(sudden, rerolls=sudden.rerolls + 1)
    if sudden.a is not None and sudden.b is not None:
        a, b = _RANK[sudden.a.orientation], _RANK[sudden.b.orientation]
        if a != b:
            won = Result(winner=Seat.A if a > b else Seat.B, reason=Reason.SUDDEN_SNOUT_UP)
            return changed(position, sudden=sudden, result=won)
        sudden = Sudden(rerolls=sudden.rerolls + 1)
    if sudden.rerolls > rules.sudden_cap:
        drawn = Result(winner=None, reason=Reason.DRAW)
        return changed(position, sudden=sudden, result=drawn)
    return changed(position, sudden=sudden)


def land_sudden(position: Position, outcome: RollResult, rules: HouseRules) -> Position:
    """Return the position after an outcome, already checked, of `sudden_request`.

    What it did to other Piggles is forgotten: the board is laid out anew for each roll.
    """
    rolled = sudden_request(position, rules).piggles
    landings = tuple(
        (position.controller(piggle), landing)
        for piggle, landing in outcome.landings
        if piggle in rolled
    )
    return throw_sudden(position, landings, rules)
