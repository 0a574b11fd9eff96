"""SSDs against their data sheets: each published figure and the simulator's for the same work.

Sequential figures are of 128 KiB, reads of data that was written in order, writes to a drive never written;
random ones are of 4 KiB on a full drive in steady state, as many at a time as the interface is usually tested
with. Latencies are those of requests that come one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.evaluate.validation.result import DataSheet, DataSheets, ReadsAtDepth, SheetFigure
from iowatt.model.library import DeviceFile, device_file, device_names, find_device, list_devices
from iowatt.model.library.ssd import FREE_BLOCKS, Ssd

MEASURED: Final = 20_000
SUPERBLOCKS: Final = 1.5
BURSTS: Final = 8
BAR: Final = 0.1

_SMALL: Final = 4096
_LARGE: Final = 128 * 1024


FILLS: Final = {"full": 1.0, "a tenth in use": 0.1}
"""Shares of the flash in use at which reads during writes are measured."""


def simulatable() -> list[str]:
    """Names of the library's SSDs that can be simulated with their watts."""
    return [device.name for device in list_devices("ssd", ["simulation"]).devices]


def check(name: str, *, queueing: bool = False) -> DataSheet:
    """The sheet of one device; ``queueing`` adds what saturates it and what collection does to reads.

    Raises ``InputError`` where there is no such device, or it cannot be simulated.
    """
    file = device_file(name)
    drive = find_device(name)
    if not isinstance(drive, Ssd):
        hint = "disks are compared with measured traces: leave out `ssd=True`"
        raise InputError("not-accepted", Argument("ssd", name), "this is a disk; expected an SSD", hint=hint)
    if drive.missing_watts:
        lacking = ", ".join(f"power.{figure}" for figure in drive.missing_watts)
        raise InputError("missing-figure", name, f"energy needs figures that {name!r} lacks: {lacking}")
    bench = SheetBench(name, file, drive)
    figures = list(bench.figures())
    return DataSheet(
        device=name,
        title=drive.title,
        simulated_by="data sheet" if drive.geometry is None else "flash",
        figures=figures,
        write_amplification=bench.write_amplification,
        reads=list(bench.saturation()) if queueing else [],
        beside_writes=bench.beside_writes() if queueing else {},
    )


@dataclass
class SheetBench:
    """Runs a drive's work and keeps what came out."""

    name: str
    file: DeviceFile
    drive: Ssd
    done: dict[str, Any] = field(default_factory=dict)
    write_amplification: float | None = None

    @property
    def depth(self) -> int:
        """Requests at a time of the random figures."""
        return self.drive.interface.tested_depth

    def figures(self) -> Iterator[SheetFigure]:
        """Published figures of the sheet; assumed ones are not compared."""
        mib = 2**20
        for name, work in (
            ("sequential_read", "sequential reads"),
            ("sequential_write", "sequential writes"),
        ):
            simulated = self._run(work)["throughput"]["mib_per_s"] * mib
            yield from self._figure(f"performance.{name}", "bytes/s", work, simulated)
        for name, work in (("random_read_iops", "random reads"), ("random_write_iops", "random writes")):
            yield from self._figure(f"performance.{name}", "1/s", work, self._run(work)["throughput"]["iops"])
        for name, work, way in (
            ("read_latency", "one random read at a time", "read"),
            ("write_latency", "one random write at a time", "write"),
            ("sequential_write_latency", "one sequential write at a time", "write"),
        ):
            if name.startswith("seq") and self.file.performance.write_latency is not None:
                # The model has one latency of writes, that of random ones where both are published.
                yield from self._figure(f"performance.{name}", "s", "random writes are as fast", None)
            elif self._published(f"performance.{name}") is not None:
                simulated = self._run(work)["response_time_ms"][way]["mean"] / 1e3
                yield from self._figure(f"performance.{name}", "s", work, simulated)
        yield from self._figure(
            "performance.sequential_read_latency", "s", "read-ahead is not modelled", None
        )
        yield from self._watts()

    def _watts(self) -> Iterator[SheetFigure]:
        yield from self._figure("power.idle", "W", "no work", self._run("no work")["power_w"]["mean"])
        works = ("sequential_read", "sequential_write", "random_read", "random_write")
        drawn = {name: self._run(f"{name.replace('_', ' ')}s")["power_w"]["mean"] for name in works}
        for name, watts in drawn.items():
            yield from self._figure(f"power.{name}", "W", f"{name.replace('_', ' ')}s", watts)
        most = max(drawn, key=lambda name: drawn[name])
        yield from self._figure(
            "power.active", "W", f"{most.replace('_', ' ')}s, the most drawn", drawn[most]
        )

    def _published(self, path: str) -> float | None:
        """The sheet's figure; None where it has none, or iowatt assumes one."""
        source = self.file.source_of(path)
        if source is None or source.quality == "assumed" or source.caution is not None:
            return None
        table, name = path.split(".")
        value: float | None = getattr(getattr(self.file, table), name)
        return value

    def _figure(self, path: str, unit: str, work: str, simulated: float | None) -> Iterator[SheetFigure]:
        published = self._published(path)
        if published is not None:
            yield SheetFigure(
                figure=path,
                unit=unit,
                work=work,
                published=published,
                simulated=simulated,
                error=None if simulated is None else simulated / published - 1,
            )

    def _run(self, work: str) -> dict[str, Any]:
        if work not in self.done:
            self.done[work] = self._summary(work)
        return dict(self.done[work])

    def _summary(self, work: str) -> dict[str, Any]:
        sheet, one = self.drive.sheet, "one " in work
        reads, sequential = "read" in work, "sequential" in work
        if work == "no work":
            return simulated(self.name, None, initial=self._steady, warmup_s=0.0, duration_s=1.0)
        size = _LARGE if sequential and not one else _SMALL
        rate = sheet.read_rate / size if reads else sheet.write_rate / size
        if not sequential:
            rate = sheet.read_iops if reads else sheet.write_iops
        if one:
            rate = 1 / (sheet.read_s if reads else sheet.write_s)
        request = SheetRequests("read" if reads else "write", sequential, size, 1 if one else self.depth)
        initial = self._in_order if sequential and reads else self._never if sequential else self._steady
        span_s = MEASURED / rate
        warmup_s = 0.2 * span_s
        if not (reads or one):
            warmup_s += self._filling_s(rate * size, size) + self._settling_s(sequential)
            span_s = max(span_s, self._collecting_s(sequential))
        found = simulated(
            self.name, request, initial=initial, warmup_s=warmup_s, duration_s=warmup_s + span_s
        )
        if work == "random writes":
            flash = found["devices"][0].get("flash")
            self.write_amplification = None if flash is None else flash["write_amplification"]
        return found

    def _filling_s(self, drained: float, size: int) -> float:
        """Until the write buffer is full, and writes are as slow as the flash behind it."""
        link = self.drive.interface
        surplus = min(link.write_rate, link.commands_per_s * size) - drained
        return min(2.0 * self.drive.buffer_bytes / max(surplus, 0.01 * drained), 5.0)

    def _settling_s(self, sequential: bool) -> float:
        """Until writes at full rate have used up what bursts of collection keep free."""
        geometry, bursts = self.drive.geometry, self.drive.bursts
        if geometry is None or bursts is None or sequential:
            return 0.0
        free = (FREE_BLOCKS + bursts.superblocks) * geometry.superblock_bytes
        return 2 * free / (self.drive.sheet.write_iops * _SMALL)

    def _collecting_s(self, sequential: bool) -> float:
        """In which random writes have superblocks collected, erases among it."""
        geometry = self.drive.geometry
        if geometry is None or sequential:
            return 0.0
        if (bursts := self.drive.bursts) is not None:
            between = bursts.superblocks * geometry.superblock_bytes
            return BURSTS * between / (self.drive.sheet.write_iops * _SMALL)
        return SUPERBLOCKS * geometry.superblock_bytes / self.drive.sheet.write_rate

    @property
    def _steady(self) -> str | None:
        return None if self.drive.geometry is None else 'state = "steady"'

    @property
    def _never(self) -> str | None:
        return None if self.drive.geometry is None else 'state = "fresh"'

    @property
    def _in_order(self) -> str | None:
        return None if self.drive.geometry is None else f'state = "steady", run = "{_LARGE}"'

    def saturation(self) -> Iterator[ReadsAtDepth]:
        """Random reads, more and more at a time, up to twice as many as the drive takes or is tested with."""
        outstanding, latency = 1, self.drive.interface.read_latency_s
        while outstanding <= 2 * self.depth:
            rate = min(outstanding / latency, self.drive.sheet.read_iops)
            request = SheetRequests("read", False, _SMALL, outstanding)
            span_s = MEASURED / rate
            found = simulated(
                self.name, request, initial=self._steady, warmup_s=0.1 * span_s, duration_s=1.1 * span_s
            )
            times = found["response_time_ms"]["read"]
            yield ReadsAtDepth(
                outstanding=outstanding,
                iops=found["throughput"]["iops"],
                mean_s=times["mean"] / 1e3,
                p99_s=(times["p99"] or 0.0) / 1e3,
            )
            outstanding *= 4

    def beside_writes(self) -> dict[str, dict[str, float]]:
        """Response times of reads, seconds, during random writes at 0.7 of the steady rate.

        On a full drive, where garbage collection goes on beside them, and on one of which a tenth is in use,
        where it hardly has anything to do.
        """
        if self.drive.geometry is None:
            return {}
        sheet, found = self.drive.sheet, {}
        writes, reads = 0.7 * sheet.write_iops, 0.1 * sheet.read_iops
        rate = reads + writes
        share = round(100 * reads / rate)
        span_s = MEASURED / rate
        for state, fill in FILLS.items():
            span = int(fill * self.drive.raw_bytes) // _LARGE * _LARGE
            request = SheetRequests("mixed", False, _SMALL, 0, read_share=share, rate=rate, span=span)
            summary = simulated(
                self.name,
                request,
                initial=f'state = "steady", fill = {fill}',
                warmup_s=0.5 * span_s,
                duration_s=1.5 * span_s,
            )
            times = summary["response_time_ms"]["read"]
            found[state] = {name: times[name] / 1e3 for name in ("mean", "p99", "p999")}
        return found


@dataclass(frozen=True)
class SheetRequests:
    """Like requests; ``outstanding`` 0: at ``rate`` a second, whatever the drive does."""

    way: str
    sequential: bool
    size: int
    outstanding: int
    read_share: int | None = None
    rate: float = 1000.0
    span: int | None = None

    def toml(self) -> str:
        """A workload of a scenario."""
        share = self.read_share if self.read_share is not None else 100 if self.way == "read" else 0
        keys = [f"stream.uniform.read_share={share}", f"stream.uniform.size={self.size}"]
        keys += [f"stream.uniform.align={self.size}"]
        if self.sequential:
            keys.append('stream.uniform.access={ pattern = "sequential" }')
        replay = (
            'mode = "open"' if not self.outstanding else f'mode = "closed", outstanding = {self.outstanding}'
        )
        profile = f"name = 'uniform', rate_iops = {self.rate}, set = {keys!r}"
        if self.span is not None:
            profile += f", span = '{self.span}B'"
        return f'[[workload]]\nname = "work"\nprofile = {{ {profile} }}\nreplay = {{ {replay} }}\n'


def simulated(
    device: str, request: SheetRequests | None, *, initial: str | None, warmup_s: float, duration_s: float
) -> dict[str, Any]:
    """``run.json`` of one drive at one kind of work."""
    from iowatt.evaluate.evaluation import run_scenario

    start = "" if initial is None else f"ssd = {{ initial = {{ {initial} }} }}\n"
    text = (
        f'name = "data-sheet"\nseed = 1\n{"" if request is None else request.toml()}'
        f"[[array.pool]]\nname = 'drive'\ndevice = {device!r}\ncount = 1\n{start}"
        f'[observe]\nwarmup = "{warmup_s:.9f}s"\nduration = "{duration_s:.9f}s"\n'
    )
    summary: dict[str, Any] = run_scenario(text).summary
    return summary


def compare_data_sheets(names: Sequence[str]) -> DataSheets:
    """The sheets of several devices; none named: all that can be simulated."""
    found = [check(name, queueing=len(names) == 1) for name in names or simulatable()]
    return DataSheets(bar=BAR, devices=found)


def has_data_sheet(name: str) -> bool:
    """Whether a name is that of an SSD."""
    if name not in device_names() and not Path(name).is_file():
        return False
    return not name.endswith((".diskspecs", ".parv")) and device_file(name).kind == "ssd"
