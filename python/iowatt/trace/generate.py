"""A profile to a trace of any length: ``iowatt trace generate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.model.profile import Loaded, load, remarks
from iowatt.model.profile.laws import Closed, Recorded
from iowatt.trace.convert import Progress, convert
from iowatt.trace.result import GeneratedTrace


@dataclass(frozen=True)
class PreparedTrace:
    """A workload ready to be made."""

    loaded: Loaded
    plan: dict[str, Any]

    @property
    def trace(self) -> dict[str, Any]:
        """It, as a trace spec (see `iowatt.trace.open`)."""
        return {"synthetic": self.plan}

    @property
    def notes(self) -> list[Note]:
        """Remarks for its users."""
        return remarks(self.loaded.profile)


def prepare(
    name: str,
    overrides: Sequence[str] = (),
    *,
    seed: int = 1,
    requests: int | None = None,
    duration_s: float | None = None,
    rate_iops: float | None = None,
    span: int | None = None,
    base_dir: Path | None = None,
) -> PreparedTrace:
    """The plan of a profile, by name or file, ending after so many requests or seconds, the first of the two.

    Raises ``InputError`` with file, line and fix, for all that is wrong with the profile; where nothing says
    when it ends, or how large the span is; and for a closed loop, which has no arrival times without a
    system.
    """
    loaded = load(name, overrides, base_dir=base_dir, rate_iops=rate_iops)
    profile = loaded.profile
    size = span or profile.span
    loaded.check(size)
    if size is None:
        message = f"the profile {profile.name!r} has no address space (`span`)"
        raise InputError("missing", loaded.document.source, message, hint="add `span=1TiB`")
    if isinstance(profile.arrivals, Closed):
        message = "requests of a closed loop arrive when others complete: without a system they have no times"
        hint = (
            "simulate it (profile = { name = .. } in a scenario), or give other arrivals: "
            '`set=arrivals={law="poisson",rate=500}`'
        )
        raise InputError("unsupported", loaded.document.place(("arrivals", "law")), message, hint=hint)
    recorded = isinstance(profile.arrivals, Recorded)
    if requests is None and duration_s is None and not recorded:
        raise InputError(
            "missing", None, "the trace needs an end", hint="`duration=10min`, or `requests=1000000`"
        )
    return PreparedTrace(loaded, loaded.synthesis(size, seed, requests=requests, duration_s=duration_s))


def generate(
    prepared: PreparedTrace, target: Path, *, force: bool = False, progress: Progress | None = None
) -> GeneratedTrace:
    """Write the trace; the suffix of ``target`` says as what, as for `iowatt.trace.convert`."""
    written = convert(prepared.trace, target, force=force, progress=progress)
    return GeneratedTrace(
        profile=prepared.plan["name"],
        seed=prepared.plan["seed"],
        requests=written.requests,
        path=written.path,
        bytes=written.bytes,
        notes=prepared.notes,
    )
