"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.hotband2013 import conclusions, points, systems, tables
from iowatt.studies.hotband2013.published import PRINTED, TEXT
from iowatt.studies.hotband2013.systems import FULL, QUICK, ArrayScale, stages
from iowatt.studies.result import ClaimVerdict
from iowatt.studies.study import Findings

if TYPE_CHECKING:
    from iowatt.lenses.heat.result import HeatResult, PointHeat
    from iowatt.studies.stages import Results

__all__ = ["FULL", "QUICK", "findings", "stages"]


def findings(results: Results, scale: ArrayScale) -> Findings:
    """Everything that the study finds at a scale."""
    found = points.read(results)
    heat = _heat(results)
    verdicts = [
        *conclusions.small_array(found),
        *conclusions.cache_assist(found),
        *conclusions.tiering(found),
        *conclusions.coms(found),
        _hot_space(heat),
    ]
    sections = [
        Section("arrays", "Rates and response times", [tables.arrays(found, scale)]),
        Section("watts", "IOPS per watt", [tables.per_watt(found), tables.calculator()]),
        Section("cache", "Cache and density", [tables.assist(found, scale), tables.density(heat)]),
        Section("read-ahead", "Read-ahead on and off", [tables.read_ahead(found)]),
        Section("coms", "Capacity optimisation methods", [tables.coms(found, scale)]),
    ]
    return Findings(verdicts, sections, notes(scale), results.table(), chart="assist")


def _heat(results: Results) -> HeatResult:
    """The heat lens on the hot band on the cached array."""
    from iowatt.lenses.heat import analyse, of_run

    ((stage, row),) = results.rows(kind="large-hot")
    run = results.run(stage, row)
    return analyse(of_run(run), run.summary["name"], over="touched")


def _hot_space(heat: HeatResult) -> ClaimVerdict:
    """54 % of the requests in 32 % of the space, at the front end."""
    front = next(one for one in heat.points if one.point == "front")
    bands = ((0.10, 0.18), (0.32, 0.40), (0.55, 0.63), (0.80, 0.88))
    share = _share_in(front, bands)
    return TEXT.judge(
        "hot-space",
        "front end, by address",
        ours=f"{100 * share:.1f} % of the requests",
        agrees=abs(share - PRINTED.hot_band.requests) <= 0.04,
        requests=100 * PRINTED.hot_band.requests,
        space=100 * PRINTED.hot_band.space,
    )


def _share_in(front: PointHeat, bands: tuple[tuple[float, float], ...]) -> float:
    """Share of the requests in ranges of the span; a stretch at the edge of one counts as a whole."""
    rows = front.density_by_address
    last = rows[-1].until_gb
    inside = whole = 0.0
    for row in rows:
        width = row.until_gb - row.from_gb
        requests = (row.read_iops_per_gb + row.write_iops_per_gb) * width
        whole += requests
        if any(row.from_gb < high * last and row.until_gb > low * last for low, high in bands):
            inside += requests
    return inside / whole


def notes(scale: ArrayScale) -> list[Note]:
    """What every figure here rests on."""
    return TEXT.noted(
        reduced=scale.size < 1, small_disks=systems.SMALL_DISKS, large_disks=systems.LARGE_DISKS,
        fast_disk=systems.FAST_DISK, span_gb=systems.SPAN_GB, tiered_disks=systems.TIERED_DISKS,
        tiered_ssds=systems.TIERED_SSDS, ssd=systems.SSD, tier_share=systems.TIER_SHARE,
    )  # fmt: skip
