"""Throws of a known cube, simulated and tracked without noise."""

import duckdb
import numpy as np
from scipy.spatial.transform import Rotation

from pigglesim.experiments.tracked_throws import (
    ThrowParameters,
    Track,
    TrackedThrows,
    TrackStart,
    TrackThrower,
)

FRAME = 1.0 / 148.0
CUBE = ThrowParameters(
    side=0.1,
    mass=0.4,
    centre=(0.001, -0.0005, 0.004),
    inertia=(8.5e-4, 8.0e-4, 9.0e-4),
    rounding=0.004,
    friction=0.16,
    sliding_friction=0.22,
    restitution=0.25,
    impact_stages=8,
)
TOSS = """
name = "cube"
shape = "box"
side_mm = 100
mass_kg = 0.4
rate_hz = 148
"""


def random_start(rng):
    """Return a start in the air, some 0.2 s before the floor."""
    return TrackStart(
        first_frame=0,
        frame=0,
        position=np.array([0.0, 0.0, rng.uniform(0.2, 0.25)]),
        velocity=np.array([*rng.normal(0.0, 0.5, 2), rng.uniform(-0.4, 0.4)]),
        rotation=Rotation.random(random_state=int(rng.integers(1 << 30))).as_quat(),
        angular_velocity=rng.normal(0.0, 6.0, 3),
        covariance=np.eye(2),
        position_noise=0.0,
        rotation_noise=0.0,
    )


def thrown_cube(count=20):
    """Return simulated throws of `CUBE`."""
    rng = np.random.default_rng(3)
    thrower = TrackThrower(CUBE, "impulse", FRAME)
    tracks = []
    for number in range(count):
        positions, rotations = thrower.throw(random_start(rng), 120)
        tracks.append(Track(number=number, positions=positions, rotations=rotations))
    return TrackedThrows(
        name="cube", side=CUBE.side, mass=CUBE.mass, frame_time=FRAME, tracks=tuple(tracks)
    )


def rows(throws):
    """Return the rows of a file of tracks."""
    return [
        (track.number, k, k * FRAME, *track.positions[k].tolist(), *track.rotations[k].tolist())
        for track in throws.tracks
        for k in range(len(track.positions))
    ]


def write(folder, values, toss=TOSS):
    """Write a folder of tracked throws."""
    (folder / "toss.toml").write_text(toss)
    names = ["toss", "frame", "time_s", "x_m", "y_m", "z_m", "qx", "qy", "qz", "qw"]
    columns = ", ".join(f"{name} DOUBLE" for name in names)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * 10)})", values)
        connection.execute(f"COPY t TO '{folder / 'tosses.parquet'}' (FORMAT parquet)")
    return folder / "toss.toml"
