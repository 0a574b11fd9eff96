"""Whatever bytes stand in fio's files, they are read or refused with an InputError."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.sources.fio import logs, read
from refused import refused

SAMPLE = Path(__file__).parents[1] / "data" / "fio"
FILES = [path.name for path in sorted(SAMPLE.iterdir()) if path.suffix != ".md"]
JSON = "json_plus_3.33_sample.json"
WORDS = [
    b"1e999",
    b"NaN",
    b"-1",
    b"null",
    b"[[[[[[[[",
    b"9" * 5000,
    b'"',
    b"{",
    b"\n",
    b"\xff",
    b"true",
    b"0",
    b", ",
]


@settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FILES), seed=st.integers(0, 2**32))
def test_damaged_files(tmp_path, name, seed):
    rng = random.Random(seed)
    for file in FILES:
        data = bytearray((SAMPLE / file).read_bytes())
        if file == name and data:
            for _ in range(rng.randint(1, 6)):
                at = rng.randrange(len(data) + 1)
                if rng.random() < 0.5:
                    data[at : at + rng.randrange(0, 12)] = rng.choice(WORDS)
                else:
                    data[at : at + 1] = bytes([rng.randrange(256)])
        (tmp_path / file).write_bytes(bytes(data))
    try:
        found = read(tmp_path / JSON, interval_s=1)
    except InputError as error:
        assert str(error)
        return
    assert found.intervals
    assert all(part.read.requests >= 0 and part.write.bytes >= 0 for part in found.intervals)


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300))
def test_any_bytes(tmp_path, data):
    (tmp_path / "out.json").write_bytes(data)
    with pytest.raises(InputError):
        read(tmp_path / "out.json")


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text("0123456789, \n-", max_size=200).map(str.encode))
def test_any_log(tmp_path, data):
    (tmp_path / JSON).write_bytes((SAMPLE / JSON).read_bytes())
    (tmp_path / "x_iops.1.log").write_bytes(data)
    try:
        assert read(tmp_path / JSON).intervals
    except InputError as error:
        assert str(error)


def test_a_log_over_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "x_lat.1.log"
    with path.open("wb") as file:
        file.truncate(logs.MOST_BYTES + 1)
    with refused("too-large", str(path)):
        logs.read(path)


def test_a_log_is_read_in_pieces_as_it_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "x_lat.1.log"
    path.write_text("".join(f"{k}, {k * 7}, {k % 3}, 4096, 0\n" for k in range(1000)) + "1000, 7")
    whole = logs.read(path)
    monkeypatch.setattr(logs, "_CHUNK_BYTES", 100)
    pieces = logs.read(path)
    assert whole.cut and pieces.cut
    assert pieces.time_ms.tolist() == whole.time_ms.tolist() == [k for k in range(1000) if k % 3 < 2]
    assert pieces.value.tolist() == whole.value.tolist()
    path.write_text(path.read_text().replace("\n500, ", "\nfive, "))
    with refused("damaged", f"{path}:501"):
        logs.read(path)


def test_a_line_without_end_is_not_gathered(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "_CHUNK_BYTES", 100)
    path = tmp_path / "x_lat.1.log"
    path.write_text("1, 2, 0, 4096\n" + "x" * 1000)
    with refused("damaged", f"{path}:2"):
        logs.read(path)
