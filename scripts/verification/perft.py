"""Print the table of perft counts in docs/games/index.md, as deep as 300,000 leaves.

.venv/bin/python -m scripts.verification.perft
"""

from pigglesim.games.perft import perft
from pigglesim.games.registry import make_game

GAMES = (
    ("piggles_classic", {}),
    ("piggles_classic", {"off_board": "reroll"}),
    ("piggles_modern", {}),
    ("piggles_modern", {"actors": "all_own_up"}),
    ("piggy_six", {}),
    ("piggy_six", {"three_dice": "on"}),
    ("piggyback", {}),
    ("piggyback", {"start": "red"}),
    ("pig_pile", {}),
    ("pig_pile", {"advanced_deal": "on"}),
    ("lord_of_the_pigs", {}),
    ("lord_of_the_pigs", {"events": "off"}),
)
MOST = 300_000
DEEPEST = 14


def counts(game):
    """Return the counts of depths from 1 to the last that is not too large."""
    found = []
    for depth in range(1, DEEPEST + 1):
        found.append(perft(game, game.initial_state(), depth))
        if found[-1] * (found[-1] / found[-2] if depth > 1 else 1) > MOST:
            break
    return found


def main():
    """Print the table."""
    for name, rules in GAMES:
        words = " ".join(f"{key}={value}" for key, value in rules.items())
        leaves = ", ".join(map(str, counts(make_game(name, rules))))
        print(f"| `{name}` | {f'`{words}`' if words else 'default'} | {leaves} |", flush=True)


if __name__ == "__main__":
    main()
