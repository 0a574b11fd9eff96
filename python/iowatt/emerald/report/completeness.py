"""Checks a test data report for completeness: each required item, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from iowatt.emerald.analyze.result import Part
from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.report.product import COMS
from iowatt.emerald.report.recorded import CONDITIONS
from iowatt.emerald.report.result import Item
from iowatt.emerald.report.tables import table
from iowatt.render.document import Section
from iowatt.render.figure import Column, Figure

#: Quantities required of the power meters in every phase; temperature is required of a thermometer.
_OF_POWER: Final = ("watts", "volts", "hertz", "power_factor", "thd_percent")


def items(inputs: ReportInputs) -> list[Item]:
    """All required items, in the order of the pages."""
    return [
        *_product(inputs),
        *_metrics(inputs),
        *_coms(inputs),
        *_system(inputs),
        *_instruments(inputs),
        *_data(inputs),
    ]


def section(found: Sequence[Item]) -> Section:
    """The list as a page: what is missing first."""
    missing = [one for one in found if one.lacking]
    made = [replace(_table("What is missing", missing), brief=True)] if missing else []
    made.append(_table("What is there", [one for one in found if not one.lacking]))
    return Section("completeness", "Completeness", made, [summary(found)])


def summary(found: Sequence[Item]) -> str:
    """Complete or not, in a sentence."""
    missing = sum(one.lacking for one in found)
    required = sum(one.state != "not applicable" for one in found)
    if not missing:
        return f"Complete: all {required} items are there."
    return f"Incomplete: {missing} of {required} items are missing or refused."


def _table(title: str, found: Sequence[Item]) -> Figure:
    rows = [[one.what, one.state, one.how or None, one.page] for one in found]
    columns = [
        Column("Item", text=True), Column("State", text=True, rank=1), Column("How", text=True),
        Column("Page", text=True, rank=2),
    ]  # fmt: skip
    return table(title, columns, rows)


def _no(page: str, what: str, how: str) -> Item:
    return Item(page=page, what=what, state="missing", how=how)


def _item(page: str, what: str, value: Any, how: str = "") -> Item:
    if value is None or value in ("", []):
        return _no(page, what, how)
    return Item(page=page, what=what, state="there")


def _about(page: str, what: str, value: Any, key: str) -> Item:
    return _item(page, what, value, f"--about: {key}")


def _product(inputs: ReportInputs) -> Iterator[Item]:
    page, about, found = "Product", inputs.about, inputs.analysis
    yield _item(page, "product vendor", found.product.get("vendor"), "plan with --product")
    yield _item(page, "product", found.product.get("name"), "plan with --product")
    yield _item(page, "taxonomy class", found.class_, "plan with --product or --class")
    yield _about(page, "submitter", about.submitter.name, "submitter.name")
    yield _about(page, "company of the submitter", about.submitter.company, "submitter.company")
    yield _about(page, "firmware", about.system.firmware, "system.firmware")
    yield _item("Taxonomy", "taxonomy attributes, checked", inputs.classification, "--product")


def _metrics(inputs: ReportInputs) -> Iterator[Item]:
    page, rest = "Metrics", inputs.analysis.ready_idle
    yield _metric(rest) if rest else _no(page, "ready idle", "the plan has none")
    phases = {phase.phase: phase for phase in inputs.analysis.phases}
    rule = None if inputs.rules is None else inputs.rules.find("phases.order", inputs.analysis.category)
    required = [str(one) for one in rule.value] if rule is not None and isinstance(rule.value, list) else []
    for name in dict.fromkeys([*required, *phases]):
        if name not in phases:
            yield _no(page, f"EP of {name}", "the rules require this phase")
            continue
        phase = phases[name]
        yield _metric(phase)
        yield _item(page, f"average latency of {name}", phase.response_mean_ms, "in the driver's output")
        yield _item(page, f"run length of {name}", phase.seconds, "in the driver's output")


def _metric(part: Part) -> Item:
    if part.ep_shown is not None:
        return Item(page="Metrics", what=part.metric, state="there")
    why = [one.text for one in part.findings if one.weight == "invalid"]
    if part.ep is None and not why:
        return _no("Metrics", part.metric, "there are no figures")
    return Item(page="Metrics", what=part.metric, state="refused", how=why[0] if why else "no measurement")


def _coms(inputs: ReportInputs) -> Iterator[Item]:
    page = "Metrics"
    for name, title in COMS.items():
        state, verdict = inputs.about.com.get(name), inputs.com_verdict(name)
        available = None if state is None else state.available
        during = None if state is None else state.during_test
        yield _about(page, f"{title}: on during the test?", during, f"com.{name}.during_test")
        known = verdict if available is None else available
        yield _item(page, f"{title}: available?", known, f"--about: com.{name}.available, or --com")
        if available:
            yield _item(page, f"{title}: COM test", verdict, "`iowatt emerald com`, then --com")


def _system(inputs: ReportInputs) -> Iterator[Item]:
    page, about = "System under test", inputs.about
    yield _about(page, "topology", about.system.topology, "system.topology")
    yield _about(page, "storage devices", about.device, "[[device]]")
    yield _about(page, "power supplies", about.power_supply.count, "power_supply.count")
    yield _about(page, "protection of data", about.system.protection, "system.protection")
    if inputs.modelled:
        for name in ("hosts", "LUN map"):
            yield Item(page=page, what=name, state="not applicable", how="simulated")
    else:
        yield _about(page, "hosts", about.host or (inputs.manifest or {}).get("host"), "[[host]]")
        yield _about(page, "LUN map", about.lun, "[[lun]]")
    how = "report from the folder of the measurement"
    yield _item(page, "tested address range", inputs.plan, how)
    yield _item(page, "settings before", inputs.settings_before, how)
    yield _item(page, "settings after", inputs.settings_after, how)


def _instruments(inputs: ReportInputs) -> Iterator[Item]:
    page = "Instruments"
    if inputs.modelled:
        yield Item(page=page, what="instruments", state="not applicable", how="power is modelled")
        return
    meters = {(one.name, one.role): one for part in inputs.parts for one in part.instruments}
    for role in ("power", "temperature"):
        own = [one for one in meters.values() if one.role == role]
        if not own:
            yield _no(page, f"an instrument of {role}", "plan with --meter and --thermometer")
        for one in own:
            yield _item(page, f"{one.name}: model", one.model, "model= in its address")
            yield _item(page, f"{one.name}: serial number", one.serial, "serial= in its address")
            yield _item(page, f"{one.name}: calibration date", one.calibrated, "calibrated= in its address")
    for part in inputs.parts:
        yield _conditions(page, part)


def _conditions(page: str, part: Part) -> Item:
    """Which quantities were recorded in a phase."""
    power = {name for one in part.instruments if one.role == "power" for name in one.readings}
    temperature = {name for one in part.instruments if one.role == "temperature" for name in one.readings}
    absent = [CONDITIONS[name][0] for name in _OF_POWER if name not in power]
    if "celsius" not in temperature | power:
        absent.append(CONDITIONS["celsius"][0])
    recorded = None if absent else True
    what = f"{part.phase}: minimum, mean and maximum of all conditions"
    return _item(page, what, recorded, f"not recorded: {', '.join(absent)}")


def _data(inputs: ReportInputs) -> Iterator[Item]:
    for part in inputs.parts:
        incomplete = sum(one.power_w is None for one in part.minutes)
        how = f"{incomplete} minutes are incomplete" if part.minutes else "there are no figures"
        complete = True if part.minutes and not incomplete else None
        yield _item("Minutes", f"{part.phase}: power of every minute", complete, how)
    # The digest of the analysis itself is always there; its inputs matter.
    provenance = [run.get("provenance") or {} for run in inputs.runs.values()]
    origin = inputs.plan is not None or any(one.get("inputs") for one in provenance)
    how = "report from the folder of the measurement"
    yield _item("Files", "digests of the input files", origin or None, how)
