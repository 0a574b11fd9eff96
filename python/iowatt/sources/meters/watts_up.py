"""Logs of Watts up? meters (PRO, ES, .net), as their loggers write them: delimited, columns by name.

The maker states an accuracy of 1.5 % and 3 counts, so such a meter cannot meet the 1 % of the rules.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters import columns, table
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.columns import Column, Layout
from iowatt.sources.meters.log import Instrument, Log
from iowatt.sources.meters.schemes import SCHEMES

OPTIONS: Final = columns.STAMP_COLUMNS
UNCERTAINTY_PERCENT: Final = 1.5

_NAMES: Final = {
    "watts": ("watts", "w"),
    "volts": ("volts", "v"),
    "amperes": ("amps", "a", "amperes"),
    "power_factor": ("pf", "power factor", "powerfactor"),
    "hertz": ("hz", "freq", "frequency"),
}


def read(path: Path, address: Address) -> list[Log]:
    """The log of a Watts up? meter. Raises ``InputError`` with the place."""
    text = table.load(path, address.options.get("delimiter"))
    heads = text.rows[: table.PREAMBLE]
    for row in heads:
        plain = [columns.split_name(cell)[0] for cell in row.cells]
        found = {
            quantity: Column(plain.index(name))
            for quantity, names in _NAMES.items()
            for name in names[::-1]
            if name in plain
        }
        if {"watts", "volts", "amperes"} <= set(found):
            break
    else:
        raise InputError(
            "wrong-format",
            str(path),
            "not a log of a Watts up? meter: no line names Watts, Volts and Amps (or W, V and A)",
            hint="csv: reads any other table",
        )
    first = heads.index(row) + 1
    time = columns.time_columns(row.cells, address.options.get("time"), text, row)
    if "power_factor" in found and _in_percent(text, first, found["power_factor"].index):
        found["power_factor"] = replace(found["power_factor"], factor=1e-2)
    instrument = Instrument(
        name=address.name,
        kind="watts-up",
        grade=SCHEMES["watts-up"].grade,
        why=SCHEMES["watts-up"].why,
        model="Watts up?",
        sample_interval_s=columns.interval(address.options, path),
        uncertainty_percent=UNCERTAINTY_PERCENT,
    )
    return [columns.log(text, Layout(first, time, None, found), address, instrument)]


def _in_percent(text: table.Text, first: int, index: int) -> bool:
    """The meter itself counts power factors in percent; a fraction is never above 1."""
    rows = (row for row in text.rows[first:] if index < len(row.cells))
    return any(text.number(row.cells[index], row) > 1 for row in rows)
