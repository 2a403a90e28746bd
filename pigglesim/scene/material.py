"""How surfaces rub, bounce and resist rolling."""

from dataclasses import dataclass

__all__ = ["Contact", "Contacts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """What happens where two surfaces meet; one value for each kind of pair.

    Pairs, not single materials, because that is what can be measured: a friction coefficient
    belongs to plastic on wood, not to plastic.
    """

    friction: float
    """Coulomb coefficient of sliding."""
    restitution: float
    """Ratio of the normal speeds after and before an impact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """One `Contact` for each kind of pair, and how the board resists rolling.

    Only the board resists rolling and spinning: in the cup and between Piggles a contact lasts
    too short a time for it to be seen in any share.
    """

    board: Contact
    piggle: Contact
    cup: Contact
    rolling_lever: float
    """Lever of the board's normal force against rolling [m]: a sphere of radius r slows by
    5/7 g lever / r."""
    spinning_lever: float
    """The same against spinning about the contact normal [m]."""
