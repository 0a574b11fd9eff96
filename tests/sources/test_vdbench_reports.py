"""The sample of vdbench 5.04.06 gives the figures that its own reports print."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from figures import figures
from iowatt.sources.vdbench import read
from iowatt.sources.vdbench.observe import OF_ALL_INTERVALS
from refused import refused

SAMPLE = Path(__file__).parents[1] / "data" / "vdbench"
PRINTED = re.compile(
    r"avg_\S+ +([0-9.]+) +([0-9.]+) +([0-9]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+)"
)


@pytest.fixture(scope="module")
def runs():
    return read(SAMPLE)


def sums(observation, *, counted):
    chosen = [part for part in observation.intervals if part.counted or not counted]
    return tuple(sum(getattr(part, of).requests for part in chosen) for of in ("read", "write"))


def test_there_is_one_observation_for_each_run(runs):
    assert [run.name for run in runs] == ["fill", "hband"]
    assert [run.asked_iops for run in runs] == [None, 500.0]
    # 15:33:09.015 and 15:33:13.004 on 20 November 2026.
    assert [run.start for run in runs] == [pytest.approx(1795188789.015), pytest.approx(1795188793.004)]
    assert runs[1].end == pytest.approx(1795188793.004 + 14)


def test_the_totals_are_what_the_summary_prints(runs):
    printed = [
        tuple(map(float, found)) for found in PRINTED.findall((SAMPLE / "concat_summary.html").read_text())
    ]
    for run, (rate, mib, size, reads, mean, read_mean, write_mean, most) in zip(runs, printed, strict=True):
        seconds = 2.0 * sum(part.counted for part in run.intervals)
        read, write = run.totals
        assert run.total.requests == read.requests + write.requests == round(rate * seconds)
        assert run.total.bytes == run.total.requests * size
        assert run.total.bytes / seconds / 2**20 == pytest.approx(mib, abs=0.006)
        assert 100 * read.requests / run.total.requests == pytest.approx(reads, abs=0.006)
        assert run.total.response_mean_s * 1e3 == pytest.approx(mean, abs=0.0006)
        assert (read.response_mean_s or 0) * 1e3 == pytest.approx(read_mean, abs=0.0006)
        assert (write.response_mean_s or 0) * 1e3 == pytest.approx(write_mean, abs=0.0006)
        assert run.total.response_max_s * 1e3 == pytest.approx(most)
        assert sums(run, counted=True) == (read.requests, write.requests)


def test_the_average_is_kept_as_it_is_printed(runs):
    fill, hot = runs
    assert (fill.reported.iops, fill.reported.mib_per_s) == (3847.5, 961.875)
    assert hot.reported.iops == pytest.approx(493.58, abs=0.01)
    assert hot.reported.response_mean_s == pytest.approx(0.295e-3, abs=1e-6)


def test_intervals_hold_what_vdbench_counted_for_its_other_tool(runs):
    # swat_mon.txt counts reads and writes of each device exactly.
    text = (SAMPLE / "concat_swat_mon.txt").read_text().split(":vdbench503_vdbench_data_for_swat303\n")[3:]
    exact = []
    for block in text:
        rows = [line.split() for line in block.splitlines() if line[:2] in {"0 ", "1 "}]
        exact.append((sum(int(row[2]) for row in rows), sum(int(row[3]) for row in rows)))
    assert [(part.read.requests, part.write.requests) for part in runs[1].intervals] == exact


def test_the_histogram_holds_every_request_of_all_intervals(runs):
    hot = runs[1]
    assert (hot.read.total, hot.write.total) == sums(hot, counted=False)
    assert OF_ALL_INTERVALS in hot.histogram_note
    # 96.73 % of the reads took less than 0.4 ms.
    assert hot.read.quantile(0.9672) == 399_999


def test_the_average_is_found_by_its_figures_where_its_label_is_wrong(runs):
    assert [part.counted for part in runs[1].intervals] == [False] + 6 * [True]
    assert any("avg_3-7" in said and "2 to 7" in said for said in runs[1].warnings)


def test_the_shares_are_those_of_the_skew_report(runs):
    shares = {share.stream: (share.asked, share.observed) for share in runs[1].shares}
    assert shares["HB_hot1"] == (28.0, 28.38)
    assert sum(observed for _, observed in shares.values()) == pytest.approx(100, abs=0.05)
    # Each workload's own rate and mean response time, and those of all of them together.
    (hot,) = (share for share in runs[1].shares if share.stream == "HB_hot1")
    assert (hot.iops, hot.response_mean_s) == (140.08, pytest.approx(0.314e-3))
    assert sum(share.iops for share in runs[1].shares) == pytest.approx(493.58, abs=0.1)
    waited = sum(share.iops * share.response_mean_s for share in runs[1].shares)
    assert waited / 493.58 == pytest.approx(0.295e-3, rel=0.01)
    assert not runs[0].shares


def test_an_interval_that_the_end_cut_short_is_named(runs):
    assert runs[0].intervals[1].end - runs[0].intervals[1].start == pytest.approx(1.036, abs=0.01)
    assert any(figures(said)[-2:] == [1.0, 2] for said in runs[0].warnings)


def test_the_summary_alone_gives_the_same_counts(runs, tmp_path):
    shutil.copy(SAMPLE / "concat_summary.html", tmp_path / "summary.html")
    alone = read(tmp_path)
    for a, b in zip(runs, alone, strict=True):
        assert (sums(a, counted=True), a.asked_iops, a.start) == (
            sums(b, counted=True),
            b.asked_iops,
            b.start,
        )
        assert b.read.total == 0


def test_a_workloads_own_report_is_read_too():
    hot = read(SAMPLE / "concat_HB_hot1.html")[1]
    assert hot.total.requests == 1681  # 28.38 % of 5923
    assert hot.asked_iops is None


def test_the_flat_file_alone_is_enough(runs, tmp_path):
    shutil.copy(SAMPLE / "concat_flatfile.html", tmp_path)
    alone = read(tmp_path)
    assert [sums(run, counted=True) for run in alone] == [sums(run, counted=True) for run in runs]
    assert any("inferred" in said for said in alone[1].warnings)
    assert alone[1].start == pytest.approx(runs[1].start, abs=1.1)


def test_shares_come_from_the_workloads_reports_where_there_is_no_skew_report(tmp_path):
    for name in ("flatfile", "summary", "HB_hot1"):
        shutil.copy(SAMPLE / f"concat_{name}.html", tmp_path / f"{name}.html")
    (tmp_path / "parmfile.html").write_text(
        "wd=HB_hot1,skew=100\nwd=sw,seekpct=seq\nrd=hband,wd=HB*,interval=2\n"
    )
    shares = read(tmp_path)[1].shares
    assert [(share.stream, share.asked, share.observed) for share in shares] == [("HB_hot1", 100.0, 100.0)]


@pytest.mark.parametrize(
    ("name", "edit", "code", "named"),
    [
        ("flatfile", ("500.0000   493.5833", "500.0000   393.5833"), "not-comparable", "393.583"),
        ("summary", ("RD=hband", "RD=other"), "not-comparable", "other"),
        ("flatfile", ("64.7307", "164.7307"), "out-of-range", "read%"),
        ("flatfile", ("avg_3-7", "average"), "damaged", "'average'"),
        ("flatfile", ("11/20/2026-15:33:19-UTC", "11/20/2026-15:33:19-IST"), "ambiguous", "Asia/Kolkata"),
        ("flatfile", ("15:33:19.063 11/20/2026-15:33:19", "15:32:19.063 11/20/2026-15:32:19"), "out-of-order",
         "58"),
    ],
)  # fmt: skip
def test_reports_that_do_not_belong_together_are_refused(tmp_path, name, edit, code, named):
    old, new = edit
    for path in SAMPLE.glob("concat_*.html"):
        text = path.read_text()
        if path.name == f"concat_{name}.html":
            assert old in text
            text = text.replace(old, new)
        (tmp_path / path.name).write_text(text)
    with refused(code, re.compile(r"concat_flatfile\.html:\d+$")) as caught:
        read(tmp_path)
    assert named in caught.value.message


def test_a_folder_without_or_with_several_outputs_is_refused(tmp_path):
    with refused("empty", str(tmp_path)):
        read(tmp_path)
    for name in ("a_flatfile.html", "b_flatfile.html"):
        shutil.copy(SAMPLE / "concat_flatfile.html", tmp_path / name)
    with refused("ambiguous", str(tmp_path)) as caught:
        read(tmp_path)
    assert "a_flatfile.html, b_flatfile.html" in caught.value.message
    assert read(tmp_path / "a_flatfile.html")
