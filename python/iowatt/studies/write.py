"""What a study leaves behind: its page, its JSON, and the table of all points."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iowatt.evaluate.search.folder import write_whole
from iowatt.evaluate.search.table import write_csv, write_parquet

if TYPE_CHECKING:
    from iowatt.render.figure import Figure
    from iowatt.studies.study import Findings, Study


def everything(study: Study, findings: Findings, target: Path, asked: Mapping[str, Any]) -> None:
    """Write all of it; ``study.json`` last, which says that it is finished."""
    from iowatt.studies import page

    write_whole(target / "points.parquet", lambda file: write_parquet(findings.points, file))
    write_whole(target / "points.csv", lambda file: write_csv(findings.points, file))
    text = page.render(study, findings, _provenance(asked))
    write_whole(target / "report.html", lambda file: file.write_text(text, encoding="utf-8", newline="\n"))
    found = json.dumps(as_dict(study, findings, asked), indent=2, ensure_ascii=False, allow_nan=False)
    write_whole(target / "study.json", lambda file: file.write_text(found + "\n", encoding="utf-8"))


def as_dict(study: Study, findings: Findings, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Schema ``iowatt.study/1``: verdicts, and each figure as the rows of its table."""
    return {
        **asked,
        "finished": True,
        "title": study.title,
        "question": study.question,
        "source": study.source,
        "notes": list(findings.notes),
        "verdicts": [one.as_dict() for one in findings.verdicts],
        "figures": [_figure(figure) for section in findings.sections for figure in section.figures],
        "points": findings.points.height,
        "files": {
            "page": "report.html",
            "parquet": "points.parquet",
            "csv": "points.csv",
            "sweeps": "sweeps",
        },
    }


def _figure(figure: Figure) -> dict[str, Any]:
    return {
        "key": figure.key,
        "title": figure.title,
        "caption": figure.caption,
        "remarks": figure.remarks,
        "columns": [column.heading for column in figure.table.columns],
        "rows": figure.table.rows,
    }


def _provenance(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("Command", asked.get("command") or ""),
        ("Extent", "reduced (--quick)" if asked["quick"] else "whole"),
        ("iowatt", str(asked["version"])),
        ("Seed", "1 for all points"),
    ]
    return [(title, value) for title, value in rows if value]
