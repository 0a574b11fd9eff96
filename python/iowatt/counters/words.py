"""A log's summary for people: a line for each device, then more of the one that was asked for."""

from __future__ import annotations

from typing import Any, Final

from iowatt.base.units import format_bytes, format_duration

_BARS: Final = " ▁▂▃▄▅▆▇█"


def lines(summary: dict[str, Any], devices: list[str]) -> list[str]:
    """The summary; details of ``devices``, or of the only one that did anything."""
    found = [_head(summary)]
    busy = [entry for entry in summary["devices"] if entry.get("iops") or entry["lacking"]]
    idle = len(summary["devices"]) - len(busy)
    if not busy:
        return [*found, "no device read or wrote anything", *(f"note: {note}" for note in summary["notes"])]
    found += ["", *_table(busy)]
    if idle:
        found.append(f"{idle} more without a request")
    detailed = [entry for entry in busy if entry["device"] in devices or len(busy) == 1]
    for entry in detailed:
        if "iops" in entry:
            found += ["", *_details(entry)]
    found += [""] if summary["notes"] or any(entry["lacking"] for entry in busy) else []
    found += [f"note: {entry['device']}: {entry['lacking']}" for entry in busy if entry["lacking"]]
    return [*found, *(f"note: {note}" for note in summary["notes"])]


def _head(summary: dict[str, Any]) -> str:
    count = summary["intervals"]
    if summary["seconds"] is None:
        return f"{summary['format']}: {count} intervals; how long they are the log does not say (--interval)"
    each = format_duration(summary["interval_seconds"])
    return f"{summary['format']}: {count} intervals of {each}, {format_duration(summary['seconds'])} in all"


def _table(entries: list[dict[str, Any]]) -> list[str]:
    rows = [
        ("device", "IOPS", "peak", "reads", "MiB/s", "mean size", "mean wait", "queue", "busy", "merged r/w")
    ]
    for entry in entries:
        if "iops" not in entry:
            cells = ("-",) * 6
            rows.append(
                (_name(entry), *cells, _plain(entry["mean_queue"]), _percent(entry["utilisation"]), "-")
            )
            continue
        rows.append(
            (
                _name(entry),
                _plain(entry["iops"]),
                _plain(entry["peak_iops"]),
                _percent(entry["read_share"])
                + ("*" if entry["read_share_from"] in ("bytes", "given") else ""),
                _plain(entry["bytes_per_second"] / (1 << 20)),
                _size(entry["mean_bytes"]),
                _wait(entry["mean_wait"]),
                _plain(entry["mean_queue"]),
                _percent(entry["utilisation"]),
                f"{_percent(entry['read_merged_share'])}/{_percent(entry['write_merged_share'])}",
            )
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    found = [
        "  ".join(
            f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}"
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    if any(entry.get("read_share_from") == "bytes" for entry in entries):
        found.append("* not counted: the share of the bytes")
    if any(entry.get("read_share_from") == "given" for entry in entries):
        found.append("* not counted: as asked")
    return found


def _details(entry: dict[str, Any]) -> list[str]:
    found = [_name(entry)]
    if entry["mean_read_bytes"] is not None or entry["mean_write_bytes"] is not None:
        found.append(
            f"  mean sizes: reads {_size(entry['mean_read_bytes'])}, writes "
            f"{_size(entry['mean_write_bytes'])}; "
            f"{_percent(entry['read_share_bytes'])} of the bytes are read"
        )
    if entry["mean_read_wait"] is not None and entry["mean_write_wait"] is not None:
        found.append(
            f"  mean waits: reads {_wait(entry['mean_read_wait'])}, writes {_wait(entry['mean_write_wait'])}"
        )
    if entry["queue_while_busy"] is not None:
        found.append(
            f"  requests in the device while it is busy: {_plain(entry['queue_while_busy'])} (one at a "
            f"time: 1); "
            f"queue at most {_plain(entry['peak_queue'])}, busy at most {_percent(entry['peak_utilisation'])}"
        )
    others = [
        f"{_plain(entry[key])} {words}/s"
        for key, words in (("discards_per_second", "discards"), ("flushes_per_second", "flushes"))
        if entry[key]
    ]
    if others:
        found.append(f"  besides: {', '.join(others)}")
    if entry["dispersion"] is not None:
        burstier = entry["dispersion"] > entry["dispersion_limit"]
        verdict = "burstier than Poisson" if burstier else "as Poisson arrivals would"
        found.append(
            f"  counts from one interval to the next: index of dispersion {_plain(entry['dispersion'])}, "
            f"{verdict} "
            f"(1; by chance up to {_plain(entry['dispersion_limit'])})"
        )
    rates = [part["iops"] for part in entry["over_time"]]
    if len(rates) > 1:
        found.append(f"  IOPS over time: {_bars(rates)}  (0 to {_plain(max(rates))})")
    return found


def _bars(values: list[float]) -> str:
    most = max(values)
    return "".join(_BARS[round((len(_BARS) - 1) * value / most)] if most else _BARS[0] for value in values)


def _name(entry: dict[str, Any]) -> str:
    return "".join(c if c.isprintable() else "?" for c in entry["device"])


def _plain(value: float | None) -> str:
    if value is None:
        return "-"
    return (
        f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3g} %"


def _size(value: float | None) -> str:
    return "-" if value is None else format_bytes(round(value), binary=True)


def _wait(seconds: float | None) -> str:
    return "-" if seconds is None else format_duration(seconds)
