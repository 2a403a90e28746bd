"""What is done with an installed pigglesim, to see that it works."""

import json
import os
import subprocess
from pathlib import Path

LONGEST = 900.0
"""The first throw of a study compiles; a machine with other work may be slow [s]."""
ENGINE_OF = {"3.11": "bullet"}
"""The engine that steps where none is named; of all other Pythons MuJoCo."""


class UseError(Exception):
    """Something did not work; its text is one line."""


def run(words, folder):
    """Run a command and return what it printed.

    Raises:
        UseError: If it failed.
    """
    done = _done(words, folder)
    if done.returncode:
        told = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
        raise UseError(f"{_brief(words)}: {told}")
    return done.stdout


def expect_install_hint(words, folder, packages):
    """Expect one line that names the command to install the missing packages.

    Raises:
        UseError: If it does anything else.
    """
    done = _done(words, folder)
    lines = done.stderr.splitlines()
    as_verb = len(lines) == 1 and done.returncode == 2
    as_raised = done.returncode == 1 and "Error: " in (lines or [""])[-1]
    if not lines or f"-m pip install {packages}" not in lines[-1]:
        raise UseError(f"{_brief(words)}: without {packages} it says {lines[-1:] or 'nothing'}")
    if not (as_verb or as_raised):
        raise UseError(f"{_brief(words)}: exit {done.returncode} with {len(lines)} lines")


def use(python, folder, done):
    """Roll, play, replay, study: what needs no extra."""
    verb = [python, "-m", "pigglesim"]
    run([*verb, "--version"], folder)
    rolled = json.loads(run([*verb, "roll", "2", "--seed", "7", "--json"], folder))
    version = run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], folder)
    engine = rolled["provenance"]["engine"]
    if engine != ENGINE_OF.get(version.strip(), "mujoco"):
        raise UseError(f"the engine that steps is {engine}")
    done.append(f"roll ({engine})")
    words = ["match", "--rule", "rounds=2", "--seed", "7", "--no-boards"]
    run([*verb, *words, "--out", "m.jsonl"], folder)
    run([*verb, "replay", "m.jsonl", "--resimulate", "--no-boards"], folder)
    done.append("match, replayed on physics to the bit")
    for game in ("piggles_modern", "piggy_six", "piggyback", "pig_pile", "lord_of_the_pigs"):
        chance = "tabular" if game == "piggles_modern" else "fair"
        words = ["match", "--game", game, "--chance", chance, "--seed", "7", "--no-boards"]
        run([*verb, *words], folder)
    done.append("the other five games")
    run([*verb, "roll", "1", "--seed", "7", "--html", "r.html", "--svg", "r.svg"], folder)
    study = ["study", "--kind", "drop", "--throws", "2000", "--seed", "5", "--out", "s"]
    run([*verb, *study, "--workers", "1"], folder)
    run([*verb, "study", "query", "s", "SELECT pose, count(*) FROM throws GROUP BY ALL"], folder)
    done.append("study of 2,000 drops (impulse), report, query")
    run([*verb, "poses", "piggle", "--plot", "p.png"], folder)
    words = ["roll", "1", "--seed", "7", "--size", "64x64", "--fps", "10"]
    run([*verb, *words, "--video", "r.mp4"], folder)
    run([*verb, *words, "--video", "r.webm"], folder)
    done.append("poses, page, pictures, MP4 and WebM")


def use_extra(extra, python, folder, done):
    """Use what an extra is for."""
    verb = [python, "-m", "pigglesim"]
    match extra:
        case "envs":
            code = (
                "from pigglesim.envs import pettingzoo\n"
                "import gymnasium, pigglesim.envs.gymnasium\n"
                "env = pettingzoo.env('classic'); env.reset(seed=7)\n"
                "seat = env.agent_selection\n"
                "env.step(env.action_space(seat).sample(env.observe(seat)['action_mask']))\n"
                "one = gymnasium.make('PigglesClassic-v0'); one.reset(seed=7)\n"
            )
            run([python, "-W", "error", "-c", code], folder)
            done.append("environments of both libraries step")
        case "mujoco":
            text = run([*verb, "roll", "2", "--engine", "mujoco", "--seed", "7", "--json"], folder)
            if json.loads(text)["provenance"]["engine"] != "mujoco":
                raise UseError("--engine mujoco rolled by another")
            done.append("roll --engine mujoco")
        case "cluster":
            (Path(folder) / "cluster.py").write_text(_CLUSTER)
            run([python, "cluster.py"], folder)
            done.append("study --cluster on a worker")
        case "convex":
            (Path(folder) / "pig.obj").write_text(_ANGLE)
            words = ["model", "import", "pig.obj", "--unit", "mm", "--parts", "coacd"]
            words += ["--face=+z", "--crown=+y"]
            document = json.loads(run([*verb, *words, "--json"], folder))
            if not any(name.endswith("_parts.obj") for name in document["files"]):
                raise UseError("model import --parts coacd wrote no parts")
            done.append("model import --parts coacd")


def _done(words, folder):
    env = {key: word for key, word in os.environ.items() if not key.startswith("PYTHON")}
    try:
        return subprocess.run(
            [str(word) for word in words],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
    except subprocess.TimeoutExpired:
        raise UseError(f"{_brief(words)}: not done after {LONGEST:.0f} s") from None


def _brief(words):
    """Return a command as the page shows it: without paths and in one line."""
    text = " ".join(Path(str(word)).name if "/" in str(word) else str(word) for word in words)
    return " ".join(text.split())[:100]


_CLUSTER = """
import subprocess, sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        words = [sys.executable, "-m", "pigglesim", "study", "--kind", "drop", "--throws", "200"]
        words += ["--seed", "5", "--out", "clustered", "--cluster", cluster.scheduler_address]
        sys.exit(subprocess.run([*words, "--no-report"]).returncode)
"""

_ANGLE = """\
v 0 0 0
v 20 0 0
v 20 8 0
v 8 8 0
v 8 24 0
v 0 24 0
v 0 0 15
v 20 0 15
v 20 8 15
v 8 8 15
v 8 24 15
v 0 24 15
f 1 3 2
f 1 4 3
f 1 6 5
f 1 5 4
f 7 8 9
f 7 9 10
f 7 10 11
f 7 11 12
f 1 2 8
f 1 8 7
f 2 3 9
f 2 9 8
f 3 4 10
f 3 10 9
f 4 5 11
f 4 11 10
f 5 6 12
f 5 12 11
f 6 1 7
f 6 7 12
"""
"""An angle of 20 x 24 x 15 mm, which is not convex."""
