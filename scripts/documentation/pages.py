"""The pages as text: their fenced blocks, with what a comment before each says, and their links."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"<!-- (?P<word>[a-z ]+?)(?:: (?P<rest>[^>]*?))? -->\s*\Z")
_MADE = re.compile(r"<!-- made by: (?P<command>[^>]*) -->.*?<!-- end -->", re.DOTALL)
_LINK = re.compile(r"(?<!`)\]\((?P<target>[^)\s]+)\)")
_IMAGE = re.compile(r'<(?:img|source)[^>]* (?:src|srcset)="(?P<target>[^"]+)"')
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    """Of its fence, from 1."""
    kind: str
    """Word after the fence, such as `console`; empty if there is none."""
    text: str
    word: str
    """What the comment before or around it says, such as `not run`; empty if there is none."""
    rest: str
    """What follows a colon there."""

    @property
    def place(self) -> str:
        """File and line, for people."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in their order."""
    text = page.read_text()
    made = [(match.span(), match["command"]) for match in _MADE.finditer(text)]
    found = []
    for match in _FENCE.finditer(text):
        by = [command for (start, end), command in made if start < match.start() < end]
        said = _COMMENT.search(text[: match.start()])
        found.append(
            Block(
                page=page,
                line=text.count("\n", 0, match.start()) + 1,
                kind=match["kind"],
                text=re.sub(f"(?m)^{match['indent']}", "", match["text"]),
                word="made by" if by else said["word"] if said else "",
                rest=by[0] if by else (said["rest"] or "") if said else "",
            )
        )
    return found


def prose(page: Path) -> str:
    """Return a page without its blocks, comments and words of code."""
    text = _FENCE.sub("", page.read_text())
    return re.sub(r"`[^`\n]*`", "", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))


def links(page: Path) -> list[str]:
    """Return where the links and pictures of a page lead."""
    text = prose(page)
    return [match["target"] for pattern in (_LINK, _IMAGE) for match in pattern.finditer(text)]


def slugs(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as the site and code hosts make them."""
    text = _FENCE.sub("", page.read_text())
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text)]
    return {word.strip().replace(" ", "-") for word in words}
