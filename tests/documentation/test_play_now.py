"""The site has the page without a server as "Play now", and asks for Pyodide in a line."""

from pathlib import Path

import pytest

from scripts.documentation import __main__ as documentation
from scripts.documentation.__main__ import build
from tests.support.browser import chromium


@pytest.mark.slow
def test_a_press_on_the_first_page_opens_the_game(tmp_path, monkeypatch):
    def write_site(folder, package, *, note):
        assert package == Path("pyodide.tgz")
        (folder / "web").mkdir()
        (folder / "index.html").write_text('<script src="web/app.js"></script>')
        (folder / "web" / "app.js").write_text("document.title = 'the game'")

    monkeypatch.setattr(documentation, "write_site", write_site)
    assert build(tmp_path, play=Path("pyodide.tgz")) == 0
    with chromium() as browser:
        page = browser.new_page()
        page.goto((tmp_path / "index.html").as_uri())
        page.click("text=Play now")
        page.wait_for_url("**/play/index.html")
        assert page.title() == "the game"


def test_a_site_without_the_package_says_what_to_run(tmp_path, capsys):
    assert build(tmp_path / "out", play=tmp_path) == 1
    assert "run npm pack pyodide@" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
