"""The drives that a design may be changed to, by class, the newest first."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from iowatt.base.results import Result
from iowatt.base.units import format_bytes

if TYPE_CHECKING:
    from iowatt.model.library import DeviceFile

_NVME: Final = "NVMe SSDs"
_SSD: Final = "SATA and SAS SSDs"
_NEARLINE: Final = "Disks of 7,200 rpm"
_FAST: Final = "Disks of 10,000 rpm or more"
_OTHER: Final = "Other disks"
_STAND_IN: Final = "Stand-ins"
_GROUPS: Final = (_NVME, _SSD, _NEARLINE, _FAST, _OTHER, _STAND_IN)

_SIZE: Final = re.compile(r"\d\s?[GT]B\b")


class OfferedDrive(Result):
    """A drive of the library."""

    name: str
    title: str  #: With its capacity, its memory and its year.


class OfferedDrives(Result):
    """Drives of a class."""

    title: str
    drives: list[OfferedDrive]


class DriveMenu(Result):
    """Drives that can be simulated with times and watts, by class."""

    groups: list[OfferedDrives]


@cache
def drive_menu() -> DriveMenu:
    """The menu; the library does not change while a server runs."""
    from iowatt.model.library import device_file, list_devices

    files = [device_file(one.name) for one in list_devices(needs=["simulation"]).devices]
    files.sort(key=lambda one: (-(one.year or 0), one.title.partition(",")[0].lower(), one.capacity or 0))
    groups = [OfferedDrives(title=title, drives=[]) for title in _GROUPS]
    by_title = {group.title: group.drives for group in groups}
    for file in files:
        by_title[_group(file)].append(OfferedDrive(name=file.name, title=drive_title(file)))
    return DriveMenu(groups=[group for group in groups if group.drives])


def drive_title(file: DeviceFile) -> str:
    """A drive's title with its capacity, its memory and its year."""
    known = file.capacity is None or _SIZE.search(file.title)
    title = file.title if known else f"{file.title}, {format_bytes(file.capacity or 0)}"
    media = (file.media or "").partition(" ")[0]
    about = ", ".join(filter(None, [media, str(file.year) if file.year else ""]))
    return f"{title} ({about})" if about else title


def _group(file: DeviceFile) -> str:
    if file.stand_in is not None:
        return _STAND_IN
    if file.kind == "ssd":
        return _NVME if "nvme" in (file.interface or "").lower() else _SSD
    rpm = file.rpm or 0
    return _FAST if rpm >= 10_000 else _NEARLINE if 7_000 <= rpm <= 7_500 else _OTHER
