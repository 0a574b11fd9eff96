"""What `iowatt study` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iowatt.studies.page import claims

if TYPE_CHECKING:
    from rich.table import Table

    from iowatt.studies.conduct import Conducted
    from iowatt.studies.study import Study


def listing(studies: Sequence[Study]) -> Table:
    """The studies that there are."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for title in ("name", "title", "published"):
        table.add_column(title)
    for study in studies:
        table.add_row(study.name, study.title, study.source)
    return table


def verdicts(found: Conducted) -> Table:
    """Each conclusion in a line: in how many cases it holds."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("conclusion")
    table.add_column("verdict", no_wrap=True)
    for claim in claims(found.findings.verdicts):
        table.add_row(claim.text, claim.word)
    return table
