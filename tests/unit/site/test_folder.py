"""The folder that `pigglesim site` writes: what it has, its throws, and a match in a browser."""

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Page

from pigglesim import analyse
from pigglesim.api.links import link_setup
from pigglesim.api.review_message import review_message
from pigglesim.chance.physical import physical_chance
from pigglesim.errors import RecordError, SpecError
from pigglesim.landing import CupHold, RollRequest, Seat, Zone
from pigglesim.match.correspondence import replayed
from pigglesim.match.links import link_text
from pigglesim.match.record import parse_record
from pigglesim.render.page import WEB
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene
from pigglesim.site import build
from pigglesim.site.build import (
    PACKAGE,
    PYODIDE,
    _page,
    expect_own,
    expect_package,
    publish,
    write_site,
)
from pigglesim.site.data import module_text
from pigglesim.site.one_file import one_file
from pigglesim.table.puzzles import PuzzleSession, all_puzzles, puzzle_numbers
from scripts.trust.page_links import mutated_rows, played_rows, replayed_rows
from tests.support.browser import chromium
from tests.support.front_door import run_here
from tests.support.in_page import run_in_page
from tests.support.marks import expect_python, throw
from tests.unit.serve.test_firefox import firefox

_NODE = shutil.which("node")
SERVICE = Path(build.__file__).parent / "web" / "folder"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the package of Pyodide, fetched once by npm."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pigglesim-tests"
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / PACKAGE).is_file():
        if shutil.which("npm") is None:
            pytest.skip("there is no npm to fetch Pyodide with")
        place = tmp_path_factory.mktemp("npm")
        command = ["npm", "pack", f"pyodide@{PYODIDE}"]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip("npm cannot be reached")
        shutil.move(place / PACKAGE, cache / PACKAGE)
    return cache / PACKAGE


@pytest.fixture(scope="module")
def folder(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of a page."""
    if _NODE is None:
        pytest.skip("there is no node to compile with")
    place = tmp_path_factory.mktemp("site") / "play"
    write_site(place, package, note=lambda _: None)
    return place


def test_a_missing_package_is_one_line_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=f"run npm pack pyodide@{PYODIDE}"):
        expect_package(tmp_path)


def test_another_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / PACKAGE).write_bytes(b"not Pyodide")
    with pytest.raises(SpecError, match=f"is not pyodide {PYODIDE}"):
        expect_package(tmp_path)


@pytest.mark.parametrize("name", ["letter.txt", "index.html", "sw.js"])
def test_a_folder_with_other_files_stays_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("dear")
    with pytest.raises(SpecError, match="has other files; name an empty folder, or use --force"):
        write_site(tmp_path, tmp_path, note=lambda _: None)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "dear"
    with pytest.raises(SpecError, match="run npm pack"):
        write_site(tmp_path, tmp_path, overwrite=True, note=lambda _: None)


def test_the_verb_writes_into_a_folder_with_files_only_with_force(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("dear")
    with pytest.raises(SpecError, match="has other files"):
        run_here("site", tmp_path, "--pyodide", tmp_path)
    with pytest.raises(SpecError, match="run npm pack"):
        run_here("site", tmp_path, "--pyodide", tmp_path, "--force")


def test_a_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "web").symlink_to(tmp_path.parent)
    with pytest.raises(RecordError, match="web is a link"):
        expect_own(tmp_path, overwrite=True)


def _work(folder: Path, *names: str) -> Path:
    """Return a page as it is before it is put into its folder."""
    for name in ("index.html", *names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "index.html").write_text(_page())
    if "sw.js" in names:
        listed = json.dumps(sorted({"index.html", *names} - {"sw.js"}))
        service = (SERVICE / "sw.js").read_text()
        (folder / "sw.js").write_text(service.replace("[/* FILES */]", listed))
    return folder


def _names(folder: Path) -> list[str]:
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*.*"))


def test_a_later_version_removes_what_only_the_earlier_one_had(tmp_path: Path) -> None:
    place, first = tmp_path / "play", _work(tmp_path / "1", "sw.js", "web/a.js", "web/b.js")
    publish(first, place)
    (place / "CNAME.txt").write_text("a.example")
    expect_own(place, overwrite=False)
    publish(_work(tmp_path / "2", "sw.js", "web/b.js"), place)
    assert _names(place) == ["CNAME.txt", "index.html", "sw.js", "web/b.js"]
    publish(_work(tmp_path / "3"), place)
    assert _names(place) == ["CNAME.txt", "index.html"]
    expect_own(place, overwrite=False)


def test_a_list_removes_nothing_outside_the_folder(tmp_path: Path) -> None:
    place, letter = _work(tmp_path / "play", "sw.js"), tmp_path / "letter.txt"
    letter.write_text("dear")
    for names in ('["../letter.txt", "web/../../letter.txt", 3, null]', f'["{letter}"]', "[[["):
        (place / "sw.js").write_text(f"const FILES = {names};")
        publish(_work(tmp_path / "new", "sw.js"), place)
        assert letter.read_text() == "dear"


def test_the_service_worker_is_written_after_all_that_it_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(build, "write_atomically", lambda path, _: written.append(path.name))
    names = ("sw.js", "web/z.js", "table/a.json")
    sizes = publish(_work(tmp_path / "work", *names), tmp_path / "play")
    assert written == ["a.json", "z.js", "index.html", "sw.js"]
    assert sizes.keys() == {"index.html", *names}


def _thrown(matches: int) -> Iterator[tuple[int, int, RollRequest, Any]]:
    """Yield throws by turns onto what stands, as physics in Python has them."""
    scene = load_scene("piggles_classic")
    names = {f"{seat}{number}": "piggle" for seat in "AB" for number in range(1, 7)}
    chance = physical_chance(scene, names, engine="impulse", seed=0)
    for seed in range(matches):
        standing: tuple[Any, ...] = ()
        draw = generator(seed, "reference")
        for index in range(6):
            seat = Seat.A if index % 2 == 0 else Seat.B
            taken = dict(standing)
            free = [name for name in names if name[0] == seat and name not in taken]
            hold = CupHold(across=0.02, back=0.1, height=0.07, swing=float(draw.uniform(0.2, 0.9)))
            request = RollRequest(
                thrower=seat,
                piggles=tuple(free[: int(draw.integers(1, 7))]),
                standing=standing,
                hold=hold if draw.integers(2) else None,
            )
            if request.piggles:
                result = chance.with_seed(seed).roll(request, index=index)
                yield seed, index, request, result
                standing = tuple(item for item in result.landings if item[1].zone is not Zone.OFF)


_COMPARE = """
import json
import page
from dataclasses import replace
from page_data import DATA
from pigglesim.site.table import PageTable
from reference import DATA as THROWS
table, counts = PageTable(DATA, page.engine), {"equal": 0, "angle": 0, "other": 0}
for _ in range(3):
    table.warm()  # throws that nobody sees change no other
def plain(result):
    return replace(result, knocks=tuple(replace(each, angle=0.0) for each in result.knocks))
for seed, index, request, result in THROWS:
    own = table._physics(seed).answer(request, index=index)
    near = repr(plain(own)) == repr(plain(result)) and all(
        abs(a.angle - b.angle) < 1e-15 for a, b in zip(own.knocks, result.knocks))
    counts["equal" if repr(own) == repr(result) else "angle" if near else "other"] += 1
json.dumps(counts)
"""


@pytest.mark.slow
def test_throws_of_the_page_have_the_bits_of_python(folder: Path) -> None:
    throws = [*_thrown(6)]
    counts = json.loads(run_in_page(folder, _COMPARE, reference=module_text(throws)))
    assert counts["other"] == 0
    # The angle of a knock may differ in its last digit.
    assert counts["equal"] > 0.9 * len(throws) > 20


def test_the_sign_of_zero_reaches_the_rules(tmp_path: Path) -> None:
    if _NODE is None:
        pytest.skip("there is no node")
    for path in (*WEB.glob("*.js"), *SERVICE.parent.glob("*.js")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "check.js").write_text(
        'import { Engine } from "./kits.js";\n'
        "const engine = { throw: ({ places }) => ({ places, time: 0 }) };\n"
        "console.log(Engine.prototype.answer.call(engine, process.argv[2]));\n"
    )
    places = [[-0.0, 0.0, 1e-30], [0.1, -0.0, 5e-324]]
    words = [_NODE, tmp_path / "check.js", json.dumps({"places": places})]
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=True)
    # Zeros of both signs are equal, their texts are not.
    assert repr(json.loads(done.stdout)["places"]) == repr([[-0.0, 0, 1e-30], [0.1, -0.0, 5e-324]])


@pytest.mark.slow
def test_links_show_the_same_in_page_and_python(folder: Path) -> None:
    """A short run of `scripts.trust.page_links`, which raises at any difference."""
    rows = [*replayed_rows(folder, 20), *played_rows(folder, 10), *mutated_rows(folder, 100)]
    assert sum(int(row[-1]) for row in rows) >= 130


_PUZZLES = """
import json
from page_data import DATA
from pigglesim.site.table import PageTable
import given
table = PageTable(DATA, None)
def answered(number):
    opened, *_ = json.loads(table.hear(json.dumps({"do": "puzzle", "number": number})))
    wish = {"do": "decide", "table": opened["table"], "at": 0, "choice": 0}
    return json.loads(table.hear(json.dumps(wish)))[-1]["puzzle"]
json.dumps([answered(number) for number in given.NUMBERS])
"""


@pytest.mark.slow
def test_puzzles_of_the_page_are_those_of_python(folder: Path) -> None:
    games = sorted({each.game for each in all_puzzles()})
    numbers = [number for game in games for number in puzzle_numbers(game)[:5]]
    pages = json.loads(run_in_page(folder, _PUZZLES, given=f"NUMBERS = {numbers}\n"))
    for number, page in zip(numbers, pages, strict=True):
        session = PuzzleSession(number)
        session.decide(session.choices[0])
        # Midnight may pass.
        assert {**page, "today": 0, "day": 0} == {**session.document(), "today": 0, "day": 0}


_REVIEW = """
import json
import page
from page_data import DATA
from compiling import play
from pigglesim.site.review import EFFORT
from pigglesim.site.table import PageTable
import given
EFFORT.update(dict.fromkeys(EFFORT, (20, 20)))
table, analyst = PageTable(DATA, page.engine), PageTable(DATA, page.engine)
(game,) = (game for game in DATA.welcome["games"] if game["name"] == given.GAME)
play(table, game, seed=2)
def asked(do):
    return json.loads(table.hear(json.dumps({"do": do, "table": [*table.matches][0]})))[0]
analyst.hear(json.dumps(asked("review")["wish"]))
done = 0
while done < given.MOST and (answer := json.loads(analyst.step())[0])["is"] == "progress":
    done = answer["done"]
review = answer if answer["is"] == "review" else json.loads(analyst.hear('{"do": "stop"}'))[0]
json.dumps([asked("file")["text"], review])
"""


@pytest.mark.slow
@pytest.mark.parametrize("game", ["piggles_classic", "piggles_modern", "piggyback", "piggy_six"])
def test_a_review_of_the_page_equals_that_of_python(folder: Path, game: str) -> None:
    most = 4 if game == "piggyback" else 1000
    given = f"GAME, MOST = {game!r}, {most}\n"
    compiling = Path(build.__file__).with_name("compiling.py").read_text()
    text, review = json.loads(run_in_page(folder, _REVIEW, given=given, compiling=compiling))

    def progress(done: int, total: int) -> None:
        if done == most < total:
            raise KeyboardInterrupt

    by_rules: Any = {"agent": "mcts:nodes=20:code=rules", "playouts": 20}
    ours = analyse(
        parse_record(text), **({} if game == "piggy_six" else by_rules), seed=1, progress=progress
    )
    assert review == json.loads(json.dumps(review_message(ours)))


@pytest.mark.slow
def test_what_is_sent_is_small_and_names_its_own_version(folder: Path) -> None:
    packed = sum(len(gzip.compress(path.read_bytes())) for path in folder.rglob("*.*"))
    assert packed < 8e6
    service = (folder / "sw.js").read_text()
    assert "table/rules.zip" in service
    assert "FILES */" not in service
    assert '"VERSION"' not in service


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    """Serve the folder as any server of files does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def new_page() -> Iterator[Callable[[], Page]]:
    """Open pages, each of its own person; an error in one of them fails the test."""
    errors = list[str]()
    with chromium() as browser:

        def opened() -> Page:
            page = browser.new_context().new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.set_default_timeout(120_000)
            return page

        yield opened
    assert errors == []


_TURN = """() => {
    const { table } = pigglesim;
    const press = (name) => {
        const found = document.querySelector(name);
        found?.click();
        return found;
    };
    if (document.querySelector("#rematch")) return true;
    if (table.running) table.skip();
    else if (!press("#go-on")) {
        const pour = document.querySelector("#pour");
        if (!pour) press("#panel .choices button");
        else if (!pour.disabled) pour.click();
    }
    return false;
}"""


@pytest.mark.slow
def test_a_match_is_played_to_its_end_and_the_page_opens_offline(
    address: str, new_page: Callable[[], Page]
) -> None:
    page, asked = new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}#/play")
    page.get_by_role("button", name="Begin", exact=True).click()
    page.wait_for_selector("#pour")
    while not page.evaluate(_TURN):
        assert not page.locator(".fault").count(), page.inner_text(".fault")
    assert any(word in page.inner_text("#panel") for word in ("wins", "drawn", "shared"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Record").click()
    record = parse_record(Path(download.value.path()).read_text())
    assert record.footer.result is not None
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)
    # Another worker reviews the match; meanwhile, and after a stop, the table answers.
    page.get_by_role("button", name="Review the match").click()
    page.wait_for_selector("progress[value]")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("svg.curve")
    assert "600 playouts of each action by odds" in page.inner_text("#panel")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="What if?").click()
    page.wait_for_selector("#panel caption", state="attached")
    # The address names the match, which is played again from what the browser keeps.
    page.reload()
    page.wait_for_selector("#rematch")
    here = (address, "data:", f"blob:{address}")
    assert [each for each in asked if not each.startswith(here)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("<img src=x onerror=alert(1)>", "That is not the link of a match: copy all of it."),
        ("A" * 5000, "That is not the link of a match: copy all of it."),
        ("AgAA", "a link of version 2 (expected 1); use the version of pigglesim that your friend"),
    ],
)
def test_an_address_that_is_wrong_is_one_line(
    address: str, new_page: Callable[[], Page], text: str, line: str
) -> None:
    page, asked = new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}#match={text}")
    fault = page.wait_for_selector(".fault")
    assert fault is not None and fault.inner_text().startswith(line)
    assert fault.query_selector("*") is None
    assert page.evaluate("location.hash") == "#/play"
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


@pytest.mark.slow
def test_a_puzzle_is_answered_in_the_page(address: str, new_page: Callable[[], Page]) -> None:
    page = new_page()
    page.goto(address)
    page.click("#daily")
    page.click(".choices button >> nth=0")
    page.wait_for_selector(".answer .best")
    page.click("#next-puzzle")
    page.wait_for_selector(".choices button")


@pytest.mark.slow
def test_the_marks_of_a_throw_are_those_of_python(
    address: str, new_page: Callable[[], Page]
) -> None:
    page = new_page()
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{address}#/throw")
    throw(page, seed=7)
    page.click("#when")
    expect_python(page, 6, seed=7)


@pytest.mark.slow
def test_a_page_in_one_file_throws_from_disk(
    folder: Path, tmp_path: Path, new_page: Callable[[], Page]
) -> None:
    file = tmp_path / "index.html"
    file.write_text(one_file(folder, boot=(SERVICE / "one_file.js").read_text()))
    page, asked = new_page(), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.click("#begin-first")
    page.click("#pour:not([disabled])")
    page.wait_for_selector("#go-on")
    page.click("#when")
    page.wait_for_selector(".lane")
    assert [url for url in asked if not url.startswith((file.as_uri(), "data:", "blob:"))] == []


@pytest.mark.slow
def test_a_throw_is_played_in_firefox(address: str, tmp_path: Path) -> None:
    with firefox(tmp_path) as tab:
        tab.open(address)
        tab.wait("document.querySelector('#panel .cards')")
        tab.wait("document.querySelector('#panel button.main').click() ?? true")
        tab.wait("document.querySelector('#pour:not([disabled])')")
        tab.wait("document.querySelector('#pour').click() ?? true")
        tab.wait("pigglesim.view.state.at > 0")
        assert not tab.said
        assert all(url.startswith((address, "data:", "blob:")) for url in tab.asked)


_MESSAGE = """(seen) => {
    const { table, view } = pigglesim;
    const link = document.querySelector("#link")?.textContent;
    const answer = view.state?.by_link?.answer;
    if (view.state?.over) return answer ? `#match=${answer}` : "over";
    if (link && link !== seen && view.state.by_link.awaits && !table.running) return link;
    if (table.running) table.skip();
    else if (document.querySelector("#go-on")) document.querySelector("#go-on").click();
    else if (view.state?.yours && window.acted !== view.state) {
        window.acted = view.state;
        const choice = document.querySelector("#panel .choices button");
        if (!document.querySelector("#pour")) choice?.click();
        else if (view.state.load.some((each) => each.free)) {
            if (!view.chosen.size) view.all();
            view.throw();
        } else view.ask("skip");
    }
    return null;
}"""
"""Plays on; the link to send once there is another one than the last, or that the match is over."""


@pytest.mark.slow
def test_two_browsers_play_by_link_to_the_end(address: str, new_page: Callable[[], Page]) -> None:
    pages = [new_page(), new_page()]

    def made(page: Page, seen: str) -> str:
        while (link := page.evaluate(_MESSAGE, seen)) is None:
            assert not page.locator(".fault").count(), page.inner_text(".fault")
        return str(link)

    ann, bob = pages
    ann.goto(f"{address}#/play")
    ann.locator("#by-link summary").click()
    ann.get_by_role("button", name="I begin").click()
    ann.wait_for_selector("#pour")
    links = [made(ann, "")]
    bob.goto(links[0])
    bob.wait_for_selector("#link")
    links.append(made(bob, ""))
    while links[-1].startswith("http"):
        page = pages[len(links) % 2]
        page.fill("#paste", links[-1])
        page.press("#paste", "Enter")
        links.append(made(page, links[-2]))
    if links[-1] != "over":
        page = pages[len(links) % 2]
        page.fill("#paste", links[-1])
        page.press("#paste", "Enter")
        assert made(page, links[-2]) == "over"
    last = next(link for link in reversed(links) if link != "over")
    again = replayed(link_text(last), link_setup)
    assert again.fault is None
    assert again.match is not None
    assert again.match.over
