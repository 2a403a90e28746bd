"""What a PLY file claims to hold, compared with its size."""

import re

from pigglesim.errors import SpecError, cut

__all__ = ["check_ply"]

_LONGEST_HEADER = 16_384
_MOST_ELEMENTS, _MOST_PROPERTIES = 8, 64
_SIZES = {
    **dict.fromkeys(("char", "uchar", "int8", "uint8"), 1),
    **dict.fromkeys(("short", "ushort", "int16", "uint16"), 2),
    **dict.fromkeys(("int", "uint", "int32", "uint32", "float", "float32"), 4),
    **dict.fromkeys(("double", "float64", "int64", "uint64"), 8),
}
"""Bytes of a value of each type."""
_FORMAT = re.compile(r"format (ascii|binary_little_endian|binary_big_endian) 1\.0")
_ELEMENT = re.compile(r"element ([A-Za-z_][A-Za-z0-9_]*) (\d{1,12})", re.ASCII)
_PROPERTY = re.compile(r"property (\w+) (\S+)", re.ASCII)
_LIST = re.compile(r"property list (\w+) (\w+) (\S+)", re.ASCII)


def check_ply(data: bytes, *, name: str) -> None:
    """Raise where the header of a PLY file is none, or claims more than the file can hold.

    Args:
        data: What the file holds.
        name: The file's name, for errors.

    Raises:
        SpecError: With the line at fault.
    """
    head, end, _ = data[:_LONGEST_HEADER].partition(b"end_header")
    lines = [" ".join(line.split()) for line in head.decode("ascii", "replace").splitlines()]
    if not end or lines[:1] != ["ply"]:
        raise _fault(name, "no header")
    is_ascii = True
    # Of each element: how many, and bytes of one at least.
    rows: list[tuple[int, int]] = []
    for line in lines[1:]:
        if not line or line.startswith(("comment", "obj_info")):
            continue
        if found := _FORMAT.fullmatch(line):
            is_ascii = found[1] == "ascii"
        elif found := _ELEMENT.fullmatch(line):
            rows.append((int(found[2]), 0))
        elif rows:
            count, size = rows[-1]
            rows[-1] = (count, size + _least(line, name, is_ascii=is_ascii))
        else:
            raise _fault(name, repr(cut(line)))
    if len(rows) > _MOST_ELEMENTS or len(lines) > _MOST_ELEMENTS * _MOST_PROPERTIES:
        raise _fault(name, f"{len(rows)} elements in {len(lines)} lines")
    if any(count and not size for count, size in rows):
        raise _fault(name, "an element without properties")
    claimed, there = sum(count * size for count, size in rows), len(data) - len(head) - len(end)
    # The last value of a text needs nothing behind it.
    if claimed > there + is_ascii:
        raise SpecError(
            f"at least {claimed:,} bytes after the header of {name}, as it says",
            got=f"{there:,}",
            remedy="export the mesh again: the file is cut or damaged",
        )


def _least(line: str, name: str, *, is_ascii: bool) -> int:
    """Return how many bytes a property takes at least: in a text a digit and a blank."""
    kinds: tuple[str, ...]
    if found := _LIST.fullmatch(line):
        kinds = (found[1], found[2])
    elif found := _PROPERTY.fullmatch(line):
        kinds = (found[1],)
    else:
        raise _fault(name, repr(cut(line)))
    if any(kind not in _SIZES for kind in kinds):
        raise _fault(name, repr(cut(line)))
    return 2 if is_ascii else _SIZES[kinds[0]]


def _fault(name: str, got: str) -> SpecError:
    return SpecError(
        f"a PLY header with format, elements and properties in {name}",
        got=got,
        remedy="export it again as binary STL",
    )
