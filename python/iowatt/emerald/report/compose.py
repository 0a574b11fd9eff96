"""A report as pages, whatever prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from iowatt.emerald.report import complete, front, marks, origin, system, timeline
from iowatt.emerald.report.blocks import Page
from iowatt.emerald.report.complete import Item
from iowatt.emerald.report.inputs import Given
from iowatt.emerald.report.marks import Mark

REPORT_SCHEMA: Final = "iowatt.emerald-report/1"


@dataclass(frozen=True)
class Report:
    """Pages with the line that stands on each of them."""

    title: str
    mark: Mark
    pages: list[Page]
    items: list[Item]

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not any(one.lacking for one in self.items)

    def as_dict(self) -> dict[str, Any]:
        """What a program wants to know of it, ``iowatt.emerald-report/1``."""
        return {
            "schema": REPORT_SCHEMA,
            "title": self.title,
            "kind": self.mark.kind,
            "compliant": self.mark.compliant,
            "against": list(self.mark.against),
            "judged": self.mark.judged,
            "complete": self.complete,
            "items": [one.as_dict() for one in self.items],
        }


def compose(given: Given) -> Report:
    """The report of one analysis."""
    items = complete.items(given)
    pages = [
        front.product(given),
        front.metrics(given),
        system.taxonomy(given),
        system.system(given),
        timeline.instruments(given),
        timeline.stability(given),
        *timeline.minutes(given),
        origin.findings(given),
        origin.rules(given),
        origin.files(given),
        complete.page(items),
    ]
    return Report(given.analysis.name, marks.mark(given.analysis), pages, items)
