"""Report of an analysis: values by decision, the annotated record, and files."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import fsum, hypot
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pigglesim.arguments import JsonResult, checked, plain
from pigglesim.durable_io import FIGURES, check_target, expect_new, write_target
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.values import EXACT, LEVEL, exactly, is_clear
from pigglesim.match.entries import Comment, Decision, Entry, Forfeit, MatchRecord
from pigglesim.match.record import write_record
from pigglesim.match.replay import game_of
from pigglesim.rng import seed_json
from pigglesim.table.hints import advice
from pigglesim.table.view import make_view
from pigglesim.units import MINUS, percent

if TYPE_CHECKING:
    from pigglesim.api.holds import HoldValue

_COMMENT = "analysis:"
"""Beginning of the comments of an analysis in a record."""
_RECORDS = (".txt", ".jsonl")
_KINDS = (".html", *FIGURES, *_RECORDS, ".json")
_LEAST = 0.0005
"""Loss below which a decision is not among the worst."""
_LEAST_SHARE = 0.005
"""Share of the win that is shown as 0 %: nothing is said of it."""
_VAGUE = 0.25
"""Half interval of luck [share of the win] above which a result with average luck says nothing."""
_TOO_SMALL = "small ones and luck are too uncertain to tell apart"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionAnalysis:
    """Values of the best action and of the action played, with 95 % intervals.

    A value is a share of the win, from 0 (lost) to 1 (won), as the player to move sees the game:
    hidden information is sampled. Its interval has the method `exact` if it has no noise. Seats
    whose value is unknown are left out: an exact solution has that of the player to move alone.
    """

    decision: int
    """Number of the decision, from 0."""
    round: int
    when: str
    """Round or turn, as the game counts them, such as `Round 2`."""
    seat: str
    """Seat that decided."""
    action: str
    """Action played, in the notation of the game; `forfeits` and the cause for a forfeit."""
    best: str
    """Best action that the evaluating agent found."""
    player: str
    """Name of the player."""
    played: str
    """The action played in words."""
    better: str
    """The best action in words."""
    why: str
    """Why a player would prefer it, in the rules' words; empty if it was played, or unknown."""
    choices: int
    """Number of distinct actions, without conceding."""
    before: Mapping[str, Interval]
    """Win probability of each seat after the best action."""
    after: Mapping[str, Interval]
    """Win probability of each seat after the action played."""
    loss: Interval
    """Win probability that the player to move lost; of samples, with paired random numbers."""

    @property
    def name(self) -> str:
        """Decision in words, with its round and player: `Round 2, B (North): skip the roll`."""
        return f"{self.when}, {self.player}: {self.played}"

    @property
    def exact(self) -> bool:
        """True if both values of the player to move have no noise."""
        return all(each[self.seat].method == EXACT for each in (self.before, self.after))

    @property
    def clear(self) -> bool:
        """True if the loss exceeds twice its noise; else nothing counts as lost."""
        return is_clear(self.loss)

    @property
    def start(self) -> Mapping[str, Interval]:
        """Win probability of each seat before the decision.

        It is that after the best action if that one is clearly better, else after the one played.
        """
        return self.before if self.clear else self.after

    @property
    def clear_loss(self) -> float:
        """Win probability that counts as lost: the loss if it is clear, else 0."""
        return self.start[self.seat].value - self.after[self.seat].value

    def change_of(self, seat: str) -> Interval:
        """Return how the decision changed the win probability of a seat, if it was not the best."""
        if seat == self.seat or len(self.after) == 2:
            return self.loss
        # Of other seats the paired difference is unknown; unpaired ones are wider.
        return _change(self.after[seat], self.before[seat])

    @property
    def advice(self) -> str:
        """The better action of a clear loss, with its value and its reason if that is known."""
        wins, instead = (values[self.seat].value for values in (self.before, self.after))
        return advice(self.better, wins, instead, self.why)

    @property
    def sentence(self) -> str:
        """Values of the decision in one line."""
        after = f"{self.seat} wins {value_text(self.after[self.seat])}"
        if not self.clear:
            return after
        best = f"best {self.best}, {value_text(self.before[self.seat])}"
        return f"{after}; {best}; loss {value_text(self.loss)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Way of the win probability of a seat through a match.

    The start, less the own losses, plus the losses of others, plus the luck, is the end.
    """

    start: float
    """Win probability before the first decision."""
    lost: float
    """Sum of the clear losses of the own decisions."""
    lost_noise: float
    """Half of the 95 % interval of that sum; 0 if it is exact."""
    gained: float
    """Win probability gained by the clear losses of others."""
    luck: Interval
    """Change by rolls and draws, with losses that are within their noise."""
    end: float
    """Result, or the value after the last decision of a match without a result."""

    @property
    def fair_end(self) -> float:
        """Share of the win with average luck and the same decisions.

        The sum can leave the range from 0 to 1, since losses of many decisions add up; it ends
        there.
        """
        return min(1.0, max(0.0, self.end - self.luck.value))

    @property
    def sentence(self) -> str:
        """The sum in percent, in a line; luck that is too uncertain stands in words."""
        parts = (
            f"{100 * self.start:.1f} % at the start, {MINUS} {100 * self.lost:.1f} own losses, "
            f"{_term(self.gained)} losses of others"
        )
        end = f"{100 * self.end:.1f} %"
        if self.vague:
            known = percent(self._noise, places=0)
            return (
                f"{parts}, then luck to {end}: that of so long a match is known to ± {known} only"
            )
        noise = f" ± {100 * self._noise:.1f}" if self._noise else ""
        return f"{parts}, {_term(self.luck.value)}{noise} luck = {end}"

    @property
    def clear(self) -> bool:
        """True if the luck exceeds its noise, and would not be shown as 0 %."""
        outside = self.luck.low > 0.0 or self.luck.high < 0.0
        return outside and abs(self.luck.value) >= _LEAST_SHARE

    @property
    def mistaken(self) -> bool:
        """True if the own losses would not be shown as 0 %."""
        return self.lost >= _LEAST_SHARE

    def defeat(self, name: str) -> str:
        """Return why a player lost, in a sentence: by own mistakes, by luck, or before."""
        own = _share_text(self.lost, self.lost_noise) if self.mistaken else "nothing"
        if self.vague:
            return f"{name} lost {own} by clear mistakes; {_TOO_SMALL}"
        if not self.clear:
            more = ""
            if not self.mistaken and self.start < _LEAST_SHARE:
                more = ": the position was lost already"
            elif self._noise >= _LEAST_SHARE and self.luck.low <= 0.0 <= self.luck.high:
                more = f": it is within its noise of ± {percent(self._noise, places=0)}"
            return f"{name} lost {own} by own mistakes and nothing by luck{more}"
        luck = _share_text(abs(self.luck.value), self._noise)
        if self.luck.value > 0.0:
            why = f"{name} lost {own} by own mistakes, and luck gave {luck} back"
        elif self.mistaken and self.lost > -self.luck.value:
            why = f"{name} lost {own} by own mistakes, and {luck} by luck"
        else:
            why = f"{name} lost {luck} by luck, and {own} by own mistakes"
        return why + self._fair_words(name)

    def verdict(self, name: str) -> str:
        """Return what luck gave to a player, and the result with average luck, in a sentence."""
        given = _share_text(abs(self.luck.value), self._noise)
        change = f"gave {name} {given}" if self.luck.value > 0.0 else f"took {given} from {name}"
        return f"Luck {change}{self._fair_words(name)}"

    @property
    def vague(self) -> bool:
        """True if luck is too uncertain; losses within their noise are part of it."""
        return self._noise > _VAGUE

    @property
    def _noise(self) -> float:
        """Half of the interval of luck; 0 if it is exact."""
        return 0.0 if self.luck.method == EXACT else _half_width(self.luck)

    def _fair_words(self, name: str) -> str:
        """Return the result of a player with average luck, as the end of a sentence."""
        if self.vague:
            return ": too uncertain for a result with average luck"
        return f"; with average luck the result of {name} is {percent(self.fair_end, places=0)}"


def value_text(value: Interval) -> str:
    """Return a win probability as text: `0.512 [0.503, 0.521]`, or `0.5120 exact`."""
    return f"{value.value:.4f} exact" if value.method == EXACT else str(value)


def source_text(analysis: "AnalysisResult | PositionResult") -> str:
    """Return the agent, the playouts and the seed of an analysis in a sentence."""
    if not analysis.playouts:
        return f"Exact solution of the game by {analysis.agent}."
    by = "by odds" if analysis.chance == "tabular" else f"with {analysis.chance} chance"
    each = f"{analysis.playouts:,} playouts of each action {by}"
    return f"Best actions by {analysis.agent}, {each}, seed {analysis.seed}."


def _change(end: Interval, start: Interval) -> Interval:
    """Return the difference of two independent values; their errors add up as squares."""
    value = end.value - start.value
    return Interval(
        value=value,
        low=value - hypot(end.value - end.low, start.high - start.value),
        high=value + hypot(end.high - end.value, start.value - start.low),
        level=LEVEL,
        method=EXACT if end.method == start.method == EXACT else start.method,
    )


def _term(share: float) -> str:
    """Return a term of a sum in percent, such as `+ 12.0`."""
    rounded = round(100 * share, 1)
    return f"{MINUS if rounded < 0.0 else '+'} {abs(rounded):.1f}"


def _half_width(value: Interval) -> float:
    return (value.high - value.low) / 2.0


def _share_text(share: float, noise: float) -> str:
    """Return a share of the win, such as `28 % ± 3 % of a win`; without noise if it is exact."""
    more = f" ± {percent(noise, places=0)}" if noise else ""
    return f"{percent(share, places=0)}{more} of a win"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnalysisResult(JsonResult):
    """Analysis of a match; its `save` writes a page, a chart or an annotated record."""

    record: MatchRecord = field(repr=False)
    agent: str
    """Agent that found the best actions."""
    chance: str
    """Source of rolls of the playouts."""
    playouts: int
    """Games played from each action."""
    seed: int
    finished: bool
    """True if all decisions were analysed."""
    result: Mapping[str, float] | None
    """Share of the win of each seat at the end; None for an interrupted match."""
    decisions: tuple[DecisionAnalysis, ...] = field(repr=False)
    """Decisions in order, with a forfeit as the last."""
    holds: "tuple[HoldValue, ...] | None" = field(default=None, repr=False)
    """Throws that are split into hold and fall; None if that was not requested."""

    def worst(self, count: int = 3) -> tuple[DecisionAnalysis, ...]:
        """Return the decisions with the largest losses, the worst first.

        Losses within their noise are left out, and those that would be shown as 0.0 %.
        """
        clear = [each for each in self.decisions if each.clear and each.loss.value >= _LEAST]
        return tuple(sorted(clear, key=lambda each: -each.loss.value)[:count])

    @property
    def curve(self) -> dict[str, list[float]]:
        """Win probability by seat after each decision, and the result if the match has one.

        Values are as the player who decided saw the game. Shape: one list per seat, of
        [decision_count] values, or [decision_count + 1] with the result.
        """
        ends = [self.result] if self.finished and self.result is not None else []
        seats = [str(seat) for seat in self.record.footer.scores]
        return {
            seat: [
                *(each.after[seat].value for each in self.decisions),
                *(end[seat] for end in ends),
            ]
            for seat in seats
            if all(seat in each.after for each in self.decisions)
        }

    @property
    def luck(self) -> list[dict[str, Interval]]:
        """Change of each seat's win probability from a decision to the next one, or to the result.

        One entry per decision; after the last decision of a match without a result nothing changes.
        """
        ends: list[Mapping[str, Interval]] = [each.start for each in self.decisions[1:]]
        if self.finished and self.result is not None:
            ends.append({seat: exactly(share) for seat, share in self.result.items()})
        changes = [
            {seat: _change(end[seat], value) for seat, value in each.after.items() if seat in end}
            for each, end in zip(self.decisions, ends, strict=False)
        ]
        still = [dict.fromkeys(each.after, exactly(0.0)) for each in self.decisions[len(ends) :]]
        return [*changes, *still]

    @property
    def luckiest(self) -> tuple[DecisionAnalysis, str] | None:
        """The decision with the most luck until the next one, and the seat that it went to.

        None if no luck exceeds its noise, or all would be shown as 0 %.
        """
        gains = [
            (change.value, k, seat)
            for k, luck in enumerate(self.luck)
            for seat, change in luck.items()
            if change.low > 0.0 and change.value >= _LEAST_SHARE
        ]
        if not gains:
            return None
        _, k, seat = max(gains)
        return self.decisions[k], seat

    @property
    def accounts(self) -> dict[str, Account]:
        """Changes by decisions and by luck, by seat; empty for seats with unknown values."""
        return {seat: self._account(seat) for seat in self.curve}

    def _account(self, seat: str) -> Account:
        """Return the account of a seat.

        Let s_k and a_k be the values before and after decision k, and r the result:

            luck = (s_1 - a_0) + (s_2 - a_1) + ... + (r - a_n)
                 = r - a_0 + sum over k > 0 of (s_k - a_k)

        Samples of different decisions are independent, so the squared errors of a_0 and of the
        losses s_k - a_k add up. A loss within its noise counts as 0, with the same error.
        """
        first, *later = self.decisions
        own = [each for each in self.decisions if each.seat == seat and each.clear]
        whole = self.finished and self.result is not None
        ends = [] if whole else [self.decisions[-1].after[seat]]
        parts = [first.after[seat], *(each.change_of(seat) for each in later), *ends]
        luck = fsum(each[seat].value for each in self.luck)
        half = hypot(*map(_half_width, parts))
        return Account(
            start=first.start[seat].value,
            lost=fsum(each.clear_loss for each in own),
            lost_noise=hypot(*(_half_width(e.loss) for e in own if e.loss.method != EXACT)),
            gained=fsum(
                each.after[seat].value - each.start[seat].value
                for each in self.decisions
                if each.seat != seat
            ),
            luck=Interval(
                value=luck,
                low=luck - half,
                high=luck + half,
                level=LEVEL,
                method=EXACT if all(each.method == EXACT for each in parts) else "Student",
            ),
            end=self.curve[seat][-1],
        )

    def annotated(self) -> MatchRecord:
        """Return the record with a comment after each decision; earlier analyses are removed."""
        comments = {each.decision: self._comment(each) for each in self.decisions}
        holds = {each.decision: each for each in self.holds or ()}
        sums = " ".join(f"{each}." for each in (*self.sentences, *self.verdicts))
        head = f"{_COMMENT} {self.source} Values are shares of the win. {sums}"
        entries: list[Entry] = [Comment(text=head)]
        for entry in self.record.entries:
            if isinstance(entry, Comment) and entry.text.startswith(_COMMENT):
                continue
            entries.append(entry)
            if isinstance(entry, Decision | Forfeit) and entry.index in comments:
                entries.append(comments[entry.index])
                if (split := holds.get(entry.index)) is not None:
                    text = f"{split.sentence} of a win, by {split.throws} throws each"
                    entries.append(Comment(text=f"{_COMMENT} {text}"))
        return replace(self.record, entries=tuple(entries))

    @property
    def names(self) -> dict[str, str]:
        """Name of each seat."""
        view = make_view(game_of(self.record))
        view.people = self.record.header.names
        return {str(seat): name for seat, name in view.names.items()}

    @property
    def sentences(self) -> list[str]:
        """Account of each seat in a line."""
        return [f"{self.names[seat]}: {each.sentence}" for seat, each in self.accounts.items()]

    @property
    def verdicts(self) -> list[str]:
        """Why each loser lost, how lucky players were, and when the most, in a sentence each.

        Luck within its noise is left out. What luck gave to one of two players it took from the
        other, so that the loser's sentence is enough.
        """
        accounts = self.accounts
        shares = (self.result if self.finished else None) or {}
        losers = [seat for seat in accounts if shares.get(seat) == 0.0]
        found = self._defeats(losers)
        if not losers or len(accounts) > 2:
            lucky = [s for s, each in accounts.items() if each.clear and s not in losers]
            if len(accounts) == 2:
                lucky = [seat for seat in lucky if accounts[seat].luck.value > 0.0]
            found += [accounts[seat].verdict(self.names[seat]) for seat in lucky]
        if accounts and not found:
            found.append("Luck favoured nobody beyond its noise")
        if self.luckiest is not None:
            at, seat = self.luckiest
            gain = self.luck[self.decisions.index(at)][seat]
            noise = "" if gain.method == EXACT else f" ± {100 * _half_width(gain):.0f}"
            words = f"{100 * gain.value:+.0f}{noise} % for {self.names[seat]}, after {at.name}"
            found.append(f"The most luck at once: {words}")
        return found

    def _defeats(self, losers: Sequence[str]) -> list[str]:
        """Return why each loser lost; one sentence for all of whom nothing clear is known."""
        accounts, names = self.accounts, self.names
        unknown = [seat for seat in losers if accounts[seat].vague and not accounts[seat].mistaken]
        found = [accounts[seat].defeat(names[seat]) for seat in losers if seat not in unknown]
        if unknown:
            players = " or ".join(names[seat] for seat in unknown)
            found.append(f"No clear mistake of {players}; {_TOO_SMALL}")
        return found

    @property
    def source(self) -> str:
        """Agent, playouts and seed in a sentence."""
        return source_text(self)

    def _comment(self, found: DecisionAnalysis) -> Comment:
        mark = next((f"worst {k}: " for k, w in enumerate(self.worst(), 1) if w is found), "")
        return Comment(text=f"{_COMMENT} {mark}{found.sentence}")

    @checked
    def save(self, file: str | PathLike[str], *, worst: int = 3, overwrite: bool = False) -> Path:
        """Write the analysis to a file, in the format of its suffix.

        `.html` is a page with the curve, the worst decisions and every decision; `.svg` and `.png`
        are the curve. `.txt` is the record as text with the findings as comments, and `.jsonl` the
        same as JSON lines. `.json` is the document.

        Args:
            file: File to write; an existing picture or page is replaced.
            worst: Number of decisions that are marked.
            overwrite: Whether to replace an existing record or document too.

        Returns:
            The path of the file.

        Raises:
            PigglesimError: If the suffix is unknown, or the file cannot be written.
        """
        path = Path(file)
        check_target(path, *_KINDS)
        kind = path.suffix.lower()
        if kind in {*_RECORDS, ".json"}:
            expect_new(path, overwrite=overwrite)
        if kind in _RECORDS:
            write_record(self.annotated(), path)
        elif kind == ".json":
            write_target(path, f"{self.to_json()}\n")
        else:
            from pigglesim.api.analysis_page import (  # noqa: PLC0415 (draws)
                analysis_chart,
                analysis_page,
            )
            from pigglesim.render.figure import figure_bytes  # noqa: PLC0415 (draws)

            if kind == ".html":
                write_target(path, analysis_page(self, self.worst(worst)))
            else:
                chart = analysis_chart(self, self.worst(worst))
                write_target(path, figure_bytes(chart, kind[1:]))
        return path

    def document(self) -> dict[str, Any]:
        """Return the analysis as JSON values."""
        document = {
            "game": self.record.header.game,
            "match_seed": seed_json(self.record.header.seed),
            "agent": self.agent,
            "chance": self.chance,
            "playouts": self.playouts,
            "seed": seed_json(self.seed),
            "level": LEVEL,
            "view": "the player to move",
            "finished": self.finished,
            "result": self.result,
            "worst": [each.decision for each in self.worst(len(self.decisions))],
            "curve": self.curve,
            "accounts": {
                seat: {**asdict(each), "fair_end": each.fair_end}
                for seat, each in self.accounts.items()
            },
            "decisions": [
                {
                    **asdict(each),
                    "name": each.name,
                    "advice": each.advice if each.clear else None,
                    "clear": each.clear,
                    "luck": {seat: asdict(change) for seat, change in luck.items()},
                }
                for each, luck in zip(self.decisions, self.luck, strict=True)
            ],
        }
        if self.holds is not None:
            document["holds"] = [asdict(each) for each in self.holds]
        return dict(plain(document))

    def __repr__(self) -> str:
        lost = [
            f"decision {each.decision}: {each.seat} {each.action}, loss {value_text(each.loss)}"
            for each in self.worst()
        ]
        head = f"{len(self.decisions)} decisions of {self.record.header.game}"
        return f"AnalysisResult({'; '.join([head, *lost, f'seed {self.seed}'])})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionResult(JsonResult):
    """Win probability after each action at a position."""

    game: str
    position: str
    """State in the notation of the game."""
    seat: str
    """Seat that decides."""
    round: int
    agent: str
    """Agent that found the best action."""
    best: str
    """Best action that the agent found."""
    chance: str
    """Source of rolls of the playouts."""
    playouts: int
    """Games played from each action."""
    seed: int
    finished: bool
    """True if all actions were analysed."""
    actions: tuple[DecisionAnalysis, ...]
    """Distinct actions, that with the highest value first. Each is analysed as if it was played."""

    @property
    def source(self) -> str:
        """Agent, playouts and seed in a sentence."""
        return source_text(self)

    def __repr__(self) -> str:
        found = [f"{each.action}: {value_text(each.after[self.seat])}" for each in self.actions]
        return (
            f"PositionResult({self.game}, {self.seat} wins; {'; '.join(found)}; seed {self.seed})"
        )

    def document(self) -> dict[str, Any]:
        """Return the values as JSON values."""
        document = {
            **{name: getattr(self, name) for name in ("game", "position", "seat", "round")},
            **{
                name: getattr(self, name)
                for name in ("agent", "best", "chance", "playouts", "seed")
            },
            "level": LEVEL,
            "finished": self.finished,
            "actions": [
                {
                    "action": each.action,
                    "played": each.played,
                    "values": asdict(each)["after"],
                    "loss": asdict(each.loss),
                    "clear": each.clear,
                }
                for each in self.actions
            ],
        }
        return dict(plain(document))
