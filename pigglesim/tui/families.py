"""The class that shows each game, by the game's name."""

from typing import Any

from pigglesim.games.game import Game
from pigglesim.tui.family import Family
from pigglesim.tui.lord_of_the_pigs import LordFamily
from pigglesim.tui.pig_pile import PigPileFamily
from pigglesim.tui.piggles import PigglesFamily
from pigglesim.tui.piggy_six import PiggySixFamily
from pigglesim.tui.piggyback import PiggybackFamily

FAMILIES: dict[str, type[Family]] = {
    "piggles_classic": PigglesFamily,
    "piggles_modern": PigglesFamily,
    "lord_of_the_pigs": LordFamily,
    "pig_pile": PigPileFamily,
    "piggyback": PiggybackFamily,
    "piggy_six": PiggySixFamily,
}


def family_of(game: Game[Any, Any]) -> Family:
    """Return how a game shows itself: by a class of its own, or by its notation."""
    return FAMILIES.get(game.name, Family)(game)
