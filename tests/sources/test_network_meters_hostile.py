"""Whatever an instrument on the network answers, it is a reading or a ``MeterError``."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from iowatt.sources.meters import http, ipmi, nut, prometheus, redfish, scpi, source
from iowatt.sources.meters.address import parse
from iowatt.sources.meters.log.instrument import QUANTITIES, Instrument, Meter, MeterError
from loopback.redfish import mockup
from refused import refused

QUIETLY = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["1", "2.5", "NaN"]),
)


def keeps_its_promise(meter: Meter) -> None:
    for step in (meter.open, meter.read):
        try:
            found = step()
        except MeterError:
            continue
        if isinstance(found, Instrument):
            assert found.name and found.grade in ("emerald", "indicative")
        else:
            assert found.quantities and set(found.quantities) <= set(QUANTITIES)
            assert all(math.isfinite(value) for value in found.quantities.values())
    meter.close()


DOCUMENTS = mockup(344.0)
NAMES = sorted(
    {name for document in DOCUMENTS.values() for name in document} | {"Reading", "PowerConsumedWatts"}
)
JUNK = LEAVES | st.lists(LEAVES, max_size=2) | st.dictionaries(st.sampled_from([*NAMES, "@odata.id"]), LEAVES)


def spoilt(document: Any, spoils: dict[str, Any]) -> Any:
    """The document with what stands under these names replaced, at any depth."""
    if isinstance(document, dict):
        return {
            name: spoils[name] if name in spoils else spoilt(value, spoils)
            for name, value in document.items()
        }
    return [spoilt(each, spoils) for each in document] if isinstance(document, list) else document


@QUIETLY
@given(
    spoils=st.dictionaries(st.sampled_from([*NAMES, "@odata.id"]), JUNK, max_size=3),
    chassis=st.sampled_from(["", "Modern", "Sensors", "Old", "Blades"]),
    option=st.sampled_from(["via=environment", "via=sensor", "via=power", "control=0", "sensor=TotalPower"]),
)
def test_redfish(spoils: dict[str, Any], chassis: str, option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def get(_: http.Http, path: str, *__: object, absent: bool = False) -> Any:
        found = DOCUMENTS.get(path.removeprefix("/redfish/v1").strip("/"))
        if found is None and not absent:
            raise MeterError("unreachable", path, "404")
        return spoilt(found, spoils)

    monkeypatch.setattr(http.Http, "get", get)
    keeps_its_promise(redfish.create(parse(f"redfish://h/{chassis}?{option}")))


PAIR = st.tuples(st.floats(0, 10), st.sampled_from(["1", "2.5", "212", "x", "NaN"])).map(list)
SERIES = st.fixed_dictionaries(
    {
        "metric": st.dictionaries(st.sampled_from(["__name__", "job", "instance"]), st.text(max_size=5)),
        "values": st.lists(PAIR, min_size=1, max_size=3) | LEAVES,
        "value": PAIR | LEAVES,
    }
)
ANSWER = st.fixed_dictionaries(
    {
        "resultType": st.sampled_from(["matrix", "matrix", "vector", "scalar", "string"]),
        "result": st.lists(SERIES, min_size=1, max_size=1) | st.lists(SERIES | LEAVES, max_size=3) | LEAVES,
    }
)


def matrix(values: Any) -> dict[str, Any]:
    return {"resultType": "matrix", "result": [{"metric": {}, "values": values}]}


@QUIETLY
@given(answers=st.lists(ANSWER, min_size=1, max_size=2) | st.lists(LEAVES, min_size=1))
@example(answers=[matrix([[0.0, "1"]]), matrix(False)])
@example(answers=[matrix([[10**400, "1"]])])
@example(answers=[matrix([["inf", "1"]])])
def test_prometheus(answers: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(answers * 40)
    monkeypatch.setattr(http.Http, "get", lambda *_, **__: {"status": "success", "data": next(said)})
    meter = prometheus.create(parse("prometheus://h/x"))
    keeps_its_promise(meter)
    try:
        log = meter.history(0.0, 10.0)
    except MeterError:
        return
    assert len(log.time_s) == len(log.quantities["watts"])
    assert (np.diff(log.time_s) > 0).all()


@QUIETLY
@given(
    text=st.text(max_size=200)
    | st.from_regex(r"(Instantaneous power reading: {1,9}\d{1,8} Watts|Power|[ \n])*")
)
def test_ipmi(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ipmi.IpmiMeter, "_ask", lambda *_: text)
    keeps_its_promise(ipmi.create(parse("ipmi://h")))


TRANSCRIPT = [
    b"BEGIN LIST UPS",
    b'UPS sim "x"',
    b"END LIST UPS",
    b"BEGIN LIST VAR sim",
    b'VAR sim ups.realpower "12"',
    b'VAR sim output.voltage "230"',
    b"END LIST VAR sim",
    b'VAR sim ups.realpower "12"',
    b'VAR sim output.voltage "230"',
]
LINE = st.sampled_from(
    [
        *TRANSCRIPT,
        b'VAR sim ups.realpower "nan"',
        b'VAR sim "\\"',
        b"VAR sim",
        b"ERR DATA-STALE",
        b"\xff\xfe\0",
        b"",
    ]
)


@st.composite
def spoilt_lists(draw: st.DrawFn, whole: list[Any], junk: st.SearchStrategy[Any]) -> list[Any]:
    """A list with up to two of its members left out, replaced, or joined by others."""
    found = list(whole)
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(found)))
        found[at : at + draw(st.integers(0, 1))] = draw(st.lists(junk, max_size=2))
    return found


@pytest.fixture
def speaker() -> Iterator[dict[str, Any]]:
    """A server that says ``lines`` to whoever connects, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))
    state: dict[str, Any] = {"lines": [], "port": listener.getsockname()[1]}

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.sendall(b"\n".join([*state["lines"], b""]))
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(4096):  # unread input would turn the end into a reset
                        pass
                except OSError:
                    pass

    threading.Thread(target=serve, daemon=True).start()
    yield state
    listener.close()


@settings(QUIETLY, max_examples=100)
@given(lines=spoilt_lists(TRANSCRIPT, LINE))
def test_nut(lines: list[bytes], speaker: dict[str, Any]) -> None:
    speaker["lines"] = lines
    keeps_its_promise(nut.create(parse(f"nut://127.0.0.1:{speaker['port']}/sim?timeout=0.5")))


VALUES = "2.4E+02,2.3E+02,1.1E+00,0.95E+00,50.0E+00"
FIELD = st.sampled_from(["1", "2.5E+00", "NAN", "INF", "-INF", "9.9E+37", "", "x"])


@QUIETLY
@given(
    answers=spoilt_lists(
        ["250E-03", "300", "1", "5", "0", "0", VALUES, "0", VALUES, "0"],
        st.text(max_size=20) | st.lists(FIELD, min_size=5, max_size=5).map(",".join) | FIELD,
    )
)
def test_scpi(answers: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(["YOKOGAWA,WT310E,1,1", *answers])

    class Session:
        rest = b""

        def write(self, _: str) -> None: ...
        def read_bytes(self, count: int, break_on_termchar: bool) -> bytes:
            assert break_on_termchar
            if not self.rest:
                try:
                    self.rest = next(said).encode("utf-8", "replace") + b"\n"
                except StopIteration:
                    raise OSError("timeout") from None
            found, self.rest = self.rest[:count], self.rest[count:]
            return found

        def close(self) -> None: ...

    def connect(meter: scpi.ScpiMeter) -> None:
        meter._session = Session()

    monkeypatch.setattr(scpi.ScpiMeter, "_connect", connect)
    keeps_its_promise(scpi.create(parse("scpi://h:1/1")))


@pytest.fixture
def endless(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server that says the same for ever; its host and port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pour(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.sendall(request.param[0])
            while True:
                connection.sendall(request.param[1])

    def serve() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=pour, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield f"127.0.0.1:{listener.getsockname()[1]}"
    listener.close()


@pytest.mark.parametrize(
    ("endless", "address"),
    [
        ((b"", b"x" * 4096), "scpi://{}/1?timeout=5"),  # no line ever ends
        ((b"", b"x" * 4096), "nut://{}/sim?timeout=5"),
        ((b"BEGIN LIST UPS\n", b'UPS sim "x"\n' * 400), "nut://{}/sim?timeout=5"),  # nor this list
        ((b"HTTP/1.1 200 OK\r\n\r\n", b"[" * 65536), "prometheus://{}/x?timeout=5"),
    ],
    indirect=["endless"],
)
def test_an_answer_without_an_end_is_refused_by_its_length(endless: str, address: str) -> None:
    if address.startswith("scpi"):
        pytest.importorskip("pyvisa_py")
    meter = source.meter(address.format(endless))
    with pytest.raises(MeterError) as caught:
        meter.open()
    assert "5 s" not in str(caught.value)  # not by its time
    meter.close()


@pytest.mark.parametrize("says", ["yes 0123456789", "yes 0123456789 >&2"])
def test_a_program_that_talks_for_ever_is_ended(
    says: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "ipmitool"
    tool.write_text(f"#!/bin/sh\n{says}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with refused("too-large", "ipmi:", error=MeterError):
        ipmi.create(parse("ipmi:?timeout=30")).read()


def test_a_program_that_hangs_is_ended_with_what_it_started(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "ipmitool"
    tool.write_text("#!/bin/sh\nsleep 1000\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with refused("unreachable", "ipmi:", error=MeterError):
        ipmi.create(parse("ipmi:?timeout=0.2")).read()
