"""``iowatt import``: Runs from what load generators, kernels and meters wrote elsewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from iowatt.cli import command_line
from iowatt.cli.options import (
    END,
    INTERVAL,
    LOG_KIND,
    METER,
    NAME,
    RAW_CAPACITY,
    START,
    THERMOMETER,
    TIME_ZONE,
    UTC_OFFSET,
    AsJson,
    Force,
    output,
    parsed,
    shown,
)
from iowatt.cli.trace_options import argument, reads_trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iowatt.run.bundle import Run
    from iowatt.sources.observation import Observation

SCHEMA = "iowatt.import/1"


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("import")(import_)


@reads_trace("rate")
def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT",
            help="fio JSON (its logs are found next to it), a vdbench output folder or report, an Iometer "
            "result file, or a trace with response times; with --as, a counter log.",
            show_default=False,
        ),
    ],
    *,
    meter: Annotated[list[str] | None, shown(METER, False)] = None,
    thermometer: Annotated[list[str] | None, shown(THERMOMETER, False)] = None,
    output: Annotated[
        Path | None,
        output(
            "DIR", "Directory of the Run bundle, or of all bundles if there are several runs.", "runs/<name>"
        ),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="NAME",
            help="Only this vdbench run, fio job group or Iometer test. May be repeated.",
        ),
    ] = None,
    interval: Annotated[str | None, shown(INTERVAL, "1min; less for short runs")] = None,
    time_zone: Annotated[str | None, shown(TIME_ZONE, "from the timestamps")] = None,
    utc_offset: Annotated[str | None, shown(UTC_OFFSET, "such logs are refused")] = None,
    as_: Annotated[str | None, shown(LOG_KIND, "fio, vdbench, Iometer or a trace, by its content")] = None,
    reading: dict[str, Any],
    start: Annotated[str | None, START] = None,
    end: Annotated[str | None, END] = None,
    name: Annotated[str | None, shown(NAME, "the file's")] = None,
    system: Annotated[
        str, typer.Option("--system", metavar="TEXT", help="Description of the system measured.")
    ] = "target",
    raw_capacity: Annotated[str | None, shown(RAW_CAPACITY, "unknown")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Make a Run from fio, vdbench or Iometer output, a trace with response times, or counter logs."""
    from iowatt.base.units import parse_capacity, parse_duration
    from iowatt.cli.progress import bar
    from iowatt.run import index
    from iowatt.sources import meters, outputs
    from iowatt.sources.measured import MeasuredAbout, measured_run

    seconds = parsed(interval, parse_duration, "interval")
    raw_bytes = parsed(raw_capacity, parse_capacity, "raw_capacity")
    given = reading | {
        "from_s": parsed(start, parse_duration, "start"),
        "to_s": parsed(end, parse_duration, "end"),
    }
    given = {name: value for name, value in given.items() if value is not None}
    with bar("reading") as progress:
        if as_ is not None:
            read: Sequence[Observation] = [
                _counters(source, as_, given, utc_offset=utc_offset, interval_s=seconds)
            ]
        else:
            read = outputs.read_output(
                source, interval_s=seconds, time_zone=time_zone, options=given, progress=progress
            )
    found = _chosen(read, run, source)
    defaults = {} if utc_offset is None else {"utc-offset": utc_offset}
    watts = [log for address in meter or [] for log in meters.logs(address, defaults)]
    celsius = [log for address in thermometer or [] for log in meters.logs(address, defaults)]
    made: list[tuple[Run, Path]] = []
    for observation in found:
        alone = len(found) == 1
        named = observation.name if name is None else name if alone else f"{name} {observation.name}"
        about = MeasuredAbout(
            name=named,
            target=system,
            raw_bytes=raw_bytes,
            command=command_line.written(),
        )
        done = measured_run(
            about,
            observation,
            power=watts,
            temperature=celsius,
            interval_s=seconds or outputs.interval_s(observation),
        )
        made.append((done, _place(output, named, observation.name, alone)))
    saved = [(done.save(place, force=force), place) for done, place in made]
    for done, place in saved:
        index.register(place, done.summary)
    if as_json:
        runs = [{"name": done.name, "path": str(place), "summary": done.summary} for done, place in saved]
        typer.echo(json.dumps({"schema": SCHEMA, "source": str(source), "runs": runs}, indent=2))
        return
    for number, (done, place) in enumerate(saved):
        if number:
            typer.echo()
        from iowatt.cli.run import show_run

        show_run(done, place, notes=True)


#: What of reading a trace has a meaning for counters, by keys of a trace spec.
_OF_COUNTERS: Final = {"devices": "devices", "skip_bad": "skip_bad", "from_s": "start_s", "to_s": "end_s"}


def _counters(
    source: Path, kind: str, given: dict[str, Any], *, utc_offset: str | None, interval_s: float | None
) -> Observation:
    from iowatt.base.errors import Argument, InputError
    from iowatt.sources.counters import CountersRequest, observe

    if strange := [key for key in given if key not in _OF_COUNTERS]:
        message = "this applies to traces, not to counters"
        raise InputError("not-applicable", Argument(argument(strange[0])), message)
    options = {_OF_COUNTERS[key]: value for key, value in given.items()}
    return observe(CountersRequest([source], kind, utc_offset=utc_offset, interval_s=interval_s, **options))


def _chosen(found: Sequence[Observation], names: list[str] | None, source: Path) -> Sequence[Observation]:
    from iowatt.base.errors import InputError

    if not names:
        return found
    missing = [name for name in names if name not in {one.name for one in found}]
    if missing:
        raise InputError(
            "unknown-name",
            str(source),
            f"there is no run {missing[0]!r}; available: {', '.join(one.name for one in found)}",
        )
    return [one for one in found if one.name in names]


def _place(output: Path | None, named: str, own: str, alone: bool) -> Path:
    def plain(text: str) -> str:
        return re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("-.") or "run"

    if output is None:
        return Path("runs") / plain(named)
    return output if alone else output / plain(own)
