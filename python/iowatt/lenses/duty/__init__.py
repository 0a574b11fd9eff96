"""The duty lens: energy over a day of idle, moderate and heavy hours, from Runs at several loads."""

from iowatt.lenses.duty.analysis import analyse
from iowatt.lenses.duty.result import Duty

__all__ = ["Duty", "analyse"]
