"""What is mutated, and by which tests each part is judged."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

_OF_EVERY_GAME = (
    "tests/contracts/test_game_conformance.py",
    "tests/playthroughs/test_playthroughs.py",
    "tests/unit/scenarios/test_scenarios.py",
    "tests/unit/games",
)
_WALKED = (
    "house_rules or validity or longest_games or state_counts or errors or hand_made or broken"
)
"""Tests of `tests/unit/games` that go through every game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A part of the product that is mutated as one, with the tests that judge it."""

    name: str
    kind: str
    """What is summed with it: `rules` or `reading`."""
    sources: tuple[str, ...]
    """Patterns of its files, from the root of the tree."""
    tests: tuple[str, ...]
    """Files and folders of tests, from the root of the tree."""
    keyword: str = ""
    """Which of these tests: an expression of pytest's `-k`; all of them if empty."""


def _game(name: str, word: str) -> Subject:
    return Subject(
        name=name,
        kind="rules",
        sources=(f"pigglesim/games/{name}/*",),
        tests=_OF_EVERY_GAME,
        # Tests of pages run whole programs, in which mutmut has no place.
        keyword=f"({word} or {_WALKED}) and not page",
    )


SUBJECTS = {
    subject.name: subject
    for subject in (
        _game("piggles", "piggles or modern or roll_notation"),
        _game("lord_of_the_pigs", "lord"),
        _game("pig_pile", "pig_pile"),
        _game("piggyback", "piggyback"),
        _game("piggy_six", "piggy_six"),
        Subject(
            name="every game",
            kind="rules",
            sources=("pigglesim/games/*.py", "pigglesim/chance_types.py", "pigglesim/landing.py"),
            tests=("tests/contracts/test_game_conformance.py", "tests/unit/games"),
            keyword=f"{_WALKED} or change or notation or contracts or piggy_six",
        ),
        Subject(
            name="reading",
            kind="reading",
            sources=("pigglesim/reading.py",),
            tests=("tests/unit/reading",),
        ),
    )
}
