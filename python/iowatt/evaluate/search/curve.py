"""The axis of a curve: rates of a workload, or requests outstanding in a closed loop."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.base.keys import toml_text
from iowatt.base.problems import suggestion
from iowatt.evaluate import evaluation
from iowatt.evaluate.search.axes import Setting, SweepAxis, expanded, split
from iowatt.evaluate.search.metrics.names import RATE
from iowatt.evaluate.search.pace import trace_pace
from iowatt.evaluate.search.prepare import ScenarioInput
from iowatt.evaluate.search.sweep import SweepRequest
from iowatt.model.scenario import Scenario

OUTSTANDING: Final = "outstanding"


def curve_request(
    given: ScenarioInput,
    *,
    rates: str | Iterable[float] | None,
    outstanding: str | Iterable[float] | None,
    workload: str | None = None,
    **options: Any,
) -> SweepRequest:
    """A curve over rates or over requests outstanding; ``options`` are other fields of the request."""
    if (rates is None) == (outstanding is None):
        raise InputError(
            "missing" if rates is None else "conflict",
            Argument("rates"),
            "set either the rates or the outstanding requests of the curve",
            hint="for example `rates=50,100..400:50`, or `outstanding=1..64:x2`",
        )
    if rates is not None:
        axis = by_rate(given, numbers(rates, "rates"), workload)
    else:
        assert outstanding is not None
        axis = by_outstanding(given, numbers(outstanding, "outstanding"), workload)
    return SweepRequest("curve", given, [axis], **options)


def numbers(text: str | Iterable[float], argument: str) -> list[float]:
    """The loads of ``rates`` or ``outstanding``, in rising order: ``50,100..400:50``, ``1..64:x2``."""
    given = text if isinstance(text, str) else ",".join(_number(value) for value in text)
    place = Argument(argument, given)
    values = []
    for word in (word for part in split(given, place) for word in expanded(part, place)):
        try:
            value = float(word)
        except ValueError:
            message = f"{word!r} is not a number"
            hint = f"for example `{argument}=50,100..400:50`"
            raise InputError("bad-syntax", place, message, hint=hint) from None
        if not (math.isfinite(value) and value > 0):
            raise InputError("out-of-range", place, f"expected numbers above 0, not {word}")
        values.append(value)
    if len(set(values)) < len(values):
        raise InputError("duplicate", place, "a load is given twice")
    return sorted(values)


def _number(value: Any) -> str:
    plain = value.item() if hasattr(value, "item") else value
    return f"{plain:.12f}".rstrip("0").rstrip(".") if isinstance(plain, float) else str(plain)


def by_rate(given: ScenarioInput, rates: list[float], workload: str | None = None) -> SweepAxis:
    """Rates of one workload, requests per second.

    Raises ``InputError`` where it is a closed loop, or its trace has no recorded rate to scale.
    """
    at, name, raw = _workload(given, workload)
    path = f"workload.{name}"
    settings: list[tuple[str, ...]]
    if "profile" in raw:
        _refuse_loop(given, at, name)
        settings = [(f"{path}.profile.rate_iops={_number(rate)}",) for rate in rates]
    else:
        recorded = _recorded_rate(given, at, path)
        if recorded is None:
            settings = [
                (f'{path}.replay={{mode = "open"}}', f"{path}.trace.rate_iops={_number(rate)}")
                for rate in rates
            ]
        else:
            settings = [
                (f'{path}.replay={{mode = "open", speed = {float(rate) / recorded!r}}}',) for rate in rates
            ]
    return SweepAxis(
        (RATE,), tuple(Setting((rate,), made) for rate, made in zip(rates, settings, strict=True))
    )


def rate_overrides(given: ScenarioInput, rate: float, workload: str | None = None) -> tuple[str, ...]:
    """The overrides that give one workload this rate in requests per second; raises as :func:`by_rate`."""
    return by_rate(given, [rate], workload).settings[0].overrides


def by_outstanding(given: ScenarioInput, counts: list[float], workload: str | None = None) -> SweepAxis:
    """A closed loop of one workload with each number of requests outstanding."""
    at, name, raw = _workload(given, workload)
    if any(count != int(count) for count in counts):
        raise InputError("wrong-type", Argument("outstanding"), "expected whole numbers of requests")
    path, settings = f"workload.{name}", []
    for count in map(int, counts):
        replay = raw.get("replay")
        if "profile" in raw and _is_loop(given, at):
            profile = raw["profile"]
            listed = [*profile.get("set", []), f"arrivals.outstanding={count}"]
            made = f"{path}.profile.set={toml_text(listed)}"
        elif isinstance(replay, Mapping) and replay.get("mode") == "closed":
            made = f"{path}.replay.outstanding={count}"
        else:
            made = f'{path}.replay={{mode = "closed", outstanding = {count}}}'
        settings.append(Setting((count,), (made,)))
    return SweepAxis((OUTSTANDING,), tuple(settings))


def _workload(given: ScenarioInput, asked: str | None) -> tuple[int, str, dict[str, Any]]:
    """Position, name and raw table of the workload whose load varies."""
    listed = given.raw().get("workload", [])
    workloads = [w for w in listed if isinstance(w, dict)] if isinstance(listed, list) else []
    names = [str(w.get("name", at)) for at, w in enumerate(workloads)]
    if not names:
        raise InputError("missing", given.source, "the scenario has no workload whose load could vary")
    if asked is None and len(names) > 1:
        message = f"the scenario has {len(names)} workloads; choose the one whose load varies"
        raise InputError("ambiguous", Argument("workload"), message, hint=f"one of {', '.join(names)}")
    if asked is not None and asked not in names:
        message = f"there is no workload {asked!r}"
        hint = suggestion(asked, names, "workloads")
        raise InputError("unknown-name", Argument("workload"), message, hint=hint)
    at = 0 if asked is None else names.index(asked)
    return at, names[at], workloads[at]


def _prepared(given: ScenarioInput, overrides: tuple[str, ...] = ()) -> evaluation.Prepared:
    return evaluation.prepare(given.document(overrides).validate(Scenario), given.base, given.text)


def _is_loop(given: ScenarioInput, at: int) -> bool:
    """Whether a workload's profile brings a closed loop."""
    replay = _prepared(given).plan["simulation"]["workloads"][at]["replay"]
    return bool(replay["mode"] == "closed")


def _refuse_loop(given: ScenarioInput, at: int, name: str) -> None:
    try:
        loop = _is_loop(given, at)
    except InputError:  # a profile without a rate of its own, which it gets at every point
        return
    if loop:
        message = f"workload {name!r} is a closed loop: its rate is whatever the array completes"
        hint = "vary the requests outstanding: `outstanding=1..64:x2`"
        raise InputError("not-applicable", Argument("rates"), message, hint=hint)


def _recorded_rate(given: ScenarioInput, at: int, path: str) -> float | None:
    """Mean rate of a trace as recorded, requests per second; ``None`` where it records no times."""
    trace = _prepared(given, (f'{path}.replay={{mode = "open"}}',)).traces[at]
    if trace.get("rate_iops") is not None and Path(trace["path"]).is_file():
        return None
    found = trace_pace(trace)
    return None if found.untimed else found.rate_iops
