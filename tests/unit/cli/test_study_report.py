"""What `pigglesim study` makes of a folder afterwards: reports and odds."""

import json
import re

import pytest

from pigglesim.chance.odds import load_odds
from pigglesim.errors import PigglesimError
from tests.front_door import run_here
from tests.small_studies import low_floor, small
from tests.small_studies import run_study as run


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    low_floor(tmp_path)


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
    told = json.loads(run("report", "drops", "--json").stdout)
    assert (told["finished"], told["throws"]) == (False, 250)
    assert len(told["notes"]) == 1
    assert "(unfinished)" in (tmp_path / "drops" / "report.html").read_text()


def test_a_report_tells_a_torn_shard_and_an_empty_folder(tmp_path):
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
    told = json.loads(run(*words, "--json").stdout)
    assert told["model"] == "piggle"
    cups = {(each["thrown"], each["standing"]) for each in told["departures"]}
    assert cups == {(1, 0), (2, 0), (2, 2), (2, 6), (6, 2), (6, 6)}
    words.append("--force")
    assert "by noise alone" in run(*words).stdout
    table = load_odds("odds.json")
    assert set(table.knocks.rates) == {(2, 2), (2, 6), (6, 2), (6, 6)}
    assert table.thrown[2].throws == 9
    play = ["match", "--chance", "tabular", "--odds", "odds.json", "--seed", "1", "--no-boards"]
    found = run_here(*play)
    assert found.exit_code == 0
    assert "knocks a pour, 6 onto 6:" in found.stdout
    for wrong, remedy in ((["--model", "premium"], "piggle"), (["--out", "x"], "x.json")):
        with pytest.raises(PigglesimError, match=remedy):
            run(*words, *wrong)
