"""Piggy Six as text: actions, dice and whole positions, each read back to the same value.

A position is one line of `name=value` words; what is at its default is left out.
"""

import re

from pigglesim.asking import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.games.piggy_six.state import Position, Reason, Roll, Stop
from pigglesim.rolls import RestPlace, Seat

__all__ = [
    "format_action",
    "format_dice",
    "format_position",
    "parse_action",
    "parse_dice",
    "parse_position",
]

_ACTIONS: dict[str, Roll | Stop] = {
    "roll": Roll(2),
    "roll 1": Roll(1),
    "roll 3": Roll(3),
    "stop": Stop(),
}
_WORDS = {action: text for text, action in _ACTIONS.items()}
_DIE = re.compile(r"(?P<face>\d+)(?:\[(?P<place>[^\]]*)\])?")
_PLACE_NUMBERS = 7


def format_action(action: Roll | Stop) -> str:
    """Return an action as text: `roll` for two dice, `roll 1`, `roll 3` or `stop`."""
    return _WORDS[action]


def parse_action(text: str) -> Roll | Stop:
    """Return the action that a text names; `roll 2` is `roll`.

    Raises:
        SpecError: If the text is no action.
    """
    words = " ".join(text.split())
    action = _ACTIONS.get("roll" if words == "roll 2" else words)
    if action is None:
        raise SpecError(
            "an action", got=repr(text), remedy="roll or stop; with three dice roll 1 or roll 3"
        )
    return action


def format_dice(outcome: DiceResult) -> str:
    """Return dice as text: `3 5`, with places in brackets if physics gave any.

    Dice that were thrown more than once have `x2`, `x3` and so on at the end.
    """
    places = outcome.places or (None,) * len(outcome.faces)
    words = [
        f"{face}{_format_place(place)}" for face, place in zip(outcome.faces, places, strict=True)
    ]
    return " ".join(words if outcome.throws == 1 else [*words, f"x{outcome.throws}"])


def parse_dice(text: str) -> DiceResult:
    """Return the dice that `format_dice` wrote.

    Raises:
        SpecError: If the text is none.
    """
    words, throws = text.split(), 1
    if words and words[-1].startswith("x") and words[-1][1:].isdecimal():
        throws = int(words.pop()[1:])
    dice = [_DIE.fullmatch(word) for word in words]
    found = [die for die in dice if die is not None]
    places = [_parse_place(die["place"]) for die in found if die["place"] is not None]
    if not words or len(found) < len(words) or len(places) not in {0, len(words)}:
        raise SpecError("dice", got=repr(text), remedy="3 5")
    return DiceResult(
        faces=tuple(int(die["face"]) for die in found), places=tuple(places), throws=throws
    )


def _format_place(place: RestPlace | None) -> str:
    if place is None:
        return ""
    numbers = (*place.position, *place.orientation)
    return f"[{','.join(repr(float(number)) for number in numbers)}]"


def _parse_place(text: str) -> RestPlace:
    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != _PLACE_NUMBERS:
        raise SpecError("7 numbers of a place", got=repr(text), remedy="x,y,z,qx,qy,qz,qw")
    x, y, z, qx, qy, qz, qw = numbers
    return RestPlace(position=(x, y, z), orientation=(qx, qy, qz, qw))


def format_position(position: Position) -> str:
    """Return a position as text, such as `bank=40,60 active=B round=7 total=12 rolls=2 dice=2`."""
    words = [f"bank={','.join(map(str, position.bank))}", f"active={position.active}"]
    words.append(f"round={position.round}")
    for name in ("total", "rolls", "dice"):
        if value := getattr(position, name):
            words.append(f"{name}={value}")
    if position.rolling:
        words.append("rolling")
    if position.result is not None:
        won = position.result.shared or (position.result.winner,)
        words.append(f"result={''.join(map(str, won))}:{position.result.reason}")
    return " ".join(words)


def parse_position(text: str) -> Position:
    """Return the position that `format_position` wrote.

    Raises:
        SpecError: If the text is no position.
    """
    words = dict(word.partition("=")[::2] for word in text.split())
    unknown = words.keys() - {*_NUMBERS, "bank", "active", "rolling", "result"}
    try:
        if unknown or words.get("rolling"):
            raise ValueError(text)
        return Position(
            bank=tuple(_whole(points) for points in words["bank"].split(",")),
            active=Seat(words["active"]),
            rolling="rolling" in words,
            result=_parse_result(words["result"]) if "result" in words else None,
            **{name: _whole(words[name]) for name in _NUMBERS if name in words},
        )
    except (KeyError, ValueError):
        raise SpecError(
            "a position of Piggy Six",
            got=repr(text),
            remedy="bank=40,60 active=B round=7 total=12 rolls=2 dice=2",
        ) from None


_NUMBERS = ("round", "total", "rolls", "dice")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise ValueError(text)
    return int(text)


def _parse_result(text: str) -> Result:
    letters, _, reason = text.partition(":")
    won = tuple(Seat(letter) for letter in letters)
    if len(won) == 1:
        return Result(winner=won[0], reason=Reason(reason))
    if not won:
        raise ValueError(text)
    return Result(winner=None, reason=Reason(reason), shared=won)
