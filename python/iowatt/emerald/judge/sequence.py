"""Whether the stages of a measurement belong together: in order, without a break, at one configuration.

Times are Unix seconds, UTC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from iowatt.base import digits
from iowatt.emerald.judge.finding import Finding


@dataclass(frozen=True)
class Span:
    """When a stage ran, by the clock of what observed it."""

    stage: str
    start: float
    end: float
    #: Whether it belongs to the part that must not be interrupted: active test and ready idle.
    active: bool


def order(spans: Sequence[Span], slack_s: float) -> Iterator[Finding]:
    """Stages, given in the order of the plan, ran in it and one at a time."""
    for before, after in pairwise(spans):
        if after.start < before.start:
            yield Finding(
                "out-of-order",
                "invalid",
                f"{after.stage} ran {before.start - after.start:.4g} s before {before.stage}, which the "
                "plan has first",
                {"stages": [before.stage, after.stage], "seconds": before.start - after.start},
            )
        elif after.start < before.end - slack_s:
            yield Finding(
                "overlap",
                "invalid",
                f"{after.stage} began {before.end - after.start:.4g} s before {before.stage} had ended: "
                "logs of the "
                "same time, or of clocks that differ",
                {"stages": [before.stage, after.stage], "seconds": before.end - after.start},
            )


def breaks(spans: Sequence[Span], most_s: float) -> Iterator[Finding]:
    """The active test and the rest after it have no break of more than ``most_s`` between stages."""
    active = [span for span in spans if span.active]
    for before, after in pairwise(active):
        gap = after.start - before.end
        if gap > most_s:
            yield Finding(
                "interrupted",
                "non-compliant",
                f"the active test was interrupted: {gap:.4g} s lie between {before.stage} and "
                f"{after.stage}; at most "
                f"{most_s:g} s is taken for none",
                {"stages": [before.stage, after.stage], "seconds": gap, "most_s": most_s},
            )


def clocks(span: Span, began: float, ended: float, most_apart_s: float) -> Iterator[Finding]:
    """What the load generator logged lies within the time in which it was run.

    ``began`` and ``ended`` are by the clock of the host that conducted the measurement.
    """
    apart = max(began - span.start, span.end - ended)
    inside = min(span.end, ended) - max(span.start, began)
    if inside < 0.5 * (span.end - span.start):
        yield Finding(
            "other-run",
            "invalid",
            f"the load generator's log of {span.stage} is of another run: most of it lies outside the "
            f"time in which the stage ran, up to {apart:,.4g} s away",
            {"stage": span.stage, "seconds": apart},
        )
        return
    if apart > most_apart_s:
        yield Finding(
            "clock-apart",
            "invalid",
            f"the load generator's log of {span.stage} reaches {digits.apart(apart, most_apart_s)} s beyond "
            "the time in which the stage ran: "
            f"the clocks differ by at least so much, and {most_apart_s:g} s is allowed",
            {"stage": span.stage, "seconds": apart, "most_s": most_apart_s},
        )


def journal(events: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Finding]:
    """What went wrong on the way, by the measurement's own journal: ``(event, values)``, oldest first."""
    for event, values in events:
        if event == "stage-failed":
            yield Finding(
                "stage-failed",
                "warning",
                f"stage {values.get('stage')} failed (attempt {values.get('attempt')}): {values.get('text')}",
                dict(values),
            )
        elif event == "resumed":
            yield Finding(
                "resumed",
                "warning",
                f"the measurement was broken off and went on with {values.get('stage')}: {values.get('why')}",
                dict(values),
            )
        elif event == "settings-changed":
            yield Finding(
                "configuration-changed",
                "invalid",
                f"the configuration changed during the measurement: {values.get('what')}",
                dict(values),
            )
        elif event == "meter-failed":
            yield Finding(
                "meter-failure",
                "warning",
                f"meter {values.get('meter')} failed for a while: {values.get('text')}",
                dict(values),
            )
    if events and events[-1][0] != "finished":
        yield Finding(
            "unfinished",
            "non-compliant",
            f"the measurement did not finish; the last thing noted is {events[-1][0]!r}",
            {"last": events[-1][0]},
        )


def settings(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> Iterator[Finding]:
    """Settings recorded before and after are the same; every difference is named."""
    if before is None or after is None:
        return
    changed = dict(differences(before, after))
    if changed:
        some = "; ".join(f"{key}: {was!r} became {is_!r}" for key, (was, is_) in list(changed.items())[:5])
        more = f"; and {len(changed) - 5} more" if len(changed) > 5 else ""
        yield Finding(
            "configuration-changed",
            "invalid",
            f"settings after the measurement are not those before it: {some}{more}",
            {"changed": {key: list(pair) for key, pair in changed.items()}},
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
        said = "; ".join(f"{version} in {', '.join(stages)}" for version, stages in found.items())
        yield Finding(
            "configuration-changed",
            "invalid",
            f"the load generator changed between stages: {said}",
            {"versions": found},
        )
