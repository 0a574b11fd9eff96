"""Every test that docs/testing.md says holds a case exists."""

from __future__ import annotations

import re

import printed

PAGE = (printed.ROOT / "docs" / "testing.md").read_text("utf-8")
_FILE = re.compile(r"(?:tests|crates)/[\w/.-]+\.(?:py|rs)")
_TEST = re.compile(r"(?<=::)\w+")


def test_the_tests_that_hold_cases_exist():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and _FILE.search(line)]
    held = 0
    for row in rows:
        files = [printed.ROOT / name for name in _FILE.findall(row)]
        text = "".join(file.read_text("utf-8") for file in files)
        for name in _TEST.findall(row):
            if files:
                assert re.search(rf"(?:def|fn) {name}\b", text), f"{name} is in none of {files}"
                held += 1
    assert held > 100
