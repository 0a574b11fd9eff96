"""Seek times: the six forms worked out by hand, and the files of measured ones."""

from __future__ import annotations

import pytest
from disksim_files import DATA, changed

from iowatt.model.library.disksim import read_drive, read_seek
from iowatt.model.library.disksim.seek import ConstantSeek, CurveSeek, HplCurve, LinearSeek
from refused import refused


def test_measured_points_are_joined_by_lines():
    seek = read_seek(DATA / "cheetah9LP.seek")
    assert len(seek.distances) == 106
    assert seek.time(1, 6962) == 831e-6
    # (6800, 10.54 ms) and (6894, 10.627 ms): half way, and 67 cylinders beyond.
    assert seek.time(6847, 6962) == pytest.approx(10.5835e-3)
    assert seek.time(6961, 6962) == pytest.approx((10.627 + 67 * 0.087 / 94) * 1e-3)


def test_linear():
    seek = LinearSeek(1e-3, 5e-3, 9e-3)  # 301 cylinders: a third of the stroke is 100
    times = [seek.time(distance, 301) for distance in (1, 100, 200, 300)]
    assert times == pytest.approx([1e-3, 5e-3, 7e-3, 9e-3])


def test_curve():
    # a = (-10 + 75 - 45) / 30 = 2/3, b = (7 - 75 + 72) / 300 = 1/75; at 26: 5 a + 25 b + 1 = 14/3.
    seek = CurveSeek(1e-3, 5e-3, 9e-3)
    assert seek.time(26, 100) == pytest.approx(14e-3 / 3)
    assert seek.time(1, 100) == 1e-3


def test_hpl():
    seek = HplCurve(300, 3.81e-3, 0.33e-3, 7.75e-3, 0.0059e-3, ())
    # 3.81 + 0.33 sqrt(d) below 300, 7.75 + 0.0059 d from there.
    times = [seek.time(distance, 2051) for distance in (1, 100, 300)]
    assert times == pytest.approx([4.14e-3, 7.11e-3, 9.52e-3])


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
    assert drive.model.mechanics.seek.time(distance, 6962) == pytest.approx(expected)
    assert any("Full seek curve" in line for line in drive.ignored)
    assert bool(drive.notes) == words.startswith("linear")


def test_constant():
    assert ConstantSeek(3e-3).time(9, 100) == 3e-3


def write(folder, text):
    path = folder / "x.seek"
    path.write_text(text)
    return path


def test_columns(tmp_path):
    two = read_seek(write(tmp_path, "1, 0.5\n 10\t2.0\n"))
    assert (two.read_s, two.write_s, two.deviation_s) == ((0.5e-3, 2e-3), (), ())
    three = read_seek(write(tmp_path, "Seek distances measured: 1\n\n1, 0.5, 0.01,\n"))
    assert (three.read_s, three.deviation_s, three.time(500, 900)) == ((0.5e-3,), (0.01e-3,), 0.5e-3)
    four = read_seek(write(tmp_path, "1, 0.5, 0.01, 0.7\n3, 1.5, 0.01, 2.7"))
    assert four.time(2, 10) == pytest.approx(1e-3)
    assert four.time(2, 10, write=True) == pytest.approx(1.7e-3)
    assert four.time(9, 10, write=True) == pytest.approx(8.7e-3)


def test_a_falling_end_stays_above_zero(tmp_path):
    assert read_seek(write(tmp_path, "1, 2\n2, 1\n")).time(50, 100) == 0.0


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
