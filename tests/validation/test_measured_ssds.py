"""Measured SSDs against the simulator: what fio saw of drives that have a file in the library."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import iowatt.model.library
from fio_host import Load, simulated

FOLDER = Path(iowatt.model.library.__file__).parent / "validation" / "ssd"
SIZES = {"4k": 4096, "8k": 8192, "128k": 131_072}
RATE_BAR, TAIL_BAR = 0.1, 0.3


def _loads(file: str) -> list[tuple[str, Load, dict[str, float]]]:
    with (FOLDER / file).open() as text:
        rows = list(csv.DictReader(text))
    return [
        (
            row["drive"],
            Load(int(row["processes"]), 128 if row["series"].startswith("qd128") else 1, SIZES[row["block"]]),
            {name: float(row[name]) for name in ("iops", "clat_mean_us", "p50", "p99", "p999")},
        )
        for row in rows
    ]


def _found(device: str, load: Load, measured: dict[str, float]):
    outstanding = load.processes * load.depth
    return simulated(device, load, max(60_000, 80 * outstanding), measured["iops"])


def _name(case) -> str:
    _, load, _ = case
    return f"{load.size}-{load.processes}x{load.depth}"


@pytest.mark.parametrize("case", _loads("p4510_4k_reads.csv"), ids=_name)
def test_a_tlc_drive(case):
    """Intel P4510: rates, and tails of a drive whose dies are almost always busy, by its sheet and the rules."""
    _, load, measured = case
    found = _found("intel-p4510-1tb", load, measured)
    assert found.iops == pytest.approx(measured["iops"], rel=RATE_BAR)
    assert found.mean == pytest.approx(measured["clat_mean_us"], rel=RATE_BAR)
    assert found.p99 == pytest.approx(measured["p99"], rel=TAIL_BAR)
    # A few hundred of the slowest decide the tail of a short run: 1 in 1,000 is no steadier than this.
    assert found.p999 == pytest.approx(measured["p999"], rel=0.4)


@pytest.mark.parametrize("case", _loads("p4800x_reads.csv"), ids=_name)
def test_an_optane_drive(case):
    """Its unloaded quantiles are those of one process at depth 1; all other points are predictions.

    Where several processes keep 128 requests each outstanding, the host's queues, which are not modelled, give
    some processes twice the rate of others: the tail is compared up to two.
    """
    _, load, measured = case
    found = _found("intel-optane-dc-p4800x-375gb", load, measured)
    assert found.iops == pytest.approx(measured["iops"], rel=RATE_BAR)
    if load.depth == 1 or (load.processes <= 2 and load.size < SIZES["128k"]):
        assert found.p999 == pytest.approx(measured["p999"], rel=TAIL_BAR)
