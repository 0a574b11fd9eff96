"""The duty lens: energy over a day of idle, moderate and heavy hours, from Runs at several loads."""

from iowatt.lenses.duty.analyse import analyse

__all__ = ["analyse"]
