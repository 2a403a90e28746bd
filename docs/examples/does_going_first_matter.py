"""Does it help to begin, and which of two agents is better, under the rules of your house?

`python does_going_first_matter.py 500` lets two agents meet in five hundred pairs of matches for
each set of rules, with the same luck and seats swapped. Rolls are by measured odds.
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
    """Return what an interval says of a share of the points, which is one half if all is even."""
    if share.low <= 0.5 <= share.high:
        return "no difference that could be seen"
    return "more" if share.low > 0.5 else "less"


def main(words: list[str]) -> None:
    """Play as many pairs as asked for, or a hundred."""
    pairs = int(words[0]) if words else 100
    for name, rules in RULES.items():
        cup = pigglesim.tournament(AGENTS, pairs=pairs, house_rules=rules, seed=1)
        best = cup.agents[0]
        print(f"{name}, {len(cup.pairs):,} pairs:")
        print(f"  seat A makes {cup.seat_a} of the points: {verdict(cup.seat_a)}")
        print(f"  {best.name} makes {best.share}: {verdict(best.share)}")


if __name__ == "__main__":
    main(sys.argv[1:])
