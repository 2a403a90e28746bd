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
from tests.junk import with_junk

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


def changed(**parts: object) -> dict[str, object]:
    return {**copy.deepcopy(SIMPLE), **parts}


def test_every_game_has_scenarios():
    assert {scenario["game"] for scenario in ALL} == set(game_names())


@pytest.mark.parametrize("scenario", ALL, ids=lambda s: f"{s['game']} {s['id']} {s['title']}")
def test_the_rules_of_each_game(scenario):
    report = run_scenario(scenario)
    assert report.passed, report.line


@pytest.mark.parametrize(
    "classic", [s for s in SCENARIOS if "mode" not in str(s["events"])], ids=lambda s: s["id"]
)
def test_the_rules_of_classic_hold_in_modern_too(classic):
    events = [e for e in classic["events"] if e["do"] != "expect_phases"]
    report = run_scenario({**classic, "game": "piggles_modern", "events": events})
    assert report.passed, report.line


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ([{"do": "action", "piece": "A1", "target": "B2"}], "to act on B1 .M7., got B2"),
        ([{"do": "action", "piece": "B1", "target": "A1"}], "B1 not to act .M7."),
        ([{"do": "action", "piece": 7, "target": "A1"}], "the id of a Piggle"),
        ([{"do": "action", "target": "A1"}], "piece of the event action"),
        ([{"do": "action", "piece": "A1", "target": "B1", "by": "A"}], "'by'"),
        ([{"do": "act", "piece": "A1", "target": "B1"}], "a known event"),
        ([{"do": "expect_targets", "piece": "A1", "targets": []}], r'expected \[\], got \["B1"\]'),
    ],
)
def test_faults_in_scenarios_of_modern_are_told(events, fault):
    setup = {
        "board": {"A1": ["field:N", "up"], "B1": ["field:N", "up"], "B2": ["field:S", "up"]},
        "pieces": {"A1": {"color": "red", "rune": "adjacent"}},
    }
    report = run_scenario({"id": "X", "game": "piggles_modern", "setup": setup, "events": events})
    assert not report.passed
    assert re.search(fault, report.line), report.line


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


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"game": "pigles"}, "expected a known game, got 'pigles'"),
        ({"config": {"mud_dely": "none"}}, "got 'mud_dely'; try: mud_delay"),
        ({"config": {"mud_delay": "never"}}, "one_full_turn or owner_turn or none"),
        ({"setup": {"bord": {}}}, "got 'bord'; try: board"),
        ({"setup": {"board": {"C1": ["woods", "up"]}}}, "'C1'"),
        ({"setup": {"board": {"A1": ["woods", "up"]}, "pen": {"A": ["A1"]}}}, "A1 in one place"),
        ({"setup": {"round": True}}, "got True"),
        ({"setup": {"round": 7}}, "a whole number from 1 to 6 for round"),
        ({"setup": {"scores": {"A": -1}}}, "a whole number of 0 or more for A"),
        ({"events": [{"do": "taly", "player": "A"}]}, "got 'taly'; try: tally"),
        ({"events": [{"do": "tally", "plyer": "A"}]}, "got 'plyer'; try: player"),
        ({"events": [{"do": "load", "player": "A", "pieces": ["A1"]}]}, "(R8)"),
        ({"events": [{"do": "roll", "player": "A", "outcome": {"A2": ["woods", "up"]}}]}, "(R8)"),
        ({"expected": {"score": {"A": 1}}}, "got 'score'; try: scores"),
        ({"expectd": {}}, "got 'expectd'; try: expected"),
        ({"events": {}}, "a list for events"),
        ({"id": 3}, "text for id"),
    ],
)
def test_a_fault_in_a_scenario_fails_it_and_is_named(parts, fault):
    report = run_scenario(changed(**parts))
    assert not report.passed
    assert fault in report.line


def test_notes_are_ignored():
    notes = {"ruling": "x", "source": "y", "_mine": 1, "unambiguous": True}
    events = [{"do": "tally", "player": "A", "_why": "because"}]
    assert run_scenario(changed(**notes, events=events)).passed


def test_knocks_not_listed_are_those_that_changed():
    setup = {"pen": {"A": ["A1"]}, "board": {"B1": ["woods", "up"]}}
    roll = {"do": "roll", "player": "A", "outcome": {"A1": ["woods", "down"], "B1": ["off", None]}}
    tally = {"do": "tally", "player": "A"}
    told = changed(setup=setup, events=[roll, tally], expected={"scores": {"A": 1}})
    assert run_scenario(told).passed
    events = [{**roll, "knocked": []}, tally]
    denied = changed(setup=setup, events=events, expected={"scores": {"A": 0}})
    assert run_scenario(denied).passed


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "A9", "B", [], [[]], [1], ["A1"], {}, {"A": 1}, {"A9": 1}]
)


@settings(max_examples=400, deadline=None)
@given(with_junk(ALL, JUNK))
def test_junk_anywhere_in_a_scenario_is_told_and_never_crashes(broken):
    report = run_scenario(broken)
    assert report.error is None or "; try: " in report.error
    assert "\n" not in report.line


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["scenario", *arguments])
    return done.exit_code, done.output


def test_the_verb_counts_and_tells_by_its_exit_status(tmp_path):
    assert run(str(FILE)) == (0, f"{len(SCENARIOS)} passed, 0 failed\n")
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps([SIMPLE, changed(expected={"scores": {"A": 5}})]))
    line = "S1 simple: scores.A: expected 5, got 1\n"
    assert run(str(bad)) == (1, f"{line}1 passed, 1 failed\n")
    code, output = run(str(FILE), str(tmp_path / "none.json"))
    assert code == 2
    assert "try: check the path" in output


def test_the_verb_speaks_json(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps({"scenarios": [changed(expected={"scores": {"A": 5}})]}))
    code, output = run("--json", str(bad))
    told = json.loads(output)
    assert (code, told["passed"], told["failed"]) == (1, 0, 1)
    difference = {"passed": False, "key": "scores.A", "expected": 5, "got": 1}
    assert told["scenarios"] == [{"id": "S1", "title": "simple", **difference}]


@pytest.mark.parametrize("content", ["{", "3", '{"scenario": []}'])
def test_a_file_of_no_scenarios_is_refused(tmp_path, content):
    path = tmp_path / "file.json"
    path.write_text(content)
    with pytest.raises(SpecError, match="try: "):
        read_scenarios(path)


def line(game, *events, setup=None, expected=None, config=None):
    """Return what is said of a scenario: its fault or difference, empty if it passes."""
    told = {"id": "S", "game": game, "events": list(events)}
    parts = {"setup": setup, "expected": expected, "config": config}
    report = run_scenario({**told, **{key: part for key, part in parts.items() if part}})
    return "" if report.passed else report.line


@pytest.mark.parametrize(
    ("setup", "expected", "text"),
    [
        ({"scores": {"C": 1}}, {}, "a known key of scores, got 'C'"),
        ({"pen": {"A": [1]}}, {}, "ids of Piggles for pen, got 1"),
        ({"board": {"A1": ["woods"]}}, {}, "[zone, pose] of A1, got ['woods']"),
        ({"board": {"A1": ["wood", "up"]}}, {}, "a known zone, got 'wood'; try: woods"),
        ({"board": {"A1": ["woods", "upp"]}}, {}, "a known pose, got 'upp'; try: up"),
        ({"board": {"A1": ["off", "up"]}}, {}, "no pose of A1 off the board, got 'up'; try: null"),
        ({"mud": {"A": {"A1": "one"}}}, {}, "0 or more for the round of A1, got 'one'"),
        ({"cup": {"A": ["A2"]}}, {"cup": {"A": ["A1"]}}, 'cup.A: expected ["A1"], got ["A2"]'),
        ({"mud": {"A": ["A2"]}}, {"mud": {"A": []}}, 'mud.A: expected [], got ["A2"]'),
        ({}, {"pen": {"A": ["A2", "A1"]}}, 'pen.A: expected ["A1", "A2"], got []'),
        (
            {"board": {"A1": ["woods", "up"]}},
            {"board": {}},
            'board.A1: expected null, got ["woods", "up"]',
        ),
        ({}, {"board": {"B1": ["off", None]}}, 'board.B1: expected ["off", null], got null'),
        ({"scores": {"B": 1}}, {"scores": {"B": True}}, "scores.B: expected true, got 1"),
        ({}, {"result": {"winner": "A"}}, 'result: expected {"winner": "A"}, got null'),
    ],
)
def test_setups_and_what_is_expected_of_classic(setup, expected, text):
    assert text in line("piggles_classic", setup=setup, expected=expected)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"do": "sudden"}, "a pose of A or B in the event sudden, got none; try: add A and B"),
        ({"do": "expect", "state": {"captured": {}}}, "a known key of state"),
        ({"do": "sudden", "A": "upp", "B": "up"}, "a known pose, got 'upp'"),
        ({"do": "expect_phases", "mode": "modrn", "phases": []}, "known mode, got 'modrn'; try: m"),
        ({"do": "expect_phases", "round": 2, "phases": []}, "(expect_phases) round 2 classic: exp"),
        ({"do": "expect_loadable", "cases": [["A1"]]}, "a case [[ids], true or false], got ['A1']"),
        (
            {"do": "expect_loadable", "cases": [[["A1", "A2"], True]]},
            "(expect_loadable) [A1 A2]: expected true, got false",
        ),
        ({"do": "load"}, "pieces of the event load, got none; try: add 'pieces'"),
        (
            {"do": "roll", "outcome": {"A1": ["woods", "up"]}, "knocked": ["B1"]},
            "knocked Piggles that lay on the board, got B1; try: leave it out",
        ),
    ],
)
def test_events_of_classic(event, text):
    assert text in line("piggles_classic", event, setup={"pen": {"A": ["A1"], "B": ["B1"]}})


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        ({"shields": {"A1": "C"}}, "a known seat for shields.A1, got 'C'"),
        ({"shields": {"B1": "A"}}, "shields of Piggles on the board, got B1"),
        ({"shields": {"A7": "A"}}, "a known key of shields, got 'A7'"),
        ({"captured": {"A1": "A"}}, "A1 captured by B, got A"),
        ({"captured": {"B1": "A"}, "pen": {"B": ["B1"]}}, "Piggles of B in the areas of B"),
        ({"credits": {"A": ["B1"]}}, "credits of Piggles on the board, got B1"),
        ({"pieces": {"A1": {"premium": 1}}}, "true or false for premium of the piece A1, got 1"),
    ],
)
def test_setups_of_modern(setup, text):
    board = {"board": {"A1": ["woods", "up"]}}
    assert text in line("piggles_modern", setup={**board, **setup})
    if not set(setup) & {"pieces"}:
        assert "a known key of the setup" in line("piggles_classic", setup={**board, **setup})


def test_only_blue_knocks_in_its_action():
    setup = {
        "board": {"A1": ["field:N", "up"], "B1": ["field:N", "up"]},
        "pieces": {"A1": {"color": "red", "rune": "adjacent"}},
    }
    event = {"do": "action", "piece": "A1", "target": "B1", "knocked": {}}
    assert "knocked Piggles in an action of Blue" in line("piggles_modern", event, setup=setup)
    blue = {**setup, "pieces": {"A1": {"color": "blue", "rune": "adjacent"}}}
    event |= {"reroll": ["woods", "up"], "knocked": {"B2": ["woods", "up"]}}
    told = line("piggles_modern", event, setup=blue)
    assert "knocked Piggles that lay on the board, got B2" in told


def test_targets_of_modern_are_told_by_who_acts():
    board = {"A1": ["woods", "up"], "B1": ["woods", "down"]}
    pieces = {"A1": {"color": "red", "rune": "adjacent"}}
    event = {"do": "expect_targets", "piece": "A1", "targets": ["B1", "B2"]}
    told = line("piggles_modern", event, setup={"board": board, "pieces": pieces})
    assert told.endswith('(expect_targets) A1: expected ["B1", "B2"], got []'), told


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


PILE = {"players": ["A", "B", "C"], "hand": {"A": [5, 9], "B": [7]}, "pile": [6]}


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"do": "play", "player": "A"}, "cards of the event play, got none; try: add 'cards'"),
        ({"do": "play", "player": "D", "cards": [9]}, "a known seat for player, got 'D'"),
        (
            {"do": "play", "player": "B", "cards": [7]},
            "the player to move (R3), got B, while it is",
        ),
        ({"do": "play", "cards": [True]}, "cards for cards, got True; try: 1 to 12"),
        ({"do": "play", "cards": [0]}, "cards for cards, got 0; try: 1 to 12"),
        ({"do": "expect_legal", "values": [5]}, "(expect_legal) values: expected [5], got [9]"),
        ({"do": "expect_turn", "player": "B"}, '(expect_turn) player: expected "B", got "A"'),
        ({"do": "expect_deal", "deck": 79}, "(expect_deal) deck: expected 79, got 80"),
        ({"do": "expect_deal", "draw_pile": {"3": 49}}, "draw_pile.3: expected 49, got 50"),
        ({"do": "expect_deal", "draw_pile": {"9": 1}}, "a known key of draw_pile, got '9'"),
    ],
)
def test_events_of_pig_pile(event, text):
    assert text in line("pig_pile", event, setup={**PILE, "turn": "A"})


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"round": 0}, "a whole number from 1 to 1000 for round of the setup, got 0"),
        ({"pigs": {"A": 41}}, "a whole number from 0 to 40 for A of pigs, got 41"),
        ({"tied": 1}, "true or false for tied of the setup, got 1"),
        ({"direction": 2}, "a direction of 1 or -1, got 2; try: 1, clockwise"),
        ({"direction": True}, "a direction of 1 or -1, got True"),
        ({"players": ["A", "A"]}, "two to eight players, each once, got ['A', 'A']"),
        ({"dealer": "D"}, "a known seat for dealer, got 'D'"),
    ],
)
def test_setups_of_pig_pile(parts, text):
    assert text in line("pig_pile", setup={**PILE, **parts})


def test_with_nothing_but_slop_one_of_it_is_turned_over():
    slop = {"players": ["A", "B"], "slop": {"A": [5, 6, 7]}, "hand": {"B": [6]}, "pile": [4]}
    refused = line("pig_pile", {"do": "pickup", "player": "A"}, setup=slop)
    assert "one of the face-down cards (R8)" in refused
    both = line("pig_pile", {"do": "play", "player": "A", "cards": [5, 6]}, setup=slop)
    assert "one card of the Slop (R8), got 5 6" in both


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
    assert "direction: expected true" in line("pig_pile", setup=PILE, expected={"direction": True})


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"do": "expect_merge", "units": [1], "legal": True}, "two numbers for units, got [1]"),
        ({"do": "expect_merge", "units": [1, 4], "legal": True}, "from 1 to 3 for units, got 4"),
        (
            {"do": "expect_merge", "units": [1, 1], "rule": "de", "legal": True},
            "a known merge rule, got 'de'",
        ),
        ({"do": "expect_merge", "units": [2, 2], "legal": True}, "legal: expected true, got false"),
        (
            {"do": "expect_merge", "units": [1, 1], "abilities": [1, 1], "legal": True},
            "legal: expected true, got false",
        ),
        ({"do": "expect_odds", "table": {"1v1": "x"}}, "a fraction, got 'x'; try: \"7/12\""),
        ({"do": "expect_odds", "table": {"1v1": "1/0"}}, "a fraction, got '1/0'"),
        ({"do": "expect_odds", "table": {"1v1": "1/2"}}, '1v1: expected "1/2", got "7/12"'),
        ({"do": "expect_odds", "table": {"4v1": "1/2"}}, "1 to 3 units, got 4"),
        ({"do": "expect_odds", "table": {"1w1": "1/2"}}, "attacker v defender, got '1w1'"),
        (
            {"do": "expect_respawn", "bank": {"pink": 1}, "boxes": {}},
            "a known key of bank, got 'pink'",
        ),
        (
            {"do": "expect_respawn", "bank": {"green": 5}, "boxes": {}},
            "0 to 4 for green of bank, got 5",
        ),
        ({"do": "combat", "att_rolls": [7], "def_rolls": [1]}, "1 to 6 for att_rolls, got 7"),
        ({"do": "combat", "att_rolls": [1, 2], "def_rolls": [1]}, "1 to 1 rolls of the attacker"),
        ({"do": "expect_moves", "from": [0, 1], "moves": []}, "[column, row] from 1 to 8"),
        ({"do": "expect_move_count", "from": [1, 1], "count": 4}, "expected 4, got 3"),
    ],
)
def test_events_of_piggyback(event, text):
    assert text in line("piggyback", event)


def test_the_english_rule_merges_what_the_french_does_not():
    event = {"do": "expect_merge", "units": [1, 1], "abilities": [1, 1], "legal": True}
    assert line("piggyback", {**event, "rule": "en"}) == ""
    assert line("piggyback", {**event, "rule": "fr", "legal": False}) == ""


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"do": "expect_series", "winner": None, "uprising": 1}, "true or false for uprising of"),
        (
            {"do": "expect_series", "winner": "Banker", "regular": {"Banker": 2}},
            "regular.Banker: expected 2, got 3",
        ),
        (
            {"do": "expect_series", "winner": "Banker", "competitive": {"Banker": 2}},
            "competitive.Banker: expected 2, got 3",
        ),
        (
            {
                "do": "expect_vote_targets",
                "voter": "Banker",
                "submitted": {"Banker.C1": "Banker", "Energy.C1": "Energy"},
                "diplomacy": ["Banker.C1", "Energy.C1"],
            },
            'diplomacy: expected ["Banker.C1", "Energy.C1"], got ["Energy.C1"]',
        ),
        ({"do": "activate", "owner": "Bankr", "card": "C1"}, "actor as owner, got 'Bankr'; try: B"),
        ({"do": "activate", "card": "C1"}, "owner of the event activate"),
        ({"do": "activate_all", "cards": [["Banker"]]}, "[owner, card], got ['Banker']"),
        ({"do": "expect_next_first", "sequence": ["Energy"]}, 'expected ["Energy"], got ["Presi'),
    ],
)
def test_events_of_lord(event, text):
    assert text in line("lord_of_the_pigs", event)


@pytest.mark.parametrize(
    ("ratings", "text"),
    [
        ({"Banker": 11}, "from 0 to 10 for Banker of ratings, got 11"),
        ({"Bank": 1}, "a known key of ratings, got 'Bank'; try: Banker"),
    ],
)
def test_setups_of_lord(ratings, text):
    assert text in line("lord_of_the_pigs", setup={"ratings": ratings})
