"""What scaling keeps of a trace, on one whose figures are known.

1,000 reads of 4 KiB in 10 s. Every second one goes to one of 20 hot blocks in turn, the others to 500 blocks
of their own; all 520 lie in a MiB each. A hot block has 25 references, so the hottest tenth, 52 blocks, has
500 + 32 of the 1,000; and a cache that holds 40 blocks hits 20 x 24 times.
"""

from __future__ import annotations

import math

import pytest
from choose_questions import TRACE, question, request, scaled, written

from iowatt.evaluate.choose.footprint import footprints
from iowatt.evaluate.choose.load import trace_info

SIZE = 1 << 40
TIMES = 16


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("footprint")
    places = [i // 2 % 20 if i % 2 else 20 + i // 2 * 137 % 500 for i in range(1000)]
    written(folder / "small.csv", [(10 * i, "R", place << 20, 4096) for i, place in enumerate(places)])
    text = question(f"{TRACE}\ntimes = {TIMES}\nfootprint = 'stretch'\np95 = '5ms'", usable=f"{SIZE}B")
    [asked] = request(folder, text).question.workload
    [one] = scaled(folder, text)
    found = footprints(asked, one, trace_info(asked, folder), folder, 1)
    return {row.stream: row for row in found}


def test_each_way_of_scaling_has_a_row(rows):
    assert list(rows) == ["recorded", "clones", "stretch", "profile"]
    assert [name for name, row in rows.items() if row.chosen] == ["stretch"]
    assert {row.requests for row in rows.values()} == {1000}


def test_the_recorded_figures(rows):
    one = rows["recorded"]
    assert one.touched_bytes == 520 * 4096
    assert one.cache_hits == pytest.approx(480 / 1000)
    assert one.hottest_tenth == pytest.approx(0.532, abs=0.001)
    assert one.run_bytes == pytest.approx(4096, rel=0.01)
    assert one.burstiness is not None and one.burstiness < 0.05
    assert (one.kept, one.lost) == ([], [])


def test_a_clone_does_what_the_trace_does_in_little_of_the_capacity(rows):
    one, recorded = rows["clones"], rows["recorded"]
    assert (one.touched_bytes, one.hottest_tenth) == (recorded.touched_bytes, recorded.hottest_tenth)
    assert one.rate_iops == pytest.approx(TIMES * recorded.rate_iops)
    assert {"skew", "reuse", "runs"} <= set(one.kept)
    assert "spread" in one.lost and one.spread_share < 0.02


def test_stretching_spreads_the_data_and_gives_up_reuse(rows):
    """A tenant's 64 GiB have 125 times the 521 MiB: 25 visits to a hot block go to 22.7 places."""
    one = rows["stretch"]
    assert one.touched_bytes / 4096 == pytest.approx(500 + 20 * 22.7, rel=0.03)
    assert {"skew", "reuse"} <= set(one.lost)
    assert one.cache_hits is not None and one.cache_hits < 0.07
    assert one.spread_share > 0.3


def test_a_profile_goes_over_the_whole_capacity(rows):
    one = rows["profile"]
    assert one.spread_share > 10 * rows["clones"].spread_share
    assert "runs" in one.kept
    assert one.cache_hits is not None and one.cache_hits > 0.3  # half of the requests use data again


def test_requests_a_second_of_tenants_vary_less(tmp_path):
    """A tenant with 200 requests in every second second; of 16 that begin independently it is a quarter."""
    written(
        tmp_path / "small.csv",
        [(2000 * second + 5 * i, "R", 4096 * (i % 50) * 3, 4096) for second in range(40) for i in range(200)],
    )
    text = question(f"{TRACE}\ntimes = 16\np95 = '5ms'")
    [asked] = request(tmp_path, text).question.workload
    [one] = scaled(tmp_path, text)
    found = {row.stream: row for row in footprints(asked, one, trace_info(asked, tmp_path), tmp_path, 1)}
    recorded, clones = found["recorded"].burstiness, found["clones"].burstiness
    assert recorded is not None and clones is not None
    assert recorded == pytest.approx(1.0, abs=0.03)  # 0 or 200, 100 on the mean
    assert clones == pytest.approx(recorded / math.sqrt(16))
    assert "burstiness" in found["clones"].lost
