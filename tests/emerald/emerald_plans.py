"""Plans that several tests are about."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from iowatt.emerald.plan import PlanRequest
from iowatt.emerald.plan.build import build
from iowatt.emerald.plan.model import PLAN_SCHEMA, Plan

RATES = {"HB": 4000.0, "RR": 2000.0, "RW": 900.0}


def plan(tmp_path, **asked):
    """A plan for a file of 64 MiB that need not be there, at known rates."""
    given = {
        "category": "online",
        "source": "fio",
        "targets": [str(tmp_path / "t.dat")],
        "size_bytes": 64 << 20,
        "rates": RATES,
        **asked,
    }
    return build(PlanRequest(**given), tmp_path)[0]


def with_stage(path, size, **stage):
    """A plan of one stage."""
    given = {"id": "one", "phase": "one", "role": "measurement", "interval_s": 1.0, **stage}
    return Plan.model_validate(
        {
            "schema": PLAN_SCHEMA,
            "name": "one",
            "category": "online",
            "rules": {"profile": "emerald-4.0.0", "sha256": "0", "version": "4.0.0"},
            "source": "fio",
            "target": {"path": str(path), "size_bytes": size},
            "time_scale": 1.0,
            "stages": [given],
        }
    )


def by_id(plan):
    """Its stages."""
    return {stage.id: stage for stage in plan.stages}


def run_fio(text, folder: Path):
    """The jobs of fio's result by name, each (requests, bytes)."""
    (folder / "job.fio").write_text(text)
    words = ["fio", "--output-format=json+", "--output=fio.json", "job.fio"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    found = {}
    for job in json.loads((folder / "fio.json").read_text())["jobs"]:
        assert job["error"] == 0
        both = [job[op] for op in ("read", "write")]
        requests, size = found.get(job["jobname"], (0, 0))
        found[job["jobname"]] = (
            requests + sum(one["total_ios"] for one in both),
            size + sum(one["io_bytes"] for one in both),
        )
    return found
