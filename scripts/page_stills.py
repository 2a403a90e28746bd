"""The pictures of the served page in docs/stills/pages, taken in Chromium.

`scripts/make_stills` writes them after the other stills.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.support.browser import need_program
from tests.support.serving import running

_ARGUMENTS = ("--no-sandbox", "--enable-unsafe-swiftshader", "--disable-background-networking")
_PATIENCE = 120_000.0
"""Longest wait for a page [ms]."""
_STILL = "() => pigglesim.table.player.still"


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
        page.click("text=Review")
        page.wait_for_selector(".curve")
        yield "serve-review", _shot(page)
        browser.close()


def _begin(page: Any, game: str, *, button: str = "Begin") -> None:  # noqa: ANN401
    """Begin a match of a game with a fixed seed."""
    page.click("nav >> text=Play")
    page.click(f".card:has-text('{game}')")
    page.click("summary:has-text('More choices')")
    page.fill(".field:has-text('seed') input", "7")
    page.click(f"button:has-text('{button}')")
    page.wait_for_selector("#panel h2")


def _shot(page: Any, *, still: bool = True) -> bytes:  # noqa: ANN401
    """Return a picture of a page once its table is drawn finely."""
    while still and not page.evaluate(_STILL):
        page.wait_for_timeout(200)
    page.wait_for_timeout(500)  # labels have appeared
    return bytes(page.screenshot())


def _main() -> None:
    folder = Path(sys.argv[1]) / "pages"
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as matches:
        for name, png in page_stills(Path(matches)):
            # Wood has too many colours for a small PNG.
            file = folder / f"{name}.webp"
            Image.open(io.BytesIO(png)).convert("RGB").save(file, quality=85, method=6)
            sys.stderr.write(f"pages/{file.name}\n")


if __name__ == "__main__":
    _main()
