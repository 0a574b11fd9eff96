"""A power meter over Modbus TCP, also behind a gateway to a serial line: ``modbus://HOST/UNIT?profile=sdm630``.

Which registers hold watts is a profile's business (``modbus_profiles``); those of any other meter are named
in the address: ``modbus://HOST/1?watts=0x34:f32&function=input``.
"""

from __future__ import annotations

import time
from typing import Final

from iowatt.sources.meters import network
from iowatt.sources.meters.address import Address
from iowatt.sources.meters.log.instrument import QUANTITIES, Instrument, MeterError, Reading
from iowatt.sources.meters.modbus_connection import FUNCTIONS, ModbusConnection
from iowatt.sources.meters.modbus_profiles import ModbusProfile, Registers, profiles
from iowatt.sources.meters.modbus_registers import FORM, ORDERS, TYPES, ModbusRegister, parse_register

WHY: Final = (
    "a panel or energy meter: its class and the span of its averages are unstated over Modbus, and it is no "
    "analyser of the accepted lists"
)
#: Option of a quantity's register -> quantity.
_NAMED: Final = {name.replace("_", "-"): name for name in QUANTITIES}
_TOTAL: Final = "total"
OPTIONS: Final = {
    **network.COMMON,
    "profile": f"registers of a known meter: {', '.join(profiles())}",
    "phase": "of a profile: 1, 2 or 3; total (default)",
    "function": "of registers that are named here: holding (default; function 3) or input (function 4)",
    **{option: f"register of {name}: {FORM}" for option, name in _NAMED.items()},
    "watts": f"register of the watts: {FORM}, counted from 0, such as 0x34:f32 or 40:s32:0.1:little; "
    f"{', '.join(TYPES)}; {' or '.join(ORDERS)} word first",
    "joules": f"register of an energy counter: {FORM}; a reading has what it counted since the one before",
}
_PORT: Final = 502
_UNIT: Final = "1"
#: The device has no such register.
_ABSENT: Final = "unknown-name"


class ModbusMeter:
    """A ``Meter``: one connection, each quantity by a request of its own, the watts first."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._timeout_s = network.timeout_s(address)
        self._host, self._port = network.host(address), address.port or _PORT
        self._unit = _unit(address)
        self._who = f"modbus://{network.endpoint(address, _PORT)}/{self._unit}"
        self._profile, self._function, self._wanted = _registers(address)
        self._registers: Registers = {}
        self._connection: ModbusConnection | None = None
        self._counted: float | None = None

    def open(self) -> Instrument:
        """Connect, and read each register once; a profile's that the meter does not have are left out."""
        self.close()
        found: dict[str, ModbusRegister] = {}
        for name, register in self._wanted.items():
            try:
                if self._value(register) is None and not found:
                    raise self._none(name, register)
            except MeterError as error:
                if self._profile is None or not found or error.code != _ABSENT:
                    self.close()
                    raise
                continue
            found[name] = register
        self._registers = found
        profile = self._profile
        return network.instrument(
            self._address,
            why=f"{WHY}; {profile.note}" if profile is not None and profile.note else WHY,
            details={
                "address": self._address.public,
                "device": "a meter by its registers" if profile is None else profile.what,
                "registers": ", ".join([self._function, *(f"{name} {one}" for name, one in found.items())]),
                "source": "" if profile is None else profile.source,
                "checked": "" if profile is None else profile.checked,
            },
        )

    def read(self) -> Reading:
        """All quantities, one after another, at the time when the first came."""
        if not self._registers:
            self.open()
        try:
            return self._read()
        except MeterError:
            self._counted = None  # what a counter counts meanwhile is not of one reading
            raise

    def close(self) -> None:
        """Close the connection; never raises."""
        self._registers, self._counted = {}, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _read(self) -> Reading:
        quantities: dict[str, float] = {}
        now = 0.0
        for name, register in self._registers.items():
            value = self._value(register)
            now = now or time.time()
            if value is None and not quantities:
                raise self._none(name, register)
            if name == "joules" and value is not None:
                value = self._since(value)
            if value is not None:
                quantities[name] = value
        return Reading(now, quantities)

    def _none(self, name: str, register: ModbusRegister) -> MeterError:
        return MeterError("missing-figure", self._who, f"register {register}: no {name} at present")

    def _since(self, counted: float) -> float | None:
        """What a counter counted since the reading before; none after a gap or where it was set back."""
        before, self._counted = self._counted, counted
        return None if before is None or counted < before else counted - before

    def _value(self, register: ModbusRegister) -> float | None:
        if self._connection is None or self._connection.closed:
            self._connection = ModbusConnection(
                self._host, self._port, timeout_s=self._timeout_s, place=self._who
            )
        return register.value(
            self._connection.read(self._function, self._unit, register.number, register.count)
        )


create = ModbusMeter


def _unit(address: Address) -> int:
    text = address.path.strip("/") or _UNIT
    if not (text.isascii() and text.isdigit() and int(text[:4]) <= 255):
        message = f"{text[:40]!r} is not a unit, 0 to 255"
        raise address.error("out-of-range", message, "write modbus://HOST/UNIT?profile=NAME")
    return int(text)


def _registers(address: Address) -> tuple[ModbusProfile | None, str, Registers]:
    """The profile that an address names, or none; the function; and the registers by quantity."""
    options = address.options
    named = [option for option in _NAMED if option in options]
    if "profile" in options:
        if named or "function" in options:
            both = ", ".join([*named, *(["function"] if "function" in options else [])])
            raise address.error("conflict", f"profile and {both} exclude each other")
        return _of_profile(address)
    if "phase" in options:
        raise address.error("not-applicable", "phase: only of a profile")
    if not named:
        hint = f"write profile=NAME ({', '.join(profiles())}) or watts={FORM}"
        raise address.error("missing", "the address names no registers", hint)
    registers = {}
    for option in named:
        try:
            registers[_NAMED[option]] = parse_register(options[option])
        except ValueError as error:
            raise address.error("bad-syntax", f"{option}: {error}", f"write {option}={FORM}") from None
    if set(registers) == {"joules"}:
        raise address.error("missing", "an energy counter alone is no reading: name a register of watts too")
    return None, network.word_option(address, "function", FUNCTIONS, "holding"), registers


def _of_profile(address: Address) -> tuple[ModbusProfile, str, Registers]:
    name = address.options["profile"]
    profile = profiles().get(name)
    if profile is None:
        message = f"there is no profile {name!r}; available: {', '.join(profiles())}"
        raise address.error("unknown-name", message, "other registers are named by watts=NUMBER:TYPE")
    phases = [str(number) for number in range(1, len(profile.phases) + 1)]
    phase = network.word_option(address, "phase", [_TOTAL, *phases], _TOTAL)
    return profile, profile.function, profile.total if phase == _TOTAL else profile.phases[int(phase) - 1]
