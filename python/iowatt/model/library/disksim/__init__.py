"""DiskSim's files, read: drives (``.diskspecs``, ``.model``, ``.seek``) and whole systems (``.parv``).

``read_drive`` and ``read_system`` give frozen dataclasses in seconds, bytes and sectors of 512 bytes, with
one sentence in ``ignored`` for each parameter that iowatt does not use; ``import_drive`` makes a device file
of a drive. ``grammar`` parses, ``parameter`` maps parameters to fields, ``drives``, ``electronics``,
``mechanics``, ``layout`` and ``seek`` read a drive, ``system`` and ``components`` what is around it;
``rules`` decides what is ambiguous, ``plan`` and ``convert`` write our tables.
"""

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.library.disksim.convert import import_drive
    from iowatt.model.library.disksim.drives import DiskSimDrive, read_drive
    from iowatt.model.library.disksim.seek import read_seek
    from iowatt.model.library.disksim.system import DiskSimSystem, read_system

__all__ = ["DiskSimDrive", "DiskSimSystem", "import_drive", "read_drive", "read_seek", "read_system"]

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "convert": "import_drive",
            "drives": "DiskSimDrive read_drive",
            "seek": "read_seek",
            "system": "DiskSimSystem read_system",
        },
    )
