"""Which family a game belongs to, and how a game of no known family is shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.games.game import Game
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggy_six.game import PiggySix
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.tui.family import Area, Family, Line, Tone, WithoutPiggles, result_sentence
from pigglesim.tui.lord_of_the_pigs import LordFamily
from pigglesim.tui.pig_pile import PigPileFamily
from pigglesim.tui.piggles import PigglesFamily
from pigglesim.tui.piggy_six import PiggySixFamily
from pigglesim.tui.piggyback import PiggybackFamily


def family_of(game: Game[Any, Any]) -> Family:
    """Return how a game shows itself: as its family does, or by its own notation."""
    if isinstance(game, Piggles):
        return PigglesFamily(game)
    if isinstance(game, LordOfThePigs):
        return LordFamily(game)
    if isinstance(game, PigPile):
        return PigPileFamily(game)
    if isinstance(game, Piggyback):
        return PiggybackFamily(game)
    if isinstance(game, PiggySix):
        return PiggySixFamily(game)
    return AnyGame(game)


class AnyGame(WithoutPiggles):
    """A game of which the screen knows no more than every game offers.

    Args:
        game: The rules.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game = game

    @property
    def names(self) -> Mapping[Seat, str]:
        """The letters of the seats."""
        return {seat: f"Player {seat}" for seat in self._game.seats}

    def table(self, state: object, viewer: Seat | None) -> Text:
        """Return the position for those who may see all, what the player sees for others."""
        if viewer is None:
            return Text(self._game.format_state(state))
        return Text(str(self._game.observe(state, viewer)))

    def heading(self, state: object) -> str:
        """Return the round."""
        return f"Round {self._game.round_of(state)}"

    def guide(self, state: object, seat: Seat | None) -> str:
        """Return who is to choose."""
        del state
        return f"{self.names[seat]}: choose what to do." if seat else "Wait for what happens next."

    def areas(self, state: object) -> Sequence[Area]:
        """Return the points."""
        held = {seat: str(points) for seat, points in self._game.scores(state).items()}
        return [Area(name="points", held=held)]

    def story(self, event: MatchEvent[Any]) -> Sequence[Line]:
        """Return the decision or the roll, and the end."""
        entry = event.entry
        lines: list[Line] = []
        if isinstance(entry, Decision):
            text = f"{self.names[entry.seat]}: {entry.action}"
            lines.append(Line(text=text, tone=Tone.TURN, seat=entry.seat))
        elif isinstance(entry, MatchOutcome):
            text = f"{self.names[entry.thrower]} {_rolled(entry)}"
            lines.append(Line(text=text, tone=Tone.ROLL, seat=entry.thrower))
        result = self._game.result(event.after)
        if result is not None:
            lines.append(Line(text=result_sentence(result, self.names), tone=Tone.END))
        return lines

    def say(self, state: object, action: object) -> str:
        """Return an action in the notation of the game."""
        del state
        return self._game.format_action(action)

    @property
    def rules(self) -> str:
        """Where the rules are."""
        return f"# {self._game.name}\n\nChoose among what the list offers."


def _rolled(outcome: MatchOutcome) -> str:
    match outcome.result:
        case DiceResult(faces=faces):
            return f"threw {' '.join(str(face) for face in faces)}"
        case ShuffleResult(cards=cards):
            return f"shuffled {len(cards)} cards"
        case _:
            return f"rolled {' '.join(outcome.piggles)}"
