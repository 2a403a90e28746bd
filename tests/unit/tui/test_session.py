"""A session plays just what the runner plays, takes back what may be, and goes on to the bit."""

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.landing import Seat
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import play
from pigglesim.tui.session import LEARNER
from tests.simple_odds import simple_chance
from tests.unit.tui.tables import TEAMS, players, session


def advance(own):
    """Let everything happen that needs no person."""
    while not own.over and own.awaited is None:
        own.play(own.next_entry())


def play_on(own, decide, most=1000):
    """Play up to so many decisions of people and return the session."""
    advance(own)
    for _ in range(most):
        if own.over:
            break
        own.decide(decide(own))
        advance(own)
    return own


def whole_pen(own):
    return Load(own.state.side(own.awaited).pen)


def odd_ones(own):
    return Load(tuple(p for p in own.state.side(own.awaited).pen if int(p[1]) % 2))


def test_with_two_agents_it_is_the_match_of_the_runner_to_the_bit():
    own = session(a="uniform", b="greedy", seed=3)
    advance(own)
    played = play(
        PigglesClassic(),
        agents=players("uniform", "greedy"),
        chance=simple_chance(seed=3),
        seed=3,
        teams=TEAMS,
    )
    assert format_record(own.record()) == format_record(played.record)


@pytest.mark.parametrize("stops_after", [0, 1, 3])
def test_a_match_that_was_left_goes_on_to_the_bit(stops_after):
    whole = play_on(session(b="uniform"), odd_ones)
    left = play_on(session(b="uniform"), odd_ones, most=stops_after)
    events = []
    replay(parse_record(format_record(left.record())), on_event=events.append)
    resumed = play_on(session(b="uniform", events=events), odd_ones)
    assert whole.over
    assert format_record(resumed.record()) == format_record(whole.record())


def test_taking_back_leads_to_the_same_position_and_the_same_luck():
    own = play_on(session(practice=True), odd_ones, most=1)
    first, positions = own.record(), [own.state]
    play_on(own, whole_pen, most=1)
    second = own.record()
    assert own.undo()
    assert own.state == positions[0]
    assert own.record() == first
    play_on(own, whole_pen, most=1)
    assert own.record() == second
    assert own.header.agents[Seat.A] == LEARNER
    while own.undo():
        pass
    assert own.events == ()
    assert not own.undoable


def test_what_is_against_the_rules_changes_nothing():
    own = session()
    with pytest.raises(IllegalActionError, match="R8"):
        own.decide(Load(("B1",)))
    assert own.events == ()
    with pytest.raises(SpecError, match="decide first"):
        own.next_entry()
    own.decide(Concede())
    assert own.over
    with pytest.raises(SpecError, match="no person"):
        own.decide(Load())
