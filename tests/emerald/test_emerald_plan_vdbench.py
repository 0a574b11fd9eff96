"""Parameter files of vdbench by the rules of its parser (5.04.06, read in its source; it is not run here)."""

from __future__ import annotations

import re
import stat

import pytest
from emerald_plans import by_id, plan, with_stage
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.errors import InputError
from iowatt.emerald.plan.calendar import length_s
from iowatt.emerald.plan.load import check, vdbench
from refused import refused


def runs(text):
    """Run definitions by name, each a dict."""
    found = {}
    for line in text.splitlines():
        if line.startswith("rd="):
            pairs = dict(re.findall(r"(\w+)=(\([^)]*\)|[^,]*)", line))
            found[pairs["rd"]] = pairs
    return found


def test_a_phase_is_ten_minutes_and_then_31_of_which_one_is_not_counted(tmp_path):
    made = plan(tmp_path, source="vdbench")
    found = runs(vdbench.sequence_text(made))
    assert list(found) == [
        "prefill", "conditioning", "HB_warmup", "HB", "RR_warmup", "RR", "RW_warmup", "RW",
        "SR_warmup", "SR", "SW_warmup", "SW",
    ]  # fmt: skip
    for name, run in found.items():
        if name.endswith("_warmup"):
            assert (run["elapsed"], run["interval"]) == ("600", "60")
        elif len(name) == 2:
            assert (run["elapsed"], run["interval"]) == ("1860", "60")
    assert found["conditioning"]["iorate"] == "max"  # which keeps skews
    assert (found["prefill"]["maxdata"], found["HB"]["iorate"], found["SR"]["iorate"]) == ("1", "4000", "max")
    assert length_s(made, by_id(made)["HB"]) == 1860
    assert length_s(made, by_id(made)["HB-warmup"]) == 600


def test_a_rate_that_is_not_known_is_a_variable(tmp_path):
    made = plan(tmp_path, source="vdbench", rates={"RR": 700.0})
    assert vdbench.variables(made) == ["HB_iops", "RW_iops"]
    found = runs(vdbench.sequence_text(made))
    assert (found["HB"]["iorate"], found["RR"]["iorate"], found["RW_warmup"]["iorate"]) == (
        "$HB_iops", "700", "$RW_iops",
    )  # fmt: skip
    with refused("missing", "stage HB: rate_iops"):
        vdbench.stage_text(made, by_id(made)["HB"])
    assert list(runs(vdbench.stage_text(made, by_id(made)["RR-warmup"]))) == ["RR_warmup"]


def test_rates_are_found_by_curves_that_stop_at_the_limit_and_throughput_by_threads(tmp_path):
    found = runs(vdbench.rate_finding_text(plan(tmp_path, source="vdbench"), 20.0))
    assert list(found) == ["find_HB", "find_RR", "find_RW", "find_SR", "find_SW"]
    assert (found["find_HB"]["iorate"], found["find_HB"]["stopcurve"]) == ("curve", "20")
    assert (found["find_SW"]["iorate"], found["find_SW"]["forthreads"]) == ("max", "(1,2,4,8,16,32,64)")
    unlimited = runs(vdbench.rate_finding_text(plan(tmp_path, category="near-online"), None))
    assert "stopcurve" not in unlimited["find_RR"]


def test_version_1_seeks_no_rate_for_mw2_which_is_a_quarter_of_mw1(tmp_path):
    made = plan(tmp_path, rules="emerald-1.0.0", source="vdbench", rates={"MW1": 1000.0})
    assert "find_MW2" not in runs(vdbench.rate_finding_text(made, 20.0))
    assert runs(vdbench.sequence_text(made))["MW2"]["iorate"] == "250"


def test_streams_are_vdbenchs_own_and_the_hot_band_too(tmp_path):
    text = vdbench.sequence_text(plan(tmp_path, source="vdbench", streams={"SR": 4}))
    assert "wd=SR,rdpct=100,seekpct=0,xfersize=262144,streams=4" in text
    assert "wd=SW,rdpct=0,seekpct=0,xfersize=262144\n" in text
    assert re.search(r"wd=HB_hot1,skew=28,rdpct=70,seekpct=random,hotband=\(10,18\)", text)


def test_targets_share_the_threads(tmp_path):
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    made = plan(tmp_path, source="vdbench", targets=paths, streams={"": 2}, outstanding={"": 10})
    text = vdbench.sequence_text(made)
    assert text.count(f"size={32 << 20}") == 2
    assert (runs(text)["HB"]["threads"], runs(text)["SW"]["threads"]) == ("80", "5")


@settings(max_examples=40, deadline=None)
@given(
    scale=st.floats(1 / 60, 1),
    streams=st.integers(1, 20),
    rules=st.sampled_from(["emerald-1.0.0", "emerald-2.1.1", "emerald-4.0.0"]),
    category=st.sampled_from(["online", "near-online", "virtual-media-library"]),
)
def test_whatever_is_planned_obeys_the_parsers_rules(tmp_path_factory, scale, streams, rules, category):
    made = plan(
        tmp_path_factory.getbasetemp(),
        source="vdbench", time_scale=scale, streams={"": streams}, rules=rules, category=category, rates={},
    )  # fmt: skip
    for text in (vdbench.sequence_text(made), vdbench.rate_finding_text(made, 20.0)):
        assert check.keywords(text) is None


GOOD = (
    "* comment\nsd=sd1,lun=/dev/x,size=100000000\nwd=default,sd=sd*\n"
    "wd=a,skew=60,rdpct=70,seekpct=random,hotband=(10,18),xfersize=(512,50,4096,50)\n"
    "wd=b,skew=40,rdpct=0,seekpct=0,xfersize=4096,streams=2\n"
    "rd=r,wd=*,iorate=$x,elapsed=120,interval=60,threads=4\n"
)


def test_the_keyword_check_takes_what_vdbench_takes():
    assert check.keywords(GOOD) is None


@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("rdpct=70", "rdpct=170", "rdpct=170"),
        ("skew=60", "skew=61", "101"),
        ("skew=60", "skeww=60", "'skeww'"),
        ("(512,50,4096,50)", "(512,50,4096,40)", "100"),
        ("(512,50,4096,50)", "(500,50,4096,50)", "512"),
        ("(10,18)", "(18,10)", "hotband=(18,10)"),
        ("size=100000000", "size=1000000", "1000000"),
        ("streams=2", "streams=1", "streams=1"),
        ("elapsed=120", "elapsed=130", "elapsed=130"),
        ("elapsed=120", "elapsed=60", "elapsed=60"),
        ("iorate=$x", "iorate=0", "iorate=0"),
        ("wd=b,", "wd=a,", "wd=a"),
        ("wd=*,", "wd=c*,", "wd=c*"),
        ("rd=r,wd=*", "rd=r wd=*", "'rd=r wd=*"),
        ("rd=r", "xd=r", "'xd'"),
        ("sd=sd1,lun=/dev/x,size=100000000\n", "", "sd="),
        ("* comment\n", "rd=z,wd=a,iorate=1,elapsed=2,interval=1\n", "wd=a"),
    ],
)
def test_the_keyword_check_refuses_what_vdbench_refuses(good, bad, said):
    before, after = GOOD.split(good, 1)
    problem = check.keywords(before + bad + after)
    assert problem is not None
    assert said in problem
    # The line of the change, where there is one.
    lines = [number for number, line in enumerate(GOOD.splitlines(), 1) if good.strip() in line]
    later = {"101", "wd=a", "1000000"}  # seen where the definition is used
    assert said in later | {"sd="} or problem.startswith(f"line {lines[0]}: ")


@pytest.mark.parametrize("name", ["/dev/a b", "/dev/a,b=c", "/dev/$x"])
def test_a_name_that_would_be_read_as_something_else_is_refused(name):
    made = with_stage("/dev/x", 8 << 20, workload="SR", closed=True)
    made = made.model_copy(update={"target": made.target.model_copy(update={"path": name})})
    with pytest.raises(InputError):
        vdbench.stage_text(made, made.stages[0])


@pytest.mark.parametrize("takes_it", [True, False])
def test_where_a_vdbench_is_installed_its_own_answer_counts(tmp_path, monkeypatch, takes_it):
    """A stand-in on the PATH: it notes how it was called, and answers as vdbench does."""
    program = tmp_path / "vdbench"
    answer = "Vdbench simulation completed successfully." if takes_it else "Unknown: foo"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/called\necho "{answer}"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    checked = check.vdbench("x", "not checked by us", "", ["HB_iops"])
    assert checked.parsed
    assert checked.problem == (None if takes_it else answer)
    assert re.match(r"-s -f \S+ -o \S+ HB_iops=100$", (tmp_path / "called").read_text().strip())


def test_without_vdbench_it_is_said_who_looked(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    checked = check.vdbench("x", GOOD)
    assert (checked.parsed, checked.problem) == (False, None)
    assert "vdbench" not in checked.checked_by.split()
