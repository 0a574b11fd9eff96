"""IPMI: ipmitool against a controller of pyghmi that answers DCMI power readings."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import MeterError
from iowatt.sources.meters.network import AVERAGED
from loopback.ipmi import Controller
from refused import refused


@pytest.fixture(autouse=True)
def mended(controller: Controller) -> Iterator[None]:
    controller.set(278)
    yield


def test_watts_follow_what_the_controller_says(controller: Controller) -> None:
    meter = source.meter(controller.address())
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("ipmi", "indicative")
    assert instrument.details[AVERAGED] == "1 s"
    assert meter.read().quantities == {"watts": 278.0}
    controller.set(1203)
    assert meter.read().quantities == {"watts": 1203.0}
    meter.close()


def test_readings_that_are_not_active_are_no_zero(controller: Controller) -> None:
    meter = source.meter(controller.address())
    meter.open()
    controller.set("off")
    with refused("missing-figure", re.compile("^ipmi://127"), MeterError):
        meter.read()
    controller.set("refused")
    with refused("tool-failed", re.compile("^ipmi://127"), MeterError):
        meter.read()
    controller.set(279)
    assert meter.read().quantities == {"watts": 279.0}


def test_the_password_is_in_neither_the_arguments_nor_the_record(
    controller: Controller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tool = tmp_path / "ipmitool"
    tool.write_text(
        '#!/bin/sh\necho "$@" >> "$0.said"\nexec /usr/bin/env -u X REAL "$@"\n'.replace("REAL", _real())
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("BMC_PASSWORD", "let me in")
    meter = source.meter(controller.address("env:BMC_PASSWORD"))
    instrument = meter.open()
    said = (tmp_path / "ipmitool.said").read_text()
    assert said.split()[-3:] == ["dcmi", "power", "reading"]
    assert os.environ["BMC_PASSWORD"] not in said + repr(instrument)


def _real() -> str:
    import shutil

    found = shutil.which("ipmitool")
    assert found
    return found


def test_a_wrong_password_is_a_meter_error(controller: Controller) -> None:
    with refused("tool-failed", re.compile("^ipmi://127"), MeterError):
        source.meter(controller.address("wrong")).open()


def test_a_program_that_is_not_there_is_named(
    controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with refused("tool-missing", re.compile("^ipmi://")) as caught:
        source.meter(controller.address()).open()
    assert "ipmitool" in caught.value.message


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("ipmi://h/1", "not-applicable", ""),
        ("ipmi://h?interface=open", "conflict", "interface=open"),
        ("ipmi:?interface=lan", "conflict", "interface=lan"),
        ("ipmi://h?cipher=99", "out-of-range", "cipher='99'"),
        ("ipmi://h?privilege=root", "not-accepted", "privilege='root'"),
    ],
)
def test_a_wrong_address_is_refused(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^ipmi:")) as caught:
        source.meter(url)
    assert named in caught.value.message
