"""A new game takes four files, as docs/extend/game.md adds one, and is then played everywhere."""

import os
import re
import subprocess
import sys

import pytest

from scripts.documentation.pages import ROOT, blocks

BLOCKS = blocks(ROOT / "docs/extend/game.md")
SAVED = {block.rest: block.text for block in BLOCKS if block.word == "saved as"}
ENTRY, VIEW = (block.text for block in BLOCKS if block.word == "checked by")
PLAYED = """
import io, pathlib

import pigglesim
from rich.console import Console
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.play import PlaySettings, new_session
from pigglesim.envs import gymnasium, pettingzoo
from pigglesim.scenarios import run_scenario
from pigglesim.tui.plain import PlainTable
from tests.support.serving import running

print(pathlib.Path(pigglesim.__file__).parent)
match = pigglesim.play_match("pig", seed=7, house_rules={"goal": 20})
assert match.record.footer.result.winner, match
match.save("pig.jsonl")
assert pigglesim.replay("pig.jsonl").scores == match.scores
pigglesim.tournament(["mcts:nodes=5", "uniform"], game="pig", pairs=1, seed=5, out="cup")
found = pigglesim.analyse_position("90 18 3 16 0", "pig", playouts=10, seed=1)
assert {each.action for each in found.actions} == {"roll", "stop"}, found

setup = set_up_game("pig", None, rules={"goal": 15})
settings = PlaySettings(hints=None, speed=0.0)
session = new_session(
    game_setup=setup, agents=("human", "uniform", None), seed=3, chance=(None, None),
    practice=False, out=pathlib.Path("play.jsonl"), settings=settings,
)
written = io.StringIO()
PlainTable(
    session, lines=io.StringIO("1\\n2\\n" * 99), console=Console(file=written, width=80)
).run()
assert session.over and "stop with 0" in written.getvalue(), written.getvalue()

assert run_scenario({
    "id": "1", "game": "pig", "setup": {"state": "0 0 1 7 0"},
    "events": [{"do": "action", "action": "roll"}, {"do": "outcome", "outcome": "1"}],
    "expected": {"turn": "B", "scores": {"A": 0}},
}).passed

with running(pathlib.Path("served")) as served, served.person() as person:
    (offered,) = (game for game in person.welcome["games"] if game["name"] == "pig")
    person.send(do="new", game="pig", players=["human", offered["agents"][0]], seed=5)
    table = person.until("opened")["table"]
    state = person.until("state", where=lambda m: m["yours"])
    assert [part["kind"] for part in state["felt"]] == ["scale", "scale"], state
    assert [each["text"] for each in state["choices"]] == ["roll again", "stop with 0"], state
    person.send(do="decide", table=table, at=state["at"], choice=0)
    assert "Player A threw" in str(person.until("event", where=lambda m: "threw" in str(m)))

env = gymnasium.SeatEnv(
    "pig", opponent="uniform", house_rules={"goal": 15}, render_mode="ansi"
)
seen, _ = env.reset(seed=7)
over = False
while not over:
    assert env.observation_space.contains(seen), seen
    seen, reward, over, _, _ = env.step(env.action_space.sample(seen["action_mask"]))
assert reward in {1.0, -1.0} and "Player A" in env.render()
turns = pettingzoo.env("pig", house_rules={"goal": 15})
turns.reset(seed=7)
for agent in turns.agent_iter():
    seen, reward, ended, _, _ = turns.last()
    turns.step(None if ended else turns.action_space(agent).sample(seen["action_mask"]))
"""


def with_pig(folder):
    """Make a package with Pig of links to this one's files; return the files that are not links."""
    for part in ("models", "scenes"):
        (folder / part).symlink_to(ROOT / part)
    package = folder / "pigglesim"
    for room in (package, package / "games", package / "table"):
        room.mkdir()
        for path in (ROOT / room.relative_to(folder)).iterdir():
            if path.name not in {"games", "table", "__pycache__"} or room is not package:
                (room / path.name).symlink_to(path)
    changes = {
        "games/registry.py": (
            ("_GAMES: Mapping[str, GameEntry] = {", ENTRY),
            ("from pigglesim.games.game import", "from pigglesim.games.pig import Pig"),
        ),
        "table/view.py": (("_VIEWS = {", VIEW),),
    }
    for name, lines in changes.items():
        text = (package / name).read_text()
        for at, line in lines:
            line_of = re.search(rf"^{re.escape(at)}.*$", text, re.MULTILINE)[0]
            text = text.replace(line_of, f"{line_of}\n{line}")
        (package / name).unlink()
        (package / name).write_text(text)
    (package / "games" / "pig.py").write_text(SAVED["pig.py"])
    (package / "table" / "pig.py").write_text(SAVED["pig_view.py"])
    return [path for path in package.rglob("*.py") if not path.is_symlink()]


@pytest.mark.slow
def test_a_new_game_takes_four_files_and_is_played_everywhere(tmp_path):
    written = with_pig(tmp_path)
    assert {path.relative_to(tmp_path / "pigglesim").as_posix() for path in written} == {
        "games/pig.py",
        "games/registry.py",
        "table/pig.py",
        "table/view.py",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", PLAYED],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[0] == str(tmp_path / "pigglesim")
