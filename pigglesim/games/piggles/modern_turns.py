"""How one step of Piggles Modern leads to the next until somebody must decide or roll (R19, R20).

As in Classic, but between Roll and Tally the active player's Piggles act; where none of them can,
that phase is over at once.
"""

from pigglesim.games.change import changed
from pigglesim.games.piggles.effects import acts, begin, carry_out, declare, effect_request
from pigglesim.games.piggles.loading import Load, load
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.rolling import check_outcome, land, roll_request
from pigglesim.games.piggles.shields import capture, shields_after_roll, shields_after_turn
from pigglesim.games.piggles.state import Act, Position, in_order
from pigglesim.games.piggles.targets import Table
from pigglesim.games.piggles.turns import Step, after_sudden, end_turn
from pigglesim.rolls import RollResult

__all__ = ["after_act", "after_done", "after_load", "after_outcome"]


def after_load(position: Position, action: Load, table: Table) -> list[Step]:
    """Return the steps after the active player's load; nothing loaded skips the roll (R9)."""
    seat = position.active
    loaded = load(position, seat, action)
    if action.piggles:
        rolling = changed(loaded, phase=Phase.ROLL)
        return [Step(phase=Phase.LOAD, seat=seat, position=rolling)]
    return _go_on(Phase.LOAD, begin(loaded, (), table), table)


def after_outcome(position: Position, outcome: RollResult, table: Table) -> list[Step]:
    """Return the steps after an answer of chance: to a roll, an effect or the tie-break."""
    match position.phase:
        case Phase.SUDDEN:
            return after_sudden(position, outcome, table.rules)
        case Phase.ROLL:
            return _after_roll(position, outcome, table)
        case _:
            check_outcome(effect_request(position, table), outcome)
            return _go_on(Phase.ACTION_REACTION, carry_out(position, outcome, table), table)


def _after_roll(position: Position, outcome: RollResult, table: Table) -> list[Step]:
    rules = table.rules
    request = roll_request(position, rules)
    check_outcome(request, outcome)
    # Until the phase begins, its list holds what was rolled, through all rerolls.
    rolled = in_order({*position.actors, *request.piggles})
    position, outcome = capture(position, outcome)
    landed = land(position, outcome, rules)
    if landed.phase is Phase.ROLL:
        again = changed(landed, actors=rolled)
        return [Step(phase=Phase.ROLL, seat=position.active, position=again)]
    landed = shields_after_roll(landed, rules)
    return _go_on(Phase.ROLL, begin(landed, rolled, table), table)


def after_act(position: Position, act: Act, table: Table) -> list[Step]:
    """Return the steps after a legal effect was declared."""
    return _go_on(Phase.ACTION_REACTION, declare(position, act, table), table)


def after_done(position: Position, table: Table) -> list[Step]:
    """Return the steps after the active player has let the rest of the phase go by."""
    return _go_on(Phase.ACTION_REACTION, changed(position, actors=()), table)


def _go_on(phase: Phase, position: Position, table: Table) -> list[Step]:
    """Return the step just taken, and the Tally and what follows if nobody acts any more."""
    seat = position.active
    if position.pending is not None or acts(position, table):
        waiting = changed(position, phase=Phase.ACTION_REACTION)
        return [Step(phase=phase, seat=seat, position=waiting)]
    over = changed(position, phase=Phase.TALLY, actors=(), acted=())
    over = shields_after_turn(over, seat, table.rules)
    return [Step(phase=phase, seat=seat, position=over), *end_turn(over, table.rules)]
