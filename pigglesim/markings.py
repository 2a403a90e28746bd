"""Markings of a Piggle: its livery of colour and rune, named as in the rules of Modern."""

from dataclasses import dataclass
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

    @property
    def skin(self) -> str:
        """Colour of a Piggle's skin in sRGB, as `#rrggbb`."""
        # They lie 18 or more apart (CIEDE2000) for normal eyes and without red, green or blue
        # cones. That needs lightness as well as hue: a dark red, a light yellow, the rest between.
        return {
            "orange": "#e07f26",
            "red": "#a01331",
            "blue": "#4f68c4",
            "green": "#2eaa88",
            "yellow": "#ffe668",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Livery:
    """Colour and rune of a Piggle."""

    colour: Colour
    rune: Rune | None = None
    """Rune; None for a runeless Piggle (R24)."""

    def __str__(self) -> str:
        return f"{self.colour}+{self.rune}" if self.rune else str(self.colour)

    @property
    def label(self) -> str:
        """Displayed name, such as "Blue, To the Left Of"."""
        return f"{self.colour.label}, {self.rune.label if self.rune else 'runeless'}"

    @classmethod
    def parse(cls, text: str) -> "Livery":
        """Return the livery of a text such as `"blue"` or `"blue+left"`, the inverse of `str`.

        Raises:
            SpecError: If a colour or a rune is unknown; the nearest names are given.
        """
        colour, plus, rune = text.partition("+")
        return cls(colour=read_colour(colour), rune=read_rune(rune) if plus else None)


def liveries() -> tuple[Livery, ...]:
    """Return every livery: five colours, each runeless and with nine runes."""
    runes: tuple[Rune | None, ...] = (None, *Rune)
    return tuple(Livery(colour=colour, rune=rune) for colour in Colour for rune in runes)


def split_livery(name: str) -> tuple[str, Livery | None]:
    """Return the plain model and the livery in a name such as `"piggle+blue+left"`.

    Raises:
        SpecError: If the text after the first plus sign is not a livery.
    """
    # A path may contain a plus sign itself: there a livery can only follow the file's name.
    start = max(name.rfind("/") + 1, name.rfind(".toml"), 0)
    head, plus, livery = name[start:].partition("+")
    return name[:start] + head, Livery.parse(livery) if plus else None
