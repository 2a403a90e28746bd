"""Files that are shared: checked before the work, written whole or not at all."""

from pathlib import Path

from pigglesim.durable_io import atomic_file, expect_suffix, expect_writable


def check_target(path: Path, suffix: str) -> None:
    """Raise `SpecError` unless a file of that name can be written, as far as one can know before.

    Args:
        path: Where to write.
        suffix: What the name must end in, such as `".glb"`.
    """
    expect_suffix(path, (suffix,))
    expect_writable(path)


def write_target(path: Path, content: str | bytes) -> None:
    """Write a file; another of that name is replaced, whole or not at all.

    Raises:
        SpecError: If it cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    with atomic_file(path) as part:
        part.write_bytes(data)


def numbered(path: Path, number: int, count: int) -> Path:
    """Return the file of one of many, such as `roll-03.svg`; of one alone the file as it is."""
    if count == 1:
        return path
    return path.with_name(f"{path.stem}-{number:0{max(2, len(str(count)))}}{path.suffix}")
