"""Places at which matches are played in compiled code, as many as there are: what all games share.

Each game's module has the arrays of its states and two functions of all places. `play` takes an
action in each match, or begins the next one where it is over, and plays until the caller decides.
`observe` writes observations and masks.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pigglesim.jit import inlined

Bools = NDArray[np.bool_]
Flags = NDArray[np.int8]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = NDArray[np.float32]
"""Numbers of observations."""
Streams = NDArray[np.uint64]
"""States of random streams: of the seeds of matches, and of this match, shape [2]."""
SEEDS, MATCH = range(2)
EITHER = -1
"""Seat that is drawn for each match."""
GREEDY, UNIFORM = range(2)
"""Opponents: one that decides as the agent greedy does, and one that draws a legal action."""
GOES_ON = -1.0
"""Outcome of a match without a result."""
MAX_MATCHES = 1000
"""Maximum matches begun until the caller decides in one."""


class Places(NamedTuple):
    """State of each place, apart from that of the game."""

    streams: Streams
    """Random streams of each, shape [count, 2]."""
    seats: Ints
    """Seat of the caller in each match, shape [count]."""
    over: Bools
    """Whether each match is over, or has not begun, shape [count]."""
    outcome: Floats
    """The caller's share of the win in each match with a result, else `GOES_ON`, shape [count]."""
    scores: Ints
    """Scores of each match by seat, shape [count, players]."""


def new_places(count: int, players: int) -> Places:
    """Return places without matches."""
    return Places(
        streams=np.zeros((count, 2), dtype=np.uint64),
        seats=np.zeros(count, dtype=np.int64),
        over=np.ones(count, dtype=np.bool_),
        outcome=np.full(count, GOES_ON),
        scores=np.zeros((count, players), dtype=np.int64),
    )


_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_BY_30, _BY_27, _BY_31, _BY_11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)


@inlined
def next_bits(streams: Streams, which: int) -> np.uint64:
    """Return the next 64 bits of a stream: SplitMix64 (Steele, Lea and Flood 2014).

    Generators of numpy cannot be elements of an array, and each match has a stream of its own.
    """
    streams[which] += _GOLDEN
    bits = streams[which]
    bits = (bits ^ (bits >> _BY_30)) * _FIRST
    bits = (bits ^ (bits >> _BY_27)) * _SECOND
    return np.uint64(bits ^ (bits >> _BY_31))


@inlined
def next_draw(streams: Streams) -> float:
    """Return the next random number of a match from 0 to 1."""
    return float(next_bits(streams, MATCH) >> _BY_11) * 2.0**-53


@inlined
def most_win(places: Places, place: int) -> float:
    """Return the caller's share of the win where most points win, and equal players share it."""
    scores = places.scores[place]
    most, winners = scores[0], 0
    for score in scores:
        most = max(most, score)
    for score in scores:
        winners += score == most
    return 1.0 / winners if scores[places.seats[place]] == most else 0.0


@inlined
def sit_down(places: Places, place: int, seat: int) -> None:
    """Start the stream of the next match at a place, and give the caller a seat, or draw it."""
    streams = places.streams[place]
    streams[MATCH] = next_bits(streams, SEEDS)
    if seat == EITHER:
        seat = int(next_draw(streams) * places.scores.shape[1])
    places.seats[place] = seat
