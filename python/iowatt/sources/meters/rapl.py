"""Processors' own energy counters (RAPL) by the kernel's powercap files.

Watts are the joules between two readings over the time between them. They are those of processors and memory
of this host: useful beside a measurement, never the input power of storage.
"""

from __future__ import annotations

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

OPTIONS: Final = {"root": "where powercap's folders are; /sys/class/powercap"}
ROOT: Final = "/sys/class/powercap"
#: Counters are updated each millisecond or so; shorter differences say nothing.
_SHORTEST_S: Final = 0.05


@dataclass(frozen=True)
class Zone:
    """A counter."""

    name: str
    folder: Path


def zones(root: Path) -> Iterator[Zone]:
    """The counters there are, packages before what they contain."""
    for folder in sorted(
        root.glob("intel-rapl*:*"), key=lambda folder: (folder.name.count(":"), folder.name)
    ):
        try:
            name = sysfs.word(folder / "name")
        except MeterError:
            continue
        if folder.name.count(":") > 1:  # intel-rapl:0:1 is a part of intel-rapl:0
            name = f"{name}@{folder.name.removeprefix('intel-rapl:').partition(':')[0]}"
        yield Zone(name, folder)


def create(address: Address) -> RaplMeter:
    """The counters of an address: `rapl:package-0`; `rapl:` sums the packages."""
    return RaplMeter(address)


class RaplMeter:
    """One counter, or the sum of all packages."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._root = Path(address.options.get("root", ROOT))
        self._zones: list[Zone] = []
        self._most: list[int] = []
        self._before: tuple[float, list[int]] | None = None

    def open(self) -> Instrument:
        """Find the counters."""
        if not self._root.is_dir():
            raise MeterError("not-found", str(self._root), "this host has no powercap counters")
        there = list(zones(self._root))
        wanted = self._address.path
        if wanted:
            self._zones = [zone for zone in there if wanted in (zone.name, zone.folder.name)]
        else:
            self._zones = [zone for zone in there if zone.name.startswith("package-")]
        if not self._zones:
            names = ", ".join(zone.name for zone in there) or "none"
            raise MeterError(
                "unknown-name",
                str(self._root),
                f"there is no counter {wanted or 'package-0'!r}; there are {names}",
            )
        self._most = [sysfs.number(zone.folder / "max_energy_range_uj") for zone in self._zones]
        self._before = self._count()
        scheme = SCHEMES["rapl"]
        names = "+".join(zone.name for zone in self._zones)
        return Instrument(
            self._address.options.get("name", names), "rapl", scheme.grade, scheme.why, model=f"RAPL {names}"
        )

    def read(self) -> Reading:
        """Mean watts since the reading before."""
        if not self._zones:
            raise MeterError("unreachable", self._address.public, "not open")
        if self._before is None:  # the counters went away meanwhile: what they missed is not known
            self._before = self._count()
        before, energies = self._before
        rest = _SHORTEST_S - (time.monotonic() - before)
        if rest > 0:
            time.sleep(rest)
        try:
            now, later = self._count()
        except MeterError:
            self._before = None
            raise
        self._before = (now, later)
        micro = sum(
            (after - earlier) if after >= earlier else after + most - earlier  # the counter wrapped
            for earlier, after, most in zip(energies, later, self._most, strict=True)
        )
        joules = micro * 1e-6
        return Reading(time.time(), {"watts": joules / (now - before), "joules": joules})

    def close(self) -> None:
        """Nothing is held."""
        self._zones, self._before = [], None

    def _count(self) -> tuple[float, list[int]]:
        return time.monotonic(), [sysfs.number(zone.folder / "energy_uj") for zone in self._zones]
