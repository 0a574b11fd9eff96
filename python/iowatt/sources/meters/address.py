"""The kinds of instruments, and their addresses: `snmp://pdu1/1?community=lab`, `csv:power.csv`.

An address is a scheme, what it names, and options, and may have a name before it: `left=snmp://pdu1/1` is
`snmp://pdu1/1?name=left`. Options are written `key=value`, separated by `&`; a `%`
that is not followed by two hexadecimal digits stands for itself, so that time formats need no escapes.

A live instrument's module has ``create(address) -> Meter`` and a log's ``read(path, address)``, which
returns a list of logs; modules are imported when they are needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from iowatt.base.errors import InputError

if TYPE_CHECKING:
    from iowatt.sources.meters.log.instrument import Grade


@dataclass(frozen=True)
class InstrumentScheme:
    """A kind of instrument."""

    module: str
    live: bool  #: Whether it is read live; else it is a log in a file.
    what: str
    example: str
    grade: Grade  #: Of its kind, unless the address declares another.
    why: str
    declarable: bool = False  #: Whether ``grade=emerald`` may be declared, with model and uncertainty.
    options: str = "OPTIONS"  #: The name of the module's table of options.


_HERE: Final = "iowatt.sources.meters."
_MANAGEMENT: Final = "the controller's own sensor: an average over a time it chooses, of unstated accuracy"
_UNKNOWN: Final = "the file does not say what measured; declare it with grade, model and uncertainty"

SCHEMES: Final[dict[str, InstrumentScheme]] = {
    "snmp": InstrumentScheme(
        _HERE + "snmp", True, "a power distribution unit or UPS, by SNMP", "snmp://pdu1/apc-rpdu2?community=public",
        "indicative", "the accuracy of a PDU's meter is not known from the protocol; declare it", True,
    ),
    "modbus": InstrumentScheme(
        _HERE + "modbus", True, "a panel or energy meter, by Modbus TCP", "modbus://meter1/1?profile=sdm630",
        "indicative", "the class of a meter is not known from the protocol; declare it", True,
    ),
    "redfish": InstrumentScheme(
        _HERE + "redfish", True, "a management controller, by Redfish", "redfish://user:env:BMC_PASSWORD@bmc1/1U",
        "indicative", _MANAGEMENT,
    ),
    "ipmi": InstrumentScheme(
        _HERE + "ipmi", True, "a management controller, by IPMI DCMI (ipmitool)", "ipmi://user:env:BMC_PASSWORD@bmc1",
        "indicative", _MANAGEMENT,
    ),
    "nut": InstrumentScheme(
        _HERE + "nut", True, "a UPS or PDU, by Network UPS Tools", "nut://localhost/ups",
        "indicative", "the accuracy of a UPS's meter is not known from the protocol; declare it", True,
    ),
    "prometheus": InstrumentScheme(
        _HERE + "prometheus", True, "a time series of Prometheus", "prometheus://localhost/lab_power_watts",
        "indicative", "the series does not say what measured; declare it", True,
    ),
    "scpi": InstrumentScheme(
        _HERE + "scpi", True, "a power analyser, by SCPI (Yokogawa WT, R&S HMC8015, Hioki PW333x)", "scpi://wt310/1",
        "emerald", "a laboratory power analyser; its model and range decide its accuracy", True,
    ),
    "ptdaemon": InstrumentScheme(
        _HERE + "ptdaemon", True, "SPEC PTDaemon, over the network", "ptdaemon://localhost:8888",
        "emerald", "PTDaemon drives analysers that SPEC has accepted, and checks their uncertainty", True,
    ),
    "rapl": InstrumentScheme(
        _HERE + "host", True, "this host's processors, by RAPL (powercap)", "rapl:package-0",
        "indicative", "energy of processors and memory by their own count, not of storage at the wall",
    ),
    "hwmon": InstrumentScheme(
        _HERE + "host", True, "a sensor of this host, by hwmon", "hwmon:nvme/temp1",
        "indicative", "a sensor on a board, of unstated accuracy",
    ),
    "recording": InstrumentScheme(
        _HERE + "recording.recorder", False, "a recording of `iowatt meter record`",
        "recording:meters/pdu1.csv", "indicative", "as the instrument that was recorded",
    ),
    "csv": InstrumentScheme(
        _HERE + "csv_log", False, "any delimited text, by its columns",
        "csv:power.csv?time=when&watts=P&utc-offset=Z",
        "indicative", _UNKNOWN, True,
    ),
    "watts-up": InstrumentScheme(
        _HERE + "csv_log", False, "a log of a Watts up? meter", "watts-up:wattsup.csv?utc-offset=+01:00",
        "indicative", "the maker states 1.5 % and 3 counts, where 1 % is asked for", options="STAMP_COLUMNS",
    ),
    "yokogawa": InstrumentScheme(
        _HERE + "yokogawa_csv", False, "stored data of a Yokogawa WT analyser",
        "yokogawa:wt310.csv?utc-offset=Z",
        "emerald", "a laboratory power analyser; its model and range decide its accuracy", True,
    ),
    "ptdaemon-log": InstrumentScheme(
        _HERE + "ptdaemon_log", False, "a log of SPEC PTDaemon", "ptdaemon-log:ptd.txt?utc-offset=-08:00",
        "emerald", "PTDaemon drives analysers that SPEC has accepted, and checks their uncertainty", True,
    ),
}  # fmt: skip


_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]{0,31}):(.*)", re.ASCII | re.DOTALL)
_LONGEST: Final = 4096
_LAST_PORT: Final = 65535

#: Options with secret values.
SECRETS: Final = frozenset({"password", "community", "token", "auth-key", "priv-key"})

_SECRET_OPTION: Final = re.compile(rf"((?:{'|'.join(sorted(SECRETS))})=)[^&]*")
_NAMED: Final = re.compile(r"([A-Za-z0-9_.-]{1,60})=(.+)", re.ASCII | re.DOTALL)
#: A name or an option before an address, or both.
_BEHIND: Final = re.compile(r"((?:[A-Za-z0-9_.-]{1,60}=){0,2})(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class Address:
    """An address in its parts."""

    scheme: str
    host: str = ""  #: Empty where the address names no host (`csv:power.csv`).
    port: int | None = None
    user: str | None = None
    password: str | None = None
    path: str = ""  #: Behind the host, without its first slash; all of it where there is no host.
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def secret(self) -> bool:
        """Whether it has a password or a secret option."""
        return self.password is not None or not SECRETS.isdisjoint(self.options)

    @property
    def public(self) -> str:
        """The address without passwords and keys."""
        return _written(
            replace(
                self,
                password=None if self.password is None else "***",
                options={key: "***" if key in SECRETS else value for key, value in self.options.items()},
            )
        )

    @property
    def name(self) -> str:
        """Its name in logs: the option ``name``, else made of host and path."""
        given = self.options.get("name")
        if given is None:
            stem = self.path.rsplit("/", 1)[-1] if not self.host else f"{self.host} {self.path}"
            given = re.sub(r"\.(csv|txt|log|tsv)$", "", stem)
        return re.sub(r"[^\w.-]+", "-", given, flags=re.ASCII).strip("-.")[:80] or self.scheme

    def error(self, code: str, message: str, hint: str | None = None) -> InputError:
        """An error whose place is this address, without its secrets."""
        return InputError(code, self.public, message, hint=hint)


def split_name(text: str) -> tuple[str | None, str]:
    """The name before an address and the address: ``left=snmp://pdu1/1``."""
    match = _NAMED.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)


def parse(text: str) -> Address:
    """An address as written.

    Raises ``InputError`` where it has no scheme, a wrong port or an option without a value. Whether there is
    such a scheme, :mod:`iowatt.sources.meters.source` says.
    """
    name, text = split_name(text.strip())
    match = _SCHEME.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        shown = _SECRET_OPTION.sub(r"\1***", re.sub(r"//[^/]*@", "//***@", text))[:80]
        logs = ", ".join(f"{name}:" for name, kind in SCHEMES.items() if not kind.live)
        message = (
            "not the address of an instrument; an address begins with a scheme, such as snmp://pdu1/1, or "
            f"for a log with the scheme of its format: {logs}"
        )
        hint = "`iowatt meter list` explains each; csv: reads any table by its columns"
        raise InputError("bad-syntax", shown, message, hint=hint)
    rest, _, query = match[2].partition("?")
    options = _options(query, match[1])
    if name is not None:
        if "name" in options:
            raise InputError("duplicate", f"{match[1]}:", f"the instrument is named twice: {name!r}, ?name=")
        options["name"] = name
    if not rest.startswith("//"):
        return Address(match[1].lower(), path=unquote(rest), options=options)
    authority, _, path = rest[2:].partition("/")
    login, at, place = authority.rpartition("@")
    user, colon, password = login.partition(":")
    host, port = _place(place, match[1])
    return Address(
        match[1].lower(),
        host=host,
        port=port,
        user=unquote(user) if at and user else None,
        password=unquote(password) if colon else None,
        path=unquote(path),
        options=options,
    )


def public_word(word: str) -> str:
    """A word of a command line as it may be written down.

    An address (``snmp://...``), or one behind a name or an option (``pdu=snmp://...``, ``--meter=...``), is
    given without its secrets; any other word is given as it is.
    """
    match = _BEHIND.fullmatch(word)
    if match is None or not _SCHEME.fullmatch(match[2].strip()):
        return word
    try:
        address = parse(match[2])
    except InputError:  # it will be refused elsewhere; hide what looks secret
        rest = re.sub(r"//[^/]*@", "//***@", match[2])
        return match[1] + _SECRET_OPTION.sub(r"\1***", rest)
    return match[1] + address.public if address.secret else word


def _place(place: str, scheme: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.%]+\]|[^:\[\]]*)(?::([0-9]{1,5}))?", place)
    if match is None or (match[2] and not 0 < int(match[2]) <= _LAST_PORT):
        message = f"{place[:80]!r} is not a host, or host:port with a port of 1 to 65535"
        raise InputError("bad-syntax", f"{scheme}:", message)
    return match[1].strip("[]"), int(match[2]) if match[2] else None


def _options(query: str, scheme: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in filter(None, query.split("&")):
        key, equals, value = part.partition("=")
        key = unquote(key)
        if not equals or not key:
            raise InputError(
                "bad-syntax", f"{scheme}:", f"{key[:40]!r} is not an option; options are written key=value"
            )
        if key in options:
            raise InputError("duplicate", f"{scheme}:", f"the option {key[:40]!r} is given twice")
        options[key] = unquote(value)
    return options


def _written(address: Address) -> str:
    head = f"{address.scheme}:"
    if address.host:
        login = address.user or ""
        login += f":{address.password}" if address.password is not None else ""
        host = f"[{address.host}]" if ":" in address.host else address.host
        port = f":{address.port}" if address.port is not None else ""
        head += f"//{login + '@' if login else ''}{host}{port}/"
    options = "&".join(f"{key}={value}" for key, value in address.options.items())
    return head + address.path + (f"?{options}" if options else "")
