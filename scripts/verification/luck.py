"""How much of each game is luck, and how much narrower are results without it?

Each row plays pairs of two agents under several seeds. It has the widths of both intervals of the
same pairs, and the share of the variance of single matches that luck explains: the square of the
correlation of result and luck. Their ranges are Student's intervals over the seeds; points are
those of all pairs together. Run it by hand (some minutes):

    python -m scripts.verification.luck docs/results/luck.md
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from pigglesim.experiments.statistics import mean_of
from pigglesim.experiments.tournament import (
    AgentStanding,
    MatchPair,
    Tournament,
    TournamentSettings,
    standings,
)
from pigglesim.games.registry import find
from pigglesim.units import plus_minus
from scripts.measured_page import markdown_table, write_between

SEEDS = 5
MEETINGS = (
    ("piggles_classic", "greedy", "uniform", 100),
    ("piggles_classic", "uniform", "threshold:12", 100),
    ("piggles_classic", "greedy", "threshold:12", 100),
    ("piggles_classic", "greedy", "threshold:3", 100),
    ("piggles_modern", "greedy", "uniform", 60),
    ("piggles_modern", "greedy", "threshold:12", 60),
    ("piggy_six", "best", "greedy", 40),
    ("piggy_six", "best", "hold:20", 40),
    ("piggy_six", "best", "hold:10", 40),
    ("piggy_six", "greedy", "uniform", 40),
)
"""Game, agents and pairs."""
COMMAND = "python -m scripts.verification.luck"


def played(game: str, agents: tuple[str, str], pairs: int) -> Iterator[list[MatchPair]]:
    """Yield the pairs of each seed."""
    for seed in range(1, SEEDS + 1):
        tournament = Tournament(agents=agents, game=game, chance=find(game).chances[-1], seed=seed)
        settings = TournamentSettings(tournament)
        yield [settings(index) for index in range(pairs)]


def explained(pairs: list[MatchPair]) -> float:
    """Return the share of the variance of single matches that luck explains."""
    matches = [match for pair in pairs for match in pair.matches]
    points = [match.points for match in matches]
    luck = [match.luck.points for match in matches if match.luck is not None]
    return float(np.corrcoef(points, luck)[0, 1] ** 2)


def _first(tournament: Tournament, pairs: list[MatchPair]) -> AgentStanding:
    """Return the standing of the first agent."""
    found = standings(tournament, pairs).agents
    return next(each for each in found if each.name == tournament.agents[0])


def row(game: str, first: str, second: str, count: int) -> list[str]:
    """Return the figures of one meeting as text."""
    agents = (first, second)
    tournament = Tournament(agents=agents, game=game, chance=find(game).chances[-1], seed=1)
    narrower, lead, share, together = [], [], [], []
    for pairs in played(game, agents, count):
        without = _first(tournament, pairs).without_luck
        assert without is not None
        narrower.append(without.points_narrower)
        if without.lead_narrower is not None:
            lead.append(without.lead_narrower)
        share.append(explained(pairs))
        together += pairs
    found = _first(tournament, together)
    assert found.without_luck is not None
    return [
        f"{find(game).title.removeprefix('Piggles ')}: `{first}` - `{second}`",
        f"{SEEDS * count}",
        plus_minus(found.share),
        plus_minus(found.without_luck.points),
        plus_minus(mean_of(narrower)),
        plus_minus(mean_of(lead)) if lead else "",
        plus_minus(mean_of(share)),
    ]


def main() -> None:
    """Measure every meeting, and write the table of a page."""
    rows = []
    for meeting in MEETINGS:
        rows.append(row(*meeting))
        print(*rows[-1], sep=" · ", flush=True)
    headings = (
        "game and agents", "pairs", "points with luck", "points without", "narrower",
        "lead narrower", "share of luck",
    )  # fmt: skip
    date = datetime.now(tz=UTC).date().isoformat()
    table = markdown_table(headings, rows)
    if len(sys.argv) > 1:
        write_between(Path(sys.argv[1]), COMMAND, f"{table}\n\nMeasured on {date}.")


if __name__ == "__main__":
    main()
