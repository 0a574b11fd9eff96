"""The result of ``iowatt trace kv-cache``: what the tiers did, and the trace that was written."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from iowatt.base.results import Note, Result, ResultDocument


class KvBlocks(Result):
    """Blocks of all prompts by where they came from, and shares of them."""

    count: int
    memory: int
    storage: int
    computed: int
    memory_share: float | None
    storage_share: float | None
    computed_share: float | None


class KvTransfers(Result):
    """Bytes of one direction between the tiers."""

    requests: int  #: Block requests of the trace.
    bytes: int
    mean_bytes_per_s: float | None
    peak_bytes_per_s: float  #: Most bytes in a second, from a whole second on.


class KvCacheTrace(ResultDocument):
    """A request log of language-model serving as a block trace."""

    schema_id: Literal["iowatt.kv-cache/1"] = Field(default="iowatt.kv-cache/1", alias="schema")
    source: str
    model: str | None
    shape: str  #: How the bytes of a token come about.
    shape_source: str  #: Where the shape is from, and its quality mark.
    bytes_per_token: int
    block_tokens: int
    block_bytes: int
    memory_bytes: int
    storage_bytes: int | None  #: Of the tier; None without limit.
    write: Literal["spill", "compute"]
    prefill_per_s: float | None  #: Tokens computed in a second by a prompt; None: at once.
    prompts: int
    seconds: float  #: From the first prompt to the last.
    input_tokens: int
    output_tokens: int
    blocks: KvBlocks
    read: KvTransfers
    written: KvTransfers
    used_bytes: int  #: Address space that the trace reaches.
    dropped_blocks: int
    written_per_day_bytes: float | None  #: At this rate; over the capacity it is drive writes a day.
    path: str
    bytes: int  #: Of the file.
    notes: list[Note]
