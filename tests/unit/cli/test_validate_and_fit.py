"""`pigglesim validate` and `pigglesim fit`, through the front door."""

import json
import math
import re
from types import SimpleNamespace

import pytest

from pigglesim.cli import validate
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import counted_dice, drops_for
from tests.support.front_door import run_here

DIE = """
name = "{name}"
box_mm = [12.0, 12.0, {height}]
{extra}

[[outcome]]
label = "square"
count = {square}
down = [[0, 0, 1], [0, 0, -1]]

[[outcome]]
label = "side"
count = {side}
down = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
"""


@pytest.fixture
def dice(tmp_path):
    for name, height, square, side, extra in (
        ("flat", 9.0, 60, 40, ""),
        ("cube", 12.0, 30, 70, ""),
        ("steel", 15.0, 10, 90, 'material = "steel"\ntrend_only = true'),
    ):
        place = tmp_path / "dice" / name
        place.mkdir(parents=True)
        text = DIE.format(name=name, height=height, square=square, side=side, extra=extra)
        (place / "die.toml").write_text(text)
    return tmp_path / "dice"


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "throws"), [("bullet", 300), ("mujoco", 100)])
def test_validate_names_each_body_and_what_it_was_dropped_on(dice, engine, throws):
    words = ["validate", dice, "--throws", throws, "--seed", "1", "--engine", engine, "--json"]
    document = json.loads(run_here(*words, "--workers", "1").stdout)
    assert [body["name"] for body in document["bodies"]] == ["cube", "flat", "steel"]
    cube, flat, steel = document["bodies"]
    for body in document["bodies"]:
        assert sum(share["value"] for share in body["predicted"]) == pytest.approx(1.0)
        assert body["unclassified"]["value"] == 0.0
        assert sum(body["endings"].values()) == body["throws"] == document["throws"] == throws
        for share in body["predicted"]:
            assert share["low"] <= share["value"] <= share["high"]
    # A cube shows a pair of faces a third of the time, momentum or none: 4 standard errors.
    error = math.sqrt(2 / 9 / throws)
    assert cube["predicted"][0]["value"] == pytest.approx(1 / 3, abs=4 * error)
    assert cube["quasi_static"]["predicted"] == pytest.approx([1 / 3, 2 / 3])
    assert cube["p"] > 0.001
    assert flat["predicted"][0]["value"] > 1 / 3 > steel["predicted"][0]["value"]
    assert (steel["trend_only"], steel["material"]) == (True, "steel")
    assert document["deficit_sum"] == pytest.approx(cube["deficit"] + flat["deficit"])
    surfaces = document["parameters"]["surfaces"]
    assert set(surfaces) == {"printed", "steel"}
    assert surfaces["printed"]["rolling_lever_m"] > 0.0


@pytest.fixture
def cube(tmp_path):
    place = tmp_path / "cube"
    place.mkdir()

    def counted(square, side):
        text = DIE.format(name="cube", height=12.0, square=square, side=side, extra="")
        (place / "die.toml").write_text(text)
        return place

    return counted


def test_fewer_drops_than_counted_throws_make_p_weak_and_are_reported(cube):
    words = ["validate", cube(300, 601), "--seed", 1, "--workers", 1, "--throws"]
    sentence = "p is weak, with fewer drops than counted throws: cube (250 for 901)"
    assert run_here(*words, 250).stdout.splitlines()[0].startswith(sentence)
    assert json.loads(run_here(*words, 250, "--json").stdout)["weak_p"] == sentence
    assert json.loads(run_here(*words, 901, "--json").stdout)["weak_p"] is None


def test_by_default_a_body_has_ten_times_as_many_drops_as_counted_throws(cube):
    for counts, drops in (((300, 600), 20_000), ((3000, 6000), 90_000)):
        assert drops_for(counted_dice(cube(*counts))) == drops


@pytest.mark.slow
def test_a_fit_goes_on_where_it_was_and_reports_what_it_cannot_know(dice, tmp_path):
    out = tmp_path / "fit"
    words = ["fit", dice, "--out", out, "--drops", "100", "--throws", "100", "--workers", "1"]
    first = json.loads(run_here(*words, "--points", "64", "--json").stdout)
    floors = out / "floors.jsonl"
    whole = floors.read_bytes()
    assert whole.count(b"\n") == 64
    # Cut short within the last line: that floor is tried again, to the same drops.
    floors.write_bytes(whole[:-7])
    two = [*words[:-1], "2", "--points", "64", "--json"]
    again = json.loads(run_here(*two).stdout)
    assert (again, floors.read_bytes()) == (first, whole)
    assert [row["name"] for row in first["left_out"]] == ["cube", "flat"]
    for row in first["parameters"]:
        low, high = row["range"]
        assert low <= row["low"] <= row["mean"] <= row["high"] <= high
    assert {row["body"] for row in first["sensitivity"]} == {"cube", "flat"}
    assert first["weak_p"] is None
    few = [*words, "--points", "64"]
    for path in dice.glob("*/die.toml"):
        path.write_text(path.read_text().replace("count = 60", "count = 6000"))
    few[few.index("--out") + 1] = tmp_path / "again"
    weak = json.loads(run_here(*few, "--json").stdout)["weak_p"]
    assert re.fullmatch(r"p is weak, .*: flat \([0-9,]+ for 6,0[0-9]+\)", weak), weak
    for path in dice.glob("*/die.toml"):
        path.write_text(path.read_text().replace("count = 6000", "count = 60"))
    with pytest.raises(RecordError, match="the same flags and files, or another --out"):
        run_here("fit", dice, "--out", out, "--drops", "200")
    shown = run_here(*words, "--points", "64").stdout
    assert "rolling lever" in shown
    over = ["validate", dice / "cube", "--floor", out, "--throws", "2000", "--workers", "1"]
    (body,) = json.loads(run_here(*over, "--json").stdout)["bodies"]
    (alone,) = json.loads(run_here("validate", dice / "cube", "--throws", "2000", "--json").stdout)[
        "bodies"
    ]
    # What is not known of floor and law widens the intervals.
    width = [share["high"] - share["low"] for share in body["predicted"]]
    assert min(width) > max(share["high"] - share["low"] for share in alone["predicted"])
    assert sum(share["value"] for share in body["predicted"]) == pytest.approx(1.0)
    assert body["budget"]["model"] > body["budget"]["counting"] > 0.0
    text = run_here(*over).stdout
    assert "± 1 sd" in text and "floors of a fit" in text
    assert "left out" in shown


@pytest.fixture
def followed(dice, monkeypatch):
    """Add tracked throws to the dice; return the list of calls that follow them."""
    calls = []

    found = {"stopped": False, "unfinished": None, "tosses": [{"name": "cube", "score": 0.5}]}

    def follow(folder, **settings):
        calls.append(settings)
        return SimpleNamespace(document=lambda: dict(found))

    (dice / "toss.toml").write_text("")
    monkeypatch.setattr(validate, "validate_tracked", follow)
    monkeypatch.setattr(validate, "show_throws", lambda _: print("cube"))
    return calls


@pytest.mark.parametrize(
    ("words", "fault", "idle"),
    [
        (("--floor", "nonsense"), "unknown floor 'nonsense'", "--floor has no effect: no die.toml"),
        (("--kind", "nonsense"), "'nonsense'", "--kind has no effect: no die.toml"),
    ],
)
@pytest.mark.parametrize("counted", [True, False])
def test_flags_are_checked_before_tracked_throws_are_followed(
    dice, followed, words, fault, idle, counted
):
    if not counted:
        fault = idle
        for file in dice.glob("*/die.toml"):
            file.unlink()
        with pytest.raises(SpecError, match=fault):
            run_here("fit", dice, "--out", dice / "fit.toml", *words)
    with pytest.raises(SpecError, match=fault):
        run_here("validate", dice, *words)
    assert not followed


def test_a_faulty_die_is_found_before_tracked_throws_are_followed(dice, followed):
    (dice / "cube" / "die.toml").write_text("name = 3")
    with pytest.raises(SpecError, match=r"cube/die\.toml"):
        run_here("validate", dice)
    assert not followed


@pytest.mark.parametrize("late", [False, True])
def test_tracked_throws_are_shown_if_the_drops_are_stopped(dice, followed, monkeypatch, late):
    def stop(*_found, **_settings):
        raise KeyboardInterrupt

    # Before the first body has drops on every floor, or while the bodies are compared.
    monkeypatch.setattr(validate, "ignore_interrupts", lambda: None)
    monkeypatch.setattr("pigglesim.cli.progress.ignore_interrupts", lambda: None)
    place = "Floors.judged" if late else "drop_all"
    monkeypatch.setattr(f"pigglesim.api.counts.{place}", stop if late else lambda *_, **__: [])
    words = ["validate", dice, "--throws", 100, "--seed", 1, "--workers", 1]
    ended = run_here(*words)
    assert (ended.exit_code, ended.stdout.splitlines()[-1]) == (130, "cube")
    document = json.loads(run_here(*words, "--json").stdout)
    assert document["tosses"] == [{"name": "cube", "score": 0.5}]
    assert document["stopped"] and re.fullmatch(
        f"unfinished: {300 if late else 0} of 300 drops", document["unfinished"]
    )
    assert len(followed) == 2
