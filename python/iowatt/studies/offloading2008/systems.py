"""The arrays of the study as scenarios: the same volumes on the same drives under each scheme."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from iowatt.evaluate.search import parse_axes
from iowatt.studies.offloading2008.published import PRINTED, TEXT
from iowatt.studies.stages import StudyStage

SCHEMES: Final = ("always-on", "spin-down", "write-off-loading", "maid", "pdc")

#: What the scheme is called in tables.
NAMES: Final = {
    "always-on": "always on",
    "spin-down": "spin-down alone",
    "write-off-loading": "write off-loading",
    "maid": "MAID, cache included",
    "pdc": "PDC",
}


IDLE_W: Final = 12.0
STOPPED_W: Final = 2.6

#: Workloads of which PDC's authors would say that their load is extremely low.
LOW_LOAD: Final = ("archive", "hp")

THRESHOLD_S: Final = 60.0
"""Idle time before a drive is stopped, and time without reads before writes are off-loaded or logged."""

#: Requests of the synthetic volumes, as a share of the recorded rates: a week then takes seconds.
SCALE: Final = 0.1

HOME_GIB: Final = 8
LOG_GIB: Final = 1
CACHE_GIB: Final = 16
EXTENT_MIB: Final = 64

HP_TRACE: Final = "ajw.1week.srt.gz"


@dataclass(frozen=True)
class SchemeWork:
    """A workload: what its volumes do, and how their drives are arranged."""

    key: str
    title: str
    #: Keys of a workload for each volume.
    volumes: Sequence[str]
    #: RAID of each volume's pool.
    raid: str
    drives: int
    #: Drives of the MAID cache.
    cache_drives: int


@dataclass(frozen=True)
class SyntheticCase:
    """What differs between the synthetic workloads."""

    key: str
    title: str
    #: Requests, as a share of those of the first.
    share: float = 1.0
    #: How long writes come and then pause on average; without pauses where None.
    pause: str | None = None
    #: Mean time between two sessions of reads of a volume.
    off: str = "20min"


CASES: Final = (
    SyntheticCase("steady", "8 volumes, writes without pauses"),
    SyntheticCase("pauses", "8 volumes, writes pause half of the time", pause="30min"),
    SyntheticCase("reads", "8 volumes, sessions of reads four times as often", pause="30min", off="3min"),
    SyntheticCase("archive", "8 volumes, a hundredth of the requests", share=0.01, pause="30min"),
)


def works(days: float) -> list[SchemeWork]:
    """The workloads, the synthetic ones of so many days."""
    raid5 = 'count = 4\nraid = { level = 5, stripe_unit = "64KiB" }'
    found = [
        SchemeWork(
            case.key,
            case.title,
            [_volume(v.rate * SCALE * case.share, v.writes, case, days) for v in PRINTED.volumes.values()],
            raid5,
            4,
            2,
        )
        for case in CASES
    ]
    hp = [f'trace = {{ path = "{HP_TRACE}", format = "hp-srt", device = "{d}" }}' for d in (0, 1)]
    return [*found, SchemeWork("hp", "two disks of a time-sharing host (HP, 1992)", hp, "count = 1", 1, 1)]


def _volume(rate: float, writes: float, case: SyntheticCase, days: float) -> str:
    """A volume of the profile with this rate and percentage of writes."""
    changes = [
        f"stream.writes.arrivals.rate={rate * writes / 100:.6g}",
        f"stream.reads.arrivals.rate={rate * (1 - writes / 100):.6g}",
        f'stream.reads.arrivals.off="{case.off}"',
    ]
    if case.pause is not None:
        states = f'[{{factor=1,mean="{case.pause}"}},{{factor=0,mean="{case.pause}"}}]'
        changes.append(f'stream.writes.arrivals.modulation={{states={states},sojourn="pareto"}}')
    return f'profile = {{ name = "server-volume", duration = "{days:g}d", set = {json.dumps(changes)} }}'


def scenario(work: SchemeWork, scheme: str) -> str:
    """A workload on its drives, under a scheme."""
    number = len(work.volumes)
    parts = [f'name = "offloading2008-{work.key}-{scheme}"\nseed = 1\n']
    for index, keys in enumerate(work.volumes):
        parts.append(f'[[workload]]\nname = "w{index}"\nvolume = "volume{index}"\n{keys}\n')
    policy = "never" if scheme == "always-on" else f'fixed-threshold", threshold = "{THRESHOLD_S:g}s'
    for index in range(number):
        parts.append(_pool(f"home{index}", work.raid, policy))
    if scheme == "maid":
        mirror = f"count = {work.cache_drives}" + ("\nraid = { level = 1 }" if work.cache_drives > 1 else "")
        parts.append(_pool("cache", mirror, "never"))
    parts.append(_virtual_pool(scheme, number))
    for index in range(number):
        pool = "all" if scheme in _SCHEME_KEYS else f"home{index}"
        parts.append(
            f'[[array.volume]]\nname = "volume{index}"\npool = "{pool}"\ncapacity = "{HOME_GIB}GiB"\n'
        )
    return "\n".join(parts) + '\n[observe]\ninterval = "10min"\n'


def _pool(name: str, raid: str, policy: str) -> str:
    head = f'[[array.pool]]\nname = "{name}"\n{raid}\nscheduler = "c-look"\n'
    return f'{head}power = {{ policy = "{policy}" }}\n{TEXT.fragments["device"]}'


#: Keys of each scheme, and what a part holds besides the volume, in MiB.
_SCHEME_KEYS: Final = {
    "write-off-loading": (f'log = "{LOG_GIB}GiB"\noff_load_after = "{THRESHOLD_S:g}s"', LOG_GIB * 1024),
    "maid": (f'log_after = "{THRESHOLD_S:g}s"', 0),
    "pdc": (f'extent = "{EXTENT_MIB}MiB"\nperiod = "6h"', EXTENT_MIB),
}


def _virtual_pool(scheme: str, number: int) -> str:
    if scheme not in _SCHEME_KEYS:
        return ""
    keys, more = _SCHEME_KEYS[scheme]
    size = f"{HOME_GIB * 1024 + more}MiB"
    homes = ", ".join(f'{{ pool = "home{index}", capacity = "{size}" }}' for index in range(number))
    cache = f'cache = {{ pool = "cache", capacity = "{CACHE_GIB}GiB" }}\n' if scheme == "maid" else ""
    name = "data" if scheme == "maid" else "part"
    return f'[[array.virtual_pool]]\nname = "all"\nscheme = "{scheme}"\n{cache}{name} = [{homes}]\n{keys}\n'


def stages(days: float) -> list[StudyStage]:
    """Every workload under every scheme; the synthetic ones last so many days."""
    # HP's week ships with the drive that it validates.
    folder = Path(str(files("iowatt.model.library") / "validation"))
    return [
        StudyStage(
            f"{work.key}-{scheme}",
            scenario(work, scheme),
            folder,
            parse_axes({"seed": [1]}),
            {"work": work.key, "scheme": scheme},
            bundles=True,
        )
        for work in works(days)
        for scheme in SCHEMES
    ]
