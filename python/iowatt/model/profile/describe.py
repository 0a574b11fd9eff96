"""The library of profiles for people: what there is, and what is known of one."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.units import format_bytes
from iowatt.model.profile import remarks
from iowatt.model.profile.compile import mean_rate
from iowatt.model.profile.find import load, profile_names
from iowatt.model.profile.profile import Profile, Stream
from iowatt.model.profile.sizes import mean, mixes

LIST_SCHEMA: Final = "iowatt.profiles/1"
SHOW_SCHEMA: Final = "iowatt.profile-show/1"


def listing() -> list[dict[str, Any]]:
    """Every profile of the library in a few figures."""
    return [_summary(load(name).profile) for name in profile_names()]


def _summary(profile: Profile) -> dict[str, Any]:
    shares = _shares(profile)
    return {
        "name": profile.name,
        "title": profile.title,
        "streams": len(profile.stream),
        "rate_iops": mean_rate(profile),
        "span_bytes": profile.span,
        "read_percent": sum(share * s.read_share for share, s in shares) / 100 if shares else None,
        "mean_bytes": sum(share * _mean_bytes(s, profile) for share, s in shares) / 100 if shares else None,
        "unverified": remarks.marked(profile, "recalled"),
        "assumed": remarks.marked(profile, "assumed"),
        "missing": [missing.figure for missing in profile.missing],
    }


def _shares(profile: Profile) -> list[tuple[float, Stream]]:
    """Streams with their shares of all requests, in percent; nothing where these are not known."""
    shared = [s for s in profile.stream if s.share is not None]
    if len(shared) == len(profile.stream):
        return [(s.share or 0.0, s) for s in shared]
    return []


def _mean_bytes(stream: Stream, profile: Profile) -> float:
    reads, writes = mixes(stream, profile)
    parts = ((stream.read_share, reads), (100 - stream.read_share, writes))
    return sum(share * mean(mix) for share, mix in parts if mix) / 100


def table(found: list[dict[str, Any]]) -> list[str]:
    """The listing in columns."""
    width = max(len(entry["name"]) for entry in found)
    lines = []
    for entry in found:
        marks = [
            word
            for word, key in (("unverified", "unverified"), ("assumed", "assumed"), ("needs", "missing"))
            if entry[key]
        ]
        lines.append(
            f"{entry['name']:<{width}}  {entry['title']}" + (f"  [{', '.join(marks)}]" if marks else "")
        )
    return lines


def profile(name: str) -> dict[str, Any]:
    """All that is known of one profile."""
    found = load(name).profile
    return {
        "schema": SHOW_SCHEMA,
        **_summary(found),
        "notes": found.notes,
        "size": found.size,
        "sizes": None if found.sizes is None else [_given(part) for part in found.sizes],
        "arrivals": None if found.arrivals is None else _given(found.arrivals),
        "stream": [{"name": s.name, **_given(s)} for s in found.stream],
        "envelope": [_given(e) for e in found.envelope],
        "phase": [_given(p) for p in found.phase],
        "figures": remarks.as_dict(found),
        "missing": [{"figure": m.figure, "why": m.why} for m in found.missing],
    }


def _given(table_: Any) -> dict[str, Any]:
    """A table with what it was given, ranges as text."""
    written = table_.model_dump(exclude_unset=True)
    if "range" in written:
        written["range"] = [str(end) for end in table_.range]
    return dict(written)


def page(shown: dict[str, Any]) -> list[str]:
    """One profile for people."""
    rate = "asked for" if shown["rate_iops"] is None else f"{shown['rate_iops']:g} IOPS"
    span = "asked for" if shown["span_bytes"] is None else format_bytes(shown["span_bytes"], binary=True)
    lines = [f"{shown['name']}: {shown['title']}", f"  rate {rate}, span {span}"]
    if shown["read_percent"] is not None:
        mean_text = format_bytes(round(shown["mean_bytes"]), binary=True)
        lines[-1] += f", {shown['read_percent']:.4g} % reads, mean {mean_text}"
    lines += [f"  note: {note}" for note in shown["notes"]]
    lines += [f"  missing: {m['figure']}: {m['why']}" for m in shown["missing"]]
    common = {name: shown[name] for name in ("size", "sizes") if shown[name]}
    if common:
        lines += ["", f"  all streams  {_words(common)}"]
    if shown["arrivals"]:
        lines += ["", f"  arrivals  {_words(shown['arrivals'])}"]
    lines += [
        "",
        *(
            f"  stream {s['name']}  {_words({k: v for k, v in s.items() if k != 'name'})}"
            for s in shown["stream"]
        ),
    ]
    lines += [f"  envelope  {_words(e)}" for e in shown["envelope"]]
    lines += [
        f"  phase {p['name']}  {_words({k: v for k, v in p.items() if k != 'name'})}" for p in shown["phase"]
    ]
    return [*lines, "", *_sources(shown["figures"])]


def _words(table_: dict[str, Any]) -> str:
    return ", ".join(f"{key} {_value(key, value)}" for key, value in table_.items())


def _value(key: str, value: Any) -> str:
    if isinstance(value, dict):
        return "{" + _words(value) + "}"
    if isinstance(value, list):
        if value and isinstance(value[0], dict) and set(value[0]) == {"size", "share"}:
            return " / ".join(f"{format_bytes(p['size'], binary=True)} {p['share']:g} %" for p in value)
        return "[" + ", ".join(_value(key, part) for part in value) + "]"
    if key in ("size", "extent", "leaf", "block", "align", "run", "cache") and isinstance(value, int):
        return format_bytes(value, binary=True)
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def _sources(figures: dict[str, Any]) -> list[str]:
    """The sources, each with the figures that it stands for."""
    by_source: dict[tuple[str, str], list[str]] = {}
    for figure, mark in figures.items():
        key = ("no mark", "") if mark is None else (mark["quality"], mark["source"])
        by_source.setdefault(key, []).append(figure)
    lines = []
    for (quality, text), named in by_source.items():
        said = "UNVERIFIED (recalled)" if quality == "recalled" else quality
        lines.append(f"  {said}: {text}")
        streams = [f for f in named if f.startswith("stream.")]
        keys = sorted({f.rpartition(".")[2] for f in streams})
        plain = [f for f in named if not f.startswith("stream.")]
        what = [
            *plain,
            *([f"{', '.join(keys)} of {len({f.split('.')[1] for f in streams})} streams"] if streams else []),
        ]
        lines.append(f"    {'; '.join(what)}")
    return lines
