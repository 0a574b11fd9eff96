"""A fleet as a page: whether the plan holds, what it costs, dollars by year, what to buy, what breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from iowatt.evaluate.fleet import PAGE, WORKBOOK
from iowatt.evaluate.fleet.result import BrokenLimit, Fleet, FleetRange
from iowatt.pages.fleet import limits, members, over_years
from iowatt.render import numbers, write
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.headline import Headline
from iowatt.render.phrases import listed

_SHOWN = 6
"""Purchases that the verdict names, and limits."""


def document(found: Fleet) -> Document:
    """The document of a fleet."""
    total, most = found.totals, over_years.most_racks(found)
    return Document(
        key="fleet",
        kind="fleet",
        title=found.name,
        meta=f"{len(found.years)} years from {found.start} · {listed([one.name for one in found.members])} · "
        f"book {found.book}, tariff {found.tariff}, PUE {found.pue:g}",
        verdict=list(_verdict(found)),
        chart=over_years.dollars(found),
        headlines=[
            Headline(
                "usd",
                "Dollars",
                None,
                "USD",
                "prices and growth as stated",
                said=money(total.total_usd.expected),
            ),
            Headline(
                "kwh",
                "Electricity",
                total.kwh.expected,
                "kWh",
                "of the facility",
                said=energy(total.kwh.expected),
            ),
            Headline(
                "carbon",
                "Carbon",
                (total.operational_kg + total.embodied_kg) / 1000,
                "t",
                f"{numbers.significant(total.embodied_kg / 1000)} t of it embodied",
            ),
            Headline(
                "failures", "Drives that fail", total.failures.expected, "drives", count_range(total.failures)
            ),
            Headline(
                "racks",
                "Racks",
                most,
                "",
                _racks(found),
                said="not known" if most is None else f"{most:,}",
            ),
            Headline(
                "loss",
                "Probability of data loss",
                total.loss_probability,
                "",
                "in any member, all years",
                said=probability(total.loss_probability),
            ),
        ],
        sections=[
            Section(
                "years",
                "Year by year",
                [
                    over_years.years(found),
                    over_years.capacity(found),
                    *([over_years.purchases(found)] if found.purchases else []),
                    over_years.energy(found),
                ],
            ),
            Section("limits", "Limits", [one for one in (limits.limits(found), limits.power(found)) if one]),
            Section("classes", "Members and their loads", [members.classes(found), members.watts(found)]),
            Section("drives", "Drives and spares", [members.drives(found)]),
            Section("alternatives", "What if", [limits.alternatives(found)] if found.alternatives else []),
            Section(
                "members",
                "One member of each class",
                [members.members(found), members.points(found)],
                folded=True,
            ),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
        provenance=[
            ("Seed of the ranges", str(found.seed)),
            ("Cost book", found.book),
            ("Tariff", found.tariff),
        ],
    )


def files(found: Fleet) -> Mapping[str, Callable[[Path], object]]:
    """What is written beside the document: the page and the workbook."""
    from iowatt.render import workbook

    made = document(found)
    return {
        PAGE: lambda file: file.write_text(write.page([made]), "utf-8", newline="\n"),
        WORKBOOK: lambda file: workbook.write([made], file),
    }


def money(usd: float, digits: int = 3) -> str:
    """Dollars, scaled: ``$4.22M``."""
    sign, size = ("-" if usd < 0 else ""), abs(usd)
    for least, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size >= least:
            return f"{sign}${numbers.significant(size / least, digits)}{unit}"
    return f"{sign}${numbers.significant(size) if size else '0'}"


def energy(kwh: float) -> str:
    """Energy, scaled: ``3.13 GWh``."""
    for least, unit in ((1e6, "GWh"), (1e3, "MWh")):
        if kwh >= least:
            return f"{numbers.significant(kwh / least)}\u00a0{unit}"
    return f"{numbers.significant(kwh)}\u00a0kWh"


def probability(share: float | None) -> str:
    """A probability: ``3.1e-07``; a few percent as percent."""
    if share is None:
        return "not known"
    return numbers.percent(share) if share >= 0.001 else f"{share:.2g}"


def count_range(figure: FleetRange) -> str:
    """The range of counts."""
    return f"{figure.low:,.0f} to {figure.high:,.0f}"


def _racks(found: Fleet) -> str:
    if over_years.most_racks(found) is None:
        return "the power cap is below one member"
    return (
        f"of {found.racks_available:,} available" if found.racks_available is not None else "in the peak year"
    )


def _verdict(found: Fleet) -> Iterator[str]:
    total, years = found.totals, len(found.years)
    holds = "all limits are met" if found.holds else "limits are broken"
    yield (
        f"{money(total.total_usd.expected)} over {years} years, {energy(total.kwh.expected)}, with prices "
        f"and growth as stated: {holds}."
    )
    for one in found.broken[:_SHOWN]:
        yield f"From {one.year}: {one.text}."
    if len(found.broken) > _SHOWN:
        yield f"And {numbers.counted(len(found.broken) - _SHOWN, 'more limit')}."
    yield _bought(found)
    if carried := _carried(found):
        yield carried
    if any(one.drives for one in found.years):
        stock = max(sum(drive.stock for drive in one.drives) for one in found.years)
        held = f"; at most {stock:,} spares are held" if stock else "; no spares are held"
        yield (
            f"{numbers.significant(total.failures.expected)} drives fail ({count_range(total.failures)})"
            f"{held if any(d.stock_out is not None for y in found.years for d in y.drives) else ''}."
        )
    if total.loss_probability is not None:
        chance = probability(total.loss_probability)
        yield f"Probability that any member loses data, even a sector: {chance} over {years} years."
    for other in found.alternatives:
        apart = other.total_usd.expected - total.total_usd.expected
        said = f"{money(abs(apart))} {'more' if apart >= 0 else 'less'}"
        yield f"With {', '.join(other.changes)}: {said}, {_holding(other.broken)}."


def _carried(found: Fleet) -> str | None:
    """Classes of which a rack's power cap carries fewer members than its units hold, as planned."""
    if found.rack_cap_w is None:
        return None
    cap = f"A rack of {found.rack_cap_w / 1000:.4g} kW"
    if unfit := over_years.unfit(found):
        return (
            f"{cap} cannot power even one {' or '.join(unfit)}: the number of racks is not known until "
            "racks.power_cap is higher or members draw less."
        )
    bound = [one for one in found.members if one.in_rack < one.units_hold]
    if not bound:
        return None
    each = listed([f"{one.in_rack} of {one.name} (its units hold {one.units_hold})" for one in bound])
    most = max(one.racks for one in found.years)
    return f"{cap} powers {each}: {most:,} racks in total."


def _holding(broken: Sequence[BrokenLimit]) -> str:
    if not broken:
        return "and all limits are met"
    return f"and {broken[0].code.replace('-', ' ')} from {broken[0].year}"


def _bought(found: Fleet) -> str:
    if not found.purchases:
        return "Nothing is bought."
    yearly = len({one.delivery[5:] for one in found.purchases}) == 1
    when = {one.delivery: one.delivery[: 4 if yearly else 7] for one in found.purchases}
    shown = [f"{one.count:,} {one.name} in {when[one.delivery]}" for one in found.purchases[:_SHOWN]]
    left = found.purchases[_SHOWN:]
    more = f", and {sum(one.count for one in left):,} more by {when[left[-1].delivery]}" if left else ""
    return f"Buys {', '.join(shown)}{more}."
