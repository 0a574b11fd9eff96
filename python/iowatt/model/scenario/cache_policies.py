"""Replacement policies by name, and their parameters; ``iowatt_cache::ReplacementPlan`` has the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from iowatt.base.errors import InputError

Name = Literal["lru", "fifo", "clock", "2q", "arc", "lfu", "w-tinylfu", "s3-fifo", "sieve"]
NAMES: Final[tuple[str, ...]] = get_args(Name)

TITLES: Final = {
    "lru": "LRU",
    "fifo": "FIFO",
    "clock": "CLOCK",
    "2q": "2Q",
    "arc": "ARC",
    "lfu": "LFU",
    "w-tinylfu": "W-TinyLFU",
    "s3-fifo": "S3-FIFO",
    "sieve": "SIEVE",
}

PARAMETERS: Final[dict[str, dict[str, type]]] = {
    "clock": {"bits": int},
    "2q": {"in_share": float, "out_share": float},
    "w-tinylfu": {"window_share": float, "protected_share": float, "sample": float},
    "s3-fifo": {"small_share": float, "ghost_share": float, "threshold": int},
}
"""What can be set, by policy; the defaults are those of the papers (``iowatt_cache::plan``)."""

LIMITS: Final[dict[str, tuple[float, float]]] = {
    "bits": (1, 8),
    "in_share": (0, 1),
    "out_share": (0, 100),
    "window_share": (0, 1),
    "protected_share": (0, 1),
    "sample": (0, 1e6),
    "small_share": (0, 1),
    "ghost_share": (0, 100),
    "threshold": (1, 3),
}


@dataclass(frozen=True)
class Policy:
    """A policy with the parameters that were given."""

    name: str
    parameters: tuple[tuple[str, float], ...] = ()

    @property
    def plan(self) -> dict[str, Any]:
        """``ReplacementPlan`` of iowatt-cache."""
        return {"policy": self.name, **dict(self.parameters)}

    @property
    def text(self) -> str:
        """As it is written on the command line."""
        return ":".join([self.name, *(f"{key}={value:g}" for key, value in self.parameters)])

    @property
    def title(self) -> str:
        """As a person reads it."""
        given = ", ".join(f"{key} {value:g}" for key, value in self.parameters)
        return f"{TITLES[self.name]} ({given})" if given else TITLES[self.name]


def applicable(name: str, parameter: str) -> bool:
    """Whether a policy has a parameter of that name."""
    return parameter in PARAMETERS.get(name, {})


def policy(name: str, parameters: Mapping[str, float] | None = None) -> Policy:
    """A policy by its name and the parameters that are not the paper's.

    Raises
    ------
    InputError
        With what would be accepted.
    """
    if name not in NAMES:
        raise InputError("unknown-name", None, f"unknown policy {name!r}; expected {', '.join(NAMES)}")
    known = PARAMETERS.get(name, {})
    for key, value in (parameters or {}).items():
        if key not in known:
            has = f"has {', '.join(known)}" if known else "has no parameters"
            raise InputError("unknown-name", None, f"{name} has no parameter {key!r}; it {has}")
        least, most = LIMITS[key]
        if not least <= value <= most or (known[key] is int and value != int(value)):
            kind = "a whole number from" if known[key] is int else "a number from"
            message = f"{key} = {value:g} of {name} is not accepted; expected {kind} {least:g} to {most:g}"
            raise InputError("out-of-range", None, message)
    given = ((key, known[key](value)) for key, value in sorted((parameters or {}).items()))
    return Policy(name, tuple(given))


def parsed(text: str) -> Policy:
    """A policy as of the command line: ``lru``, ``s3-fifo:small_share=0.2``, ``clock:bits=2``.

    Raises
    ------
    InputError
        With what would be accepted.
    """
    name, *pairs = text.strip().lower().split(":")
    parameters: dict[str, float] = {}
    for pair in pairs:
        match = re.fullmatch(r"([a-z_]+)=([0-9]+(?:\.[0-9]+)?)", pair.strip())
        if match is None:
            message = f"{pair!r} is not accepted; expected PARAMETER=NUMBER, as in s3-fifo:small_share=0.2"
            raise InputError("bad-syntax", None, message)
        parameters[match[1]] = float(match[2])
    return policy(name, parameters)
