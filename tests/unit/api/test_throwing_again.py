"""Starts of throws as text, and pages that throw again, in a real browser."""

import base64
import json
import re
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

import pigglesim
from pigglesim.errors import SpecError
from pigglesim.landing import CupHold
from pigglesim.physics.impulse import webassembly
from pigglesim.scene.load import load_scene
from pigglesim.throws import Pour
from tests.support.browser import Browser
from tests.support.front_door import run_here
from tests.support.hands import DRIVE, mouse_moves

READY = "window.pigglesim !== undefined"


@pytest.fixture
def started(monkeypatch):
    """Return a roll whose start was drawn in Python, and that start as text."""
    starts, sample = [], Pour.sample

    def sample_and_keep(pour, bodies, *, rng):
        throw = sample(pour, bodies, rng=rng)
        path, places = throw.path, np.hstack([throw.positions, throw.rotations])
        starts.append([path.across, path.heading, path.tempo, path.phase, *places.ravel()])
        return throw

    def call(*words, **named):
        with monkeypatch.context() as patch:
            patch.setattr(Pour, "sample", sample_and_keep)
            pigglesim.roll(*words, **named)
        return text_of(starts[-1])

    return call


def text_of(numbers):
    return base64.urlsafe_b64encode(np.array(numbers, "<f4").tobytes()).decode().rstrip("=")


def numbers_of(text):
    return np.frombuffer(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), "<f4")


@pytest.mark.parametrize("seat", ["A", "B"])
def test_a_start_is_thrown_the_same_each_time(started, seat, tmp_path):
    for seed in range(4):
        start = started(6, seed=seed, seat=seat, engine="impulse", model="premium")
        throw = {"seat": seat, "engine": "impulse", "model": "premium", "start": start}
        once, twice = pigglesim.roll(6, **throw), pigglesim.roll(6, seed=9, **throw)
        assert once.landings == twice.landings
        assert once.provenance["start"] == start == once.film.origin["start"]
        assert once.seed == 0
    page = once.save(tmp_path / "roll.html").read_text()
    assert "\u00b7 start given</p>" in page


def test_a_start_that_is_none_is_refused_in_one_line(started):
    start = started(2, seed=1, engine="impulse")
    with pytest.raises(SpecError, match=r"^invalid start 'AAAA' \(expected 18 numbers in base64"):
        pigglesim.roll(2, start="AAAA")
    for bad in ("", "?", "\u00e4", "A" * 10_000, text_of([np.nan] * 18), text_of([0.0] * 18)):
        with pytest.raises(SpecError, match=r"^invalid start .*fewer|^invalid start .*copy all"):
            pigglesim.roll(2, start=bad)
    with pytest.raises(SpecError, match="invalid start"):
        pigglesim.roll(3, start=start)
    numbers = numbers_of(start)
    # Across, heading, tempo, phase, a body out of the cup, turned, below it, and on the other.
    changes = {0: 0.2, 1: 1.0, 2: 3.0, 3: 7.0, 4: 0.5, 7: 2.0, 6: 0.0}
    moved = [np.where(np.arange(18) == k, value, numbers) for k, value in changes.items()]
    moved.append(np.concatenate([numbers[:11], numbers[4:11]]))
    for values in moved:
        with pytest.raises(SpecError, match=r"^the start is not one of this hand .* from$"):
            pigglesim.roll(2, start=text_of(values))
    with pytest.raises(SpecError, match="the start is not one of this hand"):
        pigglesim.roll(2, start=start, seat="B")


def page_of(folder, **words):
    roll = pigglesim.roll(**{"seed": 7, "engine": "impulse", **words})
    return roll.save(folder / "roll.html").read_text()


def test_only_pages_that_can_throw_have_a_button_and_a_policy_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(webassembly, "module_folder", lambda: None)
    without = page_of(tmp_path)
    assert "<button" in without
    assert "Throw again" not in without
    assert "wasm" not in re.search(r'Policy" content="(.*?)"', without)[1]


@pytest.fixture(scope="module")
def module():
    """The module of these sources, made if none was."""
    if webassembly.module_folder() is None:
        subprocess.run([sys.executable, "-m", "scripts.cross_target.build"], check=True)
    assert webassembly.module_folder() is not None


HOLD = CupHold(across=0.03, back=0.09, height=0.08, heading=0.3, swing=0.4)
ROLLS = [
    {},
    {"piggles": 1, "seat": "B"},
    {"piggles": 5, "model": ("piggle", "premium", "premium_brass", "premium", "piggle")},
    {"piggles": 3, "seat": "B", "hold": HOLD},
]


def test_a_notebook_throws_again_in_a_frame_of_its_own(module):
    shown = pigglesim.roll(2, seed=7, engine="impulse")._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    assert "Throw again" in shown
    assert "Thrown here, not recorded" in shown


def test_the_page_of_another_engine_says_which_engine_throws_again(module, tmp_path):
    page = page_of(tmp_path, engine="bullet")
    assert "Throw again" in page
    assert "Thrown here by engine impulse, not recorded" in page
    assert "Engine bullet made the recorded roll." in page


def test_the_command_below_a_throw_names_the_engine_that_threw(module, tmp_path):
    file = tmp_path / "roll.html"
    run_here("roll", "2", "--seed", "7", "--engine", "bullet", "--html", str(file), "--force")
    assert '"pigglesim roll 2 --seed 7 --engine impulse --start="' in file.read_text()


def test_a_checkout_without_webassembly_says_how_to_get_the_button(tmp_path, monkeypatch):
    monkeypatch.setattr(webassembly, "module_folder", lambda: None)
    done = run_here("roll", "2", "--html", str(tmp_path / "roll.html"))
    assert "scripts/make_wasm builds what it needs" in done.stderr


@pytest.mark.slow
def test_the_page_of_a_match_throws_its_first_cup_again(module, tmp_path):
    played = pigglesim.play_match(
        agents="greedy", chance="physical", engine="impulse", seed=3, house_rules={"rounds": 1}
    )
    played.save(tmp_path / "match.html")
    with Browser(size=(460, 520)) as browser:
        browser.open(tmp_path / "match.html", until=READY)
        assert browser.run("document.getElementById('throw').textContent").startswith("Throw the")
        start = browser.run("window.drawn = pigglesim.draw(); pigglesim.throw(drawn); drawn")
        places = browser.run("pigglesim.thrown.places")
    landed = pigglesim.roll(6, engine="impulse", start=start).landings.values()
    assert places == np.ravel([(*at.place.position, *at.place.rotation) for at in landed]).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("words", ROLLS)
def test_a_page_throws_with_the_bits_of_python(module, tmp_path, words):
    page = page_of(tmp_path, **words)
    assert len(page) < 600_000
    policy = re.search(r'Policy" content="(.*?)"', page)[1]
    assert re.search(r"script-src 'sha256-[^']*' 'wasm-unsafe-eval';", policy)
    with Browser(size=(460, 520)) as browser:
        browser.open(tmp_path / "roll.html", until=READY)
        browser.run("pigglesim.pause()")
        for _ in range(5):
            browser.run("window.drawn = pigglesim.draw(); pigglesim.throw(drawn)")
            start = browser.run("drawn")
            roll = pigglesim.roll(**{"engine": "impulse", **words}, start=start)
            places = browser.run("pigglesim.thrown.places")
            landed = [(*at.place.position, *at.place.rotation) for at in roll.landings.values()]
            assert places == np.ravel(landed).tolist()
            film = browser.run(
                "(({positions, times}) => [Array.from(positions), times.length])"
                "(pigglesim.thrown.film)"
            )
            positions = roll.film.frames.positions.astype(np.float32)
            shown = np.reshape(film[0], (film[1], -1, 3))[:, : len(roll.landings)]
            assert np.array_equal(shown, positions)
            texts = browser.run(
                "pigglesim.thrown.actors.map((actor) => [actor.points, actor.rest])"
            )
            rests = (roll.film.frames.rest_times()).tolist()
            assert texts == [
                [points, pytest.approx(rest, abs=0.0021)]
                for points, rest in zip(roll.points.values(), rests, strict=True)
            ]
        assert not [said for said in browser.said if said[0] in {"error", "exception"}]


@contextmanager
def hand_in_a_page(folder, piggles):
    """Open the page of a roll whose cup has been taken, with the script that moves it."""
    page_of(folder, piggles=piggles)
    with Browser(size=(460, 520)) as browser:
        browser.open(folder / "roll.html", until=READY)
        browser.run("pigglesim.pause(); document.getElementById('take').click()")
        browser.wait("pigglesim.hand.thrower?.time > 0.7")
        browser.run(DRIVE)
        yield browser


@pytest.mark.slow
def test_paths_of_a_mouse_have_the_bits_of_python_in_every_pose(module, tmp_path):
    with hand_in_a_page(tmp_path, 4) as browser:
        for seed in range(200):
            rng = np.random.default_rng(seed)
            moves = mouse_moves(rng, rng.uniform(10.0, 120.0))
            thrown = browser.run(f"drive({json.dumps(moves)}, 60)")
            roll = pigglesim.roll(4, engine="impulse", start=thrown["start"])
            landed = [(*at.place.position, *at.place.rotation) for at in roll.landings.values()]
            assert thrown["places"] == np.ravel(landed).tolist()
            assert thrown["points"] == list(roll.points.values())
            positions = roll.film.frames.positions.astype("<f4")
            film = np.frombuffer(base64.b64decode(thrown["film"]), "<f4")
            assert np.array_equal(film.reshape(len(positions), -1, 3)[:, :4], positions)
        text = thrown["start"]
        for bad in (text[:-2], text.replace("hand.", "hand.A")):
            browser.run(f"location.hash = 'start={bad}'")
            browser.wait("!document.getElementById('bad').hidden")


@pytest.mark.slow
def test_few_moves_of_a_mouse_throw_as_many_do(module, tmp_path):
    with hand_in_a_page(tmp_path, 6) as browser:
        for seed in range(20):
            throws = [
                browser.run(f"drive({json.dumps(mouse_moves(rng, rate))}, {frames})")
                for rate, frames in ((120, 60), (10, 60), (10, 10))
                for rng in [np.random.default_rng(seed)]
            ]
            many, few, slow = ((throw["swing"], throw["heading"]) for throw in throws)
            # The last move of a flick is one of a tenth of a second.
            assert few == pytest.approx(many, abs=0.15)
            assert slow == pytest.approx(few)
            for throw in throws:
                x, y = np.reshape(throw["places"], (6, 7))[:, :2].T
                assert np.any(np.maximum(np.abs(x), np.abs(y)) < 0.165)


_OVERLONG = """
window.overlong = (move) => {
  const { hand } = pigglesim;
  hand.onRelease = () => {};
  Object.assign(hand, { thrown: false, running: true, clock: 0 });
  hand.begin();
  let time = 0;
  for (; time < 1000; time += 20) hand.moveTo(time);
  const again = hand.begin.bind(hand);
  let begun = 0;
  hand.begin = () => { begun += 1; again(); };
  do move(hand, time += 20); while (hand.held && time < 60000);
  const { thrown, pointer = null, moves } = hand;
  hand.putBack();
  return { thrown, pointer, moves, begun, shaken: time - 1000 };
};
"""
"""Script of a page that moves its cup until nobody holds it, then lays the phone down."""


@pytest.mark.slow
def test_a_phone_shaken_for_longer_than_a_path_throws_once(module, tmp_path):
    with hand_in_a_page(tmp_path, 1) as browser:
        browser.run(_OVERLONG)
        swing = "hand.swing(0.1 * Math.sin(time / 60), 0, time)"
        end = browser.run(f"overlong((hand, time) => {swing})")
    assert 5000 < end.pop("shaken") < 20000
    # It has thrown; what is laid down later begins nothing anew.
    assert end == {"thrown": True, "pointer": None, "begun": 0}


@pytest.mark.slow
def test_a_mouse_that_holds_the_cup_aside_for_longer_than_a_path_is_forgotten(module, tmp_path):
    with hand_in_a_page(tmp_path, 1) as browser:
        browser.run(_OVERLONG)
        # Two moves come at once, as a browser hands them over.
        end = browser.run("""overlong((hand, time) => {
          const place = (when) => [0.35, -0.12 + 0.05 * Math.sin(when / 60)];
          if (time < 1040) {
            const rests = { time, at: hand.at.slice(0, 2) };
            Object.assign(hand, { pointer: 1, from: null, taken: hand.at, moves: [rests, rests] });
            hand.target = rests.at;
          }
          for (const when of [time - 10, time]) hand.follows(place(when), when);
        })""")
    assert 5000 < end.pop("shaken") < 20000
    # It stands beside the board again, first by itself and then by what is laid down.
    assert end == {"thrown": False, "pointer": None, "begun": 2}


@pytest.mark.slow
def test_the_cup_of_a_page_on_disk_is_thrown_by_hand(module, tmp_path):
    page_of(tmp_path)
    hand = "pigglesim.hand"
    with Browser(size=(800, 900)) as browser:
        browser.open(tmp_path / "roll.html", until=READY)

        def mouse(kind, at):
            x, y = at
            words = {"button": "left", "buttons": 1, "clickCount": 1}
            browser.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **words)

        browser.run("document.getElementById('take').click()")
        browser.wait(f"{hand}.thrower.time > 0.7")
        parked, over = browser.run(f"""(() => {{
          const {{ at, lifted, half, canvas, table: {{ player }} }} = {hand};
          const box = canvas.getBoundingClientRect();
          return [at, [0, -0.6 * half, lifted]].map((position) => {{
            const {{ x, y }} = player.anchor({{ position }});
            return [x + box.left, y + box.top];
          }});
        }})()""")
        mouse("mousePressed", parked)
        for share in (0.3, 0.6, 1.0):
            ways = zip(parked, over, strict=True)
            mouse("mouseMoved", [a + share * (b - a) for a, b in ways])
        browser.wait(f"{hand}.lawful")
        mouse("mouseReleased", over)
        browser.wait("location.hash.startsWith('#start=hand.')")
        start, places, sum_ = browser.run(
            "[location.hash.slice(7), pigglesim.thrown.places, Number(sum.textContent)]"
        )
        roll = pigglesim.roll(engine="impulse", start=start)
        landed = [(*at.place.position, *at.place.rotation) for at in roll.landings.values()]
        assert places == np.ravel(landed).tolist()
        assert sum_ == sum(roll.points.values())
        assert start in browser.run("repeat.textContent")
        # It was seen already, and is at rest.
        assert not browser.run("pigglesim.playing")
        # Keys do the same, and Back leads to the throw before.
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="x")
        browser.send("Input.dispatchKeyEvent", type="keyUp", key="x")
        browser.wait(f"{hand}.lawful && {hand}.beat === 0")
        browser.send("Input.dispatchKeyEvent", type="keyDown", key="Enter")
        browser.wait(f"location.hash.slice(7) !== {start!r} && !{hand}")
        browser.run("history.back()")
        browser.wait(f"pigglesim.thrown.places[0] === {places[0]!r}")
        assert browser.run("location.hash.slice(7)") == start
        assert not [said for said in browser.said if said[0] in {"error", "exception"}]


@pytest.mark.slow
def test_the_address_has_the_start_and_a_bad_one_says_so(module, tmp_path):
    page_of(tmp_path)
    file = tmp_path / "roll.html"
    with Browser(size=(460, 520)) as browser:
        browser.open(file, until=READY)
        shown = "!document.getElementById('thrown').hidden"
        assert not browser.run(shown)
        browser.run("scrollTo(0, 9999)")
        browser.run("document.getElementById('throw').click()")
        browser.wait(shown)
        browser.wait("document.getElementById('stage').getBoundingClientRect().top > -1")
        start = browser.run("location.hash").removeprefix("#start=")
        places = browser.run("pigglesim.thrown.places")
        assert start in browser.run("repeat.textContent")
        assert browser.run("document.querySelector('.chapter').hidden")
        # Opened anew, by somebody else, it throws just that.
        browser.run("window.before = true; location.reload()")
        browser.wait(f"!window.before && {READY} && pigglesim.thrown !== undefined")
        assert browser.run("pigglesim.thrown.places") == places
        roll = pigglesim.roll(engine="impulse", start=start)
        total = browser.run("document.getElementById('sum').textContent")
        assert int(total) == sum(roll.points.values())
        for bad in ("", "AAAA", "%", start[:-4], start[:-4] + "f8AA"):
            browser.run(f"location.hash = 'start={bad}'")
            browser.wait("!document.getElementById('bad').hidden")
            assert not browser.run(shown)
            browser.run("location.hash = 'roll-1'")
            browser.wait("document.getElementById('bad').hidden")
        assert not [said for said in browser.said if said[0] in {"error", "exception"}]


@pytest.mark.slow
def test_a_browser_without_webassembly_replays(module, tmp_path):
    page_of(tmp_path)
    with Browser(size=(460, 520)) as browser:
        gone = "delete globalThis.WebAssembly"
        browser.send("Page.addScriptToEvaluateOnNewDocument", source=gone)
        browser.open(tmp_path / "roll.html", until=READY)
        assert browser.run("document.getElementById('throw').hidden")
        assert browser.run("pigglesim.playing")
        browser.run("location.hash = 'start=AAAA'")
        browser.wait("!document.getElementById('bad').hidden")
        assert not [said for said in browser.said if said[0] in {"error", "exception"}]


@pytest.mark.slow
def test_starts_of_a_page_are_as_random_as_those_of_python(module, tmp_path, started):
    page_of(tmp_path)
    with Browser(size=(460, 520)) as browser:
        browser.open(tmp_path / "roll.html", until=READY)
        drawn = browser.run("Array.from({ length: 1500 }, () => pigglesim.draw())")
    values = np.array([numbers_of(text) for text in drawn])
    scene = load_scene("piggles_classic")
    bodies = tuple(pigglesim.roll(6, seed=0).stage.bodies)
    rng, pour = np.random.default_rng(5), Pour(scene=scene, seat="A")
    rows = []
    for _ in range(1500):
        throw = pour.sample(bodies, rng=rng)
        path, places = throw.path, np.hstack([throw.positions, throw.rotations])
        rows.append([path.across, path.heading, path.tempo, path.phase, *places.ravel()])
    for mine, other in zip(values.T, np.array(rows, "<f4").T, strict=True):
        # Kolmogorov and Smirnov's distance; 0.001 of pairs of such samples are farther apart.
        both = np.sort(np.concatenate([mine, other]))
        gap = np.subtract(*(np.searchsorted(np.sort(one), both, "right") for one in (mine, other)))
        assert np.abs(gap).max() / 1500 < 0.0855
