"""What is a house rule worth? Ten points more for a cup of six that all lie alike.

`python odds_of_a_house_rule.py 2000` pours 2,000 cups. It prints how often that happens, with its
interval, and what the rule adds to a pour.
"""

import sys

import pigglesim
from pigglesim import Interval, Share

BONUS = 10
ALIKE = "count(orientation) = 6 AND count(DISTINCT orientation) = 1"


def worth(often: Share, points: Interval) -> str:
    """Return the points that the rule adds to a pour, and those of a pour without it."""
    low, high = BONUS * often.low, BONUS * often.high
    return f"adds {BONUS * often.value:.2f} [{low:.2f}, {high:.2f}] to a pour of {points} points"


def main(words: list[str]) -> None:
    """Pour the given number of cups, by default 400."""
    throws = int(words[0]) if words else 400
    pours = pigglesim.study("pour", throws=throws, seed=1)
    often, points = pours.probability(ALIKE), pours.mean("sum(points)")
    print(f"six alike: {often} of {often.trials:,} pours ({often.level:.0%} by {often.method})")
    print(worth(often, points))
    for up in range(7):
        event = f"count(*) FILTER (orientation = 'Snout-Up') = {up}"
        print(f"{up} Snout-Up: {pours.probability(event)}")


if __name__ == "__main__":
    main(sys.argv[1:])
