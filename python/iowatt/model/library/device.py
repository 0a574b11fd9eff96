"""A device file: the published, measured or declared figures of one drive, each with its source.

The file has units and names and may have gaps; ``drive`` and ``ssd`` turn it into numbers, ``describe`` says
what its figures suffice for.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, Literal

from pydantic import BaseModel, model_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import BlockSize, Capacity, Duration, Rate, SignedDuration, Speed
from iowatt.base.strict import Strict, key
from iowatt.model.library.electrical.figures import HddPower, PowerFigures
from iowatt.model.library.electronics import CommandQueue, DriveBuffer, DriveController
from iowatt.model.library.flash import FlashFigures
from iowatt.model.library.geometry import Geometry, Seek
from iowatt.model.library.shingled import ShingledFigures
from iowatt.model.library.source import FigureSource, source_of


def _optional(description: str, unit: str | None = None, **constraints: Any) -> Any:
    return key(description, default=None, unset="not known", unit=unit, **constraints)


_LATENCIES: Final = (
    "read_latency", "write_latency", "sequential_read_latency", "sequential_write_latency",
    "random_read_8k_iops", "read_quantiles", "write_quantiles",
)  # fmt: skip


class LatencyQuantiles(Strict):
    """Latency of small requests that come one at a time, by the share that takes no longer."""

    p50: Duration | None = _optional("Of one in two.", gt=0, example="9.5us")
    p90: Duration | None = _optional("Of nine in ten.", gt=0, example="9.9us")
    p99: Duration | None = _optional("Of 99 in 100.", gt=0, example="15.6us")
    p999: Duration | None = _optional("Of 999 in 1,000.", gt=0, example="34us")
    p9999: Duration | None = _optional("Of 9,999 in 10,000.", gt=0, example="39us")

    @model_validator(mode="after")
    def _rising(self) -> LatencyQuantiles:
        given = self.points
        if not given:
            raise BadValueError("missing", None, "expected at least one of p50, p90, p99, p999, p9999")
        if any(later[1] < earlier[1] for earlier, later in pairwise(given)):
            raise BadValueError("conflict", None, "the latency of a greater share must not be shorter")
        return self

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Shares and their seconds, the smallest first."""
        named = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
        return tuple((share, s) for name, share in named.items() if (s := getattr(self, name)) is not None)


class Performance(Strict):
    """Highest rates as published, and of an SSD the times of requests that come one at a time."""

    sequential_read: Rate | None = _optional(
        "Highest sustained rate of sequential reads; of a disk, its outermost tracks.", gt=0
    )
    sequential_write: Rate | None = _optional("The same for writes.", gt=0)
    random_read_iops: float | None = _optional(
        "Random reads a second as published, usually of 4 KiB with a deep queue.", "1/s", gt=0
    )
    random_write_iops: float | None = _optional("The same for writes, steady state where known.", "1/s", gt=0)
    read_latency: Duration | None = _optional("Typical time of one random read of 4 KiB, of an SSD.", gt=0)
    write_latency: Duration | None = _optional("The same for writes.", gt=0)
    sequential_read_latency: Duration | None = _optional(
        "Typical time of one sequential read of 4 KiB, which the drive has read ahead, of an SSD.", gt=0
    )
    sequential_write_latency: Duration | None = _optional("The same for writes.", gt=0)
    random_read_8k_iops: float | None = _optional(
        "Random reads of 8 KiB a second with a deep queue, of an SSD.", "1/s", gt=0
    )
    read_quantiles: LatencyQuantiles | None = _optional(
        "Quantiles of the latency of one random read of 4 KiB at a time, of an SSD."
    )
    write_quantiles: LatencyQuantiles | None = _optional("The same for writes.")


class Endurance(Strict):
    """Ratings of wear and failure."""

    tbw: Capacity | None = _optional("Bytes that may be written over its life.", gt=0)
    dwpd: float | None = _optional("Drive writes per day over its warranty.", "1/d", gt=0)
    warranty: float | None = _optional("The years that dwpd is for.", "years", gt=0, le=20)
    workload_per_year: Capacity | None = _optional("Rated transfers in a year.", gt=0)
    load_unload_cycles: int | None = _optional("Rated head load and unload cycles.", gt=0)
    start_stop_cycles: int | None = _optional("Rated starts and stops of the spindle.", gt=0)
    mtbf_hours: float | None = _optional("Mean time between failures.", "h", gt=0)
    afr_percent: float | None = _optional("Annual failure rate.", "%", gt=0, le=100)
    uber: float | None = _optional(
        "Unrecoverable read errors for each bit read, at most (UBER).", gt=0, lt=1, example=1e-15
    )

    def ratings(self) -> dict[str, float]:
        """The stated ratings of a disk: bytes moved a year, head load cycles, starts and stops."""
        rated = {
            "bytes_per_year": self.workload_per_year,
            "load_unload_cycles": self.load_unload_cycles,
            "start_stop_cycles": self.start_stop_cycles,
        }
        return {name: float(value) for name, value in rated.items() if value is not None}


class DevicePrice(Strict):
    """The price of one drive, and its date."""

    usd: float | None = _optional("US dollars for one.", "USD", gt=0)
    date: str | None = _optional("Day, month or year of the price.", pattern=r"^\d{4}(-\d{2}){0,2}$")


__all__ = ["DeviceFile", "HddPower"]

_WORDS: Final = frozenset(
    ("name", "kind", "title", "vendor", "based_on", "stand_in", "assumptions", "notes", "source")
)
_MECHANICAL: Final = (
    "rpm", "geometry", "seek", "head_switch", "write_settle", "read_overhead", "write_overhead",
    "controller", "buffer", "buffer_size", "recording", "shingled", "actuators",
)  # fmt: skip
_DISK_POWER: Final = (
    "positioning", "idle_a", "idle_b", "idle_c", "speeds", "seek", "spin_up", "spin_up_time", "spin_up_peak",
    "spin_up_peak_12v_amps", "spin_down", "spin_down_time",
)  # fmt: skip


def _words(description: str) -> Any:
    return key(description, unset="not known", min_length=1)


class DeviceFile(Strict):
    """One drive."""

    name: str = key(
        "Lower-case vendor-model with dashes.", pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=64
    )
    kind: Literal["hdd", "ssd"] = key("The technology.")
    title: str = key("Vendor and model as people write them.", min_length=1)
    vendor: str | None = _words("Who made it.")
    based_on: str | None = key("A drive whose figures hold where this file gives none.", unset="on none")
    stand_in: str | None = key(
        "What it stands in for and how it was made, where it is no real drive.", unset="a real drive"
    )
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    notes: list[str] = key("Remarks on the figures, for whoever looks at them.", default=[])
    year: int | None = key("When it came out.", unset="not known", within=(1950, 2100))
    discontinued: int | None = key(
        "When its maker stopped selling it.", unset="still sold, or not known", within=(1950, 2100)
    )
    interface: str | None = _words("How it is connected, such as `SAS 12G`.")
    form_factor: str | None = _words("Its size and shape, such as `3.5`.")
    media: str | None = _words("Its memory, such as `TLC 3D`, of an ssd.")
    capacity: Capacity | None = key("What the drive offers.", unset="not known", gt=0)
    sector_size: BlockSize | None = key("Bytes of a sector.", unset="assumed, and said so", gt=0, le=65536)
    rpm: Speed | None = key("Speed of rotation.", unset="not known", ge=1)
    recording: Literal["cmr", "dm-smr", "hm-smr"] | None = key(
        "How its tracks are written: apart (cmr), or overlapping in zones that the drive (dm-smr) or the "
        "host (hm-smr) manages.",
        unset="cmr",
    )
    shingled: ShingledFigures | None = key(
        "Bands and media cache of a drive that manages overlapping tracks itself (dm-smr).",
        unset="assumed with dm-smr, and said so",
    )
    actuators: int | None = key(
        "Arms that move on their own, each over an equal part of the addresses. A geometry in zones, or of a "
        "layout file, is that of one arm.",
        unset="1",
        within=(1, 2),
    )
    geometry: Geometry | None = key(
        "Tracks: zones, or the rates to derive them from.", unset="derived from performance.sequential_read"
    )
    seek: Seek | None = key("Arm movement: points, or the figures of data sheets.", unset="not known")
    head_switch: Duration | None = key("Change of head within a cylinder.", unset="assumed, and said so")
    write_settle: SignedDuration | None = key(
        "Added to any positioning of a write; may be negative.",
        unset="average_write less average, or assumed, and said so",
    )
    read_overhead: Duration | None = key(
        "Command processing before the mechanics start, reads.", unset="assumed, and said so"
    )
    write_overhead: Duration | None = key("The same for writes.", unset="assumed, and said so")
    controller: DriveController | None = key(
        "All overheads and the drive's side of the bus, in place of read_overhead and write_overhead.",
        unset="the two overheads, and the bus of the interface; without limit with a table buffer",
    )
    buffer: DriveBuffer | None = key(
        "The on-board buffer.", unset="assumed, and said so; none with a table controller"
    )
    buffer_size: BlockSize | None = key(
        "Memory of the on-board buffer, where no more is known of it.",
        unset="assumed, and said so",
        within=(2**16, 2**34),
        example="512MiB",
    )
    command_queue: CommandQueue | None = key(
        "Commands that the drive holds at once.",
        unset="as many as a scenario asks for; the order is fcfs, or of a data sheet assumed, and said so",
    )
    flash: FlashFigures | None = key(
        "The flash of an ssd, where it is known.",
        unset="derived from its data sheet, or the data sheet alone is used",
    )
    power: PowerFigures = key("Electrical figures.", default=PowerFigures())
    performance: Performance = key("Published rates.", default=Performance())
    endurance: Endurance = key("Ratings of wear and failure.", default=Endurance())
    price: DevicePrice = key("What one cost.", default=DevicePrice())
    source: list[FigureSource] = key("Where the figures come from.", default=[])

    @model_validator(mode="after")
    def _parts_of_its_kind(self) -> DeviceFile:
        """Refuse an SSD with mechanics and a disk with flash."""
        if self.kind == "ssd":
            given = [name for name in _MECHANICAL if getattr(self, name) is not None]
            given += [f"power.{name}" for name in _DISK_POWER if getattr(self.power, name) is not None]
            given += ["power.level"] if self.power.level else []
            if given:
                raise BadValueError("not-applicable", None, f"an SSD has no {', '.join(given)}")
        else:
            given = ["flash"] if self.flash is not None else []
            given += ["power.state"] if self.power.state else []
            given += ["power.active_idle"] if self.power.active_idle is not None else []
            given += [
                f"performance.{name}" for name in _LATENCIES if getattr(self.performance, name) is not None
            ]
            if given:
                raise BadValueError("not-applicable", None, f"a disk has no {', '.join(given)}")
        return self

    @model_validator(mode="after")
    def _shingles_of_its_recording(self) -> DeviceFile:
        if self.shingled is not None and self.recording != "dm-smr":
            raise BadValueError("conflict", None, 'the table shingled needs recording = "dm-smr"')
        return self

    @model_validator(mode="after")
    def _one_set_of_overheads(self) -> DeviceFile:
        given = [name for name in ("read_overhead", "write_overhead") if getattr(self, name) is not None]
        if self.controller is not None and given:
            raise BadValueError(
                "conflict",
                None,
                f"{given[0]} and the table controller give the same figure; "
                "give controller.read_miss and controller.write_miss alone",
            )
        return self

    def source_of(self, figure: str) -> FigureSource | None:
        """The source of a figure by its key path; the most specific one, the first among equals."""
        return source_of(self.source, figure)

    def usable_watts(self, name: str) -> float | None:
        """A figure of the table ``power``; None where it is not known, or its source cautions against use."""
        source = self.source_of(f"power.{name}")
        value: float | None = getattr(self.power, name)
        return None if source is not None and source.caution is not None else value

    def figures(self) -> dict[str, Any]:
        """All figures of the file, by key path, in SI units; lists (zones, points) as they are."""
        figures: dict[str, Any] = {}
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name in _WORDS or value is None:
                continue
            if isinstance(value, BaseModel):
                given = [part for part in type(value).model_fields if part in value.model_fields_set]
                fields = {f"{name}.{part}": getattr(value, part) for part in given}
                figures.update({path: part for path, part in fields.items() if part is not None})
            else:
                figures[name] = value
        return figures

    def grade(self) -> str:
        """Quality of its power figures, A to D: the best of its sources that may be used."""
        grades = [source.grade for source in self.source if source.grade and not source.caution]
        return min(grades, default="D")
