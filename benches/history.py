"""Speeds of earlier versions, in ``history.toml``, and what became slower since the last of them.

A figure is kept as its ratio to the calibration loop (``calibrate.py``) that ran right before and after it,
and for people as it was measured. Entries are compared only where the machine and the inputs are the same.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import tomllib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

HISTORY = Path(__file__).with_name("history.toml")
#: What a ratio may fall, besides its spread, before it counts as slower.
TOLERANCE = 0.05


@dataclass(frozen=True)
class Speed:
    """One figure: work done in the time of one calibration pass, its spread, and work per CPU second."""

    ratio: float
    spread: float  # widest less narrowest over the median of the repetitions
    per_cpu_s: float

    def toml(self) -> str:
        """The figure as it is kept."""
        return f"{{ ratio = {self.ratio:.5g}, spread = {self.spread:.3f}, per_cpu_s = {self.per_cpu_s:.4g} }}"


@dataclass(frozen=True)
class Entry:
    """All figures of one recording."""

    date: str
    commit: str
    version: str
    machine: str
    inputs: str
    note: str
    figures: dict[str, Speed]

    def like(self, other: Entry) -> bool:
        """Whether the figures of the two can be compared."""
        return (self.machine, self.inputs) == (other.machine, other.inputs)

    def toml(self) -> str:
        """The entry as it is kept: a figure a line."""
        head = {k: v for k, v in vars(self).items() if k != "figures" and v}
        lines = [
            "[[entry]]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()),
        ]
        lines += ["[entry.figures]", *(f"{json.dumps(k)} = {v.toml()}" for k, v in self.figures.items())]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Change:
    """What became of one figure: the change of its ratio, and the change up to which it is noise."""

    name: str
    before: Speed | None
    now: Speed | None

    @property
    def relative(self) -> float:
        """The ratio's change over what it was; 0 where one of the two is missing."""
        return self.now.ratio / self.before.ratio - 1 if self.now and self.before else 0.0

    @property
    def noise(self) -> float:
        """The tolerance and the greater of the two spreads."""
        return TOLERANCE + max(s.spread for s in (self.before, self.now) if s)

    @property
    def slower(self) -> bool:
        """Whether it became slower by more than noise."""
        return self.relative < -self.noise

    def __str__(self) -> str:
        """A line for people."""
        if self.now is None:
            return f"{self.name:36} missing"
        seen = f"{self.name:36} {self.now.ratio:10,.5g} a pass"
        return f"{seen}  {self.relative:+6.1%} (noise {self.noise:.1%})" if self.before else f"{seen}  new"


def compare(before: dict[str, Speed], now: dict[str, Speed]) -> list[Change]:
    """The change of every figure, those of now first, in their order."""
    return [Change(name, before.get(name), now.get(name)) for name in {**now, **before}]


def last_like(entries: Sequence[Entry], now: Entry) -> Entry | None:
    """The last entry that ``now`` can be compared with."""
    return next((entry for entry in reversed(entries) if entry.like(now)), None)


def verdict(changes: Sequence[Change], before: Entry | None) -> str:
    """The closing line."""
    if before is None:
        return (
            "no entry of this kind of machine and these inputs: nothing to compare with (--record makes one)"
        )
    slower = ", ".join(f"{c.name} ({c.relative:+.0%})" for c in changes if c.slower)
    return f"slower than on {before.date} ({before.commit}): {slower or 'nothing'}"


def speed(per_cpu_s: Sequence[float], passes: Sequence[float]) -> Speed:
    """A figure of its repetitions and the calibrations before, between and after them."""
    around = [(a + b) / 2 for a, b in pairwise(passes)]
    ratios = [repetition / mean for repetition, mean in zip(per_cpu_s, around, strict=True)]
    middle = statistics.median(ratios)
    return Speed(middle, (max(ratios) - min(ratios)) / middle, statistics.median(per_cpu_s))


def read(path: Path) -> list[Entry]:
    """All entries, the oldest first; none where there is no file."""
    if not path.exists():
        return []
    entries = []
    for raw in tomllib.loads(path.read_text(encoding="utf-8"))["entry"]:
        figures = {name: Speed(**s) for name, s in raw.pop("figures").items()}
        entries.append(Entry(**{"note": "", **raw}, figures=figures))
    return entries


def append(path: Path, entry: Entry) -> None:
    """Add one entry at the end."""
    with path.open("a", encoding="utf-8") as out:
        out.write(("\n" if out.tell() else "") + entry.toml())


def this_version(inputs: str, note: str, figures: dict[str, Speed]) -> Entry:
    """An entry of today, this working tree and this machine."""
    date = datetime.now(UTC).date().isoformat()
    return Entry(date, _commit(), version("iowatt"), _machine(), inputs, note, figures)


def _commit() -> str:
    def git(*arguments: str) -> str:
        command = ["git", "-C", str(HISTORY.parent), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", ":/", f":!{HISTORY.name}")
        return git("rev-parse", "--short", "HEAD") + (", changed" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _machine() -> str:
    """In words, with what the calibration's speed depends on."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    python = ".".join(platform.python_version_tuple()[:2])
    return (
        f"{model}, {os.cpu_count()} processors, {platform.system()}, Python {python}, "
        f"zlib {zlib.ZLIB_RUNTIME_VERSION}"
    )
