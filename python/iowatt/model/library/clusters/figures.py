"""Figures of a cluster's placement, recovery, networks and software, which a preset gives or a scenario."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from iowatt.base.quantity import BlockSize, Duration, Rate, Share
from iowatt.base.strict import Strict, key

FailureDomain = Literal["drive", "node", "rack"]


class Copies(Strict):
    """Equal copies."""

    level: Literal["copies"] = key(
        "Redundancy. copies: equal copies. ec: an erasure code.", default="copies", example="copies"
    )
    copies: int = key("Copies of everything.", within=(2, 16), example=3)

    @property
    def members(self) -> int:
        """Members of a placement group."""
        return self.copies

    @property
    def data(self) -> int:
        """Members' worth of data."""
        return 1

    @property
    def text(self) -> str:
        """In few words."""
        return f"{self.copies} copies"


class ErasureCode(Strict):
    """An erasure code of data and parity."""

    level: Literal["ec"] = key("Redundancy. ec: an erasure code.", example="ec")
    data: int = key("Units of data of a stripe.", within=(1, 247), example=4)
    parity: int = key(
        "Units of parity that are computed from all data of a stripe; with those of local groups 8 at most.",
        within=(1, 8),
        example=2,
    )
    local_groups: int = key(
        "Groups into which data is divided, each with a parity unit of its own, from which a lost unit of "
        "the group is repaired (a local reconstruction code).",
        default=0,
        within=(0, 7),
        example=2,
    )

    @property
    def members(self) -> int:
        """Members of a placement group."""
        return self.data + self.parity + self.local_groups

    @property
    def text(self) -> str:
        """In few words."""
        local = f", {self.local_groups} local groups" if self.local_groups else ""
        return f"{self.data}+{self.parity} erasure code{local}"


def _redundancy(value: Any) -> Any:
    """``{ copies = 3 }`` stands for level copies."""
    if isinstance(value, dict) and "level" not in value and "copies" in value:
        return {**value, "level": "copies"}
    return value


Redundancy = Annotated[Copies | ErasureCode, Field(discriminator="level"), BeforeValidator(_redundancy)]


class PlacementFigures(Strict):
    """How a pool's data lies on its drives, and how copies reach them."""

    redundancy: Redundancy | None = key(
        "Copies, or an erasure code.",
        unset="that of the preset; without one it is required",
        accepts="{ copies = N }, or a table with the keys level, data, parity, local_groups",
        example={"copies": 3},
    )
    failure_domain: FailureDomain | None = key(
        "What no two members of a placement group share.",
        unset="that of the preset, or node",
        example="rack",
    )
    placement_groups: int | None = key(
        "Members of placement groups on a drive, about. More spread data and recovery evenly, and take more "
        "memory.",
        unset="that of the preset, or 100",
        within=(1, 10_000),
        example=100,
    )
    object_size: BlockSize | None = key(
        "Consecutive addresses in one placement group before the next one's turn comes. Of an erasure code, "
        "`data` units of a stripe make it.",
        unset="that of the preset, or 4MiB",
        gt=0,
        le=2**40,
        example="4MiB",
    )
    reads: Literal["primary", "any"] | None = key(
        "Which copy is read. primary: the first of the placement group that is there. any: one drawn at "
        "random.",
        unset="that of the preset, or primary",
        example="any",
    )
    copying: Literal["primary", "pipeline"] | None = key(
        "How copies reach their nodes. primary: the node that serves the write sends them to all others. "
        "pipeline: each node sends them to the next.",
        unset="that of the preset, or primary",
        example="pipeline",
    )
    acknowledge: int | Literal["all"] | None = key(
        "Members of a placement group that have a write when it is answered.",
        unset="that of the preset, or all",
        accepts="a number, or 'all'",
        example="all",
    )
    reserve: Share | None = key(
        "Share of each drive that is kept free, for what recovery restores and what moves.",
        unset="that of the preset, or 0.15",
        lt=1,
        example=0.15,
    )


class RecoveryFigures(Strict):
    """How lost members of placement groups are restored, and moved ones copied."""

    delay: Duration | None = key(
        "Time from a failure to the start of recovery.", unset="that of the preset, or none", example="10min"
    )
    rate: Rate | None = key(
        "Bytes a second that are written to a drive in recovery, at most.",
        unset="that of the preset, or without limit",
        gt=0,
        example="100MB/s",
    )
    outstanding: int | None = key(
        "Steps under way to a drive at a time.",
        unset="that of the preset, or 1",
        within=(1, 1024),
        example=3,
    )
    step: BlockSize | None = key(
        "Bytes of each drive in a step.", unset="that of the preset, or 1MiB", gt=0, le=2**40, example="8MiB"
    )
    priority: Literal["host-first", "equal"] | None = key(
        "Rank in the drives' queues. host-first: an operation of recovery starts only where no operation of "
        "a request waits; equal: both are treated alike.",
        unset="that of the preset, or host-first",
        example="equal",
    )


class NetworkFigures(Strict):
    """Latencies and messages of the networks."""

    client_latency: Duration | None = key(
        "Time between a client and a node, one way.",
        unset="that of the preset, or none",
        le=100,
        example="30us",
    )
    rack_latency: Duration | None = key(
        "Time between two nodes of a rack, one way.",
        unset="that of the preset, or none",
        le=100,
        example="10us",
    )
    core_latency: Duration | None = key(
        "Time between nodes of different racks, one way.",
        unset="that of the preset, or none",
        le=100,
        example="20us",
    )
    message: BlockSize | None = key(
        "Bytes of a message without data, and of the headers of one with data.",
        unset="that of the preset, or none",
        le=2**20,
        example=256,
    )


class SoftwareFigures(Strict):
    """What a node's cores do. One core works on one thing at a time; the rest waits for a free one."""

    request: Duration | None = key(
        "Core time of a client's request at the node that serves it.",
        unset="that of the preset, or none",
        le=10,
        example="250us",
    )
    request_rate: Rate | None = key(
        "Bytes a second of requests that a core moves, besides.",
        unset="that of the preset, or without limit",
        gt=0,
        example="700MB/s",
    )
    operation: Duration | None = key(
        "Core time of a drive operation at the node of its drive.",
        unset="that of the preset, or none",
        le=10,
        example="250us",
    )
    operation_rate: Rate | None = key(
        "Bytes a second of drive operations that a core moves, besides.",
        unset="that of the preset, or without limit",
        gt=0,
        example="700MB/s",
    )
    code_rate: Rate | None = key(
        "Bytes a second that a core encodes for a write with parity.",
        unset="that of the preset, or without limit",
        gt=0,
        example="5GB/s",
    )
