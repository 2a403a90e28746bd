"""Studies that take a moment: a common die let go a hand's breadth of nothing above the floor."""

import json
import re
from functools import cache
from pathlib import Path

from pigglesim.data_files import floor_file
from pigglesim.experiments.shard import Job, StudyPlan, make_shard
from pigglesim.experiments.sql_sandbox import open_throws
from pigglesim.experiments.study import Study
from pigglesim.experiments.worker_pool import Outcome
from tests.support.front_door import run_here


def low_floor(folder: Path) -> str:
    """Write a floor on which a die is at rest at once, and return its path."""
    text = floor_file("tabletop").read_text()
    for key, value in (
        ("height_mm", 2.0),
        ("drift_spread_m_s", 0.0),
        ("spin_spread_rad_s", 0.5),
        ("time_step_ms", 4.0),
    ):
        text = re.sub(rf"(?m)^{key} = .*$", f"{key} = {value}", text)
    path = folder / "low.toml"
    path.write_text(text)
    return str(path)


def small_study(floor: str, **words) -> Study:
    """Two cells of 600 drops: six shards."""
    asked = {"throws": 600, "shard_size": 250, "factors": {"friction": (0.2, 0.5)}, "seed": 3}
    return Study(models=("d6",), scene=floor, **{**asked, **words})


@cache
def made(text: str, number: int):
    """The file of a shard of the study of this definition, made once for all tests."""
    plan = StudyPlan.of(Study.from_definition(json.loads(text)))
    return make_shard(Job.of(plan), number)


class Canned:
    """An executor that has every shard already; some of them fail so many times."""

    def __init__(self, study, *, faults=None, order=1):
        self._text, self._order = study.to_json(), order
        self.faults = dict(faults or {})
        self.waiting, self.asked = [], []
        self.width = 3

    @property
    def room(self):
        return len(self.waiting) < self.width

    def submit(self, number, _job):
        self.waiting.append(number)
        self.asked.append(number)

    def next(self):
        number = self.waiting.pop(-1 if self._order < 0 else 0)
        if self.faults.get(number, 0) > 0:
            self.faults[number] -= 1
            return Outcome(number=number, fault="bad luck")
        return Outcome(number=number, result=made(self._text, number))

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        pass


def files(folder):
    """Return the bytes of all shards of a study, by name."""
    return {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}


def throws_in(folder):
    """Return every throw that is stored in a folder, in order."""
    with open_throws(folder) as connection:
        return connection.execute("SELECT * FROM throws ORDER BY throw, die").fetchall()


def run_study(*words):
    """Run the verb in this process; it must do what it is asked for."""
    found = run_here("study", *words)
    assert found.exit_code == 0, found.output
    return found


def small(*words, throws=600):
    """Words of a study of six shards."""
    base = ["--model", "d6", "--scene", "low.toml", "--throws", throws, "--seed", 3]
    base += [] if "--workers" in words else ["--workers", 1]
    return [*base, "--factor", "friction=0.2,0.5", "--shard-size", 250, "--no-report", *words]
