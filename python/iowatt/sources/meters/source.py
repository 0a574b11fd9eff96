"""From the address of an instrument to the instrument, or to the log that it names."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from iowatt.sources.meters.address import SCHEMES, Address, InstrumentScheme, parse
from iowatt.sources.meters.log.checks import judged
from iowatt.sources.meters.log.instrument import Instrument, InstrumentLog, Meter, Reading

#: Options that every address takes: what the user knows of the instrument.
DECLARED: Final[Mapping[str, str]] = {
    "name": "its name in results",
    "model": "maker and model",
    "serial": "serial number",
    "calibrated": "date of its last calibration, as 2026-01-31",
    "uncertainty": "uncertainty of a power sample in percent",
    "grade": "emerald: declared to meet the rules, together with model and uncertainty (1 or less)",
}
_MOST_UNCERTAIN: Final = 1.0


def find(text: str, defaults: Mapping[str, str] | None = None) -> tuple[Address, InstrumentScheme]:
    """The address with its scheme and options checked. Raises ``InputError``.

    ``defaults`` are options for whichever instrument takes them, where its address does not give them.
    """
    address = parse(text)
    scheme = SCHEMES.get(address.scheme)
    if scheme is None:
        near = difflib.get_close_matches(address.scheme, SCHEMES, 1)
        message = f"there is no kind of instrument {address.scheme!r}; expected one of {', '.join(SCHEMES)}"
        raise address.error("unknown-name", message, f"did you mean {near[0]}:?" if near else None)
    known = {**DECLARED, **getattr(_module(scheme, address), scheme.options)}
    given = {key: value for key, value in (defaults or {}).items() if key in known}
    address = replace(address, options={**given, **address.options})
    for key in address.options:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            message = f"{address.scheme} has no option {key!r}; it takes {', '.join(known)}"
            raise address.error("unknown-key", message, f"did you mean {near[0]}?" if near else None)
    _declared(address, scheme)
    return address, scheme


def is_live(text: str) -> bool:
    """Whether an address is of an instrument that is read live, not of a log. Raises ``InputError``."""
    return find(text)[1].live


def meter(text: str) -> Meter:
    """The live instrument of an address, not yet opened.

    Raises ``InputError`` where the address is wrong, or names a log.
    """
    address, scheme = find(text)
    if not scheme.live:
        message = f"{address.scheme} is a log, which can be read but not recorded"
        raise address.error("wrong-kind", message, "`iowatt meter read` summarises it")
    made: Meter = _module(scheme, address).create(address)
    return DeclaredMeter(made, address, scheme)


def logs(text: str, defaults: Mapping[str, str] | None = None) -> list[InstrumentLog]:
    """The log of an address: one for each channel that is to be summed, most often one.

    ``defaults`` as for :func:`find`: ``{"utc-offset": "+01:00"}``. Raises ``InputError`` with the file and
    the place, or where the address is of a live instrument.
    """
    address, scheme = find(text, defaults)
    if scheme.live:
        message = f"{address.scheme} is read live, it is not a log"
        raise address.error("wrong-kind", message, "`iowatt meter record` makes a log of it")
    if not address.path:
        raise address.error("missing", "the address has no file", f"write {scheme.example}")
    found: list[InstrumentLog] = _module(scheme, address).read(Path(address.path), address)
    several = len(found) > 1
    return [
        judged(replace(log, instrument=declare(log.instrument, address, scheme, keep_name=several)))
        for log in found
    ]


def declare(
    instrument: Instrument, address: Address, scheme: InstrumentScheme, *, keep_name: bool = False
) -> Instrument:
    """An instrument with the facts that its address declares."""
    said = _declared(address, scheme)
    if keep_name and "name" in said:
        said["name"] = f"{said['name']} {instrument.name}"
    return replace(instrument, **said)


class DeclaredMeter:
    """An instrument with the facts that its address declares."""

    def __init__(self, inner: Meter, address: Address, scheme: InstrumentScheme) -> None:
        self.inner = inner
        self.address = address
        self._scheme = scheme

    def open(self) -> Instrument:
        """As the instrument itself."""
        return declare(self.inner.open(), self.address, self._scheme)

    def read(self) -> Reading:
        """As the instrument itself."""
        return self.inner.read()

    def close(self) -> None:
        """As the instrument itself."""
        self.inner.close()


def _module(scheme: InstrumentScheme, address: Address) -> Any:
    try:
        return import_module(scheme.module)
    except ModuleNotFoundError as error:
        message = f"{address.scheme} needs the Python package {error.name}"
        raise address.error("tool-missing", message, "pip install 'iowatt[meters]'") from None


def _declared(address: Address, scheme: InstrumentScheme) -> dict[str, Any]:
    """The fields of an instrument that an address gives. Raises ``InputError``."""
    options = address.options
    said: dict[str, Any] = {key: options[key] for key in ("model", "serial") if key in options}
    if "name" in options:
        said["name"] = address.name
    if "calibrated" in options:
        try:
            said["calibrated"] = date.fromisoformat(options["calibrated"])
        except ValueError:
            raise address.error(
                "bad-syntax", f"calibrated={options['calibrated']!r} is not a date such as 2026-01-31"
            ) from None
    if "uncertainty" in options:
        said["uncertainty_percent"] = _percent(address)
    grade = options.get("grade")
    if grade is None:
        return said
    if grade not in ("emerald", "indicative"):
        raise address.error("not-accepted", f"grade={grade!r} is not emerald or indicative")
    if grade == "indicative":
        return said | {"grade": "indicative", "why": "declared so"}
    if not scheme.declarable:
        raise address.error(
            "not-applicable", f"{address.scheme} cannot be declared emerald-grade: {scheme.why}"
        )
    if "model" not in said or said.get("uncertainty_percent", 100.0) > _MOST_UNCERTAIN:
        raise address.error(
            "missing", "grade=emerald needs model=... and uncertainty=... of 1 (percent) or less"
        )
    why = f"declared so: {said['model']}, uncertainty {said['uncertainty_percent']:g} %"
    return said | {"grade": "emerald", "why": why}


def _percent(address: Address) -> float:
    try:
        value = float(address.options["uncertainty"].removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 < value <= 100:
        message = f"uncertainty={address.options['uncertainty']!r} is not a number of percent, such as 0.2"
        raise address.error("out-of-range", message)
    return value


def known_options(name: str) -> Mapping[str, str]:
    """The options of a scheme's address with a few words on each.

    Raises ``InputError`` where a package that it needs is not installed.
    """
    scheme = SCHEMES[name]
    return {**getattr(_module(scheme, Address(name)), scheme.options), **DECLARED}
