"""Scenarios: the rules of each game one by one, and faults in the files."""

import copy
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from pigglesim.cli.app import app
from pigglesim.errors import SpecError
from pigglesim.games.registry import game_names
from pigglesim.scenarios import read_scenarios, run_scenario
from tests.support.junk import with_junk

FOLDER = Path(__file__).parents[2] / "scenarios"
FILE = FOLDER / "piggles_classic.json"
SCENARIOS = read_scenarios(FILE)
MODERN = read_scenarios(FOLDER / "piggles_modern.json")
ALL = [scenario for file in sorted(FOLDER.glob("*.json")) for scenario in read_scenarios(file)]
SIMPLE = {
    "id": "S1",
    "game": "piggles_classic",
    "title": "simple",
    "setup": {"board": {"A1": ["woods", "up"]}},
    "events": [{"do": "tally", "player": "A"}],
    "expected": {"scores": {"A": 1}},
}


PILE = {"players": ["A", "B", "C"], "hand": {"A": [5, 9], "B": [7]}, "pile": [6]}


def changed(**parts: object) -> dict[str, object]:
    return {**copy.deepcopy(SIMPLE), **parts}


def line(game, *events, setup=None, expected=None, config=None):
    """Return the fault or difference of a scenario; empty if it passes."""
    scenario = {"id": "S", "game": game, "events": list(events)}
    parts = {"setup": setup, "expected": expected, "config": config}
    report = run_scenario({**scenario, **{key: part for key, part in parts.items() if part}})
    return "" if report.passed else report.line


def test_every_game_has_scenarios():
    assert {scenario["game"] for scenario in ALL} == set(game_names())


@pytest.mark.parametrize("scenario", ALL, ids=lambda s: f"{s['game']} {s['id']} {s['title']}")
def test_the_rules_of_each_game(scenario):
    report = run_scenario(scenario)
    assert report.passed, report.line


def test_the_rules_of_classic_hold_in_modern_too():
    shared = [scenario for scenario in SCENARIOS if "mode" not in str(scenario["events"])]
    reports = []
    for classic in shared:
        events = [event for event in classic["events"] if event["do"] != "expect_phases"]
        reports.append(run_scenario({**classic, "game": "piggles_modern", "events": events}))
    assert len(reports) > 70
    assert [report.line for report in reports if not report.passed] == []


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        ("piggles_classic", "R3 R5 R6 R7 R8 R11 R12 R13 R15 R16 R17 R18"),
        ("piggles_classic", "P2 P3 P4 P5 P6 P7 P8 P9 P11 P15"),
        ("piggles_modern", "R19 R20 R21 R22 R23 R24 M1 M2 M3 M4 M5 M6 M7 M8 M9 M10 M11 M12 M13"),
        ("piggles_modern", "M16 M17 M18"),
        ("piggy_six", "R1 R2 R3 R6 PS1 PS2 PS3 PS4 PS5 PS6 PS7"),
        (
            "pig_pile",
            "R1 R2 R3 R5 R6 R7 R8 R9 PP2 PP3 PP4 PP5 PP6 PP7 PP8 PP9 PP10 PP11 PP12 PP13 PP15 PP16",
        ),
        ("lord_of_the_pigs", "R1 R2 R3 R4 R6 R8 R9 R10 LP1 LP7 LP9 LP10 LP15 LP18"),
    ],
)
def test_every_rule_and_ruling_has_a_scenario(game, rules):
    titles = " ".join(scenario["title"] for scenario in ALL if scenario["game"] == game)
    assert set(rules.split()) <= set(re.findall(r"[A-Z]+\d+", titles))


def test_lists_of_ids_compare_as_sets_and_only_what_is_given_counts():
    pen = {"pen": {"A": ["A1", "A2"], "B": ["B1"]}, "scores": {"B": 3}}
    assert run_scenario(changed(setup=pen, events=[], expected={"pen": {"A": ["A2", "A1"]}})).passed


def test_notes_are_ignored():
    notes = {"ruling": "x", "source": "y", "_mine": 1, "unambiguous": True}
    events = [{"do": "tally", "player": "A", "_why": "because"}]
    assert run_scenario(changed(**notes, events=events)).passed


def test_knocks_not_listed_are_those_that_changed():
    setup = {"pen": {"A": ["A1"]}, "board": {"B1": ["woods", "up"]}}
    roll = {"do": "roll", "player": "A", "outcome": {"A1": ["woods", "down"], "B1": ["off", None]}}
    tally = {"do": "tally", "player": "A"}
    scenario = changed(setup=setup, events=[roll, tally], expected={"scores": {"A": 1}})
    assert run_scenario(scenario).passed
    events = [{**roll, "knocked": []}, tally]
    denied = changed(setup=setup, events=events, expected={"scores": {"A": 0}})
    assert run_scenario(denied).passed


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "A9", "B", [], [[]], [1], ["A1"], {}, {"A": 1}, {"A9": 1}]
)


@settings(max_examples=400)
@given(with_junk(ALL, JUNK))
def test_junk_anywhere_in_a_scenario_is_reported_and_never_crashes(broken):
    report = run_scenario(broken)
    assert "\n" not in report.line


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["scenario", *arguments])
    return done.exit_code, done.output


def test_the_verb_counts_and_has_an_exit_status(tmp_path):
    assert run(str(FILE)) == (0, f"{len(SCENARIOS)} passed, 0 failed\n")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps([SIMPLE, changed(expected={"scores": {"A": 5}})]))
    line = "S1 simple: scores.A: expected 5, got 1\n"
    assert run(str(bad)) == (1, f"{line}1 passed, 1 failed\n")
    assert run(str(FILE), str(tmp_path / "none.json"))[0] == 2


def test_the_verb_speaks_json(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({"scenarios": [changed(expected={"scores": {"A": 5}})]}))
    code, output = run("--json", str(bad))
    document = json.loads(output)
    assert (code, document["passed"], document["failed"]) == (1, 0, 1)
    difference = {"passed": False, "key": "scores.A", "expected": 5, "got": 1}
    assert document["scenarios"] == [{"id": "S1", "title": "simple", **difference}]


@pytest.mark.parametrize("content", ["{", "3", '{"scenario": []}'])
def test_a_file_of_no_scenarios_is_refused(tmp_path, content):
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(SpecError):
        read_scenarios(path)


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"game": "pigles"}, "'pigles'"),
        ({"config": {"mud_dely": "none"}}, "use mud_delay"),
        ({"config": {"mud_delay": "never"}}, "one_full_turn or owner_turn or none"),
        ({"setup": {"bord": {}}}, "use board"),
        ({"setup": {"board": {"C1": ["woods", "up"]}}}, "'C1'"),
        ({"setup": {"board": {"A1": ["woods", "up"]}, "pen": {"A": ["A1"]}}}, "A1 in 2 places"),
        ({"setup": {"round": True}}, "True"),
        ({"setup": {"round": 7}}, "from 1 to 6"),
        ({"setup": {"scores": {"A": -1}}}, "A of scores -1"),
        ({"events": [{"do": "taly", "player": "A"}]}, "use tally"),
        ({"events": [{"do": "tally", "plyer": "A"}]}, "use player"),
        ({"events": [{"do": "load", "player": "A", "pieces": ["A1"]}]}, "R8"),
        ({"events": [{"do": "roll", "player": "A", "outcome": {"A2": ["woods", "up"]}}]}, "R8"),
        ({"expected": {"score": {"A": 1}}}, "use scores"),
        ({"expectd": {}}, "use expected"),
        ({"events": {}}, "events {} is not a list"),
        ({"id": 3}, "id 3"),
    ],
)
def test_a_fault_in_a_scenario_fails_it_and_is_named(parts, text):
    report = run_scenario(changed(**parts))
    assert not report.passed
    assert text in report.line


UP = {"board": {"A1": ["woods", "up"]}}


@pytest.mark.parametrize(
    ("game", "setup", "expected", "text"),
    [
        ("piggles_classic", {"scores": {"C": 1}}, {}, "'C'"),
        ("piggles_classic", {"pen": {"A": [1]}}, {}, "id 1 of pen"),
        ("piggles_classic", {"board": {"A1": ["woods"]}}, {}, "['woods'] of A1"),
        ("piggles_classic", {"board": {"A1": ["wood", "up"]}}, {}, "use woods"),
        ("piggles_classic", {"board": {"A1": ["woods", "upp"]}}, {}, "use up"),
        ("piggles_classic", {"board": {"A1": ["off", "up"]}}, {}, "use null"),
        ("piggles_classic", {"mud": {"A": {"A1": "one"}}}, {}, "'one'"),
        ("piggles_classic", {"cup": {"A": ["A2"]}}, {"cup": {"A": ["A1"]}}, 'got ["A2"]'),
        ("piggles_classic", {"mud": {"A": ["A2"]}}, {"mud": {"A": []}}, 'got ["A2"]'),
        ("piggles_classic", {}, {"pen": {"A": ["A2", "A1"]}}, 'expected ["A1", "A2"], got []'),
        ("piggles_classic", UP, {"board": {}}, "board.A1: expected null"),
        ("piggles_classic", {}, {"board": {"B1": ["off", None]}}, "board.B1: expected"),
        ("piggles_classic", {"scores": {"B": 1}}, {"scores": {"B": True}}, "expected true, got 1"),
        ("piggles_classic", {}, {"result": {"winner": "A"}}, 'expected {"winner": "A"}, got null'),
        ("piggles_classic", {**UP, "shields": {"A1": "A"}}, {}, "'shields'"),
        ("piggles_modern", {**UP, "shields": {"A1": "C"}}, {}, "'C'"),
        ("piggles_modern", {**UP, "shields": {"B1": "A"}}, {}, "shields of B1"),
        ("piggles_modern", {**UP, "shields": {"A7": "A"}}, {}, "'A7'"),
        ("piggles_modern", {**UP, "captured": {"A1": "A"}}, {}, "its owner A"),
        ("piggles_modern", {"captured": {"B1": "A"}, "pen": {"B": ["B1"]}}, {}, "R4"),
        ("piggles_modern", {**UP, "credits": {"A": ["B1"]}}, {}, "credits of B1"),
        ("piggles_modern", {**UP, "pieces": {"A1": {"premium": 1}}}, {}, "premium 1"),
        ("lord_of_the_pigs", {"ratings": {"Banker": 11}}, {}, "from 0 to 10"),
        ("lord_of_the_pigs", {"ratings": {"Bank": 1}}, {}, "use Banker"),
        ("pig_pile", {**PILE, "round": 0}, {}, "from 1 to 1000"),
        ("pig_pile", {**PILE, "pigs": {"A": 41}}, {}, "from 0 to 40"),
        ("pig_pile", {**PILE, "tied": 1}, {}, "tied 1"),
        ("pig_pile", {**PILE, "direction": 2}, {}, "direction 2"),
        ("pig_pile", {**PILE, "direction": True}, {}, "direction True"),
        ("pig_pile", {**PILE, "players": ["A", "A"]}, {}, "players A A"),
        ("pig_pile", {**PILE, "dealer": "D"}, {}, "'D'"),
        ("pig_pile", PILE, {"direction": True}, "direction: expected true"),
    ],
)
def test_faults_in_setups_and_unmet_expectations_are_named(game, setup, expected, text):
    assert text in line(game, setup=setup, expected=expected)


PENS = {"pen": {"A": ["A1"], "B": ["B1"]}}
RED = {
    "board": {"A1": ["field:N", "up"], "B1": ["field:N", "up"], "B2": ["field:S", "up"]},
    "pieces": {"A1": {"color": "red", "rune": "adjacent"}},
}
BLUE = {**RED, "pieces": {"A1": {"color": "blue", "rune": "adjacent"}}}
BLUES = {"piece": "A1", "target": "B1", "reroll": ["woods", "up"]}
SLOP = {"players": ["A", "B"], "slop": {"A": [5, 6, 7]}, "hand": {"B": [6]}, "pile": [4]}
TURN = {**PILE, "turn": "A"}
WON = {"winner": "Banker"}


@pytest.mark.parametrize(
    ("game", "setup", "do", "event", "text"),
    [
        ("piggles_classic", PENS, "sudden", {}, "add A and B"),
        ("piggles_classic", PENS, "sudden", {"A": "upp", "B": "up"}, "'upp'"),
        ("piggles_classic", PENS, "expect", {"state": {"captured": {}}}, "'captured'"),
        ("piggles_classic", PENS, "expect_phases", {"mode": "modrn", "phases": []}, "'modrn'"),
        ("piggles_classic", PENS, "expect_phases", {"phases": []}, "round 1 classic: exp"),
        ("piggles_classic", PENS, "expect_loadable", {"cases": [["A1"]]}, "['A1']"),
        ("piggles_classic", PENS, "expect_loadable", {"cases": [[["A2"], True]]}, "got false"),
        ("piggles_classic", PENS, "load", {}, "add 'pieces'"),
        (
            "piggles_classic",
            PENS,
            "roll",
            {"outcome": {"A1": ["woods", "up"]}, "knocked": ["B1"]},
            "knocked B1",
        ),
        ("piggles_modern", RED, "action", {"piece": "A1", "target": "B2"}, "use B1"),
        ("piggles_modern", RED, "action", {"piece": "B1", "target": "A1"}, "M7"),
        ("piggles_modern", RED, "action", {"piece": 7, "target": "A1"}, "piece 7"),
        ("piggles_modern", RED, "action", {"target": "A1"}, "add 'piece'"),
        ("piggles_modern", RED, "action", {"piece": "A1", "by": "A"}, "'by'"),
        ("piggles_modern", RED, "act", {"piece": "A1", "target": "B1"}, "'act'"),
        ("piggles_modern", RED, "expect_targets", {"piece": "A1", "targets": []}, 'got ["B1"]'),
        ("piggles_modern", RED, "expect_targets", {"piece": "A1", "targets": ["B2"]}, 'd ["B2"]'),
        ("piggles_modern", RED, "action", {**BLUES, "knocked": {}}, "leave knocked out"),
        ("piggles_modern", BLUE, "action", {**BLUES, "knocked": {"B3": ["off", None]}}, "B3"),
        ("pig_pile", TURN, "play", {"player": "A"}, "add 'cards'"),
        ("pig_pile", TURN, "play", {"player": "D", "cards": [9]}, "'D'"),
        ("pig_pile", TURN, "play", {"player": "B", "cards": [7]}, "R3"),
        ("pig_pile", TURN, "play", {"cards": [True]}, "True"),
        ("pig_pile", TURN, "play", {"cards": [0]}, "card 0"),
        ("pig_pile", TURN, "expect_legal", {"values": [5]}, "expected [5], got [9]"),
        ("pig_pile", TURN, "expect_turn", {"player": "B"}, 'expected "B", got "A"'),
        ("pig_pile", TURN, "expect_deal", {"deck": 79}, "expected 79, got 80"),
        ("pig_pile", TURN, "expect_deal", {"draw_pile": {"3": 49}}, "expected 49, got 50"),
        ("pig_pile", TURN, "expect_deal", {"draw_pile": {"9": 1}}, "'9'"),
        ("pig_pile", SLOP, "pickup", {"player": "A"}, "R8"),
        ("pig_pile", SLOP, "play", {"player": "A", "cards": [5, 6]}, "R8"),
        ("piggyback", {}, "expect_merge", {"units": [1], "legal": True}, "[1]"),
        ("piggyback", {}, "expect_merge", {"units": [1, 4], "legal": True}, "from 1 to 3"),
        ("piggyback", {}, "expect_merge", {"units": [1, 1], "rule": "de", "legal": True}, "'de'"),
        ("piggyback", {}, "expect_merge", {"units": [2, 2], "legal": True}, "got false"),
        ("piggyback", {}, "expect_odds", {"table": {"1v1": "x"}}, "'x'"),
        ("piggyback", {}, "expect_odds", {"table": {"1v1": "1/0"}}, "'1/0'"),
        ("piggyback", {}, "expect_odds", {"table": {"1v1": "1/2"}}, 'got "7/12"'),
        ("piggyback", {}, "expect_odds", {"table": {"4v1": "1/2"}}, "units=4"),
        ("piggyback", {}, "expect_odds", {"table": {"1w1": "1/2"}}, "'1w1'"),
        ("piggyback", {}, "expect_respawn", {"bank": {"pink": 1}, "boxes": {}}, "'pink'"),
        ("piggyback", {}, "expect_respawn", {"bank": {"green": 5}, "boxes": {}}, "from 0 to 4"),
        ("piggyback", {}, "combat", {"att_rolls": [7], "def_rolls": [1]}, "from 1 to 6"),
        ("piggyback", {}, "combat", {"att_rolls": [1, 2], "def_rolls": [1]}, "attacker"),
        ("piggyback", {}, "expect_moves", {"from": [0, 1], "moves": []}, "[0, 1]"),
        ("piggyback", {}, "expect_move_count", {"from": [1, 1], "count": 4}, "expected 4, got 3"),
        ("lord_of_the_pigs", {}, "expect_series", {"winner": None, "uprising": 1}, "uprising 1"),
        ("lord_of_the_pigs", {}, "expect_series", {**WON, "regular": {"Banker": 2}}, "got 3"),
        ("lord_of_the_pigs", {}, "expect_series", {**WON, "competitive": {"Banker": 2}}, "got 3"),
        (
            "lord_of_the_pigs",
            {},
            "expect_vote_targets",
            {"voter": "Banker", "submitted": {"x": "Banker", "y": "Energy"}, "diplomacy": ["x"]},
            'expected ["x"], got ["y"]',
        ),
        ("lord_of_the_pigs", {}, "activate", {"owner": "Bankr", "card": "C1"}, "use Banker"),
        ("lord_of_the_pigs", {}, "activate", {"card": "C1"}, "add 'owner'"),
        ("lord_of_the_pigs", {}, "activate_all", {"cards": [["Banker"]]}, "['Banker']"),
        ("lord_of_the_pigs", {}, "expect_next_first", {"sequence": ["Energy"]}, 'got ["Presi'),
    ],
)  # fmt: skip
def test_faults_in_events_and_unmet_expectations_are_named(game, setup, do, event, text):
    assert text in line(game, {"do": do, **event}, setup=setup)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"winner": "A"}, 'result.winner: expected "A", got "B"'),
        ({"reason": "score"}, 'result.reason: expected "score", got "concession"'),
        ({"next": "sudden_snout_up"}, 'result.next: expected "sudden_snout_up", got null'),
        (None, "result: expected null, got {"),
    ],
)
def test_another_result_is_reported(wanted, text):
    expected = {"result": wanted}
    assert text in line("piggles_classic", {"do": "concede", "player": "A"}, expected=expected)


def test_an_event_that_names_nobody_is_of_the_player_whose_turn_it_is():
    setup = {"active": "B", "pen": {"A": ["A1"], "B": ["B1"]}}
    roll = {"do": "roll", "outcome": {"B1": ["woods", "up"]}}
    expected = {"board": {"B1": ["woods", "up"]}, "scores": {"A": 0, "B": 1}}
    assert line("piggles_classic", roll, {"do": "tally"}, setup=setup, expected=expected) == ""
    late = {"do": "expect_phases", "phases": ["recoup", "load", "roll", "tally"]}
    assert line("piggles_classic", late, setup={"round": 3}) == ""


@pytest.mark.parametrize("first", ["A", "B"])
def test_a_setup_that_names_nobody_is_of_who_comes_first_in_its_round(first):
    load = {"do": "load", "pieces": [f"{first}1"]}
    setup = {"pen": {"A": ["A1"], "B": ["B1"]}, "round": 3}
    expected = {"cup": {first: [f"{first}1"]}}
    config = {"first_player": first}
    assert line("piggles_classic", load, setup=setup, expected=expected, config=config) == ""


def test_what_a_setup_of_pig_pile_leaves_open():
    # Whose turn it is not told is of the first who does anything, else of the dealer.
    assert line("pig_pile", {"do": "play", "cards": [9]}, setup=PILE, expected={"turn": "B"}) == ""
    dealt = {**PILE, "dealer": "B"}
    assert line("pig_pile", {"do": "expect_turn", "player": "B"}, setup=dealt) == ""
    assert line("pig_pile", {"do": "expect_legal", "player": "B", "values": [7]}, setup=PILE) == ""
    # Of C no card is told: whether any fits is not known, and C may take the pile.
    pickup = {"do": "pickup", "player": "C"}
    assert line("pig_pile", pickup, setup=PILE, expected={"pile": [], "turn": "A"}) == ""
    assert line("pig_pile", setup=PILE, expected={"awards": None, "direction": 1}) == ""
    turned = {**PILE, "direction": -1}
    assert line("pig_pile", setup=turned, expected={"direction": -1}) == ""
    # With one value alone face up there is no choice of what to take along (R7).
    laid = {"players": ["A", "B"], "up": {"A": [5, 5]}, "hand": {"B": [6]}, "pile": [9]}
    taken = {"hand": {"A": [5, 9]}, "up": {"A": [5]}, "pile": []}
    pickup = {"do": "pickup", "player": "A"}
    assert line("pig_pile", pickup, setup=laid, expected=taken) == ""


def test_the_english_rule_merges_what_the_french_does_not():
    event = {"do": "expect_merge", "units": [1, 1], "abilities": [1, 1], "legal": True}
    assert line("piggyback", {**event, "rule": "en"}) == ""
    assert line("piggyback", {**event, "rule": "fr", "legal": False}) == ""
