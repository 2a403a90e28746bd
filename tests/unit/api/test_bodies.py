"""Bodies in Python: counted, fitted, designed and printed, and what their verbs print of them."""

import json
import re

import numpy as np
import pytest

import pigglesim
from pigglesim.api import compare, counts
from pigglesim.errors import PigglesimError
from tests.support.front_door import run_here
from tests.unit.bodies import scans

DIE = """
name = "{name}"
box_mm = [12.0, 12.0, {height}]

[[outcome]]
label = "square"
count = 30
down = [[0, 0, 1], [0, 0, -1]]

[[outcome]]
label = "side"
count = 70
down = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
"""


@pytest.fixture
def dice(tmp_path):
    for name, height in (("cube", 12.0), ("flat", 10.0)):
        (tmp_path / "dice" / name).mkdir(parents=True)
        text = DIE.format(name=name, height=height)
        (tmp_path / "dice" / name / "die.toml").write_text(text)
    return tmp_path / "dice"


def test_a_validation_is_what_its_verb_prints(dice):
    seen = []
    found = pigglesim.validate(
        dice, throws=200, seed=1, progress=lambda *numbers: seen.append(numbers)
    )
    assert (seen[-1], found.finished, found.unfinished) == ((400, 400), True, "")
    assert re.fullmatch(r"Validation\(cube p 0.\d+, flat p 0.\d+; tabletop; seed 1\)", repr(found))
    words = ["validate", dice, "--throws", 200, "--seed", 1, "--workers", 1, "--json"]
    assert json.loads(found.to_json()).items() <= json.loads(run_here(*words).stdout).items()


def test_a_stopped_validation_has_the_bodies_so_far(dice):
    def stop(*_numbers):
        raise KeyboardInterrupt

    found = pigglesim.validate(dice, throws=200, seed=1, progress=stop)
    assert ([each.die.name for each in found.bodies], found.finished) == (["cube"], False)
    assert found.document()["unfinished"] == "unfinished: 200 of 400 drops"


def test_a_validation_stopped_before_its_first_body_has_none(dice, monkeypatch):
    def stop(*_numbers):
        raise KeyboardInterrupt

    monkeypatch.setattr(counts.Floors, "weights", np.full(2, 0.5))
    found = pigglesim.validate(dice, throws=200, seed=1, progress=stop)
    assert (found.bodies, found.sealed, found.finished) == ((), (), False)
    assert found.document()["unfinished"] == "unfinished: 200 of 400 drops"
    assert found.document()["bodies"] == []


def test_numbers_of_numpy_are_numbers(dice, tmp_path):
    found = pigglesim.validate(dice, throws=np.int64(100), seed=np.int64(1))
    assert json.loads(found.to_json())["throws"] == 100
    tested = pigglesim.compare_counts(np.array([18, 25]), np.array([1.0, 2.0]))
    assert repr(tested.counts) == "(18, 25)"
    with pytest.raises(pigglesim.PigglesimError, match=r"invalid share '6=2\.0' in --target"):
        pigglesim.design("d6", {"6": np.float64(2.0)}, out=tmp_path / "out")


def test_a_fit_goes_on_from_its_folder_and_is_a_floor(dice, tmp_path):
    few = {"out": tmp_path / "fit", "points": 64, "drops": 100, "throws": 100}

    def stop(done, _wanted):
        if done >= 5000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pigglesim.fit(dice, **few, progress=stop)
    seen = []
    found = pigglesim.fit(dice, **few, progress=lambda *numbers: seen.append(numbers))
    assert (seen[0], seen[-1]) == ((5000, 13_000), (13_000, 13_000))
    document = found.document()
    assert [row["name"] for row in document["left_out"]] == ["cube", "flat"]
    assert document["left_out"][0]["at"].keys() == document["best"].keys()
    known = pigglesim.validate(dice, throws=200, floor=str(tmp_path / "fit"), seed=1)
    assert known.document()["fit"]["floors"] and known.bodies[0].budget is not None


def test_pours_are_compared_at_levels_of_any_factor():
    found = pigglesim.compare_pours("friction", [0.2, 0.4], pours=2, knock_pours=1, seed=1)
    document = found.document()
    assert (document["labels"], document["pours"]) == (["0.2", "0.4"], [2, 2])
    assert (found.pours, found.wanted, found.finished) == (6, 6, True)
    again = pigglesim.compare_pours("time_step", ["2ms", "1ms"], pours=2, knock_pours=0, seed=1)
    assert (again.factor, again.comparison.labels) == ("time_step_ms", ("2 ms", "1 ms"))


def test_pours_stopped_before_the_first_knock_are_compared(monkeypatch):
    made = compare.study

    def stopped_at_knocks(kind, **settings):
        if kind == "knock":
            raise KeyboardInterrupt
        return made(kind, **settings)

    monkeypatch.setattr(compare, "study", stopped_at_knocks)
    found = pigglesim.compare_pours("friction", [0.2, 0.4], pours=2, knock_pours=1, seed=1)
    assert (found.unfinished, found.comparison.pours) == ("unfinished: 4 of 6 pours", (2, 2))


def of_print(**settings):
    return lambda out: pigglesim.print_model("d6", size=20.0, out=out, **settings)


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda out: pigglesim.design("d6", "6=.2", out=out, material="gold"), "material 'gold'"),
        (lambda out: pigglesim.design("d6", {"6": 2.0}, out=out), "invalid share '6=2.0'"),
        (lambda out: pigglesim.print_model("d6", size=1.0, out=out), "a print of 1 mm"),
        (lambda out: pigglesim.design("d6", "6=.2", out=out, drops=0, check=0), "invalid drops 0"),
        (lambda out: pigglesim.design("d6", "6=.2", out=out, check=0), "invalid check 0"),
        (lambda out: pigglesim.design("d6", "6=.2", out=out, within=-1.0), "invalid within -1.0"),
        (of_print(drops=0), "invalid drops 0 .*; use drops=1000"),
        (of_print(drops=-1), "invalid drops -1"),
        (of_print(floors=[]), "no floor is named"),
        (of_print(infill=1.5), r"invalid infill 1.5 \(expected 0 to 1\); use infill=1"),
        (of_print(infill=float("nan")), "invalid infill nan"),
        (of_print(infill=0.5, walls=-1), "invalid walls -1"),
        (of_print(infill=0.5, covers=101), "invalid covers 101"),
        (lambda _: pigglesim.validate("dice", throws=-5), "invalid throws -5"),
        (lambda _: pigglesim.validate("dice", throws=0), "invalid throws 0"),
        (lambda out: pigglesim.fit("dice", out=out, drops=0), "invalid drops 0"),
        (lambda out: pigglesim.fit("dice", out=out, points=63), "invalid points 63"),
        (lambda out: pigglesim.fit("dice", out=out, throws=0), "invalid throws 0"),
        (lambda out: pigglesim.validate(out, kind="pour"), "kind of throw of a single die 'pour'"),
        (lambda _: pigglesim.compare_pours("friction", [0.2], pours=1), "invalid pours 1"),
        (
            lambda _: pigglesim.compare_pours("friction", [0.2], pours=2, knock_pours=-1),
            "invalid knock_pours -1",
        ),
        (lambda _: pigglesim.solve(20, ending="draw"), "ending 'draw'"),
        (lambda _: pigglesim.solve(20, variant="four-dice"), "variant 'four-dice'"),
        (lambda _: pigglesim.compare_counts([1, 2], level=1.0), "invalid level 1"),
        (lambda _: pigglesim.compare_counts([-1, 5]), "invalid count -1"),
        (lambda _: pigglesim.compare_counts([1.5, 5]), "invalid count 1.5"),
        (lambda _: pigglesim.compare_counts([10**30, 5]), "invalid count 10+ "),
        (lambda _: pigglesim.compare_counts([1, 5], [1.0, float("inf")]), "invalid share inf"),
        (lambda _: pigglesim.compare_counts([1, 5], ["a", 1.0]), "invalid share 'a'"),
    ],
)
def test_wrong_arguments_are_refused_and_nothing_written(call, fault, dice, tmp_path, monkeypatch):
    monkeypatch.chdir(dice.parent)
    with pytest.raises(pigglesim.PigglesimError, match=fault):
        call(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_solution_and_a_test_of_counts_are_those_of_their_verbs():
    solved = pigglesim.solve(12, ending="race", variant="pig")
    words = ["solve", "--target", 12, "--ending", "race", "--variant", "pig", "--json"]
    assert json.loads(run_here(*words).stdout)["first_player_win"] == solved.first_player_win
    tested = pigglesim.compare_counts([18, 25, 15, 17, 14, 31])
    words = ["fair", 18, 25, 15, 17, 14, 31, "--json"]
    assert json.loads(run_here(*words).stdout)["p_value"] == tested.p_value


def test_a_mesh_becomes_a_model_as_the_verb_makes_it(tmp_path):
    file = scans.write(scans.brick(), tmp_path / "brick.stl")
    words = {"unit": "mm", "face": "+z", "crown": "+y"}
    made = pigglesim.import_model(file, out=tmp_path / "own", **words)
    done = run_here("model", "import", file, "--unit", "mm", "--face=+z", "--crown=+y",
                    "--out", tmp_path / "theirs", "--json")  # fmt: skip
    theirs = json.loads(done.stdout)
    assert {path.name: path.read_bytes() for path in made.files} == {
        path.name: path.read_bytes() for path in (tmp_path / "theirs").iterdir()
    }
    assert made.document()["classes"] == theirs["classes"]
    with pytest.raises(PigglesimError, match="poses without a class"):
        pigglesim.import_model(file, unit="mm", out=tmp_path / "third")
    with pytest.raises(PigglesimError, match="density"):
        pigglesim.import_model(file, unit="mm", density=0.0)
