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
HEADROOM: Final = 1.1  # of random reads over the published rate, which the controller's limit then gives
LEAST_SPARE: Final = 0.01
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
    while capacity * 1.35 / unit > MOST_UNITS:
        unit *= 2
    return unit


@dataclass(frozen=True)
class Inside:
    """The known figures of a drive's flash and the rates it must reach; ``steps`` records what is derived."""

    given: FlashFigures
    media: Media
    rates: PublishedRates
    capacity: int
    depth: int
    steps: Steps

    def flash(self) -> tuple[FlashGeometry, Times]:
        """Geometry and times; over-provisioning comes last, because it depends on the others."""
        media = self.media
        planes = self._typical("planes", f"{media.planes}")
        page = self._typical("page", format_bytes(media.page_bytes, binary=True))
        per_block = self._typical("pages_per_block", f"{media.pages_per_block}")
        read_s = self._typical("read_time", format_duration(media.read_s), media.source)
        erase_s = self._typical("erase_time", format_duration(media.erase_s), media.source)
        rate = self.given.channel_rate or self.steps.assume(
            "flash.channel_rate", CHANNEL_RATE, f"{CHANNEL_RATE / 1e6:g} MB/s", CHANNEL_SOURCE
        )
        stripe = planes * page
        moved_s, erased_s = stripe / rate, erase_s / per_block
        unit = self._unit()
        channels = self._channels(rate, unit)
        dies = channels * self._dies_per_channel(channels, stripe, moved_s + erased_s, read_s)
        program_s = self._program_time(dies * stripe / self.rates.sequential_write - moved_s - erased_s)
        times = Times(read_s, program_s, erase_s, rate)
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
        left_s = geometry.dies / self.rates.random_write - completed_s

        def cost_s(amplified: float) -> float:
            return amplified * share * (written_s + taken(times.read_s, stripe * (1 - 1 / amplified)))

        low, high = 1.0, 1000.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if cost_s(middle) < left_s else (low, middle)
        return low

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
        reading = self._dies_for_reads(read_s)
        count = max(1, math.ceil(max(writing, reading) / channels))
        why = "writes" if writing >= reading else "reads at random"
        rule = f"the fewest dies with which it {why} at the published rate"
        return int(self.steps.derive("flash.dies_per_channel", count, f"{count}", rule))

    def _dies_for_reads(self, read_s: float) -> float:
        """Dies at which random reads, as many at a time as the drive takes, exceed the rate by ``HEADROOM``.

        Of D queues and N customers that choose at random, N / (N + D - 1) are busy (balanced closed network).
        Where N reads cannot be enough: four times as many dies as would be busy.
        """
        busy = HEADROOM * self.rates.random_read * read_s
        return busy * (self.depth - 1) / (self.depth - busy) if busy < self.depth else 4 * busy

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
        unit = mapping_unit(self.given.mapping_unit, self.capacity)
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
