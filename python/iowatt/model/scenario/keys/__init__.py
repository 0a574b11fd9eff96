"""The tables of a scenario file, as pydantic models: names, units, defaults and what each key means."""

from iowatt.model.scenario.keys.array import Chunklet, DeviceChoice, ParityLayout, Pool, Raid, RaidLevel
from iowatt.model.scenario.keys.controller import ControllerKeys
from iowatt.model.scenario.keys.scenario import Scenario
from iowatt.model.scenario.keys.workload import ClosedReplay, OpenReplay, ProfileChoice, WorkloadKeys

__all__ = [
    "Chunklet",
    "ClosedReplay",
    "ControllerKeys",
    "DeviceChoice",
    "OpenReplay",
    "ParityLayout",
    "Pool",
    "ProfileChoice",
    "Raid",
    "RaidLevel",
    "Scenario",
    "WorkloadKeys",
]
