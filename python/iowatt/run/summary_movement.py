"""What schemes that move data for the sake of power leave in ``run.json``."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Counts(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Maid(_Counts):
    """MAID: the cache in front of drives that mostly stand by."""

    kind: Literal["maid"]
    reads: int
    read_hits: int = Field(description="Reads that the cache answered alone.")
    read_bytes: int
    read_hit_bytes: int = Field(description="Bytes of reads that the cache answered.")
    writes: int = Field(description="Each part of one that lies on one data part by itself.")
    logged_writes: int = Field(description="Of those, taken by the cache alone.")
    logged_bytes: int
    copied_bytes: int = Field(description="Copied to the cache after they were read.")
    destaged_bytes: int = Field(description="Logged, and written to data parts.")
    evictions: int = Field(description="Lines that gave way.")
    drains: int = Field(
        description="Times that a data part was brought up because too much of the cache was logged writes."
    )
    dirty_bytes_at_end: int = Field(description="Bytes that only the cache holds.")


class Pdc(_Counts):
    """Popular data concentration."""

    kind: Literal["pdc"]
    requests_by_part: list[int] = Field(
        description="Requests, each piece that lies in another extent by itself, by the part it was on."
    )
    migrations: int = Field(description="Extents that changed their place.")
    migrated_bytes: int = Field(description="Copied for that, repeated steps included.")
    given_up: int = Field(description="Moves that still waited when the next period began.")
    held_writes: int = Field(description="Writes that waited for a move to end.")


class WriteOffLoading(_Counts):
    """Write off-loading."""

    kind: Literal["write-off-loading"]
    off_loaded_writes: int = Field(
        description="Writes that went to a log; each part of one that lies on one part by itself."
    )
    off_loaded_bytes: int
    refused_writes: int = Field(description="Writes that woke their part because no log could take them.")
    log_reads: int = Field(description="Reads that logs answered at least in part.")
    log_read_bytes: int
    superseded_bytes: int = Field(description="Off-loaded and written anew before they were reclaimed.")
    reclaimed_bytes: int = Field(description="Moved home from logs.")
    reclaims: int = Field(description="Moves that brought them.")
    drains: int = Field(description="Times that a part was brought up because a log filled up.")
    log_bytes_most: int = Field(description="Most that logs held together, before the window too.")
    log_bytes_at_end: int = Field(description="Bytes that only logs hold.")
