"""Tariffs of the library, of files, and flat prices."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final, Never

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.tariffs.structure import FlatDemand, Ratchet, Tariff, TariffTier, TimeOfUse
from iowatt.tariffs.urdb import parse

_FLAT: Final = "flat:"
_DEAREST: Final = 1e6
_WINDOW_S: Final = 900.0
_NEVER: Final = (0.0,) * 12
# The whole of URDB is larger; one record is not.
_MOST_BYTES: Final = 16 * 1024 * 1024


@cache
def tariff_names() -> tuple[str, ...]:
    """Names of the library's tariffs, sorted."""
    entries = resources.files("iowatt.model.library").joinpath("tariffs").iterdir()
    return tuple(sorted(e.name.removesuffix(".json") for e in entries if e.name.endswith(".json")))


def find_tariff(name: str) -> Tariff:
    """The tariff of a library name, of a record of URDB (``PATH.json``) or of ``flat:$/KWH[,$/KW-MONTH]``.

    Raises ``InputError``: an unknown tariff, a file that cannot be read or billed (file and place), a bad
    price.
    """
    if name.startswith(_FLAT):
        return _flat(name)
    if name.endswith(".json"):
        return read_tariff(Path(name))
    if name in tariff_names():
        text = resources.files("iowatt.model.library").joinpath("tariffs", f"{name}.json").read_bytes()
        return parse(_document(text, f"{name}.json"), f"{name}.json", key=name)
    near = nearest(name, tariff_names())
    message = (
        f"there is no tariff {name!r}; expected a name from `iowatt tariff list`, a URDB record "
        "(PATH.json) or flat:$/KWH[,$/KW-MONTH]"
    )
    raise InputError("unknown-name", None, message, hint=near and f"did you mean {near!r}?")


def read_tariff(path: Path) -> Tariff:
    """The tariff of a file with a record of URDB. Raises ``InputError`` with file and place."""
    return parse(_document(input_file.whole(path, "a tariff in JSON"), str(path)), str(path))


def _document(text: bytes, where: str) -> object:
    try:
        document: object = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InputError(
            "wrong-format", f"{where}:{error.lineno}", f"this is not JSON: {error.msg}"
        ) from None
    except UnicodeDecodeError:
        raise InputError("wrong-format", where, "this is not JSON: it is not UTF-8") from None
    except RecursionError:
        raise InputError("too-large", where, "the JSON is nested too deeply") from None
    except ValueError as error:  # NaN, Infinity, numbers of thousands of digits
        raise InputError("wrong-format", where, f"the JSON cannot be read: {error}") from None
    return document


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is not a number in JSON")


def _flat(name: str) -> Tariff:
    """One price per kWh, and one per kW of a month's peak."""
    prices = name.removeprefix(_FLAT).split(",")
    if len(prices) not in (1, 2):
        message = f"{name!r} has {len(prices)} prices; expected flat:$/KWH or flat:$/KWH,$/KW-MONTH"
        raise InputError("bad-syntax", None, message)
    per_kwh, per_kw = (_price(text, name) for text in (*prices, "0")[:2])
    every_hour = ((0,) * 24,) * 12
    return Tariff(
        key=name,
        name=f"${per_kwh:g}/kWh" + (f" and ${per_kw:g}/kW-month" if per_kw else ""),
        utility="",
        source="given on the command line",
        effective=(None, None),
        verified=True,
        energy=TimeOfUse(((TariffTier(per_kwh),),), every_hour, every_hour),
        demand=None,
        flat_demand=FlatDemand(((TariffTier(per_kw),),), (0,) * 12) if per_kw else None,
        coincident=None,
        ratchet=Ratchet(),
        demand_window_s=_WINDOW_S,
        fixed=(),
        minimum=(),
        fuel=_NEVER,
    )


def _price(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0.0 <= value <= _DEAREST:
        message = f"{text.strip()!r} in {name!r} is not a price in dollars; expected 0 to {_DEAREST:g}"
        raise InputError("bad-syntax", None, message)
    return value
