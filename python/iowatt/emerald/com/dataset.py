"""Data of known content, made from a seed: any block can be made again, so what was written can be verified.

- irreducible: every block is random and unlike all others;
- duplicable: a few random blocks, repeated;
- compressible: every block is unlike all others, and three quarters of each kibibyte of it are zeros, so that
  a page of any size has its share and is unlike all others.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

Kind = Literal["irreducible", "duplicable", "compressible"]

BLOCK: Final = 8192
"""Bytes of a block: what is repeated, and aligned."""

CHUNK: Final = 1 << 20
"""Bytes that are made at a time."""

DISTINCT: Final = 16
"""Different blocks of a duplicable set."""

GRAIN: Final = 1024
"""Bytes of a grain of a compressible set, which ends in zeros."""

ZEROS: Final = 0.75
"""Share of zeros of each grain of a compressible set."""

_SAMPLE_PAGES: Final = 256


@dataclass(frozen=True)
class Reducible:
    """Possible savings of a set, measured on its bytes."""

    duplicates: float  #: Share of pages whose contents another page had before.
    #: Bytes of a page over the bytes it takes compressed (zlib, level 1), over distinct pages; 1 at least.
    compression: float


@dataclass(frozen=True)
class DataSet:
    """Bytes of one kind; sets of different seeds share no block."""

    kind: Kind
    size: int
    seed: int

    def chunks(self) -> Iterator[bytes]:
        """The whole set, a mebibyte at a time; the last piece may be shorter."""
        for number in range(-(-self.size // CHUNK)):
            whole = self.chunk(number)
            yield whole[: min(CHUNK, self.size - number * CHUNK)]

    def chunk(self, number: int) -> bytes:
        """The mebibyte ``number``, whole."""
        if self.kind == "duplicable":
            few = np.frombuffer(self._random(0, DISTINCT * BLOCK), np.uint8).reshape(DISTINCT, BLOCK)
            per = CHUNK // BLOCK
            which = (np.arange(per) + number * per) % DISTINCT
            return few[which].tobytes()
        blocks = np.frombuffer(self._random(number + 1, CHUNK), np.uint8).reshape(-1, BLOCK)
        if self.kind == "compressible":
            blocks = blocks.copy()
            blocks.reshape(-1, GRAIN)[:, round(GRAIN * (1 - ZEROS)) :] = 0
        return blocks.tobytes()

    def reducible(self, page: int) -> Reducible:
        """Possible savings of an array with pages of ``page`` bytes, measured on a sample of the set."""
        seen: set[bytes] = set()
        packed = total = repeated = 0
        for piece in self._pages(page):
            total += 1
            if piece in seen:
                repeated += 1
                continue
            seen.add(piece)
            packed += min(len(zlib.compress(piece, 1)), page)
        if not total:
            return Reducible(0.0, 1.0)
        # The sample is small against a duplicable set: all pages but the first few are repeats.
        share = repeated / total
        if repeated:
            share = 1 - len(seen) / max(1, self.size // page)
        return Reducible(share, len(seen) * page / packed)

    def _pages(self, page: int) -> Iterator[bytes]:
        held, count = b"", 0
        for chunk in self.chunks():
            held += chunk
            while len(held) >= page:
                piece, held = held[:page], held[page:]
                yield piece
                count += 1
                if count == max(_SAMPLE_PAGES, 4 * DISTINCT):
                    return

    def _random(self, stream: int, count: int) -> bytes:
        """Random bytes that depend on seed, kind and stream alone."""
        key = [self.seed, ("irreducible", "duplicable", "compressible").index(self.kind) << 48 | stream]
        return np.random.Generator(np.random.Philox(key=np.array(key, np.uint64))).bytes(count)
