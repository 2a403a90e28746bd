"""The front door for Python: a few names, pinned, lazy, typed and documented."""

import ast
import inspect
import pickle
import re
import typing
from pathlib import Path

import pytest

import pigglesim
from tests.public_surface import PINNED, surface

ROOT = Path(__file__).parents[2]
FUNCTIONS = [name for name in pigglesim.__all__ if inspect.isfunction(getattr(pigglesim, name))]


def test_a_change_of_the_surface_is_meant():
    """If it is: `python -m tests.public_surface`, and tell of it to those who upgrade."""
    assert surface() == PINNED.read_text(encoding="utf-8")


def test_completion_and_a_star_see_every_name():
    starred = {}
    exec("from pigglesim import *", starred)
    assert set(starred) - {"__builtins__"} == set(pigglesim.__all__) <= set(dir(pigglesim))


def test_an_unknown_name_is_reported_as_python_reports_it():
    with pytest.raises(AttributeError, match="module 'pigglesim' has no attribute 'rol'"):
        pigglesim.rol  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'rol'"):
        exec("from pigglesim import rol")


def test_every_name_can_be_sent_to_another_process():
    for name in set(pigglesim.__all__) - {"__version__"}:
        value = getattr(pigglesim, name)
        assert pickle.loads(pickle.dumps(value)) is value, name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_documented_whole(name):
    function = getattr(pigglesim, name)
    text = inspect.getdoc(function)
    parameters = inspect.signature(function).parameters
    assert "Returns:" in text
    assert "Examples:" in text
    sections = {"Args:": parameters, "Raises:": name not in {"known"}}
    for title, wanted in sections.items():
        assert (title in text) == bool(wanted), title
    arguments = text.partition("Args:")[2]
    assert all(f"    {each}: " in arguments for each in parameters)
    hints = typing.get_type_hints(function)
    assert set(hints) == {*parameters, "return"}


def test_nothing_inside_leans_on_the_front_door():
    """But for its version: all else would turn the layers upside down."""
    for path in (ROOT / "pigglesim").rglob("*.py"):
        text = path.read_text()
        if not re.search(r"from pigglesim import|import pigglesim\b", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module == "pigglesim":
                taken = {alias.name for alias in node.names} & set(pigglesim.__all__)
                assert taken <= {"__version__"}, path
            if isinstance(node, ast.Import):
                assert all(alias.name != "pigglesim" for alias in node.names), path
