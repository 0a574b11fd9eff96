"""Taxonomy with its attributes; the system as tested: topology, hosts, logical units, devices, settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from iowatt.emerald.classify import ATTRIBUTES
from iowatt.emerald.report import blocks
from iowatt.emerald.report.blocks import Block, Page, pairs, rows
from iowatt.emerald.report.inputs import Found, Given
from iowatt.render import numbers
from iowatt.render.figure import Column, Exact

#: Settings that say more of the laboratory than of the measurement.
_PRIVATE: Final = ("boot", "kernel command line")


def taxonomy(given: Given) -> Page:
    """Category, class and what they were found from."""
    found, classified = given.analysis, given.classification
    made: list[Block] = [pairs("Category and class of the measurement", [("Class", found.system_class)])]
    described = classified.product.model_dump() if classified is not None else found.product
    known = [(title, described.get(name)) for name, title in _ATTRIBUTES.items()]
    made.append(
        pairs(
            "Attributes of the product",
            [(title, value) for title, value in known],
            "As its maker describes it. The maximum configuration decides the class, not the tested one.",
        )
    )
    sentences: list[str] = []
    if classified is None:
        sentences.append("Without the product's file (--product) the class is what the plan says.")
    else:
        made.append(_classes(classified))
        if classified.stops:
            sentences.append(
                f"What stops it from class {classified.next_class}: "
                f"{'; '.join(one.text for one in classified.stops)}."
            )
        sentences += [f"Boundary: {one.text}" for one in classified.boundary]
    return Page("taxonomy", "Taxonomy", made, sentences)


_ATTRIBUTES: Final = {
    "access": "access",
    "time_to_first_data": "time to first data (s)",
    "user_data": "user-accessible data",
    "paradigms": "access paradigm",
    **ATTRIBUTES,
    "tested_configuration": "tested configuration",
}


def _classes(classified: Any) -> Block:
    numbers = list(classified.unmet)
    cells = [[ATTRIBUTES[name], *(str(one) for one in needs)] for name, needs in classified.table.items()]
    cells.append(["all met", *("no" if classified.unmet[one] else "yes" for one in numbers)])
    return rows(
        f"What the classes of {classified.category} ask for",
        blocks.text("Attribute", *(f"Class {one}" for one in numbers)),
        cells,
    )


def system(given: Given) -> Page:
    """The system under test."""
    about, tested = given.about, given.about.system
    supply = about.power_supply
    made = [
        pairs(
            "System under test",
            [
                ("Topology", tested.topology),
                ("Controllers", tested.controllers),
                ("Controllers that it can lose", tested.redundant_controllers),
                ("Controller", _words(tested.controller_maker, tested.controller_model)),
                ("Cache", None if tested.cache is None else numbers.binary(tested.cache)),
                ("Protection", tested.protection),
                ("Raw capacity", blocks.gigabytes(given.plan.raw_capacity_bytes if given.plan else None)),
                ("Power supplies", _supplies(given)),
                ("80 PLUS level", supply.level),
            ],
        ),
        rows(
            "Storage devices",
            [*blocks.text("Type", "Model", "Form factor"), Column("Speed", "rpm"),
             Exact("Raw capacity", "GB"), Column("Count")],
            [[one.type, one.model, one.form_factor, one.rpm, one.capacity and one.capacity / 1e9,
              one.count] for one in about.device],
        ),
        rows("Hosts", blocks.text("Host", "Model", "System", "Adapters", "Remark"), _hosts(given)),
        rows(
            "LUN map", blocks.text("LUN", "Capacity", "Host", "Path", "Port", "Protection"), _luns(given),
            half=True,
        ),
        pairs("Tested address range", _range(given)),
        _settings(given),
    ]  # fmt: skip
    return Page("system", "System under test", [one for one in made if one.table.rows], _missing(given))


def _missing(given: Given) -> list[str]:
    about = given.about
    names = {"storage devices": about.device, "hosts": list(_hosts(given)), "a LUN map": about.lun}
    absent = [name for name, there in names.items() if not there]
    return [f"Not stated: {', '.join(absent)}."] if absent else []


def _hosts(given: Given) -> Iterator[list[str | None]]:
    for one in given.about.host:
        yield [one.name, one.model, one.system, one.adapter, one.notes]
    named = {one.name for one in given.about.host}
    host = (given.manifest or {}).get("host")
    if isinstance(host, dict) and host.get("name") not in named:
        ran = "the simulation ran here" if given.modelled else "conducted the measurement"
        yield [str(host.get("name")), None, f"{host.get('system')} {host.get('machine')}", None, ran]


def _luns(given: Given) -> Iterator[list[str | None]]:
    for one in given.about.lun:
        yield [one.name, blocks.gigabytes(one.capacity), one.host, one.path, one.port, one.protection]


def _range(given: Given) -> list[tuple[str, Any]]:
    if given.plan is None:
        return [("Tested range", None)]
    target = given.plan.target
    whole = "all of it" if target.size_bytes is None else f"{target.size_bytes:,} bytes from address 0"
    place = target.path or target.scenario
    rows = [("Target" if target.path else "Scenario", place), ("Tested range", whole)]
    return [
        *rows,
        ("Logical block", f"{target.block_size} bytes"),
        ("Random numbers from seed", given.plan.seed),
    ]


def _supplies(given: Given) -> str | None:
    supply = given.about.power_supply
    if supply.count is None:
        return None
    rated = "" if supply.rated_w is None else f" of {supply.rated_w:g} W"
    spare = "" if supply.redundant is None else f", {supply.redundant} redundant"
    return f"{supply.count}{rated}{spare} {_words(supply.maker, supply.model, supply.type) or ''}".strip()


def _settings(given: Given) -> Block:
    before, after = given.settings_before or {}, given.settings_after or {}
    names = [name for name in [*before, *(one for one in after if one not in before)] if name not in _PRIVATE]
    cells = [[name, str(before.get(name, blocks.NOT_STATED)), _after(name, before, after)] for name in names]
    return rows(
        "Settings before and after the measurement",
        blocks.text("Setting", "Before", "After"),
        cells,
        "As iowatt read them from the load host and the target.",
    )


def _after(name: str, before: Found, after: Found) -> str:
    if not after:
        return "not recorded"
    if name not in after:
        return "not there any more"
    return "same" if before.get(name) == after[name] else str(after[name])


def _words(*texts: str | None) -> str | None:
    return " ".join(filter(None, texts)) or None
