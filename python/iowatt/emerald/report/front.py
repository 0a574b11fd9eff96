"""The first two pages: product and vendor; metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from iowatt.emerald.analyze import figures
from iowatt.emerald.analyze.result import Analysis, Part, ReadyIdle
from iowatt.emerald.report import blocks
from iowatt.emerald.report.blocks import Block, Page, pairs, rows
from iowatt.emerald.report.inputs import Found, Given
from iowatt.emerald.report.marks import OURS, driver
from iowatt.render.figure import Exact

#: Capacity optimisation methods by their names in iowatt, as a report calls them.
COMS: Final = {
    "data-deduplication": "Data de-duplication",
    "compression": "Compression",
    "thin-provisioning": "Thin provisioning",
    "parity-raid": "Parity RAID",
    "read-only-delta-snapshots": "Read-only delta snapshots",
    "writeable-delta-snapshots": "Writeable delta snapshots",
}
_TITLES: Final = {
    "HB": "Hot band",
    "MW1": "Mixed, 70 % read, random, full intensity",
    "MW2": "Mixed, 70 % read, random, 25 % intensity",
    "RR": "Random read",
    "RW": "Random write",
    "SR": "Sequential read",
    "SW": "Sequential write",
    "RI": "Ready idle",
}


def product(given: Given) -> Page:
    """Page 1."""
    found, about = given.analysis, given.about
    who = found.product
    submitter, system = about.submitter, about.system
    return Page(
        "product",
        "Product and vendor",
        [
            pairs(
                "Product",
                [
                    ("Product vendor", who.get("vendor")),
                    ("Product", who.get("name")),
                    ("Brand", system.brand),
                    ("Model number", system.model_number),
                    ("Configuration", system.configuration_id),
                    ("Firmware or operating environment", _joined(system.software, system.firmware)),
                    ("Taxonomy category and class", found.system_class),
                    ("Connectivity", system.connectivity),
                    ("Raw capacity", _raw(given)),
                ],
            ),
            pairs(
                "Report",
                [
                    ("Submitter", submitter.name),
                    ("Company of the submitter", submitter.company),
                    ("Tested by", submitter.tested_by),
                    ("Place", submitter.place),
                    ("Date of the report", submitter.date or _day(given)),
                    ("Measurement", found.name),
                    ("First measured minute", blocks.moment(_first(given))),
                ],
            ),
            pairs(
                "How it was measured",
                [
                    ("Kind of all figures", "modelled by a simulation, not measured" if given.modelled
                     else "measured"),
                    ("Requests made by", driver(found)),
                    ("Rules", f"{found.rules.profile} ({found.rules.title})"),
                    ("SHA-256 of the rules", found.rules.sha256),
                    ("Time scale", f"{found.time_scale:g}"
                     + ("" if found.time_scale == 1 else " (all times were shortened: a dry run)")),
                    ("Judgement", f"{found.status}, {found.judged}"),
                ],
            ),
        ],
        [OURS],
    )  # fmt: skip


def metrics(given: Given) -> Page:
    """Page 2."""
    found = given.analysis
    sentences = [f"Note: {note}" for note in given.about.notes]
    return Page(
        "metrics",
        "Metrics",
        [
            *([_idle(found.ready_idle, found)] if found.ready_idle else []),
            _active(found),
            _coms(given),
            _disclosures(given),
        ],
        sentences,
    )


def _idle(rest: ReadyIdle, found: Analysis) -> Block:
    columns = [
        *blocks.text("Metric", "Value", "Unit"), Exact("In full", "GB/W", digits=10),
        Exact("Average power", "W"),
        Exact("Raw capacity", "GB"), Exact("Run length", "min"), *blocks.text("Kind", "Status"),
    ]  # fmt: skip
    row = [
        rest.metric, figures.published(rest), rest.unit, rest.ep, rest.power_w, rest.raw_capacity_gb,
        blocks.minutes(rest.seconds), _kind(rest), _status(rest, found),
    ]  # fmt: skip
    return rows(
        "Idle power test", columns, [row], "Raw capacity in decimal GB over the average power of ready idle."
    )


def _active(found: Analysis) -> Block:
    columns = [
        *blocks.text("Metric", "Test", "Value", "Unit"), Exact("In full", digits=10),
        Exact("Operations per second"),
        Exact("Average power", "W"), Exact("Run length", "min"), Exact("Average latency", "ms"),
        *blocks.text("Kind", "Status"),
    ]  # fmt: skip
    cells = [
        [
            one.metric, _TITLES.get(one.phase, one.phase), figures.published(one), one.unit, one.ep,
            one.operations_rate, one.power_w, blocks.minutes(one.seconds), one.response_mean_ms,
            _kind(one), _status(one, found),
        ]
        for one in found.phases
    ]  # fmt: skip
    return rows(
        "Active power tests",
        columns,
        cells,
        "Operations rate over average input power of the same interval; operations are requests, or "
        "MiB (2^20 "
        "bytes) of the sequential tests. Values are published with three significant digits.",
    )


def _coms(given: Given) -> Block:
    stated = given.about.com
    tested = {one["com"]: one for one in (given.com or {}).get("coms", [])}
    cells = []
    for name, title in COMS.items():
        state, test = stated.get(name), tested.get(name)  # type: ignore[call-overload]
        available = None if state is None else state.available
        cells.append(
            [
                title,
                blocks.said(None if state is None else state.during_test),
                blocks.said(available) if available is not None else _found(test),
                "not tested" if test is None else _tested(test, given),
                " ".join(filter(None, [state and state.note, _contradiction(available, test)])) or None,
            ]
        )
    return rows(
        "Capacity optimisation",
        blocks.text("Method", "On during test?", "Available in SUT?", "COM test", "Remark"),
        cells,
        half=True,
    )


def _found(test: Found | None) -> str:
    """Availability by the test alone; a test that was not made, or has no verdict, leaves it open."""
    if test is None or test["verdict"] not in ("yes", "no"):
        return blocks.NOT_STATED
    return "yes (by test)" if test["verdict"] == "yes" else "not found by test"


def _tested(test: Found, given: Given) -> str:
    kind = "modelled" if (given.com or {}).get("source") == "simulation" else "measured"
    doubt = "; unverified limit" if test.get("unverified") else ""
    return f"{test['verdict']} ({kind}{doubt})"


def _contradiction(available: bool | None, test: Found | None) -> str | None:
    if test is None or available is None or test["verdict"] not in ("yes", "no"):
        return None
    if available != (test["verdict"] == "yes"):
        return f"The statement and the test disagree: {test['why']}."
    return None


def _disclosures(given: Given) -> Block:
    return rows(
        "Other mandatory disclosures",
        blocks.text("Topic", "Disclosure"),
        [[one.topic, one.text] for one in _all_disclosures(given)],
        "The specification's own list could not be read: these are the ones that are known of its "
        "form, and those "
        "that were given.",
        half=True,
    )


def _all_disclosures(given: Given) -> Iterator[Any]:
    from iowatt.emerald.report.about import Disclosure

    found, system = given.analysis, given.about.system
    yield Disclosure(topic="Load generator", text=f"{driver(found)}: {_versions(given)}")
    yield Disclosure(topic="Protection of data", text=blocks.said(system.protection))
    yield Disclosure(topic="Automatic tiering during the test", text=blocks.said(system.tiering_in_test))
    yield Disclosure(topic="Cooling as shipped", text=blocks.said(system.cooling))
    yield Disclosure(
        topic="Intelligent power distribution unit in the test", text=blocks.said(system.ipdu_in_test)
    )
    yield Disclosure(topic="Input power reported by the product", text=_average(
        system.power_reporting, system.power_average_s))  # fmt: skip
    yield Disclosure(topic="Inlet temperature reported by the product", text=_average(
        system.temperature_reporting, system.temperature_average_s))  # fmt: skip
    yield from given.about.disclosure


def _average(reported: bool | None, seconds: float | None) -> str:
    if not reported or seconds is None:
        return blocks.said(reported)
    return f"yes, as a rolling average over {seconds:g} s"


def _versions(given: Given) -> str:
    found = {
        str(driver_["version"])
        if str(driver_["tool"]) in str(driver_["version"])
        else f"{driver_['tool']} {driver_['version']}"
        for run in given.runs.values()
        if isinstance(driver_ := run.get("driver"), dict) and {"tool", "version"} <= driver_.keys()
    }
    if given.modelled:
        made = {str((run.get("provenance") or {}).get("version")) for run in given.runs.values()}
        found = {f"iowatt {version}" for version in made - {"None"}}
    return ", ".join(sorted(found)) or "version not stated"


def _kind(part: Part) -> str:
    return part.kind or "no figures"


def _status(part: Part, found: Analysis) -> str:
    if part.status != "valid":
        return "INVALID"
    return "valid" if part.compliant and found.compliant else "valid, NON-COMPLIANT"


def _joined(*texts: str | None) -> str | None:
    return " ".join(filter(None, texts)) or None


def _raw(given: Given) -> str:
    if given.plan is not None and given.plan.raw_capacity_bytes is not None:
        return blocks.gigabytes(given.plan.raw_capacity_bytes)
    rest = given.analysis.ready_idle
    return (
        blocks.NOT_STATED if not rest or rest.raw_capacity_gb is None else f"{rest.raw_capacity_gb:,.10g} GB"
    )


def _first(given: Given) -> float | None:
    starts = [part.start for part in given.parts if part.start is not None]
    return min(starts, default=None)


def _day(given: Given) -> str | None:
    at = _first(given)
    if at is None and given.manifest is not None and isinstance(given.manifest.get("begun"), int | float):
        at = given.manifest["begun"]
    return None if at is None else blocks.moment(at)[:10]
