"""Piggyback: turns and combats (R2-R8), odds, states as text, invariants, and the game."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from typing import ClassVar

from pigglesim.chance_types import ChanceOutcome, DiceRequest, DiceResult, answering_dice, fair_dice
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    JSON,
    Concede,
    Invariant,
    NonPlayer,
    Result,
    Turn,
    changed,
    require_player,
)
from pigglesim.games.notation import (
    COUNT,
    SEAT,
    WHOLE,
    ActionForms,
    Codec,
    Words,
    dashed,
    joined,
    optional,
    pair,
    result_codec,
    several,
)
from pigglesim.games.piggyback.state import (
    BANKED,
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    TEAM,
    Ability,
    Combat,
    Held,
    Keep,
    MergeRule,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackReason,
    PiggybackRules,
    PiggybackState,
    Respawn,
    Roam,
    SpaceLayout,
    Stack,
    Stand,
    Start,
    Take,
    Warp,
    WarpScope,
    Word,
    in_order,
    in_place,
    neighbours,
    parse_ability,
    parse_space,
    read_layout,
    space_name,
    steps_from,
)
from pigglesim.landing import BOARD_SEATS, Seat

_ALLOWED = (1, 2, 4)
"""Maximum steps of a turn by the number of Boosts used in it (R6, PB4)."""


def can_merge(one: Stack, other: Stack, rules: PiggybackRules) -> bool:
    """Return whether two friendly stacks may become one (R4, R5, PB3)."""
    if one.units + other.units > MOST_UNITS:
        return False
    if rules.merge_rule is MergeRule.FRENCH:
        return not (one.held and other.held)
    return len(one.held) + len(other.held) <= MOST_HELD


def turn_actions(
    state: PiggybackState, size: int, rules: PiggybackRules
) -> tuple[PiggybackAction, ...]:
    """Return the legal actions at the start of a turn, or with a unit that roams."""
    if state.phase is PiggybackPhase.ROAM:
        assert state.roam is not None
        return (*moves(state, size, rules, only=state.roam.space), Word.END)
    found = moves(state, size, rules)
    if rules.pickup_later:
        lying = dict(state.pieces)
        own = state.side(state.active)
        found += [Take(at) for at, stack in own if at in lying and len(stack.held) < MOST_HELD]
    found += warps(state, state.active, rules)
    if not found or rules.allow_pass:
        found.append(Word.PASS)
    return tuple(found)


def moves(
    state: PiggybackState, size: int, rules: PiggybackRules, *, only: int | None = None
) -> list[PiggybackAction]:
    """Return every move of the active player, or those from one space only."""
    own = dict(state.side(state.active))
    lying = {space for space, _ in state.pieces}
    special = lying.union(own)
    table = steps_from(size)
    found: list[PiggybackAction] = []
    for source, stack in own.items():
        if only is not None and source != only:
            continue
        steps = table[source]
        if steps.touching.isdisjoint(special):
            # As from most spaces: there is nothing to stack with or to pick up.
            found += steps.plain
            continue
        enemy = {space for space, _ in state.side(OTHER[state.active])}
        room = len(stack.held) < MOST_HELD
        for target, plain, taking in steps.each:
            if target in own:
                if can_merge(stack, own[target], rules):
                    found.append(plain)
                continue
            found.append(plain)
            if room and target in lying and target not in enemy:
                found.append(taking)
    return found


def move(state: PiggybackState, action: Move, size: int, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a move, up to the next decision or roll.

    Raises:
        IllegalActionError: If the rules forbid it.
    """
    own = dict(state.side(state.active))
    stack = own.get(action.source)
    _check_move(state, action, stack, size)
    assert stack is not None
    enemy = dict(state.side(OTHER[state.active]))
    friend = own.get(action.target)
    lying = dict(state.pieces).get(action.target)
    if friend is not None and not can_merge(stack, friend, rules):
        raise IllegalActionError(
            f"the stacks on {space_name(action.source, size)} and "
            f"{space_name(action.target, size)} may not merge",
            fix="move to another space",
            rule="R4, PB3",
        )
    full = len(stack.held) == MOST_HELD
    if action.take and (lying is None or full or friend or action.target in enemy):
        raise IllegalActionError(
            f"there is nothing to take on {space_name(action.target, size)}, or no room for it",
            fix="move there without take",
            rule="R3, R5",
        )
    state, stack, roam = _boosted(state, stack, action, rules)
    own[action.source] = stack
    if action.target in enemy:
        return _attack(state, own, changed(roam, space=action.source), action, rules)
    del own[action.source]
    if friend is not None:
        held = in_order([*stack.held, *friend.held])
        own[action.target] = Stack(stack.units + friend.units, held)
        return _on(state.with_side(state.active, own), roam, rules)
    own[action.target] = stack
    if action.take:
        state = state.with_side(state.active, own)
        return _on(_taken(state, action.target), roam, rules)
    if _may_go_on(stack, roam, rules):
        state = state.with_side(state.active, own)
        return changed(state, phase=PiggybackPhase.ROAM, roam=roam)
    return end_turn(state, rules, moved=own)


def _check_move(state: PiggybackState, action: Move, stack: Stack | None, size: int) -> None:
    """Raise unless a stack that may move goes to a neighbouring space."""
    roam, source, target = state.roam, action.source, action.target
    wrong = stack is None or (roam is not None and roam.space != source)
    if wrong or target not in neighbours(size)[source]:
        mover = "unit that has moved" if roam else "unit"
        raise IllegalActionError(
            f"no {mover} of {state.active} can go from space {source} to {target}",
            fix="take one of the legal actions",
            rule="R2",
        )


def _boosted(
    state: PiggybackState, stack: Stack, action: Move, rules: PiggybackRules
) -> tuple[PiggybackState, Stack, Roam]:
    """Return state, stack and way after a step; one beyond those allowed uses a Boost."""
    roam = state.roam or Roam(action.source)
    spent = roam.spent
    if roam.steps >= _ALLOWED[spent]:
        spent += 1
        if not rules.boost_permanent:
            stack = stack.without(Ability.GREEN)
            state = state.discarding((Ability.GREEN,))
    return state, stack, Roam(action.target, roam.steps + 1, spent)


def _may_go_on(stack: Stack, roam: Roam, rules: PiggybackRules) -> bool:
    """Return whether a unit that has moved may move again."""
    if roam.steps < _ALLOWED[roam.spent]:
        return True
    greens = stack.held.count(Ability.GREEN) - (roam.spent if rules.boost_permanent else 0)
    return greens > 0 and roam.spent + 1 < len(_ALLOWED)


def _on(state: PiggybackState, roam: Roam, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a step that was more than one: the turn is over (PB4)."""
    if rules.boost_continue:
        stack = dict(state.side(state.active))[roam.space]
        if _may_go_on(stack, roam, rules):
            return changed(state, phase=PiggybackPhase.ROAM, roam=roam, combat=None)
    return end_turn(state, rules)


def end_turn(
    state: PiggybackState, rules: PiggybackRules, *, moved: dict[int, Stack] | None = None
) -> PiggybackState:
    """Return the state at the start of the other player's turn, or the end by PB12."""
    active, ply = state.active, state.ply + 1
    reason = None
    if ply - state.lively >= rules.quiet_cap:
        reason = PiggybackReason.QUIET
    elif ply >= rules.cap:
        reason = PiggybackReason.CAP
    side = state.side(active) if moved is None else in_place(moved)
    return changed(
        state,
        phase=PiggybackPhase.MOVE if reason is None else PiggybackPhase.OVER,
        active=OTHER[active],
        ply=ply,
        a=side if active is Seat.A else state.a,
        b=state.b if active is Seat.A else side,
        roam=None,
        combat=None,
        result=None if reason is None else Result(winner=None, reason=reason),
    )


def _attack(
    state: PiggybackState, own: dict[int, Stack], roam: Roam, action: Move, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after an attack was declared, before any roll."""
    declared = changed(
        state.with_side(state.active, own),
        roam=roam,
        combat=Combat(action.source, action.target),
        lively=state.ply + 1,
        phase=PiggybackPhase.WARP,
    )
    if warps(declared, OTHER[state.active], rules):
        return declared
    return changed(declared, phase=PiggybackPhase.ATTACK_ROLL)


def _taken(state: PiggybackState, space: int) -> PiggybackState:
    """Return the state after the active player's stack on a space has acquired the piece."""
    own = dict(state.side(state.active))
    stack = own[space]
    pieces = dict(state.pieces)
    own[space] = Stack(stack.units, in_order([*stack.held, pieces.pop(space)]))
    state = state.with_side(state.active, own)
    return changed(state, pieces=tuple(pieces.items()), lively=state.ply + 1)


def take(state: PiggybackState, space: int, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a stack has used its turn to acquire the piece under it (PB6)."""
    return end_turn(_taken(state, space), rules)


def warps(state: PiggybackState, seat: Seat, rules: PiggybackRules) -> list[Warp]:
    """Return every legal swap of a player, in a turn or before a combat (R6, PB5)."""
    own = state.side(seat)
    holders = {space for space, stack in own if Ability.MAUVE in stack.held}
    if not holders:
        return []
    attacked = state.combat.target if state.combat is not None else None
    free = rules.warp_scope is WarpScope.ANY
    found = []
    for one, _ in own:
        for other, _ in own:
            if one == other:
                continue
            # A holder uses its own; a pair without one is listed once, for a third stack's Warp.
            usable = one in holders or (free and other not in holders and one < other)
            if usable and (free or attacked is None or attacked in {one, other}):
                found.append(Warp(one, other))
    return found


def warp(state: PiggybackState, action: Warp, seat: Seat, rules: PiggybackRules) -> PiggybackState:
    """Return the state after two of a player's stacks have changed places."""
    own = dict(state.side(seat))
    spender = action.holder
    if Ability.MAUVE not in own[spender].held:
        spender = next(at for at, stack in own.items() if Ability.MAUVE in stack.held)
    own[spender] = own[spender].without(Ability.MAUVE)
    own[action.holder], own[action.partner] = own[action.partner], own[action.holder]
    used: Held = (Ability.MAUVE,)
    state = state.with_side(seat, own).discarding(used)
    if state.phase is PiggybackPhase.WARP:
        return changed(state, phase=PiggybackPhase.ATTACK_ROLL)
    return end_turn(state, rules)


def settles(attack: int, defence: int) -> bool:
    """Return whether the attacker wins with these results, as with equal ones (R7)."""
    return attack >= defence


def rolling(state: PiggybackState) -> tuple[Seat, Stack]:
    """Return the player of the current or last roll in a combat, and the stack."""
    combat = state.fight
    if state.phase in {PiggybackPhase.ATTACK_ROLL, PiggybackPhase.ATTACK}:
        return state.active, dict(state.side(state.active))[combat.source]
    seat = OTHER[state.active]
    return seat, dict(state.side(seat))[combat.target]


def roll_options(stack: Stack, combat: Combat) -> list[PiggybackAction]:
    """Return the actions of a roller: roll again, or stand with any number of Firepowers."""
    more = combat.rolls < stack.units or Ability.YELLOW in stack.held
    found: list[PiggybackAction] = [Word.ROLL] if more else []
    found += [Stand(force) for force in range(stack.held.count(Ability.ORANGE) + 1)]
    return found


def rolled(
    state: PiggybackState, face: int, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after a roll in combat; a player without a decision stands."""
    combat = state.fight
    stack = rolling(state)[1]
    seen = changed(combat, rolls=combat.rolls + 1, face=face)
    attacking = state.phase is PiggybackPhase.ATTACK_ROLL
    phase = PiggybackPhase.ATTACK if attacking else PiggybackPhase.DEFENCE
    state = changed(state, combat=seen, phase=phase)
    if len(roll_options(stack, seen)) == 1:
        return stand(state, Stand(), layout, rules)
    return state


def roll_again(state: PiggybackState) -> PiggybackState:
    """Return the state in which another roll is due; the units' own come before Luck (R7)."""
    combat = state.fight
    seat, stack = rolling(state)
    if combat.rolls >= stack.units:
        state = _spent(state, seat, Ability.YELLOW, 1)
    attacking = state.phase is PiggybackPhase.ATTACK
    due = PiggybackPhase.ATTACK_ROLL if attacking else PiggybackPhase.DEFENCE_ROLL
    return changed(state, phase=due)


def stand(
    state: PiggybackState, action: Stand, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after a roller has kept the last roll."""
    combat = state.fight
    seat = rolling(state)[0]
    state = _spent(state, seat, Ability.ORANGE, action.force)
    total = combat.face + action.force
    if state.phase is PiggybackPhase.ATTACK:
        handed = changed(combat, rolls=0, face=0, attack=total)
        return changed(state, combat=handed, phase=PiggybackPhase.DEFENCE_ROLL)
    won = settles(combat.attack, total)
    winner = state.active if won else OTHER[state.active]
    return _decided(state, winner, layout, rules)


def _spent(state: PiggybackState, seat: Seat, ability: Ability, count: int) -> PiggybackState:
    if count == 0:
        return state
    combat = state.fight
    space = combat.source if seat is state.active else combat.target
    own = dict(state.side(seat))
    own[space] = own[space].without(ability, count)
    return state.with_side(seat, own).discarding((ability,) * count)


def _decided(
    state: PiggybackState, winner: Seat, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the loser's stack is gone and the winner stands (R7, PB8)."""
    combat = state.fight
    loser = OTHER[winner]
    attacked = winner is state.active
    lost = dict(state.side(loser))
    loot = lost.pop(combat.target if attacked else combat.source).held
    own = dict(state.side(winner))
    if attacked:
        own[combat.target] = own.pop(combat.source)
    state = state.with_side(loser, lost).with_side(winner, own)
    if not lost:
        return changed(
            state.discarding(loot),
            phase=PiggybackPhase.OVER,
            roam=None,
            combat=None,
            result=Result(winner=winner, reason=PiggybackReason.ELIMINATION),
        )
    fought = changed(combat, winner=winner, loot=loot)
    state = changed(state, phase=PiggybackPhase.KEEP, combat=fought)
    if loot or own[combat.target].held:
        return state
    return _to_respawn(state, layout, rules)


def keeps(state: PiggybackState) -> tuple[Keep, ...]:
    """Return every choice of at most two of both stacks' unused abilities, the most first (R8)."""
    union = _union(state)
    found = dict.fromkeys(
        Keep(chosen)
        for count in range(min(len(union), MOST_HELD), -1, -1)
        for chosen in combinations(union, count)
    )
    return tuple(found)


def _union(state: PiggybackState) -> Held:
    combat = state.fight
    assert combat.winner is not None
    return in_order([*dict(state.side(combat.winner))[combat.target].held, *combat.loot])


def keep(
    state: PiggybackState, action: Keep, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the winner's choice; other pieces leave the game (R8)."""
    combat = state.fight
    assert combat.winner is not None
    left = list(_union(state))
    for ability in action.held:
        left.remove(ability)
    own = dict(state.side(combat.winner))
    own[combat.target] = Stack(own[combat.target].units, action.held)
    state = state.with_side(combat.winner, own).discarding(tuple(left))
    return _to_respawn(changed(state, combat=changed(combat, loot=())), layout, rules)


def free_boxes(
    bank: Held, boxes: tuple[tuple[int, Ability], ...], occupied: set[int]
) -> tuple[tuple[int, Ability], ...]:
    """Return the initial spaces on which a piece from the bank may be put (R8)."""
    return tuple((at, of) for at, of in boxes if of in bank and at not in occupied)


def respawns(state: PiggybackState, layout: SpaceLayout) -> tuple[Respawn, ...]:
    """Return the actions of a combat's loser, who may put a piece from the bank on the board."""
    occupied = {space for space, _ in (*state.a, *state.b, *state.pieces)}
    boxes = free_boxes(state.bank, tuple(layout.colours.items()), occupied)
    return tuple(Respawn(space) for space, _ in boxes)


def _to_respawn(
    state: PiggybackState, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    if respawns(state, layout):
        return changed(state, phase=PiggybackPhase.RESPAWN)
    return after_combat(state, rules)


def respawn(
    state: PiggybackState, action: Respawn, layout: SpaceLayout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the loser has put a piece from the bank on the board."""
    ability = layout.colours[action.space]
    bank = list(state.bank)
    bank.remove(ability)
    pieces = tuple(sorted([*state.pieces, (action.space, ability)]))
    return after_combat(changed(state, bank=tuple(bank), pieces=pieces), rules)


def after_combat(state: PiggybackState, rules: PiggybackRules) -> PiggybackState:
    """Return the state after the loser has put a piece on the board, or has taken none (PB10)."""
    combat = state.fight
    if combat.winner is state.active:
        assert state.roam is not None
        return _on(state, changed(state.roam, space=combat.target), rules)
    return end_turn(state, rules)


_FACES = range(1, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Strength of a stack in a combat.

    Raises:
        SpecError: If there are no units or too many, or too many abilities.
    """

    units: int = 1
    luck: int = 0
    force: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.units <= MOST_UNITS:
            raise SpecError(f"units={self.units}", expected=f"1 to {MOST_UNITS}", fix="use units=1")
        if min(self.luck, self.force) < 0 or self.luck + self.force > MOST_HELD:
            raise SpecError(
                f"luck={self.luck}, force={self.force}",
                expected=f"0 to {MOST_HELD} together",
                fix="use luck=1, force=1",
            )

    @property
    def rolls(self) -> int:
        """Maximum number of rolls."""
        return self.units + self.luck


def arms_of(stack: Stack) -> Arms:
    """Return the strength of a stack in a combat."""
    luck, force = (stack.held.count(each) for each in (Ability.YELLOW, Ability.ORANGE))
    return Arms(units=stack.units, luck=luck, force=force)


def defence_odds(attack: int, defence: Arms) -> Fraction:
    """Return the probability that a defender beats the attacker's result.

    The defender knows the result, so he rolls until he has beaten it or has no roll left; he may
    add his Firepowers after his last roll (PB7).
    """
    return beating_odds(attack, rolls=defence.rolls, force=defence.force)


def beating_odds(attack: int, *, rolls: int, force: int) -> Fraction:
    """Return the probability that one of some rolls, with Firepowers, beats a result."""
    failing = sum(settles(attack, face + force) for face in _FACES)
    return 1 - Fraction(failing, len(_FACES)) ** rolls


def attack_odds(attack: Arms, defence: Arms) -> Fraction:
    """Return the probability that the attacker wins if both play to win this combat.

    One unit against one: he wins with a result of r with r / 6, 7/12 on average. With rolls left he
    rolls again whenever that is worth more than what lies; Firepowers never harm him here, so that
    he adds them all before he hands over the die.
    """
    worths = [1 - defence_odds(face + attack.force, defence) for face in _FACES]
    value = Fraction(0)
    for _ in range(attack.rolls):
        value = sum((max(worth, value) for worth in worths), Fraction(0)) / len(_FACES)
    return value


_AFTER = frozenset({PiggybackPhase.KEEP, PiggybackPhase.RESPAWN})
_COMBAT = _AFTER | {
    PiggybackPhase.WARP,
    PiggybackPhase.ATTACK_ROLL,
    PiggybackPhase.ATTACK,
    PiggybackPhase.DEFENCE_ROLL,
    PiggybackPhase.DEFENCE,
}


def _placed(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of spaces and stacks."""
    stacks = (*state.a, *state.b)
    for space, count in Counter(space for space, _ in stacks).items():
        yield Invariant(count == 1, "R4", f"{count} stacks on {space_name(space, size)}")
    for name, entries in (("a", state.a), ("b", state.b), ("pieces", state.pieces)):
        spaces = [space for space, _ in entries]
        names = ",".join(space_name(space, size) for space in spaces)
        once = spaces == sorted(set(spaces))
        yield Invariant(once, "R1", f"the spaces {names} of {name}, not in order or not once")
    for space, stack in stacks:
        on = f"on {space_name(space, size)}"
        there = 1 <= stack.units <= MOST_UNITS
        yield Invariant(there, "R4", f"{stack.units} units {on}, not 1 to {MOST_UNITS}")
        few = len(stack.held) <= MOST_HELD and stack.held == in_order(stack.held)
        held = f"abilities {', '.join(stack.held)} {on}, above {MOST_HELD} or not in order"
        yield Invariant(few, "R5", held)


def _counted(state: PiggybackState) -> Iterator[Invariant]:
    """Give the invariants of units and pieces."""
    for seat in BOARD_SEATS:
        units = state.units(seat)
        yield Invariant(units <= TEAM, "R1", f"{units} units of {seat}, above {TEAM}")
    held = [of for _, stack in (*state.a, *state.b) for of in stack.held]
    lying = [of for _, of in state.pieces]
    loot = state.combat.loot if state.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *state.bank, *state.discarded])
    for ability in Ability:
        found = f"{counted[ability]} pieces of {ability}, not {2 * BANKED}"
        yield Invariant(counted[ability] == 2 * BANKED, "R1", found)
    for name, pile in (("bank", state.bank), ("discarded", state.discarded)):
        order = f"{name} {', '.join(pile)}, not in the order {', '.join(Ability)}"
        yield Invariant(pile == in_order(pile), "R1", order)


def _there(who: str, space: int, spaces: set[int], size: int) -> Invariant:
    return Invariant(space in spaces, "R3", f"{who} is not on {space_name(space, size)}")


def _phased(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of phases."""
    phase, combat, roam = state.phase, state.combat, state.roam
    over = phase is PiggybackPhase.OVER

    for name, part, is_due, rule in (
        ("result", state.result, over, "R9"),
        ("combat", combat, phase in _COMBAT, "R7"),
        ("moved unit", roam, phase in _COMBAT or phase is PiggybackPhase.ROAM, "PB4"),
    ):
        found = f"{'a' if part is not None else 'no'} {name} in phase {phase}"
        yield Invariant(is_due is (part is not None), rule, found)
    yield Invariant(over or bool(state.a and state.b), "R9", "no units on one side during play")
    own = {space for space, _ in state.side(state.active)}
    if phase is PiggybackPhase.ROAM and roam is not None:
        yield _there("the unit that moves on", roam.space, own, size)
    if combat is not None:
        yield from _fought(state, combat, size, own)


def _fought(state: PiggybackState, combat: Combat, size: int, own: set[int]) -> Iterator[Invariant]:
    """Give the invariants of a combat; `own` are the spaces of the active player."""
    phase = state.phase
    decided = (phase in _AFTER) is (combat.winner is not None)
    found = f"{'a' if combat.winner else 'no'} winner of the combat in phase {phase}"
    yield Invariant(decided, "R7", found)
    if decided and combat.winner is not None:
        spaces = {at for at, _ in state.side(combat.winner)}
        yield _there("the winner", combat.target, spaces, size)
    elif decided:
        yield _there("the attacker", combat.source, own, size)
        enemy = {space for space, _ in (*state.a, *state.b)} - own
        yield _there("the attacked stack", combat.target, enemy, size)


def _timed(state: PiggybackState, rules: PiggybackRules) -> Iterator[Invariant]:
    """Give the invariants of the counters."""
    lively, ply, ties = state.lively, state.ply, state.ties
    there = 0 <= lively <= ply + 1 and ply <= rules.cap
    yield Invariant(there, "PB12", f"lively={lively} ply={ply}, with a cap of {rules.cap}")
    few = 0 <= ties <= rules.start_cap + 1 and 0 <= state.opening <= 6
    yield Invariant(few, "PB11", f"opening={state.opening} after {ties} equal rolls")


def _space(size: int) -> Codec[int]:
    return Codec(lambda at: space_name(at, size), lambda text: parse_space(text, size))


@cache
def forms(size: int) -> ActionForms[PiggybackAction]:
    """Return the texts of actions, given the number of rows."""
    space = _space(size)
    held: Codec[Held] = Codec(
        " ".join, lambda text: in_order([parse_ability(word) for word in text.split()])
    )
    return ActionForms(
        {
            "concede": Concede(),
            **{word.value: word for word in Word},
            "stand": Stand(),
            "stand {force}": Stand,
            "warp {holder} {partner}": Warp,
            "take {space}": Take,
            "respawn {space}": Respawn,
            "keep nothing": Keep(),
            "keep {held*}": Keep,
            "{source}-{target} take": partial(Move, take=True),
            "{source}-{target}": Move,
        },
        {
            **dict.fromkeys(("holder", "partner", "space", "source", "target"), space),
            "force": Codec(lambda force: f"+{force}", {"+1": 1, "+2": 2}.__getitem__),
            "held": held,
        },
        example="b1-b2, b3-c4 take, warp b1 c1, roll, stand +1, keep green or respawn a4",
    )


_LETTERS = {ability.value[0]: ability for ability in Ability}
_LETTER: Codec[Ability] = Codec(lambda ability: ability.value[0], _LETTERS.__getitem__)
_HELD: Codec[Held] = Codec(
    lambda held: "".join(map(_LETTER.write, held)), lambda text: tuple(map(_LETTER.read, text))
)
_STACK = Codec(
    lambda stack: f"{stack.units}{_HELD.write(stack.held)}",
    lambda text: Stack(int(text[:1]), _HELD.read(text[1:])),
)


@cache
def words(size: int) -> Words:
    """Return the part of a state that each word gives, by the board's size."""
    space = _space(size)
    roam = joined(Roam, space=space, steps=WHOLE, spent=WHOLE)
    combat = joined(
        Combat,
        **dict.fromkeys(("source", "target"), space),
        **dict.fromkeys(("rolls", "face", "attack"), WHOLE),
        winner=dashed(optional(SEAT), None),
        loot=dashed(_HELD, ()),
    )
    return {
        "phase": ("phase", Codec(str, PiggybackPhase)),
        "active": ("active", SEAT),
        "ply": ("ply", WHOLE),
        "lively": ("lively", COUNT),
        "a": ("a", several(pair(space, _STACK))),
        "b": ("b", several(pair(space, _STACK))),
        "pieces": ("pieces", several(pair(space, _LETTER))),
        "bank": ("bank", _HELD),
        "discarded": ("discarded", _HELD),
        "opening": ("opening", COUNT),
        "ties": ("ties", COUNT),
        "roam": ("roam", optional(roam)),
        "combat": ("combat", optional(combat)),
        "result": ("result", optional(result_codec(PiggybackReason, SEAT))),
    }


_LAYOUT = "layout"
_CONCEDE = Concede()
_MOVES = frozenset({PiggybackPhase.MOVE, PiggybackPhase.ROAM})
_RULES: Mapping[object, str] = {
    Warp: "R6, PB5",
    Take: "PB6",
    Stand: "R6",
    Keep: "R8",
    Respawn: "R8",
    Word.ROLL: "R4, R6",
    Word.PASS: "PB2",
}
"""Rule that forbids an illegal action, unless it is R2."""
_MOST_ROLLS = 5
"""Maximum rolls of a side in a combat: three units and two Lucks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackObservation:
    """Observation of a player: the whole state, because nothing in Piggyback is hidden."""

    seat: Seat
    state: PiggybackState
    rules: PiggybackRules
    layout: SpaceLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class Piggyback(BaseGame[PiggybackState, PiggybackAction, DiceRequest]):
    """Piggyback under the house rules of one table, on one layout."""

    rules: PiggybackRules = field(default_factory=PiggybackRules)
    layout: SpaceLayout = field(default_factory=SpaceLayout)
    name: ClassVar[str] = "piggyback"
    _blank: ClassVar[PiggybackState] = PiggybackState()

    @property
    def _forms(self) -> ActionForms[PiggybackAction]:
        return forms(self.layout.size)

    @property
    def _words(self) -> Words:
        return words(self.layout.size)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "Piggyback":
        """Return the game that `settings` describes; missing settings are default.

        They are house rules by name; `layout` is `standard` or a table of spaces.

        Raises:
            SpecError: If a house rule is unknown, or the layout is invalid.
        """
        rules = {name: value for name, value in settings.items() if name != _LAYOUT}
        layout = read_layout(settings[_LAYOUT]) if _LAYOUT in settings else SpaceLayout()
        return cls(rules=PiggybackRules.from_mapping(rules), layout=layout)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Red, then blue."""
        return BOARD_SEATS

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes.

        Before the first turn there are two rolls for each attempt. A turn has at most four steps,
        with a word after the last one. A combat costs a unit, so there are fewer than units: each
        has a Warp, the rolls of both with a word after each, and what winner and loser choose.
        """
        combats = 2 * TEAM - 1
        return 2 * (self.rules.start_cap + 1) + 5 * self.rules.cap + combats * (4 * _MOST_ROLLS + 3)

    def settings(self) -> Mapping[str, JSON]:
        return {_LAYOUT: self.layout.setting(), **self.rules.to_mapping()}

    def initial_state(self) -> PiggybackState:
        layout = self.layout
        red, blue = (
            tuple((space, Stack()) for space in sorted(army)) for army in (layout.red, layout.blue)
        )
        rolls = self.rules.start is Start.ROLL
        return PiggybackState(
            phase=PiggybackPhase.OPENING if rolls else PiggybackPhase.MOVE,
            active=Seat.B if self.rules.start is Start.BLUE else Seat.A,
            a=red,
            b=blue,
            pieces=tuple(layout.colours.items()),
            bank=tuple(ability for ability in Ability for _ in range(BANKED)),
        )

    def turn(self, state: PiggybackState) -> Turn:
        match state.phase:
            case PiggybackPhase.MOVE | PiggybackPhase.ROAM | PiggybackPhase.ATTACK:
                return state.active
            case PiggybackPhase.OVER:
                return NonPlayer.OVER
            case PiggybackPhase.WARP | PiggybackPhase.DEFENCE:
                return OTHER[state.active]
            case PiggybackPhase.KEEP | PiggybackPhase.RESPAWN:
                won = state.fight.winner
                assert won is not None
                return won if state.phase is PiggybackPhase.KEEP else OTHER[won]
            case _:
                return NonPlayer.CHANCE

    def legal_actions(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        """Return the legal actions: moves by space and target, and conceding last."""
        return (*self._choices(state), _CONCEDE) if isinstance(self.turn(state), Seat) else ()

    def _choices(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        match state.phase:
            case PiggybackPhase.WARP:
                return (*warps(state, OTHER[state.active], self.rules), Word.FIGHT)
            case PiggybackPhase.ATTACK | PiggybackPhase.DEFENCE:
                return tuple(roll_options(rolling(state)[1], state.fight))
            case PiggybackPhase.KEEP:
                return keeps(state)
            case PiggybackPhase.RESPAWN:
                return (*respawns(state, self.layout), Word.LEAVE)
            case _:
                return turn_actions(state, self.layout.size, self.rules)

    def apply_action(self, state: PiggybackState, action: PiggybackAction) -> PiggybackState:
        turn = require_player(self.turn(state), action, self.format_action, rule="R2")
        if isinstance(action, Concede):
            result = Result(winner=OTHER[turn], reason=PiggybackReason.CONCESSION)
            left = state if state.combat is None else state.discarding(state.combat.loot)
            return changed(left, phase=PiggybackPhase.OVER, result=result, roam=None, combat=None)
        return self._applied(state, action, turn)

    def _applied(
        self, state: PiggybackState, action: PiggybackAction, turn: Seat
    ) -> PiggybackState:
        rules, layout = self.rules, self.layout
        # Checking one move takes less time than listing all of them.
        moves = isinstance(action, Move) and state.phase in _MOVES
        if not moves and action not in self._choices(state):
            raise self._refused(state, action)
        match action:
            case Move():
                return move(state, action, layout.size, rules)
            case Warp():
                return warp(state, action, turn, rules)
            case Take(space=space):
                return take(state, space, rules)
            case Stand():
                return stand(state, action, layout, rules)
            case Keep():
                return keep(state, action, layout, rules)
            case Respawn():
                return respawn(state, action, layout, rules)
            case Word.ROLL:
                return roll_again(state)
            case Word.LEAVE:
                return after_combat(state, rules)
            case Word.FIGHT:
                return changed(state, phase=PiggybackPhase.ATTACK_ROLL)
            case _:
                return end_turn(state, rules)

    def _refused(self, state: PiggybackState, action: PiggybackAction) -> IllegalActionError:
        legal = [self.format_action(each) for each in self._choices(state)]
        rule = _RULES.get(action) if isinstance(action, Word) else _RULES.get(type(action))
        return IllegalActionError(
            f"illegal action {self.format_action(action)!r} in phase {state.phase}",
            fix=f"use {', '.join(legal[:4])}{', ...' if len(legal) > 4 else ''}",
            rule=rule or "R2",
        )

    def _request(self, state: PiggybackState) -> DiceRequest:
        """Return the request of one die, for the start or a combat (R2, R7)."""
        match state.phase:
            case PiggybackPhase.OPENING:
                thrower = Seat.B if state.opening else Seat.A
            case PiggybackPhase.DEFENCE_ROLL:
                thrower = OTHER[state.active]
            case _:
                thrower = state.active
        return DiceRequest(thrower=thrower, count=1)

    def chance_outcomes(self, state: PiggybackState) -> tuple[tuple[DiceResult, float], ...]:
        request = self.chance_request(state)
        return fair_dice(request.count, request.sides)

    def apply_outcome(self, state: PiggybackState, outcome: ChanceOutcome) -> PiggybackState:
        (face,) = answering_dice(outcome, self.chance_request(state)).faces
        if state.phase is PiggybackPhase.OPENING:
            return self._opened(state, face)
        return rolled(state, face, self.layout, self.rules)

    def _opened(self, state: PiggybackState, face: int) -> PiggybackState:
        """Return the state after a roll for the start: equal ones are rolled again (PB11)."""
        if not state.opening:
            return changed(state, opening=face)
        if face == state.opening and state.ties < self.rules.start_cap:
            return changed(state, opening=0, ties=state.ties + 1)
        first = Seat.B if face > state.opening else Seat.A
        return changed(state, phase=PiggybackPhase.MOVE, active=first, opening=0, ties=0)

    def observe(self, state: PiggybackState, seat: Seat) -> PiggybackObservation:
        return PiggybackObservation(seat=seat, state=state, rules=self.rules, layout=self.layout)

    def scores(self, state: PiggybackState) -> Mapping[Seat, int]:
        """Return the number of units left of each player."""
        return {seat: state.units(seat) for seat in BOARD_SEATS}

    def _invariants(self, state: PiggybackState) -> Iterator[Invariant]:
        yield from _placed(state, self.layout.size)
        yield from _counted(state)
        yield from _phased(state, self.layout.size)
        yield from _timed(state, self.rules)
