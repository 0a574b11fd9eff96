"""The formats that a scenario may name are those that the decoder has."""

from __future__ import annotations

import json
from typing import get_args

from iowatt import core
from iowatt.model.recorded_trace import TraceFormat


def test_scenarios_and_the_decoder_know_the_same_formats():
    assert {entry["name"] for entry in json.loads(core.trace_formats())} == set(get_args(TraceFormat))
