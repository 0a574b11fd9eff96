"""Response times counted one by one: bins, blocks of time and cells against a plain count of the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import Argument
from iowatt.run.histogram import Histogram
from iowatt.sources import responses
from iowatt.sources.responses import TimeBlocks, TimeCells, exact_sums
from refused import refused

TIMES = st.integers(0, (1 << 61) - 1)


@given(value=TIMES, bits=st.sampled_from([8, 10]))
def test_a_value_lies_in_its_bin_and_the_bin_is_narrow(value, bits):
    number = responses.bin_numbers(np.array([value]), bits)
    low, high = (int(end[0]) for end in responses.bin_ranges(number, bits))
    assert low <= value <= high
    assert high - low <= low >> bits
    # The next bin begins where this one ends.
    assert int(responses.bin_numbers(np.array([high + 1]), bits)[0]) == int(number[0]) + 1


def test_values_below_512_have_bins_of_their_own_and_those_above_256_a_doubling():
    numbers = responses.bin_numbers(np.arange(2048), 8)
    assert numbers[:512].tolist() == list(range(512))
    assert len(set(numbers[512:1024].tolist())) == len(set(numbers[1024:].tolist())) == 256


@given(values=st.lists(TIMES, max_size=50))
def test_sums_are_exact(values):
    at = np.arange(len(values)) % 3
    found = exact_sums(at, np.array(values, dtype=np.int64) >> 6, 3)
    assert found.tolist() == [sum(v >> 6 for v in values[k::3]) for k in range(3)]


REQUESTS = st.lists(
    st.tuples(st.integers(0, 4_000_000_000), st.integers(0, 1), st.integers(0, 900_000_000)),
    min_size=1,
    max_size=80,
)


@settings(deadline=None, max_examples=60)
@given(requests=REQUESTS, cut=st.integers(1, 30))
def test_blocks_hold_each_request_once_whatever_the_batches(requests, cut):
    done, op, response = (np.array(column, dtype=np.int64) for column in zip(*requests, strict=True))
    blocks = TimeBlocks()
    for first in range(0, done.size, cut):
        part = slice(first, first + cut)
        blocks.add(done[part], op[part].astype(np.uint8), response[part])
    found = blocks.blocks(100.0, 100.0 + float(done.max()) / 1e9)
    assert math.log2(blocks.width_ns / 1e6).is_integer()
    assert done.max() // blocks.width_ns < 512
    assert blocks.width_ns == 1_000_000 or done.max() // (blocks.width_ns // 2) >= 512
    whole = {(block.op, round((block.start - 100.0) * 1e9) // 1000): block for block in found}
    assert len(whole) == len(found)
    for way, name in enumerate(("read", "write")):
        for number in range(512):
            own = response[(op == way) & (done // blocks.width_ns == number)]
            block = whole.get((name, number * blocks.width_ns // 1000))
            if not own.size:
                assert block is None
                continue
            assert (block.histogram.total, block.sum_ns, block.max_ns) == (own.size, own.sum(), own.max())
            exact = np.sort(own)
            for q in (0.1, 0.5, 0.99, 1.0):
                value = int(exact[max(1, math.ceil(q * own.size - 1e-9)) - 1])
                assert value <= block.histogram.quantile(q) <= value + (value >> 8)


@settings(deadline=None, max_examples=60)
@given(requests=REQUESTS, unknown=st.sets(st.integers(0, 79)), cut=st.integers(1, 30))
def test_cells_add_up(requests, unknown, cut):
    when, op, response = (np.array(column, dtype=np.int64) for column in zip(*requests, strict=True))
    response[[k for k in unknown if k < response.size]] = -1
    size = np.arange(response.size, dtype=np.int64) * 512 + 512
    cells = TimeCells()
    for first in range(0, when.size, cut):
        part = slice(first, first + cut)
        cells.add(when[part], op[part].astype(np.uint8), size[part], response[part])
    end = 50.0 + float(when.max()) / 1e9
    intervals = cells.intervals(50.0, end)
    assert intervals[0].start == 50.0 and intervals[-1].end == end
    assert when.max() // cells.width_ns < 300
    for number, interval in enumerate(intervals):
        inside = np.sort(response[(when // cells.width_ns == number) & (response >= 0)])
        assert interval.histogram.total == inside.size
        for q in (0.5, 0.99) if inside.size else ():
            value = int(inside[max(1, math.ceil(q * inside.size - 1e-9)) - 1])
            assert value <= interval.histogram.quantile(q) <= value + (value >> 8)
    for way, name in enumerate(("read", "write")):
        parts = [getattr(interval, name) for interval in intervals]
        own = op == way
        known = own & (response >= 0)
        assert sum(part.requests for part in parts) == own.sum()
        assert sum(part.known for part in parts) == known.sum()
        assert sum(part.bytes for part in parts) == size[own].sum()
        total = cells.total(way)
        if known.any():
            assert total.response_mean_s == pytest.approx(response[known].mean() / 1e9)
            assert total.response_std_s == pytest.approx(response[known].std() / 1e9, abs=1e-7)
            assert total.response_max_s == response[known].max() / 1e9
        else:
            assert total.response_mean_s is None


def test_intervals_of_a_given_length_are_kept_and_bounded():
    cells = TimeCells(250_000_000)
    one = np.ones(1, dtype=np.int64)
    cells.add(one * 999_999_999, one.astype(np.uint8), one, one)
    assert [interval.write.requests for interval in cells.intervals(0.0, 1.0)] == [0, 0, 0, 1]
    with refused("out-of-range", Argument("interval", "0.25 s")):
        cells.add(one * 250_000_000 * 1_000_001, one.astype(np.uint8), one, one)


def test_of_too_many_cells_no_histograms_are_kept():
    cells = TimeCells(1000)
    one = np.ones(1, dtype=np.int64)
    cells.add(one * 1999_000, one.astype(np.uint8), one, one)
    assert cells.intervals(0.0, 1.0)[-1].histogram.total == 1
    cells.add(one * 2000_000, one.astype(np.uint8), one, one)
    assert all(interval.histogram is None for interval in cells.intervals(0.0, 1.0))


def test_lengths_grow_with_the_trace():
    one = np.ones(1, dtype=np.int64)
    for seconds, width in ((2, 10**7), (20, 10**8), (200, 10**9), (7200, 60 * 10**9)):
        cells = TimeCells()
        cells.add(one * seconds * 10**9, one.astype(np.uint8), one, one)
        assert cells.width_ns == width


def test_parts_merge_without_loss():
    rng = np.random.default_rng(3)
    done, response = np.sort(rng.integers(0, 10**10, 5000)), rng.integers(10_000, 10**8, 5000)
    blocks = TimeBlocks()
    blocks.add(done, np.zeros(5000, dtype=np.uint8), response)
    merged = Histogram.merged([block.histogram for block in blocks.blocks(0.0, 10.0)])
    exact = np.sort(response)
    for q in (0.5, 0.9, 0.99, 0.999):
        value = int(exact[math.ceil(q * 5000) - 1])
        assert value <= merged.quantile(q) <= value * (1 + 1 / 256)
