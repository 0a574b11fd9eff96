"""What ``iowatt compare`` shows of several systems: which is fastest and draws least, on which terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from iowatt.lenses.compare.result import NO_VERDICT, Verdict
from iowatt.lenses.compare.systems.result import ComparedSystem, LowestFigure, SystemsCompared
from iowatt.pages.compare import system_figures, words
from iowatt.pages.risk import often_lost
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline
from iowatt.render.phrases import listed

TILES = 8
"""Systems that have a tile of their own."""


def document(found: SystemsCompared) -> Document:
    """The document of several systems."""
    names = [one.label for one in found.systems]
    curves = system_figures.distribution(found)
    trade = system_figures.trade(found)
    told = list(system_figures.each(found))
    return Document(
        key="compare",
        kind="systems compared",
        title=f"{names[0]} and {numbers.counted(len(names) - 1, 'other')}"
        if len(names) > 4
        else listed(names),
        meta=f"{words.population_of(found.asked)} · against {found.baseline}",
        verdict=list(verdict(found)),
        chart=trade or curves,
        headlines=[_headline(found, one) for one in found.systems[:TILES]],
        sections=[
            Section(
                "systems",
                "Systems",
                _drawn(system_figures.side_by_side(found), system_figures.against(found)),
            ),
            Section("spread", "Response times", _drawn(curves if trade else None)),
            Section("runs", "The Runs", _drawn(system_figures.changed(found), system_figures.runs(found))),
            Section(
                "pairs",
                "Each comparison",
                [figure for _, figure, _ in told],
                [f"{label}: {remark}" for label, _, remarks in told for remark in remarks],
                folded=True,
            ),
        ],
        caveats=list(_caveats(found)),
    )


def _drawn(*figures: Figure | None) -> list[Figure]:
    return [figure for figure in figures if figure is not None]


def verdict(found: SystemsCompared) -> Iterator[str]:
    """The lowest of each figure that is ranked, the terms, then the systems that are not ranked and why."""
    ranked = [one.label for one in found.systems if not one.not_ranked]
    kept = "" if found.level is None else f"{found.level.of} within {found.level.within_ms:g} ms"
    yield from (_lowest(found, one) for one in found.lowest)
    if not ranked:
        yield "No system is ranked."
    elif len(ranked) == 1:
        yield f"Only {ranked[0]} is ranked{kept and f'; it meets {kept}'}."
    elif kept:
        yield f"All ranked systems meet {kept}."
    yield from _terms(found)
    for one in found.systems:
        if one.not_ranked:
            yield f"{one.label} is not ranked, as {one.not_ranked}."
    by_reason: dict[str, list[str]] = {}
    for one in found.systems:
        if one.response_not_ranked:
            by_reason.setdefault(one.response_not_ranked, []).append(one.label)
    for why, names in by_reason.items():
        yield f"The response times of {listed(names)} are not ranked: {why} than those of {found.baseline}."
    if found.baseline != found.systems[0].label:
        yield f"Differences are against {found.baseline}, the first system that kept up with its load."
    yield from often_lost([(one.label, one.loss_per_year) for one in found.systems], stated=True)


def _lowest(found: SystemsCompared, one: LowestFigure) -> str:
    """``Lowest p95 response time: raid10, 16.9 ms, then raid5, 37.7 ms; significantly better than raid5.``"""
    value = numbers.with_unit(one.value, one.unit)
    after = "" if one.next is None else f", then {one.next}, {numbers.with_unit(one.next_value, one.unit)}"
    return f"Lowest {one.title}: {one.system}, {value}{after}{_tested(found, one)}."


def _tested(found: SystemsCompared, one: LowestFigure) -> str:
    """What the difference from the baseline is worth; of the baseline, which others are worse."""
    if one.system != found.baseline:
        return "" if one.verdict is None else f"; {_worth(one.verdict)} {found.baseline}"
    metric = system_figures.ranked_by(found) if one.metric == "response" else None
    if metric is None:
        return ""
    worse = [
        label
        for label, pair in system_figures.by_label(found).items()
        for row in pair.differences
        if row.metric == metric and row.verdict == "worse"
    ]
    return f"; {listed(worse)} {'is' if len(worse) == 1 else 'are'} significantly worse" if worse else ""


def _worth(verdict: Verdict) -> str:
    if verdict == NO_VERDICT:
        return "these Runs cannot test the difference from"
    return (
        "no significant difference from"
        if verdict == "not distinguishable"
        else f"significantly {verdict} than"
    )


def _terms(found: SystemsCompared) -> Iterator[str]:
    """Whether work and capacity are equal, and what was done where they are not."""
    terms = found.terms
    ranked = [one for one in found.systems if not one.not_ranked]
    if len(ranked) < 2:
        return
    amounts = []
    if terms.capacities_differ and terms.usable_gb is not None:
        sizes = ", ".join(f"{one.label} {_terabytes(one.usable_tb)}" for one in ranked)
        yield f"Usable capacities differ: {sizes}."
        amounts.append(f"hold {_terabytes(terms.usable_gb / 1e3)}")
    if terms.work_differs and terms.work is not None:
        rates = ", ".join(f"{one.label} {numbers.significant(one.requests_per_s)}" for one in ranked)
        yield f"Work differs: {rates} requests/s."
        amounts.append(f"do {numbers.significant(terms.work)} requests/s")
    if amounts:
        yield f"Power {system_figures.at_equal(found)} counts as many of each system as {listed(amounts)}."
    elif terms.work_differs is False and terms.capacities_differ is False:
        yield "All ranked systems did the same work and have the same usable capacity."


def _terabytes(amount: float | None) -> str:
    return numbers.with_unit(None if amount is None else amount, "TB")


def _headline(found: SystemsCompared, one: ComparedSystem) -> Headline:
    """A tile: the response time that is ranked, with power and capacity."""
    of = system_figures.ranked_by(found)
    texts = [f"not ranked: {one.not_ranked.partition(':')[0]}"] if one.not_ranked else []
    if one.power_w is not None:
        texts.append(numbers.with_unit(one.power_w, "W"))
    if one.power_equal_w is not None and found.terms.unequal:
        equal = numbers.with_unit(one.power_equal_w, "W")
        texts.append(f"{equal} {system_figures.at_equal(found)}")
    if one.usable_tb is not None:
        texts.append(f"{_terabytes(one.usable_tb)} usable")
    value = None if one.not_ranked else one.response_time_ms.named(of)
    return Headline(f"system-{one.label}", f"{one.label}, {of}", value, "ms", "; ".join(texts))


def _caveats(found: SystemsCompared) -> Iterator[Caveat]:
    """What limits the comparison: notes, and what makes pairs hard to compare, once each."""
    for note in found.notes:
        yield Caveat(note.text, note.decides)
    flagged: dict[str, list[str]] = {}
    for label, pair in system_figures.by_label(found).items():
        for flag in pair.flags:
            if not pair.withheld:
                flagged.setdefault(flag.text, []).append(label)
    for text, labels in flagged.items():
        everywhere = len(labels) == len(found.pairs) > 1
        yield Caveat(f"{'' if everywhere else f'{listed(labels)} against {found.baseline}: '}{text}", True)
    seen: dict[str, Sequence[str]] = {}
    for pair in found.pairs:
        for note in pair.notes:
            if note.text not in seen:
                seen[note.text] = ()
                yield Caveat(note.text, False)
