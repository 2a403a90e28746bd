"""Pig Pile: house rules, turns, states as text, invariants, and the game."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from itertools import combinations, groupby
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

from pigglesim.chance_types import ChanceOutcome, ShuffleRequest, ShuffleResult, answering_shuffle
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    Invariant,
    NonPlayer,
    Permutes,
    Result,
    Turn,
    changed,
    require_observation,
    require_player,
)
from pigglesim.games.notation import COUNT, WHOLE, YES, ActionForms, Codec, Words, optional, several
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import Seat


class DrawTo(StrEnum):
    """Number of cards drawn after a play, while the Draw Pile lasts (PP3)."""

    ONE = "one"
    """One card after any play."""
    FOUR = "four"
    """Cards up to a hand of four; none for a larger hand."""


_NUMBERS: Mapping[object, str] = {1: DrawTo.ONE, 4: DrawTo.FOUR}
"""Settings of `draw_to` written as numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    players: int = switch(4, "PP1", "number of players, 2 to 8", least=2, most=8)
    rounds: int = switch(5, "R10", "number of rounds", least=1, most=100)
    first_dealer: Seat = switch(Seat.A, "R10", "dealer of the first round")
    advanced_deal: bool = switch(
        False,
        "R2, PP18",
        "players choose three of seven cards to lie face up, hidden until all have chosen",
    )
    voluntary_pickup: bool = switch(False, "PP2", "a player who could play may take the pile")
    draw_to: DrawTo = switch(
        DrawTo.ONE, "PP3", "draw `one` card after playing, or up to `four` in hand"
    )
    wash_any_time: bool = switch(False, "PP4", "an 8 fits on any card")
    wash_cancels_effect: bool = switch(False, "PP5", "a 4 or an 11 that washes has no other effect")
    wild_triple: bool = switch(True, "PP6", "three Hog Wilds in a row wash")
    wild_mix: bool = switch(
        False,
        "PP6",
        "Hog Wilds may be played beneath cards of one value; they count as that value, "
        "also for a later wash",
    )
    two_player_reverse: bool = switch(
        False, "PP10", "between the last two players an 11 gives another turn, as a 4 does"
    )
    join_zones: bool = switch(
        False,
        "PP15",
        "equal face-up cards may be played with the last of the hand, when the Draw Pile is empty",
    )
    turn_cap: int = switch(
        2000, "PP13", "decisions after which a round is counted as it stands", least=1, most=100_000
    )

    def __post_init__(self) -> None:
        Switches.__post_init__(self)
        if self.first_dealer not in self.seats:
            raise SpecError(
                f"first_dealer={self.first_dealer} among {self.players} players",
                fix=f"use first_dealer={self.seats[0]}, or more players (R10)",
            )

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, object]) -> Self:
        """Return the house rules in a JSON or TOML table; missing ones are default."""
        settings = dict(mapping)
        number = settings.get("draw_to")
        if type(number) is int and number in _NUMBERS:
            settings["draw_to"] = _NUMBERS[number]
        return super(PigPileRules, cls).from_mapping(settings)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in clockwise order."""
        return tuple(Seat)[: self.players]


Cards: TypeAlias = tuple[int, ...]
"""Cards by value; a hand is in ascending order, a pile has its top card last."""

HIDDEN = -1
"""Mark of a card that a player may not see."""
HOG_WILD = 0
HOG_TIED = 4
"""Value of the card by which the next player misses a turn."""
HOG_WASH = 8
"""Value of the card that washes the pile away."""
EWE_TURN = 11
"""Value of the card that reverses the direction of play."""
HIGHEST = 12
VALUES = range(HIGHEST + 1)

DECK: Cards = (HOG_WILD,) * 8 + tuple(value for value in range(1, HIGHEST + 1) for _ in range(6))
"""Values of all 80 cards (R1)."""

_CARDS = {"W": HOG_WILD, **{str(value): value for value in range(1, HIGHEST + 1)}}
_TEXTS = {**{card: text for text, card in _CARDS.items()}, HIDDEN: "?"}


def format_card(card: int) -> str:
    """Return a card as text: its number, or `W`; `?` for a hidden one."""
    # The error of an illegal action names a card that does not exist.
    return _TEXTS.get(card) or f"card {card}"


def parse_card(text: str) -> int:
    """Return the card that a text names; raise `SpecError` if it is unknown."""
    if text not in _CARDS:
        raise SpecError(f"unknown card {text!r}", fix="use 1 to 12, or W for Hog Wild")
    return _CARDS[text]


def format_cards(cards: Cards, *, between: str = " ") -> str:
    """Return cards as text, in their order."""
    return between.join(map(format_card, cards))


def parse_cards(words: Iterable[str]) -> Cards:
    """Return the cards that words name, in their order; raise `SpecError` if one is unknown."""
    return tuple(map(parse_card, words))


def merged(cards: Cards, others: Cards) -> Cards:
    """Return all these cards in ascending order."""
    return tuple(sorted(cards + others))


def less(cards: Cards, removed: Cards) -> Cards:
    """Return cards without those taken, if present, in the same order."""
    remaining = list(cards)
    for card in removed:
        if card in remaining:
            remaining.remove(card)
    return tuple(remaining)


PIG_PEN = 40
"""Number of pigs in a match (R1)."""


class PigPilePhase(StrEnum):
    """Phases of a round."""

    DEAL = "deal"
    """Shuffle and deal of the cards."""
    CHOOSE = "choose"
    """Choices of face-up cards, in the advanced deal (R2)."""
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, kw_only=True)
class PigPileState:
    """State of a match: cards, player to move, and pigs."""

    phase: PigPilePhase = PigPilePhase.DEAL
    round: int = 1
    dealer: int = 0
    mover: int = 0
    """Number of the player to move, in phases that have one."""
    direction: int = 1
    """Direction of play: 1 clockwise, -1 anticlockwise."""
    tied: bool = False
    """True if the next player misses a turn after the mover's (R5, PP5)."""
    turns: int = 0
    """Number of decisions in this round, without choices of face-up cards."""
    hands: tuple[Cards, ...]
    """Hands by player, each in ascending order."""
    known: tuple[Cards, ...]
    """Part of each hand that all have seen, from the pile or the table (PP17)."""
    ups: tuple[Cards, ...]
    """Face-up cards by player, in ascending order."""
    slops: tuple[Cards, ...]
    """Face-down cards by player, in their order on the table."""
    chosen: tuple[Cards, ...] = ()
    """Hidden choices of face-up cards, in order from the dealer (PP18)."""
    draw: Cards = ()
    """Draw Pile; the first card is drawn first."""
    pile: Cards = ()
    """Pig Pile; the last card is on top."""
    mixed: bool = False
    """True if the Hog Wild below the top card was played as its value (PP6)."""
    aside: Cards = ()
    """Cards washed away in this round, in order."""
    out: tuple[int, ...] = ()
    """Players who are out, in the order of going out."""
    pigs: tuple[int, ...]
    """Pigs by player."""
    awards: tuple[int, ...] = ()
    """Pigs of each player in the previous round; empty in the first."""

    @property
    def result(self) -> Result | None:
        """Result of a finished match: most pigs win, and a tie is shared."""
        if self.phase is not PigPilePhase.OVER:
            return None
        top = max(self.pigs)
        winners = [_SEATS[place] for place, pigs in enumerate(self.pigs) if pigs == top]
        return Result.of(winners, "pigs")

    @property
    def count(self) -> int:
        """Number of players."""
        return len(self.hands)

    @property
    def left(self) -> tuple[int, ...]:
        """Players still in the round."""
        return tuple(place for place in range(len(self.hands)) if place not in self.out)

    @property
    def pen(self) -> int:
        """Number of pigs left in the Pig Pen."""
        return PIG_PEN - sum(self.pigs)

    def cards_of(self, place: int) -> int:
        """Return the number of a player's cards in all places."""
        return len(self.hands[place]) + len(self.ups[place]) + len(self.slops[place])


@dataclass(frozen=True, slots=True)
class Play:
    """Play of cards of one value, from the hand or, if it is empty, from the table (R3)."""

    cards: Cards
    """Cards in ascending order; Hog Wilds mixed in come first and are below the others."""

    @property
    def value(self) -> int:
        """Value that the next player must reach."""
        return self.cards[-1]


@dataclass(frozen=True, slots=True)
class Slop:
    """Play of a face-down card, unseen (R8)."""

    slot: int
    """Number of the card among those left, from 1."""


@dataclass(frozen=True, slots=True)
class PickUp:
    """Picking up the whole pile when no card fits (R4)."""

    face_up: int | None = None
    """Face-up card that a player with an empty hand also takes (R7)."""


@dataclass(frozen=True, slots=True)
class FaceUp:
    """Choice of three of seven cards to be face up, in the advanced deal (R2)."""

    cards: Cards
    """Cards in ascending order."""


PigPileAction = Play | Slop | PickUp | FaceUp


@cache
def play_of(value: int, count: int) -> Play:
    """Return the play of a number of cards of a value, always the same object."""
    return Play((value,) * count)


SLOP = UP = 3
CARDS_EACH = 10
"""Cards per player: three face down, three face up and four in hand (R2)."""
_SEATS = tuple(Seat)


def before_deal(
    rules: PigPileRules,
    *,
    round_number: int = 1,
    pigs: tuple[int, ...] | None = None,
    awards: tuple[int, ...] = (),
) -> PigPileState:
    """Return the state before the deal of a round, with all cards at the dealer."""
    count = rules.players
    dealer = (_SEATS.index(rules.first_dealer) + round_number - 1) % count
    nothing: tuple[Cards, ...] = ((),) * count
    return PigPileState(
        round=round_number,
        dealer=dealer,
        mover=dealer,
        hands=nothing,
        known=nothing,
        ups=nothing,
        slops=nothing,
        pigs=pigs if pigs is not None else (0,) * count,
        awards=awards,
    )


def deal(state: PigPileState, shuffled: ShuffleResult, rules: PigPileRules) -> PigPileState:
    """Return the state after the deal: ten cards to each player in turn, and the Draw Pile.

    The first three of the ten are Slop, then come the face-up cards, then the hand. In the advanced
    deal all but the Slop are in hand until the choice.
    """
    cards = parse_cards(shuffled.cards)
    shares = [cards[at : at + CARDS_EACH] for at in range(0, CARDS_EACH * state.count, 10)]
    faced = SLOP if rules.advanced_deal else SLOP + UP
    return changed(
        state,
        phase=PigPilePhase.CHOOSE if rules.advanced_deal else PigPilePhase.PLAY,
        hands=tuple(tuple(sorted(share[faced:])) for share in shares),
        ups=tuple(tuple(sorted(share[SLOP:faced])) for share in shares),
        slops=tuple(share[:SLOP] for share in shares),
        draw=cards[CARDS_EACH * state.count :],
    )


def choices(hand: Cards) -> tuple[FaceUp, ...]:
    """Return every distinct choice of three cards to be face up, in order."""
    return tuple(FaceUp(cards) for cards in sorted(set(combinations(hand, UP))))


def choose(state: PigPileState, action: FaceUp) -> PigPileState:
    """Return the state after a player's choice; after the last, the cards are turned up."""
    chosen = (*state.chosen, action.cards)
    count = state.count
    if len(chosen) < count:
        return changed(state, chosen=chosen, mover=(state.mover + 1) % count)
    # The dealer was the first to choose.
    ups = tuple(chosen[(place - state.dealer) % count] for place in range(count))
    return changed(
        state,
        phase=PigPilePhase.PLAY,
        mover=state.dealer,
        chosen=(),
        ups=ups,
        hands=tuple(less(hand, ups[place]) for place, hand in enumerate(state.hands)),
    )


PRIZES = (3, 2)
"""Pigs of the first and the second player who are out (R9)."""


def round_is_over(state: PigPileState, rules: PigPileRules) -> bool:
    """Return whether a round is over: two are out, one is left, or the cap is reached."""
    out = len(state.out)
    return out == len(PRIZES) or state.count - out == 1 or state.turns >= rules.turn_cap


def round_awards(state: PigPileState) -> tuple[int, ...]:
    """Return each player's pigs for a round that is over, as far as the Pig Pen lasts.

    Players who are out come first, in that order, then the others by number of cards, fewest first.
    Ties go in order from the dealer. The last player, with the most cards, gets none.
    """
    awards, pen = [0] * state.count, state.pen
    for place, prize in zip(state.out, PRIZES, strict=False):
        awards[place] = min(prize, pen)
        pen -= awards[place]
    cards = {place: state.cards_of(place) for place in state.left}
    largest = max(cards.values())

    def finish(place: int) -> tuple[int, int]:
        return cards[place], (place - state.dealer) % state.count

    for place in sorted(cards, key=finish):
        if cards[place] < largest:
            awards[place] = min(1, pen)
            pen -= awards[place]
    return tuple(awards)


def end_round(state: PigPileState, rules: PigPileRules) -> PigPileState:
    """Return the state after a round that is over: before the next deal, or the end."""
    awards = round_awards(state)
    pigs = tuple(before + awards[place] for place, before in enumerate(state.pigs))
    following = before_deal(rules, round_number=state.round + 1, pigs=pigs, awards=awards)
    if state.round < rules.rounds and following.pen > 0:
        return following
    return changed(state, phase=PigPilePhase.OVER, pigs=pigs, awards=awards)


def fits(value: int, pile: Cards, rules: PigPileRules) -> bool:
    """Return whether a card of a value may be played: equal, above, or Hog Wild (R3, PP4)."""
    return _fits(value, pile[-1:], wash_any_time=rules.wash_any_time)


def _fits(value: int, top: Cards, *, wash_any_time: bool) -> bool:
    return not top or value >= top[0] or value == HOG_WILD or (value == HOG_WASH and wash_any_time)


def legal_actions(state: PigPileState, rules: PigPileRules) -> tuple[PigPileAction, ...]:
    """Return the legal actions by value and then by number, with pick-ups last."""
    place, pile = state.mover, state.pile
    hand, up = state.hands[place], state.ups[place]
    if state.phase is PigPilePhase.CHOOSE:
        return choices(hand)
    if not (hand or up):
        return tuple(Slop(slot) for slot in range(1, len(state.slops[place]) + 1))
    joins = rules.join_zones and not state.draw
    return _offers(
        hand or up,
        up if hand and joins else (),
        pile[-1:],
        from_hand=bool(hand),
        wash_any_time=rules.wash_any_time,
        mixes=rules.wild_mix,
        may_pick_up=bool(rules.voluntary_pickup and pile),
    )


@lru_cache(maxsize=1024)
def _offers(
    cards: Cards,
    joining: Cards,
    top: Cards,
    *,
    from_hand: bool,
    wash_any_time: bool,
    mixes: bool,
    may_pick_up: bool,
) -> tuple[PigPileAction, ...]:
    """Return the actions with cards of one place; cached, because calls repeat."""
    offers: list[PigPileAction] = []
    for value, same in groupby(cards):
        if _fits(value, top, wash_any_time=wash_any_time):
            count = len(tuple(same))
            count += joining.count(value) if count == len(cards) else 0
            wilds = cards.count(HOG_WILD) if mixes and value != HOG_WILD else 0
            offers += _plays(value, count, wilds)
    if not offers or may_pick_up:
        offers += [PickUp()] if from_hand else [PickUp(card) for card, _ in groupby(cards)]
    return tuple(offers)


def _plays(value: int, count: int, wilds: int) -> Iterator[Play]:
    """Yield the plays of a value, fewest cards first, each also with Hog Wilds mixed in."""
    for number in range(1, count + 1):
        yield play_of(value, number)
        for mixed in range(1, wilds + 1):
            yield Play((HOG_WILD,) * mixed + (value,) * number)


_IDENTICAL = 3
"""Number of identical cards in a row that wash (R6)."""
_FULL_HAND = 4
_LAST_TWO = 2


def washes(value: int, count: int, state: PigPileState, rules: PigPileRules) -> bool:
    """Return whether a number of cards played as one value is a Hog Wash (R5, R6, PP6, PP16)."""
    pile = state.pile
    if value == HOG_WASH or (state.mixed and pile[-1] == value):
        return True
    if value == HOG_WILD and not rules.wild_triple:
        return False
    lacking = max(_IDENTICAL - count, 0)
    return len(pile) >= lacking and all(card == value for card in pile[len(pile) - lacking :])


def goes_out(count: int, state: PigPileState) -> bool:
    """Return whether a player who plays a number of cards has none left then."""
    own = _own(state)
    return not (state.draw or own.slop) and count == len(own.hand) + len(own.up)


def play(state: PigPileState, action: Play, rules: PigPileRules) -> PigPileState:
    """Return the state after a play of cards of one value, with all its effects."""
    own, cards = _own(state), action.cards
    if not own.hand:
        return _played(state, own._replace(up=less(own.up, cards)), cards, rules)
    # Equal cards of the table may be played with the last of a hand (PP15).
    after = own._replace(
        hand=less(own.hand, cards),
        # Equal cards are indistinguishable, so a card that all have seen is removed first.
        known=less(own.known, cards),
        up=less(own.up, cards[len(own.hand) :]),
    )
    return _played(state, after, cards, rules)


def play_slop(state: PigPileState, action: Slop, rules: PigPileRules) -> PigPileState:
    """Return the state after a face-down card, played if it fits, else picked up (R8, PP11)."""
    own, slot = _own(state), action.slot - 1
    card = own.slop[slot]
    after = own._replace(slop=own.slop[:slot] + own.slop[slot + 1 :])
    if fits(card, state.pile, rules):
        return _played(state, after, (card,), rules)
    return _taken_up(state, after, (card,))


def pick_up(state: PigPileState, action: PickUp) -> PigPileState:
    """Return the state after picking up the pile, and a face-up card with it (R4, R7)."""
    along = () if action.face_up is None else (action.face_up,)
    own = _own(state)
    return _taken_up(state, own._replace(up=less(own.up, along)), along)


class _Own(NamedTuple):
    """Cards of the mover."""

    hand: Cards
    known: Cards
    up: Cards
    slop: Cards


def _own(state: PigPileState) -> _Own:
    place = state.mover
    return _Own(state.hands[place], state.known[place], state.ups[place], state.slops[place])


def _taken_up(state: PigPileState, own: _Own, along: Cards) -> PigPileState:
    """Return the state after the mover has picked up the pile, and a card with it."""
    place, cards = state.mover, state.pile + along
    return changed(
        state,
        hands=_put(state.hands, place, merged(own.hand, cards)),
        known=_put(state.known, place, merged(own.known, cards)),
        ups=_put(state.ups, place, own.up),
        slops=_put(state.slops, place, own.slop),
        pile=(),
        mixed=False,
        turns=state.turns + 1,
        mover=_next(state, state.direction, state.out, tied=state.tied),
        tied=False,
    )


def _played(state: PigPileState, own: _Own, cards: Cards, rules: PigPileRules) -> PigPileState:
    """Return the state after cards were put on the pile."""
    place, value = state.mover, cards[-1]
    washed = washes(value, len(cards), state, rules)
    direction, tied = state.direction, state.tied
    if not (washed and rules.wash_cancels_effect):
        direction, tied = _effect(state, value, rules)
    drawn = _drawn(state, len(own.hand), rules)
    hand = merged(own.hand, drawn) if drawn else own.hand
    is_out = not (hand or own.up or own.slop)
    out = (*state.out, place) if is_out else state.out
    pile = state.pile + cards
    stays = washed and not is_out
    return changed(
        state,
        hands=_put(state.hands, place, hand),
        known=_put(state.known, place, own.known),
        ups=_put(state.ups, place, own.up),
        slops=_put(state.slops, place, own.slop),
        draw=state.draw[len(drawn) :],
        pile=() if washed else pile,
        # One Hog Wild at most: two and the number wash.
        mixed=not washed and value != HOG_WILD and HOG_WILD in cards,
        aside=state.aside + pile if washed else state.aside,
        out=out,
        direction=direction,
        # After a wash the mover plays again; the next player misses the turn after that (PP5).
        tied=tied and stays,
        mover=place if stays else _next(state, direction, out, tied=tied),
        turns=state.turns + 1,
    )


def _effect(state: PigPileState, value: int, rules: PigPileRules) -> tuple[int, bool]:
    """Return the direction of play after a card, and whether the next player is tied (R5)."""
    direction, tied = state.direction, state.tied
    if value == HOG_TIED:
        return direction, True
    if value == EWE_TURN:
        if state.count - len(state.out) > _LAST_TWO:
            return -direction, tied
        if rules.two_player_reverse:
            return -direction, True
    return direction, tied


def _drawn(state: PigPileState, held: int, rules: PigPileRules) -> Cards:
    """Return the cards that the mover draws, given the hand's size (R3, R6, PP3, PP9)."""
    count = 1 if rules.draw_to is DrawTo.ONE else max(_FULL_HAND - held, 0)
    return state.draw[:count]


def _next(state: PigPileState, direction: int, out: tuple[int, ...], *, tied: bool) -> int:
    """Return the player after the mover; the mover again if no other is left."""
    place = state.mover
    for _ in range(2 if tied else 1):
        place = _beside(place, direction, out, state.count)
    return place


def _beside(place: int, direction: int, out: tuple[int, ...], count: int) -> int:
    """Return the next player who is still in the round."""
    around = ((place + direction * step) % count for step in range(1, count + 1))
    return next(at for at in around if at not in out)


def _put(parts: tuple[Cards, ...], place: int, cards: Cards) -> tuple[Cards, ...]:
    """Return the cards of all players, with one player's changed."""
    if parts[place] is cards:
        return parts
    return (*parts[:place], cards, *parts[place + 1 :])


def _seated(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the number of players."""
    players = rules.players
    parts: dict[str, tuple[object, ...]] = {
        "hands": state.hands,
        "known cards": state.known,
        "face-up cards": state.ups,
        "Slop": state.slops,
        "pigs": state.pigs,
        "awards": state.awards or (0,) * players,
    }
    for name, values in parts.items():
        problem = f"{name} of {len(values)} players, not {players}"
        yield Invariant(len(values) == players, "PP1", problem)
    places = (state.dealer, state.mover, *state.out)
    valid = all(0 <= place < players for place in places)
    yield Invariant(valid, "PP1", f"players {places}, not all from 0 to {players - 1}")
    yield Invariant(len(set(state.out)) == len(state.out), "R9", f"out twice in {state.out}")


def _conserved(state: PigPileState) -> Iterator[Invariant]:
    """Give the invariants of the number of cards."""
    places = (*state.hands, *state.ups, *state.slops, state.draw, state.pile, state.aside)
    cards = Counter(card for place_cards in places for card in place_cards)
    unknown = sorted(cards.keys() - set(VALUES))
    yield Invariant(not unknown, "R1", f"cards {unknown}, not from 0 to {HIGHEST}")
    if unknown:
        return
    full_deck = Counter(() if state.phase is PigPilePhase.DEAL else DECK)
    for name, surplus in (("many", cards - full_deck), ("few", full_deck - cards)):
        names = format_cards(tuple(sorted(surplus.elements())))
        yield Invariant(not surplus, "R1", f"too {name} cards {names}")


def _held(state: PigPileState, place: int) -> Iterator[Invariant]:
    """Give the invariants of the cards of one player."""
    hand, known, up = state.hands[place], state.known[place], state.ups[place]
    slop, is_out = state.slops[place], place in state.out
    problem = f"known cards {format_cards(known)} not in the hand of player {place}"
    yield Invariant(not Counter(known) - Counter(hand), "PP17", problem)
    for cards in (hand, up, known):
        ordered = list(cards) == sorted(cards)
        yield Invariant(ordered, "R2", f"cards {format_cards(cards)} not in ascending order")
    within = len(up) <= UP and len(slop) <= SLOP
    yield Invariant(within, "R2", f"{len(up)} cards face up and {len(slop)} face down")
    yield Invariant(len(slop) >= SLOP or not up, "R8", "Slop played under face-up cards")
    if state.phase is PigPilePhase.PLAY:
        count = state.cards_of(place)
        status = f"player {place}, {'out' if is_out else 'not out'}, has {count} cards"
        yield Invariant(is_out != bool(count), "R9", status)
        drawn = bool(hand) or not state.draw
        yield Invariant(drawn, "R7", "an empty hand while there is a Draw Pile")


def _chosen(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the advanced deal, and of a round before the first play."""
    if state.phase is PigPilePhase.CHOOSE:
        yield Invariant(rules.advanced_deal, "R2", "a choice of cards without advanced_deal")
        dealt = CARDS_EACH - SLOP
        complete = all(len(hand) == dealt for hand in state.hands)
        yield Invariant(complete, "R2", f"hands to choose from without {dealt} cards each")
        following = (state.dealer + len(state.chosen)) % state.count
        problem = f"player {state.mover} to choose before player {following}"
        yield Invariant(state.mover == following, "PP18", problem)
        for at, chosen in enumerate(state.chosen):
            hand = state.hands[(state.dealer + at) % state.count]
            fits = len(chosen) == UP and not Counter(chosen) - Counter(hand)
            yield Invariant(fits, "R2", f"{format_cards(chosen)} chosen, not {UP} of the hand")
    else:
        yield Invariant(not state.chosen, "PP18", "chosen cards after the choice")
    under = state.pile[-2:-1] == (HOG_WILD,) and state.pile[-1] not in {HOG_WILD, HOG_WASH}
    possible = rules.wild_mix and under
    yield Invariant(possible or not state.mixed, "PP6", "no Hog Wild mixed in below the top card")
    if state.phase in {PigPilePhase.DEAL, PigPilePhase.CHOOSE}:
        started = state.turns or state.out or state.pile or state.tied
        yield Invariant(not started, "R3", f"cards played in phase {state.phase}")


def _turned(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of rounds and turns."""
    direction, number = state.direction, state.round
    yield Invariant(direction in {1, -1}, "R5", f"direction {direction}, not 1 or -1")
    in_range = 1 <= number <= rules.rounds
    yield Invariant(in_range, "R10", f"round {number}, not one of 1 to {rules.rounds}")
    if in_range:
        dealer = (rules.seats.index(rules.first_dealer) + number - 1) % rules.players
        problem = f"dealer {state.dealer} in round {number}, not {dealer}"
        yield Invariant(state.dealer == dealer, "R10", problem)
    if state.phase is PigPilePhase.PLAY:
        yield Invariant(state.mover not in state.out, "R9", f"mover {state.mover} is out")
        below_cap = 0 <= state.turns < rules.turn_cap
        yield Invariant(below_cap, "PP13", f"{state.turns} turns, not below {rules.turn_cap}")


def _paid(state: PigPileState, rules: PigPileRules) -> Iterator[Invariant]:
    """Give the invariants of the pigs."""
    within = min(state.pigs) >= 0 and state.pen >= 0
    yield Invariant(within, "R1", f"pigs {state.pigs}, not {PIG_PEN} or fewer in all")
    past = state.round - (state.phase is not PigPilePhase.OVER)
    # In a round the first gets three, the second two and each other player at most one (R9).
    paid = sum(state.pigs)
    yield Invariant(paid <= past * (rules.players + 2), "R9", f"{paid} pigs after {past} rounds")


_NAMES = tuple(map(format_card, DECK))
_PLAYED: Codec[Cards] = Codec(format_cards, lambda text: tuple(sorted(parse_cards(text.split()))))
FORMS: ActionForms[PigPileAction] = ActionForms(
    {
        "play {cards*}": Play,
        "slop {slot}": Slop,
        "pickup": PickUp(),
        "pickup {face_up}": PickUp,
        "face_up {cards*}": FaceUp,
    },
    {"cards": _PLAYED, "slot": WHOLE, "face_up": Codec(format_card, parse_card)},
    example="play 6 6, slop 2, pickup, pickup 7 or face_up 9 12 W",
)

_PILE: Codec[Cards] = Codec(
    lambda cards: format_cards(cards, between=","), lambda text: parse_cards(text.split(","))
)
_PLACE: Codec[int] = Codec(lambda place: _SEATS[place], lambda text: _SEATS.index(Seat(text)))
_DIRECTION = Codec(lambda direction: "" if direction == 1 else "-1", {"1": 1, "-1": -1}.__getitem__)
_OWN: dict[str, tuple[str, Codec[Any]]] = {
    "hand": ("hands", _PILE),
    "known": ("known", _PILE),
    "up": ("ups", _PILE),
    "slop": ("slops", _PILE),
    "pigs": ("pigs", COUNT),
    "awards": ("awards", optional(WHOLE)),
}
"""The words of each player."""


@cache
def words(players: int) -> Words:
    """Return the part of a state that each word gives, for a number of players."""
    return {
        "round": ("round", WHOLE),
        "phase": ("phase", Codec(str, PigPilePhase)),
        "dealer": ("dealer", _PLACE),
        "turn": ("mover", _PLACE),
        "direction": ("direction", _DIRECTION),
        "tied": ("tied", YES),
        "turns": ("turns", COUNT),
        **{
            f"{_SEATS[place]}.{name}": (f"{field}.{place}", codec)
            for place in range(players)
            for name, (field, codec) in _OWN.items()
        },
        "chosen": ("chosen", several(_PILE, ";")),
        "draw": ("draw", _PILE),
        "pile": ("pile", _PILE),
        "mixed": ("mixed", YES),
        "aside": ("aside", _PILE),
        "out": ("out", several(_PLACE)),
    }


@dataclass(frozen=True, kw_only=True)
class PigPileObservation(PigPileState):
    """A state in which every card that one player may not see is `HIDDEN`."""

    rules: PigPileRules
    place: int
    """Number of the player who sees this, clockwise from seat A."""

    @property
    def choice(self) -> Cards:
        """Cards that the player has chosen to be face up, while others still choose."""
        at = (self.place - self.dealer) % self.count
        return self.chosen[at] if at < len(self.chosen) else ()

    @cached_property
    def unseen(self) -> Cards:
        """Cards in places unknown to the player, in ascending order."""
        visible = (*self.hands, *self.ups, self.pile, self.aside)
        return less(DECK, tuple(card for cards in visible for card in cards))


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPile(BaseGame[PigPileState, PigPileAction, ShuffleRequest]):
    """Pig Pile under the house rules of one table."""

    rules: PigPileRules = field(default_factory=PigPileRules)

    name: ClassVar[str] = "pig_pile"
    _forms: ClassVar[ActionForms[PigPileAction]] = FORMS

    @property
    def _words(self) -> Words:
        return words(self.rules.players)

    @property
    def _blank(self) -> PigPileState:
        return before_deal(self.rules)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Players in clockwise order."""
        return self.rules.seats

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes: in each round a deal, choices and turns."""
        choosing = self.rules.players if self.rules.advanced_deal else 0
        return self.rules.rounds * (1 + choosing + self.rules.turn_cap)

    def distinct(
        self, actions: Sequence[PigPileAction], kinds: Mapping[str, object] = MappingProxyType({})
    ) -> list[PigPileAction]:
        """Return the first of equivalent actions: face-down cards are indistinguishable."""
        del kinds
        return [action for action in actions if not isinstance(action, Slop) or action.slot == 1]

    def initial_state(self) -> PigPileState:
        return before_deal(self.rules)

    def turn(self, state: PigPileState) -> Turn:
        match state.phase:
            case PigPilePhase.PLAY | PigPilePhase.CHOOSE:
                return _SEATS[state.mover]
            case PigPilePhase.DEAL:
                return NonPlayer.CHANCE
            case PigPilePhase.OVER:
                return NonPlayer.OVER

    def legal_actions(self, state: PigPileState) -> tuple[PigPileAction, ...]:
        """Return the legal actions: plays by value and number, then pick-ups."""
        if state.phase in {PigPilePhase.DEAL, PigPilePhase.OVER}:
            return ()
        return legal_actions(state, self.rules)

    def apply_action(self, state: PigPileState, action: PigPileAction) -> PigPileState:
        require_player(self.turn(state), action, repr, rule="R3")
        after = act(state, action, self.rules)
        return end_round(after, self.rules) if round_is_over(after, self.rules) else after

    def _request(self, state: PigPileState) -> ShuffleRequest:
        return ShuffleRequest(thrower=_SEATS[state.dealer], cards=_NAMES)

    def apply_outcome(self, state: PigPileState, outcome: ChanceOutcome) -> PigPileState:
        request = self.chance_request(state)
        return deal(state, answering_shuffle(outcome, request), self.rules)

    def observe(self, state: PigPileState, seat: Seat) -> PigPileObservation:
        place = _SEATS.index(seat)
        own = (place - state.dealer) % state.count
        covered = {
            "hands": tuple(
                hand if at == place else known + (HIDDEN,) * (len(hand) - len(known))
                for at, (hand, known) in enumerate(zip(state.hands, state.known, strict=True))
            ),
            "slops": tuple((HIDDEN,) * len(cards) for cards in state.slops),
            "chosen": tuple(
                cards if at == own else (HIDDEN,) * UP for at, cards in enumerate(state.chosen)
            ),
            "draw": (HIDDEN,) * len(state.draw),
        }
        return PigPileObservation(**{**vars(state), **covered}, rules=self.rules, place=place)

    def _visible(self, state: PigPileState, seat: Seat) -> PigPileState:
        return self.observe(state, seat)

    def imagine(self, observation: object, *, rng: Permutes) -> PigPileState:
        """Return a state consistent with an observation, with unseen cards dealt uniformly.

        Others' decisions are not used as evidence. If others have chosen their face-up cards, any
        three of their seven are equally likely.
        """
        view = require_observation(observation, PigPileObservation)
        dealt_out = view.phase in {PigPilePhase.CHOOSE, PigPilePhase.PLAY}
        unseen = view.unseen if dealt_out else ()
        shuffled = [unseen[at] for at in rng.permutation(len(unseen))]

        def dealt(covered: Cards) -> Cards:
            number = covered.count(HIDDEN)
            cards = tuple(shuffled[:number])
            del shuffled[:number]
            return cards

        filled = [dealt(hand) for hand in view.hands]
        choices = [tuple(sorted(cards[:UP])) for cards in filled]
        choices[view.place] = view.choice
        dealt_parts = {
            "hands": tuple(
                hand if at == view.place else merged(view.known[at], filled[at])
                for at, hand in enumerate(view.hands)
            ),
            "slops": tuple(map(dealt, view.slops)),
            "chosen": tuple(
                choices[(view.dealer + at) % view.count] for at in range(len(view.chosen))
            ),
            "draw": dealt(view.draw),
        }
        own = {"rules", "place", "unseen"}
        seen = {name: part for name, part in vars(view).items() if name not in own}
        return PigPileState(**{**seen, **dealt_parts})

    def scores(self, state: PigPileState) -> Mapping[Seat, int]:
        """Return the pigs of each player."""
        return {seat: state.pigs[at] for at, seat in enumerate(self.rules.seats)}

    def _invariants(self, state: PigPileState) -> Iterator[Invariant]:
        seated = tuple(_seated(state, self.rules))
        yield from seated
        # Without the right number of players, no other invariant can be tested.
        if all(invariant.holds for invariant in seated):
            yield from _conserved(state)
            for place in range(state.count):
                yield from _held(state, place)
            yield from _chosen(state, self.rules)
            yield from _turned(state, self.rules)
            yield from _paid(state, self.rules)


def act(state: PigPileState, action: PigPileAction, rules: PigPileRules) -> PigPileState:
    """Return the state after a legal action; a round that is over is not counted yet.

    Raises:
        IllegalActionError: If the rules forbid the action, with the number of the rule.
    """
    legal = legal_actions(state, rules)
    if action not in legal:
        raise _illegal(state, action, legal)
    match action:
        case Play():
            return play(state, action, rules)
        case PickUp():
            return pick_up(state, action)
        case Slop():
            return play_slop(state, action, rules)
        case FaceUp():
            return choose(state, action)


def _illegal(
    state: PigPileState, action: PigPileAction, legal: tuple[PigPileAction, ...]
) -> IllegalActionError:
    """Return the error of an illegal action, with the actions that are allowed instead."""
    options = ", ".join(map(FORMS.write, legal[:8])) + (", ..." if len(legal) > 8 else "")
    match action:
        case _ if state.phase is PigPilePhase.CHOOSE:
            expected, rule = "three cards of the hand to be face up", "R2"
        case _ if isinstance(legal[0], Slop):
            expected, rule = "a face-down card", "R8"
        case PickUp(face_up=None) if isinstance(legal[0], PickUp):
            expected, rule = "a face-up card to be picked up too", "R7"
        case PickUp():
            expected, rule = "a play while any card fits", "PP2"
        case _ if isinstance(legal[0], PickUp):
            expected, rule = "a pick-up, because no card fits", "R4"
        case _:
            expected, rule = "cards of one value that fit", "R3"
    problem = f"illegal action {FORMS.write(action)!r}"
    return IllegalActionError(problem, expected=expected, fix=f"use {options}", rule=rule)
