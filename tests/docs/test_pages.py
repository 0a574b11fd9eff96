"""What the README and the how-to pages print runs as printed, in order, in a folder with the files named."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import printed
import pytest

import iowatt
from iowatt.evaluate.choose import choose_request
from iowatt.model.library import find_device
from iowatt.model.library.files import find_file_workload
from iowatt.model.scenario import compile_plan, load

PAGES = [printed.ROOT / "README.md", *sorted((printed.ROOT / "docs" / "howto").glob("*.md"))]
# What a snippet leaves out of a scenario.
WORKLOAD = '[[workload]]\nname = "mine"\ntrace = { path = "mytrace.csv.gz" }\n'
POOL = '[[array.pool]]\nname = "disks"\ndevice = "arrays2002-disk"\ncount = 1\n'


# On a tmpfs the processor that a load generator needs would be the limit, not the storage.
MEASURES = {"emerald-calibrate"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_runs_as_printed(
    page: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = request.getfixturevalue("disk_folder" if page.stem in MEASURES else "tmp_path")
    printed.workplace(folder)
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    found = printed.blocks(page)
    assert found
    for kind, body in found:
        if kind == "console":
            for words, expected in printed.commands(body):
                printed.run(words, expected)
        elif kind == "python":
            exec(compile(body, str(page), "exec"), names)
        else:
            assert kind == "toml", f"{page.name}: a block of kind {kind!r} is not tried"
            check(body)


def check(body: str) -> None:
    """A device, a mix of file operations or a question is read; another snippet, completed, is compiled."""
    given = tomllib.loads(body)
    if given.get("schema") == "iowatt.question/1":
        assert choose_request(body).question.name == given["name"]
        return
    if "kind" in given:
        Path(f"{given['name']}.toml").write_text(body, "utf-8")
        assert find_device(f"{given['name']}.toml", Path(), None).name == given["name"]
        return
    if "operations" in given:
        Path(f"{given['name']}.toml").write_text(body, "utf-8")
        assert find_file_workload(f"{given['name']}.toml").name == given["name"]
        return
    text = ("" if "name" in given else 'name = "snippet"\n') + body
    text += "" if "workload" in given else WORKLOAD
    text += "" if "array" in given else POOL
    base = Path("examples") if "traces/" in body else Path()
    scenario = load(text, base_dir=base)
    assert compile_plan(scenario, base)["schema"] == "iowatt.plan/1"


def test_the_readme_prints_what_make_demo_runs() -> None:
    makefile = (printed.ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(r"^demo: build\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    lines = [
        line.strip("\t@").replace("$(BIN)", ".venv/bin").replace("$(DEMO)", "demo")
        for line in recipe[1].splitlines()
    ]
    readme = (printed.ROOT / "README.md").read_text("utf-8")
    assert "".join(f"$ {line}\n" for line in lines) in readme


def test_the_override_of_power_in_place_takes_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed.workplace(tmp_path)
    monkeypatch.chdir(tmp_path)
    (snippet,) = (
        body
        for _, body in printed.blocks(printed.ROOT / "docs" / "howto" / "own-device.md")
        if "rpm = 15000" in body
    )
    plan = compile_plan(load('name = "x"\n' + snippet + WORKLOAD))
    (pool,) = plan["simulation"]["pools"]
    assert (pool["device"]["rpm"], pool["device"]["power"]["levels"]["idle_w"]) == (15_000, 20)


def test_an_overloading_trace_is_named_as_the_page_says(tmp_path: Path) -> None:
    page = (printed.ROOT / "docs" / "howto" / "own-trace.md").read_text("utf-8")
    printed.workplace(tmp_path)
    from iowatt.lenses.findings import findings

    overload = {"workload.oltp.replay.speed": 50, "workload.oltp.trace.end": "60s"}
    run = iowatt.run(tmp_path / "examples" / "tpcc-raid5.toml", set=overload)
    (found,) = (finding for finding in findings(run) if finding.code == "long-drain")
    assert f'"{found.text.partition(":")[0].lower()}"' in page
