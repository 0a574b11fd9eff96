"""``iowatt check``: is a scenario right, and what does it amount to?"""

from __future__ import annotations

from typing import Any, Final

import typer

from iowatt.cli.error_text import in_options, place_text
from iowatt.cli.options import AsJson, Overrides, Scenario, print_json

_OPTIONS: Final = {"set": "--set"}
"""The options that a problem of a scenario can name."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("check")(check)


def check(
    scenario: Scenario,
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Check a scenario without running it; exit 2 where something is wrong with it."""
    from iowatt.base.errors import InputError
    from iowatt.model.scenario import load
    from iowatt.model.scenario.describe import describe
    from iowatt.model.scenario.loading import warnings

    try:
        found = describe(load(scenario, overrides or []), scenario.parent)
        found["warnings"] = [
            {"where": place_text(one.place, _OPTIONS), "message": one.message}
            for one in warnings(scenario, overrides or [])
        ]
    except InputError as error:
        if not as_json:
            raise
        print_json(_failure(error))
        raise typer.Exit(error.exit_code) from None
    if as_json:
        print_json(found)
        return
    for line in lines(found):
        typer.echo(line)
    for one in found["warnings"]:
        typer.echo(f"  warning: {one['where']}: {one['message']}")


def _failure(error: Any) -> dict[str, Any]:
    from iowatt.model.scenario.describe import CHECK_SCHEMA

    return {
        "schema": CHECK_SCHEMA,
        "ok": False,
        "problems": [
            {
                "code": one.code,
                "where": place_text(one.place, _OPTIONS),
                "message": in_options(one.message, _OPTIONS),
                "hint": one.hint and in_options(one.hint, _OPTIONS),
            }
            for one in getattr(error, "problems", (error,))
        ],
    }


def lines(found: dict[str, Any]) -> list[str]:
    """The result for people."""
    from iowatt.base.units import format_bytes as size
    from iowatt.model.scenario.path_alone import path_lines

    space = [f"{size(found['raw_bytes'])} raw", f"{size(found['usable_bytes'])} usable"]
    if found["effective_bytes"] != found["usable_bytes"]:
        space.append(f"{size(found['effective_bytes'])} effective")
    text = [
        f"{found['name']}: ok",
        f"  {found['drives']} drives, {', '.join(space)}, {_idle(found['idle_w'])}",
    ]
    for pool in found["pools"]:
        level = "no RAID" if pool["raid_level"] is None else f"RAID-{pool['raid_level']}"
        if pool["stripe_unit_bytes"] and pool["raid_level"] != 1:
            level += f" in units of {size(pool['stripe_unit_bytes'], binary=True)}"
        if chunklets := pool["chunklets"]:
            sets = [f"RAID-{r['raid']['level']} sets of {r['set_size']}" for r in chunklets["regions"]]
            piece = size(chunklets["bytes"], binary=True)
            level = f"{', '.join(dict.fromkeys(sets))} over chunklets of {piece}"
        spares = f" and {pool['spares']} to spare" if pool["spares"] else ""
        text += [
            f"  pool {pool['name']}: {pool['count']} x {pool['device']}{spares}, {level}, "
            f"scheduler {pool['scheduler']}{_commands(pool)}, "
            f"write cache {'on' if pool['write_cache'] else 'off'}, power policy {pool['power_policy']}",
            _ssd(pool) if pool["kind"] == "ssd" else _disk(pool),
        ]
    for virtual in found["virtual_pools"]:
        parts = ", ".join(f"{part['name']} on {part['pool']}" for part in virtual["parts"])
        offered = size(virtual["capacity_bytes"])
        text.append(f"  virtual pool {virtual['name']}: {offered}, {virtual['scheme']}, {parts}")
    text += [f"  volume {v['name']}: {size(v['capacity_bytes'])} on {v['pool']}" for v in found["volumes"]]
    text += [f"  bus {b['name']}: {b['bandwidth_bytes_per_s'] / 1e6:.4g} MB/s" for b in found["buses"]]
    if controller := found["controller"]:
        from iowatt.pages.run.controller import described

        text += [f"  {str(part).lower()}: {what}" for part, what in described(controller).rows]
    for path in found["paths"]:
        text += path_lines(path)
    if power := found["power"]:
        text.append(
            f"  at the wall: {power['wall_idle_w']:.5g} W idle, {power['wall_active_w']:.5g} W active "
            "(`iowatt power` says more)"
        )
    text += [
        f"  workload {w['name']}: {w['trace']}, {w['replay']}, to volume {w['volume']}"
        for w in found["workloads"]
    ]
    return text + [f"  note: {note}" for note in found["notes"]]


def _disk(pool: dict[str, Any]) -> str:
    return (
        f"    {pool['rpm']:g} rpm, average seek {pool['average_seek_s'] * 1e3:.2f} ms, "
        f"{pool['outer_bytes_per_s'] / 1e6:.4g} to {pool['inner_bytes_per_s'] / 1e6:.4g} MB/s a drive"
    )


def _ssd(pool: dict[str, Any]) -> str:
    inside = "by its data sheet"
    if pool["dies"] is not None:
        inside = f"{pool['dies']} dies of flash, over-provisioned by {pool['over_provisioning']:.3g}"
    cap = "" if pool["power_cap_w"] is None else f", capped at {pool['power_cap_w']:g} W"
    return (
        f"    SSD, {inside}: "
        f"{pool['read_iops']:,.0f} random reads and {pool['write_iops']:,.0f} writes a second, "
        f"{pool['read_bytes_per_s'] / 1e6:,.4g} and {pool['write_bytes_per_s'] / 1e6:,.4g} MB/s a drive{cap}"
    )


def _commands(pool: dict[str, Any]) -> str:
    """What a drive does with the commands that it holds, where it holds several."""
    depth = pool["queue_depth"]
    return "" if depth == 1 else f", {depth} commands in the drive by {pool['drive_scheduler']}"


def _idle(watts: float | None) -> str:
    return "idle watts not known" if watts is None else f"{watts:.4g} W idle"
