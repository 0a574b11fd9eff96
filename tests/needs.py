"""Programs and packages that a test needs and a machine may lack.

A test without its tool is skipped; the end of the run names each absent tool with the number of tests that it
cost. Where IOWATT_ALL_TOOLS is set, as in CI, such a skip fails the run.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

ABSENT = "absent: "
ALL_TOOLS = "IOWATT_ALL_TOOLS"
REPOSITORY = Path(__file__).resolve().parents[1]


def _reason(name: str, package: str | None) -> str:
    return f"{ABSENT}{name} (Debian: apt-get install {package or name})"


def _found(name: str, *elsewhere: str) -> str | None:
    places = [os.environ.get("PATH", ""), "/usr/sbin", "/sbin", *elsewhere]
    return shutil.which(name, path=os.pathsep.join(places))


def program(name: str, package: str | None = None, *elsewhere: str) -> str:
    """The path of a program, which may lie in one of the folders ``elsewhere``; skips the test without it."""
    found = _found(name, *elsewhere)
    if found is None:
        pytest.skip(_reason(name, package))
    return found


def modules(*names: str) -> None:
    """Skips the test where one of the Python packages is not installed."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{ABSENT}{name} (requirements/test.txt)")


def mark(name: str, package: str | None = None) -> pytest.MarkDecorator:
    """A mark that skips tests where the program is absent."""
    return pytest.mark.skipif(_found(name) is None, reason=_reason(name, package))


def on_block_device(folder: Path) -> bool:
    """Whether files in the folder lie on a block device: those of a tmpfs do not."""
    number = folder.stat().st_dev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").exists()


def absent(reports: list[pytest.TestReport]) -> Counter[str]:
    """How many of the skipped tests each absent tool cost."""
    reasons = [report.longrepr[2] for report in reports if isinstance(report.longrepr, tuple)]
    marked = [reason.partition(ABSENT)[2] for reason in reasons if ABSENT in reason]
    return Counter(marked)
