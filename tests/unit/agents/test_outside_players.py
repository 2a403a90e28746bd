"""Players outside pigglesim: classes by import path, and programs on standard streams."""

import json
import os
import re
import shutil
import signal
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pigglesim.agents import outside
from pigglesim.agents.registry import make_agent
from pigglesim.api.match import play_match
from pigglesim.api.tournament import tournament
from pigglesim.api.what_if import what_if
from pigglesim.envs import gymnasium
from pigglesim.errors import SpecError
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Cause
from pigglesim.match.record import read_record, write_record
from pigglesim.match.replay import interrupted_record
from tests.support.front_door import run_here, start
from tests.support.secrets_of import found
from tests.support.waiting import wait_for

PLAYERS = Path(__file__).parents[3] / "docs/examples/players"
HOLD = f"cmd:{sys.executable} {PLAYERS / 'hold_at_20.py'}"
HIDDEN = -1
"""A card of Pig Pile that the player has not seen."""
WAYWARD = """
import json, os, subprocess, sys, time

how, log = sys.argv[1:]
child = subprocess.Popen(["sleep", "600"])
with open(log, "a") as file:
    print(os.getpid(), child.pid, sep="\\n", file=file)
print("a word before", file=sys.stderr)


def say(text):
    print(text, flush=True)


def act(action):
    say(json.dumps({"type": "bestaction", "id": number, "action": action}))


if how == "early":
    sys.exit(7)
decisions = 0
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "newgame" if how == "unready":
            say("hello")
        case "newgame":
            decisions = 0
            say('{"type": "ready"}')
        case "stop" if how == "prompt":
            act("stop" if total else "roll")
            act("stop" if total else "roll")
        case "position":
            total = message["observation"]["state"]["total"]
        case "go":
            decisions += 1
            number = message["id"]
            if decisions == 1:
                act("roll")
            elif how == "crash":
                raise ZeroDivisionError("oh")
            elif how == "illegal":
                act("roll 3")
            elif how == "unknown":
                act("jump")
            elif how == "list":
                say("[1]")
            elif how == "sure":
                say('{"type": "info", "value": 7}')
            elif how == "flood":
                while True:
                    sys.stdout.write("x" * 100_000)
            elif how == "other":
                number += 1
                act("roll")
            elif how == "bare":
                say('{"type": "bestaction", "action": "roll"}')
            elif how in {"text", "deep"}:
                say("hello" if how == "text" else "[" * 100_000)
            elif how == "hang":
                time.sleep(600)
"""


def wayward(folder, how):
    """Return the name of a player that goes wrong at its second decision."""
    file = folder / "wayward.py"
    file.write_text(WAYWARD)
    return f"cmd:{sys.executable} {file} {how} {folder / 'pids'}"


def left(folder):
    """Return the processes of wayward players that still run."""
    alive = []
    for word in (folder / "pids").read_text().split():
        stat = Path(f"/proc/{word}/stat")
        # A child of a killed player is reaped by whoever adopted it.
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
            alive.append(int(word))
    return alive


def expect_gone(folder):
    """Expect that they end."""
    wait_for(lambda: not left(folder))


def test_the_example_in_python_decides_as_the_same_agent_here():
    outside = play_match("piggy_six", agents=[HOLD, "greedy"], chance="fair", seed=4)
    inside = play_match("piggy_six", agents=["hold:20", "greedy"], chance="fair", seed=4)
    assert outside.record.decisions == inside.record.decisions
    assert outside.record.header.agents[Seat.A] == HOLD


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("game", ["piggyback", "pig_pile"])
def test_the_example_in_javascript_repeats_with_the_seed(game):
    name = f"cmd:node {PLAYERS / 'random.mjs'}"
    one, same, other = (
        play_match(game, agents=name, chance="fair", seed=seed, house_rules=rules)
        for rules in [{"cap": 30} if game == "piggyback" else {"rounds": 1, "turn_cap": 30}]
        for seed in (1, 1, 2)
    )
    assert one.record.forfeit is None
    assert one.record.entries == same.record.entries != other.record.entries


@pytest.mark.parametrize("number", ["id=message['id'], ", ""])
def test_a_player_that_answers_twice_is_never_an_answer_behind(number, tmp_path):
    text = (PLAYERS / "hold_at_20.py").read_text()
    once = """send("bestaction", id=message["id"], action=action)"""
    assert once in text
    twice = f'[send("bestaction", {number}action=action) for _ in range(2)]'
    (tmp_path / "twice.py").write_text(text.replace(once, twice))
    name = f"cmd:{sys.executable} {tmp_path / 'twice.py'}"
    outside = play_match("piggy_six", agents=[name, "greedy"], chance="fair", seed=4)
    inside = play_match("piggy_six", agents=["hold:20", "greedy"], chance="fair", seed=4)
    assert outside.record.decisions == inside.record.decisions
    # Nor is one of the next match.
    agent = make_agent(name, game=make_game("piggy_six"))
    seat = agent.take_seat(Seat.A, time_limit=None)
    game = make_game("piggy_six")
    for total, action in ((0, "roll"), (20, "stop"), (7, "roll"), (24, "stop")):
        if total == 7:
            assert agent.take_seat(Seat.A, time_limit=None) is seat
        state = replace(game.initial_state(), total=total, rolls=total > 0, dice=2 * (total > 0))
        chosen = seat.choose(
            game.observe(state, Seat.A), game.legal_actions(state), rng=np.random.default_rng(1)
        )
        assert game.format_action(chosen) == action


def test_only_a_player_that_wants_to_is_offered_to_concede(tmp_path):
    file = tmp_path / "asker.py"
    for ready, offered in (("", False), (', "concede": true', True)):
        file.write_text(f"""
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "newgame":
            print('{{"type": "ready"{ready}}}', flush=True)
        case "position":
            offered = message["legal_actions"]
        case "go":
            info = {{"type": "info", "text": str("concede" in offered)}}
            best = {{"type": "bestaction", "id": message["id"], "action": offered[0]}}
            print(json.dumps(info), json.dumps(best), sep="\\n", flush=True)
""")
        game = make_game("piggles_classic")
        player = make_agent(f"cmd:{sys.executable} {file}", game=game)
        agent = player.take_seat(Seat.A, time_limit=None)
        state = game.initial_state()
        seen, legal = game.observe(state, Seat.A), game.legal_actions(state)
        assert agent.choose(seen, legal, rng=np.random.default_rng(1)) == legal[0]
        assert agent.reason(seen) == str(offered)


MISSING = {
    "no-such-file": ("{python} {folder}/no_such_player.py", "No such file or directory"),
    "no-such-module": ("{python} -m no_such_player", "No module named"),
    "early": ("{python} {folder}/wayward.py early {folder}/pids", "ended with status 7"),
    "unready": ("{python} {folder}/wayward.py unready {folder}/pids", "'hello' .expected"),
    "no-interpreter": ("{folder}/no_interpreter", "cannot start: Exec format error"),
}


@pytest.mark.parametrize("how", MISSING)
def test_a_player_that_was_never_ready_is_an_error_before_the_match(how, tmp_path):
    command, problem = MISSING[how]
    wayward(tmp_path, how)
    (tmp_path / "no_interpreter").write_text("true\n")
    (tmp_path / "no_interpreter").chmod(0o755)
    name = "cmd:" + command.format(python=sys.executable, folder=tmp_path)
    words = ("match", "piggy_six", "--chance", "fair", "--a", name, "--out", tmp_path / "m.jsonl")
    before = sorted(tmp_path.iterdir())
    for verb in (words, ("tournament", "--game", "piggy_six", "--agents", f"{name},greedy",
                         "--pairs", 1, "--out", tmp_path / "cup")):  # fmt: skip
        with pytest.raises(SpecError, match=rf"agent cmd:.*{problem}.*; check its comm") as found:
            run_here(*verb)
        assert "(expected {" in str(found.value)
        assert found.value.exit_status == 2
    assert {path for path in tmp_path.iterdir() if path.name != "pids"} == set(before)


FAILURES = {
    "crash": (Cause.RAISED, r"ended with status 1: ZeroDivisionError: oh"),
    "illegal": (Cause.ILLEGAL, r"roll 3: .*R6"),
    "unknown": (Cause.NONSENSE, r"'jump' \(expected an action such as roll"),
    "list": (Cause.NONSENSE, r"1.*expected bestaction with id 2 and an action such as roll"),
    "sure": (Cause.NONSENSE, '"value": 7.*from 0 to 1'),
    "other": (Cause.NONSENSE, '"id": 3.*expected.*id 2'),
    "bare": (Cause.NONSENSE, '"action": "roll".*expected.*id 2'),
    "text": (Cause.NONSENSE, "'hello' .expected.*bestaction"),
    "deep": (Cause.NONSENSE, r"\[\["),
    "flood": (Cause.NONSENSE, "bytes"),
    "hang": (Cause.TIME, "more than 0.6 s"),
}


@pytest.mark.parametrize("how", FAILURES)
def test_a_failing_player_forfeits_and_leaves_no_process(how, tmp_path):
    cause, detail = FAILURES[how]
    match = play_match(
        "piggy_six", agents=[wayward(tmp_path, how), "greedy"], chance="fair", seed=1,
        time_limit=0.6 if how == "hang" else 30.0,
    )  # fmt: skip
    forfeit = match.record.forfeit
    assert (forfeit.seat, forfeit.cause) == (Seat.A, cause)
    assert re.search(detail, forfeit.detail)
    assert (match.winner, match.reason) == ("B", "forfeit")
    expect_gone(tmp_path)


def test_a_player_that_answers_stop_is_in_time(tmp_path):
    agents = [wayward(tmp_path, "prompt"), "greedy"]
    match = play_match(
        "piggy_six", agents=agents, chance="fair", seed=1, time_limit=1.5,
        house_rules={"target": 15},
    )  # fmt: skip
    assert match.record.forfeit is None
    assert len([entry for entry in match.record.decisions if entry.seat is Seat.A]) > 1
    expect_gone(tmp_path)


def test_one_that_is_never_ready_is_an_error(monkeypatch):
    monkeypatch.setattr(outside, "_READY_TIME", 0.2)
    with pytest.raises(SpecError, match=r"was not ready within 0\.2 s"):
        play_match("piggy_six", agents=["cmd:sleep 600", "greedy"], chance="fair", seed=1)


@pytest.mark.parametrize(
    ("how", "detail"),
    [
        ("crash", "ProcessFailedError: the player ended with status 1: ZeroDivisionError: oh"),
        ("hang", "more than 0.6 s; its standard error: a word before"),
    ],
)
def test_a_tournament_goes_on_and_counts_forfeits(how, detail, tmp_path):
    cup = tournament(
        [wayward(tmp_path, how), HOLD], game="piggy_six", pairs=2, seed=1, workers=2,
        out=tmp_path / "cup", time_limit=0.6 if how == "hang" else None,
    )  # fmt: skip
    (counted,) = cup.standings.forfeits
    assert (counted.name, counted.matches) == (cup.tournament.agents[0], 4)
    assert counted.detail == detail
    assert cup.finished
    expect_gone(tmp_path)
    with pytest.raises(SpecError, match=r"names a program.*--agents 'cmd:.*,cmd:"):
        run_here("tournament", "--out", tmp_path / "cup")


def test_ctrl_c_ends_the_match_and_the_player(tmp_path):
    words = ("match", "piggy_six", "--chance", "fair", "--no-boards", "--out", tmp_path / "m.jsonl")
    with start(*words, "--a", wayward(tmp_path, "hang"), "--seed", 1) as running:
        part = tmp_path / "m.jsonl.part"
        wait_for(lambda: part.exists() and b"outcome" in part.read_bytes())
        os.killpg(running.pid, signal.SIGINT)
        assert running.wait(timeout=60) == 130
    expect_gone(tmp_path)
    assert read_record(tmp_path / "m.jsonl").footer.status == "interrupted"


def test_a_file_starts_no_program(tmp_path):
    out = tmp_path / "m.jsonl"
    match = play_match("piggy_six", agents=[HOLD, "greedy"], chance="fair", seed=4)
    record = match.record
    match.save(out)
    whole = out.read_bytes()
    write_record(interrupted_record(record.header, record.entries[:5]), out)
    for verb in ("match", "play"):
        with pytest.raises(SpecError, match=r"names a program as agent.*--a 'cmd:"):
            run_here(verb, "--resume", out)
    with pytest.raises(SpecError, match="no agent 'cmd:true'"):
        run_here("match", "--resume", out, "--a", "cmd:true")
    with pytest.raises(SpecError, match="names a program"):
        what_if(record, 1, times=1, seed=1)
    assert run_here("match", "--resume", out, "--a", HOLD, "--no-boards").exit_code == 0
    assert out.read_bytes() == whole
    assert what_if(record, 1, times=1, seed=1, agents={"A": "hold:20"}).finished


def test_a_program_with_commas_in_its_command_goes_on_with_its_match(tmp_path):
    out, name = tmp_path / "m.jsonl", f"{HOLD} --levels=1,2"
    match = play_match("piggy_six", agents=[name, "greedy"], chance="fair", seed=4)
    match.save(out)
    whole, record = out.read_bytes(), match.record
    write_record(interrupted_record(record.header, record.entries[:5]), out)
    assert run_here("match", "--resume", out, "--a", name, "--no-boards").exit_code == 0
    assert out.read_bytes() == whole


def test_what_is_sent_hides_what_the_seat_cannot_see(tmp_path):
    log = tmp_path / "sent"
    logging = f"cmd:sh -c 'tee {log} | node {PLAYERS / 'random.mjs'}'"
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    match = play_match(
        "pig_pile", agents=["uniform", logging, "uniform", "uniform"], chance="fair", seed=1,
        house_rules={"rounds": 1, "turn_cap": 30},
    )  # fmt: skip
    first, *rest = map(json.loads, log.read_text().splitlines())
    assert (first["type"], first["seat"], first["protocol"]) == ("newgame", "B", 2)
    positions = [message for message in rest if message["type"] == "position"]
    assert len(positions) == sum(entry.seat is Seat.B for entry in match.record.decisions) > 2
    for message in positions:
        seen = message["observation"]
        for seat, hand in enumerate(seen["hands"]):
            if seat != 1:
                assert {card for card in hand if card != HIDDEN} <= set(seen["known"][seat])
        assert set(seen["draw"]) <= {HIDDEN}
    assert set(positions[0]["observation"]["hands"][0]) == {HIDDEN}


def test_a_class_is_called_with_the_game_and_its_parameters(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("""
class Nth:
    def __init__(self, game, at=0, factor=1.0, word=""):
        assert game.name == "piggy_six" and isinstance(at, int) and isinstance(factor, float)
        if word:
            raise ValueError(word)
        self.at = at

    def choose(self, observation, legal_actions, *, rng):
        return legal_actions[min(self.at, len(legal_actions) - 1)]
""")
    name = "mine.py:Nth:at=1:factor=0.5"
    match = play_match("piggy_six", agents=[name, "greedy"], chance="fair", seed=2)
    own = [entry.action for entry in match.record.decisions if entry.seat is Seat.A]
    # It stops as soon as it may, after one roll of each turn.
    assert "stop" in own
    assert all(after == "roll" for first, after in pairwise(own) if first == "stop")
    assert match.record.forfeit is None
    assert match.record.header.agents[Seat.A] == name
    env = gymnasium.SeatEnv("piggy_six", opponent=name, seat="A")
    env.reset(seed=1)
    game = make_game("piggy_six")
    faults = {
        "mine:Nth": "No module named 'mine'.*my_agent.py:Class",
        "mine.py:Other": "no Other in mine.py",
        "mine.py:Nth:word=bad": "ValueError: bad",
        "mine.py:Nth:at": "not name=value",
        "his.py:Nth": "no file his.py",
        "json:dumps": "cannot be made: TypeError",
        "cmd:no-such-program x": "no program 'no-such-program'",
        "cmd:'x": "No closing quotation",
        "cmd:": "no command",
        "gredy": "greedy",
    }
    for wrong, words in faults.items():
        with pytest.raises(SpecError, match=words):
            make_agent(wrong, game=game)


def test_the_digest_of_an_agent_covers_what_it_imports_from_its_folder(tmp_path):
    files = {
        "mine.py": "import pigglesim\ndef late():\n  import near\nfrom kit.tools import saw",
        "near.py": "import numpy, deep", "deep.py": "from mine import late", "other.py": "",
        "kit/__init__.py": "", "kit/tools.py": "from . import wood\nfrom .. import top",
        "kit/wood.py": "", "kit/iron.py": "", "top.py": "", "pigglesim/__init__.py": "",
    }  # fmt: skip
    for folder in ("kit", "pigglesim"):
        (tmp_path / folder).mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    before = outside.sources_sha256([tmp_path / "mine.py"])
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}\n# changed")
        changed = outside.sources_sha256([tmp_path / "mine.py"]) != before
        assert changed is (name not in {"other.py", "kit/iron.py", "pigglesim/__init__.py"}), name
        (tmp_path / name).write_text(text)
    # A file of a package that names its own package.
    inside = outside.sources_sha256([tmp_path / "kit" / "tools.py"])
    (tmp_path / "kit" / "wood.py").write_text("changed = 1")
    assert outside.sources_sha256([tmp_path / "kit" / "tools.py"]) != inside


FIRST = """
import json, os, sys

log = open(sys.argv[1], "a")
print(json.dumps([dict(os.environ), sys.argv]), file=log)
for line in sys.stdin:
    log.write(line)
    log.flush()
    message = json.loads(line)
    if message["type"] == "newgame":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "position":
        first = message["legal_actions"][0]
    elif message["type"] == "go":
        print(json.dumps({"type": "bestaction", "action": first}), flush=True)
    elif message["type"] == "quit":
        break
"""


def taking_first(folder):
    """Return a player that takes the first action, and its log of all that it could see."""
    (folder / "first.py").write_text(FIRST)
    log = folder / "seen.jsonl"
    return f"cmd:{sys.executable} {folder / 'first.py'} {log}", log


@pytest.mark.parametrize("game", ["pig_pile", "piggles_classic"])
def test_a_player_cannot_find_the_seed_in_what_it_is_sent(game, tmp_path):
    player, log = taking_first(tmp_path)
    chance = "fair" if game == "pig_pile" else "tabular"
    rules = {"turn_cap": 30, "players": 2} if game == "pig_pile" else {}
    match = play_match(game, agents=["uniform", player], chance=chance, house_rules=rules)
    seed, seen = match.record.header.seed, log.read_text().splitlines()
    assert seed.bit_length() > 100
    assert sum('"go"' in line for line in seen) > 2
    assert not found(seed, seen)
    # A root seed below 10^9 would be found from the seed of a decision, by search.
    assert found(seed, [match.to_json()])


def test_a_player_of_a_tournament_cannot_find_its_seeds(tmp_path):
    player, log = taking_first(tmp_path)
    cup = tournament(
        [player, "uniform"], game="piggles_classic", chance="tabular", pairs=1, workers=1
    )
    seed, seen = cup.tournament.seed, log.read_text().splitlines()
    assert seed.bit_length() > 100
    assert not found(seed, seen)
    assert not found(cup.tournament.meeting(0).seed, seen)


def test_a_match_of_own_agents_has_a_seed_to_type_again():
    assert play_match("piggy_six", agents="uniform").seed < 10**9
