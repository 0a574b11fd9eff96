"""A volume served until it is asked to stop, and the Run of that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from iowatt.base.errors import Argument, InputError
from iowatt.run import index
from iowatt.run.bundle import reserve
from iowatt.sources.meters import split_name
from iowatt.sources.meters.log import InstrumentLog
from iowatt.sources.meters.recording import InstrumentRequest, Recorders
from iowatt.sources.volume.emulation import EmulatedMedia
from iowatt.sources.volume.result import VolumeStatus
from iowatt.sources.volume.service import VolumeService


@dataclass(frozen=True)
class ServeRequest:
    """What is served and how; as for ``VolumeService``."""

    stores: Sequence[Path]
    socket: Path
    port: int | None = None
    metrics: int | None = None
    threads: int | None = None
    #: Emulated drives that pace it.
    media: EmulatedMedia | None = None
    #: Where the Run bundle goes; None: no Run.
    record: Path | None = None
    force: bool = False
    #: Power meters beside real stores: ``[NAME=]ADDRESS``, as ``iowatt meter list`` has them.
    meters: Sequence[str] = ()
    meter_interval_s: float = 1.0
    command: str | None = None


def serve(
    request: ServeRequest,
    ready: Callable[[VolumeService], None],
    *,
    tell: Callable[[str], None] = lambda _text: None,
) -> VolumeStatus:
    """Serve a volume until it is asked to stop; how it stood then. Its Run, where asked for, is written.

    ``ready`` is called once it serves. A meter whose log is not there at the end is told; the Run has no
    power then.

    Raises ``InputError`` where stores, an address or a meter do not do, a store fails, or there is nothing
    to record.
    """
    if request.meters and request.record is None:
        raise InputError("conflict", Argument("meter"), "a meter needs a Run to record into")
    if request.meters and request.media is not None:
        message = "the watts of emulated media are modelled, and a meter would read those of this machine"
        raise InputError("conflict", Argument("meter"), message)
    if request.record is None:
        _, found = _served(request, ready)
        return found
    with reserve(request.record, force=request.force) as reservation:
        folder = reservation.staging / "meters"
        folder.mkdir()
        meters = Recorders(
            [InstrumentRequest(*split_name(text), request.meter_interval_s) for text in request.meters],
            folder,
        )
        with meters.recording():
            service, found = _served(request, ready)
        logs, missing = list[InstrumentLog](), list[str]()
        try:
            logs = meters.logs()
        except InputError as error:
            # The requests of hours are not lost for a meter's log.
            missing = [split_name(text)[0] or text for text in request.meters]
            tell(f"power is unknown: {error}")
        run = service.recorded_run(
            reservation.target.name, logs=logs, missing=missing, command=request.command
        )
        run.write_into(reservation.staging)
        if not request.meters:
            folder.rmdir()
    index.register(reservation.target, run.summary)
    return found


def _served(
    request: ServeRequest, ready: Callable[[VolumeService], None]
) -> tuple[VolumeService, VolumeStatus]:
    service = VolumeService(
        request.stores,
        request.socket,
        port=request.port,
        metrics=request.metrics,
        threads=request.threads,
        media=request.media,
        record=request.record is not None,
    )
    try:
        ready(service)
        while not service.wait(0.5):
            pass
        found = service.status()
    finally:
        service.stop()
    return service, found
