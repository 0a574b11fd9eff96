"""A result as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from iowatt.emerald.analyze import figures, text
from iowatt.render import html
from iowatt.render.figure import Figure
from iowatt.render.headline import Headline


@dataclass(frozen=True)
class _Shown(Headline):
    """A headline whose digits the rules fix."""

    digits: str | None = None

    @property
    def parts(self) -> tuple[str, str]:
        """The digits and the unit; a metric that is no measurement has no number."""
        return ("refused", "") if self.digits is None else (self.digits, self.unit)


@dataclass(frozen=True)
class _Section:
    key: str
    title: str
    #: In the contents.
    short: str
    figures: Sequence[Figure]
    findings: Sequence[dict[str, Any]] = ()
    #: Whether its tables hold sentences, which must wrap.
    prose: bool = False


def render(found: dict[str, Any]) -> str:
    """The page of a result, ``iowatt.emerald/1``."""
    sections = [
        _Section("metrics", "Metrics", "Metrics", [figures.metrics(found)]),
        _Section(
            "against", "What stands against it", "Findings", _there(figures.findings(found)), prose=True
        ),
        _Section("stability", "Stability", "Stability", _there(figures.stability(found))),
        *(_of_part(part, found) for part in _parts(found)),
        _Section("instruments", "Instruments", "Instruments", _there(figures.instruments(found))),
        _Section("rules", "Unverified rule values", "Rules", _there(figures.rules(found)), prose=True),
    ]
    sections = [section for section in sections if section.figures or section.findings]
    drawn = {f"emerald-{figure.key}": figure for section in sections for figure in section.figures}
    return html.render_page(
        "emerald-analysis.html",
        drawn,
        title=found["name"],
        meta=_meta(found),
        headlines=_headlines(found),
        notes=_notes(found),
        sections=sections,
    )


def _parts(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Phases and ready idle."""
    return [*found["phases"], *([found["ready_idle"]] if found["ready_idle"] else [])]


def _of_part(part: dict[str, Any], found: dict[str, Any]) -> _Section:
    rests = part is found["ready_idle"]
    name = "Ready idle" if rests else part["phase"]
    drawn = figures.of_rest(part) if rests else figures.of_phase(part, found)
    return _Section(
        part["phase"], f"{name}: {text.status(part, found)}", name, drawn, text.own(part["findings"], found)
    )


def _there(*found: Figure | None) -> list[Figure]:
    return [figure for figure in found if figure is not None]


def _meta(found: dict[str, Any]) -> str:
    what = found["category"] + (f"-{found['class']}" if found["class"] is not None else "")
    return f"{found['kind'].capitalize()} ({found['source']}) · {what} · rules {found['rules']['profile']}"


def _headlines(found: dict[str, Any]) -> list[Headline]:
    return [
        _Shown(
            part["phase"],
            part["metric"],
            part["ep"],
            part["unit"],
            text.status(part, found),
            digits=part["ep_shown"],
        )
        for part in _parts(found)
    ]


def _notes(found: dict[str, Any]) -> list[str]:
    """What must stand above the figures."""
    notes = [text.headline(found)]
    if found["kind"] == "modelled":
        notes.append("Every figure is modelled by a simulation; none was measured.")
    notes += [one["text"] for one in found["findings"] if one["weight"] == "invalid"]
    bad = [part["phase"] for part in found["phases"] if part["status"] == "invalid"]
    if found["ready_idle"] is not None and found["ready_idle"]["status"] == "invalid":
        bad.append("ready idle")
    if bad:
        notes.append(f"Refused as measurements: {', '.join(bad)}; the findings say why.")
    notes.append(
        f"{text.unverified(found)}." if found["rules"]["unverified"] else "All rule values used are verified."
    )
    return notes
