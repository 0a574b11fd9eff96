"""``iowatt meter``: instruments, listed, read and recorded."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli.options import DURATION, SAMPLE_INTERVAL, UTC_OFFSET, AsJson, Resume, output, parsed, shown
from iowatt.cli.show import show

if TYPE_CHECKING:
    from iowatt.sources.meters.recording import Recorder
    from iowatt.sources.meters.result import ReadInstrument

Addresses = Annotated[
    list[str],
    typer.Argument(
        metavar="ADDRESS...",
        help="Address of an instrument or its log: snmp://pdu1/1, csv:power.csv (`iowatt meter list`).",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group of verbs."""
    meter = typer.Typer(
        name="meter", help="Power meters and thermometers: list, read, record.", no_args_is_help=True
    )
    meter.command("list")(list_)
    meter.command("read")(read)
    meter.command("record")(record)
    app.add_typer(meter)


def list_(
    scheme: Annotated[
        str | None, typer.Argument(help="A kind of instrument: prints its options.", show_default="all kinds")
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List instrument kinds and this machine's sensors, or the options of one kind."""
    from iowatt.pages.meters import listing
    from iowatt.sources.meters.result import instrument_options, meter_list

    show(meter_list() if scheme is None else instrument_options(scheme), listing, as_json=as_json)


def read(
    addresses: Addresses,
    *,
    count: Annotated[int, typer.Option("--count", min=1, help="Readings of a live instrument.")] = 1,
    interval: Annotated[str, SAMPLE_INTERVAL] = "1s",
    utc_offset: Annotated[str | None, shown(UTC_OFFSET, "such logs are refused")] = None,
    as_json: AsJson = False,
) -> None:
    """Read live instruments, or summarise logs: samples, figures, and problems."""
    from iowatt.base.units import parse_duration
    from iowatt.pages.meters import readings
    from iowatt.sources import meters
    from iowatt.sources.meters.result import MeterReadings, ReadLog, summarise_log

    pause = parsed(interval, parse_duration, "interval")
    defaults = {} if utc_offset is None else {"utc-offset": utc_offset}
    found: list[ReadInstrument | ReadLog] = []
    for address in addresses:
        public = meters.parse(address).public
        if meters.is_live(address):
            found.append(_read_live(address, public, count, pause))
        else:
            logs = meters.logs(address, defaults)
            found += [ReadLog(address=public, log=summarise_log(log)) for log in logs]
    show(MeterReadings(instruments=found), readings, as_json=as_json)


def _read_live(address: str, public: str, count: int, pause: float) -> ReadInstrument:
    from iowatt.cli.progress import bar
    from iowatt.sources import meters
    from iowatt.sources.meters.result import ReadInstrument, live_reading

    meter = meters.meter(address)
    readings = []
    try:
        instrument = meter.open()
        with bar(f"reading {instrument.name}") as progress:
            for number in range(count):
                if number:
                    time.sleep(pause)
                readings.append(live_reading(meter.read()))
                if progress is not None:
                    progress((number + 1) / count, number + 1)
    finally:
        meter.close()
    return ReadInstrument(address=public, instrument=instrument, readings=readings)


def record(
    addresses: Addresses,
    *,
    output: Annotated[Path, output("DIR", "Folder for the recordings, NAME.csv each.")] = Path("meters"),
    interval: Annotated[str, SAMPLE_INTERVAL] = "1s",
    duration: Annotated[str | None, shown(DURATION, "until Ctrl-C")] = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Record live instruments until Ctrl-C; failures are logged and retried."""
    from iowatt.base.errors import CheckFailedError, InputError
    from iowatt.base.units import parse_duration
    from iowatt.pages.meters import recordings
    from iowatt.sources import meters
    from iowatt.sources.meters.recording import Recorder, read_log
    from iowatt.sources.meters.result import MeterRecordings, summarise_log

    pause = parsed(interval, parse_duration, "interval")
    seconds = parsed(duration, parse_duration, "duration")
    named = {meters.find(address)[0].name: address for address in addresses}
    if len(named) < len(addresses):
        hint = "name them: snmp://pdu1/1?name=left"
        raise InputError("duplicate", None, "two instruments have the same name", hint=hint)
    recorders = []
    for name, address in named.items():
        path = output / f"{name}.csv"
        meter = meters.meter(address)
        if path.exists() and not resume:
            raise InputError(
                "exists", str(path), "the file already exists", hint="use `resume=True` to continue it"
            )
        recorders.append(Recorder(meter, path, name=name, interval_s=pause, watcher=_watcher(name)))
    _run(recorders, seconds)
    for recorder in recorders:
        if recorder.samples == 0:
            message = f"no sample of {recorder.name}: {recorder.failing or 'it did not answer'}"
            raise CheckFailedError("unreachable", str(recorder.path), message)
    logs = [summarise_log(read_log(recorder.path)) for recorder in recorders]
    show(MeterRecordings(recordings=logs), lambda found: recordings(found.recordings), as_json=as_json)


def _run(recorders: list[Recorder], seconds: float | None) -> None:
    """Record for ``seconds``, or until interrupted, which is then the usual end."""
    started: list[Recorder] = []
    try:
        for recorder in recorders:
            recorder.start()
            started.append(recorder)
        until = None if seconds is None else time.monotonic() + seconds
        while until is None or time.monotonic() < until:
            time.sleep(0.2 if until is None else max(0.0, min(0.2, until - time.monotonic())))
            if all(recorder.error is not None for recorder in recorders):
                break
    except KeyboardInterrupt:
        if seconds is not None:
            raise
    finally:
        for recorder in started:
            recorder.stop()


def _watcher(name: str) -> Any:
    def tell(event: str, values: dict[str, Any]) -> None:
        text = values.get("text") or f"back after {values.get('seconds', 0.0):.1f} s"
        typer.echo(f"{name}: {text}", err=True)

    return tell
