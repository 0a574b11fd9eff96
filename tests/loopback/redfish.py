"""A Redfish service on loopback: a mock-up, a folder of `index.json` files, served by sushy-tools.

DMTF's own mock-up server serves the same format but is in no package registry; sushy-static (OpenStack) is.
It reads the files at each request, so watts follow what is written. The mock-up is ours: one chassis for
each way in which controllers have said their power.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import needs
from loopback.process import Server, answers, free_port

Json = dict[str, Any]
_ROOT = "/redfish/v1"


def _link(path: str) -> Json:
    return {"@odata.id": f"{_ROOT}/{path}"}


def _collection(path: str, names: list[str]) -> Json:
    members = [_link(f"{path}/{name}") for name in names]
    return {"Members": members, "Members@odata.count": len(members)}


def _sensor(name: str, watts: float | None, context: str, kind: str = "Power") -> Json:
    units = {"Power": "W", "Temperature": "Cel"}[kind]
    return {
        "Id": name,
        "ReadingType": kind,
        "ReadingUnits": units,
        "PhysicalContext": context,
        "Reading": watts,
        "AveragingInterval": "PT20S",
    }


def mockup(watts: float) -> Mapping[str, Json]:
    """Documents by path below the root."""
    old = {
        "MemberId": "0",
        "Name": "System Power",
        "PowerConsumedWatts": watts,
        "PowerMetrics": {"IntervalInMin": 20},
    }
    chassis: dict[str, Json] = {
        "Modern": {
            "Manufacturer": "Contoso",
            "Model": "3500RX",
            "SerialNumber": "437XR1138R2",
            "EnvironmentMetrics": _link("Chassis/Modern/EnvironmentMetrics"),
            "Sensors": _link("Chassis/Sensors/Sensors"),
            "Power": _link("Chassis/Old/Power"),
        },
        "Sensors": {
            "EnvironmentMetrics": _link("Chassis/Sensors/EnvironmentMetrics"),
            "Sensors": _link("Chassis/Sensors/Sensors"),
        },
        "Supplies": {"Sensors": _link("Chassis/Supplies/Sensors")},
        "Old": {"Model": "Older", "Power": _link("Chassis/Old/Power")},
        "Blades": {"Power": _link("Chassis/Blades/Power")},
        "Bare": {"EnvironmentMetrics": _link("Chassis/Bare/EnvironmentMetrics")},
    }
    for name, each in chassis.items():
        each |= {"Id": name, **_link(f"Chassis/{name}")}
    sensors = {
        "TotalPower": _sensor("TotalPower", watts, "Chassis"),
        "PS1InputPower": _sensor("PS1InputPower", watts / 2, "PowerSupply"),
        "CPU1Power": _sensor("CPU1Power", 90, "CPU"),
        "Intake": _sensor("Intake", 24.8, "Intake", "Temperature"),
    }
    supplies = {name: _sensor(name, watts / 2, "PowerSupply") for name in ("PS1", "PS2")}
    return {
        "": {"Id": "RootService", "RedfishVersion": "1.15.0", "Chassis": _link("Chassis")},
        "Chassis": _collection("Chassis", list(chassis)),
        **{f"Chassis/{name}": each for name, each in chassis.items()},
        "Chassis/Modern/EnvironmentMetrics": {"PowerWatts": {"Reading": watts, "DataSourceUri": "..."}},
        # A service of Redfish 2019: temperature is there, power is not.
        "Chassis/Sensors/EnvironmentMetrics": {"TemperatureCelsius": {"Reading": 24.8}},
        "Chassis/Sensors/Sensors": _collection("Chassis/Sensors/Sensors", list(sensors)),
        **{f"Chassis/Sensors/Sensors/{name}": each for name, each in sensors.items()},
        "Chassis/Supplies/Sensors": _collection("Chassis/Supplies/Sensors", list(supplies)),
        **{f"Chassis/Supplies/Sensors/{name}": each for name, each in supplies.items()},
        "Chassis/Old/Power": {"PowerControl": [old]},
        "Chassis/Blades/Power": {
            "PowerControl": [old | {"Name": "Left"}, old | {"Name": "Right", "PowerConsumedWatts": 2 * watts}]
        },
        "Chassis/Bare/EnvironmentMetrics": {"PowerWatts": {"Reading": None}},
    }


class Bmc:
    """The service; ``set`` makes all its chassis draw something else."""

    def __init__(self, server: Server, port: int, folder: Path) -> None:
        self._server = server
        self.port = port
        self.folder = folder

    def set(self, watts: float) -> None:
        """From now on the chassis say this."""
        for path, document in mockup(watts).items():
            file = self.folder / path / "index.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            staging = file.with_suffix(".new")
            staging.write_text(json.dumps({"@odata.id": f"{_ROOT}/{path}", **document}))
            staging.replace(file)

    def write(self, path: str, text: str) -> None:
        """What the service says at a path from now on, whatever it is."""
        (self.folder / path / "index.json").write_text(text)

    def address(self, chassis: str, **options: object) -> str:
        """The address of a chassis, quick to give up."""
        query = "&".join(f"{key}={value}" for key, value in {"tls": "no", "timeout": 2, **options}.items())
        return f"redfish://127.0.0.1:{self.port}/{chassis}?{query}"

    def stop(self) -> None:
        """It answers no more."""
        self._server.stop()

    def start(self) -> None:
        """It answers again."""
        self._server.start()


@contextmanager
def bmc(folder: Path, watts: float = 344.0) -> Iterator[Bmc]:
    """sushy-static with the mock-up, on a free port."""
    needs.modules("sushy_tools", "httpx")
    port = free_port()
    command = [sys.executable, "-m", "sushy_tools.static.main"]
    command += ["--interface", "127.0.0.1", "--port", str(port), "--mockup-files", str(folder / "mockup")]
    server = Server(command, folder / "redfish.log", answers(port))
    service = Bmc(server, port, folder / "mockup")
    service.set(watts)
    server.start()
    try:
        yield service
    finally:
        server.stop()
