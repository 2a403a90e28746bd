"""The encoder of every game that can be an environment."""

from collections.abc import Callable, Mapping
from typing import Any

from pigglesim.adapters.encoder import Encoder
from pigglesim.adapters.lord_encoder import LordEncoder
from pigglesim.adapters.pig_pile_encoder import PigPileEncoder
from pigglesim.adapters.piggles_encoder import PigglesEncoder
from pigglesim.adapters.piggy_six_encoder import PiggySixEncoder
from pigglesim.adapters.piggyback_encoder import PiggybackEncoder
from pigglesim.errors import unknown_name
from pigglesim.games.game import Game
from pigglesim.games.lord_of_the_pigs.lord import LordOfThePigs
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.piggles.rulebook import Piggles
from pigglesim.games.piggy_six.rulebook import PiggySix
from pigglesim.games.piggyback.rulebook import Piggyback

__all__ = ["encoded_games", "encoder_of"]


def _piggles(game: Game[Any, Any]) -> PigglesEncoder:
    assert isinstance(game, Piggles)
    return PigglesEncoder(game=game)


def _lord(game: Game[Any, Any]) -> LordEncoder:
    assert isinstance(game, LordOfThePigs)
    return LordEncoder(game=game)


def _pig_pile(game: Game[Any, Any]) -> PigPileEncoder:
    assert isinstance(game, PigPile)
    return PigPileEncoder(game=game)


def _piggyback(game: Game[Any, Any]) -> PiggybackEncoder:
    assert isinstance(game, Piggyback)
    return PiggybackEncoder(game=game)


def _piggy_six(game: Game[Any, Any]) -> PiggySixEncoder:
    assert isinstance(game, PiggySix)
    return PiggySixEncoder(game=game)


_ENCODERS: Mapping[str, Callable[[Game[Any, Any]], Encoder[Any]]] = {
    "piggles_classic": _piggles,
    "piggles_modern": _piggles,
    "lord_of_the_pigs": _lord,
    "pig_pile": _pig_pile,
    "piggyback": _piggyback,
    "piggy_six": _piggy_six,
}


def encoded_games() -> tuple[str, ...]:
    """Return the names of all games that have an encoder."""
    return tuple(_ENCODERS)


def encoder_of(game: Game[Any, Any]) -> Encoder[Any]:
    """Return how a game becomes numbers.

    Raises:
        SpecError: If no encoder is known for it.
    """
    if game.name not in _ENCODERS:
        raise unknown_name("game with an encoder", game.name, _ENCODERS)
    return _ENCODERS[game.name](game)
