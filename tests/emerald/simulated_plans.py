"""Plans for a small simulated array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from iowatt.emerald.conduct.drivers.simulation import SimulationDriver
from iowatt.emerald.plan.model import Plan
from iowatt.run.bundle import Run

ARRAY = """
name = "small"

[[workload]]
name = "other"
volume = "beside"
profile = { name = "uniform", rate_iops = 10, duration = "1s" }

[[array.pool]]
name = "disks"
device = "hgst-ultrastar-c10k900-900gb"
count = 4
raid = { level = 5, stripe_unit = "64KiB" }

[[array.volume]]
name = "tested"
pool = "disks"
capacity = "1GiB"

[[array.volume]]
name = "beside"
pool = "disks"
capacity = "1GiB"
"""
CACHE = """
[array.controller]
processing = { read = "100us", write = "150us", processors = 2 }

[array.controller.cache]
size = "8MiB"
line = "16KiB"
write = "back"
"""
POWER = """
[[array.power.enclosure]]
name = "shelf"
pools = ["disks"]
slots = 12
supply = { rating = "600W", count = 2, needed = 1 }

[[array.power.enclosure.part]]
name = "controller"
model = "stand-in-controller"
count = 2
"""
SSD = """
name = "flash"

[[array.pool]]
name = "flash"
device = { name = "intel-dc-s4600-1-92tb", capacity = "64GB" }
count = 2
raid = { level = 1 }
"""


def stages_of(phase: str, *, warmup: float = 2.0, measured: float = 6.0, **load: Any) -> list[dict[str, Any]]:
    common = {"phase": phase, "workload": phase, "interval_s": 1.0, **load}
    return [
        {"id": f"{phase}-warmup", "role": "warmup", "seconds": warmup, **common},
        {"id": phase, "role": "measurement", "seconds": measured, **common},
    ]


def conditioning(**load: Any) -> dict[str, Any]:
    given = {"workload": "HB", "seconds": 3.0, "interval_s": 1.0, **load}
    return {"id": "conditioning", "phase": "conditioning", "role": "conditioning", **given}


IDLE = {"id": "ready-idle", "phase": "RI", "role": "idle", "seconds": 10.0, "interval_s": 1.0}
FILL = {
    "id": "prefill", "phase": "prefill", "role": "prefill", "workload": "fill", "interval_s": 1.0,
    "closed": True, "outstanding": 8, "streams": 2,
}  # fmt: skip


def plan_of(folder: Path, stages: list[dict[str, Any]], text: str = ARRAY, **target: Any) -> Plan:
    (folder / "array.toml").write_text(text, "utf-8")
    return Plan.model_validate(
        {
            "schema": "iowatt.emerald-plan/1",
            "name": "trial",
            "category": "online",
            "rules": {"profile": "emerald-4.0.0", "sha256": "0", "version": "4.0.0"},
            "source": "simulation",
            "target": {"scenario": "array.toml", **target},
            "time_scale": 0.01,
            "stages": stages,
        }
    )


def stage_of(plan: Plan, name: str) -> Any:
    return next(stage for stage in plan.stages if stage.id == name)


def simulated(folder: Path, plan: Plan, name: str) -> Run:
    return SimulationDriver(folder).simulate(plan, stage_of(plan, name))
