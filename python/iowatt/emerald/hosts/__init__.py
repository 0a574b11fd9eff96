"""Several load hosts: the part of each, what a stage left of each, and their figures as one.

``share`` divides a plan between hosts, ``record`` is what was recorded of them beside a stage, ``figures``
joins the output of all into one observation, and judges each host.
"""

from iowatt.emerald.hosts.figures import findings, observe
from iowatt.emerald.hosts.record import HOSTS, ClockCheck, HostRecord, folder_of, read, usage, write
from iowatt.emerald.hosts.share import HostShare, shares

__all__ = [
    "HOSTS", "ClockCheck", "HostRecord", "HostShare", "findings", "folder_of", "observe", "read", "shares",
    "usage", "write",
]  # fmt: skip
