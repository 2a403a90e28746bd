"""Counted dice: files and invalid ones, drops, scores of predictions, and fits."""

import shutil
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy import stats

from pigglesim.data_files import floor_file, model_file
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import (
    BATCH,
    best_matching,
    counted_dice,
    deficit,
    drop_dice,
    drop_task,
    read_die,
    score,
    total_variation,
)
from pigglesim.experiments.factors import ThrowKind, release_of
from pigglesim.experiments.fit import (
    PARAMETERS,
    Emulator,
    Fit,
    Ranges,
    fit_folder,
    parameters_of,
    posterior,
)
from pigglesim.experiments.floor_posterior import PlausibleFloor, task_at, tasks_on
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Flip, FloorRoll
from pigglesim.throws import sample_drops

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
    assert (die.material, die.labels_known, die.trend_only) == ("printed", True, False)


@pytest.mark.parametrize("unit", ["mm", "cm", "m", "in", None])
def test_a_mesh_in_its_unit(tmp_path, unit):
    # Without a unit, GLB is read in metres, as it is everywhere.
    scale = {"mm": 1.0, "cm": 0.1, "m": 0.001, "in": 1 / 25.4, None: 0.001}[unit]
    file, line = ("m.stl", f'\nmesh_unit = "{unit}"') if unit else ("m.glb", "")
    path = write(tmp_path, BOX.replace("box_mm = [10.0, 12.0, 14.0]", f'mesh = "{file}"{line}'))
    trimesh.creation.box(np.array([10, 12, 14]) * scale).export(path.parent / file)
    die = read_die(path)
    assert [rest.height for rest in die.support.poses] == pytest.approx(
        [5e-3, 5e-3, 6e-3, 6e-3, 7e-3, 7e-3], abs=1e-8
    )


def test_a_file_names_its_throw_and_a_flag_another(tmp_path):
    path = write(tmp_path, 'throw = { kind = "flip", spin_rad_s = 30.0, axis = "y" }\n' + BOX)
    floor = load_floor("tabletop")
    own = drop_task(read_die(path), floor, engine="impulse", seed=1).fall
    assert own == Flip(spin=30.0, axis=(0.0, 1.0, 0.0))
    (changed,) = counted_dice(tmp_path, kind=ThrowKind.ROLL)
    assert drop_task(changed, floor, engine="impulse", seed=1).fall == FloorRoll()
    (same,) = counted_dice(tmp_path, kind=ThrowKind.FLIP)
    assert same.release(floor, {"rise_mm": 100.0}) == replace(own, rise=0.1)
    assert read_die(write(tmp_path, BOX)).release(floor) == floor.fall


@pytest.mark.parametrize(
    ("throw", "problem"),
    [
        ('{ kind = "lob" }', "unknown kind of throw in brick/die.toml 'lob'"),
        ('{ kind = "pour" }', "unknown kind of throw in brick/die.toml 'pour'"),
        ('{ kind = "flip", spin = 3 }', "unknown parameter of a flip 'spin'"),
        ('{ kind = "flip", friction = 0.3 }', "unknown parameter of a flip 'friction'"),
        ('{ kind = "roll", speed_m_s = 900.0 }', "invalid level 900.0 of speed_m_s"),
        ('{ kind = "flip", start = "up" }', "invalid start 'up' of a flip"),
        ("{ height_mm = [3] }", "throw.height_mm"),
    ],
)
def test_a_throw_that_cannot_be_is_a_fault_of_the_file(tmp_path, throw, problem):
    with pytest.raises(SpecError, match=problem):
        read_die(write(tmp_path, f"throw = {throw}\n{BOX}"))


def test_a_fit_is_of_one_kind_of_throw(tmp_path):
    write(tmp_path, BOX)
    write(
        tmp_path, 'throw = { kind = "roll" }\n' + BOX.replace('"brick"', '"rolled"'), name="rolled"
    )
    dice = tuple(counted_dice(tmp_path))
    floor = load_floor("tabletop")
    with pytest.raises(SpecError, match="brick as a drop and rolled as a roll: a fit is of one"):
        Fit(dice=dice, ground=floor, engine="impulse", drops=1, seed=1)
    dice = tuple(counted_dice(tmp_path, kind=ThrowKind.ROLL))
    fit = Fit(dice=dice, ground=floor, engine="impulse", drops=30, seed=1)
    assert [p.name for p in fit.parameters[3:]] == ["height", "speed", "rolling", "spin"]
    assert [sum(counts) for counts in fit.drop_floor(3).counts] == [30, 30]


def test_every_kind_has_ranges_that_its_factors_allow():
    for kind in filter(lambda kind: kind.single, ThrowKind):
        ranges = parameters_of(kind)
        for ends in ("low", "high"):
            levels = {p.factor: getattr(p, ends) for p in ranges if p.factor}
            release_of(kind, load_floor("tabletop"), levels)


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
        ("box_mm = [10.0, 12.0, 14.0]", "", "one of model, mesh and box_mm"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10.0, 0.0, 14.0]", "box_mm.1"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10.0, 5e-24, 14.0]", "box_mm.1"),
        ("box_mm = [10.0, 12.0, 14.0]", "box_mm = [10000.0, 12000.0, 14000.0]", "200 mm"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "../../x.stl"', "../../x.stl"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "die.toml"', ".stl, .obj, .ply, .glb"),
        ("box_mm = [10.0, 12.0, 14.0]", 'mesh = "none.stl"', "none.stl"),
        ('name = "brick"', "name = ", "line 2"),
    ],
)
def test_invalid_files_are_refused_in_one_line(tmp_path, old, new, what):
    with pytest.raises(SpecError) as caught:
        read_die(write(tmp_path, BOX.replace(old, new)))
    assert what in str(caught.value)


PUBLISHED = {"square prism 0.75": (0.75, 0.548, 799), "square prism 1.16": (1.16, 0.148, 1011)}
"""Height over width, share of throws with a square face up, throws: note 97.16, table 1."""


def test_a_mesh_is_not_read_through_a_link(tmp_path):
    path = write(tmp_path, BOX.replace("box_mm = [10.0, 12.0, 14.0]", 'mesh = "m.stl"'))
    trimesh.creation.box([10, 12, 14]).export(tmp_path / "far.stl")
    (path.parent / "m.stl").symlink_to(tmp_path / "far.stl")
    with pytest.raises(SpecError, match="is a link"):
        read_die(path)


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


@pytest.fixture
def task(floor, tmp_path):
    return drop_task(read_die(write(tmp_path, BOX)), load_floor(floor), engine="impulse", seed=1)


def test_a_batch_is_the_same_drops_in_any_division(task):
    dropper = Dropper(
        task.body,
        task.support,
        task.classes,
        surface=task.surface,
        stepping=task.stepping,
        engine=make_engine(task.engine),
    )
    drops = sample_drops(
        task.fall, task.body, trials=range(2 * BATCH), seed=1, purpose=("drop", task.name)
    )
    ends = dropper.drop_all(drops)
    classes = [-1 if pose < 0 else task.classes[pose] for pose in ends.poses.tolist()]
    found = task.drop(range(2 * BATCH))
    assert found.counts == tuple(classes.count(k) for k in (0, 1, 2, -1))
    assert found.endings == tuple(np.bincount(ends.endings, minlength=len(DropEnding)).tolist())
    first, second = task.drop(range(BATCH)), task.drop(range(BATCH, 2 * BATCH))
    assert first + second == found
    assert first != second
    assert replace(task, name="another").drop(range(BATCH)) != first


def test_batches_of_drops_add_up_to_those_of_each_die(tmp_path):
    die, floor = read_die(write(tmp_path, BOX)), load_floor("tabletop")
    first = drop_task(die, floor, engine="impulse", seed=3)
    tasks = [first, replace(first, name="other")]
    batches = list(drop_dice(tasks, drops=BATCH + 30, workers=1))
    assert [(number, sum(tally.counts)) for number, tally in batches] == [
        (0, BATCH), (0, 30), (1, BATCH), (1, 30),
    ]  # fmt: skip
    for number, task in enumerate(tasks):
        found = [tally for each, tally in batches if each == number]
        assert found[0] + found[1] == task.drop(range(BATCH + 30))


def test_the_floor_and_the_drop_of_a_point_are_in_metres(tmp_path):
    die, floor = read_die(write(tmp_path, BOX)), load_floor("tabletop")
    point = np.array([0.31, 0.42, 1.7, 210.0, 0.25, 11.0])
    throw = [parameter.factor for parameter in PARAMETERS[3:]]
    floors = [PlausibleFloor.of_point(point * k, throw, weight=0.5) for k in (1.0, 0.5)]
    task = task_at(floors[0], die, floor, "floor 7", engine="impulse", seed=3)
    assert (task.name, task.engine, task.seed) == ("brick, floor 7", "impulse", 3)
    contact = task.surface.contact
    assert (contact.friction, contact.restitution) == (0.31, 0.42)
    assert task.surface.rolling_lever == pytest.approx(0.0017)
    assert task.fall.height == pytest.approx(0.21)
    assert (task.fall.drift_spread, task.fall.spin_spread) == (0.25, 11.0)
    both = tasks_on(floors, die, floor, engine="impulse", seed=3)
    # Each floor has random numbers of its own.
    assert [each.name for each in both] == ["brick, plausible floor 0", "brick, plausible floor 1"]
    assert [each.fall.spin_spread for each in both] == [11.0, 5.5]


def rng(seed=0):
    return np.random.default_rng(seed)


def test_chi_square_of_exact_shares_is_scipy_s():
    counts, shares = [30, 50, 40], [0.3, 0.3, 0.4]
    expected = stats.chisquare(counts, 120 * np.array(shares)).pvalue
    assert score(counts, shares, throws=None, rng=rng()).p == pytest.approx(expected)


def test_the_scores_of_three_throws():
    # Of 3 throws of a coin, 1 or 2 heads are as near as can be, and 3 come in 1 of 8. Shares of 1/2
    # give 3 heads a likelihood of 1/8; the distance is 1/2 with chance 1/4, else 1/6.
    near, far = (score(counts, [0.5, 0.5], throws=None, rng=rng(3)) for counts in ([1, 2], [3, 0]))
    assert near.p == 1.0
    assert far.p == pytest.approx(0.25, abs=0.015)
    assert (near.tv, far.tv) == pytest.approx((1 / 6, 1 / 2))
    assert far.noise_tv == near.noise_tv == pytest.approx(0.25, abs=0.006)
    assert far.deficit == pytest.approx(np.log(8.0))


def test_as_many_throws_as_counts_is_the_test_of_two_samples():
    # Two samples of n each, pooled: to first order the chi-square of a 2 x k table.
    counts, hits = np.array([300, 520, 380]), np.array([330, 470, 400])
    found = score(counts.tolist(), (hits / 1200).tolist(), throws=1200, rng=rng())
    table = stats.chi2_contingency(np.stack([counts, hits]), correction=False).pvalue
    assert found.p == pytest.approx(table, rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("throws", "matched"), [(None, False), (2000, False), (2000, True)])
def test_p_is_uniform_when_the_prediction_is_right(throws, matched):
    truth, total = np.array([0.3, 0.34, 0.36]), 330
    source, found = rng(7), []
    for k in range(250):
        shares = source.multinomial(throws, truth) / throws if throws else truth
        counts = source.multinomial(total, truth)
        if matched:
            order = best_matching(counts.tolist(), shares.tolist())
            counts = counts[list(order)]
        found.append(
            score(counts.tolist(), shares.tolist(), throws=throws, matched=matched, rng=rng(k)).p
        )
    assert stats.kstest(found, "uniform").pvalue > 1e-3


def test_a_deficit_is_at_least_what_its_total_variation_demands():
    # Pinsker: the divergence is at least 2 TV^2, for any prediction.
    source = rng(3)
    for _ in range(50):
        counts, shares = source.integers(1, 90, 4), source.dirichlet(np.ones(4))
        observed = counts / counts.sum()
        least = 2 * counts.sum() * total_variation(observed, shares) ** 2
        assert deficit(counts, shares) >= least - 1e-9


def test_the_best_matching_has_the_least_deficit_of_all():
    source = rng(4)
    for _ in range(30):
        counts, shares = source.integers(1, 90, 4), source.dirichlet(np.ones(4))
        chosen = counts[list(best_matching(counts.tolist(), shares.tolist()))]
        every = [deficit(np.array(order), shares) for order in permutations(counts)]
        assert deficit(chosen, shares) == pytest.approx(min(every))


@dataclass
class Counted:
    counts: tuple[int, ...]
    labels_known: bool = True


NAMES = [parameter.name for parameter in PARAMETERS]
RANGES = Ranges(PARAMETERS)


def truth(points):
    """Shares that depend on restitution and the lever alone, shape [point_count, 3]."""
    restitution = points[:, NAMES.index("restitution")]
    lever = np.log(points[:, NAMES.index("rolling lever")])
    logs = np.stack([3 * restitution, 0.6 * lever, np.zeros(len(points))], axis=1)
    raised = np.exp(logs)
    return raised / raised.sum(axis=1, keepdims=True)


def taught(drops=4000):
    points = RANGES.design(256, seed=1)
    source = np.random.default_rng(1)
    counts = np.array([source.multinomial(drops, share) for share in truth(points)], dtype=float)
    return points, Emulator(RANGES, points, counts)


def test_the_design_fills_every_range_and_grows_at_its_end():
    points = RANGES.design(256, seed=1)
    for k, parameter in enumerate(PARAMETERS):
        assert parameter.low <= points[:, k].min() < points[:, k].max() <= parameter.high
    assert np.array_equal(RANGES.design(100, seed=1), points[:100])
    # A quarter of the points in each quarter of a range, to one point: a Sobol sequence.
    quarters = np.histogram(points[:, 0], bins=np.linspace(0.2, 0.7, 5))[0]
    assert np.abs(quarters - 64).max() <= 1


def test_the_emulator_predicts_shares_at_new_floors():
    _, emulator = taught()
    new = RANGES.design(64, seed=9)
    # 28 numbers from 256 times 4,000 drops: an error of .0026 in the mean, where one point alone
    # has .0079; half as much again is for what a quadratic cannot follow.
    error = emulator.shares(new) - truth(new)
    assert np.sqrt(np.mean(error**2)) < 0.004


def test_the_error_of_a_change_is_the_spread_of_emulators_made_again():
    points = RANGES.design(64, seed=1)
    low, high = RANGES.points(np.array([[-0.8, -0.7, 0.3, 0.0, 0.2, -0.5], [0.6] * 6]))
    source, found = np.random.default_rng(4), []
    for _ in range(300):
        counts = [source.multinomial(2000, share) for share in truth(points)]
        found.append(Emulator(RANGES, points, np.array(counts, dtype=float)).change(low, high))
    changes, errors = (np.array(each) for each in zip(*found, strict=True))
    exact = truth(high[None])[0] - truth(low[None])[0]
    spread = changes.std(axis=0)
    assert changes.mean(axis=0) == pytest.approx(exact, abs=0.01)
    # The spread of 300 errs by a twenty-fifth, and shares vary between the floors of the design.
    assert errors.mean(axis=0) == pytest.approx(spread, rel=0.2)
    same, none = Emulator(RANGES, points, np.array(counts, dtype=float)).change(low, low)
    assert (same.tolist(), none.tolist()) == ([0.0] * 3, pytest.approx([0.0] * 3, abs=1e-12))


def test_counts_that_show_nothing_leave_every_floor_as_likely_as_before():
    points = RANGES.design(64, seed=1)
    flat = Emulator(RANGES, points, np.full((64, 2), 500.0))
    found = posterior([flat], [Counted((30, 10))], rng=np.random.default_rng(2))
    # Shares of 1/2 everywhere: the deficit of 30 and 10 is that of the coin, on every floor.
    exact = 30 * np.log(30 / 20) + 10 * np.log(10 / 20)
    assert found.deficit == pytest.approx(exact)
    assert found.log_evidence == pytest.approx(-exact)
    assert found.narrowing == pytest.approx([0.0] * 6, abs=0.01)
    unit = np.array([[-0.9] * 6, [0.9] * 6])
    low, high = RANGES.points(unit)
    assert found.low == pytest.approx(low, rel=0.02, abs=0.005)
    assert found.high == pytest.approx(high, rel=0.02)


def test_the_posterior_finds_what_counts_constrain_and_is_wide_elsewhere():
    _, emulator = taught()
    there = RANGES.design(1, seed=1)
    there[0, NAMES.index("restitution")] = 0.4
    there[0, NAMES.index("rolling lever")] = 1.0
    die = Counted(counts=tuple((truth(there)[0] * 20_000).round().astype(int).tolist()))
    # Bodies that agree show that the law is right; one alone may owe its counts to an error of it.
    found = posterior([emulator] * 4, [die] * 4, rng=np.random.default_rng(2))
    alone = posterior([emulator], [die], rng=np.random.default_rng(2))
    narrowing = dict(zip(NAMES, found.narrowing, strict=True))
    assert alone.narrowing[NAMES.index("rolling lever")] < 0.8
    at = dict(zip(NAMES, found.mean, strict=True))
    assert at["restitution"] == pytest.approx(0.4, abs=0.03)
    assert at["rolling lever"] == pytest.approx(1.0, rel=0.1)
    assert min(narrowing["restitution"], narrowing["rolling lever"]) > 0.8
    assert max(narrowing[name] for name in ("height", "spin", "drift", "friction")) < 0.15
    assert 0.0 <= found.deficit < 3.0


def test_unknown_labels_weigh_the_best_matching():
    _, emulator = taught()
    counts = (truth(RANGES.design(8, seed=5))[3] * 9000).round().astype(int).tolist()
    known = posterior([emulator], [Counted(tuple(counts))], rng=np.random.default_rng(2))
    shuffled = Counted((counts[2], counts[0], counts[1]), labels_known=False)
    loose = posterior([emulator], [shuffled], rng=np.random.default_rng(2))
    assert loose.deficit == pytest.approx(known.deficit, abs=0.5)


def test_too_few_floors_are_refused():
    points = RANGES.design(32, seed=1)
    with pytest.raises(SpecError, match="--points 56"):
        Emulator(RANGES, points, np.ones((32, 3)))


def test_a_fit_does_not_go_on_with_other_files(tmp_path):
    spec = model_file("d6")
    path = write(tmp_path, BOX.replace("box_mm = [10.0, 12.0, 14.0]", f'model = "{spec.name}"'))
    for file in spec.parent.glob("d6*"):
        (path.parent / file.name).write_bytes(file.read_bytes())
    floor = Path(shutil.copy(floor_file("tabletop"), tmp_path / "floor.toml"))

    def opened():
        dice = (read_die(path),)
        ground = load_floor(str(floor))
        return fit_folder(
            tmp_path / "fit", Fit(dice=dice, ground=ground, engine="bullet", drops=100, seed=1),
            points=64,
        )  # fmt: skip

    opened().close()
    for file, named in ((path, "dice brick has changed"), (floor, "floor tabletop has changed")):
        text = file.read_text()
        file.write_text(f"{text}# edited\n")
        with pytest.raises(RecordError, match=named):
            opened()
        file.write_text(text)
    opened().close()
