"""What a roll is asked for and what its outcome does to the position (R9-R12, P6, P11, P12)."""

from pigglesim.errors import SpecError
from pigglesim.games.change import changed
from pigglesim.games.piggles.areas import into_kitchen, into_mud
from pigglesim.games.piggles.house_rules import BonusScope, HouseRules, KitchenBonus, OffBoard
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.state import Position, in_order
from pigglesim.rolls import (
    Cocked,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SetDown,
    Zone,
)

__all__ = ["check_outcome", "into_cup", "land", "pays", "roll_request"]


def roll_request(position: Position, rules: HouseRules) -> RollRequest:
    """Return the roll that the position waits for: every Piggle in a cup, onto the board."""
    # Only a Piggle that is rolled again by the opponent lies in the other cup (P11).
    cups = (*position.side(position.active).cup, *position.side(position.active.other).cup)
    return RollRequest(
        thrower=position.active,
        piggles=cups,
        standing=position.board,
        reading=rules.reading(),
        hold=position.hold,
    )


def check_outcome(request: RollRequest, outcome: RollResult) -> None:
    """Raise `SpecError` unless an outcome answers just what the request asks.

    Every Piggle asked for and every one on the board has one landing, nothing else has, a pose
    lacks only off the board, and only Piggles that lay on the board are knocked.
    """
    if request.set_down is not None:
        _check_set_down(request, request.set_down, outcome)
        return
    standing = {piggle for piggle, _ in request.standing}
    wanted = sorted({*request.piggles, *standing})
    landed = [piggle for piggle, _ in outcome.landings]
    if sorted(landed) != wanted:
        raise SpecError(
            f"one landing of each of {' '.join(wanted)}",
            got=" ".join(landed) or "none",
            remedy="answer for every Piggle of the request and for no other",
        )
    for piggle, landing in outcome.landings:
        if (landing.orientation is None) != (landing.zone is Zone.OFF):
            raise SpecError(
                f"a pose of {piggle} on the board, or none off it",
                got=f"{landing.orientation} at {landing.zone}",
                remedy="give a pose for every zone but off",
            )
    for knock in outcome.knocks:
        if knock.struck not in standing or knock.by not in request.piggles:
            raise SpecError(
                "a knock of a Piggle on the board by a rolled one",
                got=f"{knock.struck} by {knock.by}",
                remedy="leave it out",
            )


def _check_set_down(request: RollRequest, asked: SetDown, outcome: RollResult) -> None:
    """Raise `SpecError` unless the one Piggle lies as asked, or found no room."""
    match outcome:
        case RollResult(landings=((piggle, landing),), knocks=()) if (piggle,) == request.piggles:
            told = (landing.orientation, landing.zone)
            right = told in {(asked.orientation, asked.zone), (None, Zone.OFF)}
        case _:
            right = False
    if not right:
        raise SpecError(
            f"{request.piggles[0]} alone, {asked.orientation} at {asked.zone}, or off for no room",
            got=" ".join(f"{name} {at.orientation} at {at.zone}" for name, at in outcome.landings)
            or "none",
            remedy="set it down as asked and touch no other",
        )


def pays(position: Position, piggle: str, rules: HouseRules) -> bool:
    """Return whether knocking this Piggle earns the active player a bonus (P6)."""
    opposing = position.controller(piggle) is not position.active
    return opposing or rules.bonus_scope is BonusScope.ANY


def _off_board(position: Position, piggle: str, rules: HouseRules, *, knocked: bool) -> Position:
    """Return the position with a Piggle that left the board put where it goes (P11)."""
    roller = position.active
    if rules.off_board is OffBoard.REROLL and position.rerolls < rules.reroll_cap:
        return into_cup(position, piggle)
    bonus = int(knocked and pays(position, piggle, rules))
    if rules.off_board is OffBoard.KITCHEN:
        position = into_kitchen(position, piggle, rules)
        # P7: with the +2 off, nothing sent to the Kitchen pays in Classic.
        bonus *= rules.kitchen_bonus_classic is not KitchenBonus.OFF
        side = position.side(roller)
        return position.with_side(
            roller, changed(side, kitchen_bonuses=side.kitchen_bonuses + bonus)
        )
    position = into_mud(position, piggle, rules, roller=roller)
    side = position.side(roller)
    return position.with_side(roller, changed(side, mud_bonuses=side.mud_bonuses + bonus))


def into_cup(position: Position, piggle: str) -> Position:
    """Return the position with a Piggle, out of all else, put into the cup, and unshielded."""
    if position.shields:
        kept = tuple(shield for shield in position.shields if shield.piggle != piggle)
        position = changed(position, shields=kept)
    seat = position.controller(piggle)
    side = position.side(seat)
    return position.with_side(seat, changed(side, cup=in_order((*side.cup, piggle))))


def _head_credits(
    position: Position, outcome: RollResult, rules: HouseRules
) -> tuple[tuple[str, Seat], ...]:
    """Return who is owed for which Piggle on its head (P7).

    The roller is owed for one that this roll knocked onto its head; a Piggle that has left its
    head is owed to nobody.
    """
    poses = {piggle: landing.orientation for piggle, landing in outcome.landings}
    before = {piggle: landing.orientation for piggle, landing in position.board}
    owed = {
        piggle: seat
        for piggle, seat in position.head_credits
        if poses.get(piggle) is Orientation.ON_THEIR_HEAD
    }
    for knock in outcome.knocks:
        turned = (
            poses[knock.struck] is Orientation.ON_THEIR_HEAD
            and before[knock.struck] is not Orientation.ON_THEIR_HEAD
        )
        if turned and pays(position, knock.struck, rules):
            owed[knock.struck] = position.active
    return tuple(sorted(owed.items()))


def land(
    position: Position, outcome: RollResult, rules: HouseRules, *, hit: frozenset[str] = frozenset()
) -> Position:
    """Return the position after a roll of the active player has come to rest.

    The phase is Roll again while Piggles have to be rolled anew (P11, P12), otherwise Tally.

    Args:
        position: The position, with what is rolled in the cups.
        outcome: One that `check_outcome` has let through.
        rules: The house rules.
        hit: Rolled Piggles that pay like knocked ones if they leave the board.
    """
    rolled = {*position.a.cup, *position.b.cup}
    knocked = {*hit, *(knock.struck for knock in outcome.knocks)}
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
            and position.rerolls < rules.reroll_cap
        ):
            again.append(piggle)
        else:
            board.append((piggle, landing))
    owed = _head_credits(position, outcome, rules)
    position = changed(
        position,
        board=tuple(board),
        head_credits=owed,
        a=changed(position.a, cup=()),
        b=changed(position.b, cup=()),
    )
    for piggle in again:
        position = into_cup(position, piggle)
    for piggle in off:
        position = _off_board(position, piggle, rules, knocked=piggle in knocked)
    if position.a.cup or position.b.cup:
        return changed(position, phase=Phase.ROLL, rerolls=position.rerolls + 1)
    return changed(position, phase=Phase.TALLY, hold=None)
