"""The simulator as a source: a plan and its traces in, the record of a run out.

``simulator`` runs the core, once or, for ``hot_extents``, ``warmup`` and policies that foresee, twice;
``record`` puts together what came back: ``counts`` by station, ``tables``, the array at the ``wall``, and
``remarks`` on what limits the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.lazy import names_from

if TYPE_CHECKING:
    from iowatt.sources.simulation.counts import capacity, doubts, source_name, space_names
    from iowatt.sources.simulation.record import build_record
    from iowatt.sources.simulation.simulator import Progress, observe, peak_rss_mib, run_core
    from iowatt.sources.simulation.wall import DRIVES_ALONE, WHOLE_ARRAY

__all__ = [
    "DRIVES_ALONE", "WHOLE_ARRAY", "Progress", "build_record", "capacity", "doubts", "observe",
    "peak_rss_mib", "run_core", "source_name", "space_names",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = names_from(
        __name__,
        {
            "counts": "capacity doubts source_name space_names",
            "record": "build_record",
            "simulator": "Progress observe peak_rss_mib run_core",
            "wall": "DRIVES_ALONE WHOLE_ARRAY",
        },
    )
