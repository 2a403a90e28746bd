"""A match played at a window that is not there: the same match as anywhere, and nothing lost."""

import time

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.api.match import find_place
from pigglesim.api.sources import chance_of_record
from pigglesim.cli.play import Manners, new_session
from pigglesim.landing import Seat
from pigglesim.match.entries import MatchOutcome, Status
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.reading import face_up
from pigglesim.render.session import Watching
from pigglesim.render.window import NullWindow
from pigglesim.tui.table_show import TableShow
from tests.unit.tui.tables import physical, setting

SIZE = (1280, 720)


def window_on(table):
    window = NullWindow(Watching(show=TableShow(table, table.scene), scene=table.scene, size=SIZE))
    window.frame(0.0)
    return window


def settled(window):
    """Let it go on until a person is asked, or all is over."""
    state = window.watching
    for _ in range(3000):
        window.frame(0.5)
        if (state.aim is not None and not state.aim.decided) or state.finished:
            return
        if state.show.busy():
            time.sleep(0.002)
    raise AssertionError("nobody is ever asked")


def press(window, *keys):
    for key in keys:
        window.events.key_down(key)
        window.events.key_up(key)


def test_a_whole_match_is_played_by_keys(tmp_path):
    table = setting(tmp_path / "m.jsonl", seed=5)
    window = window_on(table)
    settled(window)
    while not table.over:
        press(window, "a", "return" if window.watching.aim.offer.loadable else "s")
        settled(window)
    record = read_record(tmp_path / "m.jsonl")
    assert record.footer.status is Status.FINISHED
    assert len(window.watching.show.takes(99)) >= len(record.outcomes)
    # The same decisions at no screen at all.
    assert replay(record).state == table.state
    texts = window.frame().texts
    assert any("wins" in text or "draw" in text for text in texts)
    points = [str(table.game.scores(table.state)[seat]) for seat in "AB"]
    assert all(text in texts for text in points)


def test_a_roll_from_a_hold_of_one_s_own_rolls_the_same_again(tmp_path):
    file = tmp_path / "m.jsonl"
    window = window_on(physical(file, seed=7))
    settled(window)
    press(window, "1", "2", "left", "left", "down", "return")
    settled(window)
    press(window, "q")
    record = read_record(file)
    assert " at " in record.decisions[0].action
    assert replay(record, resimulate=chance_of_record(record.header)).record.entries
    elsewhere = record.decisions[0].action.partition(" at ")[0]
    (rolled,) = [o for o in record.outcomes if o.index == 0]
    assert elsewhere == "load A1 A2"
    assert {name for name, _ in rolled.result.landings} == {"A1", "A2"}
    film = window.watching.show.takes(0)[0].film
    cup = film.at(film.start).cup
    assert cup[0][0] < 0.0


@pytest.mark.parametrize("chance", ["physical", "fair"])
def test_piggy_six_shows_its_dice_and_is_played_from_the_list(tmp_path, chance):
    table = new_session(
        place=find_place("piggy_six", None, rules={}),
        agents=("human", "hold:10", None),
        seed=3,
        chance=(chance, None),
        practice=False,
        out=tmp_path / "m.jsonl",
        manners=Manners(hints="hold:10", speed=0.0),
    )
    window = window_on(table)
    settled(window)
    while len(table.record().outcomes) < 3:
        press(window, "return")
        settled(window)
        faces = next(
            event.entry.result.faces
            for event in reversed(table.events)
            if isinstance(event.entry, MatchOutcome)
        )
        stage = window.watching.stage
        dice = zip(stage.bodies, range(len(faces)), strict=True)
        still = stage.film.at(stage.film.end)
        assert tuple(face_up(body, still.place(number)) for body, number in dice) == faces
    texts = window.frame().texts
    assert any(text.startswith("The turn of Player A") for text in texts)
    assert "Roll" in texts


class Faulty:
    name = "faulty"

    def choose(self, observation, legal, *, rng):
        raise ValueError("no idea")


def test_an_agent_that_fails_forfeits_as_anywhere(tmp_path):
    agents = {Seat.A: Faulty(), Seat.B: make_agent("greedy")}
    table = setting(tmp_path / "m.jsonl", seed=5, agents=agents)
    window_on(table).run()
    assert table.progress.forfeit.seat is Seat.A
