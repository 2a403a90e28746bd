"""Model files as text."""

import json
from collections.abc import Mapping
from typing import Any

from pigglesim.shapes.spec import ModelSpec

__all__ = ["toml_text"]


def toml_text(spec: ModelSpec) -> str:
    """Return a model file that reads back as `spec`."""
    data = spec.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    note = " After a change of [shape], run scripts/build_models." if spec.shape else ""
    lines = [f"# {spec.name}.{note}"]
    _table(lines, (), data)
    return "\n".join(lines) + "\n"


def _table(lines: list[str], path: tuple[str, ...], data: Mapping[str, Any]) -> None:
    nested = {k: v for k, v in data.items() if isinstance(v, dict) or _is_tables(v)}
    for key, value in data.items():
        if key not in nested:
            lines.append(f"{key} = {json.dumps(value)}")
    for key, value in nested.items():
        where = (*path, key)
        for row in [value] if isinstance(value, dict) else value:
            brackets = "[{}]" if isinstance(value, dict) else "[[{}]]"
            lines += ["", brackets.format(".".join(where))]
            _table(lines, where, row)


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
