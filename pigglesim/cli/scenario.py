"""`pigglesim scenario FILE...`: rule tests without physics."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""

    @app.command()
    def scenario(files: Annotated[list[Path], typer.Argument(help="Scenario files.")]) -> None:
        """Play rule tests without physics."""
        raise typer.Exit(len(files))
