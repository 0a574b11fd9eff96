"""The size mixes of a stream, by direction."""

from __future__ import annotations

from iowatt.model.profile.profile import Profile, SizeShare, Stream

Mix = list[tuple[int, float]]


def mixes(stream: Stream, profile: Profile) -> tuple[Mix, Mix]:
    """(bytes, share in percent) of reads and of writes; empty where a direction has none."""
    common = _common(stream) or _common(profile)
    reads = (_pairs(stream.read_sizes) or common) if stream.read_share > 0 else []
    writes = (_pairs(stream.write_sizes) or common) if stream.read_share < 100 else []
    return reads, writes


def mean(mix: Mix) -> float:
    """Mean bytes."""
    return sum(size * share for size, share in mix) / sum(share for _, share in mix)


def _common(table: Stream | Profile) -> Mix:
    return [(table.size, 100.0)] if table.size is not None else _pairs(table.sizes)


def _pairs(mix: list[SizeShare] | None) -> Mix:
    return [(part.size, part.share) for part in mix or []]
