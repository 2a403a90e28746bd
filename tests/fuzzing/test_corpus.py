"""Every reader, fed what is kept and what is changed at random: each ends in one clear line."""

import random
import time
from pathlib import Path

import pytest

from tests.fuzzing.mutation import Mutator
from tests.fuzzing.target import (
    CORPUS,
    CPU_LIMIT,
    FOUND,
    Feed,
    Target,
    fault_in,
    inputs_of,
    scratch_folder,
    targets,
)

TARGETS = targets()
MUTATIONS = 200
SECONDS = 0.4
"""Of mutations, a target: slow readers are fed fewer."""


def judge(feed: Feed, data: bytes) -> None:
    started = time.process_time()
    try:
        feed(data)
    except Exception as error:
        assert not fault_in(error), f"{fault_in(error)}: {error!r} of {data[:2000]!r}"
    assert time.process_time() - started < CPU_LIMIT, f"too slow: {data[:2000]!r}"


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_ends_in_one_clear_line_whatever_it_is_fed(name):
    with scratch_folder() as folder:
        feed_all(TARGETS[name], TARGETS[name].prepare(Path(folder)))


def feed_all(target: Target, feed: Feed) -> None:
    for seed in target.seeds():
        feed(seed)  # sound: a target whose seeds are refused tests nothing but the refusal
    inputs = inputs_of(target)
    for data in inputs:
        judge(feed, data)
    rng, mutator = random.Random(f"{target.name} 1"), Mutator(target, inputs)
    started = time.process_time()
    for _ in range(MUTATIONS):
        judge(feed, mutator.change(rng.choice(inputs), rng))
        if time.process_time() - started > SECONDS:
            break


def test_the_corpus_is_small_and_belongs_to_targets():
    files = [path for folder in (CORPUS, FOUND) for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 200 * 1024
    for folder in (*CORPUS.glob("*"), *FOUND.glob("*")):
        assert folder.name in TARGETS
        assert len(list(folder.glob("*"))) <= 40


def test_mutations_repeat_by_their_seed_and_are_not_all_alike():
    for target in TARGETS.values():
        seeds = list(target.seeds())
        runs = []
        for _ in range(2):
            rng, mutator = random.Random(7), Mutator(target, seeds)
            runs.append([mutator.change(rng.choice(seeds), rng) for _ in range(40)])
        assert runs[0] == runs[1]
        assert len(set(runs[0])) > 20
