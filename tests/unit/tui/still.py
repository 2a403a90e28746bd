"""The screen of `pigglesim play` as plain text, for the page: `python -m tests.unit.tui.still`.

It is what a terminal without colours shows after A's and B's first turns, rolled by odds so that
it comes out the same under any engine.
"""

import tempfile
from pathlib import Path
from unittest.mock import patch

from tests.unit.tui.tables import at_screen, new, settled

SIZE = (80, 26)


def still() -> str:
    """Return every line of the screen, none longer than it is."""
    lines = []

    async def script(app, pilot):
        for key in ("a", "enter", "1", "3", "4", "6", "enter", "s", "2"):
            await pilot.press(key)
            await settled(app, pilot)
        await pilot.pause()
        lines.extend(strip.text.rstrip() for strip in app.screen._compositor.render_strips())

    with tempfile.TemporaryDirectory() as folder, patch.dict("os.environ", NO_COLOR="1"):
        file = Path(folder) / "play-12.jsonl"
        at_screen(new(file, b="human", seed=12, chance="tabular"), script, SIZE)
    return "\n".join(lines)


if __name__ == "__main__":
    print(still())
