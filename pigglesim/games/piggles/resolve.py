"""The Resolve that closes a round for both players (R13)."""

from pigglesim.games.change import changed
from pigglesim.games.piggles.areas import into_kitchen, into_mud
from pigglesim.games.piggles.ending import after_last_round
from pigglesim.games.piggles.house_rules import HouseRules, KitchenBonus
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.scoring import KITCHEN_BONUS
from pigglesim.games.piggles.state import Position, in_order
from pigglesim.rolls import BOARD_SEATS, Orientation

__all__ = ["resolve"]


def resolve(position: Position, rules: HouseRules) -> Position:
    """Return the position after a Resolve; after the last round's the game may be decided.

    Snout-Down goes to the Mud, On-Their-Head to the Kitchen, each of whoever controls the Piggle
    (M13); Snout-Up stays.
    The round's number stays as it is: the next turn begins the next round.
    """
    lying = position.board
    stay = tuple(entry for entry in lying if entry[1].orientation is Orientation.SNOUT_UP)
    owed = position.head_credits
    position = changed(position, board=stay, head_credits=(), phase=Phase.RESOLVE)
    for piggle, landing in lying:
        if landing.orientation is Orientation.SNOUT_DOWN:
            position = into_mud(position, piggle, rules)
        elif landing.orientation is Orientation.ON_THEIR_HEAD:
            position = into_kitchen(position, piggle, rules)
    if rules.kitchen_bonus_classic is KitchenBonus.AT_RESOLVE:
        # Only Piggles still on their heads are owed for: a roll keeps that true (P7).
        for _, seat in owed:
            side = position.side(seat)
            position = position.with_side(seat, changed(side, score=side.score + KITCHEN_BONUS))
    if position.round < rules.rounds:
        return position
    if rules.final_penalty:
        position = _last_penalty(position)
    return after_last_round(position, rules)


def _last_penalty(position: Position) -> Position:
    """Return the position with what entered a Kitchen since the last Tally paid for (P8)."""
    for seat in BOARD_SEATS:
        side = position.side(seat)
        score = max(0, side.score - len(side.late))
        charged = in_order((*side.charged, *side.late))
        position = position.with_side(seat, changed(side, score=score, charged=charged, late=()))
    return position
