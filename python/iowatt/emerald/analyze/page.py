"""The output of ``iowatt emerald analyze``: the page, the result, the stages as Runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.emerald.analyze import figures
from iowatt.emerald.analyze.result import Analysis, name_of
from iowatt.emerald.analyze.stages import MeasuredStages
from iowatt.emerald.analyze.supplies import supplies_figure
from iowatt.render import numbers
from iowatt.render import write as render_file
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline

RESULT: Final = "analysis.json"
PAGE: Final = "analysis.html"
RUNS: Final = "runs"
_KINDS: Final = {"measured": "measured", "modelled": "modelled, not measured"}


def document(analysis: Analysis) -> Document:
    """The document of an analysis."""
    rules = analysis.rules
    return Document(
        key="emerald",
        kind="Emerald measurement",
        title=analysis.name,
        meta=f"{_KINDS[analysis.kind]} ({analysis.source}) · {analysis.system_class} · rules {rules.profile}",
        verdict=list(_verdict(analysis)),
        chart=figures.settling(analysis),
        headlines=[
            Headline(
                part.phase,
                part.metric,
                part.ep,
                part.unit,
                figures.status(part, analysis),
                said="refused" if part.ep_shown is None else f"{part.ep_shown}\u00a0{part.unit}",
            )
            for part in analysis.parts
        ],
        sections=[
            Section("metrics", "Metrics", [figures.metrics(analysis)], list(_power_ratios(analysis))),
            Section("stability", "Stability", _present(figures.stability_figure(analysis))),
            *(
                Section(
                    part.phase,
                    f"Minutes of {name_of(part)}: {figures.status(part, analysis)}",
                    figures.part_figures(part, analysis),
                    folded=True,
                )
                for part in analysis.parts
            ),
            Section(
                "instruments",
                "Instruments",
                _present(figures.instruments_figure(analysis), supplies_figure(analysis)),
                folded=True,
            ),
            Section("rules", "Unverified rule values", _present(figures.rules(analysis)), folded=True),
        ],
        caveats=list(_caveats(analysis)),
        provenance=[
            ("Measurement", analysis.place),
            ("Rules", f"{rules.title}, version {rules.version}, SHA-256 {rules.sha256}"),
        ],
    )


def _verdict(analysis: Analysis) -> Iterator[str]:
    """Whether it is valid and compliant, always with the rules that it was judged by."""
    standing = "nothing was found against compliance" if analysis.compliant else "it is not an Emerald result"
    refused = [name_of(part) for part in analysis.parts if part.status == "invalid"]
    metrics = numbers.counted(len(analysis.parts), "metric")
    which = f"{len(refused)} of {metrics} refused ({', '.join(refused)})" if refused else f"{metrics} hold"
    yield f"The measurement is {analysis.status}, {which}, and {standing}: {analysis.judged}."
    if analysis.kind == "modelled":
        yield "All figures come from a simulation; none was measured."


def _power_ratios(analysis: Analysis) -> Iterator[str]:
    """A sentence for each phase that runs at a share of another's rate."""
    for phase in analysis.phases:
        ratio = phase.power_ratio
        if ratio is not None:
            yield (
                f"{phase.phase} takes {ratio.power:.3f} of the power of {ratio.to} at {ratio.rates:.3f} of "
                "its rate."
            )


def _caveats(analysis: Analysis) -> Iterator[Caveat]:
    """The findings, those first that make a figure invalid; then the unverified rules."""
    listed = [(place, one) for place, findings in analysis.by_place() for one in findings]
    for place, one in sorted(listed, key=lambda each: not each[1].decides):
        yield Caveat(f"{place}, {one.weight}: {one.text}", one.decides)
    unverified = analysis.rules.unverified
    if unverified:
        names = ", ".join(rule.key for rule in unverified)
        yield Caveat(f"{numbers.counted(len(unverified), 'unverified rule value')}: {names}")


def _present(*found: Figure | None) -> list[Figure]:
    return [figure for figure in found if figure is not None]


def check_target(folder: Path, force: bool) -> None:
    """Raise ``InputError`` where the result cannot be written; before any work is done."""
    if folder.exists() and not folder.is_dir():
        raise InputError("wrong-kind", str(folder), "is not a directory")
    try:
        runs = sorted(path.name for path in (folder / RUNS).iterdir())
    except FileNotFoundError:
        runs = []
    except OSError as error:
        raise InputError("unreadable", str(folder / RUNS), f"cannot be read: {error.strerror}") from None
    existing = [name for name in (RESULT, PAGE) if (folder / name).exists()]
    existing += [f"{RUNS}/{name}" for name in runs][:1]
    if existing and not force:
        text = f"{' and '.join(existing)} exist already"
        hint = "choose another directory with `output=`, or replace them with `force=True`"
        raise InputError("exists", str(folder / existing[0]), text, hint=hint)


def write(analysis: Analysis, measured: MeasuredStages, folder: Path, *, force: bool = False) -> list[Path]:
    """Write the result, the page and the Runs, each file whole or not at all; the paths of the first two."""
    check_target(folder, force)
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("unwritable", str(folder), f"cannot be written: {error.strerror}") from None
    for one in measured.stages:
        if one.run is not None:
            one.run.save(folder / RUNS / one.stage.id, force=True)
    with atomic_path.file(folder / RESULT) as made:
        made.write_text(analysis.json_text(), encoding="utf-8", newline="\n")
    render_file.write(document(analysis), folder / PAGE, force=True)
    return [folder / RESULT, folder / PAGE]
