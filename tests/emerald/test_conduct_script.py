"""A lab's own parameter files of vdbench: which run is which stage, and one call for all of them.

No vdbench may be shipped or downloaded here. A stand-in goes through the run definitions of the files that it
is given as the real one does (``status.html``), and leaves the output of a real one (tests/data/vdbench).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import conducted
import pytest
from typer.testing import CliRunner

from iowatt.base.errors import Argument, InputError
from iowatt.cli.main import app
from iowatt.emerald import script
from iowatt.emerald.analyze import files, measurement
from refused import check, refused

SAMPLE = Path(__file__).parent.parent / "data" / "vdbench"
STAND_IN = """#!{python}
import re, shutil, sys, time
from pathlib import Path
print("Vdbench distribution: vdbench50406 Wed July 20 15:49:52 MDT 2016")
words = sys.argv[1:]
here = Path({folder!r})
if words[0] == "-s":
    sys.exit(1 if (here / "refuse").exists() else 0)
read = words[1 : words.index("-o")]
out = Path(words[words.index("-o") + 1])
with (here / "calls").open("a") as calls:
    print(read, file=calls)
out.mkdir()
for file in Path({sample!r}).glob("concat_*"):
    if file.name != "concat_status.html":
        shutil.copy(file, out / file.name.removeprefix("concat_"))
status = (out / "status.html").open("w", buffering=1)
for name in re.findall(r"^rd=([^,]+)", "".join(Path(one).read_text() for one in read), re.M):
    if name == "default":
        continue
    stamp = "11/20/2026-15:33:09-UTC"
    print(f"{{stamp}} \\tStarting\\trd={{name}}\\tFor loops: threads=4", file=status)
    time.sleep(0.2)
    if (here / f"die-in-{{name}}").exists():
        print("Vdbench terminating due to I/O errors", flush=True)
        sys.exit(1)
    print(f"{{stamp}} \\tSlaves done\\trd={{name}}\\tFor loops: threads=4", file=status)
"""
SITE = "hd=default\n* storage of the lab\nsd=sd1,lun={target},size=8m\n"
SCRIPT = """\
wd=wd1,sd=sd*
rd=default,iorate=max
rd=fill,wd=wd1,maxdata=1
rd=look_first,wd=wd1,elapsed=2
rd=hband,wd=wd1,iorate=$rate,elapsed=10,interval=2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "vdbench"
    program.parent.mkdir()
    text = STAND_IN.format(python=sys.executable, folder=str(tmp_path), sample=str(SAMPLE))
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    (tmp_path / "site").write_text(SITE.format(target=tmp_path / "target.bin"))
    (tmp_path / "script").write_text(SCRIPT)
    return tmp_path


def plan(folder, **keys):
    stages = [
        conducted.stage("fill", "fill", "prefill", "fill", None, closed=True) | {"interval_s": 2.0},
        conducted.stage("HB", "HB", "measurement", "HB", 10.0) | {"interval_s": 2.0},
        conducted.stage("ready-idle", "RI", "idle", None, 0.3),
    ]
    return conducted.plan(folder, stages, source="vdbench", **keys)


def invoke(folder, *options):
    words = ["emerald", "run", str(folder / "plan.json"), "-o", str(folder / "out"), "--json", *options]
    return CliRunner().invoke(
        app, [*words, "--script", str(folder / "script"), "--site-file", str(folder / "site")]
    )


def test_a_script_runs_in_one_call_and_its_runs_are_the_stages(folder):
    plan(folder)
    done = invoke(folder, "--map", "hband=HB", "--variable", "rate=500")
    assert done.exit_code == 0, done.output
    calls = (folder / "calls").read_text().splitlines()
    assert calls == [repr([str(folder / "site"), str(folder / "script")])], "one Java, site file first"
    events = [(e.event, e.values.get("stage")) for e in conducted.journal(folder / "plan.json")]
    begun = [what for what in events if what[0].startswith("stage-")]
    assert begun == [
        (event, name) for name in ("fill", "HB", "ready-idle") for event in ("stage-started", "stage-ended")
    ]
    kept = json.loads((folder / "out" / "plan.json").read_text())["script"]
    assert kept["runs"] == {"hband": "HB"} and len(kept["sha256"]) == 2
    stages = {one.stage.id: one for one in measurement(folder / "out").stages}
    # The averages of the sample: 500 requests/s were asked for.
    assert stages["HB"].run.summary["driver"]["asked_iops"] == 500
    assert stages["fill"].run.summary["requests"]["reads"] == 0
    assert (folder / "out" / "stages" / "fill" / "out" / "flatfile.html").exists()


def test_a_script_that_fails_is_told_in_the_stage_that_it_failed_in(folder):
    plan(folder)
    (folder / "die-in-hband").touch()
    done = invoke(folder, "--map", "hband=HB", "--variable", "rate=500")
    assert done.exit_code == 1
    (failed,) = [e for e in conducted.journal(folder / "plan.json") if e.event == "stage-failed"]
    assert failed.values["stage"] == "HB" and "I/O errors" in failed.values["text"]


def refusal(folder, *options):
    done = invoke(folder, *options)
    assert isinstance(done.exception, InputError), done.output
    assert not (folder / "calls").exists() and not (folder / "out").exists()
    return done.exception


def test_what_a_script_cannot_be_run_as_is_refused_before_it_runs(folder):
    plan(folder)
    check(refusal(folder), "missing", Argument("map"))  # nothing is called HB
    check(refusal(folder, "--map", "hband=HX"), "unknown-name", Argument("map"))
    check(refusal(folder, "--map", "hb_run=HB"), "unknown-name", Argument("map"))
    check(refusal(folder, "--map", "hband=fill", "--map", "fill=HB"), "out-of-order", Argument("map"))
    check(refusal(folder, "--map", "hband"), "bad-syntax", Argument("map", "hband"))
    check(refusal(folder, "--map", "hband=HB", "--target", "other"), "conflict", Argument("target"))
    (folder / "refuse").touch()
    check(refusal(folder, "--map", "hband=HB"), "tool-failed", str(folder / "script"))
    (folder / "refuse").unlink()
    (folder / "target.bin").write_bytes(b"kept")
    check(refusal(folder, "--map", "hband=HB"), "unsafe-target", str(folder / "target.bin"))
    (folder / "script").write_text("fsd=fsd1,anchor=/x\nrd=HB,fwd=fwd1\n")
    check(refusal(folder), "unsupported", f"{folder / 'script'}:1")


def test_targets_of_other_hosts_are_named_twice(folder):
    plan(folder)
    (folder / "site").write_text("hd=lab1,system=lab1.example\nsd=sd1,host=lab1,lun=/dev/mapper/a\n")
    error = refusal(folder, "--map", "hband=HB", "--variable", "rate=500")
    check(error, "unsafe-target", "/dev/mapper/a")
    given = ("--map", "hband=HB", "--variable", "rate=500", "--erase", "/dev/mapper/a")
    assert invoke(folder, *given).exit_code == 0


def test_a_variable_in_a_target_has_to_be_given(folder):
    (folder / "site").write_text("sd=sd1,lun=$disk\n")
    paths = [folder / "site", folder / "script"]
    with refused("missing", f"{folder / 'site'}:1"):
        script.content(script.planned(paths, {}, {}))
    assert script.content(script.planned(paths, {}, {"disk": "/dev/x"})).luns == ["/dev/x"]


def test_output_of_other_names_is_analysed_by_a_map(folder):
    """What vdbench left somewhere else, with its own names."""
    path = plan(folder)
    other = {one.stage.id: one for one in files(path, SAMPLE, [], []).stages}
    assert other["HB"].run is None and other["HB"].findings[0].code == "unreadable"
    named = {one.stage.id: one for one in files(path, SAMPLE, [], [], runs={"hband": "HB"}).stages}
    assert named["HB"].run.summary["driver"]["asked_iops"] == 500
    with refused("unknown-name", Argument("map")):
        files(path, SAMPLE, [], [], runs={"hband": "SR"})
