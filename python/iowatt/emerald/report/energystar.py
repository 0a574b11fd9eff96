"""The fields of ENERGY STAR's data set of storage certified to V1.0, as far as they are known.

Names of fields are the columns of the programme's public data set (view gqtf-hp7x), in its order, so that a
row can be compared with it; what each class of work reports is in the rules ``energystar-1.0``. A field whose
value is not known stays empty and is named.
"""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.analyze.result import Part
from iowatt.emerald.report.about import DeviceGroup
from iowatt.emerald.report.inputs import ReportInputs
from iowatt.emerald.report.product import COMS
from iowatt.emerald.report.result import Export, Mark, MissingField, mark
from iowatt.emerald.rules import load

RULES: Final = "energystar-1.0"
TITLE: Final = "Fields of ENERGY STAR data center storage V1.0"

#: Class of work: its prefix in names of fields.
_PREFIX: Final = {"transactional": "trans", "streaming": "stream", "capacity": "cap"}
#: Phase: its name in names of fields, and its unit there.
_METRIC: Final = {
    "HB": ("hot_band", "iops_w"), "RR": ("random_read", "iops_w"), "RW": ("random_write", "iops_w"),
    "SR": ("seq_read", "mibps_w"), "SW": ("seq_write", "mibps_w"), "RI": ("ready_idle", "gb_w"),
}  # fmt: skip
_BY_PROGRAMME: Final = "given by the programme"
_UNCLEAR: Final = "the meaning of this column was not available"
_NO_KEY: Final = "--about has no key for it"
_TYPES: Final = {"hdd": "HDD", "ssd": "SSD", "hybrid": "Hybrid", "tape": "Tape", "optical": "Optical"}

_FIELDS: Final = Path(__file__).with_name("energystar-fields.csv")
_OPTIONAL: Final = ("energystar.additional", "energystar.reporting_notes")


@dataclass(frozen=True)
class ExportField:
    """A column: its value, or why it is empty."""

    name: str
    value: str | float | int | None
    note: str = ""  #: Why it is empty, and what fills it; of a figure, whether it is measured or modelled.
    lacking: bool = False  #: Whether it is empty although a submission would have it.


@dataclass(frozen=True)
class ExportRow:
    """A row of the data set."""

    mark: Mark
    name: str
    fields: list[ExportField]
    remarks: list[str]  #: Problems of the row other than missing fields.
    title: str = TITLE
    unverified: Sequence[str] = ()  #: Fields that nobody compared with the programme's.

    @property
    def missing(self) -> list[ExportField]:
        """Fields that a submission would have and that are empty."""
        return [one for one in self.fields if one.lacking]

    @property
    def summary(self) -> str:
        """How many fields are filled, in a sentence."""
        filled = sum(one.value is not None for one in self.fields)
        return f"{filled} of {len(self.fields)} fields are filled; {len(self.missing)} are missing or refused"

    def result(self) -> Export:
        """As a document."""
        known = [one for one in self.fields if one.value is not None]
        return Export(
            analysis=self.name,
            kind=self.mark.kind,
            compliant=self.mark.compliant,
            against=self.mark.against,
            judged=self.mark.judged,
            fields={one.name: one.value for one in known if one.value is not None},
            notes={one.name: one.note for one in known if one.note},
            missing=[MissingField(field=one.name, how=one.note) for one in self.missing],
            remarks=self.remarks,
            title=self.title,
            unverified=list(self.unverified),
        )

    def csv(self) -> str:
        """A header and one row; the first columns are iowatt's own and describe the figures."""
        against = "; ".join(self.mark.against)
        own: dict[str, Any] = {
            "iowatt_analysis": self.name,
            "iowatt_kind": self.mark.kind,
            "iowatt_standing": f"NON-COMPLIANT: {against}" if against else "no deviation found",
            "iowatt_judged": self.mark.judged,
            "iowatt_missing_fields": len(self.missing),
        }
        if self.unverified:
            own |= {"iowatt_fields": self.title, "iowatt_unverified_fields": len(self.unverified)}
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*own, *(one.name for one in self.fields)])
        writer.writerow([*map(_cell, own.values()), *(_cell(one.value) for one in self.fields)])
        return text.getvalue()


def export(inputs: ReportInputs) -> ExportRow:
    """The row of an analysis.

    Raises ``InputError``: the rules of the analysis have other metrics than V1.0, or there are too many types
    of devices.
    """
    found, about = inputs.analysis, inputs.about
    if found.family != load(RULES).known("metrics.family"):
        text = (
            f"the metrics are those of {found.rules.profile} "
            f"({found.family or 'unknown family'}); the ENERGY STAR V1.0 export needs those with the hot "
            "band"
        )
        hint = "measure by the rules of Emerald 2.0 or later"
        raise InputError("not-applicable", str(inputs.path), text, hint=hint)
    product, class_ = found.product, None
    if found.category == "online" and found.class_ is not None:
        class_ = f"Online {found.class_}"
    validated = ", ".join(_validated(inputs)) or None
    computed = [
        ExportField("pd_id", None, _BY_PROGRAMME),
        stated("brand_name", about.system.brand or product.get("vendor"), "--about: system.brand"),
        stated("model_name", product.get("name"), "plan with --product"),
        stated("snia_online_taxonomy_category", class_, "plan with --product"),
        ExportField("physical_data_submission_only", "No" if inputs.modelled else "Yes"),
        ExportField("storage_controller_model_number", None, _NO_KEY),
        stated(
            "capacity_optimizing_methods_coms",
            validated,
            "available in --about and found by the tests of --com",
        ),
        ExportField("date_qualified", None, _BY_PROGRAMME),
    ]
    fields = [*_filled(inputs, "model", computed), *_classes(inputs), *_filled(inputs, "market", computed)]
    return ExportRow(mark(found), found.name, fields, list(_remarks(inputs)))


@cache
def _fields(group: str) -> list[tuple[str, str]]:
    """The fields of the model, of a class of work (without its prefix) or of the market, in their order.

    Each has its key in ``--about``; those without a key are computed.
    """
    with _FIELDS.open(encoding="utf-8", newline="") as file:
        return [(row["field"], row["key"]) for row in csv.DictReader(file) if row["group"] == group]


def _filled(inputs: ReportInputs, group: str, computed: list[ExportField]) -> Iterator[ExportField]:
    """The fields of a group: from ``--about`` by their key, else those computed."""
    by_name = {one.name: one for one in computed}
    for name, path in _fields(group):
        if path:
            value = attrgetter(path)(inputs.about)
            yield stated(name, value, f"--about: {path}", optional=path in _OPTIONAL)
        else:
            yield by_name[name]


def _classes(inputs: ReportInputs) -> Iterator[ExportField]:
    rules = load(RULES)
    most = int(rules.number("requirements.optimal_point.device_types_most"))
    if len(inputs.about.device) > most:
        raise InputError(
            "too-large",
            Argument("about", "device"),
            f"the export has room for {most} types of storage devices; {len(inputs.about.device)} are given",
        )
    declared = inputs.about.energystar.optimal_point_of
    for name, prefix in _PREFIX.items():
        phases = [one for one in rules.names(f"requirements.{name}.metrics") if one in _METRIC]
        for field in _class(inputs, prefix, phases, most):
            if declared and name not in declared:
                note = f"not declared the optimal point of {name} work (energystar.optimal_point_of)"
                yield ExportField(field.name, None, note)
            else:
                yield field


def _class(inputs: ReportInputs, prefix: str, phases: list[str], most: int) -> Iterator[ExportField]:
    system, devices = inputs.about.system, inputs.about.device
    predicted = [one for one in devices if one.predicted]
    one = predicted[0] if len(predicted) == 1 else devices[0] if len(devices) == 1 else None
    device: dict[str, Any] = {
        "model_name": one and one.model,
        "model_number": one and one.model_number,
        "type": one and _TYPES.get(one.type),
        "form_factor": one and one.form_factor,
        "rated_speed_rpm": one and one.rpm,
        "raw_capacity_gb": one and _gigabytes(one.capacity),
    }
    ratio = ":".join(str(one.count) for one in devices) if len(devices) > 1 else None
    mixed = "" if ratio else "one type of device" if len(devices) == 1 else "--about: [[device]]"
    total = sum(one.count for one in devices) or None
    computed = [
        stated("total_amount_of_cache_gb", _gigabytes(system.cache), "--about: system.cache"),
        ExportField("other_devices_used_for_cache", None, _NO_KEY),
        *(
            stated(
                f"device_{name}_highest_predicted_deployed_device",
                value,
                "--about: [[device]], predicted = true",
            )
            for name, value in device.items()
        ),
        stated("total_num_installed_storage_devices_optimal_point", total, "--about: [[device]]"),
        ExportField("ratio_devices_mixed_optimal_point", ratio, mixed, lacking=not devices),
        ExportField("installed_solid_state_devices_in_optimal_point", None, _UNCLEAR),
        ExportField("installed_rotational_devices_in_optimal_point", None, _UNCLEAR),
    ]
    for field in _filled(inputs, "class", computed):
        yield ExportField(f"{prefix}_{field.name}", field.value, field.note, field.lacking)
    for phase in phases:
        test, unit = _METRIC[phase]
        yield metric(inputs, phase, f"{prefix}_optimal_point_{test}_workload_test_{unit}")
    for number in range(1, most + 1):
        yield from _device(
            inputs, prefix, number, devices[number - 1] if number <= len(devices) else None, phases
        )


def _device(
    inputs: ReportInputs, prefix: str, number: int, device: DeviceGroup | None, phases: list[str]
) -> Iterator[ExportField]:
    """One of the types of storage devices; the metrics are its own only where there is no other."""
    tiering = inputs.about.system.tiering_in_test
    values: dict[str, Any] = {
        f"storage_device_{number}_type": device and _TYPES.get(device.type),
        f"storage_device_{number}_form_factor": device and device.form_factor,
        f"storage_device_{number}_rated_speed_rpm": device and device.rpm,
        f"storage_device_{number}_raw_capacity_gb": device and _gigabytes(device.capacity),
        f"num_devices_storage_device_{number}_optimal_point": device and device.count,
        f"physical_or_modeled_data_device_{number}_optimal_point": "Modeled"
        if inputs.modelled
        else "Physical",
        f"automated_tiering_enabled_during_testing_device_{number}": tiering,
    }
    metrics = {
        phase: f"{prefix}_device_{number}_optimal_point_{test}_wrkld_test_{unit}"
        for phase in phases
        for test, unit in (_METRIC[phase],)
    }
    if device is None:
        none = "no such type of device" if inputs.about.device or number > 1 else "--about: [[device]]"
        lacking = number == 1 and not inputs.about.device
        for name in [*(f"{prefix}_{name}" for name in values), *metrics.values()]:
            yield ExportField(name, None, none, lacking=lacking)
        return
    for name, value in values.items():
        yield stated(f"{prefix}_{name}", value, "--about: [[device]]")
    for phase, name in metrics.items():
        if len(inputs.about.device) == 1:
            yield metric(inputs, phase, name)
        else:
            yield ExportField(name, None, "measured with several types of devices together", lacking=True)


def _gigabytes(size: int | None) -> float | None:
    return None if size is None else size / 1e9


def metric(inputs: ReportInputs, phase: str, name: str) -> ExportField:
    """The published metric of a phase, or why there is none."""
    part = next((one for one in inputs.parts if one.phase == phase), None)
    if part is None:
        return ExportField(name, None, f"there is no {phase} in the analysis", lacking=True)
    if part.ep_shown is None:
        return ExportField(name, None, f"refused: {_why(part)}", lacking=True)
    standing = "" if inputs.analysis.compliant else ", NON-COMPLIANT"
    return ExportField(name, float(part.ep_shown), f"{part.kind}{standing}")


def _why(part: Part) -> str:
    return next((one.text for one in part.findings if one.weight == "invalid"), "no figures")


def _validated(inputs: ReportInputs) -> Iterator[str]:
    """Methods that the system has by statement and by test."""
    for name, title in COMS.items():
        state = inputs.about.com.get(name)
        if state is not None and state.available and inputs.com_verdict(name) == "yes":
            yield title


def _remarks(inputs: ReportInputs) -> Iterator[str]:
    rules = load(RULES)
    found = inputs.analysis
    if not inputs.about.energystar.optimal_point_of:
        yield (
            "--about does not declare for which class of work this configuration is the optimal point "
            "(energystar.optimal_point_of): the metrics are given for all"
        )
    class_ = f"{found.category}-{found.class_}"
    if found.class_ is None:
        yield "the class is not stated, so whether the programme covers it is not known (--product)"
    elif class_ not in rules.names("requirements.classes"):
        yield f"{class_} is outside the programme's scope, as far as it is known"
    if rules.known("com.during_active") == "off":
        on = [COMS[name] for name, state in inputs.about.com.items() if state.during_test]
        if on:
            yield f"on during the metric tests, where the programme has them off: {', '.join(on)}"
    least = (rules.known("requirements.com.least") or {}).get(class_)
    have = sum(1 for _ in _validated(inputs))
    if least is not None and have < least:
        yield f"{have} COMs are validated; {least} may be required for {class_} (unverified)"


def stated(name: str, value: Any, how: str, *, optional: bool = False) -> ExportField:
    """A field with its value; ``how`` says what fills an empty one."""
    if isinstance(value, bool):
        value = "Yes" if value else "No"
    elif isinstance(value, datetime.date):
        value = value.isoformat()
    if value is None or value == "":
        return ExportField(name, None, how, lacking=not optional)
    return ExportField(name, value)


def _cell(value: Any) -> str:
    """A cell of a CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in "=+-@\t\r" else value
    return f"{value:.15g}" if isinstance(value, float) else str(value)
