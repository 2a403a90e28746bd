"""What if: a recorded match taken up at a decision, another action put in, and played on."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.agents.agent import Agent
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON, Game
from pigglesim.landing import Seat
from pigglesim.match.entries import Comment, Decision, MatchRecord
from pigglesim.match.replay import RecordPlayback, game_of
from pigglesim.match.runner import Begun, ChanceSource, Match, play
from pigglesim.rng import MAX_SEED, generator


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPoint:
    """A recorded match as it stood before one of its decisions."""

    record: MatchRecord
    game: Game[Any, Any]
    begun: Begun[Any]
    decision: Decision
    """What was decided there."""
    rolls: int
    """How many rolls had been made."""

    @property
    def actions(self) -> tuple[str, ...]:
        """Every legal action there, in the notation and order of the game."""
        legal = self.game.legal_actions(self.begun.state)
        return tuple(self.game.format_action(action) for action in legal)

    def canonical(self, action: str) -> str:
        """Return an action as the game writes it.

        Raises:
            SpecError: If the text is no action.
            IllegalActionError: If the rules forbid it here.
        """
        parsed = self.game.parse_action(action)
        self.game.apply_action(self.begun.state, parsed)
        return self.game.format_action(parsed)

    def play_on(
        self, action: str, *, agents: Mapping[Seat, Agent], chance: ChanceSource, seed: int
    ) -> Match[Any]:
        """Return the match that follows when `action` is taken here instead.

        Its record tells where it branched off: in a comment, and as its source of chance, since
        rolls before and after come from different ones.

        Args:
            action: In the notation of the game.
            agents: Who decides from then on.
            chance: What answers the rolls from then on.
            seed: Root seed of the agents' decisions.

        Raises:
            PigglesimError: If the action is illegal, or chance answers wrongly.
        """
        after = self.game.apply_action(self.begun.state, self.game.parse_action(action))
        told = f"branch at decision {self.decision.index}: {action} for {self.decision.action}"
        begun = self.begun.then(Comment(text=told), self.begun.state)
        begun = begun.then(replace(self.decision, action=action), after)
        teams = self.record.header.teams
        played = play(self.game, agents=agents, chance=chance, seed=seed, teams=teams, begun=begun)
        origin: dict[str, JSON] = {
            "source": "branch",
            "decision": self.decision.index,
            "rolls_before": self.rolls,
            "before": dict(self.record.header.chance),
            "after": chance.provenance(),
        }
        header = replace(played.record.header, chance=origin, date=self.record.header.date)
        return replace(played, record=replace(played.record, header=header))


def branch_at(record: MatchRecord, decision: int) -> BranchPoint:
    """Return a recorded match as it stood before a decision.

    Raises:
        SpecError: If there is no such decision.
        LocatedError: If the rules refuse an entry before it.
    """
    playback = RecordPlayback(game_of(record))
    for entry in record.entries:
        if isinstance(entry, Decision) and entry.index == decision:
            return BranchPoint(
                record=record,
                game=playback.game,
                begun=playback.begun(),
                decision=entry,
                rolls=playback.rolls,
            )
        playback.take(entry)
    raise SpecError(
        f"a decision from 0 to {len(record.decisions) - 1}",
        got=str(decision),
        remedy="--what-if 0; pigglesim replay FILE --decisions lists them",
    )


def branch_seed(root: int, trial: int) -> int:
    """Return the root seed of a trial; the same trial of every action has the same.

    Actions are so compared on the same luck, which sharpens their differences.
    """
    return int(generator(root, "what-if", trial).integers(MAX_SEED))
