"""Keys of redundancy by parity: what makes an erasure code, and what sets of chunklets cannot do."""

from __future__ import annotations

from iowatt.base.problems import Reporter
from iowatt.model.raid import EC
from iowatt.model.scenario.keys.array import Raid


def check_code(keys: Raid, report: Reporter) -> bool:
    """Whether the keys of an erasure code make one, and only level ``ec`` has them."""
    before = len(report.problems)
    if keys.level == EC:
        for key in ("data", "parity"):
            if getattr(keys, key) is None:
                message = f'level "ec" needs the key `{key}`: how many units of a stripe are {key}'
                report("missing", key, message, "for example data = 8, parity = 3")
        for key, message, hint in [] if keys.code is None else keys.code.problems():
            report("not-accepted", key, message, hint)
        return len(report.problems) == before
    for key in ("data", "parity", "local_groups"):
        if getattr(keys, key) is not None:
            message = f"RAID-{keys.level} has no erasure code to choose"
            report("not-applicable", key, message, 'leave it out, or level = "ec"')
    return len(report.problems) == before


def refuse_log(keys: Raid, report: Reporter) -> None:
    """Report a log of parity updates of sets of chunklets; ``report`` is at the ``raid`` table."""
    if keys.small_write == "parity-log":
        message = "parity updates are logged on pools of whole drives, not over chunklets"
        report("unsupported", "small_write", message, "leave it out, or leave the chunklets out")
