"""Fuzz one target with libFuzzer: `python -m scripts.trust.fuzzing.fuzz_one TARGET SCRATCH FLAGS`.

The flags are libFuzzer's; its corpus folders come last.
"""

import random
import sys
from contextlib import suppress
from pathlib import Path

import atheris
from atheris.import_hook import HookManager

from scripts.trust.fuzzing import target as fuzzing
from scripts.trust.fuzzing.mutation import Mutator

PACKAGE = Path(__file__).parents[3] / "pigglesim"


def main(name: str, scratch: Path, flags: list[str]) -> None:
    """Fuzz a target until libFuzzer ends the process."""
    # Code that Numba compiles must stay as it is. To trace comparisons too would cost a third of
    # the speed: the mutator knows the words and numbers that matter.
    compiled = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in PACKAGE.rglob("*.py")
        if "jit" in path.read_text()
    }
    with HookManager({"pigglesim"}, compiled, False, trace_dataflow=False):
        target = fuzzing.find(name)
        feed, seeds = target.feed_in(scratch), target.known_inputs()
        for data in seeds:
            with suppress(Exception):
                feed(data)  # branches of late imports count too
    mutator = Mutator(target, seeds)

    def take(data: bytes) -> None:
        try:
            feed(data)
        except Exception as error:
            if fault := fuzzing.fault_in(error):
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
