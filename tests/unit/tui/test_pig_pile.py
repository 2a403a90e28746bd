"""Pig Pile at the screen: what is told adds up, and nothing that is hidden is ever shown."""

import re

import numpy as np
import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.greedy import PileGreedy
from pigglesim.chance.tabular import FairChance
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.state import PigPilePhase, PigPileRules, Slop
from pigglesim.landing import Seat
from pigglesim.match.runner import MatchEvent, play
from pigglesim.tui.game_view import Tone, make_view
from tests.random_pig_pile import with_hidden_changed


def watched(seed=1, agent=None, **rules):
    """The game, its view and the events of a whole match."""
    game = PigPile(rules=PigPileRules(**rules))
    agents = dict.fromkeys(game.seats, agent or PileGreedy())
    events = []
    play(game, agents=agents, chance=FairChance(seed=seed), seed=seed, on_event=events.append)
    return game, make_view(game), events


def said(view, event):
    return [line.text for line in view.story(event)]


@pytest.mark.parametrize("players", [2, 4, 7])
def test_what_is_told_of_pigs_adds_up_to_the_score(players):
    for seed in range(4):
        game, view, events = watched(seed, players=players)
        paid = dict.fromkeys(game.seats, 0)
        for event in events:
            for line in view.story(event):
                if line.tone is Tone.SCORE and "Pigs:" in line.text:
                    for seat, pigs in re.findall(r"(\w) (\d)", line.text.split("Pigs:")[1]):
                        paid[Seat(seat)] += int(pigs)
            assert paid == game.scores(event.after)
        assert line.tone is Tone.END
        last = str(game.rules.rounds)
        points = view.points(events)
        assert {seat: points[last, seat] for seat in game.seats} == paid


def test_every_draw_wash_and_missed_turn_is_told():
    game, view, events = watched(3, agent=Uniform(), players=5, rounds=3)
    missed = washes = 0
    for event in events:
        before, after, text = event.before, event.after, " ".join(said(view, event))
        if before.phase is not PigPilePhase.PLAY or after.phase is not PigPilePhase.PLAY:
            continue
        drawn = len(before.draw) - len(after.draw)
        assert ("Draws 1 card" in text) is (drawn == 1)
        washed = len(after.aside) - len(before.aside)
        assert (f"{washed} card" in text and "Hog Wash" in text) is bool(washed)
        assert ("Ewe Turn" in text) is (before.direction != after.direction)
        assert ("Out of cards" in text) is (before.out != after.out)
        washes += bool(washed)
        if "misses a turn" in text:
            (name,) = re.findall(r"Player (\w) is tied", text)
            assert game.turn(after) is not Seat(name)
            missed += 1
        elif not washed and before.out == after.out:
            ring = [(before.mover + after.direction * k) % 5 for k in range(1, 5)]
            assert after.mover == next(at for at in ring if at not in after.out)
    assert missed > 10
    assert washes > 10


@pytest.mark.parametrize("advanced", [False, True])
def test_what_is_hidden_is_never_shown(advanced):
    game, view, events = watched(
        2, agent=Uniform(), players=4, rounds=1, advanced_deal=advanced, turn_cap=200
    )
    rng = np.random.default_rng(1)
    for event in events[1:]:
        before = event.before
        for place, seat in enumerate(game.seats):
            other = with_hidden_changed(before, place, rng)
            assert view.table(other, seat) == view.table(before, seat)
            assert view.table(other, seat).spans == view.table(before, seat).spans
            assert view.heading(other) == view.heading(before)
            assert view.guide(other, seat) == view.guide(before, seat)
            assert view.areas(other) == view.areas(before)
        action = game.parse_action(event.entry.action)
        if isinstance(action, Slop) or before.phase is PigPilePhase.CHOOSE or event.after.awards:
            continue
        other = with_hidden_changed(before, before.mover, rng)
        told = MatchEvent(entry=event.entry, before=other, after=game.apply_action(other, action))
        assert said(view, told) == said(view, event)
