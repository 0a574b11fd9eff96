"""Live volumes: a virtual pool of a scenario over real files or block devices, served over NBD.

``create`` and ``check`` work on the stores. ``serve`` serves them by a ``VolumeService``, on
``EmulatedMedia`` where asked, and records a Run; ``ask`` talks to a service.
"""

from iowatt.sources.volume.control import ask, stop
from iowatt.sources.volume.emulation import EmulatedMedia, ReplayedHere, emulated_media
from iowatt.sources.volume.make import NewVolume, check, create
from iowatt.sources.volume.serve import ServeRequest, serve
from iowatt.sources.volume.service import VolumeService

__all__ = [
    "EmulatedMedia", "NewVolume", "ReplayedHere", "ServeRequest", "VolumeService", "ask", "check", "create",
    "emulated_media", "serve", "stop",
]  # fmt: skip
