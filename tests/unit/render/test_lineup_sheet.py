"""The sheet of all liveries: a tile for each, the same every time."""

import pytest

from pigglesim.bodies.load import load_model
from pigglesim.errors import SpecError
from pigglesim.markings import Colour
from pigglesim.render.body_sheets import FRONT, draw_lineup, save_lineup


@pytest.mark.slow
def test_the_sheet_has_a_tile_for_every_livery(tmp_path):
    piggle = load_model("piggle")
    sheet = draw_lineup(piggle, view=FRONT, pixels=24)
    assert sheet.shape == (5 * 24, 10 * 24, 3)
    tiles = sheet.reshape(5, 24, 10, 24, 3).transpose(0, 2, 1, 3, 4).reshape(50, -1)
    assert len({tile.tobytes() for tile in tiles}) == 50
    means = tiles.reshape(5, 10, -1, 3).mean(axis=(1, 2))
    assert means[list(Colour).index(Colour.BLUE)].argmax() == 2
    assert means[list(Colour).index(Colour.RED)].argmax() == 0
    file = tmp_path / "a sheet.png"
    save_lineup(piggle, file, pixels=24)
    assert file.read_bytes().startswith(b"\x89PNG")
    save_lineup(piggle, tmp_path / "again.png", pixels=24)
    assert (tmp_path / "again.png").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(("name", "remedy"), [("a.docx", "lineup.png"), ("no/a.png", "the path")])
def test_a_sheet_that_cannot_be_written_is_refused(tmp_path, name, remedy):
    with pytest.raises(SpecError, match=remedy):
        save_lineup(load_model("piggle"), tmp_path / name, pixels=8)
