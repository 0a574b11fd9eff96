"""What a load generator is told of a profile: loads that are alike, sections of time with constant rates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from iowatt.model.profile.access import Sequential, Uniform
from iowatt.model.profile.find import Loaded
from iowatt.model.profile.profile import Mix, Profile, Stream, mean_size, mixes
from iowatt.model.profile.ranges import extent
from iowatt.sources.export.outstanding import needed

Op = Literal["read", "write"]
SECTOR = 512


@dataclass(frozen=True)
class Omission:
    """Something of the profile that the file does not say, or not exactly."""

    key: str
    asked: str
    exported: str
    why: str


@dataclass(frozen=True)
class Section:
    """A time in which rates are constant: seconds, and IOPS by stream (``None``: a closed loop)."""

    name: str
    start_s: float
    length_s: float
    rates: dict[str, float] | None


@dataclass(frozen=True)
class Load:
    """The reads or the writes of a stream."""

    stream: Stream
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
class Prepared:
    """A checked profile with its sections, and what is known of the run."""

    loaded: Loaded
    span: int
    seed: int
    target: str
    sections: list[Section]
    #: Requests outstanding at most at a rate; None: by the rate (:mod:`iowatt.sources.export.outstanding`).
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
        return needed(rate_iops) if self.outstanding is None else self.outstanding

    def loads(self) -> list[Load]:
        """Reads and writes of all streams."""
        return [load for stream in self.profile.stream for load in loads(self.profile, stream, self.span)]


@dataclass(frozen=True)
class Exported:
    """A file for a load generator."""

    tool: str
    text: str
    omissions: list[Omission]
    jobs: dict[str, str] = field(default_factory=dict)  # names in the file, with the stream of each


def loads(profile: Profile, stream: Stream, span: int) -> list[Load]:
    """The reads and the writes of a stream, where it has them."""
    start, end = extent(stream.range, span)
    reads, writes = mixes(stream, profile)
    share = stream.read_share / 100
    both: tuple[tuple[Op, float, Mix], ...] = (("read", share, reads), ("write", 1 - share, writes))
    return [Load(stream, op, fraction, sizes, start, end) for op, fraction, sizes in both if fraction > 0]


def run_requests(load: Load) -> float | None:
    """Mean requests at consecutive addresses between two random places; ``None`` without such runs."""
    access = load.stream.access
    if isinstance(access, Sequential) and access.run is not None:
        return max(1.0, access.run / load.mean_bytes)
    run = load.stream.run
    if run is not None and run.addresses == "sequential" and isinstance(access, Uniform):
        return run.requests
    return None


def sectors(load: Load) -> tuple[Mix, list[Omission]]:
    """Its sizes in whole sectors of 512 bytes, which direct I/O needs."""
    rounded = [(-(-size // SECTOR) * SECTOR, share) for size, share in load.sizes]
    if rounded == load.sizes:
        return load.sizes, []
    odd = next(size for size, _ in load.sizes if size % SECTOR)
    key = f"stream.{load.stream.name}.size"
    return rounded, [
        Omission(key, f"{odd} bytes", "the next multiple of 512 bytes", "direct I/O transfers whole sectors")
    ]
