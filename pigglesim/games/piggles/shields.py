"""Yellow's shield: who is protected until when, and who captures whom (R21, M12, M13)."""

from pigglesim.games.change import changed
from pigglesim.games.piggles.areas import into_pen, out_of
from pigglesim.games.piggles.modern_rules import ModernRules, ShieldUntil
from pigglesim.games.piggles.state import Position, Shield
from pigglesim.rolls import RollResult, Seat

__all__ = ["capture", "put_shield", "shields_after_roll", "shields_after_turn"]


def put_shield(position: Position, piggle: str, seat: Seat) -> Position:
    """Return the position with a Piggle shielded by `seat`; an older shield of it gives way."""
    others = (shield for shield in position.shields if shield.piggle != piggle)
    shields = sorted((*others, Shield(piggle=piggle, by=seat)), key=lambda shield: shield.piggle)
    return changed(position, shields=tuple(shields))


def capture(position: Position, outcome: RollResult) -> tuple[Position, RollResult]:
    """Return the position with what this roll knocked under a shield captured, and what is left.

    A captured Piggle goes into the Pen of who shielded it, wherever it came to lie; for the rest
    of the rules it was not there (M12).
    """
    if not position.shields:
        return position, outcome
    # A roll goes on through its rerolls; a shield of an earlier roll has ended with that.
    begun = position.rerolls > 0
    live = tuple(
        changed(shield, rolled=True) for shield in position.shields if begun or not shield.rolled
    )
    position = changed(position, shields=live)
    knocked = {knock.struck for knock in outcome.knocks}
    caught = {shield.piggle: shield.by for shield in live if shield.piggle in knocked}
    for piggle, seat in caught.items():
        position = into_pen(out_of(position, piggle), piggle, seat)
    landings = tuple(entry for entry in outcome.landings if entry[0] not in caught)
    knocks = tuple(knock for knock in outcome.knocks if knock.struck not in caught)
    return position, changed(outcome, landings=landings, knocks=knocks)


def shields_after_roll(position: Position, rules: ModernRules) -> Position:
    """Return the position after the Roll phase, without the shields that end with it (M12)."""
    if rules.shield_until is not ShieldUntil.ROLL or not position.shields:
        return position
    return changed(position, shields=tuple(s for s in position.shields if not s.rolled))


def shields_after_turn(position: Position, seat: Seat, rules: ModernRules) -> Position:
    """Return the position at the end of the turn of `seat`, without the shields that end with it.

    A shield of this very turn stays, for its roll is still to come.
    """
    if not position.shields:
        return position
    until_turn = rules.shield_until is ShieldUntil.TURN
    kept = (
        changed(shield, fresh=False)
        for shield in position.shields
        if not shield.rolled and not (until_turn and (not shield.fresh or shield.by is not seat))
    )
    return changed(position, shields=tuple(kept))
