"""Keys at the wrong moment: late ones decide nothing, and those that read act at any time."""

from threading import Event

from textual.widgets import OptionList

from pigglesim.chance.tabular import FairChance
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.table.view import Line, Tone
from pigglesim.tui.app import HandOver, Page
from pigglesim.tui.widgets import Choices
from tests.unit.tui.tables import Clock, Told, at_screen, session, settled, shown, until


def six(path, *, b="human", speed=0.0, **more):
    """Return a game of Piggy Six, in which Enter rolls."""
    agents = {Seat.A: None, Seat.B: None if b == "human" else b}
    return session(
        path, game=make_game("piggy_six"), agents=agents, chance=FairChance(seed=0), scene=None,
        speed=speed, **more,
    )  # fmt: skip


def modern(path, team, **more):
    game = make_game("piggles_modern", {"team_a": team, "team_b": team})
    return session(path, game=game, scene="piggles_modern", b="human", seed=3, speed=100.0, **more)


def footer(app):
    """Return what the footer offers now."""
    return {one.binding.description for one in app.screen.active_bindings.values() if one.enabled}


def test_a_key_meant_for_a_display_that_ended_by_itself_decides_nothing(tmp_path):
    clock, table = Clock(stopped=True), six(tmp_path / "m.jsonl", speed=100.0)

    async def script(app, pilot):
        await settled(app, pilot)
        clock.ahead += 1.0
        for rolls in (1, 2):
            # The roll, its display, and the next choice, all without a key.
            await pilot.press("space")
            await settled(app, pilot)
            assert len(table.record().entries) == 2 * rolls
            for key in ("space", "enter", "d"):
                clock.ahead += 0.12
                await pilot.press(key)
                await pilot.pause()
                assert len(table.record().entries) == 2 * rolls, key
            clock.ahead += 0.2

    at_screen(table, script, settle=False, clock=clock)
    assert table.awaited is Seat.A, "by this seed no six"


def test_a_landing_stays_until_a_key_that_comes_after_it(tmp_path):
    clock, table = Clock(stopped=True), modern(tmp_path / "m.jsonl", ["red+adjacent"] * 6)

    async def script(app, pilot):
        clock.ahead += 1.0
        await pilot.press("a", "enter")
        await until(pilot, lambda: app._rolled is not None and app._job is None)
        for key in ("space", "x"):
            await pilot.press(key)
            await pilot.pause()
            assert app._rolled is not None
        clock.ahead += 0.6
        await pilot.press("x")
        await settled(app, pilot)
        # The same player acts: nothing is marked, so that no key harms by mistake.
        assert app.query_one(Choices).listed
        assert app.query_one(OptionList).highlighted is None
        await pilot.press("enter", "space")
        await pilot.pause()
        assert len(table.record().entries) == 2
        assert "Mark an entry first" in " ".join(shown(app, "notes").split())
        await pilot.press("down")
        assert app.query_one(OptionList).highlighted == 0
        await pilot.press("enter")
        await pilot.pause()
        assert len(table.record().entries) == 3

    at_screen(table, script, settle=False, clock=clock)


def test_at_one_keyboard_a_late_key_never_moves_for_the_other(tmp_path):
    clock, table = Clock(stopped=True), six(tmp_path / "m.jsonl")

    async def script(app, pilot):
        await settled(app, pilot)
        clock.ahead += 1.0
        await pilot.press("enter")
        await settled(app, pilot)
        clock.ahead += 1.0
        await pilot.press("d", "enter", "space", "d")
        await settled(app, pilot)
        assert table.awaited is Seat.B
        assert len(table.record().entries) == 3
        clock.ahead += 0.6
        await pilot.press("enter")
        await settled(app, pilot)
        assert len(table.record().entries) == 5

    at_screen(table, script, settle=False, clock=clock)


def test_a_late_key_shows_nobodys_cards(tmp_path):
    game = make_game("pig_pile", {"players": 3})
    agents = {Seat.A: None, Seat.B: None, Seat.C: Told(lambda legal: legal[0])}
    chance = FairChance(seed=9)
    table = session(tmp_path / "m.jsonl", game=game, agents=agents, chance=chance, scene=None)
    clock = Clock(stopped=True)

    async def script(app, pilot):
        await settled(app, pilot)
        clock.ahead += 1.0
        await pilot.press("1", "enter", "enter", "space")
        await pilot.pause()
        assert isinstance(app.screen, HandOver)
        clock.ahead += 0.6
        await pilot.press("enter")
        await pilot.pause()
        assert not isinstance(app.screen, HandOver)
        assert table.awaited is Seat.B

    at_screen(table, script, settle=False, clock=clock)


def test_keys_that_read_act_during_a_display_and_the_footer_offers_no_others(tmp_path):
    table = modern(tmp_path / "m.jsonl", ["red+adjacent"] * 6, practice=True)

    async def script(app, pilot):
        app._clock.ahead += 1.0
        await pilot.press("a", "enter")
        await until(pilot, lambda: app._rolled is not None and app._job is None)
        await until(pilot, lambda: footer(app) >= {"Undo", "Rules", "Keys", "Quit"})
        assert not footer(app) & {"Hint", "Roll", "Do it", "Skip", "Done", "All", "Concede"}
        app._clock.ahead += 1.0
        for key in ("r", "question_mark"):
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(app.screen, Page)
            await pilot.press("escape", "pageup", "pagedown", "plus", "minus")
            await pilot.pause()
            assert app._rolled is not None
        await pilot.press("u")
        await settled(app, pilot)
        assert table.events == ()
        assert {"Hint", "Skip", "Concede"} <= footer(app)
        assert "Undo" not in footer(app)

    at_screen(table, script)


def test_no_display_waits_for_a_key_with_an_empty_log(tmp_path):
    # The deal of Lord has no line of its own.
    game = make_game("lord_of_the_pigs")
    agents = dict.fromkeys(game.seats)
    path, chance = tmp_path / "m.jsonl", FairChance(seed=1)
    table = session(path, game=game, agents=agents, chance=chance, scene=None, speed=0.001)

    async def script(app, pilot):
        await until(pilot, lambda: app._rolled is not None)
        assert "Event" in shown(app, "log")

    at_screen(table, script, settle=False)


def test_the_answer_to_a_key_is_in_sight_below_a_long_hint(tmp_path):
    async def script(app, pilot):
        app._notes = [Line("word " * 200, Tone.NOTE)]
        await pilot.press("enter")
        await pilot.pause()
        seen = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "Choose by number" in seen

    at_screen(session(tmp_path / "m.jsonl"), script, size=(80, 24))


def test_a_hint_says_at_once_that_it_is_thinking_and_can_be_ignored(tmp_path):
    asked, answer = Event(), Event()

    class Slow(Told):
        def choose(self, observation, legal_actions, *, rng):
            asked.set()
            answer.wait(60)
            return legal_actions[0]

    table = session(tmp_path / "m.jsonl", adviser=lambda: Slow(None), practice=True)

    async def script(app, pilot):
        await pilot.press("h")
        await pilot.pause()
        assert "thinking" in shown(app, "notes")
        await until(pilot, asked.is_set)
        assert "thinking" in shown(app, "notes")
        assert "Hint (" not in shown(app, "notes")
        answer.set()
        await until(pilot, lambda: "Hint (told)" in shown(app, "notes"))
        assert "thinking" not in shown(app, "notes")
        answer.clear()
        await pilot.press("h")
        await until(pilot, lambda: app.is_working)
        await pilot.press("a", "enter")
        answer.set()
        await settled(app, pilot)
        await until(pilot, lambda: not app.is_working)
        await pilot.pause()
        assert len(table.events) > 1
        assert "Hint (" not in shown(app, "notes")

    at_screen(table, script)


def test_the_log_begins_with_the_turn_of_the_others_if_not_all_of_it_fits(tmp_path):
    game = make_game("pig_pile", {"players": 8})
    agents = dict.fromkeys(game.seats, Told(lambda legal: legal[0])) | {Seat.A: None}
    chance = FairChance(seed=9)
    table = session(tmp_path / "m.jsonl", game=game, agents=agents, chance=chance, scene=None)

    async def script(app, pilot):
        for _ in range(2):
            own = len(table.events)
            await pilot.press("1", "enter")
            await settled(app, pilot)
        first = table.view.story(table.events[own + 1])[0].text
        log, turn = app.query_one("#log"), app.query_one("#log-turn")
        await until(pilot, lambda: turn.region.y == log.content_region.y)
        assert turn.region.height > log.content_region.height
        assert shown(app, "log-turn").startswith(first)
        at = log.scroll_y
        await pilot.press("pagedown")
        await until(pilot, lambda: log.scroll_y > at)
        # What is read stays in sight while an entry is marked.
        read = log.scroll_target_y
        await pilot.press("1")
        await pilot.pause()
        await pilot.pause()
        assert log.scroll_target_y == read

    at_screen(table, script, size=(80, 24))
