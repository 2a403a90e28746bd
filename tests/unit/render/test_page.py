"""The page that plays rolls, in a real browser: it plays, it tells the truth, it harms nobody."""

import io
import re
import time

import numpy as np
import pytest
from PIL import Image

from pigglesim.landing import Seat
from pigglesim.render.page import WEB, TextTable
from pigglesim.render.web_page import Chapter, film_page
from pigglesim.rotations import angle_between
from tests.support.browser import Browser
from tests.unit.render.conftest import HOSTILE

READY = "window.pigglesim !== undefined"
LARGEST = 600_000
SIZE = (460, 520)


def page_of(*stages, **more):
    chapters = [
        Chapter(stage=stage, title=f"{HOSTILE} {number}", story=[HOSTILE, f"story {number}"])
        for number, stage in enumerate(stages, start=1)
    ]
    return film_page(
        chapters, title=HOSTILE, subtitle=HOSTILE, facts=dict(stages[0].film.origin), **more
    )


@pytest.fixture(scope="module")
def one(hostile, tmp_path_factory):
    file = tmp_path_factory.mktemp("one") / "roll.html"
    file.write_text(page_of(hostile))
    return file


@pytest.fixture(scope="module")
def many(stage, hostile, tmp_path_factory):
    columns, rows = ["", "1", "end"], [[HOSTILE, "1", "2"]]
    score = TextTable(caption="Points", columns=columns, rows=rows, owners=[Seat.A])
    file = tmp_path_factory.mktemp("many") / "match.html"
    file.write_text(page_of(stage, hostile, scoreboard=score))
    return file


@pytest.fixture(scope="module")
def browser():
    with Browser(size=SIZE) as browser:
        browser.screen(*SIZE)
        yield browser


@pytest.fixture
def opened(browser, one):
    browser.said.clear()
    browser.asked.clear()
    browser.open(one, until=READY)
    return browser


def faults(browser):
    return [said for said in browser.said if said[0] in {"error", "exception", "assert"}]


def picture(browser):
    """Return what the stage shows, as numbers, shape [height, width, 3]."""
    browser.wait("document.getAnimations().length === 0")  # labels appear one after the other
    image = Image.open(io.BytesIO(browser.screenshot())).convert("RGB")
    box = browser.run(
        "(({x, y, right, bottom}) => [x, y, right, bottom])(stage.getBoundingClientRect())"
    )
    return np.asarray(image.crop([round(edge) for edge in box]), dtype=float)


@pytest.mark.slow
def test_it_loads_and_plays_without_an_error_and_requests_nothing(opened, one):
    assert opened.run("pigglesim.playing")
    opened.wait("pigglesim.time > 0.2")
    opened.wait("!pigglesim.playing")
    end = opened.run("pigglesim.time")
    opened.wait(f"document.getElementById('time').textContent.startsWith('{end:.2f} / ')")
    assert faults(opened) == []
    assert opened.asked == [one.as_uri()]


@pytest.mark.slow
def test_what_is_shown_is_where_the_film_has_it(opened, hostile):
    film = hostile.film
    opened.run("pigglesim.pause()")
    rng = np.random.default_rng(2)
    for moment in [0.0, 99.0, *rng.uniform(0.0, film.end - film.start, 12)]:
        opened.run(f"pigglesim.seek({moment})")
        still = film.at(min(film.start + moment, film.end))
        for k in range(len(film.actors)):
            pose = opened.run(f"pigglesim.poseOf({k})")
            assert np.linalg.norm(np.array(pose["position"]) - still.positions[k]) < 5e-5
            turned = angle_between(np.array(pose["rotation"]), still.rotations[k])
            assert np.degrees(turned) < 0.1


@pytest.mark.slow
def test_the_bar_scrubs_and_keys_move(opened, hostile):
    length = hostile.film.end - hostile.film.start
    opened.press(" ", text=" ")
    assert not opened.run("pigglesim.playing")
    opened.run("scrub.value = 5000; scrub.dispatchEvent(new Event('input'))")
    assert opened.run("pigglesim.time") == pytest.approx(length / 2, abs=1e-3)
    opened.press("End")
    assert opened.run("pigglesim.time") == pytest.approx(length, abs=1e-3)
    opened.press("Home")
    assert opened.run("pigglesim.time") == 0.0
    opened.press("ArrowRight")
    assert opened.run("pigglesim.time") == pytest.approx(0.02)
    opened.press("k")
    beats = sorted(impact.time - hostile.film.start for impact in hostile.film.impacts)
    assert beats
    assert opened.run("pigglesim.time") == pytest.approx(beats[0], abs=1e-3)
    opened.run("speed.value = '0.25'; speed.dispatchEvent(new Event('change'))")
    opened.press("+")
    opened.wait("speed.value === '0.5'")
    opened.press(" ", text=" ")
    opened.wait(f"pigglesim.time > {beats[0] + 1e-3}")  # on a busy machine to its very end
    opened.press("?")
    assert opened.run("help.open")
    assert opened.run("document.querySelectorAll('#help-keys dt').length") >= 20
    assert faults(opened) == []


@pytest.mark.slow
def test_the_picture_at_the_end_is_drawn_when_the_film_ends(opened):
    opened.run("""(() => {
        const labels = () => [...document.querySelectorAll("#labels b")].map((b) => b.textContent);
        const look = (now) => {
            // A slow picture, in whose time the film ends.
            while (performance.now() < now + 400);
            if (pigglesim.playing) requestAnimationFrame(look);
            else window.seen = labels();
        };
        pigglesim.seek(0);
        speed.value = "8";
        speed.dispatchEvent(new Event("change"));
        pigglesim.play();
        requestAnimationFrame(look);
    })()""")
    opened.wait("window.seen")
    seen = opened.run("window.seen")
    opened.wait("pigglesim.still")
    assert seen == opened.run("[...document.querySelectorAll('#labels b')].map(b => b.textContent)")


@pytest.mark.slow
def test_the_picture_changes_with_time_and_with_the_eye(opened):
    opened.run("pigglesim.pause(); pigglesim.seek(0)")
    seen = {}
    for name, script in {
        "start": "pigglesim.seek(0)",
        "end": "pigglesim.seek(99)",
        "again": "pigglesim.seek(99)",
        "above": "view.value = 'top'; view.dispatchEvent(new Event('change'))",
    }.items():
        opened.run(script)
        opened.wait("pigglesim.still")
        seen[name] = picture(opened)
    # Meadow, sand, pink: more than a ground of one colour.
    assert len(np.unique(seen["end"].reshape(-1, 3) // 16, axis=0)) > 40
    assert np.abs(seen["start"] - seen["end"]).mean() > 3.0
    assert np.abs(seen["again"] - seen["end"]).mean() < 0.5
    assert np.abs(seen["above"] - seen["end"]).mean() > 3.0
    x, y = opened.run("(({x, y}) => [x + 100, y + 100])(stage.getBoundingClientRect())")
    opened.drag((x, y), (x + 120, y + 50))
    opened.wait("pigglesim.still")
    assert np.abs(picture(opened) - seen["above"]).mean() > 3.0


@pytest.mark.slow
def test_a_still_page_requests_no_frames_until_something_happens(opened):
    opened.run(
        "window.asked = 0; const ask = requestAnimationFrame;"
        "window.requestAnimationFrame = (deed) => { asked += 1; return ask(deed); };"
    )
    for waker in (
        "play.click()",
        "view.value = 'low'; view.dispatchEvent(new Event('change'))",
        "player.style.height = '300px'",
    ):
        opened.run("pigglesim.pause()")
        opened.wait("pigglesim.still")
        asked = opened.run("asked")
        time.sleep(0.3)
        assert opened.run("asked") == asked
        opened.run(waker)
        opened.wait(f"asked > {asked}")
    opened.wait("pigglesim.still")
    asked = opened.run("asked")
    opened.screen(*SIZE, dark=True)
    opened.wait(f"asked > {asked}")
    opened.screen(*SIZE)


@pytest.mark.slow
def test_motion_has_fewer_pixels_without_a_graphics_card_and_rest_has_all(opened):
    full = opened.run("stage.clientWidth")
    # A machine may draw a picture as small as this one fast enough.
    opened.send("Emulation.setCPUThrottlingRate", rate=40)
    opened.run("speed.value = '0.0625'; speed.dispatchEvent(new Event('change'))")
    opened.run("pigglesim.seek(0); pigglesim.play()")
    opened.wait(f"stage.width < 0.6 * {full}")
    opened.send("Emulation.setCPUThrottlingRate", rate=1)
    opened.run("pigglesim.pause()")
    opened.wait("pigglesim.still")
    assert opened.run("stage.width") == full
    warnings = [said for said in opened.said if "INVALID" in str(said)]
    assert warnings == []


@pytest.mark.slow
def test_no_script_but_its_own_may_run(opened):
    opened.run(
        "document.body.insertAdjacentHTML('beforeend', '<b onclick=\"window.hacked = 1\">x</b>');"
        "document.body.lastElementChild.click()"
    )
    assert opened.run("window.hacked") is None
    opened.run(
        "{const s = document.createElement('script'); s.textContent = 'window.hacked = 2';"
        "document.body.append(s)}"
    )
    assert opened.run("window.hacked") is None


@pytest.mark.slow
def test_a_match_is_described_roll_by_roll(browser, many):
    browser.said.clear()
    browser.open(many, until=READY)
    shown = "[...document.querySelectorAll('.chapter')].map((chapter) => chapter.hidden)"
    assert browser.run(shown) == [False, True]
    browser.press("]", text="]")
    assert browser.run("pigglesim.roll") == 1
    assert browser.run(shown) == [True, False]
    assert browser.run(
        "document.querySelector('.chapter:not([hidden]) .story').textContent"
    ).endswith("story 2")
    browser.run("before.click()")
    assert browser.run("pigglesim.roll") == 0
    browser.run("on.checked = true; pigglesim.turnTo(0); pigglesim.play(); pigglesim.seek(99);")
    browser.wait("pigglesim.roll === 1")
    assert browser.run("document.querySelector('#score td').textContent") == "1"
    assert faults(browser) == []


@pytest.mark.slow
def test_without_webgl_it_says_so_and_shows_drawings(one):
    with Browser(webgl=False) as browser:
        browser.open(one, until="/no WebGL 2/.test(plain.textContent)")
        assert not browser.run("plain.hidden")
        assert browser.run("player.hidden")
        assert (
            browser.run("document.querySelector('.chapter svg').getBoundingClientRect().width")
            > 200
        )
        assert faults(browser) == []


def test_a_page_of_a_pour_is_small(stage, modern):
    for each in (stage, modern):
        assert len(page_of(each).encode()) < LARGEST


def test_the_scripts_of_a_page_share_one_scope_without_a_name_twice():
    # A page on disk has them in one script.
    declared = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function\*?) (\w+)", re.M)
    names = [name for file in WEB.glob("*.js") for name in declared.findall(file.read_text())]
    shaders = {"vec3"}
    assert {name for name in names if names.count(name) > 1} - shaders == set()
