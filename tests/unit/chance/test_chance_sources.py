"""Chance by a few shares."""

from pigglesim.games.piggles.turns import check_outcome
from pigglesim.landing import Landing, Orientation, RollRequest, Seat, Zone
from tests.simple_odds import simple_chance

UP = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)
REQUEST = RollRequest(thrower=Seat.A, piggles=("A1", "A2"), standing=(("B1", UP),))


def test_a_table_answers_each_roll_from_a_stream_of_its_own():
    first, again = simple_chance(seed=5), simple_chance(seed=5)
    later = first.roll(REQUEST, index=3)
    assert [again.roll(REQUEST, index=i) for i in range(4)][3] == later
    assert simple_chance(seed=6).roll(REQUEST, index=3) != later


def test_a_table_keeps_to_its_shares_and_answers_the_request():
    zones = {Zone.WOODS: 3.0, Zone.OFF: 1.0}
    chance = simple_chance(seed=1, up=1.0, down=0.0, head=0.0, zones=zones, knock=1)
    off = 0
    for index in range(400):
        result = chance.answer(REQUEST, index=index)
        check_outcome(REQUEST, result)
        assert [knock.struck for knock in result.knocks] == ["B1"]
        for _, landing in result.landings:
            off += landing.zone is Zone.OFF
            assert landing.orientation in {Orientation.SNOUT_UP, None}
    # Binomial(1200, 1/4): mean 300, standard deviation 15; five of them either way.
    assert 225 < off < 375
