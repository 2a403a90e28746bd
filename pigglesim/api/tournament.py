"""Tournaments of agents, in pairs of matches with swapped seats, rated with intervals."""

import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import any_outside
from pigglesim.api.names import Player, expect_player
from pigglesim.api.sources import player_settings
from pigglesim.arguments import StoppableResult, checked, given, plain
from pigglesim.durable_io import FIGURES, expect_suffix, write_target
from pigglesim.errors import SpecError
from pigglesim.experiments.statistics import Share
from pigglesim.experiments.tournament import (
    AgentStanding,
    MatchPair,
    MatchupStanding,
    Standings,
    Tournament,
    TournamentFolder,
    TournamentSettings,
    not_compared,
    open_folder,
    standings,
    table_of_sent,
)
from pigglesim.games.game import Game
from pigglesim.games.piggles.state import team as ids
from pigglesim.games.registry import find
from pigglesim.landing import BOARD_SEATS
from pigglesim.limits import LEVEL, Limits
from pigglesim.match.own_games import load_named_game
from pigglesim.notebook_display import displayed
from pigglesim.rng import Seed, root_seed
from pigglesim.scene.load import load_team, markings

PAIRS = Limits(1, 10**7)
"""Pairs of matches for every two agents."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TournamentResult(StoppableResult):
    """Standings after some pairs of matches; every number has its interval."""

    tournament: Tournament
    """Tournament: its agents, game and seed."""
    standings: Standings = field(repr=False)
    pairs: tuple[MatchPair, ...] = field(repr=False)
    """Pairs that were played, in order."""
    wanted: int
    """Number of pairs that were requested, of all agents together."""
    existing: int
    """Number of pairs that were in the folder before."""
    digest: str
    """SHA-256 of everything that decides the results."""
    not_compared: tuple[str, ...] = ()
    """Agents whose code is not known, so that no digest shows whether it has changed."""
    folder: Path | None = None
    """Folder of the pairs, if they are stored."""
    level: float = 0.95
    """Confidence level of the intervals."""

    @property
    def _progress(self) -> tuple[int, int, str]:
        return len(self.pairs), self.wanted, "pairs"

    @property
    def agents(self) -> tuple[AgentStanding, ...]:
        """Standing of each agent against all others, best first."""
        return self.standings.agents

    @property
    def matchups(self) -> tuple[MatchupStanding, ...]:
        """Standing of every two agents against each other, the better first."""
        return self.standings.matchups

    @property
    def seat_a(self) -> Share:
        """Share of the points that seat A made: the value of moving first."""
        return self.standings.seat_a

    def document(self) -> dict[str, Any]:
        """Return the standings as JSON values; unknown values are None."""
        return {
            "tournament": self.tournament.definition(),
            "digest": self.digest,
            "pairs": len(self.pairs),
            "pairs_kept": self.existing,
            "pairs_made": len(self.pairs) - self.existing,
            "finished": self.finished,
            "unfinished": self.unfinished or None,
            "not_compared": list(self.not_compared),
            "standings": plain(asdict(self.standings)),
        }

    @checked
    def save(self, file: str | PathLike[str]) -> Path:
        """Write the standings to a file: `.json`, or a chart in `.png` or `.svg`.

        Returns:
            The path of the file.

        Raises:
            PigglesimError: If the suffix is unknown, or the file cannot be written.
        """
        path = Path(file)
        expect_suffix(path, (*FIGURES, ".json"))
        if path.suffix.lower() == ".json":
            write_target(path, self.to_json() + "\n")
        else:
            _save_chart(self, path)
        return path

    def __repr__(self) -> str:
        agents = [f"{each.name} {each.share} of the points" for each in self.agents]
        pairs = f"{len(self.pairs):,} pairs{'' if self.finished else ', unfinished'}"
        parts = [self.tournament.game, *agents, pairs, f"seed {self.tournament.seed}"]
        return f"TournamentResult({'; '.join(parts)})"

    def _repr_html_(self) -> str | None:
        return displayed("standings_html", self.standings)


def _save_chart(result: TournamentResult, file: Path) -> None:
    """Draw ratings and shares into a PNG or SVG file."""
    from pigglesim.render.charts import draw_ratings  # noqa: PLC0415 (draws)
    from pigglesim.render.figure import save_figure  # noqa: PLC0415 (draws)

    game = " ".join(result.tournament.game.split("_")).capitalize()
    title = f"{game}, {result.tournament.chance} chance"
    save_figure(draw_ratings(result.standings, game=title, level=result.level), file)


def settled_rules(
    game: str, house_rules: Mapping[str, Any], *, team: str | None, players: int | None
) -> dict[str, Any]:
    """Return house rules with those that a team in Modern and a number of players mean.

    Raises:
        SpecError: If the team is unknown, or the game has no such team or number of players.
    """
    rules = {**house_rules, **_team_rules(game, team)}
    return rules | player_settings(game, players, rules)


def _team_rules(game: str, team: str | None) -> dict[str, object]:
    """Return the house rules of Modern that give both seats the markings of a team."""
    if team is None:
        return {}
    if game != "piggles_modern":
        raise SpecError(
            f"a team in a tournament of {game}", expected="piggles_modern", fix="leave --team out"
        )
    models = load_team(team).models
    return markings(
        {piggle: at for seat in BOARD_SEATS for piggle, at in zip(ids(seat), models, strict=True)}
    )


@checked
def tournament(
    agents: Sequence[Player],
    *,
    pairs: Annotated[int, PAIRS] = 100,
    game: str | Game[Any, Any] = "piggles_classic",
    house_rules: Mapping[str, Any] | None = None,
    players: int | None = None,
    team: str | None = None,
    position: str | None = None,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | PathLike[str] | None = None,
    scene: str | PathLike[str] | None = None,
    engine: str | None = None,
    seed: Seed = None,
    out: str | PathLike[str] | None = None,
    records: bool = False,
    workers: int = 1,
    time_limit: float | None = None,
    level: Annotated[float, LEVEL] = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> TournamentResult:
    """Let every two agents play pairs of matches, with the same dice and swapped seats.

    An interruption (Ctrl-C) ends the run early: the pairs played so far are reported and saved.
    The number of workers changes no bit.

    Args:
        agents: Names, such as `["greedy", "mcts:nodes=200"]`, or your own agents with distinct
            names. If any of these cannot be pickled, only this process plays.
        pairs: Pairs of matches for every two agents. Default: 100.
        game: Name in `known().games`.
        house_rules: House rules by name, such as `{"mud_delay": "none"}`.
        players: Number of players, if the game allows several.
        team: Markings of both teams in Modern: a team or its TOML file.
        position: State to play every match from, as `Game.format_state` writes it. Default: the
            initial state.
        chance: Source of rolls. Default: the game's quickest.
        odds: Odds of `tabular` chance and of agents that search: a file, or a model.
        scene: Table of `physical` chance: a name or a path to a TOML file.
        engine: Engine of `physical` chance.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        out: Folder to store pairs in; an existing tournament there is resumed.
        records: Whether to save a record of each match there.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        time_limit: Time limit of a decision [s]. Default: none.
        level: Confidence level of the intervals.
        progress: Function called after each pair with the numbers of pairs played and wanted.

    Returns:
        The standings.

    Raises:
        PigglesimError: If a name is unknown, a value or the position is invalid, or the folder
            holds another tournament, is in use or cannot be written.

    Examples:
        >>> import pigglesim
        >>> cup = pigglesim.tournament(["greedy", "uniform"], pairs=5, seed=1)
        >>> print(cup.seat_a)
    """
    if records and out is None:
        raise SpecError("no folder for the records", fix="use out='cup'")
    name, own_rules = load_named_game(game)
    rules = {**own_rules, **(house_rules or {})}
    files = {name: str(path) for name, path in given(odds=odds, scene=scene).items()}
    invited = list(agents)
    own_agents = _own_agents(invited)
    definition = Tournament(
        **{
            "agents": [each if isinstance(each, str) else each.name for each in invited],
            "own_agents": list(own_agents),
            "game": name,
            "house_rules": settled_rules(name, rules, team=team, players=players),
            "position": position,
            "chance": chance or find(name).chances[-1],
            "seed": root_seed(seed, secret=any_outside(invited)),
            "records": records,
            **files,
            **given(engine=engine, time_limit=time_limit),
        }
    )

    def on_progress(folder: TournamentFolder) -> None:
        if progress is not None:
            progress(len(folder.items), pairs * len(definition.matchups))

    temporary = TemporaryDirectory(prefix="pigglesim-") if out is None else nullcontext(out)
    with temporary as folder:
        result = run_tournament(
            definition,
            Path(folder),
            own_agents=own_agents,
            pairs=pairs,
            workers=workers,
            level=level,
            watching=lambda _: nullcontext(on_progress),
        )
    return result if out is not None else replace(result, folder=None)


Watching = Callable[[TournamentFolder], AbstractContextManager[Callable[[TournamentFolder], None]]]
"""Function called with the folder; its context is that of the work, and gives what watches it."""


def run_tournament(
    definition: Tournament,
    folder: Path,
    *,
    own_agents: Mapping[str, Agent] = MappingProxyType({}),
    pairs: int,
    workers: int = 1,
    level: float,
    watching: Watching,
) -> TournamentResult:
    """Play every pair that is missing from a folder, and return the results so far.

    `own_agents` are the agents that are objects. `tournament` describes the other arguments.

    Raises:
        KeyboardInterrupt: If it is stopped before the first pair.
    """
    workers, total = _usable_workers(own_agents, workers), pairs * len(definition.matchups)
    own_agents = dict(own_agents)  # no other mapping reaches another process
    prepare = partial(TournamentSettings, definition, own_agents)
    if own_agents and workers > 1:
        prepare = partial(table_of_sent, definition, pickle.dumps(own_agents))
    settings = TournamentSettings(definition, own_agents)
    with open_folder(folder, definition, settings.made_of(), pairs=pairs) as opened:
        existing = len(opened.items)
        with suppress(KeyboardInterrupt):
            if existing < total:
                settings.solve(_solving_noted())
            with watching(opened) as watch:
                opened.play(prepare, wanted=total, workers=workers, watch=watch)
        if not opened.items:
            raise KeyboardInterrupt
        return TournamentResult(
            tournament=definition,
            standings=standings(definition, opened.items, level=level),
            pairs=tuple(opened.items),
            wanted=total,
            existing=existing,
            digest=opened.digest,
            not_compared=not_compared(opened.made_of),
            folder=folder,
            level=level,
        )


def _solving_noted() -> Callable[[float], None]:
    """Return a function that says on standard error, once, that a game is solved."""
    noted: list[float] = []

    def note(gap: float) -> None:
        if not noted:
            sys.stderr.write("pigglesim: solving the game for its luck, once ...\n")
        noted.append(gap)

    return note


def _own_agents(players: Sequence[Player]) -> dict[str, Agent]:
    """Return the agents that are given as objects, by name."""
    objects: dict[str, Agent] = {}
    for player in players:
        expect_player(player)
        if isinstance(player, str):
            continue
        if player.name in objects or player.name in players:
            raise SpecError(
                f"two agents named {player.name!r}", fix="give each object a `name` of its own"
            )
        objects[player.name] = player
    return objects


def _usable_workers(own_agents: Mapping[str, Agent], workers: int) -> int:
    """Return the number of processes; 1 if agents cannot be pickled, with a note of the reason."""
    if workers == 1 or not own_agents:
        return workers
    main = sys.modules["__main__"]
    try:
        pickle.loads(pickle.dumps(dict(own_agents)))
    except Exception as fault:
        reason = f"{type(fault).__name__}: {fault}"
    else:
        unimportable = [each for each in own_agents.values() if type(each).__module__ == "__main__"]
        if not unimportable or getattr(main, "__file__", None):
            return workers
        reason = f"the class {type(unimportable[0]).__name__} is in no file that they could import"
    sys.stderr.write(f"pigglesim: one process plays: workers cannot load the agents: {reason}\n")
    return 1
