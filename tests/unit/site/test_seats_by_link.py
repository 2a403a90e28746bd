"""Matches by link in a page: whoever opens whichever link stays at their own seat."""

from random import Random

import pytest

from pigglesim.agents.greedy import Greedy
from pigglesim.landing import Seat
from pigglesim.site.by_link import link_session
from tests.support.link_matches import laid


class Device:
    """A person's page, which stores what to remember."""

    def __init__(self, name):
        self.name, self.stored = name, ""

    def session(self, wish):
        return link_session(
            wish,
            name=self.name,
            set_up=laid,
            scene=lambda game: None,
            filmed=lambda chance: None,
            adviser=lambda game: Greedy(),
            remember=self.remember,
        )

    def remember(self, match, memory):
        self.stored = memory.to_json()

    def open(self, text):
        return self.session({"do": "link", "text": text, "memory": self.stored})


def played(session, random):
    """Play all that arrives, decide at random, and return the answer."""
    while not session.waits and not session.over:
        if session.arriving:
            session.play(session.next_event())
        else:
            session.decide(random.choice(session.choices))
    return session.answer


@pytest.mark.parametrize("seat", ["A", "B"])
def test_a_link_that_is_only_shown_leaves_everybody_at_their_seat(seat):
    random, ann, bob = Random(3), Device("Ann"), Device("Bob")
    begin = {"do": "new_by_link", "game": "piggles_classic", "chance": "tabular", "seat": seat}
    first = played(ann.session(begin), random)
    second = played(bob.open(first), random)
    seats = {ann: Seat(seat), bob: Seat(seat).other}
    for device, text in ((ann, first), (bob, first), (bob, second), (ann, second[:-9])):
        session = device.open(text)
        assert session.people == [seats[device]]
        # Neither the first link nor what is left of a cut one knows Bob.
        assert session.message()["friend"] == ("Ann" if device is bob else "")
