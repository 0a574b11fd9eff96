"""Measured cells against the model of a drive: points of fio or ACT, each with its work and what came out.

``read_measured`` reads them, ``simulate`` does their work on a drive, ``compare`` says how far off it is.
"""

from iowatt.evaluate.measured.cell import (
    HOST_S,
    SHARES,
    Cell,
    Figures,
    Measured,
    SimulatedCell,
    host_seconds,
)
from iowatt.evaluate.measured.compare import compare
from iowatt.evaluate.measured.read import read_measured
from iowatt.evaluate.measured.result import ComparedDevice, MeasuredDevices
from iowatt.evaluate.measured.shipped import shipped_measured, validate_measured
from iowatt.evaluate.measured.simulation import simulate

__all__ = [
    "HOST_S",
    "SHARES",
    "Cell",
    "ComparedDevice",
    "Figures",
    "Measured",
    "MeasuredDevices",
    "SimulatedCell",
    "compare",
    "host_seconds",
    "read_measured",
    "shipped_measured",
    "simulate",
    "validate_measured",
]
