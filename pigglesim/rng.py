"""Random numbers: every stream is a pure function of the root seed and its purpose."""

import hashlib
import secrets
from typing import TypeAlias

import numpy as np

from pigglesim.errors import SpecError

MAX_SEED = 2**63 - 1
"""Largest root seed: it fits a signed 64-bit column of any table or record."""

Seed: TypeAlias = int | np.random.Generator | None
"""Source of a root seed: the seed itself, a stream to draw it from, or None for a fresh one."""


def generator(root_seed: int, *purpose: str | int) -> np.random.Generator:
    """Return the stream of `purpose` under `root_seed`.

    Streams of different purposes are independent, and none depends on earlier draws: roll 7 of a
    match has the same numbers whether rolls 1 to 6 were simulated or read from a record. The
    generator is PCG64 (O'Neill 2014), seeded by a 256-bit digest of the whole key.

    Args:
        root_seed: Non-negative seed of the whole run.
        purpose: Words and counters that identify the use of the numbers.
    """
    key = repr((root_seed, *purpose)).encode()
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(key).digest())))


def sub_seed(seed: int, *purpose: str | int) -> int:
    """Return a separate seed for `purpose` under another seed."""
    return int(generator(seed, *purpose).integers(MAX_SEED))


def fresh_seed() -> int:
    """Return a seed from the system's entropy, short enough to read out and type again."""
    return secrets.randbelow(10**9)


def root_seed(seed: Seed) -> int:
    """Return the requested root seed: of a stream its next number, of None a fresh seed.

    Raises:
        SpecError: If the number is negative or too large.
    """
    if seed is None:
        return fresh_seed()
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(MAX_SEED))
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"invalid seed {seed}", expected=f"0 to {MAX_SEED}", fix="use --seed 1")
    return int(seed)
