"""What a link shows, in few characters. Pages without a server can import this module too."""

import hashlib
import re

from pigglesim.match.correspondence import Opened


def seen(result: Opened) -> list[str]:
    """Return a digest of all decisions, throws and states, and the fault; both are empty if absent.

    Angles of knocks are left out: their last digit may differ, and rules ask only for a limit.
    """
    match = result.match
    text = "" if match is None else f"{match.progress.entries} {match.state}"
    exact = re.sub(r"\bangle=[\d.e-]+", "", text)
    return [hashlib.sha256(exact.encode()).hexdigest()[:16], str(result.fault or "")]
