"""Parts of a study: merged they are the study to the bit, and every fault is one line."""

import json
import shutil
import zipfile

import pytest

import pigglesim
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.parts import Part
from pigglesim.experiments.study import Study
from tests.support.front_door import run_here

OF = 3
WORDS = ["--kind", "drop", "--model", "d6", "--throws", 1250, "--shard-size", 250]


def run_cli(*words, status=0):
    done = run_here(*words)
    assert done.exit_code == status, done.output
    return done


def study_words(*more, seed=5):
    return ["study", *WORDS, "--seed", seed, "--workers", 1, "--quiet", *more]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """A folder with the three parts of a study of five shards."""
    folder = tmp_path_factory.mktemp("parts")
    for number in range(1, OF + 1):
        run_cli(*study_words("--part", f"{number}/{OF}", "--out", folder))
    return folder


@pytest.fixture
def own_parts(parts, tmp_path):
    return shutil.copytree(parts, tmp_path / "own")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The same study in one run."""
    folder = tmp_path_factory.mktemp("studies") / "whole"
    pigglesim.study("drop", model="d6", throws=1250, shard_size=250, seed=5, out=folder)
    return folder


def shards(folder):
    return {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}


def test_every_shard_is_in_one_part():
    study = Study(kind=ThrowKind.DROP, throws=1750, shard_size=250)
    numbers = [n for k in (1, 2, 3) for n in Part(number=k, of=3).shards(study)]
    assert sorted(numbers) == list(range(study.shard_count))


def test_parts_merge_into_the_study_of_one_run(parts, whole, tmp_path):
    assert sorted(path.name for path in parts.iterdir()) == [f"{k}-of-3.part" for k in (1, 2, 3)]
    merged = pigglesim.merge_study([parts], tmp_path / "merged")
    assert merged.finished
    assert shards(tmp_path / "merged") == shards(whole)
    assert merged.shares == pigglesim.read_study(whole).shares
    # A second merge adds nothing.
    assert pigglesim.merge_study([parts], tmp_path / "merged").throws == merged.throws


def test_a_finished_part_is_not_thrown_again(own_parts):
    file = own_parts / "2-of-3.part"
    before = file.read_bytes(), file.stat().st_mtime_ns
    left = own_parts / "2-of-3"  # by a kill after the file was written
    left.mkdir()
    done = run_cli(*study_words("--part", "2/3", "--out", own_parts, "--json"))
    assert not left.exists()
    document = json.loads(done.stdout)
    assert (document["part"], document["of"], document["throws"]) == (2, 3, 500)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_the_same_part_has_the_same_bytes(parts, tmp_path):
    done = run_cli(*study_words("--part", "1/3", "--out", tmp_path, "--json"))
    file = parts / "1-of-3.part"
    assert (tmp_path / file.name).read_bytes() == file.read_bytes()
    assert json.loads(done.stdout)["file"] == str(tmp_path / file.name)


def test_missing_parts_are_named_and_a_partial_merge_says_so(own_parts, tmp_path):
    (own_parts / "2-of-3.part").unlink()
    with pytest.raises(RecordError, match=r"1 of 3 parts are missing: 2"):
        pigglesim.merge_study([own_parts], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()
    some = pigglesim.merge_study([own_parts], tmp_path / "merged", partial=True)
    assert some.unfinished == "unfinished: 750 of 1,250 throws"


def test_a_part_that_is_there_twice_is_refused(own_parts, tmp_path):
    shutil.copy(own_parts / "2-of-3.part", own_parts / "again.part")
    with pytest.raises(RecordError, match=r"again\.part .*are the same part"):
        pigglesim.merge_study([own_parts], tmp_path / "merged")


def test_a_part_of_another_study_is_refused(own_parts, tmp_path):
    run_cli(*study_words("--part", "2/3", "--out", tmp_path / "other", seed=6))
    shutil.copy(tmp_path / "other" / "2-of-3.part", own_parts / "2-of-3.part")
    with pytest.raises(RecordError, match="are of different studies"):
        pigglesim.merge_study([own_parts], tmp_path / "merged")
    with pytest.raises(RecordError, match="is of another study: study seed 6 and not 5"):
        run_cli(*study_words("--part", "2/3", "--out", own_parts))


@pytest.mark.parametrize("place", ["shard", "manifest", "end"])
def test_a_torn_part_is_refused_and_the_rest_stays(own_parts, place, tmp_path):
    file = own_parts / "2-of-3.part"
    data = bytearray(file.read_bytes())
    with zipfile.ZipFile(file) as archive:
        at = archive.getinfo("part.json").header_offset
    if place == "end":
        del data[-100:]
    else:
        data[at + 200 if place == "manifest" else at // 3] ^= 1
    file.write_bytes(data)
    with pytest.raises(RecordError, match=r"2-of-3\.part is not the whole file of a part"):
        pigglesim.merge_study([own_parts], tmp_path / "merged")
    if place == "shard":
        assert pigglesim.read_study(tmp_path / "merged").throws == 500
    else:
        assert not (tmp_path / "merged").exists()


def test_an_audit_finds_the_shard_that_was_changed(whole, tmp_path):
    again = pigglesim.audit_study(whole, share=0.5, seed=1)
    assert (len(again.again), again.different, again.shards) == (3, (), 5)
    forged = shutil.copytree(whole, tmp_path / "forged")
    # Another die, sealed as if it were of this study.
    pigglesim.study("drop", model="d8", throws=1250, shard_size=250, seed=5, out=tmp_path / "d8")
    sums = (forged / "sums").read_text().splitlines()
    sums[3] = (tmp_path / "d8" / "sums").read_text().splitlines()[3]
    (forged / "sums").write_text("\n".join(sums) + "\n")
    shutil.copy(tmp_path / "d8" / "shards" / "000003.parquet", forged / "shards")
    assert pigglesim.audit_study(forged, share=1.0).different == (3,)
    done = run_cli("study", "audit", forged, "--share", 1, "--workers", 1, status=1)
    assert "5 of 5 shards thrown again, 1 differ" in done.stdout
    assert "shards that differ: 3" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0/3", "invalid part '0/3'"),
        ("4/3", "invalid part '4/3'"),
        ("1", "invalid part '1'"),
        ("-1/3", "invalid part '-1/3'"),
        ("1/0", "invalid part '1/0'"),
        ("1/" + "9" * 5000, "invalid part"),
        ("1/6", "6 parts of a study of 5 shards"),
    ],
)
def test_parts_that_cannot_be_are_refused(text, said):
    study = Study(kind=ThrowKind.DROP, throws=1250, shard_size=250)
    with pytest.raises(SpecError, match=said) as fault:
        Part.parse(text, study)
    assert len(str(fault.value).splitlines()) == 1


def test_a_part_needs_a_seed_a_folder_and_a_number_of_throws(tmp_path):
    for words, said in (
        (["study", *WORDS, "--seed", 5, "--part", "1/3"], "--part without --out"),
        (["study", *WORDS, "--out", tmp_path, "--part", "1/3"], "--part without a seed"),
        (
            ["study", "--half-width", 0.01, "--seed", 1, "--out", tmp_path, "--part", "1/3"],
            "a part of a study with half_width",
        ),
        (study_words("--part", "1/3", "--out", tmp_path, "--watch"), "--part with --cluster or"),
    ):
        with pytest.raises(SpecError, match=said):
            run_cli(*words)
    assert list(tmp_path.iterdir()) == []
