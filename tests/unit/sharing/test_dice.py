"""Dice at a plain table, as they are shared: with pips, on a board with nothing printed on it."""

import json
import struct

import pytest

from pigglesim.scene.printed import printed_areas, triangles_of
from pigglesim.sharing.glb import film_glb
from pigglesim.sharing.page import Chapter, film_page
from pigglesim.sharing.solids import board_solid
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg import lying_in, top_view_svg
from pigglesim.viewer.stills import scene_film


@pytest.fixture(scope="module")
def dice():
    return Stage.of(scene_film("piggy_six"))


def test_a_plain_board_is_one_area_and_its_sides(dice, stage):
    plain = board_solid(dice.board)
    assert [material.name for material in plain.materials] == ["plain", "edge"]
    named = [material.name for material in board_solid(stage.board).materials]
    assert named == [*(zone.value for zone in stage.board.regions), "line", "edge"]


def test_what_is_printed_covers_the_board_once(dice, stage):
    for board in (dice.board, stage.board):
        whole = (2.0 * board.half) ** 2
        areas = dict(printed_areas(board))
        assert sum(area.area for area in areas.values()) == pytest.approx(whole, rel=1e-9)
        for area in areas.values():
            a, b, c = triangles_of(area).transpose(1, 0, 2)
            doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
            assert (doubled > 0.0).all()
            assert doubled.sum() / 2.0 == pytest.approx(area.area, rel=1e-9)


def test_a_page_and_a_scene_show_pips_and_no_regions(dice):
    content = film_glb(dice)
    (length,) = struct.unpack_from("<I", content, 12)
    names = {material["name"] for material in json.loads(content[20 : 20 + length])["materials"]}
    assert any("pip" in name for name in names)
    assert not any("field" in name for name in names)
    page = film_page([Chapter(stage=dice, title="dice")], title="dice", facts={})
    assert "data-zone" not in page
    assert 'data-line="field/path"' not in page


def test_a_drawing_of_a_plain_board_has_no_regions(dice, stage):
    bare = top_view_svg(dice.board, lying_in(dice), title="dice")
    assert "data-zone" not in bare
    assert "North · B" not in bare
    assert 'data-zone="woods"' in top_view_svg(stage.board, lying_in(stage), title="pigs")
