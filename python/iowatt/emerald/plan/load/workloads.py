"""The workloads of Emerald's phases: their profiles, their range on the targets, comments of their files."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.emerald.phases import FILL, PHASES
from iowatt.emerald.plan.model import Plan, PlanStage
from iowatt.sources.export import LEAST_OUTSTANDING, PreparedProfile, prepare

# fio reads text beyond 8 KiB of a line as another line.
_LONGEST_COMMENT: Final = 1000

NOMINAL_IOPS: Final = 1000.0  #: Rate of a job file until the rate of its stage is found.
#: Bytes of a sequential request, and what tested ranges are whole multiples of.
STREAM_BYTES: Final = 256 * 1024

# Blocks of 4096 bytes: what Table 12 gives to 512 bytes and 1 KiB falls to 4 KiB (the rules: sizes_4k).
_FOLDED: Final = (
    (4, 31), (8, 31), (16, 5), (32, 5), (48, 1), (56, 1), (60, 2), (64, 20), (128, 2), (256, 2),
)  # fmt: skip


@dataclass(frozen=True)
class TestedRange:
    """The tested range: so many bytes from the start of each target."""

    paths: tuple[str, ...]
    bytes_each: int


def paths(plan: Plan) -> tuple[str, ...]:
    """The files or devices that are measured; empty for a scenario."""
    return () if plan.target.path is None else tuple(plan.target.path.split(","))


def span(plan: Plan) -> TestedRange:
    """The tested range, whole requests of 256 KiB on each target.

    Raises ``InputError``: the plan has no target, or no tested range where a target does not exist yet.
    """
    named = paths(plan)
    if not named:
        raise InputError("missing", "plan.json: target.path", "the plan has no file or device")
    if plan.target.size_bytes is not None:
        total = plan.target.size_bytes
    else:
        sizes = [bytes_of(path) for path in named]
        if None in sizes:
            text = f"{named[sizes.index(None)]} does not exist, so the plan must give the tested range"
            hint = "give it to `iowatt emerald plan`: `size=1TiB`"
            raise InputError("missing", "plan.json: target.size_bytes", text, hint=hint)
        total = min(size for size in sizes if size is not None) * len(named)
    each = total // len(named) // STREAM_BYTES * STREAM_BYTES
    if each == 0:
        text = f"{total} bytes on {len(named)} targets are less than one request of 256KiB on each"
        raise InputError("out-of-range", "plan.json: target.size_bytes", text)
    return TestedRange(named, each)


def bytes_of(path: str) -> int | None:
    """Bytes of a file or block device; None where it does not exist."""
    try:
        mode = Path(path).stat()
        if stat.S_ISBLK(mode.st_mode):
            with Path(path).open("rb") as device:
                return device.seek(0, os.SEEK_END)
    except OSError:
        return None
    return mode.st_size if stat.S_ISREG(mode.st_mode) else None


def profile_name(workload: str) -> str:
    """The profile of the library for a workload; the fill writes as SW does."""
    name = PHASES["SW" if workload == FILL else workload].profile
    assert name is not None, f"{workload} has no requests"
    return name


def overrides(plan: Plan, stage: PlanStage) -> list[str]:
    """Changes to that profile: sizes of 4 KiB blocks, outstanding requests in place of arrivals."""
    changes = []
    if stage.workload == "HB" and plan.target.block_size == 4096:
        sizes = ",".join(f'{{size="{kib}k",share={share}}}' for kib, share in _FOLDED)
        changes.append(f"sizes=[{sizes}]")
    if stage.closed:
        changes.append(f'arrivals={{law="closed",outstanding={stage.outstanding}}}')
    if stage.workload in ("SR", "SW") and stage.streams > 1:
        name = stage.workload.lower()
        changes.append(f'stream.{name}.access={{pattern="sequential",streams={stage.streams}}}')
    return changes


def prepared(plan: Plan, stage: PlanStage, *, seed: int, target: str, bytes_each: int) -> PreparedProfile:
    """The stage's profile for a load generator: as long as the stage, on one target's range.

    Raises ``InputError``: the stage has no workload, or neither a rate nor ``closed``.
    """
    if stage.workload is None:
        raise idle_error(stage)
    rate = None if stage.closed else rate_of(stage)
    return prepare(
        profile_name(stage.workload),
        overrides(plan, stage),
        target=target,
        seed=seed,
        duration_s=stage.seconds or 1.0,
        rate_iops=rate,
        span=bytes_each,
        outstanding=outstanding(stage),
    )


def outstanding(stage: PlanStage) -> int:
    """Requests that the load generator keeps outstanding: always where closed, at a rate at most."""
    always = stage.closed or stage.workload == FILL
    return stage.outstanding if always else max(LEAST_OUTSTANDING, stage.outstanding)


def rate_of(stage: PlanStage) -> float:
    """Requests per second of an open stage; ``InputError`` where its rate has not been found yet."""
    if stage.rate_iops is None:
        hint = (
            f"`iowatt emerald calibrate` finds it; or give it in the plan: `phase_rate={stage.workload}=500`"
        )
        place = f"stage {stage.id}: rate_iops"
        raise InputError("missing", place, "the stage has no rate yet", hint=hint)
    return stage.rate_iops


def idle_error(stage: PlanStage) -> InputError:
    """The error for a load generator that is to run an idle stage."""
    return InputError("not-applicable", f"stage {stage.id}", "an idle stage has no requests to make")


def comments(mark: str, plan: Plan, *lines: str) -> list[str]:
    """Comment lines of a file: the first of ``lines``, every deviation of the plan, the others."""
    deviations = (f"NON-COMPLIANT: {deviation.text}" for deviation in plan.deviations)
    return [f"{mark} {_one_line(text)}" for text in (lines[0], *deviations, *lines[1:])]


def _one_line(text: str) -> str:
    """``text`` without control characters (a line break would begin an option), and not too long."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    return clean if len(clean) <= _LONGEST_COMMENT else clean[: _LONGEST_COMMENT - 3] + "..."
