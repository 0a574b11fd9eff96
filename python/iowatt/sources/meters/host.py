"""Sensors of this host: the processors' energy counters (RAPL) and the kernel's hwmon files.

RAPL counts the joules of processors and memory; watts are the joules between two readings over the time
between them. Neither measures the input power of storage.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.sources.meters.address import SCHEMES, Address
from iowatt.sources.meters.log.instrument import Instrument, Meter, MeterError, Reading

ROOTS: Final = {"rapl": Path("/sys/class/powercap"), "hwmon": Path("/sys/class/hwmon")}
OPTIONS: Final = {"root": f"where the sensor's folders are; {ROOTS['rapl']} (rapl), {ROOTS['hwmon']} (hwmon)"}
_LONGEST: Final = 4096
#: Counters are updated each millisecond or so; shorter differences say nothing.
_SHORTEST_S: Final = 0.05
#: Prefix of a sensor's files -> quantity and unit (kernel documentation, hwmon/sysfs-interface).
_UNITS: Final = {
    "power": ("watts", 1e-6),
    "temp": ("celsius", 1e-3),
    "in": ("volts", 1e-3),
    "curr": ("amperes", 1e-3),
}
_SENSOR: Final = re.compile(r"(power|temp|in|curr)[0-9]{1,3}")


def create(address: Address) -> Meter:
    """The sensor of an address: `rapl:package-0` (`rapl:` sums the packages) or `hwmon:CHIP/SENSOR`."""
    return RaplMeter(address) if address.scheme == "rapl" else HwmonMeter(address)


@dataclass(frozen=True)
class RaplZone:
    """A counter."""

    name: str
    folder: Path


def rapl_zones(root: Path) -> Iterator[RaplZone]:
    """The counters of this host, packages before their parts."""
    for folder in sorted(root.glob("intel-rapl*:*"), key=lambda path: (path.name.count(":"), path.name)):
        try:
            name = _read_text(folder / "name")
        except MeterError:
            continue
        if folder.name.count(":") > 1:  # intel-rapl:0:1 is a part of intel-rapl:0
            name = f"{name}@{folder.name.removeprefix('intel-rapl:').partition(':')[0]}"
        yield RaplZone(name, folder)


class RaplMeter:
    """One counter, or the sum of all packages."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._root = Path(address.options.get("root", ROOTS["rapl"]))
        self._zones: list[RaplZone] = []
        self._wraps_at: list[int] = []
        self._before: tuple[float, list[int]] | None = None

    def open(self) -> Instrument:
        """Find the counters."""
        if not self._root.is_dir():
            raise MeterError("not-found", str(self._root), "this host has no powercap counters")
        zones = list(rapl_zones(self._root))
        wanted = self._address.path
        if wanted:
            self._zones = [zone for zone in zones if wanted in (zone.name, zone.folder.name)]
        else:
            self._zones = [zone for zone in zones if zone.name.startswith("package-")]
        if not self._zones:
            known = ", ".join(zone.name for zone in zones) or "none"
            message = f"there is no counter {wanted or 'package-0'!r}; available: {known}"
            raise MeterError("unknown-name", str(self._root), message)
        self._wraps_at = [_read_number(zone.folder / "max_energy_range_uj") for zone in self._zones]
        self._before = self._count()
        names = "+".join(zone.name for zone in self._zones)
        return _instrument(self._address, names, f"RAPL {names}")

    def read(self) -> Reading:
        """Mean watts since the previous reading."""
        if not self._zones:
            raise MeterError("unreachable", self._address.public, "not open")
        if self._before is None:  # the counters could not be read: what they counted meanwhile is unknown
            self._before = self._count()
        before, energies = self._before
        time.sleep(max(0.0, _SHORTEST_S - (time.monotonic() - before)))
        try:
            now, later = self._count()
        except MeterError:
            self._before = None
            raise
        self._before = (now, later)
        micro = sum(
            (after - earlier) if after >= earlier else after + wraps_at - earlier
            for earlier, after, wraps_at in zip(energies, later, self._wraps_at, strict=True)
        )
        joules = micro * 1e-6
        return Reading(time.time(), {"watts": joules / (now - before), "joules": joules})

    def close(self) -> None:
        """Forget the counters."""
        self._zones, self._before = [], None

    def _count(self) -> tuple[float, list[int]]:
        return time.monotonic(), [_read_number(zone.folder / "energy_uj") for zone in self._zones]


@dataclass(frozen=True)
class HwmonSensor:
    """A sensor of a chip."""

    chip: str
    folder: Path
    name: str
    label: str | None
    file: Path


def hwmon_sensors(root: Path) -> Iterator[HwmonSensor]:
    """The sensors of this host."""
    for folder in sorted(root.glob("hwmon*"), key=lambda folder: (len(folder.name), folder.name)):
        try:
            chip = _read_text(folder / "name")
        except MeterError:
            continue
        for file in sorted(folder.glob("*_input")) + sorted(folder.glob("power*_average")):
            name, _, kind = file.name.rpartition("_")
            has_input = kind == "average" and file.with_name(f"{name}_input").exists()
            if not _SENSOR.fullmatch(name) or has_input:
                continue
            try:
                label: str | None = _read_text(folder / f"{name}_label")
            except MeterError:
                label = None
            yield HwmonSensor(chip, folder, name, label, file)


class HwmonMeter:
    """One sensor; its chip is known by its name or its folder (hwmon3)."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._chip, slash, self._sensor = address.path.partition("/")
        if not slash or not self._chip or not _SENSOR.fullmatch(self._sensor):
            hint = "write hwmon:CHIP/SENSOR, such as hwmon:nvme/temp1"
            raise address.error("bad-syntax", "the address has no sensor", hint)
        self._root = Path(address.options.get("root", ROOTS["hwmon"]))
        self._file: Path | None = None

    def open(self) -> Instrument:
        """Find the sensor; two chips of one name are told apart by their folders."""
        sensors = list(hwmon_sensors(self._root))
        found = [s for s in sensors if self._chip in (s.chip, s.folder.name) and s.name == self._sensor]
        if len(found) != 1:
            names = ", ".join(f"{s.folder.name} ({s.chip})/{s.name}" for s in found or sensors) or "none"
            problem = "several sensors are" if found else "there is no sensor"
            message = f"{problem} {self._chip}/{self._sensor}; there are {names}"
            raise MeterError("ambiguous" if found else "unknown-name", str(self._root), message)
        (sensor,) = found
        self._file = sensor.file
        self.read()
        model = f"{sensor.chip} {sensor.label or sensor.name}"
        return _instrument(self._address, f"{sensor.chip}-{sensor.name}", model)

    def read(self) -> Reading:
        """The sensor's present value."""
        if self._file is None:
            raise MeterError("unreachable", self._address.public, "not open")
        quantity, factor = _UNITS[self._sensor.rstrip("0123456789")]
        return Reading(time.time(), {quantity: _read_number(self._file) * factor})

    def close(self) -> None:
        """Forget the sensor."""
        self._file = None


def _instrument(address: Address, name: str, model: str) -> Instrument:
    scheme = SCHEMES[address.scheme]
    name = address.options.get("name", name)
    return Instrument(name, address.scheme, scheme.grade, scheme.why, model=model)


def _read_number(path: Path) -> int:
    """The whole number in a file. Raises ``MeterError``."""
    text = _read_text(path)
    try:
        return int(text[:40])
    except ValueError:
        raise MeterError("wrong-format", str(path), f"{text[:40]!r} is not a number") from None


def _read_text(path: Path) -> str:
    """The text in a file, trimmed. Raises ``MeterError``."""
    try:
        with path.open("rb") as file:
            return file.read(_LONGEST).decode("utf-8", "replace").strip()
    except OSError as error:
        hint = "only root may read energy counters" if isinstance(error, PermissionError) else None
        message = error.strerror or "cannot be read"
        raise MeterError("unreadable", str(path), message, hint=hint) from None
