"""The study's Runs as points: latencies of writes and reads as the array sees them, and where they
arise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from iowatt.studies.latency2015 import systems
from iowatt.studies.latency2015.equations import RequestRates
from iowatt.studies.latency2015.published import BY_KEY, Member
from iowatt.studies.stages import StudyPoints, figure, figures

if TYPE_CHECKING:
    import polars as pl

    from iowatt.run.bundle import Run
    from iowatt.studies.stages import Results, Row, StudyStage

MIB: Final = 1 << 20
#: Bytes of a page.
PAGE: Final = 8 << 10
#: A first or last block of a series that is shorter than the others is no mean over a second.
_WHOLE: Final = 0.99


@dataclass(frozen=True)
class LatencyHistogram:
    """Bins of whole ns, both ends included, ascending and apart."""

    low_ns: tuple[int, ...]
    high_ns: tuple[int, ...]
    counts: tuple[float, ...]

    @classmethod
    def of(cls, bins: Iterable[tuple[int, int, float]]) -> LatencyHistogram:
        """From bins in any order; equal ones are added."""
        found: dict[tuple[int, int], float] = {}
        for low, high, count in bins:
            found[low, high] = found.get((low, high), 0.0) + count
        ends = sorted(found)
        return cls(
            tuple(low for low, _ in ends), tuple(high for _, high in ends), tuple(found[end] for end in ends)
        )

    @classmethod
    def mixture(cls, parts: Mapping[int, float], of: Mapping[int, LatencyHistogram]) -> LatencyHistogram:
        """Several, each with so much of the whole, whatever its own number of requests."""
        return cls.of(
            (low, high, share * count / of[key].total)
            for key, share in parts.items()
            for low, high, count in of[key].bins()
        )

    @property
    def total(self) -> float:
        """All requests."""
        return sum(self.counts)

    def bins(self) -> Iterable[tuple[int, int, float]]:
        """Bin by bin."""
        return zip(self.low_ns, self.high_ns, self.counts, strict=True)

    def share_within(self, ms: float) -> float:
        """Share of the requests that took ``ms`` or less; within the bin of the limit they are spread
        evenly.
        """
        limit = ms * 1e6
        inside = 0.0
        for low, high, count in self.bins():
            if high <= limit:
                inside += count
            elif low <= limit:
                inside += count * (limit - low + 1) / (high - low + 1)
        return inside / self.total

    def quantile_ms(self, share: float) -> float:
        """The time within which this share of the requests lies: the upper end of its bin."""
        left = share * self.total
        for _, high, count in self.bins():
            left -= count
            if left <= 0:
                return high * 1e-6
        return self.high_ns[-1] * 1e-6


@dataclass(frozen=True)
class Second:
    """A block of the series: writes that were completed in it, as the array saw them."""

    start_s: float
    mean_ms: float | None
    writes: int


@dataclass(frozen=True)
class MemberHopTime:
    """Mean time of a request at one place of its way, in us."""

    name: str
    place: str
    way: str
    wait_us: float
    service_us: float

    @property
    def us(self) -> float:
        """Both together."""
        return self.wait_us + self.service_us


@dataclass(frozen=True, kw_only=True)
class LatencyPoint:
    """One system under one load; times in ms, as the array sees them unless said."""

    kind: str = figure("kind")
    #: The member, of the sweeps over the family; None: of the others.
    member: str | None
    express: bool
    #: The value of the key that a service's sweep turns, or users of the installed base.
    setting: str
    visit_us: float
    write_ms: float = figure("response_time_at.array.write.mean")
    read_ms: float = figure("response_time_at.array.read.mean")
    host_write_ms: float = figure("response_time_ms.write.mean")
    host_read_ms: float = figure("response_time_ms.read.mean")
    write_p99_ms: float = figure("response_time_at.array.write.p99")
    host_write_p99_ms: float = figure("response_time_ms.write.p99")
    read_p99_ms: float = figure("response_time_at.array.read.p99")
    iops: float = figure("throughput.iops")
    read_mib_s: float
    write_mib_s: float
    busy: float = figure("controller.processors.utilisation")
    #: Bytes that drives wrote, over bytes that hosts did.
    drive_writes: float
    #: Writes that found a buffer of the port, as a share.
    express_share: float
    seconds: tuple[Second, ...]
    writes: LatencyHistogram
    write_hops: tuple[MemberHopTime, ...]
    read_hops: tuple[MemberHopTime, ...]

    @property
    def load(self) -> RequestRates:
        """Requests per second; all reads are of a page."""
        reads = self.read_mib_s * MIB / PAGE
        return RequestRates(reads, self.iops - reads)

    @property
    def highest_second_ms(self) -> float:
        """The highest mean over a second."""
        return max(one.mean_ms for one in self.seconds if one.mean_ms is not None)

    @property
    def most_iops(self) -> float:
        """The rate of the same mix at which the processors would have no idle time left (utilisation law)."""
        return self.iops / self.busy


class LatencyPoints(StudyPoints[LatencyPoint]):
    """All points of the study."""

    def pair(self, kind: str, member: str) -> tuple[LatencyPoint, LatencyPoint]:
        """A member before and after."""
        before, after = (self.one(kind, member=member, express=express) for express in (False, True))
        return before, after

    @property
    def members(self) -> list[Member]:
        """The members that were run, in the family's order."""
        ran = {one.member for one in self.of("steady")}
        return [member for key, member in BY_KEY.items() if key in ran]


def read(results: Results) -> LatencyPoints:
    """All points of a study that ran."""
    return LatencyPoints([_point(stage, row, results.run(stage, row)) for stage, row in results.rows()])


def _point(stage: StudyStage, row: Row, run: Run) -> LatencyPoint:
    kind, summary = str(stage.labels["kind"]), run.summary
    requests, seconds = summary["requests"], summary["window"]["duration_s"]
    series, table = run.table("series"), run.table("hops")
    return LatencyPoint(
        **figures(LatencyPoint, stage.labels, summary),
        member=_member(row),
        express=str(row.get(systems.EXPRESS, systems.ON)) != systems.OFF,
        setting=_setting(kind, row),
        visit_us=_us(row.get(systems.WRITE, "0us")),
        read_mib_s=requests["bytes_read"] / MIB / seconds,
        write_mib_s=requests["bytes_written"] / MIB / seconds,
        drive_writes=sum(drive["bytes_written"] for drive in summary["devices"]) / requests["bytes_written"],
        express_share=_taken(summary),
        seconds=_seconds(series),
        writes=_histogram(series),
        write_hops=_hops(table, "write"),
        read_hops=_hops(table, "read"),
    )


def _member(row: Row) -> str | None:
    if systems.COPY not in row:
        return None
    for key, member in BY_KEY.items():
        known = (_us(row[systems.READ]), _us(row[systems.WRITE]), row[systems.PROCESSORS])
        if known == (member.read_us, member.visit_us, member.processors):
            return key
    raise LookupError(f"no member has the visits of {row[systems.WRITE]} and reads of {row[systems.READ]}")


def _setting(kind: str, row: Row) -> str:
    if kind == "split":
        return f"{row[systems.SPLIT]}, {row[systems.SEGMENT]}"
    turned = {"zeros": systems.ZEROS, "offload": systems.DESTAGE, "base": systems.DATA_USERS}
    return str(row[turned[kind]]) if kind in turned else ""


def _us(text: Any) -> float:
    return float(str(text).removesuffix("us"))


def _taken(summary: Mapping[str, Any]) -> float:
    (path,) = summary["paths"]
    taken = sum(one["taken"] for one in path["express"] or [])
    writes = summary["requests"]["writes"]
    return float(taken / writes) if writes else 0.0


def _seconds(series: pl.DataFrame) -> tuple[Second, ...]:
    """Writes of all workloads as the array saw them, by block."""
    import polars as pl

    rows = (
        series.filter((pl.col("point") == "array") & (pl.col("op") == "write"))
        .group_by("start_s", "end_s")
        .agg(pl.col("count").sum(), pl.col("sum_ns").sum())
        .sort("start_s")
        .to_dicts()
    )
    width = max((row["end_s"] - row["start_s"] for row in rows), default=0.0)
    return tuple(
        Second(row["start_s"], row["sum_ns"] / row["count"] * 1e-6 if row["count"] else None, row["count"])
        for row in rows
        if row["end_s"] - row["start_s"] >= _WHOLE * width
    )


def _histogram(series: pl.DataFrame) -> LatencyHistogram:
    """Writes of all workloads as the array saw them, over the window."""
    import polars as pl

    bins = (
        series.filter((pl.col("point") == "array") & (pl.col("op") == "write"))
        .select("low_ns", "high_ns", "bin_count")
        .explode("low_ns", "high_ns", "bin_count")
        .drop_nulls()
        .group_by("low_ns", "high_ns")
        .agg(pl.col("bin_count").sum())
    )
    return LatencyHistogram.of((int(low), int(high), float(count)) for low, high, count in bins.iter_rows())


def _hops(table: pl.DataFrame, op: str) -> tuple[MemberHopTime, ...]:
    """Mean wait and service of a request at each place, in the order of its way."""
    import polars as pl

    mine = table.filter(pl.col("op") == op)
    places = mine.group_by("hop", "place", "way", maintain_order=True).agg(
        pl.col("wait_ns").sum(), pl.col("service_ns").sum()
    )
    # Every request has a row at each place that it may pass: the largest count of one place is that of all.
    requests = mine.group_by("hop", "place", "way").agg(pl.col("requests").sum())["requests"].max()
    if not requests:
        return ()
    return tuple(
        MemberHopTime(name, place, way, wait_ns / requests / 1e3, service_ns / requests / 1e3)
        for name, place, way, wait_ns, service_ns in places.iter_rows()
    )
