"""Trials played: teams put together, exchanged, and matches watched."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import make_agent
from pigglesim.balance.study import (
    PREMIUM,
    BalanceSetting,
    BalanceStudy,
    Cell,
    Subject,
    TrialTeam,
    teams_of,
)
from pigglesim.balance.trial import Accountant, Trial, TrialResult
from pigglesim.chance.odds import Odds, load_odds
from pigglesim.chance.tabular import TabularChance, check_by_odds
from pigglesim.errors import RecordError, SpecError
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.modern import PigglesModern
from pigglesim.games.piggles.state import format_piece, lineup, team
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import Status
from pigglesim.match.runner import play
from pigglesim.rng import generator
from pigglesim.series import run as series
from pigglesim.series.folder import SeriesFolder, SeriesKind, stored_definition, stored_items
from pigglesim.tournaments.tournament import ChanceKind
from pigglesim.version import __version__

if TYPE_CHECKING:
    from pigglesim.chance.physical import PhysicalChance


_PLAIN = "piggle"
"""The model that every Piggle is of, if it is not in question."""


class ScoreTable:
    """Everything that the names of a study stand for, ready to be played with.

    Agents believe in the odds of the plain model, whatever is thrown.

    Args:
        study: What is played.

    Raises:
        SpecError: If a name is unknown, or a file is at fault.
    """

    def __init__(self, study: BalanceStudy) -> None:
        self.study = study
        self._belief = TabularChance(seed=0, odds=load_odds(_PLAIN))
        self._games: dict[str, Piggles] = {name: self._game(name) for name in study.games}
        self._agents: dict[tuple[str, str], Agent] = {
            (name, agent): make_agent(agent, game=game, chance=self._belief)
            for name, game in self._games.items()
            for agent in study.agents
        }
        self._chances: dict[frozenset[str], TabularChance | PhysicalChance] = {}
        self.made_of()

    def _game(self, name: str) -> Piggles:
        game = make_game(name, self.study.house_rules)
        if not isinstance(game, Piggles):
            raise SpecError("a game of Piggles", got=repr(name), remedy="piggles_modern")
        return game

    @cached_property
    def _premium(self) -> Odds:
        return load_odds(PREMIUM)

    def made_of(self) -> dict[str, Any]:
        """Return what results depend on beside the definition."""
        every = frozenset(team(Seat.A)) if self._asks_premium else frozenset()
        source = self._chance(every).provenance()
        return {
            "pigglesim": __version__,
            "numpy": np.__version__,
            "repeats": {str(subject): subject.repeats for subject in Subject},
            "belief_sha256": self._belief.odds.sha256,
            # Each trial has a seed of its own.
            "chance": {name: value for name, value in source.items() if name != "seed"},
        }

    @property
    def _asks_premium(self) -> bool:
        return any(cell.part.subject is Subject.PREMIUM for cell in self.study.cells)

    def __call__(self, index: int) -> Trial:
        """Return trial number `index`, played.

        Raises:
            KeyboardInterrupt: If a match was stopped; nothing of the trial is kept.
            PigglesimError: If an agent did something illegal.
        """
        setting = self.study.setting(index)
        part = setting.cell.part
        rng = generator(setting.seed, "teams", part.name)
        own, other = teams_of(part, rng=rng)
        orders = ((own, other), (other, own))[: part.subject.matches]
        worn = tuple(tuple(format_piece(piece) for piece in each.pieces) for each in (own, other))
        return Trial(
            index=index,
            seed=setting.seed,
            matches=tuple(
                self._match(setting, a, b, own=seat)
                for (a, b), seat in zip(orders, Seat, strict=False)
            ),
            teams=worn if part.subject is Subject.TEAMS else (),
        )

    def _match(
        self, setting: BalanceSetting, a: TrialTeam, b: TrialTeam, *, own: Seat
    ) -> TrialResult:
        """Return the match of two teams, the one in question in seat `own`."""
        cell = setting.cell
        game = self._dressed(self._games[cell.game], {Seat.A: a, Seat.B: b})
        agent = self._agent(cell, game)
        premium = frozenset(
            piggle
            for seat, each in ((Seat.A, a), (Seat.B, b))
            for piggle, model in zip(team(seat), each.models, strict=True)
            if model is not None
        )
        accountant = Accountant(game) if cell.part.subject.accounts else None
        played = play(
            game,
            agents=dict.fromkeys(BOARD_SEATS, agent),
            chance=self._seeded(self._chance(premium), setting.seed),
            seed=setting.seed,
            on_event=accountant,
            forfeits=False,
        )
        footer = played.record.footer
        if footer.status is Status.INTERRUPTED or footer.result is None:
            raise KeyboardInterrupt
        winner = footer.result.winner
        return TrialResult(
            points=0.5 if winner is None else float(winner is own),
            scores=(footer.scores[own], footer.scores[own.other]),
            reason=str(footer.result.reason),
            account=accountant.account() if accountant else None,
        )

    def _dressed(self, game: Piggles, teams: Mapping[Seat, TrialTeam]) -> Piggles:
        """Return the game with what its Piggles wear; in Classic that means nothing."""
        if not isinstance(game, PigglesModern):
            return game
        worn = lineup({seat: each.pieces for seat, each in teams.items()})
        return PigglesModern(table=EffectOptions(rules=game.rules, lineup=worn))

    def _agent(self, cell: Cell, game: Piggles) -> Agent:
        """Return who plays; who thinks ahead must know this very game."""
        if game is self._games[cell.game]:
            return self._agents[cell.game, cell.agent]
        return make_agent(cell.agent, game=game, chance=self._belief)

    def _chance(self, premium: frozenset[str]) -> "TabularChance | PhysicalChance":
        """Return what rolls when these Piggles are Premium."""
        if premium not in self._chances:
            match self.study.chance:
                case ChanceKind.TABULAR:
                    for game in self._games.values():
                        check_by_odds(game)
                    self._chances[premium] = TabularChance(
                        seed=0,
                        odds=self._belief.odds,
                        of_piggles=dict.fromkeys(sorted(premium), self._premium),
                    )
                case _:
                    self._chances[premium] = _physics(self.study, premium)
        return self._chances[premium]

    def _seeded(
        self, chance: "TabularChance | PhysicalChance", seed: int
    ) -> "TabularChance | PhysicalChance":
        if isinstance(chance, TabularChance):
            return chance.with_seed(seed)
        return replace(chance, seed=seed)


def _physics(study: BalanceStudy, premium: frozenset[str]) -> "PhysicalChance":
    """Return the physics of a study; tables of odds do without what it imports."""
    from pigglesim.bodies.load import load_model  # noqa: PLC0415 (slow to import)
    from pigglesim.chance.physical import PhysicalChance  # noqa: PLC0415 (slow to import)
    from pigglesim.physics.engines import default_engine_name, make_engine  # noqa: PLC0415
    from pigglesim.scene.load import load_scene  # noqa: PLC0415 (slow to import)

    return PhysicalChance(
        scene=load_scene(study.scene),
        models={
            piggle: load_model(PREMIUM if piggle in premium else _PLAIN)
            for seat in BOARD_SEATS
            for piggle in team(seat)
        },
        engine=make_engine(study.engine or default_engine_name()),
        seed=0,
    )


_KIND = SeriesKind(
    series="balance",
    items="trials",
    read=Trial.from_json,
    made=frozenset({"report.html", "pictures"}),
)


def stored_study(path: Path) -> tuple[BalanceStudy, int]:
    """Return the study of a folder, and how many trials were last asked for.

    Raises:
        RecordError: If it is no folder of a balance study.
    """
    plain, trials = stored_definition(path, _KIND)
    try:
        return BalanceStudy.from_definition(plain), trials
    except (TypeError, ValueError, KeyError) as fault:
        raise RecordError(
            f"a {_KIND.definition} that can be read",
            got=f"that of {path}: {fault}",
            remedy="another folder",
        ) from None


def stored_trials(path: Path) -> list[Trial]:
    """Return all whole trials of a folder; nothing of it is changed."""
    return stored_items(path, _KIND)


def open_folder(path: Path, study: BalanceStudy, *, trials: int) -> SeriesFolder[Trial]:
    """Return the folder of a study, made if there is none, for one process to add trials to.

    Args:
        path: Where it is.
        study: What is played.
        trials: How many are asked for.

    Raises:
        RecordError: If the folder is of another study or in use.
        FolderError: If it cannot be written.
    """
    return SeriesFolder(path, _KIND, study.definition(), ScoreTable(study).made_of(), wanted=trials)


def run(
    folder: SeriesFolder[Trial],
    study: BalanceStudy,
    *,
    trials: int,
    workers: int = 1,
    watch: Callable[[SeriesFolder[Trial]], None] = lambda folder: None,
) -> None:
    """Play every trial that is missing, in order; how many workers there are changes no bit.

    Args:
        folder: Of the study.
        study: What is played.
        trials: How many there shall be.
        workers: Processes; with one all is done in this process.
        watch: Called after each trial.
    """
    series.run(folder, partial(ScoreTable, study), wanted=trials, workers=workers, watch=watch)
