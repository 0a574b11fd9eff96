"""Candidates: a way to join drives of one model, which is sized by its number of drives, or a system that
is given as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from iowatt.base.units import format_bytes
from iowatt.model.library import device_file

Kind = Literal["flash", "disks", "cache", "tiers", "cluster", "sleeping"]
Level = Literal[5, 6, 10]

#: Most drives of one RAID group of whole drives. A larger pool is built of 1 GiB chunklets in sets of
#: ``SET``.
WIDEST: Final = {5: 9, 6: 12}
SET: Final = {5: 8, 6: 10}
FEWEST: Final = {5: 3, 6: 4, 10: 4}
#: Drives that share one drive's worth of distributed spare space in a pool of chunklets.
PER_SPARE: Final = 24

#: Bays of a 2U shelf by the drives' form factor.
BAYS: Final = {"3.5": 12, "2.5": 24}
SHELF_UNITS: Final = 2
CONTROLLER_UNITS: Final = 2
#: A cluster's server and its rack units, by the drives' form factor.
SERVER: Final = {"3.5": ("lenovo-thinksystem-sr655", 2), "2.5": ("dell-poweredge-r6515", 1)}
FEWEST_NODES: Final = 6
NAS_BAYS: Final = 8
CODE_DATA: Final = 4
CODE_PARITY: Final = 2
#: Share of a cluster's raw capacity that may be filled, so that a failed node's data find room.
FILLED: Final = 0.85


@dataclass(frozen=True)
class Design:
    """A way to join drives. A number of drives, or of nodes in a cluster, makes a system of it."""

    family: str
    kind: Kind
    device: str
    level: Level
    #: Of a cache or tiers: mirrored flash drives in front.
    fast: str | None = None
    fast_count: int = 0
    #: Of three tiers: the drives between, in one RAID-6 group.
    middle: str | None = None
    middle_count: int = 0
    #: Drives in each node of a cluster.
    each: int = 0
    #: Hot spares of a RAID group of whole drives.
    hot_spares: int = 0
    #: Power figures that the drive's data sheet lacks, as keys of a scenario's device.
    power: tuple[tuple[str, str], ...] = ()

    @property
    def unit(self) -> Literal["drives", "nodes"]:
        """What its number counts."""
        return "nodes" if self.kind == "cluster" else "drives"

    @property
    def sized(self) -> bool:
        """Whether it comes in any number."""
        return True

    @property
    def step(self) -> int:
        """Numbers are multiples of it."""
        return 2 if self.level == 10 and self.kind != "cluster" else 1

    @property
    def fewest(self) -> int:
        """The smallest number."""
        return FEWEST_NODES if self.kind == "cluster" else FEWEST[self.level]

    @property
    def devices(self) -> tuple[str, ...]:
        """Its drive models."""
        return tuple(name for name in (self.device, self.fast, self.middle) if name is not None)

    def spared(self, spares: int) -> Design:
        """The same with hot spares."""
        return replace(self, hot_spares=spares)

    def takes_spare(self, count: int) -> bool:
        """Whether a hot spare can be added: to one RAID group that has none."""
        return not self.hot_spares and self.kind != "cluster" and not self.chunked(count)

    def title(self, count: int) -> str:
        """A system of it in a few words, such as ``4 x 61.44 TB QLC in RAID-6``."""
        size = short_name(self.device)
        if self.kind == "cluster":
            return f"{count} servers of {self.each} x {size}, erasure code {CODE_DATA}+{CODE_PARITY}"
        text = f"{count} x {size} in RAID-{self.level}"
        if spares := self.spares(count):
            text += f" + {spares} spare{'s' if spares > 1 else ''}"
        if self.fast is not None:
            flash = f"{self.fast_count} x {short_name(self.fast)}"
            if self.middle is not None:
                flash += f" and {self.middle_count} x {short_name(self.middle)}"
            text += f", {'cached by' if self.kind == 'cache' else 'tiered with'} {flash}"
        return text + (", asleep when idle" if self.kind == "sleeping" else "")

    def chunked(self, count: int) -> bool:
        """Whether that many drives are too many for one RAID group."""
        return self.level in WIDEST and count > WIDEST[self.level]

    def spares(self, count: int) -> int:
        """Drives' worth of spare space."""
        return -(-count // PER_SPARE) if self.chunked(count) else self.hot_spares

    def usable_drives(self, count: int) -> float:
        """Drives' worth of user data, to within the rounding of chunklets."""
        if self.kind == "cluster":
            return count * self.each * CODE_DATA / (CODE_DATA + CODE_PARITY) * FILLED
        if self.level == 10:
            return count / 2
        parity = 1 if self.level == 5 else 2
        if self.chunked(count):
            return count * (1 - parity / SET[self.level]) * 0.99
        return count - parity

    def drives(self, count: int) -> int:
        """All drives of a system."""
        if self.kind == "cluster":
            return count * self.each
        return count + self.fast_count + self.middle_count + self.spares(count)

    def rounded(self, count: int) -> int:
        """The next number that can be built."""
        return max(self.fewest, -(-count // self.step) * self.step)

    def rack_units(self, count: int) -> int | None:
        """Height of a system in a rack: controllers and 2U shelves, or servers."""
        if self.kind == "cluster":
            return count * SERVER[bays_of(self.device)][1]
        pools = [
            (self.device, count + self.spares(count)),
            (self.fast, self.fast_count),
            (self.middle, self.middle_count),
        ]
        shelves = sum(
            -(-drives // BAYS[bays_of(name)]) for name, drives in pools if name is not None and drives
        )
        return CONTROLLER_UNITS + SHELF_UNITS * shelves


@dataclass(frozen=True)
class OwnDesign:
    """A system of one's own, which comes in one size: a scenario, or a Run."""

    family: str
    #: Its scenario as TOML, workloads replaced by the question's; empty for a Run.
    text: str
    devices: tuple[str, ...]
    #: The folder that its paths are relative to.
    base: Path
    #: The Run, relative to ``base``.
    run: Path | None = None
    #: Nothing is paid for what one has.
    owned: bool = False

    kind: Final = "own"
    unit: Final = "drives"
    step: Final = 1
    hot_spares: Final = 0
    level: Final = 0

    @property
    def sized(self) -> bool:
        """Whether it comes in any number."""
        return False

    @property
    def device(self) -> str:
        """Its first drive model; empty where the Run does not tell."""
        return self.devices[0] if self.devices else ""

    def title(self, count: int) -> str:
        """Its name."""
        return f"{self.family} (yours)"

    def rounded(self, count: int) -> int:
        """Itself."""
        return 1

    def drives(self, count: int) -> int:
        """Not counted."""
        return 0

    def rack_units(self, count: int) -> int | None:
        """Not known."""
        return None


@dataclass(frozen=True)
class System:
    """A candidate of a certain size."""

    design: Design | OwnDesign
    count: int

    @property
    def title(self) -> str:
        """It in a few words."""
        return self.design.title(self.count)

    @property
    def rack_units(self) -> int | None:
        """Its height; None where it is not known."""
        return self.design.rack_units(self.count)


def bays_of(device: str) -> str:
    """The bay that a drive takes: 2.5 or 3.5 inches. E1 and E3 drives are counted as 2.5 inches."""
    form = device_file(device).form_factor or ""
    return "3.5" if form.startswith("3.5") else "2.5"


def short_name(device: str) -> str:
    """A drive by its capacity and medium: ``61.44 TB QLC``, ``24 TB 7200 rpm``."""
    file = device_file(device)
    size = format_bytes(int(file.capacity or 0)) if file.capacity else device
    if file.kind == "ssd":
        interface = " SATA" if "SATA" in (file.interface or "") else ""
        return f"{size}{interface} {(file.media or 'flash').split()[0]}"
    return f"{size} disk" if file.rpm is None else f"{size} {file.rpm:g} rpm"
