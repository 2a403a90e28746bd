"""Throws made up for tests, in the columns of the store."""

from typing import Any

import duckdb
import numpy as np

from pigglesim.experiments.shard import COLUMNS
from pigglesim.landing import READ_ZONES, Orientation

POSES = [pose.label for pose in Orientation]
ZONES = [str(zone) for zone in READ_ZONES]


def connection_with(rows: dict[str, Any], extra: dict[str, str] | None = None) -> Any:
    """Return a connection whose table `throws` has these columns; others are NULL."""
    connection = duckdb.connect()
    columns = {**COLUMNS, **(extra or {})}
    words = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    connection.execute(f"CREATE TABLE throws ({words})")
    if any(len(values) for values in rows.values()):
        names = ", ".join(f'"{name}"' for name in rows)
        given = {name: np.array(list(values), dtype=object) for name, values in rows.items()}
        connection.register("given", given)
        connection.execute(f"INSERT INTO throws ({names}) SELECT * FROM given")
        connection.unregister("given")
    return connection


def random_pours(
    rng: np.random.Generator, *, cells: int = 2, trials: int = 30, dice: int = 4, stood: int = 0
) -> dict[str, list[Any]]:
    """Return pours with everything that can happen, the throws of each cell a few short."""
    rows: dict[str, list[Any]] = {name: [] for name in COLUMNS}
    throw = 0
    for cell in range(cells):
        for trial in range(trials - cell):
            late = bool(rng.random() < 0.1)
            for die in range(dice + stood):
                standing = die >= dice
                zone = ZONES[int(rng.choice(len(ZONES)))]
                moving = late and rng.random() < 0.3
                gone = zone == "off" or moving
                row = {
                    "throw": throw,
                    "cell": cell,
                    "trial": trial,
                    "die": die,
                    "model": "piggle" if standing else f"model {cell}",
                    "standing": standing,
                    "orientation": None if gone else POSES[int(rng.choice(3, p=[0.5, 0.4, 0.1]))],
                    "ending": "timed-out" if late else "settled",
                    "zone": zone,
                    "leaning": bool(rng.random() < 0.2),
                    "stacked": bool(rng.random() < 0.1),
                    "points": int(rng.integers(4)),
                    "knocked": bool(rng.random() < 0.3) if standing else None,
                }
                for name, values in rows.items():
                    values.append(row.get(name))
            throw += 1
    return rows
