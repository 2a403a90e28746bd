"""`python -m scripts.bench` as a person uses it."""

import json
from math import exp

import numpy as np
import pytest
from scipy.stats import binomtest
from typer.testing import CliRunner

from scripts import benchmarks
from scripts.bench import app
from scripts.verification import peers
from scripts.verification.medians import median_of


def run(*words):
    return CliRunner().invoke(app, words, prog_name="python -m scripts.bench")


@pytest.mark.slow
def test_bench_reports_intervals(monkeypatch):
    monkeypatch.setattr(benchmarks, "_BY_ODDS", 5)
    done = run("--only", "match", "--repeats", "2", "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    for figures in ("seconds", "classic", "modern"):
        found = document["match"][figures]
        assert 0.0 < found["low"] < found["mean"] < found["high"]


def test_estimate_is_that_of_a_sample_worked_by_hand():
    # Logarithms -1, 0 and 1 have deviation 1, and Student's t of two degrees of freedom is 4.3027.
    found = benchmarks.estimate([exp(-1.0), 1.0, exp(1.0)])
    assert found["mean"] == pytest.approx(1.0)
    assert found["high"] == pytest.approx(exp(4.3027 / 3**0.5), rel=1e-4)
    assert found["low"] == pytest.approx(exp(-4.3027 / 3**0.5), rel=1e-4)
    assert (found["level"], found["count"]) == (0.95, 3)


def test_bench_leaves_out_peers_that_are_not_installed(monkeypatch):
    monkeypatch.setattr(benchmarks, "_POURS", 1)
    for module in (benchmarks, peers):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    done = run("--only", "pour", "--engine", "bullet", "--repeats", "2", "--json")
    assert done.exit_code == 0, done.stderr
    missing = "not installed, so not compared: pybullet, mujoco, rapier3d, robox3d, culverin"
    assert done.stderr == f"pigglesim: {missing}\n"
    pour = json.loads(done.stdout)["pour"]
    assert pour["per_second"]["count"] == 2
    assert all(pour[f"vs_{peer}"] is None for peer in benchmarks.PEERS)


@pytest.mark.parametrize("count", [3, 9, 30])
def test_the_interval_of_a_median_covers_it_as_often_as_it_says(count):
    rng = np.random.default_rng(count)
    found = [median_of(values) for values in rng.exponential(size=(4000, count))]
    hits = sum(each.low <= np.log(2.0) <= each.high for each in found)
    # Exact for any distribution: (1 - 2 / 8) of three values, (1 - 20 / 512) of nine.
    level = {3: 0.75, 9: 1.0 - 20 / 512, 30: 0.95723}[count]
    assert found[0].level == pytest.approx(level, abs=1e-5)
    assert binomtest(hits, 4000, level).pvalue > 1e-4


@pytest.mark.slow
def test_bench_compares_pours_with_every_installed_peer(monkeypatch):
    monkeypatch.setattr(benchmarks, "_POURS", 1)
    monkeypatch.setattr(benchmarks, "_PEER_POURS", 1)
    done = run("--only", "pour", "--repeats", "2", "--json")
    assert done.exit_code == 0, done.stderr
    pour = json.loads(done.stdout)["pour"]
    # A pour of a peer takes much longer, but not for a fault such as bodies that never rest.
    installed = ["plain", "mujoco", *peers.installed()]
    assert all(1.0 < pour[f"vs_{peer}"]["mean"] < 200.0 for peer in installed)
