"""The exact chance that an attacker wins a combat, both playing to win this one (R6, R7)."""

from dataclasses import dataclass
from fractions import Fraction

from pigglesim.errors import SpecError
from pigglesim.games.piggyback.combat import settles
from pigglesim.games.piggyback.state import MOST_HELD, MOST_UNITS, Ability, Stack

__all__ = ["Arms", "arms_of", "attack_odds", "beating_odds", "defence_odds"]

_FACES = range(1, 7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """What of a stack counts in a combat.

    Raises:
        SpecError: If there are no units or too many, or too many abilities.
    """

    units: int = 1
    luck: int = 0
    force: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.units <= MOST_UNITS:
            raise SpecError(f"1 to {MOST_UNITS} units", got=str(self.units), remedy="units=1")
        if min(self.luck, self.force) < 0 or self.luck + self.force > MOST_HELD:
            raise SpecError(
                f"0 to {MOST_HELD} abilities together",
                got=f"luck={self.luck}, force={self.force}",
                remedy="luck=1, force=1",
            )

    @property
    def rolls(self) -> int:
        """How often the die may be rolled."""
        return self.units + self.luck


def arms_of(stack: Stack) -> Arms:
    """Return what of a stack counts in a combat."""
    held = stack.held
    return Arms(
        units=stack.units,
        luck=held.count(Ability.YELLOW),
        force=held.count(Ability.ORANGE),
    )


def defence_odds(attack: int, defence: Arms) -> Fraction:
    """Return the chance that a defender beats the attacker's result.

    The defender knows the result, so he rolls until he has beaten it or has no roll left; he may
    add his Firepowers after his last roll (PB7).

    Args:
        attack: What the attacker has come to, Firepowers included.
        defence: The defender's arms.
    """
    return beating_odds(attack, rolls=defence.rolls, force=defence.force)


def beating_odds(attack: int, *, rolls: int, force: int) -> Fraction:
    """Return the chance that one of so many rolls, with Firepowers added, beats a result."""
    failing = sum(settles(attack, face + force) for face in _FACES)
    return 1 - Fraction(failing, len(_FACES)) ** rolls


def attack_odds(attack: Arms, defence: Arms) -> Fraction:
    """Return the chance that the attacker wins, both playing to win this combat.

    One unit against one: he wins with a result of r with r / 6, 7/12 on average. With rolls left he
    rolls again whenever that is worth more than what lies; Firepowers never harm him here, so that
    he adds them all before he hands over the die.
    """
    worths = [1 - defence_odds(face + attack.force, defence) for face in _FACES]
    value = Fraction(0)
    for _ in range(attack.rolls):
        value = sum((max(worth, value) for worth in worths), Fraction(0)) / len(_FACES)
    return value
