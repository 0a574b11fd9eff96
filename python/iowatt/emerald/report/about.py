"""The user's statements for a report: who submits it, how the system is built, what is disclosed."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.base.quantity import Capacity
from iowatt.base.strict import Strict, key
from iowatt.emerald.com_names import Com

ABOUT_SCHEMA: Final = "iowatt.emerald-about/1"

LoadPoint = Literal["10", "20", "50", "100"]
Percent = Annotated[float, Field(gt=0, le=100)]
ClassOfWork = Literal["transactional", "streaming", "capacity"]


def _text(description: str, example: str | None = None) -> str | None:
    return key(  # type: ignore[no-any-return]
        description, default=None, unset="not stated, and listed as missing", example=example, min_length=1
    )


def _flag(description: str) -> bool | None:
    return key(description, default=None, unset="not stated, and listed as missing")  # type: ignore[no-any-return]


def _count(description: str) -> int | None:
    return key(description, default=None, unset="not stated, and listed as missing", ge=0)  # type: ignore[no-any-return]


class Submitter(Strict):
    """The submitter."""

    name: str | None = _text("The person.", "A. Tester")
    company: str | None = _text("The company of the person.", "Example Laboratory")
    tested_by: str | None = _text("The laboratory that measured.")
    place: str | None = _text("Where it was measured.")
    date: datetime.date | None = key("Of the report.", default=None, unset="the day of the measurement")


class TestedSystem(Strict):
    """The system under test as it was tested."""

    brand: str | None = _text("Brand, where it is not the vendor's name.")
    model_number: str | None = _text("Model number.")
    configuration_id: str | None = _text("Identifier of the tested configuration.")
    firmware: str | None = _text("Version of its firmware or operating environment.")
    software: str | None = _text("Name of its operating environment.")
    connectivity: str | None = _text("How hosts reach it.", "FC 16 Gb/s, 4 ports")
    topology: str | None = _text("How host, fabric, controllers and shelves are connected, in words.")
    protection: str | None = _text("Protection of the data.", "RAID 6 (6+2)")
    controllers: int | None = _count("Controllers.")
    redundant_controllers: int | None = _count("Of these, controllers that it can lose.")
    controller_maker: str | None = _text("Maker of the controllers.")
    controller_model: str | None = _text("Model of the controllers.")
    controller_implementation: str | None = _text("How the controller is built: integrated, appliance ...")
    advanced_recovery: str | None = _text("Advanced data recovery of the controller.")
    cache: Capacity | None = key(
        "Memory that caches, of all controllers.", default=None, unset="not stated", example="64GiB"
    )
    cache_devices: str | None = _text("What the cache is made of.")
    tiering_capable: bool | None = _flag("Whether it can tier automatically.")
    tiering_in_test: bool | None = _flag("Whether it tiered automatically during the test.")
    tiering_shipped: bool | None = _flag("Whether automatic tiering is on as shipped.")
    cooling: str | None = _text("Cooling as shipped, adaptive active cooling disclosed.")
    ipdu_in_test: bool | None = _flag("Whether an intelligent power distribution unit was used in the test.")
    power_reporting: bool | None = _flag("Whether the product reports its input power as a rolling average.")
    power_average_s: float | None = key(
        "Length of that average.", default=None, unset="not stated", unit="s", gt=0
    )
    temperature_reporting: bool | None = _flag(
        "Whether the product reports its inlet temperature as a rolling average."
    )
    temperature_average_s: float | None = key(
        "Length of that average.", default=None, unset="not stated", unit="s", gt=0
    )


class LoadHost(Strict):
    """A host that made requests."""

    name: str = key("Its name.", min_length=1)
    model: str | None = _text("Maker and model.")
    system: str | None = _text("Operating system.")
    adapter: str | None = _text("Host adapters and their drivers.")
    notes: str | None = _text("What else matters.")


class Lun(Strict):
    """A logical unit, as hosts see it."""

    name: str = key("Its name.", min_length=1)
    capacity: Capacity | None = key("Its size.", default=None, unset="not stated", example="2TB")
    host: str | None = _text("Host that it is mapped to.")
    path: str | None = _text("Path on that host.", "/dev/sdb")
    port: str | None = _text("Port of the system.")
    protection: str | None = _text("Its RAID group and level.")


class DeviceGroup(Strict):
    """Storage devices of one type in the tested configuration."""

    type: Literal["hdd", "ssd", "hybrid", "tape", "optical", "other"] = key("What they are.")
    model: str | None = _text("Maker and model.")
    model_number: str | None = _text("Model number.")
    form_factor: str | None = _text("Form factor.", "2.5 in")
    rpm: int | None = _count("Rotational speed; 0 of solid-state devices.")
    capacity: Capacity | None = key("Raw capacity of one.", default=None, unset="not stated", example="600GB")
    count: int = key("How many.", ge=1)
    predicted: bool = key("Whether most of the deployed systems are predicted to have it.", default=False)


class PowerSupply(Strict):
    """The power supplies of the tested configuration."""

    type: str | None = _text("Single-output or multi-output; AC or DC.")
    maker: str | None = _text("Maker.")
    model: str | None = _text("Model.")
    model_number: str | None = _text("Model number.")
    rated_w: float | None = key("Rated output of one.", default=None, unset="not stated", unit="W", gt=0)
    level: str | None = _text("80 PLUS level.", "Gold")
    efficiency: dict[LoadPoint, Percent] = key(
        "Efficiency of one in percent, by its load in percent.",
        default={},
        accepts='{ "20" = 92, "50" = 94 }',
        example={"20": 92, "50": 94},
    )
    power_factor: float | None = key(
        "Power factor of one at 50 % load.", default=None, unset="not stated", gt=0, le=1, example=0.98
    )
    count: int | None = _count("How many.")
    redundant: int | None = _count("Of these, how many it can lose.")


class ComState(Strict):
    """One capacity optimisation method."""

    available: bool | None = _flag("Whether it is available in the system.")
    during_test: bool | None = _flag("Whether it was on during the test.")
    note: str | None = _text("What a reader should know.")


class EnergyStar(Strict):
    """Statements for the ENERGY STAR export only."""

    partner: str | None = _text("The partner of the programme.")
    model_identifier: str | None = _text("The programme's identifier of the model.")
    optimal_point_of: list[ClassOfWork] = key(
        "Classes of work for which this configuration is the optimal point.",
        default=[],
        unset="all whose metrics there are, and listed as missing",
    )
    optimization: str | None = _text("Workload optimisation type.")
    range_submission: str | None = _text("Qualification range submission type.")
    markets: str | None = _text("Markets.", "United States")
    available_on: datetime.date | None = key(
        "When it came onto the market.", default=None, unset="not stated"
    )
    additional: str | None = _text("Further information on the model.")
    reporting_notes: str | None = _text("Further information on reporting of power and temperature.")


class Disclosure(Strict):
    """A disclosure."""

    topic: str = key("What about.", min_length=1)
    text: str = key("The disclosure.", min_length=1)


class About(Strict):
    """The user's statements for a report. Nothing is required; the report names what is missing."""

    schema_: Literal["iowatt.emerald-about/1"] = key(
        "The version of this format.", default=ABOUT_SCHEMA, alias="schema", accepts=f'"{ABOUT_SCHEMA}"'
    )
    submitter: Submitter = key("Who reports.", default=Submitter())
    system: TestedSystem = key("The system as tested.", default=TestedSystem())
    host: list[LoadHost] = key("Hosts.", default=[])
    lun: list[Lun] = key("Logical units.", default=[])
    device: list[DeviceGroup] = key("Storage devices.", default=[], max_length=50)
    power_supply: PowerSupply = key("Power supplies.", default=PowerSupply())
    com: dict[Com, ComState] = key("Capacity optimisation methods by name.", default={})
    energystar: EnergyStar = key("For the ENERGY STAR export.", default=EnergyStar())
    disclosure: list[Disclosure] = key("Other mandatory disclosures.", default=[])
    notes: list[str] = key("Free notes, printed on the page of the metrics.", default=[])


def read(path: Path) -> About:
    """The file's content.

    Raises ``InputError``: what is wrong with its keys, with lines.
    """
    about = TomlDocument(read_text(path), str(path)).validate(About)
    types = len({(one.type, one.model, one.capacity) for one in about.device})
    if types < len(about.device):
        text = "two [[device]] tables have the same type, model and capacity"
        raise InputError("duplicate", str(path), text, hint="give their count in one table")
    return about
