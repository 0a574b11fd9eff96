"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.hotband2013 import conclusions, points, published, systems, tables
from iowatt.studies.hotband2013.systems import FULL, QUICK, Scale, stages
from iowatt.studies.result import Verdict, judge
from iowatt.studies.study import Findings
from iowatt.studies.study import notes as coded

if TYPE_CHECKING:
    from iowatt.lenses.heat.result import HeatResult, PointHeat
    from iowatt.studies.stages import Results

__all__ = ["FULL", "QUICK", "findings", "stages"]


def findings(results: Results, scale: Scale) -> Findings:
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
        Section("coms", "Capacity optimisation methods", [tables.coms(found, scale)]),
    ]
    return Findings(verdicts, sections, notes(scale), results.table(), chart="assist")


def _heat(results: Results) -> HeatResult:
    """The heat lens on the hot band on the cached array."""
    from iowatt.lenses.heat import analyse, of_run

    ((stage, row),) = results.rows(kind="large-hot")
    run = results.run(stage, row)
    return analyse(of_run(run), run.summary["name"], over="touched")


def _hot_space(heat: HeatResult) -> Verdict:
    """54 % of the requests in 32 % of the space, at the front end."""
    front = next(one for one in heat.points if one.point == "front")
    bands = ((0.10, 0.18), (0.32, 0.40), (0.55, 0.63), (0.80, 0.88))
    share = _share_in(front, bands)
    return judge(
        "hot-space",
        "54 % of the requests go to hot bands in 32 % of the space",
        "front end, by address",
        published=f"{100 * published.HOT_REQUESTS:.0f} % in {100 * published.HOT_SPACE:.0f} %",
        ours=f"{100 * share:.1f} % of the requests",
        agrees=abs(share - published.HOT_REQUESTS) <= 0.04,
        cause="uniform requests and sequential streams pass through the bands too",
        experiment="the profile's shares: 54 % in bands, 6 % uniform, 40 % sequential",
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


def notes(scale: Scale) -> list[Note]:
    """What every figure here rests on."""
    sentences = {
        "assembled-arrays": "The arrays are assembled. The slides give rates and response times, no parts "
        "list: the number of disks of each array is set so that its random row comes near the published one "
        f"({systems.SMALL_DISKS} drives of 7,200 rpm, {systems.LARGE_DISKS} of 15,000 rpm, mirrored and "
        "striped); nothing else is set by a published figure.",
        "drive-buffers": "Drives have the buffers that are assumed of data sheets: they read ahead, and "
        "their write cache is off. This sets what sequential streams cost the disks.",
        "stand-in-drive": f"The 15,000 rpm drive is a stand-in ({systems.FAST_DISK}). The span of "
        f"{systems.SPAN_GB:,.0f} GB is that of which the power calculator's 96 GB of cache are 3 %. The "
        "controller's processors (8, 100 us a request) are assumed: 80,000 requests a second are their "
        "limit, which the tiered array reaches.",
        "tiered-array": f"The tiered array has {systems.TIERED_DISKS} of the disks and {systems.TIERED_SSDS} "
        f"SSDs ({systems.SSD}) for {systems.TIER_SHARE:.3g} of the span; its pages of 42 MiB are those of "
        "the P9500, placed as relocation leaves them once it has converged (a first pass counts accesses), "
        "which took theirs hours.",
        "random": "Random means uniform requests of 8 KiB, 70 % reads, Emerald's MW1: the slides say random "
        "only.",
        "sequential-streams": "The hot band's transfer sizes are recalled and unverified; its eight "
        "sequential streams begin at one place, as vdbench's seekpct=0 does.",
    }
    return coded(sentences, reduced="arrays of a quarter of the size" if scale.size < 1 else "")
