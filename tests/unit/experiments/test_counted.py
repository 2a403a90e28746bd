"""Counted dice: what a file says, and every way in which it can be wrong."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import counted_dice, read_die

BOX = """
name = "brick"
box_mm = [10.0, 12.0, 14.0]
throw_count = 60

[[outcome]]
label = "flat"
count = 30
down = [[1, 0, 0], [-1, 0, 0]]

[[outcome]]
label = "side"
count = 20
down = [[0, 1, 0], [0, -1, 0]]

[[outcome]]
label = "end"
count = 10
down = [[0, 0, 1], [0, 0, -1]]
"""


def write(folder, text, name="brick"):
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "die.toml").write_text(text)
    return place / "die.toml"


def test_a_box_and_its_counts(tmp_path):
    die = read_die(write(tmp_path, BOX))
    assert die.counts == (30, 20, 10)
    assert die.body.mass.mass == pytest.approx(1100 * 10 * 12 * 14e-9)
    heights = [die.support.poses[outcome.poses[0]].height for outcome in die.outcomes]
    assert heights == pytest.approx([5e-3, 6e-3, 7e-3])
    assert sorted(pose for outcome in die.outcomes for pose in outcome.poses) == list(range(6))
    assert (die.material, die.labels_known, die.trend_only) == ("plastic", True, False)


@pytest.mark.parametrize("unit", ["mm", "cm", "m", "in"])
def test_a_mesh_in_its_unit(tmp_path, unit):
    scale = {"mm": 1.0, "cm": 0.1, "m": 0.001, "in": 1 / 25.4}[unit]
    path = write(
        tmp_path,
        BOX.replace("box_mm = [10.0, 12.0, 14.0]", f'mesh = "m.stl"\nmesh_unit = "{unit}"'),
    )
    trimesh.creation.box(np.array([10, 12, 14]) * scale).export(path.parent / "m.stl")
    die = read_die(path)
    assert [rest.height for rest in die.support.poses] == pytest.approx(
        [5e-3, 5e-3, 6e-3, 6e-3, 7e-3, 7e-3], abs=1e-8
    )


def test_a_pose_that_nothing_lists_belongs_to_no_outcome(tmp_path):
    text = BOX[: BOX.index('[[outcome]]\nlabel = "end"')].replace("throw_count = 60", "")
    die = read_die(write(tmp_path, text))
    assert die.classes() == [0, 0, 1, 1, -1, -1]


@pytest.mark.parametrize(("x", "y", "outcome"), [(4.05, 4.0, 0), (4.0, 4.05, 1)])
def test_a_shallow_pose_that_nothing_lists_belongs_where_it_spills(tmp_path, x, y, outcome):
    # A long box with one long edge cut off: it can stand on the cut, and the longer leg of the cut
    # is the side that it tips over to.
    corners = np.array([[a, b, z] for a in (-5, 5) for b in (-5, 5) for z in (-20, 20)], float)
    cut = [p for p in corners if not (p[0] == 5 and p[1] == 5)]
    cut += [[5, y, z] for z in (-20, 20)] + [[x, 5, z] for z in (-20, 20)]
    text = BOX.replace("box_mm = [10.0, 12.0, 14.0]", 'mesh = "m.stl"')
    path = write(tmp_path, text.replace('"end"', '"cap"'))
    trimesh.convex.convex_hull(np.array(cut)).export(path.parent / "m.stl")
    die = read_die(path)
    # Deep enough to be a pose of its own, and shallower than a printed layer.
    (pose,) = (k for k, rest in enumerate(die.support.poses) if 5e-6 < rest.escape < 1e-4)
    assert len(die.support.poses) == 7
    assert die.support.poses[pose].down[:2] == pytest.approx([0.707, 0.707], abs=0.03)
    assert die.classes()[pose] == outcome


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("count = 30\n", "", "a count is missing"),
        ("count = 30", "count = -1", "outcome.0.count"),
        ("throw_count = 60", "throw_count = 61", "the counts add up to 60"),
        ("[[1, 0, 0], [-1, 0, 0]]", "[[0, 0, 0]]", "a direction of length zero in outcome 'flat'"),
        ("[[1, 0, 0], [-1, 0, 0]]", "[]", "outcome.0.down"),
        ("[[1, 0, 0], [-1, 0, 0]]", "[[nan, 0, 0]]", "outcome.0.down"),
        ("[[1, 0, 0], [-1, 0, 0]]", "[[0, 1, 0]]", "both roll into pose"),
        ("box_mm = [10.0, 12.0, 14.0]", "", "either mesh or box_mm"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10.0, 0.0, 14.0]", "box_mm.1"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10.0, 5e-24, 14.0]", "box_mm.1"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10000.0, 12000.0, 14000.0]", "unit is probably"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "../../x.stl"', "put the file beside it"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "die.toml"', "ends in obj, off, ply, stl"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "none.stl"', "check its name"),
        ('name = "brick"', "name = ", "mend that line"),
    ],
)
def test_faults_say_what_and_where(tmp_path, old, new, what):
    with pytest.raises(SpecError, match="try: ") as caught:
        read_die(write(tmp_path, BOX.replace(old, new)))
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


PUBLISHED = {"square prism 0.75": (0.75, 0.548, 799), "square prism 1.16": (1.16, 0.148, 1011)}
"""Height over width, share of throws with a square face up, throws: note 97.16, table 1."""


def test_the_examples_have_the_counts_that_were_published():
    dice = {die.name: die for die in counted_dice(Path("docs/examples/counted"))}
    assert dice.keys() == PUBLISHED.keys()
    for name, (ratio, share, throws) in PUBLISHED.items():
        die = dice[name]
        wide, deep, high = np.ptp(die.body.hull.vertices, axis=0)
        assert (wide, high / wide) == pytest.approx((deep, ratio))
        square, side = die.outcomes
        assert (square.label, len(square.poses), len(side.poses)) == ("square face", 2, 4)
        assert sum(die.counts) == throws
        # No other whole number of throws rounds to the share in print.
        near = [count for count in range(throws) if round(count / throws, 3) == share]
        assert near == [square.count]
        assert die.trend_only and "97.16" in die.source
