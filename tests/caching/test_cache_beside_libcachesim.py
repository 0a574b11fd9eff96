"""Hit counts equal those of libCacheSim's Python package, recorded by scripts/record_libcachesim.py."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from iowatt.evaluate.caches.simulate import CacheSize, simulate
from iowatt.model import cache_policies

ROOT = Path(__file__).parents[2]
RECORDED = json.loads((ROOT / "tests/data/cache/libcachesim.json").read_text())["traces"]
FOLDER = os.environ.get("IOWATT_TRACES")


def found_at(name):
    if "/" in name:
        return ROOT / name
    if FOLDER is None or not (Path(FOLDER) / name).is_file():
        pytest.skip(f"{name} is not shipped: set IOWATT_TRACES to a folder that has it")
    path = Path(FOLDER) / name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == RECORDED[name]["sha256"], "another file"
    return path


@pytest.mark.parametrize("name", list(RECORDED))
def test_hits_are_those_of_libcachesim(name, tmp_path):
    recorded, path = RECORDED[name], found_at(name)
    block = recorded["block_bytes"]
    trace = {"path": str(path), "order_only": True}
    if ".caffeine-be32." in name:  # keys without a format of their own
        sys.path.insert(0, str(ROOT / "benches"))
        import references

        file = tmp_path / "keys.oracleGeneral"
        references.write(references.blocks(path, block), file, block)
        trace = {"path": str(file)}
    asked = list(recorded["hits"])
    counts = list(recorded["hits"]["lru"])
    found = simulate(
        trace,
        [cache_policies.policy(policy) for policy in asked],
        [CacheSize(count, slots=int(count)) for count in counts],
        block_bytes=block,
    )
    assert found.references.all == recorded["references"]
    assert found.footprint == recorded["blocks"]
    for cache in found.caches:
        hits = cache.hits.references.all
        assert hits == recorded["hits"][cache.policy][str(cache.slots)], (
            cache.policy,
            cache.slots,
        )


def test_what_is_recorded_is_worth_comparing():
    for recorded in RECORDED.values():
        assert set(recorded["hits"]) == set(cache_policies.NAMES) - {"w-tinylfu"}
        for counts in recorded["hits"].values():
            assert len(counts) >= 2
            assert all(0 < hits < recorded["references"] for hits in counts.values())
