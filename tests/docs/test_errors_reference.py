"""docs/reference/errors.md: its example runs, and its exit codes are those of the classes."""

from __future__ import annotations

import re

import printed

from iowatt.base.errors import CODES, CheckFailedError, InputError, IowattError

PAGE = printed.ROOT / "docs" / "reference" / "errors.md"


def test_the_example_prints_code_and_place(capsys):
    (body,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(body, str(PAGE), "exec"), {})
    code, place = capsys.readouterr().out.split()
    assert code in CODES
    assert place == "no-such-scenario.toml"


def test_the_exit_codes_are_those_of_the_classes():
    listed = set(map(int, re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)))
    assert listed >= {error.exit_code for error in (IowattError, InputError, CheckFailedError)}
