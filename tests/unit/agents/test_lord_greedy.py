"""The greedy agent of Lord of the P.I.G.S.: what it takes by hand, and that it wins."""

import numpy as np

from pigglesim.agents.greedy import LordGreedy
from pigglesim.agents.playouts import possible_states
from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance
from pigglesim.games.game import NonPlayer
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import Event, LordPhase
from pigglesim.match.runner import play
from tests.random_lord import at

GAME = LordOfThePigs()
RNG = np.random.default_rng(0)


def chosen(state):
    seat = GAME.turn(state)
    action = LordGreedy().choose(GAME.observe(state, seat), GAME.legal_actions(state), rng=RNG)
    return GAME.format_action(action)


def test_it_votes_for_what_wins_and_with_the_card_it_needs_least():
    table = [("Banker.C2", ""), ("Energy.C6", "")]
    parts = {"table": table, "ratings": (2, 9, 3, 1), "asked": ["Banker"]}
    state = at(LordPhase.VOTING, hands={"Banker": "U1 C2"}, **parts)
    assert chosen(state) == "vote C2 Banker.C2"


def test_it_does_not_vote_into_an_uprising_that_it_would_lose():
    parts = {"table": [("Banker.C2", "")], "hands": {"Banker": "U1"}, "asked": ["Banker"]}
    assert chosen(at(LordPhase.VOTING, ratings=(0, 5, 3, 3), stability=1, **parts)) == "pass"
    # The lowest of all would win by it.
    lowest = at(LordPhase.VOTING, ratings=(9, 0, 8, 7), stability=1, **parts)
    assert chosen(lowest) == "vote U1 Banker.C2"


def test_it_answers_events():
    parts = {"hands": {"Banker": "C1 U1"}, "asked": ["Banker"], "table": [("Banker.R3", "")]}
    calm = {"ratings": (0, 5, 3, 3), "stability": 1}
    for event, answer in (
        (Event.GENERAL_STRIKE, "stability +1"),
        (Event.CIVILIAN_WATCHDOGS, "withdraw Banker.R3"),
        (Event.FMI_INTERVENTION, "with President +1"),
        (Event.FLASH_FLOODS, "discard C1"),
    ):
        assert chosen(at(LordPhase.EVENT, event=event, **parts, **calm)) == answer


def test_it_beats_uniform_from_every_seat_in_turn():
    greedy, uniform = make_agent("greedy", game=GAME), make_agent("uniform")
    won = 0
    for seed in range(10):
        for seat in GAME.seats:
            agents = {**dict.fromkeys(GAME.seats, uniform), seat: greedy}
            match = play(GAME, agents=agents, chance=FairChance(seed=seed), seed=seed)
            won += match.state.result.winner is seat
    # An agent as good as the others wins a quarter of the 40 games, and 18 with p = 0.005.
    assert won >= 18


def test_a_search_imagines_what_it_does_not_see():
    agent = make_agent("mcts:nodes=12", game=GAME, chance=FairChance(seed=0))
    state, rng = GAME.initial_state(), np.random.default_rng(3)
    while GAME.turn(state) is NonPlayer.CHANCE:
        state = GAME.apply_outcome(
            state, FairChance(seed=1).draw(GAME.chance_request(state), rng=rng)
        )
    seat = GAME.turn(state)
    seen = GAME.observe(state, seat)
    draw = possible_states(GAME, seen)
    assert len({GAME.format_state(draw(np.random.default_rng(k))) for k in range(5)}) == 5
    action = agent.choose(seen, GAME.legal_actions(state), rng=rng)
    assert action in GAME.legal_actions(state)
