"""Fixtures for every test. That this file exists also puts ``tests/`` on the path, for ``handmade``."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

import handmade
from iowatt.run.bundle import Run
from iowatt.run.record import Cost
from iowatt.run.summary import summarise
from iowatt.run.summary_schema import Host, Input, Provenance
from iowatt.sources.simulator import build_record

# Whatever profile holds here (CI's has examples of its own), how long an example takes is nobody's failure.
settings.register_profile("untimed", parent=settings(), deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def record() -> Any:
    """The record of the run worked out in ``handmade``."""
    cost = Cost(wall_s=2.0, cpu_s=4.0, requests=8, peak_rss_mib=100.0)
    return build_record(handmade.plan(), handmade.decoded(), [], 'name = "handmade"\n', cost)


@pytest.fixture
def provenance() -> Any:
    """Provenance that never changes."""
    return Provenance(
        version="0.0.0",
        seed=7,
        inputs=[Input(path="trace.csv", size=3, sha256="ab" * 32)],
        scenario_sha256="cd" * 32,
        host=Host(name="here", system="Test 1", machine="x", cpus=2),
        started_at="2026-01-02T03:04:05Z",
        python="3.11.0",
        command="iowatt run scenario.toml",
    )


@pytest.fixture
def run(record: Any, provenance: Any) -> Any:
    """The same as a Run in memory."""
    return Run(
        summary=summarise(record, provenance).as_dict(),
        plan=dict(record.plan),
        scenario_text=record.scenario_text,
        tables=vars(record.tables),
    )
