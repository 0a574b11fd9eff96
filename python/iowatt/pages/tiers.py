"""What ``iowatt tier`` shows: the chosen tiers, what else was tried, and prediction beside simulation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from iowatt.evaluate.tiers import DerivedTiers
from iowatt.render import numbers
from iowatt.render.document import Caveat, Document, Section
from iowatt.render.figure import Cell, Column, Figure, Table
from iowatt.render.headline import Headline

_OBJECTIVES = {"watts": "lowest power", "dollars": "lowest cost", "drives": "fewest drives"}


def document(found: DerivedTiers) -> Document:
    """The document of a derivation."""
    limits, told = found.limits, found.chosen.predicted
    parts = [_OBJECTIVES[found.objective], f"utilisation at most {numbers.percent(limits.utilisation)}"]
    if limits.response_time_ms is not None:
        parts.append(f"mean response time within {limits.response_time_ms:g} ms")
    years = f"over {found.dollars.years:g} years"
    return Document(
        key="tiers",
        kind="tiers",
        title=found.scenario,
        meta=" · ".join(parts),
        verdict=list(_verdict(found)),
        headlines=[
            Headline("drives", "Drives", told.drives, ""),
            Headline("power", "Power of the drives", told.power_w, "W", "predicted"),
            Headline("response", "Mean response time", told.response_time_ms, "ms", "predicted"),
            Headline("cost", f"Cost {years}", told.total_usd, "$"),
        ],
        sections=[
            Section("chosen", "Chosen tiers", [_chosen(found), *_compared(found)]),
            Section(
                "alternatives", "What was tried", [_alternatives(found), _candidates(found)], [_load(found)]
            ),
        ],
        caveats=[Caveat(note.text, note.decides) for note in found.notes],
    )


def _verdict(found: DerivedTiers) -> Iterator[str]:
    """Systems that did not keep up, then the tiers, then the single pool."""
    if found.kept_up.simulated is not None and not found.kept_up.simulated.kept_up:
        yield (
            f"The chosen tiers could not keep up with the load: {found.kept_up.simulated.why}; they are no "
            "candidate."
        )
    if not found.kept_up.one_pool.kept_up:
        yield (
            f"The one pool could not keep up with the load: {found.kept_up.one_pool.why}; its figures are no "
            "baseline."
        )
    told = found.chosen.predicted
    tiers = " and ".join(f"{one.drives} x {one.name}" for one in found.chosen.tiers)
    cost = (
        ""
        if told.total_usd is None
        else f", {numbers.significant(told.total_usd)} USD over {found.dollars.years:g} years"
    )
    yield (
        f"{tiers}: {_watts(told.power_w)}{cost}, mean response time {_ms(told.response_time_ms)} (predicted)."
    )
    one = found.one_pool
    yield (
        f"The one pool, {one.drives} x {one.device}: {_watts(one.power_w)}, mean response time "
        f"{_ms(one.response_time_ms)} at {numbers.significant(one.iops)} IOPS (simulated)."
    )


def _load(found: DerivedTiers) -> str:
    load = found.load
    shares = "no reads" if not load.read_share else f"{numbers.percent(load.read_share)} reads"
    return (
        f"Behind the cache: {numbers.significant(load.iops)} requests per second ({shares}) on "
        f"{_gb(load.stored_gb)}, of which {_gb(load.touched_gb)} were touched: "
        f"{numbers.significant(load.iops_per_gb)} IOPS/GB."
    )


def _chosen(found: DerivedTiers) -> Figure:
    columns = [
        Column("Tier", text=True), Column("Drives"), Column("Holds", "GB"), Column("Room", "GB", rank=2),
        Column("Space", "%"), Column("I/O", "%"), Column("Utilised", "%"), Column("Read", "ms", rank=1),
        Column("Power", "W"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.name, one.drives, one.held_gb, one.usable_gb, 100 * one.space_share, 100 * one.io_share,
            100 * one.utilisation, one.read_ms, one.power_w,
        ]
        for one in found.chosen.tiers
    ]  # fmt: skip
    caption = "The fastest tier first, as predicted. Space and I/O are shares of the whole."
    return Figure("chosen", "Chosen tiers", caption, Table(columns, rows), wide=True, brief=True)


def _alternatives(found: DerivedTiers) -> Figure:
    columns = [
        Column("Tiers", text=True), Column("Drives"), Column("Power", "W"), Column("Purchase", "USD", rank=1),
        Column(f"{found.dollars.years:g} years", "USD"), Column("Response", "ms"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.tiers, None if one.counts is None else " + ".join(map(str, one.counts)), one.power_w, one.usd,
            one.total_usd, one.response_time_ms,
        ]
        for one in found.alternatives
    ]  # fmt: skip
    caption = "Predicted, the mean response time too. Without figures: no number of drives is enough."
    return Figure(
        "alternatives", "Every set of candidates", caption, Table(columns, rows), wide=True, brief=True
    )


def _candidates(found: DerivedTiers) -> Figure:
    columns = [
        Column("Candidate", text=True), Column("Device", text=True, rank=4), Column("Capacity", "GB", rank=3),
        Column("RAID", rank=2), Column("Group", rank=5), Column("Service", "ms"), Column("IOPS"),
        Column("Idle", "W"), Column("I/O", "mJ"), Column("W/TB"), Column("W/kIOPS", rank=1), Column("USD"),
    ]  # fmt: skip
    rows: list[list[Cell]] = [
        [
            one.name, one.device, one.capacity_gb, one.raid_level, one.group, one.service_ms, one.iops,
            one.idle_w, one.operation_mj, 1e3 * one.watts_per_gb, 1e3 * one.watts_per_iops, one.usd,
        ]
        for one in found.candidates
    ]  # fmt: skip
    caption = "Each drive alone under such requests; IOPS at saturation."
    return Figure("candidates", "One drive of each", caption, Table(columns, rows), wide=True, brief=True)


def _compared(found: DerivedTiers) -> Iterator[Figure]:
    """Prediction and simulation; nothing where the tiers were not simulated."""
    got, wrong = found.simulated, found.errors
    if got is None or wrong is None:
        return
    one, told = found.one_pool, found.chosen.predicted
    parts: list[tuple[str, Callable[[float | None], str], tuple[float | None, ...]]] = [
        ("IOPS", numbers.significant, (one.iops, told.iops, got.iops, wrong.iops)),
        (
            "Mean response time", _ms,
            (one.response_time_ms, told.response_time_ms, got.response_time_ms, wrong.response_time_ms),
        ),
        ("of reads", _ms, (one.read_ms, told.read_ms, got.read_ms, wrong.read_ms)),
        ("of writes", _ms, (one.write_ms, told.write_ms, got.write_ms, wrong.write_ms)),
        ("Power of the drives", _watts, (one.power_w, told.power_w, got.power_w, wrong.power_w)),
    ]  # fmt: skip
    for tier, own, off in zip(found.chosen.tiers, got.tiers, wrong.tiers, strict=True):
        parts += [
            (
                f"{tier.name}: operations/s", numbers.significant,
                (None, tier.operations_per_s, own.operations_per_s, off.operations_per_s),
            ),
            (f"{tier.name}: busy", numbers.percent, (None, tier.busy, own.busy, off.busy)),
            (f"{tier.name}: power", _watts, (None, tier.power_w, own.power_w, off.power_w)),
        ]  # fmt: skip
    rows: list[list[Cell]] = [
        [title, *(show(value) for value in values), None if error is None else f"{100 * error:+.1f} %"]
        for title, show, (*values, error) in parts
    ]
    columns = [
        Column("Figure", text=True), Column("One pool"), Column("Predicted"), Column("Simulated"),
        Column("Error"),
    ]  # fmt: skip
    yield Figure(
        "compared",
        "Prediction against simulation",
        "The error is that of the prediction.",
        Table(columns, rows),
        wide=True,
        brief=True,
    )


def _ms(value: float | None) -> str:
    return numbers.with_unit(value, "ms")


def _watts(value: float | None) -> str:
    return numbers.with_unit(value, "W")


def _gb(value: float) -> str:
    return numbers.with_unit(1e9 * value, "B")
