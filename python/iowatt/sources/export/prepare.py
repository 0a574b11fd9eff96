"""A profile ready for export: found, checked, cut into sections."""

from __future__ import annotations

from collections.abc import Sequence

from iowatt.base.errors import Argument, InputError
from iowatt.model.profile.arrivals import Recorded
from iowatt.model.profile.find import load
from iowatt.sources.export.loads import Prepared
from iowatt.sources.export.sections import sections


def prepare(
    name: str,
    overrides: Sequence[str] = (),
    *,
    target: str | None = None,
    seed: int = 1,
    duration_s: float | None = None,
    rate_iops: float | None = None,
    span: int | None = None,
    outstanding: int | None = None,
) -> Prepared:
    """A profile, by name or file, for a load generator on ``target`` (a file or device).

    ``outstanding`` is how many requests it may keep outstanding at a rate; None: as many as the rate needs.

    Raises
    ------
    InputError
        With file, line and fix, for all that is wrong with the profile; where nothing says how large the span
        is; and for recorded arrivals, which no generator makes.
    """
    if target is not None and any(ord(character) < 32 or ord(character) == 127 for character in target):
        # A line of its own in a job file could name another file to write to.
        raise InputError(
            "bad-syntax",
            Argument("target"),
            f"{target!r} has control characters, which a job file cannot hold",
        )
    loaded = load(name, overrides, rate_iops=rate_iops)
    profile = loaded.profile
    size = span or profile.span
    loaded.check(size)
    if size is None:
        raise InputError(
            "missing",
            loaded.document.source,
            f"the profile {profile.name!r} has no address space (`span`)",
            hint="give it: `span=1TiB`",
        )
    if isinstance(profile.arrivals, Recorded):
        raise InputError(
            "unsupported",
            loaded.document.place(("arrivals", "law")),
            "fio and vdbench cannot replay recorded time stamps",
            hint='give other arrivals: `set=arrivals={law="poisson",rate=500}`',
        )
    cut = sections(profile, duration_s)
    return Prepared(loaded, size, seed, target or f"{profile.name}.dat", cut, outstanding)
