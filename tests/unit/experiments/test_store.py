"""The folder of a study: finished shards stay, torn ones are detected, foreign ones refused."""

import errno
import shutil
from pathlib import Path

import numpy as np
import pytest

from pigglesim.api.study import read_study
from pigglesim.errors import RecordError
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.folder import StoreError
from pigglesim.experiments.query import open_throws
from pigglesim.experiments.run import run
from pigglesim.experiments.shard import (
    ShardMetadata,
    StudyPlan,
    Thrower,
    check_shard,
    parquet_bytes,
)
from pigglesim.experiments.store import (
    Store,
    put_aside,
    read_definition,
    stored_study,
    whole_shards,
)
from tests.front_door import run_here
from tests.small_studies import Canned, made, small_study, throws_of


@pytest.fixture(scope="module")
def plan(floor):
    return StudyPlan.of(small_study(floor))


def fill(folder, plan, **words):
    with Store(folder, plan) as store:
        return run(store, Canned(plan.study, **words)), store.notes


def files(folder):
    return {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}


def answer(folder):
    with open_throws(folder) as connection:
        return throws_of(connection)


@pytest.fixture
def full(tmp_path, plan):
    fill(tmp_path / "study", plan)
    return tmp_path / "study"


def test_a_folder_holds_its_definition_and_every_throw(full, plan):
    found = read_definition(full)
    assert (found["digest"], found["made_of"]) == (plan.digest, plan.made_of)
    assert stored_study(full) == plan.study
    assert sorted(files(full)) == [f"{k:06d}.parquet" for k in range(6)]
    assert [row[0] for row in answer(full)] == list(range(1200))
    with open_throws(full) as connection:
        described = connection.execute("DESCRIBE throws").fetchall()
    assert {name: kind for name, kind, *_ in described} == plan.columns()


def test_a_shard_cut_off_by_a_kill_is_made_again(full, plan):
    rows = answer(full)
    (full / "shards" / "000004.parquet").rename(full / "shards" / "000004.parquet.tmp")
    sums = (full / "sums").read_text()
    (full / "sums").write_text(sums + "000004 12ab")
    assert len(answer(full)) < len(rows)
    progress, (note,) = fill(full, plan)
    assert progress.made == 1
    assert "000004.parquet was cut off" in note
    assert answer(full) == rows
    assert not list((full / "shards").glob("*.tmp"))
    assert sorted((full / "sums").read_text().splitlines()) == sorted(sums.splitlines())


def second(folder):
    return folder / "shards" / "000002.parquet"


def torn(folder, foreign):
    second(folder).write_bytes(second(folder).read_bytes()[:-100])


def another(folder, foreign):
    shutil.copy(folder / "shards" / "000001.parquet", second(folder))


def renamed(folder, foreign):
    shutil.copy(folder / "shards" / "000001.parquet", folder / "shards" / "copy.PARQUET")


def strange(folder, foreign):
    (folder / "shards" / "000042.parquet").write_bytes(foreign)


def unlisted(folder, foreign):
    second(folder).write_bytes(foreign)
    lines = (folder / "sums").read_text().splitlines(keepends=True)
    (folder / "sums").write_text("".join(line for line in lines if not line.startswith("000002")))


def linked(folder, foreign):
    second(folder).rename(folder / "elsewhere.parquet")
    second(folder).symlink_to(folder / "elsewhere.parquet")


def flipped(folder, foreign):
    data = bytearray(second(folder).read_bytes())
    data[len(data) // 3] ^= 1
    second(folder).write_bytes(bytes(data))


# Only a checksum reveals a changed value.
HARMS = [(flipped, True)] + [(harm, sums) for harm in (torn, another) for sums in (1, 0)]


@pytest.mark.parametrize(("harm", "sums"), HARMS)
def test_a_torn_shard_is_put_aside_and_made_again(full, plan, harm, sums):
    whole = files(full)
    harm(full, b"")
    if not sums:
        (full / "sums").unlink()
    progress, (note,) = fill(full, plan)
    assert (progress.made, progress.kept) == (1, 5)
    assert "000002.parquet" in note
    assert (full / "torn" / "000002.parquet").exists()
    assert files(full) == whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "left"),
    [(flipped, 5), (renamed, 6), (strange, 6), (unlisted, 5), (linked, 5)],
)
def test_no_verb_counts_a_file_without_its_checksum(full, floor, harm, left):
    harm(full, made(small_study(floor, seed=9).to_json(), 0))
    question = "SELECT count(*) AS n FROM throws"
    for verb, *more in (("show",), ("report",), ("query", question), ("odds", "--out", "o.json")):
        with pytest.raises(RecordError, match=f"study repair {full}"):
            run_here("study", verb, full, *more)
    with pytest.raises(RecordError, match="study repair"):
        read_study(full)
    told = run_here("study", "repair", full).output
    assert told.count("it is put aside in torn/") == 1
    assert f"{left} shards are whole" in told
    assert len(answer(full)) == (1200 if left == 6 else 950)
    assert "nothing to put aside" in run_here("study", "repair", full).output


def test_files_that_are_put_aside_replace_none(full, plan):
    foreign = (full / "shards" / "000001.parquet").read_bytes()
    for data in (b"first", foreign):
        strange(full, data)
        assert len(put_aside(full)) == 1
    aside = {path.name: path.read_bytes() for path in (full / "torn").iterdir()}
    assert aside == {"000042.parquet": b"first", "000042-2.parquet": foreign}


def test_shards_without_checksums_get_them_again(full):
    sums = (full / "sums").read_text()
    (full / "sums").unlink()
    with pytest.raises(RecordError, match=r"not in sums, and 5 more"):
        whole_shards(full)
    assert put_aside(full) == []
    assert sorted((full / "sums").read_text().splitlines()) == sorted(sums.splitlines())


@pytest.mark.parametrize("name", ["shards", "torn", "sums", "study.json", "lock", "sums.tmp"])
def test_nothing_is_moved_or_written_through_a_link_in_the_folder(full, plan, tmp_path, name):
    outside = tmp_path / "outside"
    if (full / name).exists():
        (full / name).rename(outside)
    else:
        outside.mkdir()
    (full / name).symlink_to(outside)
    if name != "shards":
        (full / "shards" / "000003.parquet").write_bytes(b"torn")

    def tree():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    before = tree()
    for work in (lambda: Store(full, plan), lambda: put_aside(full), lambda: whole_shards(full)):
        with pytest.raises(RecordError, match=f"{name} is a link"):
            work()
    assert tree() == before


def test_a_full_disk_loses_no_finished_shard(tmp_path, plan, monkeypatch):
    folder, whole = tmp_path / "study", Path.write_bytes

    def too_much(path: Path, data: bytes) -> None:
        if path.name == "000003.parquet.tmp":
            whole(path, data[:1000])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", too_much)
    with pytest.raises(StoreError, match="No space left on device"):
        fill(folder, plan)
    assert sorted(files(folder)) == [f"{k:06d}.parquet" for k in range(3)]
    monkeypatch.undo()
    progress, notes = fill(folder, plan)
    assert (progress.kept, progress.made, notes) == (3, 3, [])


def test_other_folders_are_refused_and_not_changed(tmp_path, plan, floor):
    (tmp_path / "notes.txt").write_text("mine")
    for path in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(RecordError, match=r"notes\.txt"):
            Store(path, plan)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    for text in ("", "{", "[]", "{}", '{"made_of": {"schema": 1}, "study": 5, "digest": "a"}'):
        (tmp_path / "study.json").write_text(text)
        with pytest.raises(RecordError):
            read_definition(tmp_path)
    with pytest.raises(RecordError, match="no folder"):
        read_definition(tmp_path / "nowhere")
    Store(tmp_path / "study", plan).close()
    with pytest.raises(RecordError, match="seed 3 and not 4; throws 600 and not 500"):
        Store(tmp_path / "study", StudyPlan.of(small_study(floor, seed=4, throws=500)))


def test_a_second_store_is_refused_while_the_first_is_open(tmp_path, plan):
    text = plan.study.to_json()
    with Store(tmp_path, plan) as first:
        first.add(0, made(text, 0))
        with pytest.raises(RecordError, match="another process"):
            Store(tmp_path, plan)
        first.add(1, made(text, 1))
    with Store(tmp_path, plan) as second:
        assert (second.finished, second.notes) == ({0, 1}, [])


def test_bytes_of_another_shard_are_refused_and_leave_nothing(plan, tmp_path):
    text = plan.study.to_json()
    good = made(text, 0)
    with Store(tmp_path / "study", plan) as store:
        for wrong in (made(text, 1), good[:-1], b"", 7, None):
            with pytest.raises(RecordError, match="torn"):
                store.add(0, wrong)
            assert store.finished == set()
        assert list((tmp_path / "study" / "shards").iterdir()) == []
        assert store.add(0, good).throws == 250
        assert store.finished == {0}


def test_a_shard_must_agree_with_its_own_metadata(plan, tmp_path):
    columns, path, types = Thrower(plan).throw(1), tmp_path / "shard", plan.columns()
    counts = Counts.of(columns)

    def write(types, *, rows=250, columns=columns):
        note = ShardMetadata(digest=plan.digest, number=1, rows=rows, counts=counts)
        path.write_bytes(parquet_bytes(columns, types, note))

    write(types)
    assert check_shard(path, 1, plan) == counts
    seen = np.roll(columns["orientation"], 1)
    seen[0] = "1" if seen[0] != "1" else "2"
    for fault, kinds, more in (
        ("250 rows of 251", types, {"rows": 251}),
        ("columns", {name: kind for name, kind in types.items() if name != "points"}, {}),
        ("columns", {**types, "time_s": "DOUBLE"}, {}),
        ("counts", types, {"columns": {**columns, "orientation": seen}}),
    ):
        write(kinds, **more)
        with pytest.raises(RecordError, match=f"torn .*{fault}"):
            check_shard(path, 1, plan)
