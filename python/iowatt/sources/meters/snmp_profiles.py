"""Where power distribution units and UPSs keep their power, by MIB. Figures are the MIBs' own units.

An object that a unit does not support answers -1 in all of these MIBs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class SnmpPoint:
    """One object; ``{index}`` is the number of the unit, inlet, outlet or line."""

    oid: str
    scale: float = 1.0  #: Watts, volts, amperes, ... for a count of one.
    digits: str | None = None  #: An object that says how many of the value's digits are decimals.
    valid: str | None = None  #: An object that is 1 while the value may be used.


@dataclass(frozen=True)
class SnmpProfile:
    """A family of devices."""

    what: str
    mib: str
    index: str | None  #: The index where the address gives none; None where the address must give it.
    points: Mapping[str, SnmpPoint]
    model: str | None = None
    serial: str | None = None
    note: str = ""  #: A remark for readers of the figures.


_APC: Final = "1.3.6.1.4.1.318.1.1"
_RARITAN: Final = "1.3.6.1.4.1.13742.6"
_SERVERTECH: Final = "1.3.6.1.4.1.1718"
_EATON: Final = "1.3.6.1.4.1.534.6.6.7"
_UPS: Final = "1.3.6.1.2.1.33.1"


def _raritan(measured: str, configured: str) -> dict[str, SnmpPoint]:
    """Sensor types of PDU2-MIB: 1 rmsCurrent, 4 rmsVoltage, 5 activePower, 7 powerFactor, 23 frequency.

    Columns: 2 IsAvailable and 4 Value of what is measured, 7 DecimalDigits of what is configured.
    """
    kinds = {"watts": 5, "volts": 4, "amperes": 1, "power_factor": 7, "hertz": 23}
    return {
        name: SnmpPoint(
            f"{_RARITAN}.{measured}.4.{{index}}.{kind}",
            digits=f"{_RARITAN}.{configured}.7.{{index}}.{kind}",
            valid=f"{_RARITAN}.{measured}.2.{{index}}.{kind}",
        )
        for name, kind in kinds.items()
    }


PROFILES: Final[Mapping[str, SnmpProfile]] = {
    "apc-rpdu2": SnmpProfile(
        what="APC rack PDU 2G, the whole unit",
        mib="PowerNet-MIB rPDU2DeviceStatusPower",
        index="1",
        points={"watts": SnmpPoint(f"{_APC}.26.4.3.1.5.{{index}}", 10.0)},
        model=f"{_APC}.26.2.1.8.{{index}}",
        serial=f"{_APC}.26.2.1.9.{{index}}",
        note="it counts in hundredths of a kilowatt: steps of 10 W",
    ),
    "apc-rpdu2-outlet": SnmpProfile(
        what="APC rack PDU 2G metered by outlet, one outlet",
        mib="PowerNet-MIB rPDU2OutletMeteredStatusTable",
        index=None,
        points={
            "watts": SnmpPoint(f"{_APC}.26.9.4.3.1.7.{{index}}"),
            "amperes": SnmpPoint(f"{_APC}.26.9.4.3.1.6.{{index}}", 0.1),
        },
    ),
    "apc-rpdu": SnmpProfile(
        what="APC rack PDU of the first generation, the whole unit",
        mib="PowerNet-MIB rPDUIdentDevicePowerWatts",
        index="0",
        points={
            "watts": SnmpPoint(f"{_APC}.12.1.16.{{index}}"),
            "volts": SnmpPoint(f"{_APC}.12.1.15.{{index}}"),
        },
        model=f"{_APC}.12.1.5.0",
        serial=f"{_APC}.12.1.6.0",
        note="it reckons watts from amperes and a voltage and power factor that were typed in",
    ),
    "raritan": SnmpProfile(
        what="Raritan PX, one inlet",
        mib="PDU2-MIB measurementsInletSensorValue, inletSensorDecimalDigits",
        index="1.1",
        points=_raritan("5.2.3.1", "3.3.4.1"),
    ),
    "raritan-outlet": SnmpProfile(
        what="Raritan PX, one outlet",
        mib="PDU2-MIB measurementsOutletSensorValue, outletSensorDecimalDigits",
        index=None,
        points=_raritan("5.4.3.1", "3.5.4.1"),
    ),
    "sentry4": SnmpProfile(
        what="Server Technology PRO2, one input cord",
        mib="Sentry4-MIB st4InputCordActivePower",
        index="1.1",
        points={"watts": SnmpPoint(f"{_SERVERTECH}.4.1.3.3.1.3.{{index}}")},
    ),
    "eaton": SnmpProfile(
        what="Eaton ePDU, one measure of an input",
        mib="EATON-EPDU-MIB inputWatts",
        index="0.1.1",
        points={"watts": SnmpPoint(f"{_EATON}.3.4.1.4.{{index}}")},
    ),
    "ups": SnmpProfile(
        what="any UPS with the standard MIB, one line of its output",
        mib="UPS-MIB (RFC 1628) upsOutputPower",
        index="1",
        points={
            "watts": SnmpPoint(f"{_UPS}.4.4.1.4.{{index}}"),
            "volts": SnmpPoint(f"{_UPS}.4.4.1.2.{{index}}"),
            "amperes": SnmpPoint(f"{_UPS}.4.4.1.3.{{index}}", 0.1),
            "hertz": SnmpPoint(f"{_UPS}.4.2.0", 0.1),
        },
        model=f"{_UPS}.1.2.0",
    ),
}

#: RFC 3433, entPhySensorTable: the columns, what its types measure, and its scales as powers of ten.
ENTITY_SENSOR: Final = "1.3.6.1.2.1.99.1.1.1"
ENTITY_TYPES: Final = {3: "volts", 4: "volts", 5: "amperes", 6: "watts", 7: "hertz", 8: "celsius"}


def entity_power(scale: int, precision: int) -> int:
    """The power of ten that a count of one is: SensorDataScale 9 is units, each step a thousand."""
    return 3 * (scale - 9) - precision
