"""Pages of the shipped questions: each has its question, a dated answer, and a row for every family that it
admits."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iowatt.evaluate.choose import choose_request
from iowatt.evaluate.choose.families import families_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "questions"
QUESTIONS = sorted((ROOT / "examples" / "questions").glob("*.toml"))


def test_every_question_has_a_page_and_every_page_a_question():
    assert {one.stem for one in QUESTIONS} == {one.stem for one in PAGES.glob("*.md")}


@pytest.mark.parametrize("file", QUESTIONS, ids=lambda one: one.stem)
def test_a_page_has_its_dated_answer(file):
    text = (PAGES / f"{file.stem}.md").read_text("utf-8")
    found = re.search(r"The answer of (\d+ \w+ \d{4})", text)
    assert found is not None
    assert datetime.strptime(found[1], "%d %B %Y").replace(tzinfo=UTC) <= datetime.now(UTC)
    assert f"$ iowatt choose examples/questions/{file.name}\n" in text
    assert f"literalinclude}} ../../examples/questions/{file.name}" in text
    answer = text.split("```text\n")[1].split("```")[0]
    verdict = re.search(
        r"^Cheapest that meets the requirements: .+?, \$[\d.,]+[kM]? over ", answer, re.MULTILINE
    )
    assert verdict is not None or "No system of these families meets the requirements" in answer
    for family in families_of(choose_request(file).question):
        assert re.search(rf"^{re.escape(family.title)}\b", answer, re.MULTILINE), family.title
