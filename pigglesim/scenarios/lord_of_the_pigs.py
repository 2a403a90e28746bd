"""Scenarios of Lord of the P.I.G.S.: events applied one by one to Ratings and Game Area."""

from dataclasses import dataclass, replace

from pigglesim.errors import SpecError
from pigglesim.games.lord_of_the_pigs.actions import vote_targets
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    CARDS,
    DECK,
    EVENT_DECK,
    HIGHEST,
    ORDERS,
    LordRules,
    LordSide,
    LordState,
    Series,
    Submitted,
    actor,
    by_seat,
    effect,
    read_actor,
    read_card,
    read_event,
    under,
)
from pigglesim.games.lord_of_the_pigs.turns import carry_out, judge, series_points, with_submitted
from pigglesim.landing import Seat
from pigglesim.scenarios.reader import Events, Fields, GameScenarios, Mismatch, Scenario

_RATINGS = (*ACTORS, "SS")
"""Keys of the Ratings and of Social Stability (SS)."""
_KINDS = {"C": "commons", "U": "uncommons", "R": "rares"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """State at hand, and the results of the last events."""

    rules: LordRules
    state: LordState
    first: Seat | None
    """First player of this turn; None before turn 1, unless the setup names one."""
    order: tuple[str, ...] = ()
    """Owners of the Actions carried out by the last `activate_all`."""
    winner: str | None = None
    how: str | None = None

    def activated(self, owner: Seat, card: str) -> "_Scene":
        """Return the scene after a card of `owner` was submitted and carried out at once."""
        submitted = with_submitted(self.state, owner, card)
        state = replace(self.state, submitted=submitted)
        # A scenario has no decks, so the draws of a Business Fair are dropped.
        done = replace(carry_out(state, submitted[-1].name, self.rules), draws=())
        return replace(self, state=done)


_EVENTS = Events[_Scene]()


def _start(scenario: Scenario) -> _Scene:
    rules = LordRules.from_mapping(scenario.config)
    setup = Fields("the setup", scenario.setup, ("ratings", "first", "event"))
    ratings = setup.table("ratings", _RATINGS)
    a, b, c, d = (ratings.whole(name, 0, 0, HIGHEST) for name in ACTORS)
    first = read_actor("first", setup.get("first")) if "first" in setup else None
    state = LordState(
        sides=(LordSide(), LordSide(), LordSide(), LordSide()),
        ratings=(a, b, c, d),
        first=first or rules.first_actor.seat,
        event=read_event(setup.get("event")),
    )
    stability = ratings.whole("SS", state.stability, 0, HIGHEST)
    return _Scene(rules=rules, state=replace(state, stability=stability), first=first)


def _card(event: Fields) -> tuple[Seat, str]:
    """Return owner and card that an event names."""
    return read_actor("owner", event.need("owner")), read_card(event.need("card"))


@_EVENTS.event("owner", "card", "event")
def _activate(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    owner, card = _card(event)
    if "event" in event:
        active = read_event(event.get("event"))
        scene = replace(scene, state=replace(scene.state, event=active))
    return scene.activated(owner, card)


@_EVENTS.event("cards")
def _activate_all(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    cards = []
    for pair in event.list("cards"):
        match pair:
            case [owner, card]:
                cards.append((read_actor("owner", owner), read_card(card)))
            case _:
                raise SpecError(f"invalid entry {pair!r}", fix='write ["Banker", "C1"]')
    # The stable sort keeps the order that an owner of several cards chose (LP10).
    order = ORDERS[scene.state.first]
    cards.sort(key=lambda pair: order.index(pair[0]))
    for owner, card in cards:
        scene = scene.activated(owner, card)
    return replace(scene, order=tuple(actor(owner) for owner, _ in cards))


@_EVENTS.event()
def _end_of_turn(scene: _Scene, _: Fields) -> _Scene | Mismatch:
    result = judge(scene.state.ratings, scene.state.stability, scene.rules)
    if result is None or result.winner is None:
        return replace(scene, winner=None, how=None)
    return replace(scene, winner=actor(result.winner).value, how=str(result.reason))


@_EVENTS.event("cards_per_deck", "events", *_KINDS.values())
def _expect_deck(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    copies = {
        name: sum(card.copies for card in CARDS.values() if card.tag[0] == kind)
        for kind, name in _KINDS.items()
    }
    return event.differing(cards_per_deck=len(DECK), **copies, events=len(EVENT_DECK)) or scene


def _by_name(numbers: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(_RATINGS, numbers, strict=True))


@_EVENTS.event("owner", "card", "event", "effect")
def _expect_effect(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    owner, card = _card(event)
    active = read_event(event.get("event")) if "event" in event else scene.state.event
    event.need("effect")
    return event.differing(effect=_by_name(under(active, effect(owner, card)))) or scene


@_EVENTS.event("card", "votes", "plus", "minus", "active")
def _expect_activation(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    card = read_card(event.need("card"))
    votes, plus, minus = (event.whole(key, 0, 0) for key in ("votes", "plus", "minus"))
    event.need("active")
    return event.differing(active=votes + plus - minus >= CARDS[card].threshold) or scene


@_EVENTS.event("winner", "uprising", "regular", "competitive")
def _expect_series(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    name, uprising = event.need("winner"), event.flag("uprising", default=False)
    winner = None if name is None else read_actor("winner", name)
    table = {}
    for scoring in (Series.REGULAR, Series.COMPETITIVE):
        points = series_points(scoring, scene.state.ratings, winner, uprising=uprising)
        table[scoring] = {actor(seat).value: number for seat, number in by_seat(points).items()}
    return event.differing(**table) or scene


@_EVENTS.event("sequence")
def _expect_next_first(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    first, sequence = scene.first, []
    for _ in event.list("sequence"):
        first = scene.rules.first_actor.seat if first is None else ORDERS[first][1]
        sequence.append(actor(first).value)
    return event.differing(sequence=sequence) or scene


@_EVENTS.event("voter", "submitted", "default", "diplomacy")
def _expect_vote_targets(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    voter = read_actor("voter", event.need("voter"))
    event.need("submitted")
    # Only the owners matter, so the card is arbitrary.
    submitted = tuple(
        Submitted(name=name, owner=read_actor(name, owner), card=DECK[0])
        for name, owner in event.table("submitted").items()
    )
    default, diplomacy = (
        tuple(action.name for action in vote_targets(submitted, voter, diplomacy_wars=wars))
        for wars in (False, True)
    )
    return event.differing(default=default, diplomacy=diplomacy) or scene


def _found(scene: _Scene) -> dict[str, object]:
    ratings = _by_name((*scene.state.ratings, scene.state.stability))
    order = list(scene.order)
    return {"ratings": ratings, "winner": scene.winner, "how": scene.how, "order": order}


SCENARIOS = GameScenarios(_start, _EVENTS, _found)
