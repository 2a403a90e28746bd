"""Studies of throws made by hand: a table of throws, and what it says."""

import duckdb

from pigglesim.experiments.estimates import answer
from pigglesim.experiments.shard import COLUMNS
from pigglesim.landing import Orientation

POSES = [pose.label for pose in Orientation]


def store(rows, factors=()):
    """Return a database in memory with a table of throws; a row is a mapping of columns."""
    connection = duckdb.connect()
    columns = {**COLUMNS, **dict(factors)}
    connection.execute(
        "CREATE TABLE throws (" + ", ".join(f'"{k}" {v}' for k, v in columns.items()) + ")"
    )
    if rows:
        lists = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
        connection.execute(
            f"INSERT INTO throws SELECT {lists}", [[row.get(k) for row in rows] for k in columns]
        )
    return connection


def row(throw=0, *, cell=0, trial=None, die=0, orientation="Snout-Up", **more):
    """Return a row of a die that lies alone."""
    plain = {
        "throw": throw, "cell": cell, "trial": throw if trial is None else trial, "die": die,
        "model": "piggle", "standing": False, "orientation": orientation, "ending": "settled",
        "time_s": 1.0, "down_x": 0.0, "down_y": 0.0, "down_z": -1.0,
    }  # fmt: skip
    return {**plain, **more}


def on_board(throw=0, *, x=0.0, y=0.0, zone="path:inner", points=2, **more):
    """Return a row of a die on the board, `x` mm east and `y` mm north of its middle."""
    return row(
        throw, x_mm=x, y_mm=y, zone=zone, points=points, leaning=False, stacked=False, **more
    )


def answers_of(connection, factors):
    """Return the estimates of a table of throws.

    Args:
        connection: Holds the table.
        factors: Levels of each cell, by its number.
    """
    names = list(next(iter(factors.values())))
    for name in names:
        column = '"' + name.replace('"', '""') + '"'
        kind = "DOUBLE" if isinstance(factors[0][name], float) else "VARCHAR"
        connection.execute(f"ALTER TABLE throws ADD COLUMN {column} {kind}")
        for cell, levels in factors.items():
            change = f"UPDATE throws SET {column} = ? WHERE cell = ?"
            connection.execute(change, [levels[name], cell])
    zones = connection.execute("SELECT count(zone) FROM throws").fetchone()[0]
    return answer(connection, kind="pour" if zones else "drop", factors=names)
