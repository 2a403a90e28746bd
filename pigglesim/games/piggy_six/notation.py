"""Piggy Six as text: actions and whole positions, each read back to the same value.

A position is one line of `name=value` words; what is at its default is left out.
"""

from pigglesim.errors import SpecError
from pigglesim.games.game import Result
from pigglesim.games.piggy_six.state import Position, Reason, Roll, Stop
from pigglesim.rolls import Seat

__all__ = [
    "format_action",
    "format_position",
    "parse_action",
    "parse_position",
]

_ACTIONS: dict[str, Roll | Stop] = {
    "roll": Roll(2),
    "roll 1": Roll(1),
    "roll 3": Roll(3),
    "stop": Stop(),
}
_WORDS = {action: text for text, action in _ACTIONS.items()}


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
