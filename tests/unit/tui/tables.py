"""Matches that people play set up for tests, and a screen without a terminal."""

import asyncio
from pathlib import Path
from time import monotonic

from textual.widgets import Static

from pigglesim.agents.registry import make_agent
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.play import PlaySettings, new_session
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import make_header
from pigglesim.scene.load import load_scene
from pigglesim.table.session import HUMAN, LEARNER, SaveFile, Session
from pigglesim.tui.app import PlayApp
from tests.support.simple_odds import simple_chance

TEAMS = {f"{seat}{number}": "piggle" for seat in BOARD_SEATS for number in range(1, 7)}


def players(a="human", b="greedy"):
    return {
        seat: None if name == "human" else make_agent(name)
        for seat, name in zip(BOARD_SEATS, (a, b), strict=True)
    }


class Clock:
    """A clock that a test sets forward, or stops and sets by hand."""

    def __init__(self, *, stopped=False):
        self.stopped, self.ahead = stopped, 0.0

    def __call__(self):
        return self.ahead + (0.0 if self.stopped else monotonic())


class Told:
    """An agent that does as it is told with the legal actions."""

    name = "told"

    def __init__(self, does):
        self.does = does

    def choose(self, observation, legal_actions, *, rng):
        return self.does(legal_actions)


def session(
    path=Path("/nowhere/m.jsonl"), *, a="human", b="greedy", seed=5, rules=None, game=None,
    agents=None, chance=None, scene="piggles_classic", speed=0.0,
    practice=False, position=None, **more,
):  # fmt: skip
    """Return a session without physics, saved at `path`."""
    game = game or PigglesClassic(rules=PigglesRules.from_mapping(rules or {}))
    agents, chance = agents or players(a, b), chance or simple_chance(seed=seed)
    person = LEARNER if practice else HUMAN
    names = {seat: person if agent is None else agent for seat, agent in agents.items()}
    return Session(
        game,
        header=make_header(
            game, agents=names, chance=chance, seed=seed, teams=TEAMS, position=position
        ),
        agents=agents,
        chance=chance,
        saves=SaveFile(path),
        scene=load_scene(scene) if scene else None,
        speed=speed,
        **more,
    )


def new(
    path, *, game=None, a="human", b="greedy", seed=7, chance="physical", speed=0.0, hints="greedy"
):
    """Return a session as the verb makes it, by default of Classic on real physics."""
    return new_session(
        game_setup=set_up_game(game or "piggles_classic", None, rules={}),
        agents=(a, b, None),
        seed=seed,
        chance=(chance, None),
        practice=False,
        out=path,
        settings=PlaySettings(hints=hints, speed=speed),
    )


def at_screen(table, script, size=(100, 32), *, settle=True, clock=None, ascii_only=False):
    """Run a script of key strokes and clicks at a screen, and return the app."""
    app = PlayApp(table, ascii_only=ascii_only, clock=clock or Clock())

    async def run():
        async with app.run_test(size=size) as pilot:
            if settle:
                await settled(app, pilot)
            await script(app, pilot)
        return app

    return asyncio.run(run())


async def settled(app, pilot):
    """Wait until a person is asked, or nobody is any more, and no key is late."""
    await until(pilot, lambda: (app.session.over or app.session.awaited) and app.is_idle)
    if not app._clock.stopped:
        app._clock.ahead += 1.0


async def until(pilot, true):
    for _ in range(1500):
        await pilot.pause()
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never comes true")


def shown(app, name):
    """Return the text of one part of the screen as it is seen; `log` is all of the log."""
    if name == "log":
        parts = [
            shown(app, part)
            for part in ("log-text", "log-turn")
            if app.query_one(f"#{part}").display
        ]
        return "\n".join(parts)
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
