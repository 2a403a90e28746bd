"""What no position of Piggyback can be: every invariant that is broken, told by its rule."""

from collections import Counter
from collections.abc import Iterator

from pigglesim.errors import SpecError
from pigglesim.games.piggyback.house_rules import PiggybackRules
from pigglesim.games.piggyback.spaces import space_name
from pigglesim.games.piggyback.state import (
    BANKED,
    MOST_HELD,
    MOST_UNITS,
    TEAM,
    Ability,
    Phase,
    Position,
    Stack,
    in_order,
)
from pigglesim.games.violation import Violation
from pigglesim.rolls import BOARD_SEATS

__all__ = ["check_position", "violations"]

_COMBAT = frozenset(
    {
        Phase.WARP,
        Phase.ATTACK_ROLL,
        Phase.ATTACK,
        Phase.DEFENCE_ROLL,
        Phase.DEFENCE,
        Phase.KEEP,
        Phase.RESPAWN,
    }
)
_AFTER = frozenset({Phase.KEEP, Phase.RESPAWN})


def check_position(position: Position, size: int, rules: PiggybackRules) -> None:
    """Raise `SpecError` for the first invariant that a position breaks."""
    for fault in violations(position, size, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(position: Position, size: int, rules: PiggybackRules) -> tuple[Violation, ...]:
    """Return every invariant that a position breaks, none if it is possible.

    Args:
        position: Any position, such as one made by hand.
        size: Rows of the board.
        rules: The house rules.
    """
    return (
        *_placed(position, size),
        *_counted(position),
        *_phased(position, size),
        *_timed(position, rules),
    )


def _placed(position: Position, size: int) -> Iterator[Violation]:
    """Give what stands where it cannot: off its order, two on a space, too much in a stack."""
    stacks = [*position.a, *position.b]
    for space, count in Counter(space for space, _ in stacks).items():
        if count > 1:
            yield Violation(
                rule="R4",
                expected="one stack on a space",
                got=f"{count} on {space_name(space, size)}",
                remedy="move one of them",
            )
    for name, spaces in (
        ("a", [space for space, _ in position.a]),
        ("b", [space for space, _ in position.b]),
        ("pieces", [space for space, _ in position.pieces]),
    ):
        if spaces != sorted(set(spaces)):
            yield Violation(
                rule="R1",
                expected=f"the spaces of {name} in their order, each once",
                got=",".join(space_name(space, size) for space in spaces),
                remedy="sort them",
            )
    for space, stack in stacks:
        yield from _stacked(space_name(space, size), stack)


def _stacked(name: str, stack: Stack) -> Iterator[Violation]:
    if not 1 <= stack.units <= MOST_UNITS:
        yield Violation(
            rule="R4",
            expected=f"1 to {MOST_UNITS} units on {name}",
            got=str(stack.units),
            remedy="take some off",
        )
    if len(stack.held) > MOST_HELD or stack.held != in_order(stack.held):
        yield Violation(
            rule="R5",
            expected=f"at most {MOST_HELD} abilities on {name}, in the order {', '.join(Ability)}",
            got=", ".join(stack.held),
            remedy="leave some out",
        )


def _counted(position: Position) -> Iterator[Violation]:
    for seat in BOARD_SEATS:
        if position.units(seat) > TEAM:
            yield Violation(
                rule="R1",
                expected=f"at most {TEAM} units of {seat}",
                got=str(position.units(seat)),
                remedy="take some off",
            )
    held = [of for _, stack in (*position.a, *position.b) for of in stack.held]
    lying = [of for _, of in position.pieces]
    loot = position.combat.loot if position.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *position.bank, *position.discarded])
    for ability in Ability:
        if counted[ability] != 2 * BANKED:
            yield Violation(
                rule="R1",
                expected=f"{2 * BANKED} pieces of {ability} lying, held, in the bank and out",
                got=str(counted[ability]),
                remedy="add or leave out some",
            )
    for name, pile in (("bank", position.bank), ("discarded", position.discarded)):
        if pile != in_order(pile):
            yield Violation(
                rule="R1",
                expected=f"the {name} in the order of {', '.join(Ability)}",
                got=", ".join(pile),
                remedy="sort it",
            )


def _phased(position: Position, size: int) -> Iterator[Violation]:
    """Give what does not fit to what is due."""
    phase, combat, roam = position.phase, position.combat, position.roam
    over = phase is Phase.OVER
    if over is not (position.result is not None):
        yield Violation(
            rule="R9",
            expected="a result when the game is over and at no other time",
            got=f"phase {phase}",
            remedy="phase=over with a result",
        )
    if not over and not (position.a and position.b):
        yield Violation(
            rule="R9",
            expected="units on both sides while play goes on",
            got="none on one",
            remedy="phase=over with a result",
        )
    if (phase in _COMBAT) is not (combat is not None):
        yield Violation(
            rule="R7",
            expected="a combat in its own phases and at no other time",
            got=f"phase {phase}",
            remedy="copy the position whole",
        )
    if (phase in _COMBAT or phase is Phase.ROAM) is not (roam is not None):
        yield Violation(
            rule="PB4",
            expected="a unit that has moved while its turn goes on and at no other time",
            got=f"phase {phase}",
            remedy="copy the position whole",
        )
    own = {space for space, _ in position.side(position.active)}
    if phase is Phase.ROAM and roam is not None and roam.space not in own:
        yield _nobody("a unit that moves on", roam.space, size)
    if combat is not None:
        yield from _fought(position, size)


def _nobody(who: str, space: int, size: int) -> Violation:
    return Violation(
        rule="R3",
        expected=f"{who} on {space_name(space, size)}",
        got="none",
        remedy="copy the position whole",
    )


def _fought(position: Position, size: int) -> Iterator[Violation]:
    """Give what cannot be so in a combat."""
    combat = position.combat
    assert combat is not None
    after = position.phase in _AFTER
    if after is not (combat.winner is not None):
        yield Violation(
            rule="R7",
            expected="a winner once both have rolled and not before",
            got=f"phase {position.phase}",
            remedy="copy the position whole",
        )
        return
    own = {space for space, _ in position.side(position.active)}
    enemy = {space for space, _ in (*position.a, *position.b)} - own
    if combat.winner is not None:
        if combat.target not in {space for space, _ in position.side(combat.winner)}:
            yield _nobody("the winner", combat.target, size)
        return
    if combat.source not in own:
        yield _nobody("the attacker", combat.source, size)
    if combat.target not in enemy:
        yield _nobody("the attacked", combat.target, size)


def _timed(position: Position, rules: PiggybackRules) -> Iterator[Violation]:
    if not 0 <= position.lively <= position.ply + 1 or position.ply > rules.cap:
        yield Violation(
            rule="PB12",
            expected=f"0 <= lively <= ply + 1 <= {rules.cap + 1}",
            got=f"lively={position.lively} ply={position.ply}",
            remedy="lively=0 and a smaller ply",
        )
    if not 0 <= position.ties <= rules.start_cap + 1 or not 0 <= position.opening <= 6:
        yield Violation(
            rule="PB11",
            expected=f"opening rolls of 1 to 6 and at most {rules.start_cap} equal ones",
            got=f"opening={position.opening} ties={position.ties}",
            remedy="leave both out",
        )
