"""A derivation for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from iowatt.render.numbers import NO_VALUE, percent, significant, with_unit

if TYPE_CHECKING:
    from rich.table import Table

Found = dict[str, Any]


def parts(found: Found) -> Iterator[Table | str]:
    """Tables and lines, in order."""
    yield from _overloaded(found)
    yield _one_pool(found)
    yield "\n".join(_listed(found))
    yield _candidates(found)
    yield _alternatives(found)
    yield _chosen(found)
    if found["simulated"] is not None:
        yield _compared(found)
    for note in found["notes"]:
        yield f"note: {note}"


def _overloaded(found: Found) -> Iterator[str]:
    """Which of both systems did not keep up: it is told before any figure of it."""
    for key, what in (("simulated", "The chosen tiers"), ("one_pool", "The one pool")):
        one = found["kept_up"][key]
        if one is not None and not one["kept_up"]:
            ending = "they are no candidate" if key == "simulated" else "its figures are no baseline"
            yield f"{what} could not keep up with the load: {one['why']}; {ending}."


def _table(title: str, *columns: str) -> Table:
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold"
    )
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=number == 0)
    return table


def _one_pool(found: Found) -> str:
    one, load = found["one_pool"], found["load"]
    shares = "no reads" if not load["read_share"] else f"{percent(load['read_share'])} reads"
    return (
        f"{found['scenario']} on one pool, {one['drives']} x {one['device']}: "
        f"{significant(one['iops'])} IOPS, mean "
        f"{_ms(one['response_time_ms'])}, {_watts(one['power_w'])}\n"
        f"left for the back end: {significant(load['iops'])} requests/s ({shares}) on "
        f"{_gb(load['stored_gb'])}, of "
        f"which {_gb(load['touched_gb'])} were touched: {significant(load['iops_per_gb'])} IOPS/GB\n"
        f"limits: utilisation {percent(found['limits']['utilisation'])}{_limit(found)}"
    )


def _listed(found: Found) -> Iterator[str]:
    for one in found["candidates"]:
        drives = "any number" if one["group"] == 1 else f"groups of {one['group']}"
        yield (
            f"{one['name']}: {one['device']}, {_gb(one['capacity_gb'])}, RAID-{one['raid_level']} in {drives}"
        )


def _candidates(found: Found) -> Table:
    table = _table(
        "what one drive does under such requests",
        "candidate", "service", "IOPS", "idle", "per I/O", "W/TB", "W/kIOPS", "USD",
    )  # fmt: skip
    for one in found["candidates"]:
        table.add_row(
            one["name"],
            _ms(one["service_ms"]),
            significant(one["iops"]),
            _watts(one["idle_w"]),
            with_unit(one["operation_mj"] / 1e3, "J"),
            significant(1e3 * one["watts_per_gb"]),
            significant(1e3 * one["watts_per_iops"]),
            significant(one["usd"]),
        )
    return table


def _alternatives(found: Found) -> Table:
    table = _table(
        f"what the rule makes of them ({found['objective']} are kept low)",
        "tiers", "drives", "watts", "USD to buy",
        f"over {found['dollars']['years']:g} years", "mean response",
    )  # fmt: skip
    for one in found["alternatives"]:
        counts = NO_VALUE if one["counts"] is None else " + ".join(str(count) for count in one["counts"])
        table.add_row(
            one["tiers"],
            counts,
            _watts(one["power_w"]),
            significant(one["usd"]),
            significant(one["total_usd"]),
            _ms(one["response_time_ms"]),
        )
    return table


def _limit(found: Found) -> str:
    response = found["limits"]["response_time_ms"]
    return "" if response is None else f", mean response time {response:g} ms"


def _chosen(found: Found) -> Table:
    table = _table(
        "chosen", "tier", "drives", "holds", "of", "space", "I/O", "utilised", "read", "watts",
    )  # fmt: skip
    for one in found["chosen"]["tiers"]:
        table.add_row(
            one["name"],
            str(one["drives"]),
            _gb(one["held_gb"]),
            _gb(one["usable_gb"]),
            percent(one["space_share"]),
            percent(one["io_share"]),
            percent(one["utilisation"]),
            _ms(one["read_ms"]),
            _watts(one["power_w"]),
        )
    return table


def _compared(found: Found) -> Table:
    predicted, simulated, errors = found["chosen"]["predicted"], found["simulated"], found["errors"]
    one = found["one_pool"]
    table = _table("prediction against simulation", "", "one pool", "predicted", "simulated", "error")
    rows: Sequence[tuple[str, str, Any]] = (
        ("IOPS", "iops", significant),
        ("mean response time", "response_time_ms", _ms),
        ("of reads", "read_ms", _ms),
        ("of writes", "write_ms", _ms),
        ("drives' power", "power_w", _watts),
    )
    for title, key, show in rows:
        error = errors[key]
        table.add_row(title, show(one[key]), show(predicted[key]), show(simulated[key]), _signed(error))
    for told, got, wrong in zip(found["chosen"]["tiers"], simulated["tiers"], errors["tiers"], strict=True):
        for title, key, show in (
            ("operations/s", "operations_per_s", significant),
            ("drives busy", "busy", percent),
            ("power", "power_w", _watts),
        ):
            table.add_row(
                f"{told['name']}: {title}", "", show(told[key]), show(got[key]), _signed(wrong[key])
            )
    return table


def _signed(error: float | None) -> str:
    return NO_VALUE if error is None else f"{100 * error:+.1f} %"


def _ms(value: float | None) -> str:
    return NO_VALUE if value is None else with_unit(value, "ms")


def _watts(value: float | None) -> str:
    return NO_VALUE if value is None else with_unit(value, "W")


def _gb(value: float) -> str:
    return with_unit(1e9 * value, "B")
