"""A result for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iowatt.emerald.judge.stability import MEANING
from iowatt.render import numbers

if TYPE_CHECKING:
    from rich.table import Table

Found = dict[str, Any]


def parts(found: Found) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    yield headline(found)
    yield _figures(found)
    yield from power_ratios(found)
    if any(phase["stability"] for phase in found["phases"]):
        chosen, weights = found["stability"]["reading"], found["stability"]["weights"]
        mark = " *" if doubt(found) else ""
        yield (
            f"stability{mark}: largest deviation of EA (weights {weights}) by readings a, b, c; "
            f"{chosen} decides"
        )
        yield _stability(found)
    for title, findings in by_place(found):
        yield title
        for finding in findings:
            yield f"  {finding['weight']}: {finding['text']}"
    yield textwrap.fill(f"* {unverified(found)}", 100, subsequent_indent="  ", break_on_hyphens=False)


def headline(found: Found) -> str:
    """Whether it is valid, and by which rules: never the one without the other."""
    kind = {"measured": "measured", "modelled": "modelled, not measured"}[found["kind"]]
    return (
        f"{found['name']}: {found['status']}, {compliance(found)}, {found['judged']} "
        f"({found['rules']['profile']}; {kind})"
    )


def compliance(found: Found) -> str:
    """Whether the figures may be called Emerald results, as far as these rules go."""
    if found["compliant"]:
        return "nothing found against compliance"
    return "no Emerald result"


#: Below a table whose marks are not explained beside it.
MARK = "* by a rule that nobody has verified."


def power_ratios(found: Found) -> Iterator[str]:
    """A sentence for each phase that runs at a share of another's rate."""
    for phase in found["phases"]:
        ratio = phase.get("power_ratio")
        if ratio is not None:
            yield (
                f"{phase['phase']} takes {ratio['power']:.3f} of the power of {ratio['to']} at "
                f"{ratio['rates']:.3f} of its rate"
            )


def by_place(found: Found) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Findings under what they are about: the measurement, what several phases share (an indicative meter),
    then phase by phase; none without any.
    """
    places = _places(found)
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for key, names in _shared(found).items():
        one = next(each for _, several in places for each in several if _key(each) == key)
        groups.setdefault(names, []).append(one)
    parts = [("The measurement", found["findings"])]
    every = tuple(title for title, _ in places)
    parts += [("Every phase" if names == every else ", ".join(names), many) for names, many in groups.items()]
    parts += [(title, own(findings, found)) for title, findings in places]
    return ((title, findings) for title, findings in parts if findings)


def own(findings: list[dict[str, Any]], found: Found) -> list[dict[str, Any]]:
    """Those of one phase that no other has in the same words."""
    shared = _shared(found)
    return [one for one in findings if _key(one) not in shared]


def _places(found: Found) -> list[tuple[str, list[dict[str, Any]]]]:
    places = [(phase["phase"], phase["findings"]) for phase in found["phases"]]
    if found["ready_idle"] is not None:
        places.append(("Ready idle", found["ready_idle"]["findings"]))
    return places


def _key(finding: dict[str, Any]) -> tuple[str, str]:
    return finding["weight"], finding["text"]


def _shared(found: Found) -> dict[tuple[str, str], tuple[str, ...]]:
    """Findings that several phases have in the same words, with their names."""
    where: dict[tuple[str, str], list[str]] = {}
    for title, findings in _places(found):
        for key in dict.fromkeys(_key(one) for one in findings):
            where.setdefault(key, []).append(title)
    return {key: tuple(titles) for key, titles in where.items() if len(titles) > 1}


def doubt(found: Found) -> bool:
    """Whether stability was judged by a rule that nobody has verified."""
    return any(rule["key"].rpartition("stability.")[1] for rule in found["rules"]["unverified"])


def verdict(settled: Found, found: Found) -> str:
    """Stable, drifting or noisy; with a word on the rule where nobody has verified it."""
    return f"{settled['verdict']}, by an unverified rule" if doubt(found) else str(settled["verdict"])


def unverified(found: Found) -> str:
    """The rule values that nobody has verified, by name."""
    rules = found["rules"]["unverified"]
    if not rules:
        return "all rule values used are verified"
    return f"{found['judged']}: {', '.join(rule['key'] for rule in rules)}"


def status(part: Found, found: Found) -> str:
    """Of a phase; never valid without a word on the rules."""
    if part["status"] == "invalid":
        return "INVALID"
    by = "valid, by unverified rules" if found["rules"]["unverified"] else "valid"
    return by if part["compliant"] else f"{by}, no Emerald result"


def word(part: Found) -> str:
    """Of a phase, in one word."""
    return "INVALID" if part["status"] == "invalid" else "valid"


def _table(*columns: tuple[str, str]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for number, (title, unit) in enumerate(columns):
        table.add_column(
            f"{title}\n{unit}" if unit else title,
            justify="left" if number == 0 or not unit else "right",
            no_wrap=True,
        )
    return table


def _figures(found: Found) -> Table:
    table = _table(
        ("metric", ""), ("value", " "), ("", ""), ("in full", " "), ("operations", "per s"),
        ("response", "ms"), ("power", "W"), ("status *", ""),
    )  # fmt: skip
    for phase in found["phases"]:
        table.add_row(
            phase["metric"],
            phase["ep_shown"] or "refused",
            phase["unit"],
            full(phase["ep"]),
            numbers.significant(phase["operations_rate"], 4),
            numbers.significant(phase["response_mean_ms"]),
            numbers.significant(phase["power_w"], 4),
            word(phase),
        )
    rest = found["ready_idle"]
    if rest is not None:
        table.add_row(
            rest["metric"], rest["ep_shown"] or "refused", rest["unit"], full(rest["ep"]), numbers.NO_VALUE,
            numbers.NO_VALUE, numbers.significant(rest["power_w"], 4), word(rest),
        )  # fmt: skip
    return table


def _stability(found: Found) -> Table:
    tolerance = 100 * found["stability"]["tolerance"]
    table = _table(
        ("phase", ""), *((name, f"within {tolerance:g} %") for name in MEANING), ("drift", "%"), ("p", " "),
        ("verdict", ""),
    )  # fmt: skip
    for phase in found["phases"]:
        settled = phase["stability"]
        if settled is None:
            continue
        trend = settled["trend"]
        table.add_row(
            phase["phase"],
            *(reading(settled["readings"][name], mark=doubt(found)) for name in MEANING),
            numbers.NO_VALUE if trend is None else f"{100 * trend['drift']:+.2f}",
            numbers.NO_VALUE if trend is None else f"{trend['p']:.3f}",
            f"{settled['verdict']} *" if doubt(found) else settled["verdict"],
        )
    return table


def reading(found: Found, *, mark: bool) -> str:
    """The largest deviation under a reading, and whether it holds; marked where the rule is unverified."""
    if found["largest_deviation"] is None:
        return "not known"
    star = " *" if mark else ""
    return f"{100 * found['largest_deviation']:.2f} % {'holds' if found['holds'] else 'FAILS'}{star}"


def full(value: float | None) -> str:
    """A metric with more digits than may be published."""
    return numbers.NO_VALUE if value is None else f"{value:.7g}"
