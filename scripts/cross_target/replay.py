"""Replays throws of engine `impulse` on other instruction sets, and counts the bytes that differ.

Run by `scripts/replay`. Calls of the native kernels are recorded in drops and whole pours, with
knocks. The same calls are then made in WebAssembly (wasmtime, node, Chromium) and on 64-bit ARM, by
the emulator of qemu-user. The memory after each call is compared to the last byte.
"""

import argparse
import base64
import json
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pigglesim.physics.impulse.webassembly import MANIFEST, MODULE, Call, Word
from scripts.cross_target.build import manifest_of, wasm_module
from scripts.cross_target.intermediate import AARCH64, Intermediate
from scripts.cross_target.memory import WebAssembly, kernels_replaced
from scripts.determinism.samples import drops, pours
from tests.support.browser import Browser

# ruff: noqa: ANN401 (values of kernels may be anything)

REPLAYER = Path(__file__).with_name("replay.mjs")
_ARM_START = 1 << 32
"""Where the emulated program has the memory of calls."""


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """A call of a native kernel, and the memory before and after it."""

    kernel: str
    words: list[Word]
    start: int
    before: bytes
    after: bytes

    def as_json(self) -> dict[str, Any]:
        """Return what `replay.mjs` reads."""
        return {
            "kernel": self.kernel,
            "start": self.start,
            "words": [(kind, str(value)) for kind, value in self.words],
            "image": base64.b64encode(self.before).decode(),
            "after": base64.b64encode(self.after).decode(),
        }


@dataclass(kw_only=True)
class Recorder:
    """Records calls of the native kernels while `recording`."""

    kernels: Mapping[str, Sequence[Mapping[str, Any]]]
    """Arguments of each kernel, from the manifest."""
    start: int
    address: str = "i32"
    calls: list[RecordedCall] = field(default_factory=list)
    time: float = 0.0
    """Time of the native kernels [s]."""

    def recording(self) -> AbstractContextManager[None]:
        """Record what engine `impulse` does meanwhile."""
        return kernels_replaced(
            self.kernels, lambda name, kernel: partial(self._call, name, kernel)
        )

    def _call(self, name: str, kernel: Callable[..., Any], *values: Any) -> Any:
        arguments = self.kernels[name]
        call = Call.of(name, values, arguments=arguments, start=self.start, address=self.address)
        before, begin = call.image(), time.perf_counter()
        result = kernel(*values)
        self.time += time.perf_counter() - begin
        # The result is written to the first address.
        after = bytes([bool(result)]) + call.image()[1:]
        self.calls.append(
            RecordedCall(
                kernel=name, words=call.words, start=self.start, before=before, after=after
            )
        )
        return result


def record(
    manifest: Mapping[str, Any],
    *,
    drop_count: int,
    pour_count: int,
    start: int | None = None,
    address: str = "i32",
) -> Recorder:
    """Return the calls of drops of two dice, and of pours with knocks."""
    start = manifest["free_from"] if start is None else start
    recorder = Recorder(kernels=manifest["kernels"], start=start, address=address)
    for _ in (*drops("impulse", 1), *pours("impulse", 1)):
        pass  # loaded, or compiled, before anything is timed
    with recorder.recording():
        for _ in drops("impulse", drop_count):
            pass
        for _ in pours("impulse", pour_count):
            pass
    return recorder


@dataclass(frozen=True, kw_only=True)
class Replayed:
    """What became of recorded calls elsewhere."""

    calls: int
    differing: int
    """Bytes that differ."""
    time: float
    """Time of the kernels [s]."""

    def __str__(self) -> str:
        return f"{self.calls:6,} calls  {self.differing:6,} bytes differ  {self.time:8.2f} s"


def in_wasmtime(folder: Path, calls: Sequence[RecordedCall]) -> Replayed:
    """Replay calls in this process."""
    module, spent, differing = WebAssembly(folder), 0.0, 0
    for call in calls:
        after, took = module.replay(call.kernel, call.words, call.start, call.before)
        differing += sum(map(int.__ne__, after, call.after)) if after != call.after else 0
        spent += took
    return Replayed(calls=len(calls), differing=differing, time=spent)


def as_json(folder: Path, calls: Sequence[RecordedCall]) -> str:
    """Return a module and calls for `replay.mjs`."""
    manifest = json.loads((folder / MANIFEST).read_text())
    return json.dumps(
        {
            "module": base64.b64encode((folder / MODULE).read_bytes()).decode(),
            "free_from": manifest["free_from"],
            "calls": [call.as_json() for call in calls],
        }
    )


def in_node(folder: Path, calls: Sequence[RecordedCall]) -> Replayed:
    """Replay calls by node."""
    with TemporaryDirectory() as made:
        recorded = Path(made) / "calls.json"
        recorded.write_text(as_json(folder, calls))
        words = ["node", str(REPLAYER), str(recorded)]
        return told(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def told(text: str) -> Replayed:
    """Return what `replay.mjs` told."""
    found = json.loads(text)
    return Replayed(**found | {"time": found["time"] / 1e3})


def in_chromium(folder: Path, calls: Sequence[RecordedCall]) -> Replayed:
    """Replay calls in a page of Chromium."""
    script = REPLAYER.read_text().replace("export ", "").partition("if (typeof process")[0]
    with TemporaryDirectory() as made, Browser(size=(400, 300)) as page:
        path = Path(made) / "replay.html"
        path.write_text(
            f"<!doctype html><script>{script}</script>"
            f"<script>const recorded = {as_json(folder, calls)}; let found = '';"
            "replayAll(recorded).then((all) => { found = JSON.stringify(all); });</script>"
        )
        page.open(path, until="found")
        return told(page.run("found"))


class Arm:
    """The kernels as a program for 64-bit ARM, which an emulator runs."""

    compiler, emulator = "aarch64-linux-gnu-gcc", "qemu-aarch64"

    def __init__(self, code: Intermediate) -> None:
        self._code = code

    @classmethod
    def missing(cls) -> str:
        """Return the program that is missing here; empty if none is."""
        return next((each for each in (cls.compiler, cls.emulator) if not shutil.which(each)), "")

    @cached_property
    def _object(self) -> bytes:
        return self._code.object_for(AARCH64)

    def replay(self, calls: Sequence[RecordedCall]) -> Replayed:
        """Replay calls in the emulator."""
        first = {call.kernel: call for call in calls}
        with TemporaryDirectory() as made:
            folder = Path(made)
            (folder / "kernels.o").write_bytes(self._object)
            (folder / "main.c").write_text(_program(first))
            program = folder / "replay"
            words = [self.compiler, "-O1", "-static", "-o", str(program)]
            words += [str(folder / "main.c"), str(folder / "kernels.o"), "-lm"]
            subprocess.run(words, check=True)
            with (folder / "calls").open("wb") as file:
                for call in calls:
                    file.write(
                        struct.pack(
                            "<QQQ",
                            list(first).index(call.kernel),
                            len(call.words),
                            len(call.before),
                        )
                    )
                    file.writelines(_word(*word) for word in call.words)
                    file.write(call.before)
                    file.write(call.after)
            words = [self.emulator, str(program), str(folder / "calls")]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
        count, differing, seconds = done.stdout.split()
        return Replayed(calls=int(count), differing=int(differing), time=float(seconds))


def _word(kind: str, value: float) -> bytes:
    return struct.pack("<d" if kind == "f64" else "<q", value)


_TYPES = {"f64": "double", "i64": "long long", "i1": "unsigned char"}


def _program(calls: Mapping[str, RecordedCall]) -> str:
    """Return a C program that makes recorded calls and compares the memory after each."""
    declared, cases = [], []
    for number, (kernel, call) in enumerate(calls.items()):
        kinds = [_TYPES[kind] for kind, _ in call.words]
        declared.append(f"int {kernel}({', '.join(kinds)});")
        given = [
            f"w[{k}].{'d' if kind == 'f64' else 'i'}" for k, (kind, _) in enumerate(call.words)
        ]
        cases.append(f"case {number}: status = {kernel}({', '.join(given)}); break;")
    return f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
typedef union {{ double d; long long i; }} word;
{chr(10).join(declared)}
int main(int count, char **words) {{
  FILE *file = fopen(words[1], "rb");
  unsigned long long head[3], calls = 0, differing = 0;
  double seconds = 0.0;
  while (fread(head, sizeof head, 1, file) == 1) {{
    word w[1024];
    size_t size = head[2];
    unsigned char *memory = mmap((void *){_ARM_START}ULL, size, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    unsigned char *after = malloc(size);
    if (memory == MAP_FAILED || head[1] > 1024 || fread(w, 8, head[1], file) != head[1]
        || fread(memory, 1, size, file) != size || fread(after, 1, size, file) != size) return 2;
    int status = 1;
    clock_t begin = clock();
    switch (head[0]) {{ {" ".join(cases)} }}
    seconds += (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (status) return 3;
    for (size_t k = 0; k < size; k++) differing += memory[k] != after[k];
    calls++;
    free(after);
    munmap(memory, size);
  }}
  printf("%llu %llu %f\\n", calls, differing, seconds);
}}
"""


def main() -> int:
    """Replay throws everywhere that this machine can, and print a table."""
    parser = argparse.ArgumentParser(prog="scripts/replay", description=__doc__)
    parser.add_argument("--drops", type=int, default=1000, help="drops of each of two dice")
    parser.add_argument("--pours", type=int, default=20, help="pours of six Piggles")
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    counts = {"drop_count": asked.drops, "pour_count": asked.pours}
    print("compiling the kernels ...", file=sys.stderr)
    code = Intermediate()
    found: dict[str, Replayed | str] = {}
    with TemporaryDirectory() as made:
        folder = Path(made)
        module = wasm_module(code)
        manifest = manifest_of(code, module)
        (folder / MODULE).write_bytes(module)
        (folder / MANIFEST).write_text(json.dumps(manifest))
        native = record(manifest, **counts)
        for name, program, replay in (
            ("WebAssembly, wasmtime", None, in_wasmtime),
            ("WebAssembly, node", "node", in_node),
            ("WebAssembly, Chromium", "chromium", in_chromium),
        ):
            print(f"{name} ...", file=sys.stderr)
            there = program is None or shutil.which(program)
            found[name] = replay(folder, native.calls) if there else f"no {program} here"
    print("ARM64 ...", file=sys.stderr)
    arm, missing = Arm(code), Arm.missing()
    if missing:
        found["ARM64, qemu-user"] = f"no {missing} here (Debian: qemu-user, gcc-aarch64-linux-gnu)"
    else:
        laid_out = record(manifest, **counts, start=_ARM_START, address="i64")
        found["ARM64, qemu-user"] = arm.replay(laid_out.calls)
    rows = {"native": Replayed(calls=len(native.calls), differing=0, time=native.time), **found}
    if asked.json:
        print(json.dumps(rows, default=vars, indent=1))
    else:
        print(f"{asked.drops:,} drops of two dice, {asked.pours:,} pours")
        for name, row in rows.items():
            print(f"{name:24}{row}")
    return int(any(isinstance(row, Replayed) and row.differing for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
