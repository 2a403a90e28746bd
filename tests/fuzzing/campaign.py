"""The command: fuzz targets one after another, shrink what breaks them, tell of it in a table."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from pigglesim.errors import PigglesimError
from tests.fuzzing import registry
from tests.fuzzing.corpus import FOLDER, FOUND, kept, store
from tests.fuzzing.page import written_page
from tests.fuzzing.shrinking import corpus_of, shrunk
from tests.fuzzing.target import Target, scratch_folder
from tests.fuzzing.worker import NOW_SIZE, Report, now_fed

PATIENCE = 60.0
"""Time [s] on the clock without a new input after which a reader hangs where no signal reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one target, for the table."""

    report: Report
    corpus: int
    """Inputs that reach all that was reached."""
    edges: int
    """Branches of the reader that were taken at least once."""
    features: int
    """Those with how often they were taken, in powers of two."""

    @property
    def rate(self) -> float:
        """Inputs a second."""
        return self.report.inputs / max(self.report.seconds, 1e-9)


def fuzz(target: Target, *, inputs: int | None, seconds: float, seed: int, keep: bool) -> Outcome:
    """Fuzz one target in a process of its own and return what came of it.

    Args:
        target: The reader.
        inputs: To feed, unless the time is over before; as many as the target wants if None.
        seconds: On the clock.
        seed: Of all that is random.
        keep: Whether the corpus and the findings in the tests are to be written anew.
    """
    name = target.name
    with scratch_folder() as place:
        folder = Path(place)
        log = folder / "log"
        command = [sys.executable, "-m", "tests.fuzzing.worker", name, place]
        command += [str(inputs or target.inputs), str(seconds), str(seed)]
        with log.open("wb") as errors:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
            )
            ended = _watched(process, folder)
        report = _report(name, folder, ended, log)
        _shrink(name, folder, report)
        if keep:
            _keep(name, folder, report)
        told = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", log.read_text(errors="replace"))
        edges, features, corpus = map(int, told[-1]) if told else (0, 0, 0)
        return Outcome(report=report, corpus=corpus, edges=edges, features=features)


def _watched(process: subprocess.Popen[bytes], folder: Path) -> str:
    """Wait for a process and return how it died, if it did; one that hangs is ended."""
    last, since = b"", time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        now = (folder / "now").read_bytes()[:4096] if (folder / "now").exists() else b""
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            process.kill()
            process.wait()
            return "it hung where no signal reached it"
    code = process.returncode
    return "" if code == 0 else f"its process died with {code}"


def _report(name: str, folder: Path, ended: str, log: Path) -> Report:
    file = folder / "report.json"
    report = Report(**json.loads(file.read_text())) if file.exists() else Report(target=name)
    if ended and (folder / "now").exists() and (folder / "now").stat().st_size == NOW_SIZE:
        (folder / "findings").mkdir(exist_ok=True)
        (path,) = store(folder / "findings", [now_fed(folder)])
        report.findings[f"{ended}: {_last_words(log)}"] = path.name
    elif ended:
        raise RuntimeError(f"{name}: {ended} before it was fed: {_last_words(log)}")
    report.ended = ended
    return report


def _last_words(log: Path) -> str:
    """Return what a process wrote last, but for the progress of the fuzzer."""
    lines = log.read_text(errors="replace").splitlines()
    return " / ".join([line for line in lines if line and line[0] not in "#I"][-12:])[-1500:]


def _shrink(name: str, folder: Path, report: Report) -> None:
    """Make every finding as short as it goes in a few seconds, in a process of its own."""
    for key, file in list(report.findings.items()):
        if report.ended and key.startswith(report.ended):
            continue  # it would end whoever tries
        data = shrunk(name, (folder / "findings" / file).read_bytes(), key)
        (path,) = store(folder / "findings", [data])
        report.findings[key] = path.name


def _keep(name: str, folder: Path, report: Report) -> None:
    """Write corpus and findings of a target into the tests."""
    few = corpus_of(name, kept(folder, "corpus"))
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    store(FOLDER / name, few)
    findings = [(folder / "findings" / file).read_bytes() for file in report.findings.values()]
    if findings:
        store(FOUND / name, findings)


def _table(outcomes: Sequence[Outcome]) -> Table:
    table = Table(box=None, pad_edge=False)
    for at, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="left" if at == 0 else "right")
    for outcome in outcomes:
        table.add_row(*_cells(outcome))
    return table


_HEADINGS = (
    "target", "inputs", "a second", "accepted", "branches", "features", "corpus", "findings",
    "memory [MB]", "slowest [ms]",
)  # fmt: skip


def _cells(outcome: Outcome) -> list[str]:
    report = outcome.report
    return [
        report.target,
        f"{report.inputs:,}",
        f"{outcome.rate:,.0f}",
        f"{report.accepted:,}",
        f"{outcome.edges:,}",
        f"{outcome.features:,}",
        f"{outcome.corpus:,}",
        f"{len(report.findings):,}",
        f"{report.start_mb:.0f} + {report.memory_mb - report.start_mb:.0f}",
        f"{report.slowest_ms:.0f}",
    ]


def main(
    targets: Annotated[
        list[str] | None, typer.Argument(help="Which readers; all of them if absent.")
    ] = None,
    inputs: Annotated[
        int | None,
        typer.Option(min=1, help="Inputs to feed each; by default 10^6, and 10^5 of what is slow."),
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=1.0, help="Time on the clock after which a target ends.")
    ] = 86_400.0,
    seed: Annotated[int, typer.Option(min=1, help="Of all that is random.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Readers fuzzed at a time.")] = 1,
    keep: Annotated[
        bool, typer.Option("--keep", help="Write corpus and findings into the tests.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option(help="A page of Markdown whose table is to be replaced.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Feed readers of files what strangers might send, and tell which of them it breaks.

    A finding is anything but an error that tells its remedy in one line: a traceback, two seconds
    of processor time, a gigabyte of memory, a crash. Exit status 1 where there is one.

    Examples:

      scripts/fuzz

      scripts/fuzz scene study --inputs 100000

      scripts/fuzz --workers 2 --keep --write docs/trust/fuzzing.md
    """
    console = Console(stderr=True)
    chosen = [registry.find(name) for name in targets or registry.targets()]
    outcomes: list[Outcome] = []
    stopped = Event()
    # The processes that fuzz hear Ctrl-C too, and tell what they have found by then.
    signal.signal(signal.SIGINT, lambda _signal, _frame: stopped.set())

    def one(target: Target) -> Outcome | None:
        if stopped.is_set():
            return None
        return fuzz(target, inputs=inputs, seconds=seconds, seed=seed, keep=keep)

    with ThreadPoolExecutor(workers) as pool:
        for done in as_completed([pool.submit(one, target) for target in chosen]):
            if (outcome := done.result()) is not None:
                outcomes.append(outcome)
                _tell(outcome, console)
                if write is not None:
                    rows = map(_cells, outcomes)
                    write.write_text(written_page(write.read_text(), _HEADINGS, rows))
    names = [target.name for target in chosen]
    outcomes.sort(key=lambda outcome: names.index(outcome.report.target))
    if as_json:
        print(json.dumps([asdict(each) for each in outcomes], indent=1))
    else:
        Console(width=None if sys.stdout.isatty() else 140).print(_table(outcomes))
    raise typer.Exit(1 if any(each.report.findings for each in outcomes) else 0)


def _tell(outcome: Outcome, console: Console) -> None:
    report = outcome.report
    console.print(f"{report.target}: {report.inputs:,} inputs, {outcome.rate:,.0f} a second")
    for key, file in report.findings.items():
        console.print(f"  {key} ({file})", markup=False, soft_wrap=True)


if __name__ == "__main__":
    try:
        typer.run(main)
    except PigglesimError as fault:
        sys.exit(f"fuzz: {fault}")
