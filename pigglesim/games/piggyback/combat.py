"""Combat of Piggyback, roll by roll, and what follows it (R7, R8)."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import Result
from pigglesim.games.piggyback.actions import Keep, PiggybackAction, Respawn, Stand, Word
from pigglesim.games.piggyback.house_rules import PiggybackRules
from pigglesim.games.piggyback.moving import after_step, end_turn
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    Ability,
    Combat,
    Held,
    Layout,
    PiggybackPhase,
    PiggybackReason,
    PiggybackState,
    Stack,
    in_order,
    space_name,
)
from pigglesim.landing import Seat


def settles(attack: int, defence: int) -> bool:
    """Return whether the attacker wins with these results: of equal ones he does (R7)."""
    return attack >= defence


def rolling(state: PiggybackState) -> tuple[Seat, Stack]:
    """Return who rolls or has rolled last in a combat, and with which stack."""
    combat = state.combat
    assert combat is not None
    if state.phase in {PiggybackPhase.ATTACK_ROLL, PiggybackPhase.ATTACK}:
        return state.active, dict(state.side(state.active))[combat.source]
    seat = OTHER[state.active]
    return seat, dict(state.side(seat))[combat.target]


def _options(stack: Stack, combat: Combat) -> list[PiggybackAction]:
    """Return what a roller may do: roll again, or stand with any number of Firepowers."""
    more = combat.rolls < stack.units or Ability.YELLOW in stack.held
    found: list[PiggybackAction] = [Word.ROLL] if more else []
    found += [Stand(force) for force in range(stack.held.count(Ability.ORANGE) + 1)]
    return found


def combat_actions(state: PiggybackState) -> tuple[PiggybackAction, ...]:
    """Return what a player may decide between the rolls of a combat."""
    combat = state.combat
    assert combat is not None
    return tuple(_options(rolling(state)[1], combat))


def rolled(
    state: PiggybackState, face: int, layout: Layout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after a roll in combat; who has nothing to decide stands."""
    combat = state.combat
    assert combat is not None
    stack = rolling(state)[1]
    seen = changed(combat, rolls=combat.rolls + 1, face=face)
    attacking = state.phase is PiggybackPhase.ATTACK_ROLL
    phase = PiggybackPhase.ATTACK if attacking else PiggybackPhase.DEFENCE
    state = changed(state, combat=seen, phase=phase)
    if len(_options(stack, seen)) == 1:
        return stand(state, Stand(), layout, rules)
    return state


def roll_again(state: PiggybackState) -> PiggybackState:
    """Return the state in which another roll is due; the units' own come before Luck (R7).

    Raises:
        IllegalActionError: If none is left.
    """
    combat = state.combat
    assert combat is not None
    seat, stack = rolling(state)
    if combat.rolls >= stack.units:
        if Ability.YELLOW not in stack.held:
            raise IllegalActionError(
                f"{stack.units} rolls of {stack.units} units, and one for each Luck",
                got="one more",
                remedy="stand",
                rule="R4, R6",
            )
        state = _spent(state, seat, Ability.YELLOW, 1)
    attacking = state.phase is PiggybackPhase.ATTACK
    return changed(
        state, phase=PiggybackPhase.ATTACK_ROLL if attacking else PiggybackPhase.DEFENCE_ROLL
    )


def stand(
    state: PiggybackState, action: Stand, layout: Layout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after a roller has kept the last roll.

    Raises:
        IllegalActionError: If more Firepowers are added than the stack holds.
    """
    combat = state.combat
    assert combat is not None
    seat, stack = rolling(state)
    force = stack.held.count(Ability.ORANGE)
    if not 0 <= action.force <= force:
        raise IllegalActionError(
            f"Firepowers that the stack holds, {force}",
            got=str(action.force),
            remedy="stand",
            rule="R6",
        )
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
    combat = state.combat
    assert combat is not None
    space = combat.source if seat is state.active else combat.target
    own = dict(state.side(seat))
    own[space] = own[space].without(ability, count)
    return state.with_side(seat, own).discarding((ability,) * count)


def _decided(
    state: PiggybackState, winner: Seat, layout: Layout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the loser's stack is gone and the winner stands (R7, PB8)."""
    combat = state.combat
    assert combat is not None
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
    combat = state.combat
    assert combat is not None
    assert combat.winner is not None
    return in_order([*dict(state.side(combat.winner))[combat.target].held, *combat.loot])


def keep(
    state: PiggybackState, action: Keep, layout: Layout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the winner has chosen; what is left over leaves the game (R8).

    Raises:
        IllegalActionError: If it is more than two, or more than both stacks have.
    """
    if action not in keeps(state):
        raise IllegalActionError(
            f"at most {MOST_HELD} of {', '.join(_union(state))}",
            got=", ".join(action.held) or "none",
            remedy="keep those you want most",
            rule="R8",
        )
    combat = state.combat
    assert combat is not None
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
    """Return the initial spaces on which a piece from the bank may be put (R8).

    Args:
        bank: What is in the bank.
        boxes: Every initial space with its colour.
        occupied: Spaces with a piece or a unit.
    """
    return tuple((at, of) for at, of in boxes if of in bank and at not in occupied)


def respawns(state: PiggybackState, layout: Layout) -> tuple[Respawn, ...]:
    """Return where the loser of a combat may put a piece from the bank."""
    occupied = {space for space, _ in (*state.a, *state.b, *state.pieces)}
    boxes = free_boxes(state.bank, tuple(layout.colours.items()), occupied)
    return tuple(Respawn(space) for space, _ in boxes)


def _to_respawn(state: PiggybackState, layout: Layout, rules: PiggybackRules) -> PiggybackState:
    if respawns(state, layout):
        return changed(state, phase=PiggybackPhase.RESPAWN)
    return _after_combat(state, rules)


def respawn(
    state: PiggybackState, action: Respawn, layout: Layout, rules: PiggybackRules
) -> PiggybackState:
    """Return the state after the loser has put a piece from the bank on the board.

    Raises:
        IllegalActionError: If the space is taken or no initial one, or the bank has no such piece.
    """
    if action not in respawns(state, layout):
        raise IllegalActionError(
            "a free initial space of a colour that the bank still has",
            got=space_name(action.space, layout.size),
            remedy="take one of the legal actions, or leave",
            rule="R8",
        )
    ability = layout.colours[action.space]
    bank = list(state.bank)
    bank.remove(ability)
    pieces = tuple(sorted([*state.pieces, (action.space, ability)]))
    return _after_combat(changed(state, bank=tuple(bank), pieces=pieces), rules)


def leave(state: PiggybackState, rules: PiggybackRules) -> PiggybackState:
    """Return the state after the loser has taken nothing from the bank (PB10)."""
    return _after_combat(state, rules)


def _after_combat(state: PiggybackState, rules: PiggybackRules) -> PiggybackState:
    combat = state.combat
    assert combat is not None
    if combat.winner is state.active:
        return after_step(state, combat.target, rules)
    return end_turn(state, rules)


_FACES = range(1, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """What of a stack counts in a combat.

    Raises:
        SpecError: If there are no units or too many, or too many abilities.
    """

    units: int = 1
    luck: int = 0
    force: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.units <= MOST_UNITS:
            raise SpecError(f"1 to {MOST_UNITS} units", got=str(self.units), remedy="units=1")
        if min(self.luck, self.force) < 0 or self.luck + self.force > MOST_HELD:
            raise SpecError(
                f"0 to {MOST_HELD} abilities together",
                got=f"luck={self.luck}, force={self.force}",
                remedy="luck=1, force=1",
            )

    @property
    def rolls(self) -> int:
        """How often the die may be rolled."""
        return self.units + self.luck


def arms_of(stack: Stack) -> Arms:
    """Return what of a stack counts in a combat."""
    held = stack.held
    return Arms(
        units=stack.units,
        luck=held.count(Ability.YELLOW),
        force=held.count(Ability.ORANGE),
    )


def defence_odds(attack: int, defence: Arms) -> Fraction:
    """Return the chance that a defender beats the attacker's result.

    The defender knows the result, so he rolls until he has beaten it or has no roll left; he may
    add his Firepowers after his last roll (PB7).

    Args:
        attack: What the attacker has come to, Firepowers included.
        defence: The defender's arms.
    """
    return beating_odds(attack, rolls=defence.rolls, force=defence.force)


def beating_odds(attack: int, *, rolls: int, force: int) -> Fraction:
    """Return the chance that one of so many rolls, with Firepowers added, beats a result."""
    failing = sum(settles(attack, face + force) for face in _FACES)
    return 1 - Fraction(failing, len(_FACES)) ** rolls


def attack_odds(attack: Arms, defence: Arms) -> Fraction:
    """Return the chance that the attacker wins, both playing to win this combat.

    One unit against one: he wins with a result of r with r / 6, 7/12 on average. With rolls left he
    rolls again whenever that is worth more than what lies; Firepowers never harm him here, so that
    he adds them all before he hands over the die.
    """
    worths = [1 - defence_odds(face + attack.force, defence) for face in _FACES]
    value = Fraction(0)
    for _ in range(attack.rolls):
        value = sum((max(worth, value) for worth in worths), Fraction(0)) / len(_FACES)
    return value
