"""What a balance study compares: seats, colours, runes, Premium Piggles, and whole random teams."""

from dataclasses import dataclass
from enum import StrEnum, unique

import numpy as np

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggles.state import PEN_SIZE, STANDARD, Piece
from pigglesim.markings import Colour, Rune, read_colour, read_rune

__all__ = [
    "DIRECTIONAL",
    "PREMIUM",
    "Part",
    "Subject",
    "Team",
    "parse_parts",
    "parts_of",
    "teams_of",
]

PREMIUM = "premium"
"""The model that is compared with the plain one."""
DIRECTIONAL = (Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS)
"""Runes that leave the deed to the colour (M4)."""
_PREMIUM_COUNTS = (1, PEN_SIZE)
_CLASSIC = "piggles_classic"


@unique
class Subject(StrEnum):
    """What is asked about."""

    SEATS = "seats"
    """Both have the same team: what it is worth to begin, and how matches go."""
    TEAMS = "teams"
    """Two teams of Piggles drawn at random: what each kind of Piggle is worth in them."""
    COLOUR = "colour"
    """Six of one colour with directional runes against six without runes."""
    RUNE = "rune"
    """Six of one rune, of any colours, against six without runes."""
    PREMIUM = "premium"
    """Premium Piggles in the place of plain ones."""

    @property
    def repeats(self) -> int:
        """How often it is played while each comparison of two teams is played once."""
        # Two to each question about Modern: one regression answers for all colours and runes.
        return 8 if self in {Subject.SEATS, Subject.TEAMS} else 1

    @property
    def matches(self) -> int:
        """Matches of one trial: teams that differ are exchanged, equal ones need not be."""
        return 1 if self is Subject.SEATS else 2

    @property
    def accounts(self) -> bool:
        """Whether each match is told at length."""
        return self in {Subject.SEATS, Subject.TEAMS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question of a study."""

    subject: Subject
    level: str = ""
    """Which colour, which rune, how many Premium Piggles."""

    @property
    def name(self) -> str:
        """The name by which a person asks for it, such as `colour:red`."""
        return f"{self.subject}:{self.level}" if self.level else str(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
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
            raise SpecError("1 or 6 Premium Piggles", got=repr(level), remedy="premium:6")
        case _:
            raise SpecError(f"{subject} without a level", got=repr(word), remedy=subject)


def parts_of(game: str, asked: tuple[str, ...]) -> tuple[Part, ...]:
    """Return the parts of a study that a game has, in their order; Classic knows no markings.

    Args:
        game: Name of the game.
        asked: Names as `parse_parts` gives them; all if there is none.
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
        Part(subject=subject, level=level)
        for subject, own in levels.items()
        for level in own
        if subject in plain or game != _CLASSIC
    ]
    return tuple(
        part for part in every if not asked or part.name in asked or str(part.subject) in asked
    )


def teams_of(part: Part, *, rng: np.random.Generator) -> tuple[Team, Team]:
    """Return the team in question and the one that it is compared with.

    Whatever the question leaves open is drawn, anew for each trial: so what is found holds for
    no one team alone.
    """
    match part.subject:
        case Subject.SEATS:
            return Team(), Team()
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
            return Team(models=models), Team()
    # Without runes they do nothing, but arrows reach none but those of their own colour.
    return own, _drawn(tuple(Colour), (None,), rng)


def _drawn(
    colours: tuple[Colour, ...], runes: tuple[Rune | None, ...], rng: np.random.Generator
) -> Team:
    of_colours = rng.integers(len(colours), size=PEN_SIZE).tolist()
    of_runes = rng.integers(len(runes), size=PEN_SIZE).tolist()
    return Team(
        pieces=tuple(
            Piece(colour=colours[one], rune=runes[other])
            for one, other in zip(of_colours, of_runes, strict=True)
        )
    )
