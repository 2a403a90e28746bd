"""Matches in a window: played there as anywhere, or watched while the work goes on."""

import time

import pytest

from pigglesim.api.sources import chance_of_record
from pigglesim.match.entries import Status
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from pigglesim.reading import face_up
from pigglesim.render.session import ViewerState
from pigglesim.render.window import NullWindow
from pigglesim.tui.window import LiveShow, TableShow
from tests.support.waiting import wait_for
from tests.unit.render.shown import SIZE, press
from tests.unit.tui.tables import new, session


def window_on(table):
    state = ViewerState(show=TableShow(table, table.scene), scene=table.scene, size=SIZE)
    window = NullWindow(state)
    window.frame(0.0)
    return window


def settled(window):
    """Let it go on until a person is asked, or all is over."""
    state = window.viewer
    for _ in range(3000):
        window.frame(0.5)
        if (state.aim is not None and not state.aim.decided) or state.finished:
            return
        if state.show.busy():
            time.sleep(0.002)
    raise AssertionError("nobody is ever asked")


def test_a_whole_match_is_played_by_keys(tmp_path):
    table = session(tmp_path / "m.jsonl", seed=5)
    window = window_on(table)
    settled(window)
    while not table.over:
        press(window, "a", "return" if window.viewer.aim.offer.loadable else "s")
        settled(window)
    record = read_record(tmp_path / "m.jsonl")
    assert record.footer.status is Status.FINISHED
    assert len(window.viewer.show.clips(99)) >= len(record.outcomes)
    # The same decisions at no screen at all.
    assert replay(record).state == table.state
    texts = window.frame().texts
    assert any("wins" in text or "draw" in text for text in texts)
    points = [str(table.game.scores(table.state)[seat]) for seat in "AB"]
    assert all(text in texts for text in points)


def test_a_roll_from_a_hold_of_one_s_own_rolls_the_same_again(tmp_path):
    file = tmp_path / "m.jsonl"
    window = window_on(new(file, seed=7))
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
    film = window.viewer.show.clips(0)[0].film
    cup = film.at(film.start).cup
    assert cup[0][0] < 0.0


@pytest.mark.parametrize("chance", ["physical", "fair"])
def test_piggy_six_shows_its_dice_and_is_played_from_the_list(tmp_path, chance):
    table = new(
        tmp_path / "m.jsonl", game="piggy_six", b="hold:10", seed=3, chance=chance, hints="hold:10"
    )
    window = window_on(table)
    settled(window)
    for count in (1, 2, 3):
        press(window, "return")
        settled(window)
        assert len(table.record().outcomes) >= count
        faces = table.last_dice[1].faces
        stage = window.viewer.stage
        dice = zip(stage.bodies, range(len(faces)), strict=True)
        still = stage.film.at(stage.film.end)
        assert tuple(face_up(body, still.place(number)) for body, number in dice) == faces
    texts = window.frame().texts
    assert any(text.startswith("The turn of Player A") for text in texts)
    assert "Roll" in texts


class Work:
    """Shows numbers in place of rolls."""

    def __init__(self, count, fault=None):
        self.count, self.fault = count, fault
        self.shown, self.stopped = 0, False

    def __call__(self, show):
        try:
            for number in range(self.count):
                self.shown += 1
                show(number)
        except KeyboardInterrupt:
            self.stopped = True
        if self.fault is not None:
            raise self.fault


def test_work_waits_for_whoever_watches():
    work = Work(50)
    live = LiveShow(work, busy_text="on it")
    for wanted in (1, 5, 20):
        wait_for(lambda: len(live.clips(wanted)) > wanted)  # noqa: B023
        time.sleep(0.02)
        assert work.shown <= wanted + 2
        assert live.busy() == "on it"
    live.finish()
    assert list(live.clips(0)) == list(range(50))
    assert live.busy() == ""


def test_stopped_work_hears_of_it_at_its_next_roll():
    work = Work(50)
    live = LiveShow(work, busy_text="on it")
    wait_for(lambda: live.clips(1))
    live.stop()
    live.finish()
    assert work.stopped
    assert work.shown < 50


def test_a_fault_of_the_work_reaches_who_waits_for_more():
    live = LiveShow(Work(3, fault=ValueError("no more")), busy_text="on it")
    with pytest.raises(ValueError, match="no more"):
        wait_for(lambda: len(live.clips(9)) > 3)
    live.finish()
