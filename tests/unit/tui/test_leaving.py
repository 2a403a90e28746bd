"""The full screen when something fails, is slow, or is left: nobody waits, nothing is lost."""

from threading import Event
from time import monotonic

import pytest
from textual.widgets import OptionList

from pigglesim.games.piggles.areas import Load
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.tui.game_view import GameView
from pigglesim.tui.side_panel import Choices
from tests.scripted_chance import ScriptedChance
from tests.unit.tui.tables import at_screen, keys, session, settled, shown, until


class Unfit:
    """An agent that does what it is told instead of choosing."""

    name = "unfit"

    def __init__(self, does):
        self.does = does

    def choose(self, observation, legal_actions, *, rng):
        return self.does(legal_actions)


@pytest.mark.parametrize(("answer", "rule"), [(7, "F2"), (Load(("A1",)), "F3")])
def test_an_agent_that_fails_forfeits_and_is_told(tmp_path, answer, rule):
    agents = {Seat.A: None, Seat.B: Unfit(lambda _: answer)}
    table = session(tmp_path / "m.jsonl", agents=agents)

    async def script(app, pilot):
        await keys("a", "enter")(app, pilot)
        log = " ".join(shown(app, "log-text").split())
        assert f"B (North) forfeits ({rule}): the agent" in log
        assert "A (South) wins by forfeit" in log
        assert "The match is over" in shown(app, "guide")
        assert "B (North) has forfeited" in shown(app, "heading")
        await pilot.press("s", "a", "enter", "h")
        assert len(table.events) == 3

    at_screen(table, script)
    record = read_record(tmp_path / "m.jsonl")
    assert record.forfeit.cause.rule == rule
    assert replay(record).record == record


def test_an_agent_that_never_answers_forfeits_at_its_limit(tmp_path):
    answer = Event()
    never = Unfit(lambda legal: answer.wait(60) and legal[-2])
    agents = {Seat.A: None, Seat.B: never}
    table = session(tmp_path / "m.jsonl", agents=agents, time_limit=0.2)

    async def script(app, pilot):
        await keys("a", "enter")(app, pilot)
        assert app.is_working
        before = table.events
        # What it says after that, nobody hears.
        answer.set()
        await until(pilot, lambda: not app.is_working)
        await pilot.pause()
        assert table.events == before
        assert "more than 0.2 s" in " ".join(shown(app, "log-text").split())

    at_screen(table, script)
    assert read_record(tmp_path / "m.jsonl").forfeit.cause.rule == "F4"


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_who_leaves_waits_for_nobody(tmp_path, key):
    answer, asked = Event(), Event()

    def think(legal):
        asked.set()
        answer.wait(60)
        return legal[-2]

    table = session(tmp_path / "m.jsonl", agents={Seat.A: None, Seat.B: Unfit(think)})
    left = []

    async def script(app, pilot):
        await pilot.press("a", "enter")
        await until(pilot, asked.is_set)
        left.append(monotonic())
        await pilot.press(key)

    app = at_screen(table, script)
    assert monotonic() - left[0] < 20.0
    assert app.is_working
    answer.set()
    assert app.return_value == (0 if key == "q" else 130)
    assert len(read_record(tmp_path / "m.jsonl").entries) == 2


def test_a_fault_of_a_roll_ends_the_screen_and_is_handed_on(tmp_path):
    table = session(tmp_path / "m.jsonl", chance=ScriptedChance(()))

    async def script(app, pilot):
        await pilot.press("a", "enter")
        await until(pilot, lambda: app.fault is not None)

    assert "index out of range" in str(at_screen(table, script).fault)
    # What was played until then is saved.
    assert len(read_record(tmp_path / "m.jsonl").entries) == 1


def test_a_list_of_actions_where_a_game_is_no_choice_of_things(tmp_path):
    table = session(tmp_path / "m.jsonl", b="human", scene=None)
    table.view = GameView(table.game)

    async def script(app, pilot):
        menu = app.query_one(OptionList)
        assert menu.option_count == 64
        assert not app.query_one("#chips").display
        await pilot.press("1", "2")
        assert menu.highlighted == 11, "the twelfth, by two digits"
        await pilot.press("9")
        assert menu.highlighted == 8, "there is no 129th"
        app.query_one(Choices)._typed_at -= 60.0
        await pilot.press("3", "down", "enter")
        await settled(app, pilot)
        assert app.session.events[0].entry.action == "load A3"
        assert "Player A: load A3" in shown(app, "log-text")
        footer = {one.binding.description for one in app.screen.active_bindings.values()}
        assert {"Do it", "Concede"} <= footer
        assert "Skip" not in footer, "what lets a turn pass is in the list"

    at_screen(table, script)
