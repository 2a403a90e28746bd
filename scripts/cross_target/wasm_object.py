"""Makes a WebAssembly object of one translation unit into a module that can be instantiated.

The compiler has filled in every index and address already, as nothing else is linked; what an
object lacks is exports. Its custom sections, which are for linkers, are left out. The format is
that of the WebAssembly core specification, and of the tool conventions for object files.
"""

from collections.abc import Iterator, Sequence

_MAGIC = b"\0asm\1\0\0\0"
_CUSTOM, _EXPORTS, _DATA_SECTION, _DATA_COUNT = 0, 7, 11, 12
_I32_CONST = 0x41
_SYMBOL_TABLE = 8
"""Subsection of the section `linking`."""
_FUNCTION, _DATA, _SECTION = 0, 1, 3
"""Kinds of symbols that are written in ways of their own; all others are like functions."""
_UNDEFINED, _EXPLICIT_NAME = 0x10, 0x40


class _Reader:
    """Reads numbers and texts one after another."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    @property
    def ended(self) -> bool:
        return self.at >= len(self.data)

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read an unsigned LEB128."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def bytes(self) -> bytes:
        """Read bytes after their number."""
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at]

    def text(self) -> str:
        return self.bytes().decode()


def with_exports(data: bytes, names: Sequence[str]) -> bytes:
    """Return the module of an object.

    Args:
        data: The object.
        names: Functions to export.

    Raises:
        KeyError: If the object does not define such a function.
    """
    sections = list(_sections(data))
    indices = _functions(sections)
    entries = [_sized(name.encode()) + bytes([_FUNCTION]) + _leb(indices[name]) for name in names]
    parts = {kind: body for kind, body in sections if kind != _CUSTOM}
    parts[_EXPORTS] = _leb(len(entries)) + b"".join(entries)
    # The number of elements or of data segments precedes what uses it, in an order of its own.
    order = sorted(parts, key=lambda kind: kind if kind != _DATA_COUNT else 9.5)
    return _MAGIC + b"".join(bytes([kind]) + _sized(parts[kind]) for kind in order)


def imported(data: bytes) -> list[str]:
    """Return the names of what a module imports."""
    reader = _Reader(next((body for kind, body in _sections(data) if kind == 2), b"\0"))
    names = []
    for _ in range(reader.number()):
        reader.text()
        names.append(reader.text())
        kind = reader.byte()
        if kind == 0:  # a function has a type
            reader.number()
        elif kind == 3:  # a global has a type, and may change
            reader.at += 2
        else:  # a table has a type before its limits, a memory has not
            reader.at += kind == 1
            limited = reader.byte() & 1
            for _ in range(1 + limited):
                reader.number()
    return names


def data_end(data: bytes) -> int:
    """Return the address after the last constant of a module."""
    reader = _Reader(next((body for kind, body in _sections(data) if kind == _DATA_SECTION), b"\0"))
    end = 0
    for _ in range(reader.number()):
        if (flags := reader.number()) or reader.byte() != _I32_CONST:
            raise ValueError(f"a segment of data has flags {flags}, or no constant address")
        address = reader.number()
        reader.at += 1  # the end of the expression
        end = max(end, address + len(reader.bytes()))
    return end


def _sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    reader = _Reader(data, len(_MAGIC))
    while not reader.ended:
        kind = reader.byte()
        yield kind, reader.bytes()


def _functions(sections: list[tuple[int, bytes]]) -> dict[str, int]:
    """Return the index of each function that the symbol table defines."""
    found = {}
    for kind, body in sections:
        reader = _Reader(body)
        if kind != _CUSTOM or reader.text() != "linking":
            continue
        reader.number()  # version
        while not reader.ended:
            subsection = reader.byte()
            inner = _Reader(reader.bytes())
            if subsection == _SYMBOL_TABLE:
                found |= dict(_symbols(inner))
    return found


def _symbols(reader: _Reader) -> Iterator[tuple[str, int]]:
    for _ in range(reader.number()):
        kind, flags = reader.byte(), reader.number()
        defined = not flags & _UNDEFINED
        if kind == _DATA:
            reader.text()
            for _ in range(3 * defined):  # segment, offset, size
                reader.number()
        elif kind == _SECTION:
            reader.number()
        else:
            index = reader.number()
            if defined or flags & _EXPLICIT_NAME:
                name = reader.text()
                if kind == _FUNCTION and defined:
                    yield name, index


def _leb(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _sized(data: bytes) -> bytes:
    return _leb(len(data)) + data
