"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.base.results import Note
from iowatt.render.document import Section
from iowatt.studies.dollars2014 import (
    conclusions,
    cost_conclusions,
    cost_tables,
    money,
    points,
    systems,
    tables,
)
from iowatt.studies.dollars2014.cost_conclusions import Priced
from iowatt.studies.dollars2014.money import Money
from iowatt.studies.dollars2014.systems import FULL, QUICK, WORKS, Scale, stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings
from iowatt.studies.study import notes as coded

__all__ = ["FULL", "QUICK", "findings", "stages"]
#: Variants whose costs are drawn by component and over alpha.
DRAWN = ("printed", "demand", "all")


def findings(results: Results, scale: Scale) -> Findings:
    """Everything that the study finds at a scale."""
    runs = points.read(results)
    found = list(runs)
    priced = Priced(found, Money(runs), money.variants(), scale)
    drawn = [variant for variant in priced.variants if variant.key in DRAWN]
    performance = [figure(found, work) for work in WORKS for figure in (tables.throughput, tables.hits)]
    components = [
        figure for work in WORKS for one in drawn for figure in cost_tables.stacked(priced, one, work)
    ]
    over_time = [
        *(cost_tables.over_alpha(priced, one, work) for work in WORKS for one in drawn),
        *(cost_tables.difference(priced, work) for work in WORKS),
        cost_tables.switches(priced),
        *([cost_tables.ranges(priced, drawn)] if scale.draws else []),
        cost_tables.ssd_only(priced, drawn),
        cost_tables.equal_time(priced, drawn[1:]),
    ]
    sections = [
        Section("systems", "Five systems on two devices", [tables.five_systems(found, scale)]),
        Section("throughput", "Throughput and hits", performance),
        Section("dollars", "Dollars by component", components),
        Section("alpha", "Dollars over time", over_time),
        Section("experiments", "Experiments", [tables.experiments(found)]),
    ]
    verdicts = [*conclusions.verdicts(found), *cost_conclusions.verdicts(priced)]
    return Findings(verdicts, sections, notes(scale), results.table(), chart="difference-web-search")


def notes(scale: Scale) -> list[Note]:
    """What every figure here rests on."""
    sentences = {
        "fitted": "Set by published figures: the share of the accesses that go to the first quarter of the "
        "space (linear's hit ratio), and skew and length of the work (caching's hit ratios: web search at "
        "extents of 1 MiB and thresholds of 4 to 64, FIU online at extents of 4 KiB to 1 MiB and a threshold "
        "of 4). Everything else is predicted: profiles dollars2014-web-search and dollars2014-fiu-online.",
        "stand-in-traces": "The traces were not available. For web search a real minute gives sizes and "
        "span, in which no block is read twice; FIU online's sizes and share of writes are from memory, its "
        "span is assumed.",
        "devices": f"Devices: {systems.SSD} with {systems.SSD_ACTIVE_W:g} W at work (assumed: its sheet has "
        f"only the mean of a mobile workload, 0.15 W; an experiment has {systems.OTHER_WATTS[0]:g} and "
        f"{systems.OTHER_WATTS[1]:g} W), and {systems.HDD}, a Barracuda XT 2 TB with an assumed seek time. "
        "Watts are the drives'; the study's meter saw the computer too.",
        "one-outstanding": "Closed replay with one request outstanding: the study reports throughput of a "
        "replay, so arrivals did not set it; how many requests it kept in flight is not published, and one "
        "is the least. An experiment has four.",
        "shares": "SSD = a quarter of the capacity in tiering and linear; caching has the same SSD, and a "
        "disk that holds everything, charged by the GB used. Tiering starts with what chance put on the SSD.",
        "prices": f"Prices are of 2011 (book dollars2014, with sources), electricity by {money.TARIFF} of "
        "today: the study's prices, rates and service cost were not available. The service cost is 0.",
        "equations": "Equations as printed (book dollars2014) unless said: purchase and wear both charge the "
        "SSD, alpha multiplies a month's demand charge, a tenth of what is read counts as written, 36.5 TB "
        "and 300,000 starts and stops are the limits, no PUE, failures or discounting.",
        "equal-work": "Equal work unless said: alpha times the same requests; years = alpha x seconds / "
        "31,536,000.",
    }
    if not scale.whole or systems.traces() is None:
        sentences["no-captured-trace"] = (
            "The captured trace was not replayed: it is in the repository, and in the whole study only."
        )
    return coded(sentences, reduced="short work on a coarse grid" if scale.length < 1 else "")
