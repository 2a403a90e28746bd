"""Random numbers without numpy."""

import hashlib

import numpy as np
import pytest

from pigglesim.pcg64 import Stream

SEEDS = [0, 7, 2**40 + 1, *(int.from_bytes(hashlib.sha256(bytes([k])).digest()) for k in range(20))]


@pytest.mark.parametrize("seed", SEEDS)
def test_all_kinds_of_numbers_are_those_of_numpy(seed: int) -> None:
    own, other = Stream(seed), np.random.Generator(np.random.PCG64(seed))
    for size in (1, 2, 3, 6, 52, 100, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1):
        assert own.integers(size) == int(other.integers(size))
        assert own.random(3).tolist() == other.random(3).tolist()
        assert own.integers(1, 7, size=3).tolist() == other.integers(1, 7, size=3).tolist()
        assert own.permutation(54).tolist() == other.permutation(54).tolist()
        assert own.uniform(-1.0, 3.0) == other.uniform(-1.0, 3.0)
        assert own.standard_normal(40).tolist() == other.standard_normal(40).tolist()


def test_normal_numbers_of_every_layer_and_the_tail_are_those_of_numpy() -> None:
    numbers = np.random.Generator(np.random.PCG64(11)).standard_normal(60_000)
    # The tail begins at 3.65, and one number in 3,900 is beyond it.
    assert np.abs(numbers).max() > 3.7
    assert Stream(11).standard_normal(60_000) == numbers.tolist()
