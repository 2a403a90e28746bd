"""Pages name players, scenes, models, teams and engines only from the lists that they were sent."""

import json
from dataclasses import replace

import pytest

import pigglesim
from pigglesim.landing import Seat
from pigglesim.match.record import format_record
from tests.support.serving import running


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    with running(tmp_path_factory.mktemp("matches")) as served, served.person() as found:
        yield found


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Return a folder with programs that leave a trace where they run."""
    folder = tmp_path_factory.mktemp("planted")
    trace = folder / "ran"
    text = f"import pathlib\npathlib.Path({str(trace)!r}).touch()\nclass Own: pass\n"
    (folder / "own.py").write_text(text)
    return folder


PROGRAMS = ["cmd:touch {0}/ran", "{0}/own.py:Own", "os:system:command=1", " cmd:touch {0}/ran"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "players",
    [
        ["{}", "human"],
        ["human,{}"],
        ["human", "greedy,{}"],
        ["greedy\n,{}", "human"],
        ["human:x,{}", "human"],
        ["mcts:nodes=1:{}", "human"],
    ],
)
def test_no_message_starts_a_program(person, planted, program, players):
    players = [each.format(program.format(planted)) for each in players]
    assert "players" in person.refusal(do="new", players=players, chance="tabular")
    assert not (planted / "ran").exists()


def test_a_name_of_the_list_has_no_parameters(person):
    """An agent that thinks for hours would hold up the server."""
    assert "players" in person.refusal(do="new", players=["human", "mcts:nodes=10000000"])


PLACES = [
    {"do": "set_table", "scene": None},
    {"do": "set_table", "model": None},
    {"do": "throw", "engine": None},
    {"do": "study", "model": None},
    {"do": "new", "players": ["human", "greedy"], "game": None},
    {"do": "new", "players": ["human", "greedy"], "chance": None},
    {"do": "new", "players": ["human", "greedy"], "engine": None},
    {"do": "new", "players": ["human", "greedy"], "team_a": None, "game": "piggles_modern"},
    {"do": "new", "players": ["human", "greedy"], "team_b": None, "game": "piggles_modern"},
    {"do": "new", "players": ["human", None]},
]


def with_name(message, name):
    """Put a name into the free place of a message."""
    if isinstance(message, dict):
        return {key: with_name(value, name) for key, value in message.items()}
    if isinstance(message, list):
        return [with_name(each, name) for each in message]
    return name if message is None else message


@pytest.mark.parametrize("message", PLACES, ids=lambda message: json.dumps(message))
def test_a_refusal_does_not_depend_on_whether_a_file_exists(person, tmp_path, message):
    there = tmp_path / "there.toml"
    there.write_text('id = "there"')
    names = [there, tmp_path / "gone.toml", tmp_path, "/etc/passwd", "../models/piggle.toml"]
    names += ["piggle,../models/premium.toml", "piggle+blue+left", "", "piggles_classic\0"]
    texts = {person.refusal(**with_name(message, str(name))) for name in names}
    assert len(texts) == 1
    (text,) = texts
    assert "\n" not in text and str(tmp_path) not in text


@pytest.mark.parametrize(
    "change",
    [
        lambda header, file: {"teams": {**header.teams, "A1": file}},
        lambda header, file: {"chance": {**header.chance, "scene": file}},
        lambda header, file: {"chance": {**header.chance, "scene": [file, {}]}},
        lambda header, file: {"chance": {**header.chance, "engine": file}},
        lambda header, file: {"chance": {**header.chance, "model": file, "source": "tabular"}},
    ],
    ids=["model", "scene", "list", "engine", "odds"],
)
def test_a_dropped_record_names_no_file(person, tmp_path, change):
    played = pigglesim.play_match(chance="tabular", seed=7, agents=["greedy", "uniform"])
    there = tmp_path / "there.toml"
    there.write_text("there")
    texts = set()
    for file in (there, tmp_path / "gone.toml"):
        header = replace(played.record.header, **change(played.record.header, str(file)))
        text = format_record(replace(played.record, header=header))
        texts.add(person.refusal(do="record", text=text))
    (text,) = texts
    assert "\n" not in text and str(tmp_path) not in text


def test_every_name_that_is_sent_is_accepted(person):
    welcome = person.welcome
    for name in welcome["scenes"]:
        person.send(do="set_table", scene=name, count=1)
        person.until("board")
    for name in (*welcome["models"], *welcome["teams"]):
        person.send(do="set_table", model=name, count=1)
        person.until("board")


def test_agents_of_a_dropped_record_are_only_names(person, planted):
    played = pigglesim.play_match(chance="tabular", seed=7, agents=["greedy", "uniform"])
    agents = {Seat.A: f"cmd:touch {planted}/ran", Seat.B: f"{planted}/own.py:Own"}
    record = replace(played.record, header=replace(played.record.header, agents=agents))
    person.send(do="record", text=format_record(record))
    table = person.until("opened")["table"]
    person.send(do="what_if", table=table, decision=0)
    # The values of its actions need no player of the record.
    assert person.until("tried", timeout=120)["decision"] == 0
    assert not (planted / "ran").exists()
