"""Registry of the views of games, by the game's name."""

from typing import Any

from pigglesim.games.game import Game
from pigglesim.tui.game_view import GameView
from pigglesim.tui.lord_of_the_pigs import LordView
from pigglesim.tui.pig_pile import PigPileView
from pigglesim.tui.piggles import PigglesView
from pigglesim.tui.piggy_six import PiggySixView
from pigglesim.tui.piggyback import PiggybackView

VIEWS: dict[str, type[GameView]] = {
    "piggles_classic": PigglesView,
    "piggles_modern": PigglesView,
    "lord_of_the_pigs": LordView,
    "pig_pile": PigPileView,
    "piggyback": PiggybackView,
    "piggy_six": PiggySixView,
}


def make_view(game: Game[Any, Any]) -> GameView:
    """Return the view of a game: its own class, or the generic one by notation."""
    return VIEWS.get(game.name, GameView)(game)
