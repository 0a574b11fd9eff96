"""What `iowatt cache` and `iowatt.cache` are asked for, in text and units, and the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.results import Note
from iowatt.base.units import parse_block_size, parse_capacity, parse_duration, parse_iops
from iowatt.evaluate.caches.result import CacheComparison
from iowatt.evaluate.caches.simulate import FOOTPRINT, SPAN, Progress, ShareOf, Writes, parse_size, simulate
from iowatt.model import cache_policies

RATE_IOPS: Final = 1000.0
"""Of a profile that has no rate: hits do not depend on it."""


@dataclass(frozen=True)
class CacheTrace:
    """A trace as a spec, its address space where that is known, and what to know about it."""

    trace: dict[str, Any]
    span_bytes: int | None = None
    notes: tuple[Note, ...] = ()


def is_profile(name: str) -> bool:
    """Whether a name is a profile: it ends in .toml, or is in the library and no file here has the name."""
    from iowatt.model.profile import profile_names

    return name.endswith(".toml") or (name in profile_names() and not Path(name).exists())


def profile_source(
    name: str,
    overrides: Sequence[str] = (),
    *,
    seed: int = 1,
    requests: int | None = None,
    duration_s: float | None = None,
    rate_iops: float | None = None,
    span: int | None = None,
) -> CacheTrace:
    """A synthetic workload: the profile ``name``, ending after so many requests or seconds.

    Raises ``InputError`` as `iowatt.trace.generate.prepare` does.
    """
    from iowatt.model.profile import load
    from iowatt.trace.generate import prepare

    assumed = []
    arrivals = load(name, overrides).profile.arrivals
    phases = getattr(arrivals, "phases", None)
    if rate_iops is None and phases is None and getattr(arrivals, "rate", 0.0) is None:
        rate_iops = RATE_IOPS
        text = f"the profile has no rate; {RATE_IOPS:g} requests/s are made, hits do not depend on it"
        assumed = [Note(code="assumed-rate", text=text)]
    prepared = prepare(
        name, overrides, seed=seed, requests=requests, duration_s=duration_s, rate_iops=rate_iops, span=span
    )
    known = span if span is not None else prepared.loaded.profile.span
    return CacheTrace(prepared.trace, known, (*assumed, *prepared.notes))


SIZES: Final = "0.1%,0.2%,0.5%,1%,2%,5%,10%,20%,50%"
NO_BLOCK: Final = "none"


def compare_caches(
    trace: str,
    *,
    policy: str | Iterable[str] = "lru",
    size: str | Iterable[str] | None = None,
    block: str | int | None = "4KiB",
    writes: str = "allocate",
    warm_up: str | int | None = None,
    percent_of: str = FOOTPRINT,
    requests: int | None = None,
    duration: str | None = None,
    span: str | None = None,
    rate: str | float | None = None,
    seed: int | None = None,
    overrides: Sequence[str] = (),
    reading: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> CacheComparison:
    """Simulate caches alone; `iowatt.api.functions.cache` documents the parameters.

    Raises ``InputError``: names the argument and what would be accepted.
    """
    block_bytes = _block(block)
    chosen = [_read(cache_policies.parsed, text, "policy") for text in _names(policy)]
    objects = block_bytes is None
    listed = _listed(SIZES if size is None else size)
    wanted = [_read(lambda text: parse_size(text, objects=objects), text, "sizes") for text in listed]
    first, first_s = _warm_up(warm_up)
    entering: Writes = _word(writes, ("allocate", "around"), "writes")
    share_of: ShareOf = _word(percent_of, (FOOTPRINT, SPAN), "percent_of")
    made = {
        "requests": requests,
        "duration": duration,
        "span": span,
        "rate": rate,
        "seed": seed,
        "set": overrides,
    }
    source = _source(trace, made, dict(reading or {}))
    return simulate(
        source.trace,
        chosen,
        wanted,
        block_bytes=block_bytes,
        writes=entering,
        warm_up_requests=first,
        warm_up_s=first_s,
        share_of=share_of,
        span_bytes=source.span_bytes,
        skip_empty=size is None,
        notes=source.notes,
        progress=progress,
    )


def _source(trace: str, made: Mapping[str, Any], reading: dict[str, Any]) -> CacheTrace:
    if not is_profile(trace):
        for name, value in made.items():
            if value not in (None, [], ()):
                message = f"is for profiles, and {trace} is a recorded trace"
                raise InputError("not-applicable", Argument(name), message)
        return CacheTrace({"path": trace, **reading})
    for name, value in reading.items():
        if value is not None:
            message = f"this is a profile; the option {name} is for recorded traces"
            raise InputError("not-applicable", trace, message)
    return profile_source(
        trace,
        made["set"],
        seed=1 if made["seed"] is None else made["seed"],
        requests=made["requests"],
        duration_s=_above_zero(parse_duration, made["duration"], "duration"),
        rate_iops=_above_zero(parse_iops, made["rate"], "rate"),
        span=_above_zero(parse_capacity, made["span"], "span"),
    )


def _listed(given_: str | Iterable[str]) -> list[str]:
    return given_.split(",") if isinstance(given_, str) else list(given_)


def _names(policy: str | Iterable[str]) -> list[str]:
    return list(cache_policies.NAMES) if policy == "all" else _listed(policy)


def _block(block: str | int | None) -> int | None:
    if block is None or block == NO_BLOCK:
        return None
    bytes_: int = _above_zero(parse_block_size, block, "block")
    return bytes_


def _warm_up(given_: str | int | None) -> tuple[int, float]:
    """Requests and seconds; one of the two is 0."""
    if given_ is None:
        return 0, 0.0
    if re.fullmatch(r"[0-9]{1,15}", str(given_).strip()):
        return int(given_), 0.0
    return 0, _read(parse_duration, str(given_), "warm_up")


def _word(text: str, accepted: tuple[str, ...], name: str) -> Any:
    if text not in accepted:
        message = f"{text!r} is not accepted; expected {' or '.join(accepted)}"
        raise InputError("not-accepted", Argument(name), message)
    return text


def _above_zero(parse: Callable[[object], Any], value: object, name: str) -> Any:
    if value is None:
        return None
    found = _read(parse, value, name)
    if not found:
        raise InputError("out-of-range", Argument(name), "must be above 0")
    return found


def _read(parse: Callable[[Any], Any], value: Any, name: str) -> Any:
    try:
        return parse(value.strip() if isinstance(value, str) else value)
    except InputError as error:
        raise error.at(Argument(name)) from None
