"""A profile as a parameter file of vdbench.

The keywords and what they accept were read in the source of vdbench 5.04.06 and in a run's files; vdbench
itself needs a licence from Oracle and is not run here. A stream is a workload definition (WD) with `skew=`;
WDs whose read percentage is no whole number, or whose reads and writes differ in size, are two. `hotband=` is
the very law of the profile. Block 0 of a device is never used, and the minimum hot band is 1 MB.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from iowatt.model.profile import Mix, RangeEnd
from iowatt.model.profile.laws import Closed, Constant, HierarchicalReuse, HotBand, ReuseDistance, Sequential
from iowatt.sources.export.loads import (
    DirectionLoad,
    ExportedFile,
    JobFile,
    PreparedProfile,
    RateSection,
    apportion,
    arrivals_of,
    describe_omissions,
    lost_arrivals,
    run_requests,
    sectors,
)
from iowatt.sources.export.zones import is_zoned, zones

_ZONES: Final = 10
_MOST_CURSORS: Final = 64
_LEAST_ZONE: Final = 1 << 20
_SKEW_UNITS: Final = 1_000_000  # of skews printed with four digits behind the point


@dataclass(frozen=True)
class _Workload:
    """A workload definition: its share of a stream's requests, read percentage, sizes, the rest as text."""

    name: str
    stream: str
    fraction: float
    read_percent: int
    sizes: Mix
    place: str


def export(prepared: PreparedProfile, *, direct: bool = True) -> ExportedFile:
    """The parameter file; ``direct``: past the page cache."""
    return _VdbenchFile(prepared, direct=direct).written()


class _VdbenchFile(JobFile):
    """A parameter file in the making."""

    def written(self) -> ExportedFile:
        prepared, profile = self.prepared, self.prepared.profile
        self.omit_all(lost_arrivals(profile, "vdbench"))
        workloads = [w for stream in profile.stream for w in self.stream(stream.name)]
        definitions: list[str] = []
        runs: list[str] = []
        for number, section in enumerate(prepared.sections, 1):
            prefix = "w" if len(prepared.sections) == 1 else f"w{number}"
            self.section(section, prefix, workloads, definitions, runs)
        flags = ",openflags=o_direct" if self.direct else ""
        head = [
            f"* {profile.title}",
            f"* iowatt's profile {profile.name}: {prepared.span} bytes, {prepared.duration_s:g} s",
            f"* THIS WRITES to {prepared.target}.",
            *(f"* not expressed: {line}" for line in describe_omissions(self.omissions.values())),
            "",
            f"sd=sd1,lun={prepared.target},size={prepared.span}{flags}",
            "wd=default,sd=sd1",
        ]
        text = "\n".join([*head, *definitions, *runs]) + "\n"
        return ExportedFile("vdbench", text, list(self.omissions.values()), self.jobs)

    def section(
        self,
        section: RateSection,
        prefix: str,
        workloads: list[_Workload],
        definitions: list[str],
        runs: list[str],
    ) -> None:
        if section.rates is None:
            shares = {stream.name: stream.share or 0.0 for stream in self.prepared.profile.stream}
        else:
            shares = section.rates
        weights = [shares[w.stream] * w.fraction for w in workloads]
        if not math.fsum(weights):
            self.omit(
                "idle time",
                f"{section.length_s:g} s without requests ({section.name})",
                "nothing",
                "a run definition of vdbench has a rate",
            )
            return
        for workload, skew in zip(workloads, apportion(weights, _SKEW_UNITS), strict=True):
            if not skew:
                continue
            name = f"{prefix}_{workload.name}"
            self.jobs[name] = workload.stream
            percent, sizes = skew * 100 / _SKEW_UNITS, _sizes(workload.sizes)
            load = f"skew={percent:g},rdpct={workload.read_percent},{workload.place},xfersize={sizes}"
            definitions.append(f"wd={name},{load}")
        runs.append(self.run(section, prefix, shares))

    def run(self, section: RateSection, prefix: str, rates: dict[str, float]) -> str:
        elapsed = max(2, round(section.length_s))
        if elapsed != section.length_s:
            self.omit(
                "duration",
                f"{section.length_s:g} s",
                f"{elapsed} s",
                "vdbench counts whole seconds, at least 2",
            )
        interval = max(1, min(60, elapsed // 10))
        times = f"elapsed={elapsed},interval={interval}"
        name = section.name or "run"
        law = self.prepared.profile.arrivals
        if isinstance(law, Closed):
            if law.think:
                self.omit(
                    "arrivals.think",
                    f"{law.think:g} s of think time",
                    "none",
                    "vdbench's threads do not wait",
                )
            return f"rd={name},wd={prefix}_*,iorate=max,{times},threads={law.outstanding}"
        kinds = {
            isinstance(arrivals_of(self.prepared.profile, s), Constant) for s in self.prepared.profile.stream
        }
        if kinds == {True, False}:
            self.omit(
                "arrivals",
                "equal gaps of some streams",
                "Poisson arrivals of all",
                "vdbench has one law of arrivals for a run",
            )
        gaps = ",distribution=deterministic" if kinds == {True} else ""
        total = math.fsum(rates.values())
        threads = self.prepared.outstanding_at(total)
        return f"rd={name},wd={prefix}_*,iorate={total:.10g}{gaps},{times},threads={threads}"

    def stream(self, name: str) -> Iterator[_Workload]:
        """The workload definitions of a stream."""
        both = [load for load in self.prepared.loads() if load.stream.name == name]
        read_share = both[0].stream.read_share
        alike = len({tuple(load.sizes) for load in both}) == 1
        if len(both) == 2 and alike and read_share == round(read_share):
            parts = [(both[0], name, 1.0, round(read_share))]
        else:
            parts = [(load, load.name, load.fraction, 100 if load.op == "read" else 0) for load in both]
        for load, called, fraction, read_percent in parts:
            sizes, notes = sectors(load)
            self.omit_all(notes)
            self.aligned(load, sizes)
            places = list(self.places(load))
            for number, (share, place) in enumerate(places, 1):
                full = called if len(places) == 1 else f"{called}_{number}"
                yield _Workload(full, name, fraction * share, read_percent, sizes, place)

    def aligned(self, load: DirectionLoad, sizes: Mix) -> None:
        random = not isinstance(load.stream.access, Sequential)
        if random and load.stream.align is not None and any(size != load.stream.align for size, _ in sizes):
            self.omit(
                f"stream.{load.stream.name}.align",
                f"multiples of {load.stream.align} bytes",
                "multiples of the request's own size",
                "that is where vdbench puts random requests",
            )

    def places(self, load: DirectionLoad) -> Iterator[tuple[float, str]]:
        """Share and address keywords of each workload definition that a load takes."""
        access, name = load.stream.access, load.stream.name
        if isinstance(access, HotBand):
            yield 1.0, f"seekpct=random,hotband={self.range(load)}"
        elif is_zoned(access):
            yield from self.zoned(load)
        elif isinstance(access, Sequential) and access.streams > 1 and run_requests(load) is None:
            yield from self.cursors(load, access)
        else:
            if isinstance(access, HierarchicalReuse | ReuseDistance):
                self.omit(
                    f"stream.{name}.access",
                    f"the law {access.pattern}",
                    "uniform random requests in its range",
                    "vdbench's requests do not depend on earlier ones",
                )
            yield 1.0, f"{self.seek(load)}{self.ranged(load)}"

    def seek(self, load: DirectionLoad) -> str:
        """How often a request goes to a new place."""
        run = run_requests(load)
        if run is not None:
            return f"seekpct={100 / run:.6g}"
        return "seekpct=0" if isinstance(load.stream.access, Sequential) else "seekpct=100"

    def cursors(self, load: DirectionLoad, access: Sequential) -> Iterator[tuple[float, str]]:
        count = min(access.streams, _MOST_CURSORS)
        if access.begin == "start":
            yield from [(1 / count, f"seekpct=0{self.ranged(load)}")] * count
            return
        self.omit(
            f"stream.{load.stream.name}.access.streams",
            f"{access.streams} cursors that walk the whole range",
            f"{count} workloads, each in its own part",
            "a sequential workload of vdbench begins where its range does",
        )
        step = load.length // count // 4096 * 4096
        for number in range(count):
            start = load.start + number * step
            yield 1 / count, f"seekpct=0,range=({start},{start + step})"

    def zoned(self, load: DirectionLoad) -> Iterator[tuple[float, str]]:
        both = [part for part in self.prepared.loads() if part.stream is load.stream]
        unit = math.lcm(*(size for part in both for size, _ in part.sizes), _LEAST_ZONE)
        if unit > load.length // _ZONES:
            unit = max(size for part in both for size, _ in part.sizes)
        found = zones(
            load.stream.access,
            load.length,
            op=load.op,
            size=load.mean_bytes,
            unit=unit,
            count=_ZONES,
            seed=self.prepared.seed,
        )
        self.omit(
            f"stream.{load.stream.name}.access",
            f"the law {load.stream.access.pattern}",
            f"{len(found)} workloads for tenths of its requests, uniform inside",
            "vdbench has no skew but its hot band",
        )
        for zone in found:
            start = load.start + zone.start
            yield zone.weight / _ZONES, f"seekpct=100,range=({start},{start + zone.length})"

    def ranged(self, load: DirectionLoad) -> str:
        whole = load.start == 0 and load.end == self.prepared.span
        return "" if whole else f",range={self.range(load)}"

    def range(self, load: DirectionLoad) -> str:
        """Percents where the profile has them, else bytes (numbers above 200 are bytes to vdbench)."""
        low, high = load.stream.range
        if low.fraction is not None and high.fraction is not None:
            return f"({_percent(low)},{_percent(high)})"
        return f"({load.start},{load.end})"


def _percent(end: RangeEnd) -> str:
    return f"{(end.fraction or 0.0) * 100:.10g}"


def _sizes(sizes: Mix) -> str:
    if len(sizes) == 1:
        return str(sizes[0][0])
    total = math.fsum(share for _, share in sizes)
    return "(" + ",".join(f"{size},{share / total * 100:.10g}" for size, share in sizes) + ")"
