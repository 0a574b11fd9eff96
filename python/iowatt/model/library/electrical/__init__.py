"""Electrical figures of a drive and its power levels below idling.

``figures`` are the keys of the table ``power`` of a device file; ``levels`` makes of them the levels that
power policies choose from.
"""

from iowatt.model.library.electrical.figures import HddPower, PowerFigures, PowerLevel
from iowatt.model.library.electrical.levels import (
    FIRST_FURTHER,
    STANDBY,
    STANDBY_STATE,
    Ladder,
    ladder,
    missing_figures,
    power_levels,
    speed_problem,
)

__all__ = [
    "FIRST_FURTHER", "STANDBY", "STANDBY_STATE", "HddPower", "Ladder", "PowerFigures", "PowerLevel", "ladder",
    "missing_figures", "power_levels", "speed_problem",
]  # fmt: skip
