"""Lord of the P.I.G.S. at the screen: what is told is true, and tells nothing that is hidden."""

import re

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from pigglesim.match.entries import Decision
from pigglesim.match.runner import MatchEvent, play
from pigglesim.tui.game_view import Tone, make_view
from tests.random_lord import at
from tests.unit.games.test_lord_properties import permuted

GAME = LordOfThePigs()
VIEW = make_view(GAME)


def events_of(game, seed):
    found = []
    agents = {seat: make_agent("uniform") for seat in game.seats}
    play(game, agents=agents, chance=FairChance(seed=seed), seed=seed, on_event=found.append)
    return found


def after(state, text, game=GAME):
    """Return the event of a decision by who is asked."""
    decision = Decision(index=0, seat=game.turn(state), action=text)
    return MatchEvent(
        entry=decision, before=state, after=game.apply_action(state, game.parse_action(text))
    )


def lines(event, view=VIEW):
    return [line.text for line in view.story(event)]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_shown_to_a_player_is_the_same_whatever_is_hidden(seed):
    rng = np.random.default_rng(seed)
    for event in events_of(GAME, seed):
        state = event.after
        for seat in GAME.seats:
            other = permuted(state, seat, rng)
            assert VIEW.table(state, seat) == VIEW.table(other, seat)
            assert VIEW.areas(state) == VIEW.areas(other)
        assert VIEW.heading(state) == VIEW.heading(other)
        assert VIEW.guide(state, None) == VIEW.guide(other, None)


def test_the_story_does_not_tell_with_which_card_somebody_votes():
    state = at(
        LordPhase.VOTING,
        hands={"Banker": "C1 R1", "Energy": "C1"},
        table=[("Energy.U1", "")],
        asked=["Banker", "Energy"],
    )
    told = [lines(after(state, f"vote {card} Energy.U1")) for card in ("C1", "R1")]
    assert told[0] == told[1]
    assert told[0] == ["Banker votes for Energy's Wind Power Farm Inauguration (U1), 1 of 3 votes"]


def test_to_pass_is_not_told_where_only_some_are_asked():
    table = [("Energy.U1", "")]
    state = at(
        LordPhase.ALTERNATES,
        hands={"Banker": "C5", "Energy": "C5"},
        table=table,
        asked=["Banker", "Energy"],
    )
    assert lines(after(state, "pass")) == []
    assert VIEW.guide(state, None) == "Activation: Alternate Modes"
    assert "C5 for +1 Vote" in VIEW.say(state, GAME.legal_actions(state)[0])
    voting = at(LordPhase.VOTING, hands={"Banker": "C1"}, table=table, asked=["Banker"])
    assert lines(after(voting, "pass"))[0] == "Banker votes for nothing"
    assert VIEW.guide(voting, None) == "Banker decides."


def test_every_decision_is_told_or_silent_and_the_end_comes_last():
    for seed in range(4):
        events = events_of(GAME, seed)
        for event in events:
            for line in VIEW.story(event):
                assert line.text
                assert not re.search(r"\?|None|Seat\.|<", line.text)
        assert VIEW.story(events[-1])[-1].tone is Tone.END
        # The score at the end of the last turn is that of the end.
        state = events[-1].after
        points = VIEW.points(events)
        scores = GAME.scores(state)
        assert {seat: points[str(state.turn), seat] for seat in GAME.seats} == scores
        assert str(state.turn) in VIEW.columns(state)
