"""Groups of fio's jobs: those of one group run together, and groups run one after another (``stonewall``).

fio's JSON says of each job which group it is in, and not what began the group: ``new_group`` begins one that
runs beside the others. Where their times prove that groups overlapped, they are one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from iowatt.base.errors import InputError
from iowatt.sources.fio.document import FioDocument, FioJob, error_text

#: Groups whose jobs' times share less than this, s, ran one after another.
_TOGETHER_S: Final = 0.05
#: Most jobs that a group is named by.
_NAMED: Final = 3

Group = list[FioJob]


def split_groups(output: FioDocument) -> list[FioDocument]:
    """The jobs that ran together, in order of time; each document ends when they did.

    Raises ``InputError`` where no job made a request.
    """
    groups, warnings = _with_requests(output)
    groups, remark = _joined(groups, max(job.elapsed_s for job in output.jobs))
    made = []
    for number, group in enumerate(groups):
        said = list(warnings)
        if len(groups) > 1:
            jobs = ", ".join(_names(group))
            said.append(f"group {number + 1} of {len(groups)} in {output.path.name}, jobs {jobs}: {remark}")
        behind = math.fsum(_seconds(later) for later in groups[number + 1 :])
        made.append(replace(output, jobs=group, end=output.end - behind, warnings=[*output.warnings, *said]))
    return made


def group_names(groups: Sequence[FioDocument]) -> list[str]:
    """A name for each group, by its jobs."""
    found: list[str] = []
    for group in groups:
        jobs = _names(group.jobs)
        name = "+".join(jobs[:_NAMED]) + ("+..." if len(jobs) > _NAMED else "")
        again = sum(one == name or one.startswith(f"{name} ") for one in found)
        found.append(f"{name} {again + 1}" if again else name)
    return found


def _names(jobs: Sequence[FioJob]) -> list[str]:
    return list(dict.fromkeys(job.name for job in jobs))


def _with_requests(output: FioDocument) -> tuple[list[Group], list[str]]:
    by: dict[int, Group] = {}
    for job in output.jobs:
        by.setdefault(job.group, []).append(job)
    groups, warnings = [], []
    for _, group in sorted(by.items()):
        if any(job.read.requests or job.write.requests for job in group):
            groups.append(group)
        else:
            warnings.append(f"left out, without a read or write: {'; '.join(_why(job) for job in group[:5])}")
    if not groups:
        message = f"there is no read and no write: {'; '.join(_why(job) for job in output.jobs[:5])}"
        raise InputError("empty", str(output.path), message)
    for group in groups:
        if _seconds(group) <= 0:
            message = f"job {group[0].name!r} ran for less than 1 ms, the shortest time that fio counts"
            hint = "run it longer (time_based, runtime)"
            raise InputError("out-of-range", str(output.path), message, hint=hint)
    return groups, warnings


def _why(job: FioJob) -> str:
    if job.error:
        return f"job {job.name!r} ended with error {error_text(job.error)}"
    return f"job {job.name!r} made {job.trims} trims only" if job.trims else f"job {job.name!r} did nothing"


def _joined(groups: list[Group], elapsed_s: float) -> tuple[list[Group], str]:
    """Groups that ran together as one, and what is known of the others."""
    apart = "groups run one after another (stonewall), and each becomes a Run"
    if all(job.start is not None for group in groups for job in group):
        return _by_starts(groups), apart
    # Of two that ran one after another the times add up to no more than the whole.
    overlapping = [_seconds(one) + _seconds(other) > elapsed_s for one, other in combinations(groups, 2)]
    if overlapping and elapsed_s > 0 and all(overlapping):
        return [[job for group in groups for job in group]], apart
    if elapsed_s > 0 and math.fsum(_seconds(group) for group in groups) > elapsed_s:
        return groups, (
            "some groups ran at the same time (new_group), fio before 3.36 does not say which, and each is a "
            "Run of its jobs alone"
        )
    return groups, apart


def _by_starts(groups: list[Group]) -> list[Group]:
    made: list[Group] = []
    until = -math.inf
    for group in sorted(groups, key=_start):
        if _start(group) < until - _TOGETHER_S:
            made[-1] += group
        else:
            made.append(list(group))
        until = max(until, *((job.start or 0.0) + job.runtime_s for job in group))
    return made


def _start(group: Group) -> float:
    return min(job.start or 0.0 for job in group)


def _seconds(group: Group) -> float:
    """How long the longest of its jobs ran, unmeasured ramp included."""
    return max(job.runtime_s + (job.ramp_s if job.runtime_s else 0.0) for job in group)
