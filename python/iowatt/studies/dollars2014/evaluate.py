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
from iowatt.studies.dollars2014.published import TEXT
from iowatt.studies.dollars2014.systems import FULL, QUICK, WORKS, DollarsScale, stages
from iowatt.studies.stages import Results
from iowatt.studies.study import Findings

__all__ = ["FULL", "QUICK", "findings", "stages"]
#: Variants whose costs are drawn by component and over alpha.
DRAWN = ("printed", "demand", "all")


def findings(results: Results, scale: DollarsScale) -> Findings:
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


def notes(scale: DollarsScale) -> list[Note]:
    """What every figure here rests on."""
    replayed = scale.whole and systems.traces() is not None
    return TEXT.noted(
        reduced=scale.length < 1, left_out=["no-captured-trace"] if replayed else [], ssd=systems.SSD,
        active_w=systems.SSD_ACTIVE_W, other_w=systems.OTHER_WATTS, hdd=systems.HDD, tariff=money.TARIFF,
    )  # fmt: skip
