"""The keys of a pool of SSDs: garbage collection, wear-levelling, state at the start, power state."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from iowatt.base.errors import BadValueError
from iowatt.base.quantity import BlockSize, Power, Share
from iowatt.base.strict import Strict, key


class Collection(Strict):
    """Garbage collection: which blocks are cleaned, so that there is something to write to."""

    policy: Literal["greedy", "fifo", "cost-benefit"] = key(
        "Victim block selection. greedy: least valid data; fifo: oldest; cost-benefit: highest age times "
        "free share over twice the valid share, as in log-structured file systems.",
        default="greedy",
        example="fifo",
    )
    hot_cold: bool = key(
        "Write relocated data to separate blocks, apart from host writes.",
        default=False,
        example=True,
    )


class TrafficClass(Strict):
    """A class of the writes that a drive has behind it."""

    space: float = key("Share of the filled addresses.", gt=0, le=1, example=0.2)
    writes: Share = key("Share of the writes.", example=0.8)


class Initial(Strict):
    """What the drive has behind it when the run starts."""

    state: Literal["steady", "fresh"] = key(
        "steady: filled and randomly written until write amplification is stable, constructed without "
        "simulated time; fresh: never written, all flash erased.",
        default="steady",
        example="fresh",
    )
    fill: float = key(
        "Share of addresses that hold data, from the first on; the rest is trimmed and acts as spare.",
        default=1.0,
        gt=0,
        le=1,
        example=0.5,
    )
    traffic: list[TrafficClass] = key(
        "The writes behind it by class, in the order of addresses; the shares of space and of writes add up "
        "to 1 each. Left out: uniform.",
        default=[],
        example=[{"space": 0.2, "writes": 0.8}, {"space": 0.8, "writes": 0.2}],
        max_length=16,
    )
    run: BlockSize | None = key(
        "Contiguous addresses stored together on flash, as after writes of that size.",
        unset="the mapping unit, as after small random writes",
        gt=0,
        example="128KiB",
    )

    @model_validator(mode="after")
    def _whole(self) -> Initial:
        for name in ("space", "writes"):
            total = sum(getattr(part, name) for part in self.traffic)
            if self.traffic and abs(total - 1) > 1e-6:
                raise BadValueError(
                    "conflict", None, f"the shares of {name} in traffic add up to {total:g}; expected 1"
                )
        return self


class SsdSettings(Strict):
    """How the SSDs of a pool are simulated, and figures of their flash that differ from their file."""

    model: Literal["flash", "data-sheet"] | None = key(
        "flash: simulate mapping, garbage collection and wear; data-sheet: use only data-sheet rates.",
        unset="flash, if enough is known of the drive",
        example="data-sheet",
    )
    over_provisioning: float | None = key(
        "Flash beyond the usable capacity, as a share of it, excluding blocks kept free. More means less "
        "garbage collection.",
        unset="as in the drive's file, or derived",
        within=(0.01, 10),
        example=0.28,
    )
    write_buffer: BlockSize | None = key(
        "Power-loss-protected buffer in which writes complete; 0: writes complete on flash.",
        unset="as in the drive's file, or assumed",
        within=(0, 2**34),
        example="16MiB",
    )
    gc: Collection = key(
        "Garbage collection.", default=Collection(), example={"policy": "cost-benefit", "hot_cold": True}
    )
    wear_levelling: int | None = key(
        "Static wear levelling: moves blocks if erase counts differ by more than this.",
        unset="none; only garbage collection affects wear",
        ge=1,
        example=100,
    )
    initial: Initial = key("Initial state.", default=Initial(), example={"state": "fresh"})
    power_state: str | None = key(
        "Operational NVMe power state, which caps power.",
        unset="ps0, no cap",
        pattern=r"^ps([0-9]|[12][0-9]|3[01])$",
        example="ps1",
    )
    power_cap: Power | None = key(
        "Power cap, in place of power_state: the drive slows down to stay below it.",
        unset="none",
        gt=0,
        example="12W",
    )


# Keys of a pool that are of disks, and what an SSD has instead.
