"""What a harder swing brings: `python -m scripts.verification.swing FOLDER [THROWS]`.

It pours six Piggles onto six standing ones, for several swings and places of the tipped cup. It
prints means a throw with 95 % intervals, and draws FOLDER/swing.svg. The throws are a study in
FOLDER/throws, which is resumed if it is there.
"""

import sys
from pathlib import Path

import pigglesim
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import mean_of
from pigglesim.render.figure import (
    MARKERS,
    axes_at,
    colours_of,
    draw_legend,
    error_bars,
    heading,
    new_figure,
    save_figure,
    simplify_axes,
    title_panel,
)

_SWINGS, _BACKS = (0.1, 0.24, 0.5, 0.8, 1.2), (1.0, 3.0, 4.7)
_GAIN = "CASE WHEN NOT standing AND orientation = 'Snout-Up' THEN points ELSE 0 END"
_TURNED = "standing AND knocked AND zone <> 'off' AND orientation <> orientation_before"
_FROM_UP = f"{_TURNED} AND orientation_before = 'Snout-Up'"
_MEASURES = {
    "points of the thrown": f"sum({_GAIN})",
    "thrown off the board": "count(*) FILTER (WHERE NOT standing AND zone = 'off')",
    "standing ones knocked": "count(*) FILTER (WHERE standing AND knocked)",
    "standing ones turned over": f"count(*) FILTER (WHERE {_TURNED})",
    "turned from Snout-Up": f"count(*) FILTER (WHERE {_FROM_UP})",
    "standing ones off the board": "count(*) FILTER (WHERE standing AND zone = 'off')",
}


def means(folder: Path, throws: int) -> dict[tuple[float, float, str], Interval]:
    """Return the mean of each measure a throw, by swing [m/s], place [in] and name."""
    study = pigglesim.study(
        "knock",
        throws=throws,
        factors={"swing_m_s": _SWINGS, "end_back_in": _BACKS, "standing": [6], "number": [6]},
        seed=31,
        engine="impulse",
        out=folder / "throws",
        workers=2,
    )
    columns = ", ".join(f'{word} AS "{name}"' for name, word in _MEASURES.items())
    rows = study.query(
        f"SELECT swing_m_s, end_back_in, trial, {columns} FROM throws GROUP BY 1, 2, 3"
    )
    found = {}
    for swing in _SWINGS:
        for back in _BACKS:
            cell = [r for r in rows if (r["swing_m_s"], r["end_back_in"]) == (swing, back)]
            for name in _MEASURES:
                found[swing, back, name] = mean_of(row[name] for row in cell)
    return found


def main() -> None:
    """Print the table and draw the picture."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found = means(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 300)
    print("| swing | cup behind the middle |", " | ".join(_MEASURES), "|")
    print("|---|---|" + "---|" * len(_MEASURES))
    for swing in _SWINGS:
        for back in _BACKS:
            cells = (found[swing, back, name] for name in _MEASURES)
            texts = (f"{x.value:.2f} ± {(x.high - x.low) / 2:.2f}" for x in cells)
            print(f"| {swing} m/s | {back} in |", " | ".join(texts), "|")
    figure = new_figure(9.2, 6.0)
    heading(figure, "A harder swing: means a throw of six Piggles onto six, with 95 % intervals")
    names = [f"{back} in behind the middle" for back in _BACKS]
    colours = colours_of(names)
    draw_legend(figure, [(name, colours[name]) for name in names], down=0.45)
    for number, measure in enumerate(_MEASURES):
        row, column = divmod(number, 3)
        axes = axes_at(figure, 0.5 + 2.95 * column, 3.15 - 2.6 * row, 2.5, 1.75)
        simplify_axes(axes)
        title_panel(axes, measure, width=2.5)
        for back, name, marker in zip(_BACKS, names, MARKERS, strict=False):
            values = [found[swing, back, measure] for swing in _SWINGS]
            axes.errorbar(
                _SWINGS, [x.value for x in values], yerr=error_bars(values),
                color=colours[name], marker=marker, markersize=4, linewidth=1.2,
            )  # fmt: skip
        axes.set_ylim(bottom=0)
        axes.set_xlabel("swing [m/s]", fontsize=8.5)
    save_figure(figure, folder / "swing.svg")


if __name__ == "__main__":
    main()
