"""Devices from measurements: figures that the measurements determine, and how far off the device then is.

``calibrate`` makes a device file; ``plan_text`` is the jobs of fio whose results it takes.
"""

from iowatt.evaluate.calibration.fitting import Request, calibrate, statement
from iowatt.evaluate.calibration.plan import plan_text
from iowatt.evaluate.calibration.result import DeviceCalibration

__all__ = ["DeviceCalibration", "Request", "calibrate", "plan_text", "statement"]
