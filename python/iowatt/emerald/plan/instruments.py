"""Instruments of a plan: whether they can be read at their addresses, and addresses without secrets."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan.model import Plan, PlannedInstrument
from iowatt.sources import meters

_ARGUMENTS: Final = {"power": "meter", "temperature": "thermometer"}


def check(instrument: PlannedInstrument) -> None:
    """Raise ``InputError`` where `iowatt meter read` would refuse the address; nothing live is read.

    A missing or empty log is made during the measurement; one with content is read.
    """
    try:
        if meters.is_live(instrument.source):
            meters.meter(instrument.source)
        elif not is_awaited(instrument):
            meters.logs(instrument.source)
    except InputError as error:
        place = Argument(_ARGUMENTS[instrument.role], instrument.name)
        where = "" if error.place is None else f"{error.place}: "
        raise InputError(error.code, place, f"{where}{error.message}", hint=error.hint) from None


def is_awaited(instrument: PlannedInstrument) -> bool:
    """Whether it is a log that is missing or empty."""
    try:
        address, scheme = meters.find(instrument.source)
    except InputError:  # a plan that was changed by hand is refused when it is run
        return False
    if scheme.live or not address.path:
        return False
    path = Path(address.path)
    try:
        return not path.exists() or (path.is_file() and path.stat().st_size == 0)
    except OSError:  # reading it gives the error
        return False


def without_secrets(plan: Plan) -> Plan:
    """The plan with the public form of addresses that hold a secret; others stay as they were written."""
    instruments = [one.model_copy(update={"source": public_source(one.source)}) for one in plan.instruments]
    return plan.model_copy(update={"instruments": instruments})


def public_source(source: str) -> str:
    """An address without its password and keys. Raises ``InputError`` where it is not an address."""
    address = meters.parse(source)
    return address.public if address.secret else source
