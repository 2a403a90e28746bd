"""The pages in a real browser: throw, play by clicks and by keys, invite, come back, review."""

import math
import re
import time
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import pigglesim
from pigglesim.agents.registry import Level
from pigglesim.landing import Seat
from pigglesim.match.record import read_record, write_record
from pigglesim.match.replay import branch_at, game_of, interrupted_record, replay
from pigglesim.table.view import make_view
from scripts.trust.soaking.serve_load import serving
from tests.support.browser import chromium
from tests.support.serving import running
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow
PATIENCE = 120.0
"""Time for what a quiet machine does in a second or two [s]."""
SIZES = {"desktop": (1280, 720), "phone": (390, 844), "on its side": (844, 390)}


@pytest.fixture(scope="module", name="chromium")
def one_chromium():
    with chromium() as browser:
        yield browser


@pytest.fixture
def served(tmp_path):
    with running(tmp_path) as found:
        yield found


@pytest.fixture
def visit(chromium):
    """Open pages, each of its own person; what a page complains about or asks elsewhere fails."""
    contexts, faults = [], []

    def opened(link, *, size=SIZES["desktop"], **more):
        width, height = size
        context = chromium.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        context.set_default_timeout(1000.0 * PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on(
            "console",
            # A page whose server has been killed tries to reach it.
            lambda said: (
                faults.append(said.text)
                if said.type == "error" and "ERR_CONNECTION_REFUSED" not in said.text
                else None
            ),
        )
        page.on(
            "request",
            lambda asked: (
                None
                if asked.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))
                else faults.append(asked.url)
            ),
        )
        page.goto(link)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


def begin(page, *, game="Piggles Classic", rolls="tabular", seed="", offered="#pour"):
    page.click("nav >> text=Play")
    page.click(f".card:has-text('{game}')")
    page.click("summary:has-text('More choices')")
    if rolls:
        page.select_option(".field:has-text('rolls') select", rolls)
    page.fill(".field:has-text('seed') input", seed)
    page.click("button:has-text('Begin')")
    page.wait_for_selector(offered)


def play_to_the_end(page, act):
    """Act whenever the page offers a choice; films are skipped."""
    until = time.monotonic() + 3.0 * PATIENCE
    while not page.is_visible("text=Rematch"):
        assert time.monotonic() < until, page.inner_text("#panel")
        # Escape would also lay down what is picked.
        if page.is_visible("#go-on") or page.evaluate("pigglesim.table.running"):
            page.keyboard.press("Escape")
        act(page)
        page.wait_for_timeout(60)


def click(page):
    roll = page.query_selector("#pour:not([disabled])")
    if roll is not None:
        roll.evaluate("button => button.click()")


def record_of(served):
    (match,) = served.server.matches.values()
    return read_record(match.session.saves.path)


def test_keys_aim_the_cup_in_hand(served, visit):
    page = visit(served.access.owner_link)
    begin(page)
    page.wait_for_function("pigglesim.table.grip")
    page.keyboard.press("]")
    assert "5° to the right" in page.inner_text("#caption")
    page.keyboard.press("Enter")
    page.wait_for_selector(".log li:has-text('loads')")
    action = record_of(served).decisions[0].action
    assert float(action.split(",")[3]) == pytest.approx(math.pi / 36)


def cup_in_hand(page):
    """Wait until the Piggles lie in the cup beside the board; return where it is in the page."""
    wait_for(lambda: page.evaluate("Boolean(pigglesim.table.grip?.thrower?.time > 0.7)"))
    return page.evaluate(
        """(() => {
          const { grip: hand, player } = pigglesim.table;
          window.hand = hand;
          const box = player.page.canvas.getBoundingClientRect();
          // The cup, and the middle of the own half under a cup in the hand.
          return [hand.at, [0, -0.3 * player.index.board, hand.lifted]].map((position) => {
            const at = player.anchor({ position });
            return [at.x + box.left, at.y + box.top];
          });
        })()"""
    )


def expect_thrown_as_simulated(page, served):
    """The server has thrown what the page has simulated, to the bit, and the page shows it."""
    page.wait_for_selector(".result code")
    thrown = next(iter(served.server.pages.values())).throws.last
    text, places = page.evaluate("[hand.thrower.text, hand.thrower.result().places]")
    assert f"--start {text}" in page.inner_text(".result code")
    landed = [at.place for at in thrown.landings.values()]
    assert places == [number for at in landed for number in (*at.position, *at.rotation)]
    assert thrown.provenance["start"] == text
    labels = page.eval_on_selector_all("#labels button b", "all => all.map(b => b.textContent)")
    assert len(labels) == 6


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_cup_is_parked_in_view_beside_the_board_which_is_seen_squarely(served, visit, size):
    page = visit(served.access.owner_link + "/throw", size=size)
    page.wait_for_selector("canvas#stage")
    wait_for(
        lambda: page.evaluate(
            "Boolean(pigglesim.table.player?.held && pigglesim.table.player.still)"
        )
    )
    seen = page.evaluate("""(() => {
      const { player } = pigglesim.table;
      const { camera, held, index } = player;
      const { x, y } = player.anchor(held);
      const { clientWidth, clientHeight } = player.page.canvas;
      const shares = [x / clientWidth, y / clientHeight];
      return { azimuth: camera.azimuth, at: held.position, index, shares, free: camera.free };
    })()""")
    assert seen["azimuth"] == -math.pi / 2 and not seen["free"]
    assert all(0.1 < share < 0.95 for share in seen["shares"])
    # Its middle is farther from the board than its radius, and its foot is on the table.
    half, cup = seen["index"]["board"] / 2, seen["index"]["cup"]
    assert max(abs(seen["at"][0]), abs(seen["at"][1])) > half + cup["radius"]
    assert seen["at"][2] - cup["half"] == pytest.approx(-seen["index"]["thickness"], abs=1e-4)


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_camera_is_still_from_the_load_to_the_end_of_a_roll(served, visit, size):
    page = visit(served.access.owner_link, size=size)
    begin(page, seed="7", rolls="physical")
    wait_for(lambda: page.evaluate("Boolean(pigglesim.table.player.held)"))
    wait_for(lambda: page.evaluate("pigglesim.table.player.still"))
    eye = "pigglesim.table.player.camera.eye"
    before = page.evaluate(eye)
    page.click("#pour")
    wait_for(
        lambda: page.evaluate("pigglesim.table.skip() || Boolean(document.querySelector('#go-on'))")
    )
    assert page.evaluate(eye) == before


@pytest.mark.parametrize("size", [(1280, 720), (390, 844), (844, 390)])
def test_bar_and_caption_leave_the_board_free(served, visit, size):
    page = visit(served.access.owner_link, size=size)
    begin(page, seed="7", rolls="physical")
    page.click("#pour")
    wait_for(
        lambda: page.evaluate("pigglesim.table.skip() || Boolean(document.querySelector('#go-on'))")
    )
    wait_for(lambda: page.evaluate("pigglesim.table.player.still"))
    edges, covered = page.evaluate("""(() => {
      const { player } = pigglesim.table;
      const half = player.index.board / 2;
      const { top } = player.page.canvas.getBoundingClientRect();
      const corners = [-half, half].map((x) => player.anchor({ position: [x, -half, 0] }));
      const covers = [...document.querySelectorAll("#film, #caption")];
      const above = covers.map((each) => each.getBoundingClientRect().top);
      return [corners.map(({ y }) => top + y), above];
    })()""")
    assert max(edges) < min(covered)


def test_no_picture_of_motion_without_a_graphics_card_waits_for_the_whole_table(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    wait_for(lambda: page.evaluate("pigglesim.table.player.still"))
    page.evaluate("""void (() => {
      const { renderer } = pigglesim.table.player;
      const { drawFine, render } = renderer;
      renderer.share = 0.35; // it does not become coarser
      window.seen = { fine: 0, strips: 0, over: 0 };
      renderer.drawFine = (...all) => { seen.fine += 1; drawFine.apply(renderer, all); };
      renderer.render = (things, camera, quality, target, picture) => {
        seen.strips += Number(quality === "fine");
        seen.over += Number(Boolean(picture));
        render.call(renderer, things, camera, quality, target, picture);
      };
    })()""")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(over_x, over_y, steps=4)
    wait_for(lambda: page.evaluate("seen.over > 3"))
    seen = page.evaluate("seen")
    assert (seen["fine"], seen["strips"]) == (0, 8)
    page.mouse.up()


def test_points_fly_to_the_score_unless_motion_is_unwanted(served, visit):
    fly = """async () => {
      const { player } = pigglesim.table;
      await player.fly(document.querySelector(".brand"));
    }"""
    flying = "document.querySelectorAll('body > b.points').length"
    for motion in ("reduce", "no-preference"):
        page = visit(served.access.owner_link + "/throw", reduced_motion=motion)
        page.wait_for_selector("canvas#stage")
        page.wait_for_selector("#panel button.main:not([disabled])")
        page.click("#panel button.main")
        page.wait_for_selector(".result code", timeout=60_000)
        points = page.evaluate("pigglesim.table.player.chapter.actors.filter(a => a.points).length")
        page.evaluate(f"window.flight = ({fly})(); window.most = {flying}")
        assert page.evaluate("window.most") == (points if motion != "reduce" else 0)
        page.evaluate("window.flight")
        assert page.evaluate(flying) == 0


def note_flights(page):
    """Let a page note the points that fly over it, as `flown`."""
    page.evaluate("""() => {
      window.flown = [];
      new MutationObserver((all) => all.flatMap((each) => [...each.addedNodes])
        .forEach((node) => node.className === "points" && flown.push(node.style.cssText)))
        .observe(document.body, { childList: true });
    }""")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_match_ends_with_a_card_and_points_fly_unless_motion_is_unwanted(served, visit, motion):
    page = visit(served.access.owner_link, reduced_motion=motion)
    begin(page, seed="7")
    note_flights(page)
    click(page)
    page.click("#go-on")
    page.wait_for_selector(".log .B.turn")
    paid = page.inner_text(".log .score.A").count("A") - 1
    assert paid > 0
    # The points of the other may fly by now, too.
    own = page.evaluate("flown.filter((each) => each === flown[0]).length")
    assert own == (paid if motion != "reduce" else 0)
    page.wait_for_selector("#pour:not([disabled]), #go-on")
    if page.is_visible("#go-on"):
        page.click("#go-on")
    page.click("text=Concede")
    page.click("text=Really concede?")
    page.wait_for_selector("#ending")
    assert page.inner_text("#ending h2") == "B (North) wins"
    assert "by concession" in page.inner_text("#ending p").lower()
    scores = page.eval_on_selector_all("#ending li b", "all => all.map(b => Number(b.textContent))")
    assert scores == list(record_of(served).footer.scores.values())[::-1]
    moves = page.eval_on_selector("#ending", "card => card.getAnimations().length")
    assert moves == 0 or motion != "reduce"
    if motion == "reduce":
        page.click("#see-table")
    else:
        page.keyboard.press("Escape")
    assert page.is_visible("#panel #rematch") and not page.is_visible("#ending")


def test_a_throw_by_the_mouse_is_what_the_page_has_simulated(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(over_x, over_y, steps=4)
    # The cup is where the hand is as soon as it can be.
    wait_for(lambda: page.evaluate("hand.lawful"))
    page.mouse.move(over_x + 40, over_y, steps=2)
    page.mouse.move(over_x, over_y - 30, steps=2)
    page.mouse.up()
    assert page.evaluate("hand.thrown")
    expect_thrown_as_simulated(page, served)


def test_a_cup_let_go_beside_the_board_is_put_back(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    (x, y), _ = cup_in_hand(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 130, y, steps=3)
    page.mouse.up()
    assert "let go over your own half" in page.inner_text("#caption")
    assert not page.evaluate("hand.thrown")
    wait_for(lambda: page.evaluate("hand.thrower.time > 0.7"))
    assert page.evaluate("hand.at.join() === hand.parked.join()")


def test_the_board_shows_before_the_release_what_would_come_of_it(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    page.mouse.move(x, y)
    page.mouse.down()
    for at, warning in [
        ((x + 150, y), "A cup is let go over your own half of the board."),
        ((over_x, over_y - 250), "The cup stays on your own half of the board."),
        ((over_x, over_y), ""),
    ]:
        page.mouse.move(*at, steps=3)
        wait_for(lambda text=warning: page.inner_text("#caption") == text)
        assert page.evaluate("pigglesim.table.player.held.warns") == (warning != "")
    wait_for(lambda: page.evaluate("pigglesim.table.player.held.spots.length > 6"))
    # A cup that tips as this one does lands to the bit where it does, and does not change it.
    seen = page.evaluate("""(() => {
      const { ghost: { twin }, thrower, throwing: { heading, swing } } = hand;
      twin.follow(thrower);
      for (const sample of hand.tipped(heading, swing)) twin.add(sample);
      twin.advance(Infinity, true);
      hand.letGo();
      hand.skip();
      return twin.result().places;
    })()""")
    page.mouse.up()
    expect_thrown_as_simulated(page, served)
    assert seen == page.evaluate("hand.thrower.result().places")


def test_keys_take_shake_move_and_pour_the_cup(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    cup_in_hand(page)
    page.keyboard.down("x")
    wait_for(lambda: page.inner_text("#caption").startswith("x shakes the cup, arrows move it"))
    # It is shaken for as long as the key is down, and to the end of a shake.
    shakes = """hand.thrower.samples.filter(([x], k, all) =>
        k > 1 && (x - all[k - 1][0]) * (all[k - 1][0] - all[k - 2][0]) < 0).length"""
    wait_for(lambda: page.evaluate(shakes) > 6)
    page.keyboard.up("x")
    wait_for(lambda: page.evaluate("hand.beat === 0"))
    across = page.evaluate("hand.target[0]")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("hand.target[0]") == pytest.approx(across - 0.02)
    page.keyboard.press("]")
    page.keyboard.press("Escape")
    assert not page.evaluate("hand.held")
    wait_for(lambda: page.evaluate("hand.thrower.time > 0.7"))
    page.keyboard.press("x")
    wait_for(lambda: page.evaluate("hand.lawful"))
    page.keyboard.press("Enter")
    assert page.evaluate("hand.thrown")
    expect_thrown_as_simulated(page, served)


def test_the_end_that_is_taken_back_takes_its_buttons_along(served, visit):
    page = visit(served.access.owner_link, reduced_motion="reduce")
    begin_under(page, "Piggy Six", {"target": "10"}, practice=True)
    act = "document.querySelector('.choices button:last-child')?.click()"
    play_to_the_end(page, lambda page: page.evaluate(act))
    page.wait_for_selector("text=Review the match")
    page.click("button:has-text('Take back')")
    page.wait_for_selector(".choices button")
    assert not page.is_visible("text=Review the match")
    assert not page.is_visible("text=Rematch")
    play_to_the_end(page, lambda page: page.evaluate(act))
    assert page.locator("text=Review the match").count() == 1
    page.click("text=Review the match")
    page.wait_for_selector(".curve")
    assert page.locator("text=Review the match").count() == 0


def finger_on(page):
    """Return what a finger does: a kind of touch event, and where."""
    finger = page.context.new_cdp_session(page)

    def touch(kind, *at):
        points = [{"x": at[0], "y": at[1]}] if at else []
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    return touch


def test_a_finger_that_rests_on_the_cup_holds_it_and_one_beside_it_turns_the_table(served, visit):
    link = served.access.owner_link + "/throw"
    page = visit(link, size=SIZES["phone"], has_touch=True, is_mobile=True)
    page.wait_for_selector("canvas#stage")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    touch = finger_on(page)
    page.evaluate("""void (window.menus = 0,
      addEventListener("contextmenu", (event) => { menus += Number(!event.defaultPrevented); }))""")
    # Longer than the press that asks for words about a Piggle.
    touch("touchStart", x, y)
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 900))")
    assert page.evaluate("hand.held && menus === 0") and not page.is_visible(".tip")
    # It can still be moved and thrown.
    for k in range(1, 6):
        touch("touchMove", x + (over_x - x) * k / 5, y + (over_y - y) * k / 5)
    wait_for(lambda: page.evaluate("hand.lawful"))
    touch("touchMove", x, y)
    wait_for(lambda: not page.evaluate("hand.lawful"))
    touch("touchEnd")
    assert page.evaluate("!hand.held && !hand.thrown")
    assert "let go over your own half" in page.inner_text("#caption")
    before = page.evaluate("pigglesim.table.player.camera.azimuth")
    touch("touchStart", over_x, over_y)
    for k in range(1, 4):
        touch("touchMove", over_x + 20 * k, over_y)
    touch("touchEnd")
    assert page.evaluate("pigglesim.table.player.camera.azimuth") != before
    assert page.evaluate("!hand.held && scrollY === 0")


def test_a_finger_throws_as_a_mouse_does(served, visit):
    page = visit(served.access.owner_link + "/throw", size=SIZES["phone"], has_touch=True)
    page.wait_for_selector("canvas#stage")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    touch = finger_on(page)
    touch("touchStart", x, y)
    for k in range(1, 6):
        touch("touchMove", x + (over_x - x) * k / 5, y + (over_y - y) * k / 5)
    wait_for(lambda: page.evaluate("hand.lawful"))
    touch("touchEnd")
    wait_for(lambda: page.evaluate("hand.thrown"))
    expect_thrown_as_simulated(page, served)


def test_in_a_match_the_server_throws_what_the_hand_has_thrown(served, visit):
    page = visit(served.access.owner_link)
    begin(page, rolls="physical")
    (x, y), (over_x, over_y) = cup_in_hand(page)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(over_x, over_y, steps=4)
    wait_for(lambda: page.evaluate("hand.lawful"))
    page.mouse.move(over_x, over_y - 30, steps=2)
    page.mouse.up()
    page.wait_for_selector(".log li:has-text('loads')")
    wait_for(lambda: len(record_of(served).entries) > 1)
    text, places = page.evaluate(
        "hand.ended.then(() => [hand.thrower.text, hand.thrower.result().places])"
    )
    decision, outcome = record_of(served).entries[:2]
    assert decision.action.endswith(f" at {text}")
    landed = dict(outcome.result.landings)
    assert places == [
        number
        for name in decision.action.split(" at ")[0].split()[1:]
        for number in (*landed[name].place.position, *landed[name].place.rotation)
    ]
    # What people read does not have it.
    assert "hand." not in page.inner_text("#panel")


def test_a_throw_onto_others_has_no_command_and_a_full_cup_no_result(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.click("#panel button.main:not([disabled])")
    page.wait_for_selector(".result code")
    page.click("text=Throw onto them")
    page.wait_for_selector(".result th:has-text('B1')")
    assert "null" not in page.inner_text(".result") and not page.query_selector(".result code")
    page.click("text=Fill the cup")
    page.wait_for_selector(".result table", state="detached")
    assert page.evaluate("document.activeElement.textContent") == "Throw"


@pytest.mark.parametrize("size", SIZES)
def test_a_classic_match_is_played_by_clicks_on_any_screen(served, visit, size):
    page = visit(served.access.owner_link, size=SIZES[size], has_touch=size != "desktop")
    begin(page)
    play_to_the_end(page, click)
    record = record_of(served)
    scores = [
        int(text)
        for text in page.eval_on_selector_all(".score td b", "a => a.map(b => b.textContent)")
    ]
    assert scores == list(record.footer.scores.values())
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1]


def test_a_classic_match_is_played_by_keys_and_described_in_words(served, visit):
    page = visit(served.access.owner_link, reduced_motion="reduce")
    begin(page, rolls="physical")
    page.evaluate("document.activeElement.blur()")
    log = set()

    def press(page):
        log.add(page.inner_text("#live") if page.query_selector("#live") else "")
        page.keyboard.press("Enter")

    play_to_the_end(page, press)
    assert record_of(served).footer.result is not None
    assert any("Landed" in text and "Tally" in text for text in log) or any(
        "Tally" in text for text in log
    )
    roles = page.evaluate(
        "[...document.querySelectorAll('[role]')].map(e => e.getAttribute('role'))"
    )
    assert "status" in roles


def test_digits_reach_every_choice_of_a_long_list(served, visit):
    page = visit(served.access.owner_link)
    begin(page, game="Piggyback", rolls="fair", offered=".choices button >> nth=11")
    page.keyboard.press("1")
    page.keyboard.press("2")
    marked = page.query_selector(".choices button:focus")
    number, step = marked.inner_text().split()[0], marked.get_attribute("aria-label")
    page.keyboard.press("Enter")
    own = wait_for(
        lambda: next((one for one in record_of(served).decisions if one.seat is Seat.A), None)
    )
    assert (number, own.action) == ("12", step.partition(",")[0].replace(" to ", "-"))


def test_cards_stay_covered_until_the_next_person_uncovers_them(served, visit):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click(".card:has-text('Pig Pile')")
    page.select_option(".field:has-text('player B') select", "human")
    # Some hands let a player move twice.
    page.click("text=More choices")
    page.fill(".field:has-text('seed') input", "3")
    page.click("button:has-text('Begin')")
    for name in ("A", "B"):
        page.wait_for_selector(f"text=Hand over to Player {name}.")
        assert page.inner_text("#felt") == "The cards are covered."
        assert not page.is_visible(".choices")
        # A digit that comes late takes no decision of the next person.
        page.keyboard.press("1")
        page.click("#uncover")
        page.wait_for_selector(".choices button")
        assert page.query_selector_all("#felt .card.mine")
        page.click(".choices button:first-child")


def invitations(owner):
    """Begin a match of the owner against a person; return the links: play, watch, own seat."""
    owner.click("nav >> text=Play")
    owner.select_option("#panel select >> nth=1", "human")
    begin(owner)
    owner.wait_for_selector("h3:has-text('Invitations')")
    return owner.eval_on_selector_all("#panel code", "all => all.map(code => code.textContent)")


def test_a_friend_joins_by_a_link_and_comes_back_to_the_same_seat(served, visit):
    owner = visit(served.access.owner_link)
    links = invitations(owner)
    lowest = "all => Math.max(...all.map(code => code.getBoundingClientRect().bottom))"
    assert owner.eval_on_selector_all("#panel code", lowest) <= SIZES["desktop"][1]
    friend = visit(links[0], size=SIZES["phone"])
    friend.wait_for_selector("text=A (South) is to move.")
    wait_for(lambda: friend.evaluate("Boolean(pigglesim.table.player?.film)"))
    seen = friend.evaluate("""(() => {
      const { player } = pigglesim.table;
      const { clientWidth, clientHeight } = player.page.canvas;
      const sides = [-0.5, 0.5].map((side) => side * player.index.board);
      return sides.flatMap((x) => sides.map((y) => player.anchor({ position: [x, y, 0] })))
        .every(({ x, y }) => x > 0 && x < clientWidth && y > 0 && y < clientHeight);
    })()""")
    assert seen
    click(owner)
    friend.wait_for_selector("#pour")
    friend.reload()
    friend.wait_for_selector("#pour")
    assert "(you)" in friend.inner_text(".score tr:has-text('North')")
    assert not owner.is_visible("#pour")


def name_oneself(page, name):
    page.click("#called")
    page.fill("#name", name)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#called:has-text('{name}')")


def test_two_with_names_play_to_the_end_and_both_accept_a_rematch(served, visit):
    owner = visit(served.access.owner_link)
    name_oneself(owner, "Anna")
    links = invitations(owner)
    assert owner.is_visible(".qr")
    friend = visit(links[0], size=SIZES["phone"])
    friend.wait_for_selector(".score")
    name_oneself(friend, "Ben")
    for page in (owner, friend):
        page.wait_for_selector(".score tr:has-text('Anna (A)')")
        page.wait_for_selector(".present .here:has-text('Ben (B)')")
    owner.wait_for_selector(".invitation", state="detached")
    owner.click("text=Concede")
    owner.click("text=Really concede?")
    friend.wait_for_selector("text=Ben (B) wins by concession")
    # The result, a rematch and the downloads are seen without scrolling.
    for place in ("#ending h2", "#rematch", "#ending .chip:has-text('Record')"):
        friend.wait_for_selector(place)
        box = friend.locator(place).bounding_box()
        assert box["y"] + box["height"] <= SIZES["phone"][1]
    friend.click("#rematch")
    owner.wait_for_selector("text=Ben (B) asks for a rematch.")
    table = owner.evaluate("location.hash")
    owner.click("#rematch")
    for page in (owner, friend):
        page.wait_for_function("table => location.hash !== table", arg=table)
        page.wait_for_selector(".score tr:has-text('Ben (B)')")
    owner.click("nav >> text=Play")
    owner.wait_for_selector(".saved:has-text('Ben (B) wins by concession')")
    assert "Piggles Classic" in owner.inner_text(".results tr:has-text('1')")


def numbers_of_notes(page, shown, *, last=5):
    """Close notes until there is none, and add their numbers to those that were shown."""
    while page.is_visible(".note"):
        shown.append(int(page.inner_text(".note b").split()[0]))
        page.click(".note >> text=Got it")
        if shown[-1] == last:
            break


def test_a_match_shows_its_notes_in_order_once(served, visit):
    page = visit(served.access.owner_link)
    # By these odds all five moments come.
    begin(page, seed="5")
    shown = []

    # A note that comes between the look and the press would be missed: the page does both.
    unread = "document.querySelector('.note')?.checkVisibility()"
    press = f"{unread} || document.querySelector('#pour:not([disabled])')?.click()"

    def act(page):
        numbers_of_notes(page, shown)
        page.evaluate(press)

    play_to_the_end(page, act)
    assert shown == [1, 2, 3, 4, 5]
    page.click("#rematch")
    page.wait_for_selector("#pour")
    assert not page.is_visible(".note") and not page.is_visible("#first")


def test_the_notes_can_be_skipped_and_stay_away(served, visit):
    page = visit(served.access.owner_link)
    # The first page shows all games, and the way to a first match above them.
    assert len(page.query_selector_all(".card")) == 6
    lowest = "all => Math.max(...all.map(each => each.getBoundingClientRect().bottom))"
    assert page.eval_on_selector_all("#begin-first, .card", lowest) < SIZES["desktop"][1]
    page.click("#begin-first")
    page.wait_for_selector(".note")
    page.click("text=No more notes")
    assert not page.is_visible(".note")
    page.reload()
    page.wait_for_selector("#pour")
    assert not page.is_visible(".note")
    page.click("nav >> text=Play")
    page.wait_for_selector(".card")
    assert not page.query_selector("#first")


def test_the_lobby_offers_levels_and_house_rules_with_their_meaning(served, visit):
    page = visit(served.access.owner_link, size=SIZES["phone"])
    page.click("nav >> text=Play")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    for image in page.query_selector_all(".card img"):
        assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.click(".card:has-text('Piggy Six')")

    def offered():
        seat = page.query_selector_all("#panel .fields select")[1]
        return [option.inner_text() for option in seat.query_selector_all("option")]

    assert offered() == ["a person", *Level]
    page.click("summary:has-text('Who the computer is')")
    page.check("text=offer all agents, by name")
    assert offered()[: len(Level) + 1] == ["a person", *Level]
    assert "expectimax" in offered()
    page.click("summary:has-text('House rules')")
    page.fill(".rule:has-text('target') input", "20")
    assert page.is_visible("summary:has-text('House rules (1 changed)')")
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".score")
    assert record_of(served).header.house_rules["target"] == 20


def test_a_record_of_a_person_is_reviewed_before_its_end_and_tried_otherwise(
    served, visit, tmp_path
):
    played = pigglesim.play_match(chance="tabular", seed=7, agents=["greedy", "uniform"])
    header = replace(played.record.header, agents={Seat.A: "human", Seat.B: "greedy"})
    write_record(replace(played.record, header=header), tmp_path / "own.txt")
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.set_input_files("input[type=file]", tmp_path / "own.txt")
    page.wait_for_selector(".field:has-text('pace')")
    assert not page.is_visible("text=Invite")
    page.click("text=Review the match")
    page.wait_for_selector(".curve")
    # The result of the match does not lie on what is reviewed, and the curve has a name.
    assert not page.query_selector("#ending")
    assert page.is_visible("h3:has-text('Win probability') + p:has-text('of A (South)')")
    page.click("text=See that moment")
    page.wait_for_selector("#caption:has-text('Before Round ')")
    page.click("summary:has-text('Every decision')")
    page.click(".wide td button >> nth=0")
    page.click("text=What if?")
    page.wait_for_selector("caption:has-text('Share of the win')")
    assert " by own mistakes" in page.inner_text("#panel")
    page.click("summary:has-text('How this adds up')")
    assert "at the start" in page.inner_text("#panel")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#caption:has-text('Before Round 1, B (North): ')")


def squares_of(page):
    """Return the words for each square that a page shows."""
    squares = page.query_selector_all("#felt .square")
    return {each.get_attribute("data-id"): each.get_attribute("title") for each in squares}


def squares_of_state(view, state):
    board, *_ = view.table(state, None)
    return {
        square.id: ": ".join([square.id, *(piece.words for piece in square.pieces)])
        for row in board.squares
        for square in row
    }


def test_a_review_of_piggyback_shows_the_board_before_each_decision(served, visit, tmp_path):
    record = pigglesim.play_match("piggyback", agents="uniform", chance="fair", seed=6).record
    last = next(k for k, entry in enumerate(record.entries) if entry == record.decisions[5])
    some = interrupted_record(record.header, record.entries[: last + 1])
    write_record(some, tmp_path / "some.txt")
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.set_input_files("input[type=file]", tmp_path / "some.txt")
    page.click("text=Review the match")
    page.wait_for_selector(".curve")
    page.click("summary:has-text('Every decision')")
    shown, view = [], make_view(game_of(record))
    for number in (0, 5):
        page.click(f".wide td button >> nth={number}")
        point = branch_at(record, number)
        action = point.game.parse_action(point.decision.action)
        played = view.action_text(point.before.state, action)
        page.wait_for_selector(f"#caption:has-text('Turn {number + 1}, '):has-text('{played}')")
        shown.append(squares_of(page))
    for number, texts in zip((0, 5), shown, strict=True):
        assert texts == squares_of_state(view, branch_at(record, number).before.state)
    assert shown[0] != shown[1]
    page.click("text=the end")
    final = squares_of_state(view, replay(some).state)
    wait_for(lambda: squares_of(page) == final)
    assert not page.is_visible("text=What if?")


def test_a_unit_is_moved_by_two_presses_on_the_board(served, visit):
    page = visit(served.access.owner_link)
    page.click("nav >> text=Play")
    page.click(".card:has-text('Piggyback')")
    page.click("text=More choices")
    page.select_option(".field:has-text('rolls') select", "fair")
    page.fill(".field:has-text('seed') input", "3")
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".choices button")
    page.mouse.move(1, 1)  # off the board: the unit under the mouse would show its own moves
    open_ids = {each.get_attribute("data-id") for each in page.query_selector_all("#felt .open")}
    assert open_ids == {f"{letter}1" for letter in "bcdefg"}
    page.hover(".choices button[aria-label='b1 to b2']")
    lit = [each.get_attribute("data-id") for each in page.query_selector_all("#felt .lit")]
    assert sorted(lit) == ["b1", "b2"]
    page.click("[data-id=h8]")
    page.click("[data-id=c1]")
    assert page.query_selector("#felt .lit").get_attribute("data-id") == "c1"
    page.keyboard.press("Escape")
    assert not page.query_selector("#felt .lit")
    page.click("[data-id=c1]")
    page.click("[data-id=c2].open")
    page.wait_for_selector("ol.log li:has-text('Red: c1 to c2')")


SHORT = {
    "Piggyback": {"quiet cap": "4"},
    "Piggy Six": {"target": "15"},
    "Pig Pile": {"turn cap": "12"},
    "Lord of the P.I.G.S.": {"turn cap": "1"},
}
"""House rules under which a match of a game is short."""


def begin_under(page, game, rules, *, seed="3", practice=False):
    """Begin a match with a fixed seed under house rules, with agents that show no motion."""
    page.click("nav >> text=Play")
    page.click(f".card:has-text('{game}')")
    page.click("summary:has-text('More choices')")
    page.fill(".field:has-text('seed') input", seed)
    page.set_checked(".field:has-text('practice') input", practice)
    page.select_option(".field:has-text('pace') select", label="at once")
    if page.is_visible(".field:has-text('rolls')"):
        odds = page.eval_on_selector(
            ".field:has-text('rolls') select", "list => list.options[list.length - 1].value"
        )
        page.select_option(".field:has-text('rolls') select", odds)
    page.click("summary:has-text('House rules')")
    for name, value in rules.items():
        # Two rules may begin with the same words.
        page.fill(f".rule:has(span:text-is('{name}')) input", value)
    page.click("button:has-text('Begin')")
    page.wait_for_selector(".score td")


def press_point(page, point):
    if point is not None:
        page.mouse.click(*point)
    return point is not None


OPEN_PIECE = """() => {
  // A point of a piece or square that can be pressed, where nothing else covers it.
  const nodes = [...document.querySelectorAll("#felt [data-id].open, #felt [data-id].near")];
  for (const node of nodes) {
    const box = node.getBoundingClientRect();
    for (const [x, y] of [[.5, .5], [.15, .3], [.1, .6], [.85, .5], [.5, .9]]) {
      const at = [box.left + x * box.width, box.top + y * box.height];
      const hit = document.elementFromPoint(...at)?.closest("[data-id]");
      if (hit?.dataset.id === node.dataset.id && !hit.matches(".lit")) return at;
    }
  }
  return null;
}"""


@pytest.mark.parametrize("game", SHORT)
def test_a_match_of_each_game_is_played_by_presses_on_its_table(served, visit, game):
    page = visit(served.access.owner_link)
    begin_under(page, game, SHORT[game])
    pressed = []

    def press(page):
        for button in (".menu button", "#go-on"):
            if page.is_visible(button):
                page.click(button)
                return
        # Choices that do not fit what is pressed are hidden.
        if page.is_visible("#panel .choices button:not([disabled]):visible"):
            pressed.append(press_point(page, page.evaluate(OPEN_PIECE)))
            page.mouse.move(1, 1)
            if not pressed[-1]:
                # What touches nothing on the table has only its button.
                page.click("#panel .choices button:not([disabled]) >> nth=-1")

    play_to_the_end(page, press)
    assert any(pressed)
    assert record_of(served).footer.result is not None


def press_a_key(page):
    """Go on, throw, or take the first choice, by keys alone."""
    if page.is_visible("#go-on") or page.is_visible("#pour:not([disabled])"):
        page.keyboard.press("Enter")
    elif page.is_visible("#panel .choices button:not([disabled])"):
        many = page.locator(".choices button").count() > 9
        page.keyboard.press("1")
        if many and page.locator(".choices button:focus").count():
            page.keyboard.press("Enter")


@pytest.mark.parametrize("game", SHORT)
def test_a_match_of_each_game_is_played_by_keys(served, visit, game):
    page = visit(served.access.owner_link)
    begin_under(page, game, SHORT[game])

    play_to_the_end(page, press_a_key)
    assert record_of(served).footer.result is not None


PIGGLE = """(name) => {
  const { player } = pigglesim.table;
  const at = player.anchors[player.chapter.actors.findIndex((actor) => actor.name === name)];
  const box = document.getElementById("canvas").getBoundingClientRect();
  return at && [at.x + box.left, at.y + box.top];
}"""


LANDED = """() => {
  const { player, running } = pigglesim.table;
  const lies = player.chapter.actors.findIndex((each) => each.points > 0);
  return !running && player.still && player.anchors[lies] ? player.chapter.actors[lies].name : "";
}"""
"""Name of a Piggle on the board that scores points, when no film is running."""


def test_modern_is_played_to_its_end_by_keys(served, visit):
    page = visit(served.access.owner_link)
    begin_under(page, "Piggles Modern", {"rounds": "2"}, seed="5")
    page.evaluate("document.activeElement.blur()")

    play_to_the_end(page, press_a_key)
    assert record_of(served).footer.result is not None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_screens_of_all_sizes_by_day_and_by_night(served, visit, scheme):
    page = visit(served.access.owner_link, color_scheme=scheme)
    begin(page, game="Pig Pile", rolls="", offered="#panel .choices button")
    for place in ("match", "play", "throw", "study"):
        if place != "match":
            page.click(f"nav >> text={place}")
        for width, height in ((1280, 720), (1920, 1080), (820, 1180), (390, 844), (844, 390)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (place, width)
            # What is pressed first is on the screen.
            first = page.locator("#panel button:visible").first.bounding_box()
            assert 0 <= first["y"] < height - first["height"], (place, width)
            # A page by night is dark, by day light.
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (int(re.findall(r"\d+", paper)[0]) < 128) == (scheme == "dark")


def test_modern_is_played_to_its_end_by_presses_on_its_piggles(served, visit):
    page = visit(served.access.owner_link)
    begin_under(page, "Piggles Modern", {"rounds": "3"}, seed="5")
    page.evaluate("document.querySelector('#labels').hidden = true")  # they may cover a Piggle
    acted = []

    def press(page):
        for button in (".menu button", "#go-on", "#pour:not([disabled])"):
            if page.is_visible(button):
                page.click(button)
                return
        if not page.is_visible("#panel .choices button:not([disabled])"):
            return
        who = page.evaluate("pigglesim.view.state.choices.map((each) => each.involved)")
        if who and who[0]:
            acted.append(who[0])
            for name in who[0]:
                press_point(page, page.evaluate(PIGGLE, name))
        elif page.is_visible("text=Done"):
            page.click("text=Done")

    play_to_the_end(page, press)
    played = [each.action for each in record_of(served).decisions if each.seat is Seat.A]
    acts = [action for action in played if action.startswith("act")]
    assert len(acts) >= 2
    assert all(" ".join(pair) in " ".join(acts) for pair in acted)


def test_a_finger_drags_a_unit_to_its_square(served, visit):
    page = visit(served.access.owner_link, size=SIZES["phone"], has_touch=True)
    begin_under(page, "Piggyback", {})
    page.wait_for_selector(".choices button")
    start, end = (
        page.locator(f"#felt .square[data-id={square}]").bounding_box() for square in ("c1", "c2")
    )
    points = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in (start, end)]
    (x, y), (to_x, to_y) = points
    touch = finger_on(page)
    touch("touchStart", x, y)
    for k in range(1, 6):
        touch("touchMove", x + (to_x - x) * k / 5, y + (to_y - y) * k / 5)
    # The legal squares are lit while the unit is in the hand.
    assert page.query_selector("[data-id=c2].open") is not None
    touch("touchEnd")
    page.wait_for_selector("ol.log li:has-text('Red: c1 to c2')")
    assert page.evaluate("scrollY") == 0


def test_a_long_press_of_a_finger_says_colour_and_rune(served, visit):
    page = visit(served.access.owner_link, size=SIZES["phone"], has_touch=True)
    begin_under(page, "Piggles Modern", {})
    page.click("#pour:not([disabled])")
    page.wait_for_selector(".log li:has-text('Landed')")
    page.wait_for_selector("#pour:not([disabled]), .choices button:not([disabled])")
    name = wait_for(lambda: page.evaluate(LANDED))
    touch = finger_on(page)
    touch("touchStart", *page.evaluate(PIGGLE, name))
    page.wait_for_selector(".tip:visible")
    said = page.inner_text(".tip").lower()
    touch("touchEnd")
    words = next(iter(served.server.matches.values())).session.view.marks
    state = next(iter(served.server.matches.values())).session.state
    assert words(state)[name].words in said and name.lower() in said
    # The words stay for reading, until the next touch.
    assert page.is_visible(".tip")


def test_a_match_goes_on_after_the_server_was_killed(tmp_path, visit):
    with serving(tmp_path) as served:
        page = visit(f"{served.address}/#token={served.secret}")
        begin(page, seed="1")  # of some seeds all six land Snout-Up, and nothing is left to throw
        click(page)
        page.wait_for_selector("ol.log li")
        served.process.kill()
        page.wait_for_selector("#lost:not([hidden])")
        assert "comes back by itself" in page.inner_text("#lost")
    with serving(tmp_path):
        page.wait_for_selector("#lost", state="hidden")
        page.wait_for_selector("#pour, #go-on, .choices button")  # as far as it was when killed
        assert page.query_selector("ol.log li") is not None
    (file,) = tmp_path.glob("*.jsonl")
    assert read_record(file).entries


def test_keys_turn_the_table_and_a_foreign_file_is_refused_in_a_line(served, visit):
    page = visit(served.access.owner_link + "/throw", color_scheme="dark")
    page.wait_for_selector("canvas#stage")
    page.focus("canvas#stage")
    before = page.evaluate("pigglesim.table.player.camera.azimuth")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("pigglesim.table.player.camera.azimuth") > before
    page.click("nav >> text=Play")
    foreign = {"name": "x.jsonl", "mimeType": "text/plain", "buffer": b'{"a": "<b>no</b>"}'}
    page.set_input_files("input[type=file]", foreign)
    page.wait_for_selector(".fault")
    assert "\n" not in page.inner_text(".fault") and page.query_selector(".fault b") is None


@contextmanager
def other_server():
    """Run another server of this machine, which notes the headers and the paths that it gets."""
    heard = []

    class Notes(BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(f"{self.path}\n{self.headers}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>other</title>")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Notes) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/", heard
        server.shutdown()


def test_another_server_of_the_machine_gets_no_secret(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.wait_for_selector("canvas#stage")
    with other_server() as (address, heard):
        page.goto(address)
        page.wait_for_function("document.title === 'other'")
        assert page.evaluate("[document.cookie, sessionStorage.length, localStorage.length]") == [
            "",
            0,
            0,
        ]
    assert heard and not any(served.secret in each for each in heard)
    page.go_back()
    page.wait_for_selector("canvas#stage")


def test_a_tab_without_a_link_says_so_and_takes_one(served, visit):
    page = visit(served.address)
    page.wait_for_selector("text=This tab has no valid link")
    page.goto(f"{served.address}/#token={'x' * 32}")
    page.wait_for_selector("#lost:not([hidden])")
    assert "no valid link" in page.inner_text("#lost")
    page.goto(served.access.owner_link)
    page.wait_for_selector(".card")
    assert page.is_hidden("#lost") and "token" not in page.url


def test_the_owner_and_a_friend_share_a_browser(served, visit):
    owner = visit(served.access.owner_link)
    links = invitations(owner)
    friend = owner.context.new_page()
    friend.goto(links[0])
    friend.wait_for_selector("text=A (South) is to move.")
    watcher = owner.context.new_page()
    watcher.goto(links[1])
    watcher.wait_for_selector(".score")
    owner.reload()
    owner.wait_for_selector("#pour")
    for page in (friend, watcher):
        page.reload()
        page.wait_for_selector("text=A (South) is to move.")
        assert not page.is_visible("nav >> text=Play")


@pytest.mark.parametrize("players", [2, 4, 8])
def test_cards_of_all_players_fit_on_a_phone_on_its_side(served, visit, players):
    page = visit(served.access.owner_link, size=(844, 390), reduced_motion="reduce")
    page.click(".card:has-text('Pig Pile')")
    page.click("summary:has-text('More choices')")
    page.select_option(".field:has-text('number of players') select", str(players))
    page.fill(".field:has-text('seed') input", "7")
    page.click("button:has-text('Begin')")
    page.wait_for_selector("#felt .card.mine")
    low, right = page.evaluate("""(() => {
      const all = [...document.querySelectorAll("#felt .thing")];
      const most = (edge) => Math.max(...all.map((each) => each.getBoundingClientRect()[edge]));
      return [most("bottom"), most("right")];
    })()""")
    room = page.locator("#felt").bounding_box()
    assert low <= room["y"] + room["height"] and right <= room["width"]
    assert page.evaluate("document.querySelector('#felt').scrollHeight") <= room["height"] + 1


def test_piles_that_are_watched_fit_on_a_phone(served, visit, tmp_path):
    rules = {"players": 2, "rounds": 1}
    played = pigglesim.play_match("pig_pile", chance="fair", house_rules=rules, seed=5)
    write_record(played.record, tmp_path / "pile.txt")
    page = visit(served.access.owner_link, size=SIZES["phone"], reduced_motion="reduce")
    page.click("nav >> text=Play")
    page.set_input_files("input[type=file]", tmp_path / "pile.txt")
    page.wait_for_selector("#felt .slot >> nth=2")
    edges = page.evaluate("""[...document.querySelectorAll("#felt .slot")]
        .map((each) => each.getBoundingClientRect()).map((box) => [box.left, box.right]).sort(
            ([one], [other]) => one - other)""")
    assert len(edges) == 3
    # From left to right, side by side on the table.
    across = [0.0, *(edge for pair in edges for edge in pair), float(SIZES["phone"][0])]
    assert across == sorted(across)


def test_throws_and_studies_are_downloaded_with_the_secret(served, visit):
    page = visit(served.access.owner_link + "/throw")
    page.click("#panel button.main:not([disabled])")
    page.wait_for_selector(".result .chip")
    with page.expect_download() as loaded:
        page.click(".result .chip:has-text('picture')")
    assert loaded.value.suggested_filename == "throw.png"
    assert Path(loaded.value.path()).read_bytes().startswith(b"\x89PNG")
    page.click("nav >> text=Study")
    page.click(".card:has-text('On ice')")
    page.wait_for_selector(".result code:has-text('--factor friction=0.05')")
    page.click("button:has-text('Stop')")
    page.wait_for_selector("text=Stopped")
    page.select_option(".field:has-text('model') select", "d6")
    page.select_option(".field:has-text('precision') select", "0.02")
    page.click("#panel button.main")
    page.wait_for_selector(image := "img.map[src^='blob:']")
    script = "image => image.decode().then(() => image.naturalWidth)"
    assert page.eval_on_selector(image, script) > 100
    with page.expect_download() as loaded:
        page.click("text=the whole report")
    assert b"</html>" in Path(loaded.value.path()).read_bytes()
