"""Bill of materials of a wheel with compiled code: `python -m scripts.sbom COMPILED... --out FILE`.

In the format CycloneDX 1.6: each compiled file with its SHA-256, and each distribution that a run
needs, with the version that compiled it and its licence. It has no date and no random number, so
that the same wheel has the same bill.
"""

import argparse
import json
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
_PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
Component = dict[str, Any]


def bill(folders: Sequence[Path]) -> Component:
    """Return the bill of a wheel that ships these folders of compiled code.

    Raises:
        PackageNotFoundError: If a dependency is not installed.
    """
    needed = _needed(_PROJECT["dependencies"])
    libraries = [_library(needed[name]) for name in sorted(needed)]
    project = {
        "type": "application",
        "bom-ref": "pigglesim",
        "name": "pigglesim",
        "version": _PROJECT["version"],
        "licenses": [{"license": {"id": _PROJECT["license"]}}],
    }
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": project},
        "components": [*(file for folder in folders for file in _files(folder)), *libraries],
        "dependencies": [
            {"ref": "pigglesim", "dependsOn": [each["bom-ref"] for each in libraries]}
        ],
    }


def _needed(requirements: Sequence[str]) -> dict[str, Distribution]:
    """Return the distributions that requirements lead to on this system, by name."""
    found: dict[str, Distribution] = {}
    todo = [(word, "") for word in requirements]
    while todo:
        word, extra = todo.pop()
        requirement = Requirement(word)
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name in found and not requirement.extras:
            continue
        found[name] = distribution(name)
        todo += [
            (inner, extra)
            for extra in ("", *requirement.extras)
            for inner in found[name].requires or ()
        ]
    return found


def _library(found: Distribution) -> Component:
    name = canonicalize_name(found.name)
    address = f"pkg:pypi/{name}@{found.version}"
    licence = found.metadata.get("License-Expression")
    kinds = [
        text.rpartition(" :: ")[2]
        for text in found.metadata.get_all("Classifier", ())
        if text.startswith("License :: ")
    ]
    plain = found.metadata.get("License", "").strip().partition("\n")[0]
    files = found.metadata.get_all("License-File", ())
    names = kinds or [text for text in (plain, *(f"see its file {name}" for name in files)) if text]
    named = [{"license": {"name": text}} for text in names]
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": found.version,
        "licenses": [{"expression": licence}] if licence else named,
        "purl": address,
    }


def _files(folder: Path) -> Iterator[Component]:
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = f"pigglesim/{folder.name}/{path.relative_to(folder).as_posix()}"
        seal = sha256(path.read_bytes()).hexdigest()
        yield {
            "type": "file",
            "bom-ref": name,
            "name": name,
            "hashes": [{"alg": "SHA-256", "content": seal}],
        }


def main() -> None:
    """Write the bill of the folders that are named."""
    parser = argparse.ArgumentParser(prog="scripts/sbom", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of compiled code")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    arguments = parser.parse_args()
    arguments.out.write_text(json.dumps(bill(arguments.folders), indent=1) + "\n")


if __name__ == "__main__":
    main()
