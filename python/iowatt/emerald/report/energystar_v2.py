"""The fields of ENERGY STAR's data sets of storage certified to V2.x: block I/O and file I/O.

The data sets (views 3uec-2gqf and put7-uu67) could not be read. Their fields are listed in
``energystar-v2-fields.csv`` as far as V1.0's carry over or are recalled, in the style of V1.0's names; none
of them is verified, and the export says so of each. Nothing here decides who qualifies: a threshold is
compared in a remark only.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Literal

from iowatt.emerald.family import QualifiedRange, qualified_range
from iowatt.emerald.report import energystar
from iowatt.emerald.report.energystar import ExportField, ExportRow, metric, stated
from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.rules import Rules, load

Version = Literal["1.0", "2-block", "2-file"]
RULES: Final = "energystar-2.0"
UNVERIFIED: Final = "unverified"

_TITLES: Final = {
    "2-block": "Fields of ENERGY STAR data center storage V2.x, block I/O: unverified",
    "2-file": "Fields of ENERGY STAR data center storage V2.x, file I/O: unverified",
}
_ACCESS: Final = {"2-block": "Block I/O", "2-file": "File I/O"}
_FIELDS: Final = Path(__file__).with_name("energystar-v2-fields.csv")
#: Rules with the least of a metric, by its phase.
_LEAST: Final = {
    "HB": "requirements.transactional.HB_least",
    "SR": "requirements.streaming.SR_least",
    "SW": "requirements.streaming.SW_least",
}


def export(inputs: ReportInputs, version: Version = "1.0") -> ExportRow:
    """The row of an analysis in the data set of a version of the programme.

    Raises ``InputError`` as :func:`iowatt.emerald.report.energystar.export`.
    """
    first = energystar.export(inputs)
    if version == "1.0":
        return first
    rules = load(RULES)
    known = {one.name: one for one in first.fields}
    counts = sum(one.count for one in inputs.about.device)
    covered = qualified_range(rules, counts) if counts else None
    fields = [_field(row, inputs, known, version, covered) for row in _rows(version)]
    return ExportRow(
        mark=first.mark,
        name=first.name,
        fields=fields,
        remarks=[*first.remarks, *_remarks(inputs, rules, version)],
        title=_TITLES[version],
        unverified=[one.name for one in fields],
    )


@cache
def _rows(version: Version) -> tuple[dict[str, str], ...]:
    """The fields of a data set, in their order."""
    own = {"both", version.removeprefix("2-")}
    with _FIELDS.open(encoding="utf-8", newline="") as file:
        return tuple(row for row in csv.DictReader(file) if row["set"] in own)


def _field(
    row: dict[str, str],
    inputs: ReportInputs,
    known: dict[str, ExportField],
    version: Version,
    covered: QualifiedRange | None,
) -> ExportField:
    """A field with its value, and with what is unverified about it."""
    kind, _, source = row["from"].partition(":")
    name, about = row["field"], inputs.about
    if kind == "v1":
        found = known[source]
    elif kind == "phase":
        found = metric(inputs, source, name)
    elif kind == "about":
        found = stated(name, attrgetter(source)(about), f"--about: {source}")
    elif kind == "efficiency":
        load_points: Any = about.power_supply.efficiency
        found = stated(name, load_points.get(source), f"--about: power_supply.efficiency.{source}")
    elif kind == "range":
        count = None if covered is None else getattr(covered, source)
        found = stated(name, count, "--about: [[device]]")
    else:
        values = {"access": _ACCESS[version], "emerald": inputs.analysis.rules.version}
        found = stated(name, values[source], "")
    note = "; ".join(filter(None, (found.note, f"{UNVERIFIED}: {row['note']}")))
    return ExportField(name, found.value, note, found.lacking)


def _remarks(inputs: ReportInputs, rules: Rules, version: Version) -> Iterator[str]:
    yield f"no field of V2.x could be compared with the programme's: all are {UNVERIFIED}"
    if version == "2-file":
        yield "iowatt's own phases of file access are not those of SPEC SFS 2014 and fill none of its fields"
        return
    for part in inputs.parts:
        least = rules.known(_LEAST[part.phase]) if part.phase in _LEAST else None
        if least is None or part.ep_shown is None:
            continue
        reached = "reaches" if float(part.ep_shown) >= least else "is below"
        yield (
            f"{part.metric} {part.ep_shown} {part.unit} {reached} {least:g} {part.unit}, "
            f"a threshold as recalled ({UNVERIFIED}): this decides nothing"
        )
