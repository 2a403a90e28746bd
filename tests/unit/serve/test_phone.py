"""The phone as the cup: its motion throws, impacts are felt, and a refusal is explained."""

import pytest

from tests.unit.serve.test_pages import SIZES, one_chromium, visit

__all__ = ["one_chromium", "visit"]
PHONE = {"size": SIZES["phone"], "has_touch": True}
_MOVED = """([x, y, [gx, gy, gz]]) => dispatchEvent(new DeviceMotionEvent("devicemotion", {
    acceleration: { x: SIGN * x, y: SIGN * y, z: 0 },
    accelerationIncludingGravity: { x: SIGN * (x + gx), y: SIGN * (y + gy), z: SIGN * gz },
    interval: INTERVAL,
}))"""
LEVEL, TIPPED = [0, 0, 9.81], [0, 9.5, 2.4]
STANDARD = {"SIGN": 1, "INTERVAL": 16}
TURNED = {"SIGN": -1, "INTERVAL": 0.016}
"""A browser with every sign turned round, and with an interval in seconds."""


@pytest.fixture
def page(served, visit):
    def opened(**more):
        page = visit(served.access.owner_link, **PHONE, **more)
        page.evaluate("void (navigator.vibrate = (span) => (window.pulses ??= []).push(span))")
        page.click("#begin-first")
        page.wait_for_function("() => pigglesim.table.grip?.thrower")
        return page

    return opened


@pytest.mark.slow
@pytest.mark.parametrize("browser", [STANDARD, TURNED])
def test_a_phone_shakes_the_cup_and_pours_it(page, browser):
    page = page()
    page.evaluate("(browser) => void Object.assign(window, browser)", browser)
    # A phone that rests, or is only turned, leaves the cup alone. The page waits for motion 1.5 s.
    page.evaluate(
        f"""async (turns) => {{
            const move = {_MOVED};
            document.querySelector("#phone").click();
            await new Promise((go) => setTimeout(go));
            for (const down of turns) move([0.1, 0.1, down]);
        }}""",
        [LEVEL, TIPPED, LEVEL],
    )
    assert page.inner_text("#phone") == "Lay the phone down"
    assert page.evaluate("pigglesim.table.grip.held") is False
    # In the page alone: on a loaded machine the cup would be let go before the shake ends.
    places, goals = page.evaluate(
        f"""async (level) => {{
            const {{ grip }} = pigglesim.table, places = [], goals = [], move = {_MOVED};
            for (let k = 0; k < 60; k++) {{
                move([k % 12 < 6 ? 15 : -15, 0, level]);
                await new Promise((go) => setTimeout(go, 16));
                places.push(grip.at[0]);
                goals.push(grip.target[0] - grip.hold.across);
            }}
            return [places, goals];
        }}""",
        LEVEL,
    )
    # It goes where the phone goes, by centimetres.
    assert goals[5] > 0.02
    assert page.evaluate("pigglesim.table.grip.pointer") == "phone"
    turns = [(b - a) * (c - b) < 0 for a, b, c in zip(places, places[1:], places[2:], strict=False)]
    assert sum(turns) >= 3
    page.wait_for_function("() => pigglesim.table.grip.lawful")
    page.evaluate(_MOVED, [0.0, 0.0, TIPPED])
    page.wait_for_function("() => pigglesim.view.state.at > 0")
    assert page.evaluate("pigglesim.view.state.at") > 0
    felt = page.evaluate("window.pulses")
    assert felt and all(5 <= span <= 30 for span in felt)
    page.wait_for_selector("#go-on")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("async () => 'denied'", "The browser refuses"),
        ("() => Promise.reject(new Error())", "The browser refuses"),
        ("async () => 'granted'", "No motion arrives"),
    ],
)
def test_a_browser_without_motion_is_explained(page, asked, said):
    page = page()
    page.evaluate(f"void (DeviceMotionEvent.requestPermission = {asked})")
    page.click("#phone")
    page.wait_for_function(
        "(said) => document.querySelector('#caption').textContent.startsWith(said)", arg=said
    )
    assert page.inner_text("#phone") == "The phone is the cup"


@pytest.mark.slow
def test_a_page_on_a_desktop_offers_no_phone(served, visit):
    page = visit(served.access.owner_link)
    page.click("#begin-first")
    page.wait_for_selector("#pour")
    assert page.locator("#phone").is_hidden()
