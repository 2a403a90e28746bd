"""Every reader, fed saved inputs and random changes of them: each ends in one clear line."""

import math
import random
import time
from pathlib import Path

import pytest

from pigglesim.errors import PigglesimError, SpecError
from scripts.trust.fuzzing.mutation import Mutator, parsed, written
from scripts.trust.fuzzing.target import (
    CORPUS,
    CPU_LIMIT,
    FOUND,
    Form,
    fault_in,
    scratch_folder,
    targets,
)

TARGETS = targets()
MUTATIONS = 200
SECONDS = 0.4
"""Time for the mutations of a target: slow readers are fed fewer."""


def judge(feed, data):
    started = time.process_time()
    try:
        feed(data)
    except Exception as error:
        assert not fault_in(error), f"{fault_in(error)}: {error!r} of {data[:2000]!r}"
    assert time.process_time() - started < CPU_LIMIT, f"too slow: {data[:2000]!r}"


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_ends_in_one_clear_line_with_any_input(name):
    target = TARGETS[name]
    with scratch_folder() as folder:
        feed = target.feed_in(Path(folder))
        for seed in target.seeds():
            feed(seed)  # valid: a target whose seeds are refused tests only the refusal
        inputs = target.known_inputs()
        for data in inputs:
            judge(feed, data)
        rng, mutator = random.Random(f"{name} 1"), Mutator(target, inputs)
        again = Mutator(target, inputs)
        seen, started = set(), time.process_time()
        for number in range(MUTATIONS):
            data = rng.choice(inputs)
            changed = mutator.change(data, random.Random(number))
            assert changed == again.change(data, random.Random(number))
            seen.add(changed)
            judge(feed, changed)
            if time.process_time() - started > SECONDS:
                break
        assert len(seen) > number / 2


TABLES = [name for name, each in TARGETS.items() if each.form in {Form.TOML, Form.JSON}]
FREE = {
    "scenario": ("",),  # faults are in its report
    "layout": ("seed", "dice.points"),
    "odds": ("source.",),
    "film-header": ("origin.",),
}
"""Beginnings of keys whose values are not read, by target."""


def numbers_in(value, path=()):
    """Yield the path of each number in plain values."""
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in entries:
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


@pytest.mark.parametrize("name", TABLES)
def test_true_and_a_text_are_no_numbers_in_any_file(name):
    target, seen, taken = TARGETS[name], set(), []
    with scratch_folder() as folder:
        feed = target.feed_in(Path(folder))
        for seed, table in ((seed, parsed(seed, target.form)) for seed in target.seeds()):
            for path in numbers_in(table):
                key = ".".join(step for step in path if isinstance(step, str))
                if key in seen or key.startswith(FREE.get(name, "-")):
                    continue
                seen.add(key)
                # A level of a factor may be a text, as it may have a unit.
                for word in (True,) if key.startswith("factors.") else (True, "1"):
                    changed = parsed(seed, target.form)
                    place = changed
                    for step in path[:-1]:
                        place = place[step]
                    place[path[-1]] = word
                    try:
                        feed(written(changed, target.form))
                        taken.append((key, word))
                    except PigglesimError:
                        pass
    assert not taken
    assert seen or name in {"scenario", "team"}


def test_the_corpus_is_small_and_belongs_to_targets():
    files = [path for folder in (CORPUS, FOUND) for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 200 * 1024
    for folder in (*CORPUS.glob("*"), *FOUND.glob("*")):
        assert folder.name in TARGETS
        assert len(list(folder.glob("*"))) <= 40


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (SpecError("a word", expected="a number", fix="give one"), ""),
        (SpecError("y" * 10**6, fix="z\n" * 10**5), ""),  # the program cuts and escapes it
        (SpecError("x", fix=" "), "without a fix"),
        (ValueError("x"), "ValueError instead"),
        (RecursionError(), "RecursionError instead"),
    ],
)
def test_a_fault_is_anything_but_one_line_with_a_fix(error, fault):
    assert (fault in fault_in(error)) if fault else (fault_in(error) == "")


@pytest.mark.parametrize(
    ("text", "fault"), [("a\nb", "more than one line"), ("x" * 5_000, "5000 characters")]
)
def test_errors_of_many_lines_or_letters_are_faults(text, fault):
    error = SpecError("x", fix="y")
    error.args = (text,)
    assert fault in fault_in(error)


@pytest.mark.parametrize("form", [Form.TOML, Form.JSON])
def test_tables_are_written_so_that_they_read_back(form):
    table = {"a": [1, 2.5, math.inf], "b": {"c.d": 'x"\n', "e": [{}, []]}, "f": True}
    assert parsed(written(table, form), form) == table
