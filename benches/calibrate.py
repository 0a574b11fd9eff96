"""A fixed piece of work that has nothing to do with iowatt: what a speed is divided by.

Compressing text and sorting numbers take the CPU as a simulation does: integers, branches that depend on the
data, and some MiB of memory, so that both lose about as much where others use the caches. Every entry of
``history.toml`` rests on :class:`Work`: do not change it. ``python calibrate.py SECONDS`` prints its passes
in a CPU second.
"""

from __future__ import annotations

import random
import sys
import time
import zlib


class Work:
    """The inputs, made once, and one pass over them."""

    def __init__(self) -> None:
        draw = random.Random(1).random
        self.text = b"".join(b"%d %d\n" % (1000 * draw(), 40_000_000 * draw()) for _ in range(8_000))
        self.numbers = [draw() for _ in range(200_000)]

    def once(self) -> tuple[int, float]:
        """One pass; the checksum of the text compressed and restored, and the median of the numbers."""
        restored = zlib.decompress(zlib.compress(self.text, 6))
        return zlib.crc32(restored), sorted(self.numbers)[100_000]


def passes_per_cpu_s(seconds: float) -> float:
    """Passes per CPU second over a little more than ``seconds``, after one that loads what is loaded once."""
    work = Work()
    work.once()
    began, passes = time.process_time(), 0
    while (spent := time.process_time() - began) < seconds:
        work.once()
        passes += 1
    return passes / spent


if __name__ == "__main__":
    print(passes_per_cpu_s(float(sys.argv[1])))
