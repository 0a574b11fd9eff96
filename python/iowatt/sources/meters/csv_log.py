"""Any delimited text with a row for each sample: columns by their names, or as the address says.

`csv:power.csv?time=when&time-format=%d.%m.%Y %H:%M:%S&watts=P total&watts-unit=kW&utc-offset=+01:00`
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters import columns, table
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.columns import Column, Layout
from iowatt.sources.meters.log import QUANTITIES, Instrument, Log
from iowatt.sources.meters.schemes import SCHEMES
from iowatt.sources.meters.table import Row, Text

OPTIONS: Final = {
    **columns.STAMP_COLUMNS,
    **{name.replace("_", "-"): f"column of {name}, by name or as #2" for name in QUANTITIES},
    **{
        f"{name.replace('_', '-')}-unit": f"its unit: {', '.join(filter(None, units))}"
        for name, units in columns.UNITS.items()
    },
}

#: Names that a column of a quantity has, in small letters; those that say no unit need one in brackets.
_POWER: Final = ("power", "active power", "real power", "input power")
_NAMES: Final = {
    "watts": {"watts", "watt", "w", "kw", "power_w", "watts_w", *_POWER},
    "volts": {"volts", "v", "voltage_v", "voltage"},
    "amperes": {"amperes", "amps", "a", "current_a", "current"},
    "power_factor": {"power_factor", "power factor", "pf"},
    "hertz": {"hertz", "hz", "frequency"},
    "thd_percent": {"thd_percent", "thd"},
    "celsius": {"celsius", "temperature_c", "temp_c", "temperature", "temp"},
    "joules": {"joules"},
}  # fmt: skip
_SAY_NO_UNIT: Final = {*_POWER, "voltage", "current", "temperature", "temp"}


def read(path: Path, address: Address) -> list[Log]:
    """The log of a table. Raises ``InputError`` with the place."""
    text = table.load(path, address.options.get("delimiter"))
    asked = {name: address.options.get(name.replace("_", "-")) for name in QUANTITIES}
    named = {name: column for name, column in asked.items() if column is not None}
    layout = _asked(text, address, named) if named else _found(text, address)
    instrument = Instrument(
        name=address.name,
        kind="csv",
        grade=SCHEMES["csv"].grade,
        why=SCHEMES["csv"].why,
        sample_interval_s=columns.interval(address.options, path),
    )
    return [columns.log(text, layout, address, instrument)]


def _asked(text: Text, address: Address, named: dict[str, str]) -> Layout:
    """As the address says."""
    options = address.options
    wanted = [*named.values(), *([options["time"]] if "time" in options else [])]
    names = [name.strip().lower() for name in wanted if not name.startswith("#")]
    at = columns.header(text, names) if names else -1
    if names and at < 0:
        widest = max(text.rows[: table.PREAMBLE], key=lambda row: len(row.cells))
        for name in wanted:
            columns.index_of(name, widest.cells, text, widest)
        raise InputError(
            "wrong-format", str(text.path), f"no line has the columns {', '.join(wanted)} together"
        )
    if not names:  # by number: from the first row on, or the second where the first is no sample
        at = 0 if any(_is_word(text, text.rows[0], column) for column in named.values()) else -1
    row = text.rows[max(at, 0)]
    heads = row.cells if at >= 0 else [""] * len(row.cells)
    quantities = {}
    for name, column in named.items():
        index = columns.index_of(column, heads, text, row)
        unit = options.get(f"{name.replace('_', '-')}-unit", columns.split_name(heads[index])[1])
        quantities[name] = columns.scaled(name, index, unit or None, text.where(row))
    time = columns.time_columns(heads, options.get("time"), text, row)
    return Layout(at + 1, time, None, quantities)


def _is_word(text: Text, row: Row, column: str) -> bool:
    try:
        text.number(row.cells[int(column[1:]) - 1], row)
    except (InputError, IndexError):
        return True
    return False


def _found(text: Text, address: Address) -> Layout:
    """By the names of the columns."""
    for at, row in enumerate(text.rows[: table.PREAMBLE]):
        quantities: dict[str, Column] = {}
        for name, known in _NAMES.items():
            for index, cell in enumerate(row.cells):
                plain, unit = columns.split_name(cell)
                if plain not in known or name in quantities:
                    continue
                unit = address.options.get(f"{name.replace('_', '-')}-unit", unit)
                if plain == "kw":
                    unit = "kW"
                if unit is None and plain in _SAY_NO_UNIT:
                    raise InputError(
                        "missing",
                        text.where(row),
                        f"the column {cell.strip()!r} has no unit",
                        hint=f"add {name.replace('_', '-')}-unit=..., one of "
                        f"{', '.join(filter(None, columns.UNITS[name]))}",
                    )
                quantities[name] = columns.scaled(name, index, unit, text.where(row))
        if quantities:
            time = columns.time_columns(row.cells, address.options.get("time"), text, row)
            return Layout(at + 1, time, None, quantities)
    raise InputError(
        "wrong-format",
        str(text.path),
        "no line names a column of power or temperature, such as watts, power (W) or temperature (C)",
        hint="name the column: watts=COLUMN, or by its number: watts=#2&time=#1",
    )
