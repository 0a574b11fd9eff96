"""Taxonomy with its attributes; the system as tested: topology, hosts, logical units, devices, settings."""

from __future__ import annotations

from typing import Any, Final

from iowatt.emerald.classify import ATTRIBUTES, Classification
from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.report.tables import NOT_STATED, gigabytes, joined, pairs, table
from iowatt.render import numbers
from iowatt.render.document import Section
from iowatt.render.figure import Column, Exact, Figure, text_columns

#: Settings that describe the laboratory rather than the measurement.
_PRIVATE: Final = ("boot", "kernel command line")
_ATTRIBUTES: Final = {
    "access": "access",
    "time_to_first_data": "time to first data (s)",
    "user_data": "user-accessible data",
    "paradigms": "access paradigm",
    **ATTRIBUTES,
    "tested_configuration": "tested configuration",
}


def taxonomy(inputs: ReportInputs) -> Section:
    """Category, class and the attributes that decide them."""
    found, classified = inputs.analysis, inputs.classification
    described = found.product if classified is None else classified.product.model_dump()
    made = [
        pairs("Category and class of the measurement", [("Class", found.system_class)]),
        pairs(
            "Attributes of the product",
            [(title, described.get(name)) for name, title in _ATTRIBUTES.items()],
            "As its maker describes it. The maximum configuration decides the class, not the tested one.",
        ),
    ]
    if classified is None:
        sentences = ["Without the product's file (--product) the class is that of the plan."]
    else:
        made.append(_classes(classified))
        sentences = [f"Boundary: {one.text}" for one in classified.boundary]
        if classified.stops:
            reasons = "; ".join(one.text for one in classified.stops)
            sentences.insert(0, f"Not of class {classified.next_class}: {reasons}.")
    return Section("taxonomy", "Taxonomy", made, sentences)


def _classes(classified: Classification) -> Figure:
    classes = list(classified.unmet)
    rows = [[ATTRIBUTES[name], *(str(one) for one in needs)] for name, needs in classified.table.items()]
    rows.append(["all met", *("no" if classified.unmet[one] else "yes" for one in classes)])
    columns = text_columns("Attribute", *(f"Class {one}" for one in classes))
    return table(f"Requirements of the classes of {classified.category}", columns, rows)


def system(inputs: ReportInputs) -> Section:
    """The system under test."""
    about, tested, hosts = inputs.about, inputs.about.system, _hosts(inputs)
    capacity = inputs.plan.raw_capacity_bytes if inputs.plan else None
    devices = [
        [one.type, one.model, one.form_factor, one.rpm, one.capacity and one.capacity / 1e9, one.count]
        for one in about.device
    ]
    luns = [
        [one.name, gigabytes(one.capacity), one.host, one.path, one.port, one.protection] for one in about.lun
    ]
    made = [
        pairs(
            "System under test",
            [
                ("Topology", tested.topology),
                ("Controllers", tested.controllers),
                ("Controllers that it can lose", tested.redundant_controllers),
                ("Controller", joined(tested.controller_maker, tested.controller_model)),
                ("Cache", None if tested.cache is None else numbers.binary(tested.cache)),
                ("Protection", tested.protection),
                ("Raw capacity", gigabytes(capacity)),
                ("Power supplies", _supplies(inputs)),
                ("80 PLUS level", about.power_supply.level),
            ],
        ),
        table(
            "Storage devices",
            [*text_columns("Type", "Model", "Form factor"), Column("Speed", "rpm"),
             Exact("Raw capacity", "GB"), Column("Count")],
            devices,
        ),
        table("Hosts", text_columns("Host", "Model", "System", "Adapters", "Remark"), hosts),
        table(
            "LUN map", text_columns("LUN", "Capacity", "Host", "Path", "Port", "Protection"), luns,
            wide=False,
        ),
        pairs("Tested address range", _range(inputs)),
        _settings(inputs),
    ]  # fmt: skip
    stated = {"storage devices": devices, "hosts": hosts, "a LUN map": luns}
    missing = ", ".join(name for name, rows in stated.items() if not rows)
    sentences = [f"Not stated: {missing}."] if missing else []
    return Section("system", "System under test", [one for one in made if one.table.rows], sentences)


def _hosts(inputs: ReportInputs) -> list[list[str | None]]:
    hosts: list[list[str | None]] = [
        [one.name, one.model, one.system, one.adapter, one.notes] for one in inputs.about.host
    ]
    host = (inputs.manifest or {}).get("host")
    if isinstance(host, dict) and host.get("name") not in {one.name for one in inputs.about.host}:
        role = "the simulation ran here" if inputs.modelled else "conducted the measurement"
        hosts.append([str(host.get("name")), None, f"{host.get('system')} {host.get('machine')}", None, role])
    return hosts


def _range(inputs: ReportInputs) -> list[tuple[str, Any]]:
    if inputs.plan is None:
        return [("Tested range", None)]
    target = inputs.plan.target
    whole = "all of it" if target.size_bytes is None else f"{target.size_bytes:,} bytes from address 0"
    return [
        ("Target", target.path) if target.path else ("Scenario", target.scenario),
        ("Tested range", whole),
        ("Logical block", f"{target.block_size} bytes"),
        ("Seed of the random numbers", inputs.plan.seed),
    ]


def _supplies(inputs: ReportInputs) -> str | None:
    supply = inputs.about.power_supply
    if supply.count is None:
        return None
    rated = "" if supply.rated_w is None else f" of {supply.rated_w:g} W"
    spare = "" if supply.redundant is None else f", {supply.redundant} redundant"
    return joined(f"{supply.count}{rated}{spare}", supply.maker, supply.model, supply.type)


def _settings(inputs: ReportInputs) -> Figure:
    before, after = inputs.settings_before or {}, inputs.settings_after or {}

    def shown_after(name: str) -> str:
        if name not in after:
            return "not present any more" if after else "not recorded"
        return "same" if before.get(name) == after[name] else str(after[name])

    rows = [
        [name, str(before.get(name, NOT_STATED)), shown_after(name)]
        for name in {**before, **after}
        if name not in _PRIVATE
    ]
    return table(
        "Settings before and after the measurement",
        text_columns("Setting", "Before", "After"),
        rows,
        "As iowatt read them from the load host and the target.",
    )
