"""Marks of when a throw was decided, in a page, beside what Python finds."""

import pytest

import pigglesim

_MARKS = """() => window.pigglesim.table.moments.dice.map(({ name, outcome, looks, times }) => ({
    name, outcome, times,
    looks: looks.map(({ time, bounces, bounced, counts, bits }) =>
        ({ time, bounces, bounced, counts, bits })),
}))"""


def throw(page, *, seed):
    """Throw in the view of single throws."""
    page.get_by_label("Seed").fill(str(seed))
    page.get_by_role("button", name="Throw", exact=True).click()


def expect_python(page, count, *, seed):
    """Expect in a page the marks that Python finds, each copy too, and return what it found."""
    page.locator("#explained", has_text="thrown on 400 times").wait_for(
        state="attached",
        timeout=120_000,  # 40,000 throws, on any machine
    )
    marks = page.evaluate(_MARKS)
    decided = pigglesim.roll(count, seed=seed, engine="impulse").decided()
    assert [mark["name"] for mark in marks] == [*decided]
    for mark, known in zip(marks, decided.values(), strict=True):
        assert mark["outcome"] == known.outcome
        assert mark["times"] == [known.certain_from(level).time for level in (0.5, 0.9, 0.99)]
        for seen, look in zip(mark["looks"], known.looks, strict=True):
            assert (seen["time"], seen["bounces"]) == (look.time, look.bounces)
            assert (seen["bounced"], tuple(seen["counts"])) == (look.after_bounce, look.counts)
            assert seen["bits"] == pytest.approx(look.bits.value, abs=1e-12)
    assert sum(look.bits.value > 1.0 for known in decided.values() for look in known.looks) > 2
    return decided
