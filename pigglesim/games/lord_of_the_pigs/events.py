"""The Event deck: ten cards that change the game and ten that do not (R9)."""

from enum import StrEnum, unique

from pigglesim.errors import unknown_name
from pigglesim.games.lord_of_the_pigs.cards import Effect

__all__ = ["EVENT_DECK", "Event", "read_event", "under"]

_USUAL = 10
"""Copies of Business as usual; every other Event is there once."""


@unique
class Event(StrEnum):
    """An Event, by the word that stands for it in a record."""

    FOREIGN_INVESTMENT = "foreign_investment"
    FLASH_FLOODS = "flash_floods"
    GENERAL_STRIKE = "general_strike"
    TERRORIST_ATTACK = "terrorist_attack"
    NATIONAL_BUSINESS_FAIR = "national_business_fair"
    CIVILIAN_WATCHDOGS = "civilian_watchdogs"
    INTERNATIONAL_SCRUTINY = "international_scrutiny"
    CHAMPIONSHIP_FINAL = "championship_final"
    WHISTLE_BLOWER_SCANDAL = "whistle_blower_scandal"
    FMI_INTERVENTION = "fmi_intervention"
    BUSINESS_AS_USUAL = "business_as_usual"

    @property
    def label(self) -> str:
        """The name on the card."""
        return _LABELS[self]

    @property
    def text(self) -> str:
        """What it does, in a sentence."""
        return _TEXTS[self]


_LABELS = {
    Event.FOREIGN_INVESTMENT: "Foreign Investment",
    Event.FLASH_FLOODS: "Flash Floods",
    Event.GENERAL_STRIKE: "General Strike",
    Event.TERRORIST_ATTACK: "Terrorist Attack",
    Event.NATIONAL_BUSINESS_FAIR: "National Business Fair",
    Event.CIVILIAN_WATCHDOGS: "Civilian Watchdogs",
    Event.INTERNATIONAL_SCRUTINY: "International Scrutiny",
    Event.CHAMPIONSHIP_FINAL: "Championship Final",
    Event.WHISTLE_BLOWER_SCANDAL: "Whistle-blower Scandal",
    Event.FMI_INTERVENTION: "FMI Intervention",
    Event.BUSINESS_AS_USUAL: "Business as usual",
}
_TEXTS = {
    Event.FOREIGN_INVESTMENT: "Each player draws an Action.",
    Event.FLASH_FLOODS: "Each player discards an Action from hand.",
    Event.GENERAL_STRIKE: "Each player adds 1 to Social Stability or takes 1 from it.",
    Event.TERRORIST_ATTACK: "Whatever changes in this turn changes by 1 more.",
    Event.NATIONAL_BUSINESS_FAIR: "Whoever's Action is activated in this turn draws 2 Actions.",
    Event.CIVILIAN_WATCHDOGS: "Each player discards one of the own submitted Actions.",
    Event.INTERNATIONAL_SCRUTINY: "No Alternate Modes in this turn.",
    Event.CHAMPIONSHIP_FINAL: "Social Stability cannot change in this turn.",
    Event.WHISTLE_BLOWER_SCANDAL: "Each player shows the Actions in hand with Alternate Modes.",
    Event.FMI_INTERVENTION: "Each player moves the own Rating and another's by 1, both up or down.",
    Event.BUSINESS_AS_USUAL: "Nothing happens.",
}

EVENT_DECK = tuple(
    event.value for event in Event for _ in range(_USUAL if event is Event.BUSINESS_AS_USUAL else 1)
)
"""The twenty Events, by word."""
_BY_LABEL = {event.label: event for event in Event} | {event.value: event for event in Event}


def read_event(value: object) -> Event | None:
    """Return an Event by the name on its card or by its word; None for none.

    Raises:
        SpecError: If there is no such Event; the nearest names are given.
    """
    if value is None:
        return None
    if not isinstance(value, str) or value not in _BY_LABEL:
        raise unknown_name("Event", str(value), _LABELS.values())
    return _BY_LABEL[value]


def under(event: Event | None, effect: Effect) -> Effect:
    """Return what an effect comes to while an Event is active (LP7)."""
    if event is Event.TERRORIST_ATTACK:
        president, banker, corporate, energy, stability = (
            change + (change > 0) - (change < 0) for change in effect
        )
        return president, banker, corporate, energy, stability
    if event is Event.CHAMPIONSHIP_FINAL:
        return (*effect[:4], 0)
    return effect
