"""Results of other decisions: branch off from a match at a decision, and play on many times."""

from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from pigglesim.agents.agent import Agent, without_conceding
from pigglesim.api.match import PlayedMatch
from pigglesim.api.names import Player, expect_player
from pigglesim.api.sources import agents_of_record, make_source
from pigglesim.arguments import JsonResult, checked, plain
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import Share, binomial, mean_of
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import distinct
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Seat
from pigglesim.limits import Limits
from pigglesim.match.entries import Header, MatchRecord
from pigglesim.match.record import write_records
from pigglesim.match.replay import BranchPoint, branch_at, branch_seed
from pigglesim.match.runner import ChanceSource
from pigglesim.rng import Seed, root_seed

TIMES = Limits(1, 10**6)
"""Matches per action."""
_QUICK_MATCHES = 2000
"""Number of matches by odds that take less time than starting workers."""


@dataclass(slots=True, kw_only=True)
class WhatIfTally:
    """Counts of the results of one action."""

    wins: dict[str, int]
    draws: int = 0
    scores: dict[str, list[int]] = field(default_factory=dict)

    def add(self, record: MatchRecord) -> None:
        """Count one finished match."""
        result = record.footer.result
        if result is None or result.winner is None:
            self.draws += 1
        else:
            self.wins[str(result.winner)] += 1
        for seat, score in record.footer.scores.items():
            self.scores[str(seat)].append(score)

    @property
    def trials(self) -> int:
        """Number of matches counted."""
        return self.draws + sum(self.wins.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """Results of one action, with confidence intervals."""

    action: str
    """Action in the notation of the game."""
    matches: int
    shares: Mapping[str, Share]
    """Share of each result: `A wins` and so on, and `draw`."""
    mean_scores: Mapping[str, Interval]
    """Mean score of each seat."""

    @classmethod
    def of(cls, action: str, tally: WhatIfTally) -> "ActionResult":
        """Return the results of a tally of at least one match, with 95 % intervals."""
        counts = {f"{seat} wins": count for seat, count in tally.wins.items()}
        counts["draw"] = tally.draws
        return cls(
            action=action,
            matches=tally.trials,
            shares={name: binomial(count, tally.trials) for name, count in counts.items()},
            mean_scores={
                seat: mean_of(np.array(scores, float)) for seat, scores in tally.scores.items()
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """Match at a decision, with the actions to branch into, ready to be played on."""

    point: BranchPoint
    actions: tuple[str, ...]
    """Actions without repetition, in the notation of the game."""
    agents: Mapping[Seat, Agent]
    source: Callable[[int], ChanceSource]
    """Function that makes a source of chance from a seed."""
    chance: str
    """Kind of that source."""
    seed: int
    made_from: Mapping[str, Any]
    """Arguments of `branches_at`, from which another process rebuilds the branches."""

    def __reduce__(self) -> tuple[Callable[[], "Branches"], tuple[()]]:
        """Rebuild the branches in another process."""
        return partial(branches_at, **self.made_from), ()

    def _play(self, times: int, workers: int) -> Generator[tuple[str, MatchRecord], None, None]:
        """Yield each action with a match played on from it, trial by trial."""
        players = (self.made_from["agents"] or {}).values()
        by_name = all(isinstance(player, str) for player in players if player)
        quick = self.chance != "physical" and times * len(self.actions) < _QUICK_MATCHES
        if not by_name or quick:
            workers = 1
        jobs = product(range(times), self.actions)
        yield from map_in_order(partial(partial, _play_trial, self), jobs, workers=workers)

    def play_all(
        self,
        times: int,
        *,
        workers: int = 1,
        out: Path | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> "WhatIfResult":
        """Play on from each action, and write the matches to `out`; see `what_if`."""
        seats = [str(seat) for seat in self.point.record.footer.scores]
        tallies = {
            action: WhatIfTally(wins=dict.fromkeys(seats, 0), scores={seat: [] for seat in seats})
            for action in self.actions
        }

        def played() -> Generator[MatchRecord, None, None]:
            with closing(self._play(times, workers)) as matches:
                for done, (action, match) in enumerate(matches, start=1):
                    yield match
                    # Count only what has been written: file and table then have the same matches.
                    tallies[action].add(match)
                    if progress is not None:
                        progress(done, times * len(tallies))

        try:
            if out is not None:
                write_records(played(), out)
            else:
                deque(played(), maxlen=0)
        except KeyboardInterrupt:
            if not any(tally.trials for tally in tallies.values()):
                raise
        recorded = self.point.decision
        return WhatIfResult(
            decision=recorded.index,
            seat=str(recorded.seat),
            recorded=recorded.action,
            state=self.point.game.format_state(self.point.before.state),
            agents={str(seat): agent.name for seat, agent in self.agents.items()},
            chance=self.chance,
            seed=self.seed,
            finished=all(tally.trials >= times for tally in tallies.values()),
            actions=tuple(
                ActionResult.of(action, tally) for action, tally in tallies.items() if tally.trials
            ),
        )


def _play_trial(branches: Branches, job: tuple[int, str]) -> tuple[str, MatchRecord]:
    """Return the action of a trial, and the match played on from it."""
    trial, action = job
    seed = branch_seed(branches.seed, trial)
    played = branches.point.play_on(
        action, agents=branches.agents, chance=branches.source(seed), seed=seed
    )
    return action, played.record


def branches_at(
    record: MatchRecord,
    decision: int,
    *,
    actions: Sequence[str] = (),
    chance: str | None = None,
    odds: str | None = None,
    agents: Mapping[str, Player | None] | None = None,
    seed: int,
) -> Branches:
    """Return the branches of a recorded match at a decision; `what_if` describes the arguments."""
    for player in (agents or {}).values():
        if player is not None:
            expect_player(player)
    point = branch_at(record, decision)
    chances = find(record.header.game).chances
    kind = chance or ("tabular" if odds else chances[-1])
    return Branches(
        point=point,
        actions=tuple(dict.fromkeys(map(point.canonical, actions))) or distinct_actions(point),
        agents=agents_of_record(record.header, record.footer.scores, agents),
        source=source_like(record.header, kind, odds),
        chance=kind,
        seed=seed,
        made_from={
            "record": record,
            "decision": decision,
            "actions": tuple(actions),
            "chance": chance,
            "odds": odds,
            "agents": agents,
            "seed": seed,
        },
    )


def distinct_actions(point: BranchPoint) -> tuple[str, ...]:
    """Return the legal actions that can differ in their results, in the order of the game.

    Conceding is left out, because its result is known. One of several equivalent actions represents
    them, the recorded one if it is among them: in Classic, a load represents all loads of as many
    Piggles of each model.
    """
    game, models = point.game, dict(point.record.header.teams)
    legal = without_conceding(game.legal_actions(point.before.state))
    recorded = [each for each in legal if game.format_action(each) == point.decision.action]

    def representative(action: Any) -> Any:  # noqa: ANN401 (an action of the game)
        both = [*recorded, action]
        return both[0] if len(distinct(game, both, models)) == 1 else action

    return tuple(game.format_action(representative(each)) for each in distinct(game, legal, models))


def source_like(header: Header, kind: str, odds: str | None) -> Callable[[int], ChanceSource]:
    """Return a function from a seed to a source of this kind; like the record's if of its kind.

    Raises:
        SpecError: If the kind, the odds or the models do not fit the match.
    """
    recorded = header.chance if kind == header.chance.get("source") else {}
    model = header.chance.get("model")
    if kind == "tabular" and odds is None and isinstance(model, str):
        odds = model
    return make_source(
        make_game(header.game, dict(header.house_rules)),
        kind,
        scene=str(recorded.get("scene", "piggles_classic")),
        models=header.teams,
        engine=str(recorded["engine"]) if "engine" in recorded else None,
        seed=0,
        odds=odds,
    ).with_seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WhatIfResult(JsonResult):
    """Results of each action at one decision of a match; every number has its interval."""

    decision: int
    seat: str
    """Seat that decided."""
    recorded: str
    """Action that was recorded."""
    state: str = field(repr=False)
    """State of the game at the decision, in its notation."""
    agents: Mapping[str, str]
    """Agents that play on, by seat."""
    chance: str
    """Kind of the source of rolls."""
    seed: int
    finished: bool
    """True if all requested matches were played."""
    actions: tuple[ActionResult, ...] = field(repr=False)
    """Results of the actions with at least one match, in the order of the game."""

    def document(self) -> dict[str, Any]:
        """Return the results as JSON values; unknown values are None."""
        document: dict[str, Any] = plain(asdict(self))
        return document | {"level": 0.95}

    def __repr__(self) -> str:
        wins = f"{self.seat} wins"
        counts = [f"{each.action}: {each.shares[wins]} of {each.matches}" for each in self.actions]
        head = f"decision {self.decision}, {wins}"
        return f"WhatIfResult({'; '.join([head, *counts, f'seed {self.seed}'])})"


@checked
def what_if(
    match: MatchRecord | PlayedMatch,
    decision: int,
    *,
    actions: Sequence[str] = (),
    times: Annotated[int, TIMES] = 100,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    agents: Mapping[str, Player | None] | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> WhatIfResult:
    """Branch off from a match at a decision, try each action, and play on many times.

    Trial k has the same random numbers for every action. An interruption (Ctrl-C) ends the run
    early: the matches played so far are reported.

    Args:
        match: Match, or its record.
        decision: Number of the decision, from 0.
        actions: Actions in the notation of the game. Default: each legal action except conceding,
            and in Classic one load for each number of Piggles of a model.
        times: Matches per action.
        chance: Source of rolls from there. Default: the game's quickest; odds for Piggles.
        odds: File of `tabular` odds, or a model that has odds.
        agents: Agents by seat in place of the recorded ones: names, or your own agents.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        workers: Number of processes; the result does not depend on it. Your own agents play only
            in this process.
        progress: Function called after each match with the numbers of matches played and wanted.

    Returns:
        Shares of results with Wilson intervals and mean scores with Student intervals, by action.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance is invalid.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.what_if(match, 4, actions=["skip"], times=20, seed=1)
    """
    record = match.record if isinstance(match, PlayedMatch) else match
    branches = branches_at(
        record,
        decision,
        actions=actions,
        chance=chance,
        odds=odds,
        agents=agents,
        seed=root_seed(seed),
    )
    return branches.play_all(times, workers=workers, progress=progress)
