"""A shard is a pure function of the study and its number."""

import hashlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.errors import SpecError
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.shard import COLUMNS, Job, StudyPlan, Thrower, make_shard, ready
from pigglesim.experiments.statistics import share_of
from pigglesim.experiments.study import Study
from pigglesim.landing import ZONE_POINTS, Zone
from tests.support.small_studies import small_study


def throw_shard(study, number):
    return Thrower(StudyPlan.of(study)).throw(number)


def same(first, second):
    assert list(first) == list(second)
    for name, column in first.items():
        np.testing.assert_array_equal(
            np.ma.filled(column, 0), np.ma.filled(second[name], 0), err_msg=name
        )


@pytest.mark.slow
def test_a_shard_is_the_same_alone_after_others_and_in_another_process(floor):
    study = small_study(floor)
    thrower = Thrower(StudyPlan.of(study))
    thrower.throw(2)
    after = thrower.throw(1)
    same(after, throw_shard(study, 1))
    job = Job.of(StudyPlan.of(study))
    here = make_shard(job, 1)
    code = (
        "import sys, hashlib, json; from pigglesim.experiments.shard import *\n"
        "study = Study.from_definition(json.loads(sys.argv[1]))\n"
        "job = Job.of(StudyPlan.of(study))\n"
        "print(hashlib.sha256(make_shard(job, 1)).hexdigest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, study.to_json()],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == hashlib.sha256(here).hexdigest()


def test_a_cell_of_another_engine_has_the_throws_of_that_engine_alone(floor):
    engines = ("impulse", "bullet")
    study = small_study(floor, throws=250, factors={"engine": engines})
    for cell, engine in enumerate(engines):
        both = throw_shard(study, cell)
        alone = throw_shard(small_study(floor, throws=250, factors={}, engine=engine), 0)
        assert set(both["engine"]) == {engine}
        np.testing.assert_array_equal(both["orientation"], alone["orientation"])
        np.testing.assert_array_equal(both["time_s"], alone["time_s"])
    made_of = StudyPlan.of(study).made_of
    assert {*made_of["engines"]} == {*engines}
    with pytest.raises(SpecError, match="unknown engine 'bulet'"):
        StudyPlan.of(small_study(floor, factors={"engine": ("bulet",)}))


def test_a_drop_shard_has_every_column_and_a_row_a_throw(floor):
    columns = throw_shard(small_study(floor), 5)
    assert list(columns) == [*COLUMNS, "friction"]
    assert columns["throw"].tolist() == list(range(1100, 1200))
    assert columns["trial"].tolist() == list(range(500, 600))
    assert set(columns["cell"]) == {1}
    assert set(columns["friction"]) == {0.5}
    assert set(columns["orientation"]) <= set("123456")
    assert columns["orientation"].tolist() == columns["pose"].tolist()
    down = np.stack([columns[f"down_{axis}"] for axis in "xyz"], axis=1)
    assert np.linalg.norm(down, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert all(np.ma.getmaskarray(columns[name]).all() for name in ("x_mm", "points", "knocked"))
    counts = Counts.of(columns)
    assert counts.throws == counts.shown == sum(hits for hits, _, _ in counts.hits.values()) == 100


def test_cells_start_from_the_same_random_numbers_and_shard_sizes_do_not_matter(floor):
    study = small_study(floor, factors={"spinning_lever_mm": (0.5, 0.500000001)})
    first, second = throw_shard(study, 0), throw_shard(study, 1)
    agree = np.mean(first["orientation"] == second["orientation"])
    # As good as the same floor: all but a knife's edge fall alike. Independent, a sixth would.
    assert agree > 0.95
    twice = small_study(floor, factors={}, shard_size=500)
    once = small_study(floor, factors={})
    long = throw_shard(twice, 0)
    parts = [throw_shard(once, 0), throw_shard(once, 1)]
    for name in ("throw", "trial", "orientation", "time_s", "down_x"):
        assert long[name].tolist() == [v for part in parts for v in part[name].tolist()]
    other = throw_shard(small_study(floor, factors={}, seed=4), 0)
    assert np.mean(other["orientation"] == parts[0]["orientation"]) < 0.4


@pytest.mark.parametrize("kind", ["pour", "knock"])
def test_a_pour_names_each_die_and_is_pure(kind):
    study = Study(
        kind=ThrowKind(kind), models=("piggle,d6",), throws=2, seed=5, factors={"number": (1, 2)},
        shard_size=1,
    )  # fmt: skip
    thrower = Thrower(StudyPlan.of(study))
    columns = thrower.throw(3)
    same(columns, throw_shard(study, 3))
    assert set(columns["throw"]) == {3}
    assert set(columns["trial"]) == {1}
    standing = columns["standing"].tolist()
    rolled = [columns["model"][k] for k, there in enumerate(standing) if not there]
    assert rolled == ["piggle", "d6"]
    assert standing.count(True) == (6 if kind == "knock" else 0)
    assert columns["die"].tolist() == list(range(len(standing)))
    assert np.ma.getmaskarray(columns["points"]).tolist()[:2] == [False, True]
    assert np.ma.getmaskarray(columns["knocked"]).tolist() == [not there for there in standing]
    for k, zone in enumerate(columns["zone"]):
        x, y = float(columns["x_mm"][k]), float(columns["y_mm"][k])
        on_board = max(abs(x), abs(y)) < 13 * 25.4 / 2 + 15
        assert on_board or zone == "off"
        assert (columns["orientation"][k] is None) == (zone == "off")
    if kind == "knock":
        # The other cell meets the same team in the same places.
        places, others = (
            list(zip(each["x_mm"].tolist(), each["y_mm"].tolist(), strict=True))
            for each in (columns, thrower.throw(2))
        )
        still = np.flatnonzero(np.ma.filled(columns["moved_mm"], -1) == 0.0)
        assert sum(places[k] in others for k in still) >= len(still) // 2 >= 1


def test_points_are_paid_for_snout_up_alone():
    study = Study(kind=ThrowKind.POUR, models=("piggle",), throws=6, seed=5, shard_size=6)
    columns = throw_shard(study, 0)
    paid = [
        ZONE_POINTS[Zone(zone)] if name == "Snout-Up" else 0
        for name, zone in zip(columns["orientation"], columns["zone"], strict=True)
    ]
    assert columns["points"].tolist() == paid
    # Dice that lie otherwise on zones that pay are among them.
    others = [
        ZONE_POINTS[Zone(zone)]
        for name, zone in zip(columns["orientation"], columns["zone"], strict=True)
        if name in {"Snout-Down", "On-Their-Head"}
    ]
    assert len(others) > 5
    assert min(others) > 0
    assert sum(paid) > 5


def test_a_worker_knows_beforehand_whether_it_would_make_the_same_bits(floor):
    job = Job.of(StudyPlan.of(small_study(floor)))
    assert ready(job) == ""
    assert "install the same versions everywhere" in ready(replace(job, digest="0"))
    elsewhere = replace(job.study, scene="nowhere.toml")
    # Jobs of one digest are the same for the cache of the process.
    assert "nowhere.toml" in ready(Job(study=elsewhere, digest="of another place"))


def test_throws_that_show_nothing_are_counted():
    columns = {"throw": [5, 5, 7], "orientation": [None] * 3, "standing": [False, False, True]}
    assert Counts.of(columns) == Counts(throws=3)
    # Standing dice do not count, whatever they show.
    assert Counts.of({**columns, "orientation": ["a", None, "a"]}) == Counts(
        throws=3, throws_shown=1, shown=1, shown_squares=1, hits={"a": (1, 1, 1)}
    )


def test_running_counts_give_the_same_shares_as_all_throws():
    rng = np.random.default_rng(4)
    for size, shares in ((6, (0.5, 0.4, 0.1)), (1, (0.9, 0.1, 0.0)), (6, (1.0, 0.0, 0.0))):
        names = np.array(["a", "b", "c"], dtype=object)
        throw = np.repeat(np.arange(50), size)
        seen = names[rng.choice(3, size=len(throw), p=shares)]
        seen[rng.random(len(throw)) < 0.1] = None
        columns = {"throw": throw + 7, "orientation": seen, "standing": np.zeros(len(throw), bool)}
        half = len(throw) // 2 // size * size
        first, rest = (
            {name: column[part] for name, column in columns.items()}
            for part in (slice(half), slice(half, None))
        )
        counts = Counts.of(first) + Counts.of(rest)
        assert counts == Counts.of(columns)
        trials = np.bincount(throw, weights=[name is not None for name in seen]).astype(np.int64)
        for name in counts.hits:
            hits = np.bincount(throw, weights=seen == name).astype(np.int64)
            assert counts.share(name, level=0.9) == share_of(hits, trials, level=0.9)
