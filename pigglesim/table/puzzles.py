"""Puzzles: positions from matches of agents with one best action, and their answers in words.

`scripts.puzzles` mines them. The file is JSON lines: a head with a checksum, then a puzzle per
line, in the order of their numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pigglesim.agents.agent import Uniform
from pigglesim.agents.registry import make_agent
from pigglesim.errors import RecordError, SpecError, unknown_name
from pigglesim.games.game import Game, distinct
from pigglesim.games.piggles.areas import Load
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.json_codec import from_json, to_json
from pigglesim.landing import Seat
from pigglesim.match.entries import SCHEMA, Header
from pigglesim.match.runner import MatchEvent, Progress, start_state
from pigglesim.table.hints import advice, reason
from pigglesim.table.puzzle_themes import REASONS, Theme
from pigglesim.table.session import HUMAN, SaveFile, Session
from pigglesim.units import percent
from pigglesim.version import __version__

if TYPE_CHECKING:
    from pigglesim.scene.scene import Scene

FORMAT = 2
"""Version of the file of puzzles: the only one that is read."""
FILE = "puzzles.jsonl"
_OTHERS = "greedy"
"""Agent that plays on for everyone in the games behind the values."""
_SOLVED = ("piggy_six",)
"""Games with exact values; those of other games are from playouts."""
LEVELS = {"easy": 1 / 3, "medium": 2 / 3, "hard": 1.0}
"""Maximum share of the agents that fail, by the word for how hard a puzzle is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An action at a puzzle with its value: the share of the win, from 0 to 1."""

    action: str
    """Action in the notation of the game."""
    value: float
    noise: float = 0.0
    """Half of the 95 % interval; 0 if the value is exact, or if all playouts agreed."""


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """A position with one best action."""

    game: str
    rules: Mapping[str, Any] = field(default_factory=dict)
    """House rules that are not the default."""
    position: str
    """State in the notation of the game."""
    theme: Theme
    options: tuple[Option, ...]
    """Distinct actions, in the order of the game."""
    best: int
    """Number of the best option, from 0."""
    margin: float
    """Smallest loss of another action, as a share of the win."""
    noise: float = 0.0
    """Half of the 95 % interval of the margin; 0 if the values are exact."""
    fails: tuple[str, ...]
    """Agents that choose another action."""
    asked: int
    """Number of agents that were asked."""

    @property
    def exact(self) -> bool:
        """True if the values are exact."""
        return self.game in _SOLVED

    @property
    def level(self) -> str:
        """How hard it is, in a word: by the share of the agents that fail."""
        share = len(self.fails) / self.asked
        return next(word for word, bound in LEVELS.items() if share <= bound)

    @property
    def rating(self) -> str:
        """How many agents fail, in words."""
        count, names = len(self.fails), ", ".join(self.fails)
        fail = "agents fails" if count == 1 else "agents fail"
        return f"{self.level}: {count} of {self.asked} {fail} ({names})"

    @cached_property
    def played(self) -> Game[Any, Any]:
        """The rules of its game."""
        return make_game(self.game, self.rules)

    @cached_property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game)
        """The position, checked by the rules."""
        return start_state(self.played, self.position)

    @property
    def seat(self) -> Seat:
        """Player to move."""
        return Seat(self.played.turn(self.state))

    def option_of(self, action: object) -> int:
        """Return the number of the option that is equivalent to an action.

        Raises:
            SpecError: If there is none.
        """
        game = self.played
        if isinstance(action, Load):
            # How the cup is held is no part of a puzzle.
            action = Load(action.piggles)
        for number, option in enumerate(self.options):
            pair = [game.parse_action(option.action), action]
            if pair[0] == action or len(distinct(game, pair)) == 1:
                return number
        text = game.format_action(action)
        raise SpecError(f"{text!r} is not an action of this puzzle", fix="choose one of the list")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mined:
    """Matches of a game in which puzzles were sought."""

    matches: int = 0
    looked: int = 0
    """Decisions looked at."""
    tested: int = 0
    """Decisions whose best action was tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """First line of the file."""

    format: int
    puzzles: int
    sha256: str
    """Checksum of all other lines."""
    mined: Mapping[str, Mined]
    """What was mined, by game."""


def format_puzzles(puzzles: Sequence[Puzzle], mined: Mapping[str, Mined]) -> str:
    """Return the text of a file of puzzles, and of what was mined for them by game."""
    lines = "".join(f"{to_json(puzzle)}\n" for puzzle in puzzles)
    digest = sha256(lines.encode()).hexdigest()
    head = _Head(format=FORMAT, puzzles=len(puzzles), sha256=digest, mined=mined)
    return f"{to_json(head)}\n{lines}"


def parse_puzzles(text: str) -> tuple[tuple[Puzzle, ...], Mapping[str, Mined]]:
    """Return the puzzles of a file, and what was mined for them by game.

    Raises:
        RecordError: If it was changed or cut, or is of another version.
    """
    first, _, rest = text.partition("\n")
    fix = "install pigglesim again, or delete it and run python -m scripts.puzzles build/puzzles"
    try:
        head = from_json(_Head, first)
        if head.format != FORMAT:
            raise RecordError(f"format {head.format}", expected=str(FORMAT), fix=fix)
        if sha256(rest.encode()).hexdigest() != head.sha256:
            raise RecordError("the puzzles do not match their checksum", fix=fix)
        puzzles = tuple(from_json(Puzzle, line) for line in rest.splitlines())
    except RecordError as error:
        raise error.converted(RecordError, where=FILE, fix=fix) from None
    if len(puzzles) != head.puzzles or not puzzles:
        raise RecordError(f"{FILE}: {len(puzzles)} puzzles, not {head.puzzles}", fix=fix)
    return puzzles, head.mined


@cache
def all_puzzles() -> tuple[Puzzle, ...]:
    """Return the puzzles that come with pigglesim, in the order of their numbers."""
    file = resources.files(__package__) / FILE
    return parse_puzzles(file.read_text(encoding="utf-8"))[0]


def puzzle_numbers(game: str | None = None, theme: str | None = None) -> list[int]:
    """Return the numbers, from 1, of the puzzles of a game, of a theme, or of all.

    Raises:
        SpecError: If the name is unknown, or there is no such puzzle.
    """
    themes = {each.theme for each in all_puzzles()}
    if game is not None and game not in game_names():
        raise unknown_name("game", game, game_names())
    if theme is not None and theme not in themes:
        raise unknown_name("theme", theme, sorted(themes))
    numbers = [
        number
        for number, each in enumerate(all_puzzles(), start=1)
        if game in {None, each.game} and theme in {None, each.theme}
    ]
    if not numbers:
        raise SpecError(f"no puzzle of {game} with the theme {theme!r}", fix="leave one out")
    return numbers


def number_of_day(day: date, numbers: Sequence[int] | None = None) -> int:
    """Return the number of the puzzle of a day, of all or of some."""
    numbers = puzzle_numbers() if numbers is None else numbers
    return numbers[day.toordinal() % len(numbers)]


def puzzle_of(number: int, puzzles: Sequence[Puzzle] | None = None) -> Puzzle:
    """Return a puzzle by its number, from 1, of those that come with pigglesim or of others.

    Raises:
        SpecError: If there is no such number.
    """
    puzzles = all_puzzles() if puzzles is None else puzzles
    if not 1 <= number <= len(puzzles):
        expected = f"1 to {len(puzzles)}"
        raise SpecError(f"no puzzle {number}", expected=expected, fix="use another number")
    return puzzles[number - 1]


class PuzzleSession(Session):
    """A puzzle as a match that ends with the first decision: nothing is rolled or saved.

    Args:
        number: Number of the puzzle.
        scene: Table on which Piggles lie; None to describe them in words.
        teams: Model of each Piggle, by id.
        puzzles: All puzzles; None for those that come with pigglesim.
    """

    is_puzzle = True
    toggles = None

    def __init__(
        self,
        number: int,
        *,
        scene: "Scene | None" = None,
        teams: Mapping[str, str] = MappingProxyType({}),
        puzzles: Sequence[Puzzle] | None = None,
    ) -> None:
        self.number, self.puzzle = number, puzzle_of(number, puzzles)
        self._count = len(all_puzzles() if puzzles is None else puzzles)
        puzzle, mover = self.puzzle, self.puzzle.seat
        game: Any = puzzle.played
        super().__init__(
            game,
            header=Header(
                schema=SCHEMA,
                version=__version__,
                game=game.name,
                house_rules=game.settings(),
                seed=0,
                agents={seat: HUMAN if seat is mover else _OTHERS for seat in game.seats},
                teams=teams,
                chance={"source": find(game.name).chances[-1]},
                position=puzzle.position,
            ),
            # The others decide nothing, but the values are of their play as `greedy`.
            agents={seat: None if seat is mover else Uniform(name=_OTHERS) for seat in game.seats},
            saves=SaveFile(Path("puzzle")),
            scene=scene,
        )

    def _go_to(self, progress: Progress[Any]) -> None:
        self._show(progress)

    @property
    def over(self) -> bool:
        """True once the person has decided."""
        return bool(self.events)

    @property
    def title(self) -> str:
        """Number of the puzzle, and its game."""
        return f"Puzzle {self.number} of {self._count} · {super().title}"

    @property
    def choices(self) -> list[Any]:
        """Distinct actions, in the order of the options; none once the person has decided."""
        parse = self.game.parse_action
        return [] if self.over else [parse(option.action) for option in self.puzzle.options]

    @property
    def question(self) -> str:
        """Question in one sentence."""
        puzzle: Puzzle = self.puzzle
        game: Any = self.game
        changed = game.rules.to_text(changed_only=True) if puzzle.rules else ""
        under = f" House rules: {changed}." if changed else ""
        name = self.view.names[puzzle.seat]
        return f"{name}: which of {len(puzzle.options)} actions is best?{under}"

    def play(self, event: MatchEvent[Any]) -> MatchEvent[Any]:
        """Add the decision, if it is one of the options; the table stays as it is."""
        self.puzzle.option_of(event.action)
        return super().play(replace(event, after=event.before))

    def document(self) -> dict[str, Any]:
        """Return the puzzle as JSON values for a page; with its answer once one is given."""
        return {
            "number": self.number,
            "of": self._count,
            "today": number_of_day(date.today(), range(1, self._count + 1)),
            "day": date.today().toordinal(),
            "question": self.question,
            "answer": self.answer().document() if self.over else None,
        }

    def option_text(self, number: int) -> str:
        """Return an option in plain words."""
        action = self.game.parse_action(self.puzzle.options[number].action)
        return self.view.action_text(self.puzzle.state, action)

    @property
    def why(self) -> str:
        """Reason of the agent `greedy` for the best action, if it has one and finds it too."""
        puzzle, game = self.puzzle, self.puzzle.played
        if _OTHERS in puzzle.fails:
            return ""
        best = game.parse_action(puzzle.options[puzzle.best].action)
        observed = game.observe(puzzle.state, puzzle.seat)
        return reason(make_agent(_OTHERS, game=game), observed, best)

    def answer(self, chosen: int | None = None) -> "Answer":
        """Return the answer, for a person who has chosen an option or none.

        Without `chosen` it is the option of the decision that was played, if any.
        """
        if chosen is None and self.events:
            chosen = self.puzzle.option_of(self.events[0].action)
        return Answer(self, chosen)


class Answer:
    """The answer to a puzzle in words, as a review explains a decision."""

    def __init__(self, session: PuzzleSession, chosen: int | None) -> None:
        self._session, self.chosen = session, chosen
        self.puzzle = session.puzzle

    @property
    def right(self) -> bool:
        """True if the best action was chosen."""
        return self.chosen == self.puzzle.best

    @property
    def verdict(self) -> str:
        """Which action is best, how much it wins, and why, in a sentence."""
        puzzle = self.puzzle
        best = puzzle.options[puzzle.best]
        text = self._session.option_text(puzzle.best)
        if self.chosen is None or self.right:
            head = "Right" if self.right else "The best action"
            return f"{head}: {text}. It wins {self._share(puzzle.best)}: {REASONS[puzzle.theme]}."
        instead = puzzle.options[self.chosen]
        sentence = advice(text, best.value, instead.value, REASONS[puzzle.theme])
        return f"{sentence[0].upper()}{sentence[1:]}."

    def _share(self, number: int) -> str:
        """Return the value of an option in percent, such as `37 % ± 1` or `44.41 %`."""
        option = self.puzzle.options[number]
        if self.puzzle.exact:
            return percent(option.value, places=2)
        text = percent(option.value, places=0)
        # Playouts that all agree do not show how far from it the value may be.
        return f"{text} ± {100.0 * option.noise:.0f}" if option.noise else f"about {text}"

    @property
    def source(self) -> str:
        """Margin, theme and rating, in a line."""
        puzzle = self.puzzle
        least = percent(puzzle.margin, places=2 if puzzle.exact else 0)
        noise = "" if puzzle.exact else f" ± {100.0 * puzzle.noise:.0f}"
        alike = "" if puzzle.exact else "Differences are surer than values: they share their luck. "
        return (
            f"Theme: {puzzle.theme}. Every other action loses at least {least}{noise}. {alike}"
            f"{puzzle.rating[0].upper()}{puzzle.rating[1:]}."
        )

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Each option in words, its value, and a note, the best first."""
        notes = {self.chosen: "yours", self.puzzle.best: "best"}
        if self.right:
            notes[self.puzzle.best] = "best, yours"
        options = self.puzzle.options
        order = sorted(range(len(options)), key=lambda number: -options[number].value)
        return [
            (self._session.option_text(number), self._share(number), notes.get(number, ""))
            for number in order
        ]

    def document(self) -> dict[str, Any]:
        """Return the answer as JSON values."""
        return {
            "right": self.right, "verdict": self.verdict, "why": self._session.why,
            "source": self.source, "rows": [list(row) for row in self.rows],
        }  # fmt: skip
