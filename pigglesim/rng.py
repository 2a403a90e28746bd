"""Random numbers: every stream is a pure function of the root seed and its purpose."""

import hashlib
import re
import secrets
from collections.abc import Callable
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, cast, runtime_checkable

from pigglesim.errors import SpecError
from pigglesim.pcg64 import Stream

if TYPE_CHECKING:
    from numpy.random import Generator as Generator
else:
    # Rules, agents and records know numpy's generator by what it does, and import no numpy.
    @runtime_checkable
    class Generator(Protocol):
        """A stream of random numbers, as numpy's generator is one."""

        def integers(self, low: int) -> object:
            """Return a random number below `low`."""


MAX_SEED = 2**128 - 1
"""Largest root seed: nobody finds one of that size by search."""
MAX_SUB_SEED = 2**63 - 1
"""Largest seed that is drawn from a stream."""
_EXACT_JSON = 2**53
"""Whole numbers of JSON below it are exact in every reader."""
_SEED_TEXT = re.compile(r"-?[0-9]{1,39}")

Seed: TypeAlias = int | Generator | None
"""Source of a root seed: the seed itself, a stream to draw it from, or None for a fresh one."""


def generator(root_seed: int, *purpose: str | int) -> Generator:
    """Return the stream of `purpose` under `root_seed`.

    Streams of different purposes are independent, and none depends on earlier draws: roll 7 of a
    match has the same numbers whether rolls 1 to 6 were simulated or read from a record. The
    generator is PCG64 (O'Neill 2014), seeded by a 256-bit digest of the whole key.

    Args:
        root_seed: Non-negative seed of the whole run.
        purpose: Words and counters that identify the use of the numbers.
    """
    key = repr((root_seed, *purpose)).encode()
    return _stream(int.from_bytes(hashlib.sha256(key).digest()))


def _stream(seed: int) -> Generator:
    return _makes_stream()(seed)


@cache
def _makes_stream() -> Callable[[int], Generator]:
    """Return the function from a seed to its stream: numpy's, where there is numpy."""
    try:
        from numpy.random import PCG64, Generator  # noqa: PLC0415 (games are played without numpy)
    except ImportError:
        # Looking for numpy takes milliseconds where it is missing.
        return cast("Callable[[int], Generator]", Stream)
    return lambda seed: Generator(PCG64(seed))


def numpy_version() -> str:
    """Return the version of numpy, whose generator draws all random numbers."""
    return metadata.version("numpy")


def sub_seed(seed: int, *purpose: str | int) -> int:
    """Return a separate seed for `purpose` under another seed."""
    return int(generator(seed, *purpose).integers(MAX_SUB_SEED))


def fresh_seed() -> int:
    """Return a seed from the system's entropy, short enough to read out and type again."""
    return secrets.randbelow(10**9)


def seed_json(seed: int) -> int | str:
    """Return a seed for JSON: as text where readers of JSON may round a number."""
    return seed if abs(seed) < _EXACT_JSON else str(seed)


def _read_seed_json(value: object) -> object:
    """Return the number of a seed that `seed_json` wrote as text; any other value unchanged."""
    return int(value) if isinstance(value, str) and _SEED_TEXT.fullmatch(value) else value


class _AsSeed:
    """Format of a seed in the JSON of a dataclass."""

    @staticmethod
    def __get_pydantic_core_schema__(source: object, handler: Any) -> Any:  # noqa: ANN401 (of pydantic, which is slow to import)
        from pydantic import BeforeValidator, PlainSerializer  # noqa: PLC0415 (slow to import)

        written = PlainSerializer(seed_json, when_used="json")
        written_schema = written.__get_pydantic_core_schema__(source, handler)
        read: Any = BeforeValidator(_read_seed_json)
        return read.__get_pydantic_core_schema__(source, lambda _: written_schema)


JSONSeed: TypeAlias = Annotated[int, _AsSeed]
"""Seed of a dataclass, written and read as `seed_json`."""


def root_seed(seed: Seed, *, secret: bool = False) -> int:
    """Return the requested root seed: of a stream its next number, of None a fresh seed.

    A fresh seed that is `secret` has 128 bits: who sees results, or seeds drawn from it, cannot
    find it by search.

    Raises:
        SpecError: If the number is negative or too large.
    """
    if seed is None:
        return secrets.randbits(128) if secret else fresh_seed()
    if isinstance(seed, Generator):
        return int(seed.integers(MAX_SUB_SEED))
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"invalid seed {seed}", expected=f"0 to {MAX_SEED}", fix="use --seed 1")
    return int(seed)
