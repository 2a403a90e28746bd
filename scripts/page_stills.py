"""The pictures of the served page in docs/stills, taken in Chromium.

`scripts/make_stills` writes them after the other stills. The sheets show all games and pages in all
sizes, by day and by night: who changes the page looks at them. With the word `sheets` after the
folder only these are made.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image, ImageDraw
from playwright.sync_api import sync_playwright

from tests.support.browser import need_program
from tests.support.serving import running

_ARGUMENTS = ("--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking")
_PATIENCE = 120_000.0
"""Longest wait for a page [ms]."""
_STILL = "() => pigglesim.table.player?.still ?? true"
_SIZES = ((1280, 720), (1920, 1080), (820, 1180), (390, 844), (844, 390))
_END = "the end of a match"
_PAGES = {
    "Throw": 0,
    "Play": 0,
    "Study": 0,
    "Piggles Classic": 2,
    "Piggles Modern": 3,
    "Piggyback": 3,
    "Piggy Six": 3,
    "Pig Pile": 3,
    "Lord of the P.I.G.S.": 2,
    _END: 1,
}
"""Rows of a sheet: pages and games, and how many decisions are taken before the picture."""
_SCHEMES = {"light": "day", "dark": "night"}
_ROW, _GAP, _TITLE = 212, 8, 20
"""Height of a picture on a sheet, space around it and height of a title [pixels]."""
_ACT = """() => {
  pigglesim.table.skip();
  const all = ["#go-on", "#pour:not([disabled])", "#panel > div > .choices button:not([disabled])"];
  const button = all.map((each) => document.querySelector(each)).find(Boolean);
  button?.click();
  return button && button.id !== "go-on";
}"""
"""Take the first decision that a page offers, and say whether it did."""


def page_stills(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each picture and its PNG; matches are saved in a folder."""
    with running(folder) as served, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=need_program("chromium", "chromium-browser", "google-chrome"),
            args=_ARGUMENTS,
        )

        def opened(width: int, height: int, **more: Any) -> Any:  # noqa: ANN401 (a page)
            context = browser.new_context(viewport={"width": width, "height": height}, **more)
            context.set_default_timeout(_PATIENCE)
            page = context.new_page()
            page.goto(served.access.owner_link)
            return page

        page = opened(1280, 720)
        _begin(page, "Piggles Classic")
        page.click("#pour")
        page.click("#go-on")
        page.wait_for_selector("#pour:not([disabled])")
        yield "serve", _shot(page)
        page = opened(390, 844, color_scheme="dark")
        _begin(page, "Piggyback")
        page.wait_for_selector("#felt svg")
        yield "serve-phone", _shot(page, still=False)
        page = opened(844, 390, reduced_motion="reduce")
        _begin(page, "Piggles Classic", button="Watch agents")
        page.wait_for_selector("text=Share page")
        yield "serve-landscape", _shot(page)
        page.set_viewport_size({"width": 1280, "height": 720})
        page.click("text=Review the match")
        page.wait_for_selector(".curve")
        yield "serve-review", _shot(page)
        browser.close()


def sheets(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Yield the name of each sheet and its picture; matches are saved in a folder."""
    shots: dict[str, list[list[Image.Image]]] = {scheme: [] for scheme in _SCHEMES}
    for number, row in enumerate(_PAGES):
        # A server of its own each, so that no list has the matches of the rows before.
        with running(folder / str(number)) as served, sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=need_program("chromium", "chromium-browser", "google-chrome"),
                args=_ARGUMENTS,
            )
            page = browser.new_page()
            page.set_default_timeout(_PATIENCE)
            page.goto(served.access.owner_link)
            _go_to(page, row)
            for scheme, rows in shots.items():
                page.emulate_media(color_scheme=scheme)
                rows.append([_sized(page, width, height) for width, height in _SIZES])
            browser.close()
    for scheme, rows in shots.items():
        yield _SCHEMES[scheme], _sheet(rows)


def _go_to(page: Any, row: str) -> None:  # noqa: ANN401
    """Open the page of a row of the sheet, and play so far."""
    if _PAGES[row] == 0:
        page.click(f"nav >> text={row}")
        return
    if row == _END:
        _begin(page, "Piggles Classic", button="Watch agents", pace="at once")
        page.wait_for_selector("#ending")
        return
    _begin(page, row)
    decisions = 0
    while decisions < _PAGES[row]:
        decisions += bool(page.evaluate(_ACT))
        page.wait_for_timeout(400)
    while page.is_visible("#go-on") or not page.is_visible("#panel > div > :is(.choices, .chips)"):
        page.evaluate("pigglesim.table.skip()")
        page.evaluate("document.querySelector('#go-on')?.click()")
        page.wait_for_timeout(200)


def _sized(page: Any, width: int, height: int) -> Image.Image:  # noqa: ANN401
    """Return a picture of a page in a size, small."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(300)
    shot = Image.open(io.BytesIO(_shot(page))).convert("RGB")
    return shot.resize((round(width * _ROW / height), _ROW), Image.Resampling.LANCZOS)


def _sheet(rows: list[list[Image.Image]]) -> Image.Image:
    """Return pictures in rows, under their titles."""
    wide = max(sum(shot.width + _GAP for shot in row) for row in rows) + _GAP
    sheet = Image.new("RGB", (wide, len(rows) * (_TITLE + _ROW + _GAP)), "#8b8378")
    for number, (title, row) in enumerate(zip(_PAGES, rows, strict=True)):
        left, top = _GAP, number * (_TITLE + _ROW + _GAP)
        ImageDraw.Draw(sheet).text((left, top + 5), title, "white", font_size=13)
        for shot in row:
            sheet.paste(shot, (left, top + _TITLE))
            left += shot.width + _GAP
    return sheet


def _begin(
    page: Any,  # noqa: ANN401
    game: str,
    *,
    button: str = "Begin",
    pace: str = "normal",
) -> None:
    """Begin a match of a game with a fixed seed."""
    page.click("nav >> text=Play")
    page.click(f".card:has-text('{game}')")
    page.click("summary:has-text('More choices')")
    page.fill(".field:has-text('seed') input", "7")
    page.select_option(".field:has-text('pace') select", label=pace)
    page.click(f"button:has-text('{button}')")
    page.wait_for_selector("#panel h2")


def _shot(page: Any, *, still: bool = True) -> bytes:  # noqa: ANN401
    """Return a picture of a page once its table is drawn finely."""
    while still and not page.evaluate(_STILL):
        page.wait_for_timeout(200)
    page.wait_for_timeout(500)  # labels have appeared
    return bytes(page.screenshot())


def _main() -> None:
    folder = Path(sys.argv[1])
    with TemporaryDirectory() as matches:
        for name, png in () if sys.argv[2:] == ["sheets"] else page_stills(Path(matches)):
            _save(Image.open(io.BytesIO(png)).convert("RGB"), folder / "pages" / name, quality=75)
        for name, sheet in sheets(Path(matches)):
            _save(sheet, folder / "sheets" / name, quality=50)


def _save(image: Image.Image, path: Path, *, quality: int) -> None:
    """Save a picture; wood has too many colours for a small PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path.with_suffix(".webp"), quality=quality, method=6)
    sys.stderr.write(f"{path.parent.name}/{path.name}.webp\n")


if __name__ == "__main__":
    _main()
