"""Random configurations, seeded: over what a search for a configuration would meet.

Drives of every speed and of flash, 4 to 48 of them, every level, stripe units, mixes, sizes, address laws,
queues, caches, controllers, hybrids; closed loops mostly, for which throughput is a test, else open rates.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

KIB: Final = 1024
DISKS: Final = (
    "toshiba-mg04sca500e",
    "dollars2014-hdd",
    "seagate-enterprise-nas-6tb",
    "hgst-ultrastar-c10k900-900gb",
    "arrays2002-disk",
    "hotband2013-15k",
)
FLASH: Final = (
    "intel-dc-s3700-800gb",
    "intel-dc-p3600-2tb",
    "intel-dc-s4600-1-92tb",
    "samsung-845dc-pro-400gb",
    "intel-optane-dc-p4800x-375gb",
)
COUNTS: Final = (4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48)
#: Requests that are looked at, and those of the warm-up before caches and buffers are counted.
MEASURED: Final = 30_000
WARM: Final = 6_000
#: Those until a hybrid has moved what it will.
SETTLING: Final = 300_000


@dataclass(frozen=True)
class RandomConfiguration:
    """A configuration: scenarios are made of it by :meth:`scenario`; ``share`` of what it can do where it
    is open."""

    number: int
    label: str
    body: str
    profile: str
    settings: tuple[str, ...]
    span: str | None
    outstanding: int | None
    share: float
    warm: int
    measured: int
    hybrid: bool

    def scenario(self, *, rate_iops: float, seconds: float, warmup_s: float) -> str:
        """The scenario, as TOML; a closed loop goes by completions and not by the rate."""
        settings = ", ".join(f'"{setting}"' for setting in self.settings)
        span = "" if self.span is None else f', span = "{self.span}"'
        lines = [
            f'name = "drawn-{self.number}"',
            f"seed = {self.number + 1}",
            "[observe]",
            f'duration = "{seconds:.9g}s"',
            f'warmup = "{warmup_s:.9g}s"',
            "[[workload]]",
            'name = "load"',
            'volume = "data"',
            f'profile = {{ name = "{self.profile}", rate_iops = {rate_iops:.9g}, set = [{settings}]{span} }}',
        ]
        if self.outstanding is not None:
            lines.append(f'replay = {{ mode = "closed", outstanding = {self.outstanding} }}')
        return "\n".join(lines) + "\n" + self.body


def random_configuration(number: int, seed: int) -> RandomConfiguration:
    """Configuration ``number`` of a seed."""
    of = random.Random(f"{seed} {number}")
    hybrid = of.random() < 0.08
    flash = not hybrid and of.random() < 0.3
    device = of.choice(FLASH if flash else DISKS)
    level = of.choice((0, 5, 5, 6, 10, 10))
    count = of.choice(COUNTS)
    count += count % 2 if level == 10 else 0
    unit = of.choice((16, 64, 64, 128, 256))
    size = of.choice((4, 8, 8, 16, 32, 64, 128, 256))
    read_share = of.choice((0, 30, 50, 70, 70, 80, 100))
    profile, settings, span = _work(of, size, read_share, hybrid=hybrid)
    outstanding = of.choice((1, 2, 4, 8, 16, 32, 64, 128, 256)) if of.random() < 0.8 else None
    share = of.uniform(0.2, 0.85)
    queue = (
        ""
        if flash or of.random() < 0.6
        else 'scheduler = "fcfs"\nqueue_depth = 16\ndrive_scheduler = "sptf"\n'
    )
    controller, lines, cache = _controller(of, hybrid=hybrid)
    pool = (
        f'[[array.pool]]\nname = "disks"\ndevice = "{device}"\ncount = {count}\n'
        f'raid = {{ level = {level}, stripe_unit = "{unit}KiB" }}\n{queue}'
    )
    if hybrid:
        tiers, scheme = _hybrid(of)
        pool += tiers + '[[array.volume]]\nname = "data"\npool = "hybrid"\n'
    else:
        scheme = ""
        pool += '[[array.volume]]\nname = "data"\npool = "disks"\n'
    buffers = 4096 * count * 2 if flash else 0
    # Until caches are full and buffers are, and long enough for destages to have come and gone some times.
    warm = WARM + round((7 * lines + 8 * buffers / 16) / max(1.0, size / 16))
    warm += SETTLING if hybrid else 0
    measured = MEASURED
    if ", back" in cache and read_share < 100:
        measured += round(lines / max(1.0, size / 16) / (1 - read_share / 100))
    load = f"n={outstanding}" if outstanding is not None else f"open {share:.2f}"
    asked = "" if profile == "hot-band" else f"{size}K {read_share}% "
    label = (
        f"{count} x {device} RAID-{level} {unit}K, {profile} {asked}"
        f"{span or ''} {load}{' sptf' if queue else ''}{cache}{scheme}"
    )
    return RandomConfiguration(
        number,
        label,
        controller + pool,
        profile,
        settings,
        span,
        outstanding,
        share,
        min(warm, 400_000),
        min(measured, 150_000),
        hybrid,
    )


def _work(
    of: random.Random, size: int, read_share: int, *, hybrid: bool
) -> tuple[str, tuple[str, ...], str | None]:
    profile = of.choice(("uniform", "uniform", "uniform", "skew", "hot-band"))
    span = "8GiB" if hybrid else of.choice((None, None, "50GiB"))
    if profile == "hot-band" and not hybrid:
        return profile, (), span
    profile = "skew" if hybrid else profile
    settings = [f"stream.{profile}.read_share={read_share}", f"stream.{profile}.size={size}KiB"]
    if profile == "skew":
        settings.append(f"stream.skew.access.k={of.choice((3.5, 7, 14))}")
    return profile, tuple(settings), span


def _controller(of: random.Random, *, hybrid: bool) -> tuple[str, int, str]:
    """Text, lines of its cache, and what a reader is told."""
    text, lines, told = "[array.controller]\n", 0, ""
    if of.random() < 0.3:
        text += 'processing = { read = "20us", write = "30us", processors = 2 }\n'
    if of.random() < 0.1:
        text += 'back_end = { command = "25us", write_command = "33us" }\n'
    kind = of.choice(("none", "none", "back", "through", "back", "none")) if not hybrid else "none"
    if kind != "none":
        mib = of.choice((64, 256, 512))
        text += f'cache = {{ size = "{mib}MiB", write = "{kind}" }}\n'
        lines, told = mib * KIB // 16, f", {kind} {mib}M"
    return text, lines, told


def _hybrid(of: random.Random) -> tuple[str, str]:
    scheme = of.choice(("tiering", "caching", "linear"))
    device = of.choice(FLASH)
    text = (
        f'[[array.pool]]\nname = "ssds"\ndevice = "{device}"\ncount = 4\nraid = {{ level = 10 }}\n'
        f'[[array.virtual_pool]]\nname = "hybrid"\nscheme = "{scheme}"\n'
    )
    if scheme == "linear":
        text += 'part = [{ pool = "ssds", capacity = "2GiB" }, { pool = "disks" }]\n'
    else:
        text += 'fast = { pool = "ssds", capacity = "2GiB" }\n'
        text += 'slow = { pool = "disks", capacity = "10GiB" }\n'
        if scheme == "caching":  # by sector it is not modelled
            text += 'copy_unit = "extent"\nextent = "1MiB"\n'
    return text, f", {scheme} on 4 x {device}"
