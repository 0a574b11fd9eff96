"""What the cost lens found, for a terminal: systems side by side, at most 110 characters wide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from iowatt.pages.cost import ranking, words
from iowatt.render import numbers

Found = dict[str, Any]
Row = tuple[str, Sequence[str]]

_NAME: Final = 30
_VIEW: Final = 78
_LEAST: Final = 14
_MOST: Final = 26
#: Bars of a tornado that are told.
_BARS: Final = 5
_PAIRS: Final = 3
_DRIVES: Final = 12


def lines(found: Found) -> Iterator[str]:
    """All of it: totals, the other normalisation, what decides, wear, carbon, views, notes."""
    found = words.clean(found)
    names = words.labels(found)
    first = [*words.verdict(found), *(f"caution: {text}" for text in words.cautions(found))]
    for sentence in first:
        yield from words.wrapped(sentence)
    if first:
        yield ""
    yield from words.wrapped(
        f"{words.basis(found)}, {found['horizon']['said']}, from {found['start']}; "
        + "; ".join(words.rests(found))
    )
    yield ""
    yield from _table(names, "USD over the horizon", [*_work(found), *_groups(found)])
    for price in words.prices(found):
        yield from words.wrapped(price)
    if len(names) > 1:
        yield ""
        yield from _table(names, f"the other way: {found['other']['horizon']['said']}", _other(found))
    yield from _section(_range(found))
    yield from _section(ranking.sentences(found))
    yield from _section(_tornado(found))
    yield from _section(_wear(found, names))
    yield from _section(_spin_down(found, names))
    yield ""
    yield from _table(names, "carbon, kg CO2e", _carbon(found))
    if any(system["views"] for system in found["systems"]):
        yield ""
        yield from _table(
            names, "for what is got", _views(found), max(_NAME, min(_VIEW, words.WIDE - 17 * len(names)))
        )
    yield ""
    for note in words.notes(found):
        yield from words.wrapped(f"note: {note}")


def _section(told: Sequence[str]) -> Iterator[str]:
    """Lines with an empty one in front, where there are any."""
    if told:
        yield ""
        yield from told


def _table(names: Sequence[str], title: str, given: Iterable[Row], wide: int = _NAME) -> Iterator[str]:
    """Rows under the systems' names; systems that do not fit side by side in a further table."""
    rows = list(given)
    widths = [
        max(_LEAST, min(_MOST, len(name)), *(len(cells[at]) for _, cells in rows), 0) + 2
        for at, name in enumerate(names)
    ]
    first = 0
    while first < len(names):
        last, used = first, wide
        while last < len(names) and (last == first or used + widths[last] <= words.WIDE):
            used += widths[last]
            last += 1
        shown = range(first, last)
        heads = "".join(f"{_short(names[at], widths[at] - 2):>{widths[at]}}" for at in shown)
        if len(title) < wide:
            yield f"{title:<{wide}}{heads}"
        else:
            yield from words.wrapped(title)
            yield f"{'':<{wide}}{heads}"
        for name, cells in rows:
            yield f"{_short(name, wide - 1):<{wide}}" + "".join(f"{cells[at]:>{widths[at]}}" for at in shown)
        first = last
        if first < len(names):
            yield ""


def _short(name: str, most: int) -> str:
    """A name of at most ``most`` characters, in one line."""
    name = " ".join(name.split())
    return name if len(name) <= most else name[: most - 3] + "..."


def _work(found: Found) -> Iterator[Row]:
    systems = found["systems"]
    if any(words.late(s) for s in systems):
        yield "kept up with its load", ["no" if words.late(s) else "yes" for s in systems]
    if any(not one["late"] for one in found["choice"]["excluded"]):
        yield "keeps the service level", ["no" if words.no_candidate(found, s) else "yes" for s in systems]
    yield "usable capacity", [words.usable(s) for s in systems]
    yield "work done", [f"{words.figure(s['repeats'], 6)} x" for s in systems]
    yield "lasts", [words.years(s["years"]) for s in systems]
    for title, key in words.RESPONSES.items():
        if any(s["work"][key] is not None for s in systems):
            times = [numbers.with_unit(s["work"][key], "ms") for s in systems]
            yield f"{title} response time", [_plain(one) for one in times]
    watts = [s["work"]["energy_j"] / s["work"]["duration_s"] for s in systems]
    power = [_plain(numbers.with_unit(w, "W")) for w in watts]
    yield f"mean power ({_basis_of_power(systems)})", power


def _basis_of_power(systems: Sequence[Found]) -> str:
    known = {system["power_basis"] for system in systems}
    return known.pop() if len(known) == 1 else "wall or devices"


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def _groups(found: Found) -> Iterator[Row]:
    systems = found["systems"]
    digits = words.decimals(system["known_usd"] for system in systems)

    def hidden(system: Found) -> bool:
        return words.withheld(found, system)

    for group in words.shown_groups(systems):
        yield (
            words.NAMES[group].lower().replace("(pue)", "(PUE)"),
            [words.dollars(None if hidden(s) else s["by_group"].get(group), digits) for s in systems],
        )
    if any(system["usd"] is None for system in systems):
        known = [None if hidden(system) else system["known_usd"] for system in systems]
        yield "what has a price", [words.dollars(value, digits) for value in known]
    yield "total", [words.dollars(None if hidden(s) else s["usd"], digits) for s in systems]
    if words.discounted(found):
        yield (
            "present value",
            [words.dollars(None if hidden(s) else s["present_usd"], digits) for s in systems],
        )
    if found["comparison"]:
        yield f"against {found['choice']['baseline']}", _shares(words.against(found))
    per_tb = [None if hidden(system) else system["usd_per_usable_tb"] for system in systems]
    if any(value is not None for value in per_tb):
        some = words.decimals(per_tb)
        yield "total per usable TB", [words.dollars(value, some) for value in per_tb]


def _shares(shares: Sequence[float | None]) -> list[str]:
    return ["" if share is None else _plain(words.change(share)) for share in shares]


def _other(found: Found) -> Iterator[Row]:
    systems = found["other"]["systems"]
    digits = words.decimals(system["usd"] for system in systems)
    yield "work done", [f"{words.figure(s['repeats'], 6)} x" for s in systems]
    yield "lasts", [words.years(s["years"]) for s in systems]
    yield "total", [words.dollars(s["usd"], digits) for s in systems]
    first = words.of_system(systems, {"name": found["choice"]["baseline"]}, "name")
    if first and first["usd"] and found["comparison"]:
        ranked = [one["b"] for one in found["comparison"]]
        shares = [
            s["usd"] / first["usd"] - 1.0 if s["name"] in ranked and s["usd"] else None for s in systems
        ]
        yield f"against {first['name']}", _shares(shares)


def _cheapest(one: Found, found: Found) -> str:
    """In how many draws a system is the cheapest, on both bases where they may differ."""
    said = f"; cheapest in {_plain(numbers.percent(one['cheapest_share']))}"
    if not found["choice"]["capacities_differ"]:
        return said
    return f"{said}, per TB {_plain(numbers.percent(one['cheapest_per_tb_share']))}"


def _range(found: Found) -> list[str]:
    spread = found["uncertainty"]
    if spread is None:
        return []
    kind = " (present value)" if spread["dollars"] == "present" and words.discounted(found) else ""
    told = [
        f"range of the total{kind}, {spread['samples']:,} draws of the figures that have a range, "
        "5 % to 95 % of them:"
    ]
    for one in spread["systems"]:
        name, ends = one["name"], one["quantiles"]
        digits = words.decimals([ends["p95"]])
        share = _cheapest(one, found) if len(spread["systems"]) > 1 else ""
        told.append(
            f"  {_short(name, _NAME - 3):<{_NAME - 2}}{words.dollars(ends['p5'], digits):>12} to "
            f"{words.dollars(ends['p95'], digits):>12} USD, median {words.dollars(ends['p50'], digits)}"
            f"{share}"
        )
    for sentence in words.leaning(found):
        told += [_plain(line) for line in words.wrapped(f"  {sentence}")]
    return told


def _tornado(found: Found) -> list[str]:
    """The bars of each difference; those of the total where there is one system only."""
    told: list[str] = []
    wanted = "difference" if len(found["systems"]) > 1 else "total"
    shown = [one for one in found["tornado"] if one["of"] == wanted and one["bars"]]
    for one in shown[:_PAIRS]:
        what = f"{one['b']} less {one['a']}" if wanted == "difference" else f"the total of {one['system']}"
        told += words.wrapped(f"what moves {what} ({words.usd(one['usd'])}) most, within its own range:")
        for bar in one["bars"][:_BARS]:
            ends = sorted((bar["usd_low"], bar["usd_high"]))
            span = f"{words.figure(bar['low'])} to {words.amount(bar['high'], bar['unit'])}"
            digits = words.decimals(ends)
            flips = ", may flip" if bar["flips"] else ""
            told.append(
                f"  {_short(bar['key'], 31):<32}{_short(span, 23):<24}{words.dollars(ends[0], digits):>12} "
                f"to {words.dollars(ends[1], digits):>12} USD{flips}"
            )
    return told


def _wear(found: Found, names: Sequence[str]) -> list[str]:
    head = f"{'wear':<{_NAME}}{'drives':>7}{'lasts':>14}  {'by':<22}{'replaced':>9}  first, after"
    told = [head]
    left = 0
    for name, system in zip(names, found["systems"], strict=True):
        groups = words.drive_groups(system)
        left += max(0, len(groups) - _DRIVES)
        for drives in groups[:_DRIVES]:
            drive = words.worst(drives)
            wear = drive["wear"]
            lasts, by = (None, "") if wear is None else (wear["life_years"], wear["by"] or "")
            replaced = sum(words.replaced(one) for one in drives)
            when = ""
            if drive["replacements"]:
                first = drive["replacements"][0]
                when = f"{words.years(first['at_years'])} ({first['reason'].replace('_', ' ')})"
            who = _short(f"{name}: {drive['pool']}", _NAME - 1)
            told.append(
                f"{who:<{_NAME}}{len(drives):>7}{_lasting(lasts):>14}  "
                f"{_short(by.replace('_', ' '), 21):<22}{replaced:>9}  {_short(when, 25)}".rstrip()
            )
            told += _beside(wear)
    if left:
        told.append(f"  and {left} more kinds of drives; --json has all")
    return told if len(told) > 1 else []


def _beside(wear: Found | None) -> Iterator[str]:
    """How long it would last by cycles, where its vendor's rating counts and lets it live longer."""
    if wear is not None and wear["by"] == "bytes_written":
        cycles = wear["ratios"].get("pe_cycles", 0.0)
        if cycles > wear["fraction"] > 0:
            years = wear["life_years"] * wear["fraction"] / cycles
            yield f"  by cycles of its simulated flash, which do not count here: {_lasting(years)}"


def _lasting(years: float | None) -> str:
    if years is None:
        return "not worn"
    return "over 1,000 y" if years > 1000 else words.years(years)


def _spin_down(found: Found, names: Sequence[str]) -> list[str]:
    """Per kind of drive: how long a stop must last to save energy, and to save dollars."""
    told = []
    for name, system in zip(names, found["systems"], strict=True):
        for sentence in ranking.spin_downs(system):
            told += words.wrapped(f"spin-down, {name}: {sentence}")
    return told


def _carbon(found: Found) -> Iterator[Row]:
    carbon = [system["carbon"] for system in found["systems"]]
    grid = carbon[0]["grid"]
    yield (
        f"in operation ({words.figure(grid['g_per_kwh'], 4)} g/kWh)",
        [numbers.significant(one["operational_kg"]) for one in carbon],
    )
    yield f"embodied ({carbon[0]['estimate']})", [numbers.significant(one["embodied_kg"]) for one in carbon]
    others = [
        choice["estimate"] for choice in carbon[0]["choices"] if choice["estimate"] != carbon[0]["estimate"]
    ]
    for estimate in others:
        yield (
            f"  by estimate {estimate}",
            [
                numbers.significant(
                    next((c["embodied_kg"] for c in one["choices"] if c["estimate"] == estimate), None)
                )
                for one in carbon
            ],
        )


def _views(found: Found) -> Iterator[Row]:
    keys: dict[str, Found] = {}
    for system in found["systems"]:
        for view in system["views"]:
            keys.setdefault(view["key"], view)
    for key, view in keys.items():
        cells = [
            numbers.significant(next((v["value"] for v in system["views"] if v["key"] == key), None))
            for system in found["systems"]
        ]
        yield f"{view['title']}, {view['unit']}", cells
