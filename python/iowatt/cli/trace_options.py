"""Options that say how a trace is read: a verb takes them all by ``reads_trace``."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Final, get_type_hints

import typer

from iowatt.cli.options import ADVANCED, DEVICE, FORMAT, RATE, SKIP_BAD, shown
from iowatt.cli.transform import block_size, seconds

_COLUMNS: Final = typer.Option(
    "--columns",
    metavar="FIELD=COLUMN,...",
    help="CSV, Parquet: the column for time, op, offset (lba), size (sectors), device, response, stream: its "
    "header, or its number from 0 in a CSV without headers.",
)
TIME_UNIT: Final = typer.Option(
    "--time-unit",
    metavar="s|ms|us|ns|ps",
    help="Unit of the times in CSV, Parquet, regex, mqsim and LLM serving logs.",
    rich_help_panel=ADVANCED,
)
_SECTOR_SIZE: Final = typer.Option(
    "--sector-size",
    metavar="SIZE",
    help="Sector size, if the format counts in sectors: 512 or 4KiB.",
    rich_help_panel=ADVANCED,
)
_EVENT: Final = typer.Option(
    "--event",
    metavar="Q|D|C",
    help="blkparse, blktrace, perf, hp-srt, etw: event taken as the request (Q queued, D issued, C "
    "completed).",
    rich_help_panel=ADVANCED,
)
_PATTERN: Final = typer.Option(
    "--pattern",
    metavar="REGEX",
    help="regex: line pattern with named groups such as time_us, op, lba, sectors.",
    rich_help_panel=ADVANCED,
)
_ORDER_TOLERANCE: Final = typer.Option(
    "--order-tolerance",
    metavar="TIME",
    help="Re-sort timestamps that are out of order by up to this, such as 1s.",
    show_default="the format's default",
    rich_help_panel=ADVANCED,
)
_READING: Final[dict[str, tuple[Any, Any]]] = {
    "format_": (Annotated[str | None, FORMAT], None),
    "columns": (Annotated[str | None, _COLUMNS], None),
    "time_unit": (Annotated[str | None, TIME_UNIT], None),
    "sector_size": (Annotated[str | None, _SECTOR_SIZE], None),
    "event": (Annotated[str | None, _EVENT], None),
    "pattern": (Annotated[str | None, _PATTERN], None),
    "rate": (Annotated[float | None, RATE], None),
    "device": (Annotated[list[str] | None, shown(DEVICE, "all devices")], None),
    "skip_bad": (Annotated[int, SKIP_BAD], 0),
    "order_tolerance": (Annotated[str | None, _ORDER_TOLERANCE], None),
}
"""Type and default of each option, by the parameter of a verb."""


def reads_trace(*without: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb the options of reading a trace, ``without`` some.

    The verb has one parameter for them, ``reading``: what was given, as keys of a trace spec.
    """
    options = {name: option for name, option in _READING.items() if name not in without}

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(verb, include_extras=True)
        parameters: list[Parameter] = []
        for parameter in signature(verb).parameters.values():
            if parameter.name == "reading":
                parameters += [
                    Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
                    for name, (kind, default) in options.items()
                ]
            else:
                parameters.append(parameter.replace(annotation=hints[parameter.name]))

        @wraps(verb)
        def with_options(**arguments: Any) -> None:
            reading = trace_spec({name: arguments.pop(name) for name in options})
            verb(**arguments, reading=reading)

        with_options.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {one.name: one.annotation for one in parameters}
        return with_options

    return decorate


def trace_spec(given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, as keys of a trace spec (see `iowatt.trace.open.spec`)."""
    columns, sector_size = given.get("columns"), given.get("sector_size")
    order_tolerance = given.get("order_tolerance")
    options = {
        "format": given.get("format_"),
        "time_unit": given.get("time_unit"),
        "event": given.get("event"),
        "pattern": given.get("pattern"),
        "rate_iops": given.get("rate"),
        "devices": given.get("device") or None,
        "skip_bad": given.get("skip_bad") or None,
        "columns": None if columns is None else _mapping(columns),
        "sector_bytes": None if sector_size is None else block_size(sector_size, "sector_size"),
        "order_tolerance_s": None if order_tolerance is None else seconds(order_tolerance, "order_tolerance"),
    }
    return {name: value for name, value in options.items() if value is not None}


def argument(key: str) -> str:
    """The argument that gives a key of a trace spec."""
    names = {"rate_iops": "rate", "devices": "device", "sector_bytes": "sector_size"}
    return names.get(key, key.removesuffix("_s"))


@contextmanager
def in_flags() -> Iterator[None]:
    """Errors of reading a trace name the options of the command line, not the keys of a scenario."""
    from iowatt.base.errors import InputError

    try:
        yield
    except InputError as error:
        message = columns_in_flags(error.message)
        message = message.replace("time_unit = ", "--time-unit ").replace("(rate_iops, ", "(--rate, ")
        if message == error.message:
            raise
        raise InputError(error.code, error.place, message, hint=error.hint) from None


def columns_in_flags(text: str) -> str:
    """A text with ``columns = { size = "x" }`` as ``--columns size=x``."""

    def flag(table: re.Match[str]) -> str:
        return "--columns " + table[1].replace(" = ", "=").replace('"', "").replace(", ", ",")

    return re.sub(r"columns = \{ (.*?) \}", flag, text)


def _mapping(text: str) -> dict[str, str | int]:
    from iowatt.base.errors import Argument, InputError

    pairs = [part.partition("=") for part in text.split(",")]
    if not all(separator and field.strip() and header.strip() for field, separator, header in pairs):
        message = f"{text!r} is not accepted; expected FIELD=COLUMN,..., such as time=ts,op=rw or time=0,op=2"
        raise InputError("bad-syntax", Argument("columns"), message)
    columns = {field.strip(): column.strip() for field, _, column in pairs}
    return {field: int(at) if re.fullmatch(r"[0-9]{1,4}", at) else at for field, at in columns.items()}


def one_of(name: str, value: str, choices: Collection[str]) -> None:
    """Raise ``InputError`` where the argument ``name`` is none of the choices."""
    from iowatt.base.errors import Argument, InputError
    from iowatt.base.problems import nearest

    if value not in choices:
        near = nearest(value, list(choices))
        message = f"{value!r} is not accepted; expected {', '.join(choices)}"
        hint = f"did you mean {near!r}?" if near else None
        raise InputError("not-accepted", Argument(name), message, hint=hint)
