"""kill -9 at random moments: of everything, of the first process alone, of one worker."""

import shutil
import signal
import statistics
import time

from tests.faults.trial import Row, Trial, resume

__all__ = ["KILLS", "kill_often", "undisturbed"]

KILLS = {
    "kill": "kill -9 of the process and its workers",
    "kill-parent": "kill -9 of the process alone",
    "kill-worker": "kill -9 of one worker",
}
_MEASURED_AGAIN = 20
"""Runs after which their length is measured again: other work on a machine changes it."""


def undisturbed(subject, folder, door):
    """Return the result of a run that nobody disturbs, and how long it takes [s]."""
    shutil.rmtree(folder, ignore_errors=True)
    subject.prepare(folder)
    ended = door.run(subject.words, folder)
    assert ended.code == 0, ended.err
    result, count = subject.result(folder), len(subject.finished(folder))
    assert count == subject.items, (subject.name, count)
    shutil.rmtree(folder)
    return result, ended.seconds


def kill_often(subject, fault, folder, door, *, times, rng, tell=lambda row: None):
    """Kill a run at so many moments, drawn evenly over its length, and judge each."""
    row = Row(fault=KILLS[fault], subject=subject.name)
    whole, length = undisturbed(subject, folder / "whole", door)
    for number in range(times):
        if number and number % _MEASURED_AGAIN == 0:
            _, again = undisturbed(subject, folder / "whole", door)
            length = statistics.fmean([length, again])
        place = folder / "killed"
        subject.prepare(place)
        row.trials.append(_killed(subject, fault, place, door, whole, rng.uniform(0.0, length), rng))
        shutil.rmtree(place)
        tell(row)
    return row


def _killed(subject, fault, folder, door, whole, moment, rng):
    trial = Trial()
    running = door.start(subject.words, folder)
    time.sleep(moment)
    reached = len(subject.finished(folder))
    victims = None if fault == "kill" else [running.pid]
    if fault == "kill-worker":
        workers = running.children()
        victims = [workers[int(rng.integers(len(workers)))]] if workers else []
    running.send(signal.SIGKILL, victims)
    ended = running.ended()
    before = subject.finished(folder)
    trial.moment = _moment(subject, ended, reached, victims)
    if fault == "kill-worker":
        # It goes on by itself: a worker costs the time of what it was at.
        trial.ended_well(ended, {0})
    else:
        trial.expect(ended.code in {0, -signal.SIGKILL}, "status", (ended.code, ended.err))
    trial.expect(len(before) >= subject.reported(ended.err), "lost", (ended.err, len(before)))
    if ended.code == 0:
        trial.expect(len(before) == subject.items, "lost", len(before))
    resume(trial, subject, folder, door, whole, before=before)
    return trial


def _moment(subject, ended, reached, victims):
    """Say how far a run was when it was killed."""
    if victims == []:
        return "5 no worker there"
    if ended.code == 0 and victims is None:
        return "4 after its end"
    if not reached:
        return "0 before the first was finished"
    if reached == subject.items:
        return "3 all finished, closing"
    return "1 first half" if reached < subject.items / 2 else "2 second half"
