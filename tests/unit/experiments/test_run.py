"""Runs of studies and their folders: dead workers, torn shards, foreign files, precision."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from pigglesim.api.study import read_study
from pigglesim.errors import RecordError
from pigglesim.experiments import store as store_module
from pigglesim.experiments.estimates import Counts
from pigglesim.experiments.run import recounted, run
from pigglesim.experiments.shard import (
    ShardMetadata,
    StudyPlan,
    Thrower,
    check_shard,
    columns_of,
    parquet_bytes,
)
from pigglesim.experiments.sql_sandbox import open_throws
from pigglesim.experiments.statistics import Moments, Share, binomial, share_from
from pigglesim.experiments.stopping_rule import Target, target_of
from pigglesim.experiments.store import (
    Store,
    put_aside,
    read_definition,
    stored_study,
    whole_shards,
)
from pigglesim.experiments.study import Study
from pigglesim.match.runner import within
from tests.support.front_door import run_here
from tests.support.small_studies import Canned, files, made, small_study, throws_in


@pytest.fixture(scope="module")
def plan(floor):
    return StudyPlan.of(small_study(floor))


def fill(folder, plan, **words):
    with Store(folder, plan) as store:
        return run(store, Canned(plan.study, **words)), store.notes


@pytest.fixture
def full(tmp_path, plan):
    fill(tmp_path / "study", plan)
    return tmp_path / "study"


def test_a_folder_holds_its_definition_and_every_throw(full, plan):
    found = read_definition(full)
    assert (found["digest"], found["made_of"]) == (plan.digest, plan.made_of)
    assert stored_study(full) == plan.study
    assert sorted(files(full)) == [f"{k:06d}.parquet" for k in range(6)]
    assert [row[0] for row in throws_in(full)] == list(range(1200))
    with open_throws(full) as connection:
        described = connection.execute("DESCRIBE throws").fetchall()
    assert {name: kind for name, kind, *_ in described} == columns_of(plan.study)


def test_a_shard_cut_off_by_a_kill_is_made_again(full, plan):
    rows = throws_in(full)
    (full / "shards" / "000004.parquet").rename(full / "shards" / "000004.parquet.tmp")
    sums = (full / "sums").read_text()
    (full / "sums").write_text(sums + "000004 12ab")
    assert len(throws_in(full)) < len(rows)
    progress, (note,) = fill(full, plan)
    assert progress.made == 1
    assert "000004.parquet was cut off" in note
    assert throws_in(full) == rows
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
    assert (progress.made, progress.kept, progress.kept_throws) == (1, 5, 1200 - 250)
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
    printed = run_here("study", "repair", full).output
    assert printed.count("it is put aside in torn/") == 1
    assert f"{left} shards are whole" in printed
    assert len(throws_in(full)) == (1200 if left == 6 else 950)
    assert "nothing to put aside" in run_here("study", "repair", full).output


@pytest.mark.parametrize("work", [read_study, lambda folder: run_here("study", "show", folder)])
def test_each_shard_is_hashed_once(full, monkeypatch, work):
    hashed, sha256 = [], store_module._sha256
    monkeypatch.setattr(
        store_module, "_sha256", lambda path: hashed.append(path.name) or sha256(path)
    )
    work(full)
    assert hashed == sorted(files(full))


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
        whole_shards(full, stored_study(full))
    assert put_aside(full) == []
    assert sorted((full / "sums").read_text().splitlines()) == sorted(sums.splitlines())


@pytest.mark.skipif(os.name == "nt", reason="no name has control characters there")
def test_no_name_in_a_folder_controls_the_terminal(full):
    (full / "shards" / "\x1b[31mred.parquet").touch()
    printed = run_here("study", "repair", full).output
    assert "\\x1b[31mred.parquet is not a shard" in printed and "\x1b" not in printed


@pytest.mark.skipif(os.name == "nt", reason="paths are UTF-16 there")
def test_a_folder_whose_path_is_not_utf8_is_refused(full, plan):
    new = full.with_name(os.fsdecode(b"new-\xff"))
    for work in (lambda: Store(new, plan), lambda: stored_study(full.rename(new))):
        with pytest.raises(RecordError, match="is not UTF-8"):
            work()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_no_reader_of_a_folder_waits_for_a_pipe(full, plan):
    (full / "sums").unlink()
    os.mkfifo(full / "sums")
    for work in (
        lambda: Store(full, plan),
        lambda: put_aside(full),
        lambda: whole_shards(full, stored_study(full)),
    ):
        with pytest.raises(RecordError, match="sums is a pipe"):
            within(20.0, work)


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
    for work in (
        lambda: Store(full, plan),
        lambda: put_aside(full),
        lambda: whole_shards(full, stored_study(full)),
    ):
        with pytest.raises(RecordError, match=f"{name} is a link"):
            work()
    assert tree() == before


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
    other = replace(small_study(floor), models=("piggle",))
    with pytest.raises(
        RecordError, match=r'another study: models \["d6"\] and not \["piggle"\]; use'
    ):
        Store(tmp_path / "study", StudyPlan.of(other))


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
    columns, path, types = Thrower(plan).throw(1), tmp_path / "shard", columns_of(plan.study)
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


def run_into(folder, plan, executor, **words):
    with Store(folder, plan) as store:
        return run(store, executor, **words)


def test_a_shard_gets_three_tries(plan, tmp_path):
    executor = Canned(plan.study, faults={1: 2, 4: 3})
    progress = run_into(tmp_path, plan, executor)
    assert progress.failed == {4: "bad luck"}
    assert (executor.asked.count(1), executor.asked.count(4), executor.asked.count(0)) == (3, 3, 1)
    assert len(files(tmp_path)) == 5


def test_a_run_ends_when_five_shards_were_given_up_and_none_was_made(plan, tmp_path):
    executor = Canned(plan.study, faults=dict.fromkeys(range(plan.study.shard_count), 9))
    progress = run_into(tmp_path, plan, executor)
    assert (progress.made, len(progress.failed)) == (0, 5)
    assert plan.study.shard_count == 6


def test_a_stop_before_a_shard_is_counted_loses_it_not(plan, tmp_path):
    seen = []

    def stop(progress):
        seen.append(replace(progress, cells=list(progress.cells)))
        if progress.made == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_into(tmp_path, plan, Canned(plan.study), watch=stop)
    with Store(tmp_path, plan) as store:
        # As of one shard ago: the last has its name and is not in these counts.
        found = recounted(store, seen[-2])
    assert (seen[-2].made, seen[-2].throws, found.made, found.kept) == (2, 500, 3, 0)
    assert (found.throws, found.cells) == (750, seen[-1].cells)


def precise(floor, **words):
    asked = {"half_width": 0.04, "max_throws": 4000, **words}
    return StudyPlan.of(small_study(floor, throws=0, **asked))


def test_a_precision_is_reached_in_rounds_that_do_not_depend_on_who_throws(floor, tmp_path):
    plan = precise(floor)
    progress = run_into(tmp_path / "one", plan, Canned(plan.study))
    for counts in progress.cells:
        for name in counts.hits:
            share = counts.share(name)
            assert (share.high - share.low) / 2 <= 0.04
    assert 250 <= progress.throws < 4000
    assert progress.throws == 2 * progress.wanted
    other = run_into(tmp_path / "other", plan, Canned(plan.study, order=-1))
    assert files(tmp_path / "other") == files(tmp_path / "one")
    # Stopped within a round, it goes on to the very same end.
    for name in sorted(files(tmp_path / "one"))[-3:]:
        (tmp_path / "one" / "shards" / name).unlink()
    again = run_into(tmp_path / "one", plan, Canned(plan.study))
    assert again.cells == progress.cells == other.cells
    assert again.made == 3


def test_a_precision_out_of_reach_ends_at_the_most_throws(floor, tmp_path):
    plan = precise(floor, half_width=0.001, max_throws=600)
    progress = run_into(tmp_path, plan, Canned(plan.study))
    assert (progress.throws, progress.wanted) == (1200, 600)


RUNS = 600


def sums_of(often, dice):
    """Return the sums of a share and of its complement, of throws by their number of hits."""
    throws = int(often.sum())
    return [
        Moments(
            clusters=throws,
            tried=throws,
            hits=int(often @ hits),
            trials=throws * dice,
            hits_hits=int(often @ hits**2),
            hits_trials=int(often @ hits) * dice,
            trials_trials=throws * dice**2,
        )
        for hits in (np.arange(dice + 1), dice - np.arange(dice + 1))
    ]


def chances_of(p, dice, likeness):
    """Return how probable each number of hits of a throw is: beta-binomial."""
    hits = np.arange(dice + 1)
    if not likeness:
        return stats.binom(dice, p).pmf(hits)
    scale = (1.0 - likeness) / likeness
    return stats.betabinom(dice, p * scale, (1.0 - p) * scale).pmf(hits)


def thrown_to_the_end(target, chances, rng) -> tuple[Share, int, int]:
    """Return the share at the end, the throws it took, and the looks."""
    dice, often, looks = len(chances) - 1, np.zeros(len(chances), dtype=np.int64), 0
    while True:
        sums = sums_of(often, dice)
        more = target.more(int(often.sum()), sums)
        if not more:
            share = binomial(sums[0].hits, sums[0].trials) if target.single else share_from(sums[0])
            return share, int(often.sum()), looks
        often += rng.multinomial(more, chances)
        looks += 1


@pytest.mark.parametrize("half_width", [0.005, 0.02])
@pytest.mark.parametrize("p", [0.02, 0.08, 0.41, 0.5])
@pytest.mark.parametrize(("dice", "likeness"), [(1, 0.0), (6, 0.0), (6, 0.1), (6, 0.3)])
def test_the_interval_at_the_end_covers_the_truth_at_its_level(dice, likeness, p, half_width):
    rng = np.random.default_rng(20)
    target = Target(half_width=half_width, single=dice == 1)
    chances = chances_of(p, dice, likeness)
    ended = [thrown_to_the_end(target, chances, rng) for _ in range(RUNS)]
    # Three standard errors of 600 runs are .027.
    assert np.mean([share.low <= p <= share.high for share, _, _ in ended]) >= 0.95 - 0.027
    assert all((share.high - share.low) / 2.0 <= half_width for share, _, _ in ended)
    assert np.mean([looks for _, _, looks in ended]) < 5
    # Little more is thrown than a share known beforehand would take, or than the first round is.
    known = 1.96**2 * p * (1.0 - p) * (1.0 + (dice - 1) * likeness) / dice / half_width**2
    assert np.mean([throws for _, throws, _ in ended]) < 1.15 * max(known, 10 / half_width)


def counts_of(throws, *shares):
    """Return counts of single dice."""
    hits = {str(n): (round(throws * share),) * 3 for n, share in enumerate(shares)}
    return Counts(throws=throws, throws_shown=throws, shown=throws, shown_squares=throws, hits=hits)


def test_cells_go_on_together_in_whole_blocks():
    target = Target(half_width=0.02, single=True)
    short, done = counts_of(1000, 0.5, 0.5), counts_of(1000, 0.01, 0.99)
    wanted = target.more(1000, [short.moments(name) for name in short.hits])
    for size in (1, 250, 1000):
        blocks = target.more_blocks([done, short], size=size)
        assert (blocks - 1) * size < wanted <= blocks * size
    assert target.more_blocks([done, done], size=250) == 0
    assert target.more_blocks([Counts(), Counts()], size=250) == 2
    assert (target.reached([done]), target.reached([done, short])) == (True, False)
    assert not target.reached([Counts()])


@pytest.mark.parametrize(
    ("single", "throws", "more"),
    [
        # The first round: 10 dice, or 8 pours, over the half-width.
        (True, 100, 400), (False, 100, 300),
        # Half of an interval of one half is 0.98 / sqrt(throws + 3.84), by Wilson. After 500 it is
        # 0.0437, so 4.9 times as many are needed; a look stops at four times. After 2,000 it is
        # 0.02189: 1.03 times 1.198. After 2,398 it is narrow enough.
        (True, 500, 1500), (True, 2000, 469), (True, 2397, 72), (True, 2398, 0),
    ],
)  # fmt: skip
def test_a_look_adds_the_throws_that_the_width_still_needs(single, throws, more):
    half = throws // 2
    sums = sums_of(np.array([throws - half, half]), 1)
    assert Target(half_width=0.02, single=single).more(throws, sums) == more


def test_a_study_reaches_its_precision_at_its_level():
    study = Study(half_width=0.02, level=0.9, seed=1)
    assert target_of(study) == Target(half_width=0.02, level=0.9, single=True)
