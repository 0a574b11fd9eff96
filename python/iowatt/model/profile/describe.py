"""The library of profiles: a list of them, one in full, and the notes that go with its use."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.results import Note
from iowatt.model.profile.find import load, profile_names
from iowatt.model.profile.profile import Profile, ProfileStream, mean_size, source_of
from iowatt.model.profile.result import (
    FigureMark,
    MissingFigure,
    ProfileListing,
    ProfileSummary,
    ShownProfile,
)

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


def remarks(profile: Profile) -> list[Note]:
    """The profile's own notes, and which of its figures are not published, recalled or assumed."""
    found = [("profile-remark", note) for note in profile.notes]
    found += [
        ("profile-unpublished", f"not published: {missing.figure}: {missing.why}")
        for missing in profile.missing
        if missing.figure != RATE  # without it nothing runs; with it, it was given
    ]
    for quality, code, meaning in (
        (
            "recalled",
            "profile-unverified",
            "UNVERIFIED figures, recalled and not checked against a publication",
        ),
        ("assumed", "profile-assumed", "assumed figures, which are not published"),
    ):
        if figures := marked(profile, quality):
            found.append((code, f"{meaning}: {', '.join(figures)}"))
    return [Note(code=code, text=f"profile {profile.name}: {text}") for code, text in found]


def marked(profile: Profile, quality: str) -> list[str]:
    """Key paths of the figures of that quality; a key that several streams have is one entry."""
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


def profile_list() -> ProfileListing:
    """The profiles of the library."""
    profiles = [load(name).profile for name in profile_names()]
    return ProfileListing(
        profiles=[
            ProfileSummary(**_figures(profile), missing=[missing.figure for missing in profile.missing])
            for profile in profiles
        ]
    )


def shown_profile(name: str) -> ShownProfile:
    """One profile, by name or file, in full."""
    profile = load(name).profile
    return ShownProfile(
        **_figures(profile),
        notes=profile.notes,
        size=profile.size,
        sizes=None if profile.sizes is None else [_given(part) for part in profile.sizes],
        arrivals=None if profile.arrivals is None else _given(profile.arrivals),
        stream=[{"name": stream.name, **_given(stream)} for stream in profile.stream],
        envelope=[_given(envelope) for envelope in profile.envelope],
        phase=[_given(phase) for phase in profile.phase],
        figures=figure_marks(profile),
        missing=[MissingFigure(figure=missing.figure, why=missing.why) for missing in profile.missing],
    )


def _figures(profile: Profile) -> dict[str, Any]:
    shares = _shares(profile)
    reads = sum(share * stream.read_share for share, stream in shares) / 100
    size = sum(share * _mean_bytes(stream, profile) for share, stream in shares) / 100
    return {
        "name": profile.name,
        "title": profile.title,
        "streams": len(profile.stream),
        "rate_iops": profile.mean_rate,
        "span_bytes": profile.span,
        "read_percent": reads if shares else None,
        "mean_bytes": size if shares else None,
        "unverified": marked(profile, "recalled"),
        "assumed": marked(profile, "assumed"),
    }


def figure_marks(profile: Profile) -> dict[str, FigureMark | None]:
    """The quality and the source of each figure, by key path."""
    sources = {figure: source_of(profile.source, figure) for figure in figure_paths(profile)}
    return {
        figure: None if source is None else FigureMark(quality=source.quality, source=source.text)
        for figure, source in sources.items()
    }


def _shares(profile: Profile) -> list[tuple[float, ProfileStream]]:
    """Streams with their shares of all requests, in percent; empty where a stream has a rate of its own."""
    shares = [(stream.share, stream) for stream in profile.stream if stream.share is not None]
    return shares if len(shares) == len(profile.stream) else []


def _mean_bytes(stream: ProfileStream, profile: Profile) -> float:
    reads, writes = profile.mixes(stream)
    parts = ((stream.read_share, reads), (100 - stream.read_share, writes))
    return sum(share * mean_size(mix) for share, mix in parts if mix) / 100


def _given(table: Any) -> dict[str, Any]:
    """The keys of a table that its file gives; ranges as text."""
    written = table.model_dump(exclude_unset=True)
    if "range" in written:
        written["range"] = [str(end) for end in table.range]
    return dict(written)
