"""Sensors of this host by the kernel's hwmon files: watts, volts, amperes, degrees."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.sources.meters import sysfs
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log import Instrument
from iowatt.sources.meters.meter import MeterError, Reading
from iowatt.sources.meters.schemes import SCHEMES

OPTIONS: Final = {"root": "where hwmon's folders are; /sys/class/hwmon"}
ROOT: Final = "/sys/class/hwmon"

#: Prefix of a sensor's files -> quantity and unit (kernel documentation, hwmon/sysfs-interface).
_UNITS: Final = {
    "power": ("watts", 1e-6),
    "temp": ("celsius", 1e-3),
    "in": ("volts", 1e-3),
    "curr": ("amperes", 1e-3),
}
_SENSOR: Final = re.compile(r"(power|temp|in|curr)[0-9]{1,3}")


@dataclass(frozen=True)
class Sensor:
    """A sensor of a chip."""

    chip: str
    folder: Path
    name: str
    label: str | None
    file: Path


def sensors(root: Path) -> Iterator[Sensor]:
    """The sensors there are."""
    for folder in sorted(root.glob("hwmon*"), key=lambda folder: (len(folder.name), folder.name)):
        try:
            chip = sysfs.word(folder / "name")
        except MeterError:
            continue
        for file in sorted(folder.glob("*_input")) + sorted(folder.glob("power*_average")):
            name, _, what = file.name.rpartition("_")
            if not _SENSOR.fullmatch(name) or (
                what == "average" and file.with_name(f"{name}_input").exists()
            ):
                continue
            try:
                label: str | None = sysfs.word(folder / f"{name}_label")
            except MeterError:
                label = None
            yield Sensor(chip, folder, name, label, file)


def create(address: Address) -> HwmonMeter:
    """The sensor of an address: `hwmon:CHIP/SENSOR`, CHIP by its name or its folder (hwmon3)."""
    chip, slash, sensor = address.path.partition("/")
    if not slash or not chip or not _SENSOR.fullmatch(sensor):
        raise address.error(
            "bad-syntax", "the address names no sensor", "write hwmon:CHIP/SENSOR, such as hwmon:nvme/temp1"
        )
    return HwmonMeter(address, chip, sensor)


class HwmonMeter:
    """One sensor."""

    def __init__(self, address: Address, chip: str, sensor: str) -> None:
        self._address, self._chip, self._sensor = address, chip, sensor
        self._root = Path(address.options.get("root", ROOT))
        self._file: Path | None = None

    def open(self) -> Instrument:
        """Find it; two chips of one name are told apart by their folders."""
        there = list(sensors(self._root))
        found = [
            sensor
            for sensor in there
            if self._chip in (sensor.chip, sensor.folder.name) and sensor.name == self._sensor
        ]
        if len(found) != 1:
            names = ", ".join(
                f"{sensor.folder.name} ({sensor.chip})/{sensor.name}" for sensor in found or there
            )
            what = "several sensors are" if found else "there is no sensor"
            raise MeterError(
                "ambiguous" if found else "unknown-name",
                str(self._root),
                f"{what} {self._chip}/{self._sensor}; there are {names or 'none'}",
            )
        self._file = found[0].file
        self._read()
        scheme = SCHEMES["hwmon"]
        label = found[0].label or found[0].name
        return Instrument(
            self._address.options.get("name", f"{found[0].chip}-{found[0].name}"),
            "hwmon",
            scheme.grade,
            scheme.why,
            model=f"{found[0].chip} {label}",
        )

    def read(self) -> Reading:
        """What it says now."""
        return self._read()

    def close(self) -> None:
        """Nothing is held."""
        self._file = None

    def _read(self) -> Reading:
        if self._file is None:
            raise MeterError("unreachable", self._address.public, "not open")
        match = _SENSOR.match(self._sensor)
        assert match is not None
        quantity, factor = _UNITS[match[1]]
        return Reading(time.time(), {quantity: sysfs.number(self._file) * factor})
