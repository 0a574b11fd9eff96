"""A result as it is shown: sentences, figures and tables in one order, whatever prints them.

A page, a terminal, a workbook and a PDF are made from the same ``Document``. Its order is fixed: the verdict,
one chart that decides, the figures, the caveats, and the rest folded away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iowatt.render.figure import Figure
from iowatt.render.headline import Headline


@dataclass(frozen=True)
class Caveat:
    """What limits the figures.

    Parameters
    ----------
    text:
        One sentence.
    decides:
        Whether it can change the decision: a terminal prints it beside the figures, the others on request.
    """

    text: str
    decides: bool = False


@dataclass(frozen=True)
class Section:
    """Figures under one title; ``folded`` ones come last, closed."""

    key: str
    title: str
    figures: Sequence[Figure]
    sentences: Sequence[str] = ()
    folded: bool = False


@dataclass(frozen=True)
class Document:
    """One result.

    Parameters
    ----------
    key:
        Begins the ids of its figures: ``budget-hops``.
    kind:
        What it is, for the head of a page: ``latency budget``.
    title:
        Of what: the name of a Run, a trace, a study.
    meta:
        One line under the title: modelled or measured, how much of what.
    verdict:
        What to conclude, the most important sentence first.
    chart:
        The figure that shows why.
    headlines:
        The first figures, as tiles of a page.
    sections:
        The other figures.
    caveats:
        What limits them.
    provenance:
        Pairs: from what it was made.
    scenario:
        The text of the scenario, for a page.
    scripts, data:
        What else the figures' own templates need in a page: scripts of this package, and data by their names.
    """

    key: str
    kind: str
    title: str
    meta: str = ""
    verdict: Sequence[str] = ()
    chart: Figure | None = None
    headlines: Sequence[Headline] = ()
    sections: Sequence[Section] = ()
    caveats: Sequence[Caveat] = ()
    provenance: Sequence[tuple[str, str]] = ()
    scenario: str = ""
    scripts: Sequence[str] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def open_sections(self) -> list[Section]:
        """Sections with figures or sentences that are not folded."""
        return [one for one in self.sections if not one.folded and (one.figures or one.sentences)]

    @property
    def folded_sections(self) -> list[Section]:
        """Sections that are folded."""
        return [one for one in self.sections if one.folded and (one.figures or one.sentences)]

    def figures(self) -> Iterator[Figure]:
        """All figures in order, the chart first."""
        if self.chart is not None:
            yield self.chart
        for section in (*self.open_sections, *self.folded_sections):
            yield from section.figures

    def ids(self) -> dict[str, Figure]:
        """The figures by their ids in a page."""
        return {f"{self.key}-{figure.key}": figure for figure in self.figures()}


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of text as sentences, their columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def caveats(texts: Sequence[str], *, deciding: Sequence[str] = ()) -> list[Caveat]:
    """Caveats from sentences: ``deciding`` ones first."""
    return [*(Caveat(text, True) for text in deciding), *(Caveat(text) for text in texts)]
