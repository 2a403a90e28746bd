"""Tables of pages that quote the program: what is allowed and usual comes from the code.

Between `<!-- made by: scripts/site --write TABLE -->` and `<!-- end -->` stands a table whose
last column is words, written by hand and kept; all other columns are made from the program. A row
that is new has no words yet, and a test says so.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from pigglesim.bodies import load as models
from pigglesim.experiments import counted_dice as counted
from pigglesim.experiments import study as study_file
from pigglesim.experiments.factors import Factor, ThrowKind, factor, factors_of
from pigglesim.games import switches
from pigglesim.games.lord_of_the_pigs.state import LordRules
from pigglesim.games.pig_pile import PigPileRules
from pigglesim.games.piggles.state import ModernRules, PigglesRules
from pigglesim.games.piggy_six import PiggySixRules
from pigglesim.games.piggyback.state import PiggybackRules
from pigglesim.scene import load as scenes
from scripts.documentation.pages import PAGES

_TABLE = re.compile(
    r"(?P<head><!-- made by: scripts/site --write (?P<name>[\w.]+) -->\n)"
    r"(?P<table>.*?)(?P<tail><!-- end -->)",
    re.DOTALL,
)
_UNITS = {
    "kg_m3": "kg/m³",
    "kg_m2": "kg m²",
    "rad_s": "rad/s",
    "mm_s": "mm/s",
    "m_s": "m/s",
    "mm": "mm",
    "ms": "ms",
    "in": "inch",
    "deg": "degree",
    "hz": "Hz",
    "kg": "kg",
    "s": "s",
}
"""Units by the end of a key; longer ends come first."""
Rows = list[tuple[str, ...]]


def rewritten() -> Iterator[Path]:
    """Write every page's tables anew; yield the pages that were not as they should be."""
    for page in PAGES:
        text = page.read_text()
        if (made := quoted(text)) != text:
            page.write_text(made)
            yield page


def quoted(text: str) -> str:
    """Return a page's text with its tables made anew."""

    def made(match: re.Match[str]) -> str:
        head, rows = _TABLES[match["name"]]()
        words = _words(match["table"])
        lines = ["| " + " | ".join([*head, "meaning"]) + " |"]
        lines.append("|" + "---|" * (len(head) + 1))
        for row in rows:
            # A row with words of its own needs none of the page.
            cells = row if len(row) > len(head) else (*row, words.get(row[0], ""))
            lines.append(f"| {' | '.join(cells)} |")
        return match["head"] + "\n" + "\n".join(lines) + "\n\n" + match["tail"]

    return _TABLE.sub(made, text)


def tables_of(text: str) -> dict[str, dict[str, str]]:
    """Return the words of each table on a page, by its name and the first cell of the row."""
    return {match["name"]: _words(match["table"]) for match in _TABLE.finditer(text)}


def _words(table: str) -> dict[str, str]:
    rows = [re.split(r"(?<!\\)\|", row)[1:-1] for row in table.split("\n") if row.startswith("| ")]
    return {row[0].strip(): row[-1].strip() for row in rows[1:]}


def _keys(table: type[BaseModel]) -> tuple[list[str], Rows]:
    """Return what the keys of a file's table may hold, by its JSON schema."""
    schema = table.model_json_schema(mode="validation")
    needed = schema.get("required", [])
    fields = {field.alias or name: field for name, field in table.model_fields.items()}
    rows = [
        (
            f"`{key}`",
            _unit(key),
            _allowed(own, schema.get("$defs", {})),
            "needed" if key in needed else _default(fields[key]),
        )
        for key, own in schema["properties"].items()
    ]
    return ["key", "unit", "what it may be", "default"], rows


def _unit(key: str) -> str:
    return next((unit for end, unit in _UNITS.items() if key.endswith(f"_{end}")), "")


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value == () or value == {}:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{list(value)}`" if isinstance(value, tuple | list) else f"`{value}`"


def _allowed(schema: dict[str, Any], defined: dict[str, Any]) -> str:
    """Return in words what a JSON schema allows."""
    if "$ref" in schema:
        schema = defined[schema["$ref"].rpartition("/")[2]]
        return _allowed(schema, defined) if "enum" in schema else "a table"
    if "anyOf" in schema:
        kinds = [_allowed(kind, defined) for kind in schema["anyOf"] if kind.get("type") != "null"]
        return " or ".join(kinds)
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        return _list(schema, defined)
    if kind == "object":
        return "a table"
    if kind in {"number", "integer"}:
        return _bounds("a number" if kind == "number" else "a whole number", schema)
    if kind == "boolean":
        return "true or false"
    if "pattern" in schema:
        pattern = schema["pattern"].replace("|", "\\|")
        return f"text like `{pattern}`"
    if "maxLength" in schema:
        return f"text, {schema.get('minLength', 0)} to {schema['maxLength']} letters"
    return "text"


def _list(schema: dict[str, Any], defined: dict[str, Any]) -> str:
    """Return in words what a list may hold."""
    if "prefixItems" in schema:
        inner = {_allowed(kind, defined) for kind in schema["prefixItems"]}
        return f"{len(schema['prefixItems'])} of: {', '.join(sorted(inner))}"
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    count = f"{least} to {most}" if most else f"{least} or more" if least else "any number"
    return f"a list of {count}: {_allowed(schema.get('items', {}), defined)}"


def _bounds(kind: str, schema: dict[str, Any]) -> str:
    """Return a number's kind with the range it must be in."""
    low = [f"above {schema['exclusiveMinimum']:,g}"] if "exclusiveMinimum" in schema else []
    if "minimum" in schema:  # the closer one, where there are both
        low = [f"from {schema['minimum']:,g}".replace("1e-06", "0.000001")]
    high = [f"to {schema['maximum']:,g}"] if "maximum" in schema else []
    high += [f"below {schema['exclusiveMaximum']:,g}"] if "exclusiveMaximum" in schema else []
    return " ".join([kind, *low, *high])


def _factors() -> tuple[list[str], Rows]:
    """Return what a study may vary, in which kinds of throws, and what it is."""
    kinds: dict[str, list[ThrowKind]] = {}
    known: dict[str, Factor] = {}
    for kind in ThrowKind:
        for name in factors_of(kind):
            kinds.setdefault(name, []).append(kind)
            known.setdefault(name, factor(kind, name))
    rows = [
        (
            f"`{name}`",
            found.unit,
            _levels(found),
            ", ".join(kinds[name]),
            found.about.removesuffix(" of die and floor"),
        )
        for name, found in known.items()
    ]
    return ["factor", "unit", "levels", "of"], rows


def _levels(found: Factor) -> str:
    if found.kind is str:
        return "names"
    low = "above" if found.above else "from"
    return f"{low} {found.low:g} to {found.high:,g}"


def _switches(kind: type[Any], *, without: type[Any] | None = None) -> tuple[list[str], Rows]:
    """Return the house rules of a game: settings, the default first, ruling and meaning."""
    known = {spec.name for spec in fields(without)} if without else set()
    rows = [
        (f"`{spec.name}`", _settings(spec), spec.metadata["ruling"], spec.metadata["meaning"])
        for spec in fields(kind)
        if spec.name not in known
    ]
    return ["switch", "settings, the default first", "ruling"], rows


def _settings(spec: Field[Any]) -> str:
    default = spec.default
    if isinstance(default, bool):
        return "`on`, `off`" if default else "`off`, `on`"
    if isinstance(default, str):
        others = [word for word in switches.choices(spec) if word != default]
        return ", ".join(f"`{word}`" for word in (default, *others))
    return f"`{default:g}`; {spec.metadata['least']:g} to {spec.metadata['most']:,g}"


_FILES: dict[str, type[BaseModel]] = {
    "scene": scenes._SceneFile,
    "scene.board": scenes._BoardTable,
    "scene.cup": scenes._CupTable,
    "scene.hand": scenes._HandTable,
    "scene.contacts": scenes._ContactsTable,
    "scene.contact": scenes._ContactTable,
    "scene.stepping": scenes._SteppingTable,
    "scene.dice": scenes._DiceTable,
    "floor": scenes._FloorFile,
    "floor.drop": scenes._FallTable,
    "floor.surface": scenes._SurfaceTable,
    "floor.stepping": scenes._FloorSteppingTable,
    "team": scenes._TeamFile,
    "team.piggle": scenes._PiggleTable,
    "model": models.ModelSpec,
    "model.ballast": models.BallastSpec,
    "model.infill": models.InfillSpec,
    "model.numbers": models.FaceSpec,
    "model.pose_class": models.PoseClassSpec,
    "study": study_file._StudyFile,
    "die": counted.DieTable,
    "die.outcome": counted._OutcomeTable,
}
_TABLES: dict[str, Callable[[], tuple[list[str], Rows]]] = {
    "rules.piggles_classic": lambda: _switches(PigglesRules),
    "rules.piggles_modern": lambda: _switches(ModernRules, without=PigglesRules),
    "rules.lord_of_the_pigs": lambda: _switches(LordRules),
    "rules.pig_pile": lambda: _switches(PigPileRules),
    "rules.piggy_six": lambda: _switches(PiggySixRules),
    "rules.piggyback": lambda: _switches(PiggybackRules),
    "study.factors": _factors,
    **{name: partial(_keys, table) for name, table in _FILES.items()},
}
"""All tables, by the name in the page's comment."""
