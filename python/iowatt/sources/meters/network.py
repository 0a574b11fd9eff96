"""What the addresses of instruments on a network have in common: host, numbers, words, secrets, time-outs."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.meters.address import Address

#: How long to wait for an answer: an instrument is read every few seconds.
TIMEOUT_S: Final = 3.0
#: The options of every module here.
COMMON: Final = {"timeout": f"seconds to wait for an answer, 0.1 to 60 (default {TIMEOUT_S:g})"}


def host(address: Address) -> str:
    """The host of an address; refuses one without."""
    if not address.host:
        raise address.error("missing", "the address names no host", f"write {address.scheme}://HOST/...")
    return address.host


def endpoint(address: Address, port: int) -> str:
    """Host and port as URLs have them."""
    name = host(address)
    return f"{f'[{name}]' if ':' in name else name}:{address.port or port}"


def timeout_s(address: Address, default: float = TIMEOUT_S) -> float:
    """The option ``timeout``."""
    return number(address, "timeout", default, 0.1, 60.0)


def number(address: Address, name: str, default: float, low: float, high: float) -> float:
    """An option that is a number in ``[low, high]``."""
    text = address.options.get(name)
    if text is None:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise address.error("out-of-range", f"{name}={text!r} is not a number from {low:g} to {high:g}")
    return value


def word(address: Address, name: str, choices: Collection[str], default: str) -> str:
    """An option that is one of a few words."""
    value = address.options.get(name, default)
    if value not in choices:
        raise address.error("not-accepted", f"{name}={value!r} is not one of {', '.join(choices)}")
    return value


def secret(address: Address, text: str | None) -> str | None:
    """The text, or what the environment holds where it says ``env:NAME``.

    So neither a shell's history nor the record of a measurement keeps it.
    """
    if text is None or not text.startswith("env:"):
        return text
    try:
        return os.environ[text.removeprefix("env:")]
    except KeyError:
        name = text.removeprefix("env:")
        raise address.error("unknown-name", f"the environment variable {name} is not set") from None


def missing(address: Address, package: str) -> InputError:
    """A package of the extra ``meters`` is not installed."""
    hint = "pip install 'iowatt[meters]'"
    return address.error("tool-missing", f"{address.scheme} needs the Python package {package}", hint)
