"""`pigglesim study` as a person uses it."""

import json
import os
import signal
import time

import pytest
from typer.testing import CliRunner

from pigglesim.cli.app import app
from pigglesim.errors import RecordError
from pigglesim.experiments.store import open_throws
from tests.front_door import start
from tests.small_studies import low_floor, small, throws_of
from tests.small_studies import run_study as run


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    low_floor(tmp_path)


def shares(document):
    """Return the shares of each cell, by orientation."""
    return [
        dict(zip(cell["orientations"], cell["shares"], strict=True))
        for cell in document["answers"]["cells"]
    ]


def answer(folder):
    with open_throws(folder) as connection:
        return throws_of(connection)


@pytest.mark.slow
def test_a_study_is_run_kept_shown_and_asked(tmp_path):
    words = small("--out", "drops")
    first = json.loads(run(*words, "--json").stdout)
    assert (first["throws"], first["shards_made"], first["stopped"]) == (1200, 6, False)
    cells = first["answers"]["cells"]
    assert [cell["factors"] for cell in cells] == [{"friction": 0.2}, {"friction": 0.5}]
    for own in shares(first):
        assert list(own) == list("123456")
        assert sum(share["value"] for share in own.values()) == pytest.approx(1.0)
        for share in own.values():
            assert share["low"] <= share["value"] <= share["high"]
    assert {each["factor"] for each in first["answers"]["contrasts"]} == {"friction"}
    assert first["report"] is None
    # The same command again finds everything done; so does the folder alone.
    for again in (
        words,
        ["--out", "drops", "--no-report"],
        small("--out", "drops")[:6] + words[4:],
    ):
        second = json.loads(run(*again, "--json").stdout)
        assert (second["shards_made"], second["shards_kept"]) == (0, 6)
        assert second["answers"] == first["answers"]
    shown = run(*words).stdout
    for told in ("friction", "0.2", "600", "1,200 throws", "seed 3", "nothing was left to do"):
        assert told in shown
    told = json.loads(run("show", "drops", "--json").stdout)
    assert (told["shards_done"], told["shards_at_most"], told["throws_done"]) == (6, 6, 1200)
    assert told["digest"] == first["digest"]
    assert "1,200 of 1,200 throws" in run("show", "drops").stdout
    question = "SELECT friction, count(*) AS n FROM throws GROUP BY ALL ORDER BY 1"
    rows = json.loads(run("query", "drops", question, "--json").stdout)
    assert rows == [{"friction": 0.2, "n": 600}, {"friction": 0.5, "n": 600}]
    shown = run("query", "drops", question).stdout.split()
    assert shown == ["friction", "n", "0.2", "600", "0.5", "600"]
    assert json.loads(run("query", "drops", "SELECT 1 WHERE false", "--json").stdout) == []
    long = run("query", "drops", "SELECT throw, 'NaN'::DOUBLE AS x FROM throws").stdout
    assert "--json for all" in long
    assert len(long.splitlines()) == 102
    assert len(json.loads(run("query", "drops", "FROM throws", "--json").stdout)) == 1200


def test_a_file_says_the_same_as_flags_and_flags_go_before_it(tmp_path):
    (tmp_path / "study.toml").write_text(
        'models = ["d6"]\nscene = "low.toml"\nthrows = 250\nseed = 3\nshard_size = 250\n'
        "[factors]\nfriction = [0.2, 0.5]\n"
    )
    digests = [
        json.loads(run(*words, "--json").stdout)["digest"]
        for words in (
            ["study.toml", "--workers", 1, "--no-report"],
            small(throws=250),
            ["study.toml", "--seed", 4, "--workers", 1, "--no-report"],
        )
    ]
    assert digests[0] == digests[1] != digests[2]


def test_a_precision_is_asked_for_with_flags():
    words = ["--model", "d6", "--scene", "low.toml", "--half-width", ".04", "--level", ".9"]
    words += ["--seed", 3, "--out", "sure", "--workers", 1, "--json", "--no-report"]
    document = json.loads(run(*words).stdout)
    (own,) = shares(document)
    assert (document["answers"]["level"], document["reached"]) == (0.9, True)
    assert all(one["high"] - one["low"] <= 0.08 for one in own.values())
    assert json.loads(run(*words).stdout)["answers"] == document["answers"]
    words = ["--model", "d6", "--scene", "low.toml", "--half-width", ".01", "--max-throws", 250]
    shown = run(*words, "--seed", 3, "--out", "unsure", "--workers", 1, "--no-report").stdout
    assert "the precision was not reached" in shown


def test_a_seed_that_is_not_given_is_that_of_the_folder():
    words = ["--workers", 1, "--model", "d6", "--scene", "low.toml", "--throws", 250, "--json"]
    words += ["--out", "any", "--no-report"]
    first = json.loads(run(*words).stdout)
    again = json.loads(run(*words).stdout)
    assert (again["study"], again["shards_made"]) == (first["study"], 0)


def test_a_drop_takes_models_with_commas_as_levels():
    words = ["--workers", 1, "--model", "d6,piggle", "--scene", "low.toml", "--throws", 250]
    words += ["--seed", 1, "--json", "--no-report"]
    document = json.loads(run(*words).stdout)
    cells = document["answers"]["cells"]
    assert [cell["factors"]["models"] for cell in cells] == ["d6", "piggle"]
    rules = ["Snout-Up", "Snout-Down", "On-Their-Head"]
    assert [name for name in shares(document)[1] if not name.isdigit()] == rules


def wait_for_shards(folder, count, process):
    until = time.monotonic() + 120
    while len(list(folder.glob("shards/*.parquet"))) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "shards"), [(1, 4), (2, 2)])
def test_killed_at_any_moment_it_goes_on_to_the_same_answer(tmp_path, workers, shards):
    words = small("--workers", workers, "--quiet", throws=1000)
    run(*words[:-3], "--quiet", "--out", "whole")
    process = start("study", *words, "--out", "torn")
    wait_for_shards(tmp_path / "torn", shards, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    rows = answer(tmp_path / "torn")
    assert len(rows) == len({row[0] for row in rows}) < 2000
    # Workers of the dead parent may still be at their last shard: they hold nothing.
    run(*words, "--out", "torn")
    assert answer(tmp_path / "torn") == answer(tmp_path / "whole")
    for path in (tmp_path / "whole" / "shards").iterdir():
        assert (tmp_path / "torn" / "shards" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path):
    process = start("study", *small("--workers", 2, "--out", "some", throws=100_000), "--json")
    wait_for_shards(tmp_path / "some", 2, process)
    for _ in range(3):
        # As a terminal does: to the whole group, and pressed again.
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.1)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "to resume: pigglesim study --out some" in err
    assert "Traceback" not in err
    document = json.loads(out)
    assert document["stopped"]
    assert document["throws"] == len(answer(tmp_path / "some")) >= 500


def test_a_shard_that_cannot_be_made_is_told_at_the_end(monkeypatch):
    from pigglesim.api import study as module

    def unlucky(job, number):
        if number == 4:
            raise RecordError("bad luck", fix="try again")
        return whole(job, number)

    whole = module.make_shard
    monkeypatch.setattr(module, "make_shard", unlucky)
    words = ["study", *map(str, small("--out", "most"))]
    found = CliRunner().invoke(app, words, catch_exceptions=False)
    assert found.exit_code == 1
    assert "shard 4 was given up: " in found.stderr
    assert "bad luck" in found.stderr
    assert "1,100 throws" in found.stdout
