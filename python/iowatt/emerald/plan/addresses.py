"""Whether the instruments of a plan can be read where it says, before anything waits for them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.plan.model import Instrument
from iowatt.sources.meters import source

_ARGUMENTS: Final = {"power": "instrument", "temperature": "thermometer"}


def check(instrument: Instrument) -> None:
    """Raise ``InputError`` where `iowatt meter read` would refuse the address; nothing live is read.

    A log that is not there yet, or still empty, is made during the measurement; one that is there is read.
    """
    try:
        if source.is_live(instrument.source):
            source.meter(instrument.source)
        elif not awaited(instrument):
            source.logs(instrument.source)
    except InputError as error:
        where = "" if error.place is None else f"{error.place}: "
        raise InputError(
            error.code,
            Argument(_ARGUMENTS[instrument.role], instrument.name),
            f"{where}{error.message}",
            hint=error.hint,
        ) from None


def awaited(instrument: Instrument) -> bool:
    """Whether it is a log that has nothing in it yet."""
    try:
        address, scheme = source.find(instrument.source)
    except InputError:  # a plan that was changed by hand is refused when it is run
        return False
    if scheme.live or not address.path:
        return False
    path = Path(address.path)
    try:
        return not path.exists() or (path.is_file() and path.stat().st_size == 0)
    except OSError:  # whoever reads it will say what is wrong
        return False
