"""A configuration under the load of a metric as a scenario: the one text that is estimated and simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import comment, inline, key
from iowatt.emerald.family.candidate import Candidate, Group, shelves
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.file import Configuration, SequentialLoad
from iowatt.emerald.family.metric import EmeraldMetric, find_metric
from iowatt.emerald.plan.load import STREAM_BYTES
from iowatt.model.power import find_part
from iowatt.model.raid import data_drives

_PENALTY: Final = {0: 1, 1: 2, 10: 2, 4: 4, 5: 4, 6: 6}  #: Back-end commands of a small write, by level.
#: Commands a second of one drive, of the right order for any search.
_NOMINAL_IOPS: Final = {"hdd": 100.0, "ssd": 3000.0}
_PAGE: Final = 8192
#: Writes before the window, in caches up to the high watermark: a destager that goes by utilisation nears its
#: level slowly. With one, 70/30 of 125 drives in RAID-5 was 4.4 % above that of a run five times as long and
#: four times as warm, with four 0.7 % (22 November 2026, examples/emerald/online3.toml).
_FILLS: Final = 4
_IDLE_S: Final = 60


def scenario_text(
    family: Family,
    candidate: Candidate,
    metric: str | EmeraldMetric,
    *,
    rate_iops: float | None = None,
    seed: int | None = None,
    configuration: str | None = None,
    chunklets: bool = True,
) -> str:
    """TOML for ``iowatt run``; its paths are relative to ``family.base``.

    ``metric``: ready idle has no workload, sequential metrics a closed loop, the others random arrivals.
    ``rate_iops``: requests per second of a random metric in all; None: a nominal rate (:func:`nominal_iops`).
    ``seed``: in place of the family's.
    ``configuration``: the ``[[configuration]]`` whose own loads apply.
    ``chunklets``: False: sets of chunklets become one set over all drives of a group (of mirrors an even
    number), which takes as many commands for small requests; for models without chunklets.
    Raises ``InputError``: the metric does not exist, or a device file is wrong.
    """
    metric = find_metric(family, metric) if isinstance(metric, str) else metric
    names = _pool_names(candidate)
    lines = [
        comment(f"{family.file.title or family.name}: {candidate.label}; {metric.title}."),
        comment("Written by iowatt emerald bff."),
        f"name = {inline(_name(family, candidate, metric))}",
        f"seed = {family.file.seed if seed is None else seed}",
        "",
        *_pools(family, candidate, names, chunklets=chunklets),
        *_controller(family, candidate),
        *_enclosures(family, candidate, names),
    ]
    if metric.kind == "idle":
        return "\n".join([*lines, "[observe]", f'duration = "{_IDLE_S}s"', ""])
    own = None if configuration is None else family.configuration(configuration)
    if metric.kind == "sequential":
        load = _sequential_load(family, metric, own)
        lines += _closed(family, candidate, names, metric, load)
        times = [f'warmup = "{load.warmup:g}s"', f'duration = "{load.warmup + load.duration:g}s"']
    elif own is not None and own.outstanding is not None and rate_iops is None:
        lines += _random(family, candidate, names, metric, outstanding=own.outstanding)
        times = ['warmup = "auto"']
    else:
        rate = nominal_iops(family, candidate, metric) if rate_iops is None else rate_iops
        lines += _random(family, candidate, names, metric, rate=rate)
        times = [f'warmup = "{warmup_requests(family, candidate, metric) / rate:.9f}s"']
    return "\n".join([*lines, "[observe]", *times, ""])


def nominal_iops(family: Family, candidate: Candidate, metric: EmeraldMetric) -> float:
    """A rate of the order that the configuration can do: a hundred commands a second of each disk."""
    reads = 0.5 if metric.read_percent is None else metric.read_percent / 100
    total = 0.0
    for group in candidate.groups:
        kind = family.device(family.drive(group.drive)).kind
        work = reads + (1 - reads) * _PENALTY[family.raid(group.raid).level]
        total += group.count * _NOMINAL_IOPS[kind] / work
    return float(f"{max(1.0, total * metric.share):.4g}")


def warmup_requests(family: Family, candidate: Candidate, metric: EmeraldMetric) -> int:
    """Requests before the window: the test's, and those that bring a write-back cache to its level."""
    controller = family.controller(candidate.controller)
    cache = controller.work.cache if controller.work else None
    own = family.file.test.warmup_requests
    writes = 0.35 if metric.read_percent is None else 1 - metric.read_percent / 100
    if cache is None or not cache.size or cache.write != "back" or writes <= 0:
        return own
    lines = _FILLS * candidate.nodes * cache.size / cache.line * cache.high_watermark
    return own + math.ceil(lines / max(1.0, _PAGE / cache.line) / writes)


def _sequential_load(family: Family, metric: EmeraldMetric, own: Configuration | None) -> SequentialLoad:
    """The load of SR or SW; a configuration may have its own."""
    key = "sequential_read" if metric.name == "SR" else "sequential_write"
    load: SequentialLoad = getattr(own, key, None) or getattr(family.file.test, key)
    return load


def _name(family: Family, candidate: Candidate, metric: EmeraldMetric) -> str:
    parts = [family.name, metric.key, candidate.controller]
    if candidate.nodes > 1:
        parts.append(f"{candidate.nodes}n")
    parts += [f"{group.count}-{group.drive}-{group.raid}" for group in candidate.groups]
    return "-".join(parts)[:100]


def _pool_names(candidate: Candidate) -> list[str]:
    """A name for each group that no enclosure and no other group has."""
    names: list[str] = []
    for group in candidate.groups:
        name = f"drives-{group.drive}"[:60]
        number = 2
        while name in names:
            name = f"drives-{group.drive}"[:56] + f"-{number}"
            number += 1
        names.append(name)
    return names


def _table(values: Mapping[str, Any]) -> list[str]:
    return [f"{key(name)} = {inline(value)}" for name, value in values.items()]


def _pools(family: Family, candidate: Candidate, names: list[str], *, chunklets: bool) -> list[str]:
    out: list[str] = []
    for group, name in zip(candidate.groups, names, strict=True):
        written = family.written("drive", group.drive)
        raid = family.raid(group.raid)
        keys: dict[str, Any] = {"level": raid.level, "stripe_unit": raid.stripe_unit}
        if raid.layout is not None:
            keys["layout"] = raid.layout
        if raid.small_write is not None:
            keys["small_write"] = raid.small_write
        if raid.width is not None and chunklets:
            keys["set_size"] = raid.width
        count = group.count - (group.count % 2 if raid.level == 10 and not chunklets else 0)
        pool = {"name": name, "device": written["device"], "count": count}
        if group.count > 1:
            pool["raid"] = keys
        if raid.width is not None and chunklets:
            pool["chunklet"] = raid.chunklet
        for one in ("scheduler", "drive_scheduler", "queue_depth", "write_cache"):
            if one in written:
                pool[one] = written[one]
        out += ["[[array.pool]]", *_table(pool), ""]
    return out


def _controller(family: Family, candidate: Candidate) -> list[str]:
    """The work table of the class as written; of several nodes, of all of them together."""
    work = family.written("controller", candidate.controller).get("work")
    if candidate.nodes > 1 or family.file.scale_out is not None:
        work = _joined(family, candidate.controller, dict(work or {}), candidate.nodes)
    return ["[array.controller]", *_table(work), ""] if work else []


def _span(family: Family, group: Group) -> int | None:
    """Tested bytes of a group's volume; None for the whole volume."""
    share = family.file.test.capacity_share
    if share >= 1:
        return None
    size = family.capacity(family.drive(group.drive))
    if size is None:
        raise InputError("missing-figure", f"drive.{group.drive}", "the capacity of the drive is not known")
    raid = family.raid(group.raid)
    unit = raid.stripe_unit
    if raid.width is None:
        usable = data_drives(raid.level, group.count) * (size // unit * unit)
    else:
        sets = group.count * (size // raid.chunklet) // raid.width
        usable = sets * data_drives(raid.level, raid.width) * (raid.chunklet // unit * unit)
    return max(STREAM_BYTES, int(usable * share) // STREAM_BYTES * STREAM_BYTES)


def _tested(family: Family, candidate: Candidate) -> list[float]:
    """Each group's share of the tested capacity, which a load over all volumes is uniform on."""
    sizes = []
    for group in candidate.groups:
        raid = family.raid(group.raid)
        data = data_drives(raid.level, raid.width or group.count) / (raid.width or group.count)
        sizes.append(group.count * data * (family.capacity(family.drive(group.drive)) or 0))
    return [size / sum(sizes) for size in sizes]


def _workload(
    family: Family,
    group: Group,
    name: str,
    *,
    metric: EmeraldMetric,
    sets: list[str],
    more: Mapping[str, Any],
) -> list[str]:
    profile: dict[str, Any] = {"name": metric.profile, **more}
    span = _span(family, group)
    if span is not None:
        profile["span"] = f"{span}B"
    if sets:
        profile["set"] = sets
    return ["[[workload]]", *_table({"name": f"load-{name}", "volume": name, "profile": profile}), ""]


def _mix(metric: EmeraldMetric) -> list[str]:
    """Changes to the rules' mixed profile for another mix."""
    return [f"stream.mw1.read_share={metric.read_percent}"] if "/" in metric.name else []


def _random(
    family: Family,
    candidate: Candidate,
    names: list[str],
    metric: EmeraldMetric,
    *,
    rate: float = 0.0,
    outstanding: int | None = None,
) -> list[str]:
    """Arrivals at a rate, or a closed loop of ``outstanding`` requests, over all groups by capacity."""
    total = family.file.test.requests + warmup_requests(family, candidate, metric)
    lines: list[str] = []
    for group, name, share in zip(candidate.groups, names, _tested(family, candidate), strict=True):
        more: dict[str, Any] = {"requests": max(1, round(total * share))}
        sets = _mix(metric)
        if outstanding is None:
            more = {"rate_iops": rate * share, **more}
        else:
            sets.insert(0, _loop(outstanding * share))
        lines += _workload(family, group, name, metric=metric, sets=sets, more=more)
    return lines


def _loop(outstanding: float) -> str:
    return f'arrivals={{law="closed",outstanding={max(1, round(outstanding))}}}'


def _closed(
    family: Family, candidate: Candidate, names: list[str], metric: EmeraldMetric, load: SequentialLoad
) -> list[str]:
    stream = f"stream.{metric.name.lower()}"
    times = {"array": 1, "node": candidate.nodes, "drive": candidate.drives}[load.per]
    out: list[str] = []
    for group, name in zip(candidate.groups, names, strict=True):
        share = group.count / candidate.drives
        streams = max(1, round(load.streams * times * share))
        sets = [
            _loop(load.outstanding * times * share),
            f'{stream}.access={{pattern="sequential",streams={streams},begin="{load.begin}"}}',
        ]
        if load.size is not None:
            sets += [f"{stream}.size={load.size}", f"{stream}.align={load.size}"]
        more = {"duration": f"{load.warmup + load.duration:g}s"}
        out += _workload(family, group, name, metric=metric, sets=sets, more=more)
    return out


def _enclosures(family: Family, candidate: Candidate, pools: Sequence[str]) -> list[str]:
    """``[array.power]`` with all of its enclosures; ``pools`` are the names of the groups' pools."""
    head = family.written("controller", candidate.controller)
    out = ["[array.power]", ""]
    out += _enclosure({"name": "head", "count": candidate.nodes, **_parts(family, head, candidate.nodes)})
    held: dict[str, list[str]] = {}
    for group, pool in zip(candidate.groups, pools, strict=True):
        shelf = family.shelf_of(family.drive(group.drive))
        assert shelf is not None
        held.setdefault(shelf.name, []).append(pool)
    for name, count in shelves(family, candidate).items():
        shelf = family.shelf(name)
        keys: dict[str, Any] = {"name": f"shelf-{name}"[:64], "count": count, "slots": shelf.slots}
        keys |= {"form_factor": shelf.form_factor, "pools": held[name]}
        if candidate.nodes > 1:
            keys["fill"] = "even"
        out += _enclosure({**keys, **_parts(family, family.written("shelf", name))})
    scale_out = family.file.scale_out
    if scale_out is not None and scale_out.interconnect.part:
        between = family.document.raw["scale_out"]["interconnect"]
        sets = -(-candidate.nodes // scale_out.interconnect.nodes)
        out += _enclosure({"name": "interconnect", "count": sets, **_parts(family, between)})
    return out


def _enclosure(keys: Mapping[str, Any]) -> list[str]:
    return ["[[array.power.enclosure]]", *_table(keys), ""]


def _parts(family: Family, written: Mapping[str, Any], nodes: int = 1) -> dict[str, Any]:
    """Parts and supplies as written. A part's limits of drives are those of one node."""
    parts = [_part(family, part, nodes) for part in written.get("part") or ()]
    supply = {"supply": written["supply"]} if "supply" in written else {}
    return ({"part": parts} if parts else {}) | supply


def _part(family: Family, part: Mapping[str, Any], nodes: int) -> Mapping[str, Any]:
    if nodes == 1:
        return part
    file = find_part(part["model"], family.base) if "model" in part else None
    limits = {
        name: part.get(name) or (getattr(file, name) if file else None) for name in ("max_sff", "max_lff")
    }
    return {**part, **{name: most * nodes for name, most in limits.items() if most}}


def _joined(family: Family, controller: str, work: dict[str, Any], nodes: int) -> dict[str, Any]:
    """The table ``work`` of one node for the controllers of ``nodes`` nodes as one.

    Processors, caches and links of all nodes are pooled, which an even load over nodes comes to where queues
    are short. The time of a request that another node holds is added to every request by its share
    (N - 1)/N.
    """
    scale_out, keys = family.file.scale_out, family.controller(controller).work
    hop = 0.0 if scale_out is None else scale_out.interconnect.hop * (nodes - 1) / nodes
    if "processing" in work or hop > 0:
        processing = dict(work.get("processing", {}))
        known = keys.processing if keys is not None else None
        for name in ("read", "write"):
            own = getattr(known, name) if known is not None else 0.0
            if own + hop > 0:
                processing[name] = f"{(own + hop) * 1e6:.6g}us"
        processing["processors"] = (known.processors if known is not None else 1) * nodes
        work["processing"] = processing
    if "back_end" in work:
        back_end = dict(work["back_end"])
        used = [
            name
            for name in ("processors", "write_processors")
            if name == "processors" or "write_command" in back_end
        ]
        work["back_end"] = {**back_end, **{name: back_end.get(name, 1) * nodes for name in used}}
    if keys is not None and keys.host_bandwidth is not None:
        work["host_bandwidth"] = f"{keys.host_bandwidth * nodes:.10g}B/s"
    cache = None if keys is None else keys.cache
    if cache is not None:
        table = dict(work["cache"])
        table["size"] = f"{cache.size * nodes}B"
        table["destage_outstanding"] = cache.destage_outstanding * nodes
        if cache.mirror is not None:
            table["mirror"] = {**table["mirror"], "bandwidth": f"{cache.mirror.bandwidth * nodes:.10g}B/s"}
        work["cache"] = table
    return work
