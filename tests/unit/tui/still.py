"""The screen of `pigglesim play` as plain text, for the page: `python -m tests.unit.tui.still`.

It is what a terminal without colours shows after A's and B's first turns, rolled by odds so that
it comes out the same under any engine.
"""

import asyncio
import os
import tempfile
from pathlib import Path

from pigglesim.api.match import find_place
from pigglesim.cli.play import Manners, new_session
from pigglesim.tui.app import PlayApp

SIZE = (80, 26)


def still() -> str:
    """Return every line of the screen, none longer than it is."""
    kept = os.environ.get("NO_COLOR")
    os.environ["NO_COLOR"] = "1"
    try:
        with tempfile.TemporaryDirectory() as folder:
            return asyncio.run(_screen(Path(folder) / "play-12.jsonl"))
    finally:
        os.environ.pop("NO_COLOR")
        if kept is not None:
            os.environ["NO_COLOR"] = kept


async def _screen(file: Path) -> str:
    setting = new_session(
        place=find_place(None, "piggles_classic", rules={}),
        agents=("human", "human", None),
        seed=12,
        chance=("tabular", None),
        practice=False,
        out=file,
        manners=Manners(hints="greedy", speed=0.0),
    )
    app = PlayApp(setting)
    async with app.run_test(size=SIZE) as pilot:
        for key in ("a", "enter", "1", "3", "4", "6", "enter", "s", "2"):
            await pilot.press(key)
            while not (app.session.awaited and app.is_idle):
                await pilot.pause()
        await pilot.pause()
        lines = app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in lines)


if __name__ == "__main__":
    print(still())
