"""The flash of an SSD, derived from its data sheet: number of dies, times, spare space.

Rules and their order are in ``iowatt.model.library.ssd.derive``; each step is recorded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final

from iowatt.base.units import format_bytes, format_duration
from iowatt.model.library.derive import Steps
from iowatt.model.library.flash import FlashFigures
from iowatt.model.library.ssd import media
from iowatt.model.library.ssd.drive import MOST_UNITS
from iowatt.model.library.ssd.figures import FlashGeometry, Times
from iowatt.model.library.ssd.media import CHANNEL_RATE, CHANNEL_SOURCE, Media

SMALL: Final = 4096
LEAST_CHANNELS: Final = 4
LEAST_SPARE: Final = 0.01
#: Flash over capacity: of most drives at most, and of any.
USUAL_FLASH: Final = 1.35
MOST_FLASH: Final = 1.6
MOST_SPARE: Final = 10.0


# Figures of a cell type that have another name in a device file.
_OF_TYPE: Final = {"page": "page_bytes", "read_time": "read_s", "erase_time": "erase_s"}


@dataclass(frozen=True)
class PublishedRates:
    """The rates of a data sheet: bytes and requests of 4 KiB a second."""

    sequential_read: float
    sequential_write: float
    random_read: float
    random_write: float


def mapping_unit(given: int | None, capacity: int) -> int:
    """Bytes that are mapped as one: 4 KiB, or the least more that the simulator's map holds."""
    if given is not None:
        return given
    unit = SMALL
    if not fits_the_map(capacity, unit):
        while capacity * MOST_FLASH / unit > MOST_UNITS:
            unit *= 2
    return unit


def fits_the_map(capacity: int, unit: int) -> bool:
    """Whether the simulator's map holds a usual drive of this capacity."""
    return capacity * USUAL_FLASH / unit <= MOST_UNITS


def busy_share(customers: float, dies: float, by_page: tuple[float, ...]) -> float:
    """Share of the dies that are busy with so many reads under way, each on any die, for ``by_page`` seconds.

    A queue of M/G/1 holds ``r + r^2 (1 + c^2) / (2 (1 - r))`` on average (Pollaczek and Khinchine, ``r`` its
    load, ``c`` the coefficient of variation of the times); all of them hold the customers but one (in a
    closed network a new one does not find itself).
    """
    mean = sum(by_page) / len(by_page)
    variance = sum((s / mean - 1) ** 2 for s in by_page) / len(by_page)
    held, k = (customers - 1) / dies, (1 + variance) / 2
    # (k - 1) r^2 + (1 + held) r - held = 0
    if abs(k - 1) < 1e-12:
        return held / (1 + held)
    return (math.sqrt((1 + held) ** 2 + 4 * (k - 1) * held) - 1 - held) / (2 * (k - 1))


@dataclass(frozen=True)
class Inside:
    """The known figures of a drive's flash and the rates it must reach; ``steps`` records what is derived."""

    given: FlashFigures
    media: Media
    rates: PublishedRates
    capacity: int
    depth: int
    #: Time of a read in controller and link.
    beside_s: float
    steps: Steps

    def flash(self) -> tuple[FlashGeometry, Times]:
        """Geometry and times; over-provisioning comes last, because it depends on the others."""
        nand = self.media
        planes = self._typical("planes", f"{nand.planes}")
        page = self._typical("page", format_bytes(nand.page_bytes, binary=True))
        per_block = self._typical("pages_per_block", f"{nand.pages_per_block}")
        if self.given.read_times is not None:
            read_s = sum(self.given.read_times) / len(self.given.read_times)
        else:
            read_s = self._typical("read_time", format_duration(nand.read_s), nand.source)
        erase_s = self._typical("erase_time", format_duration(nand.erase_s), nand.source)
        rate = self.given.channel_rate or self.steps.assume(
            "flash.channel_rate", CHANNEL_RATE, f"{CHANNEL_RATE / 1e6:g} MB/s", CHANNEL_SOURCE
        )
        stripe = planes * page
        moved_s, erased_s = stripe / rate, erase_s / per_block
        unit = self._unit()
        channels = self._channels(rate, unit)
        dies = channels * self._dies_per_channel(
            channels, stripe, moved_s + erased_s + self._folded(read_s, moved_s), read_s
        )
        folded_s = self._folded(read_s, moved_s)
        program_s = self._program_time(
            dies * stripe / self.rates.sequential_write - moved_s - erased_s - folded_s
        )
        by_page = self._by_page(read_s)
        hold_s = self._hold(dies, by_page)
        times = Times(read_s, program_s, erase_s, rate, by_page, hold_s, self._retries())
        geometry = FlashGeometry(channels, dies // channels, planes, page, per_block, unit, 0.0)
        spare = self.given.over_provisioning
        if spare is None:
            spare = self._spare(self._amplified(geometry, times))
        return replace(geometry, spare=spare), times

    def _amplified(self, geometry: FlashGeometry, times: Times) -> float:
        """The write amplification A at which the published random writes keep dies busy all the time.

        A unit that a host writes costs its share of a stripe's A programs, erases and senses (of the
        victim's stripe, with the transfer of what is still valid in it), and where it is larger than the
        write, a sense of its own.
        """
        stripe, beside = geometry.stripe_bytes, geometry.dies_per_channel
        share = max(geometry.mapping_bytes, SMALL) / stripe

        def taken(sense_s: float, size: float) -> float:
            moved_s = size / times.channel_bytes_per_s
            return max(sense_s + moved_s, beside * moved_s)

        written_s = taken(times.program_s, stripe) + times.erase_s / geometry.pages_per_block
        completed_s = taken(times.read_s, geometry.mapping_bytes) if share * stripe > SMALL else 0.0
        completed_s += share * self._folded(times.read_s, stripe / times.channel_bytes_per_s)
        left_s = geometry.dies / self.rates.random_write - completed_s

        def cost_s(amplified: float) -> float:
            return amplified * share * (written_s + taken(times.read_s, stripe * (1 - 1 / amplified)))

        low, high = 1.0, 1000.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if cost_s(middle) < left_s else (low, middle)
        return low

    def _folded(self, read_s: float, moved_s: float) -> float:
        """Time of a stripe in cells of one bit before it is folded: programmed there, and sensed."""
        cache = self.given.slc_cache
        return 0.0 if cache is None else cache.program_time + moved_s + read_s

    def _typical(self, name: str, text: str, rule: str = "of its cell type") -> Any:
        """The figure of the file, else that of the cell type."""
        typical = getattr(self.media, _OF_TYPE.get(name, name))
        return getattr(self.given, name) or self.steps.assume(f"flash.{name}", typical, text, rule)

    def _channels(self, rate: float, unit: int) -> int:
        if self.given.channels is not None:
            return self.given.channels
        sequential = 2 * max(self.rates.sequential_read, self.rates.sequential_write)
        random = 1.5 * self.rates.random_read * max(unit, SMALL)
        count = int(2 ** math.ceil(math.log2(max(LEAST_CHANNELS, sequential / rate, random / rate))))
        rule = (
            "a power of two that carries twice the sequential rate and 1.5 times random reads of mapping "
            f"units, no less than {LEAST_CHANNELS}"
        )
        return int(self.steps.derive("flash.channels", count, f"{count}", rule))

    def _dies_per_channel(self, channels: int, stripe: int, beside_s: float, read_s: float) -> int:
        if self.given.dies_per_channel is not None:
            return self.given.dies_per_channel
        program_s = self.given.program_time or self.media.program_s
        writing = self.rates.sequential_write * (program_s + beside_s) / stripe
        reading = self._dies_for_reads(self._by_page(read_s))
        count = max(1, math.ceil(max(writing, reading) / channels))
        why = "writes" if writing >= reading else "reads at random"
        rule = f"the fewest dies with which it {why} at the published rate"
        return int(self.steps.derive("flash.dies_per_channel", count, f"{count}", rule))

    def _dies_for_reads(self, by_page: tuple[float, ...]) -> float:
        """The fewest dies that read at the published rate, as many reads at a time as it is tested with.

        Where so many cannot be enough: four times as many dies as would be busy.
        """
        needed = self.rates.random_read * sum(by_page) / len(by_page)
        at_dies = self._at_dies()
        if needed >= at_dies - 1:
            return 4 * needed
        low, high = needed, 4 * needed + 1
        while high * busy_share(at_dies, high, by_page) < needed and high < 1e6:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            enough = middle * busy_share(at_dies, middle, by_page) >= needed
            low, high = (low, middle) if enough else (middle, high)
        return high

    def _at_dies(self) -> float:
        """Reads at the dies, of those under way at the published rate; others are in link and controller."""
        moved_s = max(SMALL, self._unit_bytes()) / (self.given.channel_rate or CHANNEL_RATE)
        return max(2.0, self.depth - self.rates.random_read * (self.beside_s + moved_s))

    def _unit_bytes(self) -> int:
        return mapping_unit(self.given.mapping_unit, self.capacity)

    def _hold(self, dies: int, by_page: tuple[float, ...]) -> float:
        """How long a read keeps its die: at the tested depth all dies just make the published rate."""
        if self.given.read_hold is not None:
            return self.given.read_hold
        busy, read_s = busy_share(self._at_dies(), dies, by_page), sum(by_page) / len(by_page)
        hold_s = dies * busy / self.rates.random_read
        if hold_s < read_s and self.given.dies_per_channel is None:
            return self.steps.derive(
                "flash.read_hold", read_s, format_duration(read_s), "as long as it senses"
            )
        rule = (
            f"all dies together make the published random reads, {self.depth} at a time: {busy:.0%} are busy"
        )
        return self.steps.derive("flash.read_hold", hold_s, format_duration(hold_s), rule)

    def _by_page(self, read_s: float) -> tuple[float, ...]:
        given = self.given.read_times
        return media.read_by_page(self.media.cell, read_s) if given is None else tuple(given)

    def _retries(self) -> float:
        if self.given.retries is not None:
            return self.given.retries
        if self.media.cell == "slc":
            return 0.0
        rule = "as of a TLC drive in use, measured"
        return self.steps.assume("flash.retries", media.RETRIES, f"{media.RETRIES:g}", rule)

    def _program_time(self, program_s: float) -> float:
        if self.given.program_time is not None:
            return self.given.program_time
        program_s = max(program_s, 1e-6)
        rule = (
            "all dies together program at the sequential write rate; the cell type's is "
            f"{format_duration(self.media.program_s)}, {self.media.source}"
        )
        return self.steps.derive("flash.program_time", program_s, format_duration(program_s), rule)

    def _unit(self) -> int:
        unit = self._unit_bytes()
        if self.given.mapping_unit is None:
            few = "the least that the simulator's map holds at this capacity"
            why = "as of most drives" if unit == SMALL else few
            self.steps.assume("flash.mapping_unit", unit, format_bytes(unit, binary=True), why)
        return unit

    def _spare(self, amplified: float) -> float:
        least = media.amplification(MOST_SPARE)
        spare = max(LEAST_SPARE, media.spare(max(amplified, least)))
        rule = (
            f"steady random writes reach {self.rates.random_write:g} a second at a write amplification of "
            f"{amplified:.2f}, Xiang and Kurkoski's closed form solved for it"
        )
        return self.steps.derive("flash.over_provisioning", spare, f"{spare:.3g}", rule)
