"""What pages tell of files and of learning is what the program reads, writes and shows."""

import gc
import json
import re
import subprocess
import sys
import tomllib

from pigglesim.api.match import play_match
from pigglesim.experiments.counted_dice import read_die
from pigglesim.experiments.shard import COLUMNS
from pigglesim.experiments.study import Study
from pigglesim.games.piggles.state import PigglesReason
from scripts.documentation.pages import ROOT, blocks

DOCS = ROOT / "docs"


def block(page, kind, part=""):
    (found,) = (
        each.text for each in blocks(DOCS / page) if each.kind == kind and part in each.text
    )
    return found


def test_the_learning_environment_on_the_page_runs(tmp_path):
    code = block("how-to/learning.md", "python", "pettingzoo.env")
    words = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ended, shapes = done.stdout.splitlines()
    # Who plays there is not seeded: a match may end in any way that the rules know.
    reason, points = ended.split(" ", 1)
    assert reason in set(PigglesReason)
    assert points.startswith("{'A': ")
    assert shapes == "(687,) (2655,)"


def test_the_vector_environment_on_the_page_runs(capsys):
    exec(block("how-to/learning.md", "python", "SeatVectorEnv"), {})
    # The mean reward of random actions against greedy is about -0.4.
    assert -1.0 < float(capsys.readouterr().out) < 0.0


def test_the_messages_on_the_page_are_those_of_the_protocol(tmp_path):
    lines = block("extend/player.md", "text").splitlines()
    shown = {sign: [json.loads(line[2:]) for line in lines if line[0] == sign] for sign in "<>"}
    example, log = ROOT / "docs/examples/players/hold_at_20.py", tmp_path / "log"
    agents = [f"cmd:sh -c 'tee {log} | {sys.executable} {example}'", "greedy"]
    played = play_match("piggy_six", agents=agents, chance="fair", seed=1, time_limit=60.0)
    assert played.record.forfeit is None
    del played
    gc.collect()
    sent = {}
    for line in log.read_text().splitlines():
        message = json.loads(line)
        sent.setdefault(message["type"], set(message))
    assert {message["type"]: set(message) for message in shown[">"]} == sent
    lines = "".join(json.dumps(message) + "\n" for message in shown[">"])
    done = subprocess.run([sys.executable, example], input=lines, capture_output=True, text=True)
    answers = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert answers == [message["type"] for message in shown["<"]]


def test_the_study_file_on_the_page_is_one():
    table = tomllib.loads(block("how-to/study.md", "toml"))
    study = Study.from_definition(table, source="the page")
    assert study.cell_count == 6


def test_every_column_of_a_study_is_documented():
    text = (DOCS / "formats" / "study-folder.md").read_text()
    table = text.split("| column |")[1].split("\n\n")[0]
    named = {word for row in table.splitlines()[2:] for word in re.findall(r"`(\w+)`", row)}
    assert set(COLUMNS) < named


def test_the_counted_die_on_the_page_is_one(tmp_path):
    text = block("formats/counted-die.md", "toml", "[[outcome]]")
    shipped = DOCS / "examples" / "counted" / "square_prism_1.16" / "die.toml"
    assert text.strip() == shipped.read_text().strip()
    path = tmp_path / "die.toml"
    path.write_text(text)
    die = read_die(path)
    assert die.counts == (150, 861)
    assert sorted(pose for outcome in die.outcomes for pose in outcome.poses) == list(range(6))
