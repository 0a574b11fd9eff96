"""A meter over Modbus TCP: profiles, registers of the address, what meters and gateways answer instead."""

from __future__ import annotations

import json
import math
import re
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from iowatt.cli.main import app
from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import Meter, MeterError
from iowatt.sources.meters.modbus_connection import EXCEPTIONS, FUNCTIONS
from iowatt.sources.meters.modbus_profiles import Registers, profiles
from loopback.modbus import WATTS, ModbusDevice, modbus_device
from refused import refused

PLACE = re.compile("^modbus://127")


@pytest.fixture
def device() -> Iterator[ModbusDevice]:
    with modbus_device() as found:
        yield found


@pytest.fixture
def meter(device: ModbusDevice) -> Iterator[Meter]:
    found = source.meter(device.address(watts="0x34:f32", volts="42:f32", function="input"))
    yield found
    found.close()


def taken(meter: Meter) -> dict[str, float]:
    try:
        meter.open()
        return dict(meter.read().quantities)
    finally:
        meter.close()


def serve(device: ModbusDevice, function: str, registers: Registers, first: float) -> dict[str, float]:
    """Put a value of its own into each register; the values by quantity."""
    values = {}
    for place, (quantity, one) in enumerate(registers.items()):
        raw = first + place if one.type.startswith("f") else round(first + place)
        device.put(FUNCTIONS[function], one.number, one.type, raw, little=one.order == "little")
        values[quantity] = raw * float(one.scale)
    return values


@pytest.mark.parametrize("name", profiles())
def test_a_profile_is_read_as_a_whole_and_by_phase(device: ModbusDevice, name: str) -> None:
    profile = profiles()[name]
    channels = {"total": profile.total, **{str(at + 1): one for at, one in enumerate(profile.phases)}}
    served = {
        phase: serve(device, profile.function, registers, 100 + 50 * at)
        for at, (phase, registers) in enumerate(channels.items())
    }
    for phase, values in served.items():
        assert taken(source.meter(device.address(profile=name, phase=phase))) == pytest.approx(values)
    assert {function for function, *_ in device.asked} == {FUNCTIONS[profile.function]}


def test_it_says_where_its_registers_are_from(device: ModbusDevice) -> None:
    meter = source.meter(device.address(profile="sdm630"))
    instrument = meter.open()
    meter.close()
    assert (instrument.kind, instrument.grade, instrument.model) == ("modbus", "indicative", None)
    assert instrument.details["source"] == profiles()["sdm630"].source
    assert instrument.details["registers"] == "input, watts 52:f32, volts 42:f32"


def test_a_register_of_a_profile_that_the_meter_lacks_is_left_out(device: ModbusDevice) -> None:
    assert taken(source.meter(device.address(profile="sdm630"))) == {"watts": 240.0, "volts": 230.0}
    del device.words[4, WATTS]
    with refused("unknown-name", PLACE, MeterError):
        source.meter(device.address(profile="sdm630")).open()


def test_registers_of_the_address_must_all_be_there(device: ModbusDevice) -> None:
    with refused("unknown-name", PLACE, MeterError) as caught:
        source.meter(device.address(watts="0x34:f32", hertz="0x46:f32", function="input")).open()
    assert "register 70" in caught.value.message


def test_registers_of_the_address_with_scale_and_order(device: ModbusDevice) -> None:
    device.put(3, 40, "s32", 2405, little=True)
    device.put(3, 53, "s16", -972)
    found = taken(source.meter(device.address(watts="40:s32:0.1:little", power_factor="53:s16:0.001")))
    assert found == {"watts": 240.5, "power_factor": -0.972}


def test_the_watts_follow_the_device_at_the_time_of_the_answer(device: ModbusDevice, meter: Meter) -> None:
    meter.open()
    device.set(344.5)
    before = time.time()
    reading = meter.read()
    assert before <= reading.time_s <= time.time()
    assert reading.quantities["watts"] == 344.5


def test_an_energy_counter_gives_what_it_counted_since(device: ModbusDevice) -> None:
    device.put(3, 10, "u32", 1000)
    device.put(3, 20, "u16", 240)
    meter = source.meter(device.address(watts="20:u16", joules="10:u32:3600"))
    meter.open()
    assert meter.read().quantities == {"watts": 240.0}
    device.put(3, 10, "u32", 1003)
    assert meter.read().quantities["joules"] == 3 * 3600.0
    device.put(3, 10, "u32", 2)  # it was set back
    assert meter.read().quantities == {"watts": 240.0}
    device.put(3, 10, "u32", 3)
    device.exception = 6
    with refused("tool-failed", PLACE, MeterError):
        meter.read()
    device.exception = None
    assert meter.read().quantities == {"watts": 240.0}
    meter.close()


@pytest.mark.parametrize("number", [*EXCEPTIONS, 9])
def test_an_exception_has_its_number_and_leaves_the_connection(
    device: ModbusDevice, meter: Meter, number: int
) -> None:
    meter.open()
    device.exception = number
    code = EXCEPTIONS.get(number, ("", "tool-failed"))[1]
    with refused(code, f"modbus://127.0.0.1:{device.port}/1", MeterError) as caught:
        meter.read()
    assert f"exception {number} " in caught.value.message
    device.exception = None
    device.set(250.0)
    assert meter.read().quantities["watts"] == 250.0
    assert device.connections == 1


@pytest.mark.parametrize(
    ("off", "named"),
    [((1, 0, 0), "transaction"), ((0, 1, 0), "unit 2"), ((0, 0, 2), "06"), ((0, 0, -2), "02")],
)
def test_an_answer_to_another_question_is_refused(
    device: ModbusDevice, meter: Meter, off: tuple[int, int, int], named: str
) -> None:
    meter.open()
    device.off = off
    with refused("tool-output", PLACE, MeterError) as caught:
        meter.read()
    assert named in caught.value.message
    device.off = (0, 0, 0)
    assert meter.read().quantities["watts"] == 240.0
    assert device.connections == 2  # what may come late is of the old one


def frame(transaction: int, protocol: int, body: bytes, length: int | None = None) -> bytes:
    return struct.pack(">HHHB", transaction, protocol, len(body) + 1 if length is None else length, 1) + body


@pytest.mark.parametrize(
    ("instead", "code"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "tool-output"),
        (frame(1, 1, b"\x04\x04\0\0\0\0"), "tool-output"),  # another protocol
        (frame(1, 0, b"\x04\x04\0\0\0\0", 1), "tool-output"),  # no length that a frame has
        (frame(1, 0, b"\x04\x04\0\0\0\0", 300), "tool-output"),
        (frame(1, 0, b"\x03\x04\0\0\0\0"), "tool-output"),  # another function
        (frame(1, 0, b"\x84\x02\0\0"), "tool-output"),  # an exception with something behind it
        (frame(1, 0, b"\x04\x04\0\0"), "tool-output"),  # fewer registers than it says
        (frame(1, 0, b"\x04\x04\0\0", 7), "unreachable"),  # ends within a frame
        (b"\0\x01\0", "unreachable"),
        (b"", "unreachable"),
    ],
)
def test_an_answer_that_is_none_is_refused(
    device: ModbusDevice, meter: Meter, instead: bytes, code: str
) -> None:
    device.instead = instead
    with refused(code, PLACE, MeterError):
        meter.open()
    device.instead = None
    meter.open()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=40), st.booleans())
def test_whatever_comes_is_a_reading_or_refused(device: ModbusDevice, tail: bytes, framed: bool) -> None:
    device.instead = frame(1, 0, tail) if framed else tail
    meter = source.meter(device.address(watts="0x34:f32", function="input"))
    try:
        meter.open()
        assert math.isfinite(meter.read().quantities["watts"])
    except MeterError:
        pass
    finally:
        meter.close()


def test_another_unit_behind_a_gateway_is_silent(device: ModbusDevice) -> None:
    meter = source.meter(device.address("7", timeout=0.2, profile="sdm630"))
    with refused("unreachable", f"modbus://127.0.0.1:{device.port}/7", MeterError) as caught:
        meter.open()
    assert "UNIT" in (caught.value.hint or "")
    device.unit = 7
    assert taken(meter)["watts"] == 240.0


def test_an_answer_in_pieces_is_waited_for_no_longer_than_the_timeout(device: ModbusDevice) -> None:
    device.delay_s = 0.01
    text = device.address(timeout=5, watts="0x34:f32", function="input")
    assert taken(source.meter(text)) == {"watts": 240.0}
    device.delay_s = 0.1  # each byte in time, the whole not
    with refused("unreachable", PLACE, MeterError):
        source.meter(device.address(timeout=0.3, watts="0x34:f32", function="input")).open()


def test_a_value_that_the_meter_does_not_have_is_no_reading(device: ModbusDevice, meter: Meter) -> None:
    meter.open()
    device.put(4, 42, "f32", math.nan)
    assert meter.read().quantities == {"watts": 240.0}
    device.put(4, WATTS, "f32", math.nan)
    with refused("missing-figure", PLACE, MeterError):
        meter.read()
    device.set(260.0)
    assert meter.read().quantities["watts"] == 260.0


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("modbus:///1?profile=sdm630", "missing", "host"),
        ("modbus://h/1", "missing", "registers"),
        ("modbus://h/256?profile=sdm630", "out-of-range", "'256'"),
        ("modbus://h/one?profile=sdm630", "out-of-range", "'one'"),
        ("modbus://h/1?profile=sdm63", "unknown-name", "'sdm63'"),
        ("modbus://h/1?profile=sdm630&phase=4", "not-accepted", "'4'"),
        ("modbus://h/1?profile=sdm230&phase=1", "not-accepted", "'1'"),
        ("modbus://h/1?profile=sdm630&volts=1:f32", "conflict", "volts"),
        ("modbus://h/1?profile=sdm630&function=input", "conflict", "function"),
        ("modbus://h/1?watts=1:f32&phase=1", "not-applicable", "phase"),
        ("modbus://h/1?watts=1:f32&function=coils", "not-accepted", "'coils'"),
        ("modbus://h/1?watts=1", "bad-syntax", "watts: "),
        ("modbus://h/1?watts=1:f32&power-factor=1:f31", "bad-syntax", "power-factor: "),
        ("modbus://h/1?joules=1:u32", "missing", "counter"),
        ("modbus://h/1?profile=sdm630&timeout=soon", "out-of-range", "timeout='soon'"),
    ],
)
def test_a_wrong_address_is_refused_before_anything_is_sent(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^modbus:")) as caught:
        source.meter(url)
    assert named in caught.value.message


def test_the_verbs_list_read_and_record_it(device: ModbusDevice, tmp_path: Path) -> None:
    def run(*words: str) -> dict[str, object]:
        found = CliRunner().invoke(app, ["meter", *words, "--json"], catch_exceptions=False)
        assert found.exit_code == 0, found.output
        document: dict[str, object] = json.loads(found.stdout)
        return document

    url = device.address(profile="sdm630")
    (kind,) = run("list", "modbus")["kinds"]  # type: ignore[misc]
    assert (kind["scheme"], kind["live"], kind["declarable"]) == ("modbus", True, True)
    (read,) = run("read", url)["instruments"]  # type: ignore[misc]
    assert read["readings"][0]["watts"] == 240.0
    words = ("record", f"wall={url}", "-o", str(tmp_path), "--sample-interval", "50ms", "--duration", "500ms")
    (made,) = run(*words)["recordings"]  # type: ignore[misc]
    assert made["quantities"]["watts"]["mean"] == 240.0
    assert made["instrument"]["kind"] == "modbus" and (tmp_path / "wall.csv").exists()
