"""The library: devices with their sources, loaded by name.

``find_drive`` gives a drive in numbers, ``device_file`` the file behind it, with the source and quality of
each figure. The names below are imported on first use: most modules need only the models of the files.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from iowatt.model.library.device import DeviceFile
    from iowatt.model.library.drive import Drive
    from iowatt.model.library.electrical import HddPower
    from iowatt.model.library.find import device_file, device_names, find_drive

__all__ = ["DeviceFile", "Drive", "HddPower", "device_file", "device_names", "find_drive"]

_HOMES = {
    "DeviceFile": "device",
    "Drive": "drive",
    "HddPower": "electrical",
    "device_file": "find",
    "device_names": "find",
    "find_drive": "find",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
