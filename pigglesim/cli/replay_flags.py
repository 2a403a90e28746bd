"""The flags of `pigglesim replay`: what is shown of a record, and where another is branched off."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.options import SeedOption, WorkersOption
from pigglesim.errors import SpecError

__all__ = ["ShownFlags", "WhatIfFlags", "refuse_both", "refuse_loose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFlags:
    """The flags that tell which rounds are shown, and how."""

    from_round: Annotated[int, typer.Option(min=1, help="First round shown.")] = 1
    to_round: Annotated[
        int | None, typer.Option(min=1, help="Last round shown. Default: the last.")
    ] = None
    round_: Annotated[
        int | None, typer.Option("--round", min=1, help="Only round shown. Default: all.")
    ] = None
    step: Annotated[
        bool, typer.Option("--step", help="Show one move at a time: Enter next, b back, q quit.")
    ] = False
    resimulate: Annotated[
        bool, typer.Option("--resimulate", help="Simulate every roll again and compare every bit.")
    ] = False
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True
    decisions: Annotated[
        bool, typer.Option("--decisions", help="List the decisions by number, for --what-if.")
    ] = False

    @property
    def rounds(self) -> tuple[int, int | None]:
        """The first and the last round shown; None for the last there is."""
        if self.round_ is not None:
            return self.round_, self.round_
        return self.from_round, self.to_round


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfFlags:
    """The flags that tell where to branch off, and how to play on."""

    decision: Annotated[
        int | None,
        typer.Option(
            "--what-if",
            min=0,
            metavar="DECISION",
            help="Number of the decision to branch off at, from 0; --decisions lists them.",
        ),
    ] = None
    actions: Annotated[
        list[str] | None,
        typer.Option(
            "--action",
            metavar="ACTION",
            help="With --what-if: action to try there; repeatable. Default: each legal one but "
            "concede, and in Classic one load for each number of Piggles.",
        ),
    ] = None
    times: Annotated[
        int, typer.Option(min=1, max=10**6, help="With --what-if: matches per action.")
    ] = 100
    chance: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.chances,
            metavar="CHANCE",
            help="With --what-if: source of rolls: tabular (measured odds), physical or "
            "fair. Default: the quickest of the game.",
        ),
    ] = None
    odds: Annotated[
        str | None,
        typer.Option(
            help="With --what-if: odds of --chance tabular, a file written by `study odds`."
        ),
    ] = None
    a: Annotated[
        str | None,
        typer.Option(
            "--a",
            autocompletion=completions.agents,
            metavar="AGENT",
            help="With --what-if: agent of A. Default: the record's.",
        ),
    ] = None
    b: Annotated[
        str | None,
        typer.Option(
            "--b",
            autocompletion=completions.agents,
            metavar="AGENT",
            help="With --what-if: agent of B. Default: the record's.",
        ),
    ] = None
    workers: WorkersOption = None
    seed: SeedOption = None
    out: Annotated[
        Path | None, typer.Option(help="With --what-if: file to write the matches to.")
    ] = None

    def refuse_loose(self) -> None:
        """Raise `SpecError` for flags that say nothing without --what-if."""
        given = {
            "--action": self.actions,
            "--odds": self.odds,
            "--chance": self.chance,
            "--a": self.a,
            "--b": self.b,
            "--workers": self.workers,
            "--out": self.out,
        }
        refuse_loose(self.decision is None, "--what-if", given)


def refuse_loose(loose: bool, flag: str, given: Mapping[str, object]) -> None:
    """Refuse flags that say nothing without another."""
    for name, value in given.items():
        if loose and value:
            raise SpecError(f"{flag} with {name}", got=f"{name} alone", remedy=f"add {flag}")


def refuse_both(drawing: Mapping[str, bool], others: Mapping[str, bool]) -> None:
    """Refuse to draw a record that is written or stepped through in the same breath."""
    for name, wanted in drawing.items():
        if clash := [flag for flag, given in others.items() if wanted and given]:
            raise SpecError(
                f"{name} without what shows or writes the record",
                got=clash[0],
                remedy="one at a time",
            )
