"""`iowatt trace counters`: logs of iostat, sar and Windows' perfmon, as a summary and a profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iowatt.cli.options import (
    DEVICE,
    FORMAT,
    INTERVAL,
    LOG_KIND,
    NAME,
    SKIP_BAD,
    SPAN,
    AsJson,
    Force,
    Notes,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show
from iowatt.cli.trace_options import one_of

if TYPE_CHECKING:
    from iowatt.counters.log import CountersLog
    from iowatt.counters.streams import ProfileRequest
    from iowatt.counters.summary import CountersSummary


def register(trace: typer.Typer) -> None:
    """Add the sub-verb to ``iowatt trace``."""
    trace.command("counters")(counters)


def counters(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Logs of one tool, in time order.", show_default=False),
    ],
    *,
    output: Annotated[
        Path | None, output("FILE", "The profile to write (.toml).", "none: the summary only")
    ] = None,
    format_: Annotated[str | None, FORMAT] = None,
    as_: Annotated[str | None, shown(LOG_KIND, "by its content")] = None,
    device: Annotated[
        list[str] | None,
        shown(DEVICE, "the only active one"),
    ] = None,
    access: Annotated[
        str | None,
        typer.Option(
            "--access",
            metavar="PATTERN",
            help="Access pattern, which counters do not record: uniform, sequential, zipf:0.99, skew:7.",
        ),
    ] = None,
    sequential: Annotated[
        float | None,
        typer.Option(
            "--sequential",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Share of sequential requests.",
            show_default="by merges",
        ),
    ] = None,
    read_share: Annotated[
        float | None,
        typer.Option(
            "--read-share",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Share of reads, if the log does not count it.",
        ),
    ] = None,
    arrivals: Annotated[
        str,
        typer.Option("--arrivals", metavar="auto|poisson|bursty", help="Arrival process inside an interval."),
    ] = "auto",
    span: Annotated[str | None, shown(SPAN, "the profile's")] = None,
    interval: Annotated[str | None, INTERVAL] = None,
    first: Annotated[
        str,
        typer.Option(
            "--first", metavar="auto|drop|keep", help="iostat's first report (the mean since the start)."
        ),
    ] = "auto",
    phases: Annotated[
        int,
        typer.Option(
            "--phases", min=1, max=100_000, metavar="N", help="Merge intervals into at most N phases."
        ),
    ] = 1000,
    counter_names: Annotated[
        str | None,
        typer.Option(
            "--counter-names",
            metavar="COUNTER=NAME,...",
            help="perfmon: counter names in another language.",
        ),
    ] = None,
    skip_bad: Annotated[int, SKIP_BAD] = 0,
    name: Annotated[str | None, shown(NAME, "the file's name")] = None,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Summarise iostat, sar, perfmon or array logs, and write a workload profile with its assumptions."""
    from iowatt.base.units import parse_duration
    from iowatt.counters.profile import check_target, write_profile
    from iowatt.counters.read import FORMATS, read
    from iowatt.counters.summary import summary
    from iowatt.pages.counters import document

    one_of("arrivals", arrivals, ("auto", "poisson", "bursty"))
    one_of("first", first, ("auto", "drop", "keep"))
    if format_ is not None:
        one_of("format", format_, FORMATS)
    if output is not None:
        check_target(output, force=force)
    seconds = parsed(interval, parse_duration, "interval")
    of_array = as_ is not None and as_ not in FORMATS
    log = (
        _of_array(files, as_, skip_bad, format_)
        if of_array
        else read(
            files,
            format_=as_ or format_,  # type: ignore[arg-type]
            first=first,  # type: ignore[arg-type]
            names=None if counter_names is None else _mapping(counter_names),
            skip_bad=skip_bad,
            interval_s=seconds,
        )
    )
    share = None if read_share is None else read_share / 100
    found = summary(log, share)
    wanted = device or []
    if wanted or output is not None:
        wanted = _devices(log, found, wanted)
    if output is not None:
        request = _request(
            access=access,
            sequential=sequential,
            read_share=share,
            span=span,
            arrivals=arrivals,
            phases=phases,
        )
        origin = ", ".join(file.name for file in files)
        name = _profile_name(name, output)
        profile = write_profile(log, wanted, request, output, name=name, origin=origin, force=force)
        found = found.model_copy(update={"profile": profile})
    show(found, lambda result: document(result, wanted), notes=notes, as_json=as_json)


def _of_array(files: list[Path], kind: str | None, skip_bad: int, format_: str | None) -> CountersLog:
    """The log of an array, by a mapping of its columns."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.sources.counters import CountersRequest, read_counters

    if format_ is not None:
        raise InputError("conflict", Argument("format"), "as and format exclude each other")
    return read_counters(CountersRequest(files, kind or "", skip_bad=skip_bad))


def _request(
    *,
    access: str | None,
    sequential: float | None,
    read_share: float | None,
    span: str | None,
    arrivals: str,
    phases: int,
) -> ProfileRequest:
    """The assumptions in place of what counters do not record."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.units import parse_capacity
    from iowatt.counters import streams as patterns
    from iowatt.counters.streams import ProfileRequest

    if access is None:
        raise InputError(
            "missing",
            Argument("access"),
            f"counters do not record addresses; give the pattern to assume: {patterns.ACCESS_PATTERNS}",
            hint="uniform is the worst case for caches and disks; without `output=` the summary is printed",
        )
    return ProfileRequest(
        access=patterns.parse_access(access),
        sequential=None if sequential is None else sequential / 100,
        read_share=read_share,
        span=parsed(span, parse_capacity, "span"),
        arrivals=arrivals,  # type: ignore[arg-type]
        phases=phases,
    )


def _devices(log: CountersLog, found: CountersSummary, wanted: list[str]) -> list[str]:
    """The requested devices, else the only active one."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.problems import suggestion
    from iowatt.counters.sar import ALL

    for name in wanted:
        if name not in log.devices:
            hint = suggestion(name, list(log.devices), "devices")
            raise InputError("unknown-name", Argument("device"), f"the log has no device {name!r}", hint=hint)
    if wanted:
        return list(dict.fromkeys(wanted))
    busy = found.busy
    disks = [device for device in busy if device.device != ALL] or busy
    if len(disks) == 1:
        return [disks[0].device]
    if not busy:
        message = "no device read or wrote anything: there is no workload to make a profile of"
        raise InputError("empty", None, message)
    ranked = sorted(busy, key=lambda device: -(getattr(device, "iops", None) or 0))
    names = ", ".join(device.device for device in ranked[:12])
    message = f"{len(busy)} devices are active ({names}); name the one to use"
    hint = "a disk, its partitions and the devices on them (dm-0, md0) count the same requests: take one"
    raise InputError("ambiguous", Argument("device"), message, hint=hint)


def _profile_name(name: str | None, output: Path) -> str:
    import re

    if name is not None:
        return name
    return re.sub(r"[^a-z0-9.]+", "-", output.stem.lower()).strip("-.")[:64].strip("-.") or "counters"


def _mapping(text: str) -> dict[str, str]:
    from iowatt.base.errors import Argument, InputError

    pairs = [part.partition("=") for part in text.split(",")]
    if not all(separator and ours.strip() and theirs.strip() for ours, separator, theirs in pairs):
        raise InputError(
            "bad-syntax",
            Argument("counter_names"),
            f"{text!r} is not accepted; expected COUNTER=NAME,..., such as Disk Reads/sec=Lesevorgänge/s",
        )
    return {ours.strip(): theirs.strip() for ours, _, theirs in pairs}
