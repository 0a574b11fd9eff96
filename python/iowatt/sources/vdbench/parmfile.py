"""``parmfile.html``: the copy of what vdbench was given."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iowatt.sources.vdbench import text

_PART: Final = re.compile(r"([A-Za-z_]{1,40})=(\([^()]{0,4000}\)|[^,\s]{0,4000})")


@dataclass(frozen=True)
class Parameters:
    """Run and workload definitions by name, each a table of keywords; defaults are filled in."""

    runs: Mapping[str, Mapping[str, str]]
    workloads: Mapping[str, Mapping[str, str]]

    def interval_s(self, run: str) -> float | None:
        """The interval of a run in s, where one is given."""
        said = self._of(run).get("interval", "")
        return float(said) if said.isascii() and said.isdecimal() and int(said[:9]) > 0 else None

    def skews(self, run: str) -> dict[str, float] | None:
        """Shares of a run's workloads in percent; None where a workload has none."""
        patterns = self._of(run).get("wd", "").strip("()").split(",")
        found = {}
        for name, keys in self.workloads.items():
            if not any(pattern and fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                continue
            try:
                found[name] = float(keys["skew"])
            except (KeyError, ValueError):
                return None
        return found or None

    def _of(self, run: str) -> Mapping[str, str]:
        # A point of a curve is called rd1_(50%).
        return self.runs.get(run) or self.runs.get(run.rpartition("_(")[0]) or {}


def read(path: Path) -> Parameters:
    """Read the definitions; what is none is passed over."""
    kinds: dict[str, dict[str, dict[str, str]]] = {"rd": {}, "wd": {}}
    defaults: dict[str, dict[str, str]] = {"rd": {}, "wd": {}}
    for line in text.lines(path):
        parts: Sequence[tuple[str, str]] = _PART.findall(line.text.strip())
        if not parts or line.text.startswith(("*", "#", "/")) or parts[0][0] not in kinds:
            continue
        (kind, name), keys = parts[0], dict(parts[1:])
        if name == "default":
            defaults[kind] |= keys
        else:
            kinds[kind][name] = {**defaults[kind], **keys}
    return Parameters(kinds["rd"], kinds["wd"])
