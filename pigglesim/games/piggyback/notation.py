"""Actions and states of Piggyback as text, and the invariants of states."""

from collections import Counter
from collections.abc import Iterator
from functools import cache, partial

from pigglesim.games.game import Concede, Invariant
from pigglesim.games.notation import (
    COUNT,
    SEAT,
    WHOLE,
    ActionForms,
    Codec,
    Words,
    optional,
    pair,
    result_codec,
    several,
)
from pigglesim.games.piggyback.house_rules import PiggybackRules
from pigglesim.games.piggyback.state import (
    BANKED,
    MOST_HELD,
    MOST_UNITS,
    TEAM,
    Ability,
    Combat,
    Held,
    Keep,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackReason,
    PiggybackState,
    Respawn,
    Roam,
    Stack,
    Stand,
    Take,
    Warp,
    Word,
    in_order,
    parse_ability,
    parse_space,
    space_name,
)
from pigglesim.landing import BOARD_SEATS, Seat

_AFTER = frozenset({PiggybackPhase.KEEP, PiggybackPhase.RESPAWN})
_COMBAT = _AFTER | {
    PiggybackPhase.WARP,
    PiggybackPhase.ATTACK_ROLL,
    PiggybackPhase.ATTACK,
    PiggybackPhase.DEFENCE_ROLL,
    PiggybackPhase.DEFENCE,
}


def invariants(state: PiggybackState, size: int, rules: PiggybackRules) -> Iterator[Invariant]:
    """Give every invariant of a state, given the number of rows."""
    yield from _placed(state, size)
    yield from _counted(state)
    yield from _phased(state, size)
    yield from _timed(state, rules)


def _placed(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of spaces and stacks."""
    stacks = (*state.a, *state.b)
    for space, count in Counter(space for space, _ in stacks).items():
        on = f"{count} on {space_name(space, size)}"
        yield Invariant(count == 1, "R4", "one stack on a space", on)
    for name, entries in (("a", state.a), ("b", state.b), ("pieces", state.pieces)):
        spaces = [space for space, _ in entries]
        yield Invariant(
            spaces == sorted(set(spaces)),
            "R1",
            f"the spaces of {name} in their order, each once",
            ",".join(space_name(space, size) for space in spaces),
        )
    for space, stack in stacks:
        on = f"on {space_name(space, size)}"
        there = 1 <= stack.units <= MOST_UNITS
        yield Invariant(there, "R4", f"1 to {MOST_UNITS} units {on}", stack.units)
        yield Invariant(
            len(stack.held) <= MOST_HELD and stack.held == in_order(stack.held),
            "R5",
            f"at most {MOST_HELD} abilities {on}, in the order {', '.join(Ability)}",
            ", ".join(stack.held),
        )


def _counted(state: PiggybackState) -> Iterator[Invariant]:
    """Give the invariants of units and pieces."""
    for seat in BOARD_SEATS:
        units = state.units(seat)
        yield Invariant(units <= TEAM, "R1", f"at most {TEAM} units of {seat}", units)
    held = [of for _, stack in (*state.a, *state.b) for of in stack.held]
    lying = [of for _, of in state.pieces]
    loot = state.combat.loot if state.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *state.bank, *state.discarded])
    for ability in Ability:
        yield Invariant(
            counted[ability] == 2 * BANKED,
            "R1",
            f"{2 * BANKED} pieces of {ability} lying, held, in the bank and out",
            counted[ability],
        )
    for name, pile in (("bank", state.bank), ("discarded", state.discarded)):
        order = f"the {name} in the order of {', '.join(Ability)}"
        yield Invariant(pile == in_order(pile), "R1", order, ", ".join(pile))


def _phased(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of phases."""
    phase, combat, roam = state.phase, state.combat, state.roam
    over, told = phase is PiggybackPhase.OVER, f"phase {state.phase}"
    ends = over is (state.result is not None)
    yield Invariant(ends, "R9", "a result when the game is over and at no other time", told)
    both = over or bool(state.a and state.b)
    yield Invariant(both, "R9", "units on both sides while play goes on", "none on one")
    fights = (phase in _COMBAT) is (combat is not None)
    yield Invariant(fights, "R7", "a combat in its own phases and at no other time", told)
    yield Invariant(
        (phase in _COMBAT or phase is PiggybackPhase.ROAM) is (roam is not None),
        "PB4",
        "a unit that has moved while its turn goes on and at no other time",
        told,
    )
    own = {space for space, _ in state.side(state.active)}
    if phase is PiggybackPhase.ROAM and roam is not None:
        yield _there("a unit that moves on", roam.space, own, size)
    if combat is None:
        return
    decided = (phase in _AFTER) is (combat.winner is not None)
    yield Invariant(decided, "R7", "a winner once both have rolled and not before", told)
    if decided and combat.winner is not None:
        spaces = {space for space, _ in state.side(combat.winner)}
        yield _there("the winner", combat.target, spaces, size)
    elif decided:
        yield _there("the attacker", combat.source, own, size)
        enemy = {space for space, _ in (*state.a, *state.b)} - own
        yield _there("the attacked", combat.target, enemy, size)


def _there(who: str, space: int, spaces: set[int], size: int) -> Invariant:
    return Invariant(space in spaces, "R3", f"{who} on {space_name(space, size)}", "none")


def _timed(state: PiggybackState, rules: PiggybackRules) -> Iterator[Invariant]:
    """Give the invariants of the counters."""
    yield Invariant(
        0 <= state.lively <= state.ply + 1 and state.ply <= rules.cap,
        "PB12",
        f"0 <= lively <= ply + 1 <= {rules.cap + 1}",
        f"lively={state.lively} ply={state.ply}",
    )
    yield Invariant(
        0 <= state.ties <= rules.start_cap + 1 and 0 <= state.opening <= 6,
        "PB11",
        f"opening rolls of 1 to 6 and at most {rules.start_cap} equal ones",
        f"opening={state.opening} ties={state.ties}",
    )


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

    def read_roam(text: str) -> Roam:
        at, steps, spent = text.split(":")
        return Roam(space.read(at), int(steps), int(spent))

    def write_combat(combat: Combat) -> str:
        spaces = (space.write(combat.source), space.write(combat.target))
        numbers = map(str, (combat.rolls, combat.face, combat.attack))
        return ":".join((*spaces, *numbers, combat.winner or "-", _HELD.write(combat.loot) or "-"))

    def read_combat(text: str) -> Combat:
        source, target, rolls, face, attack, winner, loot = text.split(":")
        return Combat(
            source=space.read(source),
            target=space.read(target),
            rolls=int(rolls),
            face=int(face),
            attack=int(attack),
            winner=None if winner == "-" else Seat(winner),
            loot=() if loot == "-" else _HELD.read(loot),
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
        "roam": (
            "roam",
            optional(Codec(lambda r: f"{space.write(r.space)}:{r.steps}:{r.spent}", read_roam)),
        ),
        "combat": ("combat", optional(Codec(write_combat, read_combat))),
        "result": ("result", optional(result_codec(PiggybackReason, SEAT))),
    }
