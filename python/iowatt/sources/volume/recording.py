"""The Run of a live volume on real stores: its requests as it saw them, and meters beside."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from iowatt import core
from iowatt.base.errors import InputError
from iowatt.sources.measured import MeasuredAbout, measured_run
from iowatt.sources.trace import RequestCounter, TraceSource, to_observation

if TYPE_CHECKING:
    from iowatt.run.bundle import Run
    from iowatt.sources.meters.log import InstrumentLog

_EVERY_S: Final = 0.5
_HISTOGRAM: Final = (
    "response times of each request, from its arrival at the volume to its answer, in bins 0.1 % wide"
)


class RequestRecording:
    """Counts the requests of a volume in service, in bounded memory, until ``stop``."""

    def __init__(self, server: core.VolumeServer, interval_s: float = 1.0) -> None:
        """``server`` keeps its requests (``record``). ``interval_s``: of the Run's intervals."""
        self._server = server
        self._interval_s = interval_s
        self._count = RequestCounter(round(interval_s * 1e9))
        self._failed = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._drain, name="recording", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while not self._over.wait(_EVERY_S):
            self._take()

    def _take(self) -> None:
        rows = self._server.take_rows()
        good = rows["ok"]
        self._failed += int(good.size - good.sum())
        arrived = rows["arrived_ns"][good].astype(np.int64)
        self._count.add(
            arrived,
            rows["write"][good].astype(np.uint8),
            rows["size"][good].astype(np.int64),
            rows["answered_ns"][good].astype(np.int64) - arrived,
        )

    def stop(self) -> None:
        """Take the last requests; the volume has stopped."""
        self._over.set()
        self._thread.join()
        self._take()

    def run(
        self,
        name: str,
        target: str,
        *,
        capacity_bytes: int,
        facts: dict[str, Any],
        logs: Sequence[InstrumentLog] = (),
        missing: Sequence[str] = (),
        command: str | None = None,
    ) -> Run:
        """The measured Run, from the first request to the last. ``facts``: for ``plan.json``.

        Raises ``InputError`` where there was no request.
        """
        if self._count.zero_ns is None:
            raise InputError("empty", target, "no request came, so there is no Run to record")
        began = self._server.began_unix_ns
        assert began is not None
        source = TraceSource(
            path=Path(target),
            name=name,
            format=f"iowatt-{core.__version__}",
            origin_unix_ns=began,
            devices=[target],
            notes=[],
        )
        observed = replace(to_observation(source, self._count), histogram_note=_HISTOGRAM, files=[])
        notes = ["requests as the volume saw them: the way to and from its hosts is in no response time"]
        if self._failed:
            notes.append(f"{self._failed} requests failed: they are in no figure of the Run")
        about = MeasuredAbout(
            name=name,
            target=target,
            tested_bytes=capacity_bytes,
            command=command,
            plan=facts,
            notes=notes,
        )
        power = [log for log in logs if "watts" in log.quantities]
        other = [log for log in logs if "watts" not in log.quantities]
        return measured_run(
            about, observed, power=power, temperature=other, missing=missing,
            interval_s=self._interval_s, source="volume",
        )  # fmt: skip
