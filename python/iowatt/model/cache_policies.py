"""Replacement policies by name, and their parameters; ``iowatt_cache::ReplacementPlan`` has the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from iowatt.base.errors import InputError
from iowatt.base.problems import KeyPath, Problem
from iowatt.base.quantity import Share
from iowatt.base.strict import Strict, key

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
"""Parameters by policy; the defaults are those of the papers (``iowatt_cache::plan``)."""

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

    Raises ``InputError`` with what would be accepted.
    """
    if name not in NAMES:
        raise InputError("unknown-name", None, f"unknown policy {name!r}; expected {', '.join(NAMES)}")
    known = PARAMETERS.get(name, {})
    for parameter, value in (parameters or {}).items():
        if parameter not in known:
            has = f"has {', '.join(known)}" if known else "has no parameters"
            raise InputError("unknown-name", None, f"{name} has no parameter {parameter!r}; it {has}")
        least, most = LIMITS[parameter]
        if not least <= value <= most or (known[parameter] is int and value != int(value)):
            kind = "a whole number from" if known[parameter] is int else "a number from"
            message = (
                f"{parameter} = {value:g} of {name} is not accepted; expected {kind} {least:g} to {most:g}"
            )
            raise InputError("out-of-range", None, message)
    given = ((parameter, known[parameter](value)) for parameter, value in sorted((parameters or {}).items()))
    return Policy(name, tuple(given))


def parsed(text: str) -> Policy:
    """A policy as the command line writes it: ``lru``, ``s3-fifo:small_share=0.2``, ``clock:bits=2``.

    Raises ``InputError`` with what would be accepted.
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


class Replacement(Strict):
    """How a replacement policy departs from its paper; each key belongs to one policy."""

    bits: int | None = key(
        "clock: bits in which uses of a line are counted.", unset="1", example=2, within=(1, 8)
    )
    in_share: Share | None = key(
        "2q: share of the lines that what entered lately keeps (Kin).",
        unset="0.25",
        example=0.25,
    )
    out_share: float | None = key(
        "2q: lines that went and are remembered, as a share of the lines (Kout).",
        unset="0.5",
        example=0.5,
        within=(0, 100),
    )
    window_share: Share | None = key(
        "w-tinylfu: share of the lines in the window.", unset="0.01", example=0.01
    )
    protected_share: Share | None = key(
        "w-tinylfu: share of the other lines that may be protected.", unset="0.8", example=0.8
    )
    sample: float | None = key(
        "w-tinylfu: references for each line after which counts are halved.",
        unset="10",
        example=10.0,
        within=(0, 1e6),
    )
    small_share: Share | None = key(
        "s3-fifo: share of the lines in the small queue.", unset="0.1", example=0.1
    )
    ghost_share: float | None = key(
        "s3-fifo: lines that went and are remembered, as a share of the lines.",
        unset="0.9",
        example=0.9,
        within=(0, 100),
    )
    threshold: int | None = key(
        "s3-fifo: uses that take a line from the small queue into the main one.",
        unset="2",
        example=2,
        within=(1, 3),
    )

    @property
    def given(self) -> dict[str, float]:
        """The keys that were given."""
        return {name: value for name, value in self.model_dump().items() if value is not None}


def replacement_problems(name: str, parameters: Replacement | None, path: KeyPath) -> Iterator[Problem]:
    """Parameters that the policy does not have."""
    for parameter in {} if parameters is None else parameters.given:
        if not applicable(name, parameter):
            owner = next(policy for policy, known in PARAMETERS.items() if parameter in known)
            yield Problem(
                "not-applicable",
                (*path, parameter),
                f"{name} has no such parameter",
                f"it belongs to {owner}",
            )


def replacement_plan(name: str, parameters: Replacement | None) -> str | dict[str, Any]:
    """The name alone, or ``ReplacementPlan`` of iowatt-cache where parameters are given."""
    given = {} if parameters is None else parameters.given
    return {"policy": name, **given} if given else name


def replacement_text(replacement: str | dict[str, Any]) -> str:
    """What a plan says, as a person reads it."""
    if isinstance(replacement, str):
        return TITLES[replacement]
    given = {key: value for key, value in replacement.items() if key != "policy"}
    return policy(replacement["policy"], given).title
