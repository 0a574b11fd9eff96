"""NUT: upsd with its dummy-ups driver; and a daemon of the test that says what no UPS should."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from iowatt.sources.meters import source
from iowatt.sources.meters.log.instrument import Meter, MeterError
from loopback.nut import Ups
from refused import refused


def until(meter: Meter, watts: float) -> float:
    """The watts, once they are the ones that were set or after ten seconds."""
    end = time.monotonic() + 10
    while (said := meter.read().quantities["watts"]) != watts and time.monotonic() < end:
        time.sleep(0.1)
    return said


def test_watts_follow_the_ups(ups: Ups) -> None:
    ups.set(321.5)
    meter = source.meter(ups.address())
    instrument = meter.open()
    assert (instrument.kind, instrument.grade) == ("nut", "indicative")
    assert (instrument.model, instrument.serial) == ("Contoso R3000", "00123")
    assert instrument.details["variable"] == "ups.realpower"
    assert instrument.details["polled every"] == "1 s"
    assert instrument.sample_interval_s == 1.0
    assert until(meter, 321.5) == 321.5
    ups.set(402)
    assert until(meter, 402.0) == 402.0
    beside = meter.read().quantities
    assert beside == {"watts": 402.0, "volts": 230.1, "amperes": 1.41, "hertz": 50.0}
    meter.close()


def test_another_variable_by_name(ups: Ups) -> None:
    meter = source.meter(ups.address(variable="input.realpower"))
    meter.open()
    assert meter.read().quantities == {"watts": 350.0, "volts": 231.0}
    meter.close()


@pytest.mark.parametrize(
    ("name", "options", "code", "there"),
    [
        ("", {}, "ambiguous", ("sim (Simulated)", "bare (Bare)")),
        ("other", {}, "unknown-name", ("'other'", "sim (Simulated)")),
        ("bare", {}, "missing-figure", ("ups.realpower", "ups.power")),
        ("sim", {"variable": "ups.watts"}, "unknown-name", ("ups.watts", "ups.realpower")),
    ],
)
def test_what_it_does_not_have_is_said(
    ups: Ups, name: str, options: dict[str, str], code: str, there: tuple[str, ...]
) -> None:
    place = re.compile(
        rf"^nut://127\.0\.0\.1:\d+{f'/{name}' if code == 'missing-figure' or options else ''}$"
    )
    with refused(code, place, MeterError) as caught:
        source.meter(ups.address(name, **options)).open()
    assert all(word in caught.value.message for word in there)


def test_text_for_watts_is_a_meter_error(ups: Ups) -> None:
    meter = source.meter(ups.address())
    meter.open()
    ups.set("much")
    end = time.monotonic() + 10
    with refused("tool-output", re.compile("/sim$"), MeterError) as caught:
        while time.monotonic() < end:
            meter.read()
            time.sleep(0.1)
    assert "ups.realpower" in caught.value.message and "'much'" in caught.value.message
    ups.set(300)
    end = time.monotonic() + 10
    while "300" not in ups.said() and time.monotonic() < end:
        time.sleep(0.1)
    assert meter.read().quantities["watts"] == 300.0
    meter.close()


def test_a_driver_that_hangs_is_no_old_figure(ups: Ups) -> None:
    meter = source.meter(ups.address())
    meter.open()
    ups.freeze()
    end = time.monotonic() + 20
    try:
        with refused("tool-failed", error=MeterError) as caught:
            while time.monotonic() < end:
                meter.read()
                time.sleep(0.2)
        assert "DATA-STALE" in caught.value.message
    finally:
        ups.thaw()
    ups.set(310)
    end = time.monotonic() + 10
    while "310" not in ups.said() and time.monotonic() < end:
        time.sleep(0.1)
    assert meter.read().quantities["watts"] == 310.0
    meter.close()


def test_a_user_logs_in(ups: Ups) -> None:
    meter = source.meter(ups.address().replace("//", "//lab:secret@"))
    meter.open()
    assert "watts" in meter.read().quantities
    meter.close()


@pytest.fixture
def daemon() -> Iterator[Callable[[bytes], str]]:
    """A server that says these bytes to whatever it is asked; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    words: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1000)
                connection.sendall(words[0])

    threading.Thread(target=serve, daemon=True).start()

    def saying(answer: bytes) -> str:
        words[:] = [answer]
        return f"nut://127.0.0.1:{listener.getsockname()[1]}/sim?timeout=0.5"

    yield saying
    listener.close()


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (b"HTTP/1.0 400 no\r\n", "tool-output"),
        (b"", "unreachable"),
        (b"BEGIN LIST UPS\nUPS sim", "unreachable"),
        (b"\xff\xfe" * 40 + b"\n", "tool-output"),
        (b"ERR ACCESS-DENIED\n", "access-denied"),
        (b"x" * 400_000, "tool-output"),
    ],
)
def test_a_daemon_that_talks_nonsense_is_a_meter_error(
    daemon: Callable[[bytes], str], answer: bytes, code: str
) -> None:
    with refused(code, re.compile("^nut://127"), MeterError):
        source.meter(daemon(answer)).open()


@pytest.mark.parametrize(
    ("url", "code", "named"),
    [
        ("nut:///sim", "missing", ""),
        ("nut://h/a%0Ab", "bad-syntax", repr("a\nb")),
        ("nut://h/sim?variable=a%20b", "bad-syntax", "'a b'"),
    ],
)
def test_a_wrong_address_is_refused(url: str, code: str, named: str) -> None:
    with refused(code, re.compile("^nut:")) as caught:
        source.meter(url)
    assert named in caught.value.message
