"""Figures that a data sheet leaves out, taken from the drives of its class.

``class_rules.toml`` has a rule for each figure of each class: the figure is a factor times a basis, which is
1, another figure of the drive, or a power of its capacity. ``scripts/class_rules.py`` fits the factors to the
library's own data sheets. It states as a rule's band the error that nine of ten figures have at most when the
rule is fitted without the drive's model line. A figure that the file has is never replaced.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from pydantic import BaseModel

from iowatt.base.units import format_bytes
from iowatt.model.library.derive import Steps
from iowatt.model.library.device import DeviceFile
from iowatt.model.library.folders import LIBRARY
from iowatt.model.library.geometry import ThreePointSeek

RULES: Final = LIBRARY / "class_rules.toml"

DeviceClass = Literal[
    "hdd-7200", "hdd-10k", "hdd-15k", "ssd-sata", "ssd-sas", "ssd-pcie3", "ssd-pcie4", "ssd-pcie5"
]

#: Older drives are of other classes, which have too few data sheets for a rule.
FIRST_YEAR: Final = 2016
_LEAST_DISK_BYTES: Final = 8 * 10**12
_DATA_CENTRE: Final = ("u.2", "u.3", "e1.", "e3.", "edsff", "aic", "2.5")
_GENERATION: Final = re.compile(r"(?:pcie|pci)\D*([345])")


@dataclass(frozen=True)
class ClassRule:
    """One rule. ``low`` and ``high`` bound the true figure over the rule's.

    ``models`` is the number of model lines that it was fitted to.
    ``basis`` is empty, a key path of another figure, or ``capacity`` with ``power``. ``factor`` is in SI
    units.
    """

    figure: str
    basis: str
    power: float
    factor: float
    low: float
    high: float
    models: int

    def value(self, file: DeviceFile) -> float | None:
        """The figure of ``file`` by this rule; None where its basis is not known."""
        base = basis(file, self.basis, self.power)
        return None if base is None else self.factor * base

    def words(self, of: str) -> str:
        """The rule and its band, for notes."""
        times = f" x {self.basis}" if self.basis else ""
        times += f"^{self.power:g}" if self.basis and self.power != 1 else ""
        law = f"{self.factor:.4g}{times}" if self.basis else "the median"
        band = f"{self.low - 1:+.0%} to {self.high - 1:+.0%} when a line is left out"
        if self.low == self.high == 1:
            band = "all of them state the same"
        return f"{law} of {self.models} model lines of class {of}; {band}"


def device_class(file: DeviceFile) -> DeviceClass | None:
    """The class whose rules fill the gaps of ``file``; None for stand-ins, old drives and client drives."""
    if file.stand_in is not None or file.year is None or file.year < FIRST_YEAR:
        return None
    if file.kind == "hdd":
        large = (file.capacity or 0) >= _LEAST_DISK_BYTES
        of = speed_class(file)
        return None if of == "hdd-7200" and not large else of
    words, form = (file.interface or "").lower(), (file.form_factor or "").lower()
    if match := _GENERATION.search(words):
        if not any(word in form for word in _DATA_CENTRE):
            return None
        generations: dict[str, DeviceClass] = {"3": "ssd-pcie3", "4": "ssd-pcie4", "5": "ssd-pcie5"}
        return generations[match[1]]
    if "sas" in words:
        return "ssd-sas"
    return "ssd-sata" if "sata" in words else None


def speed_class(file: DeviceFile) -> DeviceClass | None:
    """The class of a disk by its speed alone."""
    rpm = file.rpm or 0.0
    if file.kind != "hdd" or rpm < 7_000:
        return None
    return "hdd-15k" if rpm >= 14_000 else "hdd-10k" if rpm >= 9_500 else "hdd-7200" if rpm <= 7_400 else None


def basis(file: DeviceFile, name: str, power: float) -> float | None:
    """What a rule's factor is multiplied by."""
    if not name:
        return 1.0
    value = figure(file, name)
    return None if value is None else float(value**power)


def figure(file: DeviceFile, path: str) -> Any:
    """The figure at a key path; None where the file has none, or a caution against its use."""
    value: Any = file
    for name in path.split("."):
        value = getattr(value, name, None)
    source = file.source_of(path)
    return None if source is not None and source.caution is not None else value


@cache
def rules(of: DeviceClass) -> tuple[ClassRule, ...]:
    """The rules of a class, in the order in which they apply."""
    tables = tomllib.loads(RULES.read_text("utf-8")).get(of, [])
    return tuple(ClassRule(**table) for table in tables)


def watts_by_class(file: DeviceFile) -> bool:
    """Whether some of a device's watts are those of its class, because its file has none."""
    steps = Steps()
    complete(file, steps)
    return any(step.figure.startswith("power.") for step in steps.taken)


def complete(file: DeviceFile, steps: Steps) -> DeviceFile:
    """``file`` with the gaps filled that its class has rules for; ``steps`` records each.

    Watts of work are filled only where none are known that stand for them.
    """
    of = device_class(file)
    for rule in rules(of) if of is not None else ():
        if figure(file, rule.figure) is not None or _known_otherwise(file, rule.figure):
            continue
        value = rule.value(file)
        if value is not None:
            text = _text(rule.figure, value)
            steps.assume(rule.figure, value, text, rule.words(str(of)))
            file = _with(file, rule.figure.split("."), value)
    return file


_TRANSFERS: Final = ("active", "sequential_read", "sequential_write")
_WORK: Final = (*_TRANSFERS, "random_read", "random_write")


def _known_otherwise(file: DeviceFile, path: str) -> bool:
    """Whether other figures of the file say what this one would."""
    if path in ("power.active", "power.sequential_read"):
        works = _TRANSFERS if file.kind == "hdd" else _WORK
        return any(figure(file, f"power.{work}") is not None for work in works)
    if path == "seek.average":
        return file.seek is not None
    if path == "performance.sequential_read" and file.kind == "hdd":
        return file.geometry is not None
    return False


def _with(model: Any, path: list[str], value: float) -> Any:
    """A copy of a model with one figure set."""
    name, *rest = path
    if not rest:
        return model.model_copy(update={name: value})
    inner = getattr(model, name)
    inner = ThreePointSeek() if inner is None else inner
    assert isinstance(inner, BaseModel)
    return model.model_copy(update={name: _with(inner, rest, value)})


def _text(path: str, value: float) -> str:
    """A figure with its unit."""
    if path.startswith("power."):
        return f"{value:.3g} W"
    if path.startswith("seek."):
        return f"{value * 1e3:.3g} ms"
    if path.endswith("_iops"):
        return f"{value:,.0f}/s"
    return f"{format_bytes(round(value))}/s" if path.startswith("performance.") else f"{value:.4g}"
