"""Charts of shares: what reaches the axes, and that odd studies are drawn too."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_hex

from pigglesim.bodies.mesh_files import linear
from pigglesim.experiments.estimates import StudyAnswers
from pigglesim.experiments.statistics import share_of
from pigglesim.render.charts import (
    POINTS,
    convergence,
    draw_contrasts,
    draw_convergence,
    draw_factor_levels,
    draw_points,
    draw_share_bars,
    point_counts,
)
from pigglesim.render.figure import (
    colours_of,
    figure_bytes,
    lighten,
)
from pigglesim.render.palette import PAPER
from pigglesim.units import plus_minus
from tests.support.colour import MACHADO_2009, lab
from tests.unit.render.made_studies import POSES, answers_of, on_board, row, store

NAMES = ["Snout-Up"] * 5 + ["Snout-Down"] * 3 + ["On-Their-Head"] * 2


def study(factors, *, throws=40):
    """Return a study with a cell for each of the factors' levels, of single dice."""
    rng = np.random.default_rng(3)
    rows = [
        row(
            k * len(factors) + cell,
            cell=cell,
            trial=k,
            orientation=str(rng.choice(NAMES[cell % 3 :])),
        )
        for k in range(throws)
        for cell in range(len(factors))
    ]
    connection = store(rows)
    return connection, answers_of(connection, dict(enumerate(factors)))


def words(figure):
    found = [text.get_text() for text in figure.texts]
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc="left"), axes.get_title(), axes.get_xlabel()]
        found += [label.get_text() for label in (*axes.get_xticklabels(), *axes.get_yticklabels())]
    return found


def whiskers(axes):
    """Return the horizontal or vertical spans of error bars, as (low, high)."""
    spans = []
    for container in axes.containers:
        for lines in getattr(container, "lines", ((), (), ()))[2]:
            for segment in lines.get_segments():
                spans.append(tuple(segment.T[0 if segment[0][1] == segment[1][1] else 1]))
    return spans


def test_bars_are_as_long_as_the_shares_and_whiskers_reach_their_intervals():
    _, answers = study([{"kind": "a"}, {"kind": "b"}])
    exact = {0: {"Snout-Up": 0.41}}
    figure = draw_share_bars(answers.cells, quasi_static=exact)
    (axes,) = figure.axes
    order = [
        cell.shares[cell.orientations.index(name)]
        for name in POSES
        for cell in answers.cells
        if name in cell.orientations
    ]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([s.value for s in order])
    assert whiskers(axes) == [pytest.approx((s.low, s.high)) for s in order]
    paints = [to_hex(bar.get_facecolor()) for bar in axes.patches]
    assert paints == [lighten(colours_of(POSES)[name]) for name in POSES for _ in answers.cells]
    assert any(list(line.get_xdata()) == [0.41, 0.41] for line in axes.lines)
    assert {*POSES, "a", "b", plus_minus(order[0])} <= {*words(figure)}
    # From the top: the first orientation first.
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert [bar.get_y() for bar in axes.patches] == sorted(bar.get_y() for bar in axes.patches)


def test_charts_of_nothing_thrown_say_so():
    connection = store([row(standing=True)])
    empty = StudyAnswers(cells=(), contrasts=(), level=0.95)
    curve = convergence(connection, orientations=POSES, cell=5)
    figures = [
        draw_share_bars([]),
        draw_factor_levels(empty, "kind"),
        draw_contrasts(empty, "kind"),
        draw_convergence([("", curve)]),
        draw_points([("", point_counts(connection, cell=5))], level=0.95),
    ]
    for figure in figures:
        assert "no throws" in words(figure)
        assert len(figure_bytes(figure, "png")) > 100


def test_differences_stand_where_they_are_and_full_marks_leave_out_zero():
    rng = np.random.default_rng(0)
    rows = [
        on_board(k, cell=k % 2, die=die, points=int(rng.integers(0, 2)) + 2 * (k % 2),
                 orientation=str(rng.choice(NAMES)))
        for k in range(60) for die in range(2)
    ]  # fmt: skip
    answers = answers_of(store(rows), {0: {"m": "a"}, 1: {"m": "b"}})
    figure = draw_contrasts(answers, "m")
    shares, points = figure.axes
    given = [each for each in answers.contrasts if each.quantity != POINTS]
    drawn_at = [box.lines[0].get_xdata()[0] for box in shares.containers]
    assert sorted(drawn_at) == pytest.approx(sorted(each.difference.value for each in given))
    (mine,) = [each for each in answers.contrasts if each.quantity == POINTS]
    (box,) = points.containers
    assert whiskers(points) == [pytest.approx((mine.difference.low, mine.difference.high))]
    assert mine.difference.low > 0
    assert box.lines[0].get_markerfacecolor() != PAPER
    for each, box in zip(given, shares.containers, strict=True):
        differs = each.difference.low > 0 or each.difference.high < 0
        assert (box.lines[0].get_markerfacecolor() != PAPER) == differs
    assert all(any(list(line.get_xdata()) == [0, 0] for line in a.lines) for a in figure.axes)


def test_prefixes_are_counted_as_all_throws_are():
    rng = np.random.default_rng(1)
    rows = [
        row(3 * k + 1, die=die, orientation=[*POSES, None][rng.integers(4)])
        for k in range(200)
        for die in range(3)
    ]
    rows += [row(4, die=9, standing=True), row(7, cell=1)]
    rng.shuffle(rows)
    connection = store(rows)
    curve = convergence(connection, orientations=POSES, cell=0, points=20)
    assert curve.throws[0] == 10
    assert curve.throws[-1] == 200
    assert len(curve.throws) == 20
    dice = [each for each in rows if each["cell"] == 0 and not each["standing"]]
    for end, share in zip(curve.throws, curve.shares["Snout-Down"], strict=True):
        hits, lying = np.zeros((2, end), dtype=np.int64)
        for each in dice:
            if (place := each["throw"] // 3) < end:
                hits[place] += each["orientation"] == "Snout-Down"
                lying[place] += each["orientation"] is not None
        alone = share_of(hits, lying)
        assert (share.value, share.low, share.high, share.clusters, share.trials) == pytest.approx(
            (alone.value, alone.low, alone.high, end, alone.trials)
        )


def test_points_of_a_throw_are_summed_and_set_against_lone_dice():
    rows = [on_board(k, die=die, points=3 * (k % 2)) for k in range(40) for die in range(2)]
    rows.append(on_board(3, die=5, points=3, standing=True))
    counts = point_counts(store(rows), cell=0)
    assert counts.throws.tolist() == [20, 0, 0, 0, 0, 0, 20]
    assert counts.independent == pytest.approx([0.25, 0, 0, 0.5, 0, 0, 0.25])
    assert counts.total_variation == pytest.approx(0.5)
    (axes,) = draw_points([("", counts)], level=0.95).axes
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([0.5, 0, 0, 0, 0, 0, 0.5])


@pytest.mark.parametrize("eyes", MACHADO_2009)
@pytest.mark.parametrize("names", [POSES, list("123456")], ids=["pig", "d6"])
def test_orientations_differ_to_every_eye(names, eyes):
    colours = [lab(MACHADO_2009[eyes] @ linear(each)) for each in colours_of(names).values()]
    # 2.3 is just noticeable.
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(colours, 2)) > 15
