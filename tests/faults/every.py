"""Every fault there is."""

from tests.faults.broken import BROKEN
from tests.faults.filled import FILLED
from tests.faults.kills import KILLS
from tests.faults.power import POWER
from tests.faults.stops import STOPS

FAULTS = (*KILLS, *STOPS, *BROKEN, *FILLED, *POWER)
