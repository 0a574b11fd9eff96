"""Calibration: finds the rates and outstanding requests at which a plan's phases are to be run.

``calibrate`` searches, ``bench`` runs its points on real storage or a simulated array, ``outcome`` is what a
point measured, ``make`` writes the new plan.
"""

from iowatt.emerald.calibrate.calibrate import SearchSettings, calibrate
from iowatt.emerald.calibrate.make import CalibrationRequest, calibrate_plan
from iowatt.emerald.calibrate.page import document
from iowatt.emerald.calibrate.result import Calibration, PhaseCalibration, Point

__all__ = [
    "Calibration",
    "CalibrationRequest",
    "PhaseCalibration",
    "Point",
    "SearchSettings",
    "calibrate",
    "calibrate_plan",
    "document",
]
