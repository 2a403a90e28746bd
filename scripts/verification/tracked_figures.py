"""Pictures of tracked throws: `python -m scripts.verification.tracked_figures DIR PARAMS.toml OUT`.

DIR holds a toss.toml, PARAMS.toml is by `pigglesim fit`. Writes OUT/tracked-errors.svg, the errors
over time by engine; OUT/tracked-faces.svg, how reliable the predicted faces are; OUT/tracked.gif,
a tracked throw and the simulated one side by side; and prints the throws whose face is predicted
with less than one half, by engine. All engines get the same body and surface.
"""

import itertools
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from pigglesim.experiments.statistics import binomial
from pigglesim.experiments.tracked_throws import (
    DRAWS,
    FollowedThrow,
    FollowTask,
    ThrowParameters,
    TrackedThrows,
    TrackThrower,
    follow_all,
    measure_start,
    read_parameters,
    read_tracked_throws,
)
from pigglesim.render.figure import (
    axes_at,
    colours_of,
    draw_legend,
    figure_pixels,
    heading,
    hide_axes,
    new_figure,
    save_figure,
    simplify_axes,
)

ENGINES = {"impulse": DRAWS, "bullet": 40, "mujoco": 40}
"""Draws for the face of each throw by engine: fewer for slow engines."""
BINS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
LONGEST = 0.8
"""Time after first contact that the errors are drawn for [s]."""
FEWEST = 20
"""Throws that must still be tracked at a time for an error to be drawn."""
LIGHT = np.array([0.35, -0.5, 0.8])


@dataclass
class Motion:
    """A throw as tracked and as simulated, from two frames before first contact."""

    number: int
    tracked: tuple[np.ndarray, np.ndarray]
    simulated: tuple[np.ndarray, np.ndarray]

    def errors(self, side: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the distance [% of the side] and the angle [degree] in each frame."""
        (seen, turned), (places, rotations) = self.tracked, self.simulated
        cosines = np.minimum(np.abs((turned * rotations).sum(axis=1)), 1.0)
        distances = np.linalg.norm(places - seen, axis=1)
        return 100.0 * distances / side, np.degrees(2.0 * np.arccos(cosines))


def motions(throws: TrackedThrows, parameters: ThrowParameters, engine: str) -> list[Motion]:
    """Return each throw with enough tracked flight."""
    thrower = TrackThrower(parameters, engine, throws.frame_time)
    found = []
    for track in throws.tracks:
        start = measure_start(track, parameters, throws.frame_time)
        if start:
            rest = slice(start.frame, len(track.positions))
            tracked = track.positions[rest], track.rotations[rest]
            found.append(Motion(track.number, tracked, thrower.throw(start, len(tracked[0]))))
    return found


def draw_errors(found: dict[str, list[Motion]], throws: TrackedThrows, file: Path) -> None:
    """Draw the median and the middle half of the errors over time."""
    figure = new_figure(9.2, 3.6)
    heading(figure, "Distance from the tracked cube after first contact: median and middle half")
    colours = colours_of(ENGINES)
    draw_legend(figure, [(name, colours[name]) for name in ENGINES], down=0.5)
    frames = round(LONGEST / throws.frame_time)
    times = np.arange(frames) * throws.frame_time
    for panel, unit in enumerate(("position [% of the side]", "rotation [°]")):
        axes = axes_at(figure, 0.55 + 4.55 * panel, 0.55, 3.8, 2.1)
        simplify_axes(axes)
        for name in ENGINES:
            rows = np.full((len(found[name]), frames), np.nan)
            for row, motion in zip(rows, found[name], strict=True):
                errors = motion.errors(throws.side)[panel][2 : 2 + frames]
                row[: len(errors)] = errors
            seen = np.isfinite(rows).sum(axis=0) >= FEWEST
            low, middle, high = np.nanquantile(rows[:, seen], (0.25, 0.5, 0.75), axis=0)
            axes.plot(times[seen], middle, color=colours[name])
            axes.fill_between(times[seen], low, high, color=colours[name], alpha=0.15, linewidth=0)
        axes.set_ylim(0.0)
        axes.set_xlim(0.0, LONGEST)
        axes.set_title(unit, loc="left", fontsize=9)
        axes.set_xlabel("time after first contact [s]", fontsize=9)
    save_figure(figure, file)


def draw_faces(followed: dict[str, list[FollowedThrow]], file: Path) -> None:
    """Draw how often faces came up that had been predicted with some probability."""
    figure = new_figure(5.2, 4.6)
    heading(figure, "Faces: how often predictions came true, 95 %")
    colours = colours_of(ENGINES)
    draw_legend(figure, [(name, colours[name]) for name in ENGINES], down=0.5)
    axes = axes_at(figure, 0.6, 0.6, 4.3, 2.9)
    simplify_axes(axes)
    axes.plot([0, 1], [0, 1], color="0.7", linewidth=0.8)
    for name in ENGINES:
        shares = np.array([one.shares for one in followed[name]])
        came = np.eye(6)[[one.face for one in followed[name]]]
        for low, high in itertools.pairwise(BINS):
            chosen = (shares >= low) & (shares < high if high < 1 else shares <= high)
            if chosen.any():
                share = binomial(int(came[chosen].sum()), int(chosen.sum()))
                x = shares[chosen].mean() + 0.008 * (list(ENGINES).index(name) - 1)
                axes.plot([x, x], [share.low, share.high], color=colours[name])
                axes.plot([x], [share.value], "o", color=colours[name], markersize=4)
    axes.set_xlabel("predicted probability", fontsize=9)
    axes.set_title("share that came up", loc="left", fontsize=9)
    save_figure(figure, file)


def draw_cube(axes, place: np.ndarray, rotation: np.ndarray, side: float, colour: str) -> None:
    """Draw the visible faces of a cube, seen from the front and a little from above."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Polygon

    view = Rotation.from_euler("x", 20, degrees=True)
    turn = Rotation.from_quat(rotation)
    for axis in range(3):
        for sign in (-1, 1):
            normal = sign * np.eye(3)[axis]
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            corners = [normal + a * u + b * v for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))]
            world = turn.apply(np.array(corners) * side / 2) + place
            seen = view.apply(world)
            if view.apply(turn.apply(normal))[1] >= 0:
                continue
            bright = 0.55 + 0.45 * max(0.0, turn.apply(normal) @ LIGHT / np.linalg.norm(LIGHT))
            # Each pair of faces has its own tint, so that rotations show.
            tint = np.array(to_rgb(colour)) * (0.75 + 0.125 * axis)
            axes.add_patch(
                Polygon(seen[:, [0, 2]], facecolor=tuple(tint * bright), edgecolor="white", lw=0.8)
            )


def film(motion: Motion, throws: TrackedThrows, file: Path) -> None:
    """Write a throw as an animated picture at a quarter of its speed: tracked, simulated."""
    middle = motion.tracked[0][:, :2].mean(axis=0)
    pictures = []
    for frame in range(0, len(motion.tracked[0]), 2):
        figure = new_figure(5.6, 2.6)
        colours = colours_of(("tracked", "simulated"))
        for panel, (title, (places, rotations)) in enumerate(
            (("tracked", motion.tracked), ("simulated", motion.simulated))
        ):
            axes = axes_at(figure, 2.8 * panel, 0.0, 2.8, 2.3)
            hide_axes(axes)
            axes.set_aspect("equal")
            axes.set_xlim(-0.37, 0.37)
            axes.set_ylim(-0.13, 0.42)
            axes.axhline(0.0, color="0.8", linewidth=0.8)
            place = places[frame] - [*middle, 0.0]
            draw_cube(axes, place, rotations[frame], throws.side, colours[title])
            time = (frame - 2) * throws.frame_time
            axes.set_title(f"{title}, {time:.2f} s" if panel == 0 else title, fontsize=9)
        picture = Image.fromarray(figure_pixels(figure)).convert("RGB")
        pictures.append(picture.quantize(colors=32, dither=Image.Dither.NONE))
    duration = round(4 * 2 * throws.frame_time * 1000)
    pictures[0].save(file, save_all=True, append_images=pictures[1:], duration=duration, loop=0)


def main() -> None:
    """Draw all, and print the table of missed faces."""
    folder, source, out = map(Path, sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    throws = read_tracked_throws(next(folder.rglob("toss.toml")))
    fitted, _ = read_parameters(source)
    plain = replace(fitted, sliding_friction=None, impact_stages=1)
    settings = {"impulse": fitted, "bullet": plain, "mujoco": plain}
    found = {name: motions(throws, settings[name], name) for name in ENGINES}
    draw_errors(found, throws, out / "tracked-errors.svg")
    followed = {}
    for name in ENGINES:
        task = FollowTask(
            throws=throws, parameters=settings[name], engine=name, draws=ENGINES[name], seed=1
        )
        followed[name] = [one for one in follow_all(task, workers=2) if one]
    draw_faces(followed, out / "tracked-faces.svg")
    usual = sorted(found["impulse"], key=lambda one: float(one.errors(throws.side)[0].mean()))
    film(usual[len(usual) // 2], throws, out / "tracked.gif")
    print("| throw |", " | ".join(ENGINES), "|\n|---|" + "---|" * len(ENGINES))
    for rows in zip(*followed.values(), strict=True):
        shares = [one.shares[one.face] for one in rows]
        if min(shares) < 0.5:
            print(f"| {rows[0].number} |", " | ".join(f"{x:.3f}" for x in shares), "|")


if __name__ == "__main__":
    main()
