"""What no position of Piggy Six can be: every invariant that is broken, told by its rule."""

from collections.abc import Iterator

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six.house_rules import Ending, HouseRules
from pigglesim.games.piggy_six.state import Position, Reason
from pigglesim.games.violation import Violation

__all__ = ["check_table", "violations"]


def violations(position: Position, rules: HouseRules) -> tuple[Violation, ...]:
    """Return every invariant that a position breaks, none if it is possible."""
    # Of a table with other players nothing more can be said.
    return tuple(_table(position, rules)) or (*_turn(position, rules), *_end(position, rules))


def check_table(position: Position, rules: HouseRules) -> None:
    """Raise `SpecError` if a position is of another table: players, turn or round."""
    for fault in _table(position, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def _table(position: Position, rules: HouseRules) -> Iterator[Violation]:
    seats = rules.seats
    if len(position.bank) != len(seats):
        yield Violation(
            rule="R3",
            expected=f"points of {len(seats)} players",
            got=f"of {len(position.bank)}",
            remedy=f"give points to {', '.join(seats)}",
        )
    if min(position.bank, default=0) < 0:
        yield Violation(
            rule="R1",
            expected="points of 0 or more",
            got=str(min(position.bank)),
            remedy="no roll takes more than there is",
        )
    if position.active not in seats:
        yield Violation(
            rule="R3",
            expected=f"the turn of {' or '.join(seats)}",
            got=str(position.active),
            remedy="name a player",
        )
    if not 1 <= position.round <= rules.round_cap:
        yield Violation(
            rule="longest game",
            expected=f"a round from 1 to {rules.round_cap}",
            got=str(position.round),
            remedy="set round_cap higher",
        )


def _turn(position: Position, rules: HouseRules) -> Iterator[Violation]:
    numbers, rolls, total = rules.dice_numbers, position.rolls, position.total
    least, most = rolls * min(numbers), rolls * max(numbers) * 5
    if not 0 <= rolls < rules.roll_cap or not least <= total <= most:
        yield Violation(
            rule="R1",
            expected=f"{rolls} rolls without a six, from {least} to {most} points in all",
            got=f"{total} points",
            remedy=f"a total of {least}, and fewer than {rules.roll_cap} rolls",
        )
    started = rolls > 0 or position.rolling
    if position.dice not in (numbers if started else (0,)):
        yield Violation(
            rule="R6",
            expected=f"{' or '.join(map(str, numbers))} dice in a turn begun, 0 before its start",
            got=str(position.dice),
            remedy="dice=2" if started else "dice=0",
        )
    if position.active in rules.stops and not position.rolling and position.result is None:
        yield Violation(
            rule="R5",
            expected="an imaginary player with dice in the hand",
            got="one to decide",
            remedy="rolling: imaginary players decide nothing",
        )


def _end(position: Position, rules: HouseRules) -> Iterator[Violation]:
    result, last = position.result, rules.turn_order[-1]
    if result is None:
        reached = [seat for seat in rules.seats if position.points_of(seat) >= rules.target]
        if reached and rules.end is Ending.RACE:
            yield Violation(
                rule="PS7",
                expected="the end of a race that has been won",
                got=f"{position.active} to go on",
                remedy=f"result={reached[0]}:race",
            )
        return
    if position.rolling or position.total:
        yield Violation(
            rule="R3",
            expected="no turn begun after the end",
            got=f"a turn of {position.active}",
            remedy="leave out total and rolling",
        )
    won = result.shared or (result.winner,)
    most = max(position.bank)
    if result.reason != Reason.RACE and (
        position.active is not last
        or any(seat is None or position.points_of(seat) < most for seat in won)
    ):
        yield Violation(
            rule="R3",
            expected=f"the most points to win when {last} has had the last turn",
            got=f"{', '.join(map(str, won))} after the turn of {position.active}",
            remedy="leave the result out",
        )
