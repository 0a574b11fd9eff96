"""The page of ``iowatt emerald plan``: timeline, calendar, check-list, files and rules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from iowatt.emerald.plan.calendar import span_text
from iowatt.emerald.plan.model import PlanStage
from iowatt.emerald.plan.result import ITEM_STATES, CalendarEntry, Planned
from iowatt.render import numbers, plot
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table, axis, layout, plain, text_columns
from iowatt.render.headline import Headline
from iowatt.render.palette import STATE_COLOURS

_ROLES: Final = {
    "prefill": "Pre-fill",
    "conditioning": "Conditioning",
    "warmup": "Warm-up",
    "measurement": "Measurement",
    "idle": "Ready idle",
}
_COLOURS: Final = dict(
    zip(
        _ROLES,
        (STATE_COLOURS[s] for s in ("standby", "positioning", "spin_down", "active", "idle")),
        strict=True,
    )
)
_DOUBT: Final = {None: None, True: "verified", False: "unverified"}


def document(planned: Planned) -> Document:
    """The document of a plan."""
    plan = planned.plan
    class_ = "" if plan.class_ is None else f" {plan.class_}"
    where = plan.target.path or plan.target.scenario
    return Document(
        key="plan",
        kind="Emerald plan",
        title=plan.name,
        meta=f"{plan.category}{class_} by {plan.rules.profile}, {plan.source} on {where}",
        verdict=list(_verdict(planned)),
        chart=_timeline(planned),
        headlines=_headlines(planned),
        sections=[
            Section("calendar", "Calendar", [_calendar(planned)]),
            Section("checklist", "Check-list", [_checklist(planned)]),
            Section("files", "Files", [_files(planned)] if planned.files else []),
            Section("rules", "Rules", [_rules(planned)], folded=True),
        ],
        caveats=list(_caveats(planned)),
        provenance=[("Rules", f"{plan.rules.profile}, SHA-256 {plan.rules.sha256}")],
    )


def _verdict(planned: Planned) -> Iterator[str]:
    calendar, part = planned.calendar, planned.calendar.uninterrupted
    more = f" and {', '.join(calendar.unknown)}, of unknown length" if calendar.unknown else ""
    missing = sum(item.state == "missing" for item in planned.checklist)
    yield (
        f"The measurement takes {span_text(calendar.known_seconds)}{more}; {span_text(part.seconds)} of it "
        f"without a break, from {part.from_} to {part.to}. "
        + (
            f"{numbers.counted(missing, 'item')} of the check-list missing."
            if missing
            else "Nothing is missing."
        )
    )
    refused = [one.path for one in planned.files if one.problem is not None]
    if refused:
        yield f"A load generator refuses {', '.join(refused)}."
    for deviation in planned.plan.deviations:
        yield f"NON-COMPLIANT: {deviation.text}"


def _caveats(planned: Planned) -> Iterator[Caveat]:
    if planned.caveat is not None:
        yield Caveat(planned.caveat)
    for note in planned.notes:
        yield Caveat(note.text, note.decides)


def _headlines(planned: Planned) -> list[Headline]:
    calendar, part = planned.calendar, planned.calendar.uninterrupted
    missing = sum(item.state == "missing" for item in planned.checklist)
    more = f"and {', '.join(calendar.unknown)}, of unknown length" if calendar.unknown else ""
    doubted = len(planned.plan.rules.unverified)
    whole, unbroken = calendar.known_seconds, part.seconds
    ends = f"{part.from_} to {part.to}"
    return [
        Headline("all", "In all", whole, "s", more, said=span_text(whole)),
        Headline("unbroken", "Without a break", unbroken, "s", ends, said=span_text(unbroken)),
        Headline("missing", "Missing", missing, "", "on the check-list", said=numbers.count(missing)),
        Headline(
            "unverified", "Unverified rules", doubted, "", "used by the plan", said=numbers.count(doubted)
        ),
    ]


def _timeline(planned: Planned) -> Figure:
    """Bars of known length, one row a role."""
    entries = [(one, one.seconds) for one in planned.calendar.stages if one.seconds is not None]
    longest = max((one.end_s or 0.0 for one, _ in entries), default=0.0)
    unit, scale = ("h", 3600.0) if longest >= 7200 else ("min", 60.0) if longest >= 120 else ("s", 1.0)
    bars = [
        plot.bar(
            [seconds / scale for _, seconds in own],
            [title] * len(own),
            name=title,
            colour=_COLOURS[role],
            hover="%{text}<extra></extra>",
            orientation="h",
            base=[one.start_s / scale for one, _ in own],
            text=[plain(one.stage) for one, _ in own],
            textposition="none",
        )
        for role, title in _ROLES.items()
        if (own := [entry for entry in entries if entry[0].role == role])
    ]
    since = {one.since for one, _ in entries} - {None}
    drawn = layout(
        axis(f"Time since the {f'end of {since.pop()}' if since else 'start'} ({unit})"),
        {"automargin": True, "autorange": "reversed", "title": {"text": ""}},
        barmode="overlay",
        showlegend=False,
    )
    columns = [*text_columns("Stage", "Role"), Column("Starts", unit), Column("Takes", unit)]
    rows: list[list[Cell]] = [
        [one.stage, _ROLES.get(one.role, one.role), one.start_s / scale, seconds / scale]
        for one, seconds in entries
    ]
    unknown = planned.calendar.unknown
    remarks = [f"{', '.join(unknown)} comes first; its length is not known."] if unknown else []
    caption = "Each bar is a stage; a warm-up is followed at once by its measurement."
    return Figure(
        "timeline", "Timeline", caption, Table(columns, rows), plot.spec(bars, drawn), remarks, wide=True
    )


def _calendar(planned: Planned) -> Figure:
    by_id = {stage.id: stage for stage in planned.plan.stages}
    rows: list[list[Cell]] = []
    for one in planned.calendar.stages:
        stage = by_id[one.stage]
        ruled = None if stage.rule_seconds is None else span_text(stage.rule_seconds)
        rows.append([one.stage, _begins(one), _takes(one), ruled, _requests(stage)])
    columns = [
        *text_columns("Stage", "Starts", "Takes"), Column("Rules ask for", text=True, rank=1),
        Column("Requests", text=True),
    ]  # fmt: skip
    return _listed("calendar", "Calendar", "Times as they will be run.", columns, rows)


def _checklist(planned: Planned) -> Figure:
    rows: list[list[Cell]] = [
        [one.state, one.topic, one.text, _DOUBT[one.verified]]
        for state in ITEM_STATES
        for one in planned.checklist
        if one.state == state
    ]
    columns = [
        *text_columns("State", "Topic"), Column("What", text=True),
        Column("Rule", text=True, rank=1),
    ]  # fmt: skip
    return _listed("checklist", "Check-list", "Before the first request.", columns, rows)


def _files(planned: Planned) -> Figure:
    rows: list[list[Cell]] = [
        [one.path, "ok" if one.problem is None else f"REFUSED: {one.problem}", one.what, one.checked_by]
        for one in planned.files
    ]
    columns = [
        Column("File", text=True), Column("Result", text=True), Column("What", text=True, rank=1),
        Column("Checked by", text=True, rank=2),
    ]  # fmt: skip
    return _listed("files", "Files", "For the load generators, in the plan's folder.", columns, rows)


def _rules(planned: Planned) -> Figure:
    rows: list[list[Cell]] = [
        [
            rule.key,
            "not known" if rule.value is None else json.dumps(rule.value, ensure_ascii=False),
            rule.unit,
            _DOUBT[rule.verified],
            "; ".join(rule.sources),
        ]
        for rule in planned.rules_used
    ]
    columns = [
        Column("Rule", text=True), Column("Value", text=True), *text_columns("Unit", "State"),
        Column("Source", text=True),
    ]  # fmt: skip
    table = Table(columns, rows)
    return Figure("rules", "Rules used", "Rules that shaped the plan, with their sources.", table, wide=True)


def _listed(key: str, title: str, caption: str, columns: list[Column], rows: list[list[Cell]]) -> Figure:
    return Figure(key, title, caption, Table(columns, rows), wide=True, brief=True)


def _requests(stage: PlanStage) -> str:
    if stage.workload is None:
        return "no requests"
    if stage.closed:
        streams = "" if stage.streams == 1 else f", {stage.streams} streams"
        return f"{stage.workload}, {stage.outstanding} outstanding{streams}"
    rate = stage.rate_iops
    return f"{stage.workload}, " + ("rate to be found" if rate is None else f"{rate:g} IOPS")


def _begins(entry: CalendarEntry) -> str:
    if entry.starts is not None:
        return entry.starts
    since = "" if entry.since is None else f"{entry.since} + "
    return since + clock_text(entry.start_s)


def _takes(entry: CalendarEntry) -> str:
    if entry.seconds is None:
        return "until it has ended"
    return ("about " if entry.estimated else "") + span_text(entry.seconds)


def clock_text(seconds: float) -> str:
    """A time since the start: 1 d 03:25:00."""
    whole = int(seconds)
    days, rest = divmod(whole, 86400)
    part = f"{seconds - whole:.1f}"[1:] if seconds - whole >= 0.05 else ""
    text = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}{part if part != '.0' else ''}"
    return f"{days} d {text}" if days else text
