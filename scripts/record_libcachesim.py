"""Records libCacheSim's hit counts as test data: what iowatt's policies must count too.

libcachesim is GPL and no dependency: install it where nothing else is, and name that Python:

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install libcachesim
    .venv/bin/python scripts/record_libcachesim.py --peer /tmp/peer/bin/python --traces FOLDER

Traces of the repository are always recorded; those of ``--traces`` are not shipped, and their counts are
checked wherever IOWATT_TRACES names a folder that has them (tests/caching/test_cache_beside_libcachesim.py).
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import references  # noqa: E402 - after the path, see above

TARGET = ROOT / "tests" / "data" / "cache" / "libcachesim.json"
SHIPPED = [
    ("examples/traces/pg_tpcc_paced_excerpt.parquet", 4096),
    ("examples/traces/pg_tpch_excerpt.parquet", 4096),
    ("python/iowatt/model/library/validation/ajw.1week.srt.gz", 1024),
]
OTHERS = [
    ("cloudphysics_w106.caffeine-be32.trace.gz", 512),
    ("arc_P6.lis.gz", 512),
    ("arc_OLTP.lis.gz", 512),
    ("cloudPhysicsIO.vscsi.gz", 4096),
    ("pg_tpcc.parquet", 4096),
]
POLICIES = ["lru", "fifo", "clock", "2q", "arc", "lfu", "s3-fifo", "sieve"]
SHARES = [0.001, 0.01, 0.1, 0.3]


def recorded(path: Path, block: int, peer: str, folder: Path) -> dict[str, Any]:
    """Counts of one trace."""
    names = references.blocks(path, block)
    distinct = len(set(names.tolist()))
    file = folder / "references.oracleGeneral"
    references.write(names, file, block)
    sizes = [int(share * distinct) for share in SHARES if int(share * distinct) >= 20]
    caches = [[policy, size] for policy in POLICIES for size in sizes]
    command = [peer, str(ROOT / "benches" / "libcachesim_peer.py"), json.dumps([str(file), caches, 1])]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    hits: dict[str, dict[str, int]] = {policy: {} for policy in POLICIES}
    version = ""
    for line in printed.splitlines():
        found = json.loads(line)
        count = len(names) * (1 - found["miss_ratio"])
        assert abs(count - round(count)) < 1e-3, found
        hits[found["policy"]][str(found["size"])] = round(count)
        version = found["version"]
    return {
        "block_bytes": block,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "references": len(names),
        "blocks": distinct,
        "libcachesim": version,
        "hits": hits,
    }


def main() -> None:
    """Record everything that is there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", required=True, help="a Python that has libcachesim")
    parser.add_argument("--traces", type=Path, help="folder of the traces that are not shipped")
    options = parser.parse_args()
    others = [] if options.traces is None else [(options.traces / name, block) for name, block in OTHERS]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for path, block in [*((ROOT / name, block) for name, block in SHIPPED), *others]:
            name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
            found[name] = recorded(path, block, options.peer, Path(folder))
            sys.stderr.write(f"{name}: {found[name]['references']} references\n")
    document = {"recorded": datetime.datetime.now(datetime.UTC).date().isoformat(), "traces": found}
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
