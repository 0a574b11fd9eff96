"""Systems as Runs of one array at several loads would give them, in round numbers."""

from dataclasses import replace

import numpy as np

from iowatt.base.results import Note
from iowatt.lenses.cost.systems.system import Counts, PricedDrive, PricedSystem, PricedWork
from iowatt.tariffs.load import ElectricLoad

SECONDS = 600.0


def drive(counts, name="disks.0", model="some-ssd"):
    return PricedDrive(
        name=name, model=model, pool="disks", kind="ssd", capacity_gb=1000.0, used_gb=800.0,
        price_class="ssd", price=None, ratings={"bytes_written": 1e15}, counts=counts,
    )  # fmt: skip


def counts(iops, *, amplification=None, pe=None, stops=0.0):
    written = iops * SECONDS * 4096.0
    return Counts(
        bytes_read=2.0 * written, bytes_written=written, start_stops=stops, load_unloads=stops / 2,
        pe_fraction=pe, write_amplification=amplification,
    )  # fmt: skip


def system(iops, watts, *, name=None, size=8192, response=None, modelled=True, **given):
    """A Run of ten minutes at ``iops`` that drew ``watts``."""
    requests = iops * SECONDS
    name = name or f"rate{iops:g}"
    return PricedSystem(
        name=name,
        where=f"runs/{name}",
        drives=(drive(counts(iops, **given)),),
        parts={"head.controller": 2},
        raw_gb=1000.0,
        usable_gb=800.0,
        effective_gb=None,
        work=PricedWork(
            duration_s=SECONDS,
            load=ElectricLoad.of_powers(np.full(10, SECONDS / 10), np.full(10, float(watts))),
            requests=requests,
            bytes_moved=requests * size,
            response_ms=None if not iops else (2.0 + iops / 100.0 if response is None else response),
        ),
        power_basis="wall",
        modelled=modelled,
        notes=(Note(code="drives-only", text="stands for a Run"),),
    )


def changed(one, **values):
    return replace(one, **values)
