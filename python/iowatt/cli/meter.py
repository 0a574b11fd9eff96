"""``iowatt meter``: instruments, listed, read and recorded."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iowatt.cli.options import DURATION, UTC_OFFSET, AsJson, output, parsed, shown

if TYPE_CHECKING:
    from iowatt.sources.meters.recording import Recorder

Addresses = Annotated[
    list[str],
    typer.Argument(
        metavar="ADDRESS...",
        help="Where an instrument or its log is: snmp://pdu1/1, csv:power.csv (`iowatt meter list`).",
        show_default=False,
    ),
]
Interval = Annotated[str, typer.Option("--interval", metavar="TIME", help="Time between samples.")]


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
    """List the kinds of instruments, and the sensors of this machine; or the options of one kind."""
    from iowatt.base.errors import InputError
    from iowatt.sources.meters import source, summary
    from iowatt.sources.meters.schemes import SCHEMES

    if scheme is not None and scheme not in SCHEMES:
        raise InputError(
            "unknown-name", None, f"there is no instrument {scheme!r}; there are {', '.join(SCHEMES)}"
        )
    kinds = [kind for kind in summary.schemes() if scheme in (None, kind["scheme"])]
    if scheme is not None:
        kinds[0]["options"] = dict(source.known_options(scheme))
    here = summary.here() if scheme is None else []
    if as_json:
        _print({"schema": summary.LIST_SCHEMA, "kinds": kinds, "here": here})
        return
    for kind in kinds:
        typer.echo(
            f"{kind['scheme']:<13} {'live' if kind['live'] else 'log '}  {kind['grade']:<11}  {kind['what']}"
        )
        typer.echo(f"{'':<13} {kind['example']}")
        for name, text in kind.get("options", {}).items():
            typer.echo(f"  {name:<18} {text}")
    if scheme is None:
        typer.echo("sensors of this machine: " + (", ".join(one["address"] for one in here) or "none"))


def read(
    addresses: Addresses,
    *,
    count: Annotated[int, typer.Option("--count", min=1, help="Readings of a live instrument.")] = 1,
    interval: Interval = "1s",
    utc_offset: Annotated[str | None, shown(UTC_OFFSET, "such logs are refused")] = None,
    as_json: AsJson = False,
) -> None:
    """Read live instruments now, or summarise logs: samples, figures, and all that is wrong with them."""
    from iowatt.base.units import parse_duration
    from iowatt.sources.meters import source, summary
    from iowatt.sources.meters.address import parse

    pause = parsed(interval, parse_duration, "interval")
    defaults = {} if utc_offset is None else {"utc-offset": utc_offset}
    found: list[dict[str, Any]] = []
    for address in addresses:
        if source.is_live(address):
            found.append(_live(address, count, pause, quiet=as_json))
            continue
        for log in source.logs(address, defaults):
            found.append({"address": address, "log": summary.log(log)})
            if not as_json:
                typer.echo("\n".join(summary.lines(found[-1]["log"])))
    if as_json:
        for one in found:
            one["address"] = parse(one["address"]).public
        _print({"schema": summary.READ_SCHEMA, "instruments": found})


def _live(address: str, count: int, pause: float, *, quiet: bool) -> dict[str, Any]:
    from iowatt.sources.meters import source, summary

    meter = source.meter(address)
    readings = []
    try:
        instrument = summary.instrument(meter.open())
        if not quiet:
            typer.echo(f"{instrument['name']}: {instrument['grade']} ({instrument['why']})")
        for number in range(count):
            if number:
                time.sleep(pause)
            reading = meter.read()
            readings.append(summary.reading(reading))
            if not quiet:
                figures = ", ".join(summary.words(name, value) for name, value in reading.quantities.items())
                typer.echo(f"  {summary.iso(reading.time_s)}  {figures}")
    finally:
        meter.close()
    return {"address": address, "instrument": instrument, "readings": readings}


def record(
    addresses: Addresses,
    *,
    output: Annotated[Path, output("DIR", "Folder for a recording each: NAME.csv.")] = Path("meters"),
    interval: Interval = "1s",
    duration: Annotated[str | None, shown(DURATION, "until Ctrl-C")] = None,
    append: Annotated[bool, typer.Option("--append", help="Go on with recordings that exist there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Record live instruments until Ctrl-C; failures are noted, and tried again until they answer."""
    from iowatt.base.errors import CheckFailedError, InputError
    from iowatt.base.units import parse_duration
    from iowatt.sources.meters import recording, source, summary

    pause = parsed(interval, parse_duration, "interval")
    seconds = parsed(duration, parse_duration, "duration")
    named = {source.find(address)[0].name: address for address in addresses}
    if len(named) < len(addresses):
        raise InputError(
            "duplicate", None, "two instruments have one name", hint="name them: snmp://pdu1/1?name=left"
        )
    recorders = []
    for name, address in named.items():
        path = output / f"{name}.csv"
        meter = source.meter(address)
        if path.exists() and not append:
            raise InputError("exists", str(path), "the file exists", hint="`append=True` continues it")
        recorders.append(recording.Recorder(meter, path, name=name, interval_s=pause, watcher=_watcher(name)))
    _conduct(recorders, seconds)
    found = []
    for recorder in recorders:
        if recorder.samples == 0:
            message = f"no sample of {recorder.name}: {recorder.failing or 'it did not answer'}"
            raise CheckFailedError("unreachable", str(recorder.path), message)
        found.append(summary.log(recording.read_log(recorder.path)))
        if not as_json:
            typer.echo("\n".join([str(recorder.path), *summary.lines(found[-1])]))
    if as_json:
        _print({"schema": summary.RECORD_SCHEMA, "recordings": found})


def _conduct(recorders: list[Recorder], seconds: float | None) -> None:
    """Record for so long, or until interrupted: then an interruption is the usual end."""
    begun: list[Recorder] = []
    try:
        for recorder in recorders:
            recorder.start()
            begun.append(recorder)
        until = None if seconds is None else time.monotonic() + seconds
        while until is None or time.monotonic() < until:
            time.sleep(0.2 if until is None else max(0.0, min(0.2, until - time.monotonic())))
            if all(recorder.error is not None for recorder in recorders):
                break
    except KeyboardInterrupt:
        if seconds is not None:
            raise
    finally:
        for recorder in begun:
            recorder.stop()


def _watcher(name: str) -> Any:
    def tell(event: str, values: dict[str, Any]) -> None:
        text = values.get("text") or f"back after {values.get('seconds', 0.0):.1f} s"
        typer.echo(f"{name}: {text}", err=True)

    return tell


def _print(document: dict[str, Any]) -> None:
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))
