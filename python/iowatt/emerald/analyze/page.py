"""What ``iowatt emerald analyze`` shows."""

from __future__ import annotations

from collections.abc import Iterator

from iowatt.emerald.analyze import figures
from iowatt.emerald.analyze.result import Analysis, name_of
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

_KINDS = {"measured": "measured", "modelled": "modelled, not measured"}


def document(found: Analysis) -> Document:
    """The document of an analysis."""
    return Document(
        key="emerald",
        kind="Emerald measurement",
        title=found.name,
        meta=f"{_KINDS[found.kind]} ({found.source}) · {found.system_class} · rules {found.rules.profile}",
        verdict=list(_verdict(found)),
        chart=figures.settling(found),
        headlines=[
            Headline(
                part.phase,
                part.metric,
                part.ep,
                part.unit,
                figures.status(part, found),
                said="refused" if part.ep_shown is None else f"{part.ep_shown}\u00a0{part.unit}",
            )
            for part in found.parts
        ],
        sections=[
            Section("metrics", "Metrics", [figures.metrics(found)], list(_power_ratios(found))),
            Section("stability", "Stability", _there(figures.stability(found))),
            *(
                Section(
                    part.phase,
                    f"Minutes of {name_of(part)}: {figures.status(part, found)}",
                    figures.of_part(part, found),
                    folded=True,
                )
                for part in found.parts
            ),
            Section("instruments", "Instruments", _there(figures.instruments(found)), folded=True),
            Section("rules", "Unverified rule values", _there(figures.rules(found)), folded=True),
        ],
        caveats=list(_caveats(found)),
        provenance=[
            ("Measurement", found.place),
            ("Rules", f"{found.rules.title}, version {found.rules.version}, SHA-256 {found.rules.sha256}"),
        ],
    )


def _verdict(found: Analysis) -> Iterator[str]:
    """Whether it is valid and compliant, and by which rules: never the one without the other."""
    standing = "nothing was found against compliance" if found.compliant else "it is no Emerald result"
    refused = [name_of(part) for part in found.parts if part.status == "invalid"]
    metrics = numbers.counted(len(found.parts), "metric")
    which = f"{len(refused)} of {metrics} refused ({', '.join(refused)})" if refused else f"{metrics} hold"
    yield f"The measurement is {found.status}, {which}, and {standing}: {found.judged}."
    if found.kind == "modelled":
        yield "All figures come from a simulation; none was measured."


def _power_ratios(found: Analysis) -> Iterator[str]:
    """A sentence for each phase that runs at a share of another's rate."""
    for phase in found.phases:
        ratio = phase.power_ratio
        if ratio is not None:
            yield (
                f"{phase.phase} takes {ratio.power:.3f} of the power of {ratio.to} at {ratio.rates:.3f} of "
                "its rate."
            )


def _caveats(found: Analysis) -> Iterator[Caveat]:
    """The findings, those first for which a figure is refused; then the rules that nobody has verified."""
    listed = [(place, one) for place, findings in found.by_place() for one in findings]
    for place, one in sorted(listed, key=lambda each: not each[1].decides):
        yield Caveat(f"{place}, {one.weight}: {one.text}", one.decides)
    unverified = found.rules.unverified
    if unverified:
        names = ", ".join(rule.key for rule in unverified)
        yield Caveat(f"{numbers.counted(len(unverified), 'unverified rule value')}: {names}")


def _there(*made: Figure | None) -> list[Figure]:
    return [figure for figure in made if figure is not None]
