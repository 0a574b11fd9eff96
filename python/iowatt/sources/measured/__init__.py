"""Measured Runs: what a load generator observed and what instruments recorded, as one record."""

from iowatt.sources.measured.build import MeasuredAbout, measured_run

__all__ = ["MeasuredAbout", "measured_run"]
