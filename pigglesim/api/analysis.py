"""Results of the analysis of a match: values by decision, and the annotated record."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from pigglesim.arguments import Result, checked, plain
from pigglesim.experiments.statistics import Interval
from pigglesim.match.entries import Comment, Decision, Entry, Forfeit, MatchRecord

EXACT = "exact"
"""Method of an interval without noise."""
LEVEL = 0.95
"""Confidence level of all intervals."""
_COMMENT = "analysis:"
"""Beginning of the comments of an analysis in a record."""


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
    seat: str
    """Seat that decided."""
    action: str
    """Action played, in the notation of the game; `forfeits` and the cause for a forfeit."""
    best: str
    """Best action that the evaluating agent found."""
    choices: int
    """Number of distinct actions, without conceding."""
    before: Mapping[str, Interval]
    """Win probability of each seat after the best action."""
    after: Mapping[str, Interval]
    """Win probability of each seat after the action played."""
    loss: Interval
    """Win probability that the player to move lost; of samples, with paired random numbers."""

    @property
    def exact(self) -> bool:
        """True if both values of the player to move have no noise."""
        return all(each[self.seat].method == EXACT for each in (self.before, self.after))

    @property
    def clear(self) -> bool:
        """True if the loss is more than its noise."""
        return self.loss.low > 0.0

    @property
    def sentence(self) -> str:
        """Values of the decision in one line."""
        after = f"{self.seat} wins {value_text(self.after[self.seat])}"
        if self.best == self.action:
            return after
        best = f"best {self.best}, {value_text(self.before[self.seat])}"
        return f"{after}; {best}; loss {value_text(self.loss)}"


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AnalysisResult(Result):
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

    def worst(self, count: int = 3) -> tuple[DecisionAnalysis, ...]:
        """Return the decisions with the largest losses, the worst first.

        Losses within their noise are left out.
        """
        clear = [each for each in self.decisions if each.clear]
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

    def annotated(self) -> MatchRecord:
        """Return the record with a comment after each decision; earlier analyses are removed."""
        comments = {each.decision: self._comment(each) for each in self.decisions}
        head = f"{_COMMENT} {self.source} Values are shares of the win."
        entries: list[Entry] = [Comment(text=head)]
        for entry in self.record.entries:
            if isinstance(entry, Comment) and entry.text.startswith(_COMMENT):
                continue
            entries.append(entry)
            if isinstance(entry, Decision | Forfeit) and entry.index in comments:
                entries.append(comments[entry.index])
        return replace(self.record, entries=tuple(entries))

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
        from pigglesim.api.analysis_files import write_analysis  # noqa: PLC0415 (draws)

        return write_analysis(self, Path(file), worst=worst, overwrite=overwrite)

    @staticmethod
    def value_text(value: Interval) -> str:
        """Return a win probability as text: `0.512 [0.503, 0.521]`, or `0.5120 exact`."""
        return value_text(value)

    def document(self) -> dict[str, Any]:
        """Return the analysis as JSON values."""
        document = {
            "game": self.record.header.game,
            "match_seed": self.record.header.seed,
            "agent": self.agent,
            "chance": self.chance,
            "playouts": self.playouts,
            "seed": self.seed,
            "level": LEVEL,
            "view": "the player to move",
            "finished": self.finished,
            "result": self.result,
            "worst": [each.decision for each in self.worst(len(self.decisions))],
            "curve": self.curve,
            "decisions": [asdict(each) for each in self.decisions],
        }
        return dict(plain(document))

    def __repr__(self) -> str:
        lost = [
            f"decision {each.decision}: {each.seat} {each.action}, loss {value_text(each.loss)}"
            for each in self.worst()
        ]
        head = f"{len(self.decisions)} decisions of {self.record.header.game}"
        return f"AnalysisResult({'; '.join([head, *lost, f'seed {self.seed}'])})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionResult(Result):
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
                {"action": each.action, "values": asdict(each)["after"], "loss": asdict(each.loss)}
                for each in self.actions
            ],
        }
        return dict(plain(document))
