"""Two results have one digest if and only if they are the same to the last bit."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from hashlib import sha256
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.fingerprints.manifest import digest


class Word(StrEnum):
    ONE = "1"


class Number(StrEnum):
    FIRST = "1"


class Order(Enum):
    FIRST = 1


@dataclass(frozen=True)
class Pair:
    first: object
    second: object


@dataclass(frozen=True)
class Couple:
    left: object
    right: object


ALL_DIFFERENT = [
    None,
    False,
    True,
    0,
    1,
    0.0,
    -0.0,
    1.0,
    float("nan"),
    float("inf"),
    np.nextafter(1.0, 2.0),
    "",
    "1",
    b"1",
    Word.ONE,
    Order.FIRST,
    (),
    ((),),
    ((), ()),
    (1,),
    ("ab", "c"),
    ("a", "bc"),
    {},
    {"a": 1},
    {"a": 1, "b": 2},
    {"b": 2, "a": 1},
    ("a", 1),
    Pair(1, 2),
    Pair(2, 1),
    Pair((1, 2), None),
    (1, 2),
    np.zeros(2),
    np.zeros((2, 1)),
    np.zeros((1, 2)),
    np.zeros(2, dtype=np.float32),
    np.zeros(2, dtype=np.int64),
    np.array([0.0, -0.0]),
    np.array([None, "a"], dtype=object),
]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


def test_what_differs_in_a_bit_a_kind_or_an_order_has_another_digest():
    for one, other in combinations(ALL_DIFFERENT, 2):
        assert digest(one) != digest(other), (one, other)


@given(PLAIN, PLAIN)
def test_digests_are_alike_as_what_they_are_of(one, other):
    # The repr of plain values is exact.
    assert (digest(one) == digest(other)) == (repr(one) == repr(other))


def test_how_an_array_lies_in_memory_does_not_matter():
    array = np.arange(12.0).reshape(3, 4)
    assert digest(array) == digest(np.asfortranarray(array)) == digest(array.astype(">f8"))
    assert digest(array[:, ::2]) == digest(array[:, ::2].copy())
    assert digest(np.float64(0.5)) == digest(0.5)


def test_names_do_not_count():
    assert digest(Pair(1, (2, Word.ONE))) == digest(Couple(1, (2, Number.FIRST)))


def test_the_bytes_are_these():
    assert digest((1, "a")) == sha256(b"sequence 2;int 1;text 1;a").hexdigest()
    assert digest(Pair(1, Word.ONE)) == sha256(b"data 2;int 1;enum;text 1;1").hexdigest()
    assert digest([0.5]) == sha256(b"sequence 1;float 0x1.0000000000000p-1;").hexdigest()


def test_what_has_no_canonical_bytes_is_refused():
    with pytest.raises(TypeError, match="object"):
        digest((1, object()))
