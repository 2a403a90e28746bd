"""A session plays just what the runner plays, takes back what may be, and goes on to the bit."""

from collections import Counter

import pytest

from pigglesim.agents.agent import ActionValue
from pigglesim.agents.greedy import Greedy
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.experiments.values import Evaluator, is_clear, is_clearly_better
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.landing import Seat
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import play
from pigglesim.table.hints import hint
from pigglesim.table.recorded import RecordedSession
from pigglesim.table.session import LEARNER, fresh_file
from pigglesim.table.state_message import state_message
from pigglesim.table.view import log_lines, make_view
from tests.support.simple_odds import simple_chance
from tests.unit.tui.tables import TEAMS, players, session


def advance(own):
    """Let everything happen that needs no person."""
    while not own.over and own.awaited is None:
        own.play(own.next_event())


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


def test_each_decision_and_roll_is_applied_once_and_no_text_is_parsed(monkeypatch):
    calls = Counter()

    def count(name, function):
        def counted(*arguments):
            calls[name] += 1
            return function(*arguments)

        monkeypatch.setattr(PigglesClassic, name, counted)

    for name in ("apply_action", "apply_outcome", "parse_action"):
        count(name, getattr(PigglesClassic, name))
    own = play_on(session(), odd_ones, most=2)
    assert len(log_lines(own.view, own.events)) > len(own.events)
    progress = own.progress
    assert calls == {"apply_action": progress.decisions, "apply_outcome": progress.outcomes}


def test_the_legal_actions_of_a_state_are_found_once(monkeypatch):
    states, legal = [], PigglesClassic.legal_actions

    def counted(game, state):
        states.append(state)
        return legal(game, state)

    own = session()
    advance(own)
    monkeypatch.setattr(PigglesClassic, "legal_actions", counted)
    assert own.toggles is not None
    assert own.forced is None
    assert Concede() in own.legal
    assert state_message(own, own.people, spectates=False)["load"]
    assert states == [own.state]
    assert own.events is own.events
    before = own.legal
    play_on(own, whole_pen, most=1)
    assert own.legal != before


class Films:
    """A source of films that remembers the rolls it was asked for."""

    def __init__(self):
        self.asked = []

    def filmed(self, request, *, index):
        self.asked.append((request.piggles, index))
        return None, f"film {index}"


def test_a_record_is_watched_event_by_event_and_not_written_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played, films = play_on(session(), odd_ones, most=2), Films()
    record = played.record()
    watched = RecordedSession(record, films=films)
    assert watched.record() is record
    while not watched.over:
        watched.play(watched.next_event())
    assert watched.events == played.events
    assert films.asked == [(each.piggles, each.index) for each in record.outcomes]
    assert watched.film == f"film {record.outcomes[-1].index}"
    assert not [*tmp_path.iterdir()]


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
        own.next_event()
    own.decide(Concede())
    assert own.over
    with pytest.raises(SpecError, match="no person"):
        own.decide(Load())


PEN = tuple(f"A{number}" for number in range(1, 7))


class Thinker:
    """An agent that tells what it has weighed, the choice first."""

    name = "thinker"

    def choose(self, observation, legal_actions, *, rng):
        raise AssertionError("an agent that explains is not asked twice")

    def explain(self, observation, legal_actions, *, rng):
        loads = [load for load in legal_actions if load in {Load(), Load(("A1",)), Load(PEN)}][::-1]
        return tuple(
            ActionValue(action=load, value=0.1, low=0.0, high=1.0, visits=40, line=(load,))
            for load in loads
        )


def asked(agent, own):
    evaluator = Evaluator(own.game, simple_chance(seed=1), agent=agent, samples=20)
    return hint(evaluator, make_view(own.game), own.state), evaluator.position(own.state)


def test_a_hint_has_the_values_of_a_review_and_not_those_of_the_search():
    own = session()
    lines, found = asked(Thinker(), own)
    best = found.values(found.best)[Seat.A]
    low, high = (f"{100 * each:.0f} %" for each in (best.low, best.high))
    assert lines[0].text.startswith(
        f"Hint (thinker): load A1 A2 A3 A4 A5 A6, wins {100 * best.value:.0f} %"
    )
    assert lines[0].text.endswith(f"[{low}, {high}]")
    assert best.value > 0.3
    others = [line.text for line in lines[1:]]
    assert len(others) == 2
    for action, text in zip(found.considered[1:3], others, strict=True):
        clear = is_clear(found.loss(action))
        assert text.endswith("no clear difference") is not clear
        assert not clear or found.values(action)[Seat.A].value < best.value


class Mistaken(Thinker):
    """An agent that prefers to skip the first roll of a match, which loses clearly."""

    def explain(self, observation, legal_actions, *, rng):
        return super().explain(observation, legal_actions, rng=rng)[::-1]


def test_a_hint_names_first_what_is_clearly_better_than_the_choice():
    lines, found = asked(Mistaken(), session())
    assert found.best == Load()
    assert is_clearly_better(found.loss(Load(PEN)))
    assert "load A1 A2 A3 A4 A5 A6, wins" in lines[0].text
    # Beside the first, not beside the choice, the others have a clear difference or none.
    assert [line.text.split(",")[0] for line in lines[1:]] == ["  or load A1", "  or skip the roll"]
    assert not lines[2].text.endswith("no clear difference")


def test_a_hint_says_when_there_is_no_choice():
    own = session(b="human")
    own.decide(Load(own.state.a.pen))
    while own.awaited is None:
        own.play(own.next_event())
    own.decide(Load())
    assert own.state.a.pen == ()
    lines, _ = asked(Greedy(), own)
    assert lines[0].text == "Hint (greedy): skip the roll"
    assert lines[1].text == "  it is the only legal action"


def test_a_disk_that_refuses_is_reported_and_ends_no_match(tmp_path):
    own = session(tmp_path / "gone" / "m.jsonl")
    saves = own.saves
    own.decide(Load(("A1",)))
    assert own.events
    assert "No such file" in saves.fault
    assert saves.farewell.startswith("not saved: cannot write")
    saves.path.parent.mkdir()
    own.play(own.next_event())
    assert saves.fault == ""
    assert saves.farewell == f"saved in {saves.path}"


def test_a_new_match_never_takes_the_file_of_another(tmp_path):
    for name in ("play-7.jsonl", "play-7-2.jsonl", "play-7-3.jsonl"):
        assert fresh_file(tmp_path / "play-7.jsonl") == tmp_path / name
        (tmp_path / name).write_text("taken")


def test_matches_begun_together_do_not_write_to_one_file(tmp_path):
    tables = [session(fresh_file(tmp_path / "play-7.jsonl"), seed=seed) for seed in (7, 7)]
    for own in tables:
        play_on(own, odd_ones, most=1)
    assert [own.saves.path.name for own in tables] == ["play-7.jsonl", "play-7-2.jsonl"]
    assert all(parse_record(own.saves.path.read_text()) == own.record() for own in tables)


def test_a_match_played_on_in_two_places_loses_no_decision(tmp_path):
    path = tmp_path / "play-7.jsonl"
    begun = play_on(session(path), odd_ones, most=1)
    one, other = (session(path, events=begun.events) for _ in range(2))
    whole = play_on(one, odd_ones)
    play_on(other, whole_pen, most=1)
    assert whole.saves.path == path and parse_record(path.read_text()) == whole.record()
    assert other.saves.path == tmp_path / "play-7-2.jsonl"
    assert parse_record(other.saves.path.read_text()) == other.record()
    # A file that was removed is written again.
    other.saves.path.unlink()
    play_on(other, whole_pen, most=1)
    assert parse_record((tmp_path / "play-7-2.jsonl").read_text()) == other.record()
