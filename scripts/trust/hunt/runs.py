"""Runs of the hunt that are disturbed: studies, tournaments and matches, drawn and interrupted."""

import atexit
import shutil
import signal
import tempfile
from dataclasses import replace
from functools import cache, partial
from itertools import count
from math import ceil
from pathlib import Path

from pigglesim.rng import generator
from scripts.trust.faults import every
from scripts.trust.faults.bench import MATCH, OUT, STUDY, TOURNAMENT, Bench, Disturbance
from scripts.trust.hunt.case import SEED, Kind, One, Some, expect
from scripts.trust.hunt.games import AGENTS
from tests.support.doors import QuickDoor


def corrupted(subject, bench, rng):
    """A byte of what an interrupted run left is another: it is found, or the run starts again."""
    run = Disturbance(subject, bench, "between two starts")
    run.run(plant=["disk_of", int(rng.integers(500, 20_000))])
    files = [path for path in sorted(run.folder.rglob(f"{OUT}*")) if path.is_file()]
    files += sorted(path for path in (run.folder / OUT).rglob("*") if path.is_file())
    files = [path for path in files if path.stat().st_size]
    if files:
        path = files[int(rng.integers(len(files)))]
        data = bytearray(path.read_bytes())
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        run.trial.moment = str(path.relative_to(run.folder))
    ended = bench.door.run(subject.again(run.folder), run.folder)
    run.trial.ended_well(ended, {0, 2})
    if ended.code == 0:
        found = subject.result(run.folder)
        differ = [name for name in run.whole if found.get(name) != run.whole[name]]
        run.trial.expect(not differ, "apart", differ)
    return run.trial


_JUDGED = {
    "kill": partial(every.killed, "all"),
    "kill-parent": partial(every.killed, "parent"),
    "kill-worker": partial(every.killed, "worker"),
    "ctrl-c": partial(every.stopped, (signal.SIGINT,), 130),
    "ctrl-c-twice": partial(every.stopped, (signal.SIGINT,) * 2, 130),
    "sigterm": partial(every.stopped, (signal.SIGTERM,), 143),
    "twice at once": every.two_at_once,
    "full disk": partial(every.planted, every.small_files),
    "failing disk": partial(every.planted, every.failing_call),
}
_WHOLE = {
    "corrupted byte": corrupted,
    "worker dies": partial(every.bad_worker, "die"),
    "worker nonsense": partial(every.bad_worker, "nonsense"),
    "clock": every.clock,
    "moved away": partial(every.gone, "moved"),
}
_FAULTS = {
    **{name: partial(every.judged, disturb) for name, disturb in _JUDGED.items()},
    **_WHOLE,
}
_TRIALS = count()


@cache
def _scratch():
    folder = Path(tempfile.mkdtemp(prefix="pigglesim-hunt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _door():
    # At Ctrl-C the case is finished.
    door = QuickDoor(apart=True)
    door.__enter__()
    atexit.register(door.__exit__)
    return door


def disturbed(subject, case):
    """Disturb a run of a subject, take it up again, and compare it with an undisturbed one."""
    folder = _scratch() / str(next(_TRIALS))
    rng = generator(case["seed"], "hunt fault", case["fault"])
    try:
        trial = _FAULTS[case["fault"]](subject, Bench(folder, _door()), rng)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    breaches = sorted({name for name, _ in trial.breaches})
    expect(not breaches, f"a {subject.name} keeps its promises: {', '.join(breaches)}",
           (trial.moment, trial.breaches))  # fmt: skip


def study(case):
    size = case["shard_size"]
    levels = sorted(set(case["levels"]))
    cells = max(len(levels), 1)
    throws, workers = case["throws"], case["workers"]
    if "worker" in case["fault"]:
        # A run of one worker, or of one shard, is that worker.
        throws, workers = max(throws, size + 1), max(workers, 2)
    words = (
        *("study", "--model", case["model"], "--scene", "low.toml"),
        *("--throws", str(throws), "--shard-size", str(size), "--seed", str(case["seed"])),
        *(("--factor", "friction=" + ",".join(levels)) if levels else ()),
        *("--workers", str(workers), "--no-report", "--out", OUT, "--json"),
    )
    subject = replace(STUDY, words=words, items=cells * ceil(throws / size), unit=size)
    disturbed(subject, case)


def tournament(case):
    game = case["game"]
    workers = max(case["workers"], 2 if "worker" in case["fault"] else 1)
    agents = [AGENTS[game][0], case["rival"]]
    if case["rival"] not in AGENTS[game] or case["rival"] == agents[0]:
        agents[1] = "greedy"
    words = (
        *("tournament", "--agents", ",".join(agents), "--game", game),
        *("--pairs", str(case["pairs"]), "--seed", str(case["seed"])),
        *(("--records",) if case["records"] else ()),
        *("--workers", str(workers), "--out", OUT, "--json"),
    )
    disturbed(replace(TOURNAMENT, words=words, items=case["pairs"]), case)


def match(case):
    words = ("match", "--game", case["game"], "--seed", str(case["seed"]), "--b", "uniform")
    chance = ("--chance", "tabular") if "piggles" in case["game"] else ()
    subject = replace(MATCH, words=(*words, *chance, "--no-boards", "--out", OUT, "--json"))
    # Their number is that of the entries of an undisturbed match.
    bench = Bench(_scratch() / "entries", _door())
    folder = bench.fresh(subject)
    ended = bench.door.run(subject.words, folder)
    expect(ended.code == 0, "a match ends", ended.err)
    disturbed(replace(subject, items=len(subject.finished(folder))), case)


def _faults(*left_out):
    return One(tuple(name for name in _FAULTS if name not in left_out))


KINDS = (
    Kind(
        name="disturbed:study", run=study, seconds=4.0,
        options={
            "model": One(("d6", "d4", "d20", "piggle")),
            "throws": One(range(1, 1500)),
            "shard_size": One((250, 500)),
            "levels": Some(("0.2", "0.5", "0.9"), 0, 3),
            "workers": One((1, 2, 3)),
            "fault": _faults(),
            "seed": SEED,
        },
    ),
    Kind(
        name="disturbed:tournament", run=tournament, seconds=6.0,
        options={
            "game": One(("piggy_six", "piggles_classic", "lord_of_the_pigs", "piggyback")),
            "rival": One(("greedy", "hold:12", "threshold:3")),
            "pairs": One(range(2, 9)),
            "records": One((False, True)),
            "workers": One((1, 2, 3)),
            "fault": _faults("worker nonsense"),
            "seed": SEED,
        },
    ),
    Kind(
        name="disturbed:match", run=match, seconds=3.5,
        options={
            "game": One(("piggles_classic", "piggles_modern", "piggy_six", "piggyback")),
            "fault": _faults("worker dies", "worker nonsense", "kill-parent", "kill-worker"),
            "seed": SEED,
        },
    ),
)  # fmt: skip
