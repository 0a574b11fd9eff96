"""How long a rebuild takes: of the Run's own rebuilds, else by the book's rate and the load of the drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from iowatt.lenses.durability.groups import DataGroup
from iowatt.lenses.durability.result import RebuildBasis, RebuildTime
from iowatt.render.numbers import significant, with_unit

if TYPE_CHECKING:
    from iowatt.lenses.book import Book
    from iowatt.run.bundle import Run

MB: Final = 1e6
LEAST_IDLE: Final = 0.05
"""Share of a drive that a rebuild gets however busy it is, where the rate is not simulated."""


def rebuild_of_run(run: Run, basis: RebuildBasis = "run") -> dict[str, RebuildTime]:
    """The time to rebuild a whole drive, by pool, from the rebuilds in a Run that made any progress.

    What was rebuilt when the Run ended is scaled to the whole drive at the same rate. The drives of a failed
    node are rebuilt at once, which says nothing of one: such a pool is left out.
    """
    found: dict[str, RebuildTime] = {}
    end_s = float(run.summary["window"]["end_s"]) if "end_s" in run.summary["window"] else None
    rows = run.summary.get("rebuilds") or []
    for row in rows:
        if row["started_s"] is None or row["pool"] in found or not row["rebuilt_bytes"]:
            continue
        if _overlaps(row, rows, end_s):
            continue
        until = row["finished_s"] if row["finished_s"] is not None else end_s
        if until is None or until <= row["started_s"]:
            continue
        took_s, share = until - row["started_s"], float(row["fraction"])
        whole = row["finished_s"] is not None or share >= 1
        text = f"{row['drive']} was rebuilt in {with_unit(took_s, 's')} under the load"
        if not whole:
            text = f"{significant(100 * share)} % of {text}; the whole drive at the same rate"
        found[row["pool"]] = RebuildTime(
            pool=row["pool"],
            seconds=took_s if whole else took_s / share,
            bytes_per_s=row["rebuilt_bytes"] / took_s,
            basis=basis,
            text=text,
            simulated_share=min(1.0, share),
        )
    return found


def _overlaps(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], end_s: float | None) -> bool:
    """Whether another drive of the pool was lost while this one was rebuilt."""
    until = row["finished_s"] if row["finished_s"] is not None else end_s
    return any(
        other is not row
        and other["pool"] == row["pool"]
        and (until is None or other["failed_s"] < until)
        and (other["finished_s"] is None or other["finished_s"] > row["started_s"])
        for other in rows
    )


def stated_rebuild(group: DataGroup, book: Book, utilisation: float | None) -> RebuildTime:
    """The time of a rebuild at the book's rate: of idle time alone, and within the pool's limit."""
    drive = group.drive
    names = [drive["model"], drive.get("based_on"), drive["kind"]]
    figure = book.figure(*(f"durability.rebuild_rate.{name}" for name in names if name))
    rate = book.number(figure.key) * MB
    text = f"{figure.key} = {book.number(figure.key):g} MB/s ({figure.quality})"
    if utilisation is not None:
        idle = max(LEAST_IDLE, 1 - utilisation)
        rate, text = rate * idle, f"{text} x {idle:.0%} idle"
    if group.code["code"] == "declustered" and group.members > group.code["width"]:
        # Each byte is read on some drives and written on another, and all of them share that work.
        at_once = (group.members - 1) / group.code["width"]
        rate, text = rate * at_once, f"{text} x {at_once:.3g} at once over {group.members} drives"
    if group.rate_limit is not None and group.rate_limit < rate:
        rate, text = group.rate_limit, f"the pool's limit, {group.rate_limit / MB:g} MB/s"
    return RebuildTime(
        pool=group.pool,
        seconds=group.rebuild_bytes / rate,
        bytes_per_s=rate,
        basis="stated",
        text=text,
        simulated_share=0.0,
    )


def rebuild_times(
    groups: list[DataGroup], known: Mapping[str, RebuildTime], book: Book, utilisation: Mapping[str, float]
) -> dict[str, RebuildTime]:
    """The rebuild of each pool: the known one, else the stated one."""
    times = {}
    for group in groups:
        if group.pool not in times:
            times[group.pool] = known.get(group.pool) or stated_rebuild(
                group, book, utilisation.get(group.pool)
            )
    return times
