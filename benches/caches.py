"""Caches alone beside libCacheSim's batch call: the same references, one policy at a time, taking turns.

libcachesim is GPL and no dependency. Install it where nothing else is, and name that Python:

    python3 -m venv /tmp/peer && /tmp/peer/bin/pip install libcachesim
    LIBCACHESIM_PYTHON=/tmp/peer/bin/python make bench
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import references
from libcachesim_peer import CLASSES
from measure import Figures, in_own_process

BLOCK = 4096
SHARE = 0.1
"""Size of the caches, of the blocks that are touched."""

OTHERS = [("cloudphysics_w106.caffeine-be32.trace.gz", 512), ("arc_P6.lis.gz", 512)]
"""Measured too where IOWATT_TRACES names a folder that has them."""

COMPARED = tuple(policy for policy in CLASSES if policy != "w-tinylfu")
"""Policies whose hits are the same on both sides."""


def peer() -> str | None:
    """A Python that has libcachesim."""
    named = os.environ.get("LIBCACHESIM_PYTHON")
    if named:
        return named
    return sys.executable if importlib.util.find_spec("libcachesim") else None


def traces(excerpt: Path, limit: int | None) -> Iterator[tuple[str, Any, int]]:
    """Name, references and block of each trace."""
    yield excerpt.name, references.blocks(excerpt, BLOCK)[:limit], BLOCK
    folder = os.environ.get("IOWATT_TRACES")
    for name, block in OTHERS:
        if folder is not None and (Path(folder) / name).is_file():
            yield name, references.blocks(Path(folder) / name, block)[:limit], block


def beside_libcachesim(python: str, path: Path, policy: str, size: int, times: int) -> Figures:
    """References per CPU second of both, each the best of so many turns, and their ratio."""
    ours, theirs = [], []
    command = [python, str(Path(__file__).with_name("libcachesim_peer.py"))]
    for _ in range(times):
        done = subprocess.run(
            [*command, json.dumps([str(path), [[policy, size]], 1])],
            capture_output=True,
            text=True,
            check=True,
        )
        theirs.append(json.loads(done.stdout))
        ours.append(in_own_process("caches", str(path), policy, str(size)))
    count = ours[0]["references"]
    if policy in COMPARED and round(count * (1 - theirs[0]["miss_ratio"])) != ours[0]["hits"]:
        raise RuntimeError(f"{policy}: {ours[0]['hits']} hits are not those of libcachesim")
    mine, other = (count / min(figures["cpu_s"] for figures in side) for side in (ours, theirs))
    return {
        "references": count,
        "references_per_cpu_s": mine,
        "libcachesim_references_per_cpu_s": other,
        "times_libcachesim": mine / other,
    }


def many_at_once(path: Path, sizes: list[int]) -> Figures:
    """All policies at several sizes in one pass."""
    return in_own_process("caches", str(path), ",".join(CLASSES), ",".join(map(str, sizes)))
