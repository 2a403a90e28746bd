"""How Lord of the P.I.G.S. shows itself: Ratings, Game Area, hands and what each phase means."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pigglesim.games.lord_of_the_pigs.actions import PASS, LordAction
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.house_rules import Series
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    HIDDEN,
    HIGHEST,
    SEATS,
    Event,
    Phase,
    Position,
    Submitted,
    actor,
)
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import SEAT_COLOURS
from pigglesim.rolls import Seat
from pigglesim.screen.family import Area, Line
from pigglesim.screen.lord_rules import rules_page
from pigglesim.screen.lord_story import NAMES, told
from pigglesim.screen.lord_words import (
    PHASES,
    action_words,
    alternate_words,
    card_words,
    choice_words,
    effect_of,
    effect_words,
    votes_words,
)
from pigglesim.screen.without_piggles import WithoutPiggles

__all__ = ["LordFamily"]

_COLUMNS = 8
"""Turns whose Ratings are shown."""
_GUIDES = {
    Phase.VOTING: "Voting: put one card face down on the Action that you want activated, or none.",
    Phase.ALTERNATES: "Activation: discard cards for +1 or -1 Vote before the votes are counted.",
    Phase.ORDER: "Several of your Actions are activated: which comes first?",
    Phase.SHARE: "Share Benefits of the Action that is about to be carried out, or not.",
    Phase.SUBMISSION: "Submission: put one Action face up on the table, or none.",
}
_SECRET = frozenset({Phase.ALTERNATES, Phase.SHARE})
"""Phases in which nobody is told who is asked."""


class LordFamily(WithoutPiggles):
    """Lord of the P.I.G.S. on the screen.

    Args:
        game: The game, under house rules of its own.
    """

    def __init__(self, game: LordOfThePigs) -> None:
        self._game = game
        self._house = game.rules

    @property
    def names(self) -> Mapping[Seat, str]:
        """The actors."""
        return NAMES

    def heading(self, state: Position) -> str:
        """Return the game of a series, the turn, its first player and the phase."""
        series = self._house.series is not Series.OFF
        game = f"Game {state.game} of {self._house.series_games} · " if series else ""
        phase = "the game is over" if state.result is not None else PHASES[state.phase]
        return f"{game}Turn {state.turn} · {actor(state.first)} first · {phase}"

    def guide(self, state: Position, seat: Seat | None) -> str:
        """Return what the phase means, and what the player at `seat` can do."""
        if state.result is not None:
            return "The match is over."
        if seat is None:
            quiet = state.phase in _SECRET or not state.asked
            return PHASES[state.phase] if quiet else f"{actor(state.asked[0])} decides."
        if state.phase is Phase.EVENT and state.event is not None:
            return f"{actor(seat)}: {state.event.label}. {state.event.text}"
        guide = f"{actor(seat)} · {_GUIDES.get(state.phase, PHASES[state.phase])}"
        current = state.action(state.current)
        if current is None:
            return guide
        change = effect_words(effect_of(state, current.owner, current.card))
        return f"{guide} {action_words(current)}: {change}"

    def table(self, state: Position, viewer: Seat | None) -> Text:
        """Return Ratings, Event, Game Area and the hands that `viewer` sees."""
        seen = state if viewer is None else self._game.observe(state, viewer).table
        text = Text()
        for part in (_scales(seen), _event(seen), _area(seen), _hands(seen, viewer)):
            text.append_text(part)
        return text

    def areas(self, state: Position) -> Sequence[Area]:
        """Return how many cards each player has where."""

        def row(name: str, count: Mapping[Seat, int]) -> Area:
            return Area(name=name, held={seat: str(count[seat]) for seat in SEATS})

        sides = dict(zip(SEATS, state.sides, strict=True))
        return [
            row("Hand", {seat: len(side.hand) for seat, side in sides.items()}),
            row("Deck", {seat: len(side.deck) for seat, side in sides.items()}),
            row("Discard", {seat: len(side.discard) for seat, side in sides.items()}),
        ]

    def columns(self, state: Position) -> Sequence[str]:
        """Return the numbers of the last turns, through all games of a series."""
        now = self._game.round_of(state)
        return [str(turn) for turn in range(max(1, now - _COLUMNS + 1), now + 1)]

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return the Ratings, or the points of a series, at the end of each turn."""
        found: dict[tuple[str, Seat], int] = {}
        for event in events:
            turn, over = self._game.round_of(event.before), event.after.result is not None
            if over or self._game.round_of(event.after) > turn:
                for seat, score in self._game.scores(event.after).items():
                    found[str(turn), seat] = score
        return found

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return in plain words what a decision has led to."""
        return list(told(self._game, event))

    def say(self, state: Position, action: LordAction) -> str:
        """Return an action as a person would say it."""
        return choice_words(state, action)

    @property
    def skip(self) -> LordAction:
        """To pass."""
        return PASS

    @property
    def done(self) -> LordAction:
        """To pass."""
        return PASS

    @property
    def rules(self) -> str:
        """The rules in brief, in Markdown, and what this table has changed in them."""
        return rules_page(self._house)


def _scales(state: Position) -> Text:
    """Return Ratings and Social Stability as bars."""
    text = Text()
    for seat, rating in zip(SEATS, state.ratings, strict=True):
        name = f"{actor(seat):<10} {actor(seat).variable:<17}"
        text.append(name, style=f"bold {SEAT_COLOURS[seat]}")
        text.append(f"{_bar(rating)} {rating}\n")
    text.append(f"{'The People':<10} {'Social Stability':<17}", style="bold")
    text.append(f"{_bar(state.stability)} {state.stability}\n")
    return text


def _bar(number: int) -> str:
    return "■" * number + "·" * (HIGHEST - number)


def _event(state: Position) -> Text:
    event = state.event
    if event is None or event is Event.BUSINESS_AS_USUAL:
        return Text("\n" if event is None else f"\n{event.label}\n\n", style="dim")
    return Text.assemble("\n", (event.label, "bold"), f": {event.text}\n\n")


def _area(state: Position) -> Text:
    """Return the Actions on the table, with the votes for each."""
    text = Text("On the table\n" if state.submitted else "Nothing is on the table.\n", "bold")
    for action in state.submitted:
        text.append_text(_on_table(state, action))
    return text


def _on_table(state: Position, action: Submitted) -> Text:
    change = effect_words(effect_of(state, action.owner, action.card))
    text = Text(f"  {action_words(action)}", style=f"bold {SEAT_COLOURS[action.owner]}")
    text.append(f" {votes_words(action)}\n", style="bold")
    text.append(f"    {change}\n")
    voters = [
        f"{actor(vote.seat)}{'' if vote.card == HIDDEN else f' ({vote.card})'}"
        for vote in action.votes
    ]
    voters += ["+1 Vote"] * action.markers
    if voters:
        text.append(f"    votes: {', '.join(voters)}\n", style="dim")
    return text


def _hands(state: Position, viewer: Seat | None) -> Text:
    """Return a player's own hand in full and what others have shown, or all hands by tags."""
    text = Text("\n")
    if viewer is not None:
        text.append_text(_hand(state, viewer))
    for seat, side in zip(SEATS, state.sides, strict=True):
        known = side.hand if viewer is None else side.shown
        if seat is not viewer and known:
            verb = "holds" if viewer is None else "has shown"
            words = f"{actor(seat)} {verb} {', '.join(known)}\n"
            text.append(words, style=SEAT_COLOURS[seat])
    return text


def _hand(state: Position, seat: Seat) -> Text:
    hand = state.side(seat).hand
    text = Text(f"Your hand, {actor(seat)}", style=f"bold {SEAT_COLOURS[seat]}")
    text.append("\n" if hand else ": empty\n")
    for card in hand:
        mode = alternate_words(seat, card)
        change = effect_words(effect_of(state, seat, card))
        words = f"needs {CARDS[card].threshold}: {change}{f' · or {mode}' if mode else ''}"
        text.append(f"  {card_words(seat, card)}\n", style="bold")
        text.append(f"    {words}\n", style="dim")
    return text
