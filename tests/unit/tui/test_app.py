"""The full screen by keys and mouse: nobody waits, nothing is lost, and nothing is cut off."""

from dataclasses import replace
from threading import Event

import pytest
from textual.widgets import OptionList, Static

from pigglesim.api.play import PlaySettings, rematch_session
from pigglesim.chance.tabular import FairChance
from pigglesim.games.piggles.areas import Load
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.table.layout import Note
from pigglesim.table.view import GameView, Line, Tone
from pigglesim.tui.app import KEYS, LEAST_SIZE, HandOver, Page, Question
from pigglesim.tui.widgets import BoardWidget, Choices
from tests.support.scripted_chance import ScriptedChance
from tests.unit.tui.tables import Told, at_screen, keys, new, session, settled, shown, until


def test_a_whole_match_by_keys(tmp_path):
    file = tmp_path / "m.jsonl"

    async def script(app, pilot):
        while not app.session.over:
            await pilot.press("a", "enter")
            await settled(app, pilot)
            if not app.session.over:
                await pilot.press("s")
                await settled(app, pilot)
        assert "wins" in shown(app, "log") or "drawn" in shown(app, "log")
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
        footer = {one.binding.description for one in app.screen.active_bindings.values()}
        assert not {"Skip", "Hint", "Undo"} & footer
        prompts = [str(menu.get_option_at_index(k).prompt) for k in range(menu.option_count)]
        assert [text.partition(":")[0] for text in prompts] == ["1 Review", "2 Page", "3 Rematch"]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        await pilot.press("escape", "3", "enter")

    table = new(tmp_path / "m.jsonl")
    app = at_screen(table, script)
    assert (app.return_value, app.wish) == (0, "rematch")
    again = rematch_session(table, settings=PlaySettings(hints="greedy", speed=0.0))
    assert again.events == ()
    assert again.saves.path.parent == tmp_path
    assert again.saves.path != table.saves.path
    old = table.header
    assert replace(again.header, seed=old.seed, chance=old.chance) == old


def page_text(app):
    page = app.screen.query_one("#page-text Static", Static)
    return "\n".join(strip.text for strip in page.render_lines(page.size.region))


def test_help_lists_every_binding_and_rules_are_a_key_away(tmp_path):
    async def script(app, pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, Page)
        text = page_text(app)
        bound = {name for name in app._bindings.key_to_bindings if name not in {"tab", "shift+tab"}}
        listed = {press for key in KEYS for press in key.press.split(",")}
        assert bound == listed
        assert all(f"{key.label} " in text for key in KEYS if key.name not in {"up", "down"})
        await pilot.press("escape", "r")
        await pilot.pause()
        text = page_text(app)
        # A minute at 200 words.
        assert "Tally" in text
        assert len(text.split()) < 230
        await pilot.click("#page-back")
        await pilot.pause()
        assert not isinstance(app.screen, Page)

    at_screen(session(tmp_path / "m.jsonl"), script, size=(110, 60))


@pytest.mark.parametrize(("answer", "over"), [("y", True), ("n", False)])
def test_conceding_needs_a_second_answer(tmp_path, answer, over):
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
        assert "Landed" not in shown(app, "log")
        app._changed_at -= 1.0  # a key that comes at once is meant for what was shown before
        await pilot.press("x")
        await until(pilot, lambda: app._film is None)
        assert {token.mark for token in board.tokens} <= {"▲", "▼", "◆"}
        assert "Any key goes on" in shown(app, "guide")
        assert "Landed" in shown(app, "log")
        app._changed_at -= 1.0
        await pilot.press("c")
        await pilot.pause()
        assert not isinstance(app.screen, Question)
        await until(pilot, lambda: app._film is not None)
        # B's roll, to its own end, which has come when so much time has passed.
        app._film_began -= 60.0
        await until(pilot, lambda: app._film is None and app._rolled is not None)
        app._changed_at -= 1.0
        await pilot.press("x")
        await settled(app, pilot)
        assert app.session.awaited is Seat.A

    at_screen(new(tmp_path / "m.jsonl", speed=0.2), script)


@pytest.mark.parametrize("key", ["space", "enter", "x"])
def test_a_key_that_goes_on_does_not_take_the_first_choice_too(tmp_path, key):
    yellow = ["yellow+adjacent"] * 6
    game = make_game("piggles_modern", {"team_a": yellow, "team_b": yellow})
    scene = "piggles_modern"
    table = session(tmp_path / "m.jsonl", game=game, scene=scene, speed=0.5, b="human", seed=3)

    async def script(app, pilot):
        await pilot.press("a", "enter")
        await until(pilot, lambda: app._film is None and app._rolled is not None)
        await until(pilot, lambda: app.query_one("#log").content_region.height >= 3)
        app._clock.ahead += 1.0
        await pilot.press(key)
        await pilot.pause()
        assert app._rolled is None
        assert app.query_one(Choices).listed
        assert (len(table.events), table.awaited) == (2, Seat.A)

    at_screen(table, script, size=LEAST_SIZE, settle=False)


def test_agents_play_by_themselves_while_one_looks_on(tmp_path):
    async def script(app, pilot):
        await until(pilot, lambda: app.session.over)

    app = at_screen(
        session(tmp_path / "m.jsonl", a="uniform", speed=100.0, rules={"rounds": 2}), script
    )
    assert app.session.over


@pytest.mark.parametrize(("answer", "rule"), [(7, "F2"), (Load(("A1",)), "F3")])
def test_an_agent_that_fails_forfeits_and_is_reported(tmp_path, answer, rule):
    agents = {Seat.A: None, Seat.B: Told(lambda _: answer)}
    table = session(tmp_path / "m.jsonl", agents=agents)

    async def script(app, pilot):
        await keys("a", "enter")(app, pilot)
        log = " ".join(shown(app, "log").split())
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
    never = Told(lambda legal: answer.wait(60) and legal[-2])
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
        assert "more than 0.2 s" in " ".join(shown(app, "log").split())

    at_screen(table, script)
    assert read_record(tmp_path / "m.jsonl").forfeit.cause.rule == "F4"


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
def test_who_leaves_waits_for_nobody(tmp_path, key):
    answer, asked = Event(), Event()

    def think(legal):
        asked.set()
        answer.wait(60)
        return legal[-2]

    table = session(tmp_path / "m.jsonl", agents={Seat.A: None, Seat.B: Told(think)})

    async def script(app, pilot):
        await pilot.press("a", "enter")
        await until(pilot, asked.is_set)
        await pilot.press(key)

    app = at_screen(table, script)
    # Nothing waited for the agent, which is still thinking.
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
        await pilot.press("1")
        # However slow this machine is, the second digit comes soon after.
        app.query_one(Choices)._typed_at += 60.0
        await pilot.press("2")
        assert menu.highlighted == 11, "the twelfth, by two digits"
        await pilot.press("9")
        assert menu.highlighted == 8, "there is no 129th"
        app.query_one(Choices)._typed_at -= 60.0
        await pilot.press("3", "down", "enter")
        await settled(app, pilot)
        assert app.session.events[0].entry.action == "load A3"
        assert "Player A: load A3" in shown(app, "log")
        footer = {one.binding.description for one in app.screen.active_bindings.values()}
        assert {"Do it", "Concede"} <= footer
        assert "Skip" not in footer, "what lets a turn pass is in the list"

    at_screen(table, script)


def test_on_the_least_screen_every_part_comes_into_sight(tmp_path):
    game = make_game("lord_of_the_pigs")
    agents = dict.fromkeys(game.seats)
    chance = FairChance(seed=5)
    table = session(tmp_path / "m.jsonl", game=game, agents=agents, chance=chance, scene=None)

    async def script(app, pilot):
        app._notes = [Line(f"note {number}", Tone.NOTE) for number in range(30)]
        app._refresh()
        log, pane = app.query_one("#log"), app.query_one("#board")
        await until(pilot, lambda: app.query_one("#notes").region.y == log.content_region.y)
        pane.show((Note(text="one line"),) * 40)
        await until(pilot, lambda: pane.max_scroll_y > 0)
        await pilot.press("plus")
        await until(pilot, lambda: pane.scroll_y > 0)
        await pilot.press("minus")
        await until(pilot, lambda: pane.scroll_y == 0)
        assert "u" not in {key for key, one in app.screen.active_bindings.items() if one.enabled}

    at_screen(table, script, size=LEAST_SIZE)


def test_two_people_at_one_keyboard_do_not_see_each_others_cards(tmp_path):
    game = make_game("pig_pile", {"players": 3})
    agents = {Seat.A: None, Seat.B: None, Seat.C: Told(lambda legal: legal[0])}
    chance = FairChance(seed=9)
    table = session(tmp_path / "m.jsonl", game=game, agents=agents, chance=chance, scene=None)
    viewer = Seat.A

    async def script(app, pilot):
        nonlocal viewer
        for _ in range(6):
            handed = isinstance(app.screen, HandOver)
            assert handed == (table.awaited is not viewer)
            assert app.screen.styles.background.a == 1.0
            viewer = table.awaited
            await pilot.press(*["enter"] * (1 + handed))
            await settled(app, pilot)
        assert viewer

    at_screen(table, script)
