"""Simulates all 5,000 points of tests/space_of_5000.py and keeps their figures: three minutes on two cores.

    python scripts/enumerate_space.py

Needed again where the simulator's figures have changed (tests/search/test_optimize_5000.py says so).
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import iowatt  # noqa: E402 - behind the path above
from space_of_5000 import METRICS, OVER, SCENARIO, SIMULATED  # noqa: E402


def main() -> None:
    """Simulate and write."""
    frame = iowatt.sweep(SCENARIO, OVER)
    SIMULATED.parent.mkdir(parents=True, exist_ok=True)
    frame.select("point", "status", *METRICS).write_parquet(
        SIMULATED, compression="zstd", compression_level=19
    )
    sys.stdout.write(f"{SIMULATED.relative_to(ROOT)}: {frame.height} points\n")


if __name__ == "__main__":
    main()
