"""Windows of fio's logs: what a gap means, by the job's own totals."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np

from iowatt.sources.fio.job_logs import from_windows
from iowatt.sources.fio.logs import Rows
from refused import refused


def rows(times, values):
    """Rows of reads."""
    zeros = np.zeros(len(times), dtype=np.int64)
    return Rows(Path("x.log"), np.array(times), np.array(values), zeros, zeros, cut=False)


def read(times, values, requests):
    done = SimpleNamespace(requests=requests, bytes=requests * 4096, runtime_s=1.0, mean_s=0.001)
    return from_windows(
        rows(times, values), None, None, done, width_ms=50.0, until=2.0, what="job 'a', reads"
    )


def test_a_gap_is_empty_windows_where_the_totals_say_so():
    times = [1050, *range(1300, 2001, 50)]
    series = read(times, [400] * len(times), 20 * len(times))
    assert series.requests.tolist() == [20] * len(times)


def test_a_row_behind_a_gap_is_its_mean_where_fio_was_held_up():
    """Seen with fio 3.33 on a busy machine: its thread for logs slept for 250 ms."""
    times = [1050, *range(1300, 2001, 50)]
    series = read(times, [400] * len(times), 20 * len(times) + 80)
    assert series.requests[1] == 100
    assert series.requests.sum() == 400


def test_neither_fits_a_log_of_another_run():
    times = [1050, *range(1300, 2001, 50)]
    with refused("not-comparable", "x.log"):
        read(times, [400] * len(times), 4000)
