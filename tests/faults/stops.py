"""Stops by hand, two at once, and readers that go away."""

import json
import os
import signal
import time
from contextlib import suppress
from functools import partial

from tests.faults.bench import Fault
from tests.faults.kills import moment_of, wait_for_a_moment
from tests.faults.subjects import SMALL_STUDY, SUBJECTS
from tests.faults.trial import Trial, resume

_SIGNALS = {
    "ctrl-c": ("Ctrl-C", (signal.SIGINT,), 130),
    "ctrl-c-twice": ("Ctrl-C, and again at once", (signal.SIGINT, signal.SIGINT), 130),
    "sigterm": ("SIGTERM", (signal.SIGTERM,), 143),
}


def _stopped(key, subject, bench, rng):
    trial, folder = Trial(), bench.fresh(subject)
    whole, length = bench.undisturbed(subject)
    _, numbers, code = _SIGNALS[key]
    running = bench.door.start(subject.words, folder)
    wait_for_a_moment(subject, folder, running, length, rng)
    reached = len(subject.finished(folder))
    for number in numbers:
        running.send(number)
        time.sleep(float(rng.choice([0.0, 0.01, 0.1])))
    ended = running.ended()
    before = subject.finished(folder)
    # Until it can answer, a signal ends it as any process.
    trial.ended_well(ended, {0, code, *(-number for number in numbers)})
    trial.moment = moment_of(subject, reached, over=ended.code == 0)
    if ended.code < 0:
        trial.moment = "before it could answer"
    trial.expect(len(before) >= subject.reported(ended.err), "lost", ended.err)
    if ended.code == code:
        said = ended.err + ended.out
        trial.expect("stopped" in said or "interrupted" in said, "untold", said)
    if ended.code == code and ended.out:
        trial.expect(_is_json(ended.out), "unclear", ended.out)
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def _is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _two_at_once(subject, bench, rng):
    """The same command twice: one is refused, or goes on where the other has been."""
    trial, folder = Trial(), bench.fresh(subject)
    whole, length = bench.undisturbed(subject)
    one = bench.door.start(subject.words, folder)
    time.sleep(rng.uniform(0.0, length))
    reached = len(subject.finished(folder))
    two = bench.door.start(subject.words, folder, suffix=".2")
    first, other = one.ended(), two.ended()
    for ended in (first, other):
        trial.ended_well(ended, {0, 2})
    trial.expect(0 in {first.code, other.code}, "status", (first.err, other.err))
    trial.moment = moment_of(subject, reached, over=first.code == other.code == 0)
    resume(trial, subject, folder, bench.door, whole, before=subject.finished(folder))
    return trial


_LONG_VERBS = {
    "study": SMALL_STUDY.words[:-1],
    "tournament": SUBJECTS[1].words[:-1],
    "roll": ("roll", "3", "--seed", "1"),
}
_VERBS = {
    "match": ("match", "--chance", "tabular", "--seed", "7"),
    "match --json": SUBJECTS[2].words,
    "games": ("games",),
    "poses": ("poses", "d6"),
    "replay": ("replay", "match.jsonl"),
    "study query": ("study", "query", "done", "SELECT * FROM throws", "--json"),
}


def _prepared(bench):
    """Return a folder with a study and a match, for verbs that ask."""
    folder = bench.root / SMALL_STUDY.name / "pipes"
    if folder.exists():
        return folder
    SMALL_STUDY.prepare(folder)
    words = ["done" if word == "out" else word for word in SMALL_STUDY.words]
    assert bench.door.run(words, folder).code == 0
    words = ("match", "--chance", "tabular", "--seed", "7", "--out", "match.jsonl", "--no-boards")
    assert bench.door.run(words, folder).code == 0
    return folder


def _output(kind, verbs, bench, _rng):
    """Verbs with an output that takes nothing, or no more."""
    folder, trials = _prepared(bench), []
    for verb, words in verbs.items():
        trial = Trial(moment=verb)
        words = tuple(word if word != "out" else f"out-{kind}-{verb}" for word in words)
        if kind == "full":
            ended = bench.door.run(words, folder, out="/dev/full")
            trial.ended_well(ended, {1})
        elif kind == "closed":
            ended = bench.door.run(words, folder, plant=["closed_output"])
            trial.ended_well(ended, {0})
        else:
            ended = _first_line(bench, words, folder)
            trial.ended_well(ended, {0, 1}, silent={1})
        trials.append(trial)
    return trials


def _first_line(bench, words, folder):
    """Run a verb whose reader leaves after a line, as `| head -1` does."""
    pipe = folder / "pipe"
    if not pipe.exists():
        os.mkfifo(pipe)
    # Held open from here, so that neither side waits for the other to open it.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    running = bench.door.start(words, folder, out=pipe)
    got = b""
    while b"\n" not in got and running.is_alive():
        with suppress(BlockingIOError):
            got += os.read(reader, 1)
    os.close(reader)
    return running.ended()


STOPS = (
    *(
        Fault(key=key, told=told[0], subject=subject.name, disturb=partial(_stopped, key, subject))
        for key, told in _SIGNALS.items()
        for subject in SUBJECTS
    ),
    *(
        Fault(
            key="two",
            told="the same command twice at once",
            subject=subject.name,
            disturb=partial(_two_at_once, subject),
        )
        for subject in SUBJECTS
    ),
    *(
        Fault(
            key=f"output-{kind}",
            told=told,
            subject=subject,
            disturb=partial(_output, kind, verbs),
            once=True,
        )
        for kind, told in (
            ("full", "standard output on a full disk"),
            ("closed", "standard output closed"),
            ("head", "a reader that leaves after a line"),
        )
        for subject, verbs in (("long verbs", _LONG_VERBS), ("quick verbs", _VERBS))
    ),
)
