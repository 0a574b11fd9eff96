"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.latency2015 import base as bases
from iowatt.studies.latency2015 import charts, conclusions, points, systems, tables
from iowatt.studies.latency2015.points import LatencyPoints
from iowatt.studies.latency2015.published import PRINTED, REFERENCE, TEXT
from iowatt.studies.latency2015.systems import FULL, QUICK, LatencyScale, stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]


def findings(results: Results, scale: LatencyScale) -> Findings:
    """Everything that the study finds at a scale."""
    found = points.read(results)
    base = bases.of(found)
    shown = REFERENCE if REFERENCE in scale.members else scale.members[0]
    over_time = [charts.over_time(found, kind, shown) for kind in ("steady", "checkpoint")]
    family = [tables.printed(), tables.members(found), tables.distinguishing(found), charts.histograms(found)]
    sections = [
        Section("time", "Write latency over time", over_time),
        Section("base", "Service times of an installed base", [charts.installed_base(base)]),
        Section("bandwidth", "Bandwidth", [charts.bandwidth(found)]),
        Section("path", "Contributors along the path", [charts.path(found, shown)]),
        Section("family", "The family of calibrations", family),
        Section("services", "Other services", [tables.services(found, scale)]),
    ]
    verdicts = conclusions.all_of(found, base, bases.of(found, PRINTED.storeserv_10400))
    return Findings(verdicts, sections, notes(found, scale), results.table(), chart="over-time-steady")


def idle_gain(found: LatencyPoints) -> str:
    """What the feature takes away of a write's latency with one user: the range over the members."""
    gains = []
    for member in found.members:
        before, after = found.pair("alone", member.key)
        gains.append(100 * (1 - after.write_ms / before.write_ms))
    return f"{min(gains):.0f} to {max(gains):.0f} %"


def notes(found: LatencyPoints, scale: LatencyScale) -> list[Note]:
    """What every figure here rests on."""
    load = systems.LOAD
    return TEXT.noted(
        reduced=scale != FULL, best_distinguishing=tables.best_distinguishing(found),
        idle_gain=idle_gain(found), drives=PRINTED.drives, ssd=systems.SSD, users=PRINTED.users,
        pages=systems.PAGES, commits=systems.COMMITS, reads=load.reads, writes=load.writes,
        reads_per_write=PRINTED.reads_per_write,
    )  # fmt: skip
