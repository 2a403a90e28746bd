"""Scenarios of Pig Pile: plays and pick-ups applied one by one to the round at hand.

A setup lists the players in clockwise order. Piles that it does not mention are empty.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import changed
from pigglesim.games.pig_pile.game import act
from pigglesim.games.pig_pile.rules import (
    CARDS_EACH,
    pick_up,
    playable,
    round_awards,
    round_is_over,
)
from pigglesim.games.pig_pile.state import (
    DECK,
    PIG_PEN,
    VALUES,
    Cards,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileRules,
    PigPileState,
    Play,
    Slop,
    format_card,
    format_cards,
    less,
    merged,
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

_SETUP = {
    "hand", "up", "slop", "pigs", "players", "turn", "dealer", "round", "direction", "tied", "pile",
    "aside", "draw", "out",
}  # fmt: skip
_FILLER: Cards = (DECK[-1],)
"""Slop of a player whose cards are not given; it keeps the player in the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Round of a scenario: its state, and facts that no state holds."""

    state: PigPileState
    rules: PigPileRules
    seats: tuple[Seat, ...]
    """Players by number."""
    unknown: frozenset[int]
    """Numbers of the players without given cards; any cards will do."""
    turn_known: bool
    """True if the turn is known; otherwise the first player to act has it."""

    def at(self, state: PigPileState) -> "_Scene":
        """Return the scene with another state."""
        return replace(self, state=state, turn_known=True)

    @property
    def turn(self) -> str | None:
        """The seat of the player to move; None when the round is over."""
        is_over = round_is_over(self.state, self.rules)
        return None if is_over else str(self.seats[self.state.mover])


def _place(seats: tuple[Seat, ...], key: str, value: object) -> int:
    """Return the number of the player whose seat a scenario names."""
    return seats.index(member(f"seat for {key}", value, Seat, seats))


_EVENTS = Events[_Scene]()


def _cards(name: str, value: object) -> Cards:
    """Return cards in the order given: numbers, and `"W"` for Hog Wild."""
    cards = []
    for card in as_list(name, value):
        if card != "W" and not (type(card) is int and card in VALUES and card):
            raise SpecError(f"card {card!r} of {name}", fix='use 1 to 12, or "W" for Hog Wild')
        cards.append(card if isinstance(card, int) else 0)
    return tuple(cards)


def _plain(cards: Cards) -> list[object]:
    """Return cards as a scenario writes them."""
    return [card or format_card(card) for card in cards]


def _start(scenario: Scenario) -> _Scene:
    setup = Fields("the setup", scenario.setup, _SETUP)
    rules = PigPileRules.from_mapping(scenario.config)
    seats = rules.seats
    if "players" in setup:
        seats = tuple(member("seat for players", name, Seat) for name in setup.list("players"))
        if len(set(seats)) < len(seats) or not 2 <= len(seats) <= len(Seat):
            raise SpecError(f"players {' '.join(seats)}", fix="name two to eight, each once")

    def cards(key: str) -> tuple[Cards, ...]:
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
    state = PigPileState(
        phase=PigPilePhase.PLAY,
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
        pigs=tuple(pigs.whole(seat, 0, 0, PIG_PEN) for seat in seats),
    )
    return _Scene(
        state=state,
        rules=replace(rules, players=len(seats), first_dealer=Seat.A),
        seats=seats,
        unknown=unknown,
        turn_known="turn" in setup,
    )


def _mover(scene: _Scene, event: Fields) -> int:
    """Return the number of the player that an event names. Default: the mover."""
    if "player" in event:
        return _place(scene.seats, "player", event.get("player"))
    return scene.state.mover


def _moving(scene: _Scene, event: Fields) -> _Scene:
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


@_EVENTS.event("player", "cards")
def _play(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    cards = tuple(sorted(_cards("cards", event.need("cards"))))
    if not cards:
        raise SpecError("no cards in the event play", fix='add "cards": [7, 7]')
    scene = _moving(scene, event)
    state = scene.state
    place = state.mover
    if place in scene.unknown:
        # Of this player's cards, only these are known.
        hand = merged(state.hands[place], less(cards, state.hands[place]))
        state = changed(state, hands=(*state.hands[:place], hand, *state.hands[place + 1 :]))
    return scene.at(act(state, _action(state, cards), scene.rules))


def _action(state: PigPileState, cards: Cards) -> PigPileAction:
    """Return the play of these cards; a card of the Slop is turned over."""
    place, slop = state.mover, state.slops[state.mover]
    if state.hands[place] or state.ups[place]:
        return Play(cards)
    if len(cards) > 1 or cards[0] not in slop:
        raise IllegalActionError(
            f"{format_cards(cards)} is not a card of the Slop",
            fix=f"use {format_cards(slop)}",
            rule="R8",
        )
    return Slop(slop.index(cards[0]) + 1)


@_EVENTS.event("player", "face_up")
def _pickup(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    scene = _moving(scene, event)
    state, face_up = scene.state, event.get("face_up")
    if state.mover in scene.unknown:
        return scene.at(pick_up(state, PickUp()))
    hand, up = state.hands[state.mover], state.ups[state.mover]
    card = None if face_up is None else _cards("face_up", [face_up])[0]
    if card is None and not hand and len(set(up)) == 1:
        # Only this card can be taken along.
        card = up[0]
    return scene.at(act(state, PickUp(card), scene.rules))


@_EVENTS.event("player", "values")
def _expect_legal(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    place, expected = _mover(scene, event), _cards("values", event.need("values"))
    legal = () if place in scene.unknown else playable(scene.state, place, scene.rules)
    return differing(_plain(expected), tuple(_plain(legal)), "values") or scene


@_EVENTS.event("player")
def _expect_turn(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    _place(scene.seats, "player", event.need("player"))
    return event.differing(player=scene.turn) or scene


@_EVENTS.event("deck", "draw_pile")
def _expect_deal(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    counts = {str(number): len(DECK) - CARDS_EACH * number for number in range(2, 9)}
    return event.differing(deck=len(DECK), draw_pile=counts) or scene


def _found(scene: _Scene) -> dict[str, object]:
    """Return all values to expect: players' cards in any order, piles in their order."""
    state = scene.state
    awards = None if scene.turn else round_awards(state)
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


SCENARIOS = GameScenarios(_start, _EVENTS, _found)
