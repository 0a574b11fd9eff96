"""The report as one HTML file that needs nothing else, or as a page of a site whose pages share their assets.

In a file of its own, style and scripts are inside, and a content security policy lets run only the scripts of
this package, by their digest. A page of a :class:`Site` links to them. Either way every other request is
forbidden: whatever a scenario or a trace is called, the page neither runs it nor tells anybody.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from iowatt.render import palette
from iowatt.render.figure import Figure
from iowatt.render.numbers import rounded_to

_HERE = Path(__file__).parent
PLOTLY = _HERE / "vendor" / "plotly-cartesian.min.js"
_TEMPLATES = _HERE / "templates"

LONG_TABLE = 40
"""Rows from which a table is folded away even where there is no chart of it."""

PRINTED_TABLE = 6
"""Rows up to which the table under a chart is printed with it."""


_CODE = re.compile(r"`([^`\n]+)`")

DIGITS = 8
"""Significant digits of the numbers inside the page."""


@dataclass(frozen=True)
class Site:
    """A site that a page belongs to: its pages link to shared assets, and have a bar of links on top.

    Parameters
    ----------
    assets:
        Where the files of :func:`assets` are, as the page's links have it: ``/assets``, ``../assets``.
    links:
        Titles and addresses of the bar.
    styles, scripts:
        Further files of the site that the page links to; scripts are modules.
    """

    assets: str
    links: Sequence[tuple[str, str]] = ()
    styles: Sequence[str] = ()
    scripts: Sequence[str] = ()


def assets() -> dict[str, Path]:
    """The files that pages of a site share, by their names."""
    own = [*_TEMPLATES.glob("*.js"), *_TEMPLATES.glob("*.css")]
    return {PLOTLY.name: PLOTLY, **{file.name: file for file in own}}


def environment(*folders: Path) -> Environment:
    """Where templates come from: ``folders`` of a site first, then this package."""
    return _environment(folders)


def render_page(
    template: str,
    figures: Mapping[str, Figure],
    *,
    more_scripts: Sequence[str] = (),
    more_data: Mapping[str, Any] | None = None,
    printed_table: int = PRINTED_TABLE,
    site: Site | None = None,
    **values: Any,
) -> str:
    """A page of ``figures`` by a template of this package; ``values`` are its other variables.

    ``more_scripts`` are scripts of this package besides the one that draws, ``more_data`` is what they find
    beside the figures. ``site`` makes it a page of a site.
    """
    names = ("report.js", *more_scripts)
    scripts: list[str] = []
    if site is None:
        scripts.append(PLOTLY.read_text(encoding="utf-8"))
        scripts += [(_TEMPLATES / name).read_text(encoding="utf-8") for name in names]
    return (
        environment()
        .get_template(template)
        .render(
            **values,
            site=site,
            styles=[] if site is None else ["report.css", *site.styles],
            linked=[PLOTLY.name, *names],
            style=Markup((_TEMPLATES / "report.css").read_text(encoding="utf-8")) if site is None else "",
            scripts=[Markup(script) for script in scripts],
            policy=_policy(scripts) if site is None else _SITE_POLICY,
            data=_embedded({"figures": _data(figures), "dark": palette.DARK_TWINS, **(more_data or {})}),
            long_table=LONG_TABLE,
            printed_table=printed_table,
        )
    )


@cache
def _environment(folders: tuple[Path, ...]) -> Environment:
    """One for all pages of the same folders, for it keeps what it has compiled."""
    made = Environment(
        loader=FileSystemLoader([*folders, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["prose"] = prose
    return made


def prose(text: str) -> Markup:
    """A sentence as HTML: what stands between backticks is code; everything else is text."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


_SITE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'"
)


def _policy(scripts: Sequence[str]) -> str:
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {
        key: {
            "spec": figure.spec,
            "columns": [column.heading for column in figure.table.columns],
            "rows": figure.table.rows,
        }
        for key, figure in figures.items()
    }


def _rounded(value: Any) -> Any:
    """The value with every float at :data:`DIGITS`: no reader sees more, and the page is a third smaller."""
    if isinstance(value, float):
        return rounded_to(value, DIGITS)
    if isinstance(value, dict):
        return {key: _rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_rounded(part) for part in value]
    return value


def _embedded(data: Mapping[str, Any]) -> Markup:
    """JSON that may stand inside a script element: no character of it can end or open one."""
    text = json.dumps(_rounded(data), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)
