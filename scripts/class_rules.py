"""Fits the class rules of the device library and says how far off each is for a drive left out.

    python scripts/class_rules.py            print the error of every rule
    python scripts/class_rules.py --write    fit them anew into python/iowatt/model/library/class_rules.toml

A rule is fitted to the figures that data sheets state, never to assumed ones. A model line counts once, by
the median of its drives. To judge a rule, each line is left out in turn.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from iowatt.model.library import DeviceFile, device_file, device_names, state_watts
from iowatt.model.library.class_rules import (
    RULES,
    ClassRule,
    DeviceClass,
    basis,
    device_class,
    figure,
    speed_class,
)
from iowatt.model.library.derive import Steps
from iowatt.model.library.ssd.joules import asleep, work

#: Figures that may be derived, in the order in which they apply, and the bases that are tried for each.
DISK: Final = {
    "seek.average": [("", 1.0)],
    "performance.sequential_read": [("", 1.0), ("capacity", 0.25), ("capacity", 0.5)],
    "power.idle": [("", 1.0), ("power.active", 1.0)],
    "power.sequential_read": [("power.random_read", 1.0)],
    "power.active": [("power.idle", 1.0), ("", 1.0)],
}
FLASH: Final = {
    "power.active": [("power.sequential_write", 1.0), ("power.max", 1.0), ("", 1.0), ("capacity", 0.1)],
    "power.idle": [("", 1.0), ("power.active", 1.0)],
}
#: A rule needs this many model lines.
LEAST_LINES: Final = 4
#: Share of left-out figures that the band holds.
COVERED: Final = 0.9


@dataclass(frozen=True)
class Fit:
    """A rule and the ratios of true figures to those of the rule without their line."""

    rule: ClassRule
    ratios: tuple[float, ...]

    @property
    def spread(self) -> float:
        """Mean of the ratios' distance from 1, logarithmic."""
        return statistics.fmean(abs(math.log(ratio)) for ratio in self.ratios)


def line(file: DeviceFile) -> str:
    """The model line of a drive: its name without what names a capacity."""
    words = file.name.split("-")
    while len(words) > 2 and (words[-1].endswith(("tb", "gb")) or words[-1].isdigit()):
        words.pop()
    return "-".join(words)


def stated(file: DeviceFile, path: str) -> float | None:
    """The figure of a data sheet; None where it is assumed or derived."""
    source = file.source_of(path)
    if source is None or source.quality in ("assumed", "derived"):
        return None
    value = figure(file, path)
    if value is None or (path == "power.idle" and file.kind == "ssd" and _sleeps(file)):
        return None
    return float(value)


def _sleeps(file: DeviceFile) -> bool:
    """Whether the idle watts of an SSD are those of a sleep state."""
    power, steps = state_watts(file), Steps()
    return asleep(power, work(file, steps).most)


def samples(files: Iterable[DeviceFile], path: str, name: str, power: float) -> dict[str, list[float]]:
    """Figures over their bases, by model line."""
    found: dict[str, list[float]] = defaultdict(list)
    for file in files:
        value, base = stated(file, path), basis(file, name, power)
        if value is not None and base:
            found[line(file)].append(value / base)
    return dict(found)


def fit(files: list[DeviceFile], path: str, name: str, power: float) -> Fit | None:
    """The rule with its band; None where there are too few model lines."""
    by_line = samples(files, path, name, power)
    if len(by_line) < LEAST_LINES:
        return None

    def factor(lines: Iterable[str]) -> float:
        return statistics.median(statistics.median(by_line[one]) for one in lines)

    ratios = sorted(
        value / factor(other for other in by_line if other != one)
        for one, values in by_line.items()
        for value in values
    )
    outside = (1 - COVERED) / 2
    low, high = ratios[int(outside * len(ratios))], ratios[-1 - int(outside * len(ratios))]
    rule = ClassRule(
        path, name, power, _rounded(factor(by_line)), math.floor(low * 100) / 100,
        math.ceil(high * 100) / 100, len(by_line),
    )  # fmt: skip
    return Fit(rule, tuple(ratios))


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def fit_all() -> dict[DeviceClass, list[Fit]]:
    """The rules of every class: of the bases that are tried, the one with the least error."""
    library = [file for file in map(device_file, device_names()) if file.stand_in is None]
    files: dict[DeviceClass, list[DeviceFile]] = defaultdict(list)
    for file in library:
        of = device_class(file)
        if of is not None:
            files[of].append(file)
    found: dict[DeviceClass, list[Fit]] = {}
    for of, members in sorted(files.items()):
        fits = []
        for path, bases in (DISK if members[0].kind == "hdd" else FLASH).items():
            if path == "seek.average":
                # Arms have not become faster: drives of any year and capacity count.
                fitted = [file for file in library if speed_class(file) == of]
            else:
                fitted = members
            tried = [one for name, power in bases if (one := fit(fitted, path, name, power)) is not None]
            # A basis that a sheet may lack comes before one that none lacks, as long as it is better.
            fits += _useful(tried)
        found[of] = fits
    return found


def _useful(tried: list[Fit]) -> list[Fit]:
    """The best rule that always applies, and before it those that are better where their basis is known."""
    always = [one for one in tried if one.rule.basis in ("", "capacity")]
    last = min(always, key=lambda one: one.spread, default=None)
    better = [
        one
        for one in sorted(tried, key=lambda one: one.spread)
        if one.rule.basis not in ("", "capacity") and (last is None or one.spread < last.spread)
    ]
    return [*better, *([] if last is None else [last])]


def written(found: dict[DeviceClass, list[Fit]]) -> str:
    """The text of ``class_rules.toml``."""
    parts = [
        "# Written by scripts/class_rules.py from the data sheets of the library. Factors are in SI units.\n"
    ]
    for of, fits in found.items():
        for one in fits:
            rule = one.rule
            parts.append(
                f'\n[[{of}]]\nfigure = "{rule.figure}"\nbasis = "{rule.basis}"\npower = {rule.power:g}\n'
                f"factor = {rule.factor!r}\nlow = {rule.low:g}\nhigh = {rule.high:g}\n"
                f"models = {rule.models}\n"
            )
    return "".join(parts)


def main() -> None:
    """Fit, print and perhaps write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", action="store_true")
    found = fit_all()
    for of, fits in found.items():
        for one in fits:
            rule, ratios = one.rule, one.ratios
            law = f"{rule.factor:.4g} x {rule.basis or '1'}" + (f"^{rule.power:g}" if rule.power != 1 else "")
            sys.stdout.write(
                f"{of:10} {rule.figure:28} {law:40} {rule.models:3} lines {len(ratios):3} drives  "
                f"median error {math.exp(statistics.median(abs(math.log(r)) for r in ratios)) - 1:5.1%}  "
                f"band {rule.low:.2f} to {rule.high:.2f}\n"
            )
    if parser.parse_args().write:
        RULES.write_text(written(found))


if __name__ == "__main__":
    main()
