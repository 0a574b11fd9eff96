"""SCPI: PyVISA's own sockets against a server that speaks as a Yokogawa WT310E does."""

from __future__ import annotations

import re

import pytest

from figures import figures
from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import MeterError
from loopback.scpi import Analyser, Hioki, RohdeSchwarz
from loopback.scpi import analyser as serving
from refused import refused


def test_one_update_has_all_quantities(analyser: Analyser) -> None:
    meter = source.meter(analyser.address())
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("scpi", "emerald")
    assert (instrument.model, instrument.serial) == ("YOKOGAWA WT310E", "C2TE10041V")
    assert instrument.sample_interval_s == 0.25
    assert instrument.details["range, volts"] == "300.0E+00"
    assert instrument.details["range of amperes automatic"] == "yes"
    found = meter.read().quantities
    assert found == pytest.approx(
        {"watts": 240.0, "volts": 230.0, "amperes": 1.09840, "power_factor": 0.95, "hertz": 50.0}
    )
    analyser.set(592.7)
    assert meter.read().quantities["watts"] == pytest.approx(592.7)
    meter.close()


def test_nothing_that_it_measures_with_is_changed(analyser: Analyser) -> None:
    meter = source.meter(analyser.address())
    meter.open()
    meter.read()
    meter.close()
    told = [line for line in analyser.heard if "?" not in line]
    assert told
    assert all(line.startswith((":COMMUNICATE:", ":NUMERIC:", "*CLS")) for line in told)


def test_what_has_no_value_is_left_out_and_watts_without_one_are_an_error(analyser: Analyser) -> None:
    meter = source.meter(analyser.address(thd="yes"))
    meter.open()
    assert meter.read().quantities["thd_percent"] == pytest.approx(1.2)
    analyser.values["FU"] = analyser.values["UTHD"] = "NAN"
    assert set(meter.read().quantities) == {"watts", "volts", "amperes", "power_factor"}
    analyser.values["P"] = "NAN"
    with refused("missing-figure", re.compile("^TCPIP::127"), MeterError):
        meter.read()
    with refused("missing-figure", re.compile("^TCPIP::127"), MeterError):
        source.meter(analyser.address("2")).open()
    meter.close()


@pytest.mark.parametrize("value", ["INF", "9.9E+37"])
def test_over_range_is_an_error_never_a_figure(analyser: Analyser, value: str) -> None:
    meter = source.meter(analyser.address())
    meter.open()
    analyser.values["P"] = value
    with refused("clipped", error=MeterError):
        meter.read()
    analyser.set(100)
    assert meter.read().quantities["watts"] == pytest.approx(100)
    meter.close()


def test_clipped_peaks_are_an_error(analyser: Analyser) -> None:
    meter = source.meter(analyser.address())
    meter.open()
    analyser.peaks = 2
    with refused("clipped", error=MeterError) as caught:
        meter.read()
    assert figures(caught.value.message) == [2]
    analyser.peaks = 0
    assert meter.read().quantities["watts"] == pytest.approx(240)
    meter.close()


def test_a_model_without_some_queries_is_read_all_the_same(analyser: Analyser) -> None:
    analyser.identity = "YOKOGAWA,WT1800E,X,F1"
    analyser.unknown = {":INPUT:POVER?", ":RATE?"}
    meter = source.meter(analyser.address("sigma", timeout=1))
    instrument = meter.open()
    assert instrument.grade == "emerald"
    assert instrument.details["clipped peaks"]
    assert instrument.sample_interval_s is None
    assert meter.read().quantities["watts"] == pytest.approx(240)
    meter.close()


def test_a_model_that_is_not_accepted_is_indicative(analyser: Analyser) -> None:
    analyser.identity = "YOKOGAWA,WT110,X,F1"
    meter = source.meter(analyser.address())
    assert meter.open().grade == "indicative"
    meter.close()


def test_a_foreign_analyser_by_its_own_query(analyser: Analyser) -> None:
    analyser.identity = "Contoso,PA1,7"
    with refused("unsupported", error=MeterError) as caught:
        source.meter(analyser.address()).open()
    assert "Contoso PA1" in caught.value.message
    meter = source.meter(analyser.address("", watts=":MEASURE:POWER?"))
    instrument = meter.open()
    assert (instrument.grade, instrument.model) == ("indicative", "Contoso PA1")
    assert instrument.why
    analyser.set(55.5)
    assert meter.read().quantities == {"watts": 55.5}
    analyser.values["P"] = "9.91E+37"
    with refused("tool-output", error=MeterError) as caught:
        meter.read()
    assert "9.91E+37" in caught.value.message
    meter.close()


def test_a_late_answer_is_not_taken_for_the_next(analyser: Analyser) -> None:
    meter = source.meter(analyser.address(timeout=1))
    meter.open()
    analyser.set(111)
    analyser.delay_s = 1.5
    with refused("unreachable", error=MeterError):
        meter.read()
    analyser.delay_s = 0.0
    analyser.set(222)
    assert meter.read().quantities["watts"] == pytest.approx(222)
    assert meter.read().quantities["watts"] == pytest.approx(222)
    meter.close()


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("scpi:", "missing", ""),
        ("scpi://h:1/9", "not-accepted", "'9'"),
        ("scpi://h:1/1?watts=:POW?", "conflict", "watts="),
        ("scpi://h:1?thd=maybe", "not-accepted", "thd='maybe'"),
    ],
)
def test_a_wrong_address_is_refused(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^scpi:")) as caught:
        source.meter(url)
    assert named in caught.value.message


def test_an_address_is_a_visa_resource() -> None:
    from iowatt.sources.meters import scpi
    from iowatt.sources.meters.address import parse

    assert scpi.create(parse("scpi://wt1:10001/1")).resource == "TCPIP::wt1::10001::SOCKET"
    assert scpi.create(parse("scpi://wt1")).resource == "TCPIP::wt1::INSTR"
    assert scpi.create(parse("scpi:USB0::2849::37::91K::INSTR?element=2")).resource.startswith("USB0::2849")


DIALECTS = {
    "rohde-schwarz": (RohdeSchwarz, "indicative", "ROHDE&SCHWARZ HMC8015"),
    "hioki-single": (Hioki, "emerald", "HIOKI PW3335"),
    "hioki-three": (lambda: Hioki("PW3337-01"), "emerald", "HIOKI PW3337-01"),
}


@pytest.fixture(params=DIALECTS.values(), ids=DIALECTS)
def other(request: pytest.FixtureRequest):
    kind, grade, model = request.param
    with serving(kind) as instrument:
        yield instrument, grade, model


def test_other_makers_send_the_same_quantities_in_their_own_words(other) -> None:
    instrument, grade, model = other
    meter = source.meter(instrument.address(thd="yes"))
    found = meter.open()
    assert (found.grade, found.model, found.details["channel"]) == (grade, model, "1")
    read = meter.read().quantities
    assert read == pytest.approx(
        {
            "watts": 240.0, "volts": 230.0, "amperes": 1.09840, "power_factor": 0.95, "hertz": 50.0,
            "thd_percent": 1.2,
        }
    )  # fmt: skip
    instrument.set(592.7)
    assert meter.read().quantities["watts"] == pytest.approx(592.7)
    told = [line for line in instrument.heard if "?" not in line]
    assert all(line.startswith((":HEADER", "CHANNEL1:MEASUREMENT:FUNCTIONS")) for line in told)
    meter.close()


def test_over_range_of_other_makers_is_an_error_never_a_figure(other) -> None:
    instrument, _, _ = other
    meter = source.meter(instrument.address())
    meter.open()
    instrument.values["P"] = Hioki.OVER if isinstance(instrument, Hioki) else "9.9E+37"
    with refused("clipped", error=MeterError):
        meter.read()
    instrument.set(100)
    assert meter.read().quantities["watts"] == pytest.approx(100)
    instrument.values.pop("FU")
    assert "hertz" not in meter.read().quantities
    meter.close()


def test_values_behind_their_names_are_read_where_headers_stay_on() -> None:
    with serving(Hioki) as instrument:
        instrument.keeps_headers = True
        meter = source.meter(instrument.address())
        meter.open()
        assert meter.read().quantities["watts"] == pytest.approx(240.0)
        meter.close()


def test_an_input_that_the_model_lacks_is_refused(other) -> None:
    instrument, _, model = other
    wrong = "7" if "PW3337" in model else "2"
    with refused("unsupported", error=MeterError) as caught:
        source.meter(instrument.address(wrong)).open()
    assert wrong in caught.value.message


def test_each_input_is_read_by_its_own_items() -> None:
    with serving(lambda: Hioki("PW3337")) as instrument:
        meter = source.meter(instrument.address("3"))
        meter.open()
        assert meter.read().quantities["watts"] == pytest.approx(240.0)
        assert instrument.heard[-1].startswith(":MEASURE? P3,U3,I3")
        meter.close()
