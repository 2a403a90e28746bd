"""A table of Lord of the P.I.G.S. at which tests play by hand."""

from dataclasses import replace

from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from tests.random_lord import at

GAME = LordOfThePigs()


def play(state, *actions, game=GAME):
    for text in actions:
        state = game.apply_action(state, game.parse_action(text))
    return state


def texts(state, game=GAME):
    return [game.format_action(action) for action in game.legal_actions(state)]


def revealed(event, game=GAME, **parts):
    """Return the position in which this Event has just been revealed; the Banker is first."""
    state = at(LordPhase.SUBMISSION, asked=["Energy"], **parts)
    deck = sorted(state.event_deck, key=lambda other: other != event)
    state = replace(state, event_deck=tuple(deck))
    return game.apply_action(state, game.parse_action("pass"))
