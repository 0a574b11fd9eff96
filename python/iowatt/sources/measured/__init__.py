"""Measured Runs: what a load generator observed and what instruments recorded, as one record."""

from iowatt.sources.measured.build import measured_run

__all__ = ["measured_run"]
