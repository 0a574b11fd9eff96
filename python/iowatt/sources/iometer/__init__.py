"""Iometer's result files as Observations."""

from iowatt.sources.iometer.observe import is_iometer, read

__all__ = ["is_iometer", "read"]
