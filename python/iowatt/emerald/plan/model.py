"""A plan as a document: what `emerald plan` writes and every later verb follows.

Times are in seconds and already scaled: with a time scale of 0.01 a stage of ten minutes has 6 s. The rules'
own times are kept as ``rule_seconds``, so that a shortened measurement never passes for compliant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator

from iowatt.base.strict import Strict, key

PLAN_SCHEMA: Final = "iowatt.emerald-plan/1"

Role = Literal["prefill", "conditioning", "warmup", "measurement", "idle", "com"]
Source = Literal["fio", "vdbench", "simulation", "files"]


class PlanStage(Strict):
    """An uninterrupted part of a measurement: one call of the load generator, or an idle stage."""

    id: str = key("Its name in folders and results: HB-warmup, HB, RR-warmup, ready-idle.", min_length=1)
    phase: str = key("The metric that it serves (HB, MW1, RR, RI ...), or its own name.", min_length=1)
    role: Role = key("Its purpose. A phase's warm-up gives the history of its measurement.")
    workload: str | None = key(
        "HB, MW1, MW2, RR, RW, SR, SW, of file access FDB, FSB, FVA, fill; none for an idle stage.",
        default=None,
        unset="no requests",
    )
    seconds: float | None = key(
        "How long it runs.", default=None, unset="until the whole range is written (fill)", unit="s", gt=0
    )
    rule_seconds: float | None = key(
        "The length that the rules require.", default=None, unset="the rules have none", unit="s"
    )
    interval_s: float = key("The interval of its figures: a minute, scaled like the rest.", unit="s", gt=0)
    rate_iops: float | None = key(
        "Requests per second.", default=None, unset="found by `emerald calibrate`, or the maximum", gt=0
    )
    closed: bool = key(
        "As fast as the outstanding requests allow, instead of at a rate (sequential, fill).", default=False
    )
    outstanding: int = key(
        "Requests outstanding, over all streams and targets: exactly so many where closed; at a rate the "
        "most, and at least 64, which must exceed rate x response time.",
        default=8,
        ge=1,
    )
    streams: int = key("Sequential cursors of SR, SW and the fill.", default=1, ge=1)

    @property
    def rate_unknown(self) -> bool:
        """Whether it makes requests at a rate that has not been found yet."""
        return self.workload is not None and not self.closed and self.rate_iops is None


class PlannedInstrument(Strict):
    """An instrument of the plan."""

    name: str = key("Its name in logs.", min_length=1)
    source: str = key(
        "Where it is read, as for `iowatt meter`: snmp://pdu1/..., csv:power.csv.", min_length=1
    )
    role: Literal["power", "temperature"] = key("Its purpose.", default="power")


class PlannedHost(Strict):
    """A load host of the plan."""

    name: str = key("Its name in folders and findings.", min_length=1)
    address: str = key(
        "How it is reached: local, netns:NAME, ssh://[USER@]HOST[:PORT]; ?targets=PATH,PATH are its own.",
        min_length=1,
    )


class PlannedScript(Strict):
    """Parameter files of a lab's own, run in one call of vdbench; or names of runs that it made."""

    files: list[str] = key("In the order in which vdbench reads them: the site's first.", default=[])
    sha256: list[str] = key("Digest of each file.", default=[])
    runs: dict[str, str] = key(
        "Stages by the names of run definitions (rd=); those with a stage's own name need none.",
        default={},
    )
    variables: dict[str, str] = key("Values of $NAME in the files.", default={})


class Target(Strict):
    """The system under test: a device or file, or the scenario of a simulated array."""

    path: str | None = key(
        "Block device or file, of file access a directory; several are separated by commas.", default=None
    )
    scenario: str | None = key(
        "Scenario of the simulated array, absolute or relative to the plan.", default=None
    )
    size_bytes: int | None = key("The tested address range.", default=None, unset="the whole target", gt=0)
    block_size: Literal[512, 4096] = key("Logical block size.", default=512, unit="bytes")


class PlannedRules(Strict):
    """The rules, to the byte."""

    profile: str = key("Name of the rule profile, emerald-4.0.0.", min_length=1)
    sha256: str = key("Digest of its file.")
    version: str = key("Version of the specification.")
    unverified: list[str] = key("Rule values that the plan used and that are not verified.", default=[])


class PlanDeviation(Strict):
    """Why results of a plan are not Emerald results."""

    code: str = key("Stable name for programs: dry-run, modelled ...", min_length=1)
    text: str = key("A sentence.")


def _with_codes(value: Any) -> Any:
    """Plans of earlier versions have sentences without codes."""
    if not isinstance(value, list):
        return value
    return [{"code": "stated", "text": one} if isinstance(one, str) else one for one in value]


class Plan(Strict):
    """A whole measurement."""

    schema_: Literal["iowatt.emerald-plan/1"] = key("The version of this document.", alias="schema")
    name: str = key("Its name.", min_length=1)
    category: str = key(
        "Taxonomy category: online, near-online, removable-media-library, virtual-media-library."
    )
    class_: int | None = key("Class within the category.", default=None, alias="class")
    product: dict[str, Any] = key("Vendor, product and what the report says of them.", default={})
    rules: PlannedRules = key("The rules that it follows.")
    source: Source = key("The load generator.")
    target: Target = key("The system under test.")
    raw_capacity_bytes: int | None = key("Raw capacity, for the ready-idle metric.", default=None, gt=0)
    time_scale: float = key("Factor of all times; 1 for a measurement.", gt=0, le=1)
    deviations: Annotated[
        list[PlanDeviation], BeforeValidator(_with_codes, json_schema_input_type=list[PlanDeviation | str])
    ] = key("Why its results are not Emerald results; a text alone has no code.", default=[])
    seed: int = key("Of everything drawn.", default=1, ge=0)
    instruments: list[PlannedInstrument] = key("Meters and thermometers.", default=[])
    hosts: list[PlannedHost] = key(
        "Load hosts that make the requests together; none: the host that conducts makes them.", default=[]
    )
    script: PlannedScript | None = key(
        "Parameter files that are run in place of iowatt's own.", default=None, unset="iowatt's own"
    )
    stages: list[PlanStage] = key("In the order in which they are run, without a break.", min_length=1)

    def with_stages(self, chosen: Callable[[PlanStage], bool], **update: Any) -> Plan:
        """The plan with other values in the stages that ``chosen`` accepts."""
        stages = [stage.model_copy(update=update) if chosen(stage) else stage for stage in self.stages]
        return self.model_copy(update={"stages": stages})

    @property
    def system_class(self) -> str:
        """Category and class: ``online-3``."""
        return self.category if self.class_ is None else f"{self.category}-{self.class_}"
