"""What a scenario may say about the SSDs of a pool, and what it must not say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from iowatt.scenario.quantity import BlockSize, Power
from iowatt.scenario.strict import Strict, key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from iowatt.library.ssd.drive import Ssd
    from iowatt.scenario.array import Pool
    from iowatt.scenario.problems import KeyPath, Problem


class Collection(Strict):
    """Garbage collection: which blocks are cleaned, so that there is something to write to."""

    policy: Literal["greedy", "fifo", "cost-benefit"] = key(
        "Which block is cleaned next. greedy: the one with the least valid data; fifo: the one that was "
        "written first; cost-benefit: the one with the most of age times free share over twice the valid "
        "share, as in log-structured file systems.",
        default="greedy",
        example="fifo",
    )
    hot_cold: bool = key(
        "Data that cleaning moves goes to blocks of its own, apart from what hosts write.",
        default=False,
        example=True,
    )


class Initial(Strict):
    """What the drive has behind it when the run starts."""

    state: Literal["steady", "fresh"] = key(
        "steady: filled, and written at random until its write amplification no longer changes, which is "
        "made by construction and takes no simulated time; fresh: filled once in order, with all of its "
        "spare space empty.",
        default="steady",
        example="fresh",
    )
    fill: float = key(
        "Share of its capacity that holds data; the rest was never written or is trimmed.",
        default=1.0,
        ge=0,
        le=1,
        example=0.5,
    )


class SsdSettings(Strict):
    """How the SSDs of a pool are simulated, and figures of their flash that differ from their file."""

    model: Literal["flash", "data-sheet"] | None = key(
        "By its flash (mapping, garbage collection, wear), or by the rates of its data sheet alone.",
        default=None,
        unset="by its flash where enough is known of it",
        example="data-sheet",
    )
    over_provisioning: float | None = key(
        "Flash beyond the capacity offered, as a share of it, blocks that are kept free left out. More of it "
        "is less garbage collection.",
        default=None,
        unset="as in the drive's file, or derived",
        ge=0.01,
        le=10,
        example=0.28,
    )
    write_buffer: BlockSize | None = key(
        "Memory behind power-loss protection in which writes complete; 0: they complete on the flash.",
        default=None,
        unset="as in the drive's file, or assumed",
        unit="bytes",
        ge=0,
        le=2**34,
        example="16MiB",
    )
    gc: Collection = key(
        "Garbage collection.", default=Collection(), example={"policy": "cost-benefit", "hot_cold": True}
    )
    wear_levelling: int | None = key(
        "Static wear-levelling: blocks are moved where their erase counts differ by more than this.",
        default=None,
        unset="none, blocks wear as garbage collection has it",
        ge=1,
        example=100,
    )
    initial: Initial = key(
        "What the drive has behind it when the run starts.", default=Initial(), example={"state": "fresh"}
    )
    power_state: str | None = key(
        "The operational NVMe power state that it is set to: a cap of its power.",
        default=None,
        unset="ps0, without a cap",
        pattern=r"^ps([0-9]|[12][0-9]|3[01])$",
        example="ps1",
    )
    power_cap: Power | None = key(
        "A cap of its power in watts, in place of power_state: it works more slowly where it would draw more.",
        default=None,
        unset="none",
        unit="W",
        gt=0,
        example="12W",
    )
