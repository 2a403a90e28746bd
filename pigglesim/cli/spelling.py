"""Standard output and standard error in ASCII, where they cannot show more or should not."""

import codecs
import sys
from io import TextIOWrapper

from pigglesim.glyphs import spell

_ERROR_HANDLER = "pigglesim-spelled"


def spell_unencodable(*, encoding: str | None = None) -> None:
    """Let standard output and standard error print any text in any encoding.

    Characters that the encoding lacks are spelt in ASCII, or become a question mark. `encoding`
    replaces that of the streams.
    """
    codecs.register_error(_ERROR_HANDLER, _spell)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A new encoding alone would reset the error handler.
            stream.reconfigure(encoding=encoding or stream.encoding, errors=_ERROR_HANDLER)


def print_in_ascii(wanted: bool) -> None:
    """Print only ASCII from now on, if that is `wanted`."""
    if wanted:
        spell_unencodable(encoding="ascii")


def _spell(fault: UnicodeError) -> tuple[str, int]:
    if not isinstance(fault, UnicodeEncodeError):
        raise fault
    return spell(fault.object[fault.start : fault.end]), fault.end
