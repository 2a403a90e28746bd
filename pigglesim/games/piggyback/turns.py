"""A turn of Piggyback: moves, stacks, pieces, Boosts, Warps and combat (R2-R8)."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Result, changed
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    Ability,
    Combat,
    Held,
    Keep,
    Layout,
    MergeRule,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackReason,
    PiggybackRules,
    PiggybackState,
    Respawn,
    Roam,
    Stack,
    Stand,
    Take,
    Warp,
    WarpScope,
    Word,
    in_order,
    in_place,
    neighbours,
    space_name,
    steps_from,
)
from pigglesim.landing import Seat

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
    inside = 0 <= source < size * size
    wrong = stack is None or (roam is not None and roam.space != source)
    if wrong or not inside or target not in neighbours(size)[source]:
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
    state: PiggybackState,
    own: dict[int, Stack],
    roam: Roam,
    action: Move,
    rules: PiggybackRules,
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
    """Return the state after a stack has used its turn to acquire what lies under it (PB6)."""
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
    state: PiggybackState, face: int, layout: Layout, rules: PiggybackRules
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
    return changed(
        state, phase=PiggybackPhase.ATTACK_ROLL if attacking else PiggybackPhase.DEFENCE_ROLL
    )


def stand(
    state: PiggybackState, action: Stand, layout: Layout, rules: PiggybackRules
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
    state: PiggybackState, winner: Seat, layout: Layout, rules: PiggybackRules
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
    state: PiggybackState, action: Keep, layout: Layout, rules: PiggybackRules
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


def respawns(state: PiggybackState, layout: Layout) -> tuple[Respawn, ...]:
    """Return the actions of a combat's loser, who may put a piece from the bank on the board."""
    occupied = {space for space, _ in (*state.a, *state.b, *state.pieces)}
    boxes = free_boxes(state.bank, tuple(layout.colours.items()), occupied)
    return tuple(Respawn(space) for space, _ in boxes)


def _to_respawn(state: PiggybackState, layout: Layout, rules: PiggybackRules) -> PiggybackState:
    if respawns(state, layout):
        return changed(state, phase=PiggybackPhase.RESPAWN)
    return after_combat(state, rules)


def respawn(
    state: PiggybackState, action: Respawn, layout: Layout, rules: PiggybackRules
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
    held = stack.held
    return Arms(
        units=stack.units,
        luck=held.count(Ability.YELLOW),
        force=held.count(Ability.ORANGE),
    )


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
