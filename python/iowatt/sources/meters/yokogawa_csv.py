"""Data that a Yokogawa WT analyser or its viewer stored: U, I, P of elements and of their sum.

Columns are called by function and element: `U-E1`, `Irms-1`, `P-E2 [W]`, `P-SIGMA`, `P-ΣA`, `LAMBDA-1`.
Lines before them say the model and the serial number. Where a sum is stored it is the log, unless
``channel`` asks for elements: both together would count twice.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters import table
from iowatt.sources.meters.address import SCHEMES, Address
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog
from iowatt.sources.meters.table import QuantityColumn, TableLayout, TableRow, TableText

CHANNEL: Final = "sum, an element (1), or all elements; the sum where there is one"
OPTIONS: Final = {**table.STAMP_COLUMNS, "channel": CHANNEL}

_FUNCTIONS: Final = {
    "u": "volts", "urms": "volts", "umn": "volts", "v": "volts",
    "i": "amperes", "irms": "amperes", "imn": "amperes", "a": "amperes",
    "p": "watts", "w": "watts",
    "lambda": "power_factor", "λ": "power_factor", "pf": "power_factor",
    "fu": "hertz", "frequ": "hertz", "freq": "hertz", "f": "hertz",
    "uthd": "thd_percent",
}  # fmt: skip
_COLUMN: Final = re.compile(
    r"(?P<function>urms|umn|irms|imn|uthd|lambda|frequ|freq|fu|pf|[uviapwfλ])"
    r"[-_ ]*(?:(?P<sum>sigma[abc]?|sum|total|[σΣ∑][abc]?)|e(?:lement)? ?-?(?P<e>[1-7])|(?P<n>[1-7]))?"
    r"(?:[-_ ]total)?",
    re.IGNORECASE,
)
_MODEL: Final = re.compile(r"\bWT\s?-?[0-9]{3,4}[A-Z]{0,2}\b", re.IGNORECASE)
SUM: Final = "sum"


def read(path: Path, address: Address) -> list[InstrumentLog]:
    """The logs of an analyser. Raises ``InputError`` with the place."""
    text = table.load(path, address.options.get("delimiter"))
    at, channels = _channels(text)
    row = text.rows[at]
    first = at + 1
    units: list[str | None] = [table.split_name(cell)[1] for cell in row.cells]
    if first < len(text.rows) and _are_units(text, text.rows[first], channels):
        units = [cell.strip() or None for cell in text.rows[first].cells]
        units += [None] * (len(row.cells) - len(units))
        first += 1
    time = table.time_columns(row.cells, address.options.get("time"), text, row)
    plain = [table.split_name(cell)[0] for cell in row.cells]
    ms = next((plain.index(name) for name in ("millisecond", "milliseconds", "msec") if name in plain), None)
    model, details = _identity(text, at)
    logs = []
    wanted = chosen(address, list(channels), path)
    for channel in wanted:
        quantities = {
            name: table.in_unit(name, column.index, _unit(units[column.index]), text.where(row))
            for name, column in channels[channel].items()
        }
        instrument = Instrument(
            name=address.name if len(wanted) == 1 else f"element {channel}",
            kind="yokogawa",
            grade=SCHEMES["yokogawa"].grade,
            why=SCHEMES["yokogawa"].why,
            model=model,
            serial=details.get("serial"),
            sample_interval_s=table.interval_option(address.options, path),
            details={"channel": channel},
        )
        logs.append(table.to_log(text, TableLayout(first, time, ms, quantities), address, instrument))
    return logs


def chosen(address: Address, there: list[str], path: Path) -> list[str]:
    """The channels that an address asks for. Raises ``InputError``."""
    asked = address.options.get("channel", SUM if SUM in there else "all").lower()
    elements = [channel for channel in there if channel != SUM]
    if asked == "all":
        return elements or there
    if asked in there:
        return [asked]
    if asked == SUM and len(elements) == 1:
        return elements
    raise InputError(
        "unknown-name", str(path), f"there is no channel {asked[:20]!r}; available: {', '.join(there)}"
    )


def _channels(text: TableText) -> tuple[int, dict[str, dict[str, QuantityColumn]]]:
    """The header's index, and the columns of each channel that has power."""
    for at, row in enumerate(text.rows[: table.PREAMBLE]):
        channels: dict[str, dict[str, QuantityColumn]] = {}
        for index, cell in enumerate(row.cells):
            match = _COLUMN.fullmatch(table.split_name(cell)[0])
            if match is None:
                continue
            channel = SUM if match["sum"] else match["e"] or match["n"] or "1"
            quantity = _FUNCTIONS[match["function"].lower()]
            channels.setdefault(channel, {}).setdefault(quantity, QuantityColumn(index))
        powered = {channel: found for channel, found in channels.items() if "watts" in found}
        if powered and any("volts" in found for found in channels.values()):
            return at, dict(sorted(powered.items()))
    message = "not data of a Yokogawa WT: no line names U, I and P of an element (U-E1, I-E1, P-E1)"
    raise InputError("wrong-format", str(text.path), message, hint="csv: reads any other table")


def _unit(unit: str | None) -> str | None:
    return unit if unit and re.fullmatch(r"[%\w°]{1,6}", unit) else None


def _are_units(text: TableText, row: TableRow, channels: dict[str, dict[str, QuantityColumn]]) -> bool:
    """Whether the row below the names holds units, not samples."""
    indices = [column.index for found in channels.values() for column in found.values()]
    cells = [row.cells[index].strip() for index in indices if index < len(row.cells)]
    return (
        bool(cells)
        and all(re.fullmatch(r"[%A-Za-z°]{0,4}", cell) for cell in cells)
        and any(cell.lower() in ("w", "kw", "mw", "v", "a") for cell in cells)
    )


def _identity(text: TableText, at: int) -> tuple[str | None, dict[str, str]]:
    """Model and serial number, as the lines before the header say them."""
    model: str | None = None
    details: dict[str, str] = {}
    for row in text.rows[:at]:
        line = " ".join(cell.strip() for cell in row.cells)
        match = _MODEL.search(line)
        if match and model is None:
            model = f"Yokogawa {match[0].upper()}"
        key = row.cells[0].strip().strip('":').lower()
        if key.startswith("serial") and len(row.cells) > 1 and row.cells[1].strip():
            details["serial"] = row.cells[1].strip()[:40]
    return model, details
