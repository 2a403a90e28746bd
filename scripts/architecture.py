"""Draw the packages from the imports between them: `scripts/architecture` writes the picture.

A package stands below all that import it, with the first line of its docstring. An arrow that a
longer way replaces is left out.
"""

import ast
import textwrap
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from scripts.house import PACKAGE, ROOT, imports_of, module_name

FILE = ROOT / "docs" / "design" / "architecture.svg"
Graph = dict[str, set[str]]

_WIDTH, _BOX, _HIGH, _GAP = 1180, 218, 62, 34
"""Width of the picture, of a box and its height, and space between rows [pixels]."""
_LETTERS = 35
"""Letters in a line of a box."""
_PAPER, _INK, _FAINT, _RULE = "#fbfaf7", "#2b2726", "#6f6966", "#b9b2a9"


def read_packages() -> tuple[dict[str, str], Graph]:
    """Return the docstring and the imports of each package and module, by its short name.

    What type checkers alone import is left out, and so is the front door.
    """
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    trees = {module_name(file): ast.parse(file.read_text("utf-8")) for file in files}
    docs: dict[str, str] = {}
    graph: Graph = {}
    for module, tree in trees.items():
        home = _home(module)
        if module.count(".") == 1 and home != "__main__":
            docs[home] = (ast.get_docstring(tree) or "").partition("\n")[0]
        found = {_home(name) for name, when in imports_of(tree, set(trees)) if when != "typing"}
        graph.setdefault(home, set()).update(found - {home, ""})
    return docs, {name: graph[name] & docs.keys() for name in docs}


def _home(module: str) -> str:
    return ".".join(module.split(".")[1:2])


def drawn(graph: Graph) -> list[str]:
    """Return what has a box of its own: packages, and modules that import one."""
    packages = {name for name in graph if (ROOT / PACKAGE / name).is_dir()}
    return [name for name in graph if name in packages or graph[name] & packages]


def reduced(graph: Graph) -> Graph:
    """Return the imports of a graph without cycles that no longer way replaces."""

    def reach(name: str) -> set[str]:
        return graph[name].union(*map(reach, graph[name]))

    return {name: ends.difference(*map(reach, ends)) for name, ends in graph.items()}


def rows_of(graph: Graph) -> list[list[str]]:
    """Return the names in rows, each above all that it imports."""

    def height(name: str) -> int:
        return 1 + max(map(height, graph[name]), default=0)

    order = sorted(graph, key=lambda name: (-height(name), name))
    return [list(row) for _, row in groupby(order, key=height)]


def picture() -> str:
    """Return the picture as SVG."""
    docs, imports = read_packages()
    names = drawn(imports)
    graph = reduced({name: imports[name].intersection(names) for name in names})
    places: dict[str, tuple[float, float]] = {}
    y = float(_GAP)
    for row in rows_of(graph):
        above = {
            name: [places[user][0] for user in places if name in graph[user]] or [_WIDTH / 2]
            for name in row
        }
        # Below the mean of what imports it, so that few arrows cross.
        row.sort(key=lambda name: (sum(above[name]) / len(above[name]), name))
        for k, name in enumerate(row):
            places[name] = ((k + 0.5) * _WIDTH / len(row), y)
        y += _HIGH + _GAP
    small = ", ".join(name for name in imports if name not in names)
    lines = textwrap.wrap(f"Modules that serve all: {small}", 165)
    height = y + 16 * len(lines) + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        'font-family="system-ui, sans-serif">',
        "<title>Packages of pigglesim, each above what it imports</title>",
        f'<rect width="{_WIDTH}" height="{height:.0f}" fill="{_PAPER}"/>',
        '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{_FAINT}"/></marker>',
    ]
    for name, ends in graph.items():
        x, top = places[name]
        for end in sorted(ends):
            to, below = places[end]
            start = top + _HIGH
            bend = (below - start) / 2
            parts.append(
                f'<path d="M{x:.0f} {start:.0f}C{x:.0f} {start + bend:.0f} {to:.0f} '
                f'{below - bend:.0f} {to:.0f} {below:.0f}" fill="none" stroke="{_RULE}" '
                'stroke-width="1.4" marker-end="url(#tip)"/>'
            )
    for name, (x, top) in places.items():
        left = x - _BOX / 2
        parts.append(
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{_BOX}" height="{_HIGH}" rx="6" '
            f'fill="#fff" stroke="{_RULE}"/>'
        )
        parts.append(_text(left + 10, top + 18, name, size=13, colour=_INK, weight="bold"))
        about = textwrap.wrap(docs[name].rstrip("."), _LETTERS)[:3]
        for k, line in enumerate(about):
            parts.append(_text(left + 10, top + 32 + 12 * k, line, size=10.5, colour=_FAINT))
    for k, line in enumerate(lines):
        parts.append(_text(20, y + 16 * k, line, size=12, colour=_INK))
    return "\n".join([*parts, "</svg>", ""])


def _text(
    x: float, y: float, text: str, *, size: float, colour: str, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(picture(), encoding="utf-8")
    print(f"drawn in {FILE.relative_to(Path.cwd())}")
