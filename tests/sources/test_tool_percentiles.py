"""The bar of measured latency: our histograms give the percentiles that fio and vdbench print."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from iowatt.run.histogram import Histogram
from iowatt.sources import vdbench
from iowatt.sources.fio import document, histograms

DATA = Path(__file__).parents[1] / "data"
OUTPUTS = [DATA / "fio" / "json_plus_3.33_sample.json", DATA / "fio-hist" / "out.json"]


def printed():
    """Every percentile of the samples: file, job, direction, kind, percent, value."""
    for path in OUTPUTS:
        for number, job in enumerate(json.loads(path.read_text())["jobs"]):
            for direction in ("read", "write"):
                for kind in ("clat_ns", "slat_ns", "lat_ns"):
                    times = job[direction][kind]
                    if times.get("bins"):
                        yield path, number, direction, kind, times


PRINTED = list(printed())


@pytest.mark.parametrize(
    ("path", "number", "direction", "kind", "times"),
    PRINTED,
    ids=[f"{path.parent.name}-{number}-{direction}-{kind}" for path, number, direction, kind, _ in PRINTED],
)
def test_every_percentile_of_fio_lies_in_our_bin(path, number, direction, kind, times):
    ours = histograms.json_histogram(times["bins"], "bins", "here")
    for percent, value in times["percentile"].items():
        if value == 0 and not ours.total:
            continue
        # fio names the bin of the rank by its middle, we by its upper end.
        assert ours.quantile(float(percent) / 100) == histograms.bin_bounds(value)[1], percent


def test_reads_and_writes_of_three_jobs_are_looked_at():
    assert len(PRINTED) == 7
    assert {direction for _, _, direction, _, _ in PRINTED} == {"read", "write"}
    assert sum(len(times["percentile"]) for *_, times in PRINTED) >= 100


def values(number, direction):
    """The completion times of each request of a job, as fio logged them."""
    rows = (DATA / "fio-hist" / f"x_clat.{number}.log").read_text().split("\n")
    found = [[int(part) for part in row.split(",")] for row in rows if row]
    return [row[1] for row in found if row[2] == ("read", "write").index(direction)]


@pytest.mark.parametrize("direction", ["read", "write"])
def test_all_jobs_together_give_the_order_statistics_of_their_requests(direction):
    found = document.read(DATA / "fio-hist" / "out.json")
    merged = Histogram.merged([job.of(direction).completion_histogram for job in found.jobs])
    every = sorted(value for number in (1, 2, 3) for value in values(number, direction))
    assert merged.total == len(every) > 200
    for percent in (1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100):
        exact = every[max(1, math.ceil(percent / 100 * len(every) - 1e-9)) - 1]
        ours = merged.quantile(percent / 100)
        assert exact <= ours <= exact * (1 + 1 / 64) + 1, percent


@pytest.mark.parametrize(("number", "coarse"), [(1, 0), (2, 2), (3, 5)])
def test_rows_of_a_histogram_log_hold_the_requests_of_their_window(number, coarse):
    """The first windows of a log against the rows of each request that were completed in them."""
    log = histograms.read_log(DATA / "fio-hist" / f"x_clat_hist.{number}.log")
    assert log.coarseness == coarse
    rows = (DATA / "fio-hist" / f"x_clat.{number}.log").read_text().split("\n")
    found = np.array([[int(part) for part in row.split(",")[:3]] for row in rows if row])
    before = {0: 0, 1: 0}
    for window in log.windows:
        own = (found[:, 2] == window.direction) & (found[:, 0] <= window.time_ms)
        count = int(own.sum())
        inside = np.sort(found[own, 1][before[window.direction] : before[window.direction] + window.total])
        before[window.direction] += window.total
        # The completion that wrote the row may have its own row in the same ms behind others.
        assert abs(before[window.direction] - count) <= 1
        ours = Histogram.of(window.low_ns, window.high_ns, window.count)
        for percent in (10, 50, 90, 100):
            exact = inside[max(1, math.ceil(percent / 100 * len(inside) - 1e-9)) - 1]
            at = int(np.searchsorted(ours.high_ns, ours.quantile(percent / 100)))
            # The bin that holds it, or its neighbour where the row's last request is another one.
            near = range(max(0, at - 1), min(len(ours.high_ns), at + 2))
            assert any(ours.low_ns[k] <= exact <= ours.high_ns[k] for k in near)


def cumulative(text):
    """Of a table of vdbench: upper end in ms of a bin and the share up to it."""
    for row in re.findall(r"<\s+([0-9.]+|max)\s+([0-9,]+)\s+[0-9.]+\s+([0-9.]+)", text):
        yield row[0], int(row[1].replace(",", "")), float(row[2])


@pytest.mark.parametrize(
    ("run", "direction", "title"),
    [("fill", "write", "Only writes done"), ("hband", "read", "Reads:"), ("hband", "write", "Writes:")],
)
def test_every_share_that_vdbench_prints_is_a_percentile_of_ours(run, direction, title):
    text = (DATA / "vdbench" / "concat_histogram.html").read_text()
    part = text[text.index(f"Starting RD={run};") :]
    part = part[part.index(title) :]
    part = part[: part.index("\n\n", part.index("max(ms)") + 200)]
    (found,) = [one for one in vdbench.read(DATA / "vdbench") if one.name == run]
    ours = getattr(found, direction)
    looked_at = 0
    for end_ms, count, share in cumulative(part):
        if not count or end_ms == "max":
            continue
        # The share is rounded to four digits: what is below and above it by that lies in this bin and the
        # next one.
        rank = round(share / 100 * ours.total)
        assert ours.quantile((rank - 0.5) / ours.total) == round(float(end_ms) * 1e6) - 1
        assert (
            int(ours.count[: int(np.searchsorted(ours.high_ns, round(float(end_ms) * 1e6) - 1)) + 1].sum())
            == rank
        )
        looked_at += 1
    assert looked_at >= 9
