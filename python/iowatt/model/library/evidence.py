"""What the model of a device was checked against, and what it may be trusted for.

A device is *replayed* where a trace of it is shipped, measured request by request; *fio-checked* where
measured cells of it are; else *sheet only*. The errors are those of ``evidence.toml``, which
``scripts/write_device_evidence.py`` writes from the validations; nothing here is claimed by hand.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from iowatt.model.library.class_rules import watts_by_class
from iowatt.model.library.find import device_file, device_names

Grade = Literal["replayed", "fio-checked", "sheet only"]

BARS: Final = {"iops": 0.10, "mean": 0.10, "p99": 0.25, "p99.9": 0.30, "watts": 0.05}
"""The error that is accepted of a figure, simulated over measured."""
PURPOSES: Final[Mapping[str, Sequence[str]]] = {
    "mean": ("mean",), "throughput": ("iops",), "tail": ("p99", "p99.9"), "energy": ("watts",),
}  # fmt: skip
"""Figures that decide what a device may be trusted for."""
ENOUGH: Final = 0.9
"""Share of the cells in which a figure is within its bar."""


@dataclass(frozen=True)
class CheckedErrors:
    """Errors of one figure over the measured cells of a device."""

    cells: int
    within: int  #: Cells within the bar.
    worst: float
    median: float  #: Of the absolute errors.


@dataclass(frozen=True)
class Evidence:
    """The grade of a device, and the errors behind it by figure (``BARS``)."""

    device: str
    grade: Grade
    errors: Mapping[str, CheckedErrors] = field(default_factory=dict)
    reads_only: bool = False  #: No write was measured.
    class_watts: bool = False  #: Watts that its file lacks are those of its class.

    @property
    def trusted_for(self) -> tuple[str, ...]:
        """The purposes whose figures are within their bars in nine tenths of the cells."""
        counts = {figure: (one.cells, one.within) for figure, one in self.errors.items()}
        return tuple(purpose for purpose in PURPOSES if trusted(purpose, counts))

    def doubt(self, purpose: str, *, writes: bool = False) -> str | None:
        """Why it may not be trusted for a purpose, in few words; None where it may.

        ``writes``: the answer is about writes, too.
        """
        if purpose in self.trusted_for:
            only = self.reads_only and writes
            return f"{purpose} checked for reads only, of {self.device} ({self.grade})" if only else None
        checked = [figure for figure in PURPOSES[purpose] if figure in self.errors]
        if not checked and purpose == "energy" and self.class_watts:
            return f"energy from the watts of its class for {self.device} ({self.grade})"
        if not checked:
            return f"{purpose} not checked for {self.device} ({self.grade})"
        worst = max((self.errors[figure].worst for figure in checked), key=abs)
        return f"{purpose} off by up to {abs(worst):.0%} for {self.device} ({self.grade})"

    @property
    def in_short(self) -> str:
        """``fio-checked: mean, throughput``."""
        listed = ", ".join(self.trusted_for)
        if self.grade == "sheet only":
            return self.grade
        of = " of reads" if listed and self.reads_only else ""
        return f"{self.grade}: {listed or 'within no bar'}{of}"


def trusted(purpose: str, counts: Mapping[str, tuple[int, int]]) -> bool:
    """Whether a purpose's figures, cells and those within the bar, are all measured and good enough."""
    return all(
        counts.get(figure, (0, 0))[0] > 0 and counts[figure][1] >= ENOUGH * counts[figure][0]
        for figure in PURPOSES[purpose]
    )


@cache
def device_evidence(device: str) -> Evidence:
    """The evidence for a device of the library; any other name or file is *sheet only*."""
    stated = _errors().get(device, {})
    errors = {figure: CheckedErrors(**values) for figure, values in stated.items() if figure in BARS}
    grade: Grade = "sheet only"
    if device in replayed_devices():
        grade = "replayed"
    elif device in shipped_cells():
        grade = "fio-checked"
    by_class = device in device_names() and watts_by_class(device_file(device))
    if grade == "sheet only":
        return Evidence(device, grade, class_watts=by_class)
    return Evidence(device, grade, errors, stated.get("reads_only", False), by_class)


def doubts(devices: Iterable[str], purpose: str, *, writes: bool = False) -> str | None:
    """Why an answer about these devices may not be trusted for a purpose; None where it may.

    ``writes``: the answer is about writes, too.
    For the line in which the figure stands: ``tail not checked for intel-dc-s3700-800gb (sheet only)``.
    """
    evidence = map(device_evidence, dict.fromkeys(devices))
    found = [text for one in evidence if (text := one.doubt(purpose, writes=writes))]
    if len(found) > 1:
        return f"{found[0]}, and for {len(found) - 1} more"
    return found[0] if found else None


@cache
def shipped_cells() -> Mapping[str, Mapping[str, Any]]:
    """Sets of measured cells that are shipped, by device: file, how they were measured, source, licence."""
    text = files("iowatt.model.library").joinpath("validation/ssd/index.toml").read_text(encoding="utf-8")
    return {one["device"]: one for one in tomllib.loads(text)["set"]}


@cache
def replayed_devices() -> frozenset[str]:
    """Devices of which a trace is shipped, measured request by request."""
    text = files("iowatt.model.library").joinpath("validation/traces.json").read_text(encoding="utf-8")
    return frozenset(one["device"] for one in json.loads(text)["traces"])


@cache
def _errors() -> Mapping[str, Mapping[str, Any]]:
    text = files("iowatt.model.library").joinpath("evidence.toml").read_text(encoding="utf-8")
    found: Mapping[str, Mapping[str, Any]] = tomllib.loads(text)
    return found
