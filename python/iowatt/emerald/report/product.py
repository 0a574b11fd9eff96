"""The first two pages: product and vendor; metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from iowatt.emerald.analyze import Analysis, published
from iowatt.emerald.analyze.result import Part
from iowatt.emerald.com_names import Com
from iowatt.emerald.phases import PHASES
from iowatt.emerald.report.inputs import ComVerdict, ReportInputs
from iowatt.emerald.report.result import OURS, driver
from iowatt.emerald.report.tables import NOT_STATED, gigabytes, joined, minutes, moment, pairs, table, text
from iowatt.render.document import Section
from iowatt.render.figure import Exact, Figure, text_columns

#: Capacity optimisation methods, as a report names them.
COMS: Final[dict[Com, str]] = {
    "data-deduplication": "Data de-duplication",
    "compression": "Compression",
    "thin-provisioning": "Thin provisioning",
    "parity-raid": "Parity RAID",
    "read-only-delta-snapshots": "Read-only delta snapshots",
    "writeable-delta-snapshots": "Writeable delta snapshots",
}


def product(inputs: ReportInputs) -> Section:
    """Page 1."""
    found, submitter, system = inputs.analysis, inputs.about.submitter, inputs.about.system
    dry_run = "" if found.time_scale == 1 else " (all times were shortened: a dry run)"
    return Section(
        "product",
        "Product and vendor",
        [
            pairs(
                "Product",
                [
                    ("Product vendor", found.product.get("vendor")),
                    ("Product", found.product.get("name")),
                    ("Brand", system.brand),
                    ("Model number", system.model_number),
                    ("Configuration", system.configuration_id),
                    ("Firmware or operating environment", joined(system.software, system.firmware)),
                    ("Taxonomy category and class", found.system_class),
                    ("Connectivity", system.connectivity),
                    ("Raw capacity", _raw_capacity(inputs)),
                ],
            ),
            pairs(
                "Report",
                [
                    ("Submitter", submitter.name),
                    ("Company of the submitter", submitter.company),
                    ("Tested by", submitter.tested_by),
                    ("Place", submitter.place),
                    ("Date of the report", submitter.date or _day(inputs)),
                    ("Measurement", found.name),
                    ("First measured minute", moment(_first(inputs))),
                ],
            ),
            pairs(
                "How it was measured",
                [
                    (
                        "Kind of all figures",
                        "modelled by a simulation, not measured" if inputs.modelled else "measured",
                    ),
                    ("Requests made by", driver(found)),
                    ("Rules", f"{found.rules.profile} ({found.rules.title})"),
                    ("SHA-256 of the rules", found.rules.sha256),
                    ("Time scale", f"{found.time_scale:g}{dry_run}"),
                    ("Judgement", f"{found.status}, {found.judged}"),
                ],
            ),
        ],
        [OURS],
    )


def metrics(inputs: ReportInputs) -> Section:
    """Page 2."""
    made = [*_idle(inputs.analysis), _active(inputs.analysis), _coms(inputs), _disclosures(inputs)]
    return Section("metrics", "Metrics", made, [f"Note: {note}" for note in inputs.about.notes])


def _idle(found: Analysis) -> Iterator[Figure]:
    rest = found.ready_idle
    if rest is None:
        return
    columns = [
        *text_columns("Metric", "Value", "Unit"), Exact("In full", rest.unit, digits=10),
        Exact("Average power", "W"), Exact("Raw capacity", "GB"), Exact("Run length", "min"),
        *text_columns("Kind", "Status"),
    ]  # fmt: skip
    row = [
        rest.metric, published(rest), rest.unit, rest.ep, rest.power_w, rest.raw_capacity_gb,
        minutes(rest.seconds), rest.kind or "no figures", _status(rest, found),
    ]  # fmt: skip
    caption = "Raw capacity in decimal GB over the average power of ready idle."
    yield table("Idle power test", columns, [row], caption)


def _active(found: Analysis) -> Figure:
    columns = [
        *text_columns("Metric", "Test", "Value", "Unit"), Exact("In full", digits=10),
        Exact("Operations per second"), Exact("Average power", "W"), Exact("Run length", "min"),
        Exact("Average latency", "ms"), *text_columns("Kind", "Status"),
    ]  # fmt: skip
    rows = [
        [
            one.metric, _title(one.phase), published(one), one.unit, one.ep,
            one.operations_rate, one.power_w, minutes(one.seconds), one.response_mean_ms,
            one.kind or "no figures", _status(one, found),
        ]
        for one in found.phases
    ]  # fmt: skip
    caption = (
        "Operations rate over average input power of the same interval; operations are requests, or MiB "
        "(2^20 "
        "bytes) in the sequential tests. Values are published with three significant digits."
    )
    return table("Active power tests", columns, rows, caption)


def _title(phase: str) -> str:
    return PHASES[phase].title if phase in PHASES else phase


def _coms(inputs: ReportInputs) -> Figure:
    rows = []
    for name, title in COMS.items():
        state, test = inputs.about.com.get(name), inputs.com_test(name)
        available = None if state is None else state.available
        verdict = inputs.com_verdict(name)
        found = {"yes": "yes (by test)", "no": "not found by test", None: NOT_STATED}[verdict]
        remark = state.note if state is not None else None
        if test is not None and None not in (available, verdict) and available != (verdict == "yes"):
            remark = joined(remark, f"The statement and the test disagree: {test.why}.")
        rows.append(
            [
                title,
                text(None if state is None else state.during_test),
                found if available is None else text(available),
                "not tested" if test is None else _tested(test, inputs),
                remark or None,
            ]
        )
    columns = text_columns("Method", "On during test?", "Available in SUT?", "COM test", "Remark")
    return table("Capacity optimisation", columns, rows, wide=False)


def _tested(test: ComVerdict, inputs: ReportInputs) -> str:
    kind = "modelled" if inputs.com is not None and inputs.com.source == "simulation" else "measured"
    return f"{test.verdict} ({kind}{'; unverified limit' if test.unverified else ''})"


def _disclosures(inputs: ReportInputs) -> Figure:
    found, system = inputs.analysis, inputs.about.system
    power = _average(system.power_reporting, system.power_average_s)
    temperature = _average(system.temperature_reporting, system.temperature_average_s)
    rows = [
        ("Load generator", f"{driver(found)}: {_versions(inputs)}"),
        ("Protection of data", text(system.protection)),
        ("Automatic tiering during the test", text(system.tiering_in_test)),
        ("Cooling as shipped", text(system.cooling)),
        ("Intelligent power distribution unit in the test", text(system.ipdu_in_test)),
        ("Input power reported by the product", power),
        ("Inlet temperature reported by the product", temperature),
        *((one.topic, one.text) for one in inputs.about.disclosure),
    ]
    caption = "The specification's own list was not available: these are known from its form, or were given."
    columns = text_columns("Topic", "Disclosure")
    return table("Other mandatory disclosures", columns, rows, caption, wide=False)


def _average(reported: bool | None, seconds: float | None) -> str:
    if not reported or seconds is None:
        return text(reported)
    return f"yes, as a rolling average over {seconds:g} s"


def _versions(inputs: ReportInputs) -> str:
    """What made the requests of the stages, with versions."""
    versions: set[str] = set()
    for run in inputs.runs.values():
        if inputs.modelled:
            version: Any = (run.get("provenance") or {}).get("version")
            versions |= set() if version is None else {f"iowatt {version}"}
        elif isinstance(tool := run.get("driver"), dict) and {"tool", "version"} <= tool.keys():
            name, version = str(tool["tool"]), str(tool["version"])
            versions.add(version if name in version else f"{name} {version}")
    return ", ".join(sorted(versions)) or "version not stated"


def _status(part: Part, found: Analysis) -> str:
    if part.status != "valid":
        return "INVALID"
    return "valid" if part.compliant and found.compliant else "valid, NON-COMPLIANT"


def _raw_capacity(inputs: ReportInputs) -> str:
    if inputs.plan is not None and inputs.plan.raw_capacity_bytes is not None:
        return gigabytes(inputs.plan.raw_capacity_bytes)
    capacity = inputs.analysis.ready_idle and inputs.analysis.ready_idle.raw_capacity_gb
    return NOT_STATED if capacity is None else f"{capacity:,.10g} GB"


def _first(inputs: ReportInputs) -> float | None:
    return min((part.start for part in inputs.parts if part.start is not None), default=None)


def _day(inputs: ReportInputs) -> str | None:
    seconds = _first(inputs)
    begun = (inputs.manifest or {}).get("begun")
    if seconds is None and isinstance(begun, int | float):
        seconds = begun
    return None if seconds is None else moment(seconds)[:10]
