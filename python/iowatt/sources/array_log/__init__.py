"""Performance logs of arrays in CSV, read as counters by a mapping of their columns."""

from iowatt.sources.array_log.mapping import ARRAY_LOGS, ArrayLogMapping, find_mapping
from iowatt.sources.array_log.read import read_log

__all__ = ["ARRAY_LOGS", "ArrayLogMapping", "find_mapping", "read_log"]
