"""`pigglesim replay --what-if`: branch off from a match, with results by action."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from rich.table import Table
from rich.text import Text

from pigglesim.api.result import plain
from pigglesim.api.what_if import ActionResult, Branches, branches_at
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import Flag
from pigglesim.cli.records import readable
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.record import LocatedRecord, write_records
from pigglesim.match.replay import RecordPlayback, game_of
from pigglesim.units import with_interval

_WIDE = 120
"""Width of a table with every result [columns]; in a narrower window it wraps."""
_LOOSE = Flag(beside=("decision",))
"""Flag that needs --what-if."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfFlags:
    """Flags for the decision to branch off at, and for the matches played from there."""

    decision: Annotated[
        int | None,
        Flag("--what-if", metavar="DECISION", low=0),
        "Number of the decision to branch off at, from 0; --decisions lists them.",
    ] = None
    actions: Annotated[
        list[str] | None,
        _LOOSE,
        Flag("--action", metavar="ACTION"),
        "Action to try there; repeatable. Default: each legal one but "
        "concede, and in Classic one load for each number of Piggles.",
    ] = None
    times: Annotated[int, _LOOSE, Flag(low=1, high=10**6), "Matches per action."] = 100
    chance: Annotated[options.Chance, _LOOSE] = None
    odds: Annotated[options.Odds, _LOOSE] = None
    a: Annotated[str | None, options.AGENT, _LOOSE, "Agent of A. Default: the record's."] = None
    b: Annotated[str | None, options.AGENT, _LOOSE, "Agent of B. Default: the record's."] = None
    workers: Annotated[options.Workers, _LOOSE] = None
    seed: Annotated[options.Seed, _LOOSE] = None
    out: Annotated[Path | None, _LOOSE, "File to write the matches to."] = None

    def show(self, found: LocatedRecord, decision: int, *, as_json: bool) -> None:
        """Play on from a decision with each action and show the results; Ctrl-C ends it early."""
        branches = branches_at(
            readable(found),
            decision,
            actions=self.actions or (),
            chance=self.chance,
            odds=self.odds,
            agents={"A": self.a, "B": self.b},
            seed=options.chosen_seed(self.seed),
        )
        tallies = branches.tallies()
        total = self.times * len(tallies)
        work = consoles.Work("matches", "played on", total=total, quiet=as_json, stoppable=True)

        def played() -> Generator[MatchRecord, None, None]:
            matches = branches.play(self.times, workers=options.chosen_workers(self.workers))
            with closing(matches):
                for action, match in matches:
                    yield match
                    # Count only what has been written: file and table then have the same matches.
                    tallies[action].add(match)
                    work.advance()

        with work:
            if self.out is not None:
                write_records(played(), self.out)
            else:
                for _ in played():
                    pass
        results = [ActionResult.of(name, each) for name, each in tallies.items() if each.trials]
        if as_json:
            point = branches.point
            document = {
                "decision": decision,
                "seat": str(point.decision.seat),
                "recorded": point.decision.action,
                "state": point.game.format_state(point.begun.state),
                "chance": branches.chance,
                "seed": branches.seed,
                "level": 0.95,
                "actions": [plain(asdict(each)) for each in results],
            }
            consoles.print_json(document)
        else:
            self._show(branches, results)
        consoles.leave_if(
            work.stopped or min(each.trials for each in tallies.values()) < self.times
        )

    def _show(self, branches: Branches, results: Sequence[ActionResult]) -> None:
        console, decision = consoles.result_console(), branches.point.decision
        title = f"decision {decision.index}, {decision.seat} to move; it was {decision.action}"
        console.print(Text(title, "bold"))
        if not results:
            console.print("stopped before the first match was over")
            return
        wide = console if console.width >= _WIDE else consoles.PlainConsole(width=_WIDE)
        wide.print(_table(results, str(decision.seat)))
        played = " or ".join(map(str, sorted({each.matches for each in results})))
        rolled = "by odds" if branches.chance == "tabular" else branches.chance
        told = (
            f"{played} matches of each action, trial by trial on the same seed, rolls {rolled}; "
            "[low, high] at 95 %: shares by Wilson, means by Student "
            f"· seed {branches.seed}"
        )
        console.print(told, style="dim", soft_wrap=True, markup=False)
        if self.out is not None:
            console.print(f"matches: pigglesim replay {self.out}", style="dim", soft_wrap=True)


def _table(results: Sequence[ActionResult], seat: str) -> Table:
    """Return a table of the results of each action, the best for `seat` first."""
    shown = [name for name in results[0].shares if any(each.shares[name].value for each in results)]
    means = (f"points of {seat}" for seat in results[0].mean_scores)
    table = consoles.word_table("action", *shown, *means)
    for each in sorted(results, key=lambda each: -each.shares[f"{seat} wins"].value):
        numbers = [*(each.shares[name] for name in shown), *each.mean_scores.values()]
        table.add_row(each.action, *map(with_interval, numbers))
    return table


def show_decisions(
    found: LocatedRecord, rounds: tuple[int, int | None], *, file: Path, as_json: bool
) -> None:
    """List the decisions of a match by number, each with its legal actions."""
    record = readable(found)
    playback, rows = RecordPlayback(game_of(record)), []
    for entry in record.entries:
        if isinstance(entry, Decision):
            state = playback.state
            number = playback.game.round_of(state)
            if rounds[0] <= number <= (rounds[1] or number):
                row = {"decision": entry.index, "round": number, "seat": str(entry.seat)}
                legal = len(playback.game.legal_actions(state))
                rows.append(row | {"action": entry.action, "legal_actions": legal})
        playback.take(entry)
    if as_json:
        consoles.print_json({"decisions": rows})
        return
    table = consoles.word_table(">decision", ">round", "seat", ">legal actions", "decided")
    console = consoles.result_console()
    for row in rows:
        numbers = (str(row[name]) for name in ("decision", "round", "seat", "legal_actions"))
        table.add_row(*numbers, Text(str(row["action"])))
    console.print(table)
    if rows:
        chosen = "" if found.number == 1 else f" --record {found.number}"
        example = f"pigglesim replay {file}{chosen} --what-if {rows[-1]['decision']}"
        console.print(f"another decision: {example}", style="dim", soft_wrap=True, markup=False)
