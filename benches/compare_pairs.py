"""How often `iowatt.compare` calls two Runs of one scenario different that have nothing but another seed.

Whole Runs of the simulator through the whole lens, all figures together: the promise is 5 % at most.
`benches/compare.py` tries the statistics alone, on series whose truth is known.

    python benches/compare_pairs.py [PAIRS]
"""

from __future__ import annotations

import sys

import iowatt

SCENARIO = """
name = "pairs"
seed = 1

[[workload]]
name = "uniform"
profile = { name = "uniform", rate_iops = 150, duration = "120s" }

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 2
raid = { level = 0, stripe_unit = "64KiB" }

[observe]
interval = "1s"
warmup = "5s"
"""


def main(pairs: int) -> None:
    """Run the pairs and print how many were called different, and how often the mean's interval held 0."""
    different = held = 0
    for at in range(pairs):
        before, after = (iowatt.run(SCENARIO, seed=2 * at + one) for one in (1, 2))
        rows = iowatt.compare(before, after).differences
        different += any(row.verdict in ("better", "worse") for row in rows)
        low, high = next(row.interval for row in rows if row.metric == "mean")
        held += low <= 0 <= high
    print(f"{pairs} pairs: {different} called different ({100 * different / pairs:.1f} %, 5 % at most)")
    print(f"95 % interval of the mean's difference held 0 in {held} ({100 * held / pairs:.1f} %)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
