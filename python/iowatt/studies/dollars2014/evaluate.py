"""From the sweeps to tables, figures and verdicts."""

from __future__ import annotations

from iowatt.studies.dollars2014 import conclusions, cost_conclusions, cost_tables, money, systems, tables
from iowatt.studies.dollars2014.money import Money
from iowatt.studies.dollars2014.points import Points
from iowatt.studies.dollars2014.systems import WORKS, Scale
from iowatt.studies.results import Results
from iowatt.studies.study import Findings, Section

#: Variants whose costs are drawn by component and over alpha.
DRAWN = ("printed", "demand", "all")


def evaluate(results: Results, scale: Scale) -> Findings:
    """Everything that the study finds at a scale."""
    found = Points(results)
    points, dollars, variants = found.all, Money(found.runs), money.variants()
    drawn = [variant for variant in variants if variant.key in DRAWN]
    verdicts = [*conclusions.verdicts(points), *cost_conclusions.verdicts(points, dollars, variants, scale)]
    costs = [cost_tables.switches(points, dollars, variants)]
    if scale.draws:
        costs.append(cost_tables.ranges(points, dollars, drawn, scale))
    sections = [
        Section("systems", "Five systems on two devices", [tables.five_systems(points, scale)]),
        Section(
            "throughput",
            "Throughput and hits",
            [figure(points, work) for work in WORKS for figure in (tables.throughput, tables.hits)],
        ),
        Section(
            "dollars",
            "Dollars by component",
            [
                figure
                for work in WORKS
                for one in drawn
                for figure in cost_tables.stacked(points, dollars, one, work, scale)
            ],
        ),
        Section(
            "alpha",
            "Dollars over time",
            [
                *(
                    cost_tables.over_alpha(points, dollars, one, work, scale)
                    for work in WORKS
                    for one in drawn
                ),
                *(cost_tables.difference(points, dollars, variants, work, scale) for work in WORKS),
                *costs,
                cost_tables.ssd_only(points, dollars, drawn, scale),
                cost_tables.equal_time(points, dollars, drawn[1:], scale),
            ],
        ),
        Section("experiments", "Experiments", [tables.experiments(points)]),
    ]
    return Findings(verdicts, sections, notes(scale), results.table())


def notes(scale: Scale) -> list[str]:
    """What every figure here rests on."""
    said = [
        "Set by published figures: the share of the accesses that go to the first quarter of the space "
        "(linear's hit ratio), and skew and length of the work (caching's hit ratios: web search at extents "
        "of 1 MiB and thresholds of 4 to 64, FIU online at extents of 4 KiB to 1 MiB and a threshold of 4). "
        "Everything else is predicted: profiles dollars2014-web-search and dollars2014-fiu-online.",
        "The traces could not be had. Of web search a real minute gives sizes and span, in which no block "
        "is read twice; FIU online's sizes and share of writes are from memory, its span is assumed.",
        f"Devices: {systems.SSD} with {systems.SSD_ACTIVE_W:g} W at work (assumed: its sheet has only the "
        f"mean of a mobile workload, 0.15 W; an experiment has {systems.OTHER_WATTS[0]:g} and "
        f"{systems.OTHER_WATTS[1]:g} W), and {systems.HDD}, a Barracuda XT 2 TB with an assumed seek time. "
        "Watts are the drives'; the study's meter saw the computer too.",
        "Closed replay with one request outstanding: the study reports throughput of a replay, so "
        "arrivals did not set it; how many requests it kept in flight is not published, and one is the "
        "least. An experiment has four.",
        "SSD = a quarter of the capacity in tiering and linear; caching has the same SSD, and a disk that "
        "holds everything, charged by the GB used. Tiering starts with what chance put on the SSD.",
        f"Prices are of 2011 (book dollars2014, with sources), electricity by {money.TARIFF} of today: the "
        "study's prices, rates and service cost could not be had. The service cost is 0.",
        "Equations as printed (book dollars2014) unless said: purchase and wear both charge the SSD, "
        "alpha multiplies a month's demand charge, a tenth of what is read counts as written, 36.5 TB and "
        "300,000 starts and stops are the limits, no PUE, failures or discounting.",
        "Equal work unless said: alpha times the same requests; years = alpha x seconds / 31,536,000.",
    ]
    if scale.length < 1:
        said.insert(
            0, "This is the reduced run (--quick): short work on a coarse grid, for a look, not for figures."
        )
    if not scale.whole or systems.traces() is None:
        said.append(
            "The captured trace was not replayed: it is in the repository, and in the whole study only."
        )
    return said
