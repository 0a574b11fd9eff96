"""Runs a measurement: its stages without a break, with instruments recorded and a crash-proof journal.

``begin`` opens a measurement, ``sequence`` runs it by one of the ``drivers``, ``session`` watches it,
``gaps`` looks for breaks afterwards. ``folder`` is the measurement on disk, ``state`` what its
journal amounts to, ``settings`` the configuration before and after.
"""

from iowatt.emerald.conduct.begin import opened, read_plan
from iowatt.emerald.conduct.drivers import CALL, call_of
from iowatt.emerald.conduct.folder import LOCK, clear, hold
from iowatt.emerald.conduct.interrupts import Interrupts
from iowatt.emerald.conduct.page import document
from iowatt.emerald.conduct.result import MeasurementResult
from iowatt.emerald.conduct.sequence import Stopped, conduct
from iowatt.emerald.conduct.session import MeasurementProgress
from iowatt.emerald.conduct.state import MeasurementState, read_state, state_of

__all__ = [
    "CALL",
    "LOCK",
    "Interrupts",
    "MeasurementProgress",
    "MeasurementResult",
    "MeasurementState",
    "Stopped",
    "call_of",
    "clear",
    "conduct",
    "document",
    "hold",
    "opened",
    "read_plan",
    "read_state",
    "state_of",
]  # fmt: skip
