"""The shared parts of all charts: style, colours, panels, rows with intervals, files."""

import io
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.durable_io import FIGURES, check_target, write_target
from pigglesim.landing import Orientation
from pigglesim.render.palette import FAINT, INK, PAPER, RULE, THEME
from pigglesim.render.palette import display_name as display_name
from pigglesim.units import level_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pigglesim.experiments.interval import Interval
    from pigglesim.experiments.statistics import Share


MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
"""Marker for each colour of the palette, which distinguishes lines without colours."""

_PALETTE = (
    "#0b7f63", "#bd5214", "#34508f", "#9a3fe6", "#5a2408", "#86a163", "#e84fd0", "#39303f",
)  # fmt: skip
"""Colours distinct in all kinds of colour vision; the first three also contrast as text."""
DARK = {
    **{THEME[name][0]: THEME[name][1] for name in ("paper", "ink", "faint", "rule")},
    "#0b7f63": "#35b894",
    "#bd5214": "#ee8a4c", "#34508f": "#8fa8ea", "#9a3fe6": "#c08cff", "#5a2408": "#c48f70",
    "#39303f": "#b8adc2",
}  # fmt: skip
"""Replacement of each chart colour on a dark page."""
_DPI = 160
_HEAD, _FOOT = 0.75, 0.65
"""Height of title and note above panels, and of the scale below a panel [in]."""
_ROW, _GROUP = 0.28, 0.36
"""Height of a row, and of the heading over a group of rows [in]."""
_LETTER = 0.075
"""Width of a letter beside a row [in]."""
_MIN_AXES, _MIN_WIDTH = 2.75, 7.5
"""Minimum width of axes with rows, and of the picture [in]."""
_SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.unicode_minus": True,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "text.color": INK,
    # A name may contain a dollar sign, which starts no formula.
    "text.parse_math": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "pigglesim",
    "path.simplify": True,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw with the house style, independent of the user's own settings."""
    from matplotlib import rc_context, rcdefaults  # noqa: PLC0415 (slow to import)

    with rc_context():
        rcdefaults()
        with rc_context(_SETTINGS), warnings.catch_warnings():
            # A name in a script that the font lacks is drawn as boxes, without a warning.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
            yield


def new_figure(width: float, height: float, *, paper: str = PAPER) -> "Figure":
    """Return a figure without axes, its size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (slow to import)
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(width, height), facecolor=paper)
    FigureCanvasAgg(figure)
    return figure


def axes_at(figure: "Figure", left: float, bottom: float, width: float, height: float) -> "Axes":
    """Return new axes at a position from the lower left of a figure; all lengths in inches."""
    wide, high = figure.get_size_inches()
    return figure.add_axes((left / wide, bottom / high, width / wide, height / high))


def error_bars(estimates: "Sequence[Interval | Share]") -> tuple[list[float], list[float]]:
    """Return the lengths of whiskers below and above values, in Matplotlib's form."""
    below = [estimate.value - estimate.low for estimate in estimates]
    return below, [estimate.high - estimate.value for estimate in estimates]


def margin_text(axes: "Axes", text: str, y: float, *, aside: float = 6.0, **options: Any) -> None:  # noqa: ANN401
    """Write text right of axes, `aside` points away, at a height `y` of the data."""
    axes.annotate(
        text, (1.0, y), (aside, 0), xycoords=("axes fraction", "data"),
        textcoords="offset points", annotation_clip=False, **({"va": "center_baseline"} | options),
    )  # fmt: skip


def heading(figure: "Figure", title: str, subtitle: str = "") -> None:
    """Write a title and a fainter line under it at the top left, within the first 0.7 inches."""
    width, height = figure.get_size_inches()
    figure.text(
        0.18 / width, 1 - 0.16 / height, title, va="top", fontsize=12.5, weight="bold", color=INK
    )
    if subtitle:
        corner = (0.18 / width, 1 - 0.42 / height)
        figure.text(*corner, subtitle, va="top", fontsize=8.5, color=FAINT, linespacing=1.35)


def corner_note(figure: "Figure", text: str) -> None:
    """Write a note at the top right of a finished figure."""
    width, height = figure.get_size_inches()
    corner = (1 - 0.06 / width, 1 - 0.03 / height)
    figure.text(*corner, text, ha="right", va="top", fontsize=8.0, weight="bold", color=INK)


def draw_legend(figure: "Figure", entries: Iterable[tuple[str, str]], *, down: float) -> None:
    """Write texts, each in its colour, in one line `down` inches below the top."""
    width, height = figure.get_size_inches()
    x = 0.18
    for text, colour in entries:
        corner = (x / width, 1 - down / height)
        figure.text(*corner, text, va="top", fontsize=8.8, weight="bold", color=colour)
        x += 0.3 + 0.085 * len(text)


def empty_figure(title: str = "", *, thrown: bool = False) -> "Figure":
    """Return a figure without data: nothing was thrown, or no die shows an orientation."""
    figure = new_figure(7.5, 2.0)
    heading(figure, title)
    text = "no die shows an orientation" if thrown else "no throws"
    figure.text(0.5, 0.45, text, ha="center", va="center", fontsize=14, color=FAINT)
    return figure


def hide_axes(axes: "Axes") -> None:
    """Remove frame, ticks and background of axes."""
    axes.set_axis_off()
    axes.patch.set_visible(False)


def simplify_axes(axes: "Axes", *, grid: str = "y") -> None:
    """Reduce axes to their lower line, and faint lines along `grid`."""
    axes.set_facecolor("none")
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0, labelsize=8.5)
    axes.set_axisbelow(True)
    for axis in grid:
        axes.grid(visible=True, axis="x" if axis == "x" else "y", color=RULE, linewidth=0.6)


def cell_label(factors: Mapping[str, object]) -> str:
    """Return the name of a cell in a picture, each part shortened so that names stay distinct."""
    parts = [
        f"{display_name(name, longest=14)} {level_text(level)}"
        if isinstance(level, int | float)
        else display_name(level, longest=16)
        for name, level in factors.items()
    ]
    return display_name(", ".join(parts), longest=60)


def title_panel(axes: "Axes", name: str, *, width: float, above: float = 6.0) -> None:
    """Write a name `above` points over axes, small enough for a width in inches."""
    size = max(6.0, min(9.5, 72.0 * width / (0.68 * max(len(name), 1))))
    axes.set_title(name, loc="left", fontsize=size, weight="bold", pad=above)


def panel_grid(
    title: str,
    note: str,
    names: Sequence[str],
    *,
    columns: int,
    size: tuple[float, float],
    around: tuple[float, float, float, float],
    above: float = 6.0,
) -> tuple["Figure", list["Axes"]]:
    """Return a figure with named axes in rows, from the upper left.

    Args:
        title: First line.
        note: A fainter line under it.
        names: Name of each panel, which may be empty.
        columns: Maximum panels in a row.
        size: Width and height of the axes [in].
        around: Margins left of, below, right of and above each panel [in].
        above: Distance between axes and name [points].
    """
    columns = min(columns, len(names))
    wide, high = around[0] + size[0] + around[2], around[1] + size[1] + around[3]
    height = _HEAD + high * math.ceil(len(names) / columns)
    figure = new_figure(columns * wide, height)
    heading(figure, title, note)
    panels = []
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        left, bottom = column * wide + around[0], height - _HEAD - (row + 1) * high + around[1]
        axes = axes_at(figure, left, bottom, *size)
        simplify_axes(axes)
        title_panel(axes, name, width=wide - around[0], above=above)
        panels.append(axes)
    return figure, panels


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartMark:
    """A value with its interval, drawn as a marker with whiskers, and its text beside the axes."""

    estimate: "Interval | Share | None"
    """Value with its interval; None for text alone."""
    text: str
    colour: str = INK
    marker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartRow:
    """A row of a chart."""

    label: str
    marks: Sequence[ChartMark]
    """Marks of the row; several are drawn a little apart."""
    bars: Sequence[tuple[float, str]] = ()
    """Length and colour of each bar; bars are stacked from zero."""
    reference: float | None = None
    """Value to compare with, drawn as a dashed stroke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPanel:
    """Axes with rows from the top."""

    scale: str
    """Label of the scale, written below."""
    groups: Mapping[str, Sequence[ChartRow]]
    """Rows by the heading over them, which may be empty."""
    name: str = ""
    colours: Mapping[str, str] = field(default_factory=dict)
    """Colours of group headings and of row labels, by text."""
    null: float | None = None
    """Value of no difference: a marker is filled if its interval excludes it."""

    @property
    def rows(self) -> list[ChartRow]:
        """Rows of all groups."""
        return list(chain.from_iterable(self.groups.values()))

    @property
    def height(self) -> float:
        """Height of the axes [in]."""
        return sum(
            _ROW * len(rows) + (_GROUP if heading else 0.0) for heading, rows in self.groups.items()
        )


def draw_rows(
    title: str,
    note: str,
    panels: Sequence[RowPanel],
    *,
    across: bool = False,
    entries: Sequence[tuple[str, str]] = (),
) -> "Figure":
    """Draw rows of numbers with their intervals in panels: below each other, or side by side.

    Panels `across` share the labels of their rows. Coloured `entries` are the legend.
    """
    left, right = _margins(panels)
    head = _HEAD + (0.25 if entries else 0.0)
    name = 0.3 if any(panel.name for panel in panels) else 0.0
    if across:
        wide, height = _MIN_AXES, head + panels[0].height + _FOOT
        width = left + len(panels) * (wide + right)
    else:
        wide = max(_MIN_AXES, _MIN_WIDTH - left - right)
        width = left + wide + right
        height = head + sum(name + panel.height + _FOOT for panel in panels)
    figure = new_figure(width, height)
    heading(figure, title, note)
    draw_legend(figure, entries, down=0.66)
    top = height - head
    for number, panel in enumerate(panels):
        bottom = top - panel.height - (0.0 if across else name)
        axes = axes_at(figure, left, bottom, wide, panel.height)
        _draw_panel(axes, panel, labelled=not (across and number))
        title_panel(axes, panel.name, width=wide)
        if across:
            left += wide + right
        else:
            top = bottom - _FOOT
    return figure


def _margins(panels: Sequence[RowPanel]) -> tuple[float, float]:
    """Return the widths left and right of the axes, for labels and numbers [in]."""
    rows = [row for panel in panels for row in panel.rows]
    headings = chain.from_iterable(panel.groups for panel in panels)
    left = 0.35 + _LETTER * max(map(len, (*headings, *(row.label for row in rows))))
    return left, 0.25 + _LETTER * max(len(mark.text) for row in rows for mark in row.marks)


def _draw_panel(axes: "Axes", panel: RowPanel, *, labelled: bool) -> None:
    simplify_axes(axes, grid="x")
    axes.locator_params(axis="x", nbins=6)
    if panel.null is not None:
        axes.axvline(panel.null, color=INK, linewidth=1.0)
    ticks, labels, y = [], [], 0.0
    for heading, rows in panel.groups.items():
        if heading:
            y += _GROUP
            if labelled:
                axes.annotate(
                    heading, (0.0, y - 0.5 * _ROW), (-4, 0), xycoords=("axes fraction", "data"),
                    textcoords="offset points", color=panel.colours.get(heading, INK),
                    weight="bold", fontsize=9.5, va="center", ha="right",
                )  # fmt: skip
        for row in rows:
            _draw_row(axes, row, y + 0.5 * _ROW, panel.null)
            ticks.append(y + 0.5 * _ROW)
            labels.append(row.label if labelled else "")
            y += _ROW
    axes.set_yticks(ticks, labels)
    for label in axes.get_yticklabels():
        if label.get_text() in panel.colours:
            label.set(color=panel.colours[label.get_text()], weight="bold")
    axes.set_ylim(y, 0.0)
    axes.set_xlabel(panel.scale, fontsize=8.5, color=FAINT)
    if any(row.bars for row in panel.rows):
        axes.set_xlim(0.0, min(1.0, axes.get_xlim()[1]))
    else:
        axes.margins(x=0.06)


def _draw_row(axes: "Axes", row: ChartRow, y: float, null: float | None) -> None:
    start = 0.0
    for length, colour in row.bars:
        axes.barh(y, length, left=start, height=0.72 * _ROW, color=colour)
        start += length
    if row.reference is not None:
        ends = (y - 0.4 * _ROW, y + 0.4 * _ROW)
        axes.plot([row.reference] * 2, ends, color=PAPER, linewidth=2.8, zorder=1.5)
        axes.plot(
            [row.reference] * 2, ends, color=FAINT, linewidth=1.4, dashes=(1.5, 0.8), zorder=1.6
        )
    for number, mark in enumerate(row.marks):
        # Side by side, so that no whisker hides another.
        at = y + (number - (len(row.marks) - 1) / 2) * 0.42 * _ROW
        single = len(row.marks) == 1
        margin_text(axes, mark.text, at, color=mark.colour, fontsize=8.5 if single else 6.6)
        if mark.estimate is None:
            continue
        estimate = mark.estimate
        filled = null is None or not estimate.low <= null <= estimate.high
        axes.errorbar(
            estimate.value, at, xerr=error_bars([estimate]), color=mark.colour,
            marker=mark.marker, markersize=5, markerfacecolor=mark.colour if filled else PAPER,
            elinewidth=1.2, capsize=2.2,
        )  # fmt: skip


def spread_labels(values: Sequence[float], gap: float) -> list[float]:
    """Return positions at least `gap` apart, as close to the values as possible, in their order."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 (slow to import)

    order = np.argsort(values, kind="stable")
    steps = gap * np.arange(len(values))
    spread = np.zeros(len(values))
    if len(values):
        spread[order] = isotonic_regression(np.array(values)[order] - steps).x + steps
    return [float(value) for value in spread]


def label_ends(
    axes: "Axes",
    ends: Sequence[tuple[str, float, str]],
    gap: float,
    **options: Any,  # noqa: ANN401 (of text)
) -> None:
    """Label lines right of axes, given text, height and colour of each; no label on another."""
    heights = spread_labels([height for _, height, _ in ends], gap)
    for (text, _, colour), height in zip(ends, heights, strict=True):
        margin_text(axes, text, height, color=colour, **options)


def colours_of(names: Iterable[str]) -> dict[str, str]:
    """Return the colour of each orientation, the same in every picture.

    The three of the rules and the numbers of a die have fixed colours; others take the unused
    colours in order.
    """
    orientations = list(dict.fromkeys(names))
    fixed = {pose.label: _PALETTE[k] for k, pose in enumerate(Orientation)}
    fixed |= {str(number): colour for number, colour in enumerate(_PALETTE, start=1)}
    used = {fixed[name] for name in orientations if name in fixed}
    unused = [colour for colour in _PALETTE if colour not in used]
    others = [name for name in orientations if name not in fixed]
    palette = unused or list(_PALETTE)
    return {
        name: fixed[name] if name in fixed else palette[others.index(name) % len(palette)]
        for name in orientations
    }


def lighten(colour: str, strength: float = 0.55) -> str:
    """Return a colour mixed with the paper; a strength of 1 leaves it unchanged."""
    channels = [[int(text[k : k + 2], 16) for k in (1, 3, 5)] for text in (PAPER, colour)]
    mixed = [round(a + (b - a) * strength) for a, b in zip(*channels, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def figure_bytes(figure: "Figure", kind: str) -> bytes:
    """Return a figure as the content of a file; equal figures give equal bytes."""
    file = io.BytesIO()
    with house_style():
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(file, format=kind, dpi=_DPI, metadata=metadata)
    return file.getvalue()


def save_figure(figure: "Figure", file: Path) -> None:
    """Save a figure as `.png` or `.svg`.

    Raises:
        SpecError: If the file is of another kind or cannot be written.
    """
    check_target(file, *FIGURES)
    write_target(file, figure_bytes(figure, file.suffix[1:].lower()))


def figure_pixels(figure: "Figure") -> NDArray[np.uint8]:
    """Return a figure as an RGB image, values 0 to 255, shape [height, width, 3]."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (slow to import)

    with house_style():
        figure.set_dpi(100)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()  # type: ignore[no-untyped-call]
        rgba = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
        rgb: NDArray[np.uint8] = np.asarray(rgba)[:, :, :3].copy()
    return rgb
