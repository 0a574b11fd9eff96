"""Random configurations, seeded, and how far the estimator is from the simulator over them.

Drives of every speed and of flash, 4 to 48 of them, every level, stripe units, mixes, sizes, address laws,
queues, caches, controllers, hybrids; closed loops mostly, for which throughput is compared, else open rates.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.evaluate import evaluation
from iowatt.evaluate.estimate.estimator import Estimator
from iowatt.evaluate.search.metrics.table import row_of_run
from iowatt.model.scenario import load
from iowatt.run import provenance

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


#: What is compared, as keys of a row; power is compared above idling.
RESPONSE: Final = "response_time_ms.all.mean"


@dataclass(frozen=True)
class EstimateComparison:
    """A configuration, both ways. Errors are shares of the simulation's figure; None where it is no test.

    ``estimate_s`` is what an estimate takes once its drives are known, ``simulation_s`` what the simulation
    took.
    """

    drawn: RandomConfiguration
    estimated: dict[str, float]
    simulated: dict[str, Any]
    throughput: float | None
    response: float | None
    power: float
    estimate_s: float
    simulation_s: float


@dataclass(frozen=True)
class ErrorSpread:
    """Median and 95th percentile of the absolute errors of ``count`` configurations."""

    count: int
    median: float
    p95: float


def compare_estimate(estimator: Estimator, drawn: RandomConfiguration) -> EstimateComparison:
    """A configuration estimated and simulated."""
    base = estimator.base

    def prepared(rate: float, seconds: float, warmup_s: float) -> evaluation.Prepared:
        text = drawn.scenario(rate_iops=rate, seconds=seconds, warmup_s=warmup_s)
        return evaluation.prepare(load(text, base_dir=base), base, text)

    work = prepared(1000.0, 1.0, 0.0)
    closed = drawn.outstanding is not None
    rate = (
        estimator.of(work).row["throughput.iops"]
        if closed
        else drawn.share * estimator.most(work).row["throughput.iops"]
    )
    work = prepared(rate, (drawn.warm + drawn.measured) / rate, drawn.warm / rate)
    if drawn.hybrid and closed:  # what moves settles by requests, so their rate has to be known
        seen = row_of_run(evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now()))
        settled = max(rate * 0.01, float(seen["throughput.iops"]))  # type: ignore[arg-type]
        work = prepared(rate, (drawn.warm + drawn.measured) / settled, drawn.warm / settled)
    estimate = estimator.of(work)
    begun = time.perf_counter()
    estimate = estimator.of(work)
    estimate_s = time.perf_counter() - begun
    begun = time.perf_counter()
    run = evaluation.simulate(work, inputs=lambda: [], started_at=provenance.now())
    simulation_s = time.perf_counter() - begun
    row = row_of_run(run)
    above = float(row["power_w.mean"]) - float(row["power_w.idle"])  # type: ignore[arg-type]
    drawn_w = estimate.row["power_w.mean"] - estimate.row["power_w.idle"]
    given = estimate.row.get(RESPONSE)
    return EstimateComparison(
        drawn=drawn,
        estimated=estimate.row,
        simulated=row,
        throughput=_error(estimate.row["throughput.iops"], row["throughput.iops"]) if closed else None,
        response=None if given is None else _error(given, row[RESPONSE]),
        power=_error(drawn_w, above),
        estimate_s=estimate_s,
        simulation_s=simulation_s,
    )


def compare_random(
    count: int, seed: int, base: Path, told: Callable[[EstimateComparison], None] = lambda _one: None
) -> tuple[Estimator, list[EstimateComparison]]:
    """``count`` configurations of a seed, and the estimator with the drives that it flew."""
    estimator = Estimator(base)
    found = []
    for number in range(count):
        one = compare_estimate(estimator, random_configuration(number, seed))
        told(one)
        found.append(one)
    return estimator, found


def spread(errors: Sequence[float | None]) -> ErrorSpread:
    """Of the errors that are known."""
    known = sorted(abs(error) for error in errors if error is not None)
    if not known:
        return ErrorSpread(0, 0.0, 0.0)
    at = [known[min(len(known) - 1, int(share * len(known)))] for share in (0.5, 0.95)]
    return ErrorSpread(len(known), at[0], at[1])


def _error(estimated: float, simulated: Any) -> float:
    return estimated / float(simulated) - 1 if simulated else 0.0
