"""Any delimited text with a row for each sample, and the logs of Watts up? meters: columns by name.

`csv:power.csv?time=when&time-format=%d.%m.%Y %H:%M:%S&watts=P total&watts-unit=kW&utc-offset=+01:00`
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters import table
from iowatt.sources.meters.address import SCHEMES, Address
from iowatt.sources.meters.log.instrument import QUANTITIES, Instrument, InstrumentLog
from iowatt.sources.meters.table import STAMP_COLUMNS, QuantityColumn, TableLayout, TableRow, TableText

OPTIONS: Final = {
    **STAMP_COLUMNS,
    **{name.replace("_", "-"): f"column of {name}, by name or as #2" for name in QUANTITIES},
    **{
        f"{name.replace('_', '-')}-unit": f"its unit: {', '.join(filter(None, units))}"
        for name, units in table.UNITS.items()
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
#: The columns of a Watts up? logger, the preferred name last.
_WATTS_UP: Final = {
    "watts": ("w", "watts"),
    "volts": ("v", "volts"),
    "amperes": ("amperes", "a", "amps"),
    "power_factor": ("powerfactor", "power factor", "pf"),
    "hertz": ("frequency", "freq", "hz"),
}
#: The maker states an accuracy of 1.5 % and 3 counts: such a meter cannot meet the 1 % of the rules.
_WATTS_UP_PERCENT: Final = 1.5


def read(path: Path, address: Address) -> list[InstrumentLog]:
    """The log of a table. Raises ``InputError`` with the place."""
    text = table.load(path, address.options.get("delimiter"))
    watts_up = address.scheme == "watts-up"
    asked = {name: address.options.get(name.replace("_", "-")) for name in QUANTITIES}
    named = {name: column for name, column in asked.items() if column is not None}
    if watts_up:
        layout = _watts_up_layout(text, address)
    else:
        layout = _named_layout(text, address, named) if named else _found_layout(text, address)
    scheme = SCHEMES[address.scheme]
    instrument = Instrument(
        name=address.name,
        kind=address.scheme,
        grade=scheme.grade,
        why=scheme.why,
        model="Watts up?" if watts_up else None,
        sample_interval_s=table.interval_option(address.options, path),
        uncertainty_percent=_WATTS_UP_PERCENT if watts_up else None,
    )
    return [table.to_log(text, layout, address, instrument)]


def _named_layout(text: TableText, address: Address, named: dict[str, str]) -> TableLayout:
    """The columns that the address names."""
    options = address.options
    wanted = [*named.values(), *([options["time"]] if "time" in options else [])]
    names = [name.strip().lower() for name in wanted if not name.startswith("#")]
    at = table.header(text, names) if names else -1
    if names and at < 0:
        widest = max(text.rows[: table.PREAMBLE], key=lambda row: len(row.cells))
        for name in wanted:
            table.index_of(name, widest.cells, text, widest)
        message = f"no line has the columns {', '.join(wanted)} together"
        raise InputError("wrong-format", str(text.path), message)
    if not names:  # by number: from the first row on, or the second where the first is no sample
        at = 0 if any(_is_word(text, text.rows[0], column) for column in named.values()) else -1
    row = text.rows[max(at, 0)]
    heads = row.cells if at >= 0 else [""] * len(row.cells)
    quantities = {}
    for name, column in named.items():
        index = table.index_of(column, heads, text, row)
        unit = options.get(_unit_option(name), table.split_name(heads[index])[1])
        quantities[name] = table.in_unit(name, index, unit or None, text.where(row))
    time = table.time_columns(heads, options.get("time"), text, row)
    return TableLayout(at + 1, time, None, quantities)


def _unit_option(quantity: str) -> str:
    return f"{quantity.replace('_', '-')}-unit"


def _is_word(text: TableText, row: TableRow, column: str) -> bool:
    try:
        text.number(row.cells[int(column[1:]) - 1], row)
    except (InputError, IndexError):
        return True
    return False


def _found_layout(text: TableText, address: Address) -> TableLayout:
    """The columns by their usual names."""
    for at, row in enumerate(text.rows[: table.PREAMBLE]):
        quantities: dict[str, QuantityColumn] = {}
        for name, known in _NAMES.items():
            for index, cell in enumerate(row.cells):
                plain, unit = table.split_name(cell)
                if plain not in known or name in quantities:
                    continue
                unit = "kW" if plain == "kw" else address.options.get(_unit_option(name), unit)
                if unit is None and plain in _SAY_NO_UNIT:
                    units = ", ".join(filter(None, table.UNITS[name]))
                    raise InputError(
                        "missing", text.where(row), f"the column {cell.strip()!r} has no unit",
                        hint=f"add {_unit_option(name)}=..., one of {units}",
                    )  # fmt: skip
                quantities[name] = table.in_unit(name, index, unit, text.where(row))
        if quantities:
            time = table.time_columns(row.cells, address.options.get("time"), text, row)
            return TableLayout(at + 1, time, None, quantities)
    raise InputError(
        "wrong-format",
        str(text.path),
        "no line names a column of power or temperature, such as watts, power (W) or temperature (C)",
        hint="name the column: watts=COLUMN, or by its number: watts=#2&time=#1",
    )


def _watts_up_layout(text: TableText, address: Address) -> TableLayout:
    for first in range(1, min(len(text.rows), table.PREAMBLE) + 1):
        row = text.rows[first - 1]
        plain = [table.split_name(cell)[0] for cell in row.cells]
        found = {
            quantity: QuantityColumn(plain.index(name))
            for quantity, names in _WATTS_UP.items()
            for name in names
            if name in plain
        }
        if {"watts", "volts", "amperes"} <= set(found):
            break
    else:
        message = "not a log of a Watts up? meter: no line names Watts, Volts and Amps (or W, V and A)"
        raise InputError("wrong-format", str(text.path), message, hint="csv: reads any other table")
    time = table.time_columns(row.cells, address.options.get("time"), text, row)
    if "power_factor" in found and _in_percent(text, first, found["power_factor"].index):
        found["power_factor"] = replace(found["power_factor"], factor=1e-2)
    return TableLayout(first, time, None, found)


def _in_percent(text: TableText, first: int, index: int) -> bool:
    """The meter itself counts power factors in percent; a fraction is never above 1."""
    rows = (row for row in text.rows[first:] if index < len(row.cells))
    return any(text.number(row.cells[index], row) > 1 for row in rows)
