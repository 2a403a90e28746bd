"""Take all fingerprints again under settings of other machines, and write a table.

Run by `scripts/measure_determinism`. Older processors are emulated: numba compiles for them, and
numpy, OpenBLAS and the C library do not use newer instructions. In WebAssembly only those
fingerprints are taken that engine `impulse` makes.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

from scripts.measured_page import markdown_table, write_between

_NUMPY_LATE = "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "once more": {},
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "another hash seed": {"PYTHONHASHSEED": "77"},
    "for this processor": {
        "NUMBA_CPU_NAME": get_host_cpu_name(),
        "NUMBA_CPU_FEATURES": get_host_cpu_features().flatten(),
    },
    "as on Haswell (2013)": {
        "NUMBA_CPU_NAME": "haswell",
        "NUMBA_CPU_FEATURES": "",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Haswell",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ",
    },
    "as on Nehalem (2008)": {
        "NUMBA_CPU_NAME": "nehalem",
        "NUMBA_CPU_FEATURES": "",
        "NPY_DISABLE_CPU_FEATURES": _NUMPY_LATE,
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ,"
        "-AVX2,-AVX,-FMA,-FMA4",
    },
}
"""Environment variables of each run; the first run has none."""
_WEBASSEMBLY = "in WebAssembly"
_BY_IMPULSE = ("throws/impulse/", "studies/", "films/", "matches/physical")
"""Fingerprints that engine `impulse` makes; nothing else runs in WebAssembly."""


def taken(environment: Mapping[str, str], words: list[str]) -> dict[str, str]:
    """Return digest by name, as a process with these settings takes them."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.determinism.fingerprints", "--json", *words],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    # Status 1 says that bits differ from the manifest.
    if done.returncode not in {0, 1}:
        raise SystemExit(done.returncode)
    prints: dict[str, str] = json.loads(done.stdout)["prints"]
    return prints


def in_webassembly(names: Sequence[str]) -> dict[str, str]:
    """Return digest by name, with the kernels of throws in WebAssembly."""
    with TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "scripts.cross_target.build", folder]
        subprocess.run(build, check=True)
        return taken({}, ["--webassembly", folder, "--only", ",".join(names)])


def table_of(plain: Mapping[str, str], others: Mapping[str, Mapping[str, str]]) -> str:
    """Return a table of which digests are the same as the plain ones, and which are others."""
    verdicts = {True: "same", False: "other", None: ""}
    rows = [
        [
            name,
            *(verdicts[each[name] == digest if name in each else None] for each in others.values()),
        ]
        for name, digest in plain.items()
    ]
    return markdown_table(["fingerprint of", *others], rows, align="---")


def main() -> None:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(prog="scripts/measure_determinism", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument("--only", help="which fingerprints, as of `scripts/fingerprint`")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page")
    asked = parser.parse_args()
    words = ["--quick"] if asked.quick else []
    words += ["--only", asked.only] if asked.only else []
    plain, others = taken({}, words), {}
    print(f"{_WEBASSEMBLY} ...", file=sys.stderr, flush=True)
    by_impulse = [name for name in plain if name.startswith(_BY_IMPULSE)]
    if by_impulse:
        others[_WEBASSEMBLY] = in_webassembly(by_impulse)
    for name, environment in SETTINGS.items():
        print(f"{name} ...", file=sys.stderr, flush=True)
        others[name] = taken(environment, words)
    table = table_of(plain, others)
    if asked.write is None:
        print(table)
    else:
        write_between(asked.write, "scripts/measure_determinism", table)


if __name__ == "__main__":
    main()
