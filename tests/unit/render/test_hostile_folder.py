"""A report in a folder that somebody sent: nothing outside it is written."""

import pytest

from pigglesim.errors import SpecError
from pigglesim.render.report_page import write_page


def test_a_report_replaces_a_link_and_not_what_it_leads_to(tmp_path):
    mine, folder = tmp_path / "mine", tmp_path / "sent"
    mine.write_text("dear to me")
    folder.mkdir()
    (folder / "report.html").symlink_to(mine)
    assert write_page(folder, "<p>told</p>", []) == [folder / "report.html"]
    assert mine.read_text() == "dear to me"
    assert (folder / "report.html").read_text() == "<p>told</p>"
    assert not (folder / "report.html").is_symlink()


def test_pictures_that_lie_elsewhere_are_not_written(tmp_path):
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "sent"
    elsewhere.mkdir()
    folder.mkdir()
    (folder / "pictures").symlink_to(elsewhere)
    with pytest.raises(SpecError, match="leads elsewhere"):
        write_page(folder, "<p>told</p>", [])
    assert not list(elsewhere.iterdir())
    assert not (folder / "report.html").exists()
