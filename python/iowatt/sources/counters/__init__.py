"""Logs of counters of a host or an array as observations, for measured Runs."""

from iowatt.sources.counters.build import observe
from iowatt.sources.counters.request import CountersRequest, read_counters

__all__ = ["CountersRequest", "observe", "read_counters"]
