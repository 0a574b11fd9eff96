"""A scenario that is an M/D/1 queue: writes of zeros, which a controller answers after a millisecond."""

from __future__ import annotations

from pathlib import Path

from iowatt.base.document import TomlDocument
from iowatt.evaluate.search.rate import RateRequest, RateResult, search_scenario
from iowatt.model.scenario.keys.scenario import Scenario

STATION = """\
name = "station"
seed = 1

[[workload]]
name = "zeros"
profile = { name = "uniform", requests = 4000, span = "1GB", set = ["stream.uniform.read_share=0"] }
zero_share = 1.0

[[array.pool]]
name = "disks"
device = "arrays2002-disk"
count = 1

[array.controller]
processing = { write = "1ms" }
zero_detect = true
"""


def scenario(text: str, overrides: list[str] | None = None) -> Scenario:
    return TomlDocument(text, "station.toml", overrides or []).validate(Scenario)


def found(request: RateRequest, text: str = STATION, overrides: list[str] | None = None) -> RateResult:
    return search_scenario(scenario(text, overrides), Path(), text, request)
