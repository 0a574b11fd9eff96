"""A report as one HTML page that needs nothing else; Chromium prints it as a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from iowatt.emerald.report.blocks import Page
from iowatt.emerald.report.marks import Mark
from iowatt.render import html


def render(title: str, mark: Mark, pages: Sequence[Page]) -> str:
    """The page."""
    figures = {
        f"emerald-{figure.key}": figure for page in pages for block in page.blocks for figure in block.figures
    }
    return html.render_page(
        "emerald-report.html",
        figures,
        title=title,
        mark=mark,
        margin=Markup(_quoted(mark.line)),
        foot=Markup(_quoted(f"{title} · made by iowatt; not SNIA's template")),
        pages=pages,
    )


def _quoted(text: str) -> str:
    """A CSS string inside a style element: every character that could end either is escaped."""
    plain = (one if one.isalnum() or one in " .,;:()=%+-/_" else f"\\{ord(one):06x}" for one in text)
    return f'"{"".join(plain)}"'
