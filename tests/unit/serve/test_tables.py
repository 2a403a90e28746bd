"""What is on the table in a real browser: it is pressed, dragged, lit, and played by keys."""

import numpy as np
import pytest

from pigglesim.api.game_setup import set_up_game
from pigglesim.api.play import PlaySettings, new_session
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from tests.support.waiting import wait_for
from tests.unit.serve.test_pages import (
    SIZES,
    one_chromium,
    play_to_the_end,
    record_of,
    served,
    visit,
)

__all__ = ["one_chromium", "served", "visit"]
pytestmark = pytest.mark.slow
SHORT = {
    "lord_of_the_pigs": ({"turn_cap": 3}, 4),
    "pig_pile": ({"rounds": 1}, 3),
    "piggyback": ({"cap": 14}, 2),
    "piggy_six": ({"target": 30}, 2),
}
"""House rules of a short match of each game, and its number of players."""
SETTINGS = PlaySettings(hints=None, speed=1.0)
READY = """Boolean(
  pigglesim.view?.state?.yours && !document.querySelector('.choices button[disabled]')
)"""


def opened(served, visit, name, *, people=1, size="desktop", pace=0.0, **more):
    """Begin a short match of a game at pace 0, and open its page."""
    rules, players = SHORT[name]
    count = players if find(name).players_rule else None
    setup = set_up_game(name, None, rules=rules, players=count)
    session = new_session(
        game_setup=setup,
        agents=(None, None, ["human"] * people + ["uniform"] * (players - people)),
        seed=4,
        chance=("fair", None),
        practice=False,
        out=served.server.folder / "short.jsonl",
        settings=SETTINGS,
    )
    table = served.server.begin(session, SETTINGS)
    served.server.matches[table].pace = pace
    page = visit(served.access.owner_link, size=SIZES[size], **more)
    page.wait_for_selector("#panel h2")
    page.evaluate("table => { location.hash = `#/match/${table}`; }", table)
    page.wait_for_selector("#felt:not([hidden])")
    return page


def pressing(rng):
    """Return a player who presses what is lit on the table, and a button where nothing is."""

    def press(page):
        if not page.evaluate(READY):
            return
        lit = len(page.query_selector_all("#felt .open[data-id]"))
        asked = len(page.query_selector_all(".menu button"))
        if asked:
            page.evaluate("document.querySelector('.menu button').click()")
        elif lit:
            page.evaluate(
                "k => document.querySelectorAll('#felt .open[data-id]')[k].click()",
                int(rng.integers(lit)),
            )
        else:
            page.evaluate("document.querySelector('.choices button')?.click()")

    return press


def typing(page):
    if page.evaluate(READY):
        page.keyboard.press("1")
        if page.evaluate("document.querySelectorAll('.choices button').length") > 9:
            page.keyboard.press("Enter")


@pytest.mark.parametrize("name", SHORT)
def test_every_game_is_played_to_its_end_by_presses_on_its_table(served, visit, name):
    page = opened(served, visit, name)
    play_to_the_end(page, pressing(np.random.default_rng(2)))
    assert record_of(served).footer.result is not None
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]


@pytest.mark.parametrize("name", SHORT)
def test_every_game_is_played_to_its_end_by_keys(served, visit, name):
    page = opened(served, visit, name, size="phone")
    page.evaluate("document.activeElement.blur()")
    play_to_the_end(page, typing)
    assert record_of(served).footer.result is not None
    wait_for(
        lambda: page.evaluate("document.getElementById('ending').getAnimations().length === 0")
    )
    assert page.evaluate(OVER_THE_RESULT) == []


OVER_THE_RESULT = """() => {
  const { left, top, width, height } = document.getElementById('ending').getBoundingClientRect();
  const shares = [0.1, 0.3, 0.5, 0.7, 0.9];
  return shares.flatMap((x) => shares.map((y) =>
    document.elementFromPoint(left + x * width, top + y * height)))
    .filter((node) => !node?.closest('#ending')).map((node) => node?.outerHTML.slice(0, 80));
}"""
"""What lies over the result of a match, as a card could."""


def shown_with(page, change):
    """Show the state of the page with a table changed by a function of its parts."""
    page.evaluate(
        "change => { const state = structuredClone(pigglesim.view.state);"
        " state.felt = eval(change)(state.felt); return pigglesim.view.show(state); }",
        change,
    )


def test_a_large_hand_has_room_on_a_phone(served, visit):
    page = opened(served, visit, "pig_pile", size="phone")
    wait_for(lambda: page.evaluate(READY))
    shown_with(
        page,
        """(parts) => parts.map((part) => part.spread === 'hand' && part.seat === 'A'
          ? { ...part, cards: Array(20).fill(part.cards[0]) } : part)""",
    )
    assert len(page.query_selector_all("#felt .card.mine")) == 20
    bottoms = page.eval_on_selector_all(
        "#felt .card.mine", "all => all.map(card => card.getBoundingClientRect().bottom)"
    )
    felt = page.query_selector("#felt").bounding_box()
    assert max(bottoms) <= felt["y"] + felt["height"]


def test_tracks_without_cards_hide_the_table_in_3d(served, visit):
    page = opened(served, visit, "lord_of_the_pigs")
    wait_for(lambda: page.evaluate(READY))
    shown_with(page, "(parts) => parts.filter(({ kind }) => kind === 'scale')")
    assert len(page.query_selector_all("#felt .track")) == 5
    assert page.evaluate("getComputedStyle(document.getElementById('canvas')).visibility") == (
        "hidden"
    )


def middle_of(page, selector):
    box = page.query_selector(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, source, target):
    page.mouse.move(*middle_of(page, source))
    page.mouse.down()
    page.mouse.move(*middle_of(page, target), steps=6)
    page.mouse.up()


def own_decisions(served):
    return [each.action for each in record_of(served).decisions if each.seat is Seat.A]


def test_a_unit_is_dragged_and_the_last_move_stays_lit(served, visit):
    page = opened(served, visit, "piggyback")
    page.wait_for_selector("#felt .open")
    # No unit goes so far: it is back where it was.
    drag(page, "[data-id=c1]", "[data-id=c3]")
    assert not own_decisions(served) and page.query_selector("#felt .lit") is None
    drag(page, "[data-id=c1]", "[data-id=c2]")
    page.wait_for_selector("ol.log li:has-text('Red: c1 to c2')")
    assert own_decisions(served)[0] == "c1-c2"
    page.wait_for_selector(".square.last")
    assert len(page.query_selector_all("#felt .pig")) == 12


COUNT_FLIGHTS = """(() => {
  const animate = Element.prototype.animate;
  window.flights = 0;
  Element.prototype.animate = function (...all) {
    window.flights += 1;
    return animate.apply(this, all);
  };
  for (const card of document.querySelectorAll("#felt .card.mine")) card.was = "in hand";
})()"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_played_card_keeps_its_element_and_flies_unless_motion_is_reduced(served, visit, motion):
    page = opened(served, visit, "pig_pile", pace=1.0, reduced_motion=motion)
    wait_for(lambda: page.evaluate(READY))
    page.evaluate(COUNT_FLIGHTS)
    page.click("#felt .card.mine.open")
    wait_for(lambda: own_decisions(served))
    moved = "[...document.querySelectorAll('#felt .card:not(.mine)')].some(card => card.was)"
    wait_for(lambda: page.evaluate(moved))
    assert (page.evaluate("flights") > 0) == (motion == "no-preference")


def test_a_choice_lights_what_it_touches(served, visit):
    page = opened(served, visit, "lord_of_the_pigs")
    wait_for(lambda: page.evaluate(READY))
    page.focus(".choices button:first-child")
    lit = {each.get_attribute("data-id") for each in page.query_selector_all("#felt .lit")}
    state = page.evaluate("pigglesim.view.state.choices[0].involved")
    assert lit == set(state)


def test_a_piggle_is_pressed_into_the_cup_and_acts_on_another(served, visit):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click(".card:has-text('Piggles Modern')")
    page.click("text=More choices")
    page.select_option(".field:has-text('rolls') select", "tabular")
    page.select_option(".field:has-text('pace') select", "0")
    page.fill(".field:has-text('seed') input", "3")
    page.click("button:has-text('Begin')")
    page.wait_for_selector("#pour")
    page.click("text=All or none")
    press_piggle(page, "A2")
    assert page.evaluate("[...pigglesim.view.chosen]") == ["A2"]
    words = wait_for(lambda: page.inner_text(".tip"))
    assert "red" in words.lower() and "right" in words
    page.click("text=All or none")
    # In some rounds nothing that was rolled has a target.
    due = "pigglesim.view.state.yours && (pigglesim.view.state.choices ? 'act' : 'load')"

    def acts():
        if page.evaluate(due) == "load":
            page.evaluate("document.querySelector('#pour:not([disabled])')?.click()")
        return page.evaluate(due) == "act"

    wait_for(acts)
    acting, on = page.evaluate("pigglesim.view.state.choices[0].involved")
    press_piggle(page, acting)
    press_piggle(page, on)
    wait_for(lambda: f"act {acting} {on}" in own_decisions(served))


def press_piggle(page, name):
    """Press a Piggle where it is on the table in 3D."""
    where = """name => {
      const { table: { player } } = pigglesim;
      const at = player.anchors?.[player.chapter.actors.findIndex(each => each.name === name)];
      const box = document.getElementById('canvas').getBoundingClientRect();
      return at && !player.dirty ? [at.x + box.left, at.y + box.top] : null;
    }"""
    x, y = wait_for(lambda: page.evaluate(where, name))
    if page.evaluate("([x, y]) => document.elementFromPoint(x, y).id", [x, y]) == "stage":
        page.mouse.click(x, y)
    else:  # the label of another covers it
        page.click(f"#labels button:has-text('{name}')")


def test_an_own_roll_stays_until_the_person_goes_on(served, visit):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click("text=More choices")
    page.select_option(".field:has-text('rolls') select", "tabular")
    page.click("button:has-text('Begin')")
    page.click("#pour")
    page.wait_for_selector("#go-on")
    actors = page.evaluate("pigglesim.table.player.chapter.actors.length")
    assert actors == 6 and not page.is_visible("#pour")
    # A turn of the table is no press.
    box = page.locator("#canvas").bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 10, steps=3)
    page.mouse.up()
    assert page.is_visible("#go-on")
    page.mouse.click(x, y)
    page.wait_for_selector("#pour")


def test_who_watches_sees_each_card_once(served, visit):
    page = opened(served, visit, "pig_pile", people=0)
    wait_for(lambda: page.evaluate("pigglesim.view.state?.over"))
    groups = page.evaluate("pigglesim.view.state.felt.filter(each => each.kind === 'cards')")
    faces = page.query_selector_all("#felt .card .face:not(.back)")
    assert len(faces) == sum(len(group["cards"]) for group in groups) > 0


@pytest.mark.parametrize("name", SHORT)
def test_a_phone_shows_what_can_be_chosen_without_scrolling(served, visit, name):
    page = opened(served, visit, name, size="phone")
    wait_for(lambda: page.evaluate(READY))
    bottom, high, scrolled = page.evaluate("""[
      document.querySelector('#panel > div > .choices button').getBoundingClientRect().bottom,
      innerHeight, scrollY
    ]""")
    assert scrolled == 0
    assert bottom < high
