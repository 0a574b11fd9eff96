"""Results of ``iowatt volume``: what was made, what a check found, how a volume in service stands."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Result, ResultDocument


class MadeVolume(ResultDocument):
    """A volume that was made, ``iowatt.volume-create/1``."""

    schema_id: Literal["iowatt.volume-create/1"] = Field("iowatt.volume-create/1", alias="schema")
    name: str
    uuid: str
    scheme: str
    #: Paths in the order of the parts.
    stores: list[str]
    capacity_bytes: int


class JournalState(Result):
    """What the journal of a volume held."""

    #: Whether the volume was stopped in order.
    clean: bool
    #: Records since the last checkpoint of the map.
    records: int
    #: Whether a batch of records was begun and not ended; it does not count, and is removed.
    torn: bool
    #: Whether the newer checkpoint was not whole, so that the older one and its records are in use.
    older_half: bool


class VolumeCheck(ResultDocument):
    """What a check found and repaired, ``iowatt.volume-check/1``."""

    schema_id: Literal["iowatt.volume-check/1"] = Field("iowatt.volume-check/1", alias="schema")
    name: str
    uuid: str
    stores: list[str]
    #: Stores of which one copy of the label was damaged and is written anew.
    labels_repaired: list[str]
    #: None where the scheme has no map (linear).
    journal: JournalState | None
    extents: int


class PartState(Result):
    """A part since the volume was started; pairs are of reads and writes."""

    #: Requests with all of their bytes on the part.
    hits: tuple[int, int]
    hit_bytes: tuple[int, int]
    promoted_bytes: int
    demoted_bytes: int
    request_bytes: tuple[int, int]
    migration_bytes: tuple[int, int]
    #: None where the scheme does not count them.
    occupied_bytes: int | None


class TransferLateness(Result):
    """How much later than emulated drives were done their transfers were told so: this machine's part."""

    transfers: int
    p50_us: float
    p99_us: float
    most_us: float
    #: Requests of hosts that failed; they are in no figure of a Run.
    failed: int


class VolumeStatus(ResultDocument):
    """A volume in service, ``iowatt.volume-status/1``; counts are since it was started."""

    schema_id: Literal["iowatt.volume-status/1"] = Field("iowatt.volume-status/1", alias="schema")
    name: str
    uuid: str
    #: What NBD clients connect to.
    uri: str
    stores: list[str]
    capacity_bytes: int
    uptime_s: float
    clients: int
    #: Reads and writes.
    requests: tuple[int, int]
    bytes: tuple[int, int]
    #: In the order of the parts: the fast one first.
    parts: list[PartState]
    #: Completed moves: of an extent, or of a pair that changed places.
    migrations: int
    #: Moves that were due while too many were under way or no slot was free.
    postponed: int
    write_backs: int
    evictions: int
    #: Requests that waited for a move.
    held: int
    held_s: float
    #: Copies that the slow part does not have yet.
    dirty_bytes: int
    in_flight: int
    #: Times that data and map were made durable.
    commits: int
    map_generation: int | None
    store_errors: int
    #: Why every request fails; None while the volume serves.
    failed: str | None
    #: None where the stores themselves answer, or before the first transfer.
    emulated: TransferLateness | None

    @property
    def hit_ratio(self) -> float | None:
        """Share of requests with all of their bytes on the first part; None before the first request."""
        requests = sum(self.requests)
        return sum(self.parts[0].hits) / requests if requests else None
