"""Whatever is given as a file, no more of it is read than such a file may have."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

import pytest
from typer.testing import CliRunner

from iowatt.base import input_file
from iowatt.base.errors import InputError
from iowatt.cli.main import app


def test_a_file_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"x" * 10)
    assert input_file.whole(file, most=10) == b"x" * 10
    with pytest.raises(InputError) as caught:
        input_file.whole(file, most=9)
    assert caught.value.place == str(file)


def test_a_line_is_read_up_to_its_bound(tmp_path):
    file = tmp_path / "f"
    file.write_bytes(b"ab\nabc\rabc\n")
    assert input_file.whole(file, line=3)
    file.write_bytes(b"ab\n" + b"x" * (1 << 21))  # longer than what is read at a time
    with pytest.raises(InputError) as caught:
        input_file.whole(file, line=1 << 20)
    assert caught.value.place == f"{file}:2"


def test_a_pipe_is_read_and_bounded(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def pour(size):
        with suppress(OSError), pipe.open("wb") as end:
            end.write(b"x" * size)

    for size, refused in ((3 << 20, False), (5 << 20, True)):
        writer = threading.Thread(target=pour, args=(size,))
        writer.start()
        if refused:
            with pytest.raises(InputError):
                input_file.whole(pipe, most=4 << 20)
        else:
            assert len(input_file.whole(pipe, most=4 << 20)) == size
        writer.join()


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": NaN}', "{", "[1]", "1" * 5000])
def test_what_is_no_object_of_json_names_the_file(tmp_path, text):
    file = tmp_path / "f.json"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        input_file.json_object(file)
    assert caught.value.place.startswith(str(file))
    assert input_file.schema_of(file) == ""


DEEP = "[" * 3000
SCENARIO = "examples/tpcc-raid5.toml"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["check", "/dev/zero"], "/dev/zero"),
        (["run", "/dev/zero"], "/dev/zero"),
        (["meter", "read", "csv:/dev/zero"], "/dev/zero"),
        (["import", "/dev/zero", "-o", "x"], "/dev/zero"),
        (["cost", "/dev/zero"], "/dev/zero"),
        (["check", SCENARIO, "--set", f"x={DEEP}"], "set: x=["),
        (["check", SCENARIO, "--set", "a." * 3000 + "b=1"], "set"),
        (["sweep", SCENARIO, "--over", f"seed={DEEP}", "-o", "x"], None),
    ],
)
def test_no_command_reads_what_has_no_end(arguments, place, tmp_path, monkeypatch, pytestconfig):
    monkeypatch.chdir(pytestconfig.rootpath)
    result = CliRunner().invoke(app, [word if word != "x" else str(tmp_path / "x") for word in arguments])
    assert isinstance(result.exception, InputError)
    if place is not None:
        assert str(result.exception.place).startswith(place)


@pytest.mark.parametrize(
    "text",
    [
        "[" + ".".join(["a"] * 5000) + "]\n",
        "a" + ".a" * 5000 + " = 1\n",
        f"a = {DEEP}",
        "a = " + "[" * 80 + "]" * 80,
    ],
)
def test_a_document_nested_without_end_names_its_file(tmp_path, text):
    file = tmp_path / "deep.toml"
    file.write_text(text)
    result = CliRunner().invoke(app, ["check", str(file)])
    assert isinstance(result.exception, InputError)
    assert str(result.exception.place).startswith(str(file))
