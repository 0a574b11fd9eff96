"""Words and values that the text and the page of a comparison share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.render import numbers, palette

Found = Mapping[str, Any]

SIDES: Final = (("before", "Before"), ("after", "After"))
COLOURS: Final = {"before": palette.RUNS[1], "after": palette.RUNS[0]}
DASHES: Final = {"before": "dash", "after": "solid"}
VIEWS: Final = {"mean": "by means", "max": "by single requests"}


def value(amount: float | None, unit: str) -> str:
    """A figure with its unit; shares of percent as they are."""
    if amount is None:
        return numbers.NO_VALUE
    if unit == "%":
        return f"{numbers.significant(amount)}\u00a0%"
    return numbers.with_unit(amount, unit)


def interval(row: Mapping[str, Any]) -> str:
    """The interval of a difference, from low to high."""
    if row["interval"] is None:
        return numbers.NO_VALUE
    low, high = row["interval"]
    factor, unit = 1.0, {"%": "points"}.get(row["unit"], row["unit"])
    if unit in ("ms", "W", "J"):
        factor, unit = numbers.scale_for(max(abs(low), abs(high)), unit)
    ends = (
        f"{'+' if end > 0 else '−' if end < 0 else ''}{numbers.significant(abs(end) / factor)}"
        for end in (low, high)
    )
    return f"{' to '.join(ends)}\u00a0{unit}"


def remarks(found: Found) -> list[str]:
    """What was remarked on figures, those with the same remark together."""
    by: dict[str, list[str]] = {}
    for row in found["differences"]:
        for remark in row["remarks"]:
            by.setdefault(remark, []).append(short_title(row))
    for remark in [remark for remark in by if remark.startswith("before: ")]:
        same = "after: " + remark.removeprefix("before: ")
        if by.get(same) == by[remark]:
            by = {
                "both sides: " + remark.removeprefix("before: ") if each == remark else each: titles
                for each, titles in by.items()
                if each != same
            }
    return [f"{', '.join(titles)}: {remark}" for remark, titles in by.items()]


def short_title(row: Mapping[str, Any]) -> str:
    """The title of a figure without what all response times have in common."""
    title = str(row["title"])
    return "mean response time" if row["metric"] == "mean" else title.replace(" response time", "").lower()


def beyond(row: Mapping[str, Any]) -> str:
    """How many requests lie beyond a percentile, before and after."""
    found = row["beyond"]
    if not found:
        return ""
    return f"{numbers.count(found['before'])} / {numbers.count(found['after'])}"


def withheld(found: Found) -> str | None:
    """That there are no verdicts, and why; None where there are."""
    if not found["withheld"]:
        return None
    why = "; ".join(flag["text"] for flag in found["flags"] if flag["withholds"])
    return f"No verdicts: these Runs cannot tell what a change did: {why}."


def population(found: Found) -> str:
    """Whose response times, and where."""
    asked = found["asked"]
    kind = {"all": "all requests", "read": "reads", "write": "writes"}[asked["op"]]
    whose = "" if asked["workload"] is None else f" of workload {asked['workload']}"
    return f"{kind}{whose} at the {asked['point']}"


def side(found: Found, key: str) -> str:
    """One side in a line: its requests, window, and what they are from."""
    one = found[key]
    kinds = list(
        dict.fromkeys("simulated" if run["source"] == "simulation" else "measured" for run in one["runs"])
    )
    runs = "" if len(one["runs"]) == 1 else f" in {len(one['runs'])} Runs"
    return (
        f"{numbers.count(one['requests'])} requests{runs} in {numbers.duration(one['window_s'])}, "
        f"{' and '.join(kinds)}"
    )


def bin_name(row: Mapping[str, Any]) -> str:
    """A bin of a histogram: ``0.25 to 0.5 ms``."""
    low = numbers.with_unit(row["over_ms"], "ms", 4) if row["over_ms"] else None
    if row["to_ms"] is None:
        return f"over {_plain(low)}"
    high = _plain(numbers.with_unit(row["to_ms"], "ms", 4))
    return f"up to {high}" if low is None else f"{_plain(low)} to {high}"


def bin_end(row: Mapping[str, Any]) -> str:
    """The upper end of a bin, for an axis: ``0.5 ms``; ``more`` beyond the last edge."""
    return "more" if row["to_ms"] is None else _plain(numbers.with_unit(row["to_ms"], "ms", 4))


def _plain(shown: str | None) -> str:
    """Without the zeros that fixed digits leave: ``0.2500 ms`` is ``0.25 ms``."""
    number, _, unit = (shown or "").partition("\u00a0")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number}\u00a0{unit}"


def changed(found: Found) -> str | None:
    """The keys of the plan that differ, in a line."""
    rows: Sequence[Mapping[str, Any]] = found["changed"]["list"]
    if not rows:
        return None
    shown = [f"{row['key']} {short(row['before'])} → {short(row['after'])}" for row in rows]
    more = found["changed"]["keys"] - len(rows)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def short(amount: object) -> str:
    """A value of a plan, not too long for a line."""
    text = "none" if amount is None else f"{amount:g}" if isinstance(amount, float) else str(amount)
    return text if len(text) <= 40 else text[:37] + "..."
