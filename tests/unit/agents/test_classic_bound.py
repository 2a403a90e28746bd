"""The penalty of the bound on Classic has the mean zero, and so the bound holds."""

import numpy as np
import pytest

from pigglesim.agents.piggles_kernel import ALL, _end_turn
from pigglesim.agents.places import GOES_ON
from scripts.verification.classic_bound import (
    EVERY,
    FITTED,
    GREEDY,
    TURNS,
    expected,
    fitted,
    known_before,
    pen_size,
    relaxed,
    setting,
    take_turn,
    value_of,
)


@pytest.mark.slow
def test_the_mean_of_the_value_is_that_of_many_rolls_and_bounds_are_in_order():
    (pigs, now, table), rng = setting(), np.random.default_rng(3)
    value, compared = fitted(pigs, now, table, 5000, rng), 0
    for _ in range(4):
        own, state = pigs.copy(), now.copy()
        while True:
            pen = pen_size(own, state)
            for number in {1, pen} - {0} if pen else ():
                values = np.zeros(1500)
                for roll in range(len(values)):
                    after, entries = own.copy(), state.copy()
                    known = known_before(after, entries, number)
                    take_turn(after, entries, number, table, rng.random((TURNS, ALL, 2)))
                    values[roll] = value_of(after, entries, known, table, value)
                mean = expected(own, state, number, table, value)
                # About 50 comparisons: 4.5 standard errors come by chance once in 3,000 times.
                assert abs(values.mean() - mean) < 4.5 * values.std() / len(values) ** 0.5 + 1e-4
                compared += 1
            number = int(rng.integers(pen + 1))
            take_turn(own, state, number, table, rng.random((TURNS, ALL, 2)))
            if _end_turn(own, state, table, rng) != GOES_ON:
                break
    assert compared > 30
    luck = rng.random((TURNS, ALL, 2))
    found = [
        [relaxed(pigs, now, seat, mode, table, value, luck, rng) for seat in range(2)]
        for mode in (EVERY, GREEDY, FITTED)
    ]
    every, greedy, best = np.array(found)
    assert greedy.sum() == pytest.approx(1.0)
    assert np.all(every >= np.maximum(greedy, best) - 1e-12)
