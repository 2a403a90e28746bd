"""What would have come of another decision: a match taken up there, and played on many times."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.api.match import PlayedMatch
from pigglesim.api.names import Player, expect_player
from pigglesim.api.result import Result, plain
from pigglesim.api.sources import agents_of_record, make_source
from pigglesim.arguments import checked
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Header, MatchRecord, Status
from pigglesim.match.replay import BranchPoint, branch_at, branch_seed
from pigglesim.match.runner import ChanceSource
from pigglesim.rng import Seed, root_seed
from pigglesim.studies.statistics import Interval, Share, binomial, mean_of
from pigglesim.studies.worker_pool import map_in_order

_FEW = 2000
"""Matches by odds that are played sooner than workers have started."""


@dataclass(slots=True, kw_only=True)
class WhatIfTally:
    """What came of one action."""

    wins: dict[str, int]
    draws: int = 0
    scores: dict[str, list[int]] = field(default_factory=dict)

    def add(self, record: MatchRecord) -> None:
        """Count one match that was played to its end."""
        result = record.footer.result
        if result is None or result.winner is None:
            self.draws += 1
        else:
            self.wins[str(result.winner)] += 1
        for seat, score in record.footer.scores.items():
            self.scores[str(seat)].append(score)

    @property
    def trials(self) -> int:
        """How many matches have been counted."""
        return self.draws + sum(self.wins.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """What came of one action, with intervals."""

    action: str
    """In the notation of the game."""
    matches: int
    shares: Mapping[str, Share]
    """Of `A wins` and so on, and of `draw`."""
    mean_scores: Mapping[str, Interval]
    """Of each seat."""

    @classmethod
    def of(cls, action: str, tally: WhatIfTally) -> "ActionResult":
        """Return what a tally of one match or more says, at 95 %."""
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
    """A match taken up at a decision, ready to be played on."""

    point: BranchPoint
    actions: tuple[str, ...]
    """Each once, as the game writes them."""
    agents: Mapping[Seat, Agent]
    source: Callable[[int], ChanceSource]
    """Makes a source of chance from a seed."""
    chance: str
    """What kind of source that is."""
    seed: int
    made_from: Mapping[str, Any]
    """What `branches_at` made it from, by which it goes to another process."""

    def __reduce__(self) -> tuple[Callable[[], "Branches"], tuple[()]]:
        """Make it again in another process."""
        return partial(branches_at, **self.made_from), ()

    def tallies(self) -> dict[str, WhatIfTally]:
        """Return a tally of nothing for each action."""
        seats = [str(seat) for seat in self.point.record.footer.scores]
        return {
            action: WhatIfTally(wins=dict.fromkeys(seats, 0), scores={seat: [] for seat in seats})
            for action in self.actions
        }

    def play(
        self, times: int, *, workers: int = 1
    ) -> Generator[tuple[str, MatchRecord], None, None]:
        """Yield each action with a match that was played on from it, trial by trial.

        Raises:
            KeyboardInterrupt: If a match is interrupted; it is not one of those yielded.
        """
        named = all(
            isinstance(each, str) for each in (self.made_from["agents"] or {}).values() if each
        )
        if not named or (self.chance != "physical" and times * len(self.actions) < _FEW):
            workers = 1
        jobs = product(range(times), self.actions)
        yield from map_in_order(partial(partial, _play_trial, self), jobs, workers=workers)


def _play_trial(branches: Branches, job: tuple[int, str]) -> tuple[str, MatchRecord]:
    """Return the action of a trial, and the match that was played on from it."""
    trial, action = job
    seed = branch_seed(branches.seed, trial)
    played = branches.point.play_on(
        action, agents=branches.agents, chance=branches.source(seed), seed=seed
    )
    if played.record.footer.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
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
    """Return a recorded match taken up at a decision; `what_if` tells of the arguments.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.
    """
    for player in (agents or {}).values():
        if player is not None:
            expect_player(player)
    point = branch_at(record, decision)
    known = find(record.header.game).chances
    kind = chance or ("tabular" if odds else known[-1])
    return Branches(
        point=point,
        actions=tuple(dict.fromkeys(map(point.canonical, actions))) or distinct_actions(point),
        agents=agents_of_record(record.header, record.footer.scores, agents),
        source=_sources(record.header, kind, odds),
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
    """Return the legal actions that are worth trying, in the order of the game.

    To concede is not one of them: its result is known. In Classic, Piggles of one model in the Pen
    are alike: of the loads of the same models one stands for all, the recorded one if it is among
    them.
    """
    models = dict(point.record.header.teams)
    found: dict[object, str] = {}
    for action in point.game.legal_actions(point.begun.state):
        text, like = point.game.format_action(action), action
        if isinstance(action, Concede):
            continue
        if isinstance(action, Load) and isinstance(point.game, PigglesClassic):
            like = tuple(sorted(models.get(name, "") for name in action.piggles))
        if like not in found or text == point.decision.action:
            found[like] = text
    return tuple(found.values())


def _sources(header: Header, kind: str, odds: str | None) -> Callable[[int], ChanceSource]:
    """Return what makes a source of chance from a seed, as of the record where it is of a kind."""
    known = header.chance if kind == header.chance.get("source") else {}
    model = header.chance.get("model")
    if kind == "tabular" and odds is None and isinstance(model, str):
        odds = model
    return make_source(
        make_game(header.game, dict(header.house_rules)),
        kind,
        scene=str(known.get("scene", "piggles_classic")),
        models=header.teams,
        engine=str(known["engine"]) if "engine" in known else None,
        seed=0,
        odds=odds,
    ).with_seed


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WhatIfResult(Result):
    """What came of each action at one decision of a match; every number has its interval."""

    decision: int
    seat: str
    """Who decided."""
    recorded: str
    """What was decided."""
    seed: int
    finished: bool
    """Whether all matches that were asked for were played."""
    actions: tuple[ActionResult, ...] = field(repr=False)
    """Those of which a match was played, in the order of the game."""

    def document(self) -> dict[str, Any]:
        """Return it as plain values; what is not known is None."""
        found: dict[str, Any] = plain(asdict(self))
        return found

    def __repr__(self) -> str:
        wins = f"{self.seat} wins"
        told = [f"{each.action}: {each.shares[wins]} of {each.matches}" for each in self.actions]
        head = f"decision {self.decision}, {wins}"
        return f"WhatIfResult({'; '.join([head, *told, f'seed {self.seed}'])})"


@checked
def what_if(
    match: MatchRecord | PlayedMatch,
    decision: int,
    *,
    actions: Sequence[str] = (),
    times: int = 100,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    agents: Mapping[str, Player | None] | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> WhatIfResult:
    """Take up a match at a decision, put in each action, and play on many times.

    Trial k has the same luck for every action, which sharpens their differences. An interruption
    (Ctrl-C) ends it early: what was played by then is told.

    Args:
        match: The match, or its record.
        decision: Number of the decision, from 0.
        actions: In the notation of the game; if none is given, each legal one but to concede, and
            in Classic one load for each number of Piggles of a model.
        times: Matches of each action.
        chance: Source of rolls from there; if None the quickest of the game, odds for Piggles.
        odds: The file of `tabular` odds, or the model they come with.
        agents: By seat, who plays on in place of the recorded one: a name, or an agent of your own.
        seed: Root seed, or a stream to draw it from; a fresh one if None, which the result holds.
        workers: Number of processes; the result does not depend on it. Agents of your own play in
            this one alone.
        progress: Called after each match with how many are played and how many are wanted.

    Returns:
        Shares of results with Wilson's intervals and mean scores with Student's, by action.

    Raises:
        PigglesimError: If the decision, an action, an agent or the chance asked for is wrong.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.what_if(match, 4, actions=["skip"], times=20, seed=1)
    """
    if times < 1:
        raise SpecError("1 match or more of each action", got=str(times), remedy="times=100")
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
    tallies, done, wanted = branches.tallies(), 0, times * len(branches.actions)
    try:
        with closing(branches.play(times, workers=workers)) as matches:
            for action, played in matches:
                tallies[action].add(played)
                done += 1
                if progress is not None:
                    progress(done, wanted)
    except KeyboardInterrupt:
        if not done:
            raise
    decided = branches.point.decision
    return WhatIfResult(
        decision=decided.index,
        seat=str(decided.seat),
        recorded=decided.action,
        seed=branches.seed,
        finished=done == wanted,
        actions=tuple(
            ActionResult.of(action, tally) for action, tally in tallies.items() if tally.trials
        ),
    )
