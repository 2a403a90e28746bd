"""Every fault there is."""

from tests.faults.kills import KILLS
from tests.faults.power import POWER

__all__ = ["FAULTS"]

FAULTS = (*KILLS, *POWER)
