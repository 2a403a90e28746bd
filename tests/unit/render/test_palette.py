"""One set of colours: stylesheets have those of the palette, and none of them is a player's."""

import re
from pathlib import Path

import pytest

from pigglesim.render.page import WEB
from pigglesim.render.palette import OWNER_COLOURS, SEAT_COLOURS, THEME

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "pigglesim" / "serve" / "web"


@pytest.mark.parametrize("dark", [False, True])
def test_pages_have_the_colours_of_the_palette(dark):
    blocks = re.findall(r":root \{(.*?)\}", (WEB / "page.css").read_text())
    colours = dict(re.findall(r"--(\w+): (#\w+);", blocks[dark]))
    assert colours == {name: pair[dark] for name, pair in THEME.items()}


@pytest.mark.parametrize("folder", [WEB, CLIENT], ids=["shared", "served"])
def test_pages_have_the_colours_of_the_players(folder):
    styles = "".join(file.read_text() for file in sorted(folder.glob("*.css")))
    found = re.findall(r"\.([A-H]) \{ (?:--seat|color): (#\w+); \}", styles)
    owners = [(seat.value, colour) for seat, colour in OWNER_COLOURS.items()]
    assert found[:8] == owners
    if len(found) > 8:
        assert len(found) == 16


def test_the_site_has_the_colours_of_the_palette():
    found = set(re.findall(r"#[0-9a-f]{6}", (ROOT / "docs" / "site" / "site.css").read_text()))
    assert found <= {colour for pair in THEME.values() for colour in pair}
    assert set(THEME["accent"]) <= found


def hue(colour):
    import colorsys

    return 360 * colorsys.rgb_to_hls(*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))[0]


def test_what_went_wrong_has_the_colour_of_no_player_of_two():
    for fault in THEME["fault"]:
        for seat in list(OWNER_COLOURS)[:2]:
            for colour in (OWNER_COLOURS[seat], SEAT_COLOURS[seat]):
                apart = abs(hue(fault) - hue(colour))
                assert min(apart, 360 - apart) > 30


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    ("text", "ground"),
    [("ink", "paper"), ("faint", "paper"), ("accent", "paper"), ("fault", "alarm"), ("ink", "sky")],
)
def test_text_can_be_read(text, ground, dark):
    from pigglesim.bodies.mesh_files import linear

    light, deep = sorted(
        (
            sum(
                c * w
                for c, w in zip(linear(THEME[name][dark]), (0.2126, 0.7152, 0.0722), strict=True)
            )
        )
        for name in (text, ground)
    )[::-1]
    # WCAG 2.2, level AA.
    assert (light + 0.05) / (deep + 0.05) >= 4.5
