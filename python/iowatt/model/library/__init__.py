"""The library: devices with the source of each figure, loaded by name or file.

``device`` is the model of a device file, ``find`` reads one by name; ``drive`` makes a disk of it, ``ssd`` an
SSD, both in numbers; ``derive`` is what a data sheet leaves to derive or assume. ``electrical`` has watts and
power levels, ``fabric`` the parts of paths, ``disksim`` reads DiskSim's files. ``describe`` is the library
for readers, ``folders`` finds files in all its folders. The names below are imported on first use: most
callers need few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.model.library.derive import state_watts
    from iowatt.model.library.describe import describe_device, file_ratings, list_devices
    from iowatt.model.library.device import DeviceFile, DevicePrice
    from iowatt.model.library.drive import Disk
    from iowatt.model.library.electronics import Scheduler
    from iowatt.model.library.evidence import (
        BARS,
        ENOUGH,
        PURPOSES,
        Evidence,
        Grade,
        device_evidence,
        doubts,
        replayed_devices,
        shipped_cells,
        trusted,
    )
    from iowatt.model.library.find import device_file, device_names, find_device, find_drive, own_files
    from iowatt.model.library.folders import LIBRARY, LibraryFolder
    from iowatt.model.library.mechanics import seek_time
    from iowatt.model.library.price_class import PRICE_CLASSES, PurchaseInfo, price_class_of
    from iowatt.model.library.reliability import RELIABILITY_CLASSES, RatedReliability
    from iowatt.model.library.source import DatedSource, FigureSource, assumed, source_of, stand_in, stand_ins

__all__ = [
    "BARS", "ENOUGH", "LIBRARY", "PRICE_CLASSES", "PURPOSES", "RELIABILITY_CLASSES",
    "DatedSource", "DeviceFile", "DevicePrice", "Disk",
    "Evidence", "FigureSource", "Grade", "LibraryFolder", "PurchaseInfo", "RatedReliability",
    "Scheduler", "assumed",
    "describe_device", "device_evidence", "device_file", "device_names", "doubts", "file_ratings",
    "find_device", "find_drive", "list_devices", "own_files", "price_class_of", "replayed_devices",
    "seek_time", "shipped_cells", "source_of", "stand_in", "stand_ins", "state_watts", "trusted",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "derive": "state_watts",
            "describe": "describe_device file_ratings list_devices",
            "device": "DeviceFile DevicePrice",
            "drive": "Disk",
            "electronics": "Scheduler",
            "evidence": "BARS ENOUGH PURPOSES Evidence Grade device_evidence doubts replayed_devices "
            "shipped_cells trusted",
            "find": "device_file device_names find_device find_drive own_files",
            "folders": "LIBRARY LibraryFolder",
            "mechanics": "seek_time",
            "price_class": "PRICE_CLASSES PurchaseInfo price_class_of",
            "reliability": "RELIABILITY_CLASSES RatedReliability",
            "source": "DatedSource FigureSource assumed source_of stand_in stand_ins",
        },
    )
