"""The page of a result: its state, its findings, its history, then the result itself."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.emerald import analyze
from iowatt.emerald.analyze import Analysis
from iowatt.pages import run as run_pages
from iowatt.registry.bundle import RUN
from iowatt.registry.publish.links import RegistryLinks
from iowatt.registry.publish.pages import SCRIPTS, STANDINGS, configuration, family_title
from iowatt.registry.publish.searching import TITLES
from iowatt.registry.reanalysis import FoundFigure, Reanalysis
from iowatt.registry.store import (
    RegistryStore,
    ReviewFinding,
    SubmissionRecord,
    findings,
    log_entries,
    number_of,
    one,
    reading,
    unpacked,
)
from iowatt.render.document import Document, Section
from iowatt.render.figure import Cell, Exact, Figure, Table, text_columns
from iowatt.render.headline import Headline
from iowatt.run.bundle import Run

_DAY: Final = 10
_DOWNLOADS: Final = {
    "bundle": ("Bundle", "raw files, claims and signature, to analyse again"),
    "json": ("JSON", "figures, state, findings"),
}
_EVENTS: Final = {
    "received": "received", "received-again": "received again", "analysed": "analysed again",
    "submit": "submitted", "publish": "published as provisional", "accept": "accepted",
    "withdraw": "withdrawn", "supersede": "superseded", "finding-raised": "finding raised",
    "finding-answered": "finding answered", "finding-closed": "finding closed",
    "finding-reopened": "finding opened again",
}  # fmt: skip


def result_documents(
    store: RegistryStore, identifier: str, links: RegistryLinks
) -> tuple[str, list[Document]]:
    """The title and the documents of a result's page. Raises ``InputError`` where there is none."""
    number = number_of(identifier)
    with reading(store.file) as connection:
        record = one(connection, number)
        reviewed = findings(connection, number)
        history = list(_history(log_entries(connection), number))
        row = connection.execute("SELECT result FROM submissions WHERE number = ?", (number,)).fetchone()
    entry = _entry(record, reviewed, history, links)
    title = f"{record.id}: {record.vendor} {record.product}"
    if row["result"] is None:
        return title, [entry]
    return title, [entry, _result(store, record, Reanalysis.model_validate_json(row["result"]))]


def _result(store: RegistryStore, record: SubmissionRecord, found: Reanalysis) -> Document:
    if record.kind == "emerald":
        return analyze.document(Analysis.model_validate_json(json.dumps(found.document)))
    with unpacked(store, record.sha256) as folder:
        return run_pages.document(Run.open(folder / RUN), key="run")


def _history(rows: Iterator[Any], number: int) -> Iterator[Mapping[str, Any]]:
    for row in rows:
        entry = json.loads(row["entry"])
        if entry["submission"] == number:
            yield entry


def _entry(
    record: SubmissionRecord,
    reviewed: Sequence[ReviewFinding],
    history: Sequence[Mapping[str, Any]],
    links: RegistryLinks,
) -> Document:
    basis = "measured" if record.basis == "measured" else "modelled, not measured"
    family = None if record.metric_family is None else family_title(record.metric_family)
    about = [basis, family, record.category, record.profile, str(record.year or "")]
    return Document(
        key="registry",
        kind="Registry",
        title="Registry entry",
        meta=" · ".join(text for text in about if text),
        verdict=list(entry_verdict(record)),
        headlines=[_headline(record, at) for at in range(len(record.figures))],
        sections=[
            *entry_sections(reviewed),
            Section("files", "Downloads", [_downloads(record, links)]),
            Section("history", "History", [_log(history)], folded=True),
        ],
        provenance=[
            *((title, str(text)) for title, text in _facts(record) if text is not None),
            ("Bundle", f"SHA-256 {record.sha256}, {record.bytes:,} bytes"),
            ("Signed by", f"{record.submitter}, {record.public_key}"),
        ],
        scripts=SCRIPTS,
    )


def entry_verdict(record: SubmissionRecord) -> Iterator[str]:
    """What became of a submission, in sentences."""
    until = (record.window_ends or "")[:_DAY]
    match record.state:
        case "provisional":
            number = record.open_findings
            waiting = f" {number} finding{' is' if number == 1 else 's are'} not closed." if number else ""
            yield f"Provisional: reviewers may raise findings until {until}.{waiting}"
        case "accepted":
            yield f"Accepted after a challenge window that ended on {until}."
        case "withdrawn":
            yield "Withdrawn: its figures are not listed any more."
        case "superseded":
            yield f"Superseded by {record.superseded_by}."
        case "draft" if record.analysis == "refused":
            yield "A draft: a new analysis of its raw files did not reproduce it."
        case _:
            yield f"{record.state.capitalize()}: not published yet."
    if record.analysis == "reproduced":
        yield "The registry analysed the submitted files again and got the same figures to the last digit."
    if standing := STANDINGS.get(record.standing or ""):
        number = record.unverified_rules
        rest = f"; {number} of the rule values used are not verified" if number else ""
        yield f"Judged by {record.profile}: {standing}{rest}."
    if record.basis == "modelled":
        yield "All figures come from a simulation; none was measured."


def _headline(record: SubmissionRecord, at: int) -> Headline:
    figure = record.figures[at]
    said = "refused" if figure.shown is None else f"{figure.shown}\u00a0{figure.unit}"
    return Headline(f"figure{at}", figure.metric, figure.value, figure.unit, said=said)


def _facts(record: SubmissionRecord) -> Iterator[tuple[str, object]]:
    yield "Title", record.title
    yield TITLES["products"], record.family
    yield TITLES["form"], record.form
    yield TITLES["protocol"], record.protocol
    yield "Configuration", configuration(record) or None
    yield "Received", record.received
    yield "Published", record.published


def bundle_figures(figures: Sequence[FoundFigure]) -> Figure:
    """Figures of a submission as a table."""
    rows: list[list[Cell]] = [[one.metric, one.shown or "refused", one.unit, one.value] for one in figures]
    columns = [*text_columns("Metric", "Value", "Unit"), Exact("In full", digits=7)]
    return Figure("figures", "Figures", "", Table(columns, rows), brief=True, complete=True)


def entry_sections(reviewed: Sequence[ReviewFinding]) -> list[Section]:
    """The findings against a submission, where there are any."""
    return [Section("findings", "Findings", [_findings(reviewed)])] if reviewed else []


def _findings(reviewed: Sequence[ReviewFinding]) -> Figure:
    rows: list[list[Cell]] = [
        [f"{each.code} ({each.number})", each.severity, each.text, each.by, each.at[:_DAY], each.status,
         " / ".join(filter(None, [each.answer, each.closing])) or "–"]
        for each in reviewed
    ]  # fmt: skip
    columns = text_columns("Finding", "Severity", "Text", "By", "On", "Status", "Answer")
    return Figure("listed", "Findings", "", Table(columns, rows), wide=True, brief=True, complete=True)


def _downloads(record: SubmissionRecord, links: RegistryLinks) -> Figure:
    found = links.downloads(record.id)
    rows: list[list[Cell]] = [list(_DOWNLOADS[name]) for name in found]
    return Figure(
        "links",
        "Downloads",
        "",
        Table(
            text_columns("File", "Content"), rows, {_DOWNLOADS[name][0]: link for name, link in found.items()}
        ),
        template="registry-links.html",
    )


def _log(history: Sequence[Mapping[str, Any]]) -> Figure:
    rows: list[list[Cell]] = [
        [str(entry["number"]), entry["at"], _EVENTS.get(entry["event"], entry["event"]), entry["actor"],
         entry["role"], _detail(entry["values"])]
        for entry in history
    ]  # fmt: skip
    caption = "Entries of the registry's log, which is chained by hashes and signed."
    columns = text_columns("Entry", "At", "Event", "By", "Role", "Detail")
    return Figure("log", "Log", caption, Table(columns, rows), wide=True)


def _detail(values: Mapping[str, Any]) -> str:
    finding = values.get("finding") or {}
    parts = [values.get("reason"), values.get("outcome"), finding.get("code")]
    if "window_ends" in values:
        parts.append(f"may be challenged until {values['window_ends'][:_DAY]}")
    if "by" in values:
        parts.append(f"by iow-{values['by']:06d}")
    return ", ".join(str(part) for part in parts if part) or "–"
