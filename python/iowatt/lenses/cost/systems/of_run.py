"""The priced system of a Run: its drives and their work, its power over time, its capacity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from iowatt.base.errors import InputError
from iowatt.base.results import Note
from iowatt.lenses.cost.systems.inventory import Inventory, added_drives, changed_drives, inventory_notes
from iowatt.lenses.cost.systems.low_power_state import LowPowerState, spent_low, states_of_plan
from iowatt.lenses.cost.systems.system import Counts, PartKind, PricedDrive, PricedSystem, PricedWork
from iowatt.lenses.durability import DurableSystem
from iowatt.lenses.evidence import run_doubt
from iowatt.lenses.findings import findings
from iowatt.lenses.kept_up import kept_up
from iowatt.lenses.recovery import failures
from iowatt.lenses.warm_start import warm_starts
from iowatt.render.phrases import listed
from iowatt.run.record import MODELLED
from iowatt.tariffs.load import ElectricLoad

if TYPE_CHECKING:
    from iowatt.run.bundle import Run

GB: Final = 1e9
MIB: Final = 2**20

#: Warnings of a Run that a comparison of its dollars must repeat: what it did is not what it sustains.
_CAUTIONS: Final = ("busy-drives", "few-bursts")


def observe(run: Run, inventory: Inventory | None = None) -> PricedSystem:
    """The system of a Run and its inventory; a measured Run without an inventory has no drives.

    Raises ``InputError`` where its power is not known throughout, or it lasts 0 s.
    """
    summary = run.summary
    where = str(run.path or run.name)
    duration = float(summary["window"]["duration_s"])
    if duration <= 0:
        raise InputError("empty", where, "the Run lasts 0 s and cannot be repeated")
    throughput = summary["throughput"]
    drives = tuple(_drives(run))
    parts = dict(_parts(run.plan))
    notes = tuple(_notes(run))
    capacity = summary["capacity_gb"]
    raw, usable, effective = capacity["raw"], capacity["usable"], capacity["effective"]
    if inventory is not None:
        known, added = changed_drives(inventory, drives, run), added_drives(inventory, run)
        drives = (*known, *added)
        parts |= inventory.parts
        notes += inventory_notes(inventory, added=len(added), known=len(known))
        raw, usable, effective = inventory.capacity_gb(run, drives)
    load = kept_up(run)
    return PricedSystem(
        name=run.path.name if run.path is not None else run.name,
        where=where,
        drives=drives,
        parts=parts,
        part_prices=dict(_part_prices(run.plan)),
        part_kinds=dict(_part_kinds(run.plan)),
        raw_gb=raw,
        usable_gb=usable,
        effective_gb=effective,
        work=PricedWork(
            duration_s=duration,
            load=power_over_time(run, where),
            requests=float(throughput["completions"]),
            bytes_moved=throughput["mib_per_s"] * duration * MIB,
            response_ms=summary["response_time_ms"]["all"]["mean"],
            response_p95_ms=summary["response_time_ms"]["all"]["p95"],
            tail_doubt=run_doubt(run, "tail"),
        ),
        power_basis=summary["power_basis"],
        modelled=summary["source"] in MODELLED,
        notes=notes,
        cautions=(
            *_failed(run),
            *_warm(run),
            *(note for note in findings(run, load) if note.code in _CAUTIONS),
        ),
        kept_up=load,
        durable=DurableSystem.of_run(run) if run.plan.get("simulation", {}).get("pools") else None,
    )


def _failed(run: Run) -> Iterator[Note]:
    """A Run is repeated over the horizon, and with it what failed in it."""
    found = failures(run)
    if found:
        text = (
            f"{listed([one.what for one in found])} failed in the Run: watts, wear and response times are "
            "repeated as if failure and recovery never ended; price a Run without a failure instead"
        )
        yield Note(code="failure-repeated", text=text, decides=True)


def _warm(run: Run) -> Iterator[Note]:
    for text in warm_starts(run):
        yield Note(code="warm-start", text=text, decides=True)


def power_over_time(run: Run, where: str) -> ElectricLoad:
    """The power of a Run by intervals; the joules are those of its ledger.

    Raises ``InputError`` where a part of them is not known.
    """
    total, unknown = run.summary["energy"]["total_j"], run.summary["energy"].get("unknown")
    if total is None:
        raise InputError(
            "missing-figure",
            where,
            f"the power of the Run is not known, so it cannot be billed: {unknown}"
            if unknown
            else "the power of a part of the Run is not known, so it cannot be billed",
            hint="give the watts in the scenario, device = { power = ... }, or in a device file"
            if unknown
            else "see its notes; a meter must cover all of a measurement",
        )
    power = "wall_w" if run.summary["power_basis"] == "wall" else "power_w"
    table = run.table("intervals").select("start_s", "end_s", power)
    widths = (table["end_s"] - table["start_s"]).to_numpy()
    drawn = ElectricLoad.of_powers(widths, table[power].cast(pl.Float64).to_numpy())
    # The sum equals the ledger's but for rounding; the last instant takes the ledger's.
    drawn.joules[-1] = total
    drawn.at_s[-1] = run.summary["window"]["duration_s"]
    if not np.all(np.diff(drawn.at_s) > 0):
        raise InputError("out-of-order", where, "the intervals of the Run overlap or go backwards")
    return drawn


def system_of_plan(
    plan: Mapping[str, Any], where: str, *, watts: float = 0.0, iops: float = 0.0
) -> PricedSystem:
    """The system of a plan that was not run: an hour at ``watts`` and ``iops``, without wear.

    Capacity and response times are not known. ``where`` is its place in messages.
    """
    hour_s = 3600.0
    load = ElectricLoad.of_powers(np.array([hour_s]), np.array([watts]))
    unworn = Counts(0.0, 0.0, 0.0, 0.0, None, None, 0.0, 0.0)
    named = _priced(plan)
    return PricedSystem(
        name=str(plan["name"]), where=where,
        drives=tuple(_drive(device, unworn, states_of_plan(plan, device["pool"])) for device in named),
        parts=dict(_parts(plan)), part_prices=dict(_part_prices(plan)), part_kinds=dict(_part_kinds(plan)),
        raw_gb=None, usable_gb=None, effective_gb=None,
        work=PricedWork(hour_s, load, hour_s * iops, 0.0, None), power_basis="device", modelled=True,
        durable=DurableSystem.of_plan(plan, where),
    )  # fmt: skip


def _drives(run: Run) -> Iterator[PricedDrive]:
    named = _priced(run.plan)
    rows = {row["name"]: row for row in run.table("devices").iter_rows(named=True)} if named else {}
    for one in named:
        states = states_of_plan(run.plan, one["pool"])
        counts = _counts(rows[one["name"]], states)
        yield _drive(one, counts.scaled(1 / one["drives"]) if "drives" in one else counts, states)


def _priced(plan: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The devices that the book has prices for: disks and SSDs, not the parts of libraries."""
    named = plan.get("names", {}).get("devices", [])
    return [device for device in named if device["kind"] in ("hdd", "ssd")]


def _drive(one: Mapping[str, Any], counts: Counts, states: Sequence[LowPowerState]) -> PricedDrive:
    share = one.get("used_share")
    price = one.get("price")
    return PricedDrive(
        name=one["name"], model=one["model"], pool=one["pool"], kind=one["kind"],
        capacity_gb=one.get("sold_bytes", one["raw_bytes"]) / GB,
        used_gb=None if share is None else share * one["raw_bytes"] / GB,
        price_class=one.get("price_class", "unknown"),
        price=None if price is None else (price["usd"], price["date"], price["source"]),
        ratings=one["ratings"], counts=counts, based_on=one.get("based_on"), low_power_states=tuple(states),
        count=one.get("drives", 1),
    )  # fmt: skip


def _counts(row: Mapping[str, Any], states: Sequence[LowPowerState]) -> Counts:
    written = row["flash_host_bytes_written"]
    low_s, saved_j = spent_low(row, states)
    # Wear and amplification by a data sheet are estimates, not counts.
    simulated = bool(row["flash_modelled"])
    return Counts(
        bytes_read=float(row["bytes_read"]),
        bytes_written=float(row["bytes_written"] if written is None else written),
        start_stops=float(row["spin_downs"]),
        load_unloads=float(row["level_changes"]),
        pe_fraction=row["flash_pe_cycles_fraction"] if simulated else None,
        write_amplification=row["flash_write_amplification"] if simulated else None,
        low_s=low_s,
        saved_j=saved_j,
    )


def _parts(plan: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """Name and number of the parts in the array's power, by enclosure; of clusters nodes and switches."""
    clusters = plan.get("names", {}).get("clusters", ())
    for cluster in clusters:
        yield from ((f"{cluster['name']}.{kind['name']}", kind["count"]) for kind in cluster["classes"])
        if switches := cluster["switches"]:
            yield f"{cluster['name']}.switches", switches["count"]
    for enclosure in [] if clusters else plan.get("power", {}).get("enclosures", []):
        many = int(sum(count for count, _ in enclosure["filling"]))  # pairs: enclosures, drives in each
        yield enclosure["name"], many
        for part in enclosure["parts"]:
            yield f"{enclosure['name']}.{part['name']}", many * part["count"]
        if supplies := enclosure["supplies"]:
            yield f"{enclosure['name']}.supply", many * supplies["count"]


def _part_kinds(plan: Mapping[str, Any]) -> Iterator[tuple[str, PartKind]]:
    """Servers and switches of clusters among the parts."""
    for cluster in plan.get("names", {}).get("clusters", ()):
        yield from ((f"{cluster['name']}.{kind['name']}", "server") for kind in cluster["classes"])
        if cluster["switches"]:
            yield f"{cluster['name']}.switches", "switch"


def _part_prices(plan: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """USD of a node or switch of a cluster, where the scenario gives it."""
    for cluster in plan.get("names", {}).get("clusters", ()):
        for kind in cluster["classes"]:
            if kind["price_usd"] is not None:
                yield f"{cluster['name']}.{kind['name']}", kind["price_usd"]
        if cluster["switches"] and cluster["switches"]["price_usd"] is not None:
            yield f"{cluster['name']}.switches", cluster["switches"]["price_usd"]


def _notes(run: Run) -> Iterator[Note]:
    for library in run.plan.get("names", {}).get("libraries", ()):
        text = (
            f"library {library['name']}: its electricity is billed; prices of its frame, robots, drives and "
            "cartridges are not known"
        )
        yield Note(code="library-not-priced", text=text)
    if run.summary["power_basis"] == "device":
        text = (
            "energy and power are those of the drives alone; controllers, shelves and supplies are not "
            "bought either"
        )
        yield Note(code="drives-only", text=text)
    if run.summary["requests"]["errors"]:
        yield Note(code="failed-requests", text=f"{run.summary['requests']['errors']} requests failed")
    pue = run.plan.get("power", {}).get("pue")
    if pue is not None:
        text = f"the PUE {pue:g} of its scenario is not used: cooling.pue={pue:g} uses it"
        yield Note(code="pue-not-used", text=text)
