"""What costs rest on: the tariff, the assumptions, the prices, and the caveats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from iowatt.base.results import Note
from iowatt.lenses.cost.result import Cost
from iowatt.pages.cost import words
from iowatt.render.document import Caveat


def caveats(cost: Cost) -> Iterator[Caveat]:
    """Every caution and note once, with the names of the systems it is of unless it is of all."""
    of_systems: dict[Note, list[str]] = {}
    for name, system in zip(words.labels(cost), cost.systems, strict=True):
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
            f"costs are what a system adds to the bill of a site of {words.figure(site_kw)} kW "
            "(energy.site_kw); the bill by month is that of the system alone"
        )
        notes.append(Note(code="beside-site", text=text))
    for note in sorted(notes, key=lambda one: not one.decides):
        yield Caveat(note.text, note.decides)


def provenance(cost: Cost) -> Iterator[tuple[str, str]]:
    """What the costs were made from: tariff, assumptions, prices and Runs."""
    yield from rests(cost)
    yield from (("Price", price) for price in _prices(cost))
    yield from (("Run", f"{system.name}: {system.where}") for system in cost.systems)


def rests(cost: Cost) -> Iterator[tuple[str, str]]:
    """The tariff, and the book with how good its figures are."""
    tariff, book = cost.tariff, cost.book
    dated = " to ".join(str(end) for end in tariff.effective if end)
    parts = [tariff.name, tariff.utility, dated and f"effective {dated}", tariff.source]
    yield (
        "Tariff",
        ", ".join(part for part in parts if part) + ("" if tariff.verified else "; not verified"),
    )
    qualities = Counter(one.quality for one in cost.assumptions).most_common()
    counts = ", ".join(f"{count} {quality}" for quality, count in qualities)
    yield "Assumptions", f"{book.name} ({book.title}): {len(cost.assumptions)} figures used: {counts}"


def _prices(cost: Cost) -> Sequence[str]:
    """What a drive of each model is priced at, and by whom."""
    told = {
        (drive.model, drive.price_usd, drive.price_source, drive.price_date): None
        for system in cost.systems
        for drive in system.drives
    }
    return [
        f"{model}: {words.usd(price)} ({', '.join(filter(None, (source, date)))})"
        for model, price, source, date in told
        if price is not None
    ]
