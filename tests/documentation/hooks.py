"""What MkDocs calls while it builds: pages made from the program, pages that others add, sources.

A link of a page to a file of the checkout that is no page, such as a scene, leads on the site to a
copy of that file, so that the same page reads well in the checkout and on the site.
"""

import json
import re
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tests.documentation.commands import reference
from tests.documentation.notebook import as_markdown
from tests.documentation.pages import PAGES, ROOT, links

_DOCS = ROOT / "docs"
_COMMANDS = "<!-- every verb -->"
_BESIDE = "<!-- every page beside this one -->"
_PUBLIC = "<!-- every public name -->"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put into the navigation what is there and not named: measured results, tours, notebooks."""
    assert config.nav is not None
    for entry in config.nav:
        if not isinstance(entry, dict):
            continue
        if "Trust" in entry:
            entry["Trust"] += _others("trust", beside=entry["Trust"])
        if "Reference" in entry:
            entry["Reference"] += _others("api", beside=entry["Reference"])
            entry["Reference"] += [_notebook_page(path) for path in _notebooks()]
    return config


def _others(folder: str, *, beside: list[Any]) -> list[str]:
    found = (path.relative_to(_DOCS).as_posix() for path in sorted((_DOCS / folder).glob("*.md")))
    return [name for name in found if name not in beside]


def _notebooks() -> list[Path]:
    return sorted((_DOCS / "notebooks").glob("*.ipynb"))


def _notebook_page(path: Path) -> str:
    return f"notebooks/{path.stem}.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add notebooks as pages, and copies of the files of the checkout that pages lead to."""
    for path in _notebooks():
        told = as_markdown(json.loads(path.read_text()))
        files.append(File.generated(config, _notebook_page(path), content=told))
    for name in sorted(_sources()):
        source = str(ROOT / name)
        files.append(File.generated(config, f"source/{name}", abs_src_path=source))
    return files


def _sources() -> set[str]:
    """Return the files outside the pages' folder that pages lead to, from the top."""
    found = set()
    for page in PAGES:
        if page.is_relative_to(_DOCS):
            here = page.relative_to(ROOT).parent.as_posix()
            found |= {_outside(target, here) for target in links(page)}
    return {name for name in found if name}


def _outside(target: str, here: str) -> str:
    """Return the path from the top of a file that is not in the pages' folder, or nothing."""
    if re.match(r"[a-z]+:|#", target):
        return ""
    name = normpath(f"{here}/{target.split('#')[0]}")
    return "" if name.startswith("docs/") else name


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page with what the program tells put in, and links to sources turned to copies."""
    del config, files
    here = f"docs/{page.file.src_uri}".rpartition("/")[0]

    def turned(match: re.Match[str]) -> str:
        name = _outside(match[1], here)
        return f"]({relpath(f'docs/source/{name}', here)})" if name else match[0]

    markdown = re.sub(r"\]\(([^)\s]+)\)", turned, markdown)
    markdown = markdown.replace(_PUBLIC, _public())
    markdown = markdown.replace(_BESIDE, _beside(_DOCS / page.file.src_uri))
    return markdown.replace(_COMMANDS, reference())


def _beside(page: Path) -> str:
    """Return a list of links to the other pages of a page's folder, by their titles."""
    others = (path for path in sorted(page.parent.glob("*.md")) if path.name != "index.md")
    titles = {path.name: path.read_text().partition("\n")[0].lstrip("# ") for path in others}
    return "\n".join(f"- [{title}]({name})" for name, title in titles.items())


def _public() -> str:
    """Return what makes the reference tell each name that the package offers."""
    import pigglesim

    names = [name for name in pigglesim.__all__ if name != "__version__"]
    return "\n\n".join(f"::: pigglesim.{name}" for name in names)
