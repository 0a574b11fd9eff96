"""What every instrument must do. A new one: subclass ``MeterContract`` or ``LogContract``, with fixtures."""

from __future__ import annotations

import math
import threading
import time
from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError, IowattError
from iowatt.sources.meters import source
from iowatt.sources.meters.address import SCHEMES
from iowatt.sources.meters.log.instrument import QUANTITIES, MeterError
from iowatt.sources.meters.recording import recorder as recording
from refused import refused

KINDS = {"gap", "not-available", "out-of-range", "clipped", "uncertain", "clock", "failure"}


def check_instrument(instrument, *, damaged=False):
    assert damaged or (instrument.name and instrument.kind)
    assert instrument.grade in ("emerald", "indicative")
    # A recording repeats what it was told, so a damaged one may say less.
    assert damaged or len(instrument.why) > 10, "the grade says why"
    assert instrument.calibrated is None or isinstance(instrument.calibrated, date)
    for figure in (instrument.sample_interval_s, instrument.uncertainty_percent):
        assert figure is None or (math.isfinite(figure) and figure > 0)


def check_log(log, *, damaged=False):
    check_instrument(log.instrument, damaged=damaged)
    assert np.isfinite(log.time_s).all()
    assert (np.diff(log.time_s) >= 0).all()
    for name, values in log.quantities.items():
        assert name in QUANTITIES
        assert len(values) == len(log.time_s)
        assert not np.isinf(values).any()
    watts = log.quantities.get("watts")
    assert watts is None or not (watts < 0).any()
    for problem in log.problems:
        assert problem.kind in KINDS and problem.text
        assert problem.at is None or math.isfinite(problem.at)
        assert problem.seconds >= 0
    whole = [problem.at for problem in log.problems if problem.at is None]
    times = [problem.at for problem in log.problems if problem.at is not None]
    assert [problem.at for problem in log.problems] == whole + sorted(times)


class MeterContract:
    """Tests of the promises in ``iowatt.sources.meters.log.instrument``.

    ``address`` is of an instrument that answers now; ``break_it()`` makes it stop answering and ``mend_it()``
    makes it answer again, at the same address; ``expected`` is a quantity that it has, with its value, or
    ``None`` where the value is not known beforehand.
    """

    expected: tuple[str, float | None] = ("watts", None)

    @pytest.fixture
    def meter(self, address):
        meter = source.meter(address)
        yield meter
        meter.close()

    def test_it_is_listed_as_live(self, address):
        scheme = SCHEMES[address.partition(":")[0]]
        assert scheme.live and source.is_live(address)
        assert source.known_options(address.partition(":")[0])

    def test_it_says_what_it_is(self, meter):
        check_instrument(meter.open())

    def test_a_reading_has_known_quantities_and_the_time(self, meter):
        meter.open()
        reading = meter.read()
        assert abs(reading.time_s - time.time()) < 120
        assert reading.quantities and set(reading.quantities) <= set(QUANTITIES)
        assert all(math.isfinite(value) for value in reading.quantities.values())
        name, value = self.expected
        assert name in reading.quantities
        if value is not None:
            assert reading.quantities[name] == pytest.approx(value)

    def test_time_does_not_fall(self, meter):
        meter.open()
        times = [meter.read().time_s for _ in range(3)]
        assert times == sorted(times)

    def test_what_does_not_answer_is_a_meter_error_and_is_read_again_once_it_does(
        self, meter, break_it, mend_it
    ):
        meter.open()
        meter.read()
        break_it()
        begun = time.monotonic()
        with pytest.raises(MeterError) as caught:
            meter.read()
        assert time.monotonic() - begun < 20, "within a few seconds or not at all"
        assert caught.value.message
        with pytest.raises(MeterError):
            meter.read()
        mend_it()
        for _ in range(20):  # a service may take a moment to listen again
            try:
                reading = meter.read()
                break
            except MeterError:
                time.sleep(0.25)
        else:
            pytest.fail("it did not come back")
        assert self.expected[0] in reading.quantities

    def test_what_does_not_answer_cannot_be_opened(self, meter, break_it):
        break_it()
        with pytest.raises(MeterError):
            meter.open()

    def test_closing_twice_is_closing_once(self, meter):
        meter.close()
        meter.open()
        meter.close()
        meter.close()

    def test_it_opens_again_once_closed(self, meter):
        meter.open()
        meter.close()
        meter.open()
        assert self.expected[0] in meter.read().quantities

    def test_an_unknown_option_is_refused_by_name(self, address):
        mark = "&" if "?" in address else "?"
        with refused("unknown-key") as caught:
            source.meter(f"{address}{mark}no-such-option=1")
        assert "'no-such-option'" in caught.value.message

    def test_what_the_address_declares_is_said(self, address):
        mark = "&" if "?" in address else "?"
        meter = source.meter(f"{address}{mark}name=left&serial=S1&calibrated=2026-01-31&uncertainty=0.5")
        try:
            instrument = meter.open()
        finally:
            meter.close()
        assert (instrument.name, instrument.serial) == ("left", "S1")
        assert (instrument.calibrated, instrument.uncertainty_percent) == (date(2026, 1, 31), 0.5)

    def test_a_recording_of_it_is_a_log(self, address, tmp_path):
        target = tmp_path / "m.csv"
        recorder = recording.Recorder(source.meter(address), target, name="m", interval_s=0.1)
        recorder.start()
        until = time.monotonic() + 20
        while recorder.samples < 3 and time.monotonic() < until:
            time.sleep(0.02)
        recorder.stop()
        assert recorder.samples >= 3, recorder.failing
        log = recording.read_log(target)
        check_log(log)
        assert len(log.time_s) == recorder.samples
        assert self.expected[0] in log.quantities
        assert threading.active_count() < 50

    def test_a_recording_survives_that_it_goes_away(self, address, break_it, mend_it, tmp_path):
        told = []
        recorder = recording.Recorder(
            source.meter(address),
            tmp_path / "m.csv",
            name="m",
            interval_s=0.1,
            retry_s=(0.1, 0.5),
            watcher=lambda event, _values: told.append(event),
        )
        recorder.start()

        def until(done):
            end = time.monotonic() + 40
            while not done() and time.monotonic() < end:
                time.sleep(0.02)
            return done()

        try:
            assert until(lambda: recorder.samples >= 2), recorder.failing
            break_it()
            assert until(lambda: recorder.failing is not None)
            before = recorder.samples
            mend_it()
            assert until(lambda: recorder.samples >= before + 2), recorder.failing
        finally:
            recorder.stop()
        log = recording.read_log(tmp_path / "m.csv")
        check_log(log)
        assert len(log.time_s) == recorder.samples
        assert "failure" in {problem.kind for problem in log.problems}
        assert told[0] == "meter-failed" and told[-1] == "meter-back"


class LogContract:
    """Tests of what a reader of logs promises.

    ``scheme`` names it; ``good`` is the text of a log that it reads, ``options`` what its address needs.
    """

    scheme: str
    good: bytes
    options: str = ""

    def read(self, folder, data, options=None):
        path = folder / "log.txt"
        path.write_bytes(data)
        query = self.options if options is None else options
        return source.logs(f"{self.scheme}:{path}" + (f"?{query}" if query else ""))

    def test_it_is_listed_as_a_log(self):
        assert not SCHEMES[self.scheme].live
        assert source.known_options(self.scheme)

    def test_a_good_log_is_read(self, tmp_path):
        logs = self.read(tmp_path, self.good)
        assert logs
        for log in logs:
            check_log(log)
            assert len(log.time_s) > 0
            assert log.path == tmp_path / "log.txt"

    def test_a_file_that_is_not_there_is_named(self, tmp_path):
        with pytest.raises(InputError) as caught:
            source.logs(
                f"{self.scheme}:{tmp_path / 'none.csv'}" + (f"?{self.options}" if self.options else "")
            )
        assert "none.csv" in str(caught.value)

    def test_an_empty_file_is_refused(self, tmp_path):
        with pytest.raises(InputError) as caught:
            self.read(tmp_path, b"")
        assert "log.txt" in str(caught.value)

    def test_a_foreign_file_is_refused(self, tmp_path):
        with pytest.raises(InputError) as caught:
            self.read(tmp_path, b"[workload]\nname = 'mine'\n" * 5)
        assert "log.txt" in str(caught.value)

    def test_hostile_bytes_are_read_or_refused(self, tmp_path):
        """Cut, spliced and overwritten logs, and noise: a log that keeps its promises, or an InputError."""

        @settings(max_examples=150, deadline=None)
        @given(damaged(self.good))
        def tried(text):
            try:
                logs = self.read(tmp_path, text)
            except IowattError as error:
                assert isinstance(error, InputError)
            else:
                for log in logs:
                    check_log(log, damaged=True)

        tried()


#: What is put into a log: ends, signs of its grammar, numbers that no instrument shows.
SPLINTERS = [b"\n", b",", b";", b"nan", b"inf", b"-1", b"1e999", b"-", b"9" * 400, b"\xff\xfe", b"\0", b'"']


@st.composite
def damaged(draw, good):
    text = bytearray(good)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 30))
        text[at : at + length] = draw(st.one_of(st.binary(max_size=20), st.sampled_from(SPLINTERS)))
    return bytes(text[: draw(st.integers(0, len(text)))] if draw(st.booleans()) else text)
