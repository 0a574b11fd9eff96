"""The library: devices with their sources, loaded by name.

``find_drive`` gives a drive in numbers, ``device_file`` the file behind it, with the source and quality of
each figure.
"""

from iowatt.model.library.device import DeviceFile
from iowatt.model.library.drive import Drive
from iowatt.model.library.electrical import HddPower
from iowatt.model.library.find import device_file, device_names, find_drive

__all__ = ["DeviceFile", "Drive", "HddPower", "device_file", "device_names", "find_drive"]
