"""From a data sheet to a whole drive: derives or assumes what a file leaves out, and records each step.

Capacity, speed, average seek and the outer transfer rate must be given. Watts are never invented: a state
takes the watts of published work that consists of that state.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeVar

from iowatt.base.units import format_duration
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.electrical.figures import HddPower, PowerLevel
from iowatt.model.library.electronics import CommandQueue, DriveBuffer, DriveController
from iowatt.model.library.geometry import (
    HplSeek,
    IndexedGeometry,
    MeasuredSeek,
    RatedGeometry,
    Seek,
    ThreePointSeek,
    ZonedGeometry,
)
from iowatt.model.library.shingled import (
    BAND_BYTES,
    CACHE_SHARE,
    IDLE_S,
    LEAST_CACHE_BANDS,
    MAP_ENTRIES,
    Shingled,
    ShingledFigures,
)
from iowatt.model.library.source import ASSUMED

Figure = TypeVar("Figure", float, str)

# Ratios to the average seek: means of the 13 drives with extracted seek curves that DiskSim's distribution
# and its successors publish (single cylinder 0.08 to 0.24, full stroke 1.79 to 2.11).
SINGLE_CYLINDER_RATIO: Final = 0.155
FULL_STROKE_RATIO: Final = 1.91
# Sectors per track, innermost to outermost: a 4 TB nearline drive has 1,536 and 3,072; three 10,000 rpm
# drives, whose platters are smaller, have ratios of 0.686, 0.672 and 0.657.
INNER_RATIO: Final = 0.5
INNER_RATIO_FAST: Final = 0.67
FAST_RPM: Final = 10_000
# Recording surfaces below a capacity in bytes. Common knowledge of 3.5-inch nearline drives: helium drives of
# 10 and 12 TB have 7 or 8 platters, those of 14 to 18 TB 8 or 9, those from 20 TB on 9 or 10; both sides are
# used. Below 10 TB the number hardly matters to the model.
SURFACES: Final = ((10e12, 8), (14e12, 14), (20e12, 18), (float("inf"), 20))
ZONES: Final = 16
SECTOR_BYTES: Final = 512
HEAD_SWITCH_S: Final = 1e-3
# The on-board buffer of drives below a capacity in bytes. Drives that were sold with it, as recalled from
# their data sheets: 2 MiB with 9 GB (Atlas 10K), 4 with 36 GB (Ultrastar 36LZX), 8 with 73 and 147 GB
# (Savvio 10K.1, Cheetah 10K.6), 16 with 300 to 600 GB (Cheetah 15K.7), 64 with 1 to 2 TB (Barracuda XT), 128
# with 4 to 6 TB (Constellation ES.3), 256 from 10 TB on (Exos X16).
BUFFER_BYTES: Final = (
    (20e9, 2 << 20),
    (50e9, 4 << 20),
    (200e9, 8 << 20),
    (800e9, 16 << 20),
    (3e12, 64 << 20),
    (8e12, 128 << 20),
    (float("inf"), 256 << 20),
)
# Of a Cheetah 15K.5, whose buffer was extracted: 32 segments for 16 MiB.
BUFFER_SEGMENTS: Final = 32
# How the interface of a file names the rate of its bus: 8b/10b coding leaves 100 MB/s of each Gb/s; parallel
# SCSI has MB/s in its name.
LINK: Final = re.compile(r"(?P<gigabits>\d+(\.\d+)?)G\b|Ultra-?(?P<megabytes>160|320)")
LINK_BYTES_PER_S: Final = 600e6
# Tags of Serial ATA's native command queueing have five bits; those of SCSI set no limit that matters.
NCQ_DEPTH: Final = 32


@dataclass(frozen=True)
class Derived:
    """A figure that the file does not have: SI value, text, and the rule that gave it."""

    figure: str
    value: float | str
    text: str
    quality: Literal["derived", "assumed"]
    rule: str


@dataclass
class Steps:
    """The steps taken so far."""

    taken: list[Derived] = field(default_factory=list)

    def derive(self, figure: str, value: Figure, text: str, rule: str) -> Figure:
        """Record a figure that follows from published ones."""
        self.taken.append(Derived(figure, value, text, "derived", rule))
        return value

    def assume(self, figure: str, value: Figure, text: str, rule: str) -> Figure:
        """Record a figure that is taken from other drives or left at zero."""
        self.taken.append(Derived(figure, value, text, "assumed", rule))
        return value

    def notes(self) -> list[str]:
        """One sentence for what was derived and one for what was assumed."""
        sentences = []
        for quality, words in (
            ("derived", "derived from its figures"),
            ("assumed", ASSUMED),
        ):
            parts = [f"{d.figure} = {d.text} ({d.rule})" for d in self.taken if d.quality == quality]
            if parts:
                sentences.append(f"{words}: {'; '.join(parts)}")
        return sentences


@dataclass(frozen=True)
class ZoneRates:
    """The rates that zones are derived from, bytes per second."""

    surfaces: int
    outer: float
    inner: float
    zone_count: int


@dataclass(frozen=True)
class ThreeTimes:
    """The three times that a seek curve is fitted to, seconds."""

    single_cylinder: float
    average: float
    full_stroke: float


@dataclass(frozen=True)
class Mechanics:
    """Everything that moves; times in seconds."""

    capacity: int
    sector_bytes: int
    rpm: float
    geometry: ZonedGeometry | IndexedGeometry | ZoneRates
    seek: MeasuredSeek | HplSeek | ThreeTimes
    head_switch: float
    write_settle: float
    controller: DriveController
    buffer: DriveBuffer
    command_queue: CommandQueue
    actuators: int = 1
    shingled: Shingled | None = None


def missing_mechanics(file: DeviceFile) -> list[str]:
    """Key paths without which no mechanics can be derived."""
    missing = [name for name in ("capacity", "rpm") if getattr(file, name) is None]
    if file.seek is None or (isinstance(file.seek, ThreePointSeek) and file.seek.average is None):
        missing.append("seek.average")
    if not isinstance(file.geometry, ZonedGeometry | IndexedGeometry) and _outer_rate(file) is None:
        missing.append("geometry.outer_rate")
    return missing


def mechanics(file: DeviceFile, steps: Steps) -> Mechanics | None:
    """The mechanics of ``file``, or None where ``missing_mechanics`` finds something."""
    if missing_mechanics(file) or file.capacity is None or file.rpm is None or file.seek is None:
        return None
    sector_bytes = file.sector_size or int(
        steps.assume("sector_size", SECTOR_BYTES, f"{SECTOR_BYTES} B", "as hosts address most drives")
    )
    head_switch = file.head_switch
    if head_switch is None:
        head_switch = steps.assume(
            "head_switch", HEAD_SWITCH_S, "1 ms", "track skews of measured drives: 0.3 to 2.4 ms"
        )
    return Mechanics(
        capacity=file.capacity,
        sector_bytes=sector_bytes,
        rpm=file.rpm,
        geometry=_geometry(file, file.rpm, steps),
        seek=_seek(file.seek, steps),
        head_switch=head_switch,
        write_settle=_write_settle(file, steps),
        controller=_controller(file, sector_bytes, steps),
        buffer=_buffer(file, file.capacity, sector_bytes, steps),
        command_queue=_command_queue(file, steps),
        actuators=file.actuators or 1,
        shingled=_shingled(file, file.capacity, steps) if file.recording == "dm-smr" else None,
    )


def _outer_rate(file: DeviceFile) -> float | None:
    """Rate of the outermost tracks under one head; a data sheet's sequential rate is that of all arms."""
    if isinstance(file.geometry, RatedGeometry) and file.geometry.outer_rate is not None:
        return file.geometry.outer_rate
    rate = file.performance.sequential_read
    return None if rate is None else rate / (file.actuators or 1)


def _geometry(file: DeviceFile, rpm: float, steps: Steps) -> ZonedGeometry | IndexedGeometry | ZoneRates:
    if isinstance(file.geometry, ZonedGeometry | IndexedGeometry):
        return file.geometry
    given = file.geometry or RatedGeometry()
    outer, inner = _outer_rate(file) or 0.0, given.inner_rate
    if given.outer_rate is None:
        rule = "performance.sequential_read is reached on the outermost tracks"
        rule += ", by both arms together" if file.actuators == 2 else ""
        steps.derive("geometry.outer_rate", outer, f"{outer / 1e6:g} MB/s", rule)
    if inner is None:
        fast = rpm >= FAST_RPM
        ratio = INNER_RATIO_FAST if fast else INNER_RATIO
        rule = (
            f"{ratio:g} of the outer rate, as of {'10,000 rpm drives' if fast else 'a 4 TB drive'} measured"
        )
        inner = steps.assume("geometry.inner_rate", outer * ratio, f"{outer * ratio / 1e6:.4g} MB/s", rule)
    surfaces = given.surfaces or _surfaces(file.capacity or 0, steps)
    zone_count = given.zone_count or int(
        steps.assume("geometry.zone_count", ZONES, f"{ZONES}", "sectors per track in a straight line")
    )
    return ZoneRates(max(1, surfaces // (file.actuators or 1)), outer, inner, zone_count)


def _surfaces(capacity: int, steps: Steps) -> int:
    """Recording surfaces, by capacity; fewer surfaces spread the same tracks over more cylinders."""
    surfaces = next(surfaces for limit, surfaces in SURFACES if capacity < limit)
    small = capacity < SURFACES[0][0]
    rule = "hardly matters: seeks follow the stroke" if small else "usual for its capacity"
    return int(steps.assume("geometry.surfaces", surfaces, f"{surfaces}", rule))


def _shingled(file: DeviceFile, capacity: int, steps: Steps) -> Shingled:
    """Bands and media cache of each arm."""
    given, arms = file.shingled or ShingledFigures(), file.actuators or 1
    band = given.band or int(
        steps.assume("shingled.band", BAND_BYTES, f"{BAND_BYTES >> 20} MiB", "15 to 40 MB in drives opened")
    )
    usual = max(int(capacity * CACHE_SHARE), LEAST_CACHE_BANDS * band * arms)
    share = f"{CACHE_SHARE:.1%} of the capacity, at least {LEAST_CACHE_BANDS} bands; 25 GB of drives opened"
    cache = given.cache or int(steps.assume("shingled.cache", usual, f"{usual / 1e9:.3g} GB", share))
    entries = given.map_entries or int(
        steps.assume(
            "shingled.map_entries", MAP_ENTRIES, f"{MAP_ENTRIES:,}", "the order of drives opened in 2015"
        )
    )
    idle = given.idle
    if idle is None:
        idle = steps.assume("shingled.idle", IDLE_S, format_duration(IDLE_S), "drives clean after seconds")
    return Shingled(band, cache // arms, max(1, entries // arms), idle)


def _seek(seek: Seek, steps: Steps) -> MeasuredSeek | HplSeek | ThreeTimes:
    if isinstance(seek, MeasuredSeek | HplSeek):
        return seek
    average, single, full = seek.average or 0.0, seek.single_cylinder, seek.full_stroke
    if single is None:
        single = _ratio("single_cylinder", average, SINGLE_CYLINDER_RATIO, steps)
    if full is None:
        full = _ratio("full_stroke", average, FULL_STROKE_RATIO, steps)
    return ThreeTimes(single, average, full)


def _ratio(name: str, average: float, ratio: float, steps: Steps) -> float:
    rule = f"{ratio:g} of the average, the mean ratio of 13 measured drives"
    return steps.assume(f"seek.{name}", average * ratio, format_duration(average * ratio), rule)


def _write_settle(file: DeviceFile, steps: Steps) -> float:
    if file.write_settle is not None:
        return file.write_settle
    seek = file.seek
    if isinstance(seek, ThreePointSeek) and seek.average and seek.average_write:
        extra = seek.average_write - seek.average
        rule = "seek.average_write less seek.average"
        return steps.derive("write_settle", extra, f"{extra * 1e3:.4g} ms", rule)
    return steps.assume("write_settle", 0.0, "0", "writes settle as fast as reads")


def _controller(file: DeviceFile, sector_bytes: int, steps: Steps) -> DriveController:
    """The table of the file, or one that tells only reads from writes."""
    if file.controller is not None:
        return file.controller
    read = _overhead("read_overhead", file.read_overhead, steps)
    write = _overhead("write_overhead", file.write_overhead, steps)
    times = {"read_miss": (read, read), "write_hit": (write, write), "write_miss": (write, write)}
    if file.buffer is None:
        sector = _bus_sector(file, sector_bytes, steps)
        times["sector"] = (sector, sector)
    return DriveController().model_copy(update=times)


def _bus_sector(file: DeviceFile, sector_bytes: int, steps: Steps) -> float:
    """Seconds of a sector on the drive's bus, as a request takes that the buffer answers."""
    match = LINK.search(file.interface or "")
    if match is None:
        rate, record, rule = LINK_BYTES_PER_S, steps.assume, "a link of 6 Gb/s; the interface is not known"
    else:
        gigabits, megabytes = match["gigabits"], match["megabytes"]
        rate = float(gigabits) * 1e8 if gigabits else float(megabytes) * 1e6
        record, rule = steps.derive, f"the rate of {file.interface}"
    sector = sector_bytes / rate
    return record("controller.sector", sector, f"{sector * 1e6:.4g} us, {rate / 1e6:g} MB/s", rule)


def _overhead(name: str, given: float | None, steps: Steps) -> float:
    return steps.assume(name, 0.0, "0", "no command overhead") if given is None else given


def _buffer(file: DeviceFile, capacity: int, sector_bytes: int, steps: Steps) -> DriveBuffer:
    """The on-board buffer; assumed where the file, like a data sheet, has neither it nor a controller."""
    if file.buffer is not None or file.controller is not None:
        return file.buffer or DriveBuffer()
    usual = next(size for limit, size in BUFFER_BYTES if capacity < limit)
    size = file.buffer_size or usual
    why = "usual for its capacity" if file.buffer_size is None else "its buffer_size"
    sectors = size // BUFFER_SEGMENTS // sector_bytes
    steps.assume(
        "buffer.segments",
        BUFFER_SEGMENTS,
        f"{BUFFER_SEGMENTS} of {size / BUFFER_SEGMENTS / 2**20:g} MiB",
        f"{size / 2**20:g} MiB, {why}, divided as that of a Cheetah 15K.5",
    )
    read_ahead = "history"
    steps.assume(
        "buffer.read_ahead", read_ahead, read_ahead, "as of an Atlas III, an Atlas 10K V and a Cheetah 15K.5"
    )
    fast_write = "none"
    steps.assume(
        "buffer.fast_write",
        fast_write,
        f"{fast_write}, the write cache is off",
        "arrays turn it off, for it forgets in a power cut; array.pool.write_cache = true turns it on",
    )
    return DriveBuffer(
        segments=BUFFER_SEGMENTS,
        segment_sectors=sectors,
        write_segments=BUFFER_SEGMENTS // 2,
        caching=True,
        read_hits_on_writes=True,
        read_ahead="history",
        read_ahead_on_hit=True,
        write_prebuffering=True,
        combine_writes=True,
    )


def _command_queue(file: DeviceFile, steps: Steps) -> CommandQueue:
    """The drive's own queue; assumed where the file, like a data sheet, has neither it nor electronics.

    A scenario decides how much of it is used.
    """
    if any(part is not None for part in (file.command_queue, file.buffer, file.controller)):
        return file.command_queue or CommandQueue()
    depth = NCQ_DEPTH if (file.interface or "").startswith(("SATA 3G", "SATA 6G")) else None
    if depth is not None:
        steps.assume("command_queue.depth", depth, f"{depth}", "native command queueing has that many tags")
    steps.assume(
        "command_queue.scheduler",
        "spctf",
        "spctf, where array.pool.queue_depth is above 1",
        "as in the DiskSim set of an Atlas 10K V (a Cheetah 15K.5's has sptf)",
    )
    return CommandQueue(depth=depth, scheduler="spctf")


_NO_WAYS: Final[dict[str, Any]] = {
    "enter_time": None, "enter_power": None, "leave_time": None, "leave_power": None, "speed": None,
    "stopped": False,
}  # fmt: skip


def state_watts(file: DeviceFile, steps: Steps | None = None) -> HddPower:
    """Watts of the simulator's states; what is neither given nor follows stays None.

    Figures with a caution are left out.
    """
    steps = Steps() if steps is None else steps
    names = type(file.power).model_fields
    known = {name: value for name in names if (value := file.usable_watts(name)) is not None}
    states = {name: value for name, value in known.items() if name in HddPower.model_fields}
    if file.kind == "hdd":
        arms = file.actuators or 1
        _state("active", ("sequential_read", "sequential_write"), known, states, steps, arms=arms)
        _state("positioning", ("random_read", "random_write"), known, states, steps, arms=arms)
        for other in ("seek", "active"):
            _state("positioning", (other,), known, states, steps)
    figures = HddPower().model_copy(update=states)
    # Watts of a power condition alone: a level whose transitions are not known.
    alone = [name for name in ("idle_a", "idle_b", "idle_c") if name in known and file.kind == "hdd"]
    conditions = [PowerLevel.model_construct(name=name, power=known[name], **_NO_WAYS) for name in alone]
    return HddPower.model_construct(level=conditions).with_figures(figures)


def _state(
    state: str,
    works: tuple[str, ...],
    known: dict[str, float],
    states: dict[str, float],
    steps: Steps,
    *,
    arms: int = 1,
) -> None:
    """Give ``state``, where it has no watts, the mean of those of ``works`` that are known.

    Published work keeps all ``arms`` busy; a state is that of one, which adds its share to what idling draws.
    """
    published = [work for work in works if work in known]
    if state in states or not published:
        return
    watts = round(sum(known[work] for work in published) / len(published), 6)
    rule = f"mean of {' and '.join(published)}" if len(published) > 1 else f"taken as power.{published[0]}"
    if arms > 1 and "idle" in known:
        watts = round(known["idle"] + (watts - known["idle"]) / arms, 6)
        rule += f", of which one of {arms} arms draws its share beyond idling"
    states[state] = steps.derive(f"power.{state}", watts, f"{watts:g} W", rule)
