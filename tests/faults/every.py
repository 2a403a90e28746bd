"""Every fault there is."""

from tests.faults.kills import KILLS

__all__ = ["FAULTS"]

FAULTS = (*KILLS,)
