"""kill -9 at random moments: of everything, of the first process alone, of one worker."""

import signal
import time
from functools import partial

from tests.faults.bench import Fault
from tests.faults.subjects import SUBJECTS
from tests.faults.trial import Trial, resume

_TOLD = {
    "kill": "kill -9 of the process and its workers",
    "kill-parent": "kill -9 of the process alone",
    "kill-worker": "kill -9 of one worker",
}


def _killed(fault, subject, bench, rng):
    trial, folder = Trial(), bench.fresh(subject)
    whole, length = bench.undisturbed(subject)
    running = bench.door.start(subject.words, folder)
    wait_for_a_moment(subject, folder, running, length, rng)
    reached = len(subject.finished(folder))
    victims = None if fault == "kill" else [running.pid]
    if fault == "kill-worker":
        workers = running.children()
        victims = [workers[int(rng.integers(len(workers)))]] if workers else []
    running.send(signal.SIGKILL, victims)
    ended = running.ended()
    before = subject.finished(folder)
    trial.moment = moment_of(subject, reached, over=ended.code == 0 and fault != "kill-worker")
    if victims == []:
        trial.moment = "no worker there"
    if fault == "kill-worker":
        # It goes on by itself: a worker costs the time of what it was at.
        trial.ended_well(ended, {0})
    else:
        trial.expect(ended.code in {0, -signal.SIGKILL}, "status", (ended.code, ended.err))
    trial.expect(len(before) >= subject.reported(ended.err), "lost", (ended.err, len(before)))
    if ended.code == 0:
        trial.expect(len(before) == subject.items, "lost", len(before))
    resume(trial, subject, folder, bench.door, whole, before=before)
    return trial


def wait_for_a_moment(subject, folder, running, length, rng):
    """Wait for a moment of a run: half are drawn over its length, half over what it finishes."""
    if rng.integers(2):
        time.sleep(rng.uniform(0.0, length))
        return
    wanted = int(rng.integers(subject.items + 1))
    while running.is_alive() and len(subject.finished(folder)) < wanted:
        time.sleep(0.001)
    time.sleep(rng.uniform(0.0, 0.02))


def moment_of(subject, reached, *, over):
    """Say how far a run was when it was disturbed."""
    if over:
        return "after its end"
    if not reached:
        return "before the first"
    if reached == subject.items:
        return "closing"
    return "first half" if reached < subject.items / 2 else "second half"


KILLS = tuple(
    Fault(key=key, told=told, subject=subject.name, disturb=partial(_killed, key, subject))
    for key, told in _TOLD.items()
    for subject in SUBJECTS
    if subject.workers or key == "kill"
)
