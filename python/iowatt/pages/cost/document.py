"""What ``iowatt cost`` shows: the cheapest system, what each consists of, and what would change it."""

from __future__ import annotations

from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import assumed, deciding, drives, footprint, hours, over_time, ranking, totals, words
from iowatt.pages.cost.basis import caveats, provenance
from iowatt.pages.cost.verdict import verdict
from iowatt.render import numbers
from iowatt.render.document import Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

#: Systems that have a tile of their own.
_TILES = 8


def document(cost: Cost) -> Document:
    """The document of costs."""
    names = words.labels(cost)
    several = len(names) > 1
    return Document(
        key="cost",
        kind="cost",
        title=" and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} others",
        meta=f"{words.basis(cost)} · {cost.horizon.said} from {cost.start} · {cost.tariff.name}",
        verdict=verdict(cost),
        chart=totals.groups(cost),
        headlines=headlines(cost),
        sections=[
            Section(
                "costs",
                "Totals",
                _known(totals.systems(cost), deciding.totals(cost), totals.other(cost) if several else None),
                [*ranking.ranges(cost)],
            ),
            Section(
                "deciding",
                "What decides",
                _known(*deciding.crossovers(cost), *deciding.tornados(cost), deciding.differences(cost)),
                [*ranking.moving(cost), *ranking.sentences(cost)],
            ),
            Section("time", "When it is due", [over_time.cumulative(cost), *over_time.bills(cost)]),
            Section("year", "The year", hours.figures(cost)),
            Section(
                "drives",
                "Drives",
                _known(drives.wear(cost), drives.spin_down(cost)),
                [*ranking.replacements(cost), *ranking.spin_downs(cost)],
            ),
            Section("carbon", "Carbon", [footprint.carbon(cost)]),
            Section("views", "Other ratios", _known(totals.views(cost)), folded=True),
            Section(
                "basis",
                "Components and assumptions",
                [totals.components(cost), assumed.assumptions(cost)],
                folded=True,
            ),
        ],
        caveats=list(caveats(cost)),
        provenance=list(provenance(cost)),
    )


def _known(*figures: Figure | None) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def headlines(cost: Cost) -> list[Headline]:
    """The total of each system, against the first candidate, with its range."""
    drawn = {one.name: one.quantiles for one in cost.uncertainty.systems} if cost.uncertainty else {}
    made = []
    for at, (name, system, share) in enumerate(
        zip(words.labels(cost), cost.systems, words.against(cost), strict=True)
    ):
        why = words.no_candidate(cost, system)
        said = [f"no candidate: {why}"] if why else []
        if system.usd is None:
            said.append("not known: a drive has no price")
        if share is not None:
            said.append(f"{words.change(share)} against {cost.choice.baseline}")
        if system.usd_per_usable_tb is not None and not words.withheld(cost, system):
            said.append(f"{words.dollars(system.usd_per_usable_tb)} USD a usable TB ({words.usable(system)})")
        ends = drawn.get(system.name)
        # Where values stand at the ends of their ranges, so does the total: the table of ranges has it then.
        if ends is not None and system.usd is not None and ends.p5 <= system.usd <= ends.p95:
            said.append(f"5 to 95\u00a0%: {words.dollars(ends.p5)} to {words.dollars(ends.p95)} USD")
        said.append(words.years(system.years))
        times = {title: getattr(system.work, key) for title, key in words.RESPONSES.items()}
        shown = [f"{title} {numbers.with_unit(ms, 'ms')}" for title, ms in times.items() if ms is not None]
        if shown:
            said.append(f"response time {', '.join(shown)}")
        total = None if words.withheld(cost, system) else system.usd
        made.append(Headline(f"total-{at}", name, total, "USD", "; ".join(said)))
    return made[:_TILES]
