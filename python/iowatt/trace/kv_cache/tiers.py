"""Where blocks of the key-value cache are: memory (GPU and host), storage, or nowhere.

Both tiers forget the block that was used longest ago. A prompt takes its leading blocks from memory or
storage, up to the first that is in neither; the rest are computed. What storage holds is brought to memory
and stays on storage. A block is written to storage when memory drops it (``spill``) or when it was computed
(``compute``), once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal

WriteWhen = Literal["spill", "compute"]
#: Called with the slot of a block on storage and its bytes.
Transfer = Callable[[int, int], None]


@dataclass
class KvTierCounts:
    """Blocks and bytes since the start."""

    memory_hits: int = 0
    storage_hits: int = 0
    computed: int = 0
    read_bytes: int = 0
    written_bytes: int = 0
    dropped: int = 0  #: Blocks that storage forgot.
    most_slots: int = 0


class KvTiers:
    """The two tiers; capacities in bytes, of storage in slots of a block, None without limit."""

    def __init__(self, memory_bytes: int, storage_slots: int | None, when: WriteWhen) -> None:
        self.counts = KvTierCounts()
        self._memory: OrderedDict[Hashable, int] = OrderedDict()
        self._memory_left = memory_bytes
        self._slots: OrderedDict[Hashable, int] = OrderedDict()
        self._most_slots = storage_slots
        self._when = when

    def prompt(
        self,
        blocks: list[tuple[Hashable, int]],
        read: Transfer,
        write: Transfer,
        computed_one: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Serve a prompt of blocks (hash, bytes); ``computed_one`` is called with how many were computed,
        before what the next one displaces is written.
        """
        memory = from_storage = 0
        for block, size in blocks:
            if block in self._memory:
                self._memory.move_to_end(block)
                memory += 1
            elif block in self._slots:
                self._slots.move_to_end(block)
                read(self._slots[block], size)
                self.counts.read_bytes += size
                self._keep(block, size, write)
                from_storage += 1
            else:
                break
        at = memory + from_storage
        for done, (block, size) in enumerate(blocks[at:], 1):
            computed_one(done)
            if self._when == "compute":
                self._store(block, size, write)
            self._keep(block, size, write)
        self.counts.memory_hits += memory
        self.counts.storage_hits += from_storage
        self.counts.computed += len(blocks) - at

    def _keep(self, block: Hashable, size: int, write: Transfer) -> None:
        """Bring a block to memory, which drops others for it."""
        if block in self._memory:
            self._memory.move_to_end(block)
            return
        self._memory[block] = size
        self._memory_left -= size
        while self._memory_left < 0:
            dropped, bytes_ = self._memory.popitem(last=False)
            self._memory_left += bytes_
            if self._when == "spill":
                self._store(dropped, bytes_, write)

    def _store(self, block: Hashable, size: int, write: Transfer) -> None:
        """Write a block to storage unless it is there."""
        if block in self._slots:
            self._slots.move_to_end(block)
            return
        if self._most_slots is not None and len(self._slots) >= self._most_slots:
            _, slot = self._slots.popitem(last=False)
            self.counts.dropped += 1
        else:
            slot = len(self._slots)
        self._slots[block] = slot
        self.counts.most_slots = max(self.counts.most_slots, slot + 1)
        write(slot, size)
        self.counts.written_bytes += size
