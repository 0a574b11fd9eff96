"""A profile as a load generator needs it: streams by direction, constant rates, arrivals, and omissions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from iowatt.model.profile import Loaded, Mix, Profile, ProfileStream, laws, mean_size
from iowatt.model.profile.laws import Sequential, Uniform


def apportion(weights: Sequence[float], units: int = 100) -> list[int]:
    """Whole numbers in proportion to ``weights`` that add up to ``units``; each at most one off its quota."""
    total = math.fsum(weights)
    quotas = [weight / total * units for weight in weights]
    found = [math.floor(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda i: found[i] - quotas[i])
    for index in by_remainder[: units - sum(found)]:
        found[index] += 1
    return found


#: Never fewer at a rate: they cost nothing, and random arrivals come in bursts.
LEAST_OUTSTANDING: Final = 64
#: Never more: 400,000 requests per second at 20 ms. Linux lets all programs together have 65,536
#: by libaio (fs.aio-max-nr).
MOST_OUTSTANDING: Final = 16_384
#: The mean response time that a file for a load generator makes room for where no limit is known, s.
ASSUMED_RESPONSE_S: Final = 0.05
# Little's law gives the mean; room for as many again keeps bursts, and a target that is over the limit,
# from being taken for the load generator.
_ROOM: Final = 2.0


def outstanding_needed(rate_iops: float, response_s: float = ASSUMED_RESPONSE_S) -> int:
    """Outstanding requests to allow at a rate (requests per second) and a mean response time in s.

    Twice the mean number in flight, rate x response time (J. D. C. Little, "A proof for the queuing formula
    L = lambda W", Operations Research 9(3), 1961); 64 at least, 16,384 at most.
    """
    return min(MOST_OUTSTANDING, max(LEAST_OUTSTANDING, math.ceil(_ROOM * rate_iops * response_s)))


Op = Literal["read", "write"]
SECTOR = 512


@dataclass(frozen=True)
class ExportOmission:
    """A part of the profile that the file cannot express, or not exactly."""

    key: str
    asked: str
    exported: str
    why: str


@dataclass(frozen=True)
class RateSection:
    """A time in which rates are constant: seconds, and IOPS by stream (``None``: a closed loop)."""

    name: str
    start_s: float
    length_s: float
    rates: dict[str, float] | None


@dataclass(frozen=True)
class DirectionLoad:
    """The reads or the writes of a stream."""

    stream: ProfileStream
    op: Op
    fraction: float  # of the stream's requests
    sizes: Mix
    start: int
    end: int

    @property
    def name(self) -> str:
        """Its name in a file: that of the stream, with the direction where the stream has both."""
        return self.stream.name if self.fraction == 1.0 else f"{self.stream.name}-{self.op}"

    @property
    def length(self) -> int:
        """Bytes of its range."""
        return self.end - self.start

    @property
    def mean_bytes(self) -> float:
        """Mean bytes of a request."""
        return mean_size(self.sizes)


@dataclass(frozen=True)
class PreparedProfile:
    """A checked profile with its sections, and what is known of the run."""

    loaded: Loaded
    span: int
    seed: int
    target: str
    sections: list[RateSection]
    #: Requests outstanding at most at a rate; None: by the rate (:mod:`iowatt.sources.export.loads`).
    outstanding: int | None = None

    @property
    def profile(self) -> Profile:
        """The profile."""
        return self.loaded.profile

    @property
    def duration_s(self) -> float:
        """Seconds in all."""
        return sum(section.length_s for section in self.sections)

    def outstanding_at(self, rate_iops: float) -> int:
        """Requests to allow outstanding at a rate of all streams together."""
        return outstanding_needed(rate_iops) if self.outstanding is None else self.outstanding

    def loads(self) -> list[DirectionLoad]:
        """Reads and writes of all streams."""
        return [load for stream in self.profile.stream for load in loads(self.profile, stream, self.span)]


@dataclass(frozen=True)
class JobSection:
    """A job of a job file: its name and its options, ``key=value`` each."""

    name: str
    options: list[str]


@dataclass(frozen=True)
class ExportedFile:
    """A file for a load generator."""

    tool: str
    text: str
    omissions: list[ExportOmission]
    jobs: dict[str, str] = field(default_factory=dict)  # names in the file, with the stream of each
    sections: list[JobSection] = field(default_factory=list)  # of a job file of fio


class JobFile:
    """A file for a load generator in the making, and what it leaves out."""

    def __init__(self, prepared: PreparedProfile, *, direct: bool) -> None:
        self.prepared = prepared
        self.direct = direct
        self.omissions: dict[str, ExportOmission] = {}
        self.jobs: dict[str, str] = {}

    def omit(self, key: str, asked: str, exported: str, why: str) -> None:
        """Keep an omission; the first of each key counts."""
        self.omissions.setdefault(key, ExportOmission(key, asked, exported, why))

    def omit_all(self, omissions: Iterable[ExportOmission]) -> None:
        """Keep several."""
        for omission in omissions:
            self.omissions.setdefault(omission.key, omission)


def loads(profile: Profile, stream: ProfileStream, span: int) -> list[DirectionLoad]:
    """The reads and the writes of a stream, where it has them."""
    start, end = stream.byte_range(span)
    reads, writes = profile.mixes(stream)
    share = stream.read_share / 100
    both: tuple[tuple[Op, float, Mix], ...] = (("read", share, reads), ("write", 1 - share, writes))
    return [
        DirectionLoad(stream, op, fraction, sizes, start, end) for op, fraction, sizes in both if fraction > 0
    ]


def run_requests(load: DirectionLoad) -> float | None:
    """Mean requests at consecutive addresses between two random places; ``None`` without such runs."""
    access = load.stream.access
    if isinstance(access, Sequential) and access.run is not None:
        return max(1.0, access.run / load.mean_bytes)
    run = load.stream.run
    if run is not None and run.addresses == "sequential" and isinstance(access, Uniform):
        return run.requests
    return None


def sectors(load: DirectionLoad) -> tuple[Mix, list[ExportOmission]]:
    """Its sizes in whole sectors of 512 bytes, which direct I/O needs."""
    rounded = [(-(-size // SECTOR) * SECTOR, share) for size, share in load.sizes]
    if rounded == load.sizes:
        return load.sizes, []
    odd = next(size for size, _ in load.sizes if size % SECTOR)
    key = f"stream.{load.stream.name}.size"
    return rounded, [
        ExportOmission(
            key, f"{odd} bytes", "the next multiple of 512 bytes", "direct I/O transfers whole sectors"
        )
    ]


# fio takes 8 KiB of a line, and what is behind that in a comment for an option.
_NAMES: Final = 20


def describe_omissions(omissions: Iterable[ExportOmission]) -> list[str]:
    """One line for each, those that differ in their stream only together."""
    groups: dict[tuple[str, str, str, str], list[str]] = {}
    for omission in omissions:
        head, _, rest = omission.key.partition(".")
        name, _, key = rest.rpartition(".") if head == "stream" else ("", "", omission.key)
        named = (name, key) if name and key else ("", omission.key)
        groups.setdefault((named[1], omission.asked, omission.exported, omission.why), []).append(named[0])
    lines = []
    for (key, asked, exported, why), names in groups.items():
        listed_names = ", ".join(names[:_NAMES])
        if len(names) > _NAMES:
            listed_names += f" and {len(names) - _NAMES} more"
        whose = f" of {listed_names}" if any(names) else ""
        lines.append(f"{key}{whose}: {asked}; exported as {exported}: {why}")
    return lines


_FOLLOWERS: Final = {"sequential": ", one behind the other", "same": ", to the same place", "law": ""}


def arrivals_of(profile: Profile, stream: ProfileStream) -> laws.Arrivals:
    """The law of a stream's arrivals, its own or the common one."""
    if stream.rate_iops is not None:
        return laws.Poisson(law="poisson", rate=stream.rate_iops)
    law = stream.arrivals if stream.arrivals is not None else profile.arrivals
    assert law is not None, "checked"
    return law


def lost_arrivals(profile: Profile, tool: str) -> Iterator[ExportOmission]:
    """What generators cannot express about arrival times."""
    given = [("arrivals", profile.arrivals)]
    given += [(f"stream.{stream.name}.arrivals", stream.arrivals) for stream in profile.stream]
    for key, law in given:
        if law is not None:
            yield from _lost_law(key, law, tool)
    for stream in profile.stream:
        if stream.run is not None:
            where = _FOLLOWERS[stream.run.addresses]
            yield ExportOmission(
                f"stream.{stream.name}.run",
                f"runs of {stream.run.requests:g} requests {stream.run.gap:g} s apart{where}",
                "as many requests, arriving independently",
                f"{tool} has no arrivals that bring others after them",
            )


def _lost_law(key: str, law: laws.Arrivals, tool: str) -> Iterator[ExportOmission]:
    if law.stay > 1:
        yield ExportOmission(
            f"{key}.stay",
            f"{law.stay:g} requests of a stream in a row",
            "streams that are independent",
            f"{tool} draws each stream independently",
        )
    if isinstance(law, laws.HyperExponential | laws.Batch | laws.OnOff):
        yield ExportOmission(
            key,
            f"arrivals of the law {law.law}",
            "Poisson arrivals of the same mean rate",
            f"{tool} has no such law; its load is smoother",
        )
    elif not isinstance(law, laws.Recorded | laws.Closed) and law.modulation is not None:
        yield ExportOmission(
            f"{key}.modulation",
            "a rate that changes at random",
            "the mean rate",
            f"{tool} has constant rates; its load is smoother",
        )
