"""Every row of docs/coverage.md names a page that runs its command, or a study that a test conducts."""

from __future__ import annotations

import re

import printed
import pytest

DOCS = printed.ROOT / "docs"
ROW = re.compile(
    r"^\| (?P<thing>[^|]+) \| (?P<commands>`[^|]+`) \| \{doc\}`(?P<page>[a-z0-9/-]+)` \|$", re.MULTILINE
)
STUDY = re.compile(r"^iowatt study run ([a-z0-9]+)$")
ROWS = [match.groups() for match in ROW.finditer((DOCS / "coverage.md").read_text("utf-8"))]


def test_there_are_rows_for_every_study():
    text = (DOCS / "coverage.md").read_text("utf-8")
    table_lines = [line for line in text.splitlines() if line.startswith("| ") and "`iowatt " in line]
    assert len(ROWS) == len(table_lines), "a row that does not read as one"
    assert len(ROWS) > 80
    for study in ("arrays2002", "dollars2014", "hotband2013", "emerald2012", "latency2015"):
        assert f"\n## {study}\n" in text


@pytest.mark.parametrize(("thing", "commands", "page"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_what_the_tests_run(thing, commands, page):
    for command in re.findall(r"`([^`]+)`", commands):
        study = STUDY.match(command)
        if study:
            assert page == f"studies/{study[1]}"
            assert (printed.ROOT / "tests" / "studies" / f"test_study_{study[1]}.py").is_file()
            continue
        assert page.startswith("howto/"), "the tests run the commands of the how-to pages"
        bodies = [body for kind, body in printed.blocks(DOCS / f"{page}.md") if kind == "console"]
        lines = [line.removeprefix("$ ") for body in bodies for line in body.splitlines()]
        assert any(line.startswith(command.removesuffix(" ...")) for line in lines), (
            f"{page} does not run {command!r}"
        )
