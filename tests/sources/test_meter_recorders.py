"""Several instruments recorded beside something: what emerald run and replay share."""

from __future__ import annotations

import json
import time

import pytest

import needs
from iowatt.sources.meters import http, redfish
from iowatt.sources.meters.address import parse
from iowatt.sources.meters.log.instrument import MeterError
from iowatt.sources.meters.recording.recorders import InstrumentRequest, Recorders
from refused import refused

NOTES = "notes\n"


@pytest.fixture
def sensor(tmp_path):
    chip = tmp_path / "sys" / "hwmon0"
    chip.mkdir(parents=True)
    (chip / "name").write_text("power_meter\n")
    (chip / "power1_average").write_text("42000000\n")
    return f"hwmon:power_meter/power1?root={tmp_path / 'sys'}"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "hall.csv"
    path.write_text("time,temperature_c\n1790000000,24.5\n1790000010,24.6\n")
    return f"csv:{path}"


def test_live_ones_are_recorded_and_logs_are_read_and_copied(tmp_path, sensor, log):
    out = tmp_path / "out"
    out.mkdir()
    wanted = [
        InstrumentRequest("left side", sensor, 0.05),
        InstrumentRequest(None, sensor, 0.05),
        InstrumentRequest("inlet", log),
    ]
    recorders = Recorders(wanted, out)
    with recorders.recording():
        assert recorders.watts == pytest.approx(84.0)
    assert recorders.watts is None  # nothing is read any more
    assert recorders.collect() == []
    assert {path.name for path in out.iterdir()} == {"left-side.csv", "meter2.csv", "inlet-log.csv"}
    found = {one.instrument.name: one for one in recorders.logs()}
    assert list(found) == [one.name or "meter2" for one in wanted]
    assert set(found["left side"].quantities["watts"]) == {42.0}
    assert found["inlet"].quantities["celsius"].tolist() == [24.5, 24.6]


def test_two_with_one_file_are_refused(tmp_path, sensor):
    with refused("duplicate", "instrument a-b"):
        Recorders([InstrumentRequest("a b", sensor), InstrumentRequest("a-b", sensor)], tmp_path)


def test_what_cannot_begin_stops_those_that_have(tmp_path, sensor):
    (tmp_path / "b.csv").write_text(NOTES)
    recorders = Recorders(
        [InstrumentRequest("a", sensor, 0.01), InstrumentRequest("b", sensor, 0.01)], tmp_path
    )
    with refused("exists", str(tmp_path / "b.csv")):
        recorders.start()
    size = (tmp_path / "a.csv").stat().st_size
    time.sleep(0.1)
    assert (tmp_path / "a.csv").stat().st_size == size
    assert (tmp_path / "b.csv").read_text() == NOTES


def test_a_watcher_that_raised_is_told(tmp_path, sensor):
    def note(event, **_values):
        raise OSError(28, "No space left on device")

    recorders = Recorders([InstrumentRequest("a", sensor, 0.01)], tmp_path, note)
    recorders.start()
    figure = tmp_path / "sys" / "hwmon0" / "power1_average"
    figure.write_text("none\n")
    until = time.monotonic() + 20
    while recorders.watts is not None and time.monotonic() < until:
        time.sleep(0.01)
    (told,) = recorders.stop()
    assert told.startswith("a: ") and "OSError" in told


def test_json_that_is_nested_too_deeply_is_an_instruments_error(monkeypatch):
    needs.modules("httpx")
    import httpx

    service = http.Http(parse("prometheus://h/x"), (80, 443), "no")
    answer = httpx.MockTransport(lambda _request: httpx.Response(200, text="[" * 200_000))
    monkeypatch.setattr(service, "_client", httpx.Client(base_url="http://h", transport=answer))
    with pytest.raises(RecursionError):
        json.loads("[" * 200_000)
    with refused("too-large", "http://h:80/", error=MeterError):
        service.get("/")


@pytest.mark.parametrize(("said", "seconds"), [("PT20S", 20.0), ("PT1M", 60.0), (None, None), (20, None)])
def test_a_sensor_of_redfish_says_how_often_it_measures(monkeypatch, said, seconds):
    chassis = "/redfish/v1/Chassis/1U"
    sensor = {"ReadingType": "Power", "Reading": 344.0, "SensingInterval": said, "AveragingInterval": "PT5S"}
    documents = {
        "/redfish/v1/": {"Chassis": {"@odata.id": "/redfish/v1/Chassis"}},
        chassis: {"Id": "1U", "Sensors": {"@odata.id": f"{chassis}/Sensors"}},
        f"{chassis}/Sensors": {"Members": [{"@odata.id": f"{chassis}/Sensors/Total"}]},
        f"{chassis}/Sensors/Total": sensor,
    }
    monkeypatch.setattr(http.Http, "get", lambda _self, path, *_, **__: documents[path])
    instrument = redfish.create(parse("redfish://bmc/1U")).open()
    assert instrument.sample_interval_s == seconds
    assert "5 s" in instrument.details.values()
