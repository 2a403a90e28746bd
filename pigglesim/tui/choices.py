"""Every key of the screen in one table: bindings, the help page and the footer come from it."""

from collections.abc import Sequence
from time import monotonic
from typing import Any

from textual.app import ComposeResult
from textual.containers import Grid, Horizontal, Vertical
from textual.events import Click
from textual.widgets import OptionList, Static

from pigglesim.tui.family import Family, Toggles


class Button(Static):
    """A word that can be clicked: it does what a key does.

    Args:
        text: What it says.
        action: The action of the app or the page that is run.
        name: Under which it is found.
    """

    def __init__(self, text: str, action: str, *, name: str) -> None:
        super().__init__(text, id=name, classes="button", markup=False)
        self._action = action

    async def on_click(self, event: Click) -> None:
        """Do it."""
        event.stop()
        await self.run_action(self._action)


_MOST = 12
"""Things that are shown at most; those after the ninth have no key, and are clicked."""

_TYPING = 1.5
"""Longest between two digits of one number [s]."""


class Choices(Vertical):
    """The choices of the player to move; hidden while nobody has any.

    Args:
        family: How actions are said.
    """

    def __init__(self, family: Family) -> None:
        super().__init__(id="choices")
        self._family = family
        self._toggles: Toggles | None = None
        self._legal: tuple[Any, ...] = ()
        self._chosen: set[str] = set()
        self._last: tuple[str, ...] = ()
        self._typed, self._typed_at = 0, 0.0
        """Number of an entry, as far as it was typed, and when."""

    def compose(self) -> ComposeResult:
        """Make room for both kinds of choice."""
        with Grid(id="chips"):
            for number in range(1, _MOST + 1):
                yield Button("", f"app.press('pick', {number})", name=f"chip-{number}")
        with Horizontal(id="acts"):
            yield Button("", "app.press('roll')", name="act-roll")
            yield Button("a All", "app.press('all')", name="act-all")
            yield Button("s Skip", "app.press('skip')", name="act-skip")
        menu = OptionList(id="menu", markup=False, compact=True)
        menu.can_focus = False
        yield menu

    @property
    def listed(self) -> bool:
        """Whether the decision is one of a list."""
        return bool(self._legal) and self._toggles is None

    @property
    def marked(self) -> tuple[str, ...]:
        """The Piggles that the marked entry of the list is about, who acts first."""
        return self._family.about(self.action) if self.listed else ()

    @property
    def pointed(self) -> tuple[str, ...]:
        """The Piggle that acts by the marked entry, or that was put into the cup last."""
        return self.marked[:1] if self.listed else self._last

    @property
    def chosen(self) -> frozenset[str]:
        """The things that are in the cup, as far as the player has chosen."""
        return frozenset(self._chosen)

    def offer(self, state: object, legal: Sequence[Any], *, words: Sequence[str] = ()) -> None:
        """Offer a decision; none, if nothing is legal.

        Args:
            state: The position.
            legal: What can be chosen.
            words: How to say each; empty for the family's own words.
        """
        self._chosen.clear()
        self._last = ()
        self._typed = 0
        self._legal = tuple(legal)
        self._toggles = self._family.toggles(state, legal)
        menu = self.query_one(OptionList)
        menu.clear_options()
        if self._toggles is None:
            menu.add_options(
                f"{number} {words[number - 1] if words else self._family.say(state, action)}"
                for number, action in enumerate(self._legal, start=1)
            )
            menu.highlighted = 0 if self._legal else None
        self._show()

    def pick(self, number: int) -> bool:
        """Put a thing in or take it out, or mark an entry of the list; return whether it could."""
        if self._toggles is None:
            return self._mark(number)
        items = self._toggles.items
        if number > len(items) or items[number - 1] not in self._toggles.free:
            return False
        self._chosen ^= {items[number - 1]}
        self._last = (items[number - 1],)
        self._show()
        return True

    def _mark(self, digit: int) -> bool:
        """Mark the entry of the number that is being typed; digits long apart are two numbers."""
        now = monotonic()
        longer = 10 * self._typed + digit if now - self._typed_at < _TYPING else digit
        number = longer if longer <= len(self._legal) else digit
        if not 1 <= number <= len(self._legal):
            return False
        self._typed, self._typed_at = number, now
        self.query_one(OptionList).highlighted = number - 1
        return True

    def pick_about(self, piggle: str) -> None:
        """Mark the next entry of the list that is about a Piggle, if there is any."""
        menu = self.query_one(OptionList)
        if self.listed and menu.highlighted is not None:
            count = len(self._legal)
            after = [(menu.highlighted + step) % count for step in range(1, count + 1)]
            found = (at for at in after if piggle in self._family.about(self._legal[at]))
            menu.highlighted = next(found, menu.highlighted)

    def pick_all(self, *, into: bool) -> None:
        """Put everything in, or take everything out."""
        if self._toggles is not None:
            self._chosen = set(self._toggles.free) if into else set()
            self._show()

    def move(self, step: int) -> None:
        """Mark the next entry of the list, or the one before."""
        menu = self.query_one(OptionList)
        if menu.highlighted is not None:
            menu.highlighted = (menu.highlighted + step) % len(self._legal)

    @property
    def action(self) -> Any:  # noqa: ANN401 (an action of whatever game is played)
        """The action chosen, or None if nothing is."""
        if self._toggles is not None:
            return self._toggles.action(self.chosen) if self._chosen else None
        marked = self.query_one(OptionList).highlighted
        return None if marked is None else self._legal[marked]

    def _show(self) -> None:
        toggles = self._toggles
        self.display = bool(self._legal)
        self.query_one("#chips").display = self.query_one("#acts").display = toggles is not None
        self.query_one("#menu").display = toggles is None
        if toggles is None:
            return
        self.query_one("#chips").set_class(any(toggles.marks.values()), "-worn")
        for number in range(1, _MOST + 1):
            chip = self.query_one(f"#chip-{number}", Button)
            there = number <= len(toggles.items)
            chip.display = there
            if there:
                item = toggles.items[number - 1]
                inside, free = item in self._chosen, item in toggles.free
                mark = "●" if inside else "○" if free else "·"
                worn = toggles.marks.get(item, "")
                chip.update(f"{number}{mark}{item}{worn and ' '}{worn}")
                chip.set_class(inside, "-in")
                chip.set_class(not free, "-not")
        roll = self.query_one("#act-roll", Button)
        empty = f"choose by 1-{len(toggles.items)}" if toggles.free else "nothing to roll"
        roll.update(f"Enter Roll {len(self._chosen)}" if self._chosen else empty)
        self.query_one("#act-all").display = bool(toggles.free)
        roll.set_class(bool(self._chosen), "-in")
