"""Flags of how a study is told."""

from typing import Annotated

import typer

__all__ = ["IntervalOption", "LevelOption"]

IntervalOption = Annotated[
    str,
    typer.Option(
        "--interval", metavar="FORM", help="Form of the intervals of shares: wilson or jeffreys."
    ),
]
LevelOption = Annotated[
    float | None, typer.Option("--level", help="Confidence level of all intervals. Default: 0.95.")
]
