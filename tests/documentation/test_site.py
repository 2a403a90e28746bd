"""The site builds without a warning, asks nobody for anything, and holds every verb and page."""

import re
from html import escape

import pytest

from scripts.documentation.__main__ import build
from scripts.documentation.commands import reference, verbs
from scripts.documentation.pages import PAGES, ROOT
from tests.support.browser import Browser


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert build(folder) == 0
    return folder


def test_every_page_source_and_docstring_is_on_it(site):
    for page in PAGES[1:]:
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / name).is_file(), name
    source = "scenes/piggles_classic.toml"
    assert (site / "source" / source).read_bytes() == (ROOT / source).read_bytes()
    page = (site / "api" / "reference.html").read_text()
    assert "Play a match to its end and return it with its record." in page


def test_it_requests_nothing_of_another_site(site):
    wanted = re.compile(r'<(?:script|img|link|iframe|source)[^>]*(?:src|href)="(https?:)?//')
    for page in site.rglob("*.html"):
        found = [match[0] for match in wanted.finditer(page.read_text())]
        assert [tag for tag in found if 'rel="canonical"' not in tag] == [], page
    for sheet in site.rglob("*.css"):
        assert "url(http" not in sheet.read_text(), sheet


def test_every_verb_has_its_flags_and_examples(site):
    page = (site / "commands.html").read_text()
    for name, verb in verbs():
        assert f'id="{name.removeprefix("pigglesim ").replace(" ", "-")}"' in page
        params = [given for given in verb.params if not given.hidden]
        flags = [word for given in params for word in given.opts if word[0] == "-"]
        assert all(escape(word) in page for word in flags), name
    text = reference()
    assert "```console\n$ pigglesim match\n$ pigglesim match --a greedy" in text
    assert "\\[" not in text


@pytest.mark.slow
def test_it_is_searched_from_disk(site):
    with Browser(webgl=False) as browser:
        meta = "document.querySelector('.md-search-result__meta').innerText"
        browser.open(site / "games" / "piggles.html", until="!!window.document$")
        browser.run("document.querySelector('#__search').click()")
        browser.run("document.querySelector('.md-search__input').focus()")
        browser.wait(f"{meta} === 'Type to start searching'")
        for letter in "exhaustion":
            browser.press(letter, text=letter)
        browser.wait("!!document.querySelector('.md-search-result__item a')")
        found = browser.run("document.querySelector('.md-search-result__list').innerText")
        assert "Exhaustion is tested for both" in found
        assert browser.said == []
        assert {address.split(":")[0] for address in browser.asked} <= {"file", "data"}


@pytest.mark.slow
def test_it_is_as_narrow_as_a_phone_and_as_dark_as_the_night(site):
    with Browser(webgl=False) as browser:
        browser.screen(390, 844, dark=True)
        for page in ("formats/scene.html", "commands.html", "physics/accuracy.html"):
            browser.open(site / page, until="!!window.document$")
            assert browser.run("document.documentElement.scrollWidth") == 390
            assert browser.run("document.body.dataset.mdColorScheme") == "slate"
