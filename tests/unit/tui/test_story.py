"""What the log says is what the rules did; what the areas promise is what comes."""

import re
from pathlib import Path

import pytest

from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import BOARD_SEATS, Knock, Landing, Orientation, RollResult, Seat, Zone
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent, play
from pigglesim.tui.game_view import Tone, make_view
from tests.simple_odds import simple_chance
from tests.unit.tui.still import still
from tests.unit.tui.tables import TEAMS, players, session

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "matches.md"


def matches(rules=None, seeds=range(12), a="uniform", b="greedy"):
    """Yield the game and the events of whole matches."""
    for seed in seeds:
        game = PigglesClassic(rules=PigglesRules.from_mapping(rules or {}))
        events = []
        play(
            game,
            agents=players(a, b),
            chance=simple_chance(seed=seed),
            seed=seed,
            teams=TEAMS,
            on_event=events.append,
        )
        yield game, events


@pytest.mark.parametrize("delay", ["one_full_turn", "owner_turn", "none"])
def test_what_is_in_the_mud_comes_back_in_the_round_that_was_said(delay):
    promised = 0
    for game, events in matches({"mud_delay": delay}, seeds=range(8), b="uniform"):
        view = make_view(game)
        for now, event in enumerate(events):
            if isinstance(event.entry, Decision) and event.after.result is not None:
                continue
            for area in view.areas(event.after):
                if area.name != "Mud":
                    continue
                for seat in BOARD_SEATS:
                    for piggles, number in re.findall(r"((?:\w\d )+)→r(\d+)", area.held[seat]):
                        for piggle in piggles.split():
                            assert back_in(events[now:], seat, piggle) == int(number)
                            promised += 1
    assert promised > 100


def back_in(events, seat, piggle):
    """Return the round in which a Piggle has left the Mud."""
    for event in events:
        if piggle not in event.after.side(seat).mud_piggles:
            return event.after.round
    raise AssertionError(f"{piggle} never comes back")


def test_points_by_round_are_those_of_the_match():
    for game, events in matches(seeds=range(6)):
        view = make_view(game)
        points = view.points(events)
        assert view.columns(events[-1].after) == [str(number) for number in range(1, 7)]
        for event in events:
            if event.after.round > event.before.round:
                for seat in BOARD_SEATS:
                    number = str(event.before.round)
                    assert points[number, seat] == event.after.side(seat).score


def test_the_rules_tell_what_this_table_has_changed():
    assert "House rules" not in make_view(PigglesClassic()).rules
    other = PigglesClassic(rules=PigglesRules.from_mapping({"mud_delay": "none", "rounds": 4}))
    assert "`rounds=4 mud_delay=none`" in make_view(other).rules


def test_a_knock_is_told_with_what_it_changed():
    own = session(b="human")
    game, view = own.game, make_view(own.game)
    own.decide(game.parse_action("load A1 A2"))
    up = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.FIELD_SOUTH)
    off = Landing(orientation=None, zone=Zone.OFF)
    head = Landing(orientation=Orientation.ON_THEIR_HEAD, zone=Zone.WOODS)
    state = game.apply_outcome(own.state, RollResult(landings=(("A1", up), ("A2", up))))
    state = game.apply_action(state, game.parse_action("load B1"))
    knocks = tuple(
        Knock(struck=p, by="B1", distance=0.02, angle=0.5, flipped=True, zone_changed=True,
              off_board=p == "A2")
        for p in ("A1", "A2")
    )  # fmt: skip
    result = RollResult(landings=(("B1", up), ("A1", head), ("A2", off)), knocks=knocks)
    entry = MatchOutcome(index=1, thrower=Seat.B, piggles=("B1",), result=result)
    after = game.apply_outcome(state, result)
    lines = [line.text for line in view.story(MatchEvent(entry=entry, before=state, after=after))]
    assert "Landed: B1 ▲ field S" in lines
    assert "B1 knocked A1 by 20 mm, 29°: turned from ▲ to ◆ On-Their-Head, now woods" in lines
    assert "B1 knocked A2 by 20 mm, 29°: off the board" in lines
    assert "Off the board, into the Mud of A: A2" in lines
    assert "Tally of B: 0 + 3 (B1 3) + 1 knocked into the Mud = 4" in lines
    assert "Resolve: A1 ◆ to the Kitchen; B1 ▲ to stay and pay again" in lines
    assert "B +2 for Piggles knocked onto their heads" in lines


def test_every_end_has_its_sentence():
    ends = set()
    for game, events in matches({"rounds": 1}, seeds=range(60), a="uniform", b="uniform"):
        last = make_view(game).story(events[-1])[-1]
        assert last.tone is Tone.END
        result = game.result(events[-1].after)
        who = {"A": "A (South) wins", "B": "B (North) wins", None: "The match is drawn"}
        assert last.text.startswith(who[result.winner])
        ends.add(result.reason)
    assert {"score", "sudden_snout_up"} <= ends


def test_the_picture_on_the_page_is_the_screen():
    assert still() in PAGE.read_text()
