"""Least squares, splits, series and watts: each on numbers whose answer is known."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument
from iowatt.cli import main
from iowatt.evaluate.calibration import plan_text
from iowatt.evaluate.calibration.cells import split
from iowatt.evaluate.calibration.disk_signs import turn
from iowatt.evaluate.calibration.intervals import student
from iowatt.evaluate.calibration.least_squares import fit, linear
from iowatt.evaluate.calibration.logs import requests
from iowatt.evaluate.calibration.over_time import bursts, knee
from iowatt.evaluate.calibration.watts import fit_watts
from iowatt.evaluate.measured import Cell, Measured
from iowatt.evaluate.validation import PacedRequests
from iowatt.model.library import device_file, find_device
from refused import refused


def cell(op="read", size=4096, depth=1, name=None, pattern="random"):
    return Cell(
        name or f"{op}-{size}-{depth}",
        op,
        {"read": 1.0, "write": 0.0, "mixed": 0.7}[op],
        pattern,
        size,
        depth,
    )


def test_a_power_law_is_found_and_an_idle_figure_is_flat():
    # log y = a + 2 b over x = 0..9 in steps: a, b are told, c never enters.
    x = np.linspace(-1, 1, 10)
    true = np.array([0.3, -0.2, 1.0])

    def model(values):
        return values[0] + values[1] * x

    noise = 0.01 * np.tile((1.0, -1.0), 5)
    found = fit(model, model(true) + noise, np.array([0.0, 0.0, 0.5]))
    assert found.values[:2] == pytest.approx(true[:2], abs=0.02)
    assert np.all((found.low <= true) & (true <= found.high))
    assert found.flat.tolist() == [False, False, True]
    assert found.values[2] == 0.5  # left at its start


def test_two_figures_that_act_as_one_are_not_both_told():
    x = np.ones(8)
    found = fit(lambda values: (values[0] + values[1]) * x, 0.5 * x, np.zeros(2))
    assert found.flat.sum() == 1


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (5, 2.571), (10, 2.228), (30, 2.042)])
def test_quantiles_of_students_t(freedom, quantile):
    assert student(freedom) == pytest.approx(quantile, rel=0.01)


def test_negative_factors_are_left_out():
    columns = np.column_stack([np.ones(6), np.arange(1.0, 7.0)])
    factors, low, high, _ = linear(columns, 10.0 - np.arange(6.0))
    assert factors[1] == 0 and low[1] == high[1] == 0
    assert low[0] < factors[0] < high[0]


def test_alternate_depths_are_held_out_and_repeats_are_one():
    depths = (1, 2, 4, 8, 16)
    cells = [
        Measured(cell=cell(depth=depth, name=f"{depth}-{run}"), iops=1000.0 * run, mean_s=depth / 1000)
        for run in (1, 4)
        for depth in depths
    ]
    mixed = Measured(cell=cell("mixed", depth=4), iops=1000.0, mean_s=None)
    paced = Measured(cell=Cell("paced", "read", 1.0, "random", 4096, rate_per_s=10.0), iops=10.0, mean_s=None)
    found = split([*cells, mixed, paced], 0.0)
    assert {one.cell.depth for one in found.fitted} == {1, 4, 16}
    assert {one.cell.depth for one in found.held_out if one.cell.op == "read"} == {2, 8}
    assert mixed in found.held_out
    # Two runs are one cell: the geometric mean of 1,000 and 4,000.
    assert [one.iops for one in found.fitted] == pytest.approx([2000.0] * 3)
    assert [one for one, _ in found.unused] == [paced]


def test_watts_of_the_measured_drive():
    """2.48 W and 0.637 mW for each MiB/s, fitted on every second point: the others within 5 %."""
    rates = np.array([50.0, 200, 500, 900, 1500, 2100, 2600, 3000])
    wobble = 1 + 0.01 * np.array([1, -1, 0.5, -0.5, 1, -1, 0.5, -0.5])
    watts = (2.48 + 0.637e-3 * rates) * wobble
    cells = [
        Measured(cell=cell(size=1 << 20, depth=number + 1), iops=rate, mean_s=None, watts=value)
        for number, (rate, value) in enumerate(zip(rates, watts, strict=True))
    ]
    law = fit_watts(cells[::2])
    assert law is not None and law.names == ("base", "read")
    assert law.at(0, 0, 0) == pytest.approx(2.48, rel=0.02)
    for one in cells[1::2]:
        assert law.at(one.iops * (1 << 20), 0, one.iops) == pytest.approx(one.watts, rel=0.05)
    low, high = law.ends(1e9, 0, 0)
    assert low < law.at(1e9, 0, 0) < high


def test_a_turn_by_its_phase():
    # 120 places read again and again; whole turns of 8.4 ms between completions of the same one.
    draw = np.random.default_rng(1)
    places = draw.integers(0, 40, 1500)
    angle = draw.uniform(0, 1, 40)
    turn_s, now, ends = 8.4e-3, 0.0, []
    for place in places:
        now += 3e-3 + draw.exponential(2e-3)
        now += (angle[place] - now / turn_s) % 1 * turn_s
        ends.append(now)
    response = np.diff(np.concatenate([[0.0], ends]))
    asked = PacedRequests(
        offset=places.astype(np.uint64) << np.uint64(30),
        size=np.full(1500, 4096, np.uint32),
        write=np.zeros(1500, bool),
        response_ns=(response * 1e9).astype(np.int64),
        think_ns=np.zeros(1500, np.uint64),
    )
    assert turn(asked, response, 11e-3) == pytest.approx(turn_s, rel=1e-3)
    assert turn(asked, draw.permutation(response), 11e-3) is None


def test_the_knee_of_a_write_buffer():
    # 600 MB/s for 10 s, then 200: 4 GB were taken in beyond what was written out.
    found = knee(np.array([600e6] * 10 + [200e6] * 20), 1.0)
    assert found is not None and found.time_s == 10
    assert found.buffer_bytes == pytest.approx(4e9)
    assert knee(np.full(30, 3e8), 1.0) is None


def test_bursts_come_back():
    tail = np.full(120, 1e-3)
    tail[5::15] = tail[6::15] = 20e-3
    found = bursts(tail)
    assert found is not None and found.period_s == 15 and found.length_s == pytest.approx(2)
    assert bursts(np.random.default_rng(3).exponential(1e-3, 300)) is None


@pytest.mark.parametrize("kind", ["ssd", "hdd"])
def test_the_plan_has_a_job_for_each_cell(kind):
    text = plan_text(kind, "FILE", 1 << 30, 60.0)
    assert "filename=FILE" in text and "overwrites FILE" in text
    assert text.count("stonewall") == text.count("\n[") - 1


def measured_table(path: Path, cells) -> Path:
    """A drive that reads in 100 us alone and 40,000 times a second; its p99 is thrice the mean."""
    rows = ["op,size,depth,processes,name,iops,mean_us,p50_us,p99_us"]
    for one in cells:
        mean_us = max(100.0, 1e6 * one.depth / 40_000)
        iops = 1e6 * one.depth / mean_us
        rows.append(
            f"randread,{one.size_bytes},{one.depth},1,{one.name},{iops},{mean_us},{mean_us},{3 * mean_us}"
        )
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_verb_writes_a_device_that_can_be_used(tmp_path):
    cells = [cell(depth=depth) for depth in (1, 2, 4, 8, 16, 32, 64)]
    source = measured_table(tmp_path / "cells.csv", cells)
    output = tmp_path / "mine.toml"
    words = ["devices", "calibrate", str(source), "--based-on", "intel-optane-dc-p4800x-375gb"]
    ended = CliRunner().invoke(
        main.app, [*words, "-o", str(output), "--page", str(tmp_path / "mine.html"), "--json"]
    )
    assert ended.exit_code == 0, ended.exception
    result = json.loads(ended.stdout)
    figures = {one["figure"]: one for one in result["figures"]}
    latency = figures["performance.read_latency"]
    assert latency["value"] == pytest.approx(100e-6, rel=0.1)
    assert figures["performance.random_read_iops"]["value"] == pytest.approx(40_000, rel=0.1)
    # p99 is three times the mean, and the data sheet's drive has none: refused.
    assert result["good_for"] == ["mean"]
    assert {one["name"] for one in result["cells"] if one["held_out"]} == {
        "read-4096-2",
        "read-4096-8",
        "read-4096-32",
    }
    file = device_file(str(output))
    assert file.name == "mine" and file.based_on == "intel-optane-dc-p4800x-375gb"
    source_of = file.source_of("performance.read_latency")
    assert source_of is not None and source_of.quality == "derived" and "cells.csv" in source_of.text
    assert "good for mean" in file.assumptions[0]
    sheet, base = (find_device(name).sheet for name in (str(output), "intel-optane-dc-p4800x-375gb"))
    assert math.isclose(sheet.read_s, latency["value"], rel_tol=1e-4)
    # It draws from the quantiles of its base: they are as much longer as the latency.
    longer = latency["value"] / base.read_s
    for (share, time_s), (_, base_s) in zip(sheet.read_quantiles, base.read_quantiles, strict=True):
        assert time_s == pytest.approx(longer * base_s, rel=1e-3), share
    assert "Not good for the tail" in (tmp_path / "mine.html").read_text()


def verb(*words):
    """Run the verb; errors are raised."""
    base = ["devices", "calibrate", "--based-on", "intel-optane-dc-p4800x-375gb"]
    CliRunner().invoke(main.app, [*base, *words], catch_exceptions=False)


def test_too_few_cells_and_an_existing_file_are_refused(tmp_path):
    source = measured_table(tmp_path / "cells.csv", [cell(depth=1), cell(depth=4)])
    with refused("empty", str(source)):
        verb(str(source))
    output = tmp_path / "there.toml"
    output.write_text("")
    with refused("exists", str(output)):
        verb(str(source), "-o", str(output))


def test_what_is_for_the_plan_is_refused_without_it():
    with refused("missing", Argument("measured")):
        verb()
    with refused("not-applicable", Argument("size")):
        verb("x.json", "--size", "1GiB")
    with refused("conflict", Argument("measured", "x.json")):
        verb("x.json", "--fio-jobs")


def test_a_disk_from_logs_of_fio_keeps_the_policies_that_nothing_shows(tmp_path):
    """Reads anywhere, a turn of 8.3 ms: seeks and the turn are told, the buffer's policies are not."""
    base = tmp_path / "base.toml"
    base.write_text(
        'name = "base"\nkind = "hdd"\ntitle = "Base"\ninterface = "SATA 6G"\ncapacity = "4TB"\nrpm = 5400\n'
        'geometry.outer_rate = "180MB/s"\nseek.average = "8.5ms"\n'
    )
    draw = np.random.default_rng(1)
    offset = draw.integers(0, 4 * 10**12 // 4096 - 10, 4000) * 4096
    moved = np.abs(np.diff(offset, prepend=0)) / 4e12
    taken = (3e6 + 12e6 * moved + 8.3e6 * draw.random(4000)).astype(int)
    log = tmp_path / "disk_clat.1.log"
    rows = zip(np.cumsum(taken) // 10**6, taken, offset, strict=True)
    log.write_text("".join(f"{ms}, {ns}, 0, 4096, {at}\n" for ms, ns, at in rows))
    output = tmp_path / "mine.toml"
    words = ["devices", "calibrate", str(log), "--based-on", str(base), "-o", str(output), "--json"]
    ended = CliRunner().invoke(main.app, words)
    assert ended.exit_code == 0, ended.exception
    found = {one["figure"]: one for one in json.loads(ended.stdout)["figures"]}
    assert found["rpm"]["low"] < 60 / 8.3e-3 < found["rpm"]["high"]
    # 3 ms + 12 ms x, less nothing: a third of the stroke on average.
    assert found["seek.average"]["value"] == pytest.approx(7e-3, rel=0.05)
    file = device_file(str(output))
    assert file.buffer is not None and file.buffer.read_ahead == "history"
    assert file.buffer.fast_write == "none"


def test_cells_of_fio_do_not_fit_a_disk(tmp_path):
    path = tmp_path / "cells.json"
    path.write_text(' {"fio version": "fio-3.33", "jobs": []}')
    with refused("not-accepted", str(path)):
        requests([path], None)
