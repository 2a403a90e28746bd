"""Kinds of files, and what one of each may hold at most."""

from dataclasses import dataclass

MOST_NUMBER = 2**63 - 1
"""Largest number in any file, and its negative the least: what 64 bits hold, as TOML has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileKind:
    """A kind of file, and what one of its kind may hold at most."""

    name: str
    """What people call it, such as `"scene"`."""
    most_bytes: int = 128 * 1024
    depth: int = 12
    """Lists and tables within one another, and parts of a dotted key."""
    values: int = 20_000
    """Tables, lists, texts, numbers and the like, all counted."""
    text: int = 4_096
    """Characters of one text or key."""

    @property
    def noun(self) -> str:
        """The kind with its article, such as `"a scene file"`."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name} file"
