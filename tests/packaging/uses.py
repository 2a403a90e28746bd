"""Uses of an installed pigglesim, with and without its extras."""

import json
import os
import subprocess
from pathlib import Path

from shapely import Polygon
from trimesh.creation import extrude_polygon

LONGEST = 900.0
"""The first throw of a study compiles; a machine with other work may be slow [s]."""

PACKAGES = {
    "envs": "pettingzoo gymnasium",
    "mujoco": "mujoco-core",
    "cluster": "distributed",
    "convex": "coacd",
}
"""Packages that pip installs for each extra."""

ABSENT = ("pettingzoo", "gymnasium", "mujoco", "distributed", "coacd")

VERBS = [
    ("mujoco", "roll 1 --seed 7 --engine mujoco"),
    ("mujoco", "match --seed 7 --engine mujoco --out m.jsonl"),
    ("mujoco", "converge --pours 2 --engine mujoco"),
    ("mujoco", "compare --pours 2"),
    ("mujoco", "study --throws 10 --engine mujoco --out s"),
    ("cluster", "study --throws 10 --cluster tcp://127.0.0.1:9 --out s"),
    ("convex", "model import pig.stl --unit mm --parts coacd --yes"),
]
APIS = [
    ("envs", "import pigglesim.envs.pettingzoo"),
    ("envs", "import pigglesim.envs.gymnasium"),
    ("envs", "from pigglesim.envs import pettingzoo; pettingzoo.env('classic')"),
    ("mujoco", "from pigglesim.physics.engines import make_engine; make_engine('mujoco')"),
    ("convex", "from pigglesim.bodies.scan import expect_coacd; expect_coacd()"),
]


class UseError(Exception):
    """Something did not work; its text is one line."""


def run(words, folder):
    """Run a command and return what it printed.

    Raises:
        UseError: If it failed.
    """
    done = _done(words, folder)
    if done.returncode:
        last_line = (done.stderr.strip() or done.stdout.strip() or "nothing said").splitlines()[-1]
        raise UseError(f"{_brief(words)}: {last_line}")
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


def default_engine(version):
    """Return the engine that steps where none is named, on Linux with a Python such as 3.13.0."""
    return "bullet" if int(version.split(".")[1]) < 14 else "mujoco"


def use(python, folder, done):
    """Roll, play, replay, study: what needs no extra."""

    def verb(*words, shows=""):
        printed = run([python, "-m", "pigglesim", *" ".join(words).split()], folder)
        done.extend([shows] if shows else [])
        return printed

    verb("--version")
    engine = json.loads(verb("roll 2 --seed 7 --json"))["provenance"]["engine"]
    version = run([python, "-c", "import platform as p; print(p.python_version())"], folder)
    if engine != default_engine(version):
        raise UseError(f"the engine that steps is {engine}")
    done.append(f"roll ({engine})")
    verb("match --rule rounds=2 --seed 7 --no-boards --out m.jsonl")
    verb("replay m.jsonl --resimulate --no-boards", shows="match, replayed on physics to the bit")
    verb("match --game piggles_modern --chance tabular --seed 7 --no-boards")
    for game in ("piggy_six", "piggyback", "pig_pile", "lord_of_the_pigs"):
        verb(f"match --game {game} --chance fair --seed 7 --no-boards")
    done.append("the other five games")
    verb("roll 1 --seed 7 --html r.html --svg r.svg")
    verb("study --kind drop --throws 2000 --seed 5 --out s --workers 1")
    select = "SELECT pose, count(*) FROM throws GROUP BY ALL"
    run([python, "-m", "pigglesim", "study", "query", "s", select], folder)
    done.append("study of 2,000 drops (impulse), report, query")
    verb("poses piggle --plot p.png")
    for kind in ("mp4", "webm"):
        verb(f"roll 1 --seed 7 --size 64x64 --fps 10 --video r.{kind}")
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
            angle = Polygon([(0, 0), (20, 0), (20, 8), (8, 8), (8, 24), (0, 24)])  # not convex
            extrude_polygon(angle, 15.0, engine="manifold").export(Path(folder) / "pig.obj")
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
