"""A plan as one HTML page: timeline, calendar, check-list, files, and the rules that it rests on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from iowatt.emerald.plan import text
from iowatt.emerald.plan.calendar import span_text
from iowatt.emerald.plan.checklist import STATES
from iowatt.render import html
from iowatt.render.figure import Column, Figure, Table, axis, layout, plain
from iowatt.render.palette import STATE_COLOURS

Found = dict[str, Any]
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
_MOST: Final = 200


@dataclass(frozen=True)
class Tile:
    """A figure that a planner wants first."""

    title: str
    value: str
    remark: str


def render(found: Found) -> str:
    """The page."""
    figures = [_timeline(found), _calendar(found), _checklist(found)]
    figures += [_files(found)] if found["files"] else []
    figures.append(_rules(found))
    return html.render_page(
        "emerald-plan.html",
        {figure.key: figure for figure in figures},
        printed_table=_MOST,
        title=found["plan"]["name"],
        meta=text.headline(found),
        deviations=found["plan"]["deviations"],
        tiles=_tiles(found),
        notes=[*([found["caveat"]] if found["caveat"] else []), *found["notes"]],
        shown=figures,
    )


def _tiles(found: Found) -> list[Tile]:
    unknown, part = found["calendar"]["unknown"], found["calendar"]["uninterrupted"]
    missing = sum(item["state"] == "missing" for item in found["checklist"])
    doubted = len(found["plan"]["rules"]["unverified"])
    return [
        Tile("In all", span_text(found["calendar"]["known_seconds"]), _and(unknown)),
        Tile("Without a break", span_text(part["seconds"]), f"{part['from']} to {part['to']}"),
        Tile("Missing", str(missing), "on the check-list"),
        Tile("Unverified rules", str(doubted), "used by the plan"),
    ]


def _and(unknown: list[str]) -> str:
    return f"and {', '.join(unknown)}, of unknown length" if unknown else ""


def _timeline(found: Found) -> Figure:
    """Bars of known length, one row a role."""
    entries = [one for one in found["calendar"]["stages"] if one["seconds"] is not None]
    longest = max((one["end_s"] for one in entries), default=0.0)
    unit, scale = ("h", 3600.0) if longest >= 7200 else ("min", 60.0) if longest >= 120 else ("s", 1.0)
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "name": words,
            "y": [words] * len(of),
            "base": [one["start_s"] / scale for one in of],
            "x": [one["seconds"] / scale for one in of],
            "marker": {"color": _COLOURS[role]},
            "text": [plain(one["stage"]) for one in of],
            "hovertemplate": "%{text}<extra></extra>",
            "textposition": "none",
        }
        for role, words in _ROLES.items()
        if (of := [one for one in entries if one["role"] == role])
    ]
    since = {one["since"] for one in entries} - {None}
    spec = {
        "data": bars,
        "layout": layout(
            axis(f"Time since the {'end of ' + since.pop() if since else 'start'} ({unit})"),
            {"automargin": True, "autorange": "reversed", "title": {"text": ""}},
            barmode="overlay",
            showlegend=False,
        ),
    }
    columns = [
        Column("Stage", text=True),
        Column("Role", text=True),
        Column("Starts", unit),
        Column("Takes", unit),
    ]
    rows = [
        [one["stage"], _ROLES.get(one["role"], one["role"]), one["start_s"] / scale, one["seconds"] / scale]
        for one in entries
    ]
    unknown = found["calendar"]["unknown"]
    remarks = [f"{', '.join(unknown)} comes first, and how long it takes is not known"] if unknown else []
    return Figure(
        "timeline",
        "Timeline",
        "Each bar is a stage; what is warmed up is measured right behind it.",
        Table(columns, rows),
        spec,
        remarks,
        wide=True,
    )


def _calendar(found: Found) -> Figure:
    by_id = {stage["id"]: stage for stage in found["plan"]["stages"]}
    rows = []
    for one in found["calendar"]["stages"]:
        stage = by_id[one["stage"]]
        ruled = "" if stage["rule_seconds"] is None else span_text(stage["rule_seconds"])
        rows.append([one["stage"], text.begins(one), text.takes(one), ruled, text.stage_words(stage)])
    titles = ("Stage", "Starts", "Takes", "Rules ask for", "Requests")
    return _text_table("calendar", "Calendar", text.total(found), titles, rows)


def _checklist(found: Found) -> Figure:
    rows = [
        [one["topic"], one["text"], one["state"], _doubt(one["verified"])]
        for state in STATES
        for one in found["checklist"]
        if one["state"] == state
    ]
    titles = ("Topic", "What", "State", "Rule")
    return _text_table("checklist", "Check-list", "Before the first request.", titles, rows)


def _files(found: Found) -> Figure:
    rows = [[one["path"], one["what"], one["checked_by"], one["problem"] or "ok"] for one in found["files"]]
    titles = ("File", "What", "Checked by", "Result")
    return _text_table("files", "Files", "For the load generators, in the plan's folder.", titles, rows)


def _rules(found: Found) -> Figure:
    rows = [
        [
            rule["key"],
            json.dumps(rule["value"], ensure_ascii=False) if "value" in rule else "not known",
            rule["unit"],
            _doubt(rule["verified"]),
            "; ".join(rule["sources"]),
        ]
        for rule in found["rules_used"]
    ]
    titles = ("Rule", "Value", "Unit", "State", "Source")
    return _text_table(
        "rules", "Rules", "What the plan took from the rules, and where they come from.", titles, rows
    )


def _doubt(verified: bool | None) -> str:
    return "" if verified is None else "verified" if verified else "unverified"


def _text_table(key: str, title: str, caption: str, titles: tuple[str, ...], rows: list[list[Any]]) -> Figure:
    return Figure(key, title, caption, Table([Column(one, text=True) for one in titles], rows), wide=True)
