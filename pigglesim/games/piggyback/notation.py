"""What no state of Piggyback can be: every invariant that is broken, told by its rule."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Concede, Result, Violation
from pigglesim.games.notation import read_words, written
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
                rule="R4",
                expected="one stack on a space",
                got=f"{count} on {space_name(space, size)}",
                remedy="move one of them",
            )
    for name, spaces in (
        ("a", [space for space, _ in state.a]),
        ("b", [space for space, _ in state.b]),
        ("pieces", [space for space, _ in state.pieces]),
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


def _counted(state: PiggybackState) -> Iterator[Violation]:
    for seat in BOARD_SEATS:
        if state.units(seat) > TEAM:
            yield Violation(
                rule="R1",
                expected=f"at most {TEAM} units of {seat}",
                got=str(state.units(seat)),
                remedy="take some off",
            )
    held = [of for _, stack in (*state.a, *state.b) for of in stack.held]
    lying = [of for _, of in state.pieces]
    loot = state.combat.loot if state.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *state.bank, *state.discarded])
    for ability in Ability:
        if counted[ability] != 2 * BANKED:
            yield Violation(
                rule="R1",
                expected=f"{2 * BANKED} pieces of {ability} lying, held, in the bank and out",
                got=str(counted[ability]),
                remedy="add or leave out some",
            )
    for name, pile in (("bank", state.bank), ("discarded", state.discarded)):
        if pile != in_order(pile):
            yield Violation(
                rule="R1",
                expected=f"the {name} in the order of {', '.join(Ability)}",
                got=", ".join(pile),
                remedy="sort it",
            )


def _phased(state: PiggybackState, size: int) -> Iterator[Violation]:
    """Give what does not fit to what is due."""
    phase, combat, roam = state.phase, state.combat, state.roam
    over = phase is PiggybackPhase.OVER
    if over is not (state.result is not None):
        yield Violation(
            rule="R9",
            expected="a result when the game is over and at no other time",
            got=f"phase {phase}",
            remedy="phase=over with a result",
        )
    if not over and not (state.a and state.b):
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
    if (phase in _COMBAT or phase is PiggybackPhase.ROAM) is not (roam is not None):
        yield Violation(
            rule="PB4",
            expected="a unit that has moved while its turn goes on and at no other time",
            got=f"phase {phase}",
            remedy="copy the position whole",
        )
    own = {space for space, _ in state.side(state.active)}
    if phase is PiggybackPhase.ROAM and roam is not None and roam.space not in own:
        yield _nobody("a unit that moves on", roam.space, size)
    if combat is not None:
        yield from _fought(state, size)


def _nobody(who: str, space: int, size: int) -> Violation:
    return Violation(
        rule="R3",
        expected=f"{who} on {space_name(space, size)}",
        got="none",
        remedy="copy the position whole",
    )


def _fought(state: PiggybackState, size: int) -> Iterator[Violation]:
    """Give what cannot be so in a combat."""
    combat = state.combat
    assert combat is not None
    after = state.phase in _AFTER
    if after is not (combat.winner is not None):
        yield Violation(
            rule="R7",
            expected="a winner once both have rolled and not before",
            got=f"phase {state.phase}",
            remedy="copy the position whole",
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
            rule="PB12",
            expected=f"0 <= lively <= ply + 1 <= {rules.cap + 1}",
            got=f"lively={state.lively} ply={state.ply}",
            remedy="lively=0 and a smaller ply",
        )
    if not 0 <= state.ties <= rules.start_cap + 1 or not 0 <= state.opening <= 6:
        yield Violation(
            rule="PB11",
            expected=f"opening rolls of 1 to 6 and at most {rules.start_cap} equal ones",
            got=f"opening={state.opening} ties={state.ties}",
            remedy="leave both out",
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


def _held_text(held: Held) -> str:
    return "".join(ability.value[0] for ability in held)


def _words(state: PiggybackState, size: int) -> Iterator[tuple[str, str]]:
    def side(stacks: Iterable[tuple[int, Stack]]) -> str:
        return ",".join(
            f"{space_name(at, size)}:{stack.units}{_held_text(stack.held)}" for at, stack in stacks
        )

    yield "phase", state.phase
    yield "active", state.active
    yield "ply", str(state.ply)
    yield "lively", str(state.lively or "")
    yield "a", side(state.a)
    yield "b", side(state.b)
    lying = (f"{space_name(at, size)}:{of.value[0]}" for at, of in state.pieces)
    yield "pieces", ",".join(lying)
    yield "bank", _held_text(state.bank)
    yield "discarded", _held_text(state.discarded)
    yield "opening", str(state.opening or "")
    yield "ties", str(state.ties or "")
    roam = state.roam
    where = "" if roam is None else f"{space_name(roam.space, size)}:{roam.steps}:{roam.spent}"
    yield "roam", where
    yield "combat", "" if state.combat is None else _combat_text(state.combat, size)
    result = state.result
    yield "result", "" if result is None else f"{result.winner or '-'}:{result.reason}"


def _combat_text(combat: Combat, size: int) -> str:
    """Return source, target, rolls, face, attack, winner and loot, with colons between."""
    parts = (
        space_name(combat.source, size),
        space_name(combat.target, size),
        str(combat.rolls),
        str(combat.face),
        str(combat.attack),
        combat.winner or "-",
        _held_text(combat.loot) or "-",
    )
    return ":".join(parts)


def format_state(state: PiggybackState, size: int) -> str:
    """Return a state as one line of text."""
    return written(_words(state, size))


def read_state(text: str, size: int) -> PiggybackState:
    """Return the state that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    return read_words(text, PiggybackState(), _readers(size))


def _held(text: str) -> Held:
    return tuple(_LETTERS[letter] for letter in text)


def _side(text: str, size: int) -> tuple[tuple[int, Stack], ...]:
    stacks = []
    for word in text.split(","):
        space, _, stack = word.partition(":")
        stacks.append((parse_space(space, size), Stack(int(stack[:1]), _held(stack[1:]))))
    return tuple(stacks)


def _pieces(text: str, size: int) -> tuple[tuple[int, Ability], ...]:
    pairs = (word.partition(":") for word in text.split(","))
    return tuple((parse_space(space, size), _LETTERS[letter]) for space, _, letter in pairs)


def _roam(text: str, size: int) -> Roam:
    space, steps, spent = text.split(":")
    return Roam(parse_space(space, size), int(steps), int(spent))


def _combat(text: str, size: int) -> Combat:
    source, target, rolls, face, attack, winner, loot = text.split(":")
    return Combat(
        source=parse_space(source, size),
        target=parse_space(target, size),
        rolls=int(rolls),
        face=int(face),
        attack=int(attack),
        winner=None if winner == "-" else Seat(winner),
        loot=() if loot == "-" else _held(loot),
    )


def _result(text: str) -> Result:
    winner, _, reason = text.partition(":")
    return Result(winner=None if winner == "-" else Seat(winner), reason=PiggybackReason(reason))


_Reader = Callable[[PiggybackState, str], PiggybackState]


def _readers(size: int) -> dict[str, _Reader]:
    """Return how to read each word of a state on a board of that size."""
    return {
        "phase": lambda p, text: replace(p, phase=PiggybackPhase(text)),
        "active": lambda p, text: replace(p, active=Seat(text)),
        "ply": lambda p, text: replace(p, ply=int(text)),
        "lively": lambda p, text: replace(p, lively=int(text)),
        "a": lambda p, text: replace(p, a=_side(text, size)),
        "b": lambda p, text: replace(p, b=_side(text, size)),
        "pieces": lambda p, text: replace(p, pieces=_pieces(text, size)),
        "bank": lambda p, text: replace(p, bank=_held(text)),
        "discarded": lambda p, text: replace(p, discarded=_held(text)),
        "opening": lambda p, text: replace(p, opening=int(text)),
        "ties": lambda p, text: replace(p, ties=int(text)),
        "roam": lambda p, text: replace(p, roam=_roam(text, size)),
        "combat": lambda p, text: replace(p, combat=_combat(text, size)),
        "result": lambda p, text: replace(p, result=_result(text)),
    }
