"""Time the throws of a roll's page in a browser.

Run `python -m scripts.verification.page_throw [THROWS]`. It needs Chromium, and the WebAssembly of
`scripts/make_wasm`.
"""

import statistics
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pigglesim
from pigglesim.physics.impulse.webassembly import module_folder
from tests.support.browser import Browser

_THROW = """(() => {
  const begin = performance.now();
  pigglesim.throw(pigglesim.draw());
  pigglesim.pause();
  return performance.now() - begin;
})()"""


def main(throws: int) -> None:
    """Print the time of the first throw of a page, and quartiles of the others [ms]."""
    if module_folder() is None:
        sys.exit("no WebAssembly; run scripts/make_wasm")
    with TemporaryDirectory() as folder, Browser(size=(460, 520)) as browser:
        page = Path(folder) / "roll.html"
        pigglesim.roll(seed=1, engine="impulse").save(page)
        browser.open(page, until="window.pigglesim !== undefined")
        browser.run("pigglesim.pause()")
        first, *others = (browser.run(_THROW) for _ in range(throws + 1))
    quartiles = " to ".join(f"{each:.0f}" for each in statistics.quantiles(others)[::2])
    print(f"first throw {first:.0f} ms; {throws} others: median {statistics.median(others):.0f} ms")
    print(f"half of them took {quartiles} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2] or ["30"]))
