"""What no state of Piggyback can be: every invariant that is broken, told by its rule."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Concede, Violation
from pigglesim.games.notation import (
    COUNT,
    SEAT,
    WHOLE,
    Codec,
    Words,
    optional,
    pair,
    read_words,
    result_codec,
    several,
    write_words,
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
    parse_space,
    space_name,
)
from pigglesim.landing import BOARD_SEATS, Seat

_COMBAT = frozenset(
    {
        PiggybackPhase.WARP,
        PiggybackPhase.ATTACK_ROLL,
        PiggybackPhase.ATTACK,
        PiggybackPhase.DEFENCE_ROLL,
        PiggybackPhase.DEFENCE,
        PiggybackPhase.KEEP,
        PiggybackPhase.RESPAWN,
    }
)
_AFTER = frozenset({PiggybackPhase.KEEP, PiggybackPhase.RESPAWN})


def check_state(state: PiggybackState, size: int, rules: PiggybackRules) -> None:
    """Raise `SpecError` for the first invariant that a state breaks."""
    for fault in violations(state, size, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(state: PiggybackState, size: int, rules: PiggybackRules) -> tuple[Violation, ...]:
    """Return every invariant that a state breaks, none if it is possible.

    Args:
        state: Any state, such as one made by hand.
        size: Rows of the board.
        rules: The house rules.
    """
    return (
        *_placed(state, size),
        *_counted(state),
        *_phased(state, size),
        *_timed(state, rules),
    )


def _placed(state: PiggybackState, size: int) -> Iterator[Violation]:
    """Give what stands where it cannot: off its order, two on a space, too much in a stack."""
    stacks = [*state.a, *state.b]
    for space, count in Counter(space for space, _ in stacks).items():
        if count > 1:
            yield Violation(
                "R4",
                "one stack on a space",
                f"{count} on {space_name(space, size)}",
                "move one of them",
            )
    for name, spaces in (
        ("a", [space for space, _ in state.a]),
        ("b", [space for space, _ in state.b]),
        ("pieces", [space for space, _ in state.pieces]),
    ):
        if spaces != sorted(set(spaces)):
            yield Violation(
                "R1",
                f"the spaces of {name} in their order, each once",
                ",".join(space_name(space, size) for space in spaces),
                "sort them",
            )
    for space, stack in stacks:
        yield from _stacked(space_name(space, size), stack)


def _stacked(name: str, stack: Stack) -> Iterator[Violation]:
    if not 1 <= stack.units <= MOST_UNITS:
        yield Violation(
            "R4", f"1 to {MOST_UNITS} units on {name}", str(stack.units), "take some off"
        )
    if len(stack.held) > MOST_HELD or stack.held != in_order(stack.held):
        yield Violation(
            "R5",
            f"at most {MOST_HELD} abilities on {name}, in the order {', '.join(Ability)}",
            ", ".join(stack.held),
            "leave some out",
        )


def _counted(state: PiggybackState) -> Iterator[Violation]:
    for seat in BOARD_SEATS:
        if state.units(seat) > TEAM:
            yield Violation(
                "R1", f"at most {TEAM} units of {seat}", str(state.units(seat)), "take some off"
            )
    held = [of for _, stack in (*state.a, *state.b) for of in stack.held]
    lying = [of for _, of in state.pieces]
    loot = state.combat.loot if state.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *state.bank, *state.discarded])
    for ability in Ability:
        if counted[ability] != 2 * BANKED:
            yield Violation(
                "R1",
                f"{2 * BANKED} pieces of {ability} lying, held, in the bank and out",
                str(counted[ability]),
                "add or leave out some",
            )
    for name, pile in (("bank", state.bank), ("discarded", state.discarded)):
        if pile != in_order(pile):
            yield Violation(
                "R1", f"the {name} in the order of {', '.join(Ability)}", ", ".join(pile), "sort it"
            )


def _phased(state: PiggybackState, size: int) -> Iterator[Violation]:
    """Give what does not fit to what is due."""
    phase, combat, roam = state.phase, state.combat, state.roam
    over = phase is PiggybackPhase.OVER
    if over is not (state.result is not None):
        yield Violation(
            "R9",
            "a result when the game is over and at no other time",
            f"phase {phase}",
            "phase=over with a result",
        )
    if not over and not (state.a and state.b):
        yield Violation(
            "R9",
            "units on both sides while play goes on",
            "none on one",
            "phase=over with a result",
        )
    if (phase in _COMBAT) is not (combat is not None):
        yield Violation(
            "R7",
            "a combat in its own phases and at no other time",
            f"phase {phase}",
            "copy the state whole",
        )
    if (phase in _COMBAT or phase is PiggybackPhase.ROAM) is not (roam is not None):
        yield Violation(
            "PB4",
            "a unit that has moved while its turn goes on and at no other time",
            f"phase {phase}",
            "copy the state whole",
        )
    own = {space for space, _ in state.side(state.active)}
    if phase is PiggybackPhase.ROAM and roam is not None and roam.space not in own:
        yield _nobody("a unit that moves on", roam.space, size)
    if combat is not None:
        yield from _fought(state, size)


def _nobody(who: str, space: int, size: int) -> Violation:
    return Violation("R3", f"{who} on {space_name(space, size)}", "none", "copy the state whole")


def _fought(state: PiggybackState, size: int) -> Iterator[Violation]:
    """Give what cannot be so in a combat."""
    combat = state.combat
    assert combat is not None
    after = state.phase in _AFTER
    if after is not (combat.winner is not None):
        yield Violation(
            "R7",
            "a winner once both have rolled and not before",
            f"phase {state.phase}",
            "copy the state whole",
        )
        return
    own = {space for space, _ in state.side(state.active)}
    enemy = {space for space, _ in (*state.a, *state.b)} - own
    if combat.winner is not None:
        if combat.target not in {space for space, _ in state.side(combat.winner)}:
            yield _nobody("the winner", combat.target, size)
        return
    if combat.source not in own:
        yield _nobody("the attacker", combat.source, size)
    if combat.target not in enemy:
        yield _nobody("the attacked", combat.target, size)


def _timed(state: PiggybackState, rules: PiggybackRules) -> Iterator[Violation]:
    if not 0 <= state.lively <= state.ply + 1 or state.ply > rules.cap:
        yield Violation(
            "PB12",
            f"0 <= lively <= ply + 1 <= {rules.cap + 1}",
            f"lively={state.lively} ply={state.ply}",
            "lively=0 and a smaller ply",
        )
    if not 0 <= state.ties <= rules.start_cap + 1 or not 0 <= state.opening <= 6:
        yield Violation(
            "PB11",
            f"opening rolls of 1 to 6 and at most {rules.start_cap} equal ones",
            f"opening={state.opening} ties={state.ties}",
            "leave both out",
        )


_LETTERS = {ability.value[0]: ability for ability in Ability}
_MOVE = re.compile(r"(?P<source>[a-z]\d+)-(?P<target>[a-z]\d+)")
_NOTHING = "nothing"


def format_action(action: PiggybackAction, size: int) -> str:
    """Return an action as text, such as `b1-b2`, `c3-c4 take`, `warp b1 e5` or `stand +1`."""
    match action:
        case Move(source=source, target=target, take=take):
            taking = " take" if take else ""
            return f"{space_name(source, size)}-{space_name(target, size)}{taking}"
        case Warp(holder=holder, partner=partner):
            return f"warp {space_name(holder, size)} {space_name(partner, size)}"
        case Take(space=space):
            return f"take {space_name(space, size)}"
        case Stand(force=force):
            return f"stand +{force}" if force else "stand"
        case Keep(held=held):
            return " ".join(("keep", *held)) if held else f"keep {_NOTHING}"
        case Respawn(space=space):
            return f"respawn {space_name(space, size)}"
        case Concede():
            return "concede"
        case Word():
            return action.value


def parse_action(text: str, size: int) -> PiggybackAction:
    """Return the action that a text names.

    Raises:
        SpecError: If the text is no action, or names a space that is not on the board.
    """
    match text.split():
        case ["concede"]:
            return Concede()
        case [word] if word in set(Word):
            return Word(word)
        case ["stand", *force] if not force or (len(force) == 1 and force[0] in {"+1", "+2"}):
            return Stand(int(force[0]) if force else 0)
        case ["warp", holder, partner]:
            return Warp(parse_space(holder, size), parse_space(partner, size))
        case ["take", space]:
            return Take(parse_space(space, size))
        case ["respawn", space]:
            return Respawn(parse_space(space, size))
        case ["keep", "nothing"]:
            return Keep()
        case ["keep", first, *rest]:
            return Keep(in_order([_ability(word) for word in (first, *rest)]))
        case [step, *take] if take in ([], ["take"]) and (match := _MOVE.fullmatch(step)):
            source, target = (parse_space(match[name], size) for name in ("source", "target"))
            return Move(source, target, take=bool(take))
        case _:
            raise SpecError(
                "an action",
                got=repr(text),
                remedy="b1-b2, b3-c4 take, warp b1 c1, roll, stand +1, keep green or respawn a4",
            )


def _ability(word: str) -> Ability:
    if word not in set(Ability):
        raise unknown_name("ability", word, Ability)
    return Ability(word)


_LETTER: Codec[Ability] = Codec(lambda ability: ability.value[0], _LETTERS.__getitem__)
_HELD: Codec[Held] = Codec(
    lambda held: "".join(map(_LETTER.write, held)), lambda text: tuple(map(_LETTER.read, text))
)
_STACK = Codec(
    lambda stack: f"{stack.units}{_HELD.write(stack.held)}",
    lambda text: Stack(int(text[:1]), _HELD.read(text[1:])),
)


@cache
def _words(size: int) -> Words:
    """Return what each word of a state on a board of that size gives."""
    space = Codec[int](lambda at: space_name(at, size), lambda text: parse_space(text, size))

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


def format_state(state: PiggybackState, size: int) -> str:
    """Return a state as one line of text."""
    return write_words(state, _words(size))


def read_state(text: str, size: int) -> PiggybackState:
    """Return the state that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    return read_words(text, PiggybackState(), _words(size))
