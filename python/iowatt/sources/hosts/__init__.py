"""Load hosts: how they are reached, what runs there, their clocks and the use of them.

``address`` says how a host is reached, ``agent`` is the program that is sent there, ``connection`` speaks
with it, ``clock`` compares its clock with this one and its counters with earlier ones.
"""

from iowatt.sources.hosts.address import HostAddress, parse_host, split_name
from iowatt.sources.hosts.clock import HostSample, HostUse, use
from iowatt.sources.hosts.connection import HostConnection, HostLost

__all__ = [
    "HostAddress", "HostConnection", "HostLost", "HostSample", "HostUse", "parse_host", "split_name", "use",
]  # fmt: skip
