"""Scenarios of Lord of the P.I.G.S. and of Pig Pile: events applied one by one to a state.

A setup of Pig Pile lists the players in clockwise order. Piles that it does not mention are empty.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games import pig_pile as pile
from pigglesim.games.game import changed
from pigglesim.games.lord_of_the_pigs import state as lord
from pigglesim.games.lord_of_the_pigs.rules import (
    carry_out,
    judge,
    series_points,
    vote_targets,
    with_submitted,
)
from pigglesim.landing import Seat
from pigglesim.scenarios.reader import (
    Events,
    Fields,
    GameScenarios,
    Mismatch,
    Scenario,
    as_list,
    differing,
    member,
)

_RATINGS = (*lord.ACTORS, "SS")
"""Keys of the Ratings and of Social Stability (SS)."""
_KINDS = {"C": "commons", "U": "uncommons", "R": "rares"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _LordScene:
    """State at hand, and the results of the last events."""

    rules: lord.LordRules
    state: lord.LordState
    first: Seat | None
    """First player of this turn; None before turn 1, unless the setup names one."""
    order: tuple[str, ...] = ()
    """Owners of the Actions carried out by the last `activate_all`."""
    winner: str | None = None
    how: str | None = None

    def activated(self, owner: Seat, card: str) -> "_LordScene":
        """Return the scene after a card of `owner` was submitted and carried out at once."""
        submitted = with_submitted(self.state, owner, card)
        state = replace(self.state, submitted=submitted)
        # A scenario has no decks, so the draws of a Business Fair are dropped.
        done = replace(carry_out(state, submitted[-1].name, self.rules), draws=())
        return replace(self, state=done)


_LORD_EVENTS = Events[_LordScene]()


def _start_lord(scenario: Scenario) -> _LordScene:
    rules = lord.LordRules.from_mapping(scenario.config)
    setup = Fields("the setup", scenario.setup, ("ratings", "first", "event"))
    ratings = setup.table("ratings", _RATINGS)
    a, b, c, d = (ratings.whole(name, 0, 0, lord.HIGHEST) for name in lord.ACTORS)
    first = lord.read_actor("first", setup.get("first")) if "first" in setup else None
    state = lord.LordState(
        sides=(lord.LordSide(), lord.LordSide(), lord.LordSide(), lord.LordSide()),
        ratings=(a, b, c, d),
        first=first or rules.first_actor.seat,
        event=lord.read_event(setup.get("event")),
    )
    stability = ratings.whole("SS", state.stability, 0, lord.HIGHEST)
    return _LordScene(rules=rules, state=replace(state, stability=stability), first=first)


def _card(event: Fields) -> tuple[Seat, str]:
    return lord.read_actor("owner", event.need("owner")), lord.read_card(event.need("card"))


@_LORD_EVENTS.event("owner", "card", "event")
def _activate(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    owner, card = _card(event)
    if "event" in event:
        active = lord.read_event(event.get("event"))
        scene = replace(scene, state=replace(scene.state, event=active))
    return scene.activated(owner, card)


@_LORD_EVENTS.event("cards")
def _activate_all(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    cards = []
    for pair in event.list("cards"):
        match pair:
            case [owner, card]:
                cards.append((lord.read_actor("owner", owner), lord.read_card(card)))
            case _:
                raise SpecError(f"invalid entry {pair!r}", fix='write ["Banker", "C1"]')
    # The stable sort keeps the order that an owner of several cards chose (LP10).
    order = lord.ORDERS[scene.state.first]
    cards.sort(key=lambda pair: order.index(pair[0]))
    for owner, card in cards:
        scene = scene.activated(owner, card)
    return replace(scene, order=tuple(lord.actor(owner) for owner, _ in cards))


@_LORD_EVENTS.event()
def _end_of_turn(scene: _LordScene, _: Fields) -> _LordScene | Mismatch:
    result = judge(scene.state.ratings, scene.state.stability, scene.rules.uprising_tie)
    if result is None or result.winner is None:
        return replace(scene, winner=None, how=None)
    return replace(scene, winner=lord.actor(result.winner).value, how=str(result.reason))


@_LORD_EVENTS.event("cards_per_deck", "events", *_KINDS.values())
def _expect_deck(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    copies = {
        name: sum(card.copies for card in lord.CARDS.values() if card.tag[0] == kind)
        for kind, name in _KINDS.items()
    }
    return (
        event.differing(cards_per_deck=len(lord.DECK), **copies, events=len(lord.EVENT_DECK))
        or scene
    )


def _by_name(numbers: tuple[int, ...]) -> dict[str, int]:
    return dict(zip(_RATINGS, numbers, strict=True))


@_LORD_EVENTS.event("owner", "card", "event", "effect")
def _expect_effect(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    owner, card = _card(event)
    active = lord.read_event(event.get("event")) if "event" in event else scene.state.event
    event.need("effect")
    return event.differing(effect=_by_name(lord.under(active, lord.effect(owner, card)))) or scene


@_LORD_EVENTS.event("card", "votes", "plus", "minus", "active")
def _expect_activation(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    card = lord.read_card(event.need("card"))
    votes, plus, minus = (event.whole(key, 0, 0) for key in ("votes", "plus", "minus"))
    event.need("active")
    return event.differing(active=votes + plus - minus >= lord.CARDS[card].threshold) or scene


@_LORD_EVENTS.event("winner", "uprising", "regular", "competitive")
def _expect_series(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    name, uprising = event.need("winner"), event.flag("uprising", default=False)
    winner = None if name is None else lord.read_actor("winner", name)
    table = {}
    for scoring in (lord.Series.REGULAR, lord.Series.COMPETITIVE):
        points = series_points(scoring, scene.state.ratings, winner, uprising=uprising)
        table[scoring] = {
            lord.actor(seat).value: number for seat, number in lord.by_seat(points).items()
        }
    return event.differing(**table) or scene


@_LORD_EVENTS.event("sequence")
def _expect_next_first(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    first, sequence = scene.first, []
    for _ in event.list("sequence"):
        first = scene.rules.first_actor.seat if first is None else lord.ORDERS[first][1]
        sequence.append(lord.actor(first).value)
    return event.differing(sequence=sequence) or scene


@_LORD_EVENTS.event("voter", "submitted", "default", "diplomacy")
def _expect_vote_targets(scene: _LordScene, event: Fields) -> _LordScene | Mismatch:
    voter = lord.read_actor("voter", event.need("voter"))
    event.need("submitted")
    # Only the owners matter, so the card is arbitrary.
    submitted = tuple(
        lord.Submitted(name=name, owner=lord.read_actor(name, owner), card=lord.DECK[0])
        for name, owner in event.table("submitted").items()
    )
    default, diplomacy = (
        tuple(action.name for action in vote_targets(submitted, voter, diplomacy_wars=wars))
        for wars in (False, True)
    )
    return event.differing(default=default, diplomacy=diplomacy) or scene


def _found_of_lord(scene: _LordScene) -> dict[str, object]:
    ratings = _by_name((*scene.state.ratings, scene.state.stability))
    order = list(scene.order)
    return {"ratings": ratings, "winner": scene.winner, "how": scene.how, "order": order}


LORD = GameScenarios(_start_lord, _LORD_EVENTS, _found_of_lord)


_SETUP = {
    "hand", "up", "slop", "pigs", "players", "turn", "dealer", "round", "direction", "tied", "pile",
    "aside", "draw", "out",
}  # fmt: skip
_FILLER: pile.Cards = (pile.DECK[-1],)
"""Slop of a player whose cards are not given; it keeps the player in the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _PileScene:
    """Round of a scenario: its state, and facts that no state holds."""

    state: pile.PigPileState
    rules: pile.PigPileRules
    seats: tuple[Seat, ...]
    """Players by number."""
    unknown: frozenset[int]
    """Numbers of the players without given cards; any cards will do."""
    turn_known: bool
    """True if the turn is known; otherwise the first player to act has it."""

    def at(self, state: pile.PigPileState) -> "_PileScene":
        """Return the scene with another state."""
        return replace(self, state=state, turn_known=True)

    @property
    def turn(self) -> str | None:
        """The seat of the player to move; None when the round is over."""
        is_over = pile.round_is_over(self.state, self.rules)
        return None if is_over else str(self.seats[self.state.mover])


def _place(seats: tuple[Seat, ...], key: str, value: object) -> int:
    """Return the number of the player whose seat a scenario names."""
    return seats.index(member(f"seat for {key}", value, Seat, seats))


_PILE_EVENTS = Events[_PileScene]()


def _cards(name: str, value: object) -> pile.Cards:
    """Return cards in the order given: numbers, and `"W"` for Hog Wild."""
    cards = []
    for card in as_list(name, value):
        if card != "W" and not (type(card) is int and card in pile.VALUES and card):
            raise SpecError(f"card {card!r} of {name}", fix='use 1 to 12, or "W" for Hog Wild')
        cards.append(card if isinstance(card, int) else 0)
    return tuple(cards)


def _plain(cards: pile.Cards) -> list[object]:
    """Return cards as a scenario writes them."""
    return [card or pile.format_card(card) for card in cards]


def _players(setup: Fields) -> tuple[Seat, ...]:
    seats = tuple(member("seat for players", name, Seat) for name in setup.list("players"))
    if len(set(seats)) < len(seats) or not 2 <= len(seats) <= len(Seat):
        raise SpecError(f"players {' '.join(seats)}", fix="name two to eight, each once")
    return seats


def _start_pile(scenario: Scenario) -> _PileScene:
    setup = Fields("the setup", scenario.setup, _SETUP)
    rules = pile.PigPileRules.from_mapping(scenario.config)
    seats = _players(setup) if "players" in setup else rules.seats

    def cards(key: str) -> tuple[pile.Cards, ...]:
        table = setup.table(key, seats)
        return tuple(_cards(key, table.get(seat, [])) for seat in seats)

    hands, ups, slops, pigs = cards("hand"), cards("up"), cards("slop"), setup.table("pigs", seats)
    out = tuple(_place(seats, "out", name) for name in setup.list("out", []))
    unknown = frozenset(
        at for at in range(len(seats)) if not (hands[at] or ups[at] or slops[at]) and at not in out
    )
    direction = setup.get("direction", 1)
    if type(direction) is not int or direction not in {1, -1}:
        raise SpecError(f"direction {direction!r}", fix="use 1 (clockwise) or -1")
    dealer = _place(seats, "dealer", setup.get("dealer", seats[0]))
    state = pile.PigPileState(
        phase=pile.PigPilePhase.PLAY,
        round=setup.whole("round", 1, 1, 1000),
        dealer=dealer,
        mover=_place(seats, "turn", setup.get("turn", seats[dealer])),
        direction=direction,
        tied=setup.flag("tied", default=False),
        hands=tuple(tuple(sorted(cards)) for cards in hands),
        known=((),) * len(seats),
        ups=tuple(tuple(sorted(cards)) for cards in ups),
        slops=tuple(_FILLER if at in unknown else cards for at, cards in enumerate(slops)),
        draw=_cards("draw", setup.get("draw", [])),
        pile=_cards("pile", setup.get("pile", [])),
        aside=_cards("aside", setup.get("aside", [])),
        out=out,
        pigs=tuple(pigs.whole(seat, 0, 0, pile.PIG_PEN) for seat in seats),
    )
    return _PileScene(
        state=state,
        rules=replace(rules, players=len(seats), first_dealer=Seat.A),
        seats=seats,
        unknown=unknown,
        turn_known="turn" in setup,
    )


def _mover(scene: _PileScene, event: Fields) -> int:
    """Return the number of the player that an event names. Default: the mover."""
    if "player" in event:
        return _place(scene.seats, "player", event.get("player"))
    return scene.state.mover


def _moving(scene: _PileScene, event: Fields) -> _PileScene:
    """Return the scene on the turn of the player that an event names; raise if it is another's."""
    place = _mover(scene, event)
    if not scene.turn_known:
        scene = scene.at(changed(scene.state, mover=place))
    if scene.turn != scene.seats[place]:
        raise IllegalActionError(
            f"{event.get('do')} of {scene.seats[place]} on the turn of {scene.turn or 'nobody'}",
            fix="put the turns in order",
            rule="R3",
        )
    return scene


@_PILE_EVENTS.event("player", "cards")
def _play(scene: _PileScene, event: Fields) -> _PileScene | Mismatch:
    cards = tuple(sorted(_cards("cards", event.need("cards"))))
    if not cards:
        raise SpecError("no cards in the event play", fix='add "cards": [7, 7]')
    scene = _moving(scene, event)
    state = scene.state
    place = state.mover
    if place in scene.unknown:
        # Of this player's cards, only these are known.
        hand = pile.merged(state.hands[place], pile.less(cards, state.hands[place]))
        state = changed(state, hands=(*state.hands[:place], hand, *state.hands[place + 1 :]))
    return scene.at(pile.act(state, _action(state, cards), scene.rules))


def _action(state: pile.PigPileState, cards: pile.Cards) -> pile.PigPileAction:
    """Return the play of these cards; a card of the Slop is turned over."""
    place, slop = state.mover, state.slops[state.mover]
    if state.hands[place] or state.ups[place]:
        return pile.Play(cards)
    if len(cards) > 1 or cards[0] not in slop:
        raise IllegalActionError(
            f"{pile.format_cards(cards)} is not a card of the Slop",
            fix=f"use {pile.format_cards(slop)}",
            rule="R8",
        )
    return pile.Slop(slop.index(cards[0]) + 1)


@_PILE_EVENTS.event("player", "face_up")
def _pickup(scene: _PileScene, event: Fields) -> _PileScene | Mismatch:
    scene = _moving(scene, event)
    state, face_up = scene.state, event.get("face_up")
    if state.mover in scene.unknown:
        return scene.at(pile.pick_up(state, pile.PickUp()))
    hand, up = state.hands[state.mover], state.ups[state.mover]
    card = None if face_up is None else _cards("face_up", [face_up])[0]
    if card is None and not hand and len(set(up)) == 1:
        # Only this card can be taken along.
        card = up[0]
    return scene.at(pile.act(state, pile.PickUp(card), scene.rules))


@_PILE_EVENTS.event("player", "values")
def _expect_legal(scene: _PileScene, event: Fields) -> _PileScene | Mismatch:
    place, expected = _mover(scene, event), _cards("values", event.need("values"))
    state = scene.state
    # Cards of the Slop come last; their player does not know them.
    held = state.hands[place] or state.ups[place] or state.slops[place]
    known = () if place in scene.unknown else sorted(set(held))
    legal = tuple(value for value in known if pile.fits(value, state.pile, scene.rules))
    return differing(_plain(expected), tuple(_plain(legal)), "values") or scene


@_PILE_EVENTS.event("player")
def _expect_turn(scene: _PileScene, event: Fields) -> _PileScene | Mismatch:
    _place(scene.seats, "player", event.need("player"))
    return event.differing(player=scene.turn) or scene


@_PILE_EVENTS.event("deck", "draw_pile")
def _expect_deal(scene: _PileScene, event: Fields) -> _PileScene | Mismatch:
    counts = {str(number): len(pile.DECK) - pile.CARDS_EACH * number for number in range(2, 9)}
    return event.differing(deck=len(pile.DECK), draw_pile=counts) or scene


def _found_of_pile(scene: _PileScene) -> dict[str, object]:
    """Return all values to expect: players' cards in any order, piles in their order."""
    state = scene.state
    awards = None if scene.turn else pile.round_awards(state)
    pigs = map(sum, zip(state.pigs, awards or (0,) * state.count, strict=True))
    parts = {"hand": state.hands, "up": state.ups, "slop": state.slops}

    def by_seat(values: Iterable[object]) -> dict[str, object]:
        return dict(zip(map(str, scene.seats), values, strict=True))

    return {
        **{key: by_seat(tuple(_plain(cards)) for cards in part) for key, part in parts.items()},
        "awards": None if awards is None else by_seat(awards),
        "pigs": by_seat(pigs),
        "turn": scene.turn,
        "direction": state.direction,
        "draw_count": len(state.draw),
        "pile": _plain(state.pile),
        "aside": _plain(state.aside),
        "out": [str(scene.seats[at]) for at in state.out],
    }


PIG_PILE = GameScenarios(_start_pile, _PILE_EVENTS, _found_of_pile)
