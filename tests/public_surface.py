"""The public surface as text: every name of `pigglesim`, its signature, and what its results offer.

`python -m tests.public_surface` writes it down anew, when a change of it is meant.
"""

import dataclasses
import inspect
import re
import typing
from pathlib import Path

import pigglesim
from pigglesim.arguments import JsonResult

PINNED = Path(__file__).parent / "architecture" / "public_surface.txt"


def surface() -> str:
    """Return the public surface, a line each."""
    lines, results = [], {}
    for name in pigglesim.__all__:
        value = getattr(pigglesim, name)
        if inspect.isfunction(value):
            signature = inspect.signature(value)
            lines.append(f"{name}(")
            kind = None
            for each in signature.parameters.values():
                if each.kind is each.KEYWORD_ONLY and kind is not each.kind:
                    lines.append("    *,")
                kind = each.kind
                lines.append(f"    {each},")
            lines.append(f") -> {inspect.formatannotation(signature.return_annotation)}")
            found = typing.get_type_hints(value)["return"]
            if inspect.isclass(found) and dataclasses.is_dataclass(found):
                results[found.__qualname__] = found
        elif inspect.isclass(value):
            results[name] = value
            lines.append(name)
        else:
            lines.append(f"{name}: {type(value).__name__}")
    for name, found in sorted(results.items()):
        lines += ["", f"class {name}", *(f"    {word}" for word in _offered(found))]
    # Pythons differ in where they say that `Annotated` and `Path` are from.
    return re.sub(r"typing\.|(?<=pathlib\.)_local\.", "", "\n".join(lines)) + "\n"


def _offered(found: type) -> list[str]:
    fields = [] if not dataclasses.is_dataclass(found) else dataclasses.fields(found)
    names = [each.name for each in fields]
    bases = [each for each in found.__mro__ if each is found or issubclass(each, JsonResult)]
    members: dict[str, object] = {}
    for base in bases:
        members |= {name: member for name, member in vars(base).items() if name not in members}
    for name, member in members.items():
        if name.startswith("_") or name in names:
            continue
        if isinstance(member, property):
            names.append(name)
        elif inspect.isfunction(member) or isinstance(member, classmethod):
            names.append(f"{name}{inspect.signature(getattr(found, name))}")
    return names


if __name__ == "__main__":
    PINNED.write_text(surface(), encoding="utf-8")
