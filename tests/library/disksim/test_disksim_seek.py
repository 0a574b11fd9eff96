"""Seek times: the six forms worked out by hand, and the files of measured ones."""

from __future__ import annotations

import pytest
from disksim_files import DATA, changed

from iowatt.model.library.disksim import import_drive, read_drive, read_seek, seek
from iowatt.model.library.disksim.mechanics import SEEK_KEYS
from iowatt.model.library.mechanics import hpl_curve, seek_time, three_point_curve
from refused import refused


def test_measured_points_are_joined_by_lines():
    assert len(read_seek(DATA / "cheetah9LP.seek")["points_ms"]) == 106
    curve = import_drive(DATA / "cheetah9LP.diskspecs").drive().seek
    assert seek_time(curve, 1) == 831e-6
    # (6800, 10.54 ms) and (6894, 10.627 ms): half way; the last time holds beyond it.
    assert seek_time(curve, 6847) == pytest.approx(10.5835e-3)
    assert seek_time(curve, 6961) == 10.627e-3


def test_linear():
    # 301 cylinders: a third of the stroke is 100.
    points = seek.linear(1e-3, 5e-3, 9e-3, cylinders=301)["points_ms"]
    assert points == [[1, 1.0], [100, 5.0], [300, 9.0]]
    assert seek_time(points, 200) == pytest.approx(7.0)


def test_curve():
    assert seek.curve(1e-3, 5e-3, 9e-3) == {
        "single_cylinder": "1.0ms", "average": "5.0ms", "full_stroke": "9.0ms",
    }  # fmt: skip
    # a = (-10 + 75 - 45) / 30 = 2/3, b = (7 - 75 + 72) / 300 = 1/75; at 26: 5 a + 25 b + 1 = 14/3.
    points = three_point_curve(1e-3, 5e-3, 9e-3, 100)
    assert seek_time(points, 26) == pytest.approx(14e-3 / 3, rel=1e-4)
    assert seek_time(points, 1) == 1e-3


def test_hpl():
    table = seek.hpl((300, 3.81, 0.33, 7.75, 0.0059, -1))
    assert table == {"hpl_ms": [300, 3.81, 0.33, 7.75, 0.0059, -1.0]}
    # 3.81 + 0.33 sqrt(d) below 300, 7.75 + 0.0059 d from there.
    curve = hpl_curve(table["hpl_ms"], [], 2051)
    times = [seek_time(curve, distance) for distance in (1, 100, 2050)]
    assert times == pytest.approx([4.14e-3, 7.11e-3, 19.845e-3], rel=1e-3)


@pytest.mark.parametrize(
    ("words", "distance", "expected"),
    [
        ("hpl, HPL seek equation values = [300, 3.81, 0.33, 7.75, 0.0059, 2.5]", 1, 2.5e-3),
        ("hpl, HPL seek equation values = [300, 3.81, 0.33, 7.75, 0.0059, -1.0]", 1, 4.14e-3),
        (
            "hplplus10, HPL seek equation values = [300, 3.81, 0.33, 7.75, 0.0059, -1.0], "
            "First ten seek times = [1, 2, 3, 4, 5, 6, 7, 8, 9, 9.5]",
            10,
            9.5e-3,
        ),
        ("constant, Constant seek time = 4", 77, 4e-3),
        # 6,962 cylinders, 0.831 ms, 5 ms, 10.627 ms: at one cylinder the first figure.
        ("linear, Average seek time = 5", 1, 0.831e-3),
        ("curve, Average seek time = 5", 1, 0.831e-3),
    ],
)
def test_seek_types_of_a_drive(tmp_path, words, distance, expected):
    changed(tmp_path, "cheetah9LP.model", "Seek type = extracted", f"Seek type = {words}")
    drive = read_drive(tmp_path / "cheetah9LP.diskspecs")
    disk = import_drive(tmp_path / "cheetah9LP.diskspecs").drive()
    assert seek_time(disk.seek, distance) == pytest.approx(expected)
    (key,) = SEEK_KEYS["extracted"]
    assert any(f": {key} " in line for line in drive.ignored)
    approximated = words.startswith("linear")
    assert bool(drive.notes) == approximated


def write(folder, text):
    path = folder / "x.seek"
    path.write_text(text)
    return path


def test_columns(tmp_path):
    two = read_seek(write(tmp_path, "1, 0.5\n 10\t2.0\n"))
    assert two == {"points_ms": [[1, 0.5], [10, 2.0]]}
    three = read_seek(write(tmp_path, "Seek distances measured: 1\n\n1, 0.5, 0.01,\n"))
    assert three == {"points_ms": [[1, 0.5]]}
    four = read_seek(write(tmp_path, "1, 0.5, 0.01, 0.7\n3, 1.5, 0.01, 2.7"))
    assert four == {"points_ms": [[1, 0.5, 0.7], [3, 1.5, 2.7]]}
    same = read_seek(write(tmp_path, "1, 0.5, 0.01, 0.5\n3, 1.5, 0.01, 1.5"))
    assert same == {"points_ms": [[1, 0.5], [3, 1.5]]}


@pytest.mark.parametrize(
    ("text", "code", "line", "named"),
    [
        ("", "damaged", "", "0"),
        ("Seek distances measured: 3\n1, 1\n", "damaged", "", "3"),
        ("1, 1\n2, x\n", "bad-syntax", ":2", "'2, x'"),
        ("1, nan\n", "bad-syntax", ":1", "'1, nan'"),
        ("1, 1, 1, 1, 1\n", "bad-syntax", ":1", "'1, 1, 1, 1, 1'"),
        ("1, 1\n2, 2, 0.1\n", "damaged", ":2", "3 columns"),
        ("1, 1\n1, 2\n", "out-of-order", ":2", "1"),
        ("0, 1\n", "out-of-order", ":1", "0"),
        ("1.5, 1\n", "bad-syntax", ":1", "'1.5, 1'"),
        ("1, 1\n275, 1000000000000\n", "out-of-range", ":2", "10,000 ms"),  # ms of a seek
        ("1, 1\n2, 2, 10001\n", "out-of-range", ":2", "10,000 ms"),
        ("1, 1\n20000000, 2\n", "out-of-range", ":2", "10,000,000 cylinders"),
    ],
)
def test_files_that_are_refused(tmp_path, text, code, line, named):
    with refused(code, f"{tmp_path / 'x.seek'}{line}") as error:
        read_seek(write(tmp_path, text))
    assert named in error.value.message
