"""A scenario: workloads, the array that serves them, and what is observed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from iowatt.base import units
from iowatt.base.errors import BadValueError
from iowatt.base.quantity import Duration
from iowatt.base.strict import Strict, key
from iowatt.model.heat import EXTENTS_MADE, EXTENTS_TRACED, HeatKeys
from iowatt.model.scenario.keys.array import ArrayKeys
from iowatt.model.scenario.keys.cluster import ClusterKeys
from iowatt.model.scenario.keys.path import PathKeys
from iowatt.model.scenario.keys.replication import ReplicationKeys
from iowatt.model.scenario.keys.workload import WorkloadKeys


def _warmup(value: Any) -> Any:
    if value == "auto":
        return value
    try:
        return units.parse_duration(value)
    except BadValueError as error:
        raise BadValueError(error.code, None, f"{error.message}, or 'auto'") from None


class Observe(Strict):
    """Over which window, and how finely."""

    interval: Duration | None = key(
        "Interval of the time series.",
        unset="starts at 1 s and doubles as needed to limit their number",
        example="60s",
        ge=1e-3,
    )
    series: Duration | None = key(
        "Width of the time blocks for response-time histograms, in the Run's table `series`.",
        unset="starts at 1 ms and doubles as needed for at most 512 blocks",
        example="1s",
        ge=1e-3,
    )
    warmup: Annotated[
        float | Literal["auto"],
        BeforeValidator(_warmup),
        WithJsonSchema(
            {
                "type": "string",
                "examples": ["0s", "5min", "auto"],
                "x-accepts": f"{units.DURATION}, or 'auto'",
            }
        ),
    ] = key(
        "Warm-up time, excluded from every figure; `auto` finds the end of the transient from response "
        "times.",
        default=0.0,
        unit="s",
        example="5min",
    )
    duration: Duration | None = key(
        "Simulated time, including warm-up. Required if there is no workload.",
        unset="until the last request completes",
        example="1h",
        gt=0,
    )
    idle: bool | None = key(
        "Record the drives' idle periods in the Run's table `idle`, for `iowatt idle`. true: all. false: "
        "none.",
        unset="`iowatt run` keeps the 131,072 longest and counts the others by length; the points of a "
        "sweep keep none",
        example=True,
    )
    heat: HeatKeys | Literal[False] | None = key(
        "Record where requests go, by extent and period, in the Run's table `heat`, for `iowatt heat`. "
        "`heat = {}` takes all defaults. false: not recorded.",
        unset="`iowatt run` records it in front, and behind where a cache lies between, by "
        "extents of 64 MiB, doubled until workloads reach at most "
        f"{EXTENTS_MADE:,} of them ({EXTENTS_TRACED:,} with a trace); points of "
        "a sweep do not",
        example={"extent": "64MiB", "points": ["front", "back"]},
    )


class Scenario(Strict):
    """One storage system, its workloads, and what is observed."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)] = key(
        "Name of the scenario; the default name of its results.", example="tpcc-raid5"
    )
    seed: int = key(
        "Random seed; the same seed gives the same figures.",
        default=1,
        within=(0, 2**63 - 1),
        example=1,
    )
    workload: list[WorkloadKeys] = key(
        "Request streams. May be empty if observe.duration is given (an idle array).",
        default=[],
    )
    array: ArrayKeys = key(
        "The storage system: pools of drives, volumes on them, buses and a controller.",
        default=ArrayKeys(),
        unset="a cluster is given instead",
    )
    cluster: list[ClusterKeys] = key(
        "Scale-out systems: racks of servers whose drives form pools over the network.", default=[]
    )
    path: list[PathKeys] = key(
        "Paths from workloads to the array: adapters, links, switches, target ports. A workload without a "
        "path reaches the array with no delay.",
        default=[],
    )
    replication: list[ReplicationKeys] = key("Volumes with copies on a remote array.", default=[])
    observe: Observe = key("What is observed.", default=Observe())

    @property
    def volume_names(self) -> list[str]:
        """Names of all volumes in their order, those that follow from pools where none is given."""
        return [*self.array.volume_names, *(name for one in self.cluster for name in one.volume_names)]

    @property
    def has_wall_power(self) -> bool:
        """Whether watts at the wall are modelled."""
        return self.array.has_wall_power or bool(self.cluster)
