"""Summaries of SPECstorage Solution 2020 and SPEC SFS 2014 as Observations. No real one has been met yet."""

from iowatt.sources.specstorage.observe import is_summary, read

__all__ = ["is_summary", "read"]
