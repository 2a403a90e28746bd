"""Tournaments: fair pairs, standings, folders that last, and the same bytes for any workers."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from pigglesim.agents.greedy import Greedy
from pigglesim.agents.registry import make_agent
from pigglesim.errors import SpecError
from pigglesim.experiments import tournament as pair_module
from pigglesim.experiments.tournament import (
    ChanceKind,
    Tournament,
    TournamentSettings,
    open_folder,
    series_of,
    standings,
)
from pigglesim.games.piggles.areas import Load
from pigglesim.landing import Seat
from pigglesim.match.record import parse_record
from pigglesim.match.replay import replay

SMALL = Tournament(agents=("uniform", "greedy", "threshold:4"), seed=5)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A small tournament, played in this process."""
    path = tmp_path_factory.mktemp("small") / "cup"
    return play(path, SMALL, pairs=12)


def play(path, tournament, *, pairs, workers=1, watch=lambda folder: None):
    made_of = TournamentSettings(tournament).made_of()
    wanted = pairs * len(tournament.matchups)
    with open_folder(path, tournament, made_of, pairs=pairs) as folder:
        prepare = partial(TournamentSettings, tournament)
        folder.play(prepare, wanted=wanted, workers=workers, watch=watch)
    return folder


def test_other_agents_change_nothing_of_a_pair():
    two = Tournament(agents=("uniform", "threshold:points=4"), seed=5)
    assert two.meeting(3).seed == SMALL.meeting(10).seed
    (one,) = (TournamentSettings(two)(3),)
    other = TournamentSettings(SMALL)(10)
    assert one.matches == other.matches


def test_standings_add_up(played):
    found = standings(SMALL, played.items)
    assert found.pairs == 36
    assert sum(found.reasons.values()) == 72
    assert [each.pairs for each in found.agents] == [24, 24, 24]
    for each in found.agents:
        outcomes = each.outcomes
        assert outcomes.wins + outcomes.draws + outcomes.losses == 48
        share = (outcomes.wins + outcomes.draws / 2) / 48
        assert each.share.value == pytest.approx(share)
        assert each.share.low <= share <= each.share.high
    assert sum(each.share.value for each in found.agents) == pytest.approx(1.5)
    assert sum(each.score_difference.value for each in found.agents) == pytest.approx(0.0)
    assert [each.name for each in found.agents][-1] == "uniform"
    values = [each.elo.value for each in found.agents]
    assert values == sorted(values, reverse=True)
    assert [each.pairs for each in found.matchups] == [12, 12, 12]


def test_a_stopped_tournament_goes_on_to_the_same_bytes_and_grows(played, tmp_path):
    path = tmp_path / "cup"

    def stop(folder):
        if len(folder.items) == 7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(path, SMALL, pairs=4, watch=stop)
    assert len((path / "pairs.jsonl").read_bytes().splitlines()) == 7
    assert series_of().stored(path) == (SMALL, 4)
    assert len(play(path, SMALL, pairs=4).items) == 12
    grown = play(path, SMALL, pairs=12)
    assert grown.items == played.items
    assert (path / "pairs.jsonl").read_bytes() == (played.path / "pairs.jsonl").read_bytes()


@pytest.mark.parametrize(
    "harm",
    [
        lambda lines: [*lines[:-1], lines[-1][:40]],
        lambda lines: [*lines[:5], lines[5].replace(b'"points":1.0', b'"points":0.0'), *lines[6:]],
        lambda lines: [*lines[:4], *lines[5:]],
        lambda lines: [b"\x00\xff\n", *lines],
    ],
    ids=["cut", "edited", "one missing", "junk before"],
)
def test_torn_lines_are_put_aside_and_played_again(played, tmp_path, harm):
    path = tmp_path / "cup"
    play(path, SMALL, pairs=3)
    file = path / "pairs.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    assert any(b'"points":1.0' in line for line in lines[5:6])
    file.write_bytes(b"".join(harm(lines)))
    again = play(path, SMALL, pairs=3)
    assert (path / "pairs.torn").stat().st_size > 0
    assert file.read_bytes() == b"".join(lines)
    assert again.items == played.items[:9]


def test_records_are_saved_and_replay_to_the_reported_results(tmp_path):
    tournament = Tournament(agents=("uniform", "threshold:4"), seed=2, records=True)
    folder = play(tmp_path / "cup", tournament, pairs=2)
    files = sorted((folder.path / "records").iterdir())
    assert [file.name for file in files] == [f"00000{p}-{m}.jsonl" for p in (0, 1) for m in (0, 1)]
    for file, (pair, number) in zip(
        files, [(p, m) for p in folder.items for m in (0, 1)], strict=True
    ):
        record = parse_record(file.read_text())
        assert replay(record).record.footer == record.footer
        assert record.header.agents["AB"[number]] == "uniform"
        assert sorted(record.footer.scores.values()) == sorted(pair.matches[number].scores)


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_text("{}")])
def test_a_record_that_is_damaged_is_made_again_and_no_other(tmp_path, damage):
    tournament = Tournament(agents=("uniform", "threshold:4"), seed=2, records=True)
    path = play(tmp_path / "cup", tournament, pairs=3).path
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    victim, other = path / "records" / "000001-0.jsonl", path / "records" / "000002-1.jsonl"
    damage(victim)
    untouched = other.stat().st_ino
    again = play(path, tournament, pairs=3)
    assert again.notes == ["records/000001-0.jsonl is missing or damaged, and is made again"]
    assert {file: file.read_bytes() for file in before} == before
    assert other.stat().st_ino == untouched
    assert play(path, tournament, pairs=3).notes == []


class Failing:
    """Fails in its own way as soon as it sits in A."""

    name = "threshold:points=9"

    def __init__(self, how):
        self.how = how

    def choose(self, observation, legal_actions, *, rng):
        if observation.seat is Seat.A:
            return self.how(legal_actions)
        return Greedy().choose(observation, legal_actions, rng=rng)


@pytest.mark.parametrize(
    ("how", "rule", "cause"),
    [
        (lambda legal: legal[99], "F1", "raised"),
        (lambda legal: None, "F2", "nonsense"),
        (lambda legal: Load(("B1",)), "F3", "illegal"),
    ],
)
def test_a_failing_agent_forfeits_and_the_tournament_goes_on(
    tmp_path, monkeypatch, how, rule, cause
):
    def make(name, **more):
        return Failing(how) if name == Failing.name else make_agent(name, **more)

    monkeypatch.setattr(pair_module, "make_agent", make)
    tournament = Tournament(agents=("threshold:9", "greedy"), seed=2, records=True)
    folder = play(tmp_path / "cup", tournament, pairs=3)
    assert [[m.forfeit for m in pair.matches] for pair in folder.items] == [[cause, None]] * 3
    assert all(pair.matches[0].points == 0.0 for pair in folder.items)
    found = standings(tournament, folder.items)
    (forfeit,) = found.forfeits
    assert (forfeit.name, forfeit.rule, forfeit.cause, forfeit.matches) == (
        Failing.name,
        rule,
        cause,
        3,
    )
    assert found.reasons["forfeit"] == 3
    record = parse_record((folder.path / "records" / "000000-0.jsonl").read_text())
    assert str(record.forfeit.cause) == cause
    again = play(tmp_path / "cup", tournament, pairs=3)
    assert again.items == [replace(pair, records=()) for pair in folder.items]


FAULTS = [
    ({"agents": ("greedy",)}, "two agents"),
    ({"agents": ("greedy", "mcts:400", "mcts:nodes=400")}, "mcts:nodes=400 is given twice"),
    ({"agents": ("greedy", "unifrom")}, "uniform"),
    ({"seed": -1}, "seed -1"),
    ({"time_limit": float("inf")}, "time limit inf"),
]


@pytest.mark.parametrize(("change", "problem"), FAULTS)
def test_a_faulty_tournament_is_reported(change, problem):
    with pytest.raises(SpecError, match=problem):
        replace(SMALL, **change)


def test_physics_is_played_with_too():
    tournament = Tournament(
        agents=("greedy", "uniform"),
        seed=1,
        chance=ChanceKind.PHYSICAL,
        house_rules={"rounds": 1},
    )
    table = TournamentSettings(tournament)
    assert table.made_of()["chance"]["source"] == "physical"
    by_odds = TournamentSettings(replace(tournament, chance=ChanceKind.TABULAR))
    assert table(0) == table(0) != by_odds(0)
