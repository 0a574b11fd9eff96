"""Runs a measurement: its stages without a break, instruments beside them, and a journal that survives."""

from iowatt.emerald.conduct.begin import opened, read_plan
from iowatt.emerald.conduct.interrupts import Interrupts
from iowatt.emerald.conduct.page import document
from iowatt.emerald.conduct.sequence import Stopped, conduct
from iowatt.emerald.conduct.session import Progress
from iowatt.emerald.conduct.state import MeasurementResult, MeasurementState, read_state, state_of

__all__ = [
    "Interrupts",
    "MeasurementResult",
    "MeasurementState",
    "Progress",
    "Stopped",
    "conduct",
    "document",
    "opened",
    "read_plan",
    "read_state",
    "state_of",
]
