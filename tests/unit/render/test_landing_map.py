"""The map of landings: every die in its square, North up, East right, on the board that is read."""

import numpy as np
import pytest
from matplotlib.patches import PathPatch

from pigglesim.landing import Zone
from pigglesim.render.landing_map import draw_landing_map, landing_counts
from pigglesim.scene.scene import INCH, Board
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


def test_every_die_is_counted_once_and_where_it_lies():
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
    # Three in the North, two in the East, one in the South-West.
    places = [(5, 120)] * 3 + [(120, 5)] * 2 + [(-100, -90)]
    rows = [on_board(k, x=x, y=y) for k, (x, y) in enumerate(places)]
    figure = draw_landing_map(counts_of(rows), board=BOARD, title="t")
    axes = figure.axes[0]
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    assert left < right
    assert bottom < top
    (image,) = axes.images
    assert image.origin == "lower"
    west, east, south, north = image.get_extent()
    assert (west, south) < (east, north)
    values = image.get_array().filled(0.0)
    rows_, columns = np.nonzero(values)
    middles = west + (np.arange(values.shape[1]) + 0.5) * (east - west) / values.shape[1]
    seen = {(middles[c], middles[r]): values[r, c] for r, c in zip(rows_, columns, strict=True)}
    by_density = sorted(seen, key=lambda place: -seen[place])
    for (x, y), (u, v) in zip([(5, 120), (120, 5), (-100, -90)], by_density, strict=True):
        assert abs(x - u) < 15
        assert abs(y - v) < 15
    names = {text.get_text(): text.get_position() for text in axes.texts}
    assert names["North"] == (0.5, 1.0)
    assert names["South"] == (0.5, 0.0)
    assert names["East"] == (1.0, 0.5)
    assert names["West"] == (0.0, 0.5)


def test_the_board_is_drawn_from_the_regions_that_are_read():
    board = Board(size=12 * INCH, woods=1.0 * INCH)
    rows = scattered(50)
    counts = landing_counts(store(rows), board=board, orientations=POSES)
    axes = draw_landing_map(counts, board=board, title="t").axes[0]
    patches = {p.get_label(): p for p in axes.patches if isinstance(p, PathPatch) and p.get_label()}
    assert len(patches) == len(board.regions)
    for zone, region in board.regions.items():
        extents = patches[zone.value].get_path().get_extents()
        assert np.array(extents.bounds[:2]) == pytest.approx(1e3 * np.array(region.bounds[:2]))
        assert extents.max == pytest.approx(1e3 * np.array(region.bounds[2:]))
        inside = region.representative_point()
        holds = patches[zone.value].get_path().contains_point((1e3 * inside.x, 1e3 * inside.y))
        assert holds, zone


def test_dice_off_the_board_are_marked_and_told():
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
