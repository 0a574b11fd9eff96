"""The page of an answer: what to buy, each family beside it, what would change the decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from iowatt.evaluate.choose import PAGE, WORKBOOK
from iowatt.evaluate.choose.result import Choose, SystemFigures
from iowatt.pages.choose import change, tables
from iowatt.pages.choose.verdict import money, verdict
from iowatt.render import numbers, write
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.headline import Headline


def document(found: Choose) -> Document:
    """The document of an answer."""
    best = found.winner
    commands = [tables.commands(found)] if found.scenarios else []
    return Document(
        key="choose",
        kind="what to buy",
        title=found.name,
        meta=f"{found.asked} · {found.simulations} simulations",
        verdict=list(verdict(found)),
        chart=tables.chart(found),
        headlines=[] if best is None else _headlines(found, best),
        sections=[
            Section("families", "Families", [tables.families(found), tables.levels(found)]),
            Section("dollars", "Dollars by part", [tables.dollars(found)]),
            Section("change", "What would change the decision", [*change.changes(found)]),
            Section("footprint", "What the load keeps of the trace", [*change.footprints(found)]),
            Section("errors", "Estimates beside simulations", [change.errors(found)] if found.errors else []),
            Section("again", "The same figures again", commands, folded=True),
            Section("systems", "All systems that were simulated", [tables.systems(found)], folded=True),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def files(found: Choose) -> Mapping[str, Callable[[Path], object]]:
    """What is written beside the document: the page and the workbook."""
    from iowatt.render import workbook

    made = document(found)
    return {
        PAGE: lambda file: file.write_text(write.page([made]), "utf-8", newline="\n"),
        WORKBOOK: lambda file: workbook.write([made], file),
    }


def _headlines(found: Choose, best: SystemFigures) -> list[Headline]:
    first = "" if best.purchase_usd is None else f"{money(best.purchase_usd)} on the first day"
    p99 = "" if best.p99_ms is None else f"p99 {numbers.with_unit(best.p99_ms, 'ms')}"
    units = "" if best.rack_units is None else f"{best.rack_units} rack units"
    usd = best.usd or 0.0
    return [
        Headline("usd", f"Dollars, {numbers.years(found.years)}", usd, "USD", first, said=money(usd)),
        Headline("watts", "Watts", best.watts, "W", "mean, at the wall"),
        Headline("p95", "p95", best.p95_ms, "ms", p99),
        Headline("usable", "Usable", best.usable_tb, "TB", units),
    ]
