"""Where meters keep their watts, by Modbus: ``modbus_profiles.toml``, with the source of each profile."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from iowatt.sources.meters.modbus_registers import ModbusRegister, parse_register

FILE: Final = Path(__file__).with_name("modbus_profiles.toml")

Registers = Mapping[str, ModbusRegister]


@dataclass(frozen=True)
class ModbusProfile:
    """A family of instruments."""

    what: str
    function: str  #: ``holding`` or ``input``.
    source: str  #: Where the registers are from.
    checked: str  #: What they were checked against.
    total: Registers  #: By quantity.
    phases: tuple[Registers, ...] = ()  #: By quantity, of each phase; none where there is one phase only.
    note: str = ""  #: A remark for readers of the figures.


@cache
def profiles() -> Mapping[str, ModbusProfile]:
    """All profiles by name."""
    tables = tomllib.loads(FILE.read_text("utf-8"))
    return {name: _profile(table) for name, table in tables.items()}


def _profile(table: Mapping[str, Any]) -> ModbusProfile:
    phases = table.get("phases", {})
    count = len(next(iter(phases.values()), ()))
    return ModbusProfile(
        **{key: value for key, value in table.items() if key not in ("total", "phases")},
        total={quantity: parse_register(text) for quantity, text in table["total"].items()},
        phases=tuple(
            {quantity: parse_register(texts[phase]) for quantity, texts in phases.items()}
            for phase in range(count)
        ),
    )
