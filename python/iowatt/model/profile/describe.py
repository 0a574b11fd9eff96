"""The library of profiles for people: what there is, and what is known of one."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.units import format_bytes
from iowatt.model.profile.compile import mean_rate
from iowatt.model.profile.find import load, profile_names
from iowatt.model.profile.profile import Profile, Stream, mean_size, mixes, source_of

RATE: Final = "arrivals.rate"
_OF_STREAM: Final = (
    "share", "rate_iops", "arrivals", "read_share", "size", "sizes", "read_sizes", "write_sizes", "access",
    "range", "align", "run",
)  # fmt: skip


def figure_paths(profile: Profile) -> list[str]:
    """Key paths of all figures that the profile gives."""
    found = [name for name in ("span", "size", "sizes") if getattr(profile, name) is not None]
    if profile.arrivals is not None:
        given = profile.arrivals.model_fields_set
        found += [f"arrivals.{name}" for name in type(profile.arrivals).model_fields if name in given]
    for stream in profile.stream:
        found += [f"stream.{stream.name}.{name}" for name in _OF_STREAM if name in stream.model_fields_set]
    found += [name for name in ("envelope", "phase") if getattr(profile, name)]
    return found


def remarks(profile: Profile) -> list[str]:
    """The profile's own notes, and which of its figures are recalled, assumed or not known."""
    said = [f"profile {profile.name}: {note}" for note in profile.notes]
    said += [
        f"profile {profile.name}: not published: {missing.figure}: {missing.why}"
        for missing in profile.missing
        if missing.figure != RATE  # without it nothing runs; with it, it was given
    ]
    for quality, words in (
        ("recalled", "UNVERIFIED figures, recalled and not checked against a publication"),
        ("assumed", "assumed figures, which nobody published"),
    ):
        named = marked(profile, quality)
        if named:
            said.append(f"profile {profile.name}: {words}: {', '.join(named)}")
    return said


def marked(profile: Profile, quality: str) -> list[str]:
    """Figures of that quality, streams alike told once."""
    paths: list[str] = []
    for figure in figure_paths(profile):
        source = source_of(profile.source, figure)
        if source is not None and source.quality == quality:
            paths.append(figure)
    return _grouped(paths, [stream.name for stream in profile.stream])


def _grouped(paths: list[str], streams: list[str]) -> list[str]:
    """``sizes of all streams`` in place of one path for each stream."""
    by_key: dict[str, list[str]] = {}
    plain = []
    for path in paths:
        head, _, rest = path.partition(".")
        if head == "stream":
            name, _, key = rest.rpartition(".")
            by_key.setdefault(key, []).append(name)
        else:
            plain.append(path)
    grouped = []
    for key, names in by_key.items():
        whose = "all streams" if len(names) == len(streams) > 1 else ", ".join(names)
        grouped.append(f"{key} of {whose}")
    return [*plain, *grouped]


def figure_marks(profile: Profile) -> dict[str, Any]:
    """Each figure with its mark."""
    found = {}
    for figure in figure_paths(profile):
        source = source_of(profile.source, figure)
        found[figure] = None if source is None else {"quality": source.quality, "source": source.text}
    return found


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
        "unverified": marked(profile, "recalled"),
        "assumed": marked(profile, "assumed"),
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
    return sum(share * mean_size(mix) for share, mix in parts if mix) / 100


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
        "figures": figure_marks(found),
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
