"""Piggles Classic: the rules of play as one `Game` (seed R1-R18)."""

from dataclasses import dataclass, field

from pigglesim.errors import IllegalActionError
from pigglesim.games.game import Concede, NonPlayer, Turn
from pigglesim.games.piggles.house_rules import HouseRules
from pigglesim.games.piggles.loading import Load, loads
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.rulebook import Observation, Piggles, PigglesAction
from pigglesim.games.piggles.state import Act, Done, Position
from pigglesim.games.piggles.turns import Step, after_load, after_roll
from pigglesim.rolls import RollResult, Seat

__all__ = ["Observation", "PigglesAction", "PigglesClassic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesClassic(Piggles):
    """Piggles Classic under the house rules of one table."""

    rules: HouseRules = field(default_factory=HouseRules)

    @property
    def name(self) -> str:
        """The name under which the registry knows this game."""
        return "piggles_classic"

    @property
    def max_length(self) -> int:
        """The most actions and outcomes together: each turn a load, a roll and its rerolls."""
        turns = 2 * self.rules.rounds
        # Every two sudden rolls that count, or one that does not, cost a reroll or end the game.
        return turns * (2 + self.rules.reroll_cap) + 2 * (self.rules.sudden_cap + 1)

    def turn(self, state: Position) -> Turn:
        """Return whose turn it is."""
        if state.result is not None:
            return NonPlayer.OVER
        return state.active if state.phase is Phase.LOAD else NonPlayer.CHANCE

    def legal_actions(self, state: Position) -> tuple[PigglesAction, ...]:
        """Return every load, fewest Piggles first, and last to concede (R8, R18)."""
        turn = self.turn(state)
        return (*loads(state, turn), Concede()) if isinstance(turn, Seat) else ()

    def _play(self, state: Position, action: Load | Act | Done) -> list[Step]:
        if not isinstance(action, Load):
            raise IllegalActionError(
                "a load, for Classic knows no effects",
                got=self.format_action(action),
                remedy="load A1 A3, skip or concede",
                rule="R6",
            )
        return after_load(state, action, self.rules)

    def _land(self, state: Position, outcome: RollResult) -> list[Step]:
        return after_roll(state, outcome, self.rules)
