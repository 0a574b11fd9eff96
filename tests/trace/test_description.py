"""The description of the shipped traces against independent counts, and a sample against the whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from iowatt.base.errors import Argument
from iowatt.evaluate.validation.cases import FOLDER
from iowatt.trace.description import Description
from iowatt.trace.measure import describe, info
from iowatt.trace.result import AS_READ
from refused import refused

ROOT = Path(__file__).parents[2]
EXCERPT = ROOT / "examples/traces/pg_tpcc_paced_excerpt.parquet"
WEEK = FOLDER / "ajw.1week.srt.gz"
BLOCK = 4096


@pytest.fixture(scope="module")
def excerpt() -> Description:
    return describe({"path": str(EXCERPT)})


@pytest.fixture(scope="module")
def rows() -> pl.DataFrame:
    return pl.read_parquet(EXCERPT).with_columns(pl.col("size").cast(pl.Int64), offset=pl.col("lba") * 512)


@pytest.fixture(scope="module")
def blocks(rows: pl.DataFrame) -> np.ndarray:
    """The blocks of all requests in order."""
    first = rows["offset"].to_numpy() // BLOCK
    last = (rows["offset"] + rows["size"] - 1).to_numpy() // BLOCK
    counts = last - first + 1
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    return starts + np.arange(counts.sum())


def test_it_agrees_with_info(excerpt: Description) -> None:
    counted = info({"path": str(EXCERPT)})
    for key in ("count", "reads", "writes", "read_share"):
        assert getattr(excerpt.requests, key) == getattr(counted.requests, key)
    assert excerpt.bytes == counted.bytes
    for kind in ("all", "read", "write"):
        assert getattr(excerpt.sizes, kind) == getattr(counted.sizes, kind)
    assert excerpt.footprint.total_bytes == counted.footprint.total_bytes
    assert excerpt.footprint.read_bytes == counted.footprint.read_bytes
    assert excerpt.footprint.written_bytes == counted.footprint.written_bytes
    assert excerpt.sequential.consecutive_request_share == counted.sequential.share
    streams = excerpt.sequential.consecutive_in_stream_request_share
    assert streams == pytest.approx(counted.sequential.share_in_streams, rel=0.01)  # on whichever device
    assert excerpt.inter_arrival.cv == pytest.approx(counted.inter_arrival_s.cv, rel=1e-6)
    assert excerpt.streams.count == counted.streams.count


def test_counts_by_numpy(excerpt: Description, rows: pl.DataFrame) -> None:
    sizes = rows.group_by("size").len().sort("size")
    histogram = excerpt.sizes.histogram
    assert histogram.bytes == sizes["size"].to_list()
    assert [r + w for r, w in zip(histogram.reads, histogram.writes, strict=True)] == sizes["len"].to_list()

    time = (rows["time_s"] * 1e9).round().to_numpy().astype(np.int64)
    since = time - time[0]
    gaps = np.diff(since) / 1e9
    measured = excerpt.inter_arrival
    assert measured.moments == pytest.approx([np.mean(gaps**k) for k in (1, 2, 3)])
    assert measured.percentiles_s["p99"] == pytest.approx(np.quantile(gaps, 0.99), rel=0.01)
    assert measured.lag1_autocorrelation == pytest.approx(np.corrcoef(gaps[:-1], gaps[1:])[0, 1], abs=1e-3)
    for width in (1, 8):
        counts = np.bincount(since // (width * 10**9))[: since[-1] // (width * 10**9)]
        (scale,) = (s for s in excerpt.burstiness.scales if s.window_s == width)
        assert scale.windows == len(counts)
        assert scale.idc == pytest.approx(counts.var(ddof=1) / counts.mean())
        assert scale.peak == counts.max()
    over = excerpt.over_time
    assert over.window_s == 1
    reads = np.bincount(since[(rows["op"] == "R").to_numpy()] // 10**9, minlength=len(over.reads))
    assert over.reads == reads.tolist()


def test_blocks_by_numpy(excerpt: Description, rows: pl.DataFrame, blocks: np.ndarray) -> None:
    _, touched = np.unique(blocks, return_counts=True)
    hottest = np.sort(touched)[::-1].cumsum() / touched.sum()
    for point in excerpt.block_skew:
        at = point.hottest * len(hottest)
        share = np.interp(at, np.arange(len(hottest) + 1), np.concatenate([[0], hottest]))
        assert point.reference_share == pytest.approx(share)
    space = excerpt.density
    extents = (rows["offset"] // space.extent_bytes * space.extent_bytes).unique().len()
    assert extents <= space.touched <= 1024  # some are only run into
    assert sum(space.extents.reads) == excerpt.requests.reads
    assert sum(space.extents.bytes_written) == excerpt.bytes.written


@pytest.mark.parametrize("ratio", ["requests", "bytes"])
def test_a_sample_of_the_excerpt_is_within_a_hundredth(excerpt: Description, ratio: str) -> None:
    sampled = describe({"path": str(EXCERPT)}, regions=1 << 14)
    assert (excerpt.reuse.sample.method, sampled.reuse.sample.method) == (
        "exact",
        "sampled",
    )
    assert sampled.reuse.sample.rate < 0.25
    whole, part = excerpt.reuse.miss_ratio, sampled.reuse.miss_ratio
    found = np.interp(whole.cache_bytes, part.cache_bytes, getattr(part, ratio))
    assert np.abs(found - getattr(whole, ratio)).mean() < 0.01
    stated = np.mean(getattr(part, f"{ratio}_standard_error"))
    assert np.abs(found - getattr(whole, ratio)).mean() < 3 * stated < 0.1
    assert not any(getattr(whole, f"{ratio}_standard_error"))
    assert [note.code for note in sampled.notes if "estimates" in note.text] == [AS_READ]


def test_the_week_of_two_disks_has_its_known_figures() -> None:
    """Measured before by other programs (docs/validation.md)."""
    week = describe({"path": str(WEEK)})
    assert week.requests.count == 44_519
    assert week.requests.read_share == pytest.approx(0.293, abs=0.0005)
    assert week.span.duration_s / 3600 == pytest.approx(167.5, abs=0.05)
    assert week.sizes.read.mean / 1024 == pytest.approx(4.6, abs=0.05)
    assert week.sizes.write.mean / 1024 == pytest.approx(6.3, abs=0.05)
    assert week.rate.iops == pytest.approx(0.074, abs=0.0005)
    assert week.inter_arrival.cv == pytest.approx(9.8, abs=0.05)
    assert week.footprint.total_bytes / 1e6 == pytest.approx(30, abs=0.5)
    assert week.sequential.consecutive_request_share == pytest.approx(0.014, abs=0.0005)
    assert len(week.envelope.hour_of_day) == 24
    assert np.mean(week.envelope.hour_of_day) == pytest.approx(1, abs=0.05)
    assert week.envelope.day_of_week is None  # half an hour short of a week


def test_options_are_refused_before_anything_is_read() -> None:
    for options, argument in (
        ({"block_bytes": 1000}, "block"),
        ({"extent_bytes": 512}, "extent"),
        ({"regions": 3}, "regions"),
        ({"lookback": 0}, "lookback"),
        ({"cache_bytes": [100]}, "cache"),
    ):
        with refused("out-of-range", Argument(argument)):
            describe({"path": "nowhere.csv"}, **options)  # type: ignore[arg-type]
