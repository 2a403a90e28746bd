"""A viewer without a window: every roll, key and button goes its way, and nothing is drawn."""

from pigglesim.errors import SpecError
from pigglesim.viewer.events import Events
from pigglesim.viewer.session import Watching
from pigglesim.viewer.sight import Sight

__all__ = ["NullWindow"]

_FRAME = 1.0 / 25.0
"""Time between two pictures [s], of a clock that runs as fast as it can."""
_LONGEST = 24.0 * 3600.0
"""A show that has not ended after so long never will [s of its own clock]."""


class NullWindow:
    """Shows to nobody what a window would show.

    Args:
        watching: The viewer's state.
    """

    def __init__(self, watching: Watching) -> None:
        self.watching = watching
        self.events = Events(watching)
        self.seen: list[str] = []
        """What was written over the pictures, each line once for each roll."""
        self.pictures = 0

    def frame(self, passed: float = _FRAME) -> Sight:
        """Let some time go by and return the picture then."""
        sight = self.events.frame(passed)
        self.pictures += 1
        return sight

    def run(self) -> None:
        """Watch to the end of the show.

        Raises:
            SpecError: If a person has to decide something, for there is none.
        """
        watching, clock = self.watching, 0.0
        last: int | None = None
        while not watching.closed and clock < _LONGEST:
            sight = self.frame()
            clock += _FRAME
            landed = sight.screening is not None and sight.screening.landed(watching.time)
            if landed and last != watching.index:
                last = watching.index
                if watching.clock is not None:
                    watching.clock = watching.clock.to_end(watching.now)
                self.seen += self.frame(0.0).texts
            if watching.aim is not None:
                watching.close()
                raise SpecError(
                    "a window in which a person can decide", got="none", remedy="leave out --viewer"
                )
            if watching.finished:
                watching.close()
