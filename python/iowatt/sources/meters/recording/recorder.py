"""Recordings of live instruments: a thread each, which writes samples as they come and survives failures.

A recording is delimited text. Its first line is ``# iowatt.meter-recording/1``, lines ``# instrument {...}``
say what was read, and then each row is a sample or an event:

    time_s,watts,volts,amperes,power_factor,hertz,thd_percent,celsius,joules,event,text
    1790000000.125000,344.1,230.2,1.52,,,,,,,
    1790000007.301000,,,,,,,,,failure,pdu1 did not answer within 2 s
    1790000012.020000,,,,,,,,,back,after 4.7 s

A line ``# stamps own`` says that the instrument stamps its samples itself and was asked more often than it
had new ones: then its samples lie as far apart as its stamps.

Each row is handed to the system when it is written, so a killed recorder loses nothing; a line cut short by a
crash is dropped by the next reader or writer.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import stat
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

from iowatt.base.errors import InputError, IowattError
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.checks import checked, judged, sample_interval
from iowatt.sources.meters.log.instrument import (
    QUANTITIES,
    Instrument,
    InstrumentLog,
    LogProblem,
    Meter,
    ProblemKind,
    Reading,
    Series,
)

SCHEMA: Final = "# iowatt.meter-recording/1"
COLUMNS: Final = ("time_s", *QUANTITIES, "event", "text")
#: Events of a row without a sample, and the problem that each is in a log.
EVENTS: Final[dict[str, ProblemKind | None]] = {
    "failure": "failure",
    "back": None,
    "clock": "clock",
    "restarted": "failure",
}
OPTIONS: Final[dict[str, str]] = {}

#: A wall clock that moves this much against the monotonic one within a sample was set.
_CLOCK_STEP_S: Final = 0.5
_LONGEST_TEXT: Final = 300
_OWN_STAMPS: Final = "# stamps own"
#: What a recording holds at most, and a line of it: a day of samples each 0.1 s is 50 MB.
_MOST_BYTES: Final = 1 << 30
_LONGEST_LINE: Final = 1 << 16
#: Kinds whose samples have the time when they were asked for: the device may answer from its memory.
_ASKED: Final = frozenset({"nut", "redfish", "ipmi", "snmp", "modbus"})
#: Changes of the value that its usual distance is taken of.
_LEAST_CHANGES: Final = 3
#: Samples further apart than this factor of the nominal interval, in the median, have another interval.
_OTHER_INTERVAL: Final = 1.5
#: How long an answer counts as the present one: so many intervals, and so many s at least.
_PRESENT: Final = (3.0, 10.0)

#: Told of "meter-failed" (text) and "meter-back" (seconds), from the recorder's thread.
Watcher = Callable[[str, dict[str, Any]], None]


class Recorder:
    """Records one instrument until it is stopped.

    Parameters
    ----------
    meter:
        Not opened; the recorder's thread opens, reads and closes it.
    path:
        The recording; an existing one is continued (a measurement that was resumed).
    name:
        What it is called.
    interval_s:
        Time between samples. A reading that takes longer makes samples fall out, never bunch up.
    retry_s:
        First and longest pause before an instrument that failed is tried again.
    watcher:
        Called with an event and its values when the instrument fails and when it is back.
    """

    def __init__(
        self,
        meter: Meter,
        path: Path,
        *,
        name: str,
        interval_s: float = 1.0,
        retry_s: tuple[float, float] = (0.5, 5.0),
        watcher: Watcher | None = None,
    ) -> None:
        if not interval_s > 0:
            raise ValueError("a sampling interval is above 0 s")
        self.name = name
        self.path = path
        self.interval_s = interval_s
        #: Samples written so far.
        self.samples = 0
        #: The last sample.
        self.last: Reading | None = None
        #: Why there is none at the moment, or None.
        self.failing: str | None = None
        #: The code of that error.
        self.failing_code = "unreachable"
        #: What stopped the recorder itself (a full disk), or None.
        self.error: str | None = None
        #: What went wrong in the watcher, which ends nothing, or None.
        self.watcher_error: str | None = None
        self.instrument: Instrument | None = None
        self._meter = meter
        self._retry_s = retry_s
        self._watcher = watcher
        self._failed_at = 0.0
        self._heard = -math.inf
        self._own_stamps = False
        self._stop = threading.Event()
        self._answered = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"recorder {name}", daemon=True)
        self._file: io.TextIOWrapper | None = None

    def start(self) -> None:
        """Begin, in a new thread. Raises ``InputError`` where the file cannot be written."""
        try:
            self._file = _opened(self.path)
        except OSError as error:
            raise InputError("unwritable", str(self.path), error.strerror or "cannot be written") from None
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Wait for the first sample or the first failure; whether there is a sample."""
        self._answered.wait(seconds)
        return self.samples > 0

    def stop(self, seconds: float = 15.0) -> bool:
        """End it and close the instrument; whether its thread ended within ``seconds``."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def present(self) -> Reading | None:
        """What the instrument says at the moment; ``None`` where it fails, hangs, or is not recorded."""
        intervals, seconds = _PRESENT
        old = time.monotonic() - self._heard > max(seconds, intervals * self.interval_s)
        return None if old or self.failing is not None or not self._thread.is_alive() else self.last

    def _run(self) -> None:
        try:
            self._record()
        except OSError as error:  # the recording cannot be written any more
            self._ended(f"{self.path}: {error.strerror or error}", "unwritable")
        except Exception as error:  # a fault here: a thread that ended in silence would look like a meter
            self._ended(f"the recorder ended: {type(error).__name__}: {error}", "internal")
        finally:
            for close in (self._meter.close, self._file.close if self._file is not None else None):
                try:
                    if close is not None:
                        close()
                except Exception as error:  # of a meter, which must not, or of a full disk
                    self.error = self.error or f"{self.path}: {getattr(error, 'strerror', None) or error}"
            self._answered.set()

    def _ended(self, text: str, code: str) -> None:
        self.error = self.failing = text
        self.failing_code = code
        self._tell("meter-failed", text=text)

    def _record(self) -> None:
        pause = self._retry_s[0]
        begun = time.monotonic()
        offset = time.time() - begun
        while not self._stop.is_set():
            try:
                if self.instrument is None:
                    self.instrument = self._described(self._meter.open())
                    self._line(f"# instrument {json.dumps(_as_json(self.instrument), ensure_ascii=False)}")
                reading = self._meter.read()
            except IowattError as error:
                text = f"{error.place}: {error.message}" if error.place else error.message
                self._fail(text, error.code)
            except OSError as error:  # of the instrument: what is written is written elsewhere
                self._fail(str(error.strerror or error))
            except Exception as error:  # a fault in an instrument's code must not end a measurement
                self._fail(f"{type(error).__name__}: {error}", "internal")
            else:
                pause = self._retry_s[0]
                self._recover()
                self._sample(reading)
                self._heard = time.monotonic()
            stepped = time.time() - time.monotonic() - offset
            if abs(stepped) > _CLOCK_STEP_S:
                offset += stepped
                self._event("clock", f"this host's clock was set by {stepped:+.3f} s")
            self._answered.set()
            if self.failing is not None:
                self._stop.wait(pause)
                pause = min(2 * pause, self._retry_s[1])
            else:
                ticks = math.floor((time.monotonic() - begun) / self.interval_s) + 1
                self._stop.wait(max(0.0, begun + ticks * self.interval_s - time.monotonic()))

    def _described(self, instrument: Instrument) -> Instrument:
        """The instrument by its name here, with the time between samples that its recording will have."""
        own = instrument.sample_interval_s or 0.0
        return replace(instrument, name=self.name, sample_interval_s=max(own, self.interval_s))

    def _fail(self, text: str, code: str = "unreachable") -> None:
        self.failing_code = code
        text = " ".join(text.split())[:_LONGEST_TEXT]
        if self.failing is None:
            self._failed_at = time.monotonic()
            self._tell("meter-failed", text=text)
        if self.failing != text:
            self.failing = text
            self._event("failure", text)

    def _recover(self) -> None:
        if self.failing is None:
            return
        seconds = time.monotonic() - self._failed_at
        self.failing = None
        self._event("back", f"after {seconds:.1f} s")
        self._tell("meter-back", seconds=seconds)

    def _sample(self, reading: Reading) -> None:
        if self.last is not None and reading.time_s == self.last.time_s:
            if not self._own_stamps:  # the instrument's own stamp: it has nothing new
                self._own_stamps = True
                self._line(_OWN_STAMPS)
            return
        known = reading.quantities
        values = [repr(float(known[name])) if name in known else "" for name in QUANTITIES]
        self._line(",".join([f"{reading.time_s:.6f}", *values, "", ""]))
        self.last = reading
        self.samples += 1

    def _event(self, event: str, text: str) -> None:
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow(
            [f"{time.time():.6f}", *[""] * len(QUANTITIES), event, text]
        )
        self._line(row.getvalue())

    def _line(self, text: str) -> None:
        assert self._file is not None
        self._file.write(text + "\n")
        self._file.flush()

    def _tell(self, event: str, **values: Any) -> None:
        if self._watcher is None:
            return
        try:
            self._watcher(event, values)
        except Exception as error:  # a watcher must not end the recording
            self.watcher_error = f"{type(error).__name__}: {error}"


def _opened(path: Path) -> io.TextIOWrapper:
    """The recording, ready for rows: a new one, or an existing one without a line that was cut short."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size:
        # First, and with its line end: nothing is cut off a file that is somebody else's.
        if _first_line(path) not in (f"{SCHEMA}\n", f"{SCHEMA}\r\n"):
            raise InputError("exists", str(path), "the file exists and is not a recording of iowatt")
        with path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_LINE))
            tail = file.read()
            end = tail.rfind(b"\n") + 1
            if not end:
                raise InputError("damaged", str(path), "the last line is too long for a recording")
            file.truncate(size - (len(tail) - end))
        rows = path.open("a", encoding="utf-8")
        rows.write(f"{time.time():.6f}{',' * len(QUANTITIES)},restarted,recording continued after a break\n")
    else:
        rows = path.open("w", encoding="utf-8")
        rows.write(f"{SCHEMA}\n{','.join(COLUMNS)}\n")
    rows.flush()
    return rows


def _first_line(path: Path) -> str:
    with path.open("rb") as file:
        return file.readline(200).decode("utf-8", "replace")


def _as_json(instrument: Instrument) -> dict[str, Any]:
    values = asdict(instrument)
    if instrument.calibrated is not None:
        values["calibrated"] = instrument.calibrated.isoformat()
    values["details"] = dict(instrument.details)
    return values


def read(path: Path, address: Address) -> list[InstrumentLog]:
    """The recording that an address names."""
    del address
    return [read_log(path)]


def read_log(path: Path) -> InstrumentLog:
    """A recording as a log.

    Of the interval between samples: where the instrument stamps them itself (``# stamps own``), the median
    distance of its stamps, if that is above what was asked for.

    Raises ``InputError`` with file and line; also where it is larger than 1 GiB, or a line than 64 KiB.
    """
    instrument: Instrument | None = None
    problems: list[LogProblem] = []
    times, cells = array("d"), array("d")
    open_failure: int | None = None
    own_stamps = False
    for number, line in _lines(path):
        where = f"{path}:{number}"
        if line.startswith("# instrument "):
            found = _instrument(line.removeprefix("# instrument "), where)
            if instrument is not None and _identity(found) != _identity(instrument):
                problems.append(
                    LogProblem(
                        "failure",
                        None,
                        f"line {number}: from here on it is another instrument: {found.model}",
                    )
                )
            instrument = instrument or found
            continue
        own_stamps |= line.rstrip("\r") == _OWN_STAMPS
        if line.startswith("#") or line.rstrip("\r") == ",".join(COLUMNS) or not line.strip():
            continue
        at, values, event, said = _row(line, where)
        if not event:
            times.append(at)
            cells.extend(values)
            open_failure = None
            continue
        if event == "back" and open_failure is not None:
            before = problems[open_failure]
            since = max(0.0, at - (before.at if before.at is not None else at))
            problems[open_failure] = LogProblem(before.kind, before.at, before.text, since)
            open_failure = None
        kind = EVENTS[event]
        if kind is not None:
            problems.append(LogProblem(kind, at, said or event, _stepped(said) if event == "clock" else 0.0))
            if event == "failure":
                open_failure = len(problems) - 1
    if instrument is None:
        why = problems[-1].text if problems else "nothing was recorded"
        raise InputError("empty", str(path), f"the instrument never answered: {why}")
    time_s = np.array(times, dtype=np.float64)
    table = np.array(cells, dtype=np.float64).reshape(len(times), len(QUANTITIES))
    if own_stamps:
        instrument = _by_stamps(instrument, time_s)
    if instrument.kind in _ASKED:
        instrument = _with_repeats(instrument, time_s, table)
    columns = {
        name: table[:, index]
        for index, name in enumerate(QUANTITIES)
        if np.isfinite(table[:, index]).any() or (name == "watts" and not np.isfinite(table).any())
    }
    log = checked(instrument, time_s, columns, problems=problems)
    return judged(InstrumentLog(log.instrument, log.time_s, log.quantities, log.problems, path))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines behind the first, numbered; not what follows the last line break and was never finished."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise InputError("wrong-kind", str(path), "not a regular file")
            if found.st_size > _MOST_BYTES:
                raise InputError("too-large", str(path), "larger than 1 GiB")
            if file.readline(200).rstrip(b"\r\n") != SCHEMA.encode():
                raise InputError(
                    "wrong-format", str(path), f"not a recording of iowatt, which begins with {SCHEMA!r}"
                )
            number = 1
            while (line := file.readline(_LONGEST_LINE)).endswith(b"\n"):
                number += 1
                try:
                    yield number, line[:-1].decode("utf-8")
                except UnicodeDecodeError as error:
                    message = f"byte {error.start} of the line is not UTF-8"
                    raise InputError("damaged", f"{path}:{number}", message) from None
            if len(line) == _LONGEST_LINE:
                raise InputError(
                    "too-large", f"{path}:{number + 1}", f"the line is longer than {_LONGEST_LINE >> 10} KiB"
                )
    except OSError as error:
        raise InputError("unreadable", str(path), error.strerror or "cannot be read") from None


def _by_stamps(instrument: Instrument, time_s: Series) -> Instrument:
    """The instrument with the interval of its own stamps, where it was asked more often."""
    apart = sample_interval(time_s, None)
    asked = instrument.sample_interval_s or 0.0
    if apart is None or apart <= _OTHER_INTERVAL * asked:
        return instrument
    details = {
        **instrument.details,
        "sampling": f"one each {apart:.4g} s by its stamps; asked each {asked:g} s",
    }
    return replace(instrument, sample_interval_s=apart, details=details)


def _with_repeats(instrument: Instrument, time_s: Series, table: Series) -> Instrument:
    """The instrument with how often its values change, where most samples repeat the one before exactly.

    A steady load in whole watts looks the same, so this is a remark only.
    """
    if len(time_s) <= _LEAST_CHANGES:
        return instrument
    differs = ((table[1:] != table[:-1]) & ~(np.isnan(table[1:]) & np.isnan(table[:-1]))).any(axis=1)
    changes = time_s[1:][differs]
    if 2 * len(changes) >= len(differs):
        return instrument
    said = f"{len(differs) - len(changes)} of {len(time_s)} samples repeat the one before exactly"
    if len(changes) > _LEAST_CHANGES:
        said += f", values change each {float(np.median(np.diff(changes))):.3g} s"
    said += ": the device may not measure as often as it is asked"
    return replace(
        instrument, why=f"{instrument.why}; {said}", details={**instrument.details, "repeats": said}
    )


def _stepped(said: str) -> float:
    """By how much a clock was set, in s, by its event; 0 where unknown."""
    found = re.search(r"\bset by ([+-]?\d{1,12}(?:\.\d{1,9})?) s\b", said)
    return 0.0 if found is None else abs(float(found[1]))


def _row(line: str, where: str) -> tuple[float, list[float], str, str]:
    try:
        cells = next(csv.reader([line.rstrip("\r")], strict=True))
        if len(cells) != len(COLUMNS):
            raise ValueError
        at = float(cells[0])
        values = [float(cell) if cell else math.nan for cell in cells[1 : 1 + len(QUANTITIES)]]
        event = cells[-2]
        if not 0 <= at < 1e11 or (event and event not in EVENTS):
            raise ValueError
    except (ValueError, csv.Error, StopIteration):
        message = (
            f"not a row of a recording: {','.join(COLUMNS)} with numbers, or an event of {', '.join(EVENTS)}"
        )
        raise InputError("damaged", where, message) from None
    return at, values, event, cells[-1]


def _instrument(text: str, where: str) -> Instrument:
    try:
        values = json.loads(text)
        if values.get("calibrated"):
            values["calibrated"] = date.fromisoformat(values["calibrated"])
        values["details"] = {str(key): str(value) for key, value in dict(values.get("details") or {}).items()}
        instrument = Instrument(**values)
        words = (instrument.name, instrument.kind, instrument.why)
        numbers = (instrument.sample_interval_s, instrument.uncertainty_percent)
        if (
            not all(isinstance(word, str) and word for word in words)
            or instrument.grade not in ("emerald", "indicative")
            or not all(isinstance(word, str | None) for word in (instrument.model, instrument.serial))
            or not all(n is None or (type(n) in (int, float) and 0 < n < math.inf) for n in numbers)
        ):
            raise ValueError
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise InputError("damaged", where, "the line does not describe an instrument") from None
    return instrument


def _identity(instrument: Instrument) -> tuple[str, str | None, str | None]:
    return instrument.kind, instrument.model, instrument.serial
