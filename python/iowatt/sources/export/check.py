"""What fio did beside what the profile asks for."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Final

from iowatt.sources.export.loads import Exported, Prepared
from iowatt.sources.export.run_fio import Done

MOST_POINTS: Final = 1.0
_SHORT: Final = 0.3


@dataclass(frozen=True)
class Row:
    """A figure of one stream (or of all): asked, observed, and the difference."""

    stream: str
    figure: str
    unit: str
    asked: float
    observed: float

    @property
    def difference(self) -> float:
        """Observed less asked."""
        return self.observed - self.asked


def compare(prepared: Prepared, exported: Exported, done: list[Done]) -> dict[str, Any]:
    """The comparison: shares of requests, shares of reads and mean sizes by stream, all requests, the rate.

    Returns
    -------
    dict
        ``rows`` (stream, figure, unit, asked, observed, difference), ``requests``,
        ``largest_share_difference`` in points, ``sampling_error`` (the standard error that a share of a half
        would have), ``within`` (no share is off by more than a point), ``notes``.
    """
    names = [stream.name for stream in prepared.profile.stream]
    asked = {name: _asked(prepared, name) for name in names}
    total = math.fsum(requests for requests, _, _ in asked.values())
    seen = {name: _seen(exported, done, name) for name in names}
    count = sum(requests for requests, _, _ in seen.values())
    rows = []
    for name in names:
        share = Row(name, "share", "%", 100 * asked[name][0] / total, 100 * seen[name][0] / max(1, count))
        rows += [share, *_of(name, asked[name], seen[name])]
    rows += _of("all", _sum(asked.values()), _sum(seen.values()))
    shares = [abs(row.difference) for row in rows if row.figure == "share"]
    error = 50 / math.sqrt(max(1, count))
    notes = []
    if prepared.profile.rated:
        rows.append(Row("all", "rate", "IOPS", total / prepared.duration_s, count / prepared.duration_s))
        if rows[-1].observed < rows[-1].asked * 0.99 - 3 * math.sqrt(rows[-1].asked / prepared.duration_s):
            notes.append(
                "the target did not keep up: fio delayed requests, and the mix is that of what it could do"
            )
    if error > _SHORT:
        notes.append(
            f"{count} requests are few: the standard error of a share is up to {error:.1f} points; a longer "
            "duration lowers it"
        )
    return {
        "rows": [{**asdict(row), "difference": row.difference} for row in rows],
        "requests": count,
        "largest_share_difference": max(shares),
        "sampling_error": error,
        "within": max(shares) <= MOST_POINTS,
        "notes": notes,
    }


Counts = tuple[float, float, float]  # requests, reads, bytes


def _asked(prepared: Prepared, name: str) -> Counts:
    loads = [load for load in prepared.loads() if load.stream.name == name]
    if prepared.sections[0].rates is None:
        requests = loads[0].stream.share or 0.0
    else:
        requests = math.fsum((s.rates or {}).get(name, 0.0) * s.length_s for s in prepared.sections)
    reads = requests * math.fsum(load.fraction for load in loads if load.op == "read")
    return requests, reads, requests * math.fsum(load.fraction * load.mean_bytes for load in loads)


def _seen(exported: Exported, done: list[Done], name: str) -> Counts:
    of = [part for part in done if exported.jobs.get(part.job) == name]
    reads = sum(part.requests for part in of if part.op == "read")
    return sum(part.requests for part in of), reads, sum(part.bytes for part in of)


def _sum(all_: Any) -> Counts:
    requests, reads, size = (math.fsum(column) for column in zip(*all_, strict=True))
    return requests, reads, size


def _of(name: str, asked: Counts, seen: Counts) -> list[Row]:
    def figures(counts: Counts) -> tuple[float, float]:
        requests, reads, size = counts
        return (100 * reads / requests, size / requests) if requests else (0.0, 0.0)

    (reads, size), (reads_seen, size_seen) = figures(asked), figures(seen)
    return [Row(name, "reads", "%", reads, reads_seen), Row(name, "mean size", "bytes", size, size_seen)]


def table(comparison: dict[str, Any]) -> list[str]:
    """The comparison in columns: a line for each stream, then what concerns all."""
    figures: dict[str, dict[str, dict[str, Any]]] = {}
    for row in comparison["rows"]:
        figures.setdefault(row["stream"], {})[row["figure"]] = row
    width = max(len("stream"), *map(len, figures))
    heads = "".join(f"  {head:>25}" for head in ("share of requests, %", "reads, %", "mean size, bytes"))
    lines = [f"{'':<{width}}{heads}", f"{'stream':<{width}}" + f"  {'asked':>8}{'seen':>8}{'off':>9}" * 3]
    for stream, of in figures.items():
        cells = [
            _cell(of.get(figure), digits) for figure, digits in (("share", 2), ("reads", 2), ("mean size", 0))
        ]
        lines.append(f"{stream:<{width}}" + "".join(cells))
    for row in comparison["rows"]:
        if row["figure"] == "rate":
            lines.append(f"rate, IOPS: asked {row['asked']:.1f}, seen {row['observed']:.1f}")
    return lines


def _cell(row: dict[str, Any] | None, digits: int) -> str:
    if row is None:
        return " " * 27
    return f"  {row['asked']:>8.{digits}f}{row['observed']:>8.{digits}f}{row['difference']:>+9.{digits}f}"
