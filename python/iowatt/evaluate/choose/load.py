"""The workloads of a question as tables of a scenario: at the rate and over the capacity asked for.

A trace stands for more data than it touched in one of three ways (``footprint``). Clones are tenants with
data of their own, which begin at moments of their own. Stretching spreads the data of one tenant, or of
each, over the capacity. A profile fitted to the trace (``fitted``) makes requests like its own over all of
the capacity. A profile of the question goes over all of the capacity as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.base.problems import DocumentError
from iowatt.evaluate.choose.fitted import profile_file, stamps_of
from iowatt.evaluate.choose.question import AskedWorkload, Footprint, StorageQuestion
from iowatt.model.recorded_trace import trace_spec
from iowatt.trace.measure import info
from iowatt.trace.result import TraceInfo

if TYPE_CHECKING:
    from iowatt.model.profile import Loaded

ALIGN: Final = 1 << 20
"""Address spaces of clones begin at its multiples (crates/iowatt-trace/src/transform/copies.rs)."""
MOST_SPACES: Final = 1 << 20


@dataclass(frozen=True)
class ScaledWorkload:
    """A workload of the question."""

    name: str
    #: Its table in a scenario, without the length of the run.
    table: Mapping[str, Any]
    #: Requests a second in the last year.
    rate_iops: float
    #: Its part of the usable capacity in the last year, bytes.
    volume_bytes: int
    #: How its trace was scaled; None for a profile.
    footprint: Footprint | None
    #: Tenants, and address spaces that the data of each is spread over.
    clones: int = 1
    stretch: int = 1
    #: Bytes that all tenants' data reach over, if each keeps to its own; None where it is spread over all.
    hot_bytes: int | None = None
    #: Seconds that the trace lasts; None for a profile.
    lasts_s: float | None = None


@dataclass(frozen=True)
class _Part:
    """A workload with its part of the system."""

    asked: AskedWorkload
    #: Its table in the question.
    raw: Mapping[str, Any]
    #: The load of the last year, as a multiple of the trace's or profile's.
    times: float
    #: Its part of the capacity, bytes.
    size: int
    #: The question's folder, and that of fitted profiles.
    base: Path
    folder: Path | None
    #: Where its trace or profile stands.
    where: str

    def refused(self, error: InputError) -> InputError:
        """The error at the workload's place."""
        first = error.problems[0] if isinstance(error, DocumentError) else error
        return InputError(first.code, self.where, first.message, hint=first.hint)


def scaled_workloads(
    question: StorageQuestion, document: TomlDocument, base: Path, folder: Path | None = None
) -> list[ScaledWorkload]:
    """The workloads in the last year of the question.

    Args:
        base: The folder that the question's paths are relative to.
        folder: The answer's, where fitted profiles are kept; without it they live as long as this process.

    Raises ``InputError`` with the workload's place: a trace that cannot be read or scaled, a profile without
    a rate.
    """
    found = []
    for index, size in enumerate(volume_bytes(question)):
        asked = question.workload[index]
        source = "trace" if asked.profile is None else "profile"
        part = _Part(
            asked=asked,
            raw=document.raw["workload"][index],
            times=asked.times * question.load_grown,
            size=size,
            base=base,
            folder=folder,
            where=document.place(("workload", index, source)),
        )
        found.append(_of_trace(part) if asked.profile is None else _of_profile(part))
    return found


def volume_bytes(question: StorageQuestion) -> list[int]:
    """The part of each workload in the capacity of the last year, in whole MiB."""
    stated = [one.capacity for one in question.workload]
    rest = question.usable - sum(part or 0 for part in stated)
    shares = rest / max(1, stated.count(None))
    grown = [(shares if part is None else part) * question.grown for part in stated]
    return [max(ALIGN, int(size) // ALIGN * ALIGN) for size in grown]


def _of_trace(part: _Part) -> ScaledWorkload:
    asked, size, times = part.asked, part.size, part.times
    try:
        found = trace_info(asked, part.base)
    except InputError as error:
        if error.code == "not-found" and asked.trace is not None:
            message = f"there is no trace file {part.base / asked.trace.path}"
            hint = "trace paths are relative to the folder of the question"
            raise InputError("not-found", part.where, message, hint=hint) from None
        raise part.refused(error) from None
    if found.untimed or found.rate.iops <= 0:
        message = "the trace has no rate: it records no times, or a single moment"
        raise InputError("missing-figure", part.where, message, hint="give rate_iops")
    if found.devices.count > 1 and not _joined(asked):
        names = ", ".join(one.name for one in found.devices.top[:4])
        message = f"the trace has {found.devices.count} devices ({names}), each with addresses of its own"
        hint = 'name one (device), or lay them out (place = "end-to-end")'
        raise InputError("ambiguous", part.where, message, hint=hint)
    if asked.footprint == "profile":
        return _fitted(part, found)
    clones, reach = tenants(times), reached(found)
    if clones > MOST_SPACES:
        message = f"{clones:,} tenants are more than the {MOST_SPACES:,} that can be simulated"
        raise InputError("out-of-range", part.where, message, hint='footprint = "profile"')
    if clones * reach > size:
        message = f"{clones:,} tenants whose data reach to byte {reach:,} do not fit into {size:,} bytes"
        hint = 'more capacity, a part of the trace, or footprint = "profile"'
        raise InputError("infeasible", part.where, message, hint=hint)
    stretch = most_stretch(size, clones, reach) if asked.footprint == "stretch" else 1
    table = {
        "name": asked.name,
        "volume": asked.name,
        "trace": {**part.raw["trace"], "clones": clones, "stretch": stretch, "span": f"{size}B"},
        "replay": {"mode": "open", "speed": times / clones},
    }
    return ScaledWorkload(
        name=asked.name,
        table=table,
        rate_iops=found.rate.iops * times,
        volume_bytes=size,
        footprint=asked.footprint,
        clones=clones,
        stretch=stretch,
        hot_bytes=clones * reach if asked.footprint == "clones" else None,
        lasts_s=found.span.duration_s * clones / times,
    )


def tenants(times: float) -> int:
    """Clones for a load of ``times`` the trace's: the next whole number; they are slowed down to the load."""
    return max(1, math.ceil(times - 1e-9))


def reached(found: TraceInfo) -> int:
    """Bytes of an address space of the trace, in whole MiB."""
    return max(1, -(-found.max_offset_bytes // ALIGN)) * ALIGN


def most_stretch(size: int, clones: int, reach: int) -> int:
    """Address spaces of each tenant if all fill ``size`` bytes, as far as the simulator numbers them."""
    return max(1, min(size // (clones * reach), MOST_SPACES // clones))


def trace_info(asked: AskedWorkload, base: Path) -> TraceInfo:
    """What is in the trace of a workload. Raises ``InputError``: it cannot be read."""
    spec = given_trace(asked, base)
    return _info(json.dumps(spec), stamps_of(spec))


@lru_cache(maxsize=16)
def _info(spec: str, stamps: str) -> TraceInfo:
    """Read once, however often the question is varied; ``stamps`` tell versions of the file apart."""
    del stamps
    return info(json.loads(spec))


def given_trace(asked: AskedWorkload, base: Path) -> dict[str, Any]:
    """The trace of a workload as a spec (`iowatt.trace.open.spec`)."""
    assert asked.trace is not None
    described = trace_spec(asked.trace, 1, order_only=False)
    spec = {name: value for name, value in described.items() if value is not None}
    if "more" in spec:
        spec["more"] = [str(base / path) for path in spec["more"]]
    return {**spec, "path": str(base / asked.trace.path)}


def _joined(asked: AskedWorkload) -> bool:
    """Whether the keys of a trace say how its devices share one address space."""
    assert asked.trace is not None
    return any(given is not None for given in (asked.trace.device, asked.trace.devices, asked.trace.place))


def _of_profile(part: _Part) -> ScaledWorkload:
    from iowatt.model.profile import load

    asked, chosen = part.asked, part.asked.profile
    assert chosen is not None

    def loaded(rate_iops: float | None) -> Loaded:
        return load(chosen.name, chosen.set, base_dir=part.base, rate_iops=rate_iops)

    try:
        profile = loaded(chosen.rate_iops)
        own = profile.profile.mean_rate
        if not own:
            message = "completions or recorded times pace its requests, so there is no rate to multiply"
            hint = """set = ['arrivals={law="poisson",rate=500}']"""
            raise InputError("missing-figure", part.where, message, hint=hint)
        profile.check(part.size)
        # rate_iops sets the rate of the arrivals' law, which phases multiply.
        rate = own * part.times
        given = rate * rate / (loaded(rate).profile.mean_rate or rate)
    except InputError as error:
        raise part.refused(error) from None
    raw = part.raw["profile"]
    kept = {"name": raw} if isinstance(raw, str) else dict(raw)
    table = {
        "name": asked.name,
        "volume": asked.name,
        "profile": {**kept, "rate_iops": given, "span": f"{part.size}B"},
    }
    return ScaledWorkload(asked.name, table, rate, part.size, None)


def _fitted(part: _Part, found: TraceInfo) -> ScaledWorkload:
    """Requests of a profile that is fitted to the trace, over all of the workload's capacity."""
    name, times, rate = part.asked.name, part.times, found.rate.iops
    trace = given_trace(part.asked, part.base)
    try:
        file = profile_file(trace, rate, times=times, span=part.size, name=name, folder=part.folder)
    except InputError as error:
        raise part.refused(error) from None
    table = {
        "name": name,
        "volume": name,
        "profile": {"name": str(file.resolve()), "rate_iops": rate * times, "span": f"{part.size}B"},
    }
    return ScaledWorkload(name, table, rate * times, part.size, "profile", clones=tenants(times))
