"""Agents that cannot be trusted: each kind of failure is a forfeit, and the record tells it."""

import gc
import re
import signal
import time
from asyncio import CancelledError
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.game import Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import BOARD_SEATS, CupHold, Seat
from pigglesim.match.entries import Cause, Decision, Forfeit, Status
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import (
    AgentError,
    Match,
    MatchEvent,
    OutOfTimeError,
    Progress,
    play,
    within,
)
from tests.support.simple_odds import simple_chance
from tests.support.waiting import wait_for

GAME = PigglesClassic(rules=PigglesRules(rounds=3))


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """Plays greedily, and fails from its second decision on."""

    how: Any
    name: str = "failing"

    def choose(self, observation, legal_actions, *, rng):
        if observation.state.round > 1:
            return self.how(legal_actions)
        return make_agent("greedy").choose(observation, legal_actions, rng=rng)


def match(how: Any, **more: Any) -> Match:
    agents = {Seat.A: make_agent("greedy"), Seat.B: Failing(how=how)}
    return play(GAME, agents=agents, chance=simple_chance(seed=1), seed=1, **more)


class Sly:
    """Compares itself with anything by raising, and has no words for itself."""

    def __eq__(self, other):
        raise ValueError("unequal")

    __hash__ = None

    def __repr__(self):
        raise ValueError("speechless")


class Quitter:
    """Leaves the program when it is compared."""

    def __eq__(self, other):
        raise SystemExit(3)

    __hash__ = None


class Mute:
    def __repr__(self):
        raise SystemExit(3)


class MuteError(Exception):
    def __str__(self):
        raise ValueError("speechless")


def raising(error):
    def choose(_legal):
        raise error

    return choose


BROKEN = raising(RuntimeError("no {idea};\nnone"))


def forever(_legal):
    while True:
        with suppress(Exception):
            time.sleep(0)


KINDS = [
    (BROKEN, Cause.RAISED, r"RuntimeError: no \(idea\), none"),
    (raising(SystemExit(3)), Cause.RAISED, "SystemExit: 3"),
    (raising(MuteError()), Cause.RAISED, "MuteError: MuteError"),
    (raising(CancelledError("late")), Cause.RAISED, "CancelledError: late"),
    (raising(ValueError("bytes \udcff")), Cause.RAISED, r"ValueError: bytes \?"),
    (lambda legal: "load B1", Cause.NONSENSE, "'load B1'"),
    (lambda legal: legal, Cause.NONSENSE, ""),
    (lambda legal: object(), Cause.NONSENSE, "<object object>"),
    (lambda legal: Sly(), Cause.NONSENSE, "Sly"),
    (lambda legal: Quitter(), Cause.NONSENSE, "<.*Quitter object>"),
    (lambda legal: Mute(), Cause.NONSENSE, "Mute"),
    (lambda legal: Load(("A1",)), Cause.ILLEGAL, "load A1: .*R8"),
    (lambda legal: Load((7,)), Cause.ILLEGAL, ""),
]


@pytest.mark.parametrize(("how", "cause", "detail"), KINDS)
def test_each_failure_forfeits_to_the_other_side(how, cause, detail):
    played = match(how)
    record = played.record
    forfeit = record.entries[-1]
    # B's first decision is 1; A's second is 2.
    assert (forfeit.seat, forfeit.index, forfeit.cause) == (Seat.B, 3, cause)
    assert record.forfeit is forfeit
    assert re.match(detail, forfeit.detail)
    assert record.footer.status is Status.FINISHED
    assert record.footer.result == Result(winner=Seat.A, reason="forfeit")
    assert record.footer.scores == GAME.scores(played.state)
    assert GAME.result(played.state) is None, "the rules know of no forfeit"
    for text in (False, True):
        again = parse_record(format_record(record, text=text))
        assert again == record
        assert replay(again).state == played.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Aiming:
    """Loads the whole Pen backwards and holds the cup where it likes; skips with an empty Pen."""

    hold: CupHold
    name: str = "aiming"

    def choose(self, observation, legal_actions, *, rng):
        pen = observation.state.side(observation.seat).pen
        return Load(pen[::-1], self.hold) if pen else Load()


def test_a_legal_load_that_is_not_listed_is_no_forfeit():
    hold = CupHold(across=-0.1, back=0.16, height=0.3)
    agents = dict.fromkeys(BOARD_SEATS, Aiming(hold=hold))
    played = play(GAME, agents=agents, chance=simple_chance(seed=1), seed=1)
    assert played.record.forfeit is None
    assert played.record.decisions[0].action == "load A1 A2 A3 A4 A5 A6 at -0.1,0.16,0.3"
    assert replay(played.record).state == played.state
    beside = dict.fromkeys(BOARD_SEATS, Aiming(hold=replace(hold, across=0.2)))
    forfeit = play(GAME, agents=beside, chance=simple_chance(seed=1), seed=1).record.forfeit
    assert (forfeit.cause, forfeit.index) == (Cause.ILLEGAL, 0)
    assert "P13" in forfeit.detail


def test_an_interrupt_and_the_time_limit_of_a_whole_match_are_no_forfeit():
    with pytest.raises(KeyboardInterrupt):
        match(raising(KeyboardInterrupt()))
    with pytest.raises(OutOfTimeError):
        within(0.05, lambda: match(forever))


def test_without_forfeits_the_error_comes_out():
    with pytest.raises(AgentError, match=r"failing .*F1.*RuntimeError") as caught:
        match(BROKEN, forfeits=False)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_an_agent_that_never_returns_is_stopped():
    played = match(forever, time_limit=0.2)
    forfeit = played.record.forfeit
    assert (forfeit.cause, forfeit.detail) == (Cause.TIME, "more than 0.2 s")
    assert replay(played.record).record.footer == played.record.footer


def test_the_alarm_rings_again_for_a_call_that_swallowed_it():
    swallowed = []

    def stubborn():
        while True:
            try:
                time.sleep(0.001)
            except BaseException as error:
                swallowed.append(type(error).__name__)
                if len(swallowed) == 3:
                    raise

    with pytest.raises(OutOfTimeError):
        within(0.05, stubborn)
    assert len(swallowed) == 3


def ring_here():
    """Let the alarm ring now, and again after its interval."""
    _, interval = signal.getitimer(signal.ITIMER_REAL)
    signal.setitimer(signal.ITIMER_REAL, 1e-3, interval)
    time.sleep(0.05)


class Finalized:
    def __del__(self):
        ring_here()


def slow_finalizer():
    Finalized()


def slow_gc_callback():
    def callback(phase, info):
        ring_here()

    # Garbage of other tests would run callbacks of weak references between both phases.
    gc.collect()
    gc.callbacks.append(callback)
    try:
        gc.collect()
    finally:
        gc.callbacks.remove(callback)


@pytest.mark.parametrize("collect", [slow_finalizer, slow_gc_callback])
def test_an_alarm_is_not_lost_where_python_ignores_errors(collect):
    passed = []

    def call():
        collect()
        passed.append(True)
        time.sleep(60.0)

    with pytest.raises(OutOfTimeError):
        within(60.0, call)
    assert passed


def test_an_alarm_of_others_rings_when_it_was_due():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(time.monotonic()))
    try:
        started = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(OutOfTimeError):
            within(0.05, lambda: time.sleep(1.0))
        assert within(5.0, lambda: 7) == 7
        wait_for(lambda: rung)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert rung[0] - started >= 0.2


@pytest.mark.parametrize("limit", [0.0, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused(limit):
    with pytest.raises(SpecError, match="invalid time limit"):
        match(BROKEN, time_limit=limit)


def test_nothing_comes_after_a_forfeit():
    played = match(BROKEN)
    record = played.record
    more = (*record.entries, Decision(index=3, seat=Seat.B, action="skip"))
    with pytest.raises(RecordError, match="follows a forfeit"):
        replay(replace(record, entries=more))
    early = replace(record.entries[-1], index=2)
    with pytest.raises(RecordError, match="record has decision 2 of B"):
        replay(replace(record, entries=(*record.entries[:-1], early)))


class Three(PigglesClassic):
    """As if a third player sat at the table."""

    def scores(self, state):
        return {Seat.A: 5, Seat.B: 9, Seat.C: self.third}


@pytest.mark.parametrize(
    ("third", "winner", "shared"), [(7, Seat.C, ()), (5, None, (Seat.A, Seat.C)), (2, Seat.A, ())]
)
def test_of_several_others_the_one_ahead_wins(third, winner, shared):
    Three.third = third
    forfeit = Forfeit(index=0, seat=Seat.B, cause=Cause.RAISED, detail="")
    start = GAME.initial_state()
    result = (
        Progress(state=start)
        .then(MatchEvent(entry=forfeit, before=start, after=start))
        .footer(Three())
        .result
    )
    assert result == Result(winner=winner, reason="forfeit", shared=shared)
