"""Names, colours and numbers shared by the page and the workbook of costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from iowatt.lenses.cost.pricing import GROUPS
from iowatt.lenses.cost.result import Cost, DriveCost, SystemCost
from iowatt.render import numbers, palette
from iowatt.render.figure import axis

#: Title and colour of each group.
_GROUPS: Final[Mapping[str, tuple[str, str]]] = {
    "purchase": ("Purchase", "#4f7ca8"),
    "energy": ("Energy", "#e69f00"),
    "demand": ("Demand charges", "#d55e00"),
    "fixed": ("Fixed charges", "#a9b2bc"),
    "cooling": ("Cooling (PUE)", "#56b4e9"),
    "wear": ("Wear", "#cc79a7"),
    "failures": ("Failures", "#882255"),
    "loss": ("Data loss", "#117733"),
    "service": ("Service", "#7a5195"),
    "disposal": ("Disposal", "#6b4f3a"),
    "carbon": ("Carbon", "#8f7a00"),
    "credit": ("Credit", "#009e73"),
}
GROUP_TITLES: Final = {group: title for group, (title, _) in _GROUPS.items()}
GROUP_COLOURS: Final = {group: colour for group, (_, colour) in _GROUPS.items()}
#: Systems from above downwards, in the order in which they were given.
SYSTEMS_AXIS: Final = axis("", type="category", autorange="reversed")
#: Axes of crossovers that are not keys of the book, and those with a better name.
_VARIED: Final[Mapping[str, str]] = {
    "alpha": "repetitions of the work (alpha)",
    "years": "years of work",
    "energy.factor": "price of energy (energy.factor)",
}


#: Response times shown with the dollars, by key of ``work``.
RESPONSES: Final[Mapping[str, str]] = {"mean": "response_ms", "p95": "response_p95_ms"}


def labels(cost: Cost) -> list[str]:
    """The names of the systems, numbered where two are alike."""
    names: list[str] = []
    for system in cost.systems:
        candidates = (system.name, *(f"{system.name} ({number})" for number in range(2, len(names) + 3)))
        names.append(next(name for name in candidates if name not in names))
    return names


def named(cost: Cost) -> list[tuple[str, SystemCost]]:
    """The systems with their labels."""
    return list(zip(labels(cost), cost.systems, strict=True))


def colours(cost: Cost) -> dict[str, str]:
    """The colour of each system by its label, the same on all pages."""
    names = labels(cost)
    return dict(zip(names, palette.of_systems(names), strict=True))


def no_candidate(cost: Cost, system: SystemCost) -> str:
    """Why a system is not ranked, in a few words; empty for a candidate."""
    for excluded in cost.choice.excluded:
        if excluded.system == system.name:
            return "overloaded" if excluded.late else "it misses the service level"
    return ""


def at_equal(cost: Cost) -> str:
    """``at equal work and usable capacity``; empty where neither differs, or they cannot be made equal."""
    choice = cost.choice
    unequal = choice.terms.unequal if choice.cheapest.equal is not None else []
    return f"at equal {' and '.join(unequal)}" if unequal else ""


def amounts(cost: Cost, *, verbs: bool = False) -> str:
    """The amounts that are equal: ``960 requests/s and 1.04 TB``; with verbs ``do ... and hold ...``."""
    terms, parts = cost.choice.terms, []
    if terms.work_differs:
        each = "requests/s" if cost.horizon.basis == "time" else "requests each time"
        parts.append(f"{'do ' if verbs else ''}{numbers.significant(terms.work)} {each}")
    if terms.capacities_differ and terms.usable_gb is not None:
        parts.append(f"{'hold ' if verbs else ''}{numbers.significant(terms.usable_gb / 1000)} TB")
    return " and ".join(parts)


def work(cost: Cost, system: SystemCost) -> str:
    """The work of a system, in the unit of ``terms``."""
    once = system.work
    if cost.horizon.basis == "time":
        return f"{numbers.significant(once.requests / once.duration_s)} requests/s"
    return f"{numbers.significant(once.requests)} requests each time"


def withheld(cost: Cost, system: SystemCost) -> bool:
    """Whether a system's dollars are not shown: equal work that fell far behind its load."""
    return cost.horizon.basis == "work" and system.late


def against(cost: Cost) -> list[float | None]:
    """How much more than the first candidate each costs on equal terms, as a share; None where not ranked."""
    equal = bool(at_equal(cost))
    shares = {pair.b: pair.share_equal if equal else pair.share for pair in cost.comparison}
    return [shares.get(system.name) for system in cost.systems]


def usable(system: SystemCost) -> str:
    """The usable capacity of a system, in TB."""
    gigabytes = system.capacity_gb.usable
    return numbers.NO_VALUE if gigabytes is None else f"{numbers.significant(gigabytes / 1000)} TB"


def shown_groups(systems: Iterable[SystemCost]) -> list[str]:
    """The groups in which any system has dollars, known or not, in order."""
    have = {group for system in systems for group, usd in system.by_group.items() if usd != 0.0}
    return [group for group in GROUPS if group in have]


def discounted(cost: Cost) -> bool:
    """Whether dollars are discounted."""
    both = [(system.usd, system.present_usd) for system in cost.systems]
    return any(a and b and abs(a - b) > 1e-9 * max(abs(a), abs(b)) for a, b in both)


def decimals(values: Iterable[float | None]) -> int:
    """Decimals for dollars of one table: cents, more where all are tiny."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    if largest >= 1e5:
        return 0
    if largest >= 1.0 or largest == 0.0:
        return 2
    return 2 - int(f"{largest:e}".partition("e")[2])


def dollars(value: float | None, digits: int | None = None) -> str:
    """Dollars as a number with ``digits`` decimals, by default :func:`decimals` of the value."""
    if value is None:
        return numbers.NO_VALUE
    digits = decimals([value]) if digits is None else digits
    shown = f"{value:,.{digits}f}"
    if shown.strip("-0.,") or value == 0.0:
        return shown.removeprefix("-") if value == 0.0 else shown
    return ("-" if value < 0 else "") + f"<{10.0**-digits:.{digits}f}"


def usd(value: float | None) -> str:
    """Dollars in a sentence."""
    return numbers.NO_VALUE if value is None else f"{dollars(value)} USD"


def sentence(text: str) -> str:
    """A phrase with a capital, as the beginning of a sentence."""
    return text[:1].upper() + text[1:]


def change(share: float | None) -> str:
    """A share as a change: ``+12.3 %``."""
    if share is None:
        return numbers.NO_VALUE
    shown = f"{100 * share:+,.1f}" if abs(share) < 10 else f"{100 * share:+,.0f}"
    return f"{shown.replace('-0.0', '+0.0') if not shown.strip('+-0.') else shown}\u00a0%"


def varied(key: str) -> str:
    """The name of what a crossover varies."""
    return _VARIED.get(key, key)


def amount(value: float | None, unit: str) -> str:
    """A figure with its unit as text."""
    if value is None:
        return numbers.NO_VALUE
    return f"{numbers.figure(value)} {unit}".rstrip()


def basis(cost: Cost) -> str:
    """Whether the figures of the systems are modelled or measured."""
    if cost.modelled:
        return "modelled"
    return "partly modelled" if any(system.modelled for system in cost.systems) else "measured"


def drive_groups(system: SystemCost) -> list[list[DriveCost]]:
    """Drives that are alike (pool, model, price, replacements), in order of appearance."""
    groups: dict[tuple[object, ...], list[DriveCost]] = {}
    for drive in system.drives:
        key = (drive.pool, drive.model, drive.price_usd, drive.wear.by, drive.replaced)
        groups.setdefault(key, []).append(drive)
    return list(groups.values())


def worst(drives: Sequence[DriveCost]) -> DriveCost:
    """The drive of a group that wears out first."""
    return min(drives, key=lambda drive: math.inf if drive.wear.life_years is None else drive.wear.life_years)
