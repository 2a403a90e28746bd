"""Does it help to begin, and which of two agents is better, under your house rules?

`python does_going_first_matter.py 500` lets two agents play 500 pairs of matches under each set of
rules; a pair has the same dice and swapped seats. Rolls are by measured odds.
"""

import sys
from collections.abc import Mapping

import pigglesim
from pigglesim import Share

RULES: Mapping[str, Mapping[str, object]] = {
    "as printed": {},
    "sides take turns to begin": {"alternate_start": True},
    "no wait in the Mud": {"mud_delay": "none"},
}
AGENTS = ("greedy", "threshold:2")


def verdict(share: Share) -> str:
    """Return whether a share of the points is above or below one half, by its interval."""
    if share.low <= 0.5 <= share.high:
        return "no difference shown"
    return "more" if share.low > 0.5 else "less"


def main(words: list[str]) -> None:
    """Play the given number of pairs, by default 100."""
    pairs = int(words[0]) if words else 100
    for name, rules in RULES.items():
        cup = pigglesim.tournament(AGENTS, pairs=pairs, house_rules=rules, seed=1)
        best = cup.agents[0]
        print(f"{name}, {len(cup.pairs):,} pairs:")
        print(f"  seat A wins {cup.seat_a} of the points: {verdict(cup.seat_a)}")
        print(f"  {best.name} wins {best.share}: {verdict(best.share)}")


if __name__ == "__main__":
    main(sys.argv[1:])
