"""Fuzz one target with libFuzzer: `python -m tests.fuzzing.fuzz_one TARGET SCRATCH FLAGS`.

The flags are libFuzzer's; its corpus folders come last. Branches of the target's readers guide it.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import walk_packages

import atheris
from atheris.import_hook import HookManager

import pigglesim
from tests.fuzzing.mutation import Mutator
from tests.fuzzing.target import fault_in, find, inputs_of


def _counted(readers: Sequence[str]) -> HookManager:
    """Return the import hook that counts branches of the readers only.

    Atheris itself looks only at the first part of a name. It would also trace every comparison,
    which costs a third of the speed: the mutator knows the words and numbers that matter.
    """
    modules = {info.name for info in walk_packages(pigglesim.__path__, "pigglesim.")}
    others = {
        module
        for module in modules
        if not any(f"{module}.".startswith(f"{reader}.") for reader in readers)
    }
    return HookManager({"pigglesim"}, others, False, trace_dataflow=False)


def main(name: str, scratch: Path, flags: Sequence[str]) -> None:
    """Fuzz a target until libFuzzer ends the process."""
    target = find(name)
    with _counted(target.readers):
        feed = target.prepare(scratch)
        seeds = inputs_of(target)
        for data in seeds:
            try:
                feed(data)  # what the reader imports late is counted too
            except Exception:
                continue
    mutator = Mutator(target, seeds)

    def take(data: bytes) -> None:
        try:
            feed(data)
        except Exception as error:
            if fault := fault_in(error):
                raise AssertionError(fault) from error

    def change(data: bytes, most: int, step: int) -> bytes:
        size = min(most, target.most_bytes)
        rng = random.Random(step)
        return mutator.change(data, rng, bytewise=lambda was: atheris.Mutate(was, size))[:size]

    limits = [f"-max_len={target.most_bytes}", "-timeout=2", "-rss_limit_mb=2048"]
    limits += ["-len_control=0", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *limits, *flags], take, custom_mutator=change)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
