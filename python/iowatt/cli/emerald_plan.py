"""``iowatt emerald plan``: the whole test sequence of a category, with the files of the load generators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from iowatt.cli.options import (
    ADVANCED,
    HOST,
    METER,
    NAME,
    NEWEST_RULES,
    PRODUCT,
    RAW_CAPACITY,
    RULES,
    SCENARIO_FILE,
    SEED,
    SIZE,
    TARGET,
    THERMOMETER,
    AsJson,
    Force,
    Notes,
    load_hosts,
    output,
    parsed,
    shown,
)
from iowatt.cli.show import show
from iowatt.cli.streams import print_line

Value = TypeVar("Value")


def register(emerald: typer.Typer) -> None:
    """Add the verb."""
    emerald.command("plan")(plan)


def plan(
    *,
    driver: Annotated[
        Literal["fio", "vdbench", "simulation", "files"],
        typer.Option("--driver", help="The load generator.", show_default=False),
    ],
    output: Annotated[Path, output("DIR", "Directory for the plan.", False)],
    rules: Annotated[str, RULES] = NEWEST_RULES,
    category: Annotated[
        str | None,
        typer.Option(
            "--category",
            help="online, near-online, removable-media-library, virtual-media-library or device.",
            show_default="that of --product",
        ),
    ] = None,
    class_: Annotated[
        int | None,
        typer.Option("--class", help="Class in the category.", show_default="that of --product, or none"),
    ] = None,
    target: Annotated[list[str] | None, TARGET] = None,
    scenario: Annotated[
        Path | None,
        SCENARIO_FILE,
    ] = None,
    size: Annotated[
        str | None,
        shown(SIZE, "all of the targets"),
    ] = None,
    block_size: Annotated[
        int | None,
        typer.Option(
            "--block-size",
            metavar="512|4096",
            help="Logical block size.",
            show_default="the device's, or 512",
        ),
    ] = None,
    product: Annotated[Path | None, PRODUCT] = None,
    raw_capacity: Annotated[str | None, shown(RAW_CAPACITY, "that of the scenario")] = None,
    meter: Annotated[
        list[str] | None,
        METER,
    ] = None,
    thermometer: Annotated[
        list[str] | None,
        THERMOMETER,
    ] = None,
    host: Annotated[list[str] | None, shown(HOST, "this host")] = None,
    phase_rate: Annotated[
        list[str] | None,
        typer.Option(
            "--phase-rate",
            metavar="PHASE=IOPS",
            help="Rate of a random phase. May be repeated.",
            show_default="found by `iowatt emerald calibrate`",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    phase_streams: Annotated[
        list[str] | None,
        typer.Option(
            "--phase-streams",
            metavar="[PHASE=]N",
            help="Sequential streams, of all phases or of one.",
            show_default="1",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    phase_outstanding: Annotated[
        list[str] | None,
        typer.Option(
            "--phase-outstanding",
            metavar="[PHASE=]N",
            help="Outstanding requests: fixed in sequential phases, a maximum in random ones (by phase).",
            show_default="sequential 8, at least one per stream; random twice rate x limit, at least 64",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    prefill: Annotated[
        bool | None,
        typer.Option(
            "--prefill/--no-prefill",
            help="Write the tested range first.",
            show_default="yes, except for simulated arrays and removable media",
        ),
    ] = None,
    conditioning: Annotated[
        str | None,
        typer.Option(
            "--conditioning", metavar="TIME", help="Length of conditioning.", show_default="the rules'"
        ),
    ] = None,
    migration: Annotated[
        str | None,
        typer.Option(
            "--migration",
            metavar="TIME",
            help="Time for automatic tiering to move data, before conditioning.",
            show_default="none",
        ),
    ] = None,
    time_scale: Annotated[
        float,
        typer.Option(
            "--time-scale", metavar="FACTOR", help="Scales all times: 0.01 is a dry run, not a result."
        ),
    ] = 1.0,
    start: Annotated[
        str | None,
        typer.Option(
            "--begin",
            metavar="WHEN",
            help="Start, such as 2026-11-23T08:00, for dates in the calendar.",
            show_default="times from zero",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    fill_rate: Annotated[
        str | None,
        typer.Option(
            "--fill-rate",
            metavar="RATE",
            help="Expected rate of the pre-fill, 500MiB/s.",
            show_default=False,
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    name: Annotated[str | None, shown(NAME, "product or target")] = None,
    seed: Annotated[int, SEED] = 1,
    force: Force = False,
    notes: Notes = False,
    as_json: AsJson = False,
) -> None:
    """Plan a measurement: phases, times, calendar, checklist, and the fio and vdbench files.

    Exit code 1 if a load generator's own parser rejects a file.
    """
    from iowatt.base.errors import CheckFailedError
    from iowatt.base.units import parse_capacity, parse_duration, parse_iops, parse_rate
    from iowatt.emerald.plan import PlanRequest, document, make_plan

    request = PlanRequest(
        category=category,
        class_=class_,
        source=driver,
        rules=rules,
        targets=target or [],
        scenario=scenario,
        size_bytes=parsed(size, parse_capacity, "size"),
        block_size=block_size,
        product=product,
        raw_capacity_bytes=parsed(raw_capacity, parse_capacity, "raw_capacity"),
        instruments=_instruments(meter or [], thermometer or []),
        hosts=load_hosts(host or []),
        time_scale=time_scale,
        rates=_by_phase(
            phase_rate or [], "phase_rate", lambda text: parsed(text, parse_iops, "phase_rate"), bare=False
        ),
        streams=_by_phase(phase_streams or [], "phase_streams", _whole("phase_streams")),
        outstanding=_by_phase(phase_outstanding or [], "phase_outstanding", _whole("phase_outstanding")),
        conditioning_s=parsed(conditioning, parse_duration, "conditioning"),
        migration_s=parsed(migration, parse_duration, "migration"),
        prefill=prefill,
        seed=seed,
        name=name,
    )
    planned = make_plan(
        request, output, start=_when(start), fill_rate=parsed(fill_rate, parse_rate, "fill_rate"), force=force
    )
    show(planned, document, notes=notes, as_json=as_json)
    if not as_json:
        print_line(f"plan: {output / 'plan.json'}")
    refused = [one for one in planned.files if one.problem is not None]
    if refused:
        raise CheckFailedError("check-failed", refused[0].path, f"refused: {refused[0].problem}")


def _instruments(power: Sequence[str], temperature: Sequence[str]) -> list[Any]:
    return [
        *(_instrument(text, "power", "meter") for text in power),
        *(_instrument(text, "temperature", "thermometer") for text in temperature),
    ]


def _instrument(text: str, role: Literal["power", "temperature"], argument: str) -> Any:
    from iowatt.base.errors import Argument, InputError
    from iowatt.emerald.plan import PlannedInstrument
    from iowatt.sources.meters import parse, split_name

    name, source = split_name(text)
    try:
        return PlannedInstrument(name=name or parse(source).name, source=source, role=role)
    except InputError as error:
        place = Argument(argument, error.place)
        raise InputError(error.code, place, error.message, hint=error.hint) from None


def _by_phase(
    texts: Sequence[str], name: str, parse: Callable[[str], Value], *, bare: bool = True
) -> Mapping[str, Value]:
    """Values by phase, "" for values without one."""
    from iowatt.base.errors import Argument, InputError

    found: dict[str, Value] = {}
    for text in texts:
        phase, equals, value = text.rpartition("=")
        if not equals and not bare:
            raise InputError("bad-syntax", Argument(name, text), "expected PHASE=VALUE, such as HB=4000")
        if phase in found:
            raise InputError("duplicate", Argument(name), f"{phase or 'all phases'} is given twice")
        found[phase] = parse(value)
    return found


def _whole(name: str) -> Callable[[str], int]:
    def parse(text: str) -> int:
        from iowatt.base.errors import Argument, InputError

        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 4096:
            message = f"{text!r} is not accepted; expected a whole number from 1 to 4096"
            raise InputError("out-of-range", Argument(name), message)
        return int(text)

    return parse


def _when(text: str | None) -> datetime | None:
    from iowatt.base.errors import Argument, InputError

    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            "bad-syntax",
            Argument("start"),
            f"{text!r} is not accepted; expected a time such as 2026-11-23T08:00 or 2026-11-23T08:00+01:00",
        ) from None
