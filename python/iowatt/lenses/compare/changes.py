"""What the plans of two Runs differ in, in the names that their scenarios gave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.lenses.compare.flags import simulation_of
from iowatt.lenses.compare.measurement import Side
from iowatt.lenses.compare.result import ChangedKey, ChangedKeys

LISTED: Final = 12
"""Keys that are listed; the others are counted."""
_NAMED: Final = re.compile(r"(workloads|volumes|pools|virtual_pools)\[(\d+)\](.*)")
#: Tables of a plan and of a scenario.
_TABLES: Final = {
    "workloads": "workload", "volumes": "array.volume", "pools": "array.pool",
    "virtual_pools": "array.virtual_pool",
}  # fmt: skip

_Plan = Mapping[str, Any]


def changed(before: Side, after: Side) -> ChangedKeys:
    """Keys of the plan in which the first Runs of both sides differ, the seed apart.

    A pool that only one side has is one key, and so is another model of drive, whatever its data sheet has.
    """
    return changed_plans(before.parts[0].run.plan, after.parts[0].run.plan)


def changed_plans(*plans: _Plan) -> ChangedKeys:
    """The same of two plans, before and after."""
    shown = [simulation_of(plan) for plan in plans]
    if not all(shown):
        return ChangedKeys(keys=0, listed=[])  # a measured Run has no plan
    old, new = (dict(_leaves(one)) for one in shown)
    rows: dict[str, ChangedKey] = {}
    for key in dict.fromkeys([*old, *new]):
        if old.get(key) != new.get(key):
            row = _row(key, old.get(key), new.get(key), plans)
            rows.setdefault(row.key, row)
    return ChangedKeys(keys=len(rows), listed=list(rows.values())[:LISTED])


def _row(key: str, before: Any, after: Any, plans: Sequence[_Plan]) -> ChangedKey:
    found = _NAMED.fullmatch(key)
    if found is None:
        return ChangedKey(key=key, before=before, after=after)
    table, number, rest = found[1], int(found[2]), found[3]
    known = {name for plan in plans if (name := _name(plan, table, number)) is not None}
    shown = f"{_TABLES[table]}.{known.pop()}{rest}" if len(known) == 1 else key
    whole = shown.removesuffix(rest)
    if table in ("pools", "virtual_pools"):
        held = [_contents(plan, table, number) for plan in plans]
        if None in held:
            return ChangedKey(key=whole, before=held[0], after=held[1])
    if table == "pools" and rest.startswith(".device."):
        models = [_models(plan, number) for plan in plans]
        if models[0] != models[1]:
            return ChangedKey(key=f"{whole}.device", before=models[0], after=models[1])
    if table == "volumes" and rest == ".pool":
        before, after = (_pool(plan, value) for plan, value in zip(plans, (before, after), strict=True))
    return ChangedKey(key=shown, before=before, after=after)


def _name(plan: _Plan, table: str, number: int) -> str | None:
    names = plan.get("names", {}).get(table, [])
    if number >= len(names):
        return None
    one = names[number]
    return str(one["name"] if isinstance(one, Mapping) else one)


def _contents(plan: _Plan, table: str, number: int) -> str | None:
    """``2 x intel-dc-s3700-800gb``, or the scheme of a virtual pool; None where there is no such pool."""
    if _name(plan, table, number) is None:
        return None
    if table == "virtual_pools":
        return str(plan["names"][table][number]["scheme"])
    return f"{plan['simulation']['pools'][number].get('count', '')} x {_models(plan, number)}".removeprefix(
        " x "
    )


def _models(plan: _Plan, number: int) -> str:
    """The models of a pool's drives."""
    pool = _name(plan, "pools", number)
    devices = plan.get("names", {}).get("devices", [])
    return ", ".join(dict.fromkeys(str(one["model"]) for one in devices if one["pool"] == pool))


def _pool(plan: _Plan, number: Any) -> Any:
    """The name of a pool by its number, in which virtual pools follow the others."""
    if not isinstance(number, int):
        return number
    pools = plan.get("names", {}).get("pools", [])
    found = (
        _name(plan, "pools", number)
        if number < len(pools)
        else _name(plan, "virtual_pools", number - len(pools))
    )
    return number if found is None else found


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Leaves of nested tables with their paths; a list of plain values is one leaf."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(part, Mapping | list) for part in value):
        for at, part in enumerate(value):
            yield from _leaves(part, f"{path}[{at}]")
    else:
        yield path, json.dumps(value, default=str) if isinstance(value, list) else value
