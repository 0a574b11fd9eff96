"""Requests by interval from fio's windows, against every request of the same run.

Tolerance: a window over an edge is split in proportion to time, so up to a window's requests are on one or
the other side by chance: at worst half of them each, a binomial deviation of half the root of their number.
An interval has two edges. In windows of a second fio loses a request of each of the 18 jobs whenever it looks
more than 1 ms late (here in exp(-1 / 0.4) of them), which windows these were is not logged, and their number
in an interval is Poisson; shorter windows leave no doubt. Four deviations are allowed.
"""

from __future__ import annotations

import math
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import needs
from iowatt.sources.fio import read
from iowatt.sources.fio.job_logs import from_windows, split_at_edges
from iowatt.sources.fio.logs import Rows

needs_fio = needs.mark("fio")
RATES = [5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 22, 5, 6, 7, 8, 12, 15]  # of 18 jobs: 200 IOPS in all
LATE_MS = 0.4  # on average, when fio looks at its counters
EPOCH_MS = 1_795_000_000_000


def tolerance(width_ms, seconds):
    edges = 2 * sum(RATES) * width_ms / 1000 / 4
    in_doubt = seconds * math.exp(-1 / LATE_MS) * len(RATES) ** 2 if width_ms >= 1000 else 0.0
    return 4 * math.sqrt(edges + in_doubt)


def sampled(rng, seconds, width_ms, late):
    """When fio's thread for logs looks, ms: some tenths late each time; now and then held up, if ``late``."""
    times, behind = [0.0], 0.0
    while times[-1] < seconds * 1000:
        held = rng.uniform(0.1, 0.45) * width_ms if late and rng.random() < 0.05 else 0.0
        over = rng.exponential(LATE_MS) + held
        times.append(times[-1] + width_ms - behind + over)
        behind = math.ceil(held) if held else 0.0  # fio waits so much less for the next one
    return np.array(times[:-1])


def as_logged(requests_ms, looks):
    """Rows that fio 3.33 writes: whole ms, whole requests per second, none of an empty window."""
    done = np.diff(np.searchsorted(requests_ms, looks))
    spent = np.floor(np.diff(looks)).astype(np.int64)
    some = done > 0
    zeros = np.zeros(int(some.sum()), dtype=np.int64)
    times = EPOCH_MS + np.floor(looks[1:]).astype(np.int64)
    return Rows(Path("x.log"), times[some], (done * 1000 // spent)[some], zeros, zeros, cut=False)


@pytest.mark.parametrize("late", [False, True], ids=["in time", "held up"])
@pytest.mark.parametrize("width_ms", [500, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_minutes_of_18_slow_jobs_are_those_of_their_requests(width_ms, late, seed):
    rng = np.random.default_rng(seed)
    seconds, truth, found = 240, np.zeros(4), np.zeros(4)
    looks = sampled(rng, seconds, width_ms, late)
    for rate in RATES:
        times = np.sort(rng.uniform(0, seconds * 1000, rng.poisson(rate * seconds)))
        truth += np.bincount((times // 60_000).astype(int), minlength=4)
        done = SimpleNamespace(
            requests=times.size, bytes=times.size * 4096, runtime_s=float(seconds), mean_s=0.001
        )
        series = from_windows(
            as_logged(times, looks + rng.uniform(0, 1)),
            None,
            None,
            done,
            width_ms=float(width_ms),
            until=EPOCH_MS / 1000 + seconds,
            what="job",
        )
        assert series.requests.sum() == times.size
        series = split_at_edges(series, EPOCH_MS / 1000, 60.0)
        assert series.requests.sum() == times.size
        assert series.bytes.sum() == times.size * 4096
        at = np.clip((series.middle_s - EPOCH_MS / 1000) // 60, 0, 3).astype(int)
        found += np.bincount(at, weights=series.requests, minlength=4)
    assert np.abs(found - truth).max() <= tolerance(width_ms, 60), (found, truth)


@pytest.mark.parametrize("width_ms", [100, 500])
def test_windows_below_a_second_leave_no_doubt(width_ms):
    """Two counts of one window never have the same whole rate, whatever ms fio took."""
    rng = np.random.default_rng(1)
    looks = sampled(rng, 60, width_ms, late=False)
    times = np.sort(rng.uniform(0, 60_000, 60 * 40))
    true = np.diff(np.searchsorted(times, looks))
    done = SimpleNamespace(requests=times.size, bytes=times.size * 4096, runtime_s=60.0, mean_s=0.001)
    series = from_windows(
        as_logged(times, looks),
        None,
        None,
        done,
        width_ms=float(width_ms),
        until=EPOCH_MS / 1000 + 60,
        what="job",
    )
    assert series.rounded == 0
    assert series.requests[: (true > 0).sum()].tolist() == true[true > 0].tolist()


@needs_fio
@pytest.mark.parametrize("width_ms", [500, 1000])
def test_intervals_of_the_installed_fio_are_those_of_its_requests(tmp_path, width_ms):
    """fio writes each request's time (``write_iolog``) beside the windows; the null engine takes no time."""
    lines = [
        "[global]", "ioengine=null", "size=1g", "thread=1", "runtime=12", "time_based=1", "norandommap=1",
        "log_unix_epoch=1", f"log_avg_msec={width_ms}", "rate_process=poisson", "rw=randread",
        "bssplit=4k/30:8k/50:64k/20",
    ]  # fmt: skip
    for n, rate in enumerate(RATES):
        lines += [f"[j{n}]", f"rate_iops={rate}", f"write_iops_log=j{n}", f"write_lat_log=j{n}"]
        lines += [f"write_bw_log=j{n}", f"write_iolog=j{n}.trace"]
    (tmp_path / "a.fio").write_text("\n".join(lines) + "\n")
    subprocess.run(
        ["fio", "--output-format=json+", "--output=out.json", "a.fio"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )
    made = [line.split() for path in tmp_path.glob("*.trace") for line in path.read_text().splitlines()]
    times = np.array([int(words[0]) / 1e6 for words in made if words[2:3] == ["read"]])
    if not times.size or times.max() > 1000:
        pytest.skip("this fio's write_iolog has no times in us")
    found = read(tmp_path / "out.json", interval_s=4)
    truth = np.bincount(np.clip(times // 4, 0, 2).astype(int), minlength=3)
    counted = np.array([part.read.requests for part in found.intervals])
    # What is waiting when time is up is in the iolog and not in the totals: at most one of each job.
    assert abs(int(counted.sum()) - times.size) <= len(RATES)
    assert np.abs(counted - truth).max() <= tolerance(width_ms, 4) + len(RATES), (counted, truth)
