"""The film of the roll that is shown, put there by the thread that simulates it."""

from pigglesim.films.film import Film

__all__ = ["Reel"]


class Reel:
    """Holds one film at a time."""

    def __init__(self) -> None:
        self.film: Film | None = None
        """None where nothing was filmed."""

    def show(self, _index: int, film: Film) -> None:
        """Take a film in place of the one before."""
        self.film = film

    def clear(self) -> None:
        """Have no film, before the next roll."""
        self.film = None

    @property
    def moves(self) -> bool:
        """Whether there is anything to see: a Piggle set down by hand is just there."""
        return self.film is not None and self.film.frames.count > 1
