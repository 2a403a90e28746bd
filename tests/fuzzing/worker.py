"""One target fuzzed in a process of its own, guided by which branches of its reader are reached.

`python -m tests.fuzzing.worker TARGET FOLDER INPUTS SECONDS SEED`; what came of it is written to
`FOLDER/report.json`, and what is being fed to `FOLDER/now`, for whoever finds this process dead.
"""

import faulthandler
import gc
import json
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from mmap import mmap
from pathlib import Path
from pkgutil import walk_packages
from typing import NoReturn

import atheris
from atheris.import_hook import HookManager

import pigglesim
from tests.fuzzing import registry
from tests.fuzzing.corpus import inputs_of, store
from tests.fuzzing.mutation import Mutator
from tests.fuzzing.target import CPU_LIMIT, Feed, fault_in

MEMORY = 1024**3
"""Bytes that reading may take beyond what the process had when it began."""
NOW_SIZE = 1024 * 1024
_EVERY = 500
"""Inputs between two looks at the clock."""


class TooSlowError(BaseException):
    """An input that is still being read after all the processor time that it may cost.

    No `Exception`: a reader that catches everything must not catch this.
    """


@dataclass(slots=True, kw_only=True)
class Report:
    """What came of fuzzing a target."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    """On the clock, of feeding."""
    accepted: int = 0
    """Inputs that were sound, or sound enough."""
    findings: dict[str, str] = field(default_factory=dict)
    """By what and where it was, the file in the folder that made it so, the shortest of all."""
    slowest_ms: float = 0.0
    """Processor time of the slowest input."""
    memory_mb: float = 0.0
    """Most memory of the process at any time."""
    start_mb: float = 0.0
    """The same before the first input."""
    ended: str = ""
    """Empty where it came to its end; else how the process died."""


class _Run:
    """Feeds inputs, times them and keeps what went wrong."""

    def __init__(self, feed: Feed, report: Report, folder: Path, *, inputs: int, seconds: float):
        self._feed, self._report, self._folder = feed, report, folder
        self._inputs, self._seconds = inputs, seconds
        self._stopped = False
        self._started = time.monotonic()
        self._findings = folder / "findings"
        self._findings.mkdir(exist_ok=True)
        (folder / "now").write_bytes(bytes(NOW_SIZE))
        with (folder / "now").open("r+b") as file:
            self._now = mmap(file.fileno(), NOW_SIZE)
        signal.signal(signal.SIGPROF, _too_slow)
        signal.signal(signal.SIGINT, self._stop)

    def take(self, data: bytes) -> None:
        """Feed one input."""
        report = self._report
        self._now[:8] = len(data).to_bytes(8, "little")
        self._now[8 : 8 + len(data)] = data
        started = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, CPU_LIMIT)
        try:
            self._feed(data)
            report.accepted += 1
        except BaseException as error:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            if told := fault_in(error):
                self._keep(f"{told} {_place(error)}", data)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        report.slowest_ms = max(report.slowest_ms, 1e3 * (time.process_time() - started))
        report.inputs += 1
        if report.inputs % _EVERY == 0 or report.inputs >= self._inputs or self._stopped:
            self._look()

    def _keep(self, key: str, data: bytes) -> None:
        """Keep the shortest input for each fault."""
        kept = self._report.findings.get(key)
        if kept is None or len(data) < (self._findings / kept).stat().st_size:
            (path,) = store(self._findings, [data])
            self._report.findings[key] = path.name
            self._write()

    def _stop(self, _signal: int, _frame: object) -> None:
        self._stopped = True

    def _look(self) -> None:
        self._report.seconds = time.monotonic() - self._started
        self._write()
        over = self._report.inputs >= self._inputs or self._report.seconds >= self._seconds
        if over or self._stopped:
            # The fuzzer itself has no way back: it ends with its process.
            sys.stderr.flush()
            os._exit(0)

    def _write(self) -> None:
        self._report.memory_mb = _peak_mb()
        (self._folder / "report.json").write_text(json.dumps(asdict(self._report)))


def _too_slow(_signal: int, _frame: object) -> NoReturn:
    raise TooSlowError


def _peak_mb() -> float:
    # Not ru_maxrss, which a process inherits from the one that began it.
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _place(error: BaseException) -> str:
    """Return the last line of ours that an error passed: faults of one place are one finding."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "pigglesim/" in frame.filename or "fuzzing/targets" in frame.filename
    ]
    return f"at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "at no line"


def _watched(readers: Sequence[str]) -> HookManager:
    """Return what has the branches of some modules counted as they are imported.

    Atheris itself heeds but the first part of a name, and would have every comparison told to the
    fuzzer, which costs a third of the speed: words and numbers that matter are in the mutator.
    """
    modules = {info.name for info in walk_packages(pigglesim.__path__, "pigglesim.")}
    others = {
        module
        for module in modules
        if not any(f"{module}.".startswith(f"{reader}.") for reader in readers)
    }
    return HookManager({"pigglesim"}, others, False, trace_dataflow=False)


def now_fed(folder: Path) -> bytes:
    """Return the input that a process was fed last."""
    data = (folder / "now").read_bytes()
    return data[8 : 8 + int.from_bytes(data[:8], "little")]


def main(name: str, folder: Path, *, inputs: int, seconds: float, seed: int) -> None:
    """Fuzz one target in this process, and end it.

    Args:
        name: Of the target.
        folder: Empty; report, findings and corpus go there.
        inputs: After which it ends.
        seconds: After which it ends too, on the clock.
        seed: Of all that is random here; the clock of libFuzzer's own choices is not.
    """
    faulthandler.enable()
    target = registry.find(name)
    scratch = folder / "scratch"
    scratch.mkdir()
    with _watched(target.readers):
        feed = target.prepare(scratch)
        seeds = inputs_of(target)
        for data in seeds:
            try:
                feed(data)  # what is imported late is imported now, to be watched as well
            except Exception:
                continue
    store(folder / "corpus", seeds)
    report = Report(target=name, start_mb=_peak_mb())
    status = Path("/proc/self/statm").read_text().split()
    limit = int(status[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    run = _Run(feed, report, folder, inputs=inputs, seconds=seconds)
    mutator, whole = Mutator(target, seeds), target.most_bytes

    def change(data: bytes, most: int, step: int) -> bytes:
        rng = random.Random(step)
        size = min(most, whole)
        changed = mutator.change(data, rng, bytewise=lambda was: atheris.Mutate(was, size))
        return changed[:size]

    flags = [
        f"-seed={seed}", f"-max_len={whole}", "-timeout=86400", "-rss_limit_mb=0", "-len_control=0",
        "-handle_segv=0", "-handle_int=0", f"-artifact_prefix={folder}/",
    ]  # fmt: skip
    gc.collect()
    gc.freeze()  # what stays need not be looked through again
    atheris.Setup([sys.argv[0], *flags, str(folder / "corpus")], run.take, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(
        sys.argv[1],
        Path(sys.argv[2]),
        inputs=int(sys.argv[3]),
        seconds=float(sys.argv[4]),
        seed=int(sys.argv[5]),
    )
