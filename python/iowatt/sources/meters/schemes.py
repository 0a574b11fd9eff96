"""The instruments there are, by the scheme of their address. Modules are imported when they are needed.

A live instrument's module has ``create(address) -> Meter`` and a log's ``read(path, address) -> list[Log]``;
both have ``OPTIONS``, the options of the address with a few words on each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from iowatt.sources.meters.log import Grade


@dataclass(frozen=True)
class Scheme:
    """A kind of instrument."""

    module: str
    live: bool  #: Whether it is read live; else it is a log in a file.
    what: str
    example: str
    grade: Grade  #: Of its kind; "declared" where only whoever asks knows what measured.
    why: str
    declarable: bool = False  #: Whether ``grade=emerald`` may be said of it with model and uncertainty.


_HERE: Final = "iowatt.sources.meters."
_MANAGEMENT: Final = "the controller's own sensor: an average over a time it chooses, of unstated accuracy"
_UNKNOWN: Final = "what measured is not known from the file; declare it with grade, model and uncertainty"

SCHEMES: Final[dict[str, Scheme]] = {
    "snmp": Scheme(
        _HERE + "snmp", True, "a power distribution unit or UPS, by SNMP", "snmp://pdu1/apc-rpdu2?community=public",
        "indicative", "the accuracy of a PDU's meter is not known from the protocol; declare it", True,
    ),
    "redfish": Scheme(
        _HERE + "redfish", True, "a management controller, by Redfish", "redfish://user:env:BMC_PASSWORD@bmc1/1U",
        "indicative", _MANAGEMENT,
    ),
    "ipmi": Scheme(
        _HERE + "ipmi", True, "a management controller, by IPMI DCMI (ipmitool)", "ipmi://user:env:BMC_PASSWORD@bmc1",
        "indicative", _MANAGEMENT,
    ),
    "nut": Scheme(
        _HERE + "nut", True, "a UPS or PDU, by Network UPS Tools", "nut://localhost/ups",
        "indicative", "the accuracy of a UPS's meter is not known from the protocol; declare it", True,
    ),
    "prometheus": Scheme(
        _HERE + "prometheus", True, "a time series of Prometheus", "prometheus://localhost/lab_power_watts",
        "indicative", "what measured is not known from the series; declare it", True,
    ),
    "scpi": Scheme(
        _HERE + "scpi", True, "a power analyser, by SCPI (Yokogawa WT)", "scpi://wt310/1",
        "emerald", "a laboratory power analyser; its model and range decide its accuracy", True,
    ),
    "ptdaemon": Scheme(
        _HERE + "ptdaemon", True, "SPEC PTDaemon, over the network", "ptdaemon://localhost:8888",
        "emerald", "PTDaemon drives analysers that SPEC has accepted, and checks their uncertainty", True,
    ),
    "rapl": Scheme(
        _HERE + "rapl", True, "this host's processors, by RAPL (powercap)", "rapl:package-0",
        "indicative", "energy of processors and memory by their own count, not of storage at the wall",
    ),
    "hwmon": Scheme(
        _HERE + "hwmon", True, "a sensor of this host, by hwmon", "hwmon:nvme/temp1",
        "indicative", "a sensor on a board, of unstated accuracy",
    ),
    "recording": Scheme(
        _HERE + "recording", False, "a recording of `iowatt meter record`", "recording:meters/pdu1.csv",
        "indicative", "as the instrument that was recorded",
    ),
    "csv": Scheme(
        _HERE + "csv_log", False, "any delimited text, by its columns",
        "csv:power.csv?time=when&watts=P&utc-offset=Z",
        "indicative", _UNKNOWN, True,
    ),
    "watts-up": Scheme(
        _HERE + "watts_up", False, "a log of a Watts up? meter", "watts-up:wattsup.csv?utc-offset=+01:00",
        "indicative", "accuracy 1.5 % and 3 counts by its maker, where 1 % is asked for",
    ),
    "yokogawa": Scheme(
        _HERE + "yokogawa_csv", False, "stored data of a Yokogawa WT analyser",
        "yokogawa:wt310.csv?utc-offset=Z",
        "emerald", "a laboratory power analyser; its model and range decide its accuracy", True,
    ),
    "ptdaemon-log": Scheme(
        _HERE + "ptdaemon_log", False, "a log of SPEC PTDaemon", "ptdaemon-log:ptd.txt?utc-offset=-08:00",
        "emerald", "PTDaemon drives analysers that SPEC has accepted, and checks their uncertainty", True,
    ),
}  # fmt: skip
