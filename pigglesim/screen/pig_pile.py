"""How Pig Pile shows itself: cards on the table, what can be chosen and what each turn means."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pigglesim.games.pig_pile.actions import FaceUp, PickUp, PigPileAction, Play, Slop
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.playing import washes
from pigglesim.games.pig_pile.state import (
    EWE_TURN,
    HOG_TIED,
    HOG_WASH,
    HOG_WILD,
    Cards,
    Phase,
    Position,
    format_card,
    format_cards,
)
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.board import SEAT_COLOURS
from pigglesim.rolls import Seat
from pigglesim.screen.family import Area, Line
from pigglesim.screen.pig_pile_rules import rules_page
from pigglesim.screen.pig_pile_story import counted, told
from pigglesim.screen.without_piggles import WithoutPiggles

__all__ = ["PigPileFamily"]

_SEATS = tuple(Seat)
_STYLES = {
    HOG_WILD: "bold #d75faf",
    HOG_TIED: "bold #d9a520",
    HOG_WASH: "bold #5fafd7",
    EWE_TURN: "bold #5faf5f",
}
"""Special cards stand out; what they are is told by their numbers alone."""
_FACE_DOWN, _UNSEEN = "▒", "?"
_PILE_SHOWN = 24
"""Of a large pile, the uppermost cards."""


class PigPileFamily(WithoutPiggles):
    """Pig Pile on the screen.

    Args:
        game: The game, under house rules of its own.
    """

    def __init__(self, game: PigPile) -> None:
        self._game = game

    @property
    def names(self) -> Mapping[Seat, str]:
        """The letters of the seats."""
        return {seat: f"Player {seat}" for seat in self._game.seats}

    def table(self, state: Position, viewer: Seat | None) -> Text:
        """Return the Pig Pile, and what each player has as far as the viewer may know it."""
        text = Text()
        if state.phase is Phase.DEAL:
            text.append("All cards are with the dealer, to be shuffled.\n", "dim")
        else:
            text.append_text(_pile(state))
        for place, seat in enumerate(self._game.seats):
            text.append("\n")
            mark = ">" if state.mover == place and state.phase is not Phase.OVER else " "
            text.append(f"{mark} {self.names[seat]}", f"bold {SEAT_COLOURS[seat]}")
            text.append(f"   {counted(state.pigs[place], 'pig')}", "dim")
            if place in state.out:
                text.append("   out", "bold")
            elif state.phase in {Phase.PLAY, Phase.CHOOSE}:
                text.append_text(_held(state, place, viewer))
        return text

    def heading(self, state: Position) -> str:
        """Return the round and whose turn it is."""
        rounds = f"Round {state.round} of {self._game.rules.rounds}"
        who = self.names[_SEATS[state.mover]]
        match state.phase:
            case Phase.DEAL:
                return f"{rounds} · {who} deals"
            case Phase.CHOOSE:
                return f"{rounds} · {who} chooses"
            case Phase.PLAY:
                return f"{rounds} · {who}"
            case Phase.OVER:
                return f"{rounds} · the match is over"

    def guide(self, state: Position, seat: Seat | None) -> str:
        """Return what the player can play now, and what of."""
        who = self.names[_SEATS[state.mover]]
        match state.phase:
            case Phase.OVER:
                return "The match is over: most pigs win."
            case Phase.DEAL:
                return f"{who} shuffles and deals."
            case _ if seat is None:
                return f"{who} is to move."
            case Phase.CHOOSE:
                return "Choose three of your seven cards to lie face up. They are played last."
            case Phase.PLAY:
                return self._play_guide(state)

    def _play_guide(self, state: Position) -> str:
        place, pile = state.mover, state.pile
        fits = f"{pile[-1]} or higher, or W" if pile and pile[-1] else "anything"
        if state.hands[place]:
            draws = " Then you draw." if state.draw else ""
            return f"Play {fits}, as many of one value as you like.{draws}"
        if state.ups[place]:
            return f"Your hand is empty: play {fits} of your face-up cards."
        if fits == "anything":
            return "Turn over a face-down card: whatever it is, it fits."
        return f"Turn over a face-down card: if it is not {fits}, take it up with the pile."

    def areas(self, state: Position) -> Sequence[Area]:
        """Return how many cards each player has where."""
        rows = {
            "hand": [len(cards) for cards in state.hands],
            "face up": [len(cards) for cards in state.ups],
            "Slop": [len(cards) for cards in state.slops],
        }
        return [
            Area(name=name, held=dict(zip(self._game.seats, map(str, numbers), strict=True)))
            for name, numbers in rows.items()
        ]

    def columns(self, state: Position) -> Sequence[str]:
        """Return the numbers of the rounds; of a very long match, the last ones."""
        last = self._game.rules.rounds
        first = max(1, min(state.round - 3, last - 5))
        return [str(number) for number in range(first, min(last, first + 5) + 1)]

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return the pigs after each round."""
        found: dict[tuple[str, Seat], int] = {}
        for event in events:
            before, after = event.before, event.after
            if before.phase is Phase.PLAY and after.phase in {Phase.DEAL, Phase.OVER}:
                for seat, pigs in self._game.scores(after).items():
                    found[str(before.round), seat] = pigs
        return found

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return in plain words what all players have seen happen."""
        return told(self._game, event, self.names)

    def say(self, state: Position, action: PigPileAction) -> str:
        """Return an action as a person would say it, and what it does at once."""
        match action:
            case Play(cards=cards):
                washed = washes(action.value, len(cards), state.pile, self._game.rules)
                does = [_EFFECTS[action.value]] if action.value in _EFFECTS else []
                does += [_EFFECTS[HOG_WASH]] if washed and action.value != HOG_WASH else []
                words = " and ".join(does)
                return f"play {format_cards(cards)}" + (f": {words}" if words else "")
            case PickUp(face_up=card):
                along = "" if card is None else f", and your face-up {format_card(card)}"
                return f"take up the pile: {counted(len(state.pile), 'card')}{along}"
            case Slop(slot=slot):
                return f"turn over face-down card {slot}"
            case FaceUp(cards=cards):
                return f"lay {format_cards(cards)} face up"

    @property
    def rules(self) -> str:
        """The rules in brief, in Markdown, and what this table has changed in them."""
        return rules_page(self._game)


_EFFECTS = {
    HOG_WILD: "counts as zero",
    HOG_TIED: "the next player misses a turn",
    HOG_WASH: "washes the pile away",
    EWE_TURN: "turns the direction of play",
}


def _card(card: int) -> Text:
    return Text(format_card(card), _STYLES.get(card, "bold"))


def _cards(cards: Cards) -> Text:
    return Text(" ").join(map(_card, cards))


def _pile(state: Position) -> Text:
    """Return the Pig Pile from below to its top, and what lies beside it."""
    text = Text("Pig Pile  ", "bold")
    hidden = max(len(state.pile) - _PILE_SHOWN, 0)
    if hidden:
        text.append(f"({hidden} more) ", "dim")
    if state.pile:
        text.append_text(_cards(state.pile[hidden:])).append(" < top", "dim")
    else:
        text.append("empty: any card may begin it", "dim")
    way = "clockwise: A, B, C ..." if state.direction == 1 else "the other way: C, B, A ..."
    beside = [
        f"Draw Pile {len(state.draw)}",
        f"washed away {len(state.aside)}",
        f"{state.pen} pigs in the Pig Pen",
        way,
    ]
    text.append(f"\n{' · '.join(beside)}\n", "dim")
    if state.tied:
        text.append("The next player is tied up.\n", _STYLES[HOG_TIED])
    return text


def _held(state: Position, place: int, viewer: Seat | None) -> Text:
    """Return what a player has, as far as the viewer may know it."""
    text = Text("\n    hand  ", "dim")
    hand, known = state.hands[place], state.known[place]
    if viewer is None or viewer is _SEATS[place]:
        text.append_text(_cards(hand))
    else:
        text.append_text(_cards(known)).append(" " if known else "")
        text.append(" ".join(_UNSEEN * (len(hand) - len(known))), "dim")
    if not hand:
        text.append("empty", "dim")
    chosen = (place - state.dealer) % state.count
    up = state.ups[place]
    if chosen < len(state.chosen):
        text.append("\n    has chosen what lies face up", "dim")
        return text
    text.append("\n    table ", "dim").append_text(_cards(up)).append("  " if up else "")
    slop = state.slops[place]
    if viewer is None:
        text.append(f"face down {format_cards(slop)}" if slop else "", "dim")
    else:
        text.append(" ".join(_FACE_DOWN * len(slop)), "dim")
    return text
