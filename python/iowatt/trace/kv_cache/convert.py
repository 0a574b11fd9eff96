"""A request log to a trace of the storage tier below the key-value cache."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.trace.convert import SCHEMA, sink, staging
from iowatt.trace.decode import OPS
from iowatt.trace.kv_cache.log import Prompt, prompts
from iowatt.trace.kv_cache.result import KvBlocks, KvCacheTrace, KvTransfers
from iowatt.trace.kv_cache.tiers import KvTiers, WriteWhen

#: Slots of blocks begin at multiples of this, as direct I/O wants.
_ALIGN: Final = 4096
_DEVICE: Final = "kv"
_STREAMS: Final = ("load", "store")
_BATCH_ROWS: Final = 262_144
_DAY_S: Final = 86_400.0
#: Code of notes on what the trace leaves out or takes for granted.
ASSUMED: Final = "assumed"
_NOTES: Final = (
    "all blocks that a prompt takes from storage are asked for at once, when it comes: no prefetch, no limit "
    "in flight",
    "output tokens have no hashes, so their blocks are in no tier until a later prompt has them",
    "one model instance with one memory: several that do not share it have fewer hits",
)


@dataclass(frozen=True)
class KvCacheRequest:
    """Which log, of which model, between which tiers. Sizes are in bytes, ``unit_s`` is of time stamps."""

    path: Path
    bytes_per_token: int
    shape: str
    shape_source: str
    memory_bytes: int
    model: str | None = None
    storage_bytes: int | None = None
    block_tokens: int = 512
    io_bytes: int = 1 << 20
    write: WriteWhen = "spill"
    unit_s: float = 1e-3
    prefill_per_s: float | None = None  #: Tokens that a prompt's prefill computes in a second; None: at once.

    @property
    def block_bytes(self) -> int:
        """Of a full block."""
        return self.bytes_per_token * self.block_tokens

    @property
    def slot_bytes(self) -> int:
        """Of a block's place on storage."""
        return -(-self.block_bytes // _ALIGN) * _ALIGN


def convert_log(request: KvCacheRequest, target: Path, *, force: bool = False) -> KvCacheTrace:
    """Write the block trace; the suffix of ``target`` says as what, as for `iowatt.trace.convert`.

    Raises ``InputError``: the log is wrong (file and line), storage holds no block, nothing reaches storage,
    or the target exists and ``force`` is not given.
    """
    slots = None
    if request.storage_bytes is not None:
        slots = request.storage_bytes // request.slot_bytes
        if slots < 1:
            message = f"a block has {request.slot_bytes:,} bytes: not one has room"
            raise InputError("out-of-range", Argument("storage"), message)
    run = _Conversion(request, KvTiers(request.memory_bytes, slots, request.write))
    with staging(target, force) as partial:
        sink(run.frames, partial, target)
        counts = run.tiers.counts
        if not run.prompts:
            raise InputError("empty", str(request.path), "the log has no request")
        if not counts.read_bytes + counts.written_bytes:
            message = "nothing reaches storage: all blocks have room in memory"
            hint = "give less `memory=`, or write blocks when they are computed: `write_when=compute`"
            raise InputError("empty", str(request.path), message, hint=hint)
    return run.result(target)


#: Time in ns, number, direction, slot, bytes.
_Transfer = tuple[int, int, int, int, int]


@dataclass
class _Conversion:
    """One log while it is converted."""

    request: KvCacheRequest
    tiers: KvTiers
    prompts: int = 0
    _pending: list[_Transfer] = field(default_factory=list)  #: A heap: prefills of prompts overlap.
    _added: int = 0
    first_s: float = 0.0
    last_s: float = 0.0
    tokens: list[int] = field(default_factory=lambda: [0, 0])
    requests: list[int] = field(default_factory=lambda: [0, 0])
    by_second: tuple[dict[int, int], dict[int, int]] = field(
        default_factory=lambda: (defaultdict(int), defaultdict(int))
    )

    def frames(self) -> Iterator[pl.DataFrame]:
        """The requests of the trace, in order of time."""
        rows: list[_Transfer] = []
        request = self.request
        for prompt in prompts(request.path, request.block_tokens, request.unit_s):
            if not self.prompts:
                self.first_s = prompt.time_s
            while self._pending and self._pending[0][0] <= (prompt.time_s - self.first_s) * 1e9:
                rows.append(heapq.heappop(self._pending))
            if len(rows) * max(1, request.slot_bytes // request.io_bytes) >= _BATCH_ROWS:
                yield self._frame(rows)
                rows = []
            self._prompt(prompt)
        rows += [heapq.heappop(self._pending) for _ in range(len(self._pending))]
        if rows:
            yield self._frame(rows)

    def _prompt(self, prompt: Prompt) -> None:
        self.prompts += 1
        self.last_s = prompt.time_s
        self.tokens[0] += prompt.tokens
        self.tokens[1] += prompt.output_tokens
        begin = prompt.time_s - self.first_s
        now = [begin]

        def computed(blocks: int) -> None:
            if self.request.prefill_per_s is not None:
                now[0] = begin + blocks * self.request.block_tokens / self.request.prefill_per_s

        def transfer(way: int) -> Callable[[int, int], None]:
            def add(slot: int, size: int) -> None:
                self._added += 1
                heapq.heappush(self._pending, (round(now[0] * 1e9), self._added, way, slot, size))
                self.by_second[way][int(now[0])] += size

            return add

        self.tiers.prompt(self._blocks(prompt), transfer(0), transfer(1), computed)

    def _blocks(self, prompt: Prompt) -> list[tuple[object, int]]:
        """Hashes and bytes: full blocks, the last one of what is left."""
        full = self.request.block_bytes
        rest = prompt.tokens - (len(prompt.blocks) - 1) * self.request.block_tokens
        last = min(rest, self.request.block_tokens) * self.request.bytes_per_token
        sizes = [full] * (len(prompt.blocks) - 1) + [last]
        return list(zip(prompt.blocks, sizes, strict=False))

    def _frame(self, rows: list[_Transfer]) -> pl.DataFrame:
        """Transfers cut into block requests."""
        table: npt.NDArray[np.int64] = np.array(rows, dtype=np.int64)
        time_ns, _, way, slot, size = table.T
        most = self.request.io_bytes
        parts = -(-size // most)
        which = np.repeat(np.arange(len(size)), parts)
        part = np.arange(len(which)) - np.repeat(np.cumsum(parts) - parts, parts)
        sizes = np.minimum(most, size[which] - part * most)
        # A last piece that is no whole number of sectors takes the whole sector.
        sizes = -(-sizes // 512) * 512
        ops = way[which]
        for one in (0, 1):
            self.requests[one] += int((ops == one).sum())
        return pl.DataFrame(
            {
                "time_ns": time_ns[which],
                "device": pl.Series([_DEVICE], dtype=pl.Categorical()).new_from_index(0, len(which)),
                "op": pl.Series(OPS, dtype=SCHEMA["op"]).gather(ops.astype(np.uint32)),
                "offset": (slot[which] * self.request.slot_bytes + part * most).astype(np.uint64),
                "size": sizes.astype(np.uint32),
                "response_ns": pl.Series([None] * 1, dtype=pl.Int64()).new_from_index(0, len(which)),
                "stream": pl.Series(_STREAMS, dtype=pl.Categorical()).gather(ops.astype(np.uint32)),
            },
            schema=SCHEMA,
        )

    def _on_prefill(self) -> list[str]:
        if self.request.prefill_per_s is None:
            return ["blocks are computed as soon as a prompt comes, so that writes come in bursts with it"]
        return ["prompts are computed side by side, each at the prefill rate"]

    def result(self, target: Path) -> KvCacheTrace:
        """The counts, and what was written."""
        request, counts = self.request, self.tiers.counts
        seconds = self.last_s - self.first_s
        blocks = counts.memory_hits + counts.storage_hits + counts.computed

        def moved(way: int, total: int) -> KvTransfers:
            return KvTransfers(
                requests=self.requests[way],
                bytes=total,
                mean_bytes_per_s=total / seconds if seconds > 0 else None,
                peak_bytes_per_s=float(max(self.by_second[way].values(), default=0)),
            )

        def share(part: int) -> float | None:
            return part / blocks if blocks else None

        return KvCacheTrace(
            source=str(request.path),
            model=request.model,
            shape=request.shape,
            shape_source=request.shape_source,
            bytes_per_token=request.bytes_per_token,
            block_tokens=request.block_tokens,
            block_bytes=request.block_bytes,
            memory_bytes=request.memory_bytes,
            storage_bytes=request.storage_bytes,
            write=request.write,
            prefill_per_s=request.prefill_per_s,
            prompts=self.prompts,
            seconds=seconds,
            input_tokens=self.tokens[0],
            output_tokens=self.tokens[1],
            blocks=KvBlocks(
                count=blocks,
                memory=counts.memory_hits,
                storage=counts.storage_hits,
                computed=counts.computed,
                memory_share=share(counts.memory_hits),
                storage_share=share(counts.storage_hits),
                computed_share=share(counts.computed),
            ),
            read=moved(0, counts.read_bytes),
            written=moved(1, counts.written_bytes),
            used_bytes=counts.most_slots * request.slot_bytes,
            dropped_blocks=counts.dropped,
            written_per_day_bytes=counts.written_bytes / seconds * _DAY_S if seconds > 0 else None,
            path=str(target),
            bytes=target.stat().st_size,
            notes=[Note(code=ASSUMED, text=text) for text in (*_NOTES, *self._on_prefill())],
        )
