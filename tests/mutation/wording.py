"""Which mutants change only what an error says, and a draw of mutants by their names."""

import ast
from collections.abc import Container, Sequence
from pathlib import Path

import numpy as np

from tests.mutation.subjects import ROOT

_ERRORS = ("Error", "Violation", "_fault", "unknown_name")
_NAMED = "what"
"""A first parameter of this name says, in errors, what the second one is."""


def naming(folder: Path) -> frozenset[str]:
    """Return the functions below a folder that are told what to call their argument in errors."""
    return frozenset(
        node.name
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == _NAMED
    )


def words_only(code: str, naming: Container[str] = ()) -> set[str]:
    """Return the functions of mutated code that differ from the unmutated only in an error's words.

    Args:
        code: Text of a module as mutmut writes it: `NAME__mutmut_orig` beside `NAME__mutmut_1`,
            `NAME__mutmut_2` and so on.
        naming: Functions whose first argument is only for their errors.
    """
    shapes: dict[str, str] = {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name:
            body = [_Hushed(naming).visit(part) for part in node.body]
            shapes[node.name] = ast.dump(ast.Module(body=body, type_ignores=[]))
    return {
        name
        for name, shape in shapes.items()
        if not name.endswith("__mutmut_orig")
        and shape == shapes[name.rpartition("__mutmut_")[0] + "__mutmut_orig"]
    }


class _Hushed(ast.NodeTransformer):
    """Takes the words out of every error, and of every sentence about a broken invariant."""

    def __init__(self, naming: Container[str]) -> None:
        self._naming = naming

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name.endswith(_ERRORS):
            return ast.Name(id=name, ctx=ast.Load())
        if name in self._naming and node.args:
            node.args[0] = ast.Constant(value=_NAMED)
        return self.generic_visit(node)


def sample(names: Sequence[str], size: int, *, seed: int, purpose: str) -> list[str]:
    """Return `size` of the names, or all where there are no more, in the order given.

    Args:
        names: What is drawn from, each at most once.
        size: How many.
        seed: Seed of the draw.
        purpose: What else names the stream of the draw.
    """
    if size >= len(names):
        return list(names)
    rng = np.random.default_rng([seed, *purpose.encode()])
    return [names[i] for i in sorted(rng.choice(len(names), size=size, replace=False))]
