"""`pigglesim study` as a person uses it, and what it makes of a folder afterwards."""

import csv
import json
import os
import re
import signal
import time
from collections import Counter
from pathlib import Path
from shutil import copytree

import pytest
from typer.testing import CliRunner

import pigglesim.api.study
from pigglesim.chance.odds import load_odds
from pigglesim.cli.app import app
from pigglesim.errors import PigglesimError, RecordError
from pigglesim.experiments.factors import ThrowKind, factors_of
from pigglesim.experiments.study import Study
from tests.support.front_door import run_here, start
from tests.support.small_studies import low_floor, small, throws_in
from tests.support.small_studies import run_study as run
from tests.support.waiting import wait_for


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


@pytest.mark.slow
def test_a_study_is_run_saved_shown_and_queried(tmp_path):
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
        small("--workers", 2, "--out", "drops"),
    ):
        second = json.loads(run(*again, "--json").stdout)
        assert (second["shards_made"], second["shards_kept"]) == (0, 6)
        assert second["answers"] == first["answers"]
    shown = run(*words).stdout
    # Each difference shows what its pairing gained, and nothing claims that it gained anything.
    ratios = [each["width_ratio"] for each in first["answers"]["contrasts"]]
    assert all(0.0 < ratio < 2.0 for ratio in ratios)
    for ratio in ratios:
        assert f" ({ratio:.2f})" in shown
    assert "cancels" not in shown
    for part in ("friction", "0.2", "600", "1,200 throws", "seed 3", "nothing was left to do"):
        assert part in shown
    document = json.loads(run("show", "drops", "--json").stdout)
    assert (document["shards_done"], document["shards_at_most"], document["throws_done"]) == (
        6,
        6,
        1200,
    )
    assert document["digest"] == first["digest"]
    assert "1,200 of 1,200 throws" in run("show", "drops").stdout
    question = "SELECT friction, count(*) AS n FROM throws GROUP BY ALL ORDER BY 1"
    answered = json.loads(run("query", "drops", question, "--json").stdout)
    assert answered["unfinished"] is None
    assert answered["rows"] == [{"friction": 0.2, "n": 600}, {"friction": 0.5, "n": 600}]
    shown = run("query", "drops", question).stdout.split()
    assert shown == ["friction", "n", "0.2", "600", "0.5", "600"]
    assert json.loads(run("query", "drops", "SELECT 1 WHERE false", "--json").stdout)["rows"] == []
    long = run("query", "drops", "SELECT throw, 'NaN'::DOUBLE AS x FROM throws").stdout
    assert "--json for all" in long
    assert len(long.splitlines()) == 102
    assert len(json.loads(run("query", "drops", "FROM throws", "--json").stdout)["rows"]) == 1200
    done = run("query", "drops", "SELECT friction, NULL AS x, 'a,\"b' AS y FROM throws",
               "--csv", tmp_path / "all.csv", "--json")  # fmt: skip
    written = {"unfinished": None, "csv": str(tmp_path / "all.csv"), "rows": 1200}
    assert json.loads(done.stdout) == written
    with (tmp_path / "all.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1200
    assert rows[0] == {"friction": rows[0]["friction"], "x": "", "y": 'a,"b'}
    with pytest.raises(PigglesimError, match="DuckDB cannot answer"):
        run("query", "drops", "SELECT nothing", "--csv", tmp_path / "none.csv")
    assert not (tmp_path / "none.csv").exists()


def test_the_definition_of_a_study_is_checked_once_on_the_way_to_its_results(monkeypatch):
    checks = Counter()

    def count(home, name):
        check = getattr(home, name)

        def counted(*arguments, **words):
            checks[name] += 1
            return check(*arguments, **words)

        monkeypatch.setattr(home, name, counted)

    count(Study, "__post_init__")
    count(pigglesim.api.study, "checked_table")
    result = json.loads(run(*small("--out", "drops"), "--json").stdout)
    assert result["shards_made"] == 6
    assert checks == {"__post_init__": 1, "checked_table": 1}


def test_all_factors_are_listed_with_units_and_kinds():
    document = json.loads(run_here("study", "factors", "--json").stdout)
    by_name = {entry["name"]: entry for entry in document["factors"]}
    assert {*by_name} == {name for kind in ThrowKind for name in factors_of(kind)}
    assert by_name["height_mm"]["kinds"] == ["drop", "flip", "roll", "tower"]
    assert (by_name["friction"]["unit"], by_name["friction"]["high"]) == (None, 5.0)
    shown = run_here("study", "factors", "--kind", "knock").stdout
    assert "standing" in shown and "height_mm" not in shown


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


def test_floors_are_compared_with_the_interval_of_their_difference(tmp_path):
    text = (tmp_path / "low.toml").read_text()
    (tmp_path / "high.toml").write_text(text.replace("height_mm = 2.0", "height_mm = 40.0"))
    words = ["--model", "piggle", "--factor", "floor=low.toml,high.toml", "--throws", 250]
    words += ["--seed", 3, "--workers", 1, "--out", "floors"]
    document = json.loads(run(*words, "--json", "--no-report").stdout)
    cells = document["answers"]["cells"]
    assert [cell["factors"] for cell in cells] == [{"floor": "low.toml"}, {"floor": "high.toml"}]
    contrasts = document["answers"]["contrasts"]
    assert {each["factor"] for each in contrasts} == {"floor"}
    for each in contrasts:
        assert (
            each["difference"]["low"] <= each["difference"]["value"] <= each["difference"]["high"]
        )
    assert "high.toml - low.toml" in run(*words).stdout
    assert "Drops of piggle on low, high</h1>" in (tmp_path / "floors" / "report.html").read_text()
    (tmp_path / "high.toml").write_text(text)
    with pytest.raises(RecordError, match=r"scenes high\.toml has changed"):
        run(*words)


UNFINISHED = "unfinished: 950 of 1,200 throws"


def test_every_result_of_an_unfinished_study_says_so_first(tmp_path):
    run(*small("--out", "drops"))
    assert "unfinished" not in run("show", "drops").stdout
    (tmp_path / "drops" / "shards" / "000003.parquet").unlink()
    question = "SELECT count(*) AS n FROM throws"
    for words in (["show", "drops"], ["query", "drops", question], ["report", "drops"]):
        assert run(*words).stdout.splitlines()[0] == UNFINISHED, words
        assert json.loads(run(*words, "--json").stdout)["unfinished"] == UNFINISHED, words
    assert json.loads(run("query", "drops", question, "--json").stdout)["rows"] == [{"n": 950}]
    folder = tmp_path / "drops"
    with pytest.raises(PigglesimError, match=rf"{UNFINISHED}.*study --out drops.*--partial"):
        run("odds", "drops", "--out", "odds.json")
    assert not (tmp_path / "odds.json").exists()
    assert f"Drops of d6 on low ({UNFINISHED})</h1>" in (folder / "report.html").read_text()
    pictures = sorted((folder / "pictures").glob("*.svg"))
    unfinished = [path.read_bytes() for path in pictures]
    run(*small("--out", "drops"))
    assert "unfinished" not in run("report", "drops").stdout
    assert "unfinished" not in (folder / "report.html").read_text()
    assert all(path.read_bytes() != was for path, was in zip(pictures, unfinished, strict=True))


def test_a_precision_is_set_with_flags():
    words = ["--model", "d6", "--scene", "low.toml", "--half-width", ".02", "--level", ".9"]
    words += ["--seed", 3, "--out", "sure", "--workers", 1, "--json", "--no-report"]
    document = json.loads(run(*words).stdout)
    (own,) = shares(document)
    assert (document["answers"]["level"], document["reached"]) == (0.9, True)
    assert all(one["high"] - one["low"] <= 0.04 for one in own.values())
    again = run(*words)
    assert json.loads(again.stdout)["answers"] == document["answers"]
    assert "throws" not in again.stderr, "a finished study shows progress"
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
    def are_there():
        assert process.poll() is None, process.communicate()
        return len(list(folder.glob("shards/*.parquet"))) >= count

    wait_for(are_there)


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "shards"), [(1, 4), (2, 2)])
def test_killed_at_any_moment_it_goes_on_to_the_same_answer(tmp_path, workers, shards):
    words = small("--workers", workers, "--quiet", throws=1000)
    run(*words[:-3], "--quiet", "--out", "whole")
    process = start("study", *words, "--out", "torn")
    wait_for_shards(tmp_path / "torn", shards, process)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    rows = throws_in(tmp_path / "torn")
    assert len(rows) == len({row[0] for row in rows}) < 2000
    # Workers of the dead parent may still be at their last shard: they hold nothing.
    run(*words, "--out", "torn")
    assert throws_in(tmp_path / "torn") == throws_in(tmp_path / "whole")
    for path in (tmp_path / "whole" / "shards").iterdir():
        assert (tmp_path / "torn" / "shards" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_ctrl_c_saves_what_is_finished_and_says_how_to_go_on(tmp_path):
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
    assert document["throws"] == len(throws_in(tmp_path / "some")) >= 500


def test_a_shard_that_cannot_be_made_is_reported_at_the_end(monkeypatch):
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


@pytest.mark.slow
def test_a_report_is_written_at_the_end_and_made_again(tmp_path):
    words = [word for word in small("--out", "drops", throws=250) if word != "--no-report"]
    assert "report: drops/report.html" in run(*words).stdout
    page = (tmp_path / "drops" / "report.html").read_bytes()
    pictures = {path.name for path in (tmp_path / "drops" / "pictures").iterdir()}
    assert {"shares.png", "shares.svg", "directions-d6.png", "levels-friction.png"} <= pictures
    assert b"Drops of d6 on low" in page
    shown = run("report", "drops").stdout
    assert "500 throws, finished" in shown
    assert (tmp_path / "drops" / "report.html").read_bytes() == page
    # One that is not finished says so; what is no longer as it was is left out.
    (tmp_path / "drops" / "shards" / "000001.parquet").unlink()
    with (tmp_path / "low.toml").open("a") as file:
        file.write("# another\n")
    document = json.loads(run("report", "drops", "--json").stdout)
    assert (document["finished"], document["throws"]) == (False, 250)
    assert len(document["notes"]) == 1
    assert "(unfinished: 250 of 500 throws)" in (tmp_path / "drops" / "report.html").read_text()


def test_a_report_names_a_torn_shard_and_an_empty_folder(tmp_path):
    run(*small("--out", "drops"))
    path = tmp_path / "drops" / "shards" / "000003.parquet"
    whole = path.read_bytes()
    for torn in (b"", whole[:-9], whole[:200] + bytes(60) + whole[260:]):
        path.write_bytes(torn)
        with pytest.raises(PigglesimError, match="study repair drops"):
            run("report", "drops")
    for path in (tmp_path / "drops" / "shards").iterdir():
        path.unlink()
    with pytest.raises(PigglesimError, match="run the study first"):
        run("report", "drops")


@pytest.mark.slow
def test_ballasts_have_their_own_exact_shares_and_no_common_sphere(tmp_path):
    words = ["--model", "premium", "--scene", "low.toml", "--throws", 250, "--seed", 1]
    run(*words, "--factor", "ballast_g=1,3", "--out", "heavy", "--workers", 1)
    assert not list((tmp_path / "heavy" / "pictures").glob("directions*"))
    page = (tmp_path / "heavy" / "report.html").read_text()
    rows = re.findall(r"Snout-Up</t[hd]>(.*?)</tr>", page, re.DOTALL)
    exact = {re.findall(r"\b0\.\d{4}\b", row)[-1] for row in rows[:2]}
    assert len(exact) == 2


@pytest.fixture(scope="module")
def poured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("poured")
    words = ["--throws", "3", "--seed", "1", "--workers", "1", "--no-report", "--quiet"]
    for kind, factors in (("pour", ["number=1,2"]), ("knock", ["number=2,6", "standing=2,6"])):
        given = [word for each in factors for word in ("--factor", each)]
        run("--kind", kind, *given, *words, "--out", folder / kind)
    return folder


@pytest.mark.slow
def test_odds_of_pours_and_knocks_play_a_match(poured):
    words = ["odds", poured / "pour", poured / "knock", "--out", "odds.json"]
    document = json.loads(run(*words, "--json").stdout)
    assert document["model"] == "piggle"
    cups = {(each["thrown"], each["standing"]) for each in document["departures"]}
    assert cups == {(1, 0), (2, 0), (2, 2), (2, 6), (6, 2), (6, 6)}
    words.append("--force")
    assert "by noise alone" in run(*words).stdout
    table = load_odds("odds.json")
    assert set(table.knocks.rates) == {(2, 2), (2, 6), (6, 2), (6, 6)}
    assert table.thrown[2].throws == 9
    play = ["match", "--chance", "tabular", "--odds", "odds.json", "--seed", "1", "--no-boards"]
    found = run_here(*play)
    assert found.exit_code == 0
    assert "They differ most from physics in" in " ".join(found.stdout.split())
    for wrong, remedy in (
        ([*words, "--model", "premium"], "piggle"),
        (["odds", poured / "pour", "--out", "x"], "x.json"),
    ):
        with pytest.raises(PigglesimError, match=remedy):
            run(*wrong)
    part = Path(copytree(poured / "pour", "part"))
    (part / "shards" / "000001.parquet").unlink()
    words = ["odds", part, "--out", "part.json"]
    with pytest.raises(PigglesimError, match="unfinished: 5 of 6 throws"):
        run(*words)
    assert run(*words, "--partial").stdout.startswith("unfinished: 5 of 6 throws of part\n")
    assert load_odds("part.json").source["studies"][0]["unfinished"] == "unfinished: 5 of 6 throws"
