"""Games outside pigglesim: they play everywhere once a user names them, and no file starts one."""

import json
import re
import shlex
from pathlib import Path

import pytest

import pigglesim
from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.experiments.folder import SeriesFolder
from pigglesim.games import registry
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.match import own_games
from pigglesim.match.own_games import load_named_game
from pigglesim.match.record import read_record, write_record
from pigglesim.match.replay import interrupted_record
from scripts.documentation.pages import ROOT, blocks
from tests.support.front_door import run_here
from tests.support.own_agent import AGENT

PIG = next(b.text for b in blocks(ROOT / "docs/extend/game.md") if b.rest == "pig.py")
NAME = "pig.py:Pig"
PROGRAM = r"the game 'pig.py:Pig' is a program.*--game pig.py:Pig"


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """Work in a folder with the game, in a process that no user has named it in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_OWN", {})
    monkeypatch.setattr(own_games, "_LOADED", {})
    Path("pig.py").write_text(f"{PIG}\nopen('loaded', 'a').close()\n")


def refusal(*words):
    """Return what a command that fails says."""
    try:
        done = run_here(*words)
    except PigglesimError as error:
        return str(error)
    assert done.exit_code in {1, 2}
    return done.output


def forget():
    """Begin as a new process would."""
    registry._OWN.clear()
    own_games._LOADED.clear()
    Path("loaded").unlink()


def test_a_file_starts_no_game_that_the_user_does_not_name():
    out, scenarios = Path("m.jsonl"), Path("s.json")
    run_here("match", "--game", NAME, "--rule", "goal=20", "--seed", 3, "--out", out)
    run_here("tournament", "--game", NAME, "--agents", "uniform,mcts:nodes=2", "--pairs", 1,
             "--out", "cup", "--workers", 1)  # fmt: skip
    whole, record = out.read_bytes(), read_record(out)
    scenarios.write_text(json.dumps([{"id": "1", "game": NAME, "expected": {"turn": "A"}}]))
    forget()
    for words in (
        ("replay", out),
        ("replay", out, "--what-if", 1),
        ("analyse", out),
        ("analyse", "--position", f"@{out}:1"),
        ("tournament", "--out", "cup"),
    ):
        assert re.search(PROGRAM, refusal(*words)), words
    assert "1: the game 'pig.py:Pig' is a program" in run_here("scenario", scenarios).output
    with pytest.raises(PigglesimError, match=PROGRAM):
        pigglesim.replay(out)
    write_record(interrupted_record_of(record), out)
    for verb in ("match", "play"):
        assert re.search(PROGRAM, refusal(verb, "--resume", out)), verb
    assert not Path("loaded").exists()
    assert run_here("scenario", scenarios, "--game", NAME).exit_code == 0
    assert run_here("match", "--resume", out, "--game", NAME).exit_code == 0
    assert out.read_bytes() == whole
    assert run_here("replay", out, "--game", NAME).exit_code == 0
    assert pigglesim.replay(out, game=NAME).reason == "score"
    more = ("tournament", "--out", "cup", "--game", NAME, "--pairs", 2, "--workers", 1)
    assert run_here(*more).exit_code == 0
    Path("pig.py").write_text(f"{Path('pig.py').read_text()}# edited")
    forget()
    with pytest.raises(RecordError, match="game has changed"):
        run_here(*more)


def interrupted_record_of(record):
    """Return the first entries of a match, as another process would have left them."""
    load_named_game(NAME)
    cut = interrupted_record(record.header, record.entries[:4])
    forget()
    return cut


def test_a_page_starts_no_game(tmp_path):
    from tests.support.serving import running

    with running(tmp_path / "served") as served, served.person() as person:
        person.send(do="new", game=NAME, players=["human", "uniform"], chance="fair")
        assert "game" in person.until("fault")["text"]
    assert not Path("loaded").exists()


def test_a_page_plays_the_game_that_serve_was_started_with(tmp_path, monkeypatch):
    from pigglesim.cli import serve
    from tests.support.serving import running

    monkeypatch.setattr(serve, "serve_page", lambda *args, **kwargs: None)
    run_here("serve", "--game", NAME)
    with running(tmp_path / "served") as served, served.person() as person:
        (offered,) = (game for game in person.welcome["games"] if game["name"] == NAME)
        assert offered["title"] == "Pig" and "uniform" in offered["agents"]
        person.send(do="new", game=NAME, players=["human", "uniform"], seed=5)
        table = person.until("opened")["table"]
        state = person.until("state", where=lambda m: m["yours"])
        assert [each["text"] for each in state["choices"]] == ["roll", "stop"]
        assert [part["text"] for part in state["felt"]] == ["0 0 1 0 0"]
        person.send(do="decide", table=table, at=state["at"], choice=0)
        assert "threw" in str(person.until("event", where=lambda m: "threw" in str(m)))
    # Its matches are listed under its title, and go on.
    with running(tmp_path / "served") as served, served.person() as person:
        person.send(do="matches")
        (saved,) = person.until("matches")["matches"]
        assert saved["title"] == "Pig"
        person.send(do="open", table=saved["table"])
        assert person.until("state")["choices"]
    with pytest.raises(SpecError, match="unknown game 'pigg'"):
        run_here("serve", "--game", "pigg")


@pytest.fixture
def viewed():
    """Write the game with the view of the page, as its attribute."""
    view = next(b.text for b in blocks(ROOT / "docs/extend/game.md") if b.rest == "pig_view.py")
    Path("viewed.py").write_text(f"{view}\n{PIG}\nclass Viewed(Pig):\n    view = PigView\n")
    return "viewed.py:Viewed"


def test_a_game_with_a_view_is_an_environment(viewed):
    from pigglesim.envs import gymnasium, pettingzoo

    env = gymnasium.SeatEnv(viewed, opponent="uniform", house_rules={"goal": 15})
    seen, _ = env.reset(seed=7)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        seen, reward, over, _, _ = env.step(env.action_space.sample(seen["action_mask"]))
    assert reward in {1.0, -1.0}
    played = pettingzoo.raw_env(named_game_object(viewed, goal=15), render_mode="ansi")
    played.reset(seed=7)
    played.step(0)
    assert "Player A" in played.render() and len(played.episode.events) == 2
    with pytest.raises(SpecError, match=f"the view of {NAME} has no scale of each player"):
        pettingzoo.raw_env(NAME)
    with pytest.raises(SpecError, match="unknown name of rules 'pigg'"):
        pettingzoo.raw_env("pigg")


def named_game_object(name, **settings):
    """Return an object of the class of a file."""
    path, _, class_name = name.partition(":")
    names = {}
    exec(Path(path).read_text(), names)
    return names[class_name](**settings)


def test_workers_load_the_game_that_the_user_named():
    both = [
        pigglesim.analyse_position("10 18 3 6 0", NAME, playouts=600, seed=1, workers=workers)
        for workers in (1, 2)
    ]
    assert both[0].actions == both[1].actions
    # 18 + 6 of 30: to stop gives the other two rolls or so; to roll on risks 6 points.
    assert {each.action for each in both[0].actions} == {"roll", "stop"}


def test_an_object_plays_as_the_class_that_it_is_of():
    names = {}
    exec(PIG, names)
    game = names["Pig"](goal=20)
    one = pigglesim.play_match(game, seed=3)
    by_name = pigglesim.play_match(NAME, house_rules={"goal": 20}, seed=3)
    assert one.record.entries == by_name.record.entries
    assert (one.record.header.game, by_name.record.header.game) == ("pig", NAME)
    assert pigglesim.replay(one).scores == one.scores
    cup = pigglesim.tournament(["uniform", "mcts:nodes=2"], game=game, pairs=1, seed=1)
    assert cup.finished
    with pytest.raises(SpecError, match=r"house rules .*30.* of the object pig .expected .*20"):
        pigglesim.play_match(game, house_rules={"goal": 30}, seed=3)
    impostor = names["Pig"](name="piggy_six")
    with pytest.raises(SpecError, match="own game with the name 'piggy_six'"):
        pigglesim.play_match(impostor, seed=3)


def test_an_object_of_a_known_game_brings_its_house_rules():
    game = PigglesClassic(rules=PigglesRules(rounds=2))
    match = pigglesim.play_match(game, chance="tabular", seed=1)
    assert match.record.header.house_rules["rounds"] == 2
    again = pigglesim.play_match(
        "piggles_classic", house_rules={"rounds": 2}, chance="tabular", seed=1
    )
    assert match.record.entries == again.record.entries


FAULTS = {
    "no.py:Pig": "game no.py:Pig: no file no.py",
    "nowhere:Pig": r"game nowhere:Pig: No module named 'nowhere'.*my_game.py:Class",
    "pig.py:Hog": "no class Hog in pig.py",
    "pig.py:PigState": "game pig.py:PigState has no .*expected the protocol .*Game",
    "pig.py": r"unknown game 'pig.py' \(expected FILE.py:Class\); add the class: pig.py:Class",
    "bad.py:Pig": "game bad.py:Pig cannot be made: ZeroDivisionError",
    "needy.py:Pig": "game needy.py:Pig cannot be made: TypeError.*goal",
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_no_game_is_refused_in_a_line(name):
    Path("bad.py").write_text("1 / 0")
    Path("needy.py").write_text("class Pig:\n    def __init__(self, goal): ...")
    with pytest.raises(SpecError, match=FAULTS[name]):
        run_here("match", "--game", name)


def test_house_rules_and_agents_that_do_not_fit_are_refused_in_a_line():
    with pytest.raises(SpecError, match=r"made: TypeError.*rounds.*; check its parameters"):
        run_here("match", "--game", NAME, "--rule", "rounds=3")
    with pytest.raises(SpecError, match=f"no agent greedy for {NAME}; use the agent uniform"):
        run_here("match", "--game", NAME, "--a", "greedy")
    with pytest.raises(SpecError, match="--game has no effect with a record"):
        run_here("analyse", "m.jsonl", "--game", "piggy_six")


def test_a_printed_command_that_goes_on_names_the_game_and_programs(monkeypatch):
    Path("mine.py").write_text(AGENT.format(0))
    words = ["--game", NAME, "--rule", "goal=20", "--seed", 3, "--b", "mine.py:Mine"]
    played = run_here("play", *words, "--plain", "--out", "p.jsonl", stdin="roll\nquit\n")
    quit_early = played.output
    run_here("match", *words, "--out", "m.jsonl")
    listed = run_here("replay", "m.jsonl", "--game", NAME, "--decisions").output

    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(SeriesFolder, "play", stop)
    agents = ["--agents", "uniform,mine.py:Mine", "--pairs", 1, "--out", "cup"]
    stopped = run_here("tournament", *words[:2], *agents).output
    for printed, start, programs in (
        (quit_early, "go on: ", True), (listed, "another decision: ", False),
        (stopped, "to resume: ", True),
    ):  # fmt: skip
        assert start in printed
        command = printed.partition(start)[2].splitlines()[0]
        assert f"--game {NAME}" in command, command
        assert ("mine.py:Mine" in command) is programs, command
    forget()
    command = shlex.split(quit_early.partition("go on: ")[2].splitlines()[0])
    assert run_here(*command[1:], "--plain", stdin="quit\n").exit_code == 0
