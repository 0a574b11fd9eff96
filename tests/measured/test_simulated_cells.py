"""The work of cells on a drive: the load generator's time, open reads beside large blocks, the comparison."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.cli import main
from iowatt.evaluate.measured import Cell, Measured, SimulatedCell, compare, simulate
from iowatt.evaluate.measured.bins import Bins
from iowatt.pages.measured import document, verdict
from iowatt.run.histogram import Histogram
from refused import check, refused

DRIVE = "intel-optane-dc-p4800x-375gb"
SHIPPED = "samsung-845dc-pro-400gb"


def reads(depth, processes, **more):
    return Cell("reads", "read", 1.0, "random", 4096, depth, processes, **more)


def test_a_process_takes_turns_with_its_own_requests():
    """Of 20 us a request, one process makes 50,000 a second, two make twice as many: the drive could more."""
    one, two = (simulate(DRIVE, reads(64, processes), 20e-6, requests=20_000) for processes in (1, 2))
    assert one.iops == pytest.approx(50_000, rel=0.01)
    assert two.iops == pytest.approx(100_000, rel=0.01)
    # By Little's law a loop of 64 lasts 64 / 50,000 s, of which the process's own 20 us are not the drive's.
    assert one.mean_s == pytest.approx(64 / 50_000 - 20e-6, rel=0.02)


def test_at_depth_one_it_is_a_pause_between_requests():
    paused, alone = (simulate(DRIVE, reads(1, 1), host_s, requests=20_000) for host_s in (5e-6, 0.0))
    # The mean of 20,000 exponential pauses, beside some 10 us of latency: four deviations.
    assert 1 / paused.iops == pytest.approx(paused.mean_s + 5e-6, rel=4 / 3 / 20_000**0.5)
    # Latencies are drawn by their moment, so the pause draws others; they deviate by a fifth of the mean.
    assert paused.mean_s == pytest.approx(alone.mean_s, rel=4 * 0.2 * (2 / 20_000) ** 0.5)


def test_open_reads_come_beside_large_blocks():
    large = tuple(
        Cell(op, op, float(op == "read"), "random", 131072, rate_per_s=20.0) for op in ("read", "write")
    )
    cell = Cell("act", "read", 1.0, "random", 1536, rate_per_s=2000.0, beside=large)
    found = simulate(SHIPPED, cell, requests=4_000)
    assert found.iops == pytest.approx(2000, rel=0.01)
    assert [part.iops for part in found.beside] == [pytest.approx(20, rel=0.1)] * 2
    assert set(found.beside[1].writes) >= {0.5, 0.99}
    assert not found.beside[1].reads
    assert found.watts is not None


def test_a_mix_keeps_reads_and_writes_apart():
    found = simulate(DRIVE, Cell("mix", "mixed", 0.7, "random", 4096, 8), requests=5_000)
    reads_, writes = found.read_histogram.total, found.write_histogram.total
    assert reads_ / (reads_ + writes) == pytest.approx(0.7, abs=0.03)


def flat(ns):
    return Histogram.of([ns], [ns], [1000])


def measured_and(error, **more):
    cell = reads(1, 1)
    theirs = Measured(
        cell=cell, iops=10_000.0, mean_s=1e-4, reads={0.5: 1e-4, 0.99: 2e-4, 0.999: 4e-4},
        read_mean_s=1e-4, read_histogram=flat(100_000), watts=5.0, samples=1000, **more,
    )  # fmt: skip
    factor = 1 + error
    ours = SimulatedCell(
        iops=10_000.0 * factor, mean_s=1e-4 * factor, read_mean_s=1e-4 * factor,
        reads={share: time * factor for share, time in theirs.reads.items()},
        read_histogram=flat(round(100_000 * factor)), watts=5.0 * factor, samples=1000,
    )  # fmt: skip
    return theirs, ours


@pytest.mark.parametrize(
    ("error", "trusted"),
    [
        (0.0, ["mean", "throughput", "tail", "energy"]),
        (-0.04, ["mean", "throughput", "tail", "energy"]),
        (0.08, ["mean", "throughput", "tail"]),  # watts: 5 %
        (0.2, ["tail"]),  # mean and throughput: 10 %
        (-0.28, []),  # p99.9 would pass (30 %), p99 does not (25 %)
    ],
)
def test_the_bars_decide_what_a_device_is_good_for(error, trusted):
    theirs, ours = measured_and(error)
    found = compare(DRIVE, [theirs], simulated=lambda *_: ours)
    assert found.trusted_for == trusted
    (cell,) = found.cells
    assert [one.error for one in cell.figures] == pytest.approx([error] * len(cell.figures))
    # All times are moved by as much: the demerit is the error.
    assert cell.demerit == pytest.approx(abs(error), abs=1e-3)


def test_nine_of_ten_cells_are_enough():
    near, far = measured_and(0.01), measured_and(0.5)
    for count, trusted in ((10, True), (9, False)):
        pairs = [near] * (count - 1) + [far]
        turns = iter(pairs)
        found = compare(DRIVE, [one for one, _ in pairs], simulated=lambda *_, turns=turns: next(turns)[1])
        assert ("tail" in found.trusted_for) is trusted
        (p99,) = (one for one in found.checked if one.figure == "p99")
        assert (p99.cells, p99.within) == (count, count - 1)


def test_what_was_not_measured_is_not_trusted():
    theirs, ours = measured_and(0.0)
    bare = Measured(cell=theirs.cell, iops=theirs.iops, mean_s=None)
    found = compare(DRIVE, [bare], simulated=lambda *_: ours)
    assert found.trusted_for == ["throughput"]
    assert "no-watts" in [note.code for note in found.notes]
    assert "tail: not measured" in verdict(found)


def test_fine_times_in_wide_bins_are_interpolated_as_the_measured_ones():
    edges = [0.0, 64e-6, 128e-6, 256e-6]
    found = Bins.of(Histogram.of([100_000, 200_000], [100_000, 200_000], [3, 1]), edges)
    assert list(found.counts) == [0, 3, 1]
    # Two of the three are the half: two thirds into the bin from 64 us, on a logarithmic scale.
    assert found.quantiles()[0.5] == pytest.approx(64e-6 * 2 ** (2 / 3))
    assert found.beyond(128e-6) == 0.25


def test_no_cells_and_no_device(tmp_path):
    with refused("empty", DRIVE):
        compare(DRIVE, [])
    path = tmp_path / "cells.csv"
    path.write_text("op,size,depth,processes,iops\nrandread,4k,1,1,10000\n")
    found = CliRunner().invoke(main.app, ["devices", "validate", "--measured", str(path)])
    check(found.exception, "missing", Argument("drive"))
    found = CliRunner().invoke(main.app, ["devices", "validate", "--measured", "--drive", "hp-c3323a"])
    check(found.exception, "not-found", Argument("drive", "hp-c3323a"))
    found = CliRunner().invoke(main.app, ["devices", "validate", "--measured", "--ssd"])
    check(found.exception, "not-applicable", Argument("ssd"))


def test_files_are_compared_with_the_drive_that_is_named(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text("op,size,depth,processes,iops,mean_us,p99_us\nrandread,4k,1,1,80000,9.7,15\n")
    page = tmp_path / "page.html"
    arguments = ["devices", "validate", "--measured", str(path), "--drive", DRIVE]
    found = CliRunner().invoke(main.app, [*arguments, "--json"], catch_exceptions=False)
    (device,) = json.loads(found.stdout)["devices"]
    (cell,) = device["cells"]
    assert {one["figure"] for one in cell["figures"]} == {"iops", "mean", "p99"}
    assert cell["source"] == f"{path}:2"
    CliRunner().invoke(main.app, [*arguments, "-o", str(page)], catch_exceptions=False)
    assert page.stat().st_size > 10_000


def test_the_page_has_the_verdict_first_and_a_chart():
    theirs, ours = measured_and(0.2)
    device = compare(DRIVE, [theirs], simulated=lambda *_: ours)
    from iowatt.evaluate.measured import MeasuredDevices

    shown = document(MeasuredDevices(devices=[device]))
    assert shown.verdict[0].startswith(f"{DRIVE}: good for tail")
    assert shown.chart is not None
    assert shown.chart.spec is not None
