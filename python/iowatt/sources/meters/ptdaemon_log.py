"""Logs of SPEC PTDaemon: what it writes to its log file or prints, samples among messages.

    Time,01-22-2021 15:05:14.313,Watts,22.97,Volts,227.37,Amps,0.20434,PF,0.4944,Mark,notset[,Ch1,Watts,...]
    Time,11-07-2020 17:54:49.071,ERROR,Bad volts reading nan from WT310
    09-23-2020 14:40:44.383,Temp,29.6875,Humidity,0.0,Mark,notset
    09-23-2020 14:40:44.382: WARNING: Missed 1 samples

Stamps are month first, in the zone of the host that PTDaemon ran on, which they do not say. With several
channels the values in front are their sum; -1 means not available (-2 for a temperature that was
missed).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np

from iowatt.base.errors import InputError
from iowatt.sources import stamps
from iowatt.sources.meters import table
from iowatt.sources.meters.address import SCHEMES, Address
from iowatt.sources.meters.log.checks import checked
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, LogProblem, ProblemKind
from iowatt.sources.meters.yokogawa_csv import CHANNEL, SUM, chosen

OPTIONS: Final = {
    "utc-offset": stamps.OPTIONS["utc-offset"],
    "channel": CHANNEL,
    "mark": "only samples with this mark",
}

_AT: Final = r"([0-9]{2}-[0-9]{2}-[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?)"
#: Searched for, not matched: two writers may have torn a line, and the stamp next to the value is its own.
_SAMPLE: Final = re.compile(rf"{_AT},(Watts|Temp),(.{{0,4000}})", re.ASCII)
_MESSAGE: Final = re.compile(
    rf"^(?:Time,)?{_AT}(?:,|: )(?:(NOTICE|WARNING|ERROR)[,:] ?)?(.{{0,1000}})", re.ASCII
)
_FORMATS: Final = ("%m-%d-%Y %H:%M:%S.%f", "%m-%d-%Y %H:%M:%S")
_NUMBER: Final = re.compile(
    r"[+-]?[0-9]{1,12}(?:\.[0-9]{0,12})?(?:[eE][+-]?[0-9]{1,2})?|nan|[+-]?inf", re.ASCII
)
_IDENTITY: Final = re.compile(r"identity response[^:]{0,40}: ?([^,]{1,40}),([^,]{1,40}),([^,]{1,40})")
_METER: Final = re.compile(r"(?:power|temperature) meter '([^']{1,80})'|Connected to (.{1,80}?) successfully")
_UNCERTAIN: Final = re.compile(r"[Uu]ncertainty ([0-9]{1,4}(?:\.[0-9]{1,6})?) ?%")

_NAMES: Final = {"Watts": "watts", "Volts": "volts", "Amps": "amperes", "PF": "power_factor"}
_MISSED: Final = (-1.0, -2.0)


@dataclass
class _Channel:
    times: list[float] = field(default_factory=list)
    values: dict[str, list[float]] = field(default_factory=dict)

    def add(self, at: float, values: dict[str, float]) -> None:
        for name in values:
            if name not in self.values:
                self.values[name] = [math.nan] * len(self.times)
        self.times.append(at)
        for name, column in self.values.items():
            column.append(values.get(name, math.nan))


@dataclass
class _Found:
    channels: dict[str, _Channel] = field(default_factory=dict)
    problems: list[LogProblem] = field(default_factory=list)
    model: str | None = None
    serial: str | None = None
    dummy: bool = False
    details: dict[str, str] = field(default_factory=dict)


def read(path: Path, address: Address) -> list[InstrumentLog]:
    """The log: the sum of channels or those asked for; power and temperature of one log apart.

    Raises ``InputError`` with the place: no zone, no sample, a day that is none.
    """
    zone = address.options.get("utc-offset")
    if zone is None:
        message = "PTDaemon's stamps have no time zone"
        hint = "give that of the host it ran on: `utc_offset=+01:00` (or Z for UTC)"
        raise InputError("no-time-zone", str(path), message, hint=hint)
    found = _parsed(path, stamps.Stamps("iso", zone, where=str(path)), address.options.get("mark"))
    power = [channel for channel in found.channels if channel != "temperature"]
    if not found.channels:
        message = "not a log of PTDaemon: no line has a stamp and Watts or Temp" + (
            ", or none has the mark asked for" if "mark" in address.options else ""
        )
        raise InputError("wrong-format", str(path), message)
    wanted = chosen(address, sorted(power), path) if power else []
    wanted += [channel for channel in found.channels if channel == "temperature"]
    return [_log(path, address, found, channel, single=len(wanted) == 1) for channel in wanted]


def _log(path: Path, address: Address, found: _Found, channel: str, *, single: bool) -> InstrumentLog:
    scheme = SCHEMES["ptdaemon-log"]
    grade, why = scheme.grade, scheme.why
    if found.dummy:
        grade, why = "indicative", "PTDaemon's dummy device: its figures are made up"
    instrument = Instrument(
        name=address.name if single else f"channel {channel}",
        kind="ptdaemon",
        grade=grade,
        why=why,
        model=found.model,
        serial=found.serial,
        details={**found.details, "channel": channel},
    )
    samples = found.channels[channel]
    log = checked(
        instrument,
        np.array(samples.times, dtype=np.float64),
        {name: np.array(values, dtype=np.float64) for name, values in samples.values.items()},
        problems=found.problems,
    )
    return InstrumentLog(log.instrument, log.time_s, log.quantities, log.problems, path)


def _parsed(path: Path, zone: stamps.Stamps, mark: str | None) -> _Found:
    found = _Found()
    torn: list[int] = []
    for number, line in enumerate(table.decoded(path).splitlines(), 1):
        where = f"{path}:{number}"
        sample = _SAMPLE.search(line)
        if sample is not None:
            at = _seconds(sample[1], zone, where)
            read_ = _sample(sample[2], sample[3])
            if read_ is None:
                torn.append(number)
            elif mark is None or read_[0] == mark:
                for channel, values in read_[1].items():
                    found.channels.setdefault(channel, _Channel()).add(at, values)
            continue
        if ",Watts," in line or ",Temp," in line:
            torn.append(number)
            continue
        _identified(line, found)
        message = _MESSAGE.match(line)
        if message is not None and message[2] in ("WARNING", "ERROR"):
            text = f"{message[2]}: {message[3].strip()}"
            at = _seconds(message[1], zone, where)
            found.problems.append(LogProblem(_kind(text), at, text[:300]))
    if torn:
        some = ", ".join(map(str, torn[:5]))
        what = "1 line is torn and was" if len(torn) == 1 else f"{len(torn)} lines are torn and were"
        text = f"{what} left out (line {some}{' ...' if torn[5:] else ''})"
        found.problems.append(LogProblem("failure", None, text))
    return found


def _sample(first: str, rest: str) -> tuple[str | None, dict[str, dict[str, float]]] | None:
    """Mark, and the values of each channel; ``None`` for a line that is torn."""
    words = [first, *(word.strip() for word in rest.split(","))]
    channel = "temperature" if first == "Temp" else "head"
    channels: dict[str, dict[str, float]] = {channel: {}}
    mark: str | None = None
    index = 0
    while index < len(words):
        name = words[index]
        if re.fullmatch(r"Ch[0-9]{1,2}", name):
            channel = name[2:]
            channels[channel] = {}
            index += 1
            continue
        if index + 1 >= len(words):
            return None
        value = words[index + 1]
        index += 2
        if name == "Mark":
            mark = value
        elif name in (*_NAMES, "Temp"):
            if not _NUMBER.fullmatch(value):
                return None
            figure = float(value)
            if name == "Temp":
                channels[channel]["celsius"] = math.nan if figure in _MISSED else figure
            else:
                channels[channel][_NAMES[name]] = figure
        elif name != "Humidity":
            return None
    head = channels.pop("head", None)
    if head is not None:
        if "watts" not in head:
            return None
        channels = {SUM if channels else "1": head, **channels}
    return mark, channels


def _seconds(text: str, zone: stamps.Stamps, where: str) -> float:
    for pattern in _FORMATS:
        try:
            stamp = datetime.strptime(text, pattern)
        except ValueError:
            continue
        return zone.seconds(stamp.isoformat(sep=" "), where)
    raise InputError("bad-syntax", where, f"{text!r} is not a time; PTDaemon writes month-day-year")


def _identified(line: str, found: _Found) -> None:
    """PTDaemon's messages about its instrument."""
    identity = _IDENTITY.search(line)
    if identity is not None:
        found.model = f"{identity[1].strip().title()} {identity[2].strip()}"
        found.serial = identity[3].strip()
        return
    meter = _METER.search(line)
    if meter is not None:
        name = (meter[1] or meter[2]).strip()
        found.model = found.model or name
        found.dummy |= "dummy" in name.lower()
    if "Uncertainty checking for" in line and "is activated" in line:
        found.details["uncertainty_checking"] = "activated"
    version = re.search(r"PTDaemon Tool|[Dd]aemon version ([\w.-]{1,40})|Version ([\w.-]{1,60})", line)
    if version is not None and (version[1] or version[2]):
        found.details.setdefault("ptdaemon", version[1] or version[2])


def _kind(text: str) -> ProblemKind:
    """Which kind of problem a message tells of."""
    small = text.lower()
    percent = _UNCERTAIN.search(text)
    if percent is not None or "uncertainty" in small:
        return "uncertain"
    if "bad " in small and "reading" in small:
        return "not-available"
    if "range" in small:
        return "out-of-range"
    if "missed" in small:
        return "gap"
    return "failure"
