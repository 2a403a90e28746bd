"""Piggyback as text: actions and whole positions, each read back to the same value.

A stack is its units and the first letters of its abilities, such as `2gy`; a position is one line
of `name=value` words, in which what is at its default is left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Concede, Result
from pigglesim.games.piggyback.actions import (
    Keep,
    Move,
    PiggybackAction,
    Respawn,
    Stand,
    Take,
    Warp,
    Word,
)
from pigglesim.games.piggyback.spaces import parse_space, space_name
from pigglesim.games.piggyback.state import (
    Ability,
    Combat,
    Held,
    Phase,
    Position,
    Reason,
    Roam,
    Stack,
    in_order,
)
from pigglesim.games.position_words import read_words, written
from pigglesim.rolls import Seat

__all__ = [
    "format_action",
    "format_position",
    "parse_action",
    "read_position",
]

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


def _words(position: Position, size: int) -> Iterator[tuple[str, str]]:
    def side(stacks: Iterable[tuple[int, Stack]]) -> str:
        return ",".join(
            f"{space_name(at, size)}:{stack.units}{_held_text(stack.held)}" for at, stack in stacks
        )

    yield "phase", position.phase
    yield "active", position.active
    yield "ply", str(position.ply)
    yield "lively", str(position.lively or "")
    yield "a", side(position.a)
    yield "b", side(position.b)
    lying = (f"{space_name(at, size)}:{of.value[0]}" for at, of in position.pieces)
    yield "pieces", ",".join(lying)
    yield "bank", _held_text(position.bank)
    yield "discarded", _held_text(position.discarded)
    yield "opening", str(position.opening or "")
    yield "ties", str(position.ties or "")
    roam = position.roam
    where = "" if roam is None else f"{space_name(roam.space, size)}:{roam.steps}:{roam.spent}"
    yield "roam", where
    yield "combat", "" if position.combat is None else _combat_text(position.combat, size)
    result = position.result
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


def format_position(position: Position, size: int) -> str:
    """Return a position as one line of text."""
    return written(_words(position, size))


def read_position(text: str, size: int) -> Position:
    """Return the position that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    return read_words(text, Position(), _readers(size))


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
    return Result(winner=None if winner == "-" else Seat(winner), reason=Reason(reason))


_Reader = Callable[[Position, str], Position]


def _readers(size: int) -> dict[str, _Reader]:
    """Return how to read each word of a position on a board of that size."""
    return {
        "phase": lambda p, text: replace(p, phase=Phase(text)),
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
