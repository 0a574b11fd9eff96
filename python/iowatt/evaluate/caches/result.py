"""Hits of simulated caches: ``iowatt.cache/1``. Ratios are from 0 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument
from iowatt.model.cache_policies import Policy

if TYPE_CHECKING:
    import polars as pl


class WarmUp(Result):
    """The uncounted beginning: as requested, and the number of requests in it."""

    requests: int
    time_s: float
    requests_passed: int


class CountsByWay(Result):
    """A count of all, of reads and of writes."""

    all: int
    read: int
    write: int


class HitCounts(Result):
    """Requests and bytes that hit, and references to blocks that do."""

    requests: CountsByWay
    bytes: CountsByWay
    references: CountsByWay


class SimulatedCache(Result):
    """One cache; a ratio is None where there was nothing to hit."""

    policy: str
    #: Parameters given by the user; the others are the paper's.
    parameters: dict[str, int | float]
    #: As asked: ``4GiB``, ``1%``.
    size: str
    #: None of a cache of objects.
    size_bytes: int | None
    slots: int
    #: Slots that are in use at the end.
    held: int
    #: With those of the warm-up.
    evictions: int
    hit_ratio: float | None
    hit_bytes_ratio: float | None
    read_hit_ratio: float | None
    read_hit_bytes_ratio: float | None
    write_hit_ratio: float | None
    write_hit_bytes_ratio: float | None
    hits: HitCounts

    @property
    def asked(self) -> Policy:
        """The policy with its parameters."""
        return Policy(self.policy, tuple(self.parameters.items()))


class CacheComparison(ResultDocument):
    """Caches of several policies and sizes over one trace."""

    schema_id: Literal["iowatt.cache/1"] = Field(default="iowatt.cache/1", alias="schema")
    trace: str
    #: None where each request is one object.
    block_bytes: int | None
    writes: Literal["allocate", "around"]
    warm_up: WarmUp
    requests: CountsByWay
    bytes: CountsByWay
    #: Blocks or objects that requests look up.
    references: CountsByWay
    #: Trims and flushes, which are passed over.
    other_requests: int
    #: Different blocks, or objects.
    footprint: int
    footprint_bytes: int | None
    span_bytes: int
    #: The base of sizes given as shares.
    share_of: Literal["footprint", "span"]
    caches: list[SimulatedCache]
    notes: list[Note]

    def frame(self) -> pl.DataFrame:
        """A row for each cache: its fields but ``hits``, with ``parameters`` as text."""
        import polars as pl

        rows = [
            {**cache.model_dump(exclude={"hits"}), "parameters": cache.asked.text.partition(":")[2]}
            for cache in self.caches
        ]
        return pl.DataFrame(rows, infer_schema_length=None)
