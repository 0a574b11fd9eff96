"""The keys of a design that are worth turning, each with what it accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic import Field

from iowatt.base.results import Result

_LEVELS: Final = ("0", "1", "5", "6", "10")
_CELLS: Final = ("16KiB", "32KiB", "64KiB", "128KiB", "256KiB", "512KiB", "1MiB")


class Knob(Result):
    """One key: ``path`` as in ``--set``, and its value now."""

    path: str
    group: str
    label: str
    kind: Literal["count", "number", "choice", "text", "drive"]  #: `drive`: one of the menu of drives.
    value: str
    choices: list[str] = Field(default_factory=list)
    unit: str = ""
    help: str = ""


def knobs_of(raw: Mapping[str, Any]) -> list[Knob]:
    """The knobs of a scenario's tables: drives, levels, cache, servers, codes, load."""
    array = raw.get("array", {})
    return [
        *(knob for pool in _tables(array.get("pool")) for knob in _of_pool(pool)),
        *(knob for cluster in _tables(raw.get("cluster")) for knob in _of_cluster(cluster)),
        *_of_cache(array.get("controller", {})),
        *(knob for workload in _tables(raw.get("workload")) for knob in _of_workload(workload)),
    ]


def _tables(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _of_pool(pool: Mapping[str, Any]) -> Iterator[Knob]:
    name = str(pool.get("name", ""))
    path, group = f"array.pool.{name}", f"Pool {name}"
    yield from _of_drive(pool, path, group)
    yield Knob(
        path=f"{path}.count", group=group, label="Drives", kind="count", value=str(pool.get("count", 1))
    )
    raid = pool.get("raid")
    if not isinstance(raid, Mapping) or "level" not in raid:
        return
    level = str(raid["level"])
    if level in _LEVELS:
        yield Knob(
            path=f"{path}.raid.level", group=group, label="RAID level", kind="choice", value=level,
            choices=list(_LEVELS),
        )  # fmt: skip
    if level != "1":
        unit = str(raid.get("stripe_unit", "64KiB"))
        yield Knob(
            path=f"{path}.raid.stripe_unit", group=group, label="Stripe unit", kind="choice", value=unit,
            choices=list(dict.fromkeys([*_CELLS, unit])),
        )  # fmt: skip


def _of_drive(pool: Mapping[str, Any], path: str, group: str) -> Iterator[Knob]:
    device = pool.get("device")
    device = device.get("name") if isinstance(device, Mapping) else device
    if isinstance(device, str) and device in _devices():
        yield Knob(path=f"{path}.device", group=group, label="Drive", kind="drive", value=device)


def _of_cluster(cluster: Mapping[str, Any]) -> Iterator[Knob]:
    root = f"cluster.{cluster.get('name', '')}"
    for node in _tables(cluster.get("node")):
        yield Knob(
            path=f"{root}.node.{node.get('name', '')}.count", group=f"Servers {node.get('name', '')}",
            label="Servers", kind="count", value=str(node.get("count", 1)),
        )  # fmt: skip
    for pool in _tables(cluster.get("pool")):
        path, group = f"{root}.pool.{pool.get('name', '')}", f"Pool {pool.get('name', '')}"
        yield from _of_drive(pool, path, group)
        yield Knob(
            path=f"{path}.drives", group=group, label="Drives per server", kind="count",
            value=str(pool.get("drives", 1)),
        )  # fmt: skip
        redundancy = pool.get("redundancy")
        for key, label in (("data", "Data units"), ("parity", "Parity units"), ("copies", "Copies")):
            if isinstance(redundancy, Mapping) and key in redundancy:
                yield Knob(
                    path=f"{path}.redundancy.{key}", group=group, label=label, kind="count",
                    value=str(redundancy[key]),
                )  # fmt: skip


def _of_cache(controller: Mapping[str, Any]) -> Iterator[Knob]:
    cache = controller.get("cache")
    if isinstance(cache, Mapping) and "size" in cache:
        yield Knob(
            path="array.controller.cache.size", group="Controller", label="Cache", kind="text",
            value=str(cache["size"]), help="0B for none",
        )  # fmt: skip


def _of_workload(workload: Mapping[str, Any]) -> Iterator[Knob]:
    name = str(workload.get("name", ""))
    path, group = f"workload.{name}", f"Load {name}"
    profile, replay = workload.get("profile"), workload.get("replay", {})
    if isinstance(profile, Mapping):
        for key, label, unit in (("rate_iops", "Rate", "IOPS"), ("outstanding", "Outstanding", "requests")):
            if key in profile:
                yield Knob(
                    path=f"{path}.profile.{key}", group=group, label=label, kind="number",
                    value=f"{profile[key]}", unit=unit,
                )  # fmt: skip
    elif isinstance(replay, Mapping) and replay.get("mode", "open") == "open":
        if "rate_iops" not in workload.get("trace", {}):
            yield Knob(
                path=f"{path}.replay.speed", group=group, label="Replay speed", kind="number",
                value=f"{replay.get('speed', 1)}", unit="times", help="2 replays it in half the time",
            )  # fmt: skip
    elif isinstance(replay, Mapping) and "outstanding" in replay:
        yield Knob(
            path=f"{path}.replay.outstanding", group=group, label="Outstanding", kind="count",
            value=f"{replay['outstanding']}", unit="requests",
        )  # fmt: skip


@lru_cache
def _devices() -> tuple[str, ...]:
    from iowatt.model.library import device_names

    return tuple(device_names())
