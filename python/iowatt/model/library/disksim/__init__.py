"""DiskSim's files, read: drives (``.diskspecs``, ``.model``, ``.seek``) and whole systems (``.parv``).

``read_drive`` and ``read_system`` give frozen dataclasses in seconds, bytes and sectors of 512 bytes; each
parameter that iowatt does not use is named in their ``ignored``. Facts about parameters are in one place:
``parameters`` (the drive) and ``system_parameters`` (all around it).
"""

from iowatt.model.library.disksim.drives import Drive, read_drive
from iowatt.model.library.disksim.seek import read_seek
from iowatt.model.library.disksim.system import System, read_system

__all__ = ["Drive", "System", "read_drive", "read_seek", "read_system"]
