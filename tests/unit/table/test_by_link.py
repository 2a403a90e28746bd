"""A match by link at a table, as a terminal and a page play it."""

from random import Random

import pytest

from pigglesim.api.links import link_setup, throws_of_link
from pigglesim.chance.physical import FilmedChance
from pigglesim.errors import PigglesimError
from pigglesim.landing import Seat
from pigglesim.match.link_memory import answering, invited, opened
from pigglesim.match.links import new_terms
from pigglesim.match.replay import replay
from pigglesim.table.by_link import LinkSession
from tests.support.link_matches import laid


class Person:
    """Somebody at a page: what is remembered, and a session for each link."""

    def __init__(self, name):
        self.name, self.memory, self.session = name, None, None

    def begin(self, terms, set_up=laid):
        match, memory = invited(terms, set_up)
        self.session = LinkSession(match, memory, remember=self.remember)

    def open(self, text, set_up=laid, **how):
        result = opened(text, set_up, self.memory)
        assert result.fault is None
        shown = 0
        if self.memory is not None:
            shown = result.match.starts[-1]
        memory, match = answering(result, self.memory, name=self.name)
        self.session = LinkSession(match, memory, remember=self.remember, shown=shown, **how)

    def remember(self, memory):
        self.memory = memory

    def play(self, random):
        """Play all that arrives and decide at random; return the answer."""
        session, played = self.session, 0
        while not session.waits and not session.over:
            if session.arriving:
                session.play(session.next_event())
            else:
                session.decide(random.choice(session.choices))
            played += 1
        return session.answer


def test_two_people_play_a_match_to_its_end_at_their_tables():
    random, ann, bob = Random(3), Person("Ann"), Person("Bob")
    ann.begin(new_terms("piggles_classic", rules={"rounds": 2}, chance="tabular", name="Ann"))
    text, turn, other = ann.play(random), bob, ann
    while not other.session.match.over:
        turn.open(text)
        text = turn.play(random)
        assert turn.memory.sent == text
        turn, other = other, turn
    record = other.session.record()
    assert record.footer.result is not None and record.header.names == {"A": "Ann", "B": "Bob"}
    replay(record, resimulate=throws_of_link(record.header.chance["link"]))


def test_a_link_that_is_only_shown_is_in_the_record():
    ann, bob = Person("Ann"), Person("Bob")
    ann.begin(new_terms("piggles_classic", rules={"rounds": 1}, chance="tabular"))
    text, turn, other = ann.play(Random(3)), bob, ann
    while not other.session.match.over:
        turn.open(text)
        text = turn.play(Random(3))
        turn, other = other, turn
    shown = LinkSession(opened(text, laid, turn.memory).match, role=turn.memory.role)
    assert shown.record().header.chance["link"] == text
    replay(shown.match.record(text), resimulate=throws_of_link(text))


def test_only_the_person_decides_and_only_after_all_was_shown():
    ann, bob = Person("Ann"), Person("Bob")
    ann.begin(new_terms("piggles_classic", rules={}, chance="tabular"))
    assert ann.session.awaited is Seat.A and not ann.session.waits
    ann.session.decide(ann.session.view.skip)
    assert ann.session.answer and ann.session.awaited is None
    assert ann.session.waits or ann.session.arriving
    bob.open(ann.session.answer)
    assert bob.session.arriving and bob.session.awaited is None and not bob.session.answer
    bob.play(Random(1))
    with pytest.raises(PigglesimError):
        bob.session.decide(bob.session.view.skip)


def test_an_answer_is_remembered_before_it_can_be_seen():
    seen = []
    match, memory = invited(new_terms("piggles_classic", rules={}, chance="tabular"), laid)
    session = LinkSession(match, memory, remember=lambda each: seen.append((each, session.answer)))
    session.decide(session.choices[0])
    ((remembered, shown),) = seen
    assert remembered.sent == session.answer and shown == ""


@pytest.mark.slow
def test_a_throw_by_physics_arrives_with_its_film():
    films = {}
    terms = new_terms("piggles_classic", rules={}, chance="physical")
    filmed = FilmedChance(source=link_setup(terms).source, show=films.__setitem__)
    ann, bob = Person("Ann"), Person("Bob")
    ann.begin(terms, link_setup)
    text = ann.play(Random(5))
    bob.open(text, link_setup, filmed=filmed)
    ann.open(bob.play(Random(5)), link_setup, filmed=filmed)
    assert not films
    event = ann.session.play(ann.session.next_event())
    assert films[0].readings == event.entry.landings
