"""Measure the shape of the code: lines, import cycles, complexity, checks on games, class names.

This is a report and not a test: nothing fails when a figure grows. `scripts/house --json` prints
the same figures for programs, and `--list` adds the names behind them.
"""

import argparse
import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from pigglesim.games.registry import game_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "pigglesim"
GAMES = f"{PACKAGE}.games"
LIMIT = 15
"""Cyclomatic complexity above which a function is listed."""
COMPILED = {"compiled", "compiled_as_numpy", "inlined"}
"""Decorators of compiled functions, whose loops and branches are written out."""

COMMON_TO_GAMES = {
    f"{GAMES}.{name}" for name in ("base", "game", "notation", "registry", "switches")
}
ROOMS_OF_GAMES = tuple(
    f"{PACKAGE}.{room}." for room in ("games", "table", "agents", "envs", "scenarios")
)
"""Rooms in which each game has a module or a row of its own."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def module_name(path: Path) -> str:
    """Return the dotted name of a file in the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(tree: ast.Module, modules: set[str]) -> Iterator[tuple[str, str]]:
    """Yield each module of the package that a file imports, and when.

    That is `start` for the top level, `late` for a function, and `typing` for type checkers only. A
    string that is the name of a module counts as late: it is how an import is hidden.
    """
    top, nodes = set(map(id, tree.body)), list(ast.walk(tree))
    typing = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in full]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            name = node.value.partition(":")[0]
            names = [name] if "." in name else []
        for name in names:
            if name in modules:
                yield (
                    name,
                    ("start" if id(node) in top else "typing" if id(node) in typing else "late"),
                )


def complexity(function: Function) -> int:
    """Return the cyclomatic complexity of a function, without those inside it, as radon counts it.

    That is one more than its decisions: branches, loops, handlers, cases, assertions, each further
    operand of `and` and `or`, and each loop and condition of a comprehension.
    """
    return 1 + sum(map(_decisions, function.body))


def _decisions(node: ast.AST) -> int:
    own = 0
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return 0
        case ast.If() | ast.IfExp() | ast.Assert():
            own = 1
        case ast.For() | ast.While() | ast.AsyncFor():
            own = 1 + bool(node.orelse)
        case ast.Try():
            own = len(node.handlers) + bool(node.orelse)
        case ast.BoolOp():
            own = len(node.values) - 1
        case ast.comprehension():
            own = 1 + len(node.ifs)
        case ast.Match():
            own = len(node.cases) - any(
                isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
                for case in node.cases
            )
    return own + sum(map(_decisions, ast.iter_child_nodes(node)))


def complex_functions(trees: Mapping[str, ast.Module]) -> list[str]:
    """Return the functions above the limit that are not compiled, the worst first."""
    found = [
        (complexity(node), f"{module}:{node.lineno} {node.name}")
        for module, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, Function)
        and not any(isinstance(d, ast.Name) and d.id in COMPILED for d in node.decorator_list)
    ]
    return [f"{count} {name}" for count, name in sorted(found, reverse=True) if count > LIMIT]


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the strongly connected components with more than one module (Tarjan, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(root: str) -> None:
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    work.append((target, iter(sorted(graph[target]))))
                    break
                if target in stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    component = stack[at:]
                    del stack[at:]
                    if len(component) > 1:
                        found.append(sorted(component))

    for module in graph:
        if module not in index:
            visit(module)
    return sorted(found, key=len, reverse=True)


def checks_on_games(trees: Mapping[str, ast.Module]) -> list[str]:
    """Return the places where code of no game asks which game, state or action it has.

    That is a check of a class, directly, in a `match` or in a function with a type guard, or a
    comparison with the name of a game. Rooms with a module or a row for each game do not count.
    """
    concrete: set[str] = set()
    for module, tree in trees.items():
        if module.startswith(f"{GAMES}.") and module not in COMMON_TO_GAMES:
            named = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
            concrete |= {
                node.name
                for node in named
                if isinstance(node, ast.ClassDef)
                or (node.returns is not None and "TypeGuard" in ast.unparse(node.returns))
            }
    games = set(game_names())
    return [
        f"{module}:{line} {name}"
        for module, tree in trees.items()
        if not module.startswith(ROOMS_OF_GAMES)
        for line, name in _checked(tree)
        if name in concrete | games
    ]


def _checked(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names with which something is compared or whose class is checked."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
                yield from ((node.lineno, name) for name in re.findall(r"\w+", ast.unparse(kinds)))
            case ast.Call(func=ast.Name(id=name)):
                # A function with a type guard, such as `is_piggles`.
                if name.startswith("is_"):
                    yield node.lineno, name
            case ast.MatchClass(cls=kind):
                yield kind.lineno, ast.unparse(kind).split(".")[-1]
            case ast.Compare(left=left, comparators=right):
                sides = [*map(ast.unparse, (left, *right))]
                if any("game" in side or side.startswith("type(") for side in sides):
                    yield from ((node.lineno, side.strip("'").split(".")[-1]) for side in sides)


def measure() -> tuple[dict[str, object], dict[str, list[str]]]:
    """Return the figures, and the names behind them."""
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    trees = {module_name(path): ast.parse(path.read_text("utf-8")) for path in files}
    modules = set(trees)
    found = {module: list(imports_of(tree, modules)) for module, tree in trees.items()}
    graphs = [
        {
            module: {name for name, when in imports if when in times} - {module}
            for module, imports in found.items()
        }
        for times in ({"start"}, {"start", "late"}, {"start", "late", "typing"})
    ]

    homes: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)
    repeated = {name: places for name, places in homes.items() if len(places) > 1}

    checks = checks_on_games(trees)
    at_import, in_cycles, with_typing = map(cycles, graphs)
    hard = complex_functions(trees)
    tests = sorted((ROOT / "tests").rglob("*.py"))
    figures: dict[str, object] = {
        "package_lines": sum(len(path.read_text("utf-8").splitlines()) for path in files),
        "package_files": len(files),
        "test_lines": sum(len(path.read_text("utf-8").splitlines()) for path in tests),
        "test_files": len(tests),
        "test_functions": sum(
            isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            for path in tests
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
        ),
        "files_in_cycles": sum(map(len, in_cycles)),
        "files_in_cycles_at_import": sum(map(len, at_import)),
        "files_in_cycles_with_typing": sum(map(len, with_typing)),
        f"functions_above_{LIMIT}": len(hard),
        "isinstance_on_games": len(checks),
        "repeated_class_names": len(repeated),
    }
    lists = {
        "cycles": [" ".join(cycle) for cycle in in_cycles],
        "cycles at import": [" ".join(cycle) for cycle in at_import],
        "cycles with typing": [" ".join(cycle) for cycle in with_typing],
        f"functions above {LIMIT}": hard,
        "isinstance on games": checks,
        "repeated class names": [
            f"{name}: {' '.join(repeated[name])}" for name in sorted(repeated)
        ],
    }
    return figures, lists


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--list", action="store_true", help="print the names behind the figures")
    options = parser.parse_args()
    figures, lists = measure()
    if options.json:
        print(json.dumps(figures | (lists if options.list else {}), indent=2))
        return
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):28} {value:>8,}")
    for name, lines in lists.items() if options.list else ():
        print(f"\n{name}:", *lines, sep="\n  ")


if __name__ == "__main__":
    main()
