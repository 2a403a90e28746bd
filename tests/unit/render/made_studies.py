"""Studies of throws made by hand: a table of throws, and what it says."""

import itertools

import duckdb
import numpy as np
from scipy.stats import beta

from pigglesim.experiments.estimates import (
    CellAnswers,
    Contrast,
    JointTable,
    StudyAnswers,
)
from pigglesim.experiments.shard import COLUMNS
from pigglesim.experiments.statistics import (
    Independence,
    Interval,
    Posterior,
    difference,
    mean_of,
    share_of,
)
from pigglesim.landing import Orientation

POSES = [pose.label for pose in Orientation]
ZONE_ORDER = ["field:N", "field:E", "field:S", "field:W", "path:inner", "path:outer"]
ZONE_ORDER += ["line:field/path", "line:path/woods", "woods", "off"]


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
    """Return what a table says, roughly as a study would.

    Args:
        connection: Holds the table.
        factors: Levels of each cell, by its number.
    """
    cells = tuple(_cell(connection, cell, levels) for cell, levels in factors.items())
    return StudyAnswers(cells=cells, contrasts=tuple(_contrasts(cells)), level=0.95)


def _cell(connection, cell, levels):
    frame = connection.execute(
        "SELECT throw, orientation, zone, coalesce(points, 0), coalesce(leaning OR stacked, false)"
        " FROM throws WHERE cell = ? AND NOT standing ORDER BY throw, die",
        [cell],
    ).fetchall()
    throws = sorted({each[0] for each in frame})
    number = {throw: k for k, throw in enumerate(throws)}

    def counts(test):
        found = np.zeros(len(throws), dtype=np.int64)
        for each in frame:
            found[number[each[0]]] += bool(test(each))
        return found

    lying, dice = counts(lambda r: r[1] is not None), counts(lambda r: True)
    seen = {each[1] for each in frame} - {None}
    poses = [p for p in POSES if p in seen] + sorted(seen - set(POSES))
    shares = tuple(share_of(counts(lambda r, p=p: r[1] == p), lying) for p in poses)
    alphas = tuple(0.5 + share.value * share.trials for share in shares)
    more = {}
    if any(each[2] for each in frame):
        zones = tuple(z for z in ZONE_ORDER if any(each[2] == z for each in frame))
        table = tuple(
            tuple(
                share_of(counts(lambda r, p=p, z=z: r[1] == p and r[2] == z), dice) for z in zones
            )
            for p in poses
        )
        points = np.zeros(len(throws))
        for each in frame:
            points[number[each[0]]] += each[3]
        more = {
            "joint": JointTable(orientations=tuple(poses), zones=zones, shares=table),
            "zones": {z: share_of(counts(lambda r, z=z: r[2] == z), dice) for z in zones},
            "points_per_die": mean_of(points / np.maximum(dice, 1)),
            "points_per_throw": mean_of(points),
            "leaning": share_of(counts(lambda r: r[4]), lying),
            "off_board": share_of(counts(lambda r: r[2] == "off"), dice),
            "independence": Independence(
                agreement=Interval(value=0.012, low=-0.01, high=0.034, level=0.95, method="pairs"),
                p_value=0.27,
                pairs=15 * len(throws),
            ),
        }
    return CellAnswers(
        cell=cell, factors=levels, throws=len(throws), dice=len(frame), unsettled=0,
        orientations=tuple(poses), shares=shares, posterior=_posterior(alphas), **more,
    )  # fmt: skip


def _posterior(alphas):
    total = sum(alphas)
    return Posterior(
        alphas=alphas,
        intervals=tuple(
            Interval(
                value=a / total, low=float(beta.ppf(0.025, a, total - a)),
                high=float(beta.ppf(0.975, a, total - a)), level=0.95, method="Dirichlet",
            )
            for a in alphas
        ),
    )  # fmt: skip


def _contrasts(cells):
    for first, second in itertools.combinations(cells, 2):
        apart = [name for name in first.factors if first.factors[name] != second.factors[name]]
        if len(apart) != 1:
            continue
        others = {name: level for name, level in first.factors.items() if name != apart[0]}
        pairs = [
            (name, share, second.shares[second.orientations.index(name)])
            for name, share in zip(first.orientations, first.shares, strict=True)
        ]
        if first.points_per_die and second.points_per_die:
            pairs.append(("points a die", first.points_per_die, second.points_per_die))
            pairs.append(("off the board", first.off_board, second.off_board))
        for quantity, low, high in pairs:
            yield Contrast(
                factor=apart[0], low=first.factors[apart[0]], high=second.factors[apart[0]],
                others=others, quantity=quantity, difference=difference(low, high),
            )  # fmt: skip
