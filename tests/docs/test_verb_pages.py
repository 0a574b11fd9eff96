"""The pages of the verbs: one for each, with the options that the command line has."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from iowatt.cli.verbs import VERBS, load

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "reference" / "verbs"


def test_every_verb_has_a_page_that_the_index_lists():
    pages = {page.stem for page in PAGES.glob("[!_]*.md")}
    index = (DOCS / "index.md").read_text("utf-8").splitlines()
    assert pages == set(VERBS)
    assert [line for line in index if line.startswith("reference/verbs/")] == [
        f"reference/verbs/{name}" for name in VERBS
    ]


@pytest.mark.parametrize("name", VERBS)
def test_a_page_includes_all_options_of_its_verb(name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import verb_options

    verb_options.write(tmp_path)
    sys.modules.pop("verb_options")
    written = (tmp_path / f"_{name}.md").read_text("utf-8")
    commands = [load(name)]
    flags = set()
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        flags |= {flag for one in command.params for flag in one.opts if flag.startswith("--")}
    assert {flag for flag in flags if flag not in written} == {"--help"} & flags
    assert f"```{{include}} _{name}.md" in (PAGES / f"{name}.md").read_text("utf-8")
