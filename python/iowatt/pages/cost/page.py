"""The page of ``iowatt cost``: the cheapest system, its components, and what changes the ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from iowatt.base.results import Note
from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import deciding, drives, over_time, sentences, totals, words
from iowatt.pages.cost.sentences import verdict
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, text_columns
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
                [*sentences.ranges(cost)],
            ),
            Section(
                "deciding",
                "What decides",
                _known(*deciding.crossovers(cost), *deciding.tornados(cost), deciding.differences(cost)),
                [*sentences.moving(cost), *sentences.cheapest_where(cost)],
            ),
            Section("time", "When it is due", [over_time.cumulative(cost), *over_time.bills(cost)]),
            Section("year", "The year", over_time.hours(cost)),
            Section(
                "drives",
                "Drives",
                _known(drives.wear(cost), drives.spin_down(cost)),
                [*sentences.replacements(cost), *sentences.spin_downs(cost)],
            ),
            Section("carbon", "Carbon", [drives.carbon(cost)]),
            Section("views", "Other ratios", _known(totals.views(cost)), folded=True),
            Section(
                "basis",
                "Components and assumptions",
                [totals.components(cost), assumptions(cost)],
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
    equal, tiles = words.at_equal(cost), []
    for at, (name, system, share) in enumerate(
        zip(words.labels(cost), cost.systems, words.against(cost), strict=True)
    ):
        why = words.no_candidate(cost, system)
        texts = [f"not a candidate: {why}"] if why else []
        if system.usd is None:
            texts.append("not known: a drive has no price")
        more = [] if share is None else [f"{words.change(share)} against {cost.choice.baseline}"]
        if equal and system.usd_equal is not None:
            more = [f"{equal} {words.usd(system.usd_equal)}", *more]
        if more:
            texts.append(", ".join(more))
        if system.usd_per_usable_tb is not None and not words.withheld(cost, system):
            texts.append(
                f"{words.dollars(system.usd_per_usable_tb)} USD a usable TB ({words.usable(system)})"
            )
        ends = drawn.get(system.name)
        # A total outside its range, with figures at the ends of theirs, is in the table of ranges.
        if ends is not None and system.usd is not None and ends.p5 <= system.usd <= ends.p95:
            texts.append(f"5 to 95\u00a0%: {words.dollars(ends.p5)} to {words.dollars(ends.p95)} USD")
        texts.append(numbers.years(system.years))
        times = {title: getattr(system.work, key) for title, key in words.RESPONSES.items()}
        shown = [f"{title} {numbers.with_unit(ms, 'ms')}" for title, ms in times.items() if ms is not None]
        if shown:
            doubt = system.work.tail_doubt if system.work.response_p95_ms is not None else None
            texts.append(f"response time {', '.join(shown)}{f' – {doubt}' if doubt else ''}")
        total = None if words.withheld(cost, system) else system.usd
        tiles.append(Headline(f"total-{at}", name, total, "USD", "; ".join(texts)))
    return tiles[:_TILES]


def caveats(cost: Cost) -> Iterator[Caveat]:
    """Every caution and note once, with the names of its systems unless it applies to all."""
    of_systems: dict[Note, list[str]] = {}
    for name, system in words.named(cost):
        for note in (*system.cautions, *system.notes):
            of_systems.setdefault(note, []).append(name)
    notes = [
        *cost.book.cautions,
        *(note.about(f"tariff {cost.tariff.key}") for note in cost.tariff.notes),
        *cost.book.notes,
        *(
            note.about(", ".join(names)) if len(names) < len(cost.systems) else note
            for note, names in of_systems.items()
        ),
    ]
    site_kw = cost.assumed("energy.site_kw")
    if isinstance(site_kw, float) and site_kw:
        text = (
            f"costs are what a system adds to the bill of a site of {numbers.figure(site_kw)} kW "
            "(energy.site_kw); the monthly bill is that of the system alone"
        )
        notes.append(Note(code="beside-site", text=text))
    for note in sorted(notes, key=lambda one: not one.decides):
        yield Caveat(note.text, note.decides)


def provenance(cost: Cost) -> Iterator[tuple[str, str]]:
    """Sources of the costs: tariff, assumptions, prices and Runs."""
    yield from rests(cost)
    yield from (("Price", price) for price in _prices(cost))
    yield from (("Run", f"{system.name}: {system.where}") for system in cost.systems)


def rests(cost: Cost) -> Iterator[tuple[str, str]]:
    """The tariff, and the book with the quality of its figures."""
    tariff, book = cost.tariff, cost.book
    dated = " to ".join(str(end) for end in tariff.effective if end)
    parts = [tariff.name, tariff.utility, dated and f"effective {dated}", tariff.source]
    yield "Tariff", ", ".join(filter(None, parts)) + ("" if tariff.verified else "; not verified")
    qualities = Counter(one.quality for one in cost.assumptions).most_common()
    counts = ", ".join(f"{count} {quality}" for quality, count in qualities)
    yield "Assumptions", f"{book.name} ({book.title}): {len(cost.assumptions)} figures used: {counts}"


def _prices(cost: Cost) -> Sequence[str]:
    """The price of a drive of each model, and its source."""
    prices = {
        (drive.model, drive.price_usd, drive.price_source, drive.price_date): None
        for system in cost.systems
        for drive in system.drives
    }
    return [
        f"{model}: {words.usd(price)} ({', '.join(filter(None, (source, date)))})"
        for model, price, source, date in prices
        if price is not None
    ]


def assumptions(cost: Cost) -> Figure:
    """Every figure used, with range, source, date and quality."""
    columns = [
        *text_columns("Figure", "Value", "Unit"), Column("Low"), Column("High"),
        *text_columns("Quality", "Date", "Source", "What it is", "Note"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.key, one.value if isinstance(one.value, str) else f"{one.value:,.6g}", one.unit, one.low,
            one.high, one.quality, one.date or "", one.source, one.text, one.note,
        ]
        for one in cost.assumptions
    ]  # fmt: skip
    return Figure(
        "assumptions", "Every figure used",
        "The assumptions behind these dollars. Each can be set: KEY=VALUE.",
        Table(columns, rows), wide=True,
    )  # fmt: skip
