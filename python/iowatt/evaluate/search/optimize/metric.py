"""Names of metrics: scalars of ``run.json`` as columns of a sweep's table, and what a search adds to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from iowatt.base import units
from iowatt.base.errors import InputError
from iowatt.base.problems import nearest
from iowatt.evaluate.search import metrics
from iowatt.lenses.cost.component import GROUPS
from iowatt.render.figure import Column

COST: Final = "cost."
"""What the cost lens says of a Run begins with it."""

SURVIVED: Final = "redundancy.failures_survived"
RATE: Final = "rate_iops"

_TITLES: Final = {
    SURVIVED: Column("Drive failures survived", ""),
    RATE: Column("Rate", "requests/s"),
    "cost.total_usd": Column("Total cost", "$"),
    "cost.carbon_kg": Column("Carbon", "kg CO2e"),
    "cost.usd_per_kwh": Column("Price of electricity", "$/kWh"),
    **{f"cost.{group}_usd": Column(f"Cost: {group}", "$") for group in GROUPS},
}
#: What only a name of the user's completes: volumes, workloads, components.
_NAMED: Final = re.compile(
    r"(volumes|workloads|energy\.by_component_j|energy\.by_state_j|tiers|virtual_pools)\..+", re.ASCII
)
_DRIVES: Final = (
    "devices.count", "devices.utilisation.mean", "devices.utilisation.max", "devices.queue_length_mean.mean",
    "devices.queue_length_mean.max", "devices.spin_ups", "devices.spin_downs", "devices.seeks",
    "devices.accesses",
)  # fmt: skip
_PARSERS: Final[tuple[tuple[str, Callable[[object], float | int], float], ...]] = (
    ("_ms", units.parse_duration, 1e3),
    ("_s", units.parse_duration, 1.0),
    ("_gb", units.parse_capacity, 1e-9),
    ("_w", units.parse_power, 1.0),
    ("mib_per_s", units.parse_rate, 1 / (1 << 20)),
)


@cache
def catalogue() -> tuple[str, ...]:
    """All metrics that have a name whatever the scenario."""
    from iowatt.run.summary_schema import RunSummary

    schema = RunSummary.model_json_schema()
    found = dict.fromkeys(_flat(schema, schema["$defs"], ""))
    return (*found, *_DRIVES, SURVIVED, RATE, *(name for name in _TITLES if name.startswith(COST)))


def _flat(part: Mapping[str, Any], parts: Mapping[str, Any], name: str) -> Iterator[str]:
    if "$ref" in part:
        yield from _flat(parts[part["$ref"].rpartition("/")[2]], parts, name)
    elif "anyOf" in part:
        for choice in part["anyOf"]:
            yield from _flat(choice, parts, name)
    elif "properties" in part:
        for key, below in part["properties"].items():
            if key not in _LEFT_OUT:
                yield from _flat(below, parts, f"{name}.{key}" if name else key)
    elif part.get("type") in ("number", "integer"):
        yield name


_LEFT_OUT: Final = ("provenance", "simulation", "schema", "name", "notes", "devices", "buses", "rebuilds")


def check_metric(name: str, where: str) -> str:
    """``name``, if there may be such a metric.

    Raises ``InputError`` with the nearest names where there is none.
    """
    if name in catalogue() or _NAMED.fullmatch(name):
        return name
    raise InputError("unknown-name", where, f"there is no metric {name!r}", hint=_near(name, catalogue()))


def _near(name: str, known: Iterable[str]) -> str:
    listed = list(known)
    same_end = [one for one in listed if one.endswith(f".{name}") or name in one.split(".")]
    near = nearest(name, listed)
    choices = list(dict.fromkeys([*same_end[:4], *([near] if near else [])]))
    if choices:
        return f"did you mean {' or '.join(choices)}?"
    return (
        "for example efficiency.iops_per_w, power_w.wall_mean, response_time_ms.all.p95, cost.total_usd; "
        "docs/reference/optimize.md has them"
    )


def metric_column(name: str) -> Column:
    """Title and unit, for people."""
    if name in _TITLES:
        return _TITLES[name]
    known = metrics.column(name)
    if known.unit or known.title != name:
        return known
    unit = next((said for end, said in _UNITS if name.rpartition(".")[2].endswith(end)), "")
    if not unit:
        unit = next((said for end, said in _UNITS if f"{end}." in name), "")
    return Column(name, unit)


_UNITS: Final = (
    ("_ms", "ms"), ("_usd", "$"), ("_kg", "kg"), ("_gb", "GB"), ("_w", "W"), ("_j", "J"), ("_js", "J·s"),
    ("mib_per_s", "MiB/s"), ("iops", "IOPS"), ("_s", "s"), ("gb_per_w", "GB/W"),
)  # fmt: skip


def parse_limit(name: str, text: str, where: str) -> float:
    """A limit of a metric: a plain number in the metric's own unit, or a quantity with its unit.

    Raises ``InputError`` where it is neither.
    """
    try:
        number = float(text)
    except ValueError:
        number = None
    if number is not None:
        if number - number != 0:
            raise InputError("out-of-range", where, f"expected a finite number, not {text}")
        return number
    for mark, parse, scale in _PARSERS:
        if any(step.endswith(mark) for step in name.split(".")):
            try:
                return parse(text) * scale
            except ValueError as error:
                raise InputError("bad-syntax", where, str(error)) from None
    unit = metric_column(name).unit
    raise InputError(
        "bad-syntax",
        where,
        f"{text!r} is not a number",
        hint=f"{name} is in {unit}: give the number alone" if unit else "give a number without a unit",
    )
