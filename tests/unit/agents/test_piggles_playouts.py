"""Compiled games of Piggles are those of the rules: to the bit where nothing is left to chance."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from pigglesim.agents.compiled_playouts import piggles_playouts
from pigglesim.agents.greedy import Greedy, RollShares
from pigglesim.agents.playouts import AgentPlayouts, rewards
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance, believed_chance
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectVerb
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import MudDelay, PigglesPhase, PigglesRules
from pigglesim.landing import Orientation, Seat
from pigglesim.markings import Colour, Rune
from tests.support.sure_chance import PLACES, certain, greedy_end, positions, remembering
from tests.support.tiny_games import Coin

BY_ODDS = TabularChance(seed=1, odds=load_odds("piggle"))
PREMIUM = ("A1", "A4", "A5", "B6")
MIXED = believed_chance(models=dict.fromkeys(PREMIUM, "premium") | {"A2": "piggle"})
ALIKE = ["red+arrow_cw", "red+arrow_ccw", "red+spiral_cw", "red+spiral_ccw", "red+split", "red"]


def modern(seed, **settings):
    """Return a game between two teams of any colours and runes."""
    rng = np.random.default_rng(seed)
    worn = [f"{colour}+{rune}" for colour in Colour for rune in Rune]
    teams = {name: [str(each) for each in rng.choice(worn, 6)] for name in ("team_a", "team_b")}
    return PigglesModern.from_settings({**teams, **settings})


CLASSIC = [PigglesRules(), PigglesRules(first_player=Seat.B, alternate_start=True, rounds=7)]
MODERN = [
    {},
    {"actors": "all_own_up", "left": "counterclockwise", "alternate_start": True, "rounds": 7},
    {"actors": "all_own_up", "left": "player_view", "target_scope": "opponent_only"},
    {"actors": "all_own_up", "team_a": ALIKE, "team_b": ALIKE, "first_player": "B"},
    {"team_a": ["yellow+adjacent"] * 6, "team_b": ["blue+adjacent"] * 6, "rare_runes": False},
]


def made(rules, seed=1):
    """Return a game of Classic by its rules, or of Modern by its settings."""
    return PigglesClassic(rules=rules) if isinstance(rules, PigglesRules) else modern(seed, **rules)


def ends_alike(game, chance, states):
    """Compare the ends of games whose chance is certain; return how many."""
    quick, compared = piggles_playouts(game, chance), 0
    for state in states:
        end = greedy_end(game, state, chance, most=400)
        if end.sudden != state.sudden or game.turn(end) is not NonPlayer.OVER:
            continue
        won, a, b = quick.games(state, 1, rng=np.random.default_rng(1))[0]
        assert (a, b) == (end.a.score, end.b.score), state
        assert won == rewards(game, end)[Seat.A]
        compared += 1
    return compared


@pytest.mark.slow
@pytest.mark.parametrize("rules", [*CLASSIC, *MODERN])
def test_where_chance_is_certain_every_game_is_the_same(rules):
    compared = 0
    for case, (landing, after, rate) in enumerate(product(PLACES, PLACES, (0.0, 1.0))):
        game = made(rules, case)
        # States of games that are not certain, so that all sorts of Piggles lie about.
        states = positions(game, case, BY_ODDS)[case % 3 :: 3]
        compared += ends_alike(game, certain(landing, rate, after), states)
    assert compared > 100


@pytest.mark.parametrize("every", [CLASSIC[:1], MODERN[:3]])
def test_where_a_knock_depends_on_how_they_stood_every_game_is_the_same(every):
    compared = 0
    for case in range(15):
        game = made(every[case % len(every)], case)
        chance = remembering(PLACES[case % len(PLACES)], case)
        compared += ends_alike(game, chance, positions(game, case, BY_ODDS)[::3])
    assert compared > 40


@pytest.mark.parametrize("every", [CLASSIC, MODERN[:3]])
def test_where_models_differ_every_game_is_the_same(every):
    compared = 0
    for case, (landing, other) in enumerate(product(PLACES, PLACES)):
        game = made(every[case % len(every)], case)
        chance = certain(landing, 1.0, other, (other, float(case % 2), landing))
        compared += ends_alike(game, chance, positions(game, case, MIXED)[case % 3 :: 3])
    assert compared > 60


@pytest.mark.slow
def test_every_effect_is_compared():
    met = set()
    for settings, case in product(MODERN, range(12)):
        game = modern(case, **settings)
        for state in positions(game, case, BY_ODDS):
            if state.phase is PigglesPhase.ACTION_REACTION and state.pending is None:
                met |= {game.effects.verb(act.piggle) for act in game.legal_actions(state)[:-2]}
    assert met == set(EffectVerb)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "name", "chance"),
    [
        *(
            (CLASSIC[0], name, chance)
            for name in ("greedy", "uniform")
            for chance in (BY_ODDS, MIXED)
        ),
        *((each, "greedy", BY_ODDS) for each in MODERN[:2]),
        (MODERN[1], "greedy", MIXED),
    ],
)
def test_games_by_odds_come_out_as_by_the_rules(rules, name, chance):
    game = made(rules, 5)
    quick = piggles_playouts(game, chance, guided=name == "greedy")
    agent = make_agent(name, game=game, chance=chance)
    plain = AgentPlayouts(game=game, chance=chance, agent=agent)
    rng, starts = np.random.default_rng(5), positions(game, 11, BY_ODDS)
    for state in (starts[0], starts[len(starts) // 2]):
        ends = [plain._played(state, rng) for _ in range(150)]
        slow = np.array([[rewards(game, e)[Seat.A], e.a.score, e.b.score] for e in ends])
        fast = quick.games(state, 40_000, rng=rng)
        # The spread of many games, which is the same if these are: a few may hold no rare win.
        error = np.sqrt(fast.var(axis=0) * (1.0 / len(slow) + 1.0 / len(fast)))
        # 42 comparisons in all: four standard errors come by chance once in 370 times.
        # An end that never comes has no spread.
        assert np.all(np.abs(slow.mean(axis=0) - fast.mean(axis=0)) <= 4.0 * error)


@pytest.mark.parametrize(
    ("game", "alone", "both"),
    [
        (PigglesClassic(), "A.pen=A1 B.pen=", "A.pen=A1 B.pen=B1"),
        (modern(1), "A.pen=A1,B1 captured=B1", "A.pen=A1 B.pen=B1"),
    ],
)
def test_a_tie_is_broken_by_those_who_have_a_piggle(game, alone, both):
    def won(pens, count):
        text = f"round=6 active=B phase=sudden A.score=9 B.score=9 {pens}"
        state = game.parse_state(text.removesuffix(" B.pen="))
        return piggles_playouts(game, BY_ODDS).games(state, count, rng=np.random.default_rng(1))

    assert set(won(alone, 50)[:, 0]) == {1.0}
    # Symmetric: mean one half with a standard error of .0035; five of them.
    assert won(both, 20_000)[:, 0].mean() == pytest.approx(0.5, abs=0.018)


@pytest.mark.parametrize("name", ["greedy", "mcts:nodes=60", "expectimax:samples=40"])
def test_in_sudden_snout_up_a_premium_is_chosen_and_wins_at_its_odds(name):
    game, rng = PigglesClassic(), np.random.default_rng(1)
    pens = "A.pen=A2,A4 B.pen=B1,B2"
    state = game.parse_state(f"round=6 active=A phase=sudden A.score=9 B.score=9 {pens}")
    playouts = piggles_playouts(game, MIXED)
    plain, premium = shares_alone("piggle"), shares_alone("premium")
    for chosen, own in (("A2", plain), ("A4", premium)):
        found = playouts.games(game.apply_action(state, Load((chosen,))), 20_000, rng=rng)
        # A tied attempt is followed by others, in which A rolls the Premium.
        later = won(premium, plain) / (won(premium, plain) + won(plain, premium))
        expected = won(own, plain) + np.dot(own, plain) * later
        # Five standard errors.
        assert found[:, 0].mean() == pytest.approx(expected, abs=0.018)
    agent = make_agent(name, game=game, chance=MIXED)
    legal = game.legal_actions(state)
    assert agent.choose(game.observe(state, Seat.A), legal, rng=rng) == Load(("A4",))


def shares_alone(model):
    """Return the shares of Up, Down and head of a Piggle that is thrown alone onto the board."""
    shares = load_odds(model).of_throw(1).shares
    each = [sum(w for (at, _), w in shares.items() if at is pose) for pose in Orientation]
    return np.array(each) / sum(each)


def won(own, other):
    """Return the share of attempts that the first of two Piggles wins."""
    return np.sum(np.triu(np.outer(own, other), 1))


def test_only_what_is_known_is_compiled():
    free = PigglesRules(rounds=3, alternate_start=True, knock_angle_deg=9.0, reroll_cap=3)
    for game in (PigglesClassic(rules=free), modern(1, rare_runes=False, reroll_cap=3)):
        assert piggles_playouts(game, BY_ODDS) is not None
        assert piggles_playouts(game, Coin(up=0.5)) is None
    strange = replace(PigglesRules(), mud_delay=MudDelay.NONE)
    assert piggles_playouts(PigglesClassic(rules=strange), BY_ODDS) is None
    assert piggles_playouts(modern(1), BY_ODDS, guided=False) is None
    for name, setting in (("capture", "return"), ("blue_mode", "drop_in_place")):
        assert piggles_playouts(modern(1, **{name: setting}), BY_ODDS) is None


@pytest.mark.parametrize("game", [PigglesClassic(), PigglesModern()])
def test_greedy_chooses_as_it_does_among_all_loads(game):
    bad = RollShares(up=0.01, down=0.0, head=0.99)
    fine = RollShares(up=0.9, down=0.1, head=0.0)
    mixed = Greedy(of_piggles={"A2": bad, "A5": fine, "B1": bad, "B2": bad})
    for agent in (Greedy(), Greedy(threshold=4.0), mixed):
        for state in positions(game, 4, BY_ODDS):
            if isinstance(game.turn(state), Seat):
                seen, legal = game.observe(state, game.turn(state)), game.legal_actions(state)
                few = agent.shortlist(game, state)
                assert len(few) <= len(legal)
                assert agent.choose(seen, few, rng=None) == agent.choose(seen, legal, rng=None)
