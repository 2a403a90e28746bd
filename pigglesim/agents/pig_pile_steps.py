"""Steps of many matches of Pig Pile in compiled code: one seat decides, an agent plays the others.

The rules are those of `pigglesim.agents.pig_pile_kernel`.
"""

from typing import NamedTuple

import numpy as np

from pigglesim.agents.pig_pile_kernel import (
    CHOSEN,
    CHOSEN_COUNT,
    DEALER,
    DIRECTION,
    DRAW,
    DRAW_AT,
    DRAW_END,
    DRAWS,
    FACE_UP,
    HAND,
    KNOWN,
    MIXED,
    MOST_ACTIONS,
    MOVER,
    ORDER,
    OUT_COUNT,
    PHASE,
    PHASE_CHOOSE,
    PHASE_DEAL,
    PHASE_OVER,
    PHASE_PLAY,
    PICK_UP,
    PIGS,
    PILE,
    PILE_COUNT,
    ROUND,
    SLOP,
    SLOP_COUNT,
    TIED,
    TURNS,
    UP,
    VALUE_COUNT,
    House,
    PigPileTable,
    act,
    best_of,
    deal,
    offer,
)
from pigglesim.agents.places import (
    GOES_ON,
    GREEDY,
    MAX_MATCHES,
    Bools,
    Flags,
    Floats,
    Ints,
    Numbers,
    Places,
    Streams,
    most_win,
    new_places,
    next_draw,
    sit_down,
)
from pigglesim.games.pig_pile import DECK
from pigglesim.jit import compiled

MOST_EQUAL = 9
"""One more than the most cards of a value."""
_COPIES = np.bincount(DECK)


class PileLayout(NamedTuple):
    """Actions, and columns of observations by meaning; of a group of columns the first."""

    acts: Ints
    """Action of each number, as `offer` writes it, shape [actions, 3]."""
    plays: Ints
    """Number of each play by value, cards and wilds, shape [13, MOST_EQUAL, MOST_EQUAL]."""
    first_slop: int
    """Number of the first face-down card."""
    pick_up: int
    """Number of the pick-up without a face-up card; those with one follow by value."""
    face_ups: Ints
    """Number of each choice of face-up cards, by their code, shape [13 ** 3]."""
    width: int
    """Numbers per player."""
    hand: int
    unseen: int
    shown: int
    up: int
    slop: int
    pigs: int
    moves: int
    deals: int
    first: int
    second: int
    pile: int
    top_none: int
    """Column of an empty pile; those of the top card follow by value."""
    pair: int
    aside: int
    chosen: int
    chosen_count: int
    draw: int
    direction: int
    tied: int
    round: int
    turns: int
    deal: int
    """Column of the first phase."""


class Matches(NamedTuple):
    """State of each match, as the arrays of `PigPileTable` with an axis more, the first."""

    held: Ints
    slops: Ints
    players: Ints
    cards: Ints
    facts: Ints


def new_matches(count: int, start: PigPileTable) -> Matches:
    """Return matches at their start."""
    return Matches(*(np.repeat(part[None], count, axis=0) for part in start))


def compile_steps(house: House, start: PigPileTable) -> None:
    """Compile the code of matches by playing none."""
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    rows = none.reshape(0, 3), none.reshape(0, 0, 0)
    layout = PileLayout(*rows, 0, 0, none, *range(len(PileLayout._fields) - 5))
    matches, places = new_matches(0, start), new_places(0, 2)
    numbers, mask = np.zeros((0, 0), dtype=np.float32), np.zeros((0, 0), dtype=np.int8)
    acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)
    observe(matches, places, nowhere, house, layout, numbers, mask, acts)
    play(matches, places, nowhere, none, house, layout, start, 0, GREEDY, acts, np.zeros(DRAWS))


@compiled
def _table_at(matches: Matches, place: int) -> PigPileTable:
    """Return the match at a place."""
    return PigPileTable(
        matches.held[place], matches.slops[place], matches.players[place], matches.cards[place],
        matches.facts[place],
    )  # fmt: skip


@compiled
def number_of(layout: PileLayout, value: int, number: int, wilds: int) -> int:
    """Return the number of an action that `offer` wrote."""
    if value == SLOP:
        return layout.first_slop + number
    if value == PICK_UP:
        return layout.pick_up + 1 + number
    if value == FACE_UP:
        return int(layout.face_ups[number])
    return int(layout.plays[value, number, wilds])


@compiled
def _play_on(
    table: PigPileTable, house: House, own: int, opponent: int, streams: Streams, acts: Ints,
    draws: Floats,
) -> None:  # fmt: skip
    """Play until the caller decides or the match is over."""
    while table.facts[PHASE] != PHASE_OVER:
        if table.facts[PHASE] == PHASE_DEAL:
            for k in range(DRAWS):
                draws[k] = next_draw(streams)
            deal(table, house, draws)
            continue
        if table.facts[MOVER] == own:
            return
        count = offer(table, house, acts)
        if opponent == GREEDY:
            chosen = best_of(table, house, acts, count)
        else:
            chosen = int(next_draw(streams) * count)
        act(table, house, acts[chosen, 0], acts[chosen, 1], acts[chosen, 2])


@compiled
def play(
    matches: Matches, places: Places, at: Bools, actions: Ints, house: House, layout: PileLayout,
    start: PigPileTable, seat: int, opponent: int, acts: Ints, draws: Floats,
) -> None:  # fmt: skip
    """Take a legal action in each match `at` a place, or begin it; play until the caller decides.

    `start` is the state before the first deal, and `seat` the caller's, or `EITHER`. `acts` and
    `draws` are for intermediate results, of shapes [MOST_ACTIONS, 3] and [DRAWS].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        table, begins = _table_at(matches, place), places.over[place]
        for _ in range(MAX_MATCHES if begins else 1):
            if begins:
                sit_down(places, place, seat)
                table.held[:] = start.held
                table.players[:] = start.players
                table.facts[:] = start.facts
            else:
                chosen = layout.acts[actions[place]]
                act(table, house, chosen[0], chosen[1], chosen[2])
            own, streams = places.seats[place], places.streams[place]
            _play_on(table, house, own, opponent, streams, acts, draws)
            if table.facts[PHASE] != PHASE_OVER:
                break
        places.scores[place] = table.players[PIGS]
        places.over[place] = table.facts[PHASE] == PHASE_OVER
        places.outcome[place] = most_win(places, place) if places.over[place] else GOES_ON


@compiled
def _observe_player(
    table: PigPileTable, player: int, sees: bool, layout: PileLayout, row: Numbers  # noqa: FBT001
) -> None:  # fmt: skip
    """Write the numbers of a player; `sees` says whether they are seen by that player."""
    facts, own = table.facts, table.players[:, player]
    unseen = 0
    for value in range(VALUE_COUNT):
        held, shown = table.held[HAND, player, value], table.held[KNOWN, player, value]
        row[layout.hand + value] = held if sees else shown
        row[layout.shown + value] = shown
        row[layout.up + value] = table.held[UP, player, value]
        unseen += held - shown
    row[layout.unseen] = 0 if sees else unseen
    row[layout.slop] = own[SLOP_COUNT]
    row[layout.pigs] = own[PIGS]
    moving = facts[PHASE] == PHASE_CHOOSE or facts[PHASE] == PHASE_PLAY
    row[layout.moves] = moving and facts[MOVER] == player
    row[layout.deals] = facts[DEALER] == player
    row[layout.first] = facts[OUT_COUNT] > 0 and table.players[ORDER, 0] == player
    row[layout.second] = facts[OUT_COUNT] > 1 and table.players[ORDER, 1] == player


@compiled
def _observe_table(
    table: PigPileTable, own: int, house: House, layout: PileLayout, row: Numbers
) -> None:
    """Write the numbers of the table, as a player sees it."""
    facts, pile = table.facts, table.cards[PILE]
    count = facts[PILE_COUNT]
    for value in range(VALUE_COUNT):
        # Washed cards are those that are nowhere else.
        aside = _COPIES[value]
        for player in range(house.players):
            aside -= table.held[HAND, player, value] + table.held[UP, player, value]
        row[layout.aside + value] = aside
        row[layout.chosen + value] = table.held[CHOSEN, own, value]
    for k in range(count):
        row[layout.pile + pile[k]] += 1
        row[layout.aside + pile[k]] -= 1
    for k in range(facts[DRAW_AT], facts[DRAW_END]):
        row[layout.aside + table.cards[DRAW, k]] -= 1
    for player in range(house.players):
        for slot in range(table.players[SLOP_COUNT, player]):
            row[layout.aside + table.slops[player, slot]] -= 1
    row[layout.top_none + (1 + pile[count - 1] if count else 0)] = 1.0
    pair = count > 1 and pile[count - 1] == pile[count - 2]
    row[layout.pair] = pair or facts[MIXED]
    row[layout.chosen_count] = facts[CHOSEN_COUNT]
    row[layout.draw] = facts[DRAW_END] - facts[DRAW_AT]
    row[layout.direction] = facts[DIRECTION]
    row[layout.tied] = facts[TIED]
    row[layout.round] = facts[ROUND] / house.rounds
    row[layout.turns] = facts[TURNS] / house.turn_cap
    row[layout.deal + facts[PHASE]] = 1.0


@compiled
def observe(
    matches: Matches, places: Places, at: Bools, house: House, layout: PileLayout,
    numbers: Numbers, mask: Flags, acts: Ints,
) -> None:  # fmt: skip
    """Write the observation and the mask of each match `at` a place.

    `acts` is for intermediate results, shape [MOST_ACTIONS, 3].
    """
    for place in range(len(at)):
        if not at[place]:
            continue
        table, own = _table_at(matches, place), places.seats[place]
        numbers[place] = 0.0
        for k in range(house.players):
            row = numbers[place, layout.width * k :]
            _observe_player(table, (own + k) % house.players, k == 0, layout, row)
        _observe_table(table, own, house, layout, numbers[place])
        mask[place] = 0
        if not places.over[place]:
            for k in range(offer(table, house, acts)):
                mask[place, number_of(layout, acts[k, 0], acts[k, 1], acts[k, 2])] = 1
