"""Balance studies: dice that cancel, accounts that add up, folders that last."""

from collections import Counter
from dataclasses import replace

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.experiments import balance as table_module
from pigglesim.experiments.balance import (
    AttributionRecorder,
    BalanceStudy,
    ScoreTable,
    Subject,
    TrialTeam,
    parts_of,
    teams_of,
)
from pigglesim.games.piggles.state import parse_piece
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import play
from pigglesim.rng import generator

SMALL = BalanceStudy(seed=5, parts=("seats", "teams", "rune:arrow_ccw", "premium:6"))
MODERN = ("piggles_modern",)


def team_of(*words):
    return TrialTeam(pieces=tuple(map(parse_piece, words)))


STRONG = team_of(*["orange+across", "red+arrow_cw", "red+arrow_ccw"] * 2)


def leads(monkeypatch, own, other, *, agent="greedy", trials=25):
    """Return what trials of two given teams come to."""
    monkeypatch.setattr(table_module, "teams_of", lambda part, rng: (own, other))
    study = BalanceStudy(seed=3, games=MODERN, agents=(agent,), parts=("colour:red",))
    table = ScoreTable(study)
    return [(trial.lead, trial.points) for trial in map(table, range(trials))]


@pytest.mark.parametrize("agent", ["greedy", "uniform"])
def test_equal_teams_differ_by_nothing_at_all(monkeypatch, agent):
    assert set(leads(monkeypatch, STRONG, STRONG, agent=agent)) == {(0.0, 0.5)}


@pytest.mark.parametrize(
    ("game", "rules", "agent"),
    [
        ("piggles_classic", {}, "greedy"),
        ("piggles_classic", {"final_penalty": True, "kitchen_penalty": "once"}, "uniform"),
        ("piggles_classic", {"kitchen_bonus_classic": "off", "off_board": "kitchen"}, "greedy"),
        ("piggles_modern", {}, "greedy"),
        ("piggles_modern", {"actors": "all_own_up", "final_penalty": True}, "greedy"),
        ("piggles_modern", {"off_board": "reroll", "cocked": "reroll"}, "uniform"),
    ],
)
def test_accounts_add_up(game, rules, agent):
    teams = {"team_a": ["red+arrow_ccw", "blue+left", "green+adjacent"] * 2}
    settings = rules | (teams if game == "piggles_modern" else {})
    rulebook = make_game(game, settings)
    chance = TabularChance(seed=0, odds=load_odds("piggle"))
    acted = used = 0
    for seed in range(25):
        accountant = AttributionRecorder(rulebook)
        played = play(
            rulebook,
            agents=dict.fromkeys(BOARD_SEATS, make_agent(agent)),
            chance=chance.with_seed(seed),
            seed=seed,
            on_event=accountant,
        )
        account, record = accountant.attribution(), played.record
        assert sum(account.sources) == sum(record.footer.scores.values())
        assert account.decisions == len(record.decisions)
        assert account.rounds == played.state.round
        if account.rounds == 6 and len(account.by_round[0]) == 6:
            last = [own[-1] for own in account.by_round]
            assert last == list(record.footer.scores.values())
        for effect in account.effects.values():
            assert effect.used <= effect.reached <= effect.landed
            used += effect.used
        acted += sum(entry.action.startswith("act ") for entry in record.decisions)
    assert used == acted
    assert (acted > 0) is (game == "piggles_modern")


FAULTS = [
    ({"parts": ("colour:purple",)}, "purple"),
    ({"parts": ("premium:3",)}, "premium:6"),
    ({"parts": ("colours",)}, "use colour"),
    ({"parts": ("seats", "seats")}, "seats is given twice"),
    ({"games": ("piggles_classic",), "parts": ("colour",)}, "nothing to play"),
    ({"chance": "loaded"}, "loaded"),
]


@pytest.mark.parametrize(("change", "told"), FAULTS)
def test_a_faulty_study_is_told(change, told):
    with pytest.raises(SpecError, match=told) as fault:
        replace(SMALL, **change)
    assert "\n" not in str(fault.value)


def test_the_team_in_question_is_all_of_one_and_the_other_does_nothing():
    for part in parts_of("piggles_modern", ("colour", "rune")):
        own, other = teams_of(part, rng=generator(1, "test"))
        level = {str(getattr(piece, str(part.subject))) for piece in own.pieces}
        assert level == {part.level}
        assert all(piece.rune is None for piece in other.pieces)
        if part.subject is Subject.COLOUR:
            assert all(piece.directional for piece in own.pieces)


def test_a_schedule_counts_its_matches_and_shares_its_dice():
    table = ScoreTable(SMALL)
    trials = SMALL.trials(4)
    assert SMALL.matches_of(trials) == sum(len(table(index).matches) for index in range(trials))
    counts = Counter(SMALL.setting(index)[0].part.name for index in range(trials))
    # Of each comparison two pairs; of Classic and Modern seats 8 a turn, of Modern teams.
    assert counts == {"seats": 32, "teams": 16, "rune:arrow_ccw": 2, "premium:6": 4}
    more = replace(SMALL, agents=("greedy", "uniform"))
    one, both = ({each.setting(k)[1] for k in range(each.trials(4))} for each in (SMALL, more))
    assert one == both


def test_physics_is_played_with_too():
    study = BalanceStudy(
        seed=1, games=("piggles_classic",), parts=("premium:6",), chance="physical",
        house_rules={"rounds": 1},
    )  # fmt: skip
    table = ScoreTable(study)
    assert table.made_of()["chance"]["source"] == "physical"
    trial = table(0)
    assert trial == table(0)
    assert trial.matches != ScoreTable(replace(study, chance="tabular"))(0).matches
