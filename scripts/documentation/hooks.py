"""What MkDocs calls while it builds: pages made from the program, notebooks as pages, sources.

A link of a page to a file of the checkout that is no page, such as a scene, leads on the site to a
copy of that file, so that the same page reads well in the checkout and on the site.
"""

import json
import re
from posixpath import normpath, relpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Link, Navigation
from mkdocs.structure.pages import Page

import pigglesim
from scripts.documentation.commands import reference
from scripts.documentation.pages import PAGES, ROOT, links

_DOCS = ROOT / "docs"
_COMMANDS = "<!-- every verb -->"
_PUBLIC = "<!-- every public name -->"
_PLAY = "play"
"""Folder of the page without a server, on the site."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add notebooks as pages, and copies of the files of the checkout that pages lead to."""
    for path in sorted((_DOCS / "notebooks").glob("*.ipynb")):
        text = as_markdown(json.loads(path.read_text()))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
    for name in sorted(_sources()):
        source = str(ROOT / name)
        files.append(File.generated(config, f"source/{name}", abs_src_path=source))
    if play := config.extra.get("play"):
        for path in sorted(path for path in play.rglob("*") if path.is_file()):
            name = f"{_PLAY}/{path.relative_to(play).as_posix()}"
            files.append(File.generated(config, name, abs_src_path=str(path)))
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


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Let all pages lead to the page without a server, after the first page."""
    del files
    if config.extra.get("play"):
        nav.items.insert(1, Link("Play now", f"{_PLAY}/index.html"))
    return nav


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page with the references put in, and links to sources turned to copies."""
    del files
    if page.is_homepage and config.extra.get("play"):
        first, _, rest = markdown.partition("\n\n")
        button = f"[Play now]({_PLAY}/index.html){{ .md-button .md-button--primary }}"
        markdown = f"{first}\n\n{button}\n\n{rest}"
    here = f"docs/{page.file.src_uri}".rpartition("/")[0]

    def turned(match: re.Match[str]) -> str:
        name = _outside(match[1], here)
        return f"]({relpath(f'docs/source/{name}', here)})" if name else match[0]

    markdown = re.sub(r"\]\(([^)\s]+)\)", turned, markdown)
    names = [name for name in pigglesim.__all__ if name != "__version__"]
    markdown = markdown.replace(_PUBLIC, "\n\n".join(f"::: pigglesim.{name}" for name in names))
    return markdown.replace(_COMMANDS, reference())


def as_markdown(notebook: dict[str, Any]) -> str:
    """Return a notebook of format 4 in Markdown; pictures are put into the page."""
    return "\n\n".join(part for cell in notebook["cells"] for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> list[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return [source]
    if cell["cell_type"] != "code" or not source.strip():
        return []
    shown = [_output(output) for output in cell["outputs"]]
    return [f"```python\n{source}\n```", *(text for text in shown if text)]


def _output(output: dict[str, Any]) -> str:
    """Return the richest form of what a cell showed that a page can hold."""
    if output["output_type"] == "stream":
        return _block("".join(output["text"]))
    data = output.get("data", {})
    if "image/png" in data:
        return f'<img alt="" src="data:image/png;base64,{"".join(data["image/png"]).strip()}">'
    for kind in ("image/svg+xml", "text/html"):
        if kind in data:
            # A blank line would end the element for Markdown.
            lines = "".join(data[kind]).splitlines()
            return "<div>\n" + "\n".join(line for line in lines if line.strip()) + "\n</div>"
    return _block("".join(data["text/plain"])) if "text/plain" in data else ""


def _block(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"
