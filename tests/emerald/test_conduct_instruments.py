"""A measurement with instruments on loopback: a PDU and a thermometer go in its middle and come back."""

from __future__ import annotations

import json
import time

import conducted

import needs
from iowatt.sources.meters.recording.recorder import read_log
from loopback import snmp

pytestmark = needs.mark("fio")


def test_a_pdu_and_a_thermometer_go_and_come_while_fio_works(tmp_path):
    with snmp.pdu(tmp_path / "agent", 240.0) as pdu:
        instruments = [
            {"name": "pdu", "source": pdu.url, "role": "power"},
            {"name": "inlet", "source": pdu.address("entity-sensor/8", "sensors"), "role": "temperature"},
        ]
        path = conducted.plan(tmp_path, conducted.short(measured=8.0)[:4], instruments)
        process = conducted.start(path, "--json")
        conducted.wait_for(process, path, "RR")
        pdu.stop()
        wait_for_event(process, path, "meter-failed", 2)
        pdu.set(310.0)
        pdu.start()
        said, talk = process.communicate(timeout=120)
    assert process.returncode == 0, talk
    found = json.loads(said)
    assert found["finished"]
    assert "community=***" in (tmp_path / "out" / "plan.json").read_text(), "a secret was written down"
    told = {(failure["event"], failure["meter"]) for failure in found["meter_failures"]}
    assert {("meter-failed", "pdu"), ("meter-failed", "inlet"), ("meter-back", "pdu")} <= told
    power = read_log(tmp_path / "out" / "meters" / "pdu.csv")
    assert set(power.quantities["watts"]) == {240.0, 310.0}
    failed, back = (
        next(f["at"] for f in found["meter_failures"] if (f["event"], f["meter"]) == (event, "pdu"))
        for event in ("meter-failed", "meter-back")
    )
    between = (power.time_s > failed) & (power.time_s < back - 0.5)
    assert not between.any(), "samples of a time in which nothing answered"
    inlet = read_log(tmp_path / "out" / "meters" / "inlet.csv")
    assert set(inlet.quantities["celsius"]) == {24.5}
    assert inlet.instrument.kind == "snmp"


def wait_for_event(process, path, event, meters):
    deadline = time.monotonic() + 60
    while len({e.values["meter"] for e in conducted.journal(path) if e.event == event}) < meters:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
