"""Matches of Pig Pile in compiled code.

This second, small implementation of the rules exists for speed; tests compare it with the rules.
"""

from typing import NamedTuple

import numpy as np

from pigglesim.agents.pile_greedy import choice_value, pick_up_value, play_value
from pigglesim.agents.places import Floats, Ints
from pigglesim.games.pig_pile import (
    CARDS_EACH,
    DECK,
    EWE_TURN,
    HOG_TIED,
    HOG_WASH,
    HOG_WILD,
    PIG_PEN,
    PRIZES,
    VALUES,
)
from pigglesim.jit import compiled

VALUE_COUNT = len(VALUES)
HAND, UP, CHOSEN, KNOWN = range(4)
"""Zones of a player's cards; the last is the part of the hand that all have seen."""
ZONES = 4
OUT, ORDER, PIGS, SLOP_COUNT = range(4)
"""Entries per player: out (1 or 0), rank in the order of going out, pigs, cards face down."""
DRAW, PILE = range(2)
PHASE, ROUND, DEALER, MOVER, DIRECTION, TIED, TURNS, DRAW_AT, DRAW_END, PILE_COUNT = range(10)
OUT_COUNT, CHOSEN_COUNT, MIXED = 10, 11, 12
FACTS = 13
"""Number of entries of the table; the Draw Pile extends from DRAW_AT to DRAW_END."""
PHASE_DEAL, PHASE_CHOOSE, PHASE_PLAY, PHASE_OVER = range(4)
SLOP, PICK_UP, FACE_UP = -1, -2, -3
"""Codes instead of a value, for actions other than a play of visible cards."""


class House(NamedTuple):
    """House rules, 0 for off and 1 for on."""

    players: int
    rounds: int
    first_dealer: int
    advanced_deal: int
    voluntary_pickup: int
    refill: int
    """Flag of filling hands up to four."""
    wash_any_time: int
    wash_cancels_effect: int
    wild_triple: int
    wild_mix: int
    two_player_reverse: int
    join_zones: int
    turn_cap: int


class PigPileTable(NamedTuple):
    """State with arrays that change in place; n is the number of players."""

    held: Ints
    """Counts of cards by zone, player and value, shape [ZONES, n, 13]."""
    slops: Ints
    """Face-down cards in order, shape [n, 3]."""
    players: Ints
    """Entries of players, shape [4, n]."""
    cards: Ints
    """The Draw Pile and the Pig Pile, shape [2, 80]."""
    facts: Ints
    """Entries of the table, shape [FACTS]."""


@compiled
def fits(value: int, table: PigPileTable, house: House) -> bool:
    """Return whether a card of this value may be played."""
    count = table.facts[PILE_COUNT]
    return (
        count == 0
        or value >= table.cards[PILE, count - 1]
        or value == HOG_WILD
        or (value == HOG_WASH and house.wash_any_time == 1)
    )


@compiled
def washes(value: int, count: int, table: PigPileTable, house: House) -> bool:
    """Return whether a number of equal cards on the pile is a Hog Wash."""
    if value == HOG_WASH:
        return True
    there = table.facts[PILE_COUNT]
    if table.facts[MIXED] and table.cards[PILE, there - 1] == value:
        return True
    if value == HOG_WILD and not house.wild_triple:
        return False
    for k in range(max(3 - count, 0)):
        if k >= there or table.cards[PILE, there - 1 - k] != value:
            return False
    return True


@compiled
def offer(table: PigPileTable, house: House, acts: Ints) -> int:
    """Write the legal actions in the game's order, and return their number.

    Args:
        table: The state, in which a player is to move.
        house: The house rules.
        acts: Buffer of actions, one per row: value, number and wilds. Codes instead of a value are
            `SLOP` with the slot from 0, `PICK_UP` with the face-up card or -1, and `FACE_UP` with
            three cards as one number.
    """
    place = table.facts[MOVER]
    hand, up = table.held[HAND, place], table.held[UP, place]
    if table.facts[PHASE] == PHASE_CHOOSE:
        return _offer_choices(hand, acts)
    total = hand.sum()
    if not total and not up.sum():
        for slot in range(table.players[SLOP_COUNT, place]):
            _write(acts, slot, SLOP, slot, 0)
        return int(table.players[SLOP_COUNT, place])
    held = hand if total else up
    joins = house.join_zones and table.facts[DRAW_AT] == table.facts[DRAW_END]
    found = 0
    for value in range(VALUE_COUNT):
        count = held[value]
        if not count or not fits(value, table, house):
            continue
        if joins and total == count:
            count += up[value]
        wilds = held[HOG_WILD] if house.wild_mix and value != HOG_WILD else 0
        for number in range(1, count + 1):
            for mixed in range(wilds + 1):
                found = _write(acts, found, value, number, mixed)
    if found and not (house.voluntary_pickup and table.facts[PILE_COUNT]):
        return found
    if total:
        return _write(acts, found, PICK_UP, -1, 0)
    for value in range(VALUE_COUNT):
        if up[value]:
            found = _write(acts, found, PICK_UP, value, 0)
    return found


@compiled
def _write(acts: Ints, at: int, value: int, number: int, wilds: int) -> int:
    """Write an action, and return the next row."""
    acts[at, 0], acts[at, 1], acts[at, 2] = value, number, wilds
    return at + 1


@compiled
def _offer_choices(hand: Ints, acts: Ints) -> int:
    """Write every choice of three cards of a hand."""
    found = 0
    for a in range(VALUE_COUNT):
        for b in range(a, VALUE_COUNT):
            for c in range(b, VALUE_COUNT):
                some = hand[a] > (b == a) + (c == a) and hand[b] > (c == b) and hand[c] > 0
                if some:
                    cards = (a * VALUE_COUNT + b) * VALUE_COUNT + c
                    found = _write(acts, found, FACE_UP, cards, 0)
    return found


MOST_ACTIONS = 1024
_DECK = np.array(DECK)
DRAWS = len(DECK) - 1
"""Random numbers of a shuffle."""


@compiled
def deal(table: PigPileTable, house: House, draws: Floats) -> None:
    """Shuffle (Durstenfeld 1964) and deal a round, by random numbers from 0 to 1, shape [DRAWS]."""
    deck, facts = table.cards[DRAW], table.facts
    deck[:] = _DECK
    for last in range(len(deck) - 1, 0, -1):
        other = int(draws[DRAWS - last] * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    table.held[:] = 0
    for place in range(house.players):
        first = CARDS_EACH * place
        table.players[OUT, place] = 0
        table.players[SLOP_COUNT, place] = 3
        for k in range(CARDS_EACH):
            card = deck[first + k]
            if k < 3:
                table.slops[place, k] = card
            elif k < 6 and not house.advanced_deal:
                table.held[UP, place, card] += 1
            else:
                table.held[HAND, place, card] += 1
    facts[DRAW_AT], facts[DRAW_END] = CARDS_EACH * house.players, len(deck)
    facts[PILE_COUNT] = facts[OUT_COUNT] = facts[CHOSEN_COUNT] = facts[TURNS] = facts[TIED] = 0
    facts[MIXED] = 0
    facts[DIRECTION] = 1
    facts[DEALER] = (house.first_dealer + facts[ROUND] - 1) % house.players
    facts[MOVER] = facts[DEALER]
    facts[PHASE] = PHASE_CHOOSE if house.advanced_deal else PHASE_PLAY


@compiled
def _choose(table: PigPileTable, house: House, cards: int) -> None:
    """Choose three cards to be face up; turn them up when all players have chosen."""
    facts, place = table.facts, table.facts[MOVER]
    for _ in range(3):
        table.held[CHOSEN, place, cards % VALUE_COUNT] += 1
        cards //= VALUE_COUNT
    facts[CHOSEN_COUNT] += 1
    facts[MOVER] = (place + 1) % house.players
    if facts[CHOSEN_COUNT] == house.players:
        for at in range(house.players):
            table.held[HAND, at] -= table.held[CHOSEN, at]
            table.held[UP, at] = table.held[CHOSEN, at]
            table.held[CHOSEN, at] = 0
        facts[CHOSEN_COUNT] = 0
        facts[PHASE] = PHASE_PLAY


@compiled
def _go_on(table: PigPileTable, house: House) -> None:
    """Pass the turn to the next player who is still in."""
    facts = table.facts
    place = facts[MOVER]
    for _ in range(2 if facts[TIED] else 1):
        for step in range(1, house.players + 1):
            at = (place + facts[DIRECTION] * step) % house.players
            if not table.players[OUT, at]:
                place = at
                break
    facts[MOVER] = place
    facts[TIED] = 0


@compiled
def _take_up(table: PigPileTable, house: House, along: int) -> None:
    """Pick up the pile, and the card `along` with it if it is at least 0."""
    facts = table.facts
    hand, known = table.held[HAND, facts[MOVER]], table.held[KNOWN, facts[MOVER]]
    for k in range(facts[PILE_COUNT]):
        hand[table.cards[PILE, k]] += 1
        known[table.cards[PILE, k]] += 1
    if along >= 0:
        hand[along] += 1
        known[along] += 1
    facts[PILE_COUNT] = facts[MIXED] = 0
    _go_on(table, house)


@compiled
def _put_down(table: PigPileTable, house: House, value: int, number: int, wilds: int) -> None:
    """Play cards that were removed from the mover's."""
    facts, place = table.facts, table.facts[MOVER]
    washed = washes(value, number + wilds, table, house)
    if washed:
        facts[PILE_COUNT] = 0
    else:
        there = facts[PILE_COUNT]
        table.cards[PILE, there : there + wilds] = HOG_WILD
        table.cards[PILE, there + wilds : there + wilds + number] = value
        facts[PILE_COUNT] = there + wilds + number
    facts[MIXED] = wilds > 0 and not washed
    if not (washed and house.wash_cancels_effect):
        if value == HOG_TIED:
            facts[TIED] = 1
        if value == EWE_TURN and house.players - facts[OUT_COUNT] > 2:
            facts[DIRECTION] = -facts[DIRECTION]
        elif value == EWE_TURN and house.two_player_reverse:
            facts[DIRECTION] = -facts[DIRECTION]
            facts[TIED] = 1
    hand = table.held[HAND, place]
    wanted = max(4 - hand.sum(), 0) if house.refill else 1
    for _ in range(min(wanted, facts[DRAW_END] - facts[DRAW_AT])):
        hand[table.cards[DRAW, facts[DRAW_AT]]] += 1
        facts[DRAW_AT] += 1
    if not (hand.sum() or table.held[UP, place].sum() or table.players[SLOP_COUNT, place]):
        table.players[OUT, place] = 1
        table.players[ORDER, facts[OUT_COUNT]] = place
        facts[OUT_COUNT] += 1
        washed = False
    if not washed:
        _go_on(table, house)


@compiled
def _turn_over(table: PigPileTable, house: House, slot: int) -> None:
    """Play a face-down card, or pick it up with the pile."""
    place = table.facts[MOVER]
    slop = table.slops[place]
    card = slop[slot]
    slop[slot:-1] = slop[slot + 1 :].copy()
    table.players[SLOP_COUNT, place] -= 1
    if fits(card, table, house):
        _put_down(table, house, card, 1, 0)
    else:
        _take_up(table, house, card)


@compiled
def act(table: PigPileTable, house: House, value: int, number: int, wilds: int) -> None:
    """Carry out an action that `offer` wrote, and end the round if it is over."""
    facts, place = table.facts, table.facts[MOVER]
    if value == FACE_UP:
        _choose(table, house, number)
        return
    facts[TURNS] += 1
    if value == PICK_UP:
        if number >= 0:
            table.held[UP, place, number] -= 1
        _take_up(table, house, number)
    elif value == SLOP:
        _turn_over(table, house, number)
    else:
        zone = HAND if table.held[HAND, place].sum() else UP
        own = min(number, table.held[zone, place, value])
        table.held[zone, place, value] -= own
        # The last of a hand may be joined by equal cards of the table.
        table.held[UP, place, value] -= number - own
        table.held[zone, place, HOG_WILD] -= wilds
        # Equal cards are indistinguishable, so those that all have seen go first.
        known = table.held[KNOWN, place]
        if zone == HAND:
            known[value] = max(known[value] - number, 0)
            known[HOG_WILD] = max(known[HOG_WILD] - wilds, 0)
        _put_down(table, house, value, number, wilds)
    out = facts[OUT_COUNT]
    if out == 2 or house.players - out == 1 or facts[TURNS] >= house.turn_cap:
        _end_round(table, house)


@compiled
def _end_round(table: PigPileTable, house: House) -> None:
    """Award the pigs, and start the next deal or end the match."""
    facts, players = table.facts, table.players
    pen = PIG_PEN - players[PIGS].sum()
    for k in range(min(facts[OUT_COUNT], 2)):
        prize = min(PRIZES[k], pen)
        players[PIGS, players[ORDER, k]] += prize
        pen -= prize
    cards = np.zeros(house.players, dtype=np.int64)
    most = 0
    for place in range(house.players):
        if not players[OUT, place]:
            shown = table.held[HAND, place].sum() + table.held[UP, place].sum()
            cards[place] = shown + players[SLOP_COUNT, place]
            most = max(most, cards[place])
    for count in range(1, most):
        for k in range(house.players):
            place = (facts[DEALER] + k) % house.players
            if cards[place] == count and pen > 0:
                players[PIGS, place] += 1
                pen -= 1
    if facts[ROUND] < house.rounds and pen > 0:
        facts[ROUND] += 1
        facts[PHASE] = PHASE_DEAL
    else:
        facts[PHASE] = PHASE_OVER


_play_value = compiled(play_value)
_pick_up_value = compiled(pick_up_value)
_choice_value = compiled(choice_value)


@compiled
def best_of(table: PigPileTable, house: House, acts: Ints, count: int) -> int:
    """Return the number of the action of the highest value; the first if several are equal."""
    best, most = 0, -np.inf
    for k in range(count):
        value, number, wilds = acts[k, 0], acts[k, 1], acts[k, 2]
        if value == FACE_UP:
            high, last = number // VALUE_COUNT, number % VALUE_COUNT
            score = _choice_value(high // VALUE_COUNT, high % VALUE_COUNT, last)
        elif value == PICK_UP:
            score = _pick_up_value(number)
        elif value == SLOP:
            score = 0.0
        else:
            washed = washes(value, number + wilds, table, house)
            score = _play_value(value, number, wilds, int(washed))
        if score > most:
            best, most = k, score
    return best


@compiled
def play_on(table: PigPileTable, house: House, greedy: Ints, rng: np.random.Generator) -> int:
    """Play a match to its end, in place, and return the number of decisions.

    `greedy` is 1 for each player who decides greedily, 0 at random, shape [n]. `rng` supplies one
    number per random decision, and `DRAWS` per deal.
    """
    acts, draws = np.zeros((MOST_ACTIONS, 3), dtype=np.int64), np.zeros(DRAWS)
    decisions = 0
    while table.facts[PHASE] != PHASE_OVER:
        if table.facts[PHASE] == PHASE_DEAL:
            for k in range(DRAWS):
                draws[k] = rng.random()
            deal(table, house, draws)
            continue
        count = offer(table, house, acts)
        if greedy[table.facts[MOVER]]:
            chosen = best_of(table, house, acts, count)
        else:
            chosen = int(rng.random() * count)
        act(table, house, acts[chosen, 0], acts[chosen, 1], acts[chosen, 2])
        decisions += 1
    return decisions
