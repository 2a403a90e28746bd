"""Subjects of a balance study: seats, colours, runes, Premium Piggles and random teams."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, unique
from functools import cached_property
from itertools import cycle

import numpy as np

from pigglesim.agents.registry import canonical_name
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.tournament import ChanceKind, MatchSeries, expect_once
from pigglesim.games.piggles.state import PEN_SIZE, STANDARD, Piece
from pigglesim.games.registry import find, game_names
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.rng import sub_seed

PREMIUM = "premium"
"""The model that is compared with the plain one."""
DIRECTIONAL = (Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS)
"""Runes that leave the deed to the colour (M4)."""
_PREMIUM_COUNTS = (1, PEN_SIZE)
_CLASSIC = "piggles_classic"


@unique
class Subject(StrEnum):
    """Subject of a comparison."""

    SEATS = "seats"
    """Both have the same team: the value of beginning, and the course of matches."""
    TEAMS = "teams"
    """Two teams of Piggles drawn at random: the value of each kind of Piggle in them."""
    COLOUR = "colour"
    """Six of one colour with directional runes against six without runes."""
    RUNE = "rune"
    """Six of one rune, of any colours, against six without runes."""
    PREMIUM = "premium"
    """Premium Piggles in the place of plain ones."""

    @property
    def repeats(self) -> int:
        """Number of trials for each trial of a comparison of two teams."""
        # Two to each question about Modern: one regression answers for all colours and runes.
        return 8 if self.accounts else 1

    @property
    def matches(self) -> int:
        """Matches of one trial: teams that differ are exchanged, equal ones need not be."""
        return 1 if self is Subject.SEATS else 2

    @property
    def accounts(self) -> bool:
        """True if points of each match are attributed."""
        return self in {Subject.SEATS, Subject.TEAMS}


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancePart:
    """One question of a study."""

    subject: Subject
    level: str = ""
    """Colour, rune or number of Premium Piggles."""

    @property
    def name(self) -> str:
        """The name by which a person asks for it, such as `colour:red`."""
        return f"{self.subject}:{self.level}" if self.level else str(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTeam:
    """Six Piggles: what they wear, and what they are."""

    pieces: tuple[Piece, ...] = STANDARD
    models: tuple[str | None, ...] = (None,) * PEN_SIZE
    """None for the plain model."""


def parse_parts(text: str) -> tuple[str, ...]:
    """Return the names of what a person asks for, such as `seats,colour,rune:left`.

    Raises:
        SpecError: If a subject, a colour, a rune or a count is unknown.
    """
    return tuple(_parse(word.strip()) for word in text.split(",") if word.strip())


def _parse(word: str) -> str:
    subject, colon, level = word.partition(":")
    if subject not in set(Subject):
        raise unknown_name("part of a balance study", subject, Subject)
    if not colon:
        return subject
    match Subject(subject):
        case Subject.COLOUR:
            return f"{subject}:{read_colour(level)}"
        case Subject.RUNE:
            return f"{subject}:{read_rune(level)}"
        case Subject.PREMIUM if level in map(str, _PREMIUM_COUNTS):
            return word
        case Subject.PREMIUM:
            raise SpecError(repr(level), expected="1 or 6 Premium Piggles", fix="premium:6")
        case _:
            raise SpecError(repr(word), expected=f"{subject} without a level", fix=subject)


def parts_of(game: str, asked: tuple[str, ...]) -> tuple[BalancePart, ...]:
    """Return the parts of a study that a game has, in their order; Classic knows no markings.

    `asked` are names as `parse_parts` gives them; all if there is none.
    """
    levels = {
        Subject.SEATS: ("",),
        Subject.TEAMS: ("",),
        Subject.COLOUR: tuple(map(str, Colour)),
        Subject.RUNE: tuple(map(str, Rune)),
        Subject.PREMIUM: tuple(map(str, _PREMIUM_COUNTS)),
    }
    plain = {Subject.SEATS, Subject.PREMIUM}
    every = [
        BalancePart(subject=subject, level=level)
        for subject, own in levels.items()
        for level in own
        if subject in plain or game != _CLASSIC
    ]
    return tuple(
        part for part in every if not asked or part.name in asked or str(part.subject) in asked
    )


def teams_of(part: BalancePart, *, rng: np.random.Generator) -> tuple[TrialTeam, TrialTeam]:
    """Return the team in question and the one that it is compared with.

    All that the question leaves open is drawn for each trial: the result holds for no one team
    alone.
    """
    match part.subject:
        case Subject.SEATS:
            return TrialTeam(), TrialTeam()
        case Subject.TEAMS:
            runes = (None, *Rune)
            return _drawn(tuple(Colour), runes, rng), _drawn(tuple(Colour), runes, rng)
        case Subject.COLOUR:
            own = _drawn((Colour(part.level),), DIRECTIONAL, rng)
        case Subject.RUNE:
            own = _drawn(tuple(Colour), (Rune(part.level),), rng)
        case Subject.PREMIUM:
            chosen = set(rng.permutation(PEN_SIZE)[: int(part.level)].tolist())
            models = tuple(PREMIUM if place in chosen else None for place in range(PEN_SIZE))
            return TrialTeam(models=models), TrialTeam()
    # Without runes they do nothing, but arrows reach none but those of their own colour.
    return own, _drawn(tuple(Colour), (None,), rng)


def _drawn(
    colours: tuple[Colour, ...], runes: tuple[Rune | None, ...], rng: np.random.Generator
) -> TrialTeam:
    of_colours = rng.integers(len(colours), size=PEN_SIZE).tolist()
    of_runes = rng.integers(len(runes), size=PEN_SIZE).tolist()
    return TrialTeam(
        pieces=tuple(
            Piece(colour=colours[one], rune=runes[other])
            for one, other in zip(of_colours, of_runes, strict=True)
        )
    )


_PAIR = 2
_CHANCES = (ChanceKind.TABULAR, ChanceKind.PHYSICAL)
"""Chance sources for the rolls of Piggles."""
_PIGGLES = tuple(name for name in game_names() if ChanceKind.TABULAR in find(name).chances)
"""The games that a study of balance knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One part of a study in one game, played by one agent against itself."""

    game: str
    agent: str
    part: BalancePart


@dataclass(frozen=True, kw_only=True)
class BalanceStudy(MatchSeries):
    """Everything that decides the results of a study, but for the number of trials.

    All cells take turns, so that a study that is stopped is a whole smaller one, and one that is
    done can be made longer. Trials of the same number have the same dice in every cell of a game.
    """

    games: tuple[str, ...] = ("piggles_classic", "piggles_modern")
    agents: tuple[str, ...] = ("greedy",)
    parts: tuple[str, ...] = ()
    """Names of what is asked; all if there is none."""

    def __post_init__(self) -> None:
        names = tuple(canonical_name(name) for name in self.agents)
        object.__setattr__(self, "agents", names)
        object.__setattr__(self, "games", tuple(self.games))
        object.__setattr__(self, "parts", parse_parts(",".join(self.parts)))
        for game in self.games:
            if game not in _PIGGLES:
                raise unknown_name("game of Piggles", game, _PIGGLES)
        for what, found in (("agent", names), ("game", self.games), ("part", self.parts)):
            expect_once(what, found)
        self.check_chance(_CHANCES)
        if not self.cells:
            raise SpecError(
                f"{', '.join(self.parts) or 'all parts'} of {', '.join(self.games)} "
                f"by {', '.join(names) or 'nobody'}",
                expected="an agent, and a part that the game has",
                fix="--game piggles_modern, or --parts seats,premium",
            )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell, in the order in which they take turns."""
        return tuple(
            Cell(game=game, agent=agent, part=part)
            for game in self.games
            for agent in self.agents
            for part in parts_of(game, self.parts)
        )

    @cached_property
    def _schedule(self) -> tuple[tuple[Cell, int], ...]:
        """Cells of one turn of all, and which repetition each is."""
        most = max(subject.repeats for subject in Subject)
        return tuple(
            (cell, repetition)
            for repetition in range(most)
            for cell in self.cells
            if repetition < cell.part.subject.repeats
        )

    def trials(self, matches: int) -> int:
        """Return how many trials have so many matches of each comparison of two teams."""
        return -(-matches // _PAIR) * len(self._schedule)

    def matches_of(self, trials: int) -> int:
        """Return how many matches so many trials have."""
        turns, rest = divmod(trials, len(self._schedule))
        each = [cell.part.subject.matches for cell, _ in self._schedule]
        return turns * sum(each) + sum(each[:rest])

    def setting(self, index: int) -> tuple[Cell, int]:
        """Return the cell of trial number `index`, and the seed of all its matches."""
        turn, place = divmod(index, len(self._schedule))
        cell, repetition = self._schedule[place]
        number = turn * cell.part.subject.repeats + repetition
        return cell, sub_seed(self.seed, "balance", cell.game, number)

    def cells_in_turn(self) -> Iterator[Cell]:
        """Yield the cell of each trial, without end."""
        return (cell for cell, _ in cycle(self._schedule))
