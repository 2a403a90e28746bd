"""What no position of Piggles can be: every invariant that is broken, told by its rule."""

from collections import Counter
from collections.abc import Iterator

from pigglesim.errors import SpecError
from pigglesim.games.piggles.areas import may_return
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.state import PEN_SIZE, Position, Side, owner, team
from pigglesim.games.violation import Violation
from pigglesim.rolls import BOARD_SEATS, Orientation, Seat, Zone

__all__ = ["check_position", "check_waiting", "violations"]

_IDS = frozenset({*team(Seat.A), *team(Seat.B)})


def check_position(position: Position) -> None:
    """Raise `SpecError` if a Piggle is unknown, in two places or in the wrong player's area."""
    for fault in _misplaced(position):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def check_waiting(position: Position, rules: HouseRules) -> None:
    """Raise `SpecError` if a position is in a phase that waits for nobody: none to play on from."""
    for fault in _waiting(position, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(position: Position, rules: HouseRules) -> tuple[Violation, ...]:
    """Return every invariant that a position breaks, none if it is possible.

    Args:
        position: Any position, such as one made by hand.
        rules: The house rules; those of Modern allow what Modern knows.
    """
    modern = isinstance(rules, ModernRules)
    return (
        *_misplaced(position),
        *_lost(position),
        *_counted(position, rules),
        *_aged(position, rules),
        *_phased(position, rules),
        *_owed(position),
        *(_marked(position) if modern else _classic(position)),
    )


def _held(side: Side) -> list[str]:
    return [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]


def _everywhere(position: Position) -> Counter[str]:
    lying = [piggle for piggle, _ in position.board]
    return Counter([*_held(position.a), *_held(position.b), *lying])


def _misplaced(position: Position) -> Iterator[Violation]:
    """Give what cannot even be told apart: unknown Piggles, wrong areas, two places at once."""
    known = f"an id from {team(Seat.A)[0]} to {team(Seat.A)[-1]} or B1 to B6"
    for seat in BOARD_SEATS:
        for piggle in _held(position.side(seat)):
            if piggle not in _IDS or position.controller(piggle) is not seat:
                yield Violation(
                    rule="R4",
                    expected=f"Piggles of {seat} in the areas of {seat}",
                    got=repr(piggle),
                    remedy=f"an id from {team(seat)[0]} to {team(seat)[-1]}",
                )
    for piggle, landing in position.board:
        if piggle not in _IDS:
            yield Violation(
                rule="R1", expected="a known Piggle on the board", got=repr(piggle), remedy=known
            )
        if landing.orientation is None or landing.zone is Zone.OFF:
            yield Violation(
                rule="P11",
                expected=f"{piggle} in a pose and a zone of the board",
                got="off the board",
                remedy="put it into the Mud, or leave it out",
            )
    for piggle, count in sorted(_everywhere(position).items()):
        if count > 1:
            yield Violation(
                rule="R1",
                expected=f"{piggle} in one place",
                got=f"{count} places",
                remedy="leave all but one out",
            )


def _lost(position: Position) -> Iterator[Violation]:
    for piggle in sorted(_IDS - set(_everywhere(position))):
        yield Violation(
            rule="R1",
            expected=f"{piggle} in a Pen, Mud, Kitchen, cup or on the board",
            got="nowhere",
            remedy=f"put it into {position.controller(piggle)}.pen",
        )


def _counted(position: Position, rules: HouseRules) -> Iterator[Violation]:
    """Give scores, counters and areas that are too small or too large."""
    for seat in BOARD_SEATS:
        side = position.side(seat)
        for name, count in (
            ("score", side.score),
            ("mud_bonuses", side.mud_bonuses),
            ("kitchen_bonuses", side.kitchen_bonuses),
        ):
            if count < 0:
                yield Violation(
                    rule="R11", expected=f"{seat}.{name} of 0 or more", got=str(count), remedy="0"
                )
        # Captures may go beyond it (M13).
        own = [piggle for piggle in side.pen if owner(piggle) is seat]
        if len(own) > PEN_SIZE:
            yield Violation(
                rule="R4",
                expected=f"at most {PEN_SIZE} Piggles in {seat}.pen",
                got=str(len(own)),
                remedy="move one elsewhere",
            )
        for name, marked in (("charged", side.charged), ("late", side.late)):
            for piggle in sorted(set(marked) - set(side.kitchen)):
                yield Violation(
                    rule="P8",
                    expected=f"{seat}.{name} of Piggles in {seat}.kitchen",
                    got=piggle,
                    remedy="leave it out",
                )
    if not 1 <= position.round <= rules.rounds:
        yield Violation(
            rule="R5",
            expected=f"a round from 1 to {rules.rounds}",
            got=str(position.round),
            remedy="1",
        )
    if not 0 <= position.rerolls <= rules.reroll_cap:
        yield Violation(
            rule="P12",
            expected=f"0 to {rules.reroll_cap} rerolls in a turn",
            got=str(position.rerolls),
            remedy="0",
        )


def _aged(position: Position, rules: HouseRules) -> Iterator[Violation]:
    """Give what sits in the Mud from a round to come, or should have left it (R7, P3)."""
    for seat in BOARD_SEATS:
        for entry in position.side(seat).mud:
            if not 1 <= entry.round <= position.round:
                yield Violation(
                    rule="P3",
                    expected=f"{entry.piggle} in the Mud since a round from 1 to {position.round}",
                    got=str(entry.round),
                    remedy=f"{entry.piggle}@{position.round}",
                )
    if position.result is None and position.phase is not Phase.SUDDEN:
        for entry in position.side(position.active).mud:
            # What went in during this very turn has had no Recoup yet.
            recouped = entry.round < position.round or entry.early
            if recouped and may_return(entry, position.round, rules):
                yield Violation(
                    rule="R7",
                    expected=f"{entry.piggle} back in the Pen since the Recoup of this turn",
                    got=f"in the Mud since round {entry.round}",
                    remedy=f"put it into {position.active}.pen",
                )


def _waiting(position: Position, rules: HouseRules) -> Iterator[Violation]:
    """Give a phase in which nobody is waited for, or a roll of nothing, before the end."""
    waits = {Phase.LOAD, Phase.ROLL, Phase.SUDDEN}
    if isinstance(rules, ModernRules):
        waits.add(Phase.ACTION_REACTION)
    if position.phase not in waits:
        yield Violation(
            rule="R6", expected="a phase that waits", got=position.phase, remedy="phase=load"
        )
    cups = (*position.a.cup, *position.b.cup)
    rerolled = position.phase is Phase.ACTION_REACTION and position.pending is not None
    rolls = position.phase is Phase.ROLL
    if not cups if rolls else (cups and not rerolled):
        yield Violation(
            rule="R9",
            expected="Piggles in a cup just in the Roll phase",
            got=f"{' '.join(cups) or 'none'} in phase {position.phase}",
            remedy="phase=load" if rolls else "phase=roll",
        )


def _phased(position: Position, rules: HouseRules) -> Iterator[Violation]:
    """Give what does not fit the phase: cups, poses after Resolve, the tie-break."""
    cups = (*position.a.cup, *position.b.cup)
    if position.result is not None:
        return
    if position.hold is not None and not cups:
        yield Violation(
            rule="R9",
            expected="a hold of a loaded cup",
            got=f"one in phase {position.phase} with empty cups",
            remedy="leave the hold out",
        )
    first = position.active is rules.first_in(position.round)
    yield from _waiting(position, rules)
    if position.phase is Phase.SUDDEN or (first and position.phase is Phase.LOAD):
        for piggle, landing in position.board:
            if landing.orientation is not Orientation.SNOUT_UP:
                yield Violation(
                    rule="R13",
                    expected=f"{piggle} Snout-Up, as all on the board after Resolve",
                    got=str(landing.orientation),
                    remedy="put it into the Mud or the Kitchen",
                )
    tied = position.a.score == position.b.score
    if position.phase is Phase.SUDDEN and not (tied and position.round == rules.rounds):
        yield Violation(
            rule="R16",
            expected=f"a tie after round {rules.rounds} for Sudden Snout-Up",
            got=f"{position.a.score} : {position.b.score} in round {position.round}",
            remedy="phase=load",
        )


def _owed(position: Position) -> Iterator[Violation]:
    for piggle, seat in position.head_credits:
        landing = position.landing(piggle)
        if landing is None or landing.orientation is not Orientation.ON_THEIR_HEAD:
            yield Violation(
                rule="P7",
                expected=f"{piggle} on its head, for {seat} is to be paid for it",
                got=str(landing.orientation) if landing else "not on the board",
                remedy="leave it out of credits",
            )


def _marked(position: Position) -> Iterator[Violation]:
    """Give what Modern knows and Classic does not, where it cannot be so."""
    lying = {piggle for piggle, _ in position.board}
    counts = Counter(shield.piggle for shield in position.shields)
    for piggle, count in counts.items():
        if count > 1 or piggle not in lying:
            yield Violation(
                rule="M12",
                expected=f"one shield of {piggle}, on the board",
                got=f"{count}" if piggle in lying else "not on the board",
                remedy="leave the shield out",
            )
    for piggle in position.captured:
        if piggle not in _IDS:
            yield Violation(
                rule="M13", expected="known Piggles captured", got=repr(piggle), remedy="B2"
            )
    acting = position.phase is Phase.ACTION_REACTION
    if (position.acted or position.pending) and not acting:
        yield Violation(
            rule="R20",
            expected="Piggles that act just in Action & Reaction",
            got=f"phase {position.phase}",
            remedy="phase=action_reaction",
        )
    for piggle in sorted(set(position.actors) & set(position.acted)):
        yield Violation(
            rule="M3",
            expected=f"{piggle} to act once",
            got="acted, and to act again",
            remedy="leave it out of actors",
        )


def _classic(position: Position) -> Iterator[Violation]:
    for name, value in (
        ("captured", position.captured),
        ("shields", position.shields),
        ("actors", position.actors),
        ("acted", position.acted),
        ("pending", position.pending),
    ):
        if value:
            yield Violation(
                rule="R19",
                expected=f"no {name} in Classic",
                got="some",
                remedy="leave it out, or play piggles_modern",
            )
