"""Several instruments recorded during a measurement: live ones by a recorder each, logs as they are."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import InstrumentLog
from iowatt.sources.meters.recording.recorder import Recorder, read_log

_FIRST_ANSWER_S: Final = 20.0

#: Told of "meter-failed" (meter, text) and "meter-back" (meter, seconds), by the recorders' threads.
Note = Callable[..., None]


@dataclass(frozen=True)
class InstrumentRequest:
    """An instrument to record."""

    name: str | None  #: Its name in results; None for a log keeps the log's own name.
    address: str
    interval_s: float = 1.0


class Recorders:
    """Records instruments into a folder, each as NAME.csv; logs of others are copied or read at the end.

    Raises ``InputError`` where an address is wrong, or two instruments would share a file.
    """

    def __init__(
        self, instruments: Sequence[InstrumentRequest], folder: Path, note: Note | None = None
    ) -> None:
        self._folder = folder
        self._quiet = threading.Event()
        self._logs: list[InstrumentRequest] = []
        self._recorders: list[Recorder] = []
        for request in instruments:
            if source.is_live(request.address):
                self._recorders.append(self._recorder(request, note))
            else:
                self._logs.append(request)

    def start(self) -> None:
        """Begin, and wait until each has answered.

        Raises ``InputError`` where one does not: the measurement would be useless without it.
        """
        try:
            for recorder in self._recorders:
                recorder.start()
            for recorder in self._recorders:
                if not recorder.wait(_FIRST_ANSWER_S):
                    raise InputError(
                        recorder.failing_code,
                        f"instrument {recorder.name}",
                        recorder.failing or "no answer",
                        hint="try the instrument alone with `iowatt meter read`",
                    )
        except BaseException:
            self.stop()
            raise

    def stop(self) -> list[str]:
        """End all; the problems of the recordings, in sentences."""
        self._quiet.set()
        problems = []
        for recorder in self._recorders:
            if not recorder.stop():
                problems.append(f"{recorder.name} still waits for its instrument")
            if recorder.error:
                problems.append(f"{recorder.name}: {recorder.error}")
            if recorder.watcher_error:
                problems.append(f"{recorder.name}: its events were not noted: {recorder.watcher_error}")
        return problems

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record while the context lasts: a sample precedes it, and one follows it."""
        longest = max((recorder.interval_s for recorder in self._recorders), default=0.0)
        self.start()
        try:
            time.sleep(longest)
            yield
            time.sleep(1.5 * longest)
        finally:
            self.stop()

    def collect(self) -> list[str]:
        """Copy the logs that others have written; which of them are not there, in sentences."""
        problems = []
        for request in self._logs:
            address = source.find(request.address)[0]
            path, name = Path(address.path), request.name or address.name
            try:
                shutil.copyfile(path, self._folder / f"{file_name(name)}-log{path.suffix}")
            except OSError as error:
                problems.append(f"the log of {name} could not be copied: {path}: {error.strerror}")
        return problems

    def logs(self) -> list[InstrumentLog]:
        """What was recorded, and the logs that others wrote. Raises ``InputError``."""
        found = [_named(read_log(recorder.path), recorder.name) for recorder in self._recorders]
        for request in self._logs:
            found += [_named(log, request.name) for log in source.logs(request.address)]
        return found

    @property
    def watts(self) -> float | None:
        """What the power meters say at the moment, in all; ``None`` where one says nothing."""
        total = 0.0
        for recorder in self._recorders:
            reading = recorder.present
            if reading is None:
                return None
            total += reading.quantities.get("watts", 0.0)
        return total or None

    def _recorder(self, request: InstrumentRequest, note: Note | None) -> Recorder:
        name = request.name or f"meter{len(self._recorders) + 1}"
        path = self._folder / f"{file_name(name)}.csv"
        if any(path == other.path for other in self._recorders):
            raise InputError("duplicate", f"instrument {name}", "two instruments have one name")

        def watcher(event: str, values: dict[str, Any]) -> None:
            if note is not None and not self._quiet.is_set():
                note(event, meter=name, **values)

        return Recorder(
            source.meter(request.address), path, name=name, interval_s=request.interval_s, watcher=watcher
        )


def file_name(name: str) -> str:
    """The name of an instrument's files."""
    return re.sub(r"[^\w.-]+", "-", name, flags=re.ASCII).strip("-.") or "instrument"


def _named(log: InstrumentLog, name: str | None) -> InstrumentLog:
    return log if name is None else replace(log, instrument=replace(log.instrument, name=name))
