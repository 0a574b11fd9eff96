"""Words and numbers that the text, the page and the workbook of a cost share."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from iowatt.lenses.cost.component import GROUPS
from iowatt.render import numbers

Found = dict[str, Any]

WIDE: Final = 110
"""Characters of a line on a terminal."""

NAMES: Final[Mapping[str, str]] = {
    "purchase": "Purchase",
    "energy": "Energy",
    "demand": "Demand charges",
    "fixed": "Fixed charges",
    "cooling": "Cooling (PUE)",
    "wear": "Wear",
    "failures": "Failures",
    "service": "Service",
    "disposal": "Disposal",
    "carbon": "Carbon",
    "credit": "Credit",
}
COLOURS: Final[Mapping[str, str]] = {
    "purchase": "#4f7ca8",
    "energy": "#e69f00",
    "demand": "#d55e00",
    "fixed": "#a9b2bc",
    "cooling": "#56b4e9",
    "wear": "#cc79a7",
    "failures": "#882255",
    "service": "#7a5195",
    "disposal": "#6b4f3a",
    "carbon": "#8f7a00",
    "credit": "#009e73",
}
#: What is varied where it is no key of the book.
_VARIED: Final[Mapping[str, str]] = {
    "alpha": "repetitions of the work (alpha)",
    "years": "years of work",
    "energy.factor": "price of energy (energy.factor)",
}


#: Response times that stand beside the dollars, by key of ``work``.
RESPONSES: Final[Mapping[str, str]] = {"mean": "response_ms", "p95": "response_p95_ms"}

#: What neither a terminal nor a file should be told: controls, halves of characters (folders whose names are
#: no UTF-8), and the two that no XML may hold.
_UNSPEAKABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(part: Any) -> Any:
    """The document without characters that are no text, each a question mark; line ends are spaces."""
    if isinstance(part, str):
        return _UNSPEAKABLE.sub("?", " ".join(part.splitlines())) if _UNSPEAKABLE.search(part) else part
    if isinstance(part, dict):
        return {clean(key): clean(value) for key, value in part.items()}
    if isinstance(part, list):
        return [clean(value) for value in part]
    return part


def labels(found: Found) -> list[str]:
    """The names of the systems, told apart where two are alike."""
    names: list[str] = []
    for system in found["systems"]:
        name, number = str(system["name"]), 2
        while name in names:
            name, number = f"{system['name']} ({number})", number + 1
        names.append(name)
    return names


def late(system: Found) -> bool:
    """Whether a system did not keep up with its load, and so is no candidate."""
    return system["kept_up"] is not None and not system["kept_up"]["kept_up"]


def no_candidate(found: Found, system: Found) -> str:
    """Why a system is not ranked, in a few words; empty where it is."""
    row = of_system(found["choice"]["excluded"], system, "system")
    if row is None:
        return ""
    return "it could not keep up with its load" if row["late"] else "it misses the service level"


def withheld(found: Found, system: Found) -> bool:
    """Whether the dollars of a system would flatter it: of work that it did far too late."""
    return found["horizon"]["basis"] == "work" and late(system)


def of_system(rows: Iterable[Found], system: Found, key: str = "b") -> Found | None:
    """The row of a system among rows that name one by ``key``; None where it has none."""
    return next((row for row in rows if row[key] == system["name"]), None)


def against(found: Found) -> list[float | None]:
    """How much more than the first candidate each system costs, as a share; None of what is not ranked."""
    rows = [of_system(found["comparison"], system) for system in found["systems"]]
    return [None if row is None else row["share"] for row in rows]


def verdict(found: Found) -> list[str]:
    """What a reader must know before any figure: who is the cheapest at what, then who is no candidate."""
    excluded = [
        f"{one['system']} could not keep up with its load and is no candidate: {one['why']}."
        if one["late"]
        else f"{one['system']} misses the service level and is no candidate: {one['why']}."
        for one in found["choice"]["excluded"]
    ]
    return [
        *([] if len(found["systems"]) < 2 else [_cheapest(found)]),
        *excluded,
        *_all_meet(found["choice"]),
    ]


def _all_meet(choice: Found) -> list[str]:
    """That every system that kept up with its load meets the service level, where one is asked for."""
    level, candidates = choice["level"], choice["candidates"]
    if level is None or not candidates or not all(one["late"] for one in choice["excluded"]):
        return []
    who = f"{candidates[0]} meets" if len(candidates) == 1 else "All candidates meet"
    return [f"{who} the service level: {level['of']} response time within {level['within_ms']:g} ms."]


def _cheapest(found: Found) -> str:
    """Who is the cheapest of the candidates among several systems."""
    choice, systems = found["choice"], {one["name"]: one for one in found["systems"]}
    candidates = choice["candidates"]
    if not candidates:
        return "No system is left to choose."
    if len(candidates) == 1:
        only = systems[candidates[0]]
        total = "its total is not known" if only["usd"] is None else usd(only["usd"])
        return f"{only['name']} ({total}) is the only system that {_kept(choice)}."
    total, per_tb = choice["cheapest"]["total"], choice["cheapest"]["per_usable_tb"]
    if total is None:
        unpriced = [name for name in candidates if systems[name]["usd"] is None]
        return f"Nobody is the cheapest: the total is not known of {', '.join(unpriced)}."
    cheapest = f"{total} ({usd(systems[total]['usd'])})"
    of = f" of those that {_kept(choice)}" if choice["excluded"] else ""
    if choice["capacities_differ"] is None:
        unknown = [name for name in candidates if not systems[name]["capacity_gb"]["usable"]]
        return (
            f"Cheapest in total{of}: {cheapest}. Usable capacity is not known of {', '.join(unknown)}: "
            "nothing is compared per usable TB."
        )
    if choice["capacities_differ"]:
        sizes = ", ".join(f"{name} {usable(systems[name])}" for name in candidates)
        rate = f"{per_tb} ({dollars(systems[per_tb]['usd_per_usable_tb'])} USD/TB)"
        return f"Cheapest in total{of}: {cheapest}; per usable TB: {rate}. Usable capacities differ: {sizes}."
    return f"Cheapest{of}: {cheapest}; usable capacities are the same."


def _kept(choice: Found) -> str:
    """What the candidates did and the excluded systems did not."""
    late = {one["late"] for one in choice["excluded"]}
    kept = [*(["kept up with the load"] if True in late else []),
            *(["met the service level"] if False in late else [])]  # fmt: skip
    return " and ".join(kept)


def leaning(found: Found) -> list[str]:
    """On which side of its draws a total lies that is off their middle, and what can move it one way only.

    That is a figure whose value stands at an end of its range. Systems of which the same is said share a
    sentence.
    """
    spread = found["uncertainty"]
    told: dict[tuple[bool, tuple[str, ...]], list[str]] = {}
    for one in () if spread is None else spread["systems"]:
        ends, above = one["quantiles"], one["share_above"]
        up = above > 0.5
        bars: list[Found] = next(
            (t["bars"] for t in found["tornado"] if t["of"] == "total" and t["system"] == one["name"]), []
        )
        keys = tuple(bar["key"] for bar in bars if _one_way(bar, one["usd"], up))
        if above != 0.5 and (keys or not ends["p25"] <= one["usd"] <= ends["p75"]):
            share = numbers.percent(above if up else 1 - above)
            told.setdefault((up, keys), []).append(f"{share} of the draws of {one['name']}")
    return [
        f"{', '.join(shares)} lie {'above' if up else 'below'} the total at the book's values"
        + (f"; within their ranges these can only {'raise' if up else 'lower'} it: {', '.join(keys)}." if keys
           else ".")
        for (up, keys), shares in told.items()
    ]  # fmt: skip


def _one_way(bar: Found, total: float, up: bool) -> bool:
    ends = (bar["usd_low"] - total, bar["usd_high"] - total)
    most, other = (max(ends), min(ends)) if up else (-min(ends), -max(ends))
    return bool(most > 0.0 and other >= -1e-9 * abs(total))


def usable(system: Found) -> str:
    """The usable capacity of a system, in TB."""
    gigabytes = system["capacity_gb"]["usable"]
    return numbers.NO_VALUE if gigabytes is None else f"{numbers.significant(gigabytes / 1000)} TB"


def shown_groups(systems: Iterable[Mapping[str, Any]]) -> list[str]:
    """The groups in which any of the systems has dollars, known or not, in their order."""
    have = {group for system in systems for group, usd in system["by_group"].items() if usd != 0.0}
    return [group for group in GROUPS if group in have]


def discounted(found: Found) -> bool:
    """Whether dollars of different years count differently."""
    return any(_differ(system["usd"], system["present_usd"]) for system in found["systems"])


def _differ(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and abs(a - b) > 1e-9 * max(abs(a), abs(b))


def decimals(values: Iterable[float | None]) -> int:
    """Digits behind the point that suit dollars of one table: cents, more where all are tiny."""
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    if largest >= 1e5:
        return 0
    if largest >= 1.0 or largest == 0.0:
        return 2
    return 2 - _magnitude(largest)


def _magnitude(value: float) -> int:
    return int(f"{value:e}".partition("e")[2])


def figure(value: float, digits: int = 3) -> str:
    """A number with at most so many significant digits, and all of its whole ones."""
    if value == 0.0 or 1e-4 <= abs(value) < 10**digits or abs(value) >= 1e15:
        return f"{value:,.{digits}g}"
    return f"{value:,.0f}" if abs(value) >= 1 else f"{value:.{digits}g}"


def dollars(value: float | None, digits: int | None = None) -> str:
    """Dollars as a number; ``digits`` behind the point, by default as :func:`decimals` of it alone."""
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


def years(value: float | None) -> str:
    """A length of time in years, or in what it is short of one."""
    if value is None:
        return numbers.NO_VALUE
    if value >= 0.95:
        return f"{figure(value)} year" + ("" if figure(value) == "1" else "s")
    return numbers.duration(value * 365 * 86_400).replace("\u00a0", " ")


def varied(crossover: Mapping[str, Any]) -> str:
    """What a crossover or a bar of a tornado varies."""
    key = str(crossover.get("of", crossover.get("key")))
    return _VARIED.get(key, key)


def amount(value: float | None, unit: str) -> str:
    """A figure with its unit as text."""
    if value is None:
        return numbers.NO_VALUE
    return f"{figure(value)} {unit}".rstrip()


def wrapped(text: str) -> list[str]:
    """Text in lines of at most ``WIDE``; all but the first two further in."""
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    return textwrap.wrap(text, WIDE, subsequent_indent=indent, break_on_hyphens=False) or [""]


def rests(found: Found) -> list[str]:
    """Sentences on what the dollars rest on: the tariff, the book, how good its figures are."""
    tariff, book = found["tariff"], found["book"]
    dated = " to ".join(str(end) for end in tariff["effective"] if end)
    said = [tariff["name"]] + ([tariff["utility"]] if tariff["utility"] else [])
    sentences = [
        f"tariff {', '.join(said)}"
        + (f", effective {dated}" if dated else "")
        + ("" if tariff["verified"] else "; not verified")
    ]
    counts: dict[str, int] = {}
    for one in found["assumptions"]:
        counts[one["quality"]] = counts.get(one["quality"], 0) + 1
    total = len(found["assumptions"])
    parts = ", ".join(f"{count} {quality}" for quality, count in sorted(counts.items(), key=lambda c: -c[1]))
    sentences.append(f"book {book['name']} ({book['title']}): {total} figures used: {parts}")
    return sentences


def assumed(found: Found, key: str) -> Any:
    """The value of an assumption; None where nothing asked for it."""
    return next((one["value"] for one in found["assumptions"] if one["key"] == key), None)


def cautions(found: Found) -> list[str]:
    """What must be read before the totals, each once, of the systems that it is of."""
    collected: dict[str, list[str]] = {text: [] for text in found["book"]["cautions"]}
    for name, system in zip(labels(found), found["systems"], strict=True):
        for caution in system["cautions"]:
            collected.setdefault(caution, []).append(name)
    return _of(collected, len(found["systems"]))


def prices(found: Found) -> Iterator[str]:
    """What a drive of each model is priced at, and by whom."""
    keys = ("model", "price_usd", "price_source", "price_date")
    told = dict.fromkeys(tuple(drive[key] for key in keys) for s in found["systems"] for drive in s["drives"])
    for model, price, source, date in told:
        if price is not None:
            yield f"price of {model}: {dollars(price)} USD ({source}" + (f", {date})" if date else ")")


def notes(found: Found) -> list[str]:
    """All notes, each once: of the tariff, the book, and the systems that say so."""
    collected: dict[str, list[str]] = {}
    for note in found["tariff"]["notes"]:
        collected[f"tariff {found['tariff']['key']}: {note}"] = []
    for note in found["book"]["notes"]:
        collected[note] = []
    names = labels(found)
    for name, system in zip(names, found["systems"], strict=True):
        for note in system["notes"]:
            collected.setdefault(note, []).append(name)
    site_kw = assumed(found, "energy.site_kw")
    if site_kw:
        collected[
            f"costs are what a system adds to the bill of a site of {figure(site_kw)} kW (energy.site_kw); "
            "the bill by month is that of the system alone"
        ] = []
    return _of(collected, len(names))


def _of(collected: Mapping[str, Sequence[str]], systems: int) -> list[str]:
    """Sentences with the names in front that they are of, unless all are."""
    return [
        f"{', '.join(who)}: {said}" if who and len(who) < systems else said for said, who in collected.items()
    ]


def basis(found: Found) -> str:
    """Whether the figures of the systems are modelled or measured."""
    return "modelled" if found["modelled"] else "measured" if not _any_modelled(found) else "partly modelled"


def _any_modelled(found: Found) -> bool:
    return any(system["modelled"] for system in found["systems"])


def drive_groups(system: Found) -> list[list[Found]]:
    """Drives that are alike (pool, model, price, replacements), in order of appearance."""
    groups: dict[tuple[object, ...], list[Found]] = {}
    for drive in system["drives"]:
        wear = drive["wear"]
        key = (drive["pool"], drive["model"], drive["price_usd"], wear and wear["by"], replaced(drive))
        groups.setdefault(key, []).append(drive)
    return list(groups.values())


def replaced(drive: Found) -> int:
    """How often a drive is replaced over the horizon."""
    return sum(int(one.get("count", 1)) for one in drive["replacements"])


def worst(drives: Sequence[Found]) -> Found:
    """The drive of a group that wears out first."""
    return min(
        drives,
        key=lambda drive: _life(drive) if _life(drive) is not None else float("inf"),  # type: ignore[arg-type, return-value]
    )


def _life(drive: Found) -> float | None:
    wear = drive["wear"]
    return None if wear is None else wear["life_years"]
