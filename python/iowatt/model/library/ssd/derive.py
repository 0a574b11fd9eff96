"""From an SSD's data sheet to its inside: one set of rules for all drives, each step recorded.

The flash is chosen so that the drive does what its data sheet says:

- *program time*: all dies programming at once give the sequential write rate, erases included;
- *dies*: the fewest that need no program time shorter than the cell type's, and that read at the random rate
  published at the queue depth of the interface (a closed network of one queue a die); a read keeps its die
  for as long as makes it just that rate;
- *controller*: a command holds it for a time and a further time for each unit that it moves (``ceiling``);
- *over-provisioning*: what makes steady random writes of the whole capacity reach the published rate: each
  byte written costs ``A`` programs and senses, and ``A`` follows from the spare factor (``amplification``);
- *latency*: controller and link take what sensing and transfers leave of the published one;
- *joules*: see ``joules``.

Where the inside cannot be derived (no cell type, memory that is no NAND, a random-write rate that is not a
steady one), the data sheet alone is simulated.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final, Literal

from iowatt.base.errors import InputError
from iowatt.base.units import format_bytes, format_duration
from iowatt.model.library import derive
from iowatt.model.library.class_rules import complete
from iowatt.model.library.derive import Steps
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.electrical.figures import HddPower
from iowatt.model.library.electronics import CommandQueue
from iowatt.model.library.flash import CollectionBursts, FlashFigures, FlashZones, Suspend
from iowatt.model.library.price_class import PurchaseInfo
from iowatt.model.library.reliability import RatedReliability
from iowatt.model.library.source import stand_in
from iowatt.model.library.ssd import ceiling, joules, media
from iowatt.model.library.ssd.drive import Ssd
from iowatt.model.library.ssd.figures import FlashGeometry, Points, RatedWear, Sheet, SsdInterface
from iowatt.model.library.ssd.inside import SMALL, Inside, PublishedRates, fits_the_map, mapping_unit
from iowatt.model.library.ssd.media import (
    CHANNEL_RATE,
    MEDIA,
    OTHER_MEMORY,
    UNNAMED,
    Media,
    cell_of,
    cells_of,
)

_RATES: Final = ("sequential_read", "sequential_write", "random_read_iops", "random_write_iops")
SECTOR_BYTES: Final = 512
MOST_SPARE: Final = 0.6
YEARS: Final = 5
DAYS: Final = 365

Link = Literal["sata", "sas", "nvme"]
# Commands outstanding, and the time of a command in controller and link, read and write, where none is
# published.
_DEPTH: Final[dict[Link, tuple[int, str]]] = {
    "sata": (32, "native command queueing"),
    "sas": (128, "as Micron states for its P410m"),
    "nvme": (1024, "NVMe allows 65,535 a queue and many queues"),
}
_TESTED_DEPTH: Final[dict[Link, int]] = {"sata": 32, "sas": 64, "nvme": 256}
"""Commands at a time at which the rates of data sheets are taken to be measured."""
_FAST_TESTED_DEPTH: Final = 512
_CROWDED: Final = 0.8
"""Where a rate needs more than this share of them in sensing alone, makers test with twice as many."""

SUSPENDS_SINCE: Final = 2016
"""Reads of SATA and SAS drives interrupt programs and erases since then. Under ACT, reads of a drive of 2014
(Samsung 845DC PRO) wait for them: a tenth of them takes 256 us to 1 ms beside 18 MB/s of writes."""
MAP_ENTRY_BYTES: Final = 8
MOST_SUSPENSIONS: Final = 10
"""Interruptions of one operation, assumed; makers of flash allow a few to some tens."""

OTHER_LAW: Final[Points] = ((0.5, 0.979), (0.9, 1.018), (0.99, 1.596), (0.999, 3.49), (0.9999, 4.02))
OTHER_LAW_SOURCE: Final = "quantiles over the mean as of an Optane P4800X at depth 1, measured"
NAND_LAW: Final[Points] = ((0.5, 0.944), (0.9, 1.375), (0.99, 1.429), (0.999, 2.14), (0.9999, 16.2))
NAND_LAW_SOURCE: Final = "quantiles over the mean as of an Intel P4510 (TLC) at depth 1, measured"

_COMMAND_S: Final[dict[Link, tuple[float, float, str]]] = {
    "sata": (36e-6, 36e-6, "sequential latency of the Intel S4500"),
    "sas": (36e-6, 36e-6, "as SATA"),
    "nvme": (10e-6, 13e-6, "sequential latencies of the Intel P4500"),
}


def link(file: DeviceFile) -> Link | None:
    """The interface, from the words on it."""
    words = (file.interface or "").lower()
    if "nvme" in words or "pci" in words:
        return "nvme"
    return "sas" if "sas" in words else "sata" if "sata" in words else None


def missing_figures(file: DeviceFile) -> list[str]:
    """Key paths without which an SSD has no response times, by its flash or by its data sheet."""
    lacking = [] if file.capacity is not None else ["capacity"]
    lacking += [] if link(file) is not None else ["interface"]
    # Writes to zones are sequential, however small.
    rates = [name for name in _RATES if name != "random_write_iops" or _flash(file).zones is None]
    return lacking + [f"performance.{name}" for name in rates if getattr(file.performance, name) is None]


def why_not_flash(file: DeviceFile) -> str | None:
    """Why the data sheet alone is simulated; None where the flash is."""
    if _cell(file) is None:
        return f"its memory ({file.media or 'unknown'}) names no single type of NAND cell"
    if not fits_the_map(file.capacity or 0, _unit(file)):
        size = format_bytes(_unit(file), binary=True)
        return f"it maps units of {size}, of which the simulator's map holds no more than 2^32"
    if _flash(file).over_provisioning is not None:
        return None
    rates, unit = _rates(file), _unit(file)
    ratio = rates.sequential_write / (rates.random_write * unit)
    if ratio < media.amplification(MOST_SPARE):
        return (
            f"{rates.random_write:g} random writes a second, each of which programs "
            f"{format_bytes(unit, binary=True)}, leave a write amplification of {ratio:.2f} beside its "
            "sequential ones: they are of a cache and not of steady state, or it maps smaller units than the "
            "simulator's map holds at its capacity"
        )
    return None


def resolve(file: DeviceFile, where: str) -> Ssd:
    """The drive that a device file describes; what was derived or assumed is in its notes.

    Raises ``InputError`` where figures are missing that nothing can stand for; ``where`` names the file.
    Missing watts are no error here.
    """
    lacking = missing_figures(file)
    if lacking:
        raise InputError(
            "missing-figure",
            where,
            f"the simulation needs figures that {file.name!r} lacks: {', '.join(lacking)}",
            hint=f'give them in a device file of your own, with based_on = "{file.name}"',
        )
    _page_types(file, where)
    steps = Steps()
    drive = make(complete(file, steps), steps)
    problem = drive.problem()
    if problem is not None:
        hint = "look at the units of capacity and of [flash]"
        raise InputError("out-of-range", where, problem, hint=hint)
    zones, geometry = _flash(file).zones, drive.geometry
    if zones is not None and geometry is not None:
        row = geometry.dies * geometry.stripe_bytes
        if zones.size < row:
            size, least = (format_bytes(number, binary=True) for number in (zones.size, row))
            problem = f"flash.zones.size: {size} are less than a page of all dies"
            raise InputError("out-of-range", where, problem, hint=f"a zone has {least} or more")
    return drive


def _page_types(file: DeviceFile, where: str) -> None:
    cell, given = _cell(file), _flash(file).read_times
    expected = None if cell is None else len(media.REFERENCES[cell.cell])
    if given is not None and expected is not None and len(given) != expected:
        raise InputError(
            "conflict",
            where,
            f"flash.read_times has {len(given)} times; a cell of {expected} bits has as many page types",
        )


def make(file: DeviceFile, steps: Steps) -> Ssd:
    """The drive of a file that lacks nothing; ``steps`` records how."""
    rates, flash, kind = _rates(file), _flash(file), link(file)
    assert kind is not None and file.capacity is not None
    sector = file.sector_size or int(
        steps.assume("sector_size", SECTOR_BYTES, f"{SECTOR_BYTES} B", "as hosts address most drives")
    )
    depth = _depth(file, kind, steps)
    reason, cell = why_not_flash(file), _cell(file)
    geometry = times = None
    buffer = 0
    sensed_s = _sensed(file, rates)
    interface = _interface(file, rates, sensed_s, depth, steps)
    if reason is None and cell is not None:
        geometry, times = Inside(
            flash,
            replace(cell, read_s=sensed_s),
            rates,
            file.capacity,
            interface.tested_depth,
            interface.command_read_s + SMALL / interface.link_rate,
            steps,
        ).flash()
        buffer = _buffer(flash, geometry, steps)
        if flash.zones is not None:
            geometry = _zoned(flash.zones, geometry, steps)
    elif sensed_s and file.performance.read_latency is None and flash.read_time is None:
        steps.assume("flash.read_time", sensed_s, format_duration(sensed_s), _senses(file)[1])
    power, work = watts(file, steps)
    worn = wear(file, steps)
    drive = Ssd(
        name=file.name,
        title=file.title,
        notes=(),
        sector_bytes=sector,
        sectors=_whole_zones(flash, geometry, file.capacity) // sector,
        interface=interface,
        sheet=Sheet(
            read_s=interface.read_latency_s,
            write_s=interface.write_latency_s,
            read_holds=ceiling.holds(
                rates.random_read, rates.sequential_read, file.performance.random_read_8k_iops
            ),
            write_holds=ceiling.holds(rates.random_write, _written(file, rates)),
            read_quantiles=() if reason is None else _quantiles(file, interface.read_latency_s, steps),
            write_quantiles=() if (own := file.performance.write_quantiles) is None else own.points,
            read_iops=rates.random_read,
            write_iops=rates.random_write,
            read_rate=rates.sequential_read,
            write_rate=_written(file, rates),
            write_amplification=max(1.0, rates.sequential_write / (rates.random_write * SMALL)),
        ),
        geometry=geometry,
        times=times,
        buffer_bytes=buffer,
        suspend=flash.suspend or _suspend(file, kind, steps, reason is None),
        bursts=flash.bursts or _bursts(file, kind, steps, reason is None),
        slc_cache=flash.slc_cache,
        zones=flash.zones is not None,
        placement_handles=flash.placement_handles,
        map_entry_bytes=_map_entry(flash, steps, reason is None),
        wear=worn,
        work=work,
        power=power,
        command_queue=CommandQueue(depth=interface.queue_depth),
        why_sheet=reason,
        sold=PurchaseInfo.of(file, file.capacity),
        reliability=RatedReliability.of(file, file.capacity),
    )
    sheet = [f"simulated by its data sheet alone: {reason}"] if reason else []
    texts = [*file.assumptions, *sheet, *steps.notes()]
    return drive.noted(*stand_in(file.name, file.stand_in), *(f"{file.name}: {text}" for text in texts))


def watts(file: DeviceFile, steps: Steps) -> tuple[HddPower, joules.WorkWatts]:
    """Its electrical figures, and the watts of work at full rates; what is not known stays None."""
    power, work = derive.state_watts(file, steps), joules.work(file, steps)
    known = [w for w in (work.sequential_read, work.sequential_write) if w is not None]
    awake, rule = joules.active_idle(power, work)
    if rule is not None and awake is not None:
        steps.assume("power.active_idle", awake, f"{awake:.3g} W", rule)
    return power.model_copy(update={"active": max(known, default=None), "active_idle": awake}), work


def _flash(file: DeviceFile) -> FlashFigures:
    flash = file.flash or FlashFigures()
    if flash.zones is None:
        return flash
    return flash.model_copy(update={"over_provisioning": 0.0, "map_entry": 0})


def _zoned(zones: FlashZones, geometry: FlashGeometry, steps: Steps) -> FlashGeometry:
    """Superblocks as large as a zone, and none beyond those that are kept for open zones."""
    row = geometry.dies * geometry.stripe_bytes
    pages = max(1, round(zones.size / row))
    text = f"{pages} pages of all dies, {format_bytes(pages * row, binary=True)}"
    steps.derive("flash.pages_per_block", pages, text, "a zone is a superblock")
    return replace(geometry, pages_per_block=pages, spare=0.0)


def _unit(file: DeviceFile) -> int:
    return mapping_unit(_flash(file).mapping_unit, file.capacity or 0)


def _cell(file: DeviceFile) -> Media | None:
    cell = _flash(file).cell or cell_of(file.media)
    return None if cell is None else MEDIA[cell]


def _senses(file: DeviceFile) -> tuple[Media | None, str]:
    """The NAND type that its memory is sensed as, and why; None for memory that is sensed otherwise."""
    cell = _cell(file)
    if cell is not None:
        return cell, cell.source
    if OTHER_MEMORY.search(file.media or ""):
        return None, ""
    named = [MEDIA[name] for name in cells_of(file.media)]
    fastest = min(named, key=lambda nand: nand.read_s, default=MEDIA[UNNAMED])
    how = "the fastest cell named" if named else "cell type not known"
    return fastest, f"{how}: {fastest.source}"


def _sensed(file: DeviceFile, rates: PublishedRates) -> float:
    """Seconds of sensing a page, which every random read takes; 0 for memory that is no NAND.

    A published read that is faster than the cell type's sensing wins.
    """
    nand, _ = _senses(file)
    flash, published = _flash(file), file.performance.read_latency
    given = sum(flash.read_times) / len(flash.read_times) if flash.read_times else flash.read_time
    if given is not None or nand is None:
        return given or 0.0
    if published is None:
        return nand.read_s
    moved_s = max(SMALL, _unit(file)) / (_flash(file).channel_rate or CHANNEL_RATE)
    return max(1e-6, min(nand.read_s, published - moved_s - SMALL / _carried(file, rates)))


def _rates(file: DeviceFile) -> PublishedRates:
    given = [getattr(file.performance, name) for name in _RATES]
    if _flash(file).zones is not None and given[3] is None and given[1] is not None:
        given[3] = given[1] / SMALL
    rates = PublishedRates(*(float(rate or 0.0) for rate in given))
    cache = _flash(file).slc_cache
    return rates if cache is None else replace(rates, sequential_write=cache.sustained)


def _written(file: DeviceFile, rates: PublishedRates) -> float:
    """Bytes a second of the fastest writes: of a cache, where there is one."""
    return max(rates.sequential_write, file.performance.sequential_write or 0.0)


def _carried(file: DeviceFile, rates: PublishedRates) -> float:
    """Bytes a second of the link: what its words say, and no less than the drive is published to move."""
    published = max(rates.sequential_read, _written(file, rates))
    return max(published, ceiling.link_rate(file.interface) or 0.0)


def _depth(file: DeviceFile, kind: Link, steps: Steps) -> int:
    if file.command_queue is not None and file.command_queue.depth is not None:
        return file.command_queue.depth
    depth, why = _DEPTH[kind]
    return int(steps.assume("command_queue.depth", depth, f"{depth}", why))


def _tested_depth(kind: Link, sensing: float) -> int:
    """Commands at a time at which the random reads were measured, of which so many are sensing."""
    depth = _TESTED_DEPTH[kind]
    return _FAST_TESTED_DEPTH if kind == "nvme" and sensing > _CROWDED * depth else depth


def _whole_zones(flash: FlashFigures, geometry: FlashGeometry | None, capacity: int) -> int:
    """The capacity in whole zones, where there are zones."""
    if flash.zones is None or geometry is None:
        return capacity
    return capacity // geometry.superblock_bytes * geometry.superblock_bytes


def _buffer(flash: FlashFigures, geometry: FlashGeometry, steps: Steps) -> int:
    if flash.write_buffer is not None:
        return flash.write_buffer
    size = max(16 << 20, 4 * geometry.dies * geometry.stripe_bytes)
    rule = "16 MiB, or four pages of every plane where that is more"
    return int(steps.assume("flash.write_buffer", size, format_bytes(size, binary=True), rule))


def _suspend(file: DeviceFile, kind: Link, steps: Steps, flash: bool) -> Suspend | None:
    if kind != "nvme" and file.year is not None and file.year < SUSPENDS_SINCE:
        if flash:
            rule = (
                f"SATA and SAS drives from before {SUSPENDS_SINCE}, where reads wait for programs and erases"
            )
            steps.assume("flash.suspend", 0.0, "never", rule)
        return None
    suspend = Suspend(most=MOST_SUSPENSIONS)
    if flash:
        text = f"after {format_duration(suspend.latency)}, {MOST_SUSPENSIONS} times at most"
        steps.assume("flash.suspend", suspend.latency, text, "reads interrupt programs and erases")
    return suspend


def _bursts(file: DeviceFile, kind: Link, steps: Steps, flash: bool) -> CollectionBursts | None:
    if kind == "nvme" or file.year is None or file.year >= SUSPENDS_SINCE:
        return None
    bursts = CollectionBursts()
    if flash:
        rule = f"SATA and SAS drives from before {SUSPENDS_SINCE}, as a Samsung 845DC PRO under ACT"
        text = f"{bursts.superblocks} superblocks at {bursts.share:.0%} of the dies' time"
        steps.assume("flash.bursts", float(bursts.superblocks), text, rule)
    return bursts


def _map_entry(flash: FlashFigures, steps: Steps, modelled: bool) -> int:
    if flash.map_entry is not None:
        return flash.map_entry
    if modelled:
        rule = "a place on flash; 4 to 8"
        steps.assume("flash.map_entry", MAP_ENTRY_BYTES, f"{MAP_ENTRY_BYTES} B", rule)
    return MAP_ENTRY_BYTES


def _quantiles(file: DeviceFile, latency_s: float, steps: Steps) -> Points:
    """Quantiles of an unloaded read's latency: as given, else as of its kind of memory."""
    if file.performance.read_quantiles is not None:
        return file.performance.read_quantiles.points
    nand, _ = _senses(file)
    law, rule = (OTHER_LAW, OTHER_LAW_SOURCE) if nand is None else (NAND_LAW, NAND_LAW_SOURCE)
    scale = latency_s / mean_of(law)
    text = f"p99.9 {format_duration(law[3][1] * scale)}"
    steps.assume("performance.read_quantiles", latency_s, text, rule)
    return tuple((share, s * scale) for share, s in law)


def mean_of(points: Points) -> float:
    """The mean of a latency with these quantiles: linear in the logarithm of the share that takes longer."""
    mean, (share, s) = points[0][0] * points[0][1], points[0]
    for later, longer in points[1:]:
        slope = (longer - s) / math.log((1 - share) / (1 - later))
        mean += (1 - share) * (s + slope) - (1 - later) * (longer + slope)
        share, s = later, longer
    return mean + (1 - share) * s


def _interface(
    file: DeviceFile, rates: PublishedRates, read_s: float, depth: int, steps: Steps
) -> SsdInterface:
    """Of a published latency, what sensing (``read_s``) and transfers leave is controller and link.

    A sequential read's has no sensing in it, because the drive has read ahead: of a random one, sensing comes
    on top. Writes complete in the buffer.
    """
    sheet, kind = file.performance, link(file)
    assert kind is not None
    reads, writes, why = _COMMAND_S[kind]
    rate = max(rates.sequential_read, _written(file, rates))
    carried = _carried(file, rates)
    moved_s = SMALL / carried
    published = sheet.read_latency
    if published is None and sheet.read_quantiles is not None:
        published = mean_of(sheet.read_quantiles.points)
    channel_rate = _flash(file).channel_rate or CHANNEL_RATE
    sensed_s = read_s + max(SMALL, _unit(file)) / channel_rate if read_s else 0.0
    if published is not None:
        command_s = max(0.0, published - sensed_s - moved_s)
    elif sheet.sequential_read_latency is not None:
        command_s = max(0.0, sheet.sequential_read_latency - moved_s)
    else:
        command_s = steps.assume("performance.sequential_read_latency", reads, format_duration(reads), why)
    latency = sheet.write_latency if sheet.write_latency is not None else sheet.sequential_write_latency
    if latency is None and sheet.write_quantiles is not None:
        latency = mean_of(sheet.write_quantiles.points)
    if latency is not None:
        write_s = max(0.0, latency - moved_s)
    else:
        write_s = steps.assume("performance.write_latency", writes, format_duration(writes), why)
    commands = max(rates.random_read, rates.random_write)
    return SsdInterface(
        link_rate=carried,
        read_rate=rates.sequential_read,
        write_rate=rate,
        command_read_s=command_s,
        command_write_s=write_s,
        commands_per_s=commands,
        read_holds=ceiling.holds(commands, rates.sequential_read, sheet.random_read_8k_iops),
        write_holds=ceiling.holds(commands, rate),
        queue_depth=depth,
        tested_depth=min(_tested_depth(kind, rates.random_read * read_s), depth),
        read_latency_s=published or command_s + sensed_s + moved_s,
        write_latency_s=latency or write_s + moved_s,
    )


def wear(file: DeviceFile, steps: Steps) -> RatedWear:
    """What it is rated to have written; ``steps`` records what its sheet does not give."""
    endurance, cell = file.endurance, _cell(file)
    rated: float | None = endurance.tbw
    if rated is None and endurance.dwpd is not None and file.capacity is not None:
        years = endurance.warranty or steps.assume(
            "endurance.warranty", YEARS, f"{YEARS} years", "as of most data-centre drives"
        )
        total = endurance.dwpd * file.capacity * DAYS * years
        rated = steps.derive("endurance.tbw", total, f"{total / 1e12:,.0f} TB", "dwpd over the warranty")
    cycles = _flash(file).pe_cycles
    if cycles is None and cell is not None:
        cycles = int(steps.assume("flash.pe_cycles", cell.pe_cycles, f"{cell.pe_cycles:,}", cell.wear))
    return RatedWear(cycles, rated)
