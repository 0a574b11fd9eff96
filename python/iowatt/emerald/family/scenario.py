"""A configuration under the load of a metric as a scenario: the one text that is estimated and simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from iowatt.base.errors import InputError
from iowatt.base.toml_writer import comment, inline, key
from iowatt.emerald.family.candidate import Candidate, Group
from iowatt.emerald.family.enclosures import enclosures
from iowatt.emerald.family.family import Family
from iowatt.emerald.family.load import Sequential
from iowatt.emerald.family.metric import Metric, metric
from iowatt.emerald.plan.workloads import STREAM_BYTES
from iowatt.model.scenario.raid import data_drives

#: Back-end commands of a small write, by level.
_PENALTY: Final = {0: 1, 1: 2, 10: 2, 4: 4, 5: 4, 6: 6}
#: Commands a second of one drive that no search is led astray by.
_NOMINAL: Final = {"hdd": 100.0, "ssd": 3000.0}
_PAGE: Final = 8192
#: Writes before the window, in caches up to the high watermark: a destager that goes by utilisation nears its
#: level slowly. With one, 70/30 of 125 drives in RAID-5 was 4.4 % above that of a run five times as long and
#: four times as warm, with four 0.7 % (22 November 2026, examples/emerald/online3.toml).
_FILLS: Final = 4
_IDLE_S: Final = 60


def scenario(
    family: Family,
    candidate: Candidate,
    of: str | Metric,
    *,
    rate_iops: float | None = None,
    seed: int | None = None,
    configuration: str | None = None,
    chunklets: bool = True,
) -> str:
    """TOML for ``iowatt run``; its paths are relative to ``family.base``.

    Parameters
    ----------
    of:
        The metric: ready idle has no workload, sequential ones a closed loop, the others arrivals at random.
    rate_iops:
        Requests per second of a random metric in all; None: a nominal rate (:func:`nominal_iops`).
    seed:
        In place of the family's.
    configuration:
        The ``[[configuration]]`` whose own loads hold.
    chunklets:
        False: sets of chunklets become one set over all drives of a group (of mirrors an even number), which
        takes as many commands for small requests; for whoever knows no chunklets.

    Raises
    ------
    InputError
        The metric does not exist, or a device file is wrong.
    """
    what = metric(family, of) if isinstance(of, str) else of
    names = _pool_names(candidate)
    out = [
        comment(f"{family.file.title or family.name}: {candidate.label}; {what.title}."),
        comment("Written by iowatt emerald bff."),
        f"name = {inline(_name(family, candidate, what))}",
        f"seed = {family.file.seed if seed is None else seed}",
        "",
        *_pools(family, candidate, names, chunklets=chunklets),
        *_controller(family, candidate),
        *enclosures(family, candidate, names),
    ]  # fmt: skip
    if what.kind == "idle":
        return "\n".join([*out, "[observe]", f'duration = "{_IDLE_S}s"', ""])
    if what.kind == "sequential":
        load = sequential(family, what, configuration)
        out += _closed(family, candidate, names, what, load)
        out += ["[observe]", f'warmup = "{load.warmup:g}s"', f'duration = "{load.warmup + load.duration:g}s"']
        return "\n".join([*out, ""])
    named = None if configuration is None else family.configuration(configuration)
    if named is not None and named.outstanding is not None and rate_iops is None:
        out += _untuned(family, candidate, names, what, named.outstanding)
        return "\n".join([*out, "[observe]", 'warmup = "auto"', ""])
    rate = nominal_iops(family, candidate, what) if rate_iops is None else rate_iops
    out += _open(family, candidate, names, what, rate)
    warmup = warmup_requests(family, candidate, what) / rate
    return "\n".join([*out, "[observe]", f'warmup = "{warmup:.9f}s"', ""])


def nominal_iops(family: Family, candidate: Candidate, what: Metric) -> float:
    """A rate in the range of what the configuration can do: a hundred commands a second of each disk."""
    reads = 0.5 if what.read_percent is None else what.read_percent / 100
    total = 0.0
    for group in candidate.groups:
        kind = family.device(family.drive(group.drive)).kind
        work = reads + (1 - reads) * _PENALTY[family.raid(group.raid).level]
        total += group.count * _NOMINAL[kind] / work
    return float(f"{max(1.0, total * what.share):.4g}")


def warmup_requests(family: Family, candidate: Candidate, what: Metric) -> int:
    """Requests before the window: the test's, and those that bring a write-back cache to its level."""
    controller = family.controller(candidate.controller)
    cache = controller.work.cache if controller.work else None
    own = family.file.test.warmup_requests
    writes = 0.35 if what.read_percent is None else 1 - what.read_percent / 100
    if cache is None or not cache.size or cache.write != "back" or writes <= 0:
        return own
    lines = _FILLS * candidate.nodes * cache.size / cache.line * cache.high_watermark
    return own + math.ceil(lines / max(1.0, _PAGE / cache.line) / writes)


def sequential(family: Family, what: Metric, configuration: str | None = None) -> Sequential:
    """The sequential load of SR or SW."""
    place = "sequential_read" if what.name == "SR" else "sequential_write"
    named = None if configuration is None else getattr(family.configuration(configuration), place)
    load: Sequential = named or getattr(family.file.test, place)
    return load


def _name(family: Family, candidate: Candidate, what: Metric) -> str:
    parts = [family.name, what.key, candidate.controller]
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
    """What the class does, as written; of several nodes, of all of them together."""
    work = family.written("controller", candidate.controller).get("work")
    if candidate.nodes > 1 or family.file.scale_out is not None:
        from iowatt.emerald.family.nodes import joined

        work = joined(family, candidate.controller, dict(work or {}), candidate.nodes)
    return ["[array.controller]", *_table(work), ""] if work else []


def _span(family: Family, group: Group) -> int | None:
    """Bytes that are tested of a group's volume; None for all of it."""
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
    family: Family, group: Group, name: str, *, what: Metric, sets: list[str], more: Mapping[str, Any]
) -> list[str]:
    profile: dict[str, Any] = {"name": what.profile, **more}
    span = _span(family, group)
    if span is not None:
        profile["span"] = f"{span}B"
    if sets:
        profile["set"] = sets
    return ["[[workload]]", *_table({"name": f"load-{name}", "volume": name, "profile": profile}), ""]


def _mix(what: Metric) -> list[str]:
    """What a mix of its own changes of the rules' mixed profile."""
    return [f"stream.mw1.read_share={what.read_percent}"] if "/" in what.name else []


def _open(family: Family, candidate: Candidate, names: list[str], what: Metric, rate: float) -> list[str]:
    total = family.file.test.requests + warmup_requests(family, candidate, what)
    out: list[str] = []
    shares = _tested(family, candidate)
    for group, name, share in zip(candidate.groups, names, shares, strict=True):
        more = {"rate_iops": rate * share, "requests": max(1, round(total * share))}
        out += _workload(family, group, name, what=what, sets=_mix(what), more=more)
    return out


def _untuned(
    family: Family, candidate: Candidate, names: list[str], what: Metric, outstanding: int
) -> list[str]:
    total = family.file.test.requests + warmup_requests(family, candidate, what)
    out: list[str] = []
    shares = _tested(family, candidate)
    for group, name, share in zip(candidate.groups, names, shares, strict=True):
        loop = f'arrivals={{law="closed",outstanding={max(1, round(outstanding * share))}}}'
        more = {"requests": max(1, round(total * share))}
        out += _workload(family, group, name, what=what, sets=[loop, *_mix(what)], more=more)
    return out


def _closed(
    family: Family, candidate: Candidate, names: list[str], what: Metric, load: Sequential
) -> list[str]:
    stream = f"stream.{what.name.lower()}"
    times = {"array": 1, "node": candidate.nodes, "drive": candidate.drives}[load.per]
    out: list[str] = []
    for group, name in zip(candidate.groups, names, strict=True):
        share = group.count / candidate.drives
        streams = max(1, round(load.streams * times * share))
        outstanding = max(1, round(load.outstanding * times * share))
        sets = [
            f'arrivals={{law="closed",outstanding={outstanding}}}',
            f'{stream}.access={{pattern="sequential",streams={streams},begin="{load.begin}"}}',
        ]
        if load.size is not None:
            sets += [f"{stream}.size={load.size}", f"{stream}.align={load.size}"]
        more = {"duration": f"{load.warmup + load.duration:g}s"}
        out += _workload(family, group, name, what=what, sets=sets, more=more)
    return out
