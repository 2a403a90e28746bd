"""What is kept of a throw: the columns of the store, a row for each die of each throw."""

from collections.abc import Mapping

__all__ = ["COLUMNS"]

COLUMNS: Mapping[str, str] = {
    "throw": "BIGINT",  # numbers the throws of the study from 0
    "cell": "INTEGER",  # combination of factor levels, from 0
    "trial": "BIGINT",  # number of the throw within its cell: the same randomness in every cell
    "die": "SMALLINT",  # number of the die in the throw, from 0
    "model": "VARCHAR",
    "standing": "BOOLEAN",  # stood on the board before the throw, and was not in the cup
    "orientation": "VARCHAR",  # class by the rules, such as Snout-Up; of a d6, its number.
    # NULL off the board, and where a die still moved when time was up
    "pose": "VARCHAR",  # stable pose as its model names it; NULL if none was reached
    "ending": "VARCHAR",  # of a single die: decided, descended or timed out; of a pour: settled
    # or timed-out
    "time_s": "FLOAT",
    "down_x": "FLOAT",  # unit vector of the body's own axes that pointed down at the end
    "down_y": "FLOAT",
    "down_z": "FLOAT",
    "zone": "VARCHAR",  # this and all below: NULL for a single die on an endless floor
    "x_mm": "FLOAT",  # centre of mass on the board, east of its middle
    "y_mm": "FLOAT",  # north of its middle
    "leaning": "BOOLEAN",
    "stacked": "BOOLEAN",
    "points": "TINYINT",  # what it scores as it lies (R3)
    "orientation_before": "VARCHAR",  # of standing dice alone, as all below: class by the rules
    "zone_before": "VARCHAR",
    "knocked": "BOOLEAN",  # by this throw (P18)
    "moved_mm": "FLOAT",
}
"""Name and DuckDB type of each column, in order. A study adds one of each factor that it varies."""
