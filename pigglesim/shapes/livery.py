"""Liveries: one mesh, many skins. A colour and a rune change what is seen and no throw."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from pigglesim.errors import SpecError
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.shapes.body import Body, Skin
from pigglesim.shapes.decal import Decal, Spot, lay_on
from pigglesim.shapes.glyphs import glyph
from pigglesim.shapes.objfile import to_linear

__all__ = ["RUNE_PART", "SPOTS", "Livery", "dress", "liveries", "skin_colour", "split_livery"]

RUNE_PART = "rune"
"""Part and material of the faces that show a rune."""

SPOTS = (
    Spot(centre=(0.0, -6.9e-3, 4.7e-3), outward=(0.0, -0.45, 0.89), half_size=2.8e-3),
    Spot(centre=(0.0, 3.5e-3, -6.0e-3), outward=(0.0, 0.20, -0.98), half_size=4.3e-3),
)
"""The belly between smile and feet, seen Snout-Up; the back above the tail, seen Snout-Down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Palette:
    """sRGB of a colour's materials, as `#rrggbb`."""

    skin: str
    accent: str
    """Snout, tail, inner ears and blush."""
    dark: str
    """Hooves; what is cut (nostrils, clefts, mouth) is darker still."""
    rune: str


# The skins lie 18 or more apart (CIEDE2000) for normal eyes and without red, green or blue cones.
# That needs lightness as well as hue: a dark red, a light yellow, the rest between.
_PALETTES = {
    Colour.ORANGE: _Palette(skin="#e07f26", accent="#f6b573", dark="#6b2f0c", rune="#46200a"),
    Colour.RED: _Palette(skin="#a01331", accent="#dd5a70", dark="#4a0615", rune="#ffe3d6"),
    Colour.BLUE: _Palette(skin="#4f68c4", accent="#7f97e6", dark="#1c2866", rune="#f2f6ff"),
    Colour.GREEN: _Palette(skin="#2eaa88", accent="#79dcbb", dark="#07402f", rune="#03281d"),
    Colour.YELLOW: _Palette(skin="#ffe668", accent="#f2b63c", dark="#8a5a10", rune="#5c3d06"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Livery:
    """What a Piggle wears."""

    colour: Colour
    rune: Rune | None = None
    """None for a runeless Piggle (R24)."""

    def __str__(self) -> str:
        return f"{self.colour}+{self.rune}" if self.rune else str(self.colour)

    @property
    def label(self) -> str:
        """Such as "Blue, To the Left Of"."""
        return f"{self.colour.label}, {self.rune.label if self.rune else 'runeless'}"

    @classmethod
    def parse(cls, text: str) -> "Livery":
        """Return the livery of a text such as `"blue"` or `"blue+left"`; `str` gives it back.

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
        SpecError: If what follows the first plus sign is no livery.
    """
    # A path may hold a plus sign of its own: there a livery can only follow the file's name.
    start = max(name.rfind("/") + 1, name.rfind(".toml"), 0)
    head, plus, livery = name[start:].partition("+")
    return name[:start] + head, Livery.parse(livery) if plus else None


def skin_colour(colour: Colour) -> str:
    """Return the sRGB of a coloured Piggle's skin, as `#rrggbb`."""
    return _PALETTES[colour].skin


def dress(body: Body, livery: Livery) -> Body:
    """Return the body in a livery: another skin; the same hull, mass, poses and digest.

    Args:
        body: A Piggle in its plain skin.
        livery: What to put on.

    Raises:
        SpecError: If the body has no skin to paint, or wears a livery already.
    """
    _check(body)
    palette = _colours(livery.colour)
    skin = replace(body.skin, colours=body.skin.colours | palette)
    if livery.rune:
        skin = _with_decals(skin, _decals(body.skin, livery.rune))
    return replace(body, model=f"{body.model}+{livery}", skin=skin)


def _check(body: Body) -> None:
    if "+" in body.model:
        raise SpecError(
            "a Piggle in its plain skin",
            got=repr(body.model),
            remedy="dress the plain model",
        )
    painted = set(zip(body.skin.face_parts, body.skin.face_materials, strict=False))
    if ("body", "skin") not in painted:
        raise SpecError(
            'a model whose part "body" is painted with the material "skin"',
            got=f"{body.model}, which has none",
            remedy="give a livery to piggle or premium",
        )


@cache
def _colours(colour: Colour) -> dict[str, tuple[float, float, float]]:
    """Return the linear RGB of the materials that a colour changes; eyes stay as they are."""
    palette = _PALETTES[colour]
    skin, accent, dark, rune = (
        _linear(text) for text in (palette.skin, palette.accent, palette.dark, palette.rune)
    )
    deep = (dark[0] * 0.4, dark[1] * 0.4, dark[2] * 0.4)
    return {
        "skin": skin,
        **dict.fromkeys(("snout", "tail", "inner_ear", "blush"), accent),
        "hoof": dark,
        **dict.fromkeys(("nostril", "cleft", "mouth"), deep),
        RUNE_PART: rune,
    }


def _linear(text: str) -> tuple[float, float, float]:
    red, green, blue = (to_linear(int(text[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return red, green, blue


@lru_cache(maxsize=64)
def _decals(skin: Skin, rune: Rune) -> tuple[Decal, ...]:
    """Return a rune laid on all its spots; kept, for all colours share it."""
    outline = glyph(rune)
    return tuple(lay_on(skin, outline, spot, part="body") for spot in SPOTS)


def _with_decals(skin: Skin, decals: Iterable[Decal]) -> Skin:
    """Return a skin with decals after its own vertices and faces."""
    vertices: list[NDArray[np.float64]] = [skin.vertices]
    faces: list[NDArray[np.int64]] = [skin.faces]
    count = len(skin.vertices)
    for decal in decals:
        faces.append(decal.faces + count)
        vertices.append(decal.vertices)
        count += len(decal.vertices)
    points, corners = np.vstack(vertices), np.vstack(faces)
    points.setflags(write=False)
    corners.setflags(write=False)
    added = (RUNE_PART,) * (len(corners) - len(skin.faces))
    return replace(
        skin,
        vertices=points,
        faces=corners,
        face_parts=skin.face_parts + added,
        face_materials=skin.face_materials + added,
    )
