"""Digests tell results apart to the last bit; differences are named by what made them."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from itertools import combinations

import numpy as np
import pytest

from scripts.determinism import fingerprints
from scripts.determinism.fingerprints import (
    OWN,
    Fingerprint,
    Taken,
    Verdict,
    chosen_fingerprints,
    compare,
    digest,
    nearest,
    read_manifest,
    versions_here,
    write_manifest,
)


class Word(StrEnum):
    ONE = "1"


class Order(Enum):
    FIRST = 1


@dataclass(frozen=True)
class Pair:
    first: object
    second: object


ALL_DIFFERENT = [
    None, False, True, 0, 1, 0.0, -0.0, 1.0, float("nan"), float("inf"), np.nextafter(1.0, 2.0),
    "", "1", b"1", Word.ONE, Order.FIRST, (), ((),), ((), ()), (1,), ("ab", "c"), ("a", "bc"),
    {}, {"a": 1}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, ("a", 1), (1, 2),
    Pair(1, 2), Pair(2, 1), Pair((1, 2), None),
    np.zeros(2), np.zeros((2, 1)), np.zeros((1, 2)), np.zeros(2, dtype=np.float32),
    np.zeros(2, dtype=np.int64), np.array([0.0, -0.0]), np.array([None, "a"], dtype=object),
]  # fmt: skip


def test_what_differs_in_a_bit_a_kind_or_an_order_has_another_digest():
    for one, other in combinations(ALL_DIFFERENT, 2):
        assert digest(one) != digest(other), (one, other)


POURS = Fingerprint(name="throws/impulse/pours", make=tuple, packages=("numba",))
VERSIONS = {"pigglesim": "0.1.0", "python": "3.11.7", "numpy": "2.3.1", "numba": "0.68.1"}


def taken(sha="a", machine="Linux x86_64", name=POURS.name, **versions):
    return Taken(machine=machine, versions=VERSIONS | versions, prints={name: sha * 64})


@pytest.mark.parametrize(
    ("here", "there", "verdict", "sentence"),
    [
        (taken(numpy="9.9"), taken(), Verdict.SAME, ""),
        (
            taken("b", numpy="2.4.0", numba="0.70"),
            taken(),
            Verdict.EXPLAINED,
            "made with numpy 2.3.1, numba 0.68.1, here numpy 2.4.0, numba 0.70",
        ),
        (taken("b", pybullet="2"), taken(), Verdict.FAULT, "made with the very same versions"),
        (taken(), None, Verdict.UNKNOWN, "no fingerprints of Linux x86_64 to compare with"),
        (taken(), taken(name="shapes/d6"), Verdict.UNKNOWN, "the manifest has none"),
    ],
)
def test_differences_are_named_by_what_made_them(here, there, verdict, sentence):
    found, summary = compare(POURS, here, there)
    assert found is verdict
    assert summary.endswith(sentence)


def test_a_manifest_comes_back_and_retains_other_machines(tmp_path):
    path, mac = tmp_path / "m.json", taken(machine="Darwin arm64")
    for each in (taken(), mac, taken("b")):
        write_manifest(each, path)
    assert read_manifest(path) == [mac, taken("b")]


@pytest.mark.slow
def test_this_machine_makes_the_bits_of_the_manifest():
    here = versions_here()
    there = nearest(read_manifest(OWN), here)
    quick = chosen_fingerprints([], quick=True)
    here.prints.update({one.name: digest(one.values()) for one in quick})
    found = [compare(one, here, there) for one in quick]
    assert [line for verdict, line in found if verdict is Verdict.FAULT] == []
    if there is not None and there.versions == here.versions:
        assert {verdict for verdict, _ in found} == {Verdict.SAME}


def test_a_fault_is_the_exit_status(tmp_path, capsys):
    words = ["--only", "odds/piggle", "--against", str(tmp_path / "m.json")]
    here = versions_here()
    here.prints["odds/piggle"] = "0" * 64
    write_manifest(here, tmp_path / "m.json")
    assert fingerprints.main(words) == 1
    assert "made with the very same versions" in capsys.readouterr().out
    here.versions["numpy"] = "1.0"
    write_manifest(here, tmp_path / "m.json")
    assert fingerprints.main(words) == 0
