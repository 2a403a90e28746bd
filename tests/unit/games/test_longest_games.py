"""The declared greatest length of a game, against games that chance and players draw out."""

from dataclasses import replace

from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.state import PigglesPhase
from pigglesim.games.registry import make_game
from pigglesim.landing import Landing, Orientation, RollResult, Zone

RULES = {"rounds": 3, "cocked": "reroll", "reroll_cap": 2, "sudden_cap": 4}
UP = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_NORTH)


def drawn_out(game):
    """The moves of a game whose turns each roll one Piggle that leans until the cap is reached."""
    state, moves = game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            request = game.chance_request(state)
            leans = state.phase is PigglesPhase.ROLL or request.standing
            landing = replace(UP, leaning=bool(leans) and state.phase is not PigglesPhase.SUDDEN)
            landings = [(piggle, landing) for piggle in request.piggles]
            state = game.apply_outcome(state, RollResult(landings=(*landings, *request.standing)))
        else:
            state = game.apply_action(state, Load(state.side(game.turn(state)).pen[:1]))
        moves += 1
    return moves, state


def test_classic_reaches_its_greatest_length_and_is_drawn():
    game = make_game("piggles_classic", RULES)
    moves, state = drawn_out(game)
    # 6 turns of a load, a roll and 2 rerolls; then 5 ties of two choices and rolls each.
    assert moves == game.max_length == 6 * 4 + 4 * 5
    assert game.result(state).reason == "draw"
