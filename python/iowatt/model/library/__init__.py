"""The library: devices with their sources, loaded by name.

``find_drive`` gives a drive in numbers, ``device_file`` the file behind it, with the source and quality of
each figure. The names below are imported on first use: most modules need only the models of the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.library.device import DeviceFile
    from iowatt.model.library.drive import Drive
    from iowatt.model.library.electrical import HddPower
    from iowatt.model.library.find import device_file, device_names, find_drive

__all__ = ["DeviceFile", "Drive", "HddPower", "device_file", "device_names", "find_drive"]

__getattr__ = names_from(
    __name__,
    {
        "device": "DeviceFile",
        "drive": "Drive",
        "electrical": "HddPower",
        "find": "device_file device_names find_drive",
    },
)
