"""A seat at a screen in a terminal that is not there: keys, clicks, and what is seen."""

import asyncio

from textual.widgets import Static

from pigglesim.tui.app import PlayApp


def at_screen(table, script, size=(100, 32), *, settle=True):
    """Run a script of key strokes and clicks at a screen, and return the app."""
    app = PlayApp(table)

    async def run():
        async with app.run_test(size=size) as pilot:
            if settle:
                await settled(app, pilot)
            await script(app, pilot)
        return app

    return asyncio.run(run())


async def settled(app, pilot):
    """Wait until a person is asked, or nobody is any more."""
    for _ in range(1000):
        await pilot.pause()
        if (app.session.over or app.session.awaited) and app.is_idle:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("nobody is ever asked")


def shown(app, name):
    """Return the text of one part of the screen as it is seen."""
    widget = app.query_one(f"#{name}", Static)
    lines = widget.render_lines(widget.outer_size.region)
    return "\n".join(strip.text.rstrip() for strip in lines)


def keys(*names):
    """Return a script that presses keys, waiting after each."""

    async def script(app, pilot):
        for name in names:
            await pilot.press(name)
            await settled(app, pilot)

    return script


async def until(pilot, true):
    for _ in range(1500):
        await pilot.pause()
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never comes true")
