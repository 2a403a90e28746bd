"""Markings of a Piggle: its colour and rune, named as in the rules of Modern Piggles."""

from enum import StrEnum, unique

from pigglesim.errors import unknown_name


@unique
class Colour(StrEnum):
    """The five colours (R21), in the order of the rules; the value is the stable id."""

    ORANGE = "orange"
    RED = "red"
    BLUE = "blue"
    GREEN = "green"
    YELLOW = "yellow"

    @property
    def label(self) -> str:
        """Name in the rules."""
        return self.value.capitalize()

    @property
    def effect(self) -> str:
        """Word of the rules for this colour's effect."""
        return {
            "orange": "Burn",
            "red": "Damage",
            "blue": "Crit",
            "green": "Health",
            "yellow": "Shield",
        }[self.value]


@unique
class Rune(StrEnum):
    """The nine runes (R23), in the order of the rules; the value is the stable id.

    A Piggle without a rune (R24) has None in a rune's place.
    """

    LEFT = "left"
    RIGHT = "right"
    ADJACENT = "adjacent"
    ACROSS = "across"
    ARROW_CW = "arrow_cw"
    ARROW_CCW = "arrow_ccw"
    SPIRAL_CW = "spiral_cw"
    SPIRAL_CCW = "spiral_ccw"
    SPLIT = "split"

    @property
    def number(self) -> int:
        """Number in the rules, 1 to 9."""
        return list(Rune).index(self) + 1

    @property
    def label(self) -> str:
        """Name in the rules."""
        return {
            "left": "To the Left Of",
            "right": "To the Right Of",
            "adjacent": "Adjacent To",
            "across": "Across From",
            "arrow_cw": "Clockwise Arrow",
            "arrow_ccw": "Counter-Clockwise Arrow",
            "spiral_cw": "Clockwise Spiral with Dot",
            "spiral_ccw": "Counter-Clockwise Spiral with Dot",
            "split": "Split Curved Downward Line",
        }[self.value]


_OTHER_NAMES = {
    "cw": Rune.ARROW_CW,
    "ccw": Rune.ARROW_CCW,
    "cw_spiral": Rune.SPIRAL_CW,
    "ccw_spiral": Rune.SPIRAL_CCW,
}
"""Other names of runes, for rule tests and team files."""


def read_colour(text: str) -> Colour:
    """Return the colour of that name.

    Raises:
        SpecError: If there is none; the nearest names are given.
    """
    if text not in set(Colour):
        raise unknown_name("colour of a Piggle", text, Colour)
    return Colour(text)


def read_rune(text: str) -> Rune:
    """Return the rune of that name; arrows and spirals also have names such as `ccw_spiral`.

    Raises:
        SpecError: If there is none; the nearest names are given.
    """
    if text in _OTHER_NAMES:
        return _OTHER_NAMES[text]
    if text not in set(Rune):
        raise unknown_name("rune of a Piggle", text, {*Rune, *_OTHER_NAMES})
    return Rune(text)
