"""Scenarios of Lord of the P.I.G.S.: events applied one by one to Ratings and Game Area."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeGuard

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.actions import vote_targets
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules, Series
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    CARDS,
    DECK,
    EVENT_DECK,
    HIGHEST,
    ORDERS,
    Effect,
    LordSide,
    LordState,
    Submitted,
    actor,
    by_seat,
    effect,
    read_actor,
    read_card,
    read_event,
    under,
)
from pigglesim.games.lord_of_the_pigs.turns import (
    activates,
    carry_out,
    judge,
    next_first,
    series_points,
    with_submitted,
)
from pigglesim.games.scenario import (
    Mismatch,
    Scenario,
    as_list,
    as_mapping,
    follow_events,
    only_keys,
)
from pigglesim.landing import Seat

_STABILITY = "SS"
_START = LordState(sides=(LordSide(), LordSide(), LordSide(), LordSide()))
_Event = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LordTable:
    """The state at hand, and what the last events gave."""

    state: LordState
    first: Seat | None
    """First player of this turn; None before turn 1, unless the setup names one."""
    order: tuple[str, ...] = ()
    """Owners of the Actions carried out by the last `activate_all`."""
    winner: str | None = None
    how: str | None = None


def play_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    rules = LordRules.from_mapping(scenario.config)
    table = follow_events(
        scenario,
        _read_setup(scenario.setup, rules),
        _EVENTS,
        lambda act, now, event: act(now, event, rules),
    )
    return table if isinstance(table, Mismatch) else _compare(scenario.expected, table)


def _read_setup(setup: Mapping[str, object], rules: LordRules) -> _LordTable:
    only_keys("key of a setup", setup, {"ratings", "first", "event"})
    state = _START
    if "ratings" in setup:
        ratings = as_mapping("ratings", setup["ratings"])
        only_keys("Rating", ratings, {*ACTORS, _STABILITY})
        a, b, c, d = (_rating(ratings, name, 0) for name in ACTORS)
        stability = _rating(ratings, _STABILITY, state.stability)
        state = replace(state, ratings=(a, b, c, d), stability=stability)
    first = read_actor("first", setup["first"]) if "first" in setup else None
    state = replace(
        state, first=first or rules.first_actor.seat, event=read_event(setup.get("event"))
    )
    return _LordTable(state=state, first=first)


def _rating(ratings: Mapping[str, object], name: str, default: int) -> int:
    value = ratings.get(name, default)
    if not _is_whole(value) or not 0 <= value <= HIGHEST:
        raise SpecError(
            f"a Rating of {name} from 0 to {HIGHEST}", got=repr(value), remedy=f'"{name}": 5'
        )
    return value


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _need(event: _Event, key: str) -> object:
    """Return what an event must have."""
    if key not in event:
        raise SpecError(f"{key} in the event {event['do']}", got="none", remedy=f"add {key!r}")
    return event[key]


def _count(event: _Event, key: str) -> int:
    value = event.get(key, 0)
    if not _is_whole(value) or value < 0:
        raise SpecError(f"a number of {key}, 0 or more", got=repr(value), remedy=f'"{key}": 1')
    return value


def _activated(table: _LordTable, owner: Seat, card: str, rules: LordRules) -> LordState:
    """Return the state after a card of `owner` was submitted and carried out at once."""
    submitted = with_submitted(table.state, owner, card)
    state = replace(table.state, submitted=submitted)
    # The draws of a Business Fair are nobody's business here: there are no decks.
    return replace(carry_out(state, submitted[-1].name, rules), draws=())


def _activate(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    owner = read_actor("owner", _need(event, "owner"))
    if "event" in event:
        active = read_event(event["event"])
        table = replace(table, state=replace(table.state, event=active))
    state = _activated(table, owner, read_card(_need(event, "card")), rules)
    return replace(table, state=state)


def _activate_all(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    cards = []
    for pair in as_list("cards", _need(event, "cards")):
        match pair:
            case [owner, card]:
                cards.append((read_actor("owner", owner), read_card(card)))
            case _:
                raise SpecError("[owner, card]", got=repr(pair), remedy='["Banker", "C1"]')
    done: list[str] = []
    # Of several of one owner the order of the list is what the owner chose (LP10).
    for seat in ORDERS[table.state.first]:
        for owner, card in cards:
            if owner is seat:
                table = replace(table, state=_activated(table, owner, card, rules))
                done.append(actor(owner))
    return replace(table, order=tuple(done))


def _end_of_turn(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    del event
    result = judge(table.state.ratings, table.state.stability, rules)
    if result is None or result.winner is None:
        return replace(table, winner=None, how=None)
    return replace(table, winner=actor(result.winner).value, how=str(result.reason))


def _expect_deck(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    del rules
    copies = dict.fromkeys(_KINDS, 0)
    for card in CARDS.values():
        copies[card.tag[0]] += card.copies
    found = {
        "cards_per_deck": len(DECK),
        **{name: copies[kind] for kind, name in _KINDS.items()},
        "events": len(EVENT_DECK),
    }
    return _differing(event, found) or table


_KINDS = {"C": "commons", "U": "uncommons", "R": "rares"}
_DECK_KEYS = frozenset({"cards_per_deck", "events", *_KINDS.values()})


def _differing(event: _Event, found: Mapping[str, object]) -> Mismatch | None:
    """Return the first of an event's keys that is not as found."""
    for key, wanted in event.items():
        if key in found and not _same(wanted, found[key]):
            return Mismatch(key=key, expected=wanted, got=found[key])
    return None


def _same(wanted: object, got: object) -> bool:
    return wanted == got and isinstance(wanted, bool) is isinstance(got, bool)


def _by_name(change: Effect) -> dict[str, int]:
    return dict(zip((*ACTORS, _STABILITY), change, strict=True))


def _expect_effect(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    del rules
    owner, card = read_actor("owner", _need(event, "owner")), read_card(_need(event, "card"))
    active = read_event(event["event"]) if "event" in event else table.state.event
    wanted = as_mapping("effect", _need(event, "effect"))
    only_keys("Rating", wanted, {*ACTORS, _STABILITY})
    found = _by_name(under(active, effect(owner, card)))
    return _differing(wanted, found) or table


def _expect_activation(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    del rules
    card = read_card(_need(event, "card"))
    votes = _count(event, "votes") + _count(event, "plus") - _count(event, "minus")
    return (
        _differing({"active": _need(event, "active")}, {"active": activates(card, votes)}) or table
    )


def _expect_series(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    del rules
    name, uprising = _need(event, "winner"), event.get("uprising", False)
    winner = None if name is None else read_actor("winner", name)
    if not isinstance(uprising, bool):
        raise SpecError("true or false for uprising", got=repr(uprising), remedy="false")
    for scoring in (Series.REGULAR, Series.COMPETITIVE):
        if scoring in event:
            wanted = as_mapping(scoring, event[scoring])
            only_keys(f"actor in {scoring}", wanted, ACTORS)
            points = series_points(scoring, table.state.ratings, winner, uprising=uprising)
            found = {actor(seat).value: number for seat, number in by_seat(points).items()}
            mismatch = _differing(wanted, found)
            if mismatch is not None:
                return replace(mismatch, key=f"{scoring}.{mismatch.key}")
    return table


def _expect_next_first(table: _LordTable, event: _Event, rules: LordRules) -> _LordTable | Mismatch:
    first, found = table.first, []
    wanted = as_list("sequence", _need(event, "sequence"))
    for _ in wanted:
        first = rules.first_actor.seat if first is None else next_first(first)
        found.append(actor(first).value)
    if wanted != found:
        return Mismatch(key="sequence", expected=wanted, got=found)
    return table


def _expect_vote_targets(
    table: _LordTable, event: _Event, rules: LordRules
) -> _LordTable | Mismatch:
    del rules
    voter = read_actor("voter", _need(event, "voter"))
    owners = as_mapping("submitted", _need(event, "submitted"))
    # Whose they are is all that counts: any card will do.
    submitted = tuple(
        Submitted(name=name, owner=read_actor(name, owner), card=DECK[0])
        for name, owner in owners.items()
    )
    for key, diplomacy_wars in (("default", False), ("diplomacy", True)):
        if key in event:
            targets = vote_targets(submitted, voter, diplomacy_wars=diplomacy_wars)
            found, wanted = [each.name for each in targets], as_list(key, event[key])
            if sorted(map(str, wanted)) != sorted(found):
                return Mismatch(key=key, expected=wanted, got=found)
    return table


def _compare(expected: Mapping[str, object], table: _LordTable) -> Mismatch | None:
    """Return the first difference between what is expected and what came out."""
    only_keys("key of an expected state", expected, {"ratings", "winner", "how", "order"})
    found = {"winner": table.winner, "how": table.how, "order": list(table.order)}
    for key, wanted in expected.items():
        if key == "ratings":
            mismatch = _compare_ratings(wanted, table.state)
        else:
            mismatch = _differing({key: wanted}, found)
        if mismatch is not None:
            return mismatch
    return None


def _compare_ratings(value: object, state: LordState) -> Mismatch | None:
    wanted = as_mapping("ratings", value)
    only_keys("Rating", wanted, {*ACTORS, _STABILITY})
    found = _by_name((*state.ratings, state.stability))
    mismatch = _differing(wanted, found)
    return mismatch and replace(mismatch, key=f"ratings.{mismatch.key}")


_Act = Callable[[_LordTable, _Event, LordRules], _LordTable | Mismatch]
_EVENTS: Mapping[str, tuple[_Act, frozenset[str]]] = {
    "activate": (_activate, frozenset({"owner", "card", "event"})),
    "activate_all": (_activate_all, frozenset({"cards"})),
    "end_of_turn": (_end_of_turn, frozenset()),
    "expect_deck": (_expect_deck, _DECK_KEYS),
    "expect_effect": (_expect_effect, frozenset({"owner", "card", "event", "effect"})),
    "expect_activation": (
        _expect_activation,
        frozenset({"card", "votes", "plus", "minus", "active"}),
    ),
    "expect_series": (
        _expect_series,
        frozenset({"winner", "uprising", "regular", "competitive"}),
    ),
    "expect_next_first": (_expect_next_first, frozenset({"sequence"})),
    "expect_vote_targets": (
        _expect_vote_targets,
        frozenset({"voter", "submitted", "default", "diplomacy"}),
    ),
}
"""What scenarios can do, and the keys that each event may have besides `do`."""
