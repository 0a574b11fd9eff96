"""Sentences about a simulated Run that its plan does not say: widened intervals, losses, rebuilds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from iowatt.base.units import format_bytes
from iowatt.run.summary_schema import RebuildSummary
from iowatt.sources.simulation import parity_logs
from iowatt.sources.simulation.counts import NS_PER_S, losses, rebuilds
from iowatt.sources.simulation.wall import DRIVES_ALONE

NO_ARRIVALS: Final = "no request arrived inside the window: it has no response times"
FAILED_IS_STANDBY: Final = "a failed drive draws no power; its time counts as standby"


def remarks(
    names: Mapping[str, Any],
    raw: Mapping[str, Any],
    asked_interval_s: float | None,
    *,
    drives_alone: bool = True,
    asked_extent_bytes: int = 0,
    asked_series_s: float | None = None,
) -> list[str]:
    """Remarks on the figures that the plan does not have."""
    texts = [DRIVES_ALONE] if drives_alone else []
    widths = raw["intervals"]["end_ns"] - raw["intervals"]["start_ns"]
    if len(widths):
        widest = widths.max() / NS_PER_S
        texts.append(
            f"power_w.max is the highest mean over one interval of {widest:g} s (one that the end of the "
            "window cuts short does not count), not the power of an instant"
        )
        if asked_interval_s is not None and widest > 1.001 * asked_interval_s:
            texts.append(
                f"intervals were widened from {asked_interval_s:g} s to {widest:g} s to bound their number"
            )
    texts.extend(series_remarks(raw, asked_series_s))
    heat = raw["summary"].get("heat")
    if heat is not None and heat["extent_bytes"] > asked_extent_bytes > 0:
        texts.append(
            f"extents of the heat map were widened from {asked_extent_bytes} to {heat['extent_bytes']} bytes "
            "to bound their number"
        )
    if names["workloads"] and not raw["summary"]["total"]["arrived"]:
        texts.append(NO_ARRIVALS)
    cached = raw["summary"].get("controller", {}).get("cache")
    if cached and cached["dirty_bytes_at_end"]:
        dirty = format_bytes(cached["dirty_bytes_at_end"], binary=True)
        texts.append(f"{dirty} of written data were only in the cache at the end, not destaged")
    texts.extend(parity_logs.remarks(names, raw["summary"]))
    texts.extend(_lost(raw["summary"].get("controller", {}).get("losses", [])))
    to_drives = raw["summary"].get("trims") or [0] * len(names["workloads"])
    for name, trace, passed in zip(names["workloads"], raw["summary"]["sources"], to_drives, strict=True):
        if trace is None:
            continue
        bad, trims, flushes = trace["skipped_bad"], trace["trims"] - passed, trace["flushes"]
        if passed:
            texts.append(f"workload {name}: {passed} trims went to drives; no other figure counts them")
        if bad:
            texts.append(f"workload {name}: {bad} malformed records of its trace were skipped")
        if trims or flushes:
            texts.append(f"workload {name}: {trims} trims and {flushes} flushes of its trace were left out")
    return texts


def _lost(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """Remarks on controllers and batteries that failed."""
    texts = []
    for loss in losses(found):
        if loss.at_s is None:
            texts.append(f"the run ended before the {loss.of} was to fail")
            continue
        half = ", half of the cache and of the processors gone" if loss.of == "controller" else ""
        until = "the end" if loss.back_s is None else f"{loss.back_s:g} s"
        flushed = (
            "not on the drives at the end"
            if loss.flushed_s is None
            else f"on the drives {loss.flushed_s - loss.at_s:.3g} s later"
        )
        dirty = format_bytes(loss.dirty_bytes, binary=True)
        texts.append(
            f"{loss.of} lost from {loss.at_s:g} s to {until}: no write-back meanwhile{half}; "
            f"{dirty} were dirty, {flushed}"
        )
    return texts


def failure_remarks(names: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """Remarks on failures and rebuilds."""
    texts = _unfinished([one for one in rebuilds(names, summary) if one.finished_s is None])
    if summary["rebuilds"]:
        texts.append(FAILED_IS_STANDBY)
    return texts


_MOST_BY_ONE: Final = 8
"""Failed drives that remarks have by one; those of more, as of a failed rack, are taken together."""


def _unfinished(left: Sequence[RebuildSummary]) -> list[str]:
    """Remarks on rebuilds that the run ended before."""
    if len(left) <= _MOST_BY_ONE:
        return [
            f"{one.drive} failed at {one.failed_s:g} s; "
            f"{'nothing' if one.started_s is None else f'{one.fraction:.1%}'} of it was rebuilt at the end"
            for one in left
        ]
    first, last = (f"{extreme(one.failed_s for one in left):g} s" for extreme in (min, max))
    when = f"at {first}" if first == last else f"from {first} to {last}"
    share = sum(one.fraction for one in left) / len(left)
    return [f"{len(left):,} drives failed {when}; {share:.1%} of what they held was rebuilt at the end"]


def series_remarks(raw: Mapping[str, Any], asked_s: float | None) -> list[str]:
    """A remark where blocks are wider than asked for."""
    if asked_s is None or "series" not in raw or not len(raw["series"]["start_ns"]):
        return []
    widest = float((raw["series"]["end_ns"] - raw["series"]["start_ns"]).max()) / NS_PER_S
    if widest <= 1.001 * asked_s:
        return []
    return [f"blocks of response times were widened from {asked_s:g} s to {widest:g} s to bound their number"]
