"""Sentences and values of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from iowatt.lenses.compare.result import (
    NO_VERDICT,
    AskedFor,
    BeforeAfter,
    DifferenceRow,
    Interval,
    SideKey,
    Verdict,
    View,
)
from iowatt.lenses.evidence import joined
from iowatt.pages.risk import often_lost
from iowatt.render import numbers, palette
from iowatt.render.phrases import listed
from iowatt.run.record import observed_how

TAIL: Final = frozenset(("p99", "p99.9", "p99.99", "over_threshold"))
"""Figures of the tail."""
SIDES: Final[tuple[tuple[SideKey, str], ...]] = (("before", "Before"), ("after", "After"))
COLOURS: Final = {"before": palette.RUNS[1], "after": palette.RUNS[0]}
DASHES: Final = {"before": "dash", "after": "solid"}
WORK: Final = frozenset(("iops", "mib_per_s", "power_w", "joules_per_request"))
"""Figures of work and energy, which rest on intervals."""
DECIDE: Final = frozenset(("mean", "p95", "p99", "power_w"))
"""Figures that the verdict names before others that could not be tested."""
GREAT: Final = frozenset(("mean", "p50", "p95", "p99", "iops", "power_w", "joules_per_request"))
"""Figures of which a great change is told though it could not be tested; the far tail is left to chance."""
GREAT_FACTOR: Final = 1.5
"""Factor, either way, from which a change is called great."""
ENOUGH_RUNS: Final = 3
"""Runs of a side that show how Runs vary."""
MOST_UNTESTED: Final = 4
"""Figures that could not be tested and that the verdict names."""
VIEWS: Final[tuple[tuple[View, str], ...]] = (("mean", "by means"), ("max", "by single requests"))


def verdict(found: BeforeAfter) -> Iterator[str]:
    """Better and worse figures, or why there are no verdicts; then what makes the sides hard to compare."""
    if found.withheld:
        why = "; ".join(flag.text for flag in found.flags if flag.withholds)
        yield f"No verdicts, as these Runs do not isolate the change: {why}."
    else:
        yield from _verdict(found)
    for flag in found.flags:
        if not flag.withholds:
            yield sentence(flag.text)
    first = (side.runs[0] for side in (found.before, found.after))
    yield from often_lost([(run.label, run.loss_per_year) for run in first], stated=True)


def _verdict(found: BeforeAfter) -> Iterator[str]:
    """Figures that differ, those that could not be tested with what would make them so, or that none does."""
    decided = {
        verdict: [_changed_by(row) for row in found.differences if row.verdict == verdict and _changed(row)]
        for verdict in ("better", "worse")
    }
    parts = [f"{verdict}: {listed(figures)}" for verdict, figures in decided.items() if figures]
    if parts:
        yield sentence("; ".join(parts))
    untested = [row for row in found.differences if _untested(row) and _changed(row)]
    great = [row for row in untested if row.metric in GREAT and _great(row)]
    for way in ("worse", "better"):
        if figures := [_changed_by(row) for row in great if _way(row) == way]:
            runs = max(len(side.runs) for side in (found.before, found.after))
            rests = "one Run of each" if runs == 1 else "these Runs"
            yield f"Much {way}, but not testable with {rests}: {listed(figures)}."
    if untested:
        left = [row for row in untested if row not in great]
        most = sorted(left, key=lambda row: row.metric not in DECIDE)
        most = most if len(most) <= MOST_UNTESTED + 1 else most[:MOST_UNTESTED]
        named = [_changed_by(row) for row in most]
        if more := len(left) - len(most):
            named.append(numbers.counted(more, "other figure"))
        yield f"{f'Not testable: {listed(named)}. ' if named else ''}{_remedy(found, untested)}"
    if parts:
        return
    tested = [row for row in found.differences if row.verdict != NO_VERDICT]
    if any(row.verdict in ("better", "worse") for row in tested):
        yield "No figure differs by 0.05 % or more."
    elif tested and untested:
        yield f"{_capital(listed([short_title(row) for row in tested]))}: no significant difference."
    elif tested:
        yield "No figure differs significantly."
    elif not untested:
        yield "Not testable: the variation of the figures is not known."


def _changed(row: DifferenceRow) -> bool:
    """Whether a figure changed by what is worth a word."""
    return numbers.change(row.change) != numbers.SAME


def _changed_by(row: DifferenceRow) -> str:
    return f"{short_title(row)} {numbers.change(row.change)}".rstrip()


def _untested(row: DifferenceRow) -> bool:
    """Whether both sides have a figure, and its variation is not known well enough for a verdict."""
    return row.verdict == NO_VERDICT and None not in (row.before, row.after)


def _great(row: DifferenceRow) -> bool:
    """Whether a figure that could not be tested changed so much that its direction is worth telling."""
    return row.change is not None and not 1 / GREAT_FACTOR < 1 + row.change < GREAT_FACTOR


def _way(row: DifferenceRow) -> str:
    return "better" if ((row.change or 0.0) < 0) == (row.better == "lower") else "worse"


def _remedy(found: BeforeAfter, untested: Sequence[DifferenceRow]) -> str:
    """What would make figures testable."""
    ways = []
    times = [row for row in untested if row.metric not in WORK]
    if any(row.basis is not None and row.basis.method == "requests" for row in times):
        ways.append("response times by blocks of time (observe.series)")
    elif times:
        ways.append("longer Runs")
    if len(times) < len(untested):
        ways.append("more intervals (observe.interval)")
    repeated = min(len(side.runs) for side in (found.before, found.after)) >= ENOUGH_RUNS
    runs = "" if repeated else ", or three Runs of each side with different seeds"
    return f"To test these, use {' and '.join(ways)}{runs}; the reasons are below."


def shown_verdict(verdict: Verdict, found: BeforeAfter) -> str:
    """A verdict as it is shown: one that could not be tested is called so."""
    return "not testable" if verdict == NO_VERDICT and not found.withheld else verdict


def sentence(text: str) -> str:
    """With a full stop, and a capital unless it begins with a name such as p99."""
    return _capital(text) + ("" if text.endswith(".") else ".")


def _capital(text: str) -> str:
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]


def value(amount: float | None, unit: str) -> str:
    """A figure with its unit; shares of percent as they are."""
    if amount is None:
        return numbers.NO_VALUE
    if unit == "%":
        return f"{numbers.significant(amount)}\u00a0%"
    return numbers.with_unit(amount, unit)


def percent(share: float | None) -> float | None:
    """A share in percent."""
    return None if share is None else 100 * share


def interval(limits: Interval | None, unit: str) -> str:
    """The interval of a difference, from low to high."""
    if limits is None:
        return numbers.NO_VALUE
    low, high = limits
    factor, unit = 1.0, {"%": "points"}.get(unit, unit)
    if unit in ("ms", "W", "J"):
        factor, unit = numbers.scale_for(max(abs(low), abs(high)), unit)
    ends = (
        f"{'+' if end > 0 else '−' if end < 0 else ''}{numbers.significant(abs(end) / factor)}"
        for end in (low, high)
    )
    return f"{' to '.join(ends)}\u00a0{unit}"


def remarks(found: BeforeAfter) -> list[str]:
    """What was remarked on figures, those with the same remark together."""
    by: dict[str, list[str]] = {}
    for row in found.differences:
        for remark in row.remarks:
            by.setdefault(remark, []).append(short_title(row))
    for remark in [remark for remark in by if remark.startswith("before: ")]:
        same = "after: " + remark.removeprefix("before: ")
        if by.get(same) == by[remark]:
            by = {
                "both sides: " + remark.removeprefix("before: ") if each == remark else each: titles
                for each, titles in by.items()
                if each != same
            }
    return [sentence(f"{', '.join(titles)}: {remark}") for remark, titles in by.items()]


def short_title(row: DifferenceRow) -> str:
    """The title of a figure without what all response times have in common."""
    return "mean response time" if row.metric == "mean" else row.title.replace(" response time", "").lower()


def beyond(row: DifferenceRow) -> str:
    """How many requests lie beyond a percentile, before and after."""
    found = row.beyond
    return "" if found is None else f"{numbers.count(found.before)} / {numbers.count(found.after)}"


def population(found: BeforeAfter) -> str:
    """Whose response times, and where."""
    return population_of(found.asked)


def population_of(asked: AskedFor) -> str:
    """Whose response times are asked for, and where."""
    kind = {"all": "all requests", "read": "reads", "write": "writes"}[asked.op]
    whose = "" if asked.workload is None else f" of workload {asked.workload}"
    return f"{kind}{whose} at the {asked.point}"


def side(found: BeforeAfter, key: SideKey) -> str:
    """One side in a line: its requests, window, and what they are from."""
    one = found.side(key)
    kinds = list(dict.fromkeys(observed_how(run.source) for run in one.runs))
    runs = "" if len(one.runs) == 1 else f" in {len(one.runs)} Runs"
    return (
        f"{numbers.count(one.requests)} requests{runs} in {numbers.duration(one.window_s)}, "
        f"{' and '.join(kinds)}"
    )


def bin_name(over_ms: float, to_ms: float | None) -> str:
    """A bin of a histogram: ``0.25 ms to 0.5 ms``."""
    low = numbers.with_unit(over_ms, "ms", 4) if over_ms else None
    if to_ms is None:
        return f"over {_plain(low)}"
    high = _plain(numbers.with_unit(to_ms, "ms", 4))
    return f"up to {high}" if low is None else f"{_plain(low)} to {high}"


def bin_end(to_ms: float | None) -> str:
    """The upper end of a bin, for an axis: ``0.5 ms``; ``more`` beyond the last edge."""
    return "more" if to_ms is None else _plain(numbers.with_unit(to_ms, "ms", 4))


def _plain(shown: str | None) -> str:
    """Without the zeros that fixed digits leave: ``0.2500 ms`` is ``0.25 ms``."""
    number, _, unit = (shown or "").partition("\u00a0")
    return f"{number.rstrip('0').rstrip('.') if '.' in number else number}\u00a0{unit}"


def changed(found: BeforeAfter) -> str | None:
    """The keys of the plan that differ, in a line."""
    rows = found.changed.listed
    if not rows:
        return None
    shown = [f"{row.key} {short(row.before)} → {short(row.after)}" for row in rows]
    more = found.changed.keys - len(rows)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def short(amount: object) -> str:
    """A value of a plan, not too long for a line."""
    text = "none" if amount is None else f"{amount:g}" if isinstance(amount, float) else str(amount)
    return text if len(text) <= 40 else text[:37] + "..."


def tail_doubt(found: BeforeAfter, metric: str) -> str | None:
    """Why a figure of the tail may not be trusted of simulated drives; None of other figures."""
    if metric not in TAIL:
        return None
    return joined(side.tail_doubt for side in (found.before, found.after))


def checked_title(found: BeforeAfter, row: DifferenceRow) -> str:
    """The title of a figure, of a percentile with what is wrong with the tail of the drives."""
    doubt = tail_doubt(found, row.metric)
    if doubt is None or row.metric == "over_threshold":
        return row.title
    return f"{row.metric}, {doubt.partition(' for ')[0].partition(' by ')[0]}"
