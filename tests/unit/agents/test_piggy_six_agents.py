"""Agents of Piggy Six: what they do at the edges, and that solved values are won at the table."""

import numpy as np
import pytest

from pigglesim.agents.registry import canonical_name, make_agent
from pigglesim.chance.tabular import fair_draw
from pigglesim.errors import SpecError
from pigglesim.experiments.statistics import binomial
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggy_six import DiceRoll, PiggySixState, Stop
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.solvers import dice_game as kept
from pigglesim.solvers.dice_game import PIGGY_SIX, DuelResult, solve_match

RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.getbasetemp() / "solutions-of-agents"
    monkeypatch.setattr(kept, "user_cache", lambda: folder)


def choice(agent, game, **state):
    position = PiggySixState(**{"dice": 2, "rolls": 1, **state})
    seen = game.observe(position, position.active)
    return agent.choose(seen, game.legal_actions(position), rng=RNG)


def won_by_first(game, first, second, games, seed):
    """Return shares of the win of A, game by game, each decision by the rules."""
    rng = np.random.default_rng(seed)
    shares = []
    for _ in range(games):
        state = game.initial_state()
        while (turn := game.turn(state)) is not NonPlayer.OVER:
            if turn is NonPlayer.CHANCE:
                state = game.apply_outcome(state, fair_draw(game.chance_request(state), rng=rng))
            else:
                agent = first if turn is Seat.A else second
                action = agent.choose(game.observe(state, turn), game.legal_actions(state), rng=rng)
                state = game.apply_action(state, action)
        shares.append(game.result(state).shares(game.seats)[Seat.A])
    return shares


@pytest.mark.parametrize("end", ["equal_turns", "race"])
def test_best_play_of_both_wins_what_was_solved(end):
    game = make_game("piggy_six", {"target": 20, "end": end})
    best = make_agent("optimal", game=game)
    shares = won_by_first(game, best, best, 1200, seed=5)
    assert 0.5 not in shares, "the best never tie"
    found = binomial(int(sum(shares)), len(shares), level=0.999)
    value = solve_match(
        DuelResult(dice=PIGGY_SIX, target=20, ending=game.rules.end)
    ).first_player_win
    assert found.low < value < found.high


def test_the_solved_solitaire_game_is_won_as_solved():
    game = make_game("piggy_six", {"target": 12, "solitaire": True, "bot_stop_2": 9})
    best = make_agent("optimal", game=game)
    shares = won_by_first(game, best, None, 500, seed=7)
    (roll,) = best.explain(game.observe(game.initial_state(), Seat.A), (DiceRoll(2),), rng=RNG)
    error = 3.3 * np.std(shares) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - roll.value) < error


def test_what_greedy_and_hold_do():
    game, race = make_game("piggy_six"), make_game("piggy_six", {"end": "race"})
    greedy = make_agent("greedy", game=game)
    assert choice(greedy, game, bank=(0, 0), total=13) == DiceRoll(2)
    assert choice(greedy, game, bank=(0, 0), total=14) == Stop()
    assert choice(greedy, game, bank=(80, 0), total=6) == DiceRoll(2)
    assert choice(greedy, game, bank=(80, 0), total=7) == Stop()
    last = {"active": Seat.B, "bank": (104, 90)}
    assert choice(greedy, game, total=14, **last) == DiceRoll(2)
    assert choice(greedy, game, total=15, **last) == Stop()
    assert choice(greedy, race, bank=(99, 0), total=2) == Stop()
    assert "two sixes" in greedy.reason(game.observe(PiggySixState(bank=(0, 0)), Seat.A))
    assert "last turn" in greedy.reason(game.observe(PiggySixState(**last), Seat.B))
    assert "at once" in greedy.reason(race.observe(PiggySixState(bank=(99, 0), total=2), Seat.A))
    hold = make_agent("hold:15", game=game)
    assert hold.name == canonical_name("hold:total=15") == "hold:total=15"
    assert choice(hold, game, bank=(0, 0), total=14) == DiceRoll(2)
    assert choice(hold, game, bank=(0, 0), total=15) == Stop()
    assert choice(hold, game, bank=(98, 0), total=2) == Stop()


def test_best_shows_what_each_choice_wins():
    game = make_game("piggy_six", {"target": 20})
    best = make_agent("best", game=game)
    tied = PiggySixState(bank=(22, 12), active=Seat.B, total=10, rolls=2, dice=2)
    explained = best.explain(game.observe(tied, Seat.B), game.legal_actions(tied), rng=RNG)
    assert [(each.action, each.value) for each in explained] == [
        (DiceRoll(2), pytest.approx(25 / 36)),
        (Stop(), 0.5),
    ]
    many = make_game("piggy_six", {"players": 3})
    assert make_agent("best", game=many).name == "best"
    assert choice(make_agent("best", game=many), many, bank=(0, 0, 0), total=14) == Stop()


@pytest.mark.parametrize(
    "rules",
    [
        {"players": 3},
        {"tie": "extra_round"},
        {"three_dice": True, "dice_choice": "per_turn"},
        {"target": 301},
        {"solitaire": True, "order": "human_last"},
        {"solitaire": True, "bot_goal_stop": True},
        {"solitaire": True, "target": 101},
    ],
)
def test_what_is_not_solved_is_refused(rules):
    with pytest.raises(SpecError, match="agent greedy"):
        make_agent("optimal", game=make_game("piggy_six", rules))


@pytest.mark.parametrize("name", ["hold", "optimal", "best"])
def test_agents_of_another_game_are_refused(name):
    with pytest.raises(SpecError, match="piggy_six"):
        make_agent(name, game=make_game("piggles_classic"))
    with pytest.raises(SpecError, match="hold"):
        make_agent("hold:0", game=make_game("piggy_six"))
