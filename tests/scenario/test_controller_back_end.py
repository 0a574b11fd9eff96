"""The controller's back end: its keys, its plan, and that nothing of it is there where it takes no time."""

from __future__ import annotations

import pytest

from iowatt.base.problems import DocumentError
from iowatt.model.scenario import compile_plan, load
from refused import faults

TEXT = """\
name = "c"
[[array.pool]]
name = "p"
device = "arrays2002-disk"
count = 3
raid = { level = 5 }
[observe]
duration = "1h"
[array.controller]
"""
KEY = "array.controller.back_end"


def controller(text, *sets):
    return compile_plan(load(TEXT + text, sets))["simulation"]["controller"]


def test_a_back_end_is_a_controller_by_itself():
    assert controller('back_end = { command = "25us" }') == {
        "processing": None,
        "back_end": {"command_s": 25e-6, "processors": 1, "write_command_s": 0.0, "write_processors": 1},
        "host_bandwidth_bytes_per_s": None,
        "cache": None,
        "split": None,
        "zero_detect": False,
        "losses": [],
    }


def test_all_keys_and_the_paths_to_them():
    text = 'back_end = { command = "25us", write_command = "33us", processors = 2, write_processors = 3 }'
    found = controller(text, f"{KEY}.command=30us")
    assert found["back_end"] == {
        "command_s": 30e-6,
        "processors": 2,
        "write_command_s": 33e-6,
        "write_processors": 3,
    }
    swept = controller("", f"{KEY}.write_command=40us")
    assert swept["back_end"]["write_command_s"] == 40e-6


@pytest.mark.parametrize("text", ["", "back_end = {}", 'back_end = { command = "0s", processors = 8 }'])
def test_what_takes_no_time_leaves_no_trace_in_the_plan(text):
    assert controller(text) is None
    beside = controller(text + '\nprocessing = { read = "20us" }')
    assert "back_end" not in beside


@pytest.mark.parametrize(
    ("text", "fault", "figures"),
    [
        ('command = "25"', "bad-syntax @ array.controller.back_end.command", []),
        ("command = 25e-6", "bad-syntax @ array.controller.back_end.command", []),
        ('command = "-25us"', "out-of-range @ array.controller.back_end.command", []),
        ("processors = 0", "out-of-range @ array.controller.back_end.processors", ["1"]),
        ("write_processors = 1025", "out-of-range @ array.controller.back_end.write_processors", ["1024"]),
        ('commands = "25us"', "unknown-key @ array.controller.back_end.commands", []),
    ],
)
def test_what_does_not_fit(text, fault, figures):
    with pytest.raises(DocumentError) as caught:
        load(TEXT + f"back_end = {{ {text} }}")
    assert faults(caught.value) == fault
    assert [figure for figure in figures if figure not in str(caught.value)] == []
