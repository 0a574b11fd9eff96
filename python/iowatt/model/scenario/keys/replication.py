"""Keys of replication: volumes whose writes a remote array gets as well, over a path.

See docs/models/replication.md for what the simulator makes of them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler
from pydantic_core import CoreSchema

from iowatt.base.quantity import BlockSize, Capacity, Duration
from iowatt.base.strict import Name, Strict, key

WhenStuck = Literal["suspend", "wait"]


class Synchronous(Strict):
    """Both arrays have a write before it is answered."""

    name: Literal["synchronous"] = key(
        "When a write is sent. synchronous: at once; its host waits until both arrays have it.",
        example="synchronous",
    )
    lost: WhenStuck = key(
        "Writes while the path is lost. suspend: they are answered, the extents that they change are noted "
        "and sent when the path is back. wait: they wait for it.",
        default="suspend",
        example="wait",
    )


class Journal(Strict):
    """A write is answered, and sent in its turn."""

    name: Literal["journal"] = key(
        "When a write is sent. journal: it is answered when this array has it, and sent in its turn.",
        example="journal",
    )
    size: Capacity = key(
        "Bytes of answered writes that the remote array does not have yet, at most.", example="4GiB", gt=0
    )
    full: WhenStuck = key(
        "Writes that find the journal full. suspend: all that is in it is noted by extents, which are sent "
        "when the path is there. wait: they wait for room.",
        default="suspend",
        example="wait",
    )


class Cycles(Strict):
    """Extents that were written in a cycle are sent in the next one."""

    name: Literal["cycles"] = key(
        "When a write is sent. cycles: with its extent, once however often that was written, after the cycle "
        "of the write, as soon as the cycle before is at the remote array.",
        example="cycles",
    )
    period: Duration = key("Length of a cycle.", example="30s", ge=1e-3)


def _from_name(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class _ModeOrTable:
    """The short form for editors: `synchronous` stands for a table with that name."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"anyOf": [{"type": "string", "const": "synchronous"}, handler(core)]}


Mode = Annotated[
    Synchronous | Journal | Cycles, Field(discriminator="name"), BeforeValidator(_from_name), _ModeOrTable
]


class OutageKeys(Strict):
    """A time in which the path carries nothing; what is on its way is sent again."""

    at: Duration = key("When it begins, from the start of the run.", example="10min")
    back: Duration | None = key("When it ends.", unset="not before the end of the run", example="20min")


class ReplicationKeys(Strict):
    """Volumes with copies on a remote array, all of one order of writes (a consistency group)."""

    name: Name = key("Name in results and in `--set` paths.", example="dr")
    volumes: list[Name] = key("The volumes.", example=["db", "log"], min_length=1)
    copies: list[Name] | None = key(
        "Volumes of this scenario that are the copies, in the same order: their pools are drives of the "
        "remote array, which this array's controller does not reach.",
        unset="the remote array's drives are not simulated; it takes `service` alone",
        example=["db-copy", "log-copy"],
        min_length=1,
    )
    path: Name = key(
        "The path to the remote array, whose adapter is this array's port. It carries nothing else.",
        example="wan",
    )
    mode: Mode = key(
        "When a write is sent: a name, or a table.",
        accepts='"synchronous", or a table with the keys name, lost, size, full, period',
        example="synchronous",
    )
    service: Duration = key(
        "Time that the remote array takes for a write before its drives get it: its controller, its cache.",
        default=0.0,
        example="100us",
        le=100,
    )
    outstanding: int = key(
        "Most writes or extents on their way at a time, but for synchronous writes, which the path's "
        "queue_depth alone limits.",
        default=64,
        example=256,
        within=(1, 2**20),
    )
    extent: BlockSize = key(
        "Bytes of an extent, a whole number of sectors: what is sent in cycles and after a suspension.",
        default=64 * 1024,
        example="256KiB",
        gt=0,
        le=2**30,
    )
    outage: list[OutageKeys] = key(
        "When the path is lost, in order of time.", default=[], example=[{"at": "10min", "back": "20min"}]
    )
