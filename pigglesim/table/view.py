"""Interface between screens and games: display of states and wording of actions.

Rules do not depend on a screen, and screens do not contain rules. The view of each game defines
the display of its states, its choices and the wording of its events.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from importlib import import_module, resources
from math import degrees
from types import MappingProxyType
from typing import Any

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.games.game import Game, HasLandings, Result
from pigglesim.landing import BOARD_SEATS, Knock, Landing, Seat
from pigglesim.match.entries import FORFEIT, Comment, Decision, Forfeit, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import POSE_MARKS, SIDES, ZONE_NAMES
from pigglesim.table.layout import Note, Part


@unique
class Tone(StrEnum):
    """Kind of a log line."""

    TURN = "turn"
    """A decision or a roll."""
    ROLL = "roll"
    SCORE = "score"
    MOVE = "move"
    """A move of pieces by the rules."""
    NOTE = "note"
    """A message of the screen itself, such as a hint."""
    END = "end"


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of the log."""

    text: str
    tone: Tone = Tone.NOTE
    seat: Seat | None = None
    """Player it concerns, if only one."""


@dataclass(frozen=True, slots=True)
class Area:
    """One row of the pieces, cards or points of each player next to the board."""

    name: str
    content: Mapping[Seat, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Signs next to the name of a Piggle."""

    worn: str = ""
    """Colour and rune in two characters."""
    words: str = ""
    """Colour and rune in words."""
    skin: str = ""
    """Colour of the skin in sRGB."""
    shielded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Toggles:
    """A decision that selects any subset of a few items."""

    items: tuple[str, ...]
    """Items to select from, in fixed order, so that each keeps its number."""
    free: frozenset[str]
    """Items that can be selected now."""
    action: Callable[[frozenset[str]], Any]
    """Function that maps a selection to its action."""
    marks: Mapping[str, str] = field(default_factory=dict)
    """Colour and rune per item, in a character or two each; empty if there are none."""
    why: Mapping[str, str] = field(default_factory=dict)
    """Why each other item cannot be selected, as a sentence without its full stop."""


def read_page(name: str, **values: object) -> str:
    """Return a game's short rules in Markdown, with words filled in for its house rules."""
    page = (resources.files(__package__) / "pages" / f"{name}.md").read_text(encoding="utf-8")
    return page.format(**values)


_LONG = 20
"""Length of a heading that is worth a line of its own."""


class GameView:
    """Display of a game on a screen; games without their own class are shown by their notation."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game: Any = game
        self._rules: Any = getattr(game, "rules", None)

    @property
    def seat_names(self) -> Mapping[Seat, str]:
        """Name of each seat, in their order."""
        return {seat: f"Player {seat}" for seat in self._game.seats}

    @property
    def names(self) -> Mapping[Seat, str]:
        """Name of each player, in the order of seats; of a person with the seat in brackets."""
        names = dict(self.seat_names)
        for seat, person in self.people.items():
            place = seat.value if seat.value in names[seat].split() else names[seat]
            names[seat] = f"{person} ({place})"
        return names

    def table(self, state: Any, viewer: Seat | None) -> Sequence[Part] | None:  # noqa: ANN401
        """Return what lies on the table; None if there is a board of Piggles.

        Cards hidden from the player `viewer` are not shown; None shows all cards.
        """
        if viewer is None:
            return (Note(text=self._game.format_state(state)),)
        return (Note(text=self._game.observation_string(state, viewer)),)

    def public_table(self, state: Any) -> Sequence[Part] | None:  # noqa: ANN401
        """Return what lies on the table without what any player hides, for those who watch."""
        return self.table(state, None)

    def time(self, state: Any) -> str:  # noqa: ANN401 (a state of the game)
        """Return how far the match is in the game's own count, such as `Round 2`."""
        return f"Round {self._game.round_of(state)}"

    def heading(self, state: Any) -> str:  # noqa: ANN401
        """Return the stage of the match, such as `Round 2 of 6 · Load`."""
        return self.time(state)

    def due(self, state: Any) -> Seat:  # noqa: ANN401
        """Return the player who decides or rolls next."""
        turn = self._game.turn(state)
        thrower: Seat = turn if isinstance(turn, Seat) else self._game.chance_request(state).thrower
        return thrower

    def guide(self, state: Any, seat: Seat | None) -> str:  # noqa: ANN401
        """Return the meaning of the phase and the possible actions of the player at `seat`."""
        return f"{self.names[seat]}: choose what to do." if seat else "Wait for what happens next."

    def why(self, state: Any, best: Any, played: Any) -> str:  # noqa: ANN401
        """Return what the rules make of the best action and of the one played, as a clause.

        It is empty where no single rule decides. `played` is None for a forfeit.
        """
        return ""

    def landings(self, state: Any) -> tuple[tuple[str, Landing], ...]:  # noqa: ANN401
        """Return every Piggle on the board, by id; empty if the game has none."""
        game = self._game
        return game.landings(state) if isinstance(game, HasLandings) else ()

    def player_of(self, state: Any, piggle: str) -> Seat:  # noqa: ANN401
        """Return the player who controls a Piggle now, who need not be its first owner."""
        return Seat(piggle[0])

    def marks(self, state: Any) -> Mapping[str, Mark]:  # noqa: ANN401
        """Return the marks of Piggles by id; Piggles without marks are omitted."""
        return {}

    def worn(self, state: Any) -> Mapping[str, str]:  # noqa: ANN401
        """Return the colour and rune of each Piggle that wears some, in two characters."""
        marks = self.marks(state).items()
        return {piggle: mark.worn for piggle, mark in marks if mark.worn}

    def areas(self, state: Any) -> Sequence[Area]:  # noqa: ANN401
        """Return the pieces, cards or points that the players have next to the board."""
        return self.table_of({"points": self._game.scores(state).values()})

    def table_of(self, rows: Mapping[str, Iterable[object]]) -> list[Area]:
        """Return areas by name, each with its content in the order of players."""
        return [
            Area(name, dict(zip(self.names, map(str, row), strict=True)))
            for name, row in rows.items()
        ]

    def columns(self, state: Any) -> Sequence[str]:  # noqa: ANN401
        """Return the round numbers in the table of points, those around the current round."""
        if not self.rounds_shown:
            return ()
        now = self._game.round_of(state)
        last = getattr(self._rules, "rounds", now)
        first = max(1, min(now - self.rounds_shown // 2, last - self.rounds_shown + 1))
        return [
            str(number) for number in range(first, min(last, first + self.rounds_shown - 1) + 1)
        ]

    def sets_down(self, state: Any) -> bool:  # noqa: ANN401
        """Return whether the next outcome sets a Piggle down by hand instead of a roll."""
        return False

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return the points of each player at the end of each round."""
        points_of: dict[tuple[str, Seat], int] = {}
        for event in events:
            number, over = self._game.round_of(event.before), self._game.result(event.after)
            if over is not None or self._game.round_of(event.after) > number:
                for seat, points in self._game.scores(event.after).items():
                    points_of[str(number), seat] = points
        return points_of

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return the consequences of an event in plain words."""
        lines: list[Line] = []
        result = self._game.result(event.after)
        match event.entry:
            case Decision(seat=seat):
                lines += self.decided(event, seat, event.action)
            case MatchOutcome() as outcome:
                lines += self.rolled(event, outcome)
            case Comment(text=text):
                lines.append(Line(text))
            case Forfeit(seat=seat, cause=cause, detail=detail):
                text = f"{self.names[seat]} forfeits ({cause.rule}): {cause.sentence}: {detail}"
                lines.append(Line(text, Tone.TURN, seat))
                if len(self.names) == len(BOARD_SEATS):
                    result = Result(winner=seat.other, reason=FORFEIT)
        if result is not None:
            lines.append(Line(self.ending(event.after, result), Tone.END))
        return lines

    def decided(self, event: MatchEvent[Any], seat: Seat, action: Any) -> Iterable[Line]:  # noqa: ANN401
        """Yield the consequences of a decision."""
        yield Line(f"{self.names[seat]}: {self.action_text(event.before, action)}", Tone.TURN, seat)

    def rolled(self, event: MatchEvent[Any], outcome: MatchOutcome) -> Iterable[Line]:
        """Yield the consequences of an outcome."""
        match outcome.result:
            case DiceResult(faces=faces):
                text = f"threw {' '.join(str(face) for face in faces)}"
            case ShuffleResult(cards=cards):
                text = f"shuffled {len(cards)} cards"
            case _:
                text = f"rolled {' '.join(outcome.piggles)}"
        seat = outcome.thrower
        yield Line(f"{self.names[seat]} {text}", Tone.ROLL, seat)

    def ending(self, state: Any, result: Result) -> str:  # noqa: ANN401
        """Return how the match ended, as a sentence without its full stop."""
        return result_sentence(result, self.names)

    def toggles(self, state: Any, legal: Sequence[Any]) -> Toggles | None:  # noqa: ANN401
        """Return the decision as a choice among items, or None to show a list of actions."""
        return None

    def default(self, state: Any, legal: Sequence[Any]) -> int | None:  # noqa: ANN401
        """Return the place in the list of the action that is marked at first, or None.

        Where there is a choice, no action is marked that a key pressed by mistake could take.
        """
        return 0 if len(legal) == 1 else None

    def action_text(self, state: Any, action: Any) -> str:  # noqa: ANN401
        """Return a legal action in plain words."""
        text: str = self._game.format_action(action)
        return text

    def heading_of(self, state: Any, action: Any) -> str:  # noqa: ANN401
        """Return the first words of an action's text that a list may show once for several."""
        return ""

    def listed(self, state: Any, actions: Sequence[Any]) -> Iterator[tuple[str, str]]:  # noqa: ANN401
        """Yield what stands above each action in a list, with a line break, and its text there."""
        before = ""
        for action in actions:
            heading, text = self.heading_of(state, action), self.action_text(state, action)
            if len(heading) < _LONG:
                yield "", text
            else:
                yield "" if heading == before else f"{heading}\n", text[len(heading) + 1 :]
            before = heading

    def involved(self, action: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return the pieces and squares that a listed action involves, in order, by id.

        They are those of the table: the acting Piggle, then its target; a square, then another.
        """
        return ()

    people: Mapping[Seat, str] = MappingProxyType({})
    """Names of people by seat, if they gave one."""
    effects: Mapping[str, str] = MappingProxyType({})
    """Effect of each Piggle when it acts, as a sentence, by id; empty if none acts."""
    rounds_shown = 0
    """Number of rounds in the table of points; 0 for none."""
    round_name = "round"
    """Name of a round in the words of the game."""
    legend = ""
    """Meaning of the marks on the board; empty if there are none."""
    hides = False
    """True if players have cards that others may not see."""
    ordered = True
    """False if the pieces that an action involves are a set, such as cards played together."""
    skip: Any = None
    """Action that passes a turn, if the game has one; it may be illegal now."""
    done: Any = None
    """Action that ends a turn of several actions, if the game has one."""

    @property
    def page(self) -> str:
        """Short rules in Markdown, without this table's house rules."""
        return f"# {self._game.name}\n\nChoose among what the list offers."

    @property
    def rules(self) -> str:
        """Rules in Markdown, readable within a minute, with this table's house rules."""
        changed = "" if self._rules is None else self._rules.to_text(changed_only=True)
        house_rules = f"\n**House rules of this table**: `{changed}`\n" if changed else ""
        return f"{self.page}{house_rules}"


_VIEWS = {
    "piggles_classic": ("piggles", "PigglesView"),
    "piggles_modern": ("piggles", "PigglesView"),
    "lord_of_the_pigs": ("lord_of_the_pigs", "LordView"),
    "pig_pile": ("pig_pile", "PigPileView"),
    "piggyback": ("piggyback", "PiggybackView"),
    "piggy_six": ("piggy_six", "PiggySixView"),
}
"""Module and class of the view of each game, imported when it is needed."""


def make_view(game: Game[Any, Any]) -> GameView:
    """Return the view of a game: its own class, or the generic one by notation.

    A game of the user's own may have the class of its view as an attribute `view`.
    """
    view: type[GameView] = getattr(game, "view", GameView)
    if game.name in _VIEWS:
        module, name = _VIEWS[game.name]
        view = getattr(import_module(f"pigglesim.table.{module}"), name)
    return view(game)


_REASONS = {
    "score": "on points",
    "points": "on points",
    "race": "by reaching the target first",
    "cap": "on points, in the last round that the house rules allow",
    "draw": "in a draw",
    "sudden_snout_up": "by Sudden Snout-Up",
    "none_available": "because the other has no Piggle left for Sudden Snout-Up",
    "exhaustion": "by exhaustion: the other's Piggles are all in Mud and Kitchen",
    "elimination": "by elimination",
    "concession": "by concession",
    "rating": "with the only Rating of 10",
    "uprising": "by a Social Uprising, with the lowest Rating",
    "turn_cap": "by the end of all turns",
    "series": "with the points of the whole series",
    "pigs": "with the most pigs",
    "forfeit": "by forfeit",
}


def reason_words(reason: str) -> str:
    """Return the reason why a match ended, as the end of a sentence such as `A wins on points`."""
    return _REASONS.get(reason, f"({reason.replace('_', ' ')})")


def result_sentence(result: Result | None, names: Mapping[Seat, str] = SIDES) -> str:
    """Return how a match ended, as a sentence without its full stop; None if it was cut short."""
    if result is None:
        return "The match was stopped before its end"
    won = winner_words(result, names)
    return f"{won} {reason_words(result.reason)}" if result.winner or result.shared else won


def winner_words(result: Result, names: Mapping[Seat, str]) -> str:
    """Return who won a match, as the begin of a sentence such as `A wins on points`."""
    if result.shared:
        *others, last = (names[seat] for seat in result.shared)
        return f"{', '.join(others)} and {last} win together"
    return f"{names[result.winner]} wins" if result.winner else "The match is drawn"


def knock_sentence(
    knock: Knock, before: Mapping[str, Landing], after: Mapping[str, Landing]
) -> str:
    """Return who struck whom, how far, and what changed; landings before and after, by id."""
    was, now = before[knock.struck].orientation, after[knock.struck].orientation
    effects = []
    if knock.off_board:
        effects.append("off the board")
    else:
        if knock.flipped and was and now:
            effects.append(f"turned from {POSE_MARKS[was]} to {POSE_MARKS[now]} {now.label}")
        if knock.zone_changed:
            effects.append(f"now {ZONE_NAMES[after[knock.struck].zone]}")
    consequences = ", ".join(effects) or "no change of orientation or zone"
    motion = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
    return f"{knock.by} knocked {knock.struck} by {motion}: {consequences}"


def log_lines(view: GameView, events: Iterable[MatchEvent[Any]]) -> list[Line]:
    """Return the log of all events so far."""
    return [line for event in events for line in view.story(event)]
