"""Modbus against the server of pymodbus: both functions, all types, and its exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import MeterError
from loopback.pymodbus import pymodbus_device
from refused import refused

HOLDING = {40: ("s32", 2405), 53: ("s16", -972), 60: ("u16", 500)}
INPUTS = {52: ("f32", 240.5), 60: ("f64", 230.25), 70: ("u64", 1 << 40), 80: ("u32", 3_000_000_000)}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with pymodbus_device(3, HOLDING, INPUTS) as found:
        yield found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        (
            "watts=40:s32:0.1&power-factor=53:s16:0.001&hertz=60:u16:0.1",
            {"watts": 240.5, "power_factor": -0.972, "hertz": 50.0},
        ),
        (
            "watts=52:f32&volts=60:f64&amperes=70:u64&celsius=80:u32:1e-8&function=input",
            {"watts": 240.5, "volts": 230.25, "amperes": float(1 << 40), "celsius": 30.0},
        ),
    ],
)
def test_values_are_those_of_the_device(port: int, query: str, found: dict[str, float]) -> None:
    meter = source.meter(f"modbus://127.0.0.1:{port}/3?{query}")
    meter.open()
    assert meter.read().quantities == found
    meter.close()


def test_a_register_that_it_lacks_is_named(port: int) -> None:
    with refused("unknown-name", re.compile(f"127.0.0.1:{port}/3$"), MeterError) as caught:
        source.meter(f"modbus://127.0.0.1:{port}/3?watts=900:f32").open()
    assert "900" in caught.value.message
