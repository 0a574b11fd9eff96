"""The fields of ENERGY STAR's data set of storage certified to V1.0, as far as they are known.

Names of fields are the columns of the programme's public data set (view gqtf-hp7x), so that a row can be laid
beside it; facts of what each class of work reports stand in the rules ``energystar-1.0``. A field whose value
is not known stays empty and is named.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from iowatt.base.errors import Argument, InputError
from iowatt.emerald.analyze.result import Part
from iowatt.emerald.report import marks
from iowatt.emerald.report.about import Device
from iowatt.emerald.report.front import COMS
from iowatt.emerald.report.inputs import Given
from iowatt.emerald.rules import load

EXPORT_SCHEMA: Final = "iowatt.energystar-export/1"
RULES: Final = "energystar-1.0"
FAMILY: Final = "hot-band"
TITLE: Final = "Fields as of ENERGY STAR data center storage V1.0"

#: Class of work: its prefix in names of fields.
_PREFIX: Final = {"transactional": "trans", "streaming": "stream", "capacity": "cap"}
#: Phase: its name in names of fields, and its unit there.
_METRIC: Final = {
    "HB": ("hot_band", "iops_w"),
    "RR": ("random_read", "iops_w"),
    "RW": ("random_write", "iops_w"),
    "SR": ("seq_read", "mibps_w"),
    "SW": ("seq_write", "mibps_w"),
    "RI": ("ready_idle", "gb_w"),
}
_BY_PROGRAMME: Final = "given by the programme"
_UNCLEAR: Final = "what the data set means by it was not readable"
_TYPES: Final = {"hdd": "HDD", "ssd": "SSD", "hybrid": "Hybrid", "tape": "Tape", "optical": "Optical"}


@dataclass(frozen=True)
class Field:
    """One column: its value, or why there is none."""

    name: str
    value: str | float | int | None
    #: Why it is empty, and what fills it; of a figure, whether it is measured or modelled.
    note: str
    #: Whether it is empty although a submission would have it.
    lacking: bool = False


@dataclass(frozen=True)
class Export:
    """A row of the data set."""

    mark: marks.Mark
    name: str
    fields: list[Field]
    #: What stands against the row besides what is missing.
    remarks: list[str]

    @property
    def missing(self) -> list[Field]:
        """Fields that are empty and should not be."""
        return [one for one in self.fields if one.lacking]

    @property
    def summary(self) -> str:
        """In a sentence."""
        filled = sum(one.value is not None for one in self.fields)
        return f"{filled} of {len(self.fields)} fields are filled; {len(self.missing)} are missing or refused"

    def as_dict(self) -> dict[str, Any]:
        """As JSON, ``iowatt.energystar-export/1``."""
        return {
            "schema": EXPORT_SCHEMA,
            "title": TITLE,
            "note": marks.OURS,
            "analysis": self.name,
            "kind": self.mark.kind,
            "compliant": self.mark.compliant,
            "against": list(self.mark.against),
            "judged": self.mark.judged,
            "fields": {one.name: one.value for one in self.fields if one.value is not None},
            "notes": {one.name: one.note for one in self.fields if one.value is not None and one.note},
            "missing": [{"field": one.name, "how": one.note} for one in self.missing],
            "remarks": self.remarks,
        }

    def csv(self) -> str:
        """A header and one row; the first columns are iowatt's own and say what the figures are."""
        own = {
            "iowatt_analysis": self.name,
            "iowatt_kind": self.mark.kind,
            "iowatt_standing": "NON-COMPLIANT: " + "; ".join(self.mark.against)
            if self.mark.against else "no deviation found",
            "iowatt_judged": self.mark.judged,
            "iowatt_missing_fields": len(self.missing),
        }  # fmt: skip
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*own, *(one.name for one in self.fields)])
        writer.writerow([*map(_cell, own.values()), *(_cell(one.value) for one in self.fields)])
        return text.getvalue()

    def json(self) -> str:
        """The same with what is missing, by name."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def export(given: Given) -> Export:
    """The row of an analysis.

    Raises
    ------
    InputError
        The analysis is by rules that have other metrics than V1.0 reports.
    """
    found = given.analysis
    if found.family != FAMILY:
        raise InputError(
            "not-applicable",
            str(given.path),
            f"the metrics are those of {found.rules.profile} "
            f"({found.family or 'unknown family'}); the ENERGY STAR V1.0 export needs those with the hot "
            "band",
            hint="measure by the rules of Emerald 2.0 or later",
        )
    fields = [*_identity(given), *_classes(given), *_market(given)]
    return Export(marks.mark(found), found.name, fields, list(_remarks(given)))


def _identity(given: Given) -> Iterator[Field]:
    found, system, star = given.analysis, given.about.system, given.about.energystar
    who = found.product
    yield _empty("pd_id", _BY_PROGRAMME)
    yield _stated("energy_star_partner", star.partner, "energystar.partner")
    yield _stated("brand_name", system.brand or who.get("vendor"), "system.brand")
    yield _stated("model_name", who.get("name"), "plan with --product")
    yield _stated("model_number", system.model_number, "system.model_number")
    yield _stated("additional_model_information", star.additional, "energystar.additional", optional=True)
    yield _stated("storage_model_connectivity", system.connectivity, "system.connectivity")
    online = found.category == "online" and found.class_ is not None
    yield _stated(
        "snia_online_taxonomy_category", f"Online {found.class_}" if online else None, "plan with --product"
    )
    yield Field("physical_data_submission_only", "No" if given.modelled else "Yes", "")
    yield _stated(
        "storage_controller_implementation",
        system.controller_implementation,
        "system.controller_implementation",
    )
    yield _stated("storage_controller_manufacturer_name", system.controller_maker, "system.controller_maker")
    yield _stated("storage_controller_model_name", system.controller_model, "system.controller_model")
    yield _empty("storage_controller_model_number", "--about has no key for it")
    yield _stated(
        "storage_controller_advanced_data_recovery_type", system.advanced_recovery, "system.advanced_recovery"
    )
    yield _stated(
        "capacity_optimizing_methods_coms", ", ".join(_validated(given)) or None,
        "available in --about and found by the tests of --com",
    )  # fmt: skip
    yield _stated("workload_optimization_type", star.optimization, "energystar.optimization")
    yield _stated("qualification_range_submission_type", star.range_submission, "energystar.range_submission")
    yield _stated("automated_storage_tiering_capable", system.tiering_capable, "system.tiering_capable")
    yield _stated(
        "automated_storage_tiering_enabled_in_hardware_on_shipment",
        system.tiering_shipped,
        "system.tiering_shipped",
    )
    yield _stated("software_operating_environment_name", system.software, "system.software")
    yield _stated("software_operating_environment_version", system.firmware, "system.firmware")
    yield _stated(
        "intelligent_power_distribution_unit_ipdu_used_during_testing",
        system.ipdu_in_test,
        "system.ipdu_in_test",
    )
    yield _stated(
        "active_or_passive_cooling_enabled_in_hardware_on_shipment", system.cooling, "system.cooling"
    )
    yield _stated("input_power_rolling_average_capability", system.power_reporting, "system.power_reporting")
    yield _stated(
        "length_of_rolling_average_for_input_power_s", system.power_average_s, "system.power_average_s"
    )
    yield _stated(
        "inlet_air_temperature_rolling_average_capability", system.temperature_reporting,
        "system.temperature_reporting",
    )  # fmt: skip
    yield _stated(
        "length_of_rolling_average_for_inlet_air_temperature_s", system.temperature_average_s,
        "system.temperature_average_s",
    )  # fmt: skip
    yield _stated(
        "power_and_temperature_reporting_additional_information", star.reporting_notes,
        "energystar.reporting_notes",
        optional=True,
    )  # fmt: skip


def _market(given: Given) -> Iterator[Field]:
    star = given.about.energystar
    on = None if star.available_on is None else star.available_on.isoformat()
    yield _stated("date_available_on_market", on, "energystar.available_on")
    yield _empty("date_qualified", _BY_PROGRAMME)
    yield _stated("markets", star.markets, "energystar.markets")
    yield _stated("energy_star_model_identifier", star.model_identifier, "energystar.model_identifier")


def _classes(given: Given) -> Iterator[Field]:
    rules = load(RULES)
    most = int(rules.number("requirements.optimal_point.device_types_most"))
    if len(given.about.device) > most:
        raise InputError(
            "too-large",
            Argument("about", "device"),
            f"the export has room for {most} types of storage devices; {len(given.about.device)} are given",
        )
    declared = given.about.energystar.optimal_point_of
    for name in _PREFIX:
        phases = [one for one in rules.names(f"requirements.{name}.metrics") if one in _METRIC]
        fields = list(_class(given, _PREFIX[name], phases, most))
        if declared and name not in declared:
            note = f"not declared the optimal point of {name} work (energystar.optimal_point_of)"
            fields = [_empty(one.name, note) for one in fields]
        yield from fields


def _class(given: Given, prefix: str, phases: list[str], most: int) -> Iterator[Field]:
    system, supply, devices = given.about.system, given.about.power_supply, given.about.device
    point = "optimal_point"
    yield _stated(f"{prefix}_model_number_or_config_id", system.configuration_id, "system.configuration_id")
    yield _stated(f"{prefix}_power_supply_unit_psu_type", supply.type, "power_supply.type")
    yield _stated(f"{prefix}_psu_manufacturer_name", supply.maker, "power_supply.maker")
    yield _stated(f"{prefix}_psu_model_name", supply.model, "power_supply.model")
    yield _stated(f"{prefix}_psu_model_number", supply.model_number, "power_supply.model_number")
    yield _stated(f"{prefix}_psu_rated_output_w", supply.rated_w, "power_supply.rated_w")
    yield _stated(f"{prefix}_psus_80plus_certification", supply.level, "power_supply.level")
    cache = None if system.cache is None else system.cache / 1e9
    yield _stated(f"{prefix}_total_amount_of_cache_gb", cache, "system.cache")
    yield _stated(f"{prefix}_devices_used_for_cache", system.cache_devices, "system.cache_devices")
    yield _empty(f"{prefix}_other_devices_used_for_cache", "--about has no key for it")
    yield from _predicted(prefix, devices)
    total = sum(one.count for one in devices) or None
    yield _stated(f"{prefix}_total_num_installed_storage_devices_{point}", total, "[[device]]")
    ratio = ":".join(str(one.count) for one in devices) if len(devices) > 1 else None
    mixed = "one type of device" if len(devices) == 1 else "[[device]]"
    yield Field(f"{prefix}_ratio_devices_mixed_{point}", ratio, "" if ratio else mixed, lacking=not devices)
    yield _empty(f"{prefix}_installed_solid_state_devices_in_{point}", _UNCLEAR)
    yield _empty(f"{prefix}_installed_rotational_devices_in_{point}", _UNCLEAR)
    yield _stated(f"{prefix}_num_of_controllers_in_{point}", system.controllers, "system.controllers")
    yield _stated(
        f"{prefix}_num_redundant_controllers_{point}",
        system.redundant_controllers,
        "system.redundant_controllers",
    )
    yield _stated(f"{prefix}_number_of_psus_{point}", supply.count, "power_supply.count")
    yield _stated(f"{prefix}_number_of_redundant_psus_{point}", supply.redundant, "power_supply.redundant")
    yield _stated(f"{prefix}_auto_tiering_enabled_{point}", system.tiering_in_test, "system.tiering_in_test")
    for phase in phases:
        test, unit = _METRIC[phase]
        yield _metric(given, phase, f"{prefix}_{point}_{test}_workload_test_{unit}")
    for number in range(1, most + 1):
        device = devices[number - 1] if number <= len(devices) else None
        yield from _device(given, prefix, number, device, phases)


def _predicted(prefix: str, devices: list[Device]) -> Iterator[Field]:
    predicted = [one for one in devices if one.predicted]
    one = predicted[0] if len(predicted) == 1 else devices[0] if len(devices) == 1 else None
    values: dict[str, Any] = {
        "model_name": one and one.model,
        "model_number": one and one.model_number,
        "type": one and _TYPES.get(one.type),
        "form_factor": one and one.form_factor,
        "rated_speed_rpm": one and one.rpm,
        "raw_capacity_gb": None if one is None or one.capacity is None else one.capacity / 1e9,
    }
    for name, value in values.items():
        yield _stated(
            f"{prefix}_device_{name}_highest_predicted_deployed_device", value, "[[device]], predicted = true"
        )


def _device(
    given: Given, prefix: str, number: int, device: Device | None, phases: list[str]
) -> Iterator[Field]:
    """One of the types of storage devices; the metrics are its own only where there is no other."""
    names = [
        f"{prefix}_storage_device_{number}_type",
        f"{prefix}_storage_device_{number}_form_factor",
        f"{prefix}_storage_device_{number}_rated_speed_rpm",
        f"{prefix}_storage_device_{number}_raw_capacity_gb",
        f"{prefix}_num_devices_storage_device_{number}_optimal_point",
        f"{prefix}_physical_or_modeled_data_device_{number}_optimal_point",
        f"{prefix}_automated_tiering_enabled_during_testing_device_{number}",
    ]
    own = {
        phase: f"{prefix}_device_{number}_optimal_point_{_METRIC[phase][0]}_wrkld_test_{_METRIC[phase][1]}"
        for phase in phases
    }
    if device is None:
        none = "no such type of device" if given.about.device or number > 1 else "--about: [[device]]"
        lacking = number == 1 and not given.about.device
        yield from (Field(name, None, none, lacking=lacking) for name in [*names, *own.values()])
        return
    values = [
        _TYPES.get(device.type),
        device.form_factor,
        device.rpm,
        None if device.capacity is None else device.capacity / 1e9,
        device.count,
        "Modeled" if given.modelled else "Physical",
        given.about.system.tiering_in_test,
    ]
    for name, value in zip(names, values, strict=True):
        yield _stated(name, value, "[[device]]")
    for phase, name in own.items():
        if len(given.about.device) == 1:
            yield _metric(given, phase, name)
        else:
            yield Field(name, None, "measured with several types of devices together", lacking=True)


def _metric(given: Given, phase: str, name: str) -> Field:
    part = next((one for one in given.parts if one.phase == phase), None)
    if part is None:
        return Field(name, None, f"there is no {phase} in the analysis", lacking=True)
    if part.ep_shown is None:
        return Field(name, None, f"refused: {_why(part)}", lacking=True)
    standing = "" if given.analysis.compliant else ", NON-COMPLIANT"
    return Field(name, float(part.ep_shown), f"{part.kind}{standing}")


def _why(part: Part) -> str:
    return next((one.text for one in part.findings if one.weight == "invalid"), "no figures")


def _validated(given: Given) -> Iterator[str]:
    """Methods that the system has by statement and by test."""
    tested = {one["com"]: one["verdict"] for one in (given.com or {}).get("coms", [])}
    for name, title in COMS.items():
        state = given.about.com.get(name)  # type: ignore[call-overload]
        if state is not None and state.available and tested.get(name) == "yes":
            yield title


def _remarks(given: Given) -> Iterator[str]:
    rules = load(RULES)
    found = given.analysis
    if not given.about.energystar.optimal_point_of:
        yield (
            "--about does not declare of which class of work this configuration is the optimal point "
            "(energystar.optimal_point_of): the metrics stand under all"
        )
    class_ = f"{found.category}-{found.class_}"
    if found.class_ is None:
        yield "the class is not stated, so whether it is in the programme's scope is not known (--product)"
    elif class_ not in rules.names("requirements.classes"):
        yield f"{class_} is outside the programme's scope, as far as it is known"
    if rules.known("com.during_active") == "off":
        on = [COMS[name] for name, state in given.about.com.items() if state.during_test]
        if on:
            yield f"on during the metric tests, where the programme has them off: {', '.join(on)}"
    least = (rules.known("requirements.com.least") or {}).get(class_)
    have = sum(1 for _ in _validated(given))
    if least is not None and have < least:
        yield f"{have} COMs are validated; {least} may be asked of {class_} (unverified)"


def _stated(name: str, value: Any, how: str, *, optional: bool = False) -> Field:
    if isinstance(value, bool):
        value = "Yes" if value else "No"
    if value is None or value == "":
        told = how if how.startswith(("plan", "available")) else f"--about: {how}"
        return Field(name, None, told, lacking=not optional)
    return Field(name, value, "")


def _empty(name: str, why: str) -> Field:
    return Field(name, None, why)


def _cell(value: Any) -> str:
    """A cell of a CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value[:1] in "=+-@\t\r" else value
    return f"{value:.15g}" if isinstance(value, float) else str(value)
