"""Matches and tournaments in Python: as on the command line, with agents of one's own, stopped."""

import json
from dataclasses import dataclass
from itertools import islice

import pytest

import pigglesim
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import set_up_match
from pigglesim.api.sources import agents_of_record, source_of_record
from pigglesim.api.what_if import branches_at
from pigglesim.errors import SpecError
from pigglesim.match.entries import Decision
from tests.support.front_door import run_here

QUICK = {"chance": "tabular", "house_rules": {"rounds": 2}}


@pytest.fixture(scope="module")
def match():
    return pigglesim.play_match(agents=["greedy", "uniform"], seed=7, **QUICK)


def test_it_is_the_match_of_the_command_line(match):
    words = ["--chance", "tabular", "--rule", "rounds=2", "--seed", 7, "--json"]
    document = json.loads(run_here("match", "--a", "greedy", "--b", "uniform", *words).stdout)
    assert document["final_state"] == match.record.footer.final_state
    assert document["scores"] == match.scores
    assert (document["winner"], document["reason"]) == (match.winner, match.reason)


def test_mixed_teams_roll_by_the_odds_of_their_models_in_matches_and_what_ifs():
    teams = ("piggle,piggle,premium,premium,piggle,piggle", "premium")
    match = pigglesim.play_match(teams=teams, seed=3, **QUICK)
    believed = match.record.header.chance["others"]["premium"]["piggles"]
    assert believed == ["A3", "A4", "B1", "B2", "B3", "B4", "B5", "B6"]
    (greedy, *_) = agents_of_record(match.record.header, match.game.seats).values()
    assert greedy == pigglesim.make_agent("greedy", models=match.record.header.teams)
    assert greedy.shares_of("A3").up > 0.7 > greedy.shares_of("A1").up
    again = source_of_record(match.record.header)
    assert again.provenance() == match.record.header.chance
    found = pigglesim.what_if(match, 0, actions=["load A1", "load A3"], times=4, seed=1)
    assert [each.matches for each in found.actions] == [4, 4]


def test_a_record_replays_from_every_form(match, tmp_path):
    for name in ("match.jsonl", "match.txt"):
        again = pigglesim.replay(match.save(tmp_path / name))
        assert again.record.footer == match.record.footer
        assert again.story == match.story
    assert (tmp_path / "match.jsonl").read_text() == match.to_json()
    assert pigglesim.replay(match).scores == pigglesim.replay(match.record).scores == match.scores
    (record,) = pigglesim.read_records(str(tmp_path / "match.txt"))
    assert record.footer == match.record.footer


def test_cards_are_drawn_again_bit_for_bit():
    match = pigglesim.play_match("pig_pile", players=3, seed=5)
    assert pigglesim.replay(match, resimulate=True).scores == match.scores
    assert set(match.scores) == {"A", "B", "C"}


@dataclass(frozen=True)
class Last:
    """Takes the last action there is."""

    name: str = "last"

    def choose(self, observation, legal_actions, *, rng):
        return legal_actions[-1]


def test_an_agent_of_ones_own_plays():
    found = pigglesim.play_match(agents=[Last(), "greedy"], seed=7, **QUICK)
    assert dict(found.record.header.agents) == {"A": "last", "B": "greedy"}
    game = found.game
    for event in found.events:
        if isinstance(event.entry, Decision) and event.entry.seat == "A":
            last = game.legal_actions(event.before)[-1]
            assert event.entry.action == game.format_action(last)


def test_an_interrupted_match_is_saved():
    def stop(event):
        if isinstance(event.entry, Decision) and event.entry.index == 2:
            raise KeyboardInterrupt

    part = pigglesim.play_match(seed=7, on_event=stop, **QUICK)
    assert (part.winner, part.reason) == (None, None)
    assert len(part.record.decisions) == 3
    assert pigglesim.replay(part).scores == part.scores


@pytest.fixture(scope="module")
def poured():
    return pigglesim.play_match(seed=3, films=True, house_rules={"rounds": 1})


@pytest.mark.slow
def test_a_match_becomes_every_kind_of_file_by_its_name(poured, tmp_path):
    starts = {".html": b"<!doctype html>", ".jsonl": b"{", ".json": b"{", ".txt": b"p"}
    for kind, start in starts.items():
        data = poured.save(tmp_path / f"match{kind}").read_bytes()
        assert data[: len(start)].lower() == start
    # As the verb writes it, but for the command that repeats it.
    run_here("replay", tmp_path / "match.jsonl", "--html", tmp_path / "verb.html", "--no-boards")
    pages = [(tmp_path / f"{name}.html").read_text() for name in ("match", "verb")]
    assert len(pages[0]) < len(pages[1]) < len(pages[0]) + 300
    assert poured.save(tmp_path / "r.glb").name == "r-01.glb"
    assert poured.save(tmp_path / "r.svg", rounds=(1, 1)).read_bytes().startswith(b"<svg")
    rolls = len(poured.record.outcomes)
    assert len(list(tmp_path.glob("r-*.glb"))) == len(list(tmp_path.glob("r-*.svg"))) == rolls


def test_a_record_of_many_is_replayed_by_its_number(match, tmp_path):
    file = tmp_path / "two.jsonl"
    other = pigglesim.play_match(seed=8, **QUICK)
    file.write_text(match.to_json() + other.to_json())
    assert pigglesim.replay(file, number=2).record.footer == other.record.footer
    for number in (0, 3):
        with pytest.raises(SpecError, match=f"no record {number} in .*two.jsonl"):
            pigglesim.replay(file, number=number)


RATED = {"seed": 1, "house_rules": {"rounds": 2}}


def test_a_tournament_is_that_of_the_command_line(tmp_path):
    agents, calls, out = ["greedy", "uniform"], [], tmp_path / "cup"
    found = pigglesim.tournament(
        agents, pairs=6, **RATED, progress=lambda *so_far: calls.append(so_far)
    )
    words = ["--agents", "greedy,uniform", "--pairs", 6, "--seed", 1, "--rule", "rounds=2"]
    words += ["--workers", 1, "--out", out, "--quiet", "--json"]
    document = json.loads(run_here("tournament", *words).stdout)
    assert json.loads(found.to_json())["standings"] == document["standings"]
    assert calls == [(done, 6) for done in range(1, 7)]
    assert f"{found.agents[0].share} of the points" in repr(found)
    assert found._repr_html_().startswith("<table>")
    assert found.save(tmp_path / "cup.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads(found.save(tmp_path / "cup.json").read_text()) == found.document()
    # What is there is not played again.
    again = pigglesim.tournament(agents, pairs=6, **RATED, out=out, progress=calls.append)
    kept = {"pairs_kept": 6, "pairs_made": 0}
    assert again.document() == {**found.document(), **kept}
    assert len(calls) == 6


def test_an_interrupted_tournament_is_a_whole_smaller_one():
    def stop(done, wanted):
        if done == 2:
            raise KeyboardInterrupt

    agents = ["greedy", "uniform"]
    part = pigglesim.tournament(agents, pairs=5, progress=stop, **RATED)
    assert (part.finished, len(part.pairs)) == (False, 2)
    assert part.standings == pigglesim.tournament(agents, pairs=2, **RATED).standings


def test_agents_of_ones_own_are_rated_like_names(tmp_path, capsys):
    agents, out = [Last(), "greedy", Last("other")], tmp_path / "cup"
    cup = pigglesim.tournament(agents, pairs=2, **RATED, out=out)
    assert {each.name for each in cup.agents} == {"last", "greedy", "other"}
    assert cup.tournament.own_agents == ("last", "other")
    # Two that play alike win as much against each other.
    (alike,) = (each for each in cup.matchups if {each.first, each.second} == {"last", "other"})
    assert alike.share.value == 0.5
    shared = pigglesim.tournament(agents, pairs=2, **RATED, workers=2)
    assert shared.standings == cup.standings
    assert capsys.readouterr().err == ""
    # The command line shows the folder too, but cannot play on.
    words = ["tournament", "--out", out, "--quiet", "--json"]
    assert json.loads(run_here(*words).stdout)["standings"] == cup.document()["standings"]
    with pytest.raises(SpecError, match="last"):
        run_here(*words, "--pairs", 3)


def test_agents_that_cannot_be_sent_play_in_one_process(capsys):
    unsent = Last()
    object.__setattr__(unsent, "name", type("Name", (str,), {})("last"))
    cup = pigglesim.tournament([unsent, "greedy"], pairs=1, **RATED, workers=2)
    printed = capsys.readouterr().err
    assert printed.startswith("pigglesim: one process plays: workers cannot load the agents: ")
    assert printed.count("\n") == 1
    assert cup.standings == pigglesim.tournament([Last(), "greedy"], pairs=1, **RATED).standings


def test_agents_of_ones_own_play_on_in_a_what_if():
    own = pigglesim.play_match(agents=[Last(), "greedy"], seed=7, **QUICK)
    with pytest.raises(SpecError, match="'last'"):
        pigglesim.what_if(own, 0, times=1, seed=1)
    first = [own.record.decisions[0].action]
    found = pigglesim.what_if(own, 0, times=1, seed=1, actions=first, agents={"A": Last()})
    assert found.finished


def test_what_if_is_that_of_the_command_line(match, tmp_path):
    path = match.save(tmp_path / "match.jsonl")
    found = pigglesim.what_if(match, 1, times=3, seed=4)
    words = ["--what-if", 1, "--times", 3, "--seed", 4, "--json"]
    document = json.loads(run_here("replay", path, *words).stdout)
    assert json.loads(found.to_json())["actions"] == document["actions"]
    assert (found.seat, found.recorded) == (document["seat"], document["recorded"])
    assert found.finished


def test_its_own_seed_and_action_lead_to_the_match_itself(match):
    for decision in match.record.decisions[::3]:
        own = branches_at(match.record, decision.index, actions=[decision.action], seed=7)
        point = own.point
        again = point.play_on(decision.action, agents=own.agents, chance=own.source(7), seed=7)
        assert again.record.footer == match.record.footer


@pytest.mark.parametrize(
    ("call", "remedy"),
    [
        (lambda match: pigglesim.what_if(match, 0, agents={"C": "greedy"}), "seat 'C' .*A, B"),
        (lambda match: pigglesim.analyse(match, playouts=0), "0 playouts are too few"),
        (lambda _: pigglesim.play_match(teams=("pigle", None), **QUICK), "'pigle'; use piggle"),
        (lambda _: pigglesim.tournament(["greedy", "uniform"], team="red"), "piggles_modern"),
        (lambda _: pigglesim.play_match("lord_of_the_pigs", players=3), "expected 4"),
        (
            lambda _: pigglesim.play_match("pig_pile", players=3, house_rules={"players": 4}),
            "3 players, and the house rule players=4",
        ),
    ],
)
def test_an_argument_that_cannot_be_is_refused_with_its_remedy(match, call, remedy):
    with pytest.raises(pigglesim.PigglesimError, match=remedy):
        call(match)


def test_the_only_number_of_players_may_be_given():
    assert pigglesim.play_match("piggyback", players=2, seed=1).reason


def test_what_if_returns_what_was_played_when_it_is_stopped(match):
    def stop(done, wanted):
        if done == 3:
            raise KeyboardInterrupt

    actions = ["skip", "concede"]
    part = pigglesim.what_if(match, 1, actions=actions, times=5, seed=4, progress=stop)
    assert not part.finished
    assert [each.matches for each in part.actions] == [2, 1]
    conceded = part.actions[1]
    assert conceded.shares["A wins"].value == 1.0
    assert conceded.shares["A wins"].low < 1.0
    assert repr(part).startswith("WhatIfResult(decision 1, B wins; skip: ")


@pytest.mark.parametrize(
    ("ask", "words", "message"),
    [
        (pigglesim.play_match, {"agents": ["greedy"] * 3}, "3 agents for 2"),
        (pigglesim.play_match, {"chance": "fair"}, "physical"),
        (pigglesim.play_match, {"players": 3}, "3 players"),
        (pigglesim.play_match, {"films": True, **QUICK}, "tabular"),
        (pigglesim.tournament, {"agents": ["greedy", "uniform"], "players": 3}, "3 players"),
        (pigglesim.tournament, {"agents": ["greedy", "uniform"], "records": True}, "folder"),
        (pigglesim.tournament, {"agents": [Last(), Last()]}, "'last'"),
        (pigglesim.tournament, {"agents": [Last, "greedy"]}, r"an object of it: Last\(\)"),
        (pigglesim.tournament, {"agents": [3, "greedy"]}, "an object with `name` and `choose`"),
        (pigglesim.tournament, {"agents": [Last(name=None), "greedy"]}, "None.*name ="),
        (pigglesim.tournament, {"agents": [Last(name="a\nb"), "greedy"]}, "1 to 80"),
    ],
)
def test_the_impossible_is_refused_in_one_line(ask, words, message):
    with pytest.raises(pigglesim.PigglesimError, match=message):
        ask(**words)


@pytest.mark.parametrize(
    ("file", "words", "message"),
    [
        ("m.htm", {}, r"'m\.htm'.*\.webm or \.gif"),
        ("m.html", {}, r"tabular.*a \.svg"),
        ("m.txt", {"rounds": (1, 1)}, "rounds"),
        ("m.txt", {"size": "64x64"}, "size"),
        ("m.svg", {"rounds": (9, None)}, "rounds"),
    ],
)
def test_what_no_file_can_show_of_a_match_is_refused(match, tmp_path, file, words, message):
    with pytest.raises(pigglesim.PigglesimError, match=message):
        match.save(tmp_path / file, **words)
    assert list(tmp_path.iterdir()) == []


def test_what_a_watcher_leaves_of_a_match_is_played_all_the_same(tmp_path):
    base = set_up_game("piggy_six", None, rules={})
    agents = dict.fromkeys(base.game.seats, "uniform")
    watched = []

    def leave_early(events):
        watched.extend(islice(events, 3))

    files = [tmp_path / "watched.jsonl", tmp_path / "plain.jsonl"]
    for file, follow in zip(files, (leave_early, None), strict=True):
        setup = set_up_match(base, agents=agents, chance="fair", seed=4)
        played = setup.play(out=file, follow=follow)
        assert played.winner is not None
    assert watched == list(played.events[:3])
    assert files[0].read_bytes() == files[1].read_bytes()
