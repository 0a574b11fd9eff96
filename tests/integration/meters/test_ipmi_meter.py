"""IPMI: ipmitool against a controller of pyghmi that answers DCMI power readings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iowatt.base.errors import InputError
from iowatt.sources.meters import source
from iowatt.sources.meters.meter import MeterError
from loopback.ipmi import Controller


@pytest.fixture(autouse=True)
def mended(controller: Controller) -> Iterator[None]:
    controller.set(278)
    yield


def test_watts_follow_what_the_controller_says(controller: Controller) -> None:
    meter = source.meter(controller.address())
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("ipmi", "indicative")
    assert instrument.details["averaged over"] == "1 s"
    assert meter.read().quantities == {"watts": 278.0}
    controller.set(1203)
    assert meter.read().quantities == {"watts": 1203.0}
    meter.close()


def test_readings_that_are_not_active_are_no_zero(controller: Controller) -> None:
    meter = source.meter(controller.address())
    meter.open()
    controller.set("off")
    with pytest.raises(MeterError, match="deactivated"):
        meter.read()
    controller.set("refused")
    with pytest.raises(MeterError, match="not supported in present state"):
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
    assert "dcmi power reading" in said
    assert "let me in" not in said + repr(instrument)


def _real() -> str:
    import shutil

    found = shutil.which("ipmitool")
    assert found
    return found


def test_a_wrong_password_is_a_meter_error(controller: Controller) -> None:
    with pytest.raises(MeterError, match="Unable to establish"):
        source.meter(controller.address("wrong")).open()


def test_a_program_that_is_not_there_is_named(
    controller: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="needs ipmitool"):
        source.meter(controller.address()).open()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ipmi://h/1", "nothing to name behind the host"),
        ("ipmi://h?interface=open", "does not go with this address"),
        ("ipmi:?interface=lan", "does not go with this address"),
        ("ipmi://h?cipher=99", "not a number from 0 to 17"),
        ("ipmi://h?privilege=root", "is not one of user"),
    ],
)
def test_a_wrong_address_is_refused(url: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        source.meter(url)
