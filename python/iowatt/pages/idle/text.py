"""What the idle lens found, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from iowatt.pages.idle.words import LAWS, delay, drives_line, parameters, seconds, share
from iowatt.render import numbers

if TYPE_CHECKING:
    from rich.table import Table

#: Disks beyond which only those with fewest and most periods are listed.
MOST_DISKS = 16
SHOWN_LAGS = 5


def parts(found: dict[str, Any]) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    yield _overview(found)
    yield _disks(found)
    if found["autocorrelation"]["lags"]:
        yield _autocorrelation(found["autocorrelation"])
    if found["fits"]:
        yield _fits(found["fits"])
    if found["policies"]:
        yield f"policies on these periods ({drives_line(found)})"
        yield _policies(found["policies"])
    for note in found["notes"]:
        yield f"note: {note}"


def _table(*columns: str, title: str | None = None) -> Table:
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold"
    )
    for number, column in enumerate(columns):
        last_text = number == len(columns) - 1 and column == "parameters"
        table.add_column(column, justify="left" if number == 0 or last_text else "right", no_wrap=number == 0)
    return table


def _overview(found: dict[str, Any]) -> str:
    lines = [
        f"{found['run']}: {numbers.count(found['periods'])} idle periods of "
        f"{len(found['devices'])} drives in "
        f"{numbers.duration(found['window_s'])}; idle {numbers.percent(found['idle_share'])} of the time"
    ]
    beyond = [row for row in found["longer"] if row["periods"]]
    if beyond:
        said = [
            f"over {row['length_s']:g} s {numbers.percent(row['share_of_idle_time'])} "
            f"({numbers.count(row['periods'])})"
            for row in beyond
        ]
        lines.append(f"share of idle time in periods (their number): {', '.join(said)}")
    return "\n".join(lines)


def _disks(found: dict[str, Any]) -> Table:
    rows = found["devices"]
    if len(rows) > MOST_DISKS:
        ends = {
            found["distribution"][role]["name"]
            for role in ("fewest", "most")
            if role in found["distribution"]
        }
        rows = [row for row in rows if row["name"] in ends]
    table = _table("disk", "periods", "mean", "cv", "longest", "idle", "in > 1 min")
    for row in rows:
        table.add_row(
            row["name"],
            numbers.count(row["periods"]),
            seconds(row["mean_s"]),
            numbers.significant(row["cv"]),
            seconds(row["longest_s"]),
            numbers.percent(row["idle_share"]),
            numbers.percent(row["over_60s_share"]),
        )
    return table


def _autocorrelation(found: dict[str, Any]) -> Table:
    shown = found["lags"][:SHOWN_LAGS]
    table = _table("autocorrelation at lag", *(str(lag) for lag in shown))
    for name in ("mean", "sigma"):
        table.add_row(f"{name} over disks", *(f"{value:.3f}" for value in found[name][: len(shown)]))
    return table


def _fits(fits: list[dict[str, Any]]) -> Table:
    table = _table("law (best first)", "KS", "AIC", "parameters")
    for fit in fits:
        table.add_row(
            LAWS[fit["law"]],
            f"{fit['ks_distance']:.3f}",
            numbers.significant(fit["aic"], 6),
            parameters(fit),
        )
    return table


def _policies(rows: list[dict[str, Any]]) -> Table:
    table = _table("policy", "saves", "delayed", "share", "mean delay*", "if delayed", "stops")
    for row in rows:
        table.add_row(
            row["title"],
            share(row["saved_share"]),
            numbers.count(row["delayed"]),
            numbers.percent(row["delayed_share"]),
            delay(row),
            seconds(row["added_delay_of_delayed_s"]),
            numbers.count(row["start_stops"]),
        )
    return table
