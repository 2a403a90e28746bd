"""Differences are named by what made them, or are faults; manifests keep what they are given."""

import pytest

from pigglesim.errors import PigglesimError
from pigglesim.fingerprints.manifest import (
    Print,
    Taken,
    Verdict,
    compared,
    nearest,
    read_manifest,
    write_manifest,
)

POURS = Print(name="throws/impulse/pours", make=tuple, packages=("numba",))
VERSIONS = {"pigglesim": "0.1.0", "python": "3.11.7", "numpy": "2.3.1", "numba": "0.68.1"}


def taken(sha="a", machine="Linux x86_64", name=POURS.name, **versions):
    return Taken(machine=machine, versions=VERSIONS | versions, prints={name: sha * 64})


def found(here, there):
    (finding,) = compared([POURS], here, there)
    return finding


def test_the_same_bits_are_the_same_whatever_made_them():
    finding = found(taken(numpy="9.9"), taken())
    assert (finding.verdict, finding.sentence) == (Verdict.SAME, "")


def test_other_bits_of_other_versions_are_named():
    finding = found(taken("b", numpy="2.4.0", numba="0.70"), taken())
    assert finding.verdict is Verdict.EXPLAINED
    assert finding.sentence == (
        "throws/impulse/pours differ: made with numpy 2.3.1, numba 0.68.1, "
        "here numpy 2.4.0, numba 0.70"
    )


def test_a_package_that_has_no_part_in_it_explains_nothing():
    finding = found(taken("b", pybullet="3.2.7"), taken(pybullet="3.2.6"))
    assert finding.verdict is Verdict.FAULT
    assert finding.sentence.endswith("made with the very same versions")


def test_what_nothing_is_known_of_is_unknown():
    assert found(taken(), None).verdict is Verdict.UNKNOWN
    assert found(taken(), taken(name="shapes/d6")).verdict is Verdict.UNKNOWN


def test_the_nearest_is_of_the_same_kind_of_machine_and_shares_most_versions():
    far, near, other = taken(numpy="1", numba="1"), taken(numpy="1"), taken(machine="Darwin arm64")
    assert nearest([far, near, other], taken()) is near
    assert nearest([other], taken()) is None


def test_a_manifest_comes_back_and_keeps_other_machines(tmp_path):
    path, mac = tmp_path / "m.json", taken(machine="Darwin arm64")
    write_manifest(taken(), path)
    write_manifest(mac, path)
    write_manifest(taken("b"), path)
    assert sorted(read_manifest(path), key=lambda each: each.machine) == [mac, taken("b")]
    assert [child.name for child in tmp_path.iterdir()] == ["m.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2, "taken": []}',
        '{"format": 1, "taken": 5}',
        '{"format": 1, "taken": [5]}',
        '{"format": 1, "taken": [{"machine": 1, "versions": {}, "prints": {}}]}',
        '{"format": 1, "taken": [{"machine": "a", "versions": [], "prints": {}}]}',
        '{"format": 1, "taken": [{"machine": "a", "versions": {"a": 1}, "prints": {}}]}',
        '{"format": 1, "taken": [{"machine": "a", "versions": {}, "prints": {"a": "b"}}]}',
        "[" * 100_000,
        "\ud800",
    ],
)
def test_what_is_no_manifest_is_told_in_one_line_and_left_as_it_is(tmp_path, text):
    path = tmp_path / "m.json"
    data = text.encode("utf-8", "surrogatepass")
    path.write_bytes(data)
    for act in (read_manifest, lambda path: write_manifest(taken(), path)):
        with pytest.raises(PigglesimError, match="try: ") as told:
            act(path)
        assert len(str(told.value).splitlines()) == 1
    assert path.read_bytes() == data
