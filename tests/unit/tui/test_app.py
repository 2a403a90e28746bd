"""The full screen, played by keys and by mouse in a terminal that is not there."""

from dataclasses import replace

import pytest
from textual.widgets import OptionList, Static

from pigglesim.cli.play import Manners, rematch_session
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.tui.app import KEYS, LEAST_SIZE, Page, Question
from pigglesim.tui.board import BoardWidget
from pigglesim.tui.side_panel import Choices
from tests.unit.tui.tables import at_screen, keys, new, session, settled, shown, until


def test_a_whole_match_by_keys(tmp_path):
    file = tmp_path / "m.jsonl"

    async def script(app, pilot):
        while not app.session.over:
            await pilot.press("a", "enter")
            await settled(app, pilot)
            if not app.session.over:
                await pilot.press("s")
                await settled(app, pilot)
        assert "wins" in shown(app, "log-text") or "drawn" in shown(app, "log-text")
        assert "over" in shown(app, "guide")
        final = replay(read_record(file)).state
        assert app.session.state == final
        score = shown(app, "score").splitlines()
        assert [int(line.split()[-1]) for line in score[1:]] == [final.a.score, final.b.score]
        await pilot.press("q")

    app = at_screen(session(file), script)
    assert app.return_value == 0


@pytest.mark.slow
def test_a_load_by_mouse(tmp_path):
    async def script(app, pilot):
        for name in ("#chip-2", "#chip-5", "#chip-6", "#chip-5"):
            await pilot.click(name)
        assert app.query_one(Choices).chosen == {"A2", "A6"}
        await until(pilot, lambda: "Roll 2" in shown(app, "act-roll"))
        await pilot.click("#act-roll")
        await settled(app, pilot)
        await pilot.click("#act-skip")
        await settled(app, pilot)
        await pilot.click("#act-all")
        await pilot.pause()
        assert app.query_one(Choices).chosen == set(app.session.state.a.pen)

    app = at_screen(session(tmp_path / "m.jsonl"), script, size=LEAST_SIZE)
    actions = [entry.action for entry in app.session.record().decisions if entry.seat is Seat.A]
    assert actions == ["load A2 A6", "skip"]


def test_after_a_match_it_is_reviewed_and_played_once_more(tmp_path):
    async def script(app, pilot):
        await keys("c", "y")(app, pilot)
        menu = app.query_one(OptionList)
        prompts = [str(menu.get_option_at_index(k).prompt) for k in range(menu.option_count)]
        assert [text.partition(":")[0] for text in prompts] == ["1 Review", "2 Page", "3 Rematch"]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        await pilot.press("escape", "3", "enter")

    table = new(tmp_path / "m.jsonl")
    app = at_screen(table, script)
    assert (app.return_value, app.wish) == (0, "rematch")
    manners = Manners(hints="greedy", speed=0.0)
    again = rematch_session(table, manners=manners)
    assert again.events == ()
    assert again.saves.path.parent == tmp_path
    assert again.saves.path != table.saves.path
    old = table.header
    assert replace(again.header, seed=old.seed, chance=old.chance) == old


def test_help_lists_every_binding_and_rules_are_a_key_away(tmp_path):
    async def script(app, pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        page = app.screen.query_one("#page-text Static", Static)
        text = "\n".join(s.text for s in page.render_lines(page.size.region))
        bound = {name for name in app._bindings.key_to_bindings if name not in {"tab", "shift+tab"}}
        listed = {press for key in KEYS for press in key.press.split(",")}
        assert bound == listed
        assert all(f"{key.shown} " in text for key in KEYS)
        await pilot.press("escape", "r")
        await pilot.pause()
        rules = app.screen.query_one("#page-text Static", Static)
        text = "\n".join(s.text for s in rules.render_lines(rules.size.region))
        # A minute at 200 words.
        assert "Tally" in text
        assert len(text.split()) < 230
        await pilot.click("#page-back")
        await pilot.pause()
        assert not isinstance(app.screen, Page)

    at_screen(session(tmp_path / "m.jsonl"), script, size=(110, 60))


@pytest.mark.parametrize(("answer", "over"), [("y", True), ("n", False)])
def test_conceding_is_asked_twice(tmp_path, answer, over):
    async def script(app, pilot):
        await pilot.press("c")
        await pilot.pause()
        assert isinstance(app.screen, Question)
        await pilot.press(answer)
        await settled(app, pilot)
        assert app.session.over is over

    at_screen(session(tmp_path / "m.jsonl"), script)


@pytest.mark.parametrize("size", [LEAST_SIZE, (220, 70)])
def test_nothing_that_must_be_seen_is_cut_off(tmp_path, size):
    async def script(app, pilot):
        await keys("a", "enter")(app, pilot)
        await pilot.pause()
        width, height = size
        for name in ("board", "score", "areas", "lying", "log", "choices", "act-skip", "chip-6"):
            region = app.query_one(f"#{name}").region
            assert region.width > 0, name
            assert region.right <= width, name
            assert region.bottom < height, name
        board = app.query_one(BoardWidget)
        assert board.size.width // 2 <= board.size.height
        names = "".join(board.render_line(y).text for y in range(board.size.height))
        for piggle, _ in app.session.state.board:
            assert piggle in names
        assert "now" in shown(app, "score")

    at_screen(session(tmp_path / "m.jsonl"), script, size=size)


@pytest.mark.slow
def test_a_roll_is_shown_moving_then_landed_and_any_key_hurries(tmp_path):
    async def script(app, pilot):
        board = app.query_one(BoardWidget)
        await pilot.press("a", "enter")
        await until(pilot, lambda: app._film is not None)
        await until(pilot, lambda: len(board.tokens) == 6)
        assert {token.mark for token in board.tokens} == {""}
        # Nobody knows yet what comes of it.
        assert "Landed" not in shown(app, "log-text")
        await pilot.press("x")
        await pilot.pause()
        assert app._film is None
        assert {token.mark for token in board.tokens} <= {"▲", "▼", "◆"}
        assert "Any key goes on" in shown(app, "guide")
        assert "Landed" in shown(app, "log-text")
        await pilot.press("c")
        await pilot.pause()
        assert not isinstance(app.screen, Question)
        await until(pilot, lambda: app._film is not None)
        # B's roll, to its own end, which has come when so much time has passed.
        app._film_began -= 60.0
        await until(pilot, lambda: app._film is None and app._rolled is not None)
        await pilot.press("x")
        await settled(app, pilot)
        assert app.session.awaited is Seat.A

    at_screen(new(tmp_path / "m.jsonl", speed=0.2), script)


def test_agents_play_by_themselves_while_one_looks_on(tmp_path):
    async def script(app, pilot):
        await until(pilot, lambda: app.session.over)

    app = at_screen(
        session(tmp_path / "m.jsonl", a="uniform", speed=100.0, rules={"rounds": 2}), script
    )
    assert app.session.over
