"""Output of vdbench as its versions write it, made from numbers: what the parsers must give back.

Column orders, headers and formats follow those of 5.02 (no response time by direction), 5.04.06 and 5.04.07
(maxima and deviations by direction, no padding, no trailing zeros).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

_HEAD = "Run Interval reqrate rate MB/sec bytes/io read% resp"
_ASKED = "xfersize threads rdpct rhpct whpct seekpct lunsize version"
_END = "compratio dedupratio queue_depth cpu_used cpu_user cpu_kernel cpu_wait cpu_idle"
FLAT = {
    "5.02": f"{_HEAD} resp_max resp_std {_ASKED}".split(),
    "5.04.06": f"{_HEAD} read_resp write_resp resp_max resp_std {_ASKED} {_END}".split(),
    "5.04.07": (
        f"{_HEAD} read_resp write_resp resp_max read_max write_max resp_std read_std write_std "
        f"{_ASKED} {_END}"
    ).split(),
}


@dataclass
class Minute:
    """An interval: requests in all, reads of them, times in ms."""

    requests: int
    reads: int
    read_ms: float = 1.0
    write_ms: float = 2.0
    most_ms: float = 9.0

    def mean(self) -> float:
        writes = self.requests - self.reads
        return (self.reads * self.read_ms + writes * self.write_ms) / self.requests if self.requests else 0.0


@dataclass
class Ran:
    """A run definition that was run."""

    name: str
    minutes: list[Minute]
    interval: int = 60
    warmup: int = 1
    rate: float = 9999988.0
    size: int = 8192
    loops: str = "None"
    controlled: bool = True
    begin: datetime = datetime(2026, 3, 1, 10, 0, 5, 15000, tzinfo=UTC)
    average: bool = True
    #: Intervals whose row says n/a.
    missing: tuple[int, ...] = field(default=())


def average(ran: Ran) -> Minute:
    counted = ran.minutes[ran.warmup :]
    requests, reads = sum(m.requests for m in counted), sum(m.reads for m in counted)
    writes = requests - reads
    return Minute(
        requests,
        reads,
        sum(m.reads * m.read_ms for m in counted) / reads if reads else 0.0,
        sum((m.requests - m.reads) * m.write_ms for m in counted) / writes if writes else 0.0,
        max((m.most_ms for m in counted), default=0.0),
    )


def values(ran: Ran, minute: Minute, seconds: float) -> dict[str, float]:
    rate = minute.requests / seconds
    return {
        "reqrate": ran.rate, "rate": rate, "MB/sec": rate * ran.size / 2**20, "bytes/io": ran.size,
        "read%": 100 * minute.reads / minute.requests if minute.requests else 0.0, "resp": minute.mean(),
        "read_resp": minute.read_ms, "write_resp": minute.write_ms, "resp_max": minute.most_ms,
        "read_max": minute.most_ms, "write_max": minute.most_ms / 2, "resp_std": 0.5, "read_std": 0.25,
        "write_std": 0.75, "xfersize": ran.size, "threads": 16, "cpu_user": 10.0, "cpu_kernel": 5.0,
    }  # fmt: skip


def flat(version: str, runs: list[Ran], zone: str = "UTC") -> str:
    columns = FLAT[version]
    lines = [
        "<title>Vdbench out/flatfile.html</title><pre>",
        "*",
        "* Run             : Name of run from RD=",
        "*",
    ]
    dense = version == "5.04.07"
    gap = "%s" if dense else "%10s"
    lines.append(f"{'tod':>12} {'timestamp':>23} " + "".join(gap % name + " " for name in columns))
    for ran in runs:
        rows = [(str(k), m, ran.interval, k) for k, m in enumerate(ran.minutes, 1)]
        if ran.average:
            counted = len(ran.minutes) - ran.warmup
            label = f"avg_{ran.warmup + 1}-{len(ran.minutes)}"
            rows.append((label, average(ran), ran.interval * counted, len(ran.minutes)))
        for label, minute, seconds, k in rows:
            moment = ran.begin + timedelta(seconds=k * ran.interval, milliseconds=60 + 30 * (label[0] == "a"))
            known = values(ran, minute, seconds) if seconds else {}
            cells = []
            for name in columns:
                if name == "Run":
                    text = ran.name
                elif name == "Interval":
                    text = label
                elif name not in known or (label.isdecimal() and k in ran.missing):
                    text = "n/a"
                elif name == "bytes/io":
                    text = str(int(known[name]))
                elif dense:
                    text = f"{known[name]:.4f}".rstrip("0").rstrip(".")
                else:
                    text = f"{known[name]:.4f}"
                cells.append(gap % text + " ")
            stamp = moment.strftime("%m/%d/%Y-%H:%M:%S-") + zone
            lines.append(f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} {stamp:>23} " + "".join(cells))
    return "\n".join(lines) + "\n"


def starting(ran: Ran) -> str:
    said = f"{ran.rate:.0f}" if ran.rate < 9e6 else "Controlled MAX" if ran.controlled else "Uncontrolled MAX"
    moment = f"{ran.begin:%H:%M:%S}.{ran.begin.microsecond // 1000:03d}"
    return (
        f'<a name="_1"></a><i><b>{moment} Starting RD={ran.name}; '
        f"I/O rate: {said}; elapsed=100; For loops: {ran.loops}</b></i>\n"
    )


def summary(version: str, runs: list[Ran], *, only_totals: bool = False, zone: str = "UTC") -> str:
    wide = version == "5.04.07"
    upper = "interval        i/o   MB/sec   bytes   read     resp     read    write" + (
        "     read    write     resp  queue  cpu%  cpu%" if wide else "     resp     resp queue  cpu%  cpu%"
    )
    lower = "rate  1024**2     i/o    pct     time     resp     resp" + (
        "      max      max   stddev  depth sys+u   sys" if wide else "      max   stddev depth sys+u   sys"
    )
    if version == "5.02":
        upper = "interval        i/o   MB/sec   bytes   read     resp     resp     resp    cpu%  cpu%"
        lower = "rate  1024**2     i/o    pct     time      max   stddev sys+usr   sys"
    first = runs[0].begin
    text = "<title>Vdbench out/summary.html</title><pre>\n"
    text += f"Vdbench summary report, created {first:%H:%M:%S %b %d %Y} {zone}\n\n"
    for ran in runs:
        text += starting(ran) + f"\n\n{ran.begin:%b %d, %Y}  {upper}\n{'':28}{lower}\n"
        rows = [] if only_totals else [(str(k), m, ran.interval, k) for k, m in enumerate(ran.minutes, 1)]
        if ran.average:
            counted = len(ran.minutes) - ran.warmup
            label = f"avg_{ran.warmup + 1}-{len(ran.minutes)}"
            rows.append((label, average(ran), ran.interval * counted, len(ran.minutes)))
        for label, minute, seconds, k in rows:
            v = values(ran, minute, seconds)
            moment = ran.begin + timedelta(seconds=k * ran.interval, milliseconds=50)
            rate = f"{v['rate']:10.{1 if wide else 2}f}"
            cells = f"{rate} {v['MB/sec']:8.2f} {v['bytes/io']:7d} {v['read%']:6.2f} {v['resp']:8.3f} "
            if version != "5.02":
                cells += f"{v['read_resp']:8.3f} {v['write_resp']:8.3f} "
            cells += (
                f"{v['read_max']:8.2f} {v['write_max']:8.2f} {0.5:8.3f} {1.0:6.1f}"
                if wide
                else f"{v['resp_max']:8.3f} {0.5:8.3f}" + ("" if version == "5.02" else f" {1.0:5.1f}")
            )
            cpu = "  NaN   NaN" if wide else " 15.0   5.0"
            lines = f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} {label:>9} {cells} {cpu}\n"
            text += lines
        text += "\n"
    moment = runs[-1].begin + timedelta(seconds=len(runs[-1].minutes) * runs[-1].interval)
    return text + f"{moment:%H:%M:%S}.999 Vdbench execution completed successfully\n"


def write(folder: Path, version: str, runs: list[Ran], zone: str = "UTC") -> Path:
    """A folder as vdbench leaves it: flat file, summary, totals."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "flatfile.html").write_text(flat(version, runs, zone))
    (folder / "summary.html").write_text(summary(version, runs, zone=zone))
    (folder / "totals.html").write_text(summary(version, runs, only_totals=True, zone=zone))
    return folder
