"""``hosts.json`` in the folder of a stage: what was recorded of each load host beside its requests.

hosts.json            clocks, use and loss of each host
hosts/NAME/           what its load generator left
hosts/NAME/usage.csv  each second: processors, network, offset and round trip of its clock
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.sources.hosts import HostSample, HostUse, use

HOSTS: Final = "hosts.json"
_FOLDER: Final = "hosts"
_USAGE: Final = "usage.csv"


@dataclass(frozen=True)
class ClockCheck:
    """A comparison of a host's clock with that of the conducting host."""

    at: float  #: Unix time of the conducting host.
    offset_s: float  #: Its clock less that of the conducting host.
    round_trip_s: float  #: The offset is known to within half of it.

    @classmethod
    def of(cls, sample: HostSample) -> ClockCheck:
        """From a sample."""
        return cls(sample.at, sample.offset_s, sample.round_trip_s)


@dataclass(frozen=True)
class HostRecord:
    """A load host through a stage; what is not known is None."""

    name: str
    address: str
    lost: str | None = None  #: Why it was lost, or was not there from the beginning.
    lost_after_s: float | None = None  #: How long after the start of the stage; None: it was not there.
    started: float | None = None  #: Of its load generator, by the clock of the conducting host.
    ended: float | None = None
    processors: int | None = None
    clock_start: ClockCheck | None = None
    clock_end: ClockCheck | None = None
    clock_best: ClockCheck | None = None  #: That of the shortest round trip; times are corrected by it.
    clock_checks: int = 0
    cpu_percent: float | None = None  #: Mean use of all its processors, by whatever program.
    cpu_percent_max: float | None = None
    received_bytes_per_s: float | None = None
    sent_bytes_per_s: float | None = None
    link_percent: float | None = None  #: Mean use of the fuller direction of its busiest link of known speed.

    @property
    def shift_s(self) -> float:
        """What makes its times those of the conducting host."""
        return 0.0 if self.clock_best is None else -self.clock_best.offset_s


def usage(samples: Sequence[HostSample], speeds: dict[str, int]) -> dict[str, Any]:
    """The keys of a record that follow from the samples of a stage."""
    if not samples:
        return {}
    best = min(samples, key=lambda sample: sample.round_trip_s)
    found = use(samples, speeds)
    seconds = sum(one.seconds for one in found)
    cpu = [(one.cpu_percent, one.seconds) for one in found if one.cpu_percent is not None]
    link = [(one.link_percent, one.seconds) for one in found if one.link_percent is not None]
    return (
        {
            "clock_best": ClockCheck.of(best),
            "clock_checks": len(samples),
            "cpu_percent": _mean(cpu),
            "cpu_percent_max": max((percent for percent, _ in cpu), default=None),
            "received_bytes_per_s": _mean([(one.received_per_s, one.seconds) for one in found]),
            "sent_bytes_per_s": _mean([(one.sent_per_s, one.seconds) for one in found]),
            "link_percent": _mean(link),
        }
        if seconds
        else {"clock_best": ClockCheck.of(best), "clock_checks": len(samples)}
    )


def _mean(weighted: Sequence[tuple[float, float]]) -> float | None:
    seconds = sum(width for _, width in weighted)
    return sum(value * width for value, width in weighted) / seconds if seconds else None


def folder_of(stage: Path, host: str) -> Path:
    """What the load generator of a host left of a stage."""
    return stage / _FOLDER / host


def write(
    stage: Path,
    records: Sequence[HostRecord],
    samples: dict[str, tuple[Sequence[HostSample], dict[str, int]]],
) -> None:
    """Write the records of a stage.

    ``samples``: of each host, with the speeds of its links. Raises ``OSError``.
    """
    for name, (own, speeds) in samples.items():
        folder = folder_of(stage, name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _USAGE).write_text(_table(own, use(own, speeds)), "utf-8")
    document = {"hosts": [asdict(record) for record in records]}
    (stage / HOSTS).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _table(samples: Sequence[HostSample], uses: Sequence[HostUse]) -> str:
    by_time = {one.at: one for one in uses}
    lines = [
        "unix_s,offset_s,round_trip_s,cpu_percent,received_bytes_per_s,sent_bytes_per_s,link_percent",
        *(_row(sample, by_time.get(sample.at)) for sample in samples),
    ]
    return "\n".join(lines) + "\n"


def _row(sample: HostSample, one: HostUse | None) -> str:
    used = (
        (None,) * 4
        if one is None
        else (one.cpu_percent, one.received_per_s, one.sent_per_s, one.link_percent)
    )
    values = [f"{sample.at:.6f}", f"{sample.offset_s:.6f}", f"{sample.round_trip_s:.6f}"]
    return ",".join([*values, *("" if value is None else f"{value:.6g}" for value in used)])


def read(stage: Path) -> list[HostRecord]:
    """The records of a stage. Raises ``InputError`` where there are none, or they are damaged."""
    file = stage / HOSTS
    try:
        return [_record(one) for one in input_file.json_object(file)["hosts"]]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("damaged", str(file), "is not a record of load hosts") from None


def _record(values: dict[str, Any]) -> HostRecord:
    clocks = ("clock_start", "clock_end", "clock_best")
    checks = {
        key: None if values.get(key) is None else ClockCheck(**{k: float(v) for k, v in values[key].items()})
        for key in clocks
    }
    found = HostRecord(**{**values, **checks})
    if not (isinstance(found.name, str) and (found.lost is None or isinstance(found.lost, str))):
        raise TypeError
    return found
