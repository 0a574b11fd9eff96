"""How true a profile's figures are, in sentences: shown wherever the profile is used."""

from __future__ import annotations

from typing import Any, Final

from iowatt.model.profile.marks import source_of
from iowatt.model.profile.profile import Profile

RATE: Final = "arrivals.rate"
_OF_STREAM: Final = (
    "share", "rate_iops", "arrivals", "read_share", "size", "sizes", "read_sizes", "write_sizes", "access",
    "range", "align", "run",
)  # fmt: skip


def figures(profile: Profile) -> list[str]:
    """Key paths of all figures that the profile gives."""
    found = [name for name in ("span", "size", "sizes") if getattr(profile, name) is not None]
    if profile.arrivals is not None:
        given = profile.arrivals.model_fields_set
        found += [f"arrivals.{name}" for name in type(profile.arrivals).model_fields if name in given]
    for stream in profile.stream:
        found += [f"stream.{stream.name}.{name}" for name in _OF_STREAM if name in stream.model_fields_set]
    found += [name for name in ("envelope", "phase") if getattr(profile, name)]
    return found


def of(profile: Profile) -> list[str]:
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
    for figure in figures(profile):
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


def as_dict(profile: Profile) -> dict[str, Any]:
    """Each figure with its mark."""
    found = {}
    for figure in figures(profile):
        source = source_of(profile.source, figure)
        found[figure] = None if source is None else {"quality": source.quality, "source": source.text}
    return found
