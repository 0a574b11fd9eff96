"""Measured SSDs against the simulator: what fio saw of drives that have a file in the library."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import iowatt.model.library
from act_host import act
from fio_host import Load, simulated
from iowatt.evaluate.evaluation import run_scenario

FOLDER = Path(iowatt.model.library.__file__).parent / "validation" / "ssd"
SIZES = {"4k": 4096, "8k": 8192, "128k": 131_072}
COLUMNS = {"iops": "iops", "clat_mean_us": "mean_us", "p50": "p50_us", "p99": "p99_us", "p999": "p99.9_us"}
RATE_BAR, TAIL_BAR = 0.1, 0.3


def _loads(file: str) -> list[tuple[str, Load, dict[str, float]]]:
    with (FOLDER / file).open() as text:
        rows = list(csv.DictReader(text))
    return [
        (
            file.removesuffix(".csv"),
            Load(int(row["processes"]), int(row["depth"]), SIZES[row["size"]]),
            {name: float(row[column]) for name, column in COLUMNS.items()},
        )
        for row in rows
    ]


def _found(device: str, load: Load, measured: dict[str, float]):
    outstanding = load.processes * load.depth
    return simulated(device, load, max(60_000, 80 * outstanding), measured["iops"])


def _name(case) -> str:
    _, load, _ = case
    return f"{load.size}-{load.processes}x{load.depth}"


@pytest.mark.parametrize("case", _loads("intel-dc-p4510-1tb.csv"), ids=_name)
def test_a_tlc_drive(case):
    """Intel P4510: rates, and tails of dies that are almost always busy, by its sheet and the rules."""
    device, load, measured = case
    found = _found(device, load, measured)
    assert found.iops == pytest.approx(measured["iops"], rel=RATE_BAR)
    assert found.mean == pytest.approx(measured["clat_mean_us"], rel=RATE_BAR)
    assert found.p99 == pytest.approx(measured["p99"], rel=TAIL_BAR)
    # A few hundred of the slowest decide the tail of a short run: 1 in 1,000 is no steadier than this.
    assert found.p999 == pytest.approx(measured["p999"], rel=0.4)


@pytest.mark.parametrize("case", _loads("intel-optane-dc-p4800x-375gb.csv"), ids=_name)
def test_an_optane_drive(case):
    """Its unloaded quantiles are those of one process at depth 1; all other points are predictions.

    Where several processes keep 128 requests each outstanding, the host's queues, which are not modelled,
    give some processes twice the rate of others: the tail is compared up to two.
    """
    device, load, measured = case
    found = _found(device, load, measured)
    assert found.iops == pytest.approx(measured["iops"], rel=RATE_BAR)
    if load.depth == 1 or (load.processes <= 2 and load.size < SIZES["128k"]):
        assert found.p999 == pytest.approx(measured["p999"], rel=TAIL_BAR)


# Of the large reads and writes, and of the small reads: mean in us, shares over 1 ms and from 256 us to 1 ms.
ACT = {2_000: (109, 0.0082, 0.016), 12_000: (216, 0.0522, 0.098)}


@pytest.mark.parametrize(("rate", "seconds"), [(2_000, 240), (12_000, 60)])
def test_reads_beside_bursts_of_collection(rate, seconds):
    """Samsung 845DC PRO under ACT: its dies and its latency were fitted at 2,000 reads a second alone."""
    found, (mean, over, below) = act("samsung-845dc-pro-400gb", rate, seconds), ACT[rate]
    assert found.mean_us == pytest.approx(mean, rel=0.15)
    assert 0.5 < found.over_1ms / over < 2
    assert 0.5 < found.to_1ms / below < 2
    assert 3_500 < found.most_us < 8_192


def _act_rows():
    with (FOLDER / "samsung-845dc-pro-400gb.csv").open() as text:
        return [row for row in csv.DictReader(text) if row["kind"] == "raw_read"]


@pytest.mark.parametrize("row", _act_rows(), ids=lambda row: row["reads_per_s"])
def test_shares_under_act_are_those_of_its_counts(row):
    counts = {int(name[5:-2]): int(n) for name, n in row.items() if name.startswith("from_")}
    share = {bound: sum(n for at, n in counts.items() if at >= bound) / int(row["total"]) for bound in counts}
    _, over, below = ACT[int(row["reads_per_s"])]
    assert share[1024] == pytest.approx(over, rel=0.01)
    assert share[256] - share[1024] == pytest.approx(below, rel=0.01)


def _power() -> list[tuple[float, float, float]]:
    with (FOLDER / "nvme_read_power.csv").open() as text:
        return [(float(row["KiB"]), float(row["W"]), float(row["MiBps"])) for row in csv.DictReader(text)]


def reading_watts(device: str, size: int, rate: float) -> float:
    """Watts of reads of so many bytes at so many a second, of data that was written in order."""
    text = (
        'name = "watts"\nseed = 1\n[[workload]]\nname = "work"\n'
        f"profile = {{ name = 'uniform', rate_iops = {rate}, set = ['stream.uniform.read_share=100', "
        f"'stream.uniform.size={size}', 'stream.uniform.align={size}'] }}\nreplay = {{ mode = 'open' }}\n"
        f"[[array.pool]]\nname = 'drive'\ndevice = {device!r}\ncount = 1\n"
        "ssd = { initial = { state = 'steady', run = '4MiB' } }\n"
        f'[observe]\nduration = "{min(2.0, 4_000 / rate)}s"\n'
    )
    watts: float = run_scenario(text).summary["power_w"]["mean"]
    return watts


def test_watts_of_reads_by_size(tmp_path):
    """A base and joules of a byte, fitted on every second size, against the sizes between.

    Rates are those measured; the drive is made from the fit: what it draws awake, and at its highest rates.
    """
    points = _power()
    fitted, others = points[::2], points[1::2]
    # A command's joules come out below 0 together with the others, so they are 0: base and bytes alone.
    terms = np.array([(1.0, rate) for _, _, rate in fitted])
    base_w, mib_w = np.linalg.lstsq(terms, np.array([w for _, w, _ in fitted]), rcond=None)[0]
    for _, watts, rate in others:
        assert base_w + mib_w * rate == pytest.approx(watts, rel=0.05)
    fastest, small_iops = 1.05 * max(rate for _, _, rate in fitted), 500_000
    small_w = base_w + small_iops * mib_w / 256
    text = f"""
name = "own-nvme"
kind = "ssd"
title = "Own"
capacity = "1TB"
interface = "PCIe 4.0 x4 NVMe"
media = "TLC"

[performance]
sequential_read = "{fastest * 2**20:.0f}B/s"
sequential_write = "1000MB/s"
random_read_iops = {small_iops}
random_write_iops = 60000

[power]
idle = "{base_w}W"
active_idle = "{base_w}W"
sequential_read = "{base_w + mib_w * fastest}W"
sequential_write = "{base_w + 4}W"
random_read = "{small_w}W"
"""
    file = tmp_path / "own-nvme.toml"
    file.write_text(text)
    for size, watts, rate in others[:: len(others) // 12]:
        found = reading_watts(str(file), int(size * 1024), rate * 1024 / size)
        assert found == pytest.approx(watts, rel=0.05), size
