"""A turn of Piggyback up to a combat: moves, stacks, pieces picked up, Boosts and Warps (R2-R6)."""

from pigglesim.errors import IllegalActionError
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggyback.actions import (
    Move,
    PiggybackAction,
    Take,
    Warp,
    Word,
    steps_from,
)
from pigglesim.games.piggyback.house_rules import MergeRule, PiggybackRules, WarpScope
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    Ability,
    Combat,
    Held,
    PiggybackPhase,
    PiggybackReason,
    PiggybackState,
    Roam,
    Stack,
    in_order,
    in_place,
    neighbours,
    space_name,
)
from pigglesim.landing import Seat

_ALLOWED = (1, 2, 4)
"""Steps of a turn by the number of Boosts used in it (R6, PB4)."""


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
    """Return what the player whose turn it is may do at its start, or with a unit that roams."""
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
    """Return the state after a move, up to what somebody must decide next.

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
            f"at most {MOST_UNITS} units, and abilities that may come together",
            got=f"{_at(action.target, size)} with {friend.units + stack.units} units",
            remedy="move to another space",
            rule="R4, PB3",
        )
    full = len(stack.held) == MOST_HELD
    if action.take and (lying is None or full or friend or action.target in enemy):
        raise IllegalActionError(
            "a piece without units, and a stack with room for it",
            got=_at(action.target, size),
            remedy="move there without take",
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


def _at(space: int, size: int) -> str:
    return space_name(space, size)


def _check_move(state: PiggybackState, action: Move, stack: Stack | None, size: int) -> None:
    """Raise unless a stack that may move is asked to go to a space that touches its own."""
    roam = state.roam
    inside = 0 <= action.source < size * size
    wrong = stack is None or (roam is not None and roam.space != action.source)
    if wrong or not inside or action.target not in neighbours(size)[action.source]:
        where = "its own" if roam is None else f"{_at(roam.space, size)}, whose turn it is"
        raise IllegalActionError(
            f"a unit of {state.active} on {where} space, going to one that touches it",
            got=f"space {action.source} to space {action.target}",
            remedy="take one of the legal actions",
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
    """Return whether a unit that has moved may move once more."""
    if roam.steps < _ALLOWED[roam.spent]:
        return True
    greens = stack.held.count(Ability.GREEN) - (roam.spent if rules.boost_permanent else 0)
    return greens > 0 and roam.spent + 1 < len(_ALLOWED)


def _on(state: PiggybackState, roam: Roam, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a step that was more than one: the turn is over (PB4).

    Args:
        state: After the step.
        roam: How far the unit has come.
        rules: The house rules.
    """
    if rules.boost_continue:
        stack = dict(state.side(state.active))[roam.space]
        if _may_go_on(stack, roam, rules):
            return changed(state, phase=PiggybackPhase.ROAM, roam=roam, combat=None)
    return end_turn(state, rules)


def after_step(state: PiggybackState, space: int, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a combat that the unit which moved has won on `space`."""
    roam = state.roam
    assert roam is not None
    return _on(state, changed(roam, space=space), rules)


def end_turn(
    state: PiggybackState, rules: PiggybackRules, *, moved: dict[int, Stack] | None = None
) -> PiggybackState:
    """Return the state at the start of the other player's turn, or the end by PB12.

    Args:
        state: Before the end of the turn.
        rules: The house rules.
        moved: The active player's stacks, where they are not those of the state.
    """
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
    state: PiggybackState,
    own: dict[int, Stack],
    roam: Roam,
    action: Move,
    rules: PiggybackRules,
) -> PiggybackState:
    """Return the state after an attack was declared, before anybody rolls."""
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


def take(state: PiggybackState, action: Take, size: int, rules: PiggybackRules) -> PiggybackState:
    """Return the state after a stack has used its turn to acquire what lies under it (PB6).

    Raises:
        IllegalActionError: If the rules forbid it.
    """
    if action not in turn_actions(state, size, rules):
        raise IllegalActionError(
            "a stack with room on a piece that it left, under pickup_later",
            got=f"take {_at(action.space, size)}",
            remedy="move instead",
            rule="PB6",
        )
    return end_turn(_taken(state, action.space), rules)


def warps(state: PiggybackState, seat: Seat, rules: PiggybackRules) -> list[Warp]:
    """Return every swap that a player may make now: in a turn, or before a combat (R6, PB5)."""
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
            # Who holds one uses it; of two that hold none the pair is told once, by a third's.
            usable = one in holders or (free and other not in holders and one < other)
            if usable and (free or attacked is None or attacked in {one, other}):
                found.append(Warp(one, other))
    return found


def warp(
    state: PiggybackState, action: Warp, seat: Seat, size: int, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after two of a player's stacks have changed places.

    Raises:
        IllegalActionError: If the rules forbid it.
    """
    if action not in warps(state, seat, rules):
        raise IllegalActionError(
            "a holder of a Warp and another unit of its colour, the attacked one among them",
            got=f"spaces {action.holder} and {action.partner}",
            remedy="take one of the legal actions",
            rule="R6, PB5",
        )
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
