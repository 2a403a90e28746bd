"""Mine puzzles from matches of agents: `python -m scripts.puzzles FOLDER [GAME=COUNT ...]`.

Agents play matches by odds. At decisions of these matches:

1. Playouts of every action, as those of a review, find the best one.
2. The agents of a panel choose too. A puzzle is a decision that `greedy` or one of the other quick
   agents gets wrong, and that the strongest gets right.
3. Fresh playouts compare the best action with every other one, in up to three stages with four
   times the samples each. Each other action has to be worse with p below 1e-6, after allowance for
   all stages of all decisions tried: so with that probability no puzzle of the file is wrong.
   Values of Piggy Six are exact instead.

4. A third set of playouts gives the values that are shown: those that confirm a puzzle are too
   clear, because it passed.

Mining goes on from the file that comes with pigglesim: its puzzles keep their numbers, and the
matches that it counts are not played again. Without that file, all puzzles are mined. FOLDER gets a
file of JSON lines per game, a line per match. Ctrl-C loses the current match only, and the same
command goes on. In the end new puzzles are written to the file that comes with pigglesim; `--pack`
writes those that there are. `GAME=COUNT` mines until the game has that many, and writes none. Of a
game that has more puzzles than its plan wants, those with the smallest margin make room for others.
"""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from pathlib import Path
from statistics import median
from typing import Any

from scipy.special import stdtr, stdtrit

import pigglesim
from pigglesim.agents.agent import Agent, seated
from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import believed_chance
from pigglesim.durable_io import write_atomically
from pigglesim.errors import PigglesimError, RecordError, SpecError, unknown_name
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.values import EXACT, LEVEL, Evaluator, PositionValue
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import Game
from pigglesim.games.registry import find
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.replay import playback_of
from pigglesim.rng import generator, sub_seed
from pigglesim.table import puzzles
from pigglesim.table.puzzle_themes import Theme, theme_of
from pigglesim.table.puzzles import LEVELS, Mined, Option, Puzzle, format_puzzles, parse_puzzles

_SEED = 365
_CERTAIN = 1e-6
_TRIED = 4000
"""Maximum decisions of all games whose best action is tested."""
_STAGES = (1, 4, 16)
"""Samples of the stages of a test, as multiples of those of the first."""
_LIMIT = _CERTAIN / (_TRIED * len(_STAGES))
"""p below which one comparison counts."""
_SHOWN = {"pig_pile": 600, "piggyback": 160, "lord_of_the_pigs": 300}
"""Samples of the values that are shown, if not 100."""
_WORKERS = 2
_PER_MATCH = 2
"""Maximum puzzles of a match."""


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """How a game is mined."""

    wanted: int
    """Number of puzzles."""
    panel: Sequence[str]
    """Agents that rate, the strongest last."""
    first: int = 0
    """Samples of each action of the first playouts; 0 if values are exact."""
    stage: int = 0
    """Samples of the first stage of the test."""
    actions: tuple[int, int] = (3, 20)
    """Minimum and maximum number of distinct actions."""
    margin: float = 0.03
    """Minimum share of the win that the second best action loses."""
    quick: Sequence[str] = ("hold", "threshold", "greedy", "best")
    """Kinds of agents of the panel of which one fails."""
    rules: Sequence[Mapping[str, Any]] = field(default_factory=lambda: [{}])
    """House rules, in turn."""
    looked_at: int = 6
    """Maximum decisions of a match."""
    last: int | None = None
    """Only the last decisions of a match are used, because playouts from others take long."""


_SEARCHES = ("mcts:nodes=20", "mcts:nodes=50", "mcts:nodes=200")
_PIGGLES = ("threshold:1", "threshold", "threshold:5", "greedy", *_SEARCHES)
_PLANS = {
    "piggles_classic": _Plan(wanted=45, panel=_PIGGLES, first=8, stage=30),
    "piggles_modern": _Plan(wanted=113, panel=_PIGGLES, first=10, stage=40, actions=(3, 10)),
    "piggyback": _Plan(
        wanted=43, panel=("greedy", *_SEARCHES), first=12, stage=40, actions=(3, 8), last=40
    ),
    "pig_pile": _Plan(
        wanted=25, panel=("greedy", *_SEARCHES), first=60, stage=200, actions=(3, 10),
        rules=[{"players": 2, "rounds": 1}, {"players": 3, "rounds": 1}, {"rounds": 1}],
    ),
    "piggy_six": _Plan(
        wanted=249, panel=("hold:15", "hold", "hold:25", "greedy", "best"), actions=(2, 20),
        margin=0.01, rules=[{}, {"three_dice": True}, {"end": "race", "target": 50}],
    ),
    "lord_of_the_pigs": _Plan(
        wanted=25, panel=("greedy", *_SEARCHES), first=80, stage=150, actions=(2, 10),
        margin=0.08, quick=("greedy", "mcts"), looked_at=12, last=24,
    ),
}  # fmt: skip


class _Miner:
    """Looks for puzzles in matches of a game."""

    def __init__(self, name: str) -> None:
        self.name, self.plan = name, _PLANS[name]
        self._agents: dict[object, Agent] = {}
        self._evaluators: dict[object, Evaluator] = {}

    def match(self, number: int) -> dict[str, Any]:
        """Return the puzzles of a match, and how many decisions were looked at and tested."""
        plan = self.plan
        chance: Any = find(self.name).chances[-1]
        rules = plan.rules[number // 2 % len(plan.rules)]
        others = ("greedy", "uniform") if number % 2 else ("greedy",)
        seats = pigglesim.make_game(self.name, rules).seats
        agents = [others[k % len(others)] for k, _ in enumerate(seats)]
        match = pigglesim.play_match(
            self.name, agents=agents, house_rules=rules, chance=chance,
            seed=sub_seed(_SEED, self.name, number),
        )  # fmt: skip
        found: dict[str, Any] = {"match": number, "looked": 0, "tested": 0, "puzzles": []}
        self.belief = believed_chance(None, match.record.header.teams)
        game, states = _states(match.record)
        self.game = game
        least, most = plan.actions
        kept = states[-plan.last :] if plan.last else states
        drawn = generator(_SEED, self.name, number).permutation(len(kept))
        for state in (kept[k] for k in drawn):
            if found["looked"] == plan.looked_at or len(found["puzzles"]) == _PER_MATCH:
                break
            if not least <= len(game.legal_actions(state)):
                continue
            if plan.first and not least <= len(self.values(state, 1, -1).choices) <= most:
                continue
            found["looked"] += 1
            puzzle = self.puzzle(state, found)
            if puzzle is not None:
                found["puzzles"].append({"rules": rules, **puzzle})
        return found

    def values(self, state: object, samples: int, purpose: int) -> PositionValue:
        """Return the values of a state with random numbers of their own."""
        key = (purpose, repr(self.game.settings()))
        if key not in self._evaluators:
            # The search for the best action has no part in these values.
            agent = self.agent("uniform") if samples else None
            self._evaluators[key] = Evaluator(
                self.game,
                self.belief,
                agent=agent,
                samples=samples or None,
                seed=sub_seed(_SEED, "values", purpose),
            )
        return self._evaluators[key].position(state)

    def agent(self, name: str) -> Agent:
        """Return an agent under the rules of the match; it is made once."""
        key = (name, repr(self.game.settings()))
        if key not in self._agents:
            self._agents[key] = make_agent(name, game=self.game, chance=self.belief)
        return self._agents[key]

    def puzzle(self, state: object, counts: dict[str, Any]) -> dict[str, Any] | None:
        """Return the puzzle of a state, or None."""
        first = self.values(state, self.plan.first, 0)
        seat, actions = first.seat, first.choices
        means = {each: first.values(each)[seat].value for each in actions}
        best, second = sorted(actions, key=lambda each: -means[each])[:2]
        least = self.plan.margin
        if means[best] - means[second] < least:
            return None
        # These choose first, because most decisions are dropped here.
        quick = [name for name in self.plan.panel if name.partition(":")[0] in self.plan.quick]
        strongest, others = self.plan.panel[-1], self.plan.panel[:-1]
        if not any(self.fails(name, first, best) for name in quick):
            return None
        if self.fails(strongest, first, best):
            return None
        counts["tested"] += 1
        tested = self.tested(state, best, first) if self.plan.first else _exact(first, best)
        if tested is None:
            return None
        values, loss, p = tested
        if loss.value < least:
            return None
        return {
            "position": self.game.format_state(state),
            "best": self.game.format_action(best),
            "actions": [self.game.format_action(each) for each in actions],
            "values": [[round(v.value, 4), round((v.high - v.low) / 2, 4)] for v in values],
            "loss": [round(each, 4) for each in (loss.value, loss.low, loss.high)],
            "p": p,
            "exact": loss.method == EXACT,
            "panel": len(self.plan.panel),
            "fails": [name for name in others if self.fails(name, first, best)],
        }

    def fails(self, name: str, at: PositionValue, best: object) -> bool:
        """Return whether an agent chooses another action than the best."""
        agent = seated(self.agent(name), at.seat)
        legal = self.game.legal_actions(at.state)
        chosen = agent.choose(at.observation, legal, rng=at.stream("panel", name))
        return not at.same(chosen, best)

    def tested(
        self, state: object, best: object, first: PositionValue
    ) -> tuple[list[Interval], Interval, float] | None:
        """Return the values of all actions, the smallest loss and the largest p; None if one fails.

        An action that is worse for certain takes no part in later stages.
        """
        values: dict[Any, Interval] = {}
        losses: dict[Any, tuple[Interval, float]] = {}
        for stage in _STAGES:
            samples = self.plan.stage * stage
            at = self.values(state, samples, stage)
            values[best] = at.values(best)[at.seat]
            for action in first.choices:
                if action == best or action in losses:
                    continue
                loss = at.loss(action, best=best)
                values[action] = at.values(action)[at.seat]
                error = (loss.value - loss.low) / float(stdtrit(samples - 1, (1 + LEVEL) / 2))
                t = loss.value / error if error else 0.0
                p = float(stdtr(samples - 1, -t)) if error else float(loss.value <= 0.0)
                if p < _LIMIT:
                    losses[action] = (loss, p)
                elif (t + 2.0) * sqrt(_STAGES[-1] / stage) < 6.5 or (
                    loss.value + 3.0 * error < self.plan.margin
                ):
                    return None
            if len(losses) == len(first.choices) - 1:
                loss = min((loss for loss, _ in losses.values()), key=lambda each: each.value)
                return (
                    [values[each] for each in first.choices],
                    loss,
                    max(p for _, p in losses.values()),
                )
        return None


def _exact(at: PositionValue, best: object) -> tuple[list[Interval], Interval, float] | None:
    """Return exact values as `_Miner.tested` does."""
    losses = [at.loss(each, best=best) for each in at.choices if each != best]
    worst = min(losses, key=lambda each: each.low)
    if worst.low <= 0.0:
        return None
    return [at.values(each)[at.seat] for each in at.choices], worst, 0.0


def _states(record: MatchRecord) -> tuple[Game[Any, Any], list[Any]]:
    """Return the rules of a match and the states in which a player decided."""
    playback = playback_of(record)
    events = [playback.take(entry) for entry in record.entries]
    return playback.game, [each.before for each in events if isinstance(each.entry, Decision)]


def _shipped() -> tuple[Sequence[Puzzle], Mapping[str, Mined]]:
    """Return the puzzles that come with pigglesim, if any, and what was mined for them."""
    path = _target()
    return parse_puzzles(path.read_text(encoding="utf-8")) if path.exists() else ((), {})


def _target() -> Path:
    return Path(puzzles.__file__).with_name(puzzles.FILE)


def _matches(path: Path, first: int) -> list[dict[str, Any]]:
    """Return the matches of a file from a number on, without a last line that was being written.

    Raises:
        RecordError: If another line is damaged.
    """
    *lines, _ = path.read_text(encoding="utf-8").split("\n") if path.exists() else [""]
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(json.loads(line))
        except ValueError:
            fix = "correct the line, or move the file to mine this game again"
            raise RecordError(f"{path}: line {number} is damaged", fix=fix) from None
    return [each for each in found if each["match"] >= first]


def mine(folder: Path, game: str, wanted: int) -> None:
    """Mine a game until it has enough puzzles, with those that come with pigglesim."""
    path, miner = folder / f"{game}.jsonl", _Miner(game)
    shipped, mined = _shipped()
    number = mined.get(game, Mined()).matches
    done = _matches(path, number)
    count = sum(each.game == game for each in shipped)
    count += sum(len(each["puzzles"]) for each in done)
    write_atomically(path, "".join(f"{json.dumps(each)}\n" for each in done).encode())
    number += len(done)
    with path.open("a") as file:
        while count < wanted:
            found = miner.match(number)
            file.write(f"{json.dumps(found)}\n")
            file.flush()
            number, count = number + 1, count + len(found["puzzles"])
            print(
                f"{game}: {count} of {wanted} puzzles, {number} matches",
                file=sys.stderr,
                flush=True,
            )


def pack(folder: Path) -> None:
    """Write the new puzzles of a folder to the file that comes with pigglesim.

    Raises:
        PigglesimError: If a line is damaged, or there is no new puzzle. The file stays as it is.
    """
    shipped, before = _shipped()
    shipped = [replace(each, theme=_theme(each)) for each in shipped]
    known = {(each.game, each.position) for each in shipped}
    new, mined = [], {}
    for game in _PLANS:
        had = before.get(game, Mined())
        matches = _matches(folder / f"{game}.jsonl", had.matches)
        looked, tested = (sum(each[name] for each in matches) for name in ("looked", "tested"))
        mined[game] = Mined(
            matches=had.matches + len(matches),
            looked=had.looked + looked,
            tested=had.tested + tested,
        )
        # Matches may come to the same position.
        own = {each.position: each for match in matches for each in _puzzles(game, match)}
        new += [each for each in own.values() if (game, each.position) not in known]
    assert sum(each.tested for each in mined.values()) <= _TRIED, "p does not allow for so many"
    if not new:
        fix = f"mine some: python -m scripts.puzzles {shlex.quote(str(folder))}"
        raise SpecError(f"no new puzzles in {folder}", fix=fix)
    order = generator(_SEED, "order").permutation(len(new))
    fresh = list(map_in_order(_revaluing, [new[k] for k in order], workers=_WORKERS))
    found = _placed(shipped, fresh)
    text = format_puzzles(found, mined)
    parse_puzzles(text)
    write_atomically(_target(), text.encode())
    for game, each in mined.items():
        kept = [puzzle for puzzle in found if puzzle.game == game]
        margin = 100.0 * median([puzzle.margin for puzzle in kept] or [0.0])
        levels = Counter(puzzle.level for puzzle in kept)
        counts = (each.matches, each.looked, each.tested, len(kept), *map(levels.get, LEVELS))
        cells = [find(game).title, *(f"{count or 0:,}" for count in counts), f"{margin:.1f} %"]
        print(f"| {' | '.join(cells)} |")
    print(f"{len(found)} puzzles, {len(text) / 1e3:.0f} kB: {_target()}")


def _placed(shipped: Sequence[Puzzle], new: Sequence[Puzzle]) -> list[Puzzle]:
    """Return both, with new puzzles in the places of those that make room, and then at the end."""
    found = list(shipped)
    surplus: list[int] = []
    for game, plan in _PLANS.items():
        own = [number for number, each in enumerate(found) if each.game == game]
        by_margin = sorted(own, key=lambda number: found[number].margin)
        surplus += by_margin[: max(0, len(own) - plan.wanted)]
    rest = list(new)
    surplus.sort(key=lambda number: found[number].margin)
    for number in sorted(surplus[: len(rest)]):
        found[number] = rest.pop(0)
    return [*found, *rest]


def _revaluing() -> Callable[[Puzzle], Puzzle]:
    return _revalued


def _revalued(puzzle: Puzzle) -> Puzzle:
    """Return a puzzle with values of fresh playouts: those that confirmed it are too clear.

    There are enough of them for a margin above its noise.
    """
    if puzzle.exact:
        return puzzle
    miner = _Miner(puzzle.game)
    miner.game, miner.belief = puzzle.played, believed_chance(None, {})
    actions = [puzzle.played.parse_action(option.action) for option in puzzle.options]
    best = actions[puzzle.best]
    for stage in _STAGES:
        # Samples of stages have purposes from 1 to 16.
        at = miner.values(puzzle.state, stage * _SHOWN.get(puzzle.game, 100), 98 + stage)
        losses = [at.loss(action, best=best) for action in actions if action != best]
        least = min(losses, key=lambda loss: loss.value)
        if least.low > 0.0:
            break
    values = [at.values(action)[at.seat] for action in actions]
    return replace(
        puzzle,
        options=tuple(
            replace(option, value=round(v.value, 4), noise=round((v.high - v.low) / 2, 4))
            for option, v in zip(puzzle.options, values, strict=True)
        ),
        margin=round(least.value, 4),
        noise=round(least.value - least.low, 4),
    )


def _theme(puzzle: Puzzle) -> Theme:
    """Return the theme of a puzzle: those of shipped ones may have changed."""
    best = puzzle.played.parse_action(puzzle.options[puzzle.best].action)
    return theme_of(puzzle.played, puzzle.state, best)


def _puzzles(game: str, match: Mapping[str, Any]) -> list[Puzzle]:
    return [_puzzle(game, each) for each in match["puzzles"]]


def _puzzle(game: str, found: Mapping[str, Any]) -> Puzzle:
    rules = pigglesim.make_game(game, found["rules"])
    loss, low, _ = found["loss"]
    options = zip(found["actions"], found["values"], strict=True)
    best = rules.parse_action(found["best"])
    return Puzzle(
        game=game,
        rules=found["rules"],
        position=found["position"],
        theme=theme_of(rules, rules.parse_state(found["position"]), best),
        options=tuple(Option(action=name, value=v, noise=n) for name, (v, n) in options),
        best=found["actions"].index(found["best"]),
        margin=loss,
        noise=0.0 if found["exact"] else round(loss - low, 4),
        fails=tuple(found["fails"]),
        asked=found["panel"],
    )


def main() -> None:
    """Mine the games named, or all; or pack what was mined."""
    if not (words := sys.argv[1:]):
        sys.exit("no folder for what is found; use python -m scripts.puzzles build/puzzles")
    try:
        _run(Path(words[0]), words[1:])
    except PigglesimError as fault:
        sys.exit(str(fault))


def _wanted(word: str) -> tuple[str, int]:
    """Return the game and the number of puzzles that `GAME=COUNT` asks for."""
    game, _, count = word.partition("=")
    if game not in _PLANS:
        raise unknown_name("game", game, _PLANS)
    if not count.isdecimal():
        raise SpecError(f"invalid count in {word!r}", fix=f"use {game}=20, or --pack alone")
    return game, int(count)


def _run(folder: Path, words: Sequence[str]) -> None:
    if words == ["--pack"]:
        pack(folder)
        return
    wanted = dict(map(_wanted, words)) or {name: plan.wanted for name, plan in _PLANS.items()}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for game, count in wanted.items():
            mine(folder, game, count)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
    else:
        if not words:
            pack(folder)


if __name__ == "__main__":
    main()
