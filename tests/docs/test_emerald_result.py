"""The reference of results names every key of one, and the how-to every code of a finding."""

from __future__ import annotations

import re

import printed

import emerald_runs
from iowatt.emerald.analyze import judge
from iowatt.emerald.analyze.checks.instruments import PROBLEMS
from iowatt.emerald.analyze.checks.sequence import EVENTS
from iowatt.emerald.rules import load

REFERENCE = (printed.ROOT / "docs" / "reference" / "emerald-result.md").read_text("utf-8")
HOWTO = (printed.ROOT / "docs" / "howto" / "emerald-analyze.md").read_text("utf-8")
#: Of the stories of `run.json` and of rules, which their own references tell.
ELSEWHERE = ("instruments", "unverified", "findings", "shares", "product")
#: Words of a table of the how-to may stand for kinds of findings; these few are said in sentences only.
IN_WORDS = {
    "calibration-unknown", "accuracy-unknown", "meter-gap", "meter-failure", "meter-problem", "no-minutes",
    "no-warmup", "resumed", "deviation", "stage-failed", "intensity-unknown", "skew-unknown", "trend-unknown",
    "rules-differ", "preparation-missing", "log-unreadable", "unreadable", "rest-assumed", "rest-unknown",
    "not-run",
}  # fmt: skip


def keys(value, at=""):
    if isinstance(value, dict):
        for key, one in value.items():
            yield key
            if key not in ELSEWHERE:
                yield from keys(one, key)
    elif isinstance(value, list) and value:
        yield from keys(value[0], at)


def test_every_key_is_in_the_reference():
    found = judge(emerald_runs.measured(), load("emerald-4.0.0")).as_dict()
    told = set(re.findall(r"`([a-z0-9_]+)`", REFERENCE)) | {"a", "b", "c"}
    assert set(keys(found)) <= told


def test_every_code_of_a_finding_is_in_the_how_to():
    root = printed.ROOT / "python" / "iowatt"
    files = [root / "emerald" / "generator.py", *(root / "emerald" / "analyze").rglob("*.py")]
    source = "\n".join(file.read_text("utf-8") for file in files)
    calls = r'(?:Finding|finding|invalid|non_compliant|warning)\(\s*"([a-z-]+)"'
    codes = set(re.findall(calls, source)) - IN_WORDS
    codes |= {code for code, _, _ in [*PROBLEMS.values(), *EVENTS.values()]} - IN_WORDS
    assert len(codes) > 40
    told = set(re.findall(r"`([a-z-]+)`", HOWTO))
    assert codes <= told
