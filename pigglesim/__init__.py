"""Physical pig dice: poured from a cup, read on the board, scored by the rules."""

__version__ = "0.1.0"

__all__ = ["__version__"]
