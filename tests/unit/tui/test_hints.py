"""Hints: what an agent would do, by what it has considered, or by its closed form."""

import numpy as np
import pytest

from pigglesim.agents.agent import ActionValue, Uniform
from pigglesim.agents.greedy import Greedy
from pigglesim.games.piggles.areas import Load
from pigglesim.tui.game_view import make_view
from pigglesim.tui.session import fresh_file, hint
from tests.unit.tui.tables import session, setting


class Thinker:
    """An agent that tells what it has weighed."""

    name = "thinker"

    def choose(self, observation, legal_actions, *, rng):
        raise AssertionError("an agent that explains is not asked twice")

    def explain(self, observation, legal_actions, *, rng):
        values = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        return tuple(
            ActionValue(
                action=action, value=value, low=value - 0.1, high=1.0, visits=40 - k, line=(action,)
            )
            for k, (action, value) in enumerate(zip(legal_actions[5:11], values, strict=True))
        )


def asked(agent, own):
    return hint(agent, own.game, make_view(own.game), own.state, rng=np.random.default_rng(1))


def test_an_agent_that_explains_is_quoted_with_values_intervals_and_visits():
    own = session()
    told = asked(Thinker(), own)
    assert [line.text for line in told] == [
        "Hint (thinker): load A5, wins 90% [80%, 100%], tried 40 times",
        "  or load A6, wins 80% [70%, 100%], tried 39 times",
        "  or load A1 A2, wins 70% [60%, 100%], tried 38 times",
        "  or load A1 A3, wins 60% [50%, 100%], tried 37 times",
    ]


def test_the_same_question_has_the_same_answer_and_says_when_there_is_no_choice():
    own = session(b="human")
    assert asked(Uniform(), own) == asked(Uniform(), own)
    own.decide(Load(own.state.a.pen))
    while own.awaited is None:
        own.play(own.next_entry())
    own.decide(Load())
    assert own.state.a.pen == ()
    told = asked(Greedy(), own)
    assert told[0].text == "Hint (greedy): skip the roll"
    assert told[1].text == "  it is all that can be done"


def test_a_game_that_the_adviser_does_not_know_gets_a_line_and_no_hint(tmp_path, monkeypatch):
    table = setting(tmp_path / "m.jsonl")
    monkeypatch.setattr(type(table.game), "observe", lambda *_: "cards")
    (line,) = table.hint_lines()
    assert line.text.startswith("No hint: ")


def test_a_disk_that_refuses_is_told_and_ends_no_match(tmp_path):
    own = session(tmp_path / "gone" / "m.jsonl")
    saves = own.saves
    own.decide(Load(("A1",)))
    assert own.events
    assert "No such file" in saves.fault
    assert saves.farewell.startswith("not saved: cannot write")
    saves.path.parent.mkdir()
    own.play(own.next_entry())
    assert saves.fault == ""
    assert saves.farewell == f"saved in {saves.path}"


@pytest.mark.parametrize("there", [0, 1, 2])
def test_a_new_match_never_takes_the_file_of_another(tmp_path, there):
    for _ in range(there):
        fresh_file(tmp_path, 7).write_text("taken")
    name = "play-7.jsonl" if there == 0 else f"play-7-{there + 1}.jsonl"
    assert fresh_file(tmp_path, 7) == tmp_path / name
