"""The game that a record is of, at whose table its players must have seats."""

from collections.abc import Iterable, Mapping
from typing import Any

from pigglesim.errors import RecordError
from pigglesim.games.game import Game
from pigglesim.games.registry import make_game
from pigglesim.rolls import Seat

__all__ = ["seated_game"]


def seated_game(
    name: str, house_rules: Mapping[str, object], seats: Iterable[Seat]
) -> Game[Any, Any]:
    """Return a game under house rules by name.

    Raises:
        SpecError: If the game or one of its house rules is unknown.
        RecordError: If the game has no such seat.
    """
    game = make_game(name, dict(house_rules))
    for seat in seats:
        if seat not in game.seats:
            raise RecordError(
                f"a seat of {name}: {', '.join(game.seats)}",
                got=str(seat),
                remedy="use the record as it was written",
            )
    return game
