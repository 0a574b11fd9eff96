"""Everything a report page says about its runs, put together before any markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from iowatt.lenses import findings
from iowatt.pages.budget import words
from iowatt.pages.run import capacity, controller, figures, measured, movement, story, system
from iowatt.pages.run.figures import comparison
from iowatt.pages.run.figures.headline import headlines
from iowatt.pages.run.verdict import verdict
from iowatt.render import html, numbers
from iowatt.render.figure import Figure, Table
from iowatt.render.headline import Headline

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

_SOURCES = {
    "simulation": "Simulated",
    "fio": "Measured with fio",
    "vdbench": "Measured with vdbench",
    "replay": "Measured by replay",
    "trace": "From a trace",
}


@dataclass(frozen=True)
class RunPart:
    """One run on a page. ``key`` makes the ids of its figures unique."""

    key: str
    label: str
    meta: str
    answer: Sequence[str]
    findings: Sequence[findings.Finding]
    notes: Sequence[str]
    headlines: Sequence[Headline]
    sections: Sequence[figures.Section]
    system: Sequence[tuple[str, Table]]
    provenance: Sequence[tuple[str, str]]
    inputs: Sequence[Mapping[str, Any]]
    scenario: str


@dataclass(frozen=True)
class Comparison:
    """Several runs side by side: what they say first, values as shown, changes against the first run."""

    verdict: Sequence[str]
    headlines: Figure
    distribution: Figure
    headings: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]


@dataclass(frozen=True)
class Page:
    """A whole report."""

    title: str
    runs: Sequence[RunPart]
    comparison: Comparison | None

    def figures(self) -> dict[str, Figure]:
        """All figures by the id they have on the page."""
        found = {}
        if self.comparison is not None:
            both = (self.comparison.headlines, self.comparison.distribution)
            found = {f"all-{figure.key}": figure for figure in both}
        for run in self.runs:
            for section in run.sections:
                found |= {f"{run.key}-{figure.key}": figure for figure in section.figures}
        return found


def compose(runs: Sequence[Run]) -> Page:
    """A page about one run, or about several with a comparison first."""
    names = labels(runs)
    parts = [
        _part(run, f"run{at}", label) for at, (run, label) in enumerate(zip(runs, names, strict=True), 1)
    ]
    if len(parts) == 1:
        return Page(names[0], parts, None)
    return Page(f"{len(parts)} runs compared", parts, _compare(runs, names))


def labels(runs: Sequence[Run]) -> list[str]:
    """Names of runs that tell them apart: the directory is added where names repeat."""
    names = [str(run.summary["name"]) for run in runs]
    repeated = {name for name, number in Counter(names).items() if number > 1}
    shown = [
        f"{name} ({run.path.name})" if name in repeated and run.path else name
        for name, run in zip(names, runs, strict=True)
    ]
    if len(set(shown)) < len(shown):
        return [f"{at}: {label}" for at, label in enumerate(shown, 1)]
    return shown


def _part(run: Run, key: str, label: str) -> RunPart:
    summary = run.summary
    return RunPart(
        key=key,
        label=label,
        meta=_meta(summary),
        answer=story.answer(run),
        findings=[
            *findings.findings(run),
            *(findings.Finding("remark", text) for text in words.of_run(run)),
        ],
        notes=summary["notes"],
        headlines=headlines(summary),
        sections=figures.of_run(run),
        system=[
            *system.describe(run.plan),
            *controller.outcome(summary),
            *capacity.outcome(summary),
            *movement.outcome(summary),
            *measured.outcome(summary),
        ],
        provenance=provenance(summary),
        inputs=summary["provenance"]["inputs"],
        scenario=run.scenario_text,
    )


def _meta(summary: Mapping[str, Any]) -> str:
    kind = _SOURCES.get(summary["source"], str(summary["source"]))
    window = numbers.duration(summary["window"]["duration_s"])
    origin = summary["provenance"]
    return f"{kind} · window of {window} · {origin['started_at'][:10]} · iowatt {origin['version']}"


def provenance(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Where a run came from, as pairs of a title and a value."""
    origin, window = summary["provenance"], summary["window"]
    span = f"{window['start_s']:,.9g} s to {window['end_s']:,.9g} s"
    if window["warmup_s"]:
        span += f", after {window['warmup_s']:,.9g} s of warm-up"
    rows = [
        ("iowatt", str(origin["version"])),
        ("Seed", str(origin["seed"])),
        ("Started", str(origin["started_at"])),
        ("Command", origin.get("command")),
        ("Window of all figures", span),
        ("Scenario SHA-256", origin.get("scenario_sha256")),
        ("Host", _host(origin.get("host"))),
        ("Simulation", _effort(summary.get("simulation"))),
    ]
    return [(title, value) for title, value in rows if value]


def _host(host: Mapping[str, Any] | None) -> str | None:
    if not host:
        return None
    return f"{host['name']}: {host['system']}, {host['machine']}, {host['cpus']} CPUs"


def _effort(cost: Mapping[str, Any] | None) -> str | None:
    if not cost:
        return None
    speed = numbers.significant(cost["requests_per_cpu_s"])
    return (
        f"{numbers.duration(cost['wall_s'])} ({speed} requests per CPU second, "
        f"{numbers.significant(cost['peak_rss_mib'])} MiB of memory at most)"
    )


def _compare(runs: Sequence[Run], names: Sequence[str]) -> Comparison:
    by_run = [comparison.figures(run.summary) for run in runs]
    changes = comparison.changes(runs)
    rows = [
        (
            first.title,
            [
                (mine[at].shown, "" if run == 0 else numbers.change(changes[run][at]))
                for run, mine in enumerate(by_run)
            ],
        )
        for at, first in enumerate(by_run[0])
    ]
    return Comparison(
        verdict(runs, names).sentences,
        comparison.headline_table(runs, names),
        comparison.distributions(runs, names),
        names,
        rows,
    )


def render(runs: Sequence[Run]) -> str:
    """The page of one run as HTML, or of several with a comparison first."""
    page = compose(runs)
    return html.render_page("report.html", page.figures(), page=page)
