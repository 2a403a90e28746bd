"""The site builds without a warning, asks nobody for anything, and holds every verb and page."""

import re

import pytest

from tests.documentation.__main__ import build
from tests.documentation.commands import reference, verbs
from tests.documentation.pages import PAGES, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    assert build(folder) == 0
    return folder


def test_every_page_is_on_it(site):
    for page in PAGES[1:]:
        name = page.relative_to(ROOT / "docs").with_suffix(".html")
        assert (site / name).is_file(), name


def test_it_asks_no_other_site_for_anything(site):
    wanted = re.compile(r'<(?:script|img|link|iframe|source)[^>]*(?:src|href)="(https?:)?//')
    for page in site.rglob("*.html"):
        found = [match[0] for match in wanted.finditer(page.read_text())]
        assert [tag for tag in found if 'rel="canonical"' not in tag] == [], page
    for sheet in site.rglob("*.css"):
        assert "url(http" not in sheet.read_text(), sheet


def test_every_verb_is_told_with_its_flags(site):
    page = (site / "commands.html").read_text()
    for name, verb in verbs():
        assert f'id="{name.removeprefix("pigglesim ").replace(" ", "-")}"' in page
        for given in verb.params:
            assert given.hidden or given.opts[0].lstrip("-") in page.lower() + page, name


def test_examples_of_help_pages_are_one_block():
    text = reference()
    assert "```console\n$ pigglesim match\n$ pigglesim match --a greedy" in text
    assert "\\[" not in text


def test_sources_that_pages_lead_to_are_there_as_they_are(site):
    name = "scenes/piggles_classic.toml"
    assert (site / "source" / name).read_bytes() == (ROOT / name).read_bytes()


def test_the_reference_tells_docstrings(site):
    page = (site / "api" / "index.html").read_text()
    assert "Play a match to its end and return it with its record." in page
