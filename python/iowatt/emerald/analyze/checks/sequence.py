"""Whether the stages of a measurement belong together: in order, without a break, at one configuration.

Times are Unix seconds, UTC.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from iowatt.base import digits
from iowatt.emerald.finding import Finding, Weight, finding, invalid, non_compliant


@dataclass(frozen=True)
class StageSpan:
    """When a stage ran, by the clock of what observed it."""

    stage: str
    start: float
    end: float
    active: bool  #: Whether it belongs to the part that must not be interrupted: active test and ready idle.


def order(spans: Sequence[StageSpan], slack_s: float) -> Iterator[Finding]:
    """Stages, given in the order of the plan, ran in it and one at a time."""
    for before, after in pairwise(spans):
        if after.start < before.start:
            text = (
                f"{after.stage} ran {before.start - after.start:.4g} s before {before.stage}, which the "
                "plan has first"
            )
            yield invalid(
                "out-of-order", text, stages=[before.stage, after.stage], seconds=before.start - after.start
            )
        elif after.start < before.end - slack_s:
            text = (
                f"{after.stage} began {before.end - after.start:.4g} s before {before.stage} had ended: "
                "logs of the same time, or of clocks that differ"
            )
            yield invalid(
                "overlap", text, stages=[before.stage, after.stage], seconds=before.end - after.start
            )


def breaks(spans: Sequence[StageSpan], most_s: float) -> Iterator[Finding]:
    """The active test and the rest after it have no break of more than ``most_s`` between stages."""
    active = [span for span in spans if span.active]
    for before, after in pairwise(active):
        gap = after.start - before.end
        if gap > most_s:
            text = (
                f"the active test was interrupted: {gap:.4g} s lie between {before.stage} and "
                f"{after.stage}; at most {most_s:g} s counts as none"
            )
            yield non_compliant(
                "interrupted", text, stages=[before.stage, after.stage], seconds=gap, most_s=most_s
            )


def clocks(span: StageSpan, began: float, ended: float, most_apart_s: float) -> Iterator[Finding]:
    """The log of the load generator lies within the time in which it ran.

    ``began`` and ``ended`` are by the clock of the host that conducted the measurement.
    """
    apart = max(began - span.start, span.end - ended)
    inside = min(span.end, ended) - max(span.start, began)
    if inside < 0.5 * (span.end - span.start):
        text = (
            f"the load generator's log of {span.stage} is of another run: most of it lies outside the "
            f"time in which the stage ran, up to {apart:,.4g} s away"
        )
        yield invalid("other-run", text, stage=span.stage, seconds=apart)
        return
    if apart > most_apart_s:
        text = (
            f"the load generator's log of {span.stage} reaches {digits.apart(apart, most_apart_s)} s "
            "beyond the time in which the stage ran: the clocks differ by at least so much, and "
            f"{most_apart_s:g} s is allowed"
        )
        yield invalid("clock-apart", text, stage=span.stage, seconds=apart, most_s=most_apart_s)


#: Events of a journal that are findings: what they are, and the sentence with the event's values.
EVENTS: Final[Mapping[str, tuple[str, Weight, str]]] = {
    "stage-failed": ("stage-failed", "warning", "stage {stage} failed (attempt {attempt}): {text}"),
    "resumed": ("resumed", "warning", "the measurement was broken off and resumed at {stage}: {why}"),
    "settings-changed": (
        "configuration-changed",
        "invalid",
        "the configuration changed during the measurement: {what}",
    ),
    "host-lost": (
        "host-lost",
        "non-compliant",
        "load host {host} was lost in {stage}, and the measurement went on without it: {text}",
    ),
    "meter-failed": ("meter-failure", "warning", "meter {meter} failed for a while: {text}"),
}


def journal(events: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Finding]:
    """Problems in the measurement's journal: ``(event, values)``, oldest first."""
    for event, values in events:
        if event in EVENTS:
            code, weight, sentence = EVENTS[event]
            text = sentence.format_map(defaultdict(lambda: "unknown", values))
            yield finding(code, weight, text, **dict(values))
    if events and events[-1][0] != "finished":
        text = f"the measurement did not finish; the last event is {events[-1][0]!r}"
        yield non_compliant("unfinished", text, last=events[-1][0])


def settings(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Settings are the same before and after."""
    if before is None or after is None:
        return
    changed = dict(differences(before, after))
    if changed:
        some = "; ".join(f"{key}: {was!r} became {is_!r}" for key, (was, is_) in list(changed.items())[:5])
        more = f"; and {len(changed) - 5} more" if len(changed) > 5 else ""
        text = f"settings after the measurement are not those before it: {some}{more}"
        yield invalid(
            "configuration-changed", text, changed={key: list(pair) for key, pair in changed.items()}
        )


def differences(before: Any, after: Any, at: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Leaves that differ between two documents, by path."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from differences(before.get(key), after.get(key), f"{at}.{key}" if at else str(key))
    elif before != after:
        yield at, (before, after)


def one_driver(versions: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """All stages were driven by the same program: ``(stage, tool and version)``."""
    found: dict[str, list[str]] = {}
    for stage, version in versions:
        found.setdefault(version, []).append(stage)
    if len(found) > 1:
        programs = "; ".join(f"{version} in {', '.join(stages)}" for version, stages in found.items())
        yield invalid(
            "configuration-changed", f"the load generator changed between stages: {programs}", versions=found
        )
