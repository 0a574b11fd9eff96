"""Caches alone: against a cache written in six lines; objects, warm-up, shares, what is refused."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.caches import request
from iowatt.evaluate.caches.simulate import parse_size, simulate
from iowatt.model import cache_policies
from iowatt.pages.caches import document
from iowatt.render import write
from iowatt.trace.open import requests
from refused import faults, refused

BLOCK = 4096
LRU = [cache_policies.policy("lru")]


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """Requests of all sizes at odd places, hot and cold, on two devices."""
    random = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("caches") / "trace.csv"
    rows = ["time_ms,op,offset,size,device"]
    for at in range(6_000):
        hot = random.random() < 0.7
        offset = int(random.integers(0, 400_000 if hot else 40_000_000)) // 512 * 512
        size = int(random.choice([512, 4096, 8192, 65_536]))
        rows.append(f"{at},{'RW'[random.random() < 0.4]},{offset},{size},{'ab'[random.random() < 0.2]}")
    path.write_text("\n".join(rows) + "\n")
    return path


def naive(spec, slots, block, *, first=0, around=False):
    """Requests, bytes and hits of an LRU list: reads, writes."""
    cache: OrderedDict[tuple[int, int], None] = OrderedDict()
    counts = np.zeros((4, 2), np.int64)
    number = 0
    for batch in requests(spec):
        columns = [batch[key].tolist() for key in ("op", "offset", "size", "device")]
        for way, offset, size, device in zip(*columns, strict=True):
            end, present = offset + size, 0
            for at in range(offset // block, (end - 1) // block + 1):
                key = (device, at)
                if key in cache:
                    present += min(end, (at + 1) * block) - max(offset, at * block)
                elif around and way:
                    continue
                cache[key] = None
                cache.move_to_end(key)
                if len(cache) > slots:
                    cache.popitem(last=False)
            number += 1
            if number > first:
                counts[:, way] += [1, present == size, size, present]
    return counts


@pytest.mark.parametrize("around", [False, True])
@pytest.mark.parametrize(("slots", "block", "first"), [(20, BLOCK, 0), (300, BLOCK, 2500), (50, 512, 5999)])
def test_counts_are_those_of_a_naive_lru(trace, slots, block, first, around):
    spec = {"path": str(trace), "device": "*"}
    found = simulate(
        spec,
        LRU,
        [parse_size(f"{slots * block}B", objects=False)],
        block_bytes=block,
        warm_up_requests=first,
        writes="around" if around else "allocate",
    )
    expected = naive(spec, slots, block, first=first, around=around)
    [cache] = found.caches
    for way, name in enumerate(("read", "write")):
        assert found.requests.model_dump()[name] == expected[0, way]
        assert cache.hits.requests.model_dump()[name] == expected[1, way]
        assert found.bytes.model_dump()[name] == expected[2, way]
        assert cache.hits.bytes.model_dump()[name] == expected[3, way]
    all_requests, hits, all_bytes, hit_bytes = expected.sum(axis=1)
    assert cache.hit_ratio == hits / all_requests
    assert cache.hit_bytes_ratio == hit_bytes / all_bytes
    assert found.warm_up.requests_passed == first


def test_a_warm_up_may_be_a_time(trace):
    size = [parse_size("1MiB", objects=False)]
    spec = {"path": str(trace)}
    by_time = simulate(spec, LRU, size, warm_up_s=2.5)
    by_count = simulate(spec, LRU, size, warm_up_requests=2500)
    assert by_time.caches == by_count.caches
    with refused("empty", Argument("warm_up")):
        simulate(spec, LRU, size, warm_up_s=100.0)


def test_objects_are_told_apart_by_their_first_byte(tmp_path):
    path = tmp_path / "objects.csv"
    # 0 and 512 are two objects, 100 is a third; the size says nothing.
    rows = [(0, 4096), (512, 512), (100, 10), (0, 512), (512, 4096), (100, 1), (700, 1)]
    path.write_text("time_ms,op,offset,size\n" + "".join(f"{i},R,{o},{s}\n" for i, (o, s) in enumerate(rows)))
    found = simulate({"path": str(path)}, LRU, [parse_size("3", objects=True)], block_bytes=None)
    [cache] = found.caches
    assert (found.footprint, cache.hits.requests.all, cache.evictions) == (4, 3, 1)
    assert cache.hits.bytes.all == 512 + 4096 + 1
    assert (cache.size_bytes, found.footprint_bytes) == (None, None)


def test_shares_are_of_the_footprint_or_of_the_span(trace):
    spec = {"path": str(trace)}
    ten = [parse_size("10%", objects=False)]
    found = simulate(spec, LRU, ten)
    assert found.caches[0].slots == found.footprint // 10
    spanned = simulate(spec, LRU, ten, share_of="span")
    assert spanned.caches[0].slots == -(-spanned.span_bytes // BLOCK) // 10
    known = simulate(spec, LRU, ten, share_of="span", span_bytes=1 << 30)
    assert known.caches[0].slots == (1 << 30) // BLOCK // 10


def test_many_caches_in_one_pass_are_each_as_if_alone(trace):
    spec = {"path": str(trace)}
    everyone = [cache_policies.policy(name) for name in cache_policies.NAMES]
    wanted = [parse_size(text, objects=False) for text in ("256KiB", "2MiB")]
    together = simulate(spec, everyone, wanted).caches
    alone = [simulate(spec, [policy], [size]).caches[0] for policy in everyone for size in wanted]
    assert together == alone
    assert len({cache.hits.requests.all for cache in together}) > 9, "policies differ"


def test_the_hot_band_after_its_warm_up_is_that_of_a_naive_lru():
    source = request.profile_source(
        "hot-band",
        ['sizes=[{size="8k",share=100}]'],
        requests=60_000,
        span=200_000_000,
    )
    found = simulate(
        source.trace,
        LRU,
        [parse_size("3%", objects=False)],
        block_bytes=8192,
        share_of="span",
        span_bytes=source.span_bytes,
        warm_up_requests=30_000,
        notes=source.notes,
    )
    [cache] = found.caches
    assert cache.slots == 200_000_000 * 3 // 100 // 8192
    expected = naive(source.trace, cache.slots, 8192, first=30_000)
    assert cache.hits.requests.read == expected[1, 0]
    assert cache.hits.bytes.write == expected[3, 1]
    assert "assumed-rate" in [note.code for note in found.notes]


@pytest.mark.parametrize(
    ("text", "fault", "figures"),
    [
        ("mru", "unknown-name", ["'mru'"]),
        ("lru:bits=2", "unknown-name", ["'bits'"]),
        ("s3-fifo:bits=2", "unknown-name", []),
        ("clock:bits=9", "out-of-range", ["1", "8"]),
        ("clock:bits", "bad-syntax", []),
        ("w-tinylfu:window_share=2", "out-of-range", ["0", "1"]),
    ],
)
def test_a_wrong_policy_is_refused_with_what_is_accepted(text, fault, figures):
    with pytest.raises(InputError) as error:
        cache_policies.parsed(text)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


@pytest.mark.parametrize(
    ("text", "objects", "fault", "figures"),
    [
        ("0%", False, "out-of-range", ["0", "100"]),
        ("101%", False, "out-of-range", ["0", "100"]),
        ("12", False, "bad-syntax", []),
        ("1GiB", True, "bad-syntax", []),
        ("-1%", False, "out-of-range", []),
    ],
)
def test_a_wrong_size_is_refused_with_what_is_accepted(text, objects, fault, figures):
    with pytest.raises(InputError) as error:
        parse_size(text, objects=objects)
    assert faults(error.value) == fault
    assert [figure for figure in figures if figure not in str(error.value)] == []


def test_a_size_that_holds_nothing_is_refused(trace):
    with refused("out-of-range", Argument("sizes")) as caught:
        simulate({"path": str(trace)}, LRU, [parse_size("1KiB", objects=False)])
    assert "4096" in str(caught.value)


def test_the_page_has_a_table_for_every_figure(trace, tmp_path):
    wanted = [parse_size(text, objects=False) for text in ("256KiB", "2MiB", "8MiB")]
    found = simulate(
        {"path": str(trace)}, [cache_policies.policy(name) for name in cache_policies.NAMES], wanted
    )
    write.write(document(found), tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    for name in cache_policies.TITLES.values():
        assert f"{name}</th>" in text or f"{name} (%)" in text
    assert text.count("<figure") >= 2
    alone = simulate({"path": str(trace)}, LRU, wanted[:1])
    assert list(document(alone).ids()) == ["caches-miss-requests", "caches-caches", "caches-miss-bytes"]
    assert document(alone).chart.table.columns[0].title == "Policy"
    assert document(found).chart.table.columns[0].title == "Cache"
