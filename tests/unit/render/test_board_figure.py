"""The board in figures: every die in its square, every Piggle where it lies, North up."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import MudEntry
from pigglesim.landing import Landing, Orientation, RestPlace, Zone
from pigglesim.render.board import place_of
from pigglesim.render.board_figure import draw_landing_map, landing_counts, state_figure
from pigglesim.render.palette import POSE_CORNERS
from pigglesim.scene.scene import Board
from tests.unit.render.made_studies import POSES, on_board, store

BOARD = Board()


def counts_of(rows, **options):
    return landing_counts(store(rows), board=BOARD, orientations=POSES, **options)


def scattered(count=3000, seed=2):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(0, 60, (2, count))
    return [
        on_board(k, x=float(x[k]), y=float(y[k]), orientation=str(rng.choice(POSES)), cell=k % 2)
        for k in range(count)
        if abs(x[k]) < 165 and abs(y[k]) < 165
    ]


def test_every_die_is_counted_once_in_its_place():
    rows = scattered()
    counts = counts_of(rows)
    assert counts.dice == len(rows)
    assert counts.counts.sum() == len(rows)
    assert counts.beyond == counts.off_board == 0
    for k, name in enumerate(POSES):
        mine = [(row["x_mm"], row["y_mm"]) for row in rows if row["orientation"] == name]
        expected, _, _ = np.histogram2d(*np.array(mine).T, bins=[counts.edges, counts.edges])
        # numpy counts by east, then north.
        assert np.array_equal(counts.counts[k], expected.T)
    parts = [counts_of(rows, cell=cell).dice for cell in (0, 1)]
    assert sum(parts) == len(rows)


def test_north_is_up_and_east_is_right():
    rows = [on_board(k, x=120, y=5) for k in range(20)]
    axes = draw_landing_map(counts_of(rows), board=BOARD, title="t").axes[0]
    assert axes.get_xlim()[0] < axes.get_xlim()[1] and axes.get_ylim()[0] < axes.get_ylim()[1]
    (image,) = axes.images
    west, east, south, north = image.get_extent()
    assert image.origin == "lower" and (west, south) < (east, north)
    values = image.get_array().filled(0.0)
    row, column = np.unravel_index(np.argmax(values), values.shape)
    assert west + (column + 0.5) * (east - west) / len(values) == pytest.approx(120, abs=25)
    assert south + (row + 0.5) * (north - south) / len(values) == pytest.approx(5, abs=25)
    names = {text.get_text(): text.get_position() for text in axes.texts}
    assert (names["North"], names["East"]) == ((0.5, 1.0), (1.0, 0.5))


def test_dice_off_the_board_are_marked_and_named():
    rows = [on_board(k, x=0.0, y=10.0 * k) for k in range(5)]
    rows.append(on_board(9, x=20.0, y=180.0, zone=Zone.OFF.value, orientation=None))
    rows.append(on_board(10, x=20.0, y=900.0, zone=Zone.OFF.value, orientation=None))
    rows.append(on_board(11, x=0.0, y=0.0, orientation=None))
    rows.append(on_board(12, x=0.0, y=0.0, standing=True))
    counts = counts_of(rows)
    assert (counts.dice, counts.off_board, counts.beyond, counts.counts.sum()) == (8, 2, 1, 5)
    assert counts.off.tolist() == [[20.0, 180.0]]
    figure = draw_landing_map(counts, board=BOARD, title="t")
    note = figure.texts[1].get_text()
    assert "8 dice rolled, 2 off the board (1 marked by crosses)" in note
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == "x"]
    assert crosses[0].get_xydata().tolist() == [[20.0, 180.0]]


UP, DOWN, HEAD = Orientation
START = PigglesClassic().initial_state()
PLACE = RestPlace(position=(0.05, -0.1, 0.01), rotation=(0.0, 0.0, 0.0, 1.0))
POSITION = replace(
    START,
    a=replace(START.a, pen=("A3", "A4"), mud=(MudEntry(piggle="A5", round=1),), score=7),
    board=(
        ("A1", Landing(orientation=UP, zone=Zone.FIELD_SOUTH, place=PLACE)),
        ("A2", Landing(orientation=DOWN, zone=Zone.WOODS)),
        ("A6", Landing(orientation=HEAD, zone=Zone.PATH_INNER)),
    ),
)


@pytest.fixture(scope="module")
def figure():
    return state_figure(BOARD, POSITION, title="a title", subtitle="", worn={"A1": "R→"})


def test_each_piggle_is_drawn_in_its_place_and_pose(figure):
    lines = figure.axes[0].lines
    shapes = [(line.get_marker(), *np.ravel(line.get_xydata())) for line in lines]
    expected = [
        ([*POSE_CORNERS[pose]], *(1e3 * metres for metres in place_of(name, landing, BOARD)[:2]))
        for pose, (name, landing) in zip(Orientation, POSITION.board, strict=True)
    ]
    assert [mark for mark, *_ in shapes] == [mark for mark, *_ in expected]
    assert np.allclose([at for _, *at in shapes], [at for _, *at in expected])
    assert np.allclose(shapes[0][1:], (50.0, -100.0))
    assert [text.get_text() for text in figure.axes[0].texts] == ["A1", "A2", "A6"]
