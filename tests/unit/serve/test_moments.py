"""When a throw was decided, in a page: the shares of Python, and films that have no throw."""

import re
from dataclasses import replace

import pytest

import pigglesim
from pigglesim.errors import SpecError
from pigglesim.render.copies_kit import expect_decidable
from pigglesim.serve.pours import looks
from tests.support.browser import chromium
from tests.support.marks import expect_python, throw


def _in_percent(share):
    return f"{100 * share.value:.0f} % ({100 * share.low:.0f} to {100 * share.high:.0f} %)"


ANSWER_TO_ANOTHER = """async () => {
  const { moments, player } = pigglesim.table;
  moments.asked = player.chapter;
  await moments.hear({ ...window.answer, throw: window.answer.throw + 1 });
  return moments.asked === player.chapter;
}"""
"""Hear of another throw while the one that is shown was asked for; whether that is still due."""


def test_the_marks_of_a_page_are_those_of_python(served):
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
        page.goto(f"{served.access.owner_link}/throw")
        throw(page, seed=7)
        page.evaluate(
            "() => { const { moments } = pigglesim.table, { hear } = moments;"
            " moments.hear = (message) => hear.call(moments, (window.answer = message)); }"
        )
        page.locator("#when").click()
        decided = expect_python(page, 6, seed=7)
        page.locator(".lane").nth(2).click(position={"x": 4, "y": 4})
        assert page.locator("#explained p").inner_text() == "A3 is in the cup."
        # A press on a bar shows that moment, and another takes the marks away.
        page.locator(".lane").nth(2).click()
        said = page.locator("#explained p").inner_text()
        known = decided["A3"]
        time, share = re.fullmatch(
            r"A3 at ([\d.]+) s: (.*) of its copies land On-Their-Head, as it does alone\..*", said
        ).groups()
        looks = [look for look in known.looks if f"{look.time:.2f}" == time]
        assert share in {_in_percent(look.certainty) for look in looks}
        # Arrow keys go to the moments of a bar, and a fault of something else takes no marks away.
        page.locator(".lane").nth(2).press("ArrowLeft")
        before = page.locator("#explained p").inner_text()
        page.locator(".lane").nth(2).press("ArrowRight")
        after = page.locator("#explained p").inner_text()
        shown = [re.match(r"A3 at ([\d.]+) s:", text)[1] for text in (before, after)]
        times = [f"{look.time:.2f}" for look in known.looks]
        assert times.index(shown[1]) == times.index(shown[0]) + 1
        page.evaluate("pigglesim.hear({ is: 'fault', text: 'another' })")
        assert page.locator(".lane").count() == 6
        page.get_by_role("button", name="Hide marks").click()
        assert page.locator("#moments").is_hidden()
        assert page.evaluate(ANSWER_TO_ANOTHER)


def test_a_throw_of_a_match_is_looked_at_too(served):
    with served.person() as person:
        person.send(do="decided", throw=1)
        assert "this throw is not here any more" in person.until("fault")["text"]
        person.send(do="new", players=["uniform", "uniform"], chance="physical", pace=0)
        table = person.until("opened")["table"]
        event = person.until("event", where=lambda each: each["chapter"])
        number = event["chapter"]["throw"]
        person.send(do="decided", table=table, throw=number)
        found = person.until("decided")
        assert found["throw"] == number
        rolled = [actor for actor in event["chapter"]["actors"] if actor["rest"] > 0.0]
        assert 0 < len(found["dice"]) <= len(rolled)
        assert len(found["kits"]) == 1


def test_a_throw_of_another_match_is_not_one_of_the_page_s_own_table(served):
    with served.person() as person:
        person.send(do="set_table", count=1)
        person.until("board")
        person.send(do="throw", seed=7)
        assert person.until("thrown")["chapter"]["throw"] == 1
        person.send(do="decided", table="0" * 12, throw=1)
        assert "this throw is not here any more" in person.until("fault")["text"]
        person.send(do="decided", throw=1)
        assert person.until("decided")["throw"] == 1


def test_what_cannot_be_looked_at_is_one_line():
    roll = pigglesim.roll(1, seed=7, engine="impulse")
    assert len(looks(roll.film)["dice"]) == 1
    other = replace(roll.film, origin={**roll.film.origin, "engine": "bullet"})
    with pytest.raises(SpecError, match=r"engine bullet threw this, .*; throw with engine impulse"):
        expect_decidable(other)
    still = replace(roll.film, frames=roll.film.frames.still([roll.film.at(0.0).place(0)]))
    with pytest.raises(SpecError, match="nothing was thrown yet; throw first"):
        expect_decidable(still)
