"""Whatever a name is, a page or a drawing has the elements that it has with a plain one."""

from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pigglesim.landing import Seat
from pigglesim.render.notebook import film_html
from pigglesim.render.page import Section, TextTable, report_html
from pigglesim.render.stage import Stage
from pigglesim.render.svg import film_bodies, top_view_svg
from pigglesim.render.web_page import Chapter, film_page
from tests.unit.render.conftest import renamed
from tests.unit.render.skeleton import Skeleton

PIECES = [
    "<", ">", "&", '"', "'", "`", "/", "=", " ", "\n", "\x00", "\x1b]0;x\x07", "\u2028", "\u202e",
    "\ud800", "</script>", "<script>", "<!--", "-->", "]]>", "</style>", "</title>", "</text>",
    "</svg>", "<img src=x onerror=x>", "onload=x", "javascript:", "{{ 7*7 }}", "{% raw %}", "&lt;",
    "&#x3c;", "url(x)", "expression(", "${x}", "a", "🐷",
]  # fmt: skip
names = st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join)
WORST = '</script></style></title><img src=x onerror="x">\']]>-->\u2028\ud800{{ 7*7 }}'


def under_any_name(test):
    """Run a test with a few hostile names, and with the worst of all."""
    few = settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
    return given(name=names)(example(name=WORST)(few(test)))


def page_of(film, name):
    stage = Stage.of(renamed(film, name))
    return film_page(
        [Chapter(stage=stage, title=name, story=[name])],
        title=name,
        subtitle=name,
        scoreboard=TextTable(caption=name, columns=[name], rows=[[name, name]], owners=[Seat.A]),
        facts={name: name, "more": {name: name}},
    )


@pytest.fixture(scope="module")
def plain_page(film):
    return Skeleton(page_of(film, "plain"))


@under_any_name
def test_a_page_of_rolls_is_what_it_is_with_a_plain_name(film, plain_page, name):
    found = Skeleton(page_of(film, name))
    assert found.found == plain_page.found
    assert not found.events


def drawn(film, name):
    """Every element of a drawing with the names of its attributes."""
    stage = Stage.of(renamed(film, name))
    text = top_view_svg(stage.board, film_bodies(stage), title=name, subtitle=name)
    return {(each.tag, *sorted(each.attrib)) for each in ElementTree.fromstring(text).iter()}


@pytest.fixture(scope="module")
def plain_parts(film):
    # Long words stand elsewhere than short ones, and some have marks in their place.
    return set().union(*(drawn(film, name) for name in ("a", "plain", "m" * 30, "m" * 400)))


@under_any_name
def test_a_drawing_is_xml_of_the_same_elements(film, plain_parts, name):
    assert drawn(film, name) <= plain_parts


@under_any_name
def test_a_report_is_what_it_is_with_a_plain_name(name):
    def skeleton(name):
        table = TextTable(caption=name, columns=[name, name], rows=[[name, name]])
        sections = [Section(name="part", heading=name, remark=name, pictures=[], tables=[table])]
        metadata = {name: {name: [name, {name: name}]}}
        return Skeleton(report_html(title=name, summary=name, sections=sections, metadata=metadata))

    found = skeleton(name)
    assert found.found == skeleton("plain").found
    assert not found.events


@under_any_name
def test_a_notebook_shows_a_frame_and_nothing_beside_it(film, name):
    found = Skeleton(film_html(renamed(film, name)))
    assert found.found == [("iframe", ("sandbox", "style", "title", "srcdoc")), "/iframe"]
    (inner,) = found.frames
    assert not Skeleton(inner).events
