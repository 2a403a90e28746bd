"""Are values of positions right? `python -m scripts.verification.value_calibration N [GAME ...]`.

Agents `greedy` play N matches of each game (2,000 by default). One decision of each match, drawn at
random, is valued as reviews and hints value it: v, the share of the win of the player to move after
the action played. The match gives the result r. If values are right, the mean of r is v:

    r - v        has mean 0 in each tenth of the values
    r = a + b v  has the slope b = 1

A match has one position, however long it is. Among all matches through a position, short ones would
be drawn too often, and these end as the position promises: the slope would be too large. So each
position has the number of decisions of its match as its weight.

Noise of the values themselves would make the slope too small: it adds its variance to that of the
values, by which the slope is divided. The variance of the noise is known, and is taken away.

`GAME=AGENT` takes another agent: `piggy_six=best` plays by the exact solution, which also gives the
values of reviews of Piggy Six.

Ctrl-C ends with the matches so far. With `--write PAGE` the tables of these games are put into the
page; those of other games stay.

    python -m scripts.verification.value_calibration 2000 --write docs/trust/values.md
"""

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

import pigglesim
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import SpecError
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import plausible_share
from pigglesim.experiments.values import EXACT, LEVEL, Evaluator
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.registry import find
from pigglesim.match.entries import MatchRecord
from pigglesim.match.replay import BranchPoint, branch_at
from pigglesim.rng import generator
from scripts.measured_page import markdown_table, write_between, write_rows

COMMAND = "python -m scripts.verification.value_calibration N"
Floats = NDArray[np.float64]
_AGENT = "greedy"
_SEED = 36
_LEAST = 20
"""Positions of a tenth whose mean is shown."""


@dataclass(frozen=True, kw_only=True)
class Valued:
    """A position of a match, and how the match ended."""

    value: float
    result: float
    noise: float = 0.0
    """Standard error of the value."""
    weight: float = 1.0
    """Decisions of the match: the shorter a match, the more often one of its positions is drawn."""


def drawn(game: str, agent: str, number: int) -> tuple[MatchRecord, BranchPoint]:
    """Play a match between agents, and draw one of its decisions."""
    chance = find(game).chances[-1]
    match = pigglesim.play_match(game, agents=agent, chance=chance, seed=_SEED + number)
    at = int(generator(_SEED, game, number).integers(len(match.record.decisions)))
    return match.record, branch_at(match.record, at)


def valued(game: str, agent: str, number: int) -> Valued:
    """Play a match between agents and value one of its decisions."""
    record, point = drawn(game, agent, number)
    values = Evaluator(
        point.game,
        believed_chance(None, record.header.teams),
        agent=pigglesim.make_agent(agent, game=point.game),
        seed=number,
    )
    action, seat = point.game.parse_action(point.decision.action), point.decision.seat
    value = values.position(point.before.state).values(action)[seat]
    half = max(value.high - value.value, value.value - value.low)
    noise = 0.0 if value.method == EXACT else half / stdtrit(values.samples - 1, (1 + LEVEL) / 2)
    outcome = record.footer.result
    assert outcome is not None
    return Valued(
        value=value.value,
        result=outcome.shares(point.game.seats)[seat],
        noise=float(noise),
        weight=float(len(record.decisions)),
    )


def columns(found: list[Valued]) -> tuple[Floats, Floats, Floats]:
    """Return values, results and weights with sum 1."""
    v, r, w = (
        np.array([getattr(each, name) for each in found]) for name in ("value", "result", "weight")
    )
    return v, r, w / w.sum()


def _interval(value: float, error: float) -> Interval:
    low, high = value - 1.96 * error, value + 1.96 * error
    return Interval(value=value, low=low, high=high, level=0.95, method="sandwich")


def slope(found: list[Valued]) -> Interval:
    """Return the slope of the results on the values without their noise.

    Its error allows for unequal variances. The variance of the noise counts as known.

    Raises:
        SpecError: If the values are noise alone.
    """
    v, r, w = columns(found)
    away = v - w @ v
    variance = w @ away**2
    b = float(w @ (away * r) / variance)
    left = r - w @ r - b * away
    error = float(np.sqrt(((w * away * left) ** 2).sum()) / variance)
    noise = w @ np.array([each.noise**2 for each in found])
    if noise >= variance:
        problem = f"{len(found)} values whose noise is wider than their spread"
        raise SpecError(problem, fix="measure more positions")
    true = float(variance / (variance - noise))
    return _interval(b * true, error * true)


def bias(found: list[Valued]) -> Interval:
    """Return the mean difference of results and values."""
    v, r, w = columns(found)
    mean = float(w @ (r - v))
    return _interval(mean, float(np.sqrt(((w * (r - v - mean)) ** 2).sum())))


def tables(game: str, agent: str, found: list[Valued]) -> tuple[list[str], str]:
    """Return the row of a game in the first table, and the table of its tenths."""
    title = find(game).title + (", by odds" if "tabular" in find(game).chances else "")
    title += f", `{agent}`" if agent != _AGENT else ""
    row = [title, f"{len(found):,}", str(bias(found)), str(slope(found))]
    rows = []
    for tenth in range(10):
        inside = [each for each in found if min(9, int(10 * each.value)) == tenth]
        if len(inside) >= _LEAST:
            v, r, w = columns(inside)
            mean = w @ v
            # A mean of equal results would have no width. Kish's effective number has the weights.
            # Rounding must not hide that all were won.
            won = plausible_share(round(float(w @ r), 12), round(1.0 / (w @ w)))
            label = f"0.{tenth} to {(tenth + 1) / 10:.1f}"
            rows.append([label, str(len(inside)), f"{mean:.3f}", str(won)])
    headings = ("valued", "positions", "mean value", "won")
    measured = f"{title}, measured on {datetime.now(tz=UTC).date().isoformat()}:"
    return row, f"{measured}\n\n{markdown_table(headings, rows, align='---')}"


def write(page: Path, word: str, row: list[str], tenths: str) -> None:
    """Put both tables of a game into a page, in place of those that it has of that game."""
    write_rows(page, f"{COMMAND} --write", [row])
    write_between(page, f"{COMMAND} {word}", tenths)


def main() -> None:
    """Print a row for each game, then its tenths; or write them to a page."""
    words = sys.argv[1:]
    page = None
    if "--write" in words:
        at = words.index("--write")
        page = Path(words[at + 1])
        del words[at : at + 2]
    number = int(words[0]) if words else 2000
    for word in words[1:] or [*pigglesim.known().games, "piggy_six=best"]:
        game, _, agent = word.partition("=")
        agent = agent or _AGENT
        prepare = partial(partial, valued, game, agent)
        found, stopped = [], False
        try:
            for each in map_in_order(prepare, range(number), workers=1):
                found.append(each)
        except KeyboardInterrupt:
            stopped = True
        row, tenths = tables(game, agent, found)
        print(f"{' | '.join(row)}\n{tenths}", flush=True)
        if page is not None:
            write(page, word, row, tenths)
        if stopped:
            break


if __name__ == "__main__":
    main()
