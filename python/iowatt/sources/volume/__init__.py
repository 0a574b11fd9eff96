"""Live volumes: a virtual pool of a scenario over real files or block devices, served over NBD.

``create`` and ``check`` work on the stores, ``VolumeService`` serves them, ``ask`` talks to a service.
"""

from iowatt.sources.volume.control import ask, stop
from iowatt.sources.volume.make import NewVolume, check, create
from iowatt.sources.volume.service import VolumeService

__all__ = ["NewVolume", "VolumeService", "ask", "check", "create", "stop"]
