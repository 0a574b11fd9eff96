"""Figures of a description, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iowatt.pages.description.figures import arrivals, requests, reuse, space, time, volumes
from iowatt.render.figure import Figure
from iowatt.trace.description import Description

SECTIONS: Sequence[tuple[str, str, Sequence[Callable[[Description], Figure | None]]]] = (
    ("time", "Over time", (time.rates, time.bandwidth, time.working_set, time.envelope)),
    ("arrivals", "Arrivals and bursts", (arrivals.gaps, arrivals.dispersion, arrivals.hurst, arrivals.laws)),
    (
        "requests",
        "Sizes, alignment, runs",
        (requests.sizes, requests.alignment, requests.runs, requests.run_figures, requests.jumps),
    ),
    (
        "reuse",
        "Footprint and reuse",
        (
            reuse.miss_ratio,
            reuse.distances,
            reuse.working_sets,
            reuse.footprint,
            reuse.shares,
            reuse.rewrites,
        ),
    ),
    ("space", "Where the I/O goes", (space.density, space.skew)),
    ("volumes", "Devices and streams", (volumes.devices, volumes.streams)),
)
