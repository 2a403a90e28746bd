"""A board of Piggyback on which tests play by hand."""

from collections import Counter

from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Concede
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import PiggybackState

PLAIN = Piggyback()
ALL = Counter(dict.fromkeys("goym", 4))
SMALL = {
    "size": 5,
    "red": ["a1", "b1", "c1", "d1", "e1", "a2"],
    "blue": ["a5", "b5", "c5", "d5", "e5", "e4"],
    "green": ["a3", "e3"],
    "orange": ["b3", "d3"],
    "yellow": ["b2", "d4"],
    "mauve": ["d2", "b4"],
}


def table(**settings: object) -> Piggyback:
    return Piggyback.from_settings(settings)


def place(a: str, b: str, pieces: str = "", bank: str = "") -> PiggybackState:
    """Return a position whose other abilities are all out of the game; red is to move."""
    seen = Counter(letter for word in f"{a},{b},{pieces}".split(",") for letter in word[3:])
    left = ALL - seen - Counter(bank)
    gone = "".join(letter * left[letter] for letter in "goym")
    words = {"pieces": pieces, "bank": bank, "discarded": gone}
    text = " ".join(f"{name}={value}" for name, value in words.items() if value)
    sides = f"a={_sorted(a)} b={_sorted(b)}"
    return PLAIN.parse_state(f"phase=move active=A ply=0 {sides} {text}")


def _sorted(stacks: str) -> str:
    return ",".join(sorted(stacks.split(","), key=lambda word: (word[1], word[0])))


def play(game: Piggyback, state: PiggybackState, *moves: str | int) -> PiggybackState:
    """Return the position after actions, as text, and rolls, as numbers."""
    for move in moves:
        if isinstance(move, int):
            state = game.apply_outcome(state, DiceResult(faces=(move,)))
        else:
            state = game.apply_action(state, game.parse_action(move))
    return state


def legal(game: Piggyback, state: PiggybackState) -> list[str]:
    return [
        game.format_action(action)
        for action in game.legal_actions(state)
        if not isinstance(action, Concede)
    ]


def shown(state: PiggybackState) -> dict[str, str]:
    return dict(word.split("=") for word in PLAIN.format_state(state).split())
